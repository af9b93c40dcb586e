# SPDX-License-Identifier: ISC
# Joins goals.tsv (first file) with measured rows (second file) into the table.

FNR == 1 { file++ }

file == 1 && !/^#/ {
	split($0, column, "\t")
	split(column[4], limit, " ")
	names[++n_goals] = column[1]
	goal[column[1]] = column[2]
	what[column[1]] = column[3]
	relation[column[1]] = limit[1]
	bound[column[1]] = limit[2]
	next
}

file == 2 && /^#/ { remarks = remarks $0 "\n"; next }

file == 2 && NF >= 3 {
	name = $1
	value[name] = $2
	unit[name] = $3
	text = $0
	sub(/^[^ ]+ [^ ]+ [^ ]+ ?/, "", text)
	note[name] = text
	if (!(name in goal))
		others[++n_others] = name
}

function verdict(name, off) {
	if (relation[name] == "<=" ? value[name] <= bound[name] : value[name] >= bound[name])
		return "met"
	if (bound[name] == 0)
		return "missed"
	off = relation[name] == "<=" ? value[name] / bound[name] : bound[name] / (value[name] == 0 ? 1e-9 : value[name])
	return sprintf("missed, %.3gx off", off)
}

END {
	format = "%-4s %-42s %12s %-14s %-17s %s\n"
	printf format, "goal", "what", "measured", "wanted", "", ""
	for (i = 1; i <= n_goals; i++) {
		name = names[i]
		if (name in value) {
			printf format, goal[name], what[name], sprintf("%.4g %s", value[name], unit[name]), \
				relation[name] " " bound[name] " " unit[name], verdict(name), note[name]
		} else {
			printf format, goal[name], what[name], "-", relation[name] " " bound[name], "not measured", ""
		}
	}
	if (n_others > 0)
		print "\nAlso measured:"
	for (i = 1; i <= n_others; i++) {
		name = others[i]
		printf "     %-42s %12s %s\n", name, sprintf("%.4g %s", value[name], unit[name]), note[name]
	}
	printf "%s", remarks
}
