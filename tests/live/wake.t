#!/bin/sh
# SPDX-License-Identifier: ISC
# The answer of each method that arms something says how its notification will reach the
# requester; where nothing does, it names the reason and a call that works as it is written.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
start 'exec sleep 3600'
fake="$MUXBUS_BUILDDIR/tests/fake_agent"
[ -x "$fake" ] || skip_all 'the fake agent is not built'
agent=$(t new-window -dP -F '#{pane_id}' "exec $fake $dir/fake.log")
until_is 'an agent is there' '>' sh -c "tmux -S $dir/tmux capture-pane -p -t $agent | tr -d ' \n'"
shell=$(t new-window -dP -F '#{pane_id}' 'exec sh')

# wake PANE METHOD PARAMS: way and text of the answer.
wake() {
	call "$2" "$(jq -nc --arg pane "$1" --argjson more "$3" '{pane: $pane} + $more')"
	field '"\(.result.wake.way): \(.result.wake.text)"'
}
echo >"$dir/log"
is 'a job' "$(wake "$agent" run_long_command '{"command":"sleep 60"}')" "typed: typed into pane $agent"
is 'a watch' "$(wake "$agent" watch_log "{\"file_path\":\"$dir/log\",\"regex\":\"x\"}")" "typed: typed into pane $agent"
is 'a timer' "$(wake "$agent" sleep '{"seconds":100}')" "typed: typed into pane $agent"
is 'a message' "$(wake "$agent" post_notification '{"text":"hello"}')" "typed: typed into pane $agent"
until_is 'comes so' 'delivered typed' sh -c "echo '{\"method\":\"list_notifications\"}' | socat -t 86400 - UNIX-CONNECT:$MUXBUS | jq -r '.result.notifications[0] | \"\(.state) \(.delivery.way)\"'"

# A shell in front: a person gets the notification, and a program has a call to make instead.
is 'into a shell nothing is typed' "$(wake "$shell" sleep '{"seconds":0.2}' | cut -d ';' -f 1)" \
	'shown: shown in the status line when a client attaches, and none is attached now'
id=$(field .result.id)
field .result.wake.text | sed 's/^.* call //' >"$dir/line"
socat -t 86400 - "UNIX-CONNECT:$MUXBUS" <"$dir/line" >"$dir/answer"
is 'the call works over the socket' "$(field '.result.notifications[0].id')" "$id"
is 'the message says the same' "$(wake "$shell" sleep '{"seconds":100}' >"$dir/null"; field .result.message | grep -c 'is shown in the status line .* call {')" 1

# The command line: the printed call is run by a shell.
"$MUXBUS_BUILDDIR/muxbus" -S "$dir/tmux" run_long_command command=true >"$dir/answer" 2>&1
sed -n 's/.*: call \(muxbus .*timeout_sec=3600\).*/\1/p' "$dir/answer" | head -n 1 | sed 's/\\"/"/g' >"$dir/line"
PATH="$MUXBUS_BUILDDIR:$PATH" sh "$dir/line" >"$dir/answer" 2>&1
is 'the call works in a shell' "$(grep -c 'exit 0' "$dir/answer")" 1

# MCP.
mcp() { # mcp NAME ARGUMENTS
	printf '%s\n' "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"$1\",\"arguments\":$2}}" |
		socat -t 86400 - "UNIX-CONNECT:$MUXBUS" >"$dir/answer"
}
mcp run_long_command '{"command":"true"}'
id=$(field .result.structuredContent.id)
field .result.structuredContent.wake.text | sed 's/^.*: call //' >"$dir/line"
is 'MCP names a tool' "$(cut -d ' ' -f 1 "$dir/line")" next_notification
mcp next_notification "$(cut -d ' ' -f 2- "$dir/line")"
is 'and its arguments' "$(field '.result.structuredContent.notifications[0].id')" "$id"

# A follower.
"$MUXBUS_BUILDDIR/muxbus" -S "$dir/tmux" follow --pane "$agent" >"$dir/followed" 2>&1 &
follower=$!
until_is 'a follower prints it' "follow: printed by the follower of pane $agent" wake "$agent" sleep '{"seconds":90}'
kill $follower
until_is 'without it: typed' "typed: typed into pane $agent" wake "$agent" sleep '{"seconds":80}'

# The pane's agent has ended.
t kill-pane -t "$shell"
t respawn-pane -k -t "$agent" 'exec sh'
until_is 'a shell in its place' shown sh -c "echo '{\"method\":\"sleep\",\"params\":{\"seconds\":70,\"pane\":\"$agent\"}}' | socat -t 86400 - UNIX-CONNECT:$MUXBUS | jq -r .result.wake.way"
call post_notification "{\"text\":\"lost\",\"pane\":\"$agent\"}"
id=$(field .result.id)
until_is 'a way that is lost: the receipt says so' 'queued shown shown in the status line when a client attaches, and none is attached now' sh -c "echo '{\"method\":\"list_notifications\"}' | socat -t 86400 - UNIX-CONNECT:$MUXBUS | jq -r '.result.notifications[] | select(.id == \"$id\") | \"\(.state) \(.delivery.way) \(.delivery.reason)\"'"

# A way that was promised is lost before it is used, and comes again.
changes() { # changes PANE: its events so far
	ask '{"method":"list_events","params":{"after":0,"kinds":["way_changed"],"limit":1000}}' |
		jq -r --arg pane "$1" '.result.events[] | select(.pane == $pane) | "\(.before) \(.way)"' | tr '\n' ','
}
ways() { # ways PANE: as status has it
	ask '{"method":"status"}' | jq -r --arg pane "$1" '.result.ways[] | select(.pane == $pane) | .way'
}
screens() { # what both agents show
	for pane in "$agent" "$bare"; do
		t capture-pane -p -t "$pane" | grep -c '^> *$'
	done
}
end_agent() { # end_agent LOG
	kill "$(pgrep -f "fake_agent $dir/$1\$")"
}
agent=$(t new-window -dP -F '#{pane_id}' 'exec sh')
bare=$(t new-window -dP -F '#{pane_id}' "exec $fake $dir/bare.log")
t send-keys -t "$agent" "$fake $dir/lost.log" Enter
until_is 'agents are there' '1
1' screens
is 'a job is armed' "$(wake "$agent" run_long_command '{"command":"sleep 3600"}')" "typed: typed into pane $agent"
is 'and a timer' "$(wake "$bare" sleep '{"seconds":3600}')" "typed: typed into pane $bare"
is 'status has the way' "$(ways "$agent")" typed
is 'there is no event while the ways are as promised' "$(changes "$agent")$(changes "$bare")" ''
end_agent lost.log
until_is 'a shell is in front: an event' 'typed shown,' changes "$agent"
end_agent bare.log
until_is 'the pane has closed: an event' 'typed none,' changes "$bare"
is 'status has no way to an agent' "$(ways "$agent") $(ways "$bare")" 'shown none'
is 'with the reason' "$(ask '{"method":"status"}' | jq -r --arg pane "$agent" '.result.ways[] | select(.pane == $pane) | .reason' | grep -c 'when a client attaches')" 1
t send-keys -t "$agent" "clear; $fake $dir/lost.log" C-j # the terminal is as the agent left it
agents() {
	pgrep -fc "fake_agent $dir/lost.log\$" || : # status 1: none yet
}
until_is 'an agent is there again' 1 agents
call report_agent "{\"agent\":\"fake_agent\",\"pane\":\"$agent\",\"state\":\"idle\"}"
until_is 'it reports: an event' 'typed shown,shown typed,' changes "$agent"
end_agent lost.log
until_is 'and it ends again: it had asked, so it may come back' 'typed shown,shown typed,typed none,' changes "$agent"
kill_daemon
until_is 'after a restart an event says so again' 'null none,' changes "$agent"
done_testing
