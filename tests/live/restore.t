#!/bin/sh
# SPDX-License-Identifier: ISC
# Sessions are saved, and made again by muxbus restore: tests/live/restore.py. MUXBUS_RESTORES:
# how many random servers; make check-restore has 50.
skip() {
	echo "1..0 # SKIP $1"
	exit 0
}
command -v tmux >/dev/null || skip 'tmux is not installed'
/usr/bin/python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null ||
	skip 'there is no /usr/bin/python3 of 3.9 or later'
PYTHONDONTWRITEBYTECODE=1 exec /usr/bin/python3 "${MUXBUS_SRCDIR:-.}/tests/live/restore.py"
