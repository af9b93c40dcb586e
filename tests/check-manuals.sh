#!/bin/sh
# SPDX-License-Identifier: ISC
# mandoc has no warning about the manual pages, and the page of the library is complete.

. "${MUXBUS_SRCDIR:-.}/tests/check.sh"
need mandoc
cd "$srcdir" || exit 99
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

# A referenced page need not be installed.
for page in $(manual_pages); do
	check "$page" "$(mandoc -T lint -W style "$page" 2>&1 |
		grep -v -e 'referenced manual not found' -e 'outdated mandoc.db')"
done

# Without the daemon there is no muxbus.
text=$(made src/cli/verb_text.rows)
[ ! -e "$text" ] || check 'the text of muxbus help is that of muxbus(1) (else: make)' "$(
	sh src/cli/verb_text.sh src/cli/muxbus.1 | diff "$text" - | head -n 20
)"

# One page of the library has each function of the header, and names the function under NAME, where
# man looks. libmuxbus(3) has the example that is compiled.
check 'a page describes each function, and only one' "$(
	grep -o 'muxbus_[a-z0-9_]*(' include/muxbus.h | tr -d '(' | grep -v '_fn$' | sort -u |
		while read -r name; do
			found=$(grep -l "^\.It .*Fn $name\( \|$\)\|^\.Fo $name$" src/lib/*.3)
			[ "$(echo "$found" | grep -c .)" = 1 ] || echo "$name: $found"
		done
)"
page=src/lib/libmuxbus.3
check 'each page but libmuxbus(3) has the names of its functions' "$(
	for file in src/lib/muxbus_*.3; do
		sed -n 's/^\.It .*Fn \(muxbus_[a-z0-9_]*\).*/\1/p; s/^\.Fo //p' "$file" | sort >"$work/functions"
		sed -n 's/^\.Nm \(muxbus_[a-z0-9_]*\).*/\1/p' "$file" | sort |
			diff "$work/functions" - >"$work/diff" || sed "s|^|$file: |" "$work/diff"
	done
)"
check 'libmuxbus(3) names each page' "$(for file in src/lib/muxbus_*.3; do
	name=$(basename "$file" .3)
	grep -q "^\.It Xr $name 3$" "$page" || echo "$name"
done)"
check 'the example in libmuxbus(3) is contrib/example/list.c' "$(
	sed -n '/^\.Sh EXAMPLES/,$p' "$page" | sed -n '/^\.Bd/,/^\.Ed/p' |
		sed -e '/^\.Bd/d' -e '/^\.Ed/d' -e 's/^\\&//' -e 's/\\e/\\/g' |
		diff - contrib/example/list.c
)"

done_checking
