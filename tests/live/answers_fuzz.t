#!/bin/sh
# SPDX-License-Identifier: ISC
# A daemon that answers anything to the command line. MUXBUS_FUZZ_SEC and MUXBUS_FUZZ_SEED: see answers_fuzz.py.
command -v tmux >/dev/null || { echo '1..0 # SKIP tmux is not installed'; exit 0; }
/usr/bin/python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null ||
	{ echo '1..0 # SKIP there is no /usr/bin/python3 of 3.9 or later'; exit 0; }
PYTHONDONTWRITEBYTECODE=1 exec /usr/bin/python3 "${MUXBUS_SRCDIR:-.}/tests/live/answers_fuzz.py"
