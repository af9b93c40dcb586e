#!/bin/sh
# SPDX-License-Identifier: ISC
# The session in README can be pasted: each line is answered, and none with an error.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
start 'exec sleep 3600'

# The lines are pasted into pane %0 of the script's server.
TMUX="$dir/tmux,$(t display-message -p '#{pid}'),0"
TMUX_PANE=%0
export TMUX TMUX_PANE
sed -n '/^A SESSION/,/^INSTALL/s/^\t//p' "$MUXBUS_SRCDIR/README" >"$dir/session"
grep '^ask() ' "$dir/session" >"$dir/define" && . "$dir/define"
is 'the session defines ask' "$(wc -l <"$dir/define")" 1

grep "^ask '" "$dir/session" | grep -v subscribe >"$dir/lines"
while read -r line <&3; do
	eval "$line" >"$dir/answer" 2>&1
	is "$line" "$(jq -r 'if has("result") then "answered" else .error.message end' "$dir/answer")" answered
done 3<"$dir/lines"
ok 'it is a session of some lines' [ "$(wc -l <"$dir/lines")" -ge 6 ]

# The last one goes on until the reader goes.
line=$(grep "^ask '" "$dir/session" | grep subscribe)
(eval "$line" | head -n 1 >"$dir/events") &
until_is "$line" S1 jq -r 'select(.result).result.subscription' "$dir/events"
done_testing
