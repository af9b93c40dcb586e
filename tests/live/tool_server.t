#!/bin/sh
# SPDX-License-Identifier: ISC
# Declared tools of a server: calls, servers per pane and per daemon, their ends, and calls that
# nothing waits for.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
fake="$MUXBUS_BUILDDIR/tests/fake_tool_server"
[ -x "$fake" ] || skip_all 'the fake server is not built'
export MUXBUS_TOOLS=/nonexistent
start 'exec sleep 3600'
export MUXBUS_TOOLS="$dir/shipped"
mkdir -m 755 "$dir/shipped"

# declare_tool NAME SERVER MEMBERS
declare_tool() {
	printf '{"name":"%s","group":"demo","description":"A test.","server":%s%s}\n' "$1" "$2" "$3" \
		>"$dir/shipped/$1.json"
	chmod 644 "$dir/shipped/$1.json"
}
# tool NAME PARAMS FILTER: calls it.
tool() {
	call "$1" "$2"
	field "$3"
}
servers() {
	ask '{"method":"list_tools"}' | jq -r ".result.servers | $1"
}
per_pane='{"name":"fake","command":["'$fake'"]}'
per_daemon='{"name":"shared","command":["'$fake'"],"per":"daemon","idle_sec":1}'
slow_parameters=',"parameters":{"type":"object","properties":{"millis":{"type":"integer","default":0}}},"arguments":{"ms":"millis"}'
declare_tool place "$per_pane" ''
declare_tool colour "$per_pane" ',"tool":"env","parameters":{"type":"object","properties":{"name":{"type":"string","default":"COLOUR"}}}'
declare_tool slow "$per_pane" "$slow_parameters"
declare_tool die "$per_pane" ''
declare_tool shared_place "$per_daemon" ',"tool":"place"'
declare_tool shared_pane "$per_daemon" ',"tool":"env","parameters":{"type":"object","properties":{"name":{"type":"string","default":"MUXBUS_PANE"}}}'
declare_tool shared_slow "$per_daemon" ",\"tool\":\"slow\",\"timeout_sec\":1$slow_parameters"
declare_tool counting "$per_pane" ',"tool":"progress","parameters":{"type":"object","properties":{"count":{"type":"integer"}}}'
declare_tool unknown "$per_pane" ',"tool":"no_such"'
printf '{"name":"once","group":"demo","description":"A test.","run":["true"]}' >"$dir/shipped/once.json"
chmod 644 "$dir/shipped/once.json"
declare_tool broken '{"name":"broken","command":["/bin/false"]}' ''
declare_tool absent '{"name":"absent","command":["no-such-program"]}' ''
kill_daemon
one=$(t list-panes -F '#{pane_id}')
t set-environment COLOUR green
two=$(t new-window -dP -F '#{pane_id}' -c / 'exec sleep 3600')
until_is 'the other pane is in its directory' / t display-message -p -t "$two" '#{pane_current_path}'

# ---- which server ----
first=$(tool place "{\"pane\":\"$one\"}" .result.text)
second=$(tool place "{\"pane\":\"$two\"}" .result.text)
is 'it works in the directory of its pane' "${second#* }" /
ok 'each pane has its own' [ "${first% *}" != "${second% *}" ]
is 'the next call has the same' "$(tool place "{\"pane\":\"$one\"}" .result.text)" "$first"
is 'its environment is that of the session' "$(tool colour "{\"pane\":\"$one\"}" .result.text)" green
is 'a parameter by their name' "$(tool slow "{\"pane\":\"$one\",\"millis\":1}" .result.text)" slow
daemons=$(tool shared_place "{\"pane\":\"$one\"}" .result.text)
is 'one for the daemon works at home, for no pane' \
	"${daemons#* } $(tool shared_pane "{\"pane\":\"$one\"}" .result.text)" "$HOME (unset)"
is 'one for the daemon is shared' "$(tool shared_place "{\"pane\":\"$two\"}" .result.text)" "$daemons"
is 'they are listed' "$(servers 'map(.state) | join(" ")')" 'ready ready ready'
is 'with their process' "$(servers ".[] | select(.pane == \"$two\").pid")" "${second% *}"
ok 'and their memory and calls' [ "$(servers ".[] | select(.pane == \"$one\") | .rss_bytes > 100000 and .calls == 4")" = true ]
is 'a tool that its server does not have' \
	"$(tool unknown "{\"pane\":\"$one\"}" '.error | "\(.data.kind) \(.message)"' | grep -c 'tool_failed unknown: .*no_such')" 1
is 'a server that is not installed' "$(tool absent '{}' .error.message)" \
	'absent cannot run: no-such-program is not installed'

is 'its progress goes to an MCP client' "$(printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{
	"name":"counting","_meta":{"progressToken":"t"},"arguments":{"count":3,"pane":"'"$one"'"}}}' | tr -d '\n\t' |
	sed 's/$/\n/' | socat -t 20 - "UNIX-CONNECT:$MUXBUS" |
	jq -r 'if .id == 1 then .result.content[0].text | rtrimstr("\n") else "\(.params.progressToken)\(.params.progress)" end' | tr '\n' ' ')" \
	't1 t2 t3 with progress '

# ---- ends ----
is 'a call is cut at its time' "$(tool shared_slow '{"millis":60000}' .error.data.kind)" timeout
is 'a server that dies in a call' \
	"$(tool die "{\"pane\":\"$one\"}" '.error | "\(.data.kind) \(.message)"' | grep -c '^gone die: .*the effect of the call is unknown')" 1
ok 'the next call has another server' [ "$(tool place "{\"pane\":\"$one\"}" .result.text)" != "$first" ]
again=$(tool place "{\"pane\":\"$one\"}" .result.text)
kill -9 "${again% *}"
until_is 'one that is killed is off' off servers ".[] | select(.pane == \"$one\").state"
ok 'and starts again by the next call' [ "$(tool place "{\"pane\":\"$one\"}" .result.text)" != "$again" ]
is 'which leaves the server of another pane alone' \
	"$(tool place "{\"pane\":\"$two\"}" .result.text)" "$second"
t kill-pane -t "$two"
until_is 'a closed pane ends its server' gone sh -c "kill -0 ${second% *} 2>/dev/null || echo gone"
until_is 'so does idle_sec' gone sh -c "kill -0 ${daemons% *} 2>/dev/null || echo gone"

three=$(t new-window -dP -F '#{pane_id}' 'exec sleep 3600')
for _ in 1 2 3 4; do
	tool broken "{\"pane\":\"$three\"}" .error >/dev/null
done
ask '{"id":1,"method":"broken","params":{"pane":"'"$three"'"}}' >"$dir/broken" &
until_is 'a call waits for the next start of its server' 'waiting 1' \
	servers '.[] | select(.name == "broken") | "\(.state) \(.running)"'
t kill-pane -t "$three"
until_is 'it ends with its pane, too' gone jq -r .error.data.kind "$dir/broken"

# ---- calls that nothing waits for ----
id=$(tool slow "{\"wait\":false,\"pane\":\"$one\",\"millis\":2000}" .result.id)
is 'it has no answer yet' "$(tool get_tool_answer "{\"id\":\"$id\"}" .error.data.kind)" not_ready
call next_notification "{\"filter\":{\"id\":\"$id\"},\"timeout_sec\":20}"
is 'its end is one notification' \
	"$(field '.result.notifications | "\(length) \(.[0].source) \(.[0].data.command) \(.[0].data.state)"')" '1 tool slow exited'
answer=$(tool get_tool_answer "{\"id\":\"$id\"}" .result.text)
is 'its answer is kept' "$answer" slow
lost=$(tool slow "{\"wait\":false,\"pane\":\"$one\",\"millis\":60000}" .result.id)
left=$(tool place "{\"pane\":\"$one\"}" .result.text)
kill_daemon
until_is 'kill -9 of the daemon leaves no server behind' gone sh -c "kill -0 ${left% *} 2>/dev/null || echo gone"
is 'its answer is kept over kill -9' "$(tool get_tool_answer "{\"id\":\"$id\"}" .result.text)" slow
call next_notification "{\"filter\":{\"id\":\"$lost\"},\"timeout_sec\":20}"
is 'a call over kill -9 is gone, and notified once' "$(field '.result.notifications | "\(length) \(.[0].text)"')" \
	'1 gone: the daemon ended during the call: effect unknown'
is 'its answer says so' "$(tool get_tool_answer "{\"id\":\"$lost\"}" '.error | "\(.data.kind) \(.message)"')" \
	'gone slow: gone: the daemon ended during the call: effect unknown'
kill_daemon
is 'the next daemon does not say so again' \
	"$(ask '{"method":"list_notifications"}' | jq "[.result.notifications[] | select(.id == \"$lost\")] | length")" 1
# ---- a clean end ----
tool slow "{\"wait\":false,\"pane\":\"$one\",\"millis\":60000}" .result.id >/dev/null
tmux_pid=$(t display-message -p '#{pid}')
kill -STOP "$tmux_pid"
ask '{"id":1,"method":"once","params":{"pane":"'"$one"'"}}' >"$dir/once" &
until_is 'a call waits for tmux' 1 sh -c "printf '%s\n' '{\"id\":1,\"method\":\"get_action_history\"}' |
	socat -t 10 - 'UNIX-CONNECT:$MUXBUS' | jq '[.result.actions[] | select(.method == \"once\")] | length'"
kill "$daemon_pid"
wait "$daemon_pid"
is 'the daemon ends cleanly meanwhile' $? 0
kill -CONT "$tmux_pid"
done_testing
