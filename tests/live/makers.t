#!/bin/sh
# SPDX-License-Identifier: ISC
# The makers of panes: a program with the role own_panes keeps those that it made when the daemon is
# killed, and no others: not those of the same number, not one that was respawned.
. "${MUXBUS_SRCDIR:-.}/tests/live/live.sh"
need python3
start 'exec cat'

# peer NAME STEP...: a peer in the pane of the session; its answers are in $dir/NAME.
peer() {
	peer_name=$1
	shift
	printf "exec python3 '%s/tests/live/role_peer.py' '%s' '%s'" "${MUXBUS_SRCDIR:-.}" "$MUXBUS" "$dir/$peer_name" >"$dir/$peer_name.sh"
	for step; do
		printf " '%s'" "$step" >>"$dir/$peer_name.sh"
	done
	t respawn-pane -k -t main: "sh '$dir/$peer_name.sh'; exec cat"
}
answers() { # of a peer: how many there are
	cat "$dir/$1" 2>/dev/null | wc -l | tr -d ' '
}
kind() { # kind NAME LINE: of an answer
	sed -n "$2p" "$dir/$1" | jq -r '.error.data.kind // "done"'
}
narrow='{"method":"narrow","params":{"role":"own_panes"}}'
type='{"method":"send_text","params":{"pane":"MADE","text":"x"}}'
make='{"method":"create_pane","params":{"command":"exec cat","direction":"horizontal"}}'

# An agent of another caller, which is started again by another daemon.
other=$(t new-window -d -P -F '#{pane_id}' 'exec sh')
call ensure_agent '{"name":"other","command":"stty -echo; printf \"> \"; exec cat","prompt":"^> $"}'
agent=$(field .result.pane)

peer first "$narrow" "$make" "wait:$dir/killed" connect "$narrow" "$type" "wait:$dir/respawned" "$type" \
	"$make" "wait:$dir/respawned.early" "$type" \
	"wait:$dir/restarted" "{\"method\":\"send_text\",\"params\":{\"pane\":\"FILE:$dir/agent\",\"text\":\"x\"}}" \
	"{\"method\":\"send_text\",\"params\":{\"pane\":\"$other\",\"text\":\"x\"}}"
until_is 'a program makes a pane' 2 answers first
made=$(sed -n 2p "$dir/first" | jq -r .result.pane)
kill_daemon
touch "$dir/killed"
until_is 'the daemon is killed' 4 answers first
is 'the program has its pane again' "$(kind first 4)" 'done'
t respawn-pane -k -t "$made" 'exec cat'
touch "$dir/respawned"
until_is 'the pane is respawned, and another is made' 6 answers first
is 'then it is not its own any more' "$(kind first 5)" forbidden
made=$(sed -n 6p "$dir/first" | jq -r .result.pane)
t respawn-pane -k -t "$made" 'exec cat'
touch "$dir/respawned.early"
until_is 'nor is one that was respawned' 7 answers first
is 'before it was ever used' "$(kind first 7)" forbidden

kill -9 "$(t display-message -p -t "$agent" '#{pane_pid}')"
agent_pane() { # of an agent that was started again
	call list_agents '{}'
	field '.result.agents[] | select(.agent == "other" and .state == "ready") | .pane'
}
tries=0
while pane=$(agent_pane); [ -z "$pane" ] && [ $tries -lt 500 ]; do
	tries=$((tries + 1))
	sleep 0.02
done
echo "$pane" >"$dir/agent"
touch "$dir/restarted"
until_is 'a program that has not made it asks for the agent' 10 answers first
is 'and may not type there' "$(kind first 8) $(kind first 9)" 'forbidden forbidden'

# A pane closes with its program, also behind kill -9, and if the program ends while no daemon runs.
made_pane() { # made_pane KEEP: it ends when it gets a line
	call create_window "{\"session\":\"main\",\"command\":\"read line; exit 3\",\"keep_on_exit\":$1}"
	field .result.pane
}
dead() { # dead PANE: "" if it is closed
	t list-panes -a -F '#{pane_id} #{pane_dead}' | sed -n "s/^$1 //p"
}
while_none=$(made_pane false)
behind=$(made_pane false)
kept=$(made_pane true)
not_ours=$(made_pane false)
kill -9 "$daemon_pid"
wait "$daemon_pid" 2>/dev/null
t respawn-pane -k -t "$not_ours" 'read line'
for pane in "$while_none" "$kept" "$not_ours"; do
	t send-keys -t "$pane" Enter
	until_is 'a program ends while no daemon runs' 1 dead "$pane"
done
start_daemon
until_is 'a later daemon closes its pane' '' dead "$while_none"
t send-keys -t "$behind" Enter
until_is 'and one whose program ends then' '' dead "$behind"
is 'not one that is to be kept, and not one that was respawned' "$(dead "$kept") $(dead "$not_ours")" '1 1'
for pane in "$kept" "$not_ours"; do
	t kill-pane -t "$pane"
done

# The same numbers on another server.
server=$(t display-message -p '#{pid}')
t kill-server
until_is 'the server ends' none sh -c "kill -0 $server 2>/dev/null || echo none"
t new-session -d -s main -x 80 -y 24 'exec cat' || exit 99
t split-window -d 'exec cat'
t split-window -d 'exec cat'
t split-window -d 'exec cat'
followed() {
	call list_panes '{}'
	field '.result.panes | length'
}
until_is 'another is followed' 4 followed
peer second "$narrow" '{"method":"send_text","params":{"pane":"%1","text":"x"}}' \
	'{"method":"send_text","params":{"pane":"%2","text":"x"}}' \
	'{"method":"send_text","params":{"pane":"%3","text":"x"}}'
until_is 'a program in the pane of the same number' 5 answers second
is 'has made none of its panes' "$(kind second 2) $(kind second 3) $(kind second 4)" 'forbidden forbidden forbidden'
done_testing
