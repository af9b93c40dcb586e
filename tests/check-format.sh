#!/bin/sh
# SPDX-License-Identifier: ISC
# The code is formatted by clang-format. Other versions format differently.

. "${MUXBUS_SRCDIR:-.}/tests/check.sh"
version=14
format=
for tool in "clang-format-$version" clang-format; do
	case $("$tool" --version 2>/dev/null) in
	*"version $version."*)
		format=$tool
		break
		;;
	esac
done
[ -n "$format" ] || skip_all "no clang-format of version $version"
cd "$srcdir" || exit 99

check 'clang-format would change nothing' "$(sources include src tests contrib |
	xargs -n 100 "$format" --style=file --dry-run --Werror 2>&1 | grep 'error:')"
check 'no line ends in blanks' \
	"$(grep -n -E '[[:blank:]]$' $(sources include src tests contrib) /dev/null)"

done_checking
