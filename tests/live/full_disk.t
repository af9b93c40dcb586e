#!/bin/sh
# SPDX-License-Identifier: ISC
# A disk that is full (a small tmpfs): the daemon goes on in memory and says so, and after kill -9
# the next one says that something is missing. With room again nothing is lost.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
tools=$(mktemp -d /tmp/mbt-XXXXXX) || exit 99
printf '{"name":"slow_tool","group":"demo","description":"A test.","run":["sleep","1000"]}\n' >"$tools/slow_tool.json"
chmod 644 "$tools/slow_tool.json"
export MUXBUS_TOOLS="$tools"
start 'exec sleep 3600'
trap 'finish; rm -rf "$tools"' EXIT

state=$(echo "$dir"/muxbus/tmux-*)
kill -9 "$(ask '{"method":"status"}' | jq .result.pid)"
wait "$daemon_pid" 2>/dev/null
daemon_pid=
mount -t tmpfs -o size=512k,mode=700 muxbus-test "$state" 2>/dev/null || skip_all 'a tmpfs cannot be mounted here'
trap 'end_jobs; umount -l "$state"; finish; rm -rf "$tools"' EXIT
# The jobs have room of their own: else they are refused.
mkdir -m 700 "$state/jobs" && mount -t tmpfs -o size=4m,mode=700 muxbus-test-jobs "$state/jobs" || exit 99
fill() {
	dd if=/dev/zero of="$state/ballast" bs=4k 2>/dev/null
	until_is "$1" false post_kept
}
post_kept() { # posts, and prints whether that is durable
	call post_notification '{"text":"another one"}'
	field .result.durable
}
journal_state() {
	call status '{}'
	field .result.queue.journal.state
}
gap() { # the gap of one who has read nothing
	call list_notifications '{"after":0,"limit":1000}'
	field '.result.gap.reason'
}
texts() { # how many notifications have a text
	field "[.result.notifications[] | select(.text == \"$1\")] | length"
}

start_daemon
call post_notification '{"text":"kept"}'
is 'a post is durable' "$(field .result.durable)" true
is 'nothing is missing' "$(gap)" null
fill 'a post on a full disk is not'
is 'and the journal is degraded' "$(journal_state)" degraded
is 'doctor advises no restart, which would lose what is in memory' "$("$MUXBUS_BUILDDIR/muxbus" -s "$MUXBUS" doctor |
	jq -r '.findings[] | select(.subject == "journal").remedy' | grep -c shutdown)" 0
call sleep '{"seconds":3600}'
is 'a timer is not durable' "$(field '.result | "\(.durable) \(.id | length)"')" 'false 4'
call list_timers '{}'
is 'in the list neither' "$(field '.result.timers[0].durable')" false
# Whatever is armed says so: a method, and its parameters.
touch "$dir/log"
armed="$dir/armed"
cat >"$armed" <<END
sleep {"seconds":3600,"text":"reminder"}
gemini_sleep {"seconds":1800}
watch_log {"file_path":"$dir/log","regex":"x"}
watch_pane {"pane":"main","regex":"never"}
wait_for_idle {"pane":"main","cpu_threshold":1,"duration_seconds":300}
run_long_command {"command":"sleep 3600"}
background_process {"name":"one","command":"sleep 3600"}
restart_job {"job":"one"}
execute_cli {"command":"sleep 3600","wait":false}
self_command {"pane":"main","command":"later"}
set_wake_policy {"pane":"main","sources":["job"]}
ensure_agent {"name":"cat","command":"exec cat","prompt":"^$"}
send_task {"agent":"cat","text":"one","wait":false}
stop_agent {"agent":"cat","grace_sec":0}
slow_tool {"wait":false}
END
while read -r method params; do
	call "$method" "$params"
	is "$method is not durable" "$(field '.result.durable')" false
done <"$armed"
call cancel_watch "{\"file_path\":\"$dir/log\"}"
is 'nor is the end of a watch' "$(field '.result | "\(.cancelled) \(.durable)"')" '1 false'
# Every method that promises to wake has a line above, but what tells it in another way.
is 'no method is forgotten' "$(ask '{"method":"describe"}' | jq -r '.result.methods | to_entries[] |
	select(.value.result_schema.properties.wake).key' | grep -vx -e post_notification -e yield_turn |
	while read -r method; do grep -q "^$method " "$armed" || echo "$method"; done)" ''
call list_timers '{}'
call cancel_timer "{\"timer\":\"$(field '.result.timers[0].id')\"}"
is 'nor is its end' "$(field .result.durable)" false
# A key that the disk cannot take, with the result or the error that it stands for.
typed='{"pane":"main","text":"x","key":"typed"}'
call send_text "$typed"
is 'a key in memory is said' "$(field .result.durable)" false
call send_text "$typed"
is 'also when it is used again' "$(field '.result | "\(.repeated) \(.durable)"')" 'true false'
call run_tmux '{"command":["resize-pane","-t","main","-x","nothing"],"key":"fails"}'
is 'and with an error that comes after an effect, as it may' "$(field '.error.data | "\(.kind) \(.durable)"')" 'tmux_error false'
call send_text '{"pane":"%99","text":"x","key":"free"}'
is 'but not where the key is free' "$(field '.error.data | has("durable")')" false
call ack_notification '{"seq":1,"key":"ack"}'
call ack_notification '{"seq":1,"key":"ack"}'
is 'it is said once' "$(grep -o durable "$dir/answer" | wc -l) $(field .result.repeated)" '1 true'
call post_notification '{"text":"in memory"}'
kill_daemon
is 'after kill -9 the hole is reported' "$(gap)" disk_full
is 'what was written is there' "$(texts kept)" 1
is 'what was not is missing' "$(texts 'in memory')" 0
call send_text "$typed"
is 'a key too: this is done again' "$(field '.result | has("repeated")')" false
kill_daemon
is 'while the disk is full every daemon reports the hole' "$(gap)" disk_full
rm "$state/ballast"
until_is 'with room again the journal heals' sound journal_state
call post_notification '{"text":"with room"}'
is 'and a post is durable' "$(field .result.durable)" true
is 'readers still get the gap' "$(gap)" disk_full
last=$(field .result.last)
kill_daemon
call list_notifications '{"after":'"$last"',"limit":1000}'
is 'but none for what came later' "$(field .result.gap)" null
is 'which is there' "$(gap >/dev/null; texts 'with room')" 1
fill 'full once more'
call post_notification '{"text":"healed"}'
call sleep '{"seconds":7200}'
rm "$state/ballast"
until_is 'and healed' sound journal_state
call list_timers '{}'
is 'a timer is durable then' "$(field '.result.timers[0] | has("durable")')" false
kill_daemon
call list_notifications '{"after":'"$last"',"limit":1000}'
is 'so that nothing is missing after kill -9' "$(field .result.gap) $(texts healed)" 'null 1'
call list_timers '{}'
is 'nor is the timer' "$(field '.result.timers | length')" 1

# A key that cannot be kept is refused, if the audit would be.
kill -9 "$daemon_pid"
wait "$daemon_pid" 2>/dev/null
daemon_options='-o audit=off -o audit_full_disk=refuse'
start_daemon
refused() {
	call set_wake_policy '{"pane":"main","window_ms":'"$1"',"key":"refused '"$1"'"}'
	field .error.data.kind
}
fill 'full again'
window=1000
refused $window >/dev/null
is 'a key that cannot be kept is refused by setting' "$(field '.error.data | "\(.kind) \(.durable)"')" 'limit null'
policy() {
	call status '{}'
	field "[.result.wake_policies[] | select(.window_ms == $window)] | length"
}
is 'with nothing done' "$(policy)" 0
call ensure_agent '{"name":"refused","command":"exec cat","prompt":"^$","key":"refused"}'
is 'so is one that is kept with its effect' "$(field .error.data.kind)" limit
call set_wake_policy '{"pane":"main","window_ms":30}'
is 'but nothing without a key' "$(field .result.durable)" false
call set_wake_policy '{"pane":"main"}'
rm "$state/ballast"
until_is 'with room again' sound journal_state
is 'the key is free' "$(refused $window)" null
is 'and used' "$(refused $window) $(field .result.repeated) $(policy)" 'null true 1'
kill -9 "$daemon_pid"
wait "$daemon_pid" 2>/dev/null
daemon_options=
# For a command of a job: the supervisor removes the spec when the command has started, which makes room again.
fill_jobs="tries=0; while ls $state/jobs/*.spec && [ \$tries -lt 1000 ]; do tries=\$((tries + 1)); sleep 0.01; done >/dev/null 2>&1
dd if=/dev/zero of=$state/jobs/ballast 2>/dev/null"
jq -n --arg run "$fill_jobs; echo {}" '{name: "full", group: "demo", description: "A test.", answer: "json", run: ["sh", "-c", $run]}' >"$tools/full.json"
chmod 644 "$tools/full.json"
start_daemon
call full '{}'
is 'an answer that found no room is no bad JSON' "$(field '.error | "\(.data.kind) \(.message)"')" \
	'limit full: its program ended well, but 3 bytes of its output were not kept, as on a full disk'
rm "$state/jobs/ballast"
call execute_cli "$(jq -nc --arg command "$fill_jobs; echo lost" '{command: $command}')"
is 'execute_cli says that output is missing' "$(field '.result | "\(.ok) \(.stdout | length) \(.truncated) \(.rest)"')" \
	"true 0 true read_job {\"job\":\"$(field .result.job)\"} reads all that is kept of stdout."
rm "$state/jobs/ballast"

# Output of a job that finds no room: its reader learns how much is missing, and in what place.
"$MUXBUS_BUILDDIR/muxbus" -s "$MUXBUS" run -- sh -c 'seq 1000000; echo end' >"$dir/out" 2>"$dir/err"
is 'the job ends with its own status' "$?" 0
size=$(stat -c %s "$dir/out")
ok 'a part of its output is kept' [ "$size" -gt 100000 ]
is 'and run says how much is lost' "$(cat "$dir/err")" "muxbus: $((6888900 - size)) bytes of the output are lost"
id=$(ask '{"method":"list_jobs"}' | jq -r '.result.jobs[-1].id')
call read_job "{\"job\":\"$id\",\"offset\":-100}"
is 'the end of the output is kept, in the place of its middle' "$(field .result.text)" "$(echo end | cat "$dir/out" - | tail -c 104 | head -c 100)"
is 'which is what was written last' "$(tail -n 2 "$dir/out")" '1000000
end'
until_is 'the status has a place too' 1 sh -c "ls '$state/jobs' | grep -c '$id.status\$'"
size=$(stat -c %s "$state/jobs/$id.out")
call read_job "{\"job\":\"$id\",\"offset\":$size}"
is 'read_job says from where on' "$(field '.result | [.from - .to, .to, .end] | join(" ")')" '-65536 6888900 6888900'

# Room for the order of a job, or for its lock too, but for no further file (inodes).
for room in 1 2; do
	used=$(df --output=iused "$state/jobs" | tail -n 1)
	mount -o "remount,nr_inodes=$((used + room))" "$state/jobs"
	call run_long_command '{"command":"touch '"$dir"'/ran"}'
	call wait_for '{"any":[{"job":"'"$(field .result.id)"'"}],"timeout_sec":60}'
	is "a job with $room of its files was not started" "$(field '.result.conditions[0].details | "\(.state) \(.error)"')" 'failed No space left on device'
	mount -o remount,nr_inodes=100000 "$state/jobs"
done
call run_long_command '{"command":"true"}'
call wait_for '{"any":[{"job":"'"$(field .result.id)"'"}],"timeout_sec":60}'
is 'and the next one is' "$(field '.result.conditions[0].details.exit_code')" 0
is 'the command did not run' "$(ls "$dir/ran" 2>/dev/null)" ''
done_testing
