#!/bin/sh
# SPDX-License-Identifier: ISC
# No file of more than 800 lines, no function of more than 60 (80 in tests). The code is laid
# out by clang-format, so a function's braces are the only ones that stand alone in column one.

. "${MUXBUS_SRCDIR:-.}/tests/check.sh"
cd "$srcdir" || exit 99

check 'no file has more than 800 lines' "$(for file in $(sources src tests); do
	lines=$(wc -l <"$file")
	[ "$lines" -le 800 ] || echo "$file: $lines lines"
done)"

long=$(for file in $(sources src tests); do
	awk -v file="$file" -v max="$(case $file in tests/*) echo 80 ;; *) echo 60 ;; esac)" '
	/^[A-Za-z_].*\(/ { name = $0; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name) }
	/^\{$/ { start = NR }
	/^\}$/ && start {
		if (NR - start + 1 > max)
			print file ":" start ": " name "() has " NR - start + 1 " lines"
		start = 0
	}' "$file"
done)
check 'no function has more than 60 lines, or 80 in tests' "$long"

check 'every file begins with its licence' "$(for file in $(sources include src tests); do
	[ "$(head -n 1 "$file")" = '/* SPDX-License-Identifier: ISC */' ] || echo "$file"
done)"

check 'every file says in its second line what it is' "$(for file in $(sources include src tests); do
	sed -n '2p' "$file" | grep -q '^/\*' || echo "$file"
done)"

done_checking
