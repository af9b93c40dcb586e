#!/bin/sh
# SPDX-License-Identifier: ISC
# The wall clock is set while muxbusd runs: what was to end after a time ends after that time.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
need bash
start 'exec cat'

set_clock() { # set_clock SECONDS: how far the clock of muxbusd is from the true one
	printf '%-16d' "$1" | dd of="$dir/set" conv=notrunc 2>/dev/null
}
set_clock 0
export SET_CLOCK="$dir/set" ASAN_OPTIONS="$ASAN_OPTIONS:verify_asan_link_order=0"
(
	export LD_PRELOAD="$MUXBUS_BUILDDIR/tests/live/.libs/late_clock.so"
	"$MUXBUS_BUILDDIR/muxbusd" --version >/dev/null 2>&1
) || skip_all 'nothing can be preloaded'
LD_PRELOAD="$MUXBUS_BUILDDIR/tests/live/.libs/late_clock.so"
export LD_PRELOAD
kill_daemon
unset LD_PRELOAD
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
end_testing
