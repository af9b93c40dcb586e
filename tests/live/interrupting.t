#!/bin/sh
# SPDX-License-Identifier: ISC
# A person begins to type while a wake is typed: the two never become one prompt.
# MUXBUS_PERSONS, MUXBUS_TRIALS and MUXBUS_SEED make it longer.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
need python3
start 'exec sh'
echo 'fake_agent edits yes' >>"$dir/.config/muxbus/agents"
kill_daemon
cat >"$dir/fake_agent" <<END
#!$(command -v python3)
import sys
sys.argv = ["interrupting.py", "stand-in", *sys.argv[1:]]
exec(open("$MUXBUS_SRCDIR/tests/live/interrupting.py").read())
END
chmod +x "$dir/fake_agent"
persons=${MUXBUS_PERSONS:-4}
trials=${MUXBUS_TRIALS:-3}
tally=$(timeout 3600 python3 "$MUXBUS_SRCDIR/tests/live/interrupting.py" persons "$dir" "$MUXBUS" "$dir/tmux" \
	"$persons" "$trials" "${MUXBUS_SPREAD:-0.6}" "${MUXBUS_SEED:-1}" 2>"$dir/odd")
cat "$dir/odd"
echo "# $tally"
at() {
	printf '%s' "$tally" | jq ".\"$1\""
}
is 'all were typed' "$(at trials)" $((persons * trials))
is 'none was fused' "$(at fused)" 0
is 'no prompt was damaged' "$(at damaged)" 0
is 'each wake came' "$(at 'not woken')" 0
is 'once' "$(at 'woken twice')" 0
done_testing
