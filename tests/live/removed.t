#!/bin/sh
# SPDX-License-Identifier: ISC
# A program removes or moves the state directory while the daemon runs: a post is not called durable
# unless the next daemon has it, and the directory is made again.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
need prlimit
start 'exec cat'
state=$(echo "$dir"/muxbus/tmux-*)
post_kept() { # posts, and prints whether that is durable
	call post_notification '{"text":"later"}'
	field .result.durable
}
supervisors() { # the number that wait for a job
	pgrep -c -P "$daemon_pid" -f ' - 3$'
}
last=0
timers=0
for change in 'rm -r "$state"' 'rm -r "$dir/muxbus"' 'mv "$state" "$dir/aside"' 'rm "$state/journal"' 'mv "$state/journal" "$state/other"' ': >"$state/journal"'; do
	call post_notification '{"text":"earlier"}'
	call run_long_command '{"command":":"}'
	until_is "$change: with a supervisor that waits for a job" 1 supervisors
	eval "$change"
	is "$change: the next post is not durable" "$(post_kept)" false
	until_is 'but soon one is' true post_kept
	call run_long_command '{"command":"exit 3"}'
	job=$(field .result.id)
	call wait_for '{"any":[{"job":"'"$job"'"}],"timeout_sec":9}'
	is 'a job runs and ends' "$(field '.result.conditions[0].details.exit_code')" 3
	call sleep '{"seconds":3600,"text":"x","pane":"main"}'
	is 'a timer is kept' "$(field '.result | has("durable")')" false
	kill_daemon
	call list_notifications '{"after":'"$last"',"limit":1000}'
	is 'after kill -9 all of it is there' "$(field '[.result.notifications[] | if .source == "post" then .text else .source end] | unique | join(" ")')" 'earlier job later'
	is 'without a gap' "$(field .result.gap)" null
	last=$(field .result.last)
	call list_timers '{}'
	timers=$((timers + 1))
	is 'and so is the timer' "$(field '.result.timers | length')" $timers
done

# Files that may not grow (ulimit -f) are as a full disk: the next daemon reports what is missing.
prlimit --fsize="$(stat -c %s "$state/journal")": --pid "$(ask '{"method":"status"}' | jq .result.pid)"
until_is 'where files may not grow a post is not durable' false post_kept
kill_daemon
call list_notifications '{"after":'"$last"',"limit":1000}'
is 'and after kill -9 there is a gap' "$(field '.result.gap.reason')" disk_full

# A pipe in place of a file does not hold up the start.
for name in audit.key audit; do
	kill -9 "$daemon_pid"
	wait "$daemon_pid" 2>/dev/null
	daemon_pid=
	rm -f "$state/$name"
	mkfifo "$state/$name"
	timeout 9 "$MUXBUS_BUILDDIR/muxbusd" -S "$dir/tmux" 2>"$dir/said"
	is "with a pipe as $name it starts or says why not" "$? $(grep -c "$name: " "$dir/said")" "$([ $name = audit ] && echo '1 1' || echo '0 0')"
	rm "$state/$name"
	kill_daemon
done
done_testing
