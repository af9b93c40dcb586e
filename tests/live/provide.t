#!/bin/sh
# SPDX-License-Identifier: ISC
# Methods that peers provide: see provide.py.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
need_python
export MUXBUS_TOOLS=/nonexistent
start 'exec cat'
export MUXBUS_TOOLS="$dir/shipped"
mkdir -m 755 "$dir/shipped"
kill_daemon
export dir daemon_pid PYTHONDONTWRITEBYTECODE=1
PYTHONPATH=$MUXBUS_SRCDIR/tests /usr/bin/python3 -W error "$MUXBUS_SRCDIR/tests/live/provide.py" "$@"
status=$?
[ $status -eq 0 ] || sed 's/^/# muxbusd: /' "$dir/muxbusd.log"
exit $status
