#!/bin/sh
# SPDX-License-Identifier: ISC
# The ways that type nothing, an agent's queue command and a follower: an event says that a promised
# one is lost, or comes again. And the most addresses whose ways are followed.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
start 'exec sleep 3600'
fake="$MUXBUS_BUILDDIR/tests/fake_agent"
[ -x "$fake" ] || skip_all 'the fake agent is not built'
mkdir "$dir/bin"
printf '#!/bin/sh\n[ ! -e "${0%%/bin/codex}/fail" ]\n' >"$dir/bin/codex"
chmod +x "$dir/bin/codex"
agent=$(t new-window -dP -F '#{pane_id}' "exec env PATH=$dir/bin:$PATH $fake $dir/fake.log")
shell=$(t new-window -dP -F '#{pane_id}' 'exec sh')
until_is 'an agent is there' '>' sh -c "tmux -S $dir/tmux capture-pane -p -t $agent | tr -d ' \n'"

timer() { # timer PANE: arms one; the way of the answer
	call sleep "{\"seconds\":3600,\"pane\":\"$1\"}"
	field .result.wake.way
}
changes() { # changes PANE: its events so far
	ask '{"method":"list_events","params":{"after":0,"kinds":["way_changed"],"limit":1000}}' |
		jq -r --arg pane "$1" '.result.events[] | select(.pane == $pane) | "\(.before) \(.way)"' | tr '\n' ','
}
receipt() { # receipt ID
	ask '{"method":"list_notifications","params":{"limit":1000}}' |
		jq -r ".result.notifications[] | select(.id == \"$1\") | .delivery | \"\(.result) \(.reason)\"" | cut -d : -f 1
}
draft() {
	t capture-pane -p -t "$agent" | tr -d '\n'
}

# The command of an agent, and its failure: the way is another one then.
call report_agent "{\"agent\":\"codex\",\"session\":\"019a-0:x\",\"pane\":\"$agent\",\"state\":\"idle\"}"
is 'a timer of an agent with a queue command' "$(timer "$agent")" queue_command
touch "$dir/fail"
t send-keys -t "$agent" -l draft
until_is 'a draft is there' '> draft' draft
id=$(ask "{\"method\":\"post_notification\",\"params\":{\"text\":\"x\",\"pane\":\"$agent\"}}" | jq -r .result.id)
until_is 'the command has failed, and the draft is in the way' 'deferred there is something on the prompt line' receipt "$id"
is 'so the way is typing' "$(timer "$agent")" typed
is 'which is no loss' "$(changes "$agent")" ''
rm "$dir/fail"
t send-keys -t "$agent" Enter
until_is 'the line is typed behind the draft' 'submitted null' receipt "$id"
until_is 'then the command is asked again' queue_command timer "$agent"
kill "$(t display-message -p -t "$agent" '#{pane_pid}')"
until_is 'the agent ends: an event' 'queue_command none,' changes "$agent"

# A follower in the pane of a shell, whose person gets the notification without it.
follow() {
	"$MUXBUS_BUILDDIR/muxbus" -S "$dir/tmux" follow --pane "$shell" >"$dir/followed" 2>&1 &
	follower=$!
}
follow
until_is 'a timer of a pane with a follower' follow timer "$shell"
kill -9 $follower
until_is 'the follower is killed: an event' 'follow shown,' changes "$shell"
follow
until_is 'the next one: an event' 'follow shown,shown follow,' changes "$shell"
kill $follower

# 257 threads arm a timer each: the one that was armed longest ago is not followed any more.
{
	echo '{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"codex-mcp-client","version":"0.169.0"}}}'
	echo '{"jsonrpc":"2.0","method":"notifications/initialized"}'
	for thread in $(seq 257); do
		echo "{\"jsonrpc\":\"2.0\",\"id\":$thread,\"method\":\"tools/call\",\"params\":{\"name\":\"gemini_sleep\",\"arguments\":{\"seconds\":3600},\"_meta\":{\"threadId\":\"thread-$thread\"}}}"
	done
} | socat -t 86400 - "UNIX-CONNECT:$MUXBUS" >"$dir/armed"
is '257 threads arm a timer' "$(grep -c '"isError":true' "$dir/armed") $(grep -c '"id":[0-9]*,"result"' "$dir/armed")" '0 257'
call status '{}'
is 'the ways of 256 are followed' "$(field '.result.ways | length')" 256
is 'those that were armed last' "$(field '[.result.ways[].thread] | sort_by(. // "" | split("-")[1] | tonumber? // 0) | "\(.[0]) \(.[-1])"')" \
	'codex:thread-2 codex:thread-257'
done_testing
