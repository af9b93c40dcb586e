#!/bin/sh
# SPDX-License-Identifier: ISC
# A fleet whose hosts answer late, or are two names of one daemon, or have lost their state.
. "$MUXBUS_SRCDIR/tests/tap.sh"
need tmux
need_python
PYTHONDONTWRITEBYTECODE=1 exec /usr/bin/python3 "${MUXBUS_SRCDIR:-.}/tests/live/fleet_late.py" "$@"
