#!/bin/sh
# SPDX-License-Identifier: ISC
# A daemon that answers anything to the command line. MUXBUS_FUZZ_SEC and MUXBUS_FUZZ_SEED: see answers_fuzz.py.
. "$MUXBUS_SRCDIR/tests/tap.sh"
need tmux
need_python
PYTHONDONTWRITEBYTECODE=1 exec /usr/bin/python3 "${MUXBUS_SRCDIR:-.}/tests/live/answers_fuzz.py"
