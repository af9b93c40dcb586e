#!/bin/sh
# SPDX-License-Identifier: ISC
# The browser and the desktop as declared tools of a daemon: a browser for each pane, its end, and a
# call on the display of the caller's session that outlives the daemon.
# With MUXBUS_NEED_TOOLS (make check-tools) an absent program is a failure.
. "$MUXBUS_SRCDIR/tests/live/live.sh"

cannot() {
	[ -z "${MUXBUS_NEED_TOOLS:-}" ] || { echo "Bail out! $1"; exit 1; }
	skip_all "$1"
}
for program in chromium chromedriver Xvfb xdotool xprop xwininfo import zenity; do
	command -v $program >/dev/null || cannot "$program is not installed"
done
# Pages of this test are addresses of their own, which the shipped declarations do not open.
MUXBUS_TOOLS=$(mktemp -d) || exit 99
export MUXBUS_TOOLS
cp "$MUXBUS_SRCDIR"/contrib/tools/* "$MUXBUS_TOOLS"
sed -i 's|"./browser_server"|"./browser_server", "--allow=data"|' "$MUXBUS_TOOLS"/*.json
unset DISPLAY WAYLAND_DISPLAY
start 'exec sleep 3600'
finish_all() {
	kill $server 2>/dev/null
	finish
	rm -rf "$MUXBUS_TOOLS"
}
server=
trap finish_all EXIT
one=$(t list-panes -F '#{pane_id}')
two=$(t split-window -dP -F '#{pane_id}' -c / 'exec sleep 3600')

# tool PANE NAME PARAMS FILTER: calls it for the pane.
tool() {
	call "$2" "$(jq -nc --arg pane "$1" --argjson params "$3" '$params + {pane: $pane}')"
	field "$4"
}
servers() {
	ask '{"method":"list_tools"}' | jq -r ".result.servers | $1"
}
# The processes that descend from those given.
descendants() {
	ps -eo pid=,ppid= | awk -v roots="$*" '
	BEGIN { count = split(roots, list, " "); for (at in list) found[list[at]] = 1 }
	{ parent[$1] = $2 }
	END {
		for (pid in parent)
			for (at = pid; at in parent && at > 1; at = parent[at])
				if (at in found) { print pid; break }
	}'
}
# alive PID...: how many of them run.
alive() {
	ps -o stat= -p "$(echo "$*" | tr ' ' ,)" | grep -cv '^Z'
}
page() {
	printf '{"url":"data:text/html,<title>%s</title><input id=who><p>of %s"}' "$1" "$1"
}

# ---- a browser for each pane ----
is 'no browser runs before it is started' "$(tool "$one" webdriver_get_url '{}' .error.data.kind)" tool_failed
is 'the browser of a pane' "$(tool "$one" webdriver_start '{}' .result.structured.started)" true
is 'its page' "$(tool "$one" webdriver_navigate "$(page One)" .result.structured.title)" One
is 'another pane, in one call' \
	"$(tool "$two" execute_browser "{\"steps\":[$(page Two | jq -c '. + {action: "navigate"}')],\"script\":\"return document.title\"}" \
		'.result.structured | [.started, .steps[1].result.result] | join(" ")')" 'true Two'
is 'both see their own pages' "$(tool "$one" webdriver_get_title '{}' .result.text) $(tool "$two" webdriver_get_title '{}' .result.text)" 'One Two'
is 'a mistake is a sentence' "$(tool "$one" webdriver_click '{"selector":"#no"}' .error.message | cut -d : -f 2)" \
	' no element matches the css selector "#no" on data'
is 'a wrong parameter is refused before' "$(tool "$one" webdriver_click '{"selector":"a","by":"id"}' .error.data.kind)" invalid_params
tool "$two" webdriver_screenshot '{}' '.result.images[0].data' | base64 -d >"$dir/page.png"
is 'a picture' "$(head -c 4 "$dir/page.png" | tail -c 3)" PNG

# ---- its end ----
first=$(servers ".[] | select(.pane == \"$one\").pid")
second=$(servers ".[] | select(.pane == \"$two\").pid")
# shellcheck disable=SC2046
set -- $(descendants "$first")
ok 'a server has chromedriver and chromium below it' [ $# -gt 3 ]
ask "{\"method\":\"webdriver_execute_script\",\"params\":{\"pane\":\"$one\",\"script\":\"while (1);\"}}" >"$dir/gone" &
asking=$!
until_is 'a call is under way' 1 servers ".[] | select(.pane == \"$one\").running"
kill -9 "$first"
wait $asking
is 'the server is killed in it: gone' "$(jq -r '.error | "\(.data.kind) \(.message | test("effect of the call is unknown"))"' "$dir/gone")" 'gone true'
until_is 'chromium ends too' 0 alive "$@"
is 'the other pane keeps its page' "$(tool "$two" webdriver_get_title '{}' .result.text)" Two
is 'the page is not opened again by itself' "$(tool "$one" webdriver_get_title '{}' '.error.message | test("call webdriver_start first")')" true
is 'but by a call' "$(tool "$one" execute_browser "$(page Again | jq -c '. + {action: "navigate"}')" .result.structured.title)" Again
# shellcheck disable=SC2046
set -- $(descendants "$second")
t kill-pane -t "$two"
until_is 'a browser ends with its pane' 0 alive "$@"

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
