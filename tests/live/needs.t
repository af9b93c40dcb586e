#!/bin/sh
# SPDX-License-Identifier: ISC
# When all programs have gone, muxbusd needs nothing of tmux any more: see needs.py.
# MUXBUS_NEEDS_ROUNDS is the number of rounds, MUXBUS_SEED the walk.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
need_python
MUXBUS_TEST_ATTACH=used
start 'exec cat'
PID=$(ask '{"method":"status"}' | jq .result.pid)
export dir PID PYTHONDONTWRITEBYTECODE=1
/usr/bin/python3 -W error "$MUXBUS_SRCDIR/tests/live/needs.py" "${MUXBUS_NEEDS_ROUNDS:-4}" $MUXBUS_SEED
status=$?
[ $status -eq 0 ] || sed 's/^/# muxbusd: /' "$dir/muxbusd.log"
exit $status
