#!/bin/sh
# SPDX-License-Identifier: ISC
# What a script does instead of polling, with socat and jq: sleeps, jobs, waits, watches and
# the queue; and all of it again after the daemon was killed.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
ulimit -Sn 512
start 'exec sh'

pane=$(t list-panes -a -F '#{pane_id}')

# Sleep: an earlier one replaces, a later one is ignored.
call sleep '{"seconds":50,"pane":"'"$pane"'"}'
first=$(field .result.id)
is 'a sleep is set' "$(field .result.ignored)" false
call sleep '{"seconds":100,"pane":"'"$pane"'"}'
is 'a later one is ignored' "$(field '.result | "\(.id) \(.ignored)"')" "$first true"
call sleep '{"seconds":20,"pane":"'"$pane"'"}'
is 'an earlier one replaces it' "$(field .result.replaced)" "$first"
call gemini_sleep '{"seconds":60,"recurring":true}'
is 'a recurring one must be of an hour' "$(field .error.data.field)" seconds
call list_timers '{}'
is 'one is set' "$(field '.result.timers | length')" 1
call cancel_timer "{\"timer\":$(jq '.result.timers[0].id' "$dir/answer")}"
call list_timers '{}'
is 'and cancelled' "$(field '.result.timers | length')" 0

# Jobs: their end is a notification, their output is kept.
call run_long_command '{"command":"echo out; echo err >&2; exit 3","cwd":"/usr"}'
job=$(field .result.id)
is 'a job is started where it was asked to' "$(field .result.cwd)" /usr
call wait_for '{"any":[{"job":"'"$job"'"}],"timeout_sec":60}'
is 'it is waited for' "$(field '.result | "\(.matched) \(.timed_out)"')" '[0] false'
is 'with its exit status' "$(field '.result.conditions[0].details.exit_code')" 3
call read_job '{"job":"'"$job"'"}'
is 'its output can be read' "$(field .result.text)" "$(printf 'out\nerr')"
call list_notifications '{}'
is 'who waited is not told again' "$(field ".result.notifications[] | select(.id == \"$job\").state")" acknowledged
call run_long_command '{"command":"ulimit -Sn"}'
job=$(field .result.id)
call wait_for '{"any":[{"job":"'"$job"'"}],"timeout_sec":60}'
call read_job '{"job":"'"$job"'"}'
is 'it has the limit of descriptors that the daemon was given' "$(field .result.text)" 512
call status '{}'
is 'which itself takes what it may have' \
	"$(awk '/^Max open files/ {print ($4 == $5)}' "/proc/$(field .result.pid)/limits")" 1
call run_long_command '{"command":"exec sleep 1000"}'
job=$(field .result.id)
call stop_job '{"job":"'"$job"'"}'
call wait_for '{"any":[{"job":"'"$job"'"}],"timeout_sec":60}'
is 'a job can be stopped' "$(field '.result.conditions[0].details.state')" stopped
call get_job '{"job":"Z9Z9"}'
is 'what is no job is said' "$(field .error.data.kind)" no_such_job

# The error names the member of the request.
for at in output:'{"output":"(","pane":"%0"}' screen:'{"screen":"(","pane":"%0"}' \
	notification:'{"notification":{"source":"nobody"}}'; do
	call wait_for "{\"any\":[${at#*:}],\"timeout_sec\":5}"
	is "a bad ${at%%:*} names it" "$(field '"\(.error.data.field) \(.error.message | split(":")[0])"')" "${at%%:*} ${at%%:*}"
done
call watch_pane '{"pane":"%0","regex":"("}'
is 'a bad pattern of watch_pane, too' "$(field '"\(.error.data.field) \(.error.message | split(":")[0])"')" 'regex regex'
call wait_for '{"any":[{"ready":"nosuch"}],"timeout_sec":5}'
is 'an unknown name may have been that of an agent' "$(field '"\(.error.data.kind) \(.error.message | split(";")[0])"')" \
	"no_such_pane no agent has this name, and there is no session 'nosuch'"

# "~" is the home directory in every path.
mkdir "$dir/here"
ln -s /usr "$dir/here/link"
call run_long_command '{"command":"pwd","cwd":"~/here"}'
is 'a job in the home directory' "$(field .result.cwd)" "$dir/here"
call execute_cli '{"command":"pwd","cwd":"~"}'
is 'a command there' "$(field .result.stdout)" "$dir"
call create_window '{"session":"main","command":["sleep","1000"],"cwd":"~/here"}'
is 'a window there' "$(t display-message -p -t "$(field .result.pane)" '#{pane_start_path}')" "$dir/here"
cd "$dir/here" || exit 99
call create_session '{"name":"here","command":["sleep","1000"]}'
cd "$OLDPWD" || exit 99
is 'a session starts where its caller is' "$(t display-message -p -t here '#{pane_start_path} #{session_path}')" \
	"$dir/here $dir/here"
call create_window '{"session":"here","command":["sleep","1000"]}'
is 'and its windows with it' "$(t display-message -p -t "$(field .result.pane)" '#{pane_start_path}')" "$dir/here"
call close_session '{"session":"here"}'
call watch_log '{"file_path":"~/here/log"}'
call list_watches '{}'
is 'a watch there' "$(field '.result.watches[] | select(.file).file')" "$dir/here/log"
call cancel_watch '{}'
is 'a caller in no pane does not cancel what another one in no pane watches' "$(field .result.cancelled)" 0
call cancel_watch '{"file_path":"~/here/log"}'
is 'which is cancelled' "$(field '.result.cancelled | length')" 1
call cancel_watch '{"file_path":"~/here/log"}'
is 'and if there is none, the answer says so' "$(field .result.message)" \
	'No watch is cancelled: none fits.'
echo written >"$dir/here/log"
call wait_for '{"any":[{"file":"~/here/log","regex":"written","from_start":true}],"timeout_sec":60}'
is 'a file there' "$(field .result.timed_out)" false
{ head -c 66000 /dev/zero | tr '\0' x; echo ' needle'; } >"$dir/here/long"
call wait_for '{"any":[{"file":"~/here/long","regex":"needle","from_start":true}],"timeout_sec":0.5}'
is 'a line of which only the beginning was looked at' "$(field '.result.conditions[0] | "\(.state) \(.gap)"')" 'pending true'
call run_long_command '{"command":"pwd","cwd":"~root/x"}'
is 'the home of another user' "$(field '.error | "\(.data.field): \(.message)"')" \
	'cwd: cwd: "~root/x" is in the home directory of another user: write the path out'
call run_long_command '{"command":"pwd","cwd":"~/nothing"}'
is 'a path that leads nowhere' "$(field .error.data.field)" cwd
is 'the command line passes it on' "$(cd / && "$MUXBUS_BUILDDIR/muxbus" run -C '~/here' pwd)" "$dir/here"
ok 'also in conditions' "$MUXBUS_BUILDDIR/muxbus" wait 'file=~/here/log' regex=written from_start=true

# What never is a file that changes is refused, with the call that notices.
mkfifo "$dir/fifo"
ln -s "$dir/here" "$dir/to_here"
for refused in "$dir/here|is a directory.*inotifywait" "$dir/to_here|is a directory" "$dir/here/*|is a pattern" \
	"$dir/here/lo?|is a pattern" "$dir/fifo|is a FIFO: run_long_command" "/dev/null|is a device" \
	"$dir/$(printf %0300d 1)|has a name that is too long" "$dir/none/|ends in a slash" \
	"$dir/tmux|is a device or a socket" 'log|must be an absolute path'; do
	path=${refused%%|*}
	call watch_log "$(jq -nc --arg path "$path" '{file_path: $path, pane: "%0"}')"
	is "watch_log $path" "$(field '.error.data.field') $(field .error.message | grep -c "${refused#*|}")" 'file_path 1'
	call wait_for "$(jq -nc --arg path "$path" '{any: [{file: $path}], timeout_sec: 1}')"
	is "wait_for $path" "$(field .error.message | grep -c "file: .*${refused#*|}")" 1
	[ "$path" = log ] && continue # muxbus wait makes it absolute
	"$MUXBUS_BUILDDIR/muxbus" wait "file=$path" -t 1 >/dev/null 2>&1
	is "wait $path" $? 2
done
call watch_log '{"file_path":"'"$dir"'/here/none","timeout_sec":0.25}'
call next_notification '{"id":"'"$(field .result.id)"'","timeout_sec":10}'
is 'a time below a second is written out' "$(field '.result.notifications[0].text')" \
	"the watch of $dir/here/none is over: its time of 0.25 s is up"
touch "$dir/here/a*[b]?"
call watch_log "$(jq -nc --arg path "$dir/here/a*[b]?" '{file_path: $path, pane: "%0"}')"
is 'a file may have such a name' "$(field .result.state)" reading
call watch_log "$(jq -nc --arg path "$dir/new/[id].log" '{file_path: $path, pane: "%0"}')"
is 'or come later' "$(field .result.state)" absent
is 'which is said' "$(field .result.message | grep -c '^The file is watched, but is not there yet\.')" 1

# One request, whichever is first: the end of a build, a failure in a pane, or time.
call run_long_command '{"command":"exec sleep 1000"}'
job=$(field .result.id)
call wait_for '{"any":[{"job":"'"$job"'"},{"output":"FAILED \\d+","pane":"'"$pane"'"},{"sec":0.3}],"timeout_sec":60}'
is 'time comes first' "$(field '.result.matched | join(",")')" 2
(
	until_quiet() { # the wait is armed when the daemon says that it waits
		until [ "$(ask '{"method":"status"}' | jq .result.waits)" -gt 0 ]; do sleep 0.02; done
	}
	until_quiet
	t send-keys -t "$pane" 'printf "\033[31mFAI"; printf "LED\033[0m 12 \377\n"' Enter
) &
call wait_for '{"any":[{"job":"'"$job"'"},{"output":"FAILED \\d+ .$","pane":"'"$pane"'"},{"sec":50}],"timeout_sec":60}'
is 'a line split by colours is found, and "." matches a byte that is no UTF-8' \
	"$(field '.result.conditions[1].details.line')" 'FAILED 12 �'
call wait_for '{"all":[{"screen":"FAILED 12","pane":"'"$pane"'"},{"quiet_sec":0.2,"pane":"'"$pane"'"}],"timeout_sec":60}'
is 'all of two come true' "$(field '.result.matched | join(",")')" 0,1
call wait_for '{"any":[{"sec":50}],"timeout_sec":0.05}'
is 'the time-out is said' "$(field .result.timed_out)" true
call wait_for '{"any":[{"sec":0.1}],"all":[{"sec":50}],"wait":"both","timeout_sec":60}'
is 'any and all are refused together, also with a name' "$(field .error.data.field)" any
call wait_for '{"seconds":600,"timeout_sec":0.05}'
is 'it ends a wait for a time alone too' "$(field .result.timed_out)" true
ask '{"method":"wait_for","params":{"any":[{"sec":6}],"wait":"asked"}}' >/dev/null &
waiter=$!
until_is 'a wait with a name' 1 sh -c "printf '%s\n' '{\"method\":\"status\"}' | socat -t 5 - 'UNIX-CONNECT:$MUXBUS' | jq .result.waits"
call wait_for '{"wait":"asked","timeout_sec":0.05}'
is 'who resumes it is answered in its own time' "$(field '.result | "\(.timed_out) \(.wait)"')" 'true asked'
wait $waiter
call wait_for '{"any":[{"sec":6}],"wait":"asked","timeout_sec":60}'
is 'and the wait goes on' "$(field '.result | "\(.timed_out) \(.matched) \(.elapsed_sec < 7)"')" 'false [0] true'
call wait_for '{"any":[{"screen":"FAILED 12","pane":"'"$pane"'"}]}'
is 'what the screen shows already is said to' "$(field '.result.conditions[0].at_entry')" true
ask '{"method":"wait_for","params":{"any":[{"screen":"^SHOWN","pane":"'"$pane"'"}]}}' >"$dir/shown" &
waiter=$!
sleep 0.2
t send-keys -t "$pane" 'echo SHOWN' Enter
wait $waiter
is 'what it shows later is not' "$(jq '.result.conditions[0].at_entry' "$dir/shown")" false
call wait_for '{"any":[{"output":"(","pane":"'"$pane"'"}]}'
is 'a bad pattern is an error' "$(field .error.code)" -32602
call wait_for '{"any":[{"sec":-1}]}'
is 'an error names its condition once' "$(field .error.message)" 'any: sec: must be 0 to 316224000 s, not -1'
call wait_for '{"any":[{"sec":1,"pane":"%0"}]}'
is 'and another member of it beside it' "$(field .error.message)" \
	'any: sec: pane: there is no such parameter; there are sec'
call list_timers '{"offset":-1}'
is 'a large bound is a whole number' "$(field .error.message)" \
	'offset: must be 0 to 9007199254740991, not -1'
call wait_for '{"any":[]}'
is 'so is nothing to wait for' "$(field .error.code)" -32602
# No wait of several for one pane loses output. A busy machine may hold up one of them.
still=$(t split-window -d -P -F '#{pane_id}' 'exec sleep 1000')
whole=0
for round in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	call wait_for '{"any":[{"output":"never","pane":"'"$still"'"}],"timeout_sec":0.3}'
	if [ "$(field '.result.conditions[0].gap')" = null ]; then whole=$((whole + 1)); else whole=0; fi
	[ "$whole" -lt 3 ] || break
done
is 'waits for output of a pane, one behind the other, have no gap' "$whole" 3
t kill-pane -t "$still"

# tmux answers late: what the pane writes until then is looked at, or is a gap, and is no quiet.
for known in false true; do
	late=$(t split-window -d -P -F '#{pane_id}' "until [ -e '$dir/go' ]; do sleep 0.02; done
		printf '\\033]133;C\\007needle\\n\\033]133;D;0\\007'; echo >'$dir/written'; exec sleep 1000")
	"$known" && call get_pane '{"pane":"'"$late"'"}'
	server=$(t display-message -p '#{pid}')
	kill -STOP "$server"
	call wait_for '{"all":[{"output":"^needle$","pane":"'"$late"'"},{"command_finished":"'"$late"'"},
		{"screen":"^needle$","pane":"'"$late"'"},{"quiet_sec":0.1,"pane":"'"$late"'"}],"timeout_sec":3}' &
	asked=$(date +%s%N)
	until [ "$(ask '{"method":"status"}' | jq .result.peers)" -gt 1 ]; do sleep 0.02; done
	touch "$dir/go"
	until [ -s "$dir/written" ]; do sleep 0.01; done
	until [ $(($(date +%s%N) - asked)) -gt 300000000 ]; do sleep 0.02; done
	kill -CONT "$server"
	wait $!
	is "conditions while tmux answers late, of a pane that was asked for: $known" \
		"$(field '.result.conditions | map(if .gap then "gap" else .state end) | join(" ")')" 'gap gap matched matched'
	rm -f "$dir/go" "$dir/written"
	t kill-pane -t "$late"
done
doomed=$(t split-window -d -P -F '#{pane_id}' 'exec sleep 1000')
call get_pane '{"pane":"'"$doomed"'"}'
(
	until [ "$(ask '{"method":"status"}' | jq .result.waits)" -gt 0 ]; do sleep 0.02; done
	t kill-pane -t "$doomed"
) &
call wait_for '{"any":[{"output":"never","pane":"'"$doomed"'"}],"timeout_sec":60}'
is 'a pane that goes ends its condition' "$(field '.result.conditions[0].state')" gone

# How a program ended is told in the same words, whether it was over already or not.
kept=$(t split-window -d -P -F '#{pane_id}' 'read -r line; exit 3')
t set-option -p -t "$kept" remain-on-exit on
(
	until [ "$(ask '{"method":"status"}' | jq .result.waits)" -gt 0 ]; do sleep 0.02; done
	t send-keys -t "$kept" Enter
) &
call wait_for '{"any":[{"exited":"'"$kept"'"}],"timeout_sec":60}'
is 'a program that ends while it is waited for' "$(field '.result.conditions[0].details | "\(.exit_status) \(.signal)"')" '3 null'
call wait_for '{"any":[{"exited":"'"$kept"'"}],"timeout_sec":60}'
is 'and one that has ended before' "$(field '.result.conditions[0] | "\(.at_entry) \(.details.exit_status) \(.details.signal)"')" 'true 3 null'
t kill-pane -t "$kept"

call wait_for '{"any":[{"file":"relative"}]}'
is 'a path must be absolute' "$(field .error.data.field)" file

# The queue: consumers, acknowledgement, keys.
call post_notification '{"text":"one","key":"k","sync":true}'
is 'a synced post is durable' "$(field .result.durable)" true
seq=$(field .result.seq)
call post_notification '{"text":"one","key":"k"}'
is 'an equal key is counted into it' "$(field .result.seq)" "$seq"
call next_notification '{"consumer":"reader","timeout_sec":5,"filter":{"source":"post"}}'
is 'a consumer gets it' "$(field '.result.notifications[0] | "\(.seq) \(.count)"')" "$seq 2"
call next_notification '{"consumer":"reader","timeout_sec":0,"filter":{"source":"post"}}'
is 'once, for a while' "$(field '.result.notifications | length')" 0

# Watches of panes are watches.
call watch_pane '{"pane":"'"$pane"'","regex":"never"}'
watch=$(field .result.id)
call list_watches '{}'
is 'a pane that is watched is listed' \
	"$(field '.result.watches[] | select(.id == "'"$watch"'") | "\(.kind) \(.watched_pane)"')" "pane $pane"
call cancel_watch '{"id":"'"$watch"'"}'
is 'and cancelled by its id' "$(field '.result | "\(.cancelled) \(.watches[0].watched_pane)"')" "1 $pane"
call list_notifications '{}'
is 'which ends it' "$(field '.result.notifications[] | select(.id == "'"$watch"'").data.reason')" cancelled
call list_watches '{}'
is 'then it is none' "$(field '[.result.watches[].id] | index("'"$watch"'")')" null

# One that is not over with its first match goes on, and waits for idleness are kept too.
call watch_pane '{"pane":"'"$pane"'","regex":"again [0-9]+ done","once":false}'
watch=$(field .result.id)
matches() {
	ask '{"method":"list_watches"}' | jq -r '.result.watches[] | select(.id == "'"$watch"'").count'
}
t send-keys -t "$pane" 'echo again $((0 + 1)) done' Enter
until_is 'a watch that stays has a match' 1 matches
t send-keys -t "$pane" 'echo again $((1 + 1)) done' Enter
until_is 'and another one' 2 matches
call wait_for_idle '{"cpu_threshold":100000,"duration_seconds":1,"pane":"'"$pane"'"}'
idle=$(field .result.id)
kill_daemon
until_is 'the watch stays after a restart, with its count' 2 matches
is 'and says that output may be missing' "$(ask '{"method":"list_watches"}' | jq -r '.result.watches[] | select(.id == "'"$watch"'").gap')" true
call next_notification '{"after":0,"timeout_sec":30,"filter":{"id":"'"$idle"'"}}'
is 'the wait for idleness ends' "$(field '.result.notifications[0].data | "\(.reason) \(.condition.cpu_below)"')" 'match 100000'
t send-keys -t "$pane" 'echo again $((1 + 2)) done' Enter
until_is 'and the watch goes on' 3 matches
gap_of() {
	ask '{"method":"list_notifications"}' | jq -c '[.result.notifications[] | select(.id == "'"$watch"'").data.gap] | last'
}
is 'with a gap in its notification' "$(gap_of)" true
# Every line that matches counts, and the first 20 of a notification are in its data.
call list_notifications '{}' # they are read: the next match is another notification
seq -f 'again %.0f done' 4 33 >"$dir/burst" # in one write
t send-keys -t "$pane" "cat '$dir/burst'" Enter
until_is 'each line of a burst is a match' 33 matches
of_watch() {
	ask '{"method":"list_notifications"}' |
		jq -c '[.result.notifications[] | select(.id == "'"$watch"'") | '"$1"']'
}
is 'and counted in the notifications' "$(of_watch '.count // 1' | jq add)" 33
told='.data | .details, .further[]? | .line | split(" ")[1] | tonumber | select(. > 3)'
is 'which have the first 20' "$(of_watch "$told" | jq -c '.[:20] == [range(4; 24)]')" true
call cancel_watch '{"id":"'"$watch"'"}'
call wait_for '{"wait":"'"$watch"'","timeout_sec":1}'
is 'a background wait cannot be asked for by wait_for' "$(field .error.data.field)" wait

# Killed, it remembers. Waits with a name, too: what came true, and what is to come.
call wait_for '{"all":[{"sec":0.05},{"output":"after the (kill)","pane":"'"$pane"'"}],"timeout_sec":60,"wait":"named"}' &
waiter=$!
call_waits() {
	ask '{"method":"status"}' | jq .result.waits
}
until_is 'a wait is armed' 1 call_waits
call wait_for '{"any":[{"file":"'"$dir"'/none","regex":"x"},{"file":"'"$dir"'/none","regex":"x","from_start":true},{"event":"bell"},{"exited":"'"$pane"'"}],"timeout_sec":60,"wait":"past"}' &
other=$!
until_is 'and another one' 2 call_waits
sleep 0.2
call sleep '{"seconds":0.5}'
timer=$(field .result.id)
call watch_pane '{"pane":"'"$pane"'","regex":"after the kill"}'
watch=$(field .result.id)
call run_long_command '{"command":"sleep 0.2; exit 9"}'
job=$(field .result.id)
kill_daemon
until_is 'the sleep is over after the restart' "$timer" \
	sh -c "printf '%s\n' '{\"method\":\"list_notifications\"}' | socat -t 5 - 'UNIX-CONNECT:$MUXBUS' | jq -r '.result.notifications[] | select(.source == \"timer\" and .id == \"$timer\").id'"
until_is 'the job has its exit status' 9 \
	sh -c "printf '%s\n' '{\"method\":\"get_job\",\"params\":{\"job\":\"$job\"}}' | socat -t 5 - 'UNIX-CONNECT:$MUXBUS' | jq -r .result.exit_code"
wait "$waiter" 2>/dev/null
t send-keys -t "$pane" 'echo after the kill' Enter
call wait_for '{"wait":"named","timeout_sec":20}'
is 'and goes on under its name' \
	"$(field '.result | "\(.matched | join(",")) \(.conditions[1].details.captures[0])"')" '0,1 kill'
is 'with a gap, as output before the restart may be missing' "$(field '.result.conditions | map(.gap) | @json')" '[null,true]'
wait "$other" 2>/dev/null
call wait_for '{"wait":"past","timeout_sec":0.1}'
is 'so do lines of files and events, but nothing that can be looked up' "$(field '.result.conditions | map(.gap) | @json')" '[true,null,true,null]'
call cancel_watch '{"id":"past"}'
call wait_for '{"wait":"named","timeout_sec":20}'
is 'until it was asked for' "$(field .error.data.field)" wait
call next_notification '{"after":0,"timeout_sec":20,"filter":{"id":"'"$watch"'"}}'
is 'the watch still watches' "$(field '.result.notifications[0].data.reason')" match
call next_notification '{"consumer":"reader","timeout_sec":5,"filter":{"source":"post"}}'
is 'what was not acknowledged comes again' "$(field '.result.notifications[0].seq')" "$seq"
call ack_notification '{"consumer":"reader","seq":'"$seq"'}'
is 'acknowledged' "$(field .result.acknowledged)" 1
call ack_notification '{"consumer":"reader","seq":'"$seq"'}'
is 'twice is harmless' "$(field .result.acknowledged)" 0

# A command and its answer; the directory stays with the connection.
printf '%s\n' '{"id":1,"method":"execute_cli","params":{"command":"cd /usr && echo here; exit 4"}}' >"$dir/two"
(
	cat "$dir/two"
	sleep 1
	echo '{"id":2,"method":"execute_cli","params":{"command":"pwd; cat","stdin":"given"}}'
) | socat -t 60 - "UNIX-CONNECT:$MUXBUS" >"$dir/answers"
is 'a command has its output and status' \
	"$(jq -r 'select(.id == 1).result | "\(.stdout)\(.exit_code)"' "$dir/answers")" "$(printf 'here\n4')"
is 'the next works where it ended' \
	"$(jq -r 'select(.id == 2).result.stdout' "$dir/answers")" "$(printf '/usr\ngiven')"
call get_action_history '{"limit":3}'
is 'what was asked is remembered' "$(field '.result.actions | length')" 3
# A notification that cannot come any more: a wait that begins before or behind the end of its
# source ends at once.
gone='.result | "\(.timed_out) \(.conditions[0].state) \(.conditions[0].details | "\(.state) \(.data.reason)")"'
await() { # await ID: waits for the notification of a request
	call wait_for '{"any":[{"notification":{"id":"'"$1"'"}}],"timeout_sec":60}'
}
set_sleep() { # set_sleep SECONDS: the id
	call sleep '{"pane":"'"$pane"'","seconds":'"$1"'}'
	field .result.id
}
first=$(set_sleep 3000)
ask '{"method":"wait_for","params":{"any":[{"notification":{"id":"'"$first"'"}}],"timeout_sec":60}}' >"$dir/before" &
before=$!
until [ "$(ask '{"method":"status"}' | jq .result.waits)" -gt 0 ]; do sleep 0.02; done
second=$(set_sleep 2000)
wait $before
is 'a sleep that is replaced meanwhile' "$(jq -r "$gone" "$dir/before")" 'false gone cancelled replaced'
await "$first"
is 'and one that was' "$(field "$gone")" 'false gone cancelled replaced'
await "$(echo "$first" | tr A-Z a-z)"
is 'in small letters' "$(field "$gone")" 'false gone cancelled replaced'
call next_notification '{"id":"'"$first"'","timeout_sec":60}'
is 'the next notification of it' "$(field '.result.notifications[0].data.reason')" replaced
call cancel_timer '{"timer":"'"$second"'"}'
await "$second"
is 'a timer that was cancelled' "$(field "$gone")" 'false gone cancelled cancelled'
call watch_pane '{"pane":"'"$pane"'","regex":"never"}'
id=$(field .result.id)
call cancel_watch '{"id":"'"$id"'"}'
await "$id"
is 'a watch of a pane' "$(field "$gone")" 'false gone cancelled cancelled'
call watch_log '{"file_path":"/nowhere/log","pane":"'"$pane"'"}'
id=$(field .result.id)
call cancel_watch '{"id":"'"$id"'"}'
await "$id"
is 'a watch of a file' "$(field "$gone")" 'false gone cancelled cancelled'
await Z9Z9
is 'an id that was never given' "$(field '.result.conditions[0] | "\(.state) \(.details.id)"')" 'gone Z9Z9'
call post_notification '{"text":"read"}'
id=$(field .result.id)
call ack_notification '{"seq":'"$(field .result.seq)"'}'
await "$id"
is 'one that was acknowledged is remembered' "$(field '.result.conditions[0] | "\(.state) \(.details.text)"')" 'matched read'
call execute_cli '{"command":"true"}'
await "$(field .result.job)"
is 'a command that has ended, whose answer said so' "$(field '.result | "\(.timed_out) \(.conditions[0].state)"')" 'false gone'
third=$(set_sleep 0.05)
await "$third"
is 'a sleep that ends' "$(field '.result.conditions[0].state')" matched
# A pane that closes while it falls quiet for some conditions: the answer is JSON, with one end each.
quiet=$(jq -nc '[range(60) | {quiet_sec: (0.1 + . / 500), pane: "PANE"}] + [{screen: "never shown", pane: "PANE"}]')
for round in 1 2 3 4 5 6 7 8; do
	pane=$(t new-window -dPF '#{pane_id}' 'exec sleep 1000')
	printf '{"method":"wait_for","params":{"timeout_sec":60,"all":%s}}\n' "$quiet" | sed "s/PANE/$pane/g" |
		socat -t 60 - "UNIX-CONNECT:$MUXBUS" >"$dir/closing" &
	asked=$!
	sleep "0.1$round" # the time of some of the conditions: it is no wait for a fact
	t kill-pane -t "$pane"
	wait "$asked"
	jq -c '[.result.conditions[].state] | unique' "$dir/closing" 2>&1
done >"$dir/ends"
is 'a pane that closes while it falls quiet' "$(grep -c -v '^\["gone"\]$\|^\["gone","matched"\]$' "$dir/ends")" 0

# A named wait that is over takes and follows nothing while no request has resumed it.
pane=$(t new-window -dPF '#{pane_id}' cat)
call run_long_command '{"command":"until [ -e '"$dir"'/go ]; do sleep 0.1; done","pane":"'"$pane"'"}'
job=$(field .result.id)
interests() {
	ask '{"method":"status"}' | jq .result.streams.interests
}
followed=$(interests)
leave_wait() {
	echo '{"id":1,"method":"wait_for","params":{"any":[{"job":"'"$job"'"},{"output":"late","pane":"'"$pane"'"}],"timeout_sec":1,"wait":"over"}}'
	for _ in $(seq 50); do
		[ "$(interests)" -gt "$followed" ] && return
		sleep 0.02
	done
}
leave_wait | timeout 20 socat -u - "UNIX-CONNECT:$MUXBUS"
call wait_for '{"any":[{"sec":1.1}]}'
until_is 'it follows no output any more' "$followed" interests
t send-keys -t "$pane" late Enter
touch "$dir/go"
job_end() {
	ask '{"method":"list_notifications","params":{"limit":1000}}' |
		jq -r ".result.notifications[] | select(.id == \"$job\").state"
}
until_is 'the notification of the job is not taken' queued job_end
call wait_for '{"wait":"over"}'
is 'and the wait did not match' "$(field '.result | "\(.matched) \(.timed_out)"')" '[] true'

# Results that nobody asks for keep no place: 256 named waits whose requests have gone.
for at in $(seq 256); do
	echo "{\"id\":$at,\"method\":\"wait_for\",\"params\":{\"any\":[{\"sec\":2}],\"wait\":\"left$at\"}}"
done >"$dir/left"
{ cat "$dir/left"; sleep 0.1; } | timeout 5 socat -u - "UNIX-CONNECT:$MUXBUS"
call wait_for '{"any":[{"sec":2.2}]}'
call wait_for '{"any":[{"exited":"%9999"}],"wait":"wrong"}'
call wait_for '{"wait":"left1"}'
is 'a request that fails takes no place of a result' "$(field '.result.wait // .error.message')" left1
echo '{"id":1,"method":"wait_for","params":{"any":[{"sec":0.1}],"wait":"left1"}}' | timeout 5 socat -u - "UNIX-CONNECT:$MUXBUS"
call wait_for '{"any":[{"sec":0.2}]}'
call wait_for '{"any":[{"sec":0.1}],"wait":"mine"}'
is 'a named wait finds a place behind 256 that are over' "$(field '.result.matched // .error.message')" '[
  0
]'
call wait_for '{"wait":"left256"}'
is 'a result that was kept is there still' "$(field '.result.wait // .error.message')" left256
for at in $(seq 256); do
	echo "{\"id\":$at,\"method\":\"wait_for\",\"params\":{\"any\":[{\"sec\":60}],\"wait\":\"long$at\"}}"
done >"$dir/long"
{ cat "$dir/long"; sleep 1; } | timeout 5 socat -u - "UNIX-CONNECT:$MUXBUS"
call wait_for '{"any":[{"sec":0.1}],"wait":"mine"}'
is 'but none behind 256 that wait' "$(field .error.data.kind)" limit

# A status file that is written again while no daemon runs: its end stays, and more follows.
same=$(printf '%0100d' 0)
pane=$(t list-panes -a -F '#{pane_id}' | head -n 1)
printf 'state 1\n%s\n' "$same" >"$dir/status"
call watch_log "{\"file_path\":\"$dir/status\",\"regex\":\"state 2\",\"pane\":\"$pane\"}"
id=$(field .result.id)
kill -9 "$daemon_pid"
wait "$daemon_pid" 2>/dev/null
printf 'state 2\n%s\nmore\n' "$same" >"$dir/status"
start_daemon
found() {
	call list_notifications '{"limit":1000}'
	field ".result.notifications[] | select(.id == \"$id\") | .data.line"
}
until_is 'a file that was written again while muxbusd was away is read from its beginning' 'state 2' found
done_testing
