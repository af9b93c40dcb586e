#!/bin/sh
# SPDX-License-Identifier: ISC
# Requests that are wrong by the schemas of describe: see schema_requests.py.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
need python3
start 'exec cat'
PYTHONDONTWRITEBYTECODE=1 python3 -W error "$MUXBUS_SRCDIR/tests/live/schema_requests.py"
