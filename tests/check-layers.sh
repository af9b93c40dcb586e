#!/bin/sh
# SPDX-License-Identifier: ISC
# Who may include whom: the arrow of HACKING.md, line by line.

. "${MUXBUS_SRCDIR:-.}/tests/check.sh"

# Every include as: FILE <header> or FILE "header".
includes=$(cd "$srcdir" && sources include src | xargs awk '
/^[ \t]*#[ \t]*include[ \t]*["<]/ {
	match($0, /["<][^">]*[">]/)
	print FILENAME, substr($0, RSTART, RLENGTH)
}')

# only FOLDER PATTERN NAME: all quoted includes of the folder match the pattern.
only() {
	check "$3" "$(echo "$includes" | grep "^$1/.* \"" | grep -v -E " \"($2)\"\$")"
}

only include 'none' 'the public header includes no private one'
only src/base 'base/[^/]*|config\.h' 'base includes only base'
only src/lib '(base|lib)/[^/]*|config\.h' 'lib includes only base, itself and <muxbus.h>'
only src/wire '(base|wire)/[^/]*|config\.h' 'wire includes only base and itself'
only src/daemon '(base|wire|daemon/[a-z]+)/[^/]*|config\.h' \
	'daemon includes base, wire and itself, and never the insides of the library'
only src/cli '(base|wire|cli)/[^/]*|config\.h' 'cli includes only base, wire and itself'
only src/job '(base|job)/[^/]*|config\.h' 'job includes only base and itself'

# reserved HEADERS FILES NAME: only these files include these headers.
reserved() {
	check "$3" "$(echo "$includes" | grep -E " [\"<]($1)[\">]\$" | grep -v -E "^($2) ")"
}

reserved 'muxbus\.h' 'src/(lib|daemon)/.*' '<muxbus.h> is for lib and daemon'
reserved 'event2?/.*|event\.h|evutil\.h' 'src/lib/attach\.c|src/daemon/.*' \
	'libevent is for lib/attach.c and the daemon'
reserved 'yajl/.*' 'src/wire/json\.c' 'yajl is for wire/json.c'
reserved 'pcre2\.h' 'src/daemon/core/pattern\.c' 'pcre2 is for daemon/core/pattern.c'

# Inside lib: a file includes its own row and those above it. The two rows of rank 3 do
# not know each other. A file NOUN_PART.c belongs where NOUN is.
ranks='
0 base		error library quote unescape version
1 stream	block_line event layout parser segment
2 loop		attach command loop nonce
3 connection	connection handshake locate pending process
3 model		change listing model
4 state		pane_pidfd reconnect seen_ids state track
5 parts		attach_delay attachment audit capture lister pane_exit publish read_back
6 sync		sync
'
upwards=$(echo "$includes" | awk -v table="$ranks" '
function noun(path) {
	sub(/.*\//, "", path)
	sub(/\.[ch]$/, "", path)
	if (!(path in rank))
		sub(/_.*/, "", path)
	return path
}
BEGIN {
	rows = split(table, row, "\n")
	for (i = 1; i <= rows; i++) {
		words = split(row[i], word, /[ \t]+/)
		for (j = 3; j <= words; j++) {
			rank[word[j]] = word[1]
			name[word[j]] = word[2]
		}
	}
}
$1 ~ /^src\/lib\// {
	from = noun($1)
	if (!(from in rank) && !told[from]++)
		print $1 ": give it a row in tests/check-layers.sh"
}
$1 ~ /^src\/lib\// && $2 ~ /^"lib\// {
	gsub(/"/, "", $2)
	to = noun($2)
	if (rank[to] > rank[from] || (rank[to] == rank[from] && name[to] != name[from]))
		print $1 " (" name[from] ") includes " $2 " (" name[to] ")"
}')
check 'inside lib, includes go downwards' "$upwards"

circles=$(echo "$includes" | sed -n 's,^src/lib/\([a-z_]*\)\.[ch] "lib/\([a-z_]*\)\.h"$,\1 \2,p' |
	tsort 2>&1 >/dev/null)
check 'no circle among the nouns of lib' "$circles"

# Inside the daemon.
origins='timer|watch|job|condition|errand'
sinks='delivery|subscription|peer'
# (The output of panes in stream.h, and the reading of a prompt in pane_screen.h, are
# looked at by both.)
#
# knows FROM TO: includes in the daemon from one set of nouns and their parts to another.
knows() {
	echo "$includes" |
		grep -E "^src/daemon/source/($1)(_[a-z_]*)?\.[ch] \"daemon/[a-z]*/($2)\.h\""
}
check 'a source of notifications knows no sink' "$(knows "$origins" "$sinks")"
check 'a sink of notifications knows no source' "$(knows "$sinks" "$origins")"

# Headers in a circle, of any length: tsort names what it cannot order.
circles=$(echo "$includes" | awk '$1 ~ /\.h$/ && $2 ~ /^"/ {
	gsub(/"/, "", $2)
	sub(/^src\//, "", $1)
	print $1, $2
}' | tsort 2>&1 >/dev/null)
check 'no headers include each other in a circle' "$circles"

# Two nouns that need each other have a third between them that has no name yet. (NOUN and
# NOUN_PART are one; so are sync and its parts, which share what sync.h says. In the daemon
# callbacks between two equals may go by name both ways.)
pairs=$(echo "$includes" | awk '$2 ~ /^"/ {
	gsub(/"/, "", $2)
	sub(/^src\//, "", $1)
	if ($1 ~ /\.h$|^daemon\// || $1 == "lib/sync.c")
		next
	sub(/\.c$/, "", $1)
	sub(/\.h$/, "", $2)
	if (index($1, $2 "_") == 1 || index($2, $1 "_") == 1)
		next
	if (($2, $1) in seen && !(($1, $2) in seen))
		print $1 " and " $2
	seen[$1, $2]
}')
check 'no two files of base, wire and lib include each other' "$pairs"

done_checking
