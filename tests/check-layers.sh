#!/bin/sh
# SPDX-License-Identifier: ISC
# Which file may include which, and use symbols of which: the arrow of HACKING.md, line by line.

. "${MUXBUS_SRCDIR:-.}/tests/check.sh"

# Every include as: FILE <header> or FILE "header".
includes=$(cd "$srcdir" && sources include src | xargs awk '
/^[ \t]*#[ \t]*include[ \t]*["<]/ {
	match($0, /["<][^">]*[">]/)
	print FILENAME, substr($0, RSTART, RLENGTH)
}')

# Every symbol that an object takes from another one, in the same form: FILE:SYMBOL "header". What
# is public of the library is left out, and so are objects without a source, and the table of verbs
# of cli, which all its rooms read.
symbols=$(cd "$builddir" && find src -name '*.o' -exec nm -A -g {} + 2>/dev/null | awk -v srcdir="$srcdir" '
BEGIN { split("base wire io client lib", shared, " ") }
function has_source(unit,    file, found, line) {
	file = srcdir "/" unit ".c"
	found = (getline line < file) > 0
	close(file)
	return found && unit != "src/cli/verbs"
}
{
	unit = $1
	sub(/:.*/, "", unit)
	sub(/\.libs\//, "", unit)
	sub(/\/[a-z_]*-/, "/", unit)
	sub(/\.o$/, "", unit)
	split(unit, folder, "/")
	if (!(unit in is_source))
		is_source[unit] = has_source(unit)
	if (!is_source[unit])
		next
	if ($(NF - 1) == "U")
		taken[unit, folder[2], $NF]
	else
		home[folder[2], $NF] = unit
}
END {
	for (key in taken) {
		split(key, part, SUBSEP)
		from = home[part[2], part[3]]
		for (i = 1; from == "" && i in shared; i++)
			from = home[shared[i], part[3]]
		sub(/^src\//, "", from)
		if (from != "" && (part[2] == "lib" || from !~ /^lib\// || part[3] !~ /^muxbus_/))
			print part[1] ".c:" part[3], "\"" from ".h\""
	}
}' | sort)

# only FOLDER PATTERN NAME: all includes of the folder in quotes match the pattern, and what it
# takes by symbol.
only() {
	check "$3" "$(printf '%s\n' "$includes" "$symbols" | grep "^$1/.* \"" | grep -v -E " \"($2)\"\$")"
}

only include 'none' 'the public header includes no private one'
only src/base 'base/[^/]*|config\.h' 'base includes only base'
only src/lib 'base/[^/]*|lib/([a-z]+/)?[^/]*|config\.h' 'lib includes only base, itself and <muxbus.h>'
only src/wire '(base|wire)/[^/]*|config\.h' 'wire includes only base and itself'
only src/client '(base|wire|io|client)/[^/]*|config\.h' 'client includes only base, wire, io and itself'
only src/io '(base|io)/[^/]*|config\.h' 'io includes only base and itself'
only src/daemon '(base|wire|io|client|daemon(/[a-z]+)?)/[^/]*|config\.h' \
	'daemon includes base, wire, io, client and itself, and never the insides of the library'
only src/cli '(base|wire|cli(/[a-z]+)?)/[^/]*|client/link\.h|completion_scripts\.h|verb_text\.inc|config\.h' \
	'cli includes only base, wire, the link and itself'
only src/nats '(base|wire|io|client|nats)/[^/]*|config\.h' \
	'nats includes only base, wire, io, client and itself'
only src/tools '(base|wire|io|client|tools)/[^/]*|config\.h' \
	'tools includes only base, wire, io, client and itself'
only src/supervisor '(base|supervisor)/[^/]*|config\.h' 'supervisor includes only base and itself'

# reserved HEADERS FILES NAME: only these files include these headers.
reserved() {
	check "$3" "$(echo "$includes" | grep -E " [\"<]($1)[\">]\$" | grep -v -E "^($2) ")"
}

reserved 'muxbus\.h' 'src/(lib|daemon)/.*' '<muxbus.h> is for lib and daemon'
reserved 'event2?/.*|event\.h|evutil\.h' 'src/lib/connection/attach\.c|src/client/loop_.*|src/io/loop_.*|src/(daemon|nats)/.*|src/tools/main\.c' \
	'libevent is for lib/connection/attach.c, client/loop_*, io/loop_*, the daemon, muxbus-nats and main.c of tools'
reserved 'nats/(nats|adapters/.*)\.h' 'src/nats/(broker|main)\.c' \
	'libnats is for broker.c and main.c of nats'
reserved 'yajl/.*' 'src/wire/json\.c' 'yajl is for wire/json.c'
reserved 'pcre2\.h' 'src/daemon/core/pattern\.c' 'pcre2 is for daemon/core/pattern.c'

# to_the_left FOLDER ROOMS: what the folder's rooms include or use to the right. A room is a
# folder; files beside the rooms stand to the left of them all in lib and cli, and to the
# right of them all in the daemon.
to_the_left() {
	printf '%s\n' "$includes" "$symbols" | awk -v top="$1" -v rooms="$2" '
	BEGIN {
		count = split(rooms, name, " ")
		for (i = 1; i <= count; i++)
			rank[name[i]] = i
	}
	function room_of(path) {
		sub(".*\"?" top "/", "", path)
		return path ~ /\// ? substr(path, 1, index(path, "/") - 1) : "."
	}
	index($1, "src/" top "/") == 1 {
		from = room_of($1)
		if (!(from in rank))
			print $1 ": its room has no place in tests/check-layers.sh"
		if (index($2, "\"" top "/") != 1)
			next
		to = room_of($2)
		if (!(to in rank) || rank[to] > rank[from])
			print $1, ($1 ~ /:/ ? "is of" : "includes"), $2
	}'
}
check 'in lib, a room includes and uses only rooms to its left' \
	"$(to_the_left lib '. stream connection model sync')"
check 'lib never ends the process: it uses nothing of base/xalloc' \
	"$(echo "$symbols" | grep '^src/lib/.* "base/xalloc\.h"')"
check 'the model of lib does not know the connection' \
	"$(echo "$includes" | grep '^src/lib/model/.* "lib/connection/')"
check 'in the daemon, a room includes and uses only rooms to its left' "$(to_the_left daemon \
	'core event file queue tmux render pane server input deliver agent saved job timer watch wait tool provide methods mcp fleet .')"
check 'in cli, a room includes only rooms to its left' \
	"$(to_the_left cli '. setup doctor help mcp top verbs')"
check 'a source of notifications knows no sink: its methods may name the way of waking' "$(echo "$includes" |
	grep -E '^src/daemon/(job|timer|wait|watch)/.* "daemon/(deliver/.*|server/peer\.h)"' |
	grep -v -E '^src/daemon/(job/execute|[a-z]+/[a-z]+_methods)\.c ')"

# circles LINES: units that lead to each other in a circle, of any length: tsort names those that it
# cannot order. A unit is NOUN.c with NOUN.h.
circles() {
	echo "$1" | awk '$2 ~ /^"/ {
		gsub(/"/, "", $2)
		sub(/^src\//, "", $1)
		sub(/\.[ch](:.*)?$/, "", $1)
		sub(/\.[ch]$/, "", $2)
		if ($1 != $2)
			print $1, $2
	}' | tsort 2>&1 >/dev/null
}
check 'no units include each other in a circle' "$(circles "$includes")"
check 'the objects of the build are read' \
	"$([ -n "$symbols" ] || [ ! -e "$builddir/Makefile" ] || echo "$builddir/src")"
# doctor.c of cli is the floor of its room, with the report, and its roof, with the list of the parts.
check 'no units use symbols of each other in a circle, but for doctor.c' \
	"$(circles "$(echo "$symbols" | grep -v '^src/cli/doctor/doctor\.c:')")"

done_checking
