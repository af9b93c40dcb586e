#!/bin/sh
# SPDX-License-Identifier: ISC
# kill -9 at each call by which muxbusd changes its files: see crash_points.py.
# MUXBUS_CRASHES=0 is the long form: each call, before it, in its midst and failing.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
need python3
start 'exec cat'
kill "$daemon_pid"
wait "$daemon_pid"
export dir PYTHONDONTWRITEBYTECODE=1
python3 -W error "$MUXBUS_SRCDIR/tests/live/crash_points.py" "${MUXBUS_CRASHES:-24}" $MUXBUS_SEED
status=$?
[ $status -eq 0 ] || sed 's/^/# muxbusd: /' "$dir/muxbusd.log"
exit $status
