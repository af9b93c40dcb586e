#!/bin/sh
# SPDX-License-Identifier: ISC
# The shared library shows exactly the functions that the public header declares.

. "${MUXBUS_SRCDIR:-.}/tests/check.sh"
need nm
library=$builddir/.libs/libmuxbus.so
[ -e "$library" ] || skip_all 'no shared library was built'

work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

# Comments go first, then each declaration comes on a line of its own.
sed -e 's|/\*.*\*/||' -e '/^[ \t]*\/\*/,/\*\//d' -e '/^#/d' "$srcdir/include/muxbus.h" |
	tr '\n' ' ' | tr ';' '\n' |
	sed -n 's/.*MUXBUS_API[^(]*[ *]\(muxbus_[a-z0-9_]*\)[ ]*(.*/\1/p' | sort >"$work/declared"
nm -D --defined-only "$library" | awk '{ print $NF }' | sort >"$work/shown"

check 'the header declares functions' "$([ -s "$work/declared" ] || echo 'none found')"
check 'each is declared once' "$(uniq -d "$work/declared")"
check 'what is declared is in the library' "$(comm -23 "$work/declared" "$work/shown")"
check 'what the library shows is declared' "$(comm -13 "$work/declared" "$work/shown")"
check 'none lacks MUXBUS_API' \
	"$(grep -E '^[a-z].*[ *]muxbus_[a-z0-9_]* *\(' "$srcdir/include/muxbus.h" | grep -v '^typedef')"

done_checking
