#!/bin/sh
# SPDX-License-Identifier: ISC
# A random walk of hosts that come and go under a fleet, which is compared with its hosts: see fleet_walk.py.
# MUXBUS_WALK_SEC is its length, MUXBUS_SEED the walk.
. "$MUXBUS_SRCDIR/tests/tap.sh"
for program in /usr/bin/python3 tmux; do
	command -v $program >/dev/null || skip_all "$program is not installed"
done
/usr/bin/python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null ||
	skip_all 'there is no /usr/bin/python3 of 3.9 or later'
PYTHONDONTWRITEBYTECODE=1 exec /usr/bin/python3 -W error "$MUXBUS_SRCDIR/tests/live/fleet_walk.py" "${MUXBUS_WALK_SEC:-6}" $MUXBUS_SEED
