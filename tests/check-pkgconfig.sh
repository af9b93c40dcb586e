#!/bin/sh
# SPDX-License-Identifier: ISC
# A program outside this tree can be built with the installed library and pkg-config, and works.

. "${MUXBUS_SRCDIR:-.}/tests/check.sh"
need make pkg-config
work=$(mktemp -d) || exit 99
tmux_socket=$work/tmux
trap '[ ! -e "$tmux_socket" ] || tmux -S "$tmux_socket" kill-server; rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

libdir=$(pkg-config --variable=libdir "$builddir/muxbus.pc")
env -u MAKEFLAGS -u MAKELEVEL make -s -C "$builddir" DESTDIR="$work" \
	install-libLTLIBRARIES install-includeHEADERS install-pkgconfigDATA >"$work/log" 2>&1
check 'make install puts library, header and muxbus.pc there' \
	"$(for file in "$libdir/libmuxbus.so" "$libdir/pkgconfig/muxbus.pc"; do
		[ -e "$work$file" ] || cat "$work/log"
	done)"

PKG_CONFIG_PATH=$work$libdir/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
PKG_CONFIG_SYSROOT_DIR=$work
export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
version=$(sed -n 's/^#define PACKAGE_VERSION "\(.*\)"/\1/p' "$builddir/config.h")
check 'pkg-config knows the version' \
	"$(pkg-config --modversion muxbus 2>&1 | grep -v -x -F "$version")"
check 'the header too' "$(sed -n 's/^#define MUXBUS_VERSION_[A-Z]* \([0-9]*\)$/\1/p' \
	"$work$(pkg-config --variable=includedir "$builddir/muxbus.pc")/muxbus.h" |
	paste -s -d . | grep -v -x -F "$version")"
for example in list run; do
	# shellcheck disable=SC2046,SC2086
	${MUXBUS_CC:-cc} -std=c11 -Wall -Wextra -Werror "$srcdir/contrib/example/$example.c" \
		$(pkg-config --cflags --libs muxbus) -o "$work/$example" >"$work/log" 2>&1
	check "the example $example.c compiles with what pkg-config says" \
		"$([ -x "$work/$example" ] || cat "$work/log")"
	if ! command -v c++ >/dev/null; then
		checks=$((checks + 1))
		echo "ok $checks - $example.c as C++ # SKIP no c++"
		continue
	fi
	# C++ warns of members that are left out, which are zero.
	# shellcheck disable=SC2046
	check "$example.c is C++ as well" "$(c++ -x c++ -std=c++20 -Wall -Wextra -Werror \
		-Wno-missing-field-initializers -fsyntax-only "$srcdir/contrib/example/$example.c" \
		$(pkg-config --cflags muxbus) 2>&1)"
done

if ! command -v tmux >/dev/null; then
	checks=$((checks + 1))
	echo "ok $checks # SKIP no tmux"
	done_checking
fi
tmux -S "$tmux_socket" -f /dev/null new-session -d -x 80 -y 24 cat
# The pane's shell takes a moment to become cat.
tries=0
until [ "$(tmux -S "$tmux_socket" display-message -p '#{pane_current_command}')" = cat ] ||
	[ $tries -eq 100 ]; do
	tries=$((tries + 1))
	sleep 0.05
done
TMUX=$(tmux -S "$tmux_socket" display-message -p '#{socket_path},#{pid},0')
export TMUX
# try EXAMPLE PATTERN
try() {
	LD_LIBRARY_PATH=$work$libdir timeout 20 "$work/$1" >"$work/panes" 2>"$work/log"
	check "the example $1.c lists the panes of a tmux server" \
		"$(grep -q -x "$2" "$work/panes" || cat "$work/panes" "$work/log")"
}
try list '%0 80x[0-9]* cat'
try run '%0 cat'

done_checking
