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
# What changed in this release stands on top. A release without a change of the library has none there.
for file in NEWS contrib/CHANGES.protocol; do
	check "$file begins with it" "$(grep -m 1 -E '^(Muxbus )?[0-9]+[.]' "$file" |
		sed 's/^Muxbus //' | grep -v -x -F "$version")"
done
check 'so does the changelog of the Debian packages' \
	"$(sed 1q contrib/debian/changelog | grep -v "^muxbus ($version-")"

# contrib/debian/build in a new checkout, which nothing is configured in, up to the step that
# `make check-debian` runs in a root of its own: this dpkg-buildpackage says what it would build.
# The muxbusd of this build writes what a release carries of it, so that none is compiled here.
muxbusd=$(cd "$builddir" && pwd -P)/muxbusd
checkout() {
	mkdir -p "$work/checkout" "$work/bin"
	git ls-files -z | tar -c --null -T - | tar -x -C "$work/checkout"
	printf '#!/bin/sh\nls configure debian/rules >"%s" && ls .. >>"%s"\n' "$work/packaged" "$work/packaged" \
		>"$work/bin/dpkg-buildpackage"
	chmod +x "$work/bin/dpkg-buildpackage"
}
# build_packages ARGUMENT...: the script of the checkout, from there; all that it says, if it fails.
build_packages() {
	rm -f "$work/packaged"
	(cd "$work/checkout" && env -u MAKEFLAGS -u MAKELEVEL XZ_OPT=-0 MUXBUSD_FOR_BUILD="$muxbusd" PATH="$work/bin:$PATH" \
		contrib/debian/build "$@" >"$work/log" 2>&1) || tail -n 20 "$work/log"
	cat "$work/packaged" 2>&1 >/dev/null
}
if git ls-files --error-unmatch configure.ac >/dev/null 2>&1 && command -v autoreconf >/dev/null; then
	checkout
	check 'contrib/debian/build begins in a new checkout' "$(build_packages)"
	check 'with the source of the packages' "$(printf '%s\n' configure debian/rules "muxbus-$version" \
		"muxbus_$version.orig.tar.xz" | diff - "$work/packaged" 2>&1)"
	check 'and ends with them' "$(ls -A "$work/checkout/build/debian" 2>&1 | grep -v "^muxbus_$version.orig.tar.xz$")"
	# As a release has the files that muxbusd writes, that is not compiled once more.
	tar -x --strip-components=1 -C "$work/checkout" -f "$work/checkout/build/debian/muxbus_$version.orig.tar.xz"
	rm -r "$work/checkout/build"
	(cd "$work/checkout" && ./configure --disable-daemon) >"$work/log" 2>&1
	check 'so it does where the source is configured itself' "$(build_packages)"
	check 'and has them at the same place' "$(ls "$work/checkout/build/debian/muxbus_$version.orig.tar.xz" 2>&1 >/dev/null)"
fi

done_checking
