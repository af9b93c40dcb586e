#!/bin/sh
# SPDX-License-Identifier: ISC
# A fleet of machines, each with sshd, tmux and muxbusd, whose links are cut at random; and what was lost.
# MUXBUS_CUTS and MUXBUS_FLEET_HOSTS: make check-fleet has 1000 cuts of 10 machines.
. "${MUXBUS_SRCDIR:-.}/tests/tap.sh"
PATH=$PATH:/usr/sbin
need ssh ssh-keygen "${MUXBUS_SSHD:-sshd}" tmux
need_python
/usr/bin/python3 -c 'import socket; socket.socket().bind(("127.0.0.11", 0))' 2>/dev/null ||
	skip_all 'this machine has no addresses 127.0.0.11 and more'
PYTHONDONTWRITEBYTECODE=1 exec /usr/bin/python3 "${MUXBUS_SRCDIR:-.}/tests/live/fleet_cuts.py"
