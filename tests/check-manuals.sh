#!/bin/sh
# SPDX-License-Identifier: ISC
# mandoc has no warning about the manual pages, and the page of the library is complete.

. "${MUXBUS_SRCDIR:-.}/tests/check.sh"
need mandoc
cd "$srcdir" || exit 99

# A referenced page need not be installed.
pages=$(find src -name '*.[1-9]' | sort)
[ -n "$pages" ] || skip_all 'no manual page'
for page in $pages; do
	check "$page" "$(mandoc -T lint -W style "$page" 2>&1 |
		grep -v -e 'referenced manual not found' -e 'outdated mandoc.db')"
done

check 'the text of muxbus help is that of muxbus(1) (else: make manual)' "$(
	sh src/cli/verb_text.sh src/cli/muxbus.1 | diff src/cli/verb_text.inc - | head -n 20
)"

# The library's page has each function of the header, and the example that is compiled.
page=src/lib/muxbus.3
check 'muxbus(3) describes each function' "$(
	grep -o 'muxbus_[a-z0-9_]*(' include/muxbus.h | tr -d '(' | grep -v '_fn$' | sort -u |
		while read -r name; do
			grep -q "^\.It .*Fn $name\( \|$\)\|^\.Fo $name$" "$page" || echo "$name"
		done
)"
check 'the example in muxbus(3) is contrib/example/list.c' "$(
	sed -n '/^\.Sh EXAMPLES/,$p' "$page" | sed -n '/^\.Bd/,/^\.Ed/p' |
		sed -e '/^\.Bd/d' -e '/^\.Ed/d' -e 's/^\\&//' -e 's/\\e/\\/g' |
		diff - contrib/example/list.c
)"

done_checking
