#!/bin/sh
# SPDX-License-Identifier: ISC
# The wall clock is set while muxbusd runs: what was to end after a time ends after that time.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
need bash
daemon_options='-o audit_days=1'
start 'exec cat'

set_clock() { # set_clock SECONDS: how far the clock of muxbusd is from the true one
	printf '%-16s' "$1" | dd of="$dir/set" conv=notrunc 2>/dev/null
}
set_clock 0
export SET_CLOCK="$dir/set" ASAN_OPTIONS="$ASAN_OPTIONS:verify_asan_link_order=0"
(
	export LD_PRELOAD="$MUXBUS_BUILDDIR/tests/live/.libs/late_clock.so"
	"$MUXBUS_BUILDDIR/muxbusd" --version >/dev/null 2>&1
) || skip_all 'nothing can be preloaded'
restart() { # kill -9 of muxbusd, and the next one with that clock
	LD_PRELOAD="$MUXBUS_BUILDDIR/tests/live/.libs/late_clock.so"
	export LD_PRELOAD
	kill_daemon
	unset LD_PRELOAD
}
restart
pane=$(t list-panes -F '#{pane_id}')

ends() { # ends ID: why a watch ended, and whether it took long
	call next_notification "{\"filter\":{\"id\":\"$1\"},\"timeout_sec\":8}"
	field '.result.notifications[0].data.reason // "nothing came"'
}
watches() { # watches SECONDS: watches that begin just now, in $ids
	ids=
	for watch in "watch_pane {\"pane\":\"$pane\",\"regex\":\"never\",\"timeout_sec\":$1}" \
		"watch_log {\"file_path\":\"$dir/none\",\"timeout_sec\":$1}" \
		"wait_for_idle {\"pane\":\"$pane\",\"cpu_threshold\":1,\"duration_seconds\":300,\"timeout_sec\":$1}"; do
		call "${watch%% *}" "${watch#* }"
		ids="$ids $(field .result.id)"
	done
}

call ensure_agent '{"name":"sh","command":["bash","--norc"],"env":{"PS1":"$ "}}'
is 'an agent is there' "$(field .result.state)" ready
for by in -7200 100000000; do
	set_clock 0
	watches 2
	set_clock $by
	for id in $ids; do
		is "the clock is set by $by s: a watch ends in time" "$(ends "$id")" timeout
	done
	watches 2
	for id in $ids; do
		is 'so does one that begins then' "$(ends "$id")" timeout
	done
done
set_clock 0
ask '{"method":"send_task","params":{"agent":"sh","text":"sleep 6","timeout_sec":2}}' >"$dir/task" &
sleep 0.5
set_clock -7200
wait $!
is 'the clock is set back: a task ends in time' "$(jq -r 'select(.result).result.outcome' "$dir/task")" timeout

# The clock is set while no muxbusd runs: what the earlier one has stored ends in time.
due() { # which of the ends are in the next ten minutes, by the clock of muxbusd
	now=$(($(date +%s) + $1))
	{
		ask '{"method":"list_watches"}' | jq -r '.result.watches[] | "\(.kind) \(.due)"'
		ask '{"method":"list_agents"}' | jq -r '.result.agents[].tasks[] | "task \(.due)"'
	} | sort | while read -r kind time; do
		left=$(($(date -d "$time" +%s) - now))
		[ $left -gt 0 ] && [ $left -le 601 ] && printf '%s ' "$kind"
	done
}
resume() { # what a wait answers after a moment
	call wait_for '{"wait":"timed","timeout_sec":0.1}'
	field '.result | "\(.matched) \(.elapsed_sec >= 0 and .elapsed_sec < 60)"'
}
set_clock 0
call send_task '{"agent":"sh","text":"sleep 600","timeout_sec":600,"wait":false}'
watches 600
printf '%s\n' '{"method":"wait_for","params":{"any":[{"sec":500}],"timeout_sec":600,"wait":"timed"}}' |
	timeout 1 socat - "UNIX-CONNECT:$MUXBUS"
all='file idle pane task '
until_is 'all is there' "$all" due 0
for by in -7200 7200; do
	kill -9 "$daemon_pid" # a wait that is asked for ends with its peer
	set_clock $by
	restart
	is "the clock is set by $by s: what is stored ends in time" "$(due $by)" "$all"
	is 'so does a wait' "$(resume)" '[] true'
	is 'and is still there' "$(resume)" '[] true'
	set_clock 0
	# At their ends the clock is looked at.
	call sleep "{\"pane\":\"$pane\",\"seconds\":0.1}"
	call watch_log "{\"file_path\":\"$dir/none\",\"timeout_sec\":0.1}"
	until_is 'set while it runs: all follows' "$all" due 0
done

# What began later is later, whatever the clock says, also for the next muxbusd.
first='sleep 1' second='exec sleep 1'
begin() { # begin COMMAND: a job that has ended
	call background_process "{\"command\":\"$1\",\"name\":\"same\"}"
	until_is "job $1 has ended" exited state "$(field .result.id)"
}
state() { # state JOB
	call get_job "{\"job\":\"$1\"}"
	field .result.state
}
order() {
	call list_jobs '{}'
	field '[.result.jobs[].command] | join(",")'
}
own=$(t new-window -dPF '#{pane_id}' "while read -r line; do
	printf '%s\n' \"\$line\" | socat -t 60 - 'UNIX-CONNECT:$MUXBUS' >'$dir/new' && mv '$dir/new' '$dir/turn'
done")
waiting() { # the commands that wait, as that pane is told
	rm -f "$dir/turn"
	t send-keys -t "$own" '{"method":"yield_turn"}' Enter
	tries=0
	while [ ! -s "$dir/turn" ] && [ $((tries += 1)) -lt 100 ]; do
		sleep 0.02
	done
	jq -r '[.result.pending[] | select(.kind == "command").what] | join(",")' "$dir/turn"
}
set_clock 0
begin "$first"
call self_command "{\"pane\":\"$own\",\"command\":\"one\"}"
set_clock -7200
begin "$second"
call self_command "{\"pane\":\"$own\",\"command\":\"two\"}"
until_is 'commands wait in their order' one,two waiting
is 'the clock is set back: jobs are listed as they began' "$(order)" "$first,$second"
kill -9 "$daemon_pid"
restart
is 'so are those of the store' "$(order)" "$first,$second"
until_is 'so are the commands' one,two waiting
call get_job '{"job":"same"}'
is 'a name means the latest' "$(field .result.command)" "$second"
kill -9 "$daemon_pid"
set_clock 7200
restart
until_is 'the clock is set forward: the commands still wait' one,two waiting
set_clock 0

# A file of the audit is half of audit_days old at most, also if it began in a wrong year.
age() { # age SECONDS: a line of the audit at that time; which file has it
	set_clock "$1"
	call send_text "{\"pane\":\"$pane\",\"text\":\"x\"}"
	stat -c %i "$dir"/muxbus/tmux-*/audit
}
age 0 >/dev/null
future=$(age 100000000)
is 'the clock is set back: the audit goes on' "$(age 0)" "$future"
ok 'half of its days later it has another file' [ "$(age 50000)" != "$future" ]
set_clock 0

# The result of a named wait is kept for an hour, however many timers ring meanwhile.
printf '%s\n' '{"method":"wait_for","params":{"any":[{"sec":0.5}],"timeout_sec":600,"wait":"over"}}' |
	timeout 0.3 socat - "UNIX-CONNECT:$MUXBUS"
sleep 0.5
for by in '0 3000' '0 4000'; do
	set_clock "$by"
	call sleep "{\"pane\":\"$pane\",\"seconds\":0.1}"
	sleep 0.5
done
call wait_for '{"wait":"over","timeout_sec":0.1}'
is 'the result of a wait goes after an hour in which timers ring' \
	"$(field '.result.matched // "gone"')" gone

# A person who is at a pane is not there for hours after the clock was set back.
trap 'tmux -S "$dir/outer" kill-server; finish' EXIT
tmux -S "$dir/outer" -f /dev/null new-session -d "exec env -u TMUX TERM=screen tmux -S '$dir/tmux' attach"
human() {
	call list_panes '{}'
	field 'any(.result.panes[]; .human)'
}
until_is 'a person is at a pane' true human
set_clock '-7200 4000'
until_is 'the clock is set back: not for two hours' false human
end_testing
