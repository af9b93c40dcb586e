#!/bin/sh
# SPDX-License-Identifier: ISC
# Sessions are saved, and made again by muxbus restore: tests/live/restore.py. MUXBUS_RESTORES:
# how many random servers; make check-restore has 50.
. "${MUXBUS_SRCDIR:-.}/tests/tap.sh"
need tmux
need_python
PYTHONDONTWRITEBYTECODE=1 exec /usr/bin/python3 "${MUXBUS_SRCDIR:-.}/tests/live/restore.py"
