# SPDX-License-Identifier: ISC
# For the tests/check-*.sh, which check the tree itself: sourced. Finds the tree and prints
# TAP. A check writes one line for each fault; no line means success.

set -u
LC_ALL=C
export LC_ALL
srcdir=${MUXBUS_SRCDIR:-$(cd "$(dirname "$0")/.." && pwd)}
builddir=${MUXBUS_BUILDDIR:-$srcdir/build}
checks=0
failed=0

# check NAME WRONG: passes if WRONG is empty. (Not from a pipe: that would be a subshell,
# where the count is lost.)
check() {
	checks=$((checks + 1))
	if [ -z "$2" ]; then
		echo "ok $checks - $1"
	else
		failed=1
		echo "not ok $checks - $1"
		printf '%s\n' "$2" | sed 's/^/#   /'
	fi
}

# skip_all REASON: the whole script cannot run here. (The plan says so; the driver would
# take any exit status but 0 for an error.)
skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}

done_checking() {
	echo "1..$checks"
	exit "$failed"
}

# need TOOL...: skips unless all are installed.
need() {
	for tool in "$@"; do
		command -v "$tool" >/dev/null || skip_all "no $tool"
	done
}

# made FILE: the place of a file that make writes: the build folder, or the source of a release.
made() {
	if [ -e "$builddir/$1" ]; then
		echo "$builddir/$1"
	else
		echo "$srcdir/$1"
	fi
}

# The manual pages, sorted, as their paths from the top of the tree; the one that make writes is
# where it is.
manual_pages() {
	{
		(cd "$srcdir" && find src -name '*.[1-8]' ! -name muxbus-protocol.7)
		page=$(made src/daemon/muxbus-protocol.7)
		[ ! -e "$page" ] || echo "$page"
	} | sort
}

# sources FOLDER...: the .c and .h files below, sorted, named from the top of the tree.
sources() {
	(cd "$srcdir" && find "$@" -type f -name '*.[ch]' 2>/dev/null | sort)
}
