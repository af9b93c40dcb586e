#!/bin/sh
# SPDX-License-Identifier: ISC
# A request with a key is done once: asked again it answers as the first one did, also when that
# answer was lost, and after kill -9 of the daemon.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
need bash
start 'exec sleep 3600'

line() { # line METHOD PARAMS
	jq -nc --arg method "$1" --argjson params "$2" '{method: $method, params: $params}'
}
call() { # call METHOD PARAMS: asks, and keeps the answer
	ask "$(line "$1" "$2")" | jq -c 'select(.method == null)' >"$dir/answer"
}
lines() { # lines FILE: how many it has
	cat "$1" 2>/dev/null | wc -l
}
ended() { # ended JOB: its state
	call wait_for '{"any":[{"job":"'"$1"'"}],"timeout_sec":60}'
	field '.result.conditions[0].state'
}

# Jobs.
job='{"command":"echo ran >>'"$dir"'/job","key":"build 1/2","cwd":"/"}'
call run_long_command "$job"
id=$(field .result.id)
is 'the first is none that is repeated' "$(field '.result | has("repeated")')" false
call run_long_command "$job"
is 'a job is asked for again' "$(field '.result | "\(.id) \(.repeated)"')" "$id true"
is 'with the same answer' "$(field '.result | "\(.cwd) \(.log | endswith(".out")) \(.message | length > 0)"')" '/ true true'
kill_daemon
call run_long_command "$job"
is 'also after kill -9' "$(field '.result | "\(.id) \(.repeated)"')" "$id true"
call run_long_command '{"command":"echo other >>'"$dir"'/job","key":"build 1/2"}'
other='.error | "\(.data.kind) \(.data.field) \(.message)"'
is 'another command with this key is refused' "$(field "$other")" \
	'invalid_params key key: it was used for run_long_command, with other parameters: give each request a key of its own'
is 'it ran' "$(ended "$id")" matched
is 'once' "$(lines "$dir/job")" 1
call sleep '{"seconds":3600,"pane":"%0","key":"build 1/2"}'
is 'so is another method' "$(field "$other")" \
	'invalid_params key key: it was used for run_long_command, another method: give each request a key of its own'
call list_timers '{}'
is 'which does nothing' "$(field '.result.count')" 0
call background_process "$(echo "$job" | jq -c '.name = "n"')"
is 'a job by its other name is the same method, with other parameters' \
	"$(field .error.message | grep -c 'other parameters')" 1
call run_long_command '{"command":"exit 0","env":{"A":"1","B":"2"},"key":"env"}'
id=$(field .result.id)
call run_long_command '{"key":"env","env":{"B":"2","A":"1"},"command":"exit 0"}'
is 'objects in another order are the same' "$(field '.result | "\(.id) \(.repeated)"')" "$id true"
call run_long_command '{"key":"env","env":{"B":"1","A":"2"},"command":"exit 0"}'
is 'with other values they are not' "$(field .error.data.field)" key
call run_long_command '{"command":"exit 0"}'
first=$(field .result.id)
call run_long_command '{"command":"exit 0"}'
is 'without a key each is another' "$([ "$(field .result.id)" != "$first" ] && echo yes)" yes
call run_long_command '{"command":"exit 0","cwd":"/nowhere","key":"fails"}'
is 'a request that fails' "$(field '.error.data.field')" cwd
call run_long_command '{"command":"exit 0","cwd":"/","key":"fails"}'
is 'leaves its key free' "$(field '.result | has("repeated")')" false

# A named wait whose answer was lost; and one that is not needed any more.
wait='{"any":[{"file":"'"$dir"'/waited","regex":"now"}],"timeout_sec":60,"wait":"one","key":"one/1"}'
line wait_for "$wait" | socat -t 86400 - "UNIX-CONNECT:$MUXBUS" >"$dir/unread" &
waiting=$!
until_is 'the wait is there' 1 sh -c "echo '{\"method\":\"status\"}' | socat -t 9 - UNIX-CONNECT:$MUXBUS | jq .result.waits"
echo now >"$dir/waited"
wait $waiting
call wait_for "$wait"
is 'a wait that is over is answered again' "$(field '.result | "\(.matched) \(.repeated)"')" '[0] true'
kill_daemon
call wait_for "$wait"
is 'also after kill -9' "$(field '.result | "\(.matched) \(.repeated)"')" '[0] true'
call wait_for '{"any":[{"sec":50}],"key":"one/2"}'
is 'a key goes with a name' "$(field .error.data.field)" key
call wait_for '{"any":[{"sec":"much"}],"wait":"three","key":"one/3"}'
call wait_for '{"any":[{"sec":0.01}],"wait":"three","key":"one/3"}'
is 'a condition that is refused leaves its key free' "$(field '.result | "\(.matched) \(.repeated)"')" '[0] null'
line wait_for '{"any":[{"sec":60}],"timeout_sec":60,"wait":"two"}' | socat -t 86400 - "UNIX-CONNECT:$MUXBUS" >"$dir/two" &
waiting=$!
until_is 'another wait is there' 1 sh -c "echo '{\"method\":\"status\"}' | socat -t 9 - UNIX-CONNECT:$MUXBUS | jq .result.waits"
call wait_for '{"any":[{"sec":0.01}],"wait":"two"}'
is 'a name is no answer to other conditions' "$(field '.error.data.field // .result.matched')" wait
call cancel_watch '{"id":"two"}'
is 'a named wait is cancelled' "$(field .result.cancelled)" 1
wait $waiting
is 'and its request ends' "$(jq -r .error.data.kind "$dir/two")" cancelled

# The pane is kept by its id: one that is named as before is the same, another id is not.
session=$(t display-message -p '#{session_name}')
{ echo '{"id":1,"method":"wait_for","params":{"all":[{"sec":0.2},{"cpu_below":100000,"for_sec":0.1,"pane":"'"$session"'"}],"wait":"left"}}'; sleep 0.1; } |
	timeout 5 socat -u - "UNIX-CONNECT:$MUXBUS"
sleep 2
call wait_for '{"all":[{"sec":0.2},{"cpu_below":100000,"for_sec":0.1,"pane":"%999"}],"wait":"left"}'
is 'nor is one that is over for another pane' "$(field '.error.data.field // .result.matched')" wait
call wait_for '{"all":[{"sec":0.2},{"cpu_below":100000,"for_sec":0.1,"pane":"'"$session"'"}],"wait":"left","timeout_sec":0.1}'
is 'the same conditions resume it' "$(field '.result | "\(.matched | join(",")) \(.timed_out)"')" '0,1 false'

# The daemon is killed at any time after the request, and the answer is not read.
twice=0
never=0
for round in 1 2 3 4 5 6 7 8 9 10 11 12; do
	request=$(line run_long_command '{"command":"echo ran >>'"$dir/race-$round"'","key":"race '$round'"}')
	# The time it takes to fork is what varies.
	printf '%s\n' "$request" | socat -t 0 - "UNIX-CONNECT:$MUXBUS" >/dev/null 2>&1 &
	asking=$!
	[ $((round % 3)) -eq 0 ] || wait $asking
	[ $((round % 3)) -ne 1 ] || sleep 0.0$round
	kill_daemon
	wait $asking
	ask "$request" >"$dir/answer"
	[ "$(ended "$(field .result.id)")" = matched ] || never=$((never + 1))
	case $(lines "$dir/race-$round") in
	0) never=$((never + 1)) ;;
	1) ;;
	*) twice=$((twice + 1)) ;;
	esac
done
is '12 kills around a request for a job, which is asked again: none is run twice' $twice 0
is 'and each is run' $never 0

# A command that is waited for, asked for again while it runs and when it has ended.
command='{"command":"echo ran >>'"$dir"'/command; while ! [ -e '"$dir"'/end ]; do sleep 0.05; done; echo out; exit 3","timeout_sec":60,"key":"command"}'
ask "$(line execute_cli "$command")" >"$dir/first" &
first=$!
until_is 'a command runs' 1 lines "$dir/command"
kill_daemon
wait $first
ask "$(line execute_cli "$command")" >"$dir/second" &
second=$!
: >"$dir/end"
wait $second
is 'after kill -9 who asks again has its output' \
	"$(jq -r '.result | "\(.status) \(.stdout | rtrimstr("\n")) \(.exit_code) \(.repeated)"' "$dir/second")" 'failed out 3 true'
call execute_cli "$command"
is 'also when it has ended' "$(field '.result | "\(.stdout | rtrimstr("\n")) \(.exit_code) \(.repeated)"')" 'out 3 true'
is 'of one command' "$(lines "$dir/command")" 1

# Watches.
watch='{"file_path":"'"$dir"'/watched","key":"watch","pane":"%0"}'
call watch_log "$watch"
id=$(field .result.id)
kill_daemon
call watch_log "$watch"
is 'a watch is asked for again' "$(field '.result | "\(.id) \(.state) \(.repeated)"')" "$id absent true"
call watch_pane '{"pane":"%0","regex":"x","key":"watch %0"}'
id=$(field .result.id)
call watch_pane '{"pane":"%0","regex":"x","key":"watch %0"}'
is 'and one of a pane' "$(field '.result | "\(.id) \(.repeated)"')" "$id true"
call list_watches '{}'
is 'each is set once' "$(field '.result.watches | length')" 2

# Posts. Equal keys are counted until a reader has one, as ever.
post='{"text":"deployed","key":"deploy"}'
call post_notification "$post"
seq=$(field .result.seq)
call post_notification "$post"
is 'a post that no reader has is counted into' "$(field '.result | "\(.seq) \(.repeated)"')" "$seq true"
kill_daemon
call post_notification "$post"
is 'after kill -9 it is not posted again' "$(field '.result | "\(.seq) \(.repeated) \(.durable)"')" "$seq true true"
call ack_notification '{"seq":'"$seq"'}'
call post_notification "$(echo "$post" | jq -c '.sync = true')"
is 'with sync it is another' "$(field '.result | has("repeated")')" false
call list_notifications '{}'
call post_notification "$(echo "$post" | jq -c '.sync = true')"
call watch_log '{"file_path":"'"$dir"'/guessed","key":"guessed","pane":"%0","once":false}'
id=$(field .result.id)
call post_notification '{"text":"taken","key":"watch:'"$id"'"}'
seq=$(field .result.seq)
echo line >"$dir/guessed"
line wait_for '{"any":[{"notification":{"id":"'"$id"'"}}],"timeout_sec":9}' | socat -t 86400 - "UNIX-CONNECT:$MUXBUS" >"$dir/guess"
is 'a post with the key of a watch does not take its notification' \
	"$(jq -r '.result | "\(.matched) \(.timed_out // false)"' "$dir/guess")" '[0] false'
call ack_notification '{"seq":'"$seq"'}'
call post_notification "$(echo "$post" | jq -c '.sync = true')"
is 'which is repeated once a reader has it' "$(field '.result | "\(.repeated) \(.durable)"')" 'true true'
call post_notification '{"text":"deployed again","key":"deploy"}'
is 'another text is another post' "$(field '.result | "\(.seq > '"$seq"') \(has("repeated"))"')" 'true false'

# Timers.
nap='{"seconds":3600,"pane":"%0","key":"nap"}'
call sleep "$nap"
id=$(field .result.id)
due=$(field .result.due)
kill_daemon
call gemini_sleep "$nap"
is 'a sleep is asked for again, by its other name' \
	"$(field '.result | "\(.id) \(.due) \(.ignored) \(.repeated)"')" "$id $due false true"
call cancel_timer '{"timer":"'"$id"'"}'
call sleep "$nap"
is 'also when it is over' "$(field '.result | "\(.id) \(.repeated)"')" "$id true"
call list_timers '{}'
is 'it is not set again' "$(field '.result.timers | length')" 0

# Tasks.
call ensure_agent '{"name":"sh","command":["bash","--norc"],"env":{"PS1":"$ "}}'
task() { # task KEY COMMAND
	jq -nc --arg text "$2" --arg key "$1" '{agent: "sh", text: $text, key: $key, timeout_sec: 60}'
}
said='.result | "\(.outcome) \(.text | rtrimstr("\n")) \(.repeated)"'
agent='{"name":"sh","command":["bash","--norc"],"env":{"PS1":"$ "},"key":"agent"}'
call ensure_agent "$agent"
pane=$(field .result.pane)
call ensure_agent "$agent"
is 'an agent is asked for again' "$(field '.result | "\(.state) \(.pane) \(.repeated)"')" "ready $pane true"
call send_task "$(task a "echo ran >>$dir/a; echo done")"
is 'a task is done' "$(field "$said")" 'ready done null'
id=$(field .result.task)
call send_task "$(task a "echo ran >>$dir/a; echo done")"
is 'asked for again it has its answer' "$(field "$said")" 'ready done true'
kill_daemon
call send_task "$(task a "echo ran >>$dir/a; echo done")"
is 'also from the next daemon' "$(field "$said") $(field .result.task)" "ready done true $id"
is 'it was typed once' "$(lines "$dir/a")" 1

open_tasks() { # the tasks that are asked for and not answered
	ask '{"method":"get_action_history","params":{"limit":100}}' | jq -r '[.result.actions[] | select(.method == "send_task" and .outcome == null).method] | join(" ")'
}

# Asked again while it is worked at: by a second connection, then by one after a kill.
slow=$(task b "echo ran >>$dir/b; while ! [ -e $dir/go ]; do sleep 0.05; done; echo over")
ask "$(line send_task "$slow")" >"$dir/first" &
first=$!
running() {
	ask '{"method":"list_agents"}' | jq -r '.result.agents[].tasks[0].stage'
}
until_is 'a task is worked at' running running
ask "$(line send_task "$slow")" >"$dir/second" &
second=$!
until_is 'asked for again' 'send_task send_task' open_tasks
waits() {
	ask '{"method":"list_agents"}' | jq '[.result.agents[].tasks[]?] | length'
}
is 'it is one task' "$(waits)" 1
: >"$dir/go"
wait $first $second
is 'both have its answer' "$(jq -r "select(.result != null) | $said" "$dir/first") $(jq -r "select(.result != null) | $said" "$dir/second")" \
	'ready over null ready over true'
rm "$dir/go"
slow=$(task c "echo ran >>$dir/c; while ! [ -e $dir/go ]; do sleep 0.05; done; echo over")
ask "$(line send_task "$slow")" >/dev/null &
first=$!
until_is 'another one is worked at' running running
kill_daemon
wait $first
ask "$(line send_task "$slow")" >"$dir/second" &
second=$!
: >"$dir/go"
wait $second
is 'after kill -9 who asks again has its end' "$(jq -r 'select(.result != null).result | "\(.outcome) \(.repeated)"' "$dir/second")" 'ready true'
is 'of one task' "$(lines "$dir/b") $(lines "$dir/c")" '1 1'
call ensure_agent '{"name":"cat","command":"exec cat","prompt":"^$"}'
for try in first second; do
	call send_task '{"agent":"cat","text":"two\nlines","key":"lines"}'
	is "what is refused the $try time is tried anew" "$(field .error.data.kind)" refused
done
respond='{"agent":"nosuch","text":"1","key":"respond"}'
printf '%s\n%s\n%s\n' "$(line respond "$respond")" "$(line respond "$respond")" "$(line respond "$respond")" |
	socat -t 60 - "UNIX-CONNECT:$MUXBUS" | jq -r .error.data.kind >"$dir/answer"
is 'respond asked three times has three answers' "$(tr '\n' ' ' <"$dir/answer")" 'no_such_agent no_such_agent no_such_agent '
# Methods that keep no key themselves: the key is kept before the effect, the result with the answer.
call create_window '{"session":"main","command":"stty raw -echo; exec cat >'"$dir"'/typed"}'
pane=$(field .result.pane)
raw() {
	stty -F "$(t display-message -p -t "$pane" '#{pane_tty}')" -a | grep -c -- -icanon || true
}
until_is 'a program reads what is typed' 1 raw
typed() { # what was typed, up to the marks that each test ends with
	until [ "$(grep -c "$1" "$dir/typed")" -gt 0 ]; do sleep 0.02; done
	tr '\r' ' ' <"$dir/typed"
}
text() { # text KEY TEXT
	jq -nc --arg pane "$pane" --arg text "$2" --arg key "$1" '{pane: $pane, text: $text, key: $key}'
}
mark() { # types without a key
	call send_keys '{"pane":"'"$pane"'","keys":["'"$1"'"]}'
}
call send_text "$(text ta once,)"
is 'a text is typed' "$(field '.result | has("repeated")')" false
call send_text "$(text ta once,)"
is 'asked for again it is not' "$(field .result.repeated)" true
call send_text "$(text ta other,)"
is 'nor another text with this key' "$(field .error.data.field)" key
printf '%s\n%s\n' "$(line send_text "$(text tb two,)")" "$(line send_text "$(text tb two,)")" |
	socat -t 86400 - "UNIX-CONNECT:$MUXBUS" | jq -c 'select(.method == null).result | del(.seq)' >"$dir/two"
is 'two at once have one answer' "$(jq -s -c '[(.[0] == (.[1] | del(.repeated))), .[1].repeated]' "$dir/two")" '[true,true]'
kill_daemon
call send_text "$(text tb two,)"
is 'also from the next daemon' "$(field .result.repeated)" true
mark X
is 'each was typed once' "$(typed X)" once,two,X
call send_text '{"pane":"nowhere","text":"x","key":"tc"}'
is 'a pane that is not there' "$(field .error.data.kind)" no_such_pane
call send_text "$(text tc three,)"
is 'leaves the key free' "$(field '.result | has("repeated")')" false
call send_text '{"pane":"%0","text":"x","key":""}'
is 'an empty key' "$(field .error.data.field)" key
call list_panes '{"key":"a"}'
is 'methods that only read have none' "$(field .error.data.field)" key
call create_window '{"session":"main","key":"window"}'
window=$(field .result.window)
kill_daemon
call create_window '{"session":"main","key":"window"}'
is 'a window is made once' "$(field '.result | "\(.window) \(.repeated)"')" "$window true"
for close in first second; do
	call close_window '{"window":"'"$window"'","force":true,"key":"close"}'
	is "and closed, says the $close answer" "$(field '.result != null')" true
done

# Another caller. A peer outside of all panes is one too.
asker() { # asker NAME: a pane that asks what comes
	mkfifo "$dir/$1.in"
	t new-window -d -t main: -P -F '#{pane_id}' "while :; do socat -t 60 - UNIX-CONNECT:$MUXBUS <$dir/$1.in >$dir/$1.tmp; mv $dir/$1.tmp $dir/$1.out; done"
}
from() { # from NAME METHOD PARAMS: asks from such a pane
	rm -f "$dir/$1.out"
	line "$2" "$3" >"$dir/$1.in"
	until [ -e "$dir/$1.out" ]; do sleep 0.02; done
	cp "$dir/$1.out" "$dir/answer"
}
first=$(asker first)
asker second >"$dir/second_pane"
mine='{"pane":"'"$pane"'","text":"mine,","key":"mine"}'
from first send_text "$mine"
is 'a text is typed for a pane' "$(field .result.pane)" "$pane"
from first send_text "$mine"
is 'which asks again' "$(field .result.repeated)" true
from second send_text "$mine"
is 'another pane has used its key' "$(field "$other")" \
	"invalid_params key key: it was used for send_text, from pane $first: give each request a key of its own"
call send_text "$mine"
is 'so has a peer without a pane' "$(field .error.data.field)" key
kill_daemon
from second send_text "$mine"
is 'also after kill -9' "$(field .error.data.field)" key
from first send_text "$mine"
is 'and the first pane asks again' "$(field .result.repeated)" true
call send_text '{"pane":"'"$pane"'","text":"ours,","key":"ours"}'
from first send_text '{"pane":"'"$pane"'","text":"ours,","key":"ours"}'
is 'a key of a peer without a pane is not for a pane' "$(field .error.message)" \
	'key: it was used for send_text, from elsewhere: give each request a key of its own'

# The daemon is killed when tmux has the text, and has not answered.
kept() {
	cat "$dir"/muxbus/*/journal* | grep -a -c once//td || true
}
tmux_pid=$(t display-message -p '#{pid}')
# A daemon that is no client lists tmux first: then nothing was done.
{
	echo '{"method":"subscribe"}'
	tail --pid="$daemon_pid" -f /dev/null
} | socat - "UNIX-CONNECT:$MUXBUS" >/dev/null &
until_is 'the daemon is attached' true sh -c "echo '{\"method\":\"status\"}' |
	socat -t 60 - 'UNIX-CONNECT:$MUXBUS' | jq .result.tmux.attached"
call list_panes '{}' # its first list is over
kill -STOP "$tmux_pid"
ask "$(line send_text "$(text td four,)")" >/dev/null &
asking=$!
until_is 'a key is kept before the effect' 1 kept
kill -9 "$daemon_pid"
wait $asking "$daemon_pid" 2>/dev/null
kill -CONT "$tmux_pid"
start_daemon
for try in first second; do
	call send_text "$(text td four,)"
	is "the effect is unknown, says the $try repeat" "$(field '.error | "\(.data.kind) \(.data.repeated) \(.message | test("effect is unknown"))"')" 'gone true true'
done
mark Y
is 'it was not typed again' "$(typed Y | sed 's/four,//')" once,two,Xthree,mine,ours,Y

# A tool that runs while its caller leaves, and is asked for again.
mkdir -p "$dir/.config/muxbus/tools"
cat >"$dir/.config/muxbus/tools/slow.json" <<END
{"name": "slow", "group": "test", "description": "Waits for a file.", "parameters": {"type": "object", "properties":
{"name": {"type": "string", "description": "Of the file."}}}, "run":
["sh", "-c", "echo ran >>$dir/slow; while ! [ -e $dir/over ]; do sleep 0.05; done; echo over"]}
END
slow=$(line slow '{"name":"n","key":"slow"}')
tools() {
	ask '{"method":"list_tools"}' | jq -r '[.result.tools[] | select(.name == "slow").state] | join(" ")'
}
until_is 'a tool is declared' listed tools
ask "$slow" >"$dir/first" &
first=$!
until_is 'its program runs' 1 lines "$dir/slow"
kill "$(pgrep -P "$first" socat || echo "$first")"
wait $first
ask "$slow" >"$dir/second" &
second=$!
open_calls() {
	ask '{"method":"get_action_history","params":{"limit":100}}' | jq -r '[.result.actions[] | select(.method == "slow" and .outcome == null).method] | length'
}
until_is 'the caller left, and a second one waits with it' 2 open_calls
: >"$dir/over"
wait $second
is 'for the answer of the first' "$(jq -r '.result | "\(.text | rtrimstr("\n")) \(.repeated)"' "$dir/second")" 'over true'
is 'of one run' "$(lines "$dir/slow")" 1
rm "$dir/over"
slow=$(line slow '{"name":"n","key":"killed"}')
ask "$slow" >/dev/null &
first=$!
until_is 'the program runs again' 2 lines "$dir/slow"
kill_daemon
wait $first
ask "$slow" >"$dir/second"
is 'after kill -9 the effect of a call is unknown' "$(jq -r .error.data.kind "$dir/second")" gone
is 'and it is not run again' "$(lines "$dir/slow")" 2
: >"$dir/over"

# A tool without parameters of its own.
cat >"$dir/.config/muxbus/tools/bare.json" <<END
{"name": "bare", "group": "test", "description": "Has no parameters.", "run": ["sh", "-c", "echo ran >>$dir/bare"]}
END
bare() {
	ask '{"method":"list_tools"}' | jq -r '[.result.tools[] | select(.name == "bare").state] | join(" ")'
}
until_is 'one without parameters is declared' listed bare
call bare '{"key":"bare"}'
call bare '{"key":"bare"}'
is 'it is run once' "$(field .result.repeated) $(lines "$dir/bare")" 'true 1'

# A tool whose own parameter is called key has that one and no other.
cat >"$dir/.config/muxbus/tools/press.json" <<END
{"name": "press", "group": "test", "description": "Presses a key.", "parameters": {"type": "object", "properties":
{"key": {"type": "string", "description": "Its name."}}}, "run": ["sh", "-c", "echo \"\$1\" >>$dir/pressed", "sh", "{key}"]}
END
pressing() {
	ask '{"method":"list_tools"}' | jq -r '[.result.tools[] | select(.name == "press").state] | join(" ")'
}
until_is 'it is declared' listed pressing
call describe '{"method":"press"}'
is 'it has one parameter, of its own, and no results of repeats' \
	"$(field '.result.methods.press | "\(.params.properties.key.description) \([.result[].name] | index("repeated"))"')" \
	'Its name. null'
call press '{"key":"Enter"}'
call press '{"key":"Enter"}'
is 'which means nothing else' "$(field '.result | has("repeated")') $(lines "$dir/pressed")" 'false 2'
printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}' \
	'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"press","arguments":{"key":"Enter"}}}' |
	socat -t 60 - "UNIX-CONNECT:$MUXBUS" | jq -r 'select(.id == 2) | .result.isError // false' >"$dir/answer"
is 'nor over MCP' "$(cat "$dir/answer") $(lines "$dir/pressed")" 'false 3'
done_testing
