#!/bin/sh
# SPDX-License-Identifier: ISC
# Calls of any kind through the socket for readers change nothing: see role_fuzz.py.
# MUXBUS_ROLE_CALLS=1000000 is the long form.
. "${MUXBUS_SRCDIR:-.}/tests/live/live.sh"

need python3
readers=$(mktemp -u /tmp/mbt-readers-XXXXXX)
start 'exec cat'
t split-window -d 'exec cat'
t new-window -d 'exec sh'
# What there is to change: a job that has ended, a timer, a watch, notifications, an agent.
call run_long_command '{"command":"exit 2","pane":"%0","name":"fix"}'
call sleep '{"seconds":36000,"pane":"%1"}'
call watch_log "{\"file_path\":\"$dir/watched\",\"regex\":\"x\",\"pane\":\"%1\"}"
call post_notification '{"text":"unread"}'
call report_agent '{"agent":"fix","pane":"%2","session":"s1","state":"idle"}'
until_is 'the job has ended' 2 sh -c "printf '%s\n' '{\"method\":\"list_jobs\",\"params\":{\"all\":true}}' | socat -t 60 - 'UNIX-CONNECT:$MUXBUS' | jq '.result.jobs[0].exit_code'" >/dev/null
export dir MUXBUS READERS="$readers" PYTHONDONTWRITEBYTECODE=1
python3 -W error "$MUXBUS_SRCDIR/tests/live/role_fuzz.py" "${MUXBUS_ROLE_CALLS:-4000}"
status=$?
[ $status -eq 0 ] || sed 's/^/# muxbusd: /' "$dir/muxbusd.log"
exit $status
