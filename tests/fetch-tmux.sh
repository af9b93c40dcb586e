#!/bin/sh
# SPDX-License-Identifier: ISC
# Fetches tmux as other Debian releases ship it, for the live tests: 3.1c (too old for us),
# 3.5a and 3.8 or the versions that the releases have by now.
#
#	tests/fetch-tmux.sh [FOLDER]
#
# FOLDER is $MUXBUS_TMUX_CACHE, or tests/cache in the source tree. There it leaves
#	FOLDER/tmux-VERSION		the program, a link to
#	FOLDER/VERSION/bin/tmux		which uses the libraries and the loader in
#	FOLDER/VERSION/lib
# Nothing of the system is changed: apt works in a folder of its own, believing that no
# package is installed, so that it fetches every library down to the C library. patchelf
# then writes that folder into the program. (Running it through its loader instead would
# make /proc/PID/exe name the loader, and a real server's exe is the server.)
#
# Prints one line per release with its result. Exits with 0 if any can be used, else 77.

set -u
cache=${1:-${MUXBUS_TMUX_CACHE:-$(dirname "$0")/cache}}
releases=${MUXBUS_TMUX_RELEASES:-bullseye trixie sid}

skip() {
	echo "fetch-tmux: skipped: $*"
	exit 77
}

for tool in apt-get dpkg-deb patchelf; do
	command -v "$tool" >/dev/null || skip "no $tool"
done
mkdir -p "$cache" && cache=$(cd "$cache" && pwd -P) || skip "cannot make $cache"

work=$(mktemp -d) || skip "no temporary folder"
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# The mirror that this machine is set up with. Its Release file names its owner, but does not
# exist before the first `apt-get update`; then the script uses the address.
mirror=$(apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
	sed -n 's/^Debian|Debian|//p' | head -n 1)
[ -n "$mirror" ] || mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
	grep '/debian/*$' | head -n 1)
[ -n "$mirror" ] || skip "apt knows no Debian mirror"
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
[ -r "$keyring" ] || skip "no $keyring"

# A mirror may lag behind, and an old release may have ended: the packages are still signed,
# and old packages are wanted here.
#
# private_apt ROOT COMMAND ARGUMENT...: apt-get that knows only ROOT.
private_apt() {
	root=$1
	shift
	apt-get -qq -y \
		-o Dir::Etc::sourcelist="$root/sources.list" -o Dir::Etc::sourceparts=- \
		-o Dir::State="$root/state" -o Dir::State::status="$root/status" \
		-o Dir::Cache="$root/cache" -o Dir::Etc::preferencesparts=- \
		-o APT::Sandbox::User="$(id -un)" -o APT::Install-Recommends=false \
		-o Acquire::Check-Valid-Until=false -o Acquire::Languages=none -o Acquire::Retries=2 -o Debug::NoLocking=true \
		"$@"
}

# download RELEASE: leaves the packages of tmux and all it needs in $work/RELEASE/cache.
download() {
	root=$work/$1
	mkdir -p "$root/state/lists/partial" "$root/cache/archives/partial"
	: >"$root/status"
	echo "deb [signed-by=$keyring] $mirror $1 main" >"$root/sources.list"
	private_apt "$root" update && private_apt "$root" --download-only install tmux
}

# unpack ROOT INTO: keeps the program, and all libraries in one folder.
unpack() {
	mkdir -p "$2/bin" "$2/lib" "$1/tree"
	for package in "$1"/cache/archives/*.deb; do
		dpkg-deb --fsys-tarfile "$package" |
			tar -x -C "$1/tree" --wildcards --no-anchored \
				'usr/bin/tmux' '*.so*' 2>/dev/null
	done
	cp "$1/tree/usr/bin/tmux" "$2/bin/tmux" || return 1
	find "$1/tree" \( -type f -o -type l \) -name '*.so*' -path '*/lib*' \
		! -path '*/gconv/*' ! -path '*/security/*' ! -path '*/audit/*' |
		while read -r library; do
			# A link is followed, so that the folder needs nothing else; one that
			# leads out of it (an absolute one) has its target elsewhere in the tree.
			[ -e "$library" ] && cp -Lf "$library" "$2/lib/"
		done
	loader=$(patchelf --print-interpreter "$2/bin/tmux") || return 1
	[ -e "$2/lib/$(basename "$loader")" ]
}

# finish FROM: moves it to its version's place in the cache, and prints the version.
finish() {
	loader=$1/lib/$(basename "$(patchelf --print-interpreter "$1/bin/tmux")")
	version=$("$loader" --library-path "$1/lib" "$1/bin/tmux" -V) || return 1
	version=${version#tmux }
	place=$cache/$version
	rm -rf "$place" && mv "$1" "$place" || return 1
	# RPATH, unlike RUNPATH, also holds for the libraries that the libraries need.
	patchelf --set-interpreter "$place/lib/$(basename "$loader")" \
		--force-rpath --set-rpath "$place/lib" "$place/bin/tmux" || return 1
	[ "$("$place/bin/tmux" -V)" = "tmux $version" ] || return 1
	ln -sfn "$version/bin/tmux" "$cache/tmux-$version"
	echo "$version"
}

found=0
for release in $releases; do
	if ! download "$release" >"$work/log" 2>&1; then
		echo "fetch-tmux: $release: skipped: $(tail -n 1 "$work/log")"
	elif ! unpack "$work/$release" "$work/$release/new" ||
		! version=$(finish "$work/$release/new"); then
		echo "fetch-tmux: $release: skipped: its tmux does not run here"
	else
		found=1
		echo "fetch-tmux: $release: $cache/tmux-$version"
	fi
	rm -rf "${work:?}/$release"
done
[ "$found" = 1 ] || exit 77
