# SPDX-License-Identifier: ISC
# The scenario of all agents (sourced by agents.sh): an agent arms a job, a watch and a timer, a
# person types half a draft, muxbusd is killed with kill -9 before the job ends, and the draft is
# sent later. Every notice must come once, and the draft must stay as it is.

go= # the file that ends the jobs: after the kill

# open_pane COMMAND: in a new window, or beside the pane that is there. Sets $pane.
open_pane() {
	t set-option -g remain-on-exit on
	if [ -n "$2" ]; then
		pane=$(t split-window -v -P -F '#{pane_id}' -t "$2" -c "$project" "$1")
	else
		pane=$(t new-window -P -F '#{pane_id}' -t main: -c "$project" "$1")
		t resize-window -t "$pane" -x 150 -y 60
	fi
}

# enter NAME PLACE: starts the agent in that place, and waits until $ready succeeds.
enter() {
	sh -c 'export -p' >"$dir/env"
	case $2 in
	'a waiting shell')
		open_pane "bash -c '. \"$dir/env\"; $start_command; exec bash --norc'" ;;
	*)
		open_pane 'exec bash --norc -i' "$beside"
		t send-keys -t "$pane" -l ". '$dir/env'; clear; $start_command"
		t send-keys -t "$pane" Enter ;;
	esac
	echo "$pane" >"$dir/$1.pane"
	if ! $ready; then
		screen | grep -v '^ *$' | sed 's/^/# /'
		return 1
	fi
}

# insist TEXT BEGINNING FILTER: types the prompt until a request to the model matches. A busy machine
# makes an agent take typed keys for a paste, with their Enter: Enter again then; an agent that has
# just started may lose the text: again then.
insist() {
	prompt "$1"
	for try in 1 2 3 4 5; do
		! (patience=20 && wait_until has_turns 1 "$3") || return 0
		if shows "$2"; then
			t send-keys -t "$pane" Enter
		else
			prompt "$1"
		fi
	done
}

# arm NAME: a timer, a watch and a job in one turn, which ends. The ids are in NAME.ids.
arm() {
	pane=$(cat "$dir/$1.pane")
	: >"$dir/$1.log"
	echo "until [ -e '$go' ]; do sleep 0.1; done; sleep 3; echo of-the-job; date +%s.%3N >'$dir/$1.ended'" >"$dir/$1.job"
	insist "I am $1. DO gemini_sleep {\"seconds\":25} DONE DO watch_log {\"file_path\":\"$dir/$1.log\",\"regex\":\"found\"} DONE DO run_long_command {\"command\":\"sh $dir/$1.job\"} DONE" \
		"I am $1" ".name == \"$1\""
	wait_until has_turns 1 ".name == \"$1\" and .text == \"FINISHED 3 calls\"" || return 1
	jq -s -r "[.[] | select(.name == \"$1\" and .text)] | last | .results[]" "$log" >"$dir/$1.answers"
	jq -s -r "[.[] | select(.name == \"$1\" and .text)] | last | .results[] |
		[match(\"\\\\b[A-Z][A-Z0-9]{3}\\\\b\"; \"g\").string | select(test(\"[0-9]\"))][0]" "$log" >"$dir/$1.ids"
	[ "$(wc -l <"$dir/$1.ids")" = 3 ]
}

# draft NAME: half of it, at the prompt.
draft() {
	pane=$(cat "$dir/$1.pane")
	t send-keys -t "$pane" -l "half of a draft of $1"
	wait_until shows "half of a draft of $1"
}

# notes NAME FILTER: of its three notifications, as lines of JSON.
notes() {
	ask '{"method":"list_notifications","params":{"limit":256}}' 2>/dev/null |
		jq -c --rawfile ids "$dir/$1.ids" "(\$ids | split(\"\\n\")) as \$ids |
			.result.notifications[] | select(.id | IN(\$ids[])) | $2"
}

# How many of its three notices the agent has: lines of its conversation that name them.
heard() {
	jq -s --rawfile ids "$dir/$1.ids" "[.[] | select(.name == \"$1\") | .heard] | last as \$lines |
		[\$ids | split(\"\\n\")[] | select(. != \"\") | . as \$id |
			[\$lines[]? | select(test(\"\\\\b\\(\$id)\\\\b\"))] | length] | $2" "$log"
}
has_heard() {
	[ "$(heard "$1" 'map(select(. > 0)) | length')" = 3 ]
}
has_ended() {
	[ -s "$dir/$1.ended" ] && [ "$(notes "$1" '.id' | wc -l)" = 3 ]
}

# send NAME: the rest of the draft, and Enter.
send() {
	pane=$(cat "$dir/$1.pane")
	shows "half of a draft of $1" && echo yes >"$dir/$1.intact"
	t send-keys -t "$pane" -l ', sent later'
	wait_until shows ', sent later'
	date +%s.%3N >"$dir/$1.sent"
	for try in 1 2 3 4 5; do
		sleep 0.7
		t send-keys -t "$pane" Enter
		! (patience=5 && wait_until has_sent "$1") || return 0
	done
}
has_sent() {
	has_turns 1 ".name == \"$1\" and (.prompt | test(\"(^|\\n)half of a draft of $1, sent later\\\\s*(\$|\\n)\"))"
}

# Seconds from the job's end, or from the draft if that held the notice back, to the agent's turn.
time_of() {
	jq -s -r --arg name "$1" --arg id "$(tail -n 1 "$dir/$1.ids")" --arg sent "$(cat "$dir/$1.sent")" \
		--arg ended "$(cat "$dir/$1.ended")" '
		[.[] | select(.name == $name and any(.heard[]; test("\\b\($id)\\b")))][0].at // empty |
		(sub("\\..*"; "Z") | fromdateiso8601) as $second |
		($second + ("0" + match("\\.[0-9]+").string | tonumber)) as $at |
		[$ended, $sent | tonumber | select(. <= $at)] | if . == [] then 0 else $at - max end' "$log" |
		awk '{ printf "%.1f s", $1 }'
}

# row PLACE WAY TIME RESULT: the row of $title in the table of README, if there is one to write to.
row() {
	line=$(printf '  %-12s %-9s %-26s %-13s %-7s %s' "$title" "$version" "$1" "$2" "$3" "$4")
	echo "# $line"
	[ -n "$MUXBUS_AGENT_TABLE" ] || return 0
	until mkdir "$MUXBUS_AGENT_TABLE.lock" 2>/dev/null; do sleep 0.1; done
	awk -v line="$line" -v agent="$title" -v place="$1" '
		function column(from, width) { text = substr($0, from, width); sub(/ +$/, "", text); return text }
		/^  agent / { is_table = 1 }
		is_table && column(3, 12) == agent && column(26, 26) == place { print line; is_done = 1; next }
		is_table && /^$/ { if (!is_done) print line; is_table = 0; is_done = 1 }
		{ print }' "$MUXBUS_AGENT_TABLE" >"$MUXBUS_AGENT_TABLE.new" &&
		mv "$MUXBUS_AGENT_TABLE.new" "$MUXBUS_AGENT_TABLE"
	rmdir "$MUXBUS_AGENT_TABLE.lock"
}

# A job's end wakes the agent that is idle at an empty prompt, where only typing can.
wakes_idle() {
	pane=$(cat "$dir/$1.pane")
	insist 'Again, DO run_long_command {"command":"sleep 2; echo of-the-job"} DONE' 'Again, DO' \
		".name == \"$1\" and (.prompt | test(\"Again, DO\"))"
	wait_until has_turns 1 ".name == \"$1\" and .text == \"FINISHED 1 calls\"" || return 1
	again=$(jq -s -r "[.[] | select(.name == \"$1\" and .text == \"FINISHED 1 calls\")] | last | .results[0]" "$log" |
		grep -o -E '\b[A-Z][A-Z0-9]{3}\b' | grep -m 1 '[0-9]')
	wait_until has_turns 1 ".name == \"$1\" and any(.heard[]; test(\"muxbus $again job\"))"
}

# judge NAME LABEL WAYS: checks one agent, and adds its row to the table.
judge() {
	counts=$(heard "$1" 'join(" ")' | tr -d '"')
	ways=$(notes "$1" '.delivery.way // "none"' | tr -d '"' | sort -u | tr '\n' ' ' | sed 's/ $//; s/ /, /g')
	intact=$(has_sent "$1" && [ "$(cat "$dir/$1.intact" 2>/dev/null)" = yes ] && echo intact || echo lost)
	is "$2: every notice comes once" "$counts" '1 1 1'
	is "$2: the draft stays, and is sent as it is" "$intact" intact
	ok "$2: by $3: $ways" matches "$ways" "$3"
	once=$(printf '%s\n' $counts | grep -c '^1$')
	time=$(time_of "$1")
	asleep=
	case $3 in *typed*)
		wakes_idle "$1" || asleep=', asleep when idle'
		is "$2: the next job wakes it when it is idle" "$asleep" '' ;;
	esac
	row "$2" "${ways:-none}" "${time:--}" "$once of 3 once, draft $intact$asleep"
}
matches() {
	printf '%s\n' "$1" | grep -q -E -x "$2"
}

# label_of NAME: the label of the scenario; of two agents also the number.
label_of() {
	[ "$1" = "$names" ] && echo "$label" || echo "$label, ${1#"${1%???}"}"
}

# scenario LABEL PLACE WAYS: with $start_command and $ready, in that place; WAYS is a pattern.
# An agent with a way that types nothing is woken while the draft is at its prompt. The label is
# that of the row; the name that the agent gets is made of its letters.
# With $MUXBUS_AGENT_SCENARIO only the scenarios whose label matches, and neither walks nor wakes.
scenario() {
	label=$1
	printf '%s\n' "$1" | grep -q -E -e "$MUXBUS_AGENT_SCENARIO" || return 0
	names=$(echo "$1" | tr -c -d 'a-z')
	[ "$2" != 'two in a window' ] || names="${names}one ${names}two"
	go=$dir/go.$(echo "$names" | tr -d ' ')
	muxbus start >/dev/null 2>&1
	beside=
	for name in $names; do
		if ! enter "$name" "$2" || ! arm "$name"; then
			ok "$label: $name is armed" false
			sed 's/^/# /' "$dir/$name.answers" 2>/dev/null | cut -c 1-200
			row "$(label_of "$name")" - - 'could not be armed'
			t kill-window -t "$pane"
			return
		fi
		beside=$pane
	done
	for name in $names; do draft "$name"; done
	kill -9 "$(status_pid)"
	: >"$go"
	for name in $names; do echo found >>"$dir/$name.log"; done
	for name in $names; do
		wait_until has_ended "$name"
		case $3 in *follow* | *queue_command*) wait_until has_heard "$name" ;; esac
		send "$name"
	done
	for name in $names; do
		wait_until has_heard "$name"
		pane=$(cat "$dir/$name.pane")
		judge "$name" "$(label_of "$name")" "$3"
	done
	for name in $names; do t kill-pane -t "$(cat "$dir/$name.pane")"; done
}
