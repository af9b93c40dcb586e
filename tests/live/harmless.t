#!/bin/sh
# SPDX-License-Identifier: ISC
# What users of tmux see is the same with muxbusd as without it, but for what a table names with its reason.
# MUXBUS_HARMLESS and MUXBUS_HARMLESS_ROUNDS: make check-harmless has every version and mode.
skip() {
	echo "1..0 # SKIP $1"
	exit 0
}
command -v tmux >/dev/null || skip 'tmux is not installed'
[ -x "${MUXBUS_BUILDDIR:-.}/muxbusd" ] || skip 'muxbusd is not built'
/usr/bin/python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null ||
	skip 'there is no /usr/bin/python3 of 3.9 or later'
PYTHONDONTWRITEBYTECODE=1 exec /usr/bin/python3 "${MUXBUS_SRCDIR:-.}/tests/live/harmless.py"
