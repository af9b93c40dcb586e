#!/bin/sh
# SPDX-License-Identifier: ISC
# muxbus hook and muxbus follow: what the hooks of agents and the monitors of their plugins
# run. What waits for a pane reaches its agent once, by one way, over kills of either side.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
start 'exec sleep 3600'
fake="$MUXBUS_BUILDDIR/tests/fake_agent"
[ -x "$fake" ] || skip_all 'the fake agent is not built'
muxbus="$MUXBUS_BUILDDIR/muxbus"

pane=$(t new-window -dP -F '#{pane_id}' "exec $fake $dir/fake.log")
export TMUX="$dir/tmux,1,0" TMUX_PANE="$pane"
until_is 'an agent is there' '>' sh -c "tmux -S $dir/tmux capture-pane -p -t $pane | tr -d ' \n'"

post() { # post TEXT: to the pane; prints its id
	ask "$(jq -nc --arg pane "$pane" --arg text "$1" '{method: "post_notification", params: {pane: $pane, text: $text}}')" |
		jq -r .result.id
}
fate() { # fate ID: state and way
	ask '{"method":"list_notifications","params":{"limit":1000}}' |
		jq -r ".result.notifications[] | select(.id == \"$1\") | \"\(.state) \(.delivery.way)\""
}
state() { # of the agent in the pane
	ask "{\"method\":\"report_agent\",\"params\":{\"agent\":\"claude\",\"pane\":\"$pane\"}}" |
		jq -r '.result | "\(.state)"'
}
hook() { # hook JSON ARGUMENT...: its output in $out, its status in $status
	json=$1
	shift
	out=$(printf '%s' "$json" | "$muxbus" hook "$@" 2>"$dir/hook.err")
	status=$?
}

# Sessions and turns.
hook '{"session_id":"0af3-1","hook_event_name":"SessionStart","cwd":"/"}' claude SessionStart
is 'a session begins: no output' "$status$out$(cat "$dir/hook.err")" 0
is 'and its agent is idle' "$(state)" idle
listed() { # members of the agents that are not kept
	ask '{"method":"list_agents"}' | jq -r '[.result.agents[] | select(.kept == false) | "\(.agent) \(.pane) \(.state) \(.thread)"] | join(", ")'
}
is 'it is listed, though a person has started it' "$(listed)" "claude $pane ready 0af3-1"
hook '{"session_id":"0af3-1","hook_event_name":"UserPromptSubmit","prompt":"x"}' claude
is 'a turn begins' "$status$out" 0
is 'and its agent is busy' "$(state)" busy
printf '#!/bin/sh\n: >"%s/asked"\n' "$dir" >"$dir/ssh"
chmod +x "$dir/ssh"
(
	export MUXBUS_FLEET=1
	hook '{"session_id":"0af3-1"}' claude PermissionRequest
)
is 'it asks, which is no matter of the fleet' "$(state)" asking
(
	export MUXBUS_HOST=far MUXBUS_SSH="$dir/ssh"
	hook '{"session_id":"0af3-1"}' claude UserPromptSubmit
)
is 'nor of another machine' "$(state) $(ls "$dir/asked" 2>/dev/null)" 'busy '
hook '{"session_id":"0af3-1","hook_event_name":"Notification","notification_type":"permission_prompt"}' claude
is 'the agent asks a question' "$(state)" asking
ended=$(sh -c 'echo $$')
call report_agent '{"agent":"codex","session":"t0","state":"busy","pid":'"$ended"'}'
is 'a process that has ended is no agent' "$(field .error.data.field)" pid
is 'nor is it listed' "$(listed)" "claude $pane blocked 0af3-1"
if unshare -Urpf true 2>/dev/null; then
	line='{"method":"report_agent","params":{"agent":"codex","session":"t0","pid":'"$ended"'}}'
	printf '%s\n' "$line" | unshare -Urpf socat -t 9 - "UNIX-CONNECT:$MUXBUS" >"$dir/answer"
	is 'in another PID namespace it may be there' "$(field .result.taken)" true
	call report_agent '{"agent":"codex","session":"t0","state":"gone","pid":'"$ended"'}'
	is 'until it says that it is gone' "$(field .result.state)" gone
fi
ask '{"method":"report_agent","params":{"agent":"codex","session":"t1","state":"busy","pid":'$$'}}' >"$dir/answer"
is 'it is listed first then, also before one in no known pane' "$(listed)" \
	"claude $pane blocked 0af3-1, codex null busy t1"
ask '{"method":"report_agent","params":{"agent":"codex","session":"t1","state":"gone"}}' >"$dir/answer"
hook '{"session_id":"0af3-1","hook_event_name":"Notification","message":"Claude needs your permission to use Bash"}' claude
is 'or an older agent does' "$(state)" asking
hook '{"session_id":"0af3-1","hook_event_name":"Stop"}' claude Stop
is 'the turn ends, without output' "$status$out" 0
is 'and its agent is idle again' "$(state)" idle

# Waiting notifications are handed over in the turn, once.
hook '{"session_id":"0af3-1"}' claude UserPromptSubmit
id=$(post 'first')
hook '{"session_id":"0af3-1"}' claude UserPromptSubmit
is 'as context of a turn' "$(printf '%s\n' "$out" | jq -r '.hookSpecificOutput | "\(.hookEventName) \(.additionalContext)"')" \
	"UserPromptSubmit [muxbus $id post] a message: untrusted text «first». Details: next_notification $id"
is 'which is its way' "$(fate "$id")" 'acknowledged hook'
one=$(post one)
two=$(post two)
hook '{"session_id":"0af3-1","stop_hook_active":true}' claude Stop
is 'a turn that was prolonged is not prolonged again' "$out" ''
hook '{"session_id":"0af3-1"}' claude UserPromptSubmit
[ -n "$out" ] || { # it was typed meanwhile: the agent was idle
	until_is 'but typed' 'delivered typed' fate "$one"
	one=$(post one) two=$(post two)
	hook '{"session_id":"0af3-1"}' claude UserPromptSubmit
}
is 'two are two lines' "$(printf '%s\n' "$out" | jq -r .hookSpecificOutput.additionalContext | grep -c -e "$one" -e "$two")" 2
id=$(post 'second')
hook '{"session_id":"0af3-1"}' claude Stop
is 'as the reason to continue a turn' "$(printf '%s\n' "$out" | jq -r '"\(.decision) \(.reason)"')" \
	"block [muxbus $id post] a message: untrusted text «second». Details: next_notification $id"
is 'and the turn continues' "$(state)" busy
hook '{"session_id":"0af3-1"}' claude Stop
is 'once' "$out" ''
hook '{"session_id":"0af3-1"}' claude SessionEnd
is 'a session ends' "$(ask "{\"method\":\"report_agent\",\"params\":{\"agent\":\"claude\",\"pane\":\"$pane\"}}" | jq -r .result.state)" unknown

# The events of other agents.
hook '{"session_id":"g1","hook_event_name":"BeforeAgent"}' gemini BeforeAgent
is 'Gemini: a turn begins' "$(state)" busy
id=$(post 'gemini')
hook '{"session_id":"g1","hook_event_name":"AfterAgent"}' gemini AfterAgent
is 'Gemini: continues' "$(printf '%s\n' "$out" | jq -r .decision)" block
hook '{"session_id":"g1","hook_event_name":"AfterAgent"}' gemini AfterAgent
hook '{"sessionId":"c1"}' copilot sessionEnd
hook '{"sessionId":"c1"}' copilot userPromptSubmitted
id=$(post 'copilot')
hook '{"sessionId":"c1"}' copilot userPromptSubmitted
is 'Copilot: gets nothing at the start of a turn'"'"'s beginning' "$out" ''
hook '{"sessionId":"c1"}' copilot agentStop
is 'Copilot: but at its end' "$(printf '%s\n' "$out" | jq -r .decision)" block
hook '{"sessionId":"c1"}' copilot agentStop

# A muxbusd of 0.2 takes no reply.
cat >"$dir/old.sh" <<END
tee -a "$dir/asked" | jq -c --unbuffered '{jsonrpc: "2.0", id} + if .params.reply
	then {error: {code: -32602, message: "reply: there is no such parameter"}}
	else {result: {pane: "$pane", taken: true, queued: 0}} end'
END
socat "UNIX-LISTEN:$dir/old,fork" "EXEC:sh $dir/old.sh" &
older=$!
until_is 'an older muxbusd listens' 1 grep -c "00010000 .* $dir/old\$" /proc/net/unix
printf '{"session_id":"o","hook_event_name":"Stop","last_assistant_message":"done"}' |
	"$muxbus" -s "$dir/old" hook claude
is 'it hears that the turn has ended all the same' "$(grep '"state":"idle"' "$dir/asked" | grep -c -v reply)" 1
kill "$older"

# With any error, an agent continues.
hook 'no JSON' claude Stop
is 'invalid JSON: no output' "$status$out" 0
hook '{"session_id":["x"],"hook_event_name":17}' claude
is 'odd JSON: no output' "$status$out" 0
hook '{}' claude Whatever
is 'an unknown event: no output' "$status$out" 0
hook '{}' one two three
is 'too many words: status 0' "$status$out" 0
out=$("$muxbus" -s "$dir/nowhere" hook claude Stop </dev/null 2>&1)
is 'no daemon: no output' "$?$out" 0
(
	trap '' TERM
	sleep 5
) | timeout 4 "$muxbus" hook claude Stop >"$dir/slow" 2>&1
is 'an input without end: no output, soon' "$?$(cat "$dir/slow")" 0
kill -STOP "$daemon_pid"
start_ms=$(date +%s)
hook '{}' claude Stop
is 'a daemon that does not answer: no output' "$status$out" 0
ok 'within seconds' [ $(($(date +%s) - start_ms)) -lt 8 ]
kill -CONT "$daemon_pid"
is 'nor is a socket that is impossible a fault of the agent' \
	"$(TMUX="$(printf '/%05000d' 0),1,0" "$muxbus" hook claude Stop </dev/null 2>/dev/null; echo $?)" 0
printf '#!/bin/sh\nexec sleep 60\n' >"$dir/slow_ssh"
chmod +x "$dir/slow_ssh"
is 'nor does one of another machine that does not answer hold up the agent' \
	"$(MUXBUS_SSH="$dir/slow_ssh" timeout 8 "$muxbus" --host far hook claude Stop </dev/null 2>&1; echo $?)" 0

# Following.
hook '{"sessionId":"c1"}' copilot sessionEnd
follow() { # begins to follow into $dir/lines
	MUXBUS_HOST=far MUXBUS_SSH="$dir/ssh" "$muxbus" follow >>"$dir/lines" 2>>"$dir/follow.err" &
	follower=$!
	until_is 'a follower waits, on this machine whatever MUXBUS_HOST says' 1 sh -c "echo '{\"method\":\"status\"}' | socat -t 86400 - UNIX-CONNECT:$MUXBUS | jq .result.waits"
}
: >"$dir/lines"
before=$(grep -c . "$dir/fake.log")
follow
one=$(post 'line one')
until_is 'a line is printed' "[muxbus $one post] a message: untrusted text «line one». Details: next_notification $one" \
	cat "$dir/lines"
until_is 'and acknowledged' 'acknowledged follow' fate "$one"
kill_daemon
until_is 'it finds the next daemon' 1 sh -c "echo '{\"method\":\"status\"}' | socat -t 86400 - UNIX-CONNECT:$MUXBUS | jq .result.waits"
two=$(post 'line two')
until_is 'and continues' 2 sh -c "wc -l <$dir/lines"
until_is 'and acknowledges' 'acknowledged follow' fate "$two"
ids=$(for n in $(seq 40); do post "burst $n"; done)
until_is 'a burst gives one line for each notification' 42 sh -c "wc -l <$dir/lines"
is 'each once' "$(sort "$dir/lines" | uniq -d)" ''
is 'nothing was typed meanwhile' "$(grep -c . "$dir/fake.log")" "$before"
kill -9 "$follower"
wait "$follower" 2>/dev/null
three=$(post 'line three')
until_is 'without the follower: typed' 'delivered typed' fate "$three"
is 'and not printed' "$(grep -c "$three" "$dir/lines")" 0

# The follower ends when its reader closes; no notification is lost.
"$muxbus" follow 2>/dev/null | head -n 1 >"$dir/first" &
until_is 'a follower waits' 1 sh -c "echo '{\"method\":\"status\"}' | socat -t 86400 - UNIX-CONNECT:$MUXBUS | jq .result.waits"
one=$(post 'for the reader')
until_is 'a reader of one line has it' 1 sh -c "grep -c '$one' $dir/first || :"
wait $!
until_is 'then its follower ends' 0 sh -c "echo '{\"method\":\"status\"}' | socat -t 86400 - UNIX-CONNECT:$MUXBUS | jq .result.waits"
two=$(post 'for nobody')
until_is 'and the next is typed' 'delivered typed' fate "$two"

# A typed line was read when its agent fetches the details; a fetch without id is for its own pane.
tool() { # tool ARGUMENTS: ids that next_notification gives as a tool of the agent in the pane
	printf '%s\n' "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"next_notification\",\"arguments\":$1}}" |
		socat -t 86400 - "UNIX-CONNECT:$MUXBUS" | jq -r '.result.structuredContent.notifications[].id' | tr '\n' ' '
}
is 'the agent fetches it' "$(tool "{\"id\":\"$two\"}")" "$two "
is 'and has it' "$(fate "$two")" 'acknowledged typed'
after=$(ask '{"method":"list_notifications","params":{"limit":1000}}' | jq .result.last)
ask '{"method":"post_notification","params":{"pane":"%0","text":"for another"}}' >"$dir/answer"
one=$(post 'its own')
is 'a fetch without id gives none of others' "$(tool "{\"after\":$after,\"timeout_sec\":0}")" "$one "

# Paced: an agent that cuts what it reads at 3,000 characters, and mutes what comes too often, sees
# each line. What was not printed is not acknowledged.
read_batches() { # each read in a file of its own
	while file=$dir/batch.$(date +%s%N) && dd bs=65536 count=1 of="$file" 2>/dev/null && [ -s "$file" ]; do :; done
	rm "$file"
}
acknowledged() { # how many of $ids
	ask '{"method":"list_notifications","params":{"limit":1000}}' | jq --arg ids "$ids" \
		'($ids | split("\n")) as $ids | [.result.notifications[] | select((.id | IN($ids[])) and .state == "acknowledged")] | length'
}
# Confirmed: printed is not acknowledged; what a reader has not confirmed when it ends is typed.
"$muxbus" follow --confirm </dev/null 2>"$dir/follow.err"
is 'confirmations need numbers' $? 2
mkfifo "$dir/confirm"
follow_confirm() {
	"$muxbus" --json follow --confirm <"$dir/confirm" >>"$dir/confirmed" 2>/dev/null &
	confirming=$!
	exec 8>"$dir/confirm"
}
fates() {
	echo "$(fate "$one"), $(fate "$two")"
}
printed() { # printed ID: its numbers in the output
	jq -r "select(.id == \"$1\") | .seq" "$dir/confirmed"
}
: >"$dir/confirmed"
follow_confirm
one=$(post 'to confirm')
two=$(post 'to leave')
until_is 'both are printed' 2 sh -c "grep -c -e $one -e $two '$dir/confirmed' || :"
is 'and not acknowledged' "$(fates)" 'delivering follow, delivering follow'
kill_daemon 8>&-
until_is 'it finds the next daemon' 1 sh -c "echo '{\"method\":\"status\"}' | socat -t 86400 - UNIX-CONNECT:$MUXBUS | jq .result.waits"
until_is 'which hands them out again' 'delivering follow, delivering follow' fates
is 'but they are not printed again' "$(grep -c -e "$one" -e "$two" "$dir/confirmed")" 2
echo "99999999999999999$(printed "$two")" >&8
printed "$one" >&8
until_is 'until the reader confirms it' 'acknowledged follow' fate "$one"
is 'a number that is too long confirms none' "$(fate "$two")" 'delivering follow'
# Those that another client acknowledges are not confirmed. They take no room from later ones.
all_at_once() { # all_at_once FILE: the answers to its requests
	socat -t 86400 - "UNIX-CONNECT:$MUXBUS" <"$1"
}
printed_others() {
	jq -r .id "$dir/confirmed" | grep -c -x -F "$others"
}
for _ in 1 2; do
	for n in $(seq 40); do
		echo "{\"method\":\"post_notification\",\"params\":{\"pane\":\"$pane\",\"text\":\"other $n\"}}"
	done >"$dir/burst"
	others=$(all_at_once "$dir/burst" | jq -r .result.id)
	until_is 'a number of others are printed' 40 printed_others
	jq -c --arg ids "$others" 'select(.id as $id | $ids | split("\n") | index($id)) |
		{method: "ack_notification", params: {seq: .seq}}' "$dir/confirmed" >"$dir/burst"
	is 'and acknowledged by another client' "$(all_at_once "$dir/burst" | jq -c 'select(.result)' | grep -c .)" 40
done
last=$(post 'after the others')
until_is 'a later one is printed' 1 sh -c "grep -c -e $last '$dir/confirmed' || :"
printed "$last" >&8
until_is 'and can be confirmed' 'acknowledged follow' fate "$last"
exec 8>&-
wait "$confirming"
is 'it ends with its reader' $? 0
until_is 'the other one is typed' 'delivered typed' fate "$two"

# Handed out by a killed muxbusd and not acknowledged: the next one marks it when it hands it out again.
again() { # again ID: state, way, and how often it was handed out again
	ask '{"method":"list_notifications","params":{"limit":1000}}' |
		jq -r ".result.notifications[] | select(.id == \"$1\") | \"\(.state) \(.delivery.way) \(.redelivered)\""
}
follow_confirm
one=$(post 'to the hook next')
until_is 'a follower prints one' 1 sh -c "grep -c '$one' '$dir/confirmed' || :"
kill_daemon 8>&-
until_is 'the next muxbusd hands it to the same follower' 'delivering follow 1' again "$one"
kill -STOP "$confirming"
kill_daemon 8>&-
hook '{"session_id":"0af3-1"}' claude UserPromptSubmit
is 'the third one to a hook' "$(printf '%s\n' "$out" | grep -c "$one")" 1
is 'and has marked it each time' "$(again "$one")" 'acknowledged hook 2'
kill -CONT "$confirming"
until_is 'the follower waits again' 1 sh -c "echo '{\"method\":\"status\"}' | socat -t 86400 - UNIX-CONNECT:$MUXBUS | jq .result.waits"
exec 8>&-
wait "$confirming"
two=$(post 'to type next')
call take_notifications '{"pane":"'"$pane"'","way":"hook"}'
is 'a hook that dies has one' "$(again "$two")" 'delivering hook 0'
kill_daemon
hook '{"session_id":"0af3-1"}' claude SessionEnd
until_is 'the next muxbusd types it, marked' 'delivered typed 1' again "$two"

mkfifo "$dir/paced"
read_batches <"$dir/paced" &
"$muxbus" follow --paced >"$dir/paced" 2>/dev/null &
follower=$!
until_is 'a paced follower waits' 1 sh -c "echo '{\"method\":\"status\"}' | socat -t 86400 - UNIX-CONNECT:$MUXBUS | jq .result.waits"
for n in $(seq 40); do
	echo "{\"method\":\"post_notification\",\"params\":{\"pane\":\"$pane\",\"text\":\"paced $n\"}}"
done >"$dir/burst"
ids=$(socat -t 86400 - "UNIX-CONNECT:$MUXBUS" <"$dir/burst" | jq -r .result.id)
until_is 'all of a burst are acknowledged' 40 acknowledged
is 'each was printed, once' "$(cat "$dir"/batch.* | cut -d ' ' -f 2 | grep -x -F "$ids" | sort | uniq -c | grep -c ' 1 ')" 40
is 'no batch is longer than the agent reads' "$(find "$dir" -name 'batch.*' -size +2999c)" ''
ok 'a full batch says that more follow' grep -q -x '\[muxbus\] more follow' "$dir"/batch.*
is 'the last one does not' "$(cat "$(find "$dir" -name 'batch.*' -size +0 -printf '%T@ %p\n' | sort | tail -n 1 | cut -d ' ' -f 2)" |
	grep -c 'more follow')" 0
is 'they are 2 s apart' "$(find "$dir" -name 'batch.*' -size +0 -printf '%T@\n' | sort |
	awk 'NR > 1 && $1 - last < 1.9 { print } { last = $1 }')" ''
kill "$follower"
wait "$follower" 2>/dev/null
until_is 'it ends' 0 sh -c "echo '{\"method\":\"status\"}' | socat -t 86400 - UNIX-CONNECT:$MUXBUS | jq .result.waits"

# Kills of the follower at any moment: nothing is lost, and nothing reported more than once more.
kills=${MUXBUS_TEST_LONG:+40}
for n in $(seq "${kills:-6}"); do
	"$muxbus" follow >>"$dir/killed" 2>/dev/null &
	follower=$!
	post "kill $n" >>"$dir/ids"
	sleep "0.0$((n * 7 % 10))"
	kill -9 "$follower"
	wait "$follower" 2>/dev/null
done
told() { # ids that were reported: 0 left
	left=0
	while read -r id; do
		case $(fate "$id") in
		acknowledged* | delivered*) ;;
		*) left=$((left + 1)) ;;
		esac
	done <"$dir/ids"
	echo "$left"
}
until_is 'followers killed at any moment: all are reported' 0 told
bad=0
while read -r id; do
	count=$(($(cat "$dir/killed" "$dir/fake.log" | grep -o "muxbus $id" | wc -l) + $(grep -o "[ ,]$id post" "$dir/fake.log" | grep -vc muxbus)))
	[ "$count" -ge 1 ] && [ "$count" -le 2 ] || bad=$((bad + 1))
done <"$dir/ids"
is 'each once, or once more' "$bad" 0

# A daemon that accepts no connection does not hold an agent.
if command -v python3 >/dev/null; then
	python3 -c 'import socket, sys, time
server = socket.socket(socket.AF_UNIX)
server.bind(sys.argv[1])
server.listen(0)
held = []
try:
    while True:
        held.append(socket.socket(socket.AF_UNIX))
        held[-1].setblocking(False)
        held[-1].connect(sys.argv[1])
except BlockingIOError:
    print("full", flush=True)
time.sleep(60)' "$dir/full" >"$dir/full.said" &
	filler=$!
	until_is 'a socket is full' full cat "$dir/full.said"
	timeout 6 "$muxbus" -s "$dir/full" hook claude Stop </dev/null >"$dir/hook.out" 2>&1
	is 'a hook gives it up' "$? $(cat "$dir/hook.out")" '0 '
	kill "$filler"
	wait "$filler"
fi

# The follower ends with its pane.
"$muxbus" follow >/dev/null 2>"$dir/end" &
follower=$!
until_is 'a follower waits' 1 sh -c "echo '{\"method\":\"status\"}' | socat -t 86400 - UNIX-CONNECT:$MUXBUS | jq .result.waits"
t kill-pane -t "$pane"
wait "$follower"
is 'a closed pane ends its follower' "$? $(cat "$dir/end")" '1 muxbus: the pane is gone'

# And with its tmux server: a later one may have a pane of that id.
pane=$(t list-panes -a -F '#{pane_id}' | head -n 1)
timeout 20 "$muxbus" follow --pane "$pane" >/dev/null 2>"$dir/end" &
follower=$!
until_is 'a follower waits' 1 sh -c "echo '{\"method\":\"status\"}' | socat -t 86400 - UNIX-CONNECT:$MUXBUS | jq .result.waits"
t kill-server
wait "$follower"
is 'the end of tmux ends its follower' "$? $(cat "$dir/end")" '1 muxbus: the pane is gone: its tmux server has ended'
done_testing
