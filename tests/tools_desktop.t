#!/bin/sh
# SPDX-License-Identifier: ISC
# contrib/tools: the desktop, on an X server and a session bus of the test's own.
# With MUXBUS_NEED_TOOLS (make check-tools) an absent program is a failure.

cannot() {
	[ -z "${MUXBUS_NEED_TOOLS:-}" ] || { echo "Bail out! $1"; exit 1; }
	echo "1..0 # SKIP $1"
	exit 0
}
for program in Xvfb xdotool import scrot xclip xterm zenity dbus-run-session; do
	command -v $program >/dev/null || cannot "$program is not installed"
done
# The Python of the system: another one does not know its packages.
/usr/bin/python3 -c '
import gi
gi.require_version("Gtk", "3.0")
gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, Gtk' 2>/dev/null || cannot 'Python has no GTK 3 and AT-SPI (python3-gi, gir1.2-gtk-3.0, gir1.2-atspi-2.0)'
[ -x /usr/libexec/at-spi-bus-launcher ] || cannot 'at-spi2-core is not installed'
unset DISPLAY WAYLAND_DISPLAY DBUS_SESSION_BUS_ADDRESS XDG_RUNTIME_DIR AT_SPI_BUS_ADDRESS
export PYTHONDONTWRITEBYTECODE=1
# The programs of the bus write to their standard output and error.
exec dbus-run-session -- sh -c 'exec 1>&3 2>&4; exec /usr/bin/python3 "$0"' "${MUXBUS_SRCDIR:-.}/tests/tools_desktop.py" \
	3>&1 4>&2 1>/dev/null 2>/dev/null
