#!/bin/sh
# SPDX-License-Identifier: ISC
# Files of agents that hold anything. MUXBUS_FUZZ_SEC and MUXBUS_FUZZ_SEED: see setup_fuzz.py.
/usr/bin/python3 -c 'import tomllib' 2>/dev/null ||
	{ echo '1..0 # SKIP there is no /usr/bin/python3 of 3.11 or later'; exit 0; }
PYTHONDONTWRITEBYTECODE=1 exec /usr/bin/python3 "${MUXBUS_SRCDIR:-.}/tests/setup_fuzz.py"
