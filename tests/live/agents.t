#!/bin/sh
# SPDX-License-Identifier: ISC
# Agents: programs that are started, given tasks, asked and answered, that crash and come
# again; whose output holds what looks like their prompt; and all that over a kill of muxbusd.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
need python3 bash
start 'exec sh'

call() { # call METHOD PARAMS: asks, and keeps the answer; progress goes elsewhere
	ask "$(jq -nc --arg method "$1" --argjson params "$2" '{method: $method, params: $params}')" >"$dir/lines"
	jq -c 'select(.method == "progress").params' "$dir/lines" >"$dir/progress"
	jq -c 'select(.method == null)' "$dir/lines" >"$dir/answer"
}
task() { # task AGENT TEXT: as call
	call send_task "$(jq -nc --arg agent "$1" --arg text "$2" '{agent: $agent, text: $text, timeout_sec: 60}')"
}
reply() {
	call respond "$(jq -nc --arg agent "$1" --arg text "$2" '{agent: $agent, text: $text, timeout_sec: 60}')"
}
state() { # state AGENT
	ask '{"method":"list_agents"}' | jq -r --arg agent "$1" '.result.agents[] | select(.agent == $agent).state'
}
said() {
	field '.result | "\(.outcome) \(.text)"'
}

# A REPL that is slow to start, and prints before its prompt is there.
call ensure_agent '{"name":"py","command":"printf Loading...; sleep 0.5; exec python3 -q","env":{"PYTHON_COLORS":"0","PYTHON_BASIC_REPL":"1"}}'
is 'a program is ready when its prompt is there' "$(field '.result | "\(.state) \(.started)"')" 'ready true'
pane=$(field .result.pane)
is 'its prompt was seen, not guessed' "$(field '.result.evidence.row | endswith(">>> ")')" true
is 'it has the size asked for' "$(t display-message -p -t "$pane" '#{window_width}x#{window_height}')" 220x50
is 'and the history' "$(t display-message -p -t "$pane" '#{history_limit}')" 50000
call ensure_agent '{"name":"py","command":"printf Loading...; sleep 0.5; exec python3 -q","env":{"PYTHON_COLORS":"0","PYTHON_BASIC_REPL":"1"}}'
is 'it is found running' "$(field '.result | "\(.pane) \(.started)"')" "$pane false"
call ensure_agent '{"name":"py","command":"printf Loading...; sleep 0.5; exec python3 -q","env":{"PYTHON_COLORS":"0","PYTHON_BASIC_REPL":"1"},"cwd":"/usr"}'
is 'but not in another directory' "$(field '.error | "\(.data.kind) \(.message | contains("another cwd"))"')" 'busy true'
call ensure_agent "$(jq -nc --arg cwd "$PWD/." '{name: "py", command: "printf Loading...; sleep 0.5; exec python3 -q", env: {PYTHON_COLORS: "0", PYTHON_BASIC_REPL: "1"}, $cwd}')"
is 'the same one may be written in another way' "$(field '.result | "\(.pane) \(.started)"')" "$pane false"
call_elsewhere() { (cd /usr && call "$@"); }
call_elsewhere ensure_agent '{"name":"py","command":"printf Loading...; sleep 0.5; exec python3 -q","env":{"PYTHON_COLORS":"0","PYTHON_BASIC_REPL":"1"}}'
is 'from any directory, if none is given' "$(field '.result | "\(.pane) \(.started)"')" "$pane false"
call ensure_agent '{"name":"py","command":"other"}'
is 'but not as another' "$(field .error.data.kind)" busy
task py 'print(6 * 7)'
is 'a task is answered with what it says, and no more' "$(said)" "$(printf 'ready 42')"
is 'between exact offsets' \
	"$(ask "$(jq -c '{method: "read_output", params: {pane: .result.pane, after: .result.from, strip: false}}' "$dir/answer")" | jq -r '.result.text' | tr -d '\r' | head -n 2 | tail -n 1)" 42
task py 'import time; print("first", flush=True); print(">>> ", end="", flush=True); time.sleep(1.2); print("last")'
is 'its prompt in its output is not its prompt' "$(said)" "$(printf 'ready first\n>>> last')"
is 'what it says meanwhile is progress' "$(jq -rs 'map(.text) | join("") | contains("first")' "$dir/progress")" true
call send_task '{"agent":"py","text":"print(\"y\" * 5000)","max_bytes":300}'
is 'a long answer is cut, and says so' \
	"$(field '.result | "\(.truncated) \((.text | length) < 400) \(.to - .from > 5000)"')" 'true true true'
call read_rest "$(field .result.rest | sed 's/read_rest \(.*\) reads .*/\1/')"
is 'and names the call that gets all of it' "$(field .result.text | tr -d '\n')" "$(printf 'y%.0s' $(seq 5000))"
task py 'x = input("Go on? [Y/n] ")'
is 'a question is told' "$(field '.result | "\(.outcome) \(.question == "Go on? [Y/n]")"')" 'question true'
is 'the agent is blocked by it' "$(state py)" blocked
reply py y
is 'an answer goes to it' "$(field .result.outcome)" ready
reply py y
is 'without a question there is none' "$(field .error.data.kind)" not_ready
task py 'import getpass; p = getpass.getpass()'
is 'a secret is asked for' "$(field '.result | "\(.outcome) \(.secret)"')" 'question true'
reply py 'not to be seen'
task py 'p'
is 'and was typed' "$(said)" "ready 'not to be seen'"
is 'but is nowhere in the state' "$(grep -c 'not to be seen' -r "$dir/muxbus" 2>/dev/null | grep -vc ':0$')" 0
call get_action_history '{"limit":100}'
is 'nor in the history' "$(grep -c 'not to be seen' "$dir/answer")" 0
task py "$(printf 'a\033b')"
is 'control characters are refused' "$(field .error.data.field)" text
task py '   '
is 'and blanks alone' "$(field .error.data.field)" text
task nobody x
is 'one that is not there is said' "$(field .error.data.kind)" no_such_agent

# Several tasks at once are done in order.
for i in 1 2 3; do
	call send_task '{"agent":"py","text":"import time; time.sleep(0.1); print('$i')","wait":false}'
	eval "task$i=$(field .result.task)"
done
call wait_for '{"any":[{"notification":{"id":"'"$task3"'"}}],"timeout_sec":60}'
call list_notifications '{}'
is 'tasks that nobody waits for end as notifications, in order' \
	"$(jq -r '[.result.notifications[] | select(.data.agent == "py") | .data.text] | join("")' "$dir/answer")" "$(printf '1\n2\n3')"
call wait_for '{"any":[{"ready":"py"}],"timeout_sec":60}'
is 'an agent can be waited for' "$(field '.result.conditions[0].details.agent')" py

# It ends: that is told, and it is started again.
task py 'import os; os._exit(7)'
is 'a crash is told' "$(field '.result | "\(.outcome) \(.exit_status)"')" 'crashed 7'
task py 'print("again")'
is 'and the next task has a new one' "$(said)" 'ready again'
pane=$(field .result.pane)
is 'in the only window of its session' "$(t list-panes -s -t agent-py -F '#{pane_id}')" "$pane"
call ensure_agent '{"name":"fallen","command":"python3 -q; exec bash --norc","env":{"PYTHON_BASIC_REPL":"1"}}'
task fallen 'exit()'
is 'a shell in its place is a crash' "$(field '.result | "\(.outcome) \(.reason | contains("shell"))"')" 'crashed true'
call wait_for '{"any":[{"ready":"fallen"}],"timeout_sec":60}'
is 'after which it is there again' "$(field '.result.conditions[0].details.evidence.row')" '>>> '
call ensure_agent '{"name":"none","command":"exit 5"}'
is 'what never is ready is an error' "$(field '.error.data | "\(.kind) \(.state) \(.evidence.exit_status)"')" 'not_ready crashed 5'

# A shell, whose prompt may look like anything.
call ensure_agent '{"name":"sh","command":["bash","--norc"],"env":{"PS1":"$ "}}'
task sh 'cd /usr; printf "$ "; sleep 1.2; echo; pwd'
is 'a shell is not ready while it runs something' "$(said)" "$(printf 'ready $ \n/usr')"
task sh 'read -p "Name: " name; echo "<$name>"'
is 'it may ask' "$(field '.result | "\(.outcome) \(.question == "Name:")"')" 'question true'
reply sh Ann
is 'and hear' "$(said)" 'ready <Ann>'
task sh "$(printf 'for i in 1 2; do\necho line $i\ndone')"
is 'several lines are one paste' "$(said)" "$(printf 'ready line 1\nline 2')"
call send_task '{"agent":"sh","text":"sleep 1000","timeout_sec":0.7}'
is 'what takes too long is told' "$(field .result.outcome)" timeout
is 'and goes on' "$(state sh)" busy
call send_keys "$(jq -nc --arg pane "$(ask '{"method":"list_agents"}' | jq -r '.result.agents[] | select(.agent == "sh").pane')" '{pane: $pane, keys: ["C-c"]}')"
until_is 'until it ends' ready state sh

# A person's draft is no question, and an answer that a person has begun is not added to.
shown() { # shown AGENT PATTERN: on how many rows of its pane
	t capture-pane -p -t "$(ask '{"method":"list_agents"}' | jq -r --arg agent "$1" '.result.agents[] | select(.agent == $agent).pane')" | grep -c -e "$2" || :
}
keys() { # keys AGENT KEY...: from a person
	keys_pane=$(ask '{"method":"list_agents"}' | jq -r --arg agent "$1" '.result.agents[] | select(.agent == $agent).pane')
	shift
	t send-keys -t "$keys_pane" "$@"
}
kind() {
	field '.error.data.kind // .result.outcome'
}
call ensure_agent "$(jq -nc '{name: "wordy", command: ["sh", "-c", "printf \"go> \"; exec cat", "x" * 9000], prompt: "^go> $"}')"
is 'of a long command a list has the beginning' "$(ask '{"method":"list_agents"}' | jq -c '.result.agents[] | select(.agent == "wordy") |
	[.state, (.command | length), (.command | add | length), .command_cut]')" '["ready",4,4000,true]'
call ensure_agent '{"name":"given","command":["bash","--norc"],"env":{"PS1":"\\w$ "},"prompt":"\\$ $"}'
task given 'mkdir -p src; cd /tmp'
keys given -l 'rm -rf src '
until_is 'a draft at a prompt that was given' 1 shown given 'rm -rf src$'
until_is 'is no question' busy state given
reply given y
is 'so there is no answer to it' "$(kind)" not_ready
is 'and nothing is added' "$(shown given 'src y')" 0
keys given C-u
until_is 'without the draft it is ready' ready state given
call ensure_agent '{"name":"asks","command":["python3","-q"],"env":{"PYTHON_BASIC_REPL":"1"}}'
task asks 'x = input("Go on? [Y/n] ")'
is 'a question' "$(kind)" question
keys asks -l n
until_is 'to which a person begins an answer' 1 shown asks '] n$'
reply asks yes
is 'is not answered' "$(kind)" not_ready
is 'which says why' "$(field '.error.message | contains("an answer has been begun")')" true
is 'nor is anything added' "$(shown asks '] ny')" 0
keys asks BSpace
until_is 'taken back' 1 shown asks '] *$'
row() { # row AGENT: that the daemon saw last
	ask '{"method":"list_agents"}' | jq -r --arg agent "$1" '.result.agents[] | select(.agent == $agent).evidence.row'
}
until_is 'and seen' 'Go on? [Y/n] ' row asks
reply asks yes
is 'it is answered' "$(kind)" ready
task asks 'x'
is 'with the answer alone' "$(said)" "ready 'yes'"
call send_task '{"agent":"asks","text":"print(\"Sure?\"); x = input()","wait":false}'
until_is 'a question above an empty row' 1 shown asks '^Sure?$'
reads() { # once it is at rest: another look may have been before the question came
	ask '{"method":"list_agents"}' | jq -r '.result.agents[] | select(.agent == "asks").evidence |
		"\(.reads) \(.row)\(if .quiet_ms < 1000 then ".." else "" end)"'
}
until_is 'at which the program reads' 'yes ' reads
keys asks -l n
until_is 'where a person begins' 1 shown asks '^n$'
until_is 'is seen to be asked' blocked state asks
reply asks yes
is 'and is not answered either' "$(kind)" not_ready
keys asks Enter
until_is 'the person answers' ready state asks
task asks 'x'
is 'as they wanted' "$(said)" "ready 'n'"
call send_task '{"agent":"asks","text":"x = input(\"One? \"), input(\"Two? \")","wait":false}'
until_is 'two questions' blocked state asks
reply asks 1
is 'the first answer' "$(kind)" question
reply asks 2
is 'the second answer' "$(kind)" ready
task asks 'x'
is 'each to its question' "$(said)" "ready ('1', '2')"

# A program that lets the kernel edit its lines: of a longer one the rest would be lost.
call ensure_agent '{"name":"cooked","command":"while printf \"> \"; do IFS= read -r line; echo \"got ${#line}\"; done"}'
task cooked "$(printf %4095d 7)"
is 'a line that the terminal keeps is taken whole' "$(said)" 'ready got 4095'
is 'its typing is told' "$(field '.result.typing | "\(.echo_seen) \(.enters)"')" 'true 1'
task cooked "$(printf %4096d 7)"
is 'a longer one is refused' "$(field '.error.data.kind')" refused
is 'with the reason' "$(field '.error.message | contains("4095 bytes of a line")')" true
task cooked 'short'
is 'of which nothing was typed' "$(said)" 'ready got 5'
call send_task "$(jq -nc --arg text "$(printf %4096d 7)" '{agent: "cooked", text: $text, wait: false}')"
long=$(field .result.task)
call send_text "$(jq -nc --arg pane "$(ask '{"method":"list_agents"}' | jq -r '.result.agents[] | select(.agent == "cooked").pane')" --arg text "$(printf %4096d 7)" '{pane: $pane, text: $text}')"
is 'send_text refuses it too' "$(field '.error.data.kind')" refused
call next_notification '{"after":0,"timeout_sec":30,"filter":{"id":"'"$long"'"}}'
is 'also for the notification of one' "$(field '.result.notifications[0].data.outcome')" refused
is 'which has no typing, of no other task' "$(field '.result.notifications[0].data.typing')" '{}'

# A program that draws, tells nothing, and quotes its prompt.
call ensure_agent "$(jq -nc --arg command "exec $MUXBUS_BUILDDIR/tests/fake_agent --chatter 2500 $dir/fake.log" '{name: "fake", command: $command}')"
is 'one of which little is known is ready too' "$(field .result.state)" ready
task fake '!quote'
is 'its prompt is not what it quotes' "$(field '.result | "\(.outcome) \(.text | contains("the end"))"')" 'ready true'
is 'it was typed once' "$(grep -c 'quote' "$dir/fake.log")" 1

# To one that loses "?" and "!" of typed keys, texts with these are pasted; in shells they are the same as before.
call ensure_agent "{\"name\":\"short\",\"command\":\"exec $MUXBUS_BUILDDIR/tests/fake_agent --shortcuts $dir/short\"}"
for text in '? what' 'is it ok? yes' 'go on?' '! touch x' 'stop! touch x' 'done!' 'none'; do
	task short "$text"
	is "a task: $text" "$(field .result.outcome) $(tail -n 1 "$dir/short" | cut -d ' ' -f 2-)" "ready $text"
done
call self_command "$(jq -nc --arg pane "$(ask '{"method":"list_agents"}' | jq -r '.result.agents[] | select(.agent == "short").pane')" '{$pane, command: "/ask what? now!"}')"
got() {
	tail -n 1 "$dir/short" | cut -d ' ' -f 2-
}
until_is 'a command of its own' '/ask what? now!' got
is 'each came once' "$(grep -c . "$dir/short")" 8
call stop_agent '{"agent":"short","grace_sec":0}'
task sh 'echo is it ok? yes!'
is 'a shell gets them too' "$(said)" 'ready is it ok? yes!'
task py 'print("ok?" if 1 != 2 else "no!")'
is 'and Python' "$(said)" 'ready ok?'

# One that takes the keys and shows nothing of them: the error says what was seen.
call ensure_agent '{"name":"mute","command":"stty raw -echo; printf \"> \"; exec cat >/dev/null"}'
task mute 'hello'
is 'a task that is not shown' "$(field '.error.data | "\(.kind) \(.typing | .echo_seen, .enters)"' | tr '\n' ' ')" 'not_ready false not_ready 0 '
call stop_agent '{"agent":"mute","grace_sec":0}'

# While it shows an editor on its terminal, which may be named by $EDITOR alone, keys would be the editor's.
ln -s "$(command -v sleep)" "$dir/vim"
ln -s "$(command -v sleep)" "$dir/my-own"
for editor in vim my-own; do
	call ensure_agent "$(jq -nc --arg command "EDITOR='$dir/my-own -w' exec $MUXBUS_BUILDDIR/tests/fake_agent --nest '$dir/$editor 1000' $dir/fake.log" '{name: "edits", command: $command}')"
	new=$(field .result.pane)
	is "one that can start $editor" "$(field .result.state)" ready
	kill -USR2 "$(t display-message -p -t "$new" '#{pane_pid}')"
	why() {
		call post_notification "{\"text\":\"hello\",\"pane\":\"$new\"}"
		field .result.wake.text
	}
	until_is 'nothing is typed into that' "it stays queued: pane $new: another program beside fake_agent reads the same terminal" why
	call stop_agent '{"agent":"edits"}'
done

# EDITOR may begin with an interpreter that is the agent's program, too.
call ensure_agent "$(jq -nc --arg command "EDITOR='$MUXBUS_BUILDDIR/tests/fake_agent -w' exec $MUXBUS_BUILDDIR/tests/fake_agent $dir/fake.log" '{name: "named", command: $command}')"
call post_notification "{\"text\":\"for-the-named\",\"pane\":\"$(field .result.pane)\"}"
until_is 'an agent whose program EDITOR names is no editor' 1 grep -c 'for-the-named' "$dir/fake.log"
call stop_agent '{"agent":"named"}'

# Killed in a task, and while one waits: both are gone on with.
call send_task "$(jq -nc --arg go "$dir/go" '{agent: "py", wait: false, text: "import os, time; x = [time.sleep(0.05) for _ in iter(lambda: os.path.exists(\"\($go)\"), True)]; print(\"over\")"}')"
first=$(field .result.task)
call send_task '{"agent":"py","text":"print(\"next\")","wait":false}'
second=$(field .result.task)
for i in 1 2 3 4; do
	call send_task '{"agent":"py","text":"print('$i')","wait":false}'
done
last=$(field .result.task)
running() {
	ask '{"method":"list_agents"}' | jq -r '.result.agents[] | select(.agent == "py").tasks[0].stage'
}
until_is 'a task is worked at' running running
kill_daemon
: >"$dir/go"
call next_notification '{"after":0,"timeout_sec":30,"filter":{"id":"'"$second"'"}}'
is 'what waited is done by the next daemon' "$(field '.result.notifications[0].data | "\(.outcome) \(.text)"')" 'ready next'
call next_notification '{"after":0,"timeout_sec":30,"filter":{"id":"'"$first"'"}}'
is 'what was at work is waited for' "$(field '.result.notifications[0].data | "\(.outcome) \(.gap)"')" 'ready true'
call next_notification '{"after":0,"timeout_sec":30,"filter":{"id":"'"$last"'"}}'
call list_notifications '{}'
is 'all in their order' "$(field '[.result.notifications[] | select(.data.agent == "py" and ((.data.text // "") | test("^[1-4]\n$"))).data.text] | join("") | .[-8:]')" "$(printf '1\n2\n3\n4')"
is 'in the pane that it had' "$(ask '{"method":"list_agents"}' | jq -r '.result.agents[] | select(.agent == "py").pane')" "$pane"
until_is 'and ready again' ready state py
call list_events '{"after":0,"kinds":["agent_state"],"limit":1000}'
is 'states are events' "$(field '[.result.events[] | select(.agent == "py").state] | contains(["ready"])')" true

# A crash is reported once, however often muxbusd is started after it.
crashes() { # crashes AGENT: of how many crashes there are notifications
	ask '{"method":"list_notifications","params":{"limit":1000}}' |
		jq --arg text "agent $1 crashed" '[.result.notifications[] | select(.text | startswith($text)) | .count // 1] | add // 0'
}
crash() { # crash AGENT: its program is killed
	kill -9 "$(t display-message -p -t "$(ask '{"method":"list_agents"}' | jq -r --arg agent "$1" '.result.agents[] | select(.agent == $agent).pane')" '#{pane_pid}')"
}
kill_daemon
until_is 'what never was ready is crashed for the next daemon too' crashed state none
is 'with its exit status' "$(ask '{"method":"list_agents"}' | jq -r '.result.agents[] | select(.agent == "none").evidence.exit_status')" 5
call ensure_agent '{"name":"mortal","command":"exec cat","prompt":"^$"}'
for life in 1 2 3; do
	crash mortal
	until_is "crash $life is reported" $life crashes mortal
	until_is 'and it is ready again' ready state mortal
done
crash mortal
until_is 'after the fourth it is started after a while' 4 crashes mortal
kill_daemon
is 'the next daemon knows of its crash' "$(state mortal)" crashed
kill_daemon
call wait_for '{"any":[{"ready":"mortal"}],"timeout_sec":60}'
is 'and starts it again' "$(field '.result.conditions[0].details.agent')" mortal
is 'no crash is reported twice' "$(crashes mortal) $(crashes none)" '4 1'
crash mortal
until_is 'another one is' 5 crashes mortal
call stop_agent '{"agent":"mortal"}'

# A window that a person closes is not opened again by itself.
t kill-pane -t "$pane"
until_is 'a closed one is gone' gone state py
call ensure_agent '{"name":"py","command":"exec python3 -q","env":{"PYTHON_BASIC_REPL":"1"}}'
is 'until it is asked for' "$(field '.result | "\(.state) \(.started)"')" 'ready true'
call stop_agent '{"agent":"py"}'
is 'it ends as with its terminal' "$(field '.result | "\(.killed) \(.signal)"')" 'false 1'
call ensure_agent '{"name":"stubborn","command":"trap \"\" HUP; while :; do read -r line; done","prompt":"^$"}'
call stop_agent '{"agent":"stubborn","grace_sec":0.3}'
is 'or is killed' "$(field '.result | "\(.killed) \(.signal)"')" 'true 9'
is 'they are no more' "$(state stubborn)$(state py)" ''
is 'nor are their windows' "$(t list-windows -a -F '#{window_name}' | grep -c -e '^py$' -e '^stubborn$')" 0

# A kept agent whose program no table knows, with a prompt of its own: a notification wakes it.
cat >"$dir/mine" <<'END'
#!/usr/bin/env python3
while True:
    print("got", input("mine, at your service: "), flush=True)
END
chmod 755 "$dir/mine"
call ensure_agent "$(jq -nc --arg command "$dir/mine" '{name: "own", $command, prompt: "^mine, at your service: $"}')"
is 'an agent of no known name is ready' "$(field .result.state)" ready
pane=$(field .result.pane)
call post_notification "$(jq -nc --arg pane "$pane" '{$pane, text: "the tea is ready"}')"
is 'the way to it is typing' "$(field .result.wake.way)" typed
woken() {
	t capture-pane -p -t "$pane" | grep -c 'got .*the tea is ready' || :
}
until_is 'it is woken' 1 woken
t send-keys -t "$pane" -l 'a draft '
call post_notification "$(jq -nc --arg pane "$pane" '{$pane, text: "the cake too"}')"
held() {
	ask '{"method":"list_notifications","params":{"limit":1000}}' |
		jq -r '.result.notifications[] | select(.text == "the cake too").delivery.reason' | grep -c 'prompt line\|typing' || :
}
until_is 'but not over a draft' 1 held
call stop_agent '{"agent":"own","grace_sec":0}'
call ensure_agent "$(jq -nc --arg command "exec $dir/mine" '{name: "own", $command, prompt: "^mine, at your service: $"}')"
call post_notification "$(jq -nc --arg pane "$(field .result.pane)" '{$pane, text: "more tea"}')"
is 'without a shell in between too' "$(field .result.wake.way)" typed
call stop_agent '{"agent":"own","grace_sec":0}'

# A kept shell is none that is typed into.
call ensure_agent '{"name":"shell","command":"PS1=\"shell$ \" exec bash --norc","prompt":"^shell[$] $"}'
pane=$(field .result.pane)
call post_notification "$(jq -nc --arg pane "$pane" '{$pane, text: "touch danger"}')"
is 'a kept shell is not woken by typing' "$(field .result.wake.way)" none
call stop_agent '{"agent":"shell","grace_sec":0}'

# Keys of another program that were read and are not shown yet.
call ensure_agent "{\"name\":\"late\",\"command\":\"exec $MUXBUS_BUILDDIR/tests/fake_agent --lag 3000 $dir/late\"}"
t send-keys -t "$(field .result.pane)" -l 'one and '
task late two
is 'a task that stands behind them is not submitted' "$(field '.error.message | sub(".*: "; "")') $(cat "$dir/late" 2>/dev/null)" \
	'something else stands on the prompt line too '

# Its reader, which a thread of it started, is stopped: nothing is typed until that goes on.
cat >"$dir/thread.py" <<END
import subprocess, threading
threading.Thread(target=subprocess.call, args=[['$MUXBUS_BUILDDIR/tests/fake_agent', '$dir/below']]).start()
END
call ensure_agent "{\"name\":\"above\",\"command\":\"exec python3 $dir/thread.py\"}"
below=$(pgrep -f "fake_agent $dir/below")
kill -STOP "$below"
call send_task '{"agent":"above","text":"one","timeout_sec":2}'
is 'a task for a stopped program' "$(field '.result | "\(.outcome) \(.held)"')" \
	'timeout python3, or a program that it runs, is stopped'
kill -CONT "$below"
task above two
is 'only the next one was typed' "$(cut -d ' ' -f 2- "$dir/below")" two
done_testing
