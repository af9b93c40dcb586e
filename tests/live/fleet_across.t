#!/bin/sh
# SPDX-License-Identifier: ISC
# A fleet of two machines: merged events, waits, consumers and notify across them.
. "$MUXBUS_SRCDIR/tests/tap.sh"
need tmux
need_python
PYTHONDONTWRITEBYTECODE=1 exec /usr/bin/python3 "${MUXBUS_SRCDIR:-.}/tests/live/fleet_across.py"
