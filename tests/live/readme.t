#!/bin/sh
# SPDX-License-Identifier: ISC
# The session in README can be pasted: each line is answered, and none with an error.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
start 'exec sleep 3600'

# The lines are pasted into pane %0 of the script's server.
TMUX="$dir/tmux,$(t display-message -p '#{pid}'),0"
TMUX_PANE=%0
PATH="$MUXBUS_BUILDDIR:$PATH"
export TMUX TMUX_PANE PATH
sed -n '/^A SESSION/,/^FOR AN AGENT/s/^\t//p' "$MUXBUS_SRCDIR/README" >"$dir/session"

# The lines that end. muxbus alone is for a terminal.
sed 's/[[:blank:]]*#.*//' "$dir/session" | grep '^muxbus' | grep -vxE 'muxbus( watch| top| work .*|)' >"$dir/lines"
while read -r line <&3; do
	(cd "$dir" && eval "$line") >"$dir/answer" 2>&1
	is "$line" "$?" 0
done 3<"$dir/lines"
ok 'no line of README is wider than 92 columns' [ "$(LC_ALL=C.UTF-8 wc -L <"$MUXBUS_SRCDIR/README")" -le 92 ]
ok 'the session has several lines' [ "$(wc -l <"$dir/lines")" -ge 6 ]
ok 'the picture is SVG' grep -q '^<svg ' "$dir/pane.svg"

# happens FILE: makes events until the file has one.
happens() {
	tries=0
	while [ ! -s "$1" ] && [ $tries -lt 500 ]; do
		tries=$((tries + 1))
		t rename-window "try $tries"
		sleep 0.02
	done
	[ -s "$1" ]
}

# The lines that run until they are stopped.
muxbus watch >"$dir/watched" 2>&1 &
watcher=$!
ok 'muxbus watch prints events' happens "$dir/watched"
kill $watcher

grep '^ask() ' "$dir/session" >"$dir/define" && . "$dir/define"
is 'the session defines ask' "$(wc -l <"$dir/define")" 1
grep "^ask '" "$dir/session" | grep -v subscribe >"$dir/lines"
while read -r line <&3; do
	eval "$line" >"$dir/answer" 2>&1
	is "$line" "$(jq -r 'if has("result") then "answered" else .error.message end' "$dir/answer")" answered
done 3<"$dir/lines"
ok 'there are lines for socat' [ "$(wc -l <"$dir/lines")" -ge 2 ]

# The last one runs until its reader closes.
line=$(grep "^ask '" "$dir/session" | grep subscribe)
(eval "$line" | head -n 1 >"$dir/events") &
until_is "$line" S1 jq -r 'select(.result).result.subscription' "$dir/events"
done_testing
