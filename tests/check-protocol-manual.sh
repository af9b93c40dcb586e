#!/bin/sh
# SPDX-License-Identifier: ISC
# muxbus-protocol(7) as make writes it: muxbus-protocol.7.in, with the reference of the tables.

. "${MUXBUS_SRCDIR:-.}/tests/check.sh"
page=$(made src/daemon/muxbus-protocol.7)
[ -x "$builddir/muxbusd" ] || skip_all 'muxbusd is not built'

written=$(sed -e '1,/^\.\\" BEGIN reference/d' -e '/^\.\\" END reference/,$d' "$page")
tables=$("$builddir/muxbusd" describe --mdoc 2>&1)
check 'the reference is that of the tables (else: make)' "$(
	[ "$written" = "$tables" ] && exit
	printf '%s\n' "$written" >"$builddir/written.mdoc"
	printf '%s\n' "$tables" | diff "$builddir/written.mdoc" - | head -n 20
	rm -f "$builddir/written.mdoc"
)"
check 'all else is muxbus-protocol.7.in' "$(
	sed '/^\.\\" BEGIN reference/,/^\.\\" END reference/{/^\.\\" [BE][A-Z]* reference/!d;}' "$page" |
		diff - "$srcdir/src/daemon/muxbus-protocol.7.in" | head -n 20
)"

check 'METHODS BY SUBJECT names each method once' "$(
	sed -n '/^\.Sh METHODS BY SUBJECT/,/^\.El/s/^\.Ic //p' "$page" | tr -d ',' | tr ' ' '\n' |
		grep . | sort >"$builddir/by_subject"
	printf '%s\n' "$tables" | sed -n '/^\.Sh METHODS/,/^\.Sh EFFECTS/s/^\.Ss //p' | sort |
		diff "$builddir/by_subject" -
	rm -f "$builddir/by_subject"
)"

done_checking
