#!/bin/sh
# SPDX-License-Identifier: ISC
# The map in HACKING.md has a paragraph for each folder. In src, the paragraph names each noun of
# the folder, NOUN.c with NOUN.h. A release holds every file of the tree.
#
# tests/check-map.sh --write adds the nouns that are missing, with the beginning of the first
# sentence of their headers (or the words of a noun of that name that has left its folder), and
# removes the nouns that no longer exist.

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

# The map as lines: FOLDER/ or FOLDER/NOUN, a tab, and the text. A line "`FOLDER/`: text" begins a
# paragraph; the lines behind it have the nouns: "`NOUN` words; `NOUN`; `NOUN` words".
sed -n '/^<!-- map -->/,/^<!-- end of map -->/p' HACKING.md | awk '
function nouns(    part, count, i, name) {
	count = split(text, part, /; *`/)
	for (i = 1; i <= count; i++) {
		sub(/^`/, "", part[i])
		name = part[i]
		sub(/`.*/, "", name)
		sub(/^[^`]*` */, "", part[i])
		print folder name "\t" part[i]
	}
	text = ""
}
/^<!--/ { next }
/^$/ { if (text != "") nouns(); next }
text == "" && /^`[^`]*\/`: / {
	folder = $0
	sub(/^`/, "", folder)
	sub(/`.*/, "", folder)
	print folder "\t" substr($0, length(folder) + 5)
	next
}
{ text = text (text == "" ? "" : " ") $0 }
END { if (text != "") nouns() }' >"$work/lines"
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
		gsub(/[`;]/, "", text)
		sub(/[:,].*/, "", text)
		print text == "" ? "?" : text
	}' "$file"
}

if [ "${1:-}" = --write ]; then
	{
		grep '/	' "$work/lines"
		comm -23 "$work/nouns" "$work/mapped" | while read -r noun; do
			gone=$(comm -13 "$work/nouns" "$work/mapped" | grep "/${noun##*/}$" | head -n 1)
			line=$(grep "^${gone:-/}	" "$work/lines")
			[ -n "$line" ] || line="	$(about "$noun")"
			printf '%s	%s\n' "$noun" "${line#*	}"
		done
		grep -v '/	' "$work/lines" | sort | join -t '	' - "$work/nouns"
	} | sed 's|^\(.*/\)\([^/	]*\)	|\1	\2	|' | sort -t '	' -k 1,2 | awk -F '\t' '
	function wrap(last) {
		if (entry == "")
			return
		count = split(entry (last ? "" : ";"), word, " ")
		for (i = 1; i <= count; i++) {
			if (line != "" && length(line) + length(word[i]) > 116) {
				print line
				line = ""
			}
			line = line (line == "" ? "" : " ") word[i]
		}
		entry = ""
	}
	function flush() {
		wrap(1)
		if (line != "")
			print line
		line = ""
	}
	$2 == "" { flush(); printf "%s`%s`: %s\n", (NR > 1 ? "\n" : ""), $1, $3; next }
	{ wrap(0); entry = "`" $2 "`" ($3 != "" ? " " : "") $3 }
	END { flush() }' >"$work/map"
	awk -v map="$work/map" '
	/^<!-- map -->/ { print; print ""; while ((getline line < map) > 0) print line; print ""; skip = 1; next }
	/^<!-- end of map -->/ { skip = 0 }
	!skip' HACKING.md >"$work/new" && cat "$work/new" >HACKING.md
	exit
fi

check 'every noun of src is in the map (tests/check-map.sh --write adds it)' \
	"$(comm -23 "$work/nouns" "$work/mapped")"
check 'every noun of the map has its files' "$(comm -13 "$work/nouns" "$work/mapped")"
check 'every folder has a paragraph, and outside of src it or one above it' "$(
	sed -n 's|/[^/]*$|/|p' "$work/files" | sort -u | awk -v folders="$work/folders" '
	BEGIN { while ((getline name < folders) > 0) is_mapped[name] = 1 }
	{
		for (folder = $0; !is_mapped[folder] && folder !~ /^src/ && folder ~ /\/.*\//;)
			sub(/[^\/]*\/$/, "", folder)
		if (!is_mapped[folder])
			print
	}')"
check 'every folder of the map has files' "$(while read -r folder; do
	grep -q "^$folder" "$work/files" || echo "$folder"
done <"$work/folders")"
check 'nothing is there twice' "$(uniq -d "$work/names")"
check 'every folder says something' "$(grep '/	' "$work/lines" | grep -v '	[^?]')"

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
