#!/bin/sh
# SPDX-License-Identifier: ISC
# contrib/tools: the browser, driven as its MCP server on standard input and output.
# With MUXBUS_NEED_TOOLS (make check-tools) an absent program is a failure.

cannot() {
	[ -z "${MUXBUS_NEED_TOOLS:-}" ] || { echo "Bail out! $1"; exit 1; }
	echo "1..0 # SKIP $1"
	exit 0
}
/usr/bin/python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null ||
	cannot 'there is no /usr/bin/python3 of 3.9 or later'
command -v chromium >/dev/null || command -v google-chrome >/dev/null || cannot 'chromium is not installed'
tools=${MUXBUS_SRCDIR:-.}/contrib/tools
"$tools/browser_server" --installed || cannot "playwright-core is not installed: $tools/browser_server --install"
PYTHONDONTWRITEBYTECODE=1 exec /usr/bin/python3 "${MUXBUS_SRCDIR:-.}/tests/tools_browser.py"
