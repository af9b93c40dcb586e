#!/bin/sh
# SPDX-License-Identifier: ISC
# The map in HACKING.md has one line for each file of the tree, and a release holds them.
#
# tests/check-map.sh --write adds a line for each file that has none, taken from the first
# sentence (or its beginning) of its first comment, and removes the lines of files that are no more.

. "${MUXBUS_SRCDIR:-.}/tests/check.sh"
cd "$srcdir" || exit 99
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

# Without git (in a release) this is every file that autogen.sh and configure do not make.
# The tree may belong to another user than the one who tests.
in_git=yes
if ! git -c safe.directory='*' ls-files >"$work/all" 2>/dev/null || [ ! -s "$work/all" ] ||
	[ ! -e .git ]; then
	in_git=no
	find . \( -path './build*' -o -path './_build*' -o -path './autom4te.cache' -o -path './tests/cache' \) -prune \
		-o -type f ! -name '*.o' ! -name '*.lo' ! -name '*.log' ! -name '*.trs' \
		! -path './configure' ! -path './aclocal.m4' ! -path './config.h.in*' \
		! -path './Makefile.in' ! -path './m4/libtool.m4' ! -path './m4/lt*' -print |
		sed 's|^\./||' >"$work/all"
fi
while read -r file; do
	[ -e "$file" ] && echo "$file"
done <"$work/all" | sort -u >"$work/files"

# Lines of the map: "- `NAME`: what it is". A NAME that ends in / stands for all below.
lines() {
	sed -n '/^<!-- map -->/,/^<!-- end of map -->/p' HACKING.md | grep '^- `'
}
lines | sed 's/^- `\([^`]*\)`.*/\1/' | sort >"$work/names"
grep '/$' "$work/names" >"$work/folders"

# under: of the files on standard input, those that no folder of the map stands for.
under() {
	awk -v folders="$work/folders" '
	BEGIN { while ((getline name < folders) > 0) folder[++n] = name }
	{
		for (i = 1; i <= n; i++)
			if (index($0, folder[i]) == 1)
				next
		print
	}'
}
under <"$work/files" >"$work/wanted"
grep -v '/$' "$work/names" >"$work/told"

# about FILE: the first sentence of its first comment; of a manual page, what it is about.
about() {
	awk '
	/^\.Nd / { text = substr($0, 5); exit }
	/SPDX-License-Identifier|^#!|^\./ { next }
	/^[ \t]*$/ { if (text != "") exit; next }
	/^(\/\*|[ \t]*\*|#|dnl)/ {
		is_last = /\*\//
		sub(/^[ \t]*(\/\*|\*\/|\*|#|dnl)[ \t]*/, "")
		sub(/[ \t]*\*\/.*/, "")
		text = text (text == "" ? "" : " ") $0
		if (is_last || text ~ /\.( |$)/)
			exit
		next
	}
	{ exit }
	END {
		if (match(text, /\.( |$)/))
			text = substr(text, 1, RSTART - 1)
		while (length(text) > 110 && sub(/[:;,][^:;,]*$/, "", text))
			;
		print text == "" ? "?" : text
	}' "$1"
}

if [ "${1:-}" = --write ]; then
	{
		lines | while read -r line; do
			name=$(echo "$line" | sed 's/^- `\([^`]*\)`.*/\1/')
			[ -e "$name" ] && printf '%s\n' "$line"
		done
		comm -23 "$work/wanted" "$work/told" | while read -r file; do
			printf -- '- `%s`: %s\n' "$file" "$(about "$file")"
		done
	} | sort -t '`' -k 2,2 >"$work/map"
	awk -v map="$work/map" '
	/^<!-- map -->/ { print; while ((getline line < map) > 0) print line; skip = 1; next }
	/^<!-- end of map -->/ { skip = 0 }
	!skip' HACKING.md >"$work/new" && cat "$work/new" >HACKING.md
	exit
fi

check 'every file has a line in the map (tests/check-map.sh --write adds them)' \
	"$(comm -23 "$work/wanted" "$work/told")"
check 'every line of the map has a file' "$(comm -13 "$work/wanted" "$work/told"
	while read -r folder; do
		grep -q "^$folder" "$work/files" || echo "$folder"
	done <"$work/folders")"
check 'no file has two lines' "$(uniq -d "$work/names")"
check 'every line says something' "$(lines | grep -v '`: [^?]')"

# What make dist would pack: folders in EXTRA_DIST are packed whole.
if [ "$in_git" = yes ] && [ -e "$builddir/Makefile" ]; then
	printf 'include Makefile\nprint-dist:\n\t@printf "%%s\\n" $(DISTFILES)\n' >"$work/print.mk"
	(cd "$builddir" && env -u MAKEFLAGS -u MAKELEVEL make -s -f "$work/print.mk" print-dist) |
		sed "s|^$srcdir/||; s|^\.\./||; s|^\./||" | sort -u >"$work/packed"
	while read -r name; do
		[ -d "$name" ] && echo "$name/"
	done <"$work/packed" >"$work/folders"
	under <"$work/files" | comm -23 - "$work/packed" >"$work/left"
	check 'every file is in the release' "$(cat "$work/left")"
fi

done_checking
