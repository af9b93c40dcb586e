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
for program in Xvfb xdotool import zenity; do
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
	"$(field '.result.notifications | "\(length) \(.[0].source) \(.[0].data.command) \(.[0].data.output | startswith("{\"done\":[\"type\"]"))"')" \
	'1 tool execute_gui true'
tool "$one" execute_gui '{"action":"press_key","keys":"Return"}' .result >/dev/null
wait $asked
is 'and all of its text was typed once' "$(cat "$dir/said")" "$text"

# ---- one server for all panes, its speed, and its events ----
servers() {
	ask '{"method":"list_tools"}' | jq -r ".result.servers | map(select(.name == \"desktop\")) | $1"
}
is 'one server for all panes' "$(servers 'map(.pane) | tojson')" '[null]'
/usr/bin/python3 - "$MUXBUS" "$one" >"$dir/times" <<'PYTHON'
import json, socket, sys, time
with socket.socket(socket.AF_UNIX) as link:
    link.connect(sys.argv[1])
    lines = link.makefile("rw")
    for number in range(42):
        begin = time.monotonic()
        print(json.dumps({"id": number, "method": "execute_gui", "params": {"action": "click", "x": 300, "y": 20, "pane": sys.argv[2]}}), file=lines, flush=True)
        if json.loads(lines.readline())["result"]["done"] == ["click"]:
            print(round(1000 * (time.monotonic() - begin), 1))
PYTHON
is '42 clicks' "$(wc -l <"$dir/times")" 42
echo "# median of execute_gui over the socket: $(sort -n "$dir/times" | sed -n 21p) ms, at load $(cut -d ' ' -f 1 /proc/loadavg)"
DISPLAY=$display zenity --info --title=Second --text=Text 2>/dev/null &
asked=$!
call wait_for '{"any":[{"event":"window_opened","where":{"title":"Second"}}],"timeout_sec":60}'
is 'a window that opens wakes a wait' "$(field '.result | tojson | test("Second")')" true
kill $asked
t set-environment -t main DISPLAY :4999
is 'another display of the session counts at once' "$(tool "$one" list_windows_desktop '{}' '.error.message | test("the display :4999 cannot")')" true
done_testing
