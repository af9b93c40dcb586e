#!/bin/sh
# SPDX-License-Identifier: ISC
# A random walk of posts, consumers and acknowledgements: see notice_walk.py.
# MUXBUS_WALK_SEC is its length, MUXBUS_SEED the walk.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
need_python
daemon_options='-o ack_wait_ms=150 -o result_bytes=150000'
start 'exec cat'
export dir PYTHONDONTWRITEBYTECODE=1
/usr/bin/python3 -W error "$MUXBUS_SRCDIR/tests/live/notice_walk.py" "${MUXBUS_WALK_SEC:-5}" $MUXBUS_SEED
status=$?
[ $status -eq 0 ] || sed 's/^/# muxbusd: /' "$dir/muxbusd.log"
exit $status
