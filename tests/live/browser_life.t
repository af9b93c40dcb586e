#!/bin/sh
# SPDX-License-Identifier: ISC
# The browser as declared tools of a daemon: one for each pane, its end, its events, and a story that
# goes on over kill -9 of the daemon.
# With MUXBUS_NEED_TOOLS (make check-tools) an absent program is a failure.
export XDG_DATA_HOME="${XDG_DATA_HOME:-$HOME/.local/share}" # where playwright-core is
. "$MUXBUS_SRCDIR/tests/live/live.sh"

cannot() {
	[ -z "${MUXBUS_NEED_TOOLS:-}" ] || { echo "Bail out! $1"; exit 1; }
	skip_all "$1"
}
for program in node chromium; do
	command -v $program >/dev/null || cannot "$program is not installed"
done
server=$MUXBUS_SRCDIR/contrib/tools/browser_server
"$server" --installed || cannot "playwright-core is not installed: $server --install"
# Pages of this test are addresses of their own, which the shipped declarations do not open.
MUXBUS_TOOLS=$(mktemp -d) || exit 99
export MUXBUS_TOOLS
cp "$MUXBUS_SRCDIR"/contrib/tools/* "$MUXBUS_TOOLS"
sed -i 's|"./browser_server"|"./browser_server", "--allow=data"|' "$MUXBUS_TOOLS"/*.json
start 'exec sleep 3600'
finish_all() {
	finish
	rm -rf "$MUXBUS_TOOLS"
}
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
ok 'a server has chromium below it' [ $# -gt 3 ]
ask "{\"method\":\"webdriver_execute_script\",\"params\":{\"pane\":\"$one\",\"script\":\"while (1);\"}}" >"$dir/gone" &
asking=$!
until_is 'a call is under way' 1 servers ".[] | select(.pane == \"$one\").running"
kill -9 "$first"
wait $asking
is 'the server is killed in it: gone' "$(jq -r '.error | "\(.data.kind) \(.message | test("effect of the call is unknown"))"' "$dir/gone")" 'gone true'
until_is 'chromium ends too' 0 alive "$@"
is 'the other pane keeps its page' "$(tool "$two" webdriver_get_title '{}' .result.text)" Two
is 'the next call says what is lost' \
	"$(tool "$one" webdriver_get_title '{}' '.error.message | test("its pages are lost \\(data:text/html,<title>One.*reopen=true")')" true
is 'and it opens it again on request' \
	"$(tool "$one" webdriver_start '{"reopen":true}' '.result.structured | "\(.title) \(.untrusted | test("data of strangers"))"')" 'One true'
# shellcheck disable=SC2046
set -- $(descendants "$second")
t kill-pane -t "$two"
until_is 'a browser ends with its pane' 0 alive "$@"

# ---- its console and network as resources ----
# resource PANE NAME: the answer of MCP
resource() {
	printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}' \
		'{"jsonrpc":"2.0","method":"notifications/initialized"}' \
		"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"resources/templates/list\"}" \
		"{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"resources/read\",\"params\":{\"uri\":\"muxbus://panes/${1#%}/$2\"}}" |
		"$MUXBUS_BUILDDIR/muxbus" mcp >"$dir/read"
	jq -r 'select(.id == 3) | .result.contents[0].text // .error.message' "$dir/read"
}
tool "$one" execute_browser '{"script":"console.log(\"a line\")"}' .result >/dev/null
is 'the console is a resource' "$(resource "$one" console | jq -r '.structured // . | "\(.steps[0].result.lines[-1].text) \(.untrusted | length > 0)"')" 'a line true'
is 'and the network' "$(resource "$one" network | jq -r '.structured // . | .steps[0].result.lines | type')" array
is 'which templates name' "$(jq -r 'select(.id == 2).result.resourceTemplates[].uriTemplate' "$dir/read" | grep -c '/console$\|/network$')" 2
bare=$(t split-window -dP -F '#{pane_id}' 'exec sleep 3600')
is 'a read starts no browser' "$(resource "$bare" console | grep -c webdriver_start) $(servers "map(select(.pane == \"$bare\")) | length")" '1 1'
pgrep -P "$(servers ".[] | select(.pane == \"$bare\").pid")" -f chromium >"$dir/below"
is 'no chromium at all' "$(cat "$dir/below")" ''
t kill-pane -t "$bare"

# ---- over kill -9 of the daemon ----
tool "$one" webdriver_send_keys '{"selector":"#who","text":"begun"}' .result >/dev/null
pid=$(servers ".[] | select(.pane == \"$one\").pid")
ask "{\"method\":\"webdriver_find_element\",\"params\":{\"pane\":\"$one\",\"selector\":\"#no\",\"wait_sec\":30}}" >"$dir/cut" &
asking=$!
until_is 'a call is under way' 1 servers ".[] | select(.pane == \"$one\").running"
kill_daemon
wait $asking
is 'the daemon is killed in it' "$(wc -c <"$dir/cut")" 0
is 'the page is as it was' "$(tool "$one" webdriver_find_element '{"selector":"#who"}' .result.structured.value)" begun
is 'by the same server' "$(servers ".[] | select(.pane == \"$one\").pid")" "$pid"
is 'and it takes more' "$(tool "$one" webdriver_send_keys '{"selector":"#who","text":" on","clear_first":false}' .result.structured.typed)" 3
is 'the whole story' "$(tool "$one" webdriver_find_element '{"selector":"#who"}' .result.structured.value)" 'begun on'
doomed=$(t split-window -dP -F '#{pane_id}' 'exec sleep 3600')
tool "$doomed" webdriver_start '{}' .result >/dev/null
# shellcheck disable=SC2046
set -- $(descendants "$(servers ".[] | select(.pane == \"$doomed\").pid")")
kill -9 "$daemon_pid"
wait "$daemon_pid" 2>/dev/null
t kill-pane -t "$doomed"
start_daemon
until_is 'a browser whose pane closes meanwhile ends' 0 alive "$@"

# ---- a page wakes ----
knows_page_text() {
	ask '{"method":"describe","params":{"table":"events"}}' | jq '.result.events | has("page_text")'
}
until_is 'the browser that is left names its kinds of events again' true knows_page_text
ask "{\"method\":\"wait_for\",\"params\":{\"any\":[{\"event\":\"page_text\",\"pane\":\"$one\"},{\"sec\":60}]}}" >"$dir/woken" &
waiting=$!
until_is 'somebody waits for it' 1 sh -c "printf '%s\n' '{\"method\":\"status\"}' | socat -t 60 - 'UNIX-CONNECT:$MUXBUS' | jq .result.waits"
tool "$one" execute_browser '{"action":"watch","params":{"text":"it came"},"script":"setTimeout(() => document.body.append(\"it came\"), 500)"}' .result >/dev/null
wait $waiting
is 'a page wakes a wait by its text' \
	"$(jq -r '.result.conditions[0].details | "\(.kind) \(.data.text) \(.data.watch)"' "$dir/woken")" 'page_text it came w1'
tool "$one" webdriver_start '{}' .result >/dev/null
third=$(t split-window -dP -F '#{pane_id}' 'exec sleep 3600')
tool "$third" webdriver_start '{}' .result >/dev/null
tool "$third" execute_browser '{"action":"watch","params":{"network_idle":true}}' .result >/dev/null
call wait_for "{\"any\":[{\"event\":\"network_idle\",\"pane\":\"$third\"},{\"sec\":60}]}"
is 'so does that of another pane, whose kinds are the same' "$(field '.result.conditions[0].details.kind')" network_idle

# ---- many calls at once ----
seq 20 | jq -c --arg pane "$one" '{id: ., method: "webdriver_execute_script", params: {pane: $pane, script: "return arguments[0] * 2", args: [.]}}' |
	socat -t 60 - "UNIX-CONNECT:$MUXBUS" >"$dir/many"
is '20 calls at once are right' "$(jq -s 'map(select(.result.structured.result == .id * 2)) | length' "$dir/many")" 20
done_testing
