#!/bin/sh
# SPDX-License-Identifier: ISC
# The servers of the MCP project, asked directly and through muxbusd: the same answers. They are not
# installed for this; $MUXBUS_MCP_SERVERS is a folder where `npm install` has put them:
# @modelcontextprotocol/server-everything, -filesystem, -memory and -sequential-thinking.
[ -d "$MUXBUS_MCP_SERVERS/node_modules/.bin" ] || { echo '1..0 # SKIP MUXBUS_MCP_SERVERS is no folder of servers'; exit 0; }
. "$MUXBUS_SRCDIR/tests/live/live.sh"
need_python
export MUXBUS_TOOLS=/nonexistent
start 'exec cat'
export MUXBUS_TOOLS="$dir/shipped" MUXBUS dir PYTHONDONTWRITEBYTECODE=1
mkdir -m 755 "$dir/shipped"
kill_daemon
PYTHONPATH=$MUXBUS_SRCDIR/tests /usr/bin/python3 -W error "$MUXBUS_SRCDIR/tests/live/real_servers.py"
