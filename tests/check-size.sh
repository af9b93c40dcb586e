#!/bin/sh
# SPDX-License-Identifier: ISC
# No file of more than 700 lines (800 in tests), no folder of more than 40 files, no function of more
# than 60 lines (80 in tests). The code is laid out by clang-format, so a function's braces are the
# only ones that stand alone in column one.

. "${MUXBUS_SRCDIR:-.}/tests/check.sh"
cd "$srcdir" || exit 99

# shellcheck disable=SC2046
{
	check 'no file has more than 700 lines, or 800 in tests' "$(awk '
	FNR == 1 { max = FILENAME ~ /^tests\// ? 800 : 700 }
	FNR > max && seen[FILENAME]++ == 0 { print FILENAME ": more than " max " lines" }' $(sources src tests))"

	check 'no folder of src has more than 40 files of C' "$(sources src | sed 's,/[^/]*$,,' |
		sort | uniq -c | awk '$1 > 40 { print $2 ": " $1 " files" }')"

	long=$(awk '
	FNR == 1 { start = 0; max = FILENAME ~ /^tests\// ? 80 : 60 }
	/^[A-Za-z_].*\(/ { name = $0; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name) }
	/^\{$/ { start = FNR }
	/^\}$/ && start {
		if (FNR - start + 1 > max)
			print FILENAME ":" start ": " name "() has " FNR - start + 1 " lines"
		start = 0
	}' $(sources src tests))
	check 'no function has more than 60 lines, or 80 in tests' "$long"

	check 'every file begins with its licence' "$(awk '
	FNR == 1 && $0 != "/* SPDX-License-Identifier: ISC */" { print FILENAME }' $(sources include src tests))"

	check 'every file says in its second line what it is, or its header does' "$(awk '
	FNR == 2 && !/^\/\*/ { print FILENAME }' $(sources include src tests) | while read -r file; do
		header=${file%.c}.h
		[ "$header" != "$file" ] && [ -e "$header" ] || echo "$file"
	done)"
}

done_checking
