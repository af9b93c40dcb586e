#!/bin/sh
# SPDX-License-Identifier: ISC
# A host that sends anything to a fleet. MUXBUS_FUZZ_SEC and MUXBUS_FUZZ_SEED: see fleet_fuzz.py.
. "$MUXBUS_SRCDIR/tests/tap.sh"
need tmux socat
need_python
PYTHONDONTWRITEBYTECODE=1 exec /usr/bin/python3 "${MUXBUS_SRCDIR:-.}/tests/live/fleet_fuzz.py"
