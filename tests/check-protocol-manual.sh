#!/bin/sh
# SPDX-License-Identifier: ISC
# The reference in muxbus-protocol(7) agrees with the tables. `make manual` renews it.

. "${MUXBUS_SRCDIR:-.}/tests/check.sh"
page=$srcdir/src/daemon/muxbus-protocol.7
[ -x "$builddir/muxbusd" ] || skip_all 'muxbusd is not built'

committed=$(sed -e '1,/^\.\\" BEGIN reference/d' -e '/^\.\\" END reference/,$d' "$page")
tables=$("$builddir/muxbusd" describe --mdoc 2>&1)
check 'the reference is that of the tables (else: make manual)' "$(
	[ "$committed" = "$tables" ] && exit
	printf '%s\n' "$committed" >"$builddir/committed.mdoc"
	printf '%s\n' "$tables" | diff "$builddir/committed.mdoc" - | head -n 20
	rm -f "$builddir/committed.mdoc"
)"

check 'METHODS BY SUBJECT names each method once' "$(
	sed -n '/^\.Sh METHODS BY SUBJECT/,/^\.El/s/^\.Ic //p' "$page" | tr -d ',' | tr ' ' '\n' |
		grep . | sort >"$builddir/by_subject"
	printf '%s\n' "$tables" | sed -n '/^\.Sh METHODS/,/^\.Sh EFFECTS/s/^\.Ss //p' | sort |
		diff "$builddir/by_subject" -
	rm -f "$builddir/by_subject"
)"

done_checking
