# SPDX-License-Identifier: ISC
# Writes the tables of contrib/bench.md from three files: goals.tsv, the old tables (kept where
# nothing was measured now), and lines of tabs: tmux, bench, revision, row of that bench. A row
# "! reason" says that the bench failed.

BEGIN { FS = "\t" }

file == "goals" && !/^#/ {
	if (!($1 in goal))
		names[++n_goals] = $1
	goal[$1] = $2
	what[$1] = $3
	wanted[$1] = $4
	split($4, limit, " ")
	relation[$1] = limit[1]
	bound[$1] = limit[2]
	bench[$1] = $5
	next
}

# The old tables: only the cells of the measurement are read.
file == "old" && /^## tmux / { section = substr($0, 4); add_section(section) }
file == "old" && /^\| (G[0-9]+|-) \| / {
	row = $0
	gsub(/^\| | \|$/, "", row)
	split(row, cell, / \| /)
	split(cell[5], number, " ")
	if (cell[1] == "-")
		add_other(cell[2], substr(cell[3], 2, length(cell[3]) - 2))
	if (number[1] != "-")
		keep(section, cell[2], number[1], number[2], cell[6], cell[7], cell[8], cell[10], cell[11])
	else if (sub(/^not measured: /, "", cell[9]) && cell[9] != "not run")
		absent[section, cell[2]] = cell[9]
	next
}

file == "rows" {
	section = $1
	add_section(section)
	if (!((section, $2) in was_run)) {
		was_run[section, $2] = 1
		forget(section, $2)
	}
	if ($4 ~ /^! /) {
		failure[section, $2] = substr($4, 3)
		next
	}
	read_row($4, $2, $3)
}

function add_section(name, i) {
	for (i = 1; i <= n_sections; i++)
		if (sections[i] == name)
			return
	sections[++n_sections] = name
}

function keep(section, name, median, unit, min, max, rounds, revision, note) {
	at[section, name] = median " " unit "\t" min "\t" max "\t" rounds "\t" revision "\t" note
	value[section, name] = median
}

# Rows of an earlier run of this bench are void.
function forget(section, bench_name, i) {
	for (i = 1; i <= n_goals; i++)
		if (bench[names[i]] == bench_name) {
			delete at[section, names[i]]
			delete absent[section, names[i]]
		}
	for (i = 1; i <= n_others; i++)
		if (other_bench[others[i]] == bench_name)
			delete at[section, others[i]]
}

# A row that has no goal.
function add_other(name, bench_name) {
	if (name in goal || name in is_other)
		return
	is_other[name] = 1
	others[++n_others] = name
	other_bench[name] = bench_name
}

function show(number) {
	if (number == "" || number == "-")
		return "-"
	return sprintf(number >= 1000 ? "%.0f" : "%.4g", number)
}

# "name median unit [min max rounds] note"
function read_row(text, bench_name, revision, word, spread, note) {
	split(text, word, " ")
	if (word[2] !~ /^-?[0-9.]+(e[-+]?[0-9]+)?$/ && word[2] != "-")
		return
	note = text
	sub(/^[^ ]+ [^ ]+ [^ ]+ ?/, "", note)
	if (match(note, /^\[[^\]]*\] ?/)) {
		split(substr(note, 2, RLENGTH - 2), spread, /[] ]/)
		note = substr(note, RLENGTH + 1)
	}
	gsub(/; $/, "", note)
	gsub(/\|/, "\\|", note)
	add_other(word[1], bench_name)
	if (word[2] == "-")
		absent[section, word[1]] = note
	else
		keep(section, word[1], show(word[2]), word[3], show(spread[1]), show(spread[2]), \
			spread[3] == "" ? "-" : spread[3], revision, note)
	if (word[2] != "-")
		value[section, word[1]] = word[2]
}

function verdict(section, name, measured) {
	if (bound[name] == "" || bound[name] == "-")
		return "-"
	measured = value[section, name] + 0
	if (relation[name] == "<=" ? measured <= bound[name] : measured >= bound[name])
		return "met"
	if (bound[name] == 0)
		return "**missed**"
	return sprintf("**missed**: %.3g of the limit", measured / bound[name])
}

function reason(section, name) {
	if ((section, name) in absent)
		return absent[section, name]
	if ((section, bench[name]) in failure)
		return bench[name] " failed: " failure[section, bench[name]]
	if ((section, bench[name]) in was_run)
		return bench[name] " did not print it"
	return "not run"
}

function print_row(section, goal_name, name, description, limits, by, cell) {
	gsub(/\|/, "\\|", description)
	if ((section, name) in at) {
		split(at[section, name], cell, "\t")
		printf "| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", goal_name, name, \
			description, limits, cell[1], cell[2], cell[3], cell[4], \
			verdict(section, name), cell[5], cell[6]
	} else if (by != "")
		printf "| %s | %s | %s | %s | - | - | - | - | not measured: %s | - | - |\n", goal_name, \
			name, description, limits, reason(section, name)
}

function number_of(name, text) {
	text = goal[name]
	sub(/^G/, "", text)
	return text + 0
}

# Only what depends on tmux is measured with more than one: a table has the rows of its benches.
function is_in(section, name) {
	return section == sections[1] || (section, name) in at || (section, name) in absent || \
		(section, bench[name]) in was_run
}

END {
	for (i = 2; i <= n_goals; i++)
		for (j = i; j > 1 && number_of(names[j]) < number_of(names[j - 1]); j--) {
			swap = names[j]
			names[j] = names[j - 1]
			names[j - 1] = swap
		}
	for (s = 1; s <= n_sections; s++) {
		print "\n## " sections[s] "\n"
		print "| goal | row | measured | wanted | median | min | max | rounds | verdict | revision | note |"
		print "| --- | --- | --- | --- | ---: | ---: | ---: | ---: | --- | --- | --- |"
		for (i = 1; i <= n_goals; i++)
			if (is_in(sections[s], names[i]))
				print_row(sections[s], goal[names[i]], names[i], what[names[i]], \
					wanted[names[i]], bench[names[i]] == "" ? "-" : bench[names[i]])
		for (i = 1; i <= n_others; i++)
			print_row(sections[s], "-", others[i], "(" other_bench[others[i]] ")", "-", "")
	}
}
