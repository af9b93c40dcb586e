#!/bin/sh
# SPDX-License-Identifier: ISC
# tmux lives through a random walk of its commands with muxbusd as without it: at rest, and while panes are followed.
# MUXBUS_WALK and MUXBUS_WALK_STEPS: make check-harmless has every version and mode, and 2,000 commands.
. "${MUXBUS_SRCDIR:-.}/tests/tap.sh"
need tmux
[ -x "${MUXBUS_BUILDDIR:-.}/muxbusd" ] || skip_all 'muxbusd is not built'
need_python
PYTHONDONTWRITEBYTECODE=1 exec /usr/bin/python3 "${MUXBUS_SRCDIR:-.}/tests/live/harmless_walk.py"
