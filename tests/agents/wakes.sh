# SPDX-License-Identifier: ISC
# The wake table (sourced by agents.sh): each agent in each scenario, scored by the requests that its
# model gets. A cell is once, twice, not, or wrong with the reason; receipts of Muxbus do not count.
#
# An agent's file sets: start_command and ready; resume_command, if its notifications are for its thread
# and not for its pane; asking_command, whose shell asks a person first;
# shell, the agent's tool for commands, shell_key, the name of that tool's parameter, and asking_members,
# what a call needs beside it to be asked about; dialog, a
# pattern of the question; yes, the keys that agree; leave, the prompt that ends the agent.

# The scenarios: one function each, and the label of its cell.
wake_rows='idle draft draft_deleted dialog busy kill_9 two_panes quit own_shell forty restart'
wake_label() {
	case $1 in
	draft_deleted) echo 'draft deleted' ;;
	kill_9) echo 'kill -9' ;;
	two_panes) echo 'two panes' ;;
	own_shell) echo 'own shell' ;;
	forty) echo '40 at once' ;;
	restart) echo 'restart in between' ;;
	*) echo "$1" ;;
	esac
}

# call_shell COMMAND [MEMBERS]: a call of the agent's own shell.
call_shell() {
	printf 'DO %s {"%s":"%s"%s} DONE' "$shell" "$shell_key" "$1" "$2"
}

# A job that ends when $go is there. It leaves the time of its end in NAME.ended.
write_job() {
	echo "until [ -e '$go' ]; do sleep 0.1; done; date +%s.%3N >'$dir/$1.ended'" >"$dir/$1.job"
}

# give NAME TEXT: a prompt of that agent; it ends when the model has made all its calls.
orders=0
give() {
	orders=$((orders + 1))
	pane=$(cat "$dir/$1.pane")
	given=".name == \"$1\" and (.prompt | test(\"Order $orders,\"))"
	insist "I am $1. Order $orders, $2" "Order $orders," "$given"
	wait_until has_turns 1 "$given and .text and (.text | startswith(\"FINISHED\"))"
}

# The id in the first result of the agent's last turn.
take_id() {
	jq -s -r "[.[] | select(.name == \"$1\" and .text)] | last | .results[0] // \"\" |
		[match(\"\\\\b[A-Z][A-Z0-9]{3}\\\\b\"; \"g\").string | select(test(\"[0-9]\"))][0] // \"\"" "$log" >"$dir/$1.ids"
	[ -s "$dir/$1.ids" ] && grep -q . "$dir/$1.ids"
}

# arm_wake NAME [TEXT]: the agent starts a job by its tool, and ends its turn.
arm_wake() {
	write_job "$1"
	give "$1" "$2 DO run_long_command {\"command\":\"sh $dir/$1.job\"} DONE" && take_id "$1"
}

# arm_outside NAME: a person's script starts the job for the agent's pane.
arm_outside() {
	write_job "$1"
	ask "$(jq -nc --arg pane "$(cat "$dir/$1.pane")" --arg job "sh $dir/$1.job" \
		'{method: "run_long_command", params: {pane: $pane, command: $job}}')" | jq -r .result.id >"$dir/$1.ids"
}

# How often the model was told of each id of NAME, in lines of the conversation of WHO (NAME).
told() {
	jq -s -r --rawfile ids "$dir/$1.ids" --arg who "${2:-$1}" '
		([.[] | select(.name == $who)] | last | .heard // []) as $lines |
		[$ids | split("\n")[] | select(. != "") | . as $id |
			[$lines[] | select(test("\\b\($id)\\b"))] | length] | join(" ")' "$log"
}
is_told() {
	[ "$(told "$1")" != 0 ] && [ -n "$(told "$1")" ]
}

# goes_on NAME: a person's next prompt, after which a second wake would have come.
goes_on() {
	pane=$(cat "$dir/$1.pane")
	insist "Go on, $1" "Go on, $1" ".name == \"$1\" and (.prompt | test(\"Go on, $1\"))"
}

count_word() {
	case $1 in
	0 | '') echo not ;;
	1) echo once ;;
	2) echo twice ;;
	*) echo "$1 times" ;;
	esac
}

# await_wake NAME: waits for the wake, and lets a person go on.
await_wake() {
	wait_until is_told "$1"
	goes_on "$1"
}

wake_idle() {
	arm_wake "$1" || return
	: >"$go"
	await_wake "$1"
}

wake_draft() {
	arm_wake "$1" || return
	draft "$1"
	: >"$go"
	(patience=10 && wait_until is_told "$1")
	send "$1"
	await_wake "$1"
	has_sent "$1" && [ "$(cat "$dir/$1.intact" 2>/dev/null)" = yes ] || wrong='the draft is lost'
}

wake_draft_deleted() {
	arm_wake "$1" || return
	draft "$1"
	: >"$go"
	(patience=10 && wait_until is_told "$1")
	for key in $(seq 60); do t send-keys -t "$pane" BSpace; done
	date +%s.%3N >"$dir/$1.sent"
	await_wake "$1"
}

# The notification comes while a question is on the screen. A person says yes later.
wake_dialog() {
	arm_outside "$1"
	pane=$(cat "$dir/$1.pane")
	insist "I am $1. $(call_shell "touch $dir/$1.agreed" "$asking_members")" "I am $1" ".name == \"$1\""
	wait_until shows "$dialog" || return
	: >"$go"
	wait_until [ -s "$dir/$1.ended" ]
	! (patience=5 && wait_until [ -e "$dir/$1.agreed" ]) || wrong='the question was answered'
	shows "$dialog" || wrong='the question is gone'
	for try in 1 2 3; do # opencode does not take the first Enter
		t send-keys -t "$pane" $yes
		date +%s.%3N >"$dir/$1.sent"
		! (patience=8 && wait_until [ -e "$dir/$1.agreed" ]) || break
	done
	[ -e "$dir/$1.agreed" ] || wrong='the answer of the person is lost'
	await_wake "$1"
}

wake_busy() {
	arm_wake "$1" || return
	insist "Wait, $1. DO wait_for {\"any\":[{\"sec\":6}]} DONE" "Wait, $1" ".name == \"$1\" and (.prompt | test(\"Wait, $1\"))"
	: >"$go"
	await_wake "$1"
}

wake_kill_9() {
	arm_wake "$1" || return
	kill -9 "$(status_pid)"
	: >"$go"
	await_wake "$1"
}

# Two agents of a kind in one window: the job of the first wakes the first.
wake_two_panes() {
	other=$1other
	beside=$(cat "$dir/$1.pane")
	enter "$other" 'a shell' && arm_wake "$1" || return
	give "$other" 'DO list_panes {} DONE' || return
	: >"$go"
	await_wake "$1"
	goes_on "$other"
	[ "$(told "$1" "$other")" = 0 ] || wrong='the other one was told'
}

# The agent has quit: the model gets no request until the agent is started again in that pane.
wake_quit() {
	arm_wake "$1" || return
	quit "$1" || return
	before=$(turns true)
	: >"$go"
	wait_until [ -s "$dir/$1.ended" ]
	! (patience=10 && wait_until has_turns $((before + 1)) true) || wrong='a turn in no terminal'
	! shows '\[muxbus' || wrong='typed into the shell'
	come_back "$1" "${resume_command:-$start_command}" || return
	give "$1" 'DO list_panes {} DONE'
	await_wake "$1"
}
is_at_shell() {
	[ "$(t display-message -p -t "$pane" '#{pane_current_command}')" = bash ]
}

# A job of the agent's own shell tool, which is no call of Muxbus' tools. A shell may have another PATH.
wake_own_shell() {
	write_job "$1"
	give "$1" "$(call_shell "$dir/bin/muxbus run -d -- sh $dir/$1.job")" && take_id "$1" || return
	: >"$go"
	await_wake "$1"
}

# 40 timers that are due together: each must be in the conversation, as a line or as a result.
wake_forty() {
	give "$1" 'It reads the details. DO list_panes {} DONE' || return
	for number in $(seq 40); do
		jq -nc --arg pane "$(cat "$dir/$1.pane")" --arg number "$number" \
			'{method: "sleep", params: {pane: $pane, seconds: 6, text: "reminder \($number)"}}'
	done >"$dir/forty"
	socat -t 86400 - "UNIX-CONNECT:$MUXBUS" <"$dir/forty" | jq -r .result.id >"$dir/$1.ids"
	date -d '+6 seconds' +%s.%3N >"$dir/$1.ended"
	wait_until is_settled "$1"
	goes_on "$1"
	(patience=20 && wait_until has_all "$1")
	counts=$(jq -s -r --rawfile ids "$dir/$1.ids" "([.[] | select(.name == \"$1\")] | last) as \$turn |
		(\$ids | split(\"\\n\") | map(select(. != \"\"))) as \$ids |
		\"\\(\$ids - (\$ids - \$turn.ids) | length) of \\(\$ids | length)\"" "$log")
	[ "$counts" = '40 of 40' ] || wrong="$counts seen, $(notes "$1" 'select(.state == "acknowledged") | .id' | wc -l) acknowledged"
}
is_settled() {
	[ "$(notes "$1" 'select(.state == "acknowledged" or .state == "delivered") | .id' | wc -l)" = 40 ]
}
has_all() {
	jq -s -e --rawfile ids "$dir/$1.ids" "([.[] | select(.name == \"$1\")] | last) as \$turn |
		(\$ids | split(\"\\n\") | map(select(. != \"\"))) - \$turn.ids == []" "$log" >/dev/null
}

# quit NAME, come_back NAME COMMAND: the agent ends, and is started again in its pane.
quit() {
	pane=$(cat "$dir/$1.pane")
	prompt "$leave"
	for try in 1 2 3; do
		! (patience=20 && wait_until is_at_shell) || return 0
		t send-keys -t "$pane" Enter
	done
	return 1
}
come_back() {
	t send-keys -t "$pane" -l "clear; $2"
	t send-keys -t "$pane" Enter
	$ready
}

# The agent was told, and has read the details; then it is started again. It must not be told again,
# and the next job must wake it before it has been given a prompt.
wake_restart() {
	ask '{"method":"shutdown"}' >/dev/null
	"$MUXBUS_BUILDDIR/muxbusd" -o ack_wait_ms=8000 -S "$dir/tmux" 2>>"$dir/muxbusd.log"
	arm_wake "$1" 'It reads the details.' || return
	: >"$go"
	wait_until is_told "$1" && quit "$1" && come_back "$1" "$start_command" || return
	first=$(cat "$dir/$1.ids")
	since=$(turns true)
	! (patience=15 && wait_until has_turns $((since + 1)) true) || wrong="told again of $first"
	rm "$go" "$dir/$1.ended"
	arm_outside "$1"
	: >"$go"
	(wait_until has_turns $((since + 1)) true)
	give "$1" 'DO list_panes {} DONE'
}

# put_cell LINE: into the table of $MUXBUS_AGENT_WAKES, in the place of the line of that agent and scenario.
put_cell() {
	echo "# $1"
	[ -n "$MUXBUS_AGENT_WAKES" ] || return 0
	until mkdir "$MUXBUS_AGENT_WAKES.lock" 2>/dev/null; do sleep 0.1; done
	awk -v line="$1" 'BEGIN { split(line, new, "|") }
		{ split($0, old, "|") }
		old[2] == new[2] && old[3] == new[3] { print line; is_done = 1; next }
		/^\| agent / { is_table = 1 }
		is_table && /^$/ { if (!is_done) print line; is_table = 0; is_done = 1 }
		{ print }' "$MUXBUS_AGENT_WAKES" >"$MUXBUS_AGENT_WAKES.new" &&
		mv "$MUXBUS_AGENT_WAKES.new" "$MUXBUS_AGENT_WAKES"
	rmdir "$MUXBUS_AGENT_WAKES.lock"
}

# cell SCENARIO: a fresh agent of its own.
cell() {
	label=$(wake_label "$1")
	name=w$(echo "$1" | tr -d '_0-9')
	go=$dir/go.$name
	beside= wrong= way= time= other=
	usual_command=$start_command
	[ "$1" != dialog ] || start_command=$asking_command
	muxbus start >/dev/null 2>&1
	if ! enter "$name" 'a shell'; then
		wrong='the agent is not ready'
	else
		wake_"$1" "$name"
	fi
	start_command=$usual_command
	if [ -z "$wrong" ] && ! [ -s "$dir/$name.ended" ]; then
		wrong='the scenario did not come to its wake'
		pane=$(cat "$dir/$name.pane")
		screen | grep -v '^ *$' | sed 's/^/# /'
	fi
	result=${wrong:+wrong: $wrong}
	[ -n "$result" ] || [ "$1" != forty ] || result=once
	: "${result:=$(count_word "$(told "$name")")}"
	way=$(notes "$name" '.delivery.way // "none"' | tr -d '"' | sort -u | tr '\n' ' ' | sed 's/ $//; s/ /, /g')
	[ -s "$dir/$name.sent" ] || cp "$dir/$name.ended" "$dir/$name.sent" 2>/dev/null
	time=$(time_of "$name" 2>/dev/null)
	put_cell "| $title | $label | $result | ${way:--} | ${time:--} | $version |"
	is "woken: $label" "$result" once
	[ "$result" = once ] || notes "$name" '.delivery' | cut -c 1-300 | sort -u | head -n 3 | sed 's/^/# /'
	for left in "$name" ${other:+"$other"}; do t kill-pane -t "$(cat "$dir/$left.pane")" 2>/dev/null; done
}

# The cells of one agent: those of $MUXBUS_AGENT_CELLS, or all. With $MUXBUS_AGENT_WAKES nothing else is tested.
measure_wakes() {
	[ -z "$MUXBUS_AGENT_SCENARIO" ] || return 0
	for row in ${MUXBUS_AGENT_CELLS:-$wake_rows}; do cell "$row"; done
	if [ -n "$MUXBUS_AGENT_WAKES" ]; then
		done_testing
		exit
	fi
}
