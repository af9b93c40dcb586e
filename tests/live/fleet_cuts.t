#!/bin/sh
# SPDX-License-Identifier: ISC
# A fleet of machines, each with sshd, tmux and muxbusd, whose links are cut at random; and what was lost.
# MUXBUS_CUTS and MUXBUS_FLEET_HOSTS: make check-fleet has 1000 cuts of 10 machines.
skip() {
	echo "1..0 # SKIP $1"
	exit 0
}
PATH=$PATH:/usr/sbin
for program in ssh ssh-keygen "${MUXBUS_SSHD:-sshd}" tmux; do
	command -v "$program" >/dev/null || skip "$program is not installed"
done
/usr/bin/python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null ||
	skip 'there is no /usr/bin/python3 of 3.9 or later'
/usr/bin/python3 -c 'import socket; socket.socket().bind(("127.0.0.11", 0))' 2>/dev/null ||
	skip 'this machine has no addresses 127.0.0.11 and more'
PYTHONDONTWRITEBYTECODE=1 exec /usr/bin/python3 "${MUXBUS_SRCDIR:-.}/tests/live/fleet_cuts.py"
