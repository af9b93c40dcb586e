#!/bin/sh
# SPDX-License-Identifier: ISC
# Which file may include which: the arrow of HACKING.md, line by line.

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
only src/lib 'base/[^/]*|lib/([a-z]+/)?[^/]*|config\.h' 'lib includes only base, itself and <muxbus.h>'
only src/wire '(base|wire)/[^/]*|config\.h' 'wire includes only base and itself'
only src/client '(base|wire|io|client)/[^/]*|config\.h' 'client includes only base, wire, io and itself'
only src/io '(base|io)/[^/]*|config\.h' 'io includes only base and itself'
only src/daemon '(base|wire|io|client|daemon/[a-z]+)/[^/]*|config\.h' \
	'daemon includes base, wire, io, client and itself, and never the insides of the library'
only src/cli '(base|wire|cli(/[a-z]+)?)/[^/]*|client/link\.h|io/child\.h|completion_scripts\.h|verb_text\.inc|config\.h' \
	'cli includes only base, wire, the link, io/child.h and itself'
only src/nats '(base|wire|io|client|nats)/[^/]*|config\.h' \
	'nats includes only base, wire, io, client and itself'
only src/job '(base|job)/[^/]*|io/child\.h|config\.h' 'job includes only base, io/child.h and itself'

# reserved HEADERS FILES NAME: only these files include these headers.
reserved() {
	check "$3" "$(echo "$includes" | grep -E " [\"<]($1)[\">]\$" | grep -v -E "^($2) ")"
}

reserved 'muxbus\.h' 'src/(lib|daemon)/.*' '<muxbus.h> is for lib and daemon'
reserved 'event2?/.*|event\.h|evutil\.h' 'src/lib/connection/attach\.c|src/client/loop_link\.c|src/io/loop_.*|src/(daemon|nats)/.*' \
	'libevent is for lib/connection/attach.c, loop_link.c, io/loop_*, the daemon and muxbus-nats'
reserved 'nats/(nats|adapters/.*)\.h' 'src/nats/(broker|main)\.c' \
	'libnats is for broker.c and main.c of nats'
reserved 'yajl/.*' 'src/wire/json\.c' 'yajl is for wire/json.c'
reserved 'pcre2\.h' 'src/daemon/core/pattern\.c' 'pcre2 is for daemon/core/pattern.c'

# to_the_left FOLDER ROOMS: the includes of the folder's rooms that go to the right. A room is
# a folder; files beside the rooms stand to the left of them all in lib and cli, and to the
# right of them all in the daemon.
to_the_left() {
	echo "$includes" | awk -v top="$1" -v rooms="$2" '
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
			print $1 " includes " $2
	}'
}
check 'in lib, a room includes only rooms to its left' \
	"$(to_the_left lib '. stream connection model sync')"
check 'the model of lib does not know the connection' \
	"$(echo "$includes" | grep '^src/lib/model/.* "lib/connection/')"
check 'in the daemon, a room includes only rooms to its left' "$(to_the_left daemon \
	'core event file queue tmux render pane server input deliver agent job timer watch wait tool provide methods mcp fleet .')"
check 'in cli, a room includes only rooms to its left' \
	"$(to_the_left cli '. setup doctor help mcp top verbs')"
check 'a source of notifications knows no sink: its methods may name the way of waking' "$(echo "$includes" |
	grep -E '^src/daemon/(job|timer|wait|watch)/.* "daemon/(deliver/.*|server/peer\.h)"' |
	grep -v -E '^src/daemon/(job/execute|[a-z]+/[a-z]+_methods)\.c ')"

# Units that include each other in a circle, of any length: tsort names those that it cannot
# order. A unit is NOUN.c with NOUN.h.
check 'no units include each other in a circle' "$(echo "$includes" | awk '$2 ~ /^"/ {
	gsub(/"/, "", $2)
	sub(/^src\//, "", $1)
	sub(/\.[ch]$/, "", $1)
	sub(/\.[ch]$/, "", $2)
	if ($1 != $2)
		print $1, $2
}' | tsort 2>&1 >/dev/null)"

done_checking
