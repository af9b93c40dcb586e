#!/bin/sh
# SPDX-License-Identifier: ISC
# Codex as its users start it: one process without a terminal serves the windows of all panes, and
# names the thread with each call. Notifications go to the thread that asked, by codex queue, and
# never into the pane that the process seems to be in.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
start 'exec sleep 3600'
fake="$MUXBUS_BUILDDIR/tests/fake_agent"
[ -x "$fake" ] || skip_all 'the fake agent is not built'

# The stand-in: "codex queue" as version 0.169 answers, and the shared server with its bridge.
mkdir "$dir/bin"
cat >"$dir/bin/codex" <<'END_CODEX'
#!/bin/sh
dir=${0%/bin/codex}
case $1 in
queue)
	if [ -e "$dir/hang" ]; then
		echo $$ >"$dir/hanging"
		exec sleep 1000
	fi
	if [ -e "$dir/unloaded-$3" ]; then
		echo 'WARNING: something else' >&2
		echo "Error: failed to queue session message: thread not loaded: $3 (code -32603)" >&2
		echo 'Stack backtrace:' >&2
		exit 1
	fi
	printf '%s\n' "$3 $5" >>"$dir/queued"
	;;
app-server)
	echo $$ >"$dir/server.pid"
	"$MUXBUS_BUILDDIR/muxbus" mcp <>"$dir/calls" >>"$dir/answers" 2>>"$dir/bridge.log"
	;;
esac
END_CODEX
chmod +x "$dir/bin/codex"
mkfifo "$dir/calls"
: >"$dir/queued"
: >"$dir/answers"
wrong=$(t new-window -dP -F '#{pane_id}' "exec $fake $dir/fake.log")
: >"$dir/fake.log"
until_is 'another agent is there' '>' sh -c "tmux -S $dir/tmux capture-pane -p -t $wrong | tr -d ' \n'"

# server [NAME=VALUE...]: starts the server, as a user does by starting codex in a pane.
server() {
	rm -f "$dir/server.pid"
	setsid -f env -u TMUX -u TMUX_PANE "$@" "PATH=$dir/bin:$PATH" codex app-server </dev/null >/dev/null 2>&1
	until_is 'the server is there' yes sh -c "[ -s '$dir/server.pid' ] && echo yes || :"
	say '{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"codex-mcp-client","version":"0.169.0"}}}'
	say '{"jsonrpc":"2.0","method":"notifications/initialized"}'
}
end_server() {
	pkill -P "$(cat "$dir/server.pid")"
	kill "$(cat "$dir/server.pid")" 2>/dev/null
	until_is 'the server has ended' gone sh -c "kill -0 $(cat "$dir/server.pid") 2>/dev/null || echo gone"
}
say() {
	printf '%s\n' "$1" >"$dir/calls"
}
number=0
# tool THREAD NAME ARGUMENTS: calls it, and keeps the answer.
tool() {
	number=$((number + 1))
	say "{\"jsonrpc\":\"2.0\",\"id\":$number,\"method\":\"tools/call\",\"params\":{\"name\":\"$2\",\"arguments\":$3,\"_meta\":{\"threadId\":\"$1\"}}}"
	tries=0
	while ! grep -m 1 "\"id\":$number,\"result\"" "$dir/answers" >"$dir/answer" && [ $tries -lt 500 ]; do
		tries=$((tries + 1))
		sleep 0.02
	done
}
# job THREAD COMMAND: its id is $id.
job() {
	tool "$1" run_long_command "{\"command\":\"$2\"}"
	id=$(field .result.structuredContent.id)
}
fate() { # fate ID: state and way
	ask '{"method":"list_notifications","params":{"limit":1000}}' |
		jq -r ".result.notifications[] | select(.id == \"$1\") | \"\(.state) \(.delivery.way)\""
}
receipt() { # receipt ID FILTER
	ask '{"method":"list_notifications","params":{"limit":1000}}' |
		jq -r ".result.notifications[] | select(.id == \"$1\") | $2"
}
told() { # told THREAD ID: how often the thread got that id, perhaps with another one in a line
	grep "^$1 \[muxbus " "$dir/queued" | grep -c -w -e "$2"
}
one=019a2b3c-0000-7000-8000-000000000001
two=019a2b3c-0000-7000-8000-000000000002

# Two windows of one server, which runs with the environment of another agent's pane.
server "TMUX=$dir/tmux,1,0" "TMUX_PANE=$wrong"
job $one 'true'
first=$id
job $two 'true'
second=$id
is 'the answer says how' "$(field .result.structuredContent.wake.way)" queue_command
is 'and to which thread' "$(field .result.structuredContent.wake.text)" "handed over by codex queue, thread $two"
until_is 'the first thread is told' 'delivered queue_command' fate "$first"
until_is 'the second too' 'delivered queue_command' fate "$second"
is 'the first got its own, once' "$(told $one "$first")" 1
is 'and the second its own' "$(told $two "$second")" 1
is 'and nothing else' "$(wc -l <"$dir/queued")" 2
is 'the notification names the thread' "$(receipt "$first" .thread)" "codex:$one"
is 'and no pane' "$(receipt "$first" .pane)" null

# A request that waits for the job gets its end, and the thread is not told as well.
job $one 'sleep 3'
waited=$id
tool $one wait_for "{\"any\":[{\"job\":\"$waited\"}],\"timeout_sec\":20}"
is 'a wait for a job ends' "$(field '.result.isError // false')" false
job $one 'true'
until_is 'another job of the thread' 'delivered queue_command' fate "$id"
is 'the waited one was told once' "$(told $one "$waited") $(fate "$waited")" '0 acknowledged waited'

# A policy of the agent is for its threads too.
call set_wake_policy '{"agent":"codex","sources":["timer"]}'
lines=$(wc -l <"$dir/queued")
job $two 'true'
held=$id
tool $two gemini_sleep '{"seconds":0.5}'
timer=$(field .result.structuredContent.id)
until_is 'a timer wakes' 'delivered queue_command' fate "$timer"
is 'and brings the job, which did not' "$(fate "$held") $(($(wc -l <"$dir/queued") - lines))" \
	'delivered queue_command 1'
call set_wake_policy '{"agent":"codex"}'

# A watch, a timer, a wait.
echo >"$dir/log"
tool $two watch_log "{\"file_path\":\"$dir/log\",\"regex\":\"ready\"}"
watch=$(field .result.structuredContent.id)
tool $one gemini_sleep '{"seconds":0.05}'
timer=$(field .result.structuredContent.id)
tool $two gemini_sleep '{"seconds":0.05}'
timer2=$(field .result.structuredContent.id)
echo ready >>"$dir/log"
until_is 'a watch' 'delivered queue_command' fate "$watch"
until_is 'a timer' 'delivered queue_command' fate "$timer"
until_is 'a timer of the other thread' 'delivered queue_command' fate "$timer2"
is 'each of its thread' "$(told $two "$watch") $(told $one "$timer") $(told $two "$timer2")" '1 1 1'

# Hooks report the thread before its first call, and after: they do not know its process.
three=019a2b3c-0000-7000-8000-000000000003
report() {
	ask "{\"method\":\"report_agent\",\"params\":{\"agent\":\"codex\",\"session\":\"$three\",\"state\":\"$1\"}}" |
		jq -r '"\(.result.state) \(.result.pane)"'
}
is 'a hook reports a turn' "$(report busy)" 'busy null'
job $three "until [ -e $dir/reported ]; do sleep 0.05; done"
is 'a hook reports its end' "$(report idle)" 'idle null'
touch "$dir/reported"
until_is 'the command has the environment of the process' 'delivered queue_command' fate "$id"
is 'and the thread is told once' "$(told $three "$id")" 1

# The thread is not loaded.
touch "$dir/unloaded-$one"
job $one 'true'
first=$id
job $two 'true'
second=$id
until_is 'a thread that is loaded is told' 'delivered queue_command' fate "$second"
until_is 'one that is not: queued' 'queued none' fate "$first"
is 'with the reason' "$(receipt "$first" .delivery.reason)" \
	"its thread is not loaded: Error: failed to queue session message: thread not loaded: $one (code -32603)"
changes() { # of the ways to a thread
	ask '{"method":"list_events","params":{"after":0,"kinds":["way_changed"],"limit":1000}}' |
		jq -r --arg thread "codex:$1" '.result.events[] | select(.thread == $thread) | "\(.before) \(.way)"' | tail -n 1
}
until_is 'an event says so, while the process lives' 'queue_command none' changes $one
rm "$dir/unloaded-$one"
tool $one list_panes '{}'
until_is 'its next call says that it is back' 'delivered queue_command' fate "$first"
is 'once' "$(told $one "$first")" 1
touch "$dir/unloaded-$one"
job $one 'true'
first=$id
until_is 'not loaded again' 'queued none' fate "$first"
rm "$dir/unloaded-$one"
until_is 'tried again after five seconds' 'delivered queue_command' fate "$first"

# kill -9 while jobs run, and while the command runs.
job $one "until [ -e $dir/go ]; do sleep 0.05; done"
first=$id
job $two "until [ -e $dir/go ]; do sleep 0.05; done"
second=$id
kill_daemon
touch "$dir/hang" "$dir/go"
until_is 'the command is at work' 'delivering null' fate "$first"
kill_daemon
rm "$dir/hang"
kill "$(cat "$dir/hanging")"
until_is 'after kill -9 the thread is told' 'delivered queue_command' fate "$first"
until_is 'and the other' 'delivered queue_command' fate "$second"
is 'once each' "$(told $one "$first") $(told $two "$second")" '1 1'

# The server ends, with its threads; another one resumes one of them.
job $one "until [ -e $dir/gone ]; do sleep 0.05; done"
first=$id
end_server
touch "$dir/gone"
until_is 'a thread without its process: queued' 'queued none' fate "$first"
is 'for that reason' "$(receipt "$first" .delivery.reason)" \
	"thread $one is not loaded: the process of codex has ended"
server
tool $one list_panes '{}'
until_is 'another process has the thread' 'delivered queue_command' fate "$first"
is 'once' "$(told $one "$first")" 1

# Codex in a pane, by a launcher: its program is in no PATH. As codex, bash runs a script "queue".
mkdir "$dir/native" "$dir/scripts"
cp "$(command -v bash)" "$dir/native/codex"
echo "printf '%s\\n' \"\$2 \$4\" >>'$dir/queued'" >"$dir/scripts/queue"
echo "'$MUXBUS_BUILDDIR/muxbus' mcp <>'$dir/calls' >>'$dir/answers' 2>>'$dir/bridge.log'; :" >"$dir/scripts/bridge"
end_server
launcher=$(t new-window -dP -F '#{pane_id}' "PATH='$dir/scripts:$PATH'; '$dir/native/codex' '$dir/scripts/bridge'; :")
say '{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"codex-mcp-client","version":"0.169.0"}}}'
job $three 'true'
until_is 'a thread in a pane is told by the program that the launcher has started' 'delivered queue_command' fate "$id"
is 'it is the thread of the pane' "$(receipt "$id" .pane)" "$launcher"
is 'once' "$(told $three "$id")" 1
rm "$dir/native/codex" # as an update does
cp "$(command -v bash)" "$dir/native/codex"
job $three 'true'
until_is 'and so when its file was replaced while it runs' 'delivered queue_command' fate "$id"
is 'again once' "$(told $three "$id")" 1
t kill-window -t "$launcher"
server

# The windows of a server. A window begins with a thread, whose name is in a folder of Codex: so it has a
# pane. Another thread has one where only one window can have it.
end_server
threads="$dir/home/.codex/tui-thread-reference-capabilities"
mkdir -p "$threads"
echo 'while read -r line; do :; done' >"$dir/scripts/window"
cp "$dir/scripts/window" "$dir/scripts/resume"
new_thread() { # new_thread NUMBER: its name has the time
	printf '%012x' "$(date +%s%3N)" | sed "s/^\\(.\\{8\\}\\)\\(.*\\)/\\1-\\2-7000-8000-00000000000$1/"
}
window() { # window WORD...: its pane
	t new-window -dP -F '#{pane_id}' "PATH='$dir/scripts:$PATH' HOME='$dir/home' exec '$dir/native/codex' $*"
}
runs_codex() {
	pgrep -f "$dir/native/codex $1" >/dev/null && echo yes || :
}
agents() { # agents FILTER: of the panes and threads of Codex
	ask '{"method":"list_agents"}' | jq -r "[.result.agents[] | select(.agent == \"codex\") | $1] | sort | join(\" \")"
}
rm -f "$dir/server.pid"
(cd "$dir" && HOME="$dir/home" TMUX_PANE=$wrong PATH="$dir/scripts:$PATH" setsid -f sh -c \
	"'$dir/native/codex' '$dir/scripts/bridge' & echo \$! >server.pid" </dev/null >/dev/null 2>&1)
until_is 'a server' yes sh -c "[ -s '$dir/server.pid' ] && echo yes || :"
say '{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"codex-mcp-client","version":"0.169.0"}}}'
left=$(window window)
until_is 'a window' yes runs_codex window
first_thread=$(new_thread 1)
: >"$threads/$first_thread"
cp "$dir/native/codex" "$dir/native/new"
mv "$dir/native/new" "$dir/native/codex" # an update, while server and window run
call post_notification "{\"pane\":\"$left\",\"text\":\"good morning\"}"
id=$(field .result.id)
until_is 'a window that nobody has used yet is told by its thread' 'delivered queue_command' fate "$id"
is 'once' "$(told "$first_thread" "$id")" 1
ask "{\"method\":\"report_agent\",\"params\":{\"agent\":\"codex\",\"session\":\"$first_thread\",\"state\":\"asking\"}}" >/dev/null
is 'a question is in its pane' "$(agents '"\(.pane) \(.state)"')" "$left blocked"
tool "$first_thread" next_notification '{"after":0}'
is 'what is for the pane is for its thread' "$(field '.result.structuredContent.notifications | map(.id) | join(" ")')" "$id"
later=$(new_thread 2)
job "$later" true
until_is 'another thread of the only window' 'delivered queue_command' fate "$id"
is 'is in its pane' "$(agents '"\(.pane) \(.thread)"')" "$left $first_thread null $later"
ask "{\"method\":\"report_agent\",\"params\":{\"agent\":\"codex\",\"session\":\"$first_thread\",\"state\":\"idle\"}}" >/dev/null
tool "$later" list_panes '{}'
job "$first_thread" "until [ -e $dir/left ]; do sleep 0.05; done"
held=$id
t kill-pane -t "$left"
until_is 'a window is closed' '' agents "select(.pane == \"$left\") | .pane"
is 'a hook of the server can still name it' \
	"$(ask "{\"method\":\"report_agent\",\"params\":{\"agent\":\"codex\",\"session\":\"$three\",\"pane\":\"$left\",\"state\":\"gone\"}}" |
		jq -c '[.result.pane, .result.state]')" '[null,"gone"]'
touch "$dir/left"
until_is 'its thread is not told: nobody would see it' 'queued none' fate "$held"
is 'for that reason' "$(receipt "$held" .delivery.reason)" \
	"thread $first_thread is not loaded: the process of codex has ended"
right=$(window window)
again=$(window resume "$first_thread")
until_is 'two windows' yes runs_codex resume
other_thread=$(new_thread 3)
: >"$threads/$other_thread"
tool "$other_thread" list_panes '{}'
job "$other_thread" true
tool "$first_thread" list_panes '{}'
until_is 'it is told when it is back' 'delivered queue_command' fate "$held"
is 'once' "$(told "$first_thread" "$held")" 1
job "$(new_thread 4)" true
is 'each is in its window, and in none where that is not known' \
	"$(agents 'select(.state != "gone") | "\(.pane) \(.thread[-1:])"')" "$right 3 $again 1 null 4"
t kill-pane -t "$right"
t kill-pane -t "$again"
end_server
server

# A name that is none binds nothing.
tool '--message' gemini_sleep '{"seconds":0.01}'
id=$(field .result.structuredContent.id)
until_is 'a name that is none' null receipt "$id" '.thread'
is 'nothing was typed into the wrong pane' "$(wc -c <"$dir/fake.log")" 0
end_server
done_testing
