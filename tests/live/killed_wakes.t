#!/bin/sh
# SPDX-License-Identifier: ISC
# Wakes by each way, by a stand-in for the agent, while the daemon and the follower are killed again
# and again: none is lost. In the long form 10,000 for each way; the times are for contrib/agents.md.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
need python3
start 'exec sh'
fake="$MUXBUS_BUILDDIR/tests/fake_agent"
[ -x "$fake" ] || skip_all 'the fake agent is not built'
wakes="$MUXBUS_SRCDIR/tests/live/killed_wakes.py"
count=${MUXBUS_TEST_COUNT:-${MUXBUS_TEST_LONG:+10000}}
count=${count:-60}
export MUXBUS_BUILDDIR
mkdir "$dir/bin"
cat >"$dir/bin/codex" <<END
#!/usr/bin/env python3
import sys, time
open("$dir/queue.log", "a").write(f"{int(time.monotonic() * 1000)} {' '.join(sys.argv[1:])}\n")
END
chmod +x "$dir/bin/codex"
for way in ${MUXBUS_TEST_KINDS:-follow confirm hook queue typed}; do
	kill_daemon # the one of the last way has ended
	case $way in
	typed) agent="exec $fake $dir/typed.log" ;;
	queue) agent="exec env PATH=$dir/bin:$PATH $fake $dir/unused.log" ;;
	*) agent="exec python3 $wakes hear $way $dir" ;;
	esac
	pane=$(t new-window -dP -F '#{pane_id}' "MUXBUS=$MUXBUS MUXBUS_BUILDDIR=$MUXBUS_BUILDDIR $agent")
	if [ $way = queue ]; then
		call report_agent "$(jq -nc --arg pane "$pane" '{$pane, agent: "codex", session: "s-1", state: "idle"}')"
	fi
	kill -9 "$(ask '{"method":"status"}' | jq .result.pid)" "$daemon_pid" 2>/dev/null
	wait "$daemon_pid" 2>/dev/null
	python3 "$wakes" drive "$way" "$dir" "$pane" "$count" "${MUXBUS_TEST_SEED:-1}" >"$dir/$way.said" 2>&1
	sed -n 's/^#/#/p' "$dir/$way.said"
	set -- $(tail -n 1 "$dir/$way.said")
	echo "# $way: of $1 wakes $2 came twice, $3 are lost, $4 still wait; p50 $5 ms, p99 $6 ms"
	is "$way: each is posted" "$1" "$count"
	is "$way: none is lost, and none waits" "$3 $4" '0 0'
	t kill-pane -t "$pane"
done
done_testing
