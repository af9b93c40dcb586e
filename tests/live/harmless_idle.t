#!/bin/sh
# SPDX-License-Identifier: ISC
# Persons in the midst of something see nothing of requests, waits and pipes, and go on where they were.
# MUXBUS_IDLE: make check-harmless has every version.
skip() {
	echo "1..0 # SKIP $1"
	exit 0
}
command -v tmux >/dev/null || skip 'tmux is not installed'
[ -x "${MUXBUS_BUILDDIR:-.}/muxbusd" ] || skip 'muxbusd is not built'
/usr/bin/python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null ||
	skip 'there is no /usr/bin/python3 of 3.9 or later'
PYTHONDONTWRITEBYTECODE=1 exec /usr/bin/python3 "${MUXBUS_SRCDIR:-.}/tests/live/harmless_idle.py"
