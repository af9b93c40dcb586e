#!/bin/sh
# SPDX-License-Identifier: ISC
# Runs a test: tests/alone.sh COMMAND ARGUMENT... A program of ours or a tmux that outlives its test
# by 10 s is a fault: it takes time from all tests behind it. It is reported, and the status is 1.
# What else the test has left, such as the program of a pane, is killed too.
#
# A variable in the environment says to which test a process belongs: daemons and programs in panes
# keep it, and other tests may run at the same time.

run=$$-$(date +%s%N)

# left [ours]: the processes of this test that have not ended. A zombie has no environment.
left() {
	grep -l -s -z "^MUXBUS_TEST_RUN=$run\$" /proc/[0-9]*/environ | tr -dc '0-9\n' | while read -r pid; do
		case "${1:-all} $(readlink "/proc/$pid/exe")" in
		all\ * | *\ "${MUXBUS_BUILDDIR:-/nowhere}"/* | *\ */tmux*) echo "$pid" ;;
		esac
	done
}

MUXBUS_TEST_RUN=$run "$@"
status=$?

tries=100
while ours=$(left ours) && [ -n "$ours" ] && [ $tries -gt 0 ]; do
	tries=$((tries - 1))
	sleep 0.1
done
if [ -n "$ours" ]; then
	# time: of the processor, [DAYS-]HOURS:MINUTES:SECONDS
	ps -ww -o pid=,time=,args= -p "$(echo "$ours" | paste -s -d ,)" | cut -c1-200 | sed 's/^/# left behind: /'
	[ $status -ne 0 ] || status=1
fi
for pid in $(left); do
	kill -9 "$pid" 2>/dev/null
done
exit $status
