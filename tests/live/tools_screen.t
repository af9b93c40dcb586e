#!/bin/sh
# SPDX-License-Identifier: ISC
# The desktop as declared tools of a daemon, with a call on the display of the caller's session that
# outlives the daemon.
# With MUXBUS_NEED_TOOLS (make check-tools) an absent program is a failure.
. "$MUXBUS_SRCDIR/tests/live/live.sh"

cannot() {
	[ -z "${MUXBUS_NEED_TOOLS:-}" ] || { echo "Bail out! $1"; exit 1; }
	skip_all "$1"
}
for program in Xvfb xdotool xprop xwininfo import zenity; do
	command -v $program >/dev/null || cannot "$program is not installed"
done
unset DISPLAY WAYLAND_DISPLAY
export MUXBUS_TOOLS="$MUXBUS_SRCDIR/contrib/tools"
start 'exec sleep 3600'
finish_all() {
	kill $server 2>/dev/null
	finish
}
server=
trap finish_all EXIT
one=$(t list-panes -F '#{pane_id}')

# tool PANE NAME PARAMS FILTER: calls it for the pane.
tool() {
	call "$2" "$(jq -nc --arg pane "$1" --argjson params "$3" '$params + {pane: $pane}')"
	field "$4"
}
# ---- the display of the session, across kill -9 ----
is 'a session without a display' "$(tool "$one" list_windows_desktop '{}' '.error.message | test("there is no DISPLAY")')" true
mkfifo "$dir/display"
# Without -noreset the server would drop its clients when the last one before them has gone.
Xvfb -displayfd 3 -noreset -screen 0 800x600x24 -nolisten tcp 3>"$dir/display" 2>/dev/null &
server=$!
display=:$(timeout 30 head -n 1 "$dir/display")
t set-environment -t main DISPLAY "$display"
DISPLAY=$display zenity --entry --title=Question --text=Text >"$dir/said" 2>/dev/null &
asked=$!
question() {
	tool "$one" list_windows_desktop '{}' 'any((.result.windows // [])[]; .title == "Question")'
}
until_is 'the tools reach the display of the session' true question
[ $failed -eq 0 ] || done_testing
tool "$one" observe_screen '{"scale":0.5}' .result.data | base64 -d >"$dir/screen.png"
is 'which is seen' "$(od -An -tu1 -j 16 -N 8 "$dir/screen.png" | tr -s ' ')" ' 0 0 1 144 0 0 1 44'
text=$(printf 'word%03d ' $(seq 40))
tool "$one" execute_gui '{"action":"click","x":400,"y":20,"window":"Question"}' .result >/dev/null
id=$(tool "$one" execute_gui "$(jq -nc --arg text "$text" '{wait: false, action: "type", text: $text}')" .result.id)
kill_daemon
call next_notification "{\"filter\":{\"id\":\"$id\"},\"timeout_sec\":60}"
is 'a call that nothing waits for is notified once, across kill -9 of the daemon' \
	"$(field '.result.notifications | "\(length) \(.[0].source) \(.[0].data.command) \(.[0].data.state)"')" \
	'1 tool execute_gui exited'
tool "$one" execute_gui '{"action":"press_key","keys":"Return"}' .result >/dev/null
wait $asked
is 'and was done once' "$(cat "$dir/said")" "$text"
done_testing
