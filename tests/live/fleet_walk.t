#!/bin/sh
# SPDX-License-Identifier: ISC
# A random walk of hosts that come and go under a fleet, which is compared with its hosts: see fleet_walk.py.
# MUXBUS_WALK_SEC is its length, MUXBUS_SEED the walk.
. "$MUXBUS_SRCDIR/tests/tap.sh"
need /usr/bin/python3 tmux
need_python
PYTHONDONTWRITEBYTECODE=1 exec /usr/bin/python3 -W error "$MUXBUS_SRCDIR/tests/live/fleet_walk.py" "${MUXBUS_WALK_SEC:-6}" $MUXBUS_SEED
