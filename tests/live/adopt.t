#!/bin/sh
# SPDX-License-Identifier: ISC
# Agents that a person started, adopted where they run: found, given tasks, stopped by ^Z, kept
# over a kill of muxbusd, released, and ended by the person.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
need python3 bash
start "exec env PS1='sh> ' PYTHON_COLORS=0 PYTHON_BASIC_REPL=1 bash --norc"
pane=$(t list-panes -a -F '#{pane_id}')

types() { t send-keys -t "$pane" "$@"; } # as the person
# tmux names a program by its command line before it runs, so the prompt is looked for.
rows() { t capture-pane -p -t "$1" | grep -c -e "$2" || :; } # rows PANE PATTERN: how many
front() { t display-message -p -t "$1" '#{pane_current_command}'; }
agent() { # agent NAME FILTER: of its row in list_agents
	ask '{"method":"list_agents"}' | jq -r --arg name "$1" ".result.agents[] | select(.agent == \$name) | $2"
}
task() { # task AGENT TEXT
	call send_task "$(jq -nc --arg agent "$1" --arg text "$2" '{$agent, $text, progress: false, timeout_sec: 60}')"
}
ends() { # ends NAME: of how many ends of this agent there are notifications
	ask '{"method":"list_notifications","params":{"limit":1000}}' |
		jq --arg text "agent $1 has ended" '[.result.notifications[] | select(.text == $text) | .count // 1] | add // 0'
}
look() { # the options and the size of the pane
	t show-options -p -t "$pane"
	t display-message -p -t "$pane" '#{pane_width}x#{pane_height} #{history_limit}'
}
person_starts() {
	types 'python3 -q' Enter
	until_is 'a person starts a program' python3 front "$pane"
}

until_is 'a shell' 1 rows "$pane" '^sh>'
before=$(look)
call ensure_agent "$(jq -nc --arg pane "$pane" '{$pane}')"
is 'a shell is no agent' "$(field '.error.data.kind')" refused
ok 'and the answer says so' test "$(field .error.message | grep -c 'no agent is in front of pane %.*, only bash')" = 1

# Nor is one at whose prompt a mark was printed, which stays when its agent has gone.
call create_pane '{"command":["env","PS1=sh> ","bash","--norc"],"pane":"%0","reports":"token"}'
marked=$(field .result.pane)
until_is 'another shell' 1 rows "$marked" '^sh>'
t send-keys -t "$marked" "$MUXBUS_BUILDDIR/muxbus mark idle --agent claude" Enter
call wait_for "$(jq -nc --arg pane "$marked" '{any: [{agent_state: "idle", $pane}], timeout_sec: 20}')"
is 'a mark is there' "$(field '.result.matched | length')" 1
until_is 'and the shell is in front again' bash front "$marked"
call ensure_agent "$(jq -nc --arg pane "$marked" '{$pane}')"
is 'a shell with a mark is no agent' "$(field '.error.data.kind // .result.agent')" refused
# Nor is a helper of the shell's own group, such as those of prompts and completions.
t send-keys -t "$marked" 'set +m; sleep 1000 0<&0 & helper=$!' Enter
until_is 'a helper runs' bash front "$marked"
call ensure_agent "$(jq -nc --arg pane "$marked" '{$pane}')"
is 'a helper of the shell is no agent' "$(field '.error.data.kind // .result.agent')" refused
t send-keys -t "$marked" 'kill $helper' Enter
t kill-pane -t "$marked"

# Behind a program that shows another one, as ssh does, a mark counts while it is young: not that of
# an earlier life of muxbusd.
if command -v script >/dev/null; then
	call create_pane '{"command":["env","PS1=sh> ","script","-qc","bash --norc","/dev/null"],"pane":"%0","reports":"token"}'
	marked=$(field .result.pane)
	until_is 'a shell behind script' 1 rows "$marked" '^sh>'
	t send-keys -t "$marked" "$MUXBUS_BUILDDIR/muxbus mark idle --agent claude" Enter
	call wait_for "$(jq -nc --arg pane "$marked" '{any: [{agent_state: "idle", $pane}], timeout_sec: 20}')"
	is 'a mark comes from behind it' "$(field '.result.matched | length')" 1
	call ensure_agent "$(jq -nc --arg pane "$marked" '{$pane, startup_timeout_sec: 1}')"
	ok 'a young mark is an agent' test "$(agent claude .adopted)" = true
	call stop_agent '{"agent":"claude"}'
	kill_daemon
	call ensure_agent "$(jq -nc --arg pane "$marked" '{$pane}')"
	is 'an old one is none' "$(field '.error.data.kind // .result.agent')" refused
	t kill-pane -t "$marked"
fi

person_starts
call ensure_agent "$(jq -nc --arg pane "$pane" '{$pane, cwd: "/"}')"
is 'parameters of a start are refused' "$(field '.error.data.field')" cwd
"$MUXBUS_BUILDDIR/muxbus" -S "$dir/tmux" ensure_agent pane="$pane" >"$dir/cli"
is 'the command line adopts what the person started, under its name' \
	"$(jq -r '"\(.agent) \(.state) \(.adopted) \(.started) \(.pane)"' "$dir/cli")" "python3 ready true false $pane"
call ensure_agent "$(jq -nc --arg pane "$pane" '{$pane, name: "python3"}')"
is 'a second time it is found' "$(field '.result | "\(.agent) \(.pane) \(.started)"')" "python3 $pane false"
call ensure_agent "$(jq -nc --arg pane "$pane" '{$pane, name: "other"}')"
is 'but under one name' "$(field '.error.data.kind')" busy
call ensure_agent '{"name":"python3"}'
is 'and by its name alone' "$(field '.result | "\(.agent) \(.pane)"')" "python3 $pane"
call ensure_agent "$(jq -nc --arg pane "$pane" '{$pane, prompt: "(>"}')"
is 'a pattern for its prompt is read' "$(field '.error.data.field')" prompt
call ensure_agent "$(jq -nc --arg pane "$pane" '{$pane, prompt: "^>>> $"}')"
is 'and taken' "$(field '.result.state')" ready
call ensure_agent '{"name":"missing"}'
is 'a name without agent and command' "$(field '.error.data.field')" command
task python3 'print(6 * 7)'
is 'a task is done' "$(field '.result | "\(.outcome) \(.text)"')" "$(printf 'ready 42')"
task python3 'x = input("Go on? [Y/n] ")'
is 'it asks' "$(field '.result | "\(.outcome) \(.question)"')" 'question Go on? [Y/n]'
call respond '{"agent":"python3","text":"yes","progress":false}'
is 'and is answered' "$(field .result.outcome)" ready
is 'the pane is as it was' "$(look)" "$before"

# ^Z of the person: the shell is not the agent.
types C-z
until_is '^Z' 'busy the shell bash is in front, and python3 is stopped' agent python3 '"\(.state) \(.reason)"'
call respond '{"agent":"python3","text":"rm -rf /"}'
is 'the shell is not answered' "$(field '.error.data.kind')" not_ready
kill_daemon
until_is 'nor by the next daemon' 'busy the shell bash is in front, and python3 is stopped' agent python3 '"\(.state) \(.reason)"'
types fg Enter
types '' Enter
until_is 'fg, and a prompt' ready agent python3 .state
task python3 'x'
is 'it is the same program' "$(field '.result.text')" "'yes'"
is 'nothing else was typed' "$(rows "$pane" 'rm -rf')" 0

# A launcher whose child reads: while the child is stopped, no task is typed.
launched=$(t new-window -d -P -F '#{pane_id}' "exec env PYTHON_COLORS=0 PYTHON_BASIC_REPL=1 \
	python3 -c 'import subprocess; subprocess.call([\"python3\", \"-q\"])'")
until_is 'a program behind its launcher' 1 rows "$launched" '^>>>'
call ensure_agent "$(jq -nc --arg pane "$launched" '{$pane, name: "launched"}')"
is 'is adopted' "$(field .result.state)" ready
child=$(pgrep -P "$(t display-message -p -t "$launched" '#{pane_pid}')")
kill -STOP "$child"
call send_task '{"agent":"launched","text":"6 * 7","wait":false}'
until_is 'its child is stopped' 'busy python3, or a program that it runs, is stopped' agent launched '"\(.state) \(.reason)"'
kill -CONT "$child"
until_is 'the task is done when it goes on' 1 rows "$launched" '^42'
is 'and was typed once' "$(rows "$launched" '6 \* 7')" 1
t kill-pane -t "$launched"

# The end of its program.
ask '{"method":"wait_for","params":{"any":[{"agent_state":"gone","agent":"python3"}],"timeout_sec":60}}' >"$dir/wait" &
waiter=$!
until_is 'a wait is armed' 1 eval 'ask "{\"method\":\"status\"}" | jq .result.waits'
task python3 'exit(3)'
is 'its end ends the task' "$(field '.result.outcome')" crashed
wait $waiter
is 'and is waited for' "$(jq -r '.result.conditions[0].state' "$dir/wait")" matched
until_is 'it is one notification' 1 ends python3
is 'it is not started again' "$(agent python3 '"\(.state) \(.restarting) \(.pane) \(.adopted)"')" 'crashed false null true'
kill_daemon
is 'nor told again' "$(agent python3 .state) $(ends python3)" 'crashed 1'
is 'the person has the shell' "$(front "$pane")" bash
call ensure_agent '{"name":"python3"}'
is 'what has ended needs a pane or a command' "$(field '.error.data.kind')" gone

# Released, its program goes on.
person_starts
call ensure_agent "$(jq -nc --arg pane "$pane" '{$pane}')"
is 'the next program takes the name' "$(field '.error.message // (.result | "\(.agent) \(.state)")')" 'python3 ready'
call send_task '{"agent":"python3","text":"import time; time.sleep(1000)","wait":false}'
until_is 'a task is worked at' running agent python3 '.tasks[0].stage'
call stop_agent '{"agent":"python3"}'
is 'it is released' "$(field '.result | "\(.pane) \(.released) \(.killed)"')" "$pane true false"
call list_notifications '{"limit":1000}'
is 'its task ends so' "$(field '.result.notifications[-1].data.outcome')" released
is 'and it is listed no more' "$(agent python3 .state)" ''
is 'the program goes on' "$(front "$pane")" python3
is 'in the pane as it was' "$(look)" "$before"

# The end while no daemon runs.
types C-c
call ensure_agent "$(jq -nc --arg pane "$pane" '{$pane, name: "snake"}')"
is 'another name' "$(field '.error.message // (.result | "\(.agent) \(.state)")')" 'snake ready'
kill -9 "$daemon_pid"
types C-d
until_is 'the person ends it' bash front "$pane"
kill_daemon
until_is 'the next daemon knows' crashed agent snake .state
until_is 'and tells' 1 ends snake

# A program that is the pane's first process: the pane ends with it.
first=$(t split-window -d -P -F '#{pane_id}' 'exec python3 -q')
until_is 'another pane' 1 rows "$first" '^>>>'
call ensure_agent "$(jq -nc --arg pane "$first" '{$pane, name: "first", prompt: "^>>> $"}')"
is 'is adopted' "$(field '.error.message // (.result | "\(.agent) \(.state)")')" 'first ready'
call send_task '{"agent":"first","text":"exit(3)","wait":false}'
until_is 'its end' 1 ends first
call list_events '{"after":0,"kinds":["pane_exited"],"limit":1000}'
is 'has the exit status that tmux or the kernel tells' "$(agent first '.evidence.exit_status')" "$(field '.result.events[-1].exit_status')"

# By force the pane is closed.
first=$(t split-window -d -P -F '#{pane_id}' 'exec python3 -q')
until_is 'one more pane' 1 rows "$first" '^>>>'
call ensure_agent "$(jq -nc --arg pane "$first" '{$pane, name: "first"}')"
is 'takes the name of one that has ended' "$(field '.error.message // (.result | "\(.agent) \(.pane)")')" "first $first"
call stop_agent '{"agent":"first","force":true,"grace_sec":2}'
is 'by force it is stopped' "$(field '.result | "\(.pane) \(.released)"')" "$first false"
is 'with its pane' "$(t list-panes -a -F '#{pane_id}' | grep -cx -e "$first")" 0

# A program that a person's shell has started is ended alone.
shell=$(t split-window -d -P -F '#{pane_id}' "exec env PS1='sh> ' PYTHON_BASIC_REPL=1 bash --norc")
until_is 'a shell of a person' 1 rows "$shell" '^sh>'
t send-keys -t "$shell" 'python3 -q; echo over' Enter
until_is 'and its program' 1 rows "$shell" '^>>>'
call ensure_agent "$(jq -nc --arg pane "$shell" '{$pane, name: "inner"}')"
is 'which is adopted' "$(field '.error.message // .result.agent')" inner
call stop_agent '{"agent":"inner","force":true,"grace_sec":2}'
is 'is stopped by force' "$(field '.error.message // (.result | "\(.released)")')" false
until_is 'the shell goes on' bash front "$shell"
t send-keys -t "$shell" 'echo still' 'Space' 'here' Enter
until_is 'and reads commands' 1 rows "$shell" '^still here'

# A known agent has the name of its kind, and takes pastes.
ln -s "$MUXBUS_BUILDDIR/tests/fake_agent" "$dir/claude"
one=$(t split-window -d -P -F '#{pane_id}' "exec $dir/claude $dir/one.log")
call ensure_agent "$(jq -nc --arg pane "$one" '{$pane}')"
is 'a known agent' "$(field '.error.message // (.result | "\(.agent) \(.state)")')" 'claude ready'
two=$(t split-window -d -P -F '#{pane_id}' "exec $dir/claude $dir/two.log")
call ensure_agent "$(jq -nc --arg pane "$two" '{$pane}')"
is 'and a second' "$(field '.error.message // (.result | "\(.agent) \(.state)")')" 'claude-2 ready'
task claude-2 "$(printf 'one\ntwo')"
is 'several lines are one task' "$(field .result.outcome)" ready

# A slow one shows its prompt empty for a moment behind Enter, before it shows its work. One that shows no work ends too.
# Like real ones it waits by epoll, so that it is not seen to read.
mkdir "$dir/slow"
cat >"$dir/slow/claude" <<'END'
#!/usr/bin/env python3
import os, select, sys, tty
tty.setcbreak(0)
RULE = "─" * 40
keys, nothing = select.epoll(), select.epoll()
keys.register(0, select.EPOLLIN)
def draw(above, below, seconds):
    os.write(1, f"\033[H\033[J{above}\n\n{RULE}\n❯ \n{RULE}\n  {below}\033[2A\r\033[2C".encode())
    nothing.poll(seconds)
draw("", "? for shortcuts", 0)
line = b""
while keys.poll():
    piece = os.read(0, 4096)
    os.write(1, piece)
    line += piece
    if not line.endswith(b"\n"):
        continue
    draw("", "? for shortcuts", 1.5)
    if b"work" in line:
        draw("", "esc to interrupt", 1.5)
        draw("of the model", "? for shortcuts", 0)
        open(sys.argv[0] + ".done", "w").close()
    line = b""
END
chmod +x "$dir/slow/claude"
full=$(t new-window -d -P -F '#{pane_id}' "printf '\033[?1049h'; exec $dir/slow/claude")
until_is 'a known agent on the whole screen' 1 rows "$full" 'for shortcuts'
call post_notification "{\"pane\":\"$full\",\"text\":\"to work\"}"
until_is 'is typed to, though it never asked' yes sh -c "[ -e '$dir/slow/claude.done' ] && echo yes || :"
t kill-window -t "$full"
rm "$dir/slow/claude.done"
slow=$(t new-window -d -P -F '#{pane_id}' "exec $dir/slow/claude")
until_is 'a slow one' 1 rows "$slow" 'for shortcuts'
call ensure_agent "$(jq -nc --arg pane "$slow" '{$pane, name: "slow"}')"
is 'is adopted' "$(field '.error.message // (.result | "\(.agent) \(.state)")')" 'slow ready'
task slow work
is 'its task ends behind its work' "$(field '.error.message // .result.outcome') $(field '.result | .text, .screen' | grep -c 'of the model')" 'ready 1'
call send_task '{"agent":"slow","text":"work","wait":false}'
until_is 'the next is typed' running agent slow '.tasks[0].stage'
seen=
while [ "$(agent slow '.tasks[0].stage')" = running ]; do seen="$seen$(agent slow 'select(.tasks[0].stage == "running").state') "; done
is 'and is not ready meanwhile' "$(echo "$seen" | tr ' ' '\n' | sort -u | tr -d '\n')" busy
rm "$dir/slow/claude.done"
call send_task '{"agent":"slow","text":"work","wait":false}'
id=$(field .result.task)
until_is 'a third' running agent slow '.tasks[0].stage'
kill_daemon
ended() { ask "{\"method\":\"next_notification\",\"params\":{\"id\":\"$id\",\"timeout_sec\":20}}" | jq -r '.result.notifications[0].data.outcome'; }
is 'whose daemon is killed meanwhile, ends behind its work too' "$(ended) $(ls "$dir/slow")" "ready claude
claude.done"
task slow rest
is 'and without work, a while later' "$(field '.error.message // "\(.result.outcome) \(.result.elapsed_sec > 4.5)"')" 'ready true'
task slow /rest
is 'but a command sooner' "$(field '.error.message // "\(.result.outcome) \(.result.elapsed_sec < 4)"')" 'ready true'
done_testing
