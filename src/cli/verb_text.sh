#!/bin/sh
# SPDX-License-Identifier: ISC
# The text of muxbus(1) about each verb, and its sections about topics, for `muxbus help`:
#
#	src/cli/verb_text.sh src/cli/muxbus.1 >src/cli/verb_text.rows
#
# make runs this. Needs mandoc.
page=$(LC_ALL=C mandoc -T ascii -O width=78 "$1") || exit 1
printf '%s\n' "$page" | sed 's/.\x08//g' | awk '
# The lines of a verb, without the indentation and without blank lines at either end.
function finish(    i, first) {
	first = 1
	# A first paragraph without a verb of its own is the usage.
	if (!is_topic) {
		for (i = 1; i <= count && lines[i] != ""; i++)
			;
		if (i <= count && lines[i - 1] !~ /([^.][.]|:)$/)
			first = i + 1
	}
	while (count >= first && lines[count] == "")
		count--
	if (name == "" || count < first)
		return
	if (lines[first] ~ /^[a-z]/ && lines[first] !~ /^muxbus /)
		lines[first] = toupper(substr(lines[first], 1, 1)) substr(lines[first], 2)
	printf "    {\"%s\",\n", name
	for (i = first; i <= count; i++) {
		gsub(/\\/, "\\\\\\\\", lines[i])
		gsub(/"/, "\\\"", lines[i])
		printf "\t\"%s\\n\"%s\n", lines[i], i == count ? "}," : ""
	}
}
BEGIN {
	print "/* Made from muxbus.1 by verb_text.sh. */"
	topics["CODING AGENTS"] = "agents"
	topics["OTHER MACHINES"] = "machines"
	topics["TASKS"] = "tasks"
}
/^[A-Z]/ {
	finish()
	name = ""
	is_topic = $0 in topics
	if (is_topic)
		name = topics[$0]
	count = 0
	next
}
/^   [^ ]/ {
	finish()
	is_topic = 0
	name = tolower($1)
	count = 0
	next
}
name != "" {
	sub(/^     /, "")
	if (count > 0 || $0 != "")
		lines[++count] = $0
}
END { finish() }'
