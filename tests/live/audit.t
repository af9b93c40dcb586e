#!/bin/sh
# SPDX-License-Identifier: ISC
# The audit: each request that does more than read stands in it before its effect, without its
# texts; it survives kill -9, and shows what was changed. MUXBUS_AUDIT_KILLS=1000 is the long form.
. "${MUXBUS_SRCDIR:-.}/tests/live/live.sh"
need prlimit

tools=$(mktemp -d /tmp/mbt-XXXXXX) || exit 99
printf '{"name":"log_in","group":"demo","description":"A test.","run":["true"],"parameters":{"type":"object","properties":{"password":{"type":"string"},"user":{"type":"string"}}}}\n' >"$tools/log_in.json"
chmod 644 "$tools/log_in.json"
export MUXBUS_TOOLS="$tools"
daemon_options='-o audit_bytes=65536'
start 'exec cat'
trap 'finish; rm -rf "$tools"' EXIT
muxbus=$MUXBUS_BUILDDIR/muxbus
audit=$(echo "$dir"/muxbus/tmux-*/audit)

# read_audit PARAMS FILTER
read_audit() {
	call read_audit "$1"
	field "$2"
}

call send_text '{"pane":"%0","text":"a secret of mine"}'
call send_text '{"pane":"%99","text":"a secret of mine"}'
call list_panes '{}'
is 'what does more than read is recorded, with its outcome' \
	"$(read_audit '{}' '[.result.actions[] | "\(.method) \(.target) \(.outcome)"] | join(", ")')" 'send_text %0 done, send_text %99 no_such_pane'
is 'with who asked, and its role' "$(read_audit '{}' '.result.actions[0] | "\(.program) \(.role) \(.uid) \(.start > 0) \(.pid > 0)"')" \
	"socat full $(id -u) true true"
call log_in '{"user":"me@example.org","password":"a secret of mine"}'
is 'no text of a request is in it, and none of a declared tool' \
	"$(grep -c -e secret -e example.org "$audit") $(ask '{"method":"get_action_history"}' | grep -c -e secret -e example.org)" '0 0'
is 'but sizes and a hash' "$(read_audit '{"method":"log_in"}' '.result.actions[0] | "\(.bytes) \(.hash | length) \(.params | fromjson | .password)"')" \
	'55 16 (16 bytes)'
call send_text '{"pane":"%0","text":"a secret of mine"}'
is 'equal parameters have equal hashes' "$(read_audit '{"method":"send_text","pane":"%0"}' '[.result.actions[].hash] | unique | length')" 1

printf '%s\n' '{"method":"run_long_command","params":{"command":"curl secret1"}}' '{"method":"create_pane","params":{"pane":"%0","command":"exec cat secret2"}}' \
	'{"method":"create_pane","params":{"pane":"%0","command":["tail","-f","/dev/null","secret3"]}}' '{"method":"execute_cli","params":{"command":": secret4"}}' \
	'{"method":"sleep","params":{"seconds":500,"text":"secret5","pane":"%0"}}' '{"method":"watch_pane","params":{"pane":"%0","regex":"secret6"}}' \
	'{"method":"post_notification","params":{"text":"x","key":"secret7"}}' '{"method":"send_keys","params":{"pane":"%0","keys":"a","key":"secret8"}}' |
	socat -t 20 - "UNIX-CONNECT:$MUXBUS" >/dev/null
is 'commands, reminders, patterns and keys are texts' "$(grep -c -e secret "$audit") $(grep -c tail "$audit") $(ask '{"method":"get_action_history"}' | grep -c secret)" '0 1 0'

# Requests that only read, with what is kept or taken away.
call post_notification '{"text":"x"}'
id=$(field .result.id)
call wait_for '{"any":[{"output":"secret9","pane":"%0"},{"notification":{"id":"'"$id"'"}}],"timeout_sec":20}'
call list_notifications '{"consumer":"c1"}'
call wait_for '{"all":[{"sec":0.01}],"wait":"w1"}'
call wait_for '{"any":[{"sec":0.01}]}'
call list_notifications '{}'
is 'what takes a notification, a consumer and a named wait are recorded' \
	"$(read_audit '{}' '[.result.actions[] | select(.method == "wait_for" or .method == "list_notifications") | "\(.method) \(.target) \(.outcome)"] | join(", ")')" \
	"wait_for $id done, list_notifications c1 done, wait_for w1 done"
is 'without patterns' "$(grep -c secret9 "$audit")" 0

# Before the effect: of a request that is not answered yet, too.
printf '%s\n' '{"method":"execute_cli","params":{"command":"sleep 60"}}' | socat -t 60 - "UNIX-CONNECT:$MUXBUS" >/dev/null &
waiting=$!
first=$(read_audit '{"limit":1000}' '.result.actions[0].n')
is 'after 0 the oldest come first' "$(read_audit '{"after":0,"limit":2}' '.result | "\(.actions[0].n) \(.last == .actions[1].n)"')" "$first true"
until_is 'an open request is recorded without an outcome' null read_audit '{"method":"execute_cli"}' '.result.actions[-1].outcome'
kill_daemon
kill $waiting 2>/dev/null
is 'after kill -9 it is there' "$(read_audit '{"method":"execute_cli","verify":true}' '"\(.result.actions[-1].outcome) \(.result.chain)"')" 'null whole'
last=$(read_audit '{}' .result.last)
call send_text '{"pane":"%0","text":"later"}'
is 'numbers go on' "$(read_audit '{}' .result.last)" $((last + 1))

"$muxbus" audit --pane=%0 --method=send_text >"$dir/printed"
is 'muxbus audit prints it' "$? $(grep -c 'send_text %0  done' "$dir/printed")" '0 3'
"$muxbus" audit -p main:0.0 --method=send_text >"$dir/named"
is 'of a pane by its place, too' "$? $(cmp "$dir/named" "$dir/printed")" '0 '
is 'a place without a pane is an error' "$("$muxbus" audit -p main:7.0 >/dev/null 2>&1; echo $?)" 1
is 'a closed pane has its id' "$("$muxbus" audit --pane=%99 | grep -c 'send_text %99  no_such_pane')" 1
is 'as JSON, if asked for' "$("$muxbus" audit --method=send_text --pane=%0 --json | jq -r '"\(.method) \(.target) \(.outcome)"' | sort | uniq -c | tr -s ' ')" \
	' 3 send_text %0 done'
now=$(date -u +%Y-%m-%dT%H:%M:%SZ)
is 'and only what was since a time' \
	"$("$muxbus" audit --since=2026-01-01T00:00:00Z | wc -l | tr -d ' ') $("$muxbus" audit --since="${now%%-*}-12-31T23:59:59Z" | wc -l | tr -d ' ')" \
	"$("$muxbus" audit | wc -l | tr -d ' ') 0"
call execute_cli '{"command":"true"}'
is 'of one method by its second spelling' "$("$muxbus" audit --method=shell | wc -l | tr -d ' ')" \
	"$("$muxbus" audit --method=execute_cli | grep -c execute_cli)"
"$muxbus" audit --method=send_txt >"$dir/printed" 2>&1
is 'but not of a method that was never there' "$? $(cat "$dir/printed")" \
	'2 muxbus: method: there is no method "send_txt"; did you mean "send_text"?'
timeout 20 "$muxbus" audit --follow >"$dir/followed" &
follower=$!
until_is 'and follows it' 1 sh -c "grep -c log_in '$dir/followed' || :"
call log_in '{}'
until_is 'with what comes' 2 sh -c "grep -c log_in '$dir/followed' || :"
kill $follower
wait $follower 2>/dev/null

# kill -9 under load. Each answer that came has its line with that outcome.
kills=0
lost=0
broken=0
while [ $kills -lt "${MUXBUS_AUDIT_KILLS:-8}" ]; do
	kills=$((kills + 1))
	i=0
	while [ $i -lt 40 ]; do
		i=$((i + 1))
		printf '{"id":%d,"method":"post_notification","params":{"text":"run %d %d"}}\n' $i $kills $i
	done | socat -t 5 - "UNIX-CONNECT:$MUXBUS" 2>/dev/null | tee "$dir/got" | head -n $((kills % 37 + 1)) >/dev/null
	kill_daemon
	done_here=$(grep -c '"result"' "$dir/got")
	[ "$(cat "$audit.old" "$audit" 2>/dev/null | grep -c '"method":"post_notification"')" -ge "$done_here" ] || lost=$((lost + 1))
	[ "$(read_audit '{"verify":true,"limit":1}' .result.chain)" = whole ] || broken=$((broken + 1))
done
is "$kills kills: nothing that was answered is missing" $lost 0
is 'and each time the chain is whole' $broken 0

# The end of a line that was being written.
kill -9 "$daemon_pid"
wait "$daemon_pid" 2>/dev/null
printf '{"n":99999,"time":17' >>"$audit"
start_daemon
is 'a line that was cut off is dropped' "$(read_audit '{"verify":true}' .result.chain) $(grep -c "\"n\":99999" "$audit")" 'whole 0'

# Zeros, as a power cut leaves them within a file, are found and do no more harm.
kill -9 "$daemon_pid"
wait "$daemon_pid" 2>/dev/null
cp "$audit" "$dir/right"
printf '\000\000\n' >>"$audit"
start_daemon
is 'zeros are found' "$(read_audit '{"verify":true}' .result.chain)" broken
kill -9 "$daemon_pid"
wait "$daemon_pid" 2>/dev/null
mv "$dir/right" "$audit"
start_daemon

# The moment between the files.
last=$(read_audit '{}' .result.last)
for file in none empty; do
	kill -9 "$daemon_pid"
	wait "$daemon_pid" 2>/dev/null
	mv "$audit" "$audit.old"
	[ $file = none ] || : >"$audit"
	start_daemon
	is "killed as the file turned over ($file): the chain and the numbers go on" \
		"$(read_audit '{"verify":true}' '"\(.result.chain) \(.result.last)"')" "whole $last"
done

i=0
while [ $i -lt 400 ]; do
	i=$((i + 1))
	printf '{"id":%d,"method":"send_text","params":{"pane":"%%0","text":"x","key":"k%d"}}\n' $i $i
done | socat -t 60 - "UNIX-CONNECT:$MUXBUS" >/dev/null
is 'two files have a maximum together' "$([ $(($(wc -c <"$audit") + $(wc -c <"$audit.old"))) -lt 80000 ] && echo yes)" yes
is 'and one chain' "$(read_audit '{"verify":true,"limit":1000}' '"\(.result.chain) \(.result.actions | length > 50)"')" 'whole true'
cp "$audit.old" "$dir/right"
sed '0,/"target":"%0"/s//"target":"%1"/' "$dir/right" >"$dir/wrong"
cat "$dir/wrong" >"$audit.old"
is 'what was changed shows' "$(read_audit '{"verify":true}' .result.chain)" broken
"$muxbus" audit --verify >/dev/null 2>"$dir/error"
is 'and muxbus audit says so' "$? $(grep -c 'the chain is broken' "$dir/error")" '1 1'

sed 6d "$dir/right" >"$audit.old"
is 'so does a line that was taken out' "$(read_audit '{"verify":true}' .result.chain)" broken
cat "$dir/right" >"$audit.old"

# A flood of refusals, by many processes with all methods.
i=0
while [ $i -lt 30 ]; do
	i=$((i + 1))
	for method in shutdown send_text create_pane run_tmux; do
		echo "{\"method\":\"$method\"}"
	done | { echo '{"method":"narrow","params":{"role":"read_only"}}'; cat; } | setsid socat -t 60 - "UNIX-CONNECT:$MUXBUS" >/dev/null
done
refusals='[.result.actions[] | select(.outcome == "forbidden" and .role == "read_only")]'
is 'refusals have ten lines a minute for a user and a role' "$(read_audit '{"limit":1000}' "$refusals | \"\(length) \(.[-1].counted)\"")" '10 true'
kill "$daemon_pid"
wait "$daemon_pid" 2>/dev/null
start_daemon
is 'and one more says how many had none' "$(read_audit '{"limit":1000,"verify":true}' "\"\($refusals | length) \($refusals[-1] | .unwritten) \(.result.chain)\"")" '11 110 whole'
"$muxbus" audit >"$dir/printed"
is 'which muxbus audit prints' "$(grep -c 'forbidden  110 more' "$dir/printed")" 1

# The file is removed, replaced or cut while the daemon runs.
chain() {
	read_audit '{"verify":true,"limit":1}' .result.chain
}
fresh() { # a daemon with a new audit
	kill -9 "$daemon_pid"
	wait "$daemon_pid" 2>/dev/null
	rm -f "$audit" "$audit.old"
	start_daemon
	call send_text '{"pane":"%0","text":"x"}'
	call send_text '{"pane":"%0","text":"y"}'
}
for change in 'rm "$audit"' 'mv "$audit" "$dir/moved"' 'sed -i "\$d" "$audit"' ': >"$audit"' 'truncate -s -30 "$audit"' 'echo more >>"$audit"' 'printf more >>"$audit"'; do
	fresh
	before=$(chain)
	eval "$change"
	at_once=$(chain)
	call send_keys '{"pane":"%0","keys":"a"}'
	after=$(chain)
	recorded=$(grep -c '"method":"send_keys"' "$audit")
	kill_daemon
	is "$change: what follows is recorded, and the chain is broken" "$before $at_once $after $recorded $(chain)" 'whole broken broken 1 broken'
done
fresh
sed -i '' "$audit"
call send_keys '{"pane":"%0","keys":"a"}'
truncate -s -1 "$audit" # a newline, which does not count
call send_keys '{"pane":"%0","keys":"a"}'
is 'a copy with all lines is gone on with' "$(chain) $(grep -c '"method":"send_keys"' "$audit") $(grep -c torn "$audit")" 'whole 2 2'
is 'and each time the log says so' "$(grep -c 'was removed or changed' "$dir/muxbusd.log")" 9
fresh

# Without a free descriptor no new file can begin: the present one goes on.
mkfifo "$dir/requests"
socat -t 60 - "UNIX-CONNECT:$MUXBUS" <"$dir/requests" >/dev/null &
asking=$!
exec 8>"$dir/requests"
peers() { ask '{"method":"status"}' | jq .result.peers; }
until_is 'a peer is connected' 2 peers
pid=$(ask '{"method":"status"}' | jq .result.pid)
may_open 0 "$pid"
i=0
while [ $i -lt 200 ]; do
	i=$((i + 1))
	echo '{"id":1,"method":"post_notification","params":{"text":"x"}}'
done >&8
exec 8>&-
wait $asking
prlimit --nofile=1024: --pid "$pid"
is 'a file that cannot be turned over grows' "$([ "$(wc -c <"$audit")" -gt 40000 ] && chain)" whole
fresh

# With texts, but for declared tools.
kill -9 "$daemon_pid"
wait "$daemon_pid" 2>/dev/null
daemon_options='-o audit=full'
start_daemon
call send_text '{"pane":"%0","text":"to be kept"}'
call log_in '{"password":"a secret of mine"}'
call get_pane '{"pane":"%0"}'
printf '%s\n' '{"method":"narrow","params":{"role":"read_only"}}' '{"method":"get_action_history"}' |
	socat -t 20 - "UNIX-CONNECT:$MUXBUS" >"$dir/answer"
is 'the history has no parameters for it either' \
	"$(jq -rs '[.[1].result.actions[] | select(.method == "get_pane")][0] | "\(.params) \(.result) \(.outcome)"' "$dir/answer")" 'null null done'
printf '%s\n' '{"method":"narrow","params":{"role":"read_only"}}' '{"method":"read_audit"}' | socat -t 20 - "UNIX-CONNECT:$MUXBUS" >"$dir/answer"
is 'which no reader gets' "$(jq -r 'select(.result.actions) | .result.actions | "\(length > 0) \(any(has("params")))"' "$dir/answer")" 'true false'
is 'audit=full keeps texts' "$(grep -c 'to be kept' "$audit") $(grep -c secret "$audit")" '1 0'
call send_text "{\"pane\":\"%0\",\"text\":\"$(head -c 5000 /dev/zero | tr '\0' x)\"}"
is 'and muxbus audit prints one that is cut' "$("$muxbus" audit | grep -c xxxx)" 1

# A full disk.
kill -9 "$daemon_pid"
wait "$daemon_pid" 2>/dev/null
daemon_options='-o audit_full_disk=refuse'
state=${audit%/audit}
if mount -t tmpfs -o size=512k,mode=700 muxbus-test "$state" 2>/dev/null; then
	trap 'umount -l "$state"; finish; rm -rf "$tools"' EXIT
	start_daemon
	dd if=/dev/zero of="$state/ballast" bs=4k 2>/dev/null
	refused() { # posts until that is refused
		call send_text '{"pane":"%0","text":"x"}'
		field .error.data.kind
	}
	until_is 'what cannot be recorded is refused' limit refused
	rm "$state/ballast"
	until_is 'until there is room' null refused
	kill -9 "$daemon_pid"
	wait "$daemon_pid" 2>/dev/null
	daemon_options=
	start_daemon
	dd if=/dev/zero of="$state/ballast" bs=4k 2>/dev/null
	marked() {
		call send_text '{"pane":"%0","text":"x"}'
		field .result.audited
	}
	until_is 'or marked' false marked
	rm "$state/ballast"
	until_is 'until there is room' null marked
	is 'and counted' "$(read_audit '{"limit":1000,"verify":true}' '"\([.result.actions[].missed // 0] | add > 0) \(.result.chain)"')" 'true whole'
fi
done_testing
