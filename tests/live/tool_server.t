#!/bin/sh
# SPDX-License-Identifier: ISC
# Declared tools of a server: calls, servers per pane and per daemon, their ends, and calls that
# nothing waits for.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
need_python
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
per_daemon='{"name":"shared","command":["'$fake'"],"per":"daemon","idle_sec":3}'
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
declare_tool late "$per_pane" ''
declare_tool big "$per_daemon" ',"parameters":{"type":"object","properties":{"bytes":{"type":"integer"},"more":{"type":"string"}}}'
declare_tool change "$per_pane" ''
declare_tool needy "$per_pane" ',"tool":"env"'
declare_tool renamed "$per_pane" ',"tool":"echo","arguments":{"their":"ours"},"parameters":{"type":"object","properties":{"ours":{"type":"string"},"same":{"type":"array"}}}'
declare_tool here '{"name":"fake","command":["'$fake'"],"per":"daemon"}' ',"tool":"place"'
declare_tool hanging '{"name":"hanging","command":["'$fake'","--hang","initialize"]}' ',"timeout_sec":1'
declare_tool crowded '{"name":"crowded","command":["'$fake'","--hang","initialize"]}' ',"timeout_sec":4'
declare_tool lasting '{"name":"lasting","command":["'$fake'"],"idle_sec":1}' ",\"tool\":\"slow\"$slow_parameters"
declare_tool dying '{"name":"dying","command":["'$fake'"]}' ',"tool":"die"'
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
moved=$(t new-window -dP -F '#{pane_id}' -c / 'read -r line; cd /usr; exec sleep 3600')
call get_pane "{\"pane\":\"$moved\"}"
t send-keys -t "$moved" Enter
until_is 'a pane goes elsewhere' /usr t display-message -p -t "$moved" '#{pane_current_path}'
is 'also right after it went there' "$(tool place "{\"pane\":\"$moved\"}" '.result.text | sub("[^ ]* "; "")')" /usr
t kill-pane -t "$moved"
ok 'each pane has its own' [ "${first% *}" != "${second% *}" ]
is 'the next call has the same' "$(tool place "{\"pane\":\"$one\"}" .result.text)" "$first"
tmux_pid=$(t display-message -p '#{pid}')
kill -STOP "$tmux_pid"
is 'a call of a server that runs asks tmux nothing' "$(tool place "{\"pane\":\"$one\"}" .result.text)" "$first"
kill -CONT "$tmux_pid"
gone=$(t new-window -dP -F '#{pane_id}' 'exec sleep 3600')
tool shared_place "{\"pane\":\"$gone\"}" .result.text >/dev/null
t kill-pane -t "$gone"
until_is 'a pane that was closed is none' no_such_pane tool shared_place "{\"pane\":\"$gone\"}" .error.data.kind
is 'its environment is that of the session' "$(tool colour "{\"pane\":\"$one\"}" .result.text)" green
is 'a parameter by their name' "$(tool slow "{\"pane\":\"$one\",\"millis\":1}" .result.text)" slow
daemons=$(tool shared_place "{\"pane\":\"$one\"}" .result.text)
is 'one for the daemon works at home, for no pane' \
	"${daemons#* } $(tool shared_pane "{\"pane\":\"$one\"}" .result.text)" "$HOME (unset)"
is 'one for the daemon is shared' "$(tool shared_place "{\"pane\":\"$two\"}" .result.text)" "$daemons"
is 'they are listed' "$(servers 'map(.state) | join(" ")')" 'ready ready ready'
is 'with their process' "$(servers ".[] | select(.pane == \"$two\").pid")" "${second% *}"
ok 'and their memory and calls' [ "$(servers ".[] | select(.pane == \"$one\") | .rss_bytes > 100000 and .calls == 5")" = true ]
is 'a tool that its server does not have' \
	"$(tool unknown "{\"pane\":\"$one\"}" '.error | "\(.data.kind) \(.message)"' | grep -c 'tool_failed unknown: .*no_such')" 1
is 'list_tools says so of a tool that was not called' "$(ask '{"method":"list_tools"}' |
	jq -r '.result.tools[] | select(.name == "needy").reason')" \
	'its tool "env" requires what the declaration does not give: "name"'
is 'nor does one that requires more' "$(tool needy "{\"pane\":\"$one\"}" '.error | "\(.data.kind) \(.message)"')" \
	'tool_failed needy: the server "fake" does not fit its declaration: its tool "env" requires what the declaration does not give: "name"'
is 'their names and ours, and the values as they are' \
	"$(ask '{"method":"renamed","params":{"pane":"'"$one"'","ours":"é\n","same":[1.50,null]}}' | jq -r .result.text |
		grep -o '"arguments":{[^}]*}')" '"arguments":{"their":"é\n","same":[1.50,null]}'
is 'a tool that the server will have' "$(tool late "{\"pane\":\"$one\"}" .error.message | grep -c 'has no tool "late"')" 1
is 'its list changes' "$(tool change "{\"pane\":\"$one\"}" .result.text)" changed
is 'and the next call knows it' "$(tool late "{\"pane\":\"$one\"}" '.result.text | contains("\"late\"")')" true
is 'callers without a pane share the server of the daemon' "$(tool place '{}' .result.text)" \
	"$(tool here "{\"pane\":\"$one\"}" .result.text)"
is 'a server that is not installed' "$(tool absent '{}' .error.message)" \
	'absent cannot run: no-such-program is not installed'

is 'its progress goes to an MCP client' "$(printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{
	"name":"counting","_meta":{"progressToken":"t"},"arguments":{"count":3,"pane":"'"$one"'"}}}' | tr -d '\n\t' |
	sed 's/$/\n/' | socat -t 20 - "UNIX-CONNECT:$MUXBUS" |
	jq -r 'if .id == 1 then .result.content[0].text | rtrimstr("\n") else "\(.params.progressToken)\(.params.progress)" end' | tr '\n' ' ')" \
	't1 t2 t3 with progress '
many=$(printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{
	"name":"counting","_meta":{"progressToken":"t"},"arguments":{"count":3000,"pane":"'"$one"'"}}}' | tr -d '\n\t' |
	sed 's/$/\n/' | socat -t 20 - "UNIX-CONNECT:$MUXBUS" | grep -c notifications/progress)
ok "not all of a flood ($many)" [ "$many" -lt 500 ]
is 'values that fall become values that grow, as MCP requires' "$(printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{
	"name":"counting","_meta":{"progressToken":"t"},"arguments":{"count":-3,"pane":"'"$one"'"}}}' | tr -d '\n\t' |
	sed 's/$/\n/' | socat -t 20 - "UNIX-CONNECT:$MUXBUS" |
	jq -s 'map(select(.params).params.progress) | [. == unique, length, .[0]]' -c)" '[true,3,-1]'

for i in 1 2 3 4 5 6 7 8; do
	ask '{"method":"big","params":{"bytes":4000000}}' | jq -r '.result.text // .error.message | length' >"$dir/big.$i" &
done
eight() {
	cat "$dir"/big.[1-8] | sort | uniq -c | tr -s ' '
}
until_is 'eight large answers at once, which take more than a link holds' ' 8 4000000' eight

cat >"$dir/both_ways" <<'END'
from concurrent.futures import ThreadPoolExecutor

import tap
from provide_peer import Peer, text

large, long = [Peer() for _ in range(16)], [Peer() for _ in range(8)]
for peer in large:
    peer.begin("big", bytes=4000000)
pool = ThreadPoolExecutor(len(large))  # of peers that do not read muxbusd keeps only some answers
answers = [pool.submit(peer.end, 1) for peer in large]
answers[0].result()
for peer in long:
    peer.begin("big", bytes=1, more="x" * 400000)
answers = [answer.result() for answer in answers]
lost = [text(answer) for answer in answers if not answer or "error" in answer]
tap.ok(not lost, "large answers come, though muxbusd has unread calls for muxbus-tools", "\n".join(lost))
tap.ok(all(peer.end(1) for peer in long), "and these calls are answered")
END
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$MUXBUS_SRCDIR/tests:$MUXBUS_SRCDIR/tests/live /usr/bin/python3 "$dir/both_ways" >"$dir/both"
sed 's/^/# /' "$dir/both"
ok 'large answers and long calls at once' [ "$(grep -c ^ok "$dir/both")" = 2 ]

# ---- ends ----
is 'a call is cut at its time' "$(tool shared_slow '{"millis":60000}' .error.data.kind)" timeout
is 'and says so' "$(field .error.message)" \
	'shared_slow: the server "shared" did not answer within 1 s; the call is cancelled, its effect unknown'
is 'a server that is not ready in this time' "$(tool hanging '{}' '.error | "\(.data.kind) \(.message)"')" \
	'timeout hanging: the server "hanging" was not ready within 1 s'
five=$(t new-window -dP -F '#{pane_id}' 'exec sleep 3600')
is 'a call may take longer than idle_sec' "$(tool lasting "{\"pane\":\"$five\",\"millis\":1500}" .result.text)" slow
until_is 'without a call the server ends' off servers '.[] | select(.name == "lasting").state'
is 'which is no failure' "$(servers '.[] | select(.name == "lasting").reason')" null
begin_ms=$(date +%s%3N)
for _ in 1 2 3 4; do
	tool dying "{\"pane\":\"$five\"}" .error.data.kind
done >"$dir/deaths"
is 'a server that dies again and again' "$(tr '\n' ' ' <"$dir/deaths")" 'gone gone gone gone '
ok 'starts at a distance that grows' [ $(($(date +%s%3N) - begin_ms)) -ge 700 ]
is 'and no call is repeated' "$(servers '.[] | select(.name == "dying").calls')" 4
t kill-pane -t "$five"
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

# ---- muxbus-tools ----
# parent PID: the parent of a process.
parent() {
	sed 's/.*) . //; s/ .*//' "/proc/$1/stat"
}
now=$(tool place "{\"pane\":\"$one\"}" .result.text)
shared=$(tool here '{}' .result.text)
tools=$(parent "$(parent "${now% *}")")
is 'a server runs under a muxbus-tools' "$(cat "/proc/$tools/comm")" muxbus-tools
ask '{"id":1,"method":"slow","params":{"pane":"'"$one"'","millis":60000}}' >"$dir/slow" &
until_is 'a call is under way' 1 servers ".[] | select(.pane == \"$one\" and .name == \"fake\").running"
kill -9 "$tools"
until_is 'kill -9 of it ends the call' \
	'gone slow: the server "fake" has lost its muxbus-tools; the effect of the call is unknown' \
	jq -r '.error | "\(.data.kind) \(.message)"' "$dir/slow"
until_is 'and the server' gone sh -c "kill -0 ${now% *} 2>/dev/null || echo gone"
is 'other servers are as they were' "$(tool here '{}' .result.text)" "$shared"
ok 'the daemon too' kill -0 "$daemon_pid"
ok 'the next call has another server' [ "$(tool place "{\"pane\":\"$one\"}" .result.text)" != "$now" ]
is 'which says why' "$(servers ".[] | select(.pane == \"$one\" and .name == \"fake\").state")" ready

# ---- many calls, other commands ----
four=$(t new-window -dP -F '#{pane_id}' 'exec sleep 3600')
jq -nc --arg pane "$four" 'range(257) | {id: ., method: "crowded", params: {pane: $pane}}' |
	socat -t 60 - "UNIX-CONNECT:$MUXBUS" >"$dir/crowded"
is 'the calls of a server have a bound' "$(jq -rs 'map(.error.data.kind) | group_by(.)[] | "\(length) \(.[0])"' "$dir/crowded" | sort | tr '\n' ' ')" \
	'1 busy 256 timeout '
is 'which the call behind it hears' "$(jq -r 'select(.error.data.kind == "busy").error.message' "$dir/crowded")" \
	'crowded: the server "crowded" has 256 calls already, the most there may be'
before=$(tool place "{\"pane\":\"$one\"}" .result.text)
ask '{"id":1,"method":"slow","params":{"pane":"'"$one"'","millis":1500}}' >"$dir/slow" &
slow=$!
until_is 'a call runs' 1 servers ".[] | select(.pane == \"$one\" and .name == \"fake\").running"
declare_tool place '{"name":"fake","command":["'$fake'","--say","changed"]}' ''
servers . >/dev/null # reads the folders again
after=$(tool place "{\"pane\":\"$one\"}" .result.text)
wait $slow
ok 'another command has another server' [ "$before" != "$after" ]
is 'which waits for the calls before' "$(jq -r .result.text "$dir/slow")" slow
declare_tool place "$per_pane" ''

for at in $(seq 64); do
	declare_tool "full$at" '{"name":"full'"$at"'","command":["sleep","1000"]}' ''
done
servers . >/dev/null # reads the folders again
seq 64 | jq -c --arg pane "$four" '{id: ., method: "full\(.)", params: {pane: $pane, wait: false}}' |
	socat -t 60 - "UNIX-CONNECT:$MUXBUS" >"$dir/full"
is 'so do the servers' "$(servers length)" 64
is 'one more is refused' "$(jq -r 'select(.error).error.message' "$dir/full" | sed 's/^full[0-9]*: //' | sort -u)" \
	'64 servers of tools run already, the most there may be, see list_tools'
t kill-pane -t "$four"
until_is 'and there is room when their pane is closed' 0 servers 'map(select(.name | startswith("full"))) | length'
rm "$dir"/shipped/full*.json

three=$(t new-window -dP -F '#{pane_id}' 'exec sleep 3600')
for _ in 1 2 3 4 5 6; do # the delay grows to 3 s
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
four=$(t new-window -dP -F '#{pane_id}' 'exec sleep 3600')
lost=$(tool slow "{\"wait\":false,\"pane\":\"$four\",\"millis\":60000}" .result.id)
early=$(tool slow "{\"wait\":false,\"pane\":\"$one\",\"millis\":1}" .result.id)
late=$(tool slow "{\"wait\":false,\"pane\":\"$one\",\"millis\":5000}" .result.id)
left=$(tool place "{\"pane\":\"$one\"}" .result.text)
# Without a daemon one call of a server that goes on ends, and another server is killed in one. The daemon
# has not read one more answer when it is killed: its muxbus-tools stands until the daemon does.
dying=$(servers ".[] | select(.pane == \"$four\" and .name == \"fake\").pid")
kill -STOP "${left% *}"
begun=$(tool slow "{\"wait\":false,\"pane\":\"$one\",\"millis\":1}" .result.id)
other=$(tool shared_place '{}' .result.text)
other=$(parent "$(parent "${other% *}")")
kill -STOP "$other"
unread=$(tool big '{"wait":false,"bytes":10}' .result.id)
kill -STOP "$daemon_pid"
kill -CONT "$other"
sleep 1.5
kill -9 "$daemon_pid"
wait "$daemon_pid" 2>/dev/null
kill -9 "$dying"
kill -CONT "${left% *}"
sleep 1
start_daemon
is 'a server goes on over kill -9 of the daemon' "$(tool place "{\"pane\":\"$one\"}" .result.text)" "$left"
is 'its answer is kept over kill -9' "$(tool get_tool_answer "{\"id\":\"$id\"}" .result.text)" slow
for id in $early $begun $late; do
	call next_notification "{\"filter\":{\"id\":\"$id\"},\"timeout_sec\":20}"
	is 'a call that it has ended for the next daemon, notified once' \
		"$(field '.result.notifications | "\(length) \(.[0].text) \(.[0].data.state)"')" '1 done exited'
	is 'with its answer' "$(tool get_tool_answer "{\"id\":\"$id\"}" .result.text)" slow
done
call next_notification "{\"filter\":{\"id\":\"$unread\"},\"timeout_sec\":20}"
is 'an answer that the killed daemon had not read comes again' \
	"$(field '.result.notifications | "\(length) \(.[0].text)"') $(tool get_tool_answer "{\"id\":\"$unread\"}" .result.text)" \
	'1 done bbbbbbbbbb'
call next_notification "{\"filter\":{\"id\":\"$lost\"},\"timeout_sec\":20}"
is 'a call whose server has ended is gone, and notified once' \
	"$(field '.result.notifications | "\(length) \(.[0].text)"')" \
	'1 gone: the daemon ended during the call: effect unknown'
is 'its answer says so' "$(tool get_tool_answer "{\"id\":\"$lost\"}" '.error | "\(.data.kind) \(.message)"')" \
	'gone slow: gone: the daemon ended during the call: effect unknown'
kill_daemon
is 'the next daemon does not say so again' \
	"$(ask '{"method":"list_notifications"}' | jq "[.result.notifications[] | select(.id == \"$lost\")] | length")" 1
is 'the ends of servers are no notifications' \
	"$(ask '{"method":"list_notifications"}' | jq '[.result.notifications[] | select(.source == "job")] | length')" 0
# ---- right after its end ----
cat >"$dir/after" <<'END'
import sys
from provide_peer import Peer
peer, pane, said = Peer(), sys.argv[1], set()
for _ in range(12):
    said.add(peer.ask("die", pane=pane)["error"]["data"]["kind"])
    said.add(peer.ask("place", pane=pane).get("error", {}).get("message", "answered"))
print(*sorted(said), sep="; ")
END
is 'the next call is for the next start, however soon it comes' \
	"$(PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$MUXBUS_SRCDIR/tests/live /usr/bin/python3 "$dir/after" "$one" 2>&1)" 'answered; gone'
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
