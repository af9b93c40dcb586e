#!/bin/sh
# SPDX-License-Identifier: ISC
# Programs that were compiled with the recorded library run with this one: no function was
# removed, and no public type or parameter was changed. Additions are welcome.
#
# tests/check-abi.sh --write records this library in contrib/abi: at a release, with its
# -version-info.

. "${MUXBUS_SRCDIR:-.}/tests/check.sh"
need abidw abidiff readelf
record=$srcdir/contrib/abi/libmuxbus.so.0.abi
library=$builddir/.libs/libmuxbus.so
[ -e "$library" ] || skip_all 'no shared library was built'
readelf -S "$library" | grep -q '\.debug_info' || skip_all 'the library was built without -g'
[ "$(uname -m)" = x86_64 ] || skip_all 'the record is of x86_64'

# describe FILE: the public types and functions, without the paths of this machine.
describe() {
	abidw --drop-private-types --headers-dir "$srcdir/include" --no-comp-dir-path \
		--no-corpus-path --no-show-locs --out-file "$1" "$library"
}

if [ "${1:-}" = --write ]; then
	describe "$record"
	exit
fi

work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
check 'the library can be described' "$(describe "$work/abi" 2>&1)"
check 'its ABI is that of contrib/abi, or has more' \
	"$(abidiff --no-added-syms "$record" "$work/abi" >"$work/changes" 2>&1 || {
		cat "$work/changes"
		echo 'Release it with another -version-info, and describe it in contrib/CHANGES.library.'
	})"
check 'it has the SONAME of the record' "$(readelf -d "$library" | grep SONAME |
	grep -v -F "[$(sed -n "s/.* soname='\([^']*\)'.*/\1/p" "$record")]")"

done_checking
