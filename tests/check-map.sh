#!/bin/sh
# SPDX-License-Identifier: ISC
# The map in HACKING.md has one line for each folder and, in src, one for each noun: NOUN.c
# with NOUN.h. A release holds every file of the tree.
#
# tests/check-map.sh --write adds a line for each noun that has none, taken from the first
# sentence of its header, and removes the lines of nouns that no longer exist.

. "${MUXBUS_SRCDIR:-.}/tests/check.sh"
cd "$srcdir" || exit 99
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

# Without git (in a release) this is every file that autogen.sh and configure do not make.
# The tree may belong to another user than the tester.
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

# The lines of the map as FOLDER/ or FOLDER/NOUN, a tab, and the text. A line "`FOLDER/`: text"
# begins a folder; the lines "- `NOUN`: text" behind it are its nouns.
sed -n '/^<!-- map -->/,/^<!-- end of map -->/p' HACKING.md | awk -F '`' '
/^`/ { folder = $2; print folder "\t" substr($0, length($2) + 5) }
/^- `/ { print folder $2 "\t" substr($0, length($2) + 7) }' >"$work/lines"
cut -f 1 "$work/lines" | sort >"$work/names"
sed -n 's|^\(src/.*\)\.[ch]$|\1|p' "$work/files" | sort -u >"$work/nouns"
grep '/$' "$work/names" >"$work/folders"
grep -v '/$' "$work/names" >"$work/mapped"

# about NOUN: the first sentence of the first comment of its header, or of its source.
about() {
	file=$1.h
	[ -e "$file" ] || file=$1.c
	awk '
	/SPDX-License-Identifier/ { next }
	/^[ \t]*$/ { if (text != "") exit; next }
	/^(\/\*|[ \t]*\*)/ {
		is_last = /\*\//
		sub(/^[ \t]*(\/\*|\*\/|\*)[ \t]*/, "")
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
		while (length(text) > 90 && sub(/[:;,][^:;,]*$/, "", text))
			;
		print text == "" ? "?" : text
	}' "$file"
}

if [ "${1:-}" = --write ]; then
	{
		grep '/	' "$work/lines"
		while read -r noun; do
			line=$(grep -F "$noun	" "$work/lines" | grep "^$noun	")
			[ -n "$line" ] || line="$noun	$(about "$noun")"
			printf '%s\n' "$line"
		done <"$work/nouns"
	} | sed 's|^\(.*/\)\([^/	]*\)	|\1	\2	|' | sort -t '	' -k 1,2 | awk -F '\t' '
	$2 == "" { printf "%s`%s`: %s\n", (NR > 1 ? "\n" : ""), $1, $3; next }
	{ printf "- `%s`: %s\n", $2, $3 }' >"$work/map"
	awk -v map="$work/map" '
	/^<!-- map -->/ { print; while ((getline line < map) > 0) print line; skip = 1; next }
	/^<!-- end of map -->/ { skip = 0 }
	!skip' HACKING.md >"$work/new" && cat "$work/new" >HACKING.md
	exit
fi

check 'every noun of src has a line in the map (tests/check-map.sh --write adds them)' \
	"$(comm -23 "$work/nouns" "$work/mapped")"
check 'every line of a noun has its files' "$(comm -13 "$work/nouns" "$work/mapped")"
check 'every folder has a line, and outside of src it or one above it' "$(
	sed -n 's|/[^/]*$|/|p' "$work/files" | sort -u | awk -v folders="$work/folders" '
	BEGIN { while ((getline name < folders) > 0) is_mapped[name] = 1 }
	{
		for (folder = $0; !is_mapped[folder] && folder !~ /^src/ && folder ~ /\/.*\//;)
			sub(/[^\/]*\/$/, "", folder)
		if (!is_mapped[folder])
			print
	}')"
check 'every line of a folder has files' "$(while read -r folder; do
	grep -q "^$folder" "$work/files" || echo "$folder"
done <"$work/folders")"
check 'nothing has two lines' "$(uniq -d "$work/names")"
check 'every line says something' "$(grep -v '	[^?]' "$work/lines")"

# The files that make dist would pack: folders in EXTRA_DIST are packed whole.
if [ "$in_git" = yes ] && [ -e "$builddir/Makefile" ]; then
	printf 'include Makefile\nprint-dist:\n\t@printf "%%s\\n" $(DISTFILES)\n' >"$work/print.mk"
	(cd "$builddir" && env -u MAKEFLAGS -u MAKELEVEL make -s -f "$work/print.mk" print-dist) |
		sed "s|^$srcdir/||; s|^\.\./||; s|^\./||" | sort -u >"$work/packed"
	while read -r name; do
		[ -d "$name" ] && echo "$name/"
	done <"$work/packed" >"$work/whole"
	check 'every file is in the release' "$(awk -v folders="$work/whole" '
	BEGIN { while ((getline name < folders) > 0) folder[++n] = name }
	{
		for (i = 1; i <= n; i++)
			if (index($0, folder[i]) == 1)
				next
		print
	}' "$work/files" | comm -23 - "$work/packed")"
fi

done_checking
