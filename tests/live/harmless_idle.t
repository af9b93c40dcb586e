#!/bin/sh
# SPDX-License-Identifier: ISC
# Persons in the midst of something see nothing of requests, waits and pipes, and go on where they were.
# MUXBUS_IDLE: make check-harmless has every version.
. "${MUXBUS_SRCDIR:-.}/tests/tap.sh"
need tmux
[ -x "${MUXBUS_BUILDDIR:-.}/muxbusd" ] || skip_all 'muxbusd is not built'
need_python
PYTHONDONTWRITEBYTECODE=1 exec /usr/bin/python3 "${MUXBUS_SRCDIR:-.}/tests/live/harmless_idle.py"
