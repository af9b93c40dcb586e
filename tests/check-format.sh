#!/bin/sh
# SPDX-License-Identifier: ISC
# The code is as clang-format leaves it. Other versions have other opinions.

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

check 'clang-format would change nothing' "$(for file in $(sources include src tests contrib); do
	"$format" --style=file --dry-run --Werror "$file" 2>&1 | grep -m 1 'error:'
done)"
check 'no line ends in blanks' \
	"$(grep -n -E '[[:blank:]]$' $(sources include src tests contrib) /dev/null)"

done_checking
