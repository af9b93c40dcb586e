#!/bin/sh
# SPDX-License-Identifier: ISC
# What users of tmux see is the same with muxbusd as without it, but for what a table names with its reason.
# MUXBUS_HARMLESS and MUXBUS_HARMLESS_ROUNDS: make check-harmless has every version and mode.
. "${MUXBUS_SRCDIR:-.}/tests/tap.sh"
need tmux
[ -x "${MUXBUS_BUILDDIR:-.}/muxbusd" ] || skip_all 'muxbusd is not built'
need_python
PYTHONDONTWRITEBYTECODE=1 exec /usr/bin/python3 "${MUXBUS_SRCDIR:-.}/tests/live/harmless.py"
