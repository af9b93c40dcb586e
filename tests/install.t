#!/bin/sh
# SPDX-License-Identifier: ISC
# make install puts each file in its place below DESTDIR, and make uninstall removes each.

. "${MUXBUS_SRCDIR:-.}/tests/check.sh"
need make
[ -x "$builddir/muxbusd" ] || skip_all 'muxbusd is not built'
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# make as a person runs it, outside of make check.
run_make() {
	env -u MAKEFLAGS -u MAKELEVEL make -s -C "$builddir" DESTDIR="$work/root" "$@" >"$work/log" 2>&1 ||
		cat "$work/log"
}
# variable NAME: of the Makefile, with all that it refers to.
variable() {
	printf 'include Makefile\nprint-%s:\n\t@echo $(%s)\n' "$1" "$1" >"$work/print.mk"
	(cd "$builddir" && env -u MAKEFLAGS -u MAKELEVEL make -s -f "$work/print.mk" "print-$1")
}
installed() {
	(cd "$work/root" && find . ! -type d) | sed 's|^\.||' | sort
}

check 'make install succeeds' "$(run_make install)"
# A part of make distcheck: programs have --help and --version.
check 'make installcheck succeeds' "$(LD_LIBRARY_PATH=$work/root$(variable libdir) run_make installcheck)"
installed >"$work/installed"

bindir=$(variable bindir)
libdir=$(variable libdir)
pkgdatadir=$(variable pkgdatadir)
unitdir=$(variable systemduserunitdir)
nats=$([ ! -x "$builddir/muxbus-nats" ] || echo yes) # --with-nats
{
	printf "$bindir/%s\n" muxbus muxbusd
	echo "$(variable includedir)/muxbus.h"
	printf "$(variable pkglibexecdir)/%s\n" muxbus-job muxbus-tools
	(cd "$builddir/.libs" && find . -name 'libmuxbus.so*' | sed "s|^\.|$libdir|")
	echo "$libdir/libmuxbus.la"
	echo "$(variable pkgconfigdir)/muxbus.pc"
	[ -z "$nats" ] || echo "$bindir/muxbus-nats"
	manual_pages | sed -n 's|.*/\(.*\.\(.\)\)$|man\2/\1|p' |
		grep -v -x -e "man8/${nats:-muxbus-nats\.8}" |
		sed "s|^|$(variable mandir)/|"
	echo "$(variable bashcompletiondir)/muxbus"
	echo "$(variable zshcompletiondir)/_muxbus"
	echo "$(variable fishcompletiondir)/muxbus.fish"
	docdir=$(variable docdir)
	printf "$docdir/%s\n" NEWS README SECURITY
	(cd "$srcdir/contrib" && find . -maxdepth 1 -name 'CHANGES.*') | sed "s|^\.|$docdir|"
	printf "$unitdir/%s\n" muxbusd@.service muxbusd@.socket
	(cd "$srcdir/contrib/tools" && find . -type f ! -path '*/__pycache__/*') |
		sed "s|^\.|$(variable toolsdir)|"
	# All of contrib for users: the rest serves those who build or change Muxbus.
	(cd "$srcdir" && find contrib -type f ! -path 'contrib/completions/*' ! -path 'contrib/tools/*' \
		! -path 'contrib/systemd/muxbusd@*' ! -name 'CHANGES.*' ! -path 'contrib/abi/*' ! -path 'contrib/debian/*' \
		! -path 'contrib/oss-fuzz/*' ! -name SECURITY ! -name server.json \
		! -path 'contrib/pictures/*' ! -name bench.md ! -name agents.md ! -name "make-*" ! -name setup) | sed "s|^|$pkgdatadir/|"
	echo "$pkgdatadir/contrib/bindings/python/muxbus/methods.py"
} | sort -u >"$work/wanted"
check 'each file that should be installed is' "$(comm -13 "$work/installed" "$work/wanted")"
check 'and no other' "$(comm -23 "$work/installed" "$work/wanted")"

check 'a file is a program in its place if it is one in the tree' "$(
	(cd "$srcdir" && find contrib -type f -perm -100) | while read -r file; do
		[ ! -e "$work/root$pkgdatadir/$file" ] || [ -x "$work/root$pkgdatadir/$file" ] || echo "$file"
	done)"
check 'the service starts the installed muxbusd' \
	"$(grep '^ExecStart=' "$work/root$unitdir/muxbusd@.service" | grep -v -x "ExecStart=$bindir/muxbusd -f -L %i")"

check 'make uninstall succeeds' "$(run_make uninstall)"
check 'and leaves no file' "$(installed)"
check 'and no directory of its own' "$(find "$work/root" -type d -name muxbus)"

# Otherwise the first muxbusd after an installation is one that finds no library.
mkdir "$work/bin"
printf '#!/bin/sh\n[ "${0##*/}" = id ] && echo 0 || echo "ldconfig$*" >>"%s"\n' "$work/asked" >"$work/bin/ldconfig"
chmod +x "$work/bin/ldconfig"
ln -s ldconfig "$work/bin/id"
check 'the loader of this machine hears of the library' "$(
	PATH=$work/bin:$PATH run_make DESTDIR= install-exec-hook
	cat "$work/asked" 2>&1 | grep -v -x ldconfig)"
check 'for a package it does not' "$(PATH=$work/bin:$PATH run_make install-exec-hook
	sed 1d "$work/asked")"

run_make install prefix="$work/a b" | head -n 1 >"$work/said"
check 'a prefix with a blank is refused before anything is installed' \
	"$(grep -v 'must have no blanks' "$work/said"; ls -d "$work/root$work/a b" "$work/root$work/a" 2>/dev/null; [ -s "$work/said" ] || echo 'no reason')"

done_checking
