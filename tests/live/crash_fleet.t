#!/bin/sh
# SPDX-License-Identifier: ISC
# kill -9 at each call by which the fleet daemon changes its files: see crash_fleet.py.
# MUXBUS_CRASHES=0 is the long form: each call, before it, in its midst and failing.
. "$MUXBUS_SRCDIR/tests/tap.sh"
need python3 tmux
PYTHONDONTWRITEBYTECODE=1 exec python3 -W error "$MUXBUS_SRCDIR/tests/live/crash_fleet.py" "${MUXBUS_CRASHES:-8}" $MUXBUS_SEED
