#!/bin/sh
# SPDX-License-Identifier: ISC
# One dialect of C, as far as grep can see it, and plain English in comments and manuals.
# (A declaration behind a statement is a warning of the compiler: configure.ac.)

. "${MUXBUS_SRCDIR:-.}/tests/check.sh"
cd "$srcdir" || exit 99
code=$(sources include src tests)
manuals=$(manual_pages)

# none NAME PATTERN FILE...: no line of the files matches the extended regular expression.
none() {
	name=$1
	pattern=$2
	shift 2
	check "$name" "$(grep -n -E -e "$pattern" "$@" /dev/null)"
}

# shellcheck disable=SC2086
check 'sizeof has parentheses for types only' "$(awk '
{
	line = $0
	while (match(line, /sizeof\([^)]*\)/)) {
		what = substr(line, RSTART + 7, RLENGTH - 8)
		line = substr(line, RSTART + RLENGTH)
		gsub(/[ *]+$/, "", what)
		if (what !~ /^\(|^char\[/ && what !~ /^(const |unsigned |struct |enum |union )/ && what !~ /_t$/ &&
		    what !~ /^(char|int|long|short|bool|float|double|void|unsigned)$/)
			print FILENAME ":" FNR ": " $0
	}
}' $code)"

# shellcheck disable=SC2086
{
	none 'no banner comments' '^[[:blank:]]*(/\*| \*) ?[-=*]{3,}' $code
	none 'a header is read once by #pragma once' '^#ifndef [A-Z0-9_]+_H$' $(sources src tests)
	none 'no typedef of a struct' '^typedef (struct|enum|union)' $code
	none 'an empty initialiser is {0}' '^[^"]*= \{\};' $code
	none 'NULL stands on the right' '\(NULL [=!]=|(&&|\|\|) NULL [=!]=' $code
	none 'the common headers of C and POSIX stand in base/std.h alone' \
		"^#include <($(sed -n 's|^#include <\(.*\)>$|\1|p' src/base/std.h | tr '\n' '|')std)>" \
		$(sources src | grep -v -x 'src/base/std\.h')
	none 'outside of src/base, base/base.h brings its headers' \
		"^#include \"($(sed -n 's|^#include "\(.*\)"$|\1|p' src/base/base.h | tr '\n' '|')base)\"" \
		$(sources src | grep -v '^src/base/')
	none 'a parameter that is not used is UNUSED' '^\t\(void\)[a-z_]+;$' $(sources src)
	none 'timers of the event loop are loop timers' 'evtimer_new|evtimer_assign' \
		$(sources src/daemon src/nats)
}

# shellcheck disable=SC2086
check 'a source names no header that another of its headers brings' "$(awk '
FNR == 1 { file = FILENAME; sub("^(src|include)/", "", file); files[file] }
/^#include [<"]/ { split($2, part, /[<">]/); names[file] = names[file] part[2] " " }
function brings(header, what, list, count, i) {
	count = split(names[header], list)
	for (i = 1; i <= count; i++)
		if (list[i] == what || brings(list[i], what))
			return 1
	return 0
}
END {
	for (file in files) {
		count = split(names[file], own)
		for (i = 1; i <= count; i++)
			for (j = 1; j <= count; j++)
				if (own[i] != substr(file, 1, length(file) - 1) "h" && brings(own[j], own[i]))
					print file ": " own[i] " comes with " own[j]
	}
}' $(sources include src))"

# shellcheck disable=SC2086
check 'the tag of a struct or an enum means one thing in the program: it is defined once' "$(grep -hoE \
	'^(static |const )*(struct|enum) [a-z0-9_]+ \{' $(sources include src) |
	sed -E 's/^(static |const )*//' | sort | uniq -d)"

# Comments of C, and manuals and READMEs whole, a sentence that begins a line behind "~".
# shellcheck disable=SC2086,SC2046
prose=$({
	awk '
	{
		line = $0
		text = ""
		while (line != "") {
			if (inside) {
				at = index(line, "*/")
				text = text (at ? substr(line, 1, at - 1) : line) " "
				line = at ? substr(line, at + 2) : ""
				inside = !at
				continue
			}
			gsub(/"([^"\\]|\\.)*"/, "", line)
			at = index(line, "/*")
			if (!at)
				break
			line = substr(line, at + 2)
			text = text "~"
			inside = 1
		}
		sub(/^[ \t]*\*?[ \t]*/, "", text)
		if (text != "")
			print FILENAME ":" FNR ":" text
	}' $code
	grep -n '' $manuals README NEWS HACKING.md $(find contrib -name 'README*')
})
check 'no word that has to be decoded: nobody, somebody, whoever, told' "$(printf "%s\n" "$prose" |
	grep -a -i -w -E 'nobody|somebody|whoever|told')"
check 'no sentence begins with What, Who, Whoever, One that' "$(printf "%s\n" "$prose" |
	grep -a -E '(~ *|[.!?] |: *|^[^:]*:[0-9]*:[[:blank:]]*)(What|Who|Whoever|Whatever|One that|Those that|Those who) ')"

check 'each deliberate bug has its place in the source (make mutants)' \
	"$(command -v perl >/dev/null && sh tests/mutants.sh --look .)"

done_checking
