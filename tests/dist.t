#!/bin/sh
# SPDX-License-Identifier: ISC
# make dist gives the same bytes twice, whatever the umask; and files that name the version of
# the release name the same.

. "${MUXBUS_SRCDIR:-.}/tests/check.sh"
need cmp make tar xz
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work" "$builddir/_dist_test" "$builddir/_dist_test.tar.xz"' EXIT
trap 'exit 1' HUP INT TERM

# pack UMASK NAME: the release, under a name that is no person's.
pack() {
	(umask "$1" && env -u MAKEFLAGS -u MAKELEVEL XZ_OPT=-0 make -s -C "$builddir" dist \
		distdir=_dist_test >"$work/log" 2>&1) || cat "$work/log"
	mv "$builddir/_dist_test.tar.xz" "$work/$2"
}
check 'make dist succeeds' "$(pack 022 first)"
check 'and again, with another umask' "$(pack 077 second)"
check 'both are the same to the byte' "$(cmp "$work/first" "$work/second" 2>&1)"

tar -t -v --numeric-owner --full-time -f "$work/first" >"$work/list" 2>&1
check 'all files have one owner and one date' \
	"$(awk '{ print $2, $4, $5 }' "$work/list" | sort | uniq -c | awk 'NR > 1 || $2 != "0/0"')"
check 'every user can read them, and only the owner write' \
	"$(awk '$1 !~ /^(-rw-r--r--|-rwxr-xr-x|drwxr-xr-x)$/' "$work/list")"

version=$(sed -n 's/^PACKAGE_VERSION = //p' "$builddir/Makefile")
cd "$srcdir" || exit 99
for file in contrib/claude/.claude-plugin/plugin.json contrib/gemini/gemini-extension.json \
	contrib/server.json; do
	check "$file names version $version" "$(grep -q "\"version\": \"$version\"" "$file" ||
		grep '"version"' "$file")"
done
check 'so does the changelog of the Debian packages' \
	"$(sed 1q contrib/debian/changelog | grep -v "^muxbus ($version-")"

done_checking
