#!/bin/sh
# SPDX-License-Identifier: ISC
# The shared library shows exactly the functions that the public header declares, each with the
# version that src/lib/libmuxbus.map gives it.

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
nm -D --defined-only "$library" | awk '$2 != "A" { print $NF }' | sort >"$work/versions"
sed 's/@.*//' "$work/versions" >"$work/shown"

check 'the header declares functions' "$([ -s "$work/declared" ] || echo 'none found')"
check 'each is declared once' "$(uniq -d "$work/declared")"
check 'what is declared is in the library' "$(comm -23 "$work/declared" "$work/shown")"
check 'what the library shows is declared' "$(comm -13 "$work/declared" "$work/shown")"
check 'each has a version of its release' "$(awk '
	/^MUXBUS_/ { version = $1 }
	/^\tmuxbus_/ { sub(/;/, "", $1); print $1 "@@" version }' "$srcdir/src/lib/libmuxbus.map" |
	sort | diff - "$work/versions")"
check 'none lacks MUXBUS_API' \
	"$(grep -E '^[a-z].*[ *]muxbus_[a-z0-9_]* *\(' "$srcdir/include/muxbus.h" | grep -v '^typedef')"

done_checking
