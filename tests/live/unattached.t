#!/bin/sh
# SPDX-License-Identifier: ISC
# Agents, tasks, waits, wakes and the output of single panes need no client of tmux: a hook of the
# user would see one come. The same with -o attach=never, which refuses what only a client gets.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
MUXBUS_TEST_ATTACH=used # in make check-always too
need python3

# listen FILE PARAMS: keeps the lines that a subscriber gets.
listen() {
	{
		jq -nc --argjson params "$2" '{id: 1, method: "subscribe", params: $params}'
		tail --pid="$daemon_pid" -f /dev/null
	} | socat - "UNIX-CONNECT:$MUXBUS" >"$dir/$1" &
	listener=$!
	until_is "a subscriber is there: $1" 1 sh -c "grep -c '\"result\"' $dir/$1 || :"
}
has_event() { # has_event FILE FILTER
	jq -rs "map(select(.method == \"event\").params | select($2)) | length > 0" "$dir/$1" 2>/dev/null ||
		echo false
}

# ask_briefly LINE: asks, and goes before the answer.
ask_briefly() {
	printf '%s\n' "$1" | timeout 0.3 socat -t 60 - "UNIX-CONNECT:$MUXBUS"
}

peers() {
	ask '{"method":"status"}' | jq .result.peers
}
waits() {
	ask '{"method":"status"}' | jq .result.waits
}

# use: what an agent's user does, none of which needs a client.
use() {
	pane=$(t new-window -dPF '#{pane_id}' 'exec sh')
	call ensure_agent '{"name":"py","command":"exec python3 -q","env":{"PYTHON_COLORS":"0","PYTHON_BASIC_REPL":"1"}}'
	is 'an agent is started' "$(field .result.state)" ready
	agent=$(field .result.pane)
	call send_task '{"agent":"py","text":"print(6 * 7)","timeout_sec":60,"progress":false}'
	is 'and does a task' "$(field '.result | "\(.outcome) \(.text)"')" "$(printf 'ready 42')"
	ask '{"method":"send_task","params":{"agent":"py","text":"input(\"Go on? [Y/n] \")","timeout_sec":60}}' >"$dir/task"
	call wait_for '{"any":[{"agent_state":"asking","agent":"py"}],"timeout_sec":60}'
	is 'a wait sees what it asks' "$(field ".result.matched | tojson")" '[0]'
	call respond '{"agent":"py","text":"y","timeout_sec":60}'
	is 'it is answered' "$(field .result.outcome)" ready
	call wait_for "{\"any\":[{\"prompt\":true,\"pane\":\"$pane\"}],\"timeout_sec\":60}"
	is 'a wait sees the prompt of a shell' "$(field ".result.matched | tojson")" '[0]'
	ask "{\"method\":\"wait_for\",\"params\":{\"any\":[{\"output\":\"two 4\",\"pane\":\"$pane\"}],\"timeout_sec\":60}}" >"$dir/waited" &
	waiter=$!
	listen lines "{\"kinds\":[\"gap\",\"line\",\"pane_closed\"],\"panes\":[\"$pane\"]}"
	call send_text "{\"pane\":\"$pane\",\"text\":\"echo two \$((2 + 2))\",\"enter\":true}"
	wait "$waiter"
	is 'a wait sees a line' "$(jq -c .result.matched "$dir/waited")" "[0]"
	until_is 'a subscriber gets the lines of a pane' true has_event lines '.kind == "line" and .text == "two 4"'
	call sleep "{\"seconds\":0.2,\"pane\":\"$agent\",\"id\":\"nap\"}"
	call wait_for '{"any":[{"notification":"nap"}],"timeout_sec":60}'
	# A follower that goes before its request was handled takes nothing.
	tmux_pid=$(t display-message -p '#{pid}')
	others=$(peers)
	kill -STOP "$tmux_pid"
	ask_briefly "{\"method\":\"take_notifications\",\"params\":{\"pane\":\"$agent\",\"way\":\"follow\",\"timeout_sec\":60}}"
	until_is 'a follower has gone' "$others" peers
	# A wait for a file begins though tmux does not answer; one for a pane has not begun.
	waiting=$(waits)
	ask "{\"method\":\"wait_for\",\"params\":{\"any\":{\"file\":\"$dir/made\",\"regex\":\"now\"},\"timeout_sec\":20}}" >"$dir/found" &
	finder=$!
	until_is 'a wait for a file begins' "$((waiting + 1))" waits
	echo now >"$dir/made"
	ask "{\"method\":\"wait_for\",\"params\":{\"any\":[{\"exited\":\"$pane\"}],\"timeout_sec\":60}}" >"$dir/unbegun" &
	waiter=$!
	wait "$finder"
	is 'it needs no tmux' "$(jq -c .result.matched "$dir/found")" "[0]"
	until_is 'another wait is asked for' "$((others + 1))" peers
	is 'one for a pane has not begun' "$(waits)" "$waiting"
	kill "$waiter"
	rm "$dir/made"
	kill -CONT "$tmux_pid"
	call post_notification "{\"pane\":\"$agent\",\"text\":\"None # a wake\"}"
	until_is 'a notification is typed into the pane of the agent' true \
		sh -c "tmux -S $dir/tmux capture-pane -p -t '$agent' | grep -q 'a wake' && echo true || echo false"
	ask "{\"method\":\"wait_for\",\"params\":{\"any\":[{\"exited\":\"$pane\"}],\"timeout_sec\":60}}" >"$dir/waited" &
	waiter=$!
	call send_text "{\"pane\":\"$pane\",\"text\":\"exit 3\",\"enter\":true}"
	wait "$waiter"
	is 'a wait sees the end of a program' "$(jq -c .result.matched "$dir/waited")" "[0]"
	until_is 'a subscriber the end of its pane' true has_event lines '.kind == "pane_closed"'
	kill "$listener" 2>/dev/null
	call get_pane "{\"pane\":\"$agent\"}"
	is 'a pane can be asked for' "$(field .result.pane)" "$agent"
	is 'the daemon says that it is no client' "$(ask '{"method":"status"}' | jq -r .result.tmux.attached)" false
	is 'and none has come' "$(cat "$dir/clients" 2>/dev/null)" ''
}

# A program that ends is no reason to be a client, though its pane stays.
end_and_respawn() {
	t set-option -g remain-on-exit on
	pane=$(t new-window -dPF '#{pane_id}' 'exec cat')
	listen ends "{\"kinds\":[\"line\",\"pane_exited\"],\"panes\":[\"$pane\"]}"
	t send-keys -t "$pane" C-d
	until_is 'a subscriber sees the end of a program whose pane stays' true has_event ends '.kind == "pane_exited"'
	call read_output "{\"pane\":\"$pane\"}"
	is 'its output can be read' "$(field .result.pane)" "$pane"
	t respawn-pane -t "$pane" 'exec sh'
	lives() {
		t send-keys -t "$pane" 'echo ag""ain' Enter
		has_event ends '.kind == "line" and .text == "again"'
	}
	until_is 'another program is heard there' true lives
	call get_pane "{\"pane\":\"$pane\"}"
	is 'and seen' "$(field .result.dead)" false
	kill "$listener" 2>/dev/null
	t set-option -g remain-on-exit off
	is 'and no client has come for it' "$(cat "$dir/clients" 2>/dev/null)" ''
}

# A pane that goes to another window, so that its own one is gone, is neither closed nor made, whichever
# pane is asked for next.
move() {
	pane=$(t new-window -dPF '#{pane_id}' 'exec cat')
	t split-window -d -t "$pane" 'exec cat'
	home=$(t display-message -t "$pane" -p '#{window_id}')
	waiting=$(waits)
	ask "{\"method\":\"wait_for\",\"params\":{\"any\":[{\"exited\":\"$pane\"}],\"timeout_sec\":60}}" >"$dir/moved" &
	waiter=$!
	until_is 'a wait for the end of a pane begins' "$((waiting + 1))" waits
	for asked in "$pane" "$agent"; do
		t break-pane -d -s "$pane"
		call get_pane "{\"pane\":\"$pane\"}"
		t join-pane -d -s "$pane" -t "$home"
		call get_pane "{\"pane\":\"$asked\"}"
		call list_events '{"limit":20}'
		is "a pane has moved when $asked is asked for" \
			"$(field ".result.events | map(select(.pane == \"$pane\")) | map(.kind)[-1]")" pane_moved
	done
	is 'and it has not ended' "$(cat "$dir/moved")" ''
	t kill-window -t "$home"
	wait "$waiter"
	is 'until it is closed' "$(jq -c .result.matched "$dir/moved")" '[0]'
	is 'and no client has come for it' "$(cat "$dir/clients" 2>/dev/null)" ''
}

# In a burst each command finds a connection that was made in advance. It stays for a moment only: an open
# connection would keep a server without sessions.
burst() {
	jq -nc 'range(300) | {id: ., method: "run_tmux", params: {command: ["display-message", "-p", "here"]}}' |
		socat -t 60 - "UNIX-CONNECT:$MUXBUS" | jq -c .result.output | uniq -c | sed 's/^ *//'
}
end_after_burst() {
	tmux_pid=$(t display-message -p '#{pid}')
	open=$(ls "/proc/$daemon_pid/fd" | wc -l)
	is 'each command of a burst is answered' "$(burst)" '300 "here\n"'
	# What was open for what came before may be closed meanwhile.
	until_is 'and no descriptor stays' yes sh -c "[ \$(ls /proc/$daemon_pid/fd | wc -l) -le $open ] && echo yes"
	burst >/dev/null &
	t kill-server
	until_is 'a server ends in a burst' ended sh -c "kill -0 $tmux_pid 2>/dev/null || echo ended"
	wait $!
}

# A hook that waits holds up its own request and no other, and goes on when that has failed.
hold_up() { # hold_up PANE
	t set-option -gu @went
	t set-hook -g after-rename-window 'wait-for held ; set-option -g @went on'
	ask "{\"method\":\"run_tmux\",\"params\":{\"command\":[\"rename-window\",\"-t\",\"$1\",\"held\"]}}" >"$dir/held" &
	held=$!
	until_is 'a hook waits' held t display-message -p -t "$1" '#{window_name}'
	call capture_pane "{\"pane\":\"$1\"}"
	is 'the next request does not' "$(field .error) $(wc -c <"$dir/held")" 'null 0'
	wait "$held"
	is 'the one that did fails in time' "$(jq -r .error.data.kind "$dir/held")" timeout
	t wait-for -S held
	until_is 'and its hook goes on' on t show-option -gqv @went
	for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
		echo "{\"method\":\"run_tmux\",\"params\":{\"command\":[\"rename-window\",\"-t\",\"$1\",\"held$i\"]}}"
	done | socat -t 60 - "UNIX-CONNECT:$MUXBUS" >"$dir/held" &
	held=$!
	until_is 'twelve hooks wait beside each other' held12 t display-message -p -t "$1" '#{window_name}'
	is 'before the first request fails' "$(wc -c <"$dir/held")" 0
	t wait-for -S held
	wait "$held"
	is 'and all go on' "$(jq -c .error "$dir/held" | sort | uniq -c | sed 's/^ *//')" '12 null'
	t set-hook -gu after-rename-window
}

# What a hook asks, a person can answer, who sees it on the terminal.
ask_person() {
	person() {
		tmux -S "$dir/person" -f /dev/null "$@"
	}
	person new-session -d -x 80 -y 24 "env -u TMUX tmux -S $dir/tmux attach -t main"
	until_is 'a person is there' 1 eval "t list-clients -F '#{client_control_mode}' | grep -c 0 || :"
	person send-keys x
	t set-hook -g after-new-window "command-prompt -p called 'set-option -g @said %%'"
	ask '{"method":"create_window","params":{"session":"main","command":["cat"]}}' >"$dir/asked" &
	asked=$!
	sees() {
		person capture-pane -p | grep -c '^called' || :
	}
	until_is 'a hook asks the person' 1 sees
	person send-keys nice Enter
	wait "$asked"
	is 'who answers' "$(jq -r .error "$dir/asked") $(t show-option -gqv @said)" 'null nice'
	t set-hook -gu after-new-window
	person kill-server
}

# The name that a hook of the user gives a new window stays, and else tmux chooses the name.
name_windows() {
	automatic() { # automatic PANE: the name of its window, and how the window keeps the name
		echo "$(t display-message -p -t "$1" '#{window_name}') $(t show-options -w -t "$1" automatic-rename)"
	}
	t set-hook -g after-new-window 'rename-window theirs'
	t set-hook -g after-new-session 'rename-window theirs'
	call create_window '{"session":"main","command":["cat"]}'
	is 'a window keeps the name that a hook gave it' "$(automatic "$(field .result.pane)")" 'theirs automatic-rename off'
	call create_session '{"name":"hooked","command":["cat"]}'
	is 'so does the window of a session' "$(automatic "$(field .result.pane)")" 'theirs automatic-rename off'
	t set-hook -gu after-new-window
	t set-hook -gu after-new-session
	t kill-session -t hooked
	for command in cat './a,b}#{pid}'; do
		call create_window "{\"session\":\"main\",\"keep_on_exit\":true,\"command\":[\"$command\"]}"
		is "without a hook tmux names the window: $command" "$(t show-options -w -t "$(field .result.pane)" automatic-rename)" ''
	done
}

# Each question to tmux runs the user's hooks, but for those that a listing finds at the index 0.
ask_nothing() {
	t set-option -g @asked 0
	for hook in list-clients list-panes list-sessions list-windows display-message; do
		t set-hook -g "after-$hook[1]" "set-option -gF @asked '#{e|+:#{@asked},1}'"
	done
	t list-windows >/dev/null
	is 'a hook counts what tmux is asked' "$(t show-option -gv @asked)" 1
	call post_notification '{"text":"for everyone"}'
	seq=$(field .result.seq)
	call next_notification '{"after":0,"timeout_sec":0}'
	is 'a notification is posted and read' "$(field '.result.notifications[0].text')" 'for everyone'
	call ack_notification "{\"seq\":$seq}"
	call sleep '{"seconds":1000,"text":"later"}'
	call cancel_timer "{\"timer\":\"$(field .result.id)\"}"
	is 'a timer is set and cancelled' "$(field '.error')" null
	call watch_log "{\"file_path\":\"$dir/new\",\"regex\":\"x\"}"
	call run_long_command '{"command":"true"}'
	is 'a job begins' "$(field '.error')" null
	pane=$(t display-message -p '#{pane_id}')
	call sleep "{\"seconds\":1000,\"pane\":\"$pane\"}"
	call run_long_command "{\"command\":\"sleep 1000\",\"name\":\"server\",\"pane\":\"$pane\"}"
	call run_long_command '{"command":"sleep 1000","name":"short"}'
	call watch_log "{\"file_path\":\"$dir/old\",\"regex\":\"x\",\"pane\":\"$pane\"}"
	call sleep "{\"seconds\":1000,\"text\":\"later\",\"pane\":\"$pane\"}"
	call cancel_timer "{\"timer\":\"$(field .result.id)\"}"
	asked=$(t show-option -gv @asked)
	for method in list_timers list_watches list_jobs list_notifications get_action_history list_tools \
		'get_job {"job":"server"}' 'read_job {"job":"server"}' 'stop_job {"job":"short"}' \
		"cancel_watch {\"file_path\":\"$dir/old\"}" "cancel_watch {\"pane\":\"$pane\"}"; do
		params=${method#"${method%% *}"}
		call "${method%% *}" "${params:-{\}}"
		is "${method%% *} shows a pane or does its work" "$(field '.error')" null
	done
	is 'and tmux is not asked for any of that' "$(t show-option -gv @asked)" "$asked"
	t set-hook -g 'after-list-panes[1]' "set-option -gF @panes 'all:#{hook_flag_a}'"
	call list_sessions '{}'
	is 'sessions are listed without panes' "$(field '.result.sessions | length') $(t show-option -gqv @panes)" '1 '
	call list_panes "{\"window\":\"$(t display-message -p '#{window_id}')\"}"
	is 'and the panes of a window without those of others' \
		"$(field '.result.panes | length') $(t show-option -gqv @panes)" '1 all:'
	t new-window -d 'exec cat'
	call list_sessions '{}'
	is 'a window that is new is counted' "$(field '.result.sessions[0].windows')" 2
	t kill-window -t :+1
	for hook in list-clients list-panes list-sessions list-windows display-message; do
		t set-hook -gu "after-$hook"
	done
	# A hook that fails behind a command has not undone it.
	hooks='send-keys set-buffer paste-buffer split-window new-window list-panes list-windows
		list-sessions list-clients capture-pane resize-pane kill-pane select-pane rename-window'
	for hook in $hooks; do
		t set-hook -g "after-$hook" 'select-pane -t %9999'
	done
	pane=$(t new-window -dPF '#{pane_id}' 'stty -echo; exec cat' 2>/dev/null)
	until_is 'the pane of a failing hook reads' cat t display-message -p -t "$pane" '#{pane_current_command}'
	call list_panes '{}'
	is 'tmux is listed though hooks fail' "$(field '.error // (.result.panes | map(.pane) | contains(["'"$pane"'"]))')" true
	call capture_pane "{\"pane\":\"$pane\"}"
	is 'and a picture is taken, without their words' "$(field '.error // .result.text' | tr -d '\n')" ''
	call ensure_agent '{"name":"hooked","command":"exec bash --norc","env":{"PS1":"$ "}}'
	is 'an agent is started too' "$(field .result.state)" ready
	call stop_agent '{"agent":"hooked"}'
	call send_text "{\"pane\":\"$pane\",\"text\":\"typed once\"}"
	is 'a text was typed though a hook failed' "$(field .error)" null
	call send_text "{\"pane\":\"$pane\",\"text\":\"pasted\\nonce\"}"
	is 'and pasted' "$(field .error)" null
	call send_keys "{\"pane\":\"$pane\",\"keys\":[\"Enter\"]}"
	is 'and keys' "$(field .error)" null
	until_is 'each of it once' 'typed oncepasted once ' eval \
		"t capture-pane -p -t $pane | grep . | tr '\\n' ' '"
	call create_pane "{\"pane\":\"$pane\",\"command\":[\"sleep\",\"1000\"]}"
	made=$(field .result.pane)
	is 'a pane was made' "$(t list-panes -t "$pane" -F '#{pane_id}' | tail -n 1)" "$made"
	call resize_pane "{\"pane\":\"$made\",\"height\":3}"
	is 'a size is given' "$(field '.error // .result.height')" 3
	call focus_pane "{\"pane\":\"$made\"}"
	is 'the focus too' "$(field .error)" null
	call run_tmux "{\"command\":[\"rename-window\",\"-t\",\"$made\",\"renamed\"]}"
	is 'a name' "$(field '.error // .result.blocks') $(t display-message -p -t "$made" '#{window_name}')" '1 renamed'
	call run_tmux '{"command":["rename-window","-t","@9999","renamed"]}'
	is 'and what fails says so' "$(field '.error.message' | grep -c "can't find window")" 1
	call close_pane "{\"pane\":\"$made\"}"
	is 'a pane is closed' "$(field .error) $(t list-panes -t "$pane" | grep -c .)" 'null 1'
	for hook in $hooks; do
		t set-hook -gu "after-$hook"
	done
	hold_up "$pane"
	t kill-window -t "$pane"
	# A program can outlive its pane.
	pane=$(t new-window -dPF '#{pane_id}' 'trap "" HUP; exec sleep 1000')
	call sleep "{\"seconds\":1000,\"pane\":\"$pane\"}"
	pid=$(t display-message -t "$pane" -p '#{pane_pid}')
	call run_long_command "{\"command\":\"sleep 1000\",\"name\":\"left\",\"pane\":\"$pane\"}"
	t kill-pane -t "$pane"
	call sleep "{\"seconds\":1000,\"pane\":\"$pane\"}"
	is 'nothing begins for a closed pane whose program lives' "$(field '.error.data.kind')" no_such_pane
	is 'a timer says that it is gone' \
		"$(ask '{"method":"list_timers"}' | jq ".result.timers[] | select(.pane == \"$pane\").pane_gone")" true
	is 'and a job' "$(ask '{"method":"get_job","params":{"job":"left"}}' | jq .result.pane_gone)" true
	kill -0 "$pid" && kill -9 "$pid"
}

# A resource of MCP is a need while a client subscribes to it; a session alone is none.
attached() {
	ask '{"method":"status"}' | jq .result.tmux.attached
}
piped() { # how many panes have a pipe
	t list-panes -a -F '#{pane_pipe}' | grep -c 1
}
say_mcp() { # say_mcp ID METHOD URI
	jq -nc --arg id "$1" --arg method "$2" --arg uri "$3" '{jsonrpc: "2.0", id: $id, method: $method, params: {uri: $uri}}' >&5
	until_is "$2 is answered: $1" 1 sh -c "grep -c '\"id\":\"$1\",\"result\"' $dir/resources || :"
}
subscribe_resource() {
	mkfifo "$dir/mcp"
	socat - "UNIX-CONNECT:$MUXBUS" <"$dir/mcp" >"$dir/resources" &
	client=$!
	exec 5>"$dir/mcp"
	say_mcp first initialize ''
	echo '{"jsonrpc":"2.0","method":"notifications/initialized"}' >&5
	say_mcp jobs resources/subscribe muxbus://jobs
	is 'a session of MCP is no reason to be a client' "$(attached)" false
	say_mcp one resources/subscribe muxbus://panes
	until_is 'a subscribed resource is one' true attached
	t new-window -d 'exec sleep 600'
	until_is 'and is told to have changed' yes sh -c "grep -q 'updated.*muxbus://panes' $dir/resources && echo yes"
	call capture_pane '{"pane":"main"}'
	say_mcp two resources/unsubscribe muxbus://panes
	until_is 'until it is unsubscribed' false attached
	until_is 'the pane of a picture taken meanwhile is not followed then' 0 piped
	say_mcp three resources/subscribe muxbus://panes
	until_is 'subscribed again' true attached
	exec 5>&-
	kill "$client"
	until_is 'it lasts as long as its connection' false attached
	rm "$dir/mcp"
}

start 'exec sh'
ask_nothing
subscribe_resource
t set-hook -g client-attached "run-shell 'echo client >>$dir/clients'"
use
move
end_and_respawn
listen all '{}'
until_is 'which the hook sees' client sh -c "sort -u $dir/clients"
hold_up "$(t display-message -p '#{pane_id}')"
name_windows
ask_person

kill "$listener" 2>/dev/null
finish
start 'exec sh'
kill "$daemon_pid"
wait "$daemon_pid" 2>/dev/null
MUXBUS_TEST_ATTACH=never
start_daemon
t set-hook -g client-attached "run-shell 'echo client >>$dir/clients'"
use
call resources/subscribe '{"uri":"muxbus://panes"}'
is 'with attach=never the resource of panes is refused' "$(field .error.data.kind)" refused
ask '{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":["muxbus://panes","muxbus://jobs"]},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}' >"$dir/stream" &
streamer=$!
until_is 'and no stream accepts it' '["muxbus://jobs"]' jq -c .params.notifications.resourceSubscriptions "$dir/stream"
kill "$streamer"
call subscribe '{}'
is 'with attach=never it is refused' "$(field '"\(.error.data.kind) \(.error.message | contains("attach=never"))"')" 'refused true'
call wait_for '{"any":[{"event":"window_created"}],"timeout_sec":5}'
is 'as a wait for such an event is' "$(field .error.data.kind)" refused
pane=$(t new-window -dPF '#{pane_id}' 'exec sh')
t pipe-pane -t "$pane" 'cat >/dev/null'
call read_output "{\"pane\":\"$pane\"}"
is 'a pane with a pipe of the user is not followed, and says so' "$(field .result.gap.reason)" not_watched
call wait_for "{\"any\":[{\"quiet_sec\":0.1,\"pane\":\"$pane\"}],\"timeout_sec\":1}"
is 'nor is it known to be quiet' "$(field .result.timed_out)" true
listen deaf "{\"kinds\":[\"line\"],\"panes\":[\"$pane\"]}"
t pipe-pane -t "$pane"
hears() {
	t send-keys -t "$pane" 'echo he""ard' Enter
	has_event deaf '.kind == "line" and .text == "heard"'
}
until_is 'a subscriber hears of it when that pipe has ended' true hears
kill "$listener" 2>/dev/null
call wait_for "{\"any\":[{\"quiet_sec\":0.1,\"pane\":\"$pane\"}],\"timeout_sec\":10}"
is 'and known to be quiet' "$(field .result.timed_out)" false
# Programs that change their directory all the time, to one with the record of a pane in its name.
cat >"$dir/roam.py" <<'END'
import os
import sys
there, base = sys.argv[1] + '/b\n', 'P\t%0\t@0\t0\t80\t24\t0\t0\t1\tx\ty\tz'
os.makedirs(there + base)
while True:
    os.chdir('/')
    os.chdir(there + base)
END
t new-window -d "exec python3 '$dir/roam.py' '$dir/roam1'"
t new-window -d "exec python3 '$dir/roam.py' '$dir/roam2'"
want=$(t list-panes -a | wc -l)
for round in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	t new-window -d -n roam 'exec cat'
	ask '{"method":"list_panes"}' | jq '.result.panes | length'
	t kill-window -t :roam
done | sort | uniq -c >"$dir/counts"
is 'they hide no pane, and make none' "$(sed 's/^ *//' "$dir/counts")" "20 $((want + 1))"
is 'no client has come' "$(cat "$dir/clients" 2>/dev/null)" ''
# tmux has an alias of the user in the place of a command.
for command in list-panes list-windows list-sessions list-clients; do
	t set -s 'command-alias[100]' "$command=kill-server"
	call list_panes '{}'
	is "$command is another command: panes are listed all the same" "$(field '.result.panes | length > 0')" true
	call capture_pane "{\"pane\":\"$pane\"}"
	is 'and captured' "$(field '.error.message')" null
	t set -su 'command-alias[100]'
done
t set -s 'command-alias[100]' 'list-commands=kill-server'
call list_panes '{}'
is 'list-commands is another command: panes are listed all the same' "$(field '.result.panes | length > 0')" true
call wait_for "{\"any\":[{\"screen\":\".\",\"pane\":\"$pane\"}],\"timeout_sec\":1}"
is 'and captured' "$(field '.result.timed_out | type')" boolean
call send_text "{\"pane\":\"$pane\",\"text\":\"typed all the same\",\"force\":true}"
is 'and typed into' "$(field '.error.message')" null
t set -su 'command-alias[100]'
end_after_burst
kill "$daemon_pid" 2>/dev/null
wait "$daemon_pid"
t new-session -d -s main 'exec sh'
daemon_options='-o line_bytes=1024'
start_daemon
rubbed=$(head -c 300 /dev/zero | tr '\0' '\177')
ask "{\"method\":\"find_text\",\"params\":{\"pane\":\"main\",\"regex\":\"$rubbed\"}}" >"$dir/answer"
is 'a request that waits for a listing may have characters that JSON escapes' "$(field .error)" null
kill "$daemon_pid" 2>/dev/null
wait "$daemon_pid"
daemon_options=
t set-option -g 'command-alias[90]' 'fill=load-buffer /nonexistent/file'
t set-option -g 'command-alias[91]' 'over=kill-server'
start_daemon
call run_tmux '{"command":["fill"],"force":true}'
is 'an alias that fails behind its list says so' "$(field .error.data.kind)" tmux_error
# Files are read and written for commands, and for hooks of the user behind them, as for tmux.
echo 'set-option -ga @read yes' >"$dir/conf"
call run_tmux "{\"command\":[\"source-file\",\"$dir/conf\"],\"force\":true}"
is 'a file of commands is read' "$(t show-options -gv @read)" yes
t set-hook -g after-new-window "source-file $dir/conf"
t set-hook -g after-split-window "load-buffer -b read $dir/conf ; save-buffer -b read $dir/saved"
call create_window '{"session":"main","command":"exec sleep 1000"}'
is 'a hook behind a request reads one too' "$(t show-options -gv @read)" yesyes
call create_pane '{"pane":"main","command":"exec sleep 1000"}'
ok 'and writes one' cmp "$dir/conf" "$dir/saved"
t set-hook -gu after-new-window
t set-hook -gu after-split-window
for command in over kill-server; do
	call run_tmux "{\"command\":[\"$command\"],\"force\":true}"
	is "tmux is ended by $command, and that is no failure" "$(field .error)" null
	kill "$daemon_pid" 2>/dev/null
	wait "$daemon_pid"
	t new-session -d -s main 'exec sh'
	start_daemon
done
# A command without a target is about the pane of its caller, wherever a person was last.
pane=$(t list-panes -t main -F '#{pane_id}')
t new-session -d -s other 'exec sleep 1000'
here() { # the pane that a command in the pane is about
	rm -f "$dir/here"
	t send-keys -t "$pane" "'$MUXBUS_BUILDDIR/muxbus' run_tmux $1 | jq -r .output >'$dir/said'; mv '$dir/said' '$dir/here'" Enter
	until_is "$1 has run" yes sh -c "[ -e '$dir/here' ] && echo yes"
	is 'in the pane of its caller' "$(cat "$dir/here")" "$pane"
}
here "display-message -p '#{pane_id}'"
here "split-window -d -P -F '#{?#{==:#{session_name},main},$pane,elsewhere}' 'exec sleep 1000'"
kill "$daemon_pid" 2>/dev/null
wait "$daemon_pid"
MUXBUS_TEST_ATTACH=used
start_daemon
listen both '{}'
here "display-message -p '#{pane_id}'"
here "split-window -d -P -F '#{?#{==:#{session_name},main},$pane,elsewhere}' 'exec sleep 1000'"
done_testing
