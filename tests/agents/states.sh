# SPDX-License-Identifier: ISC
# The recorder of screens (sourced by agents.sh): record.mjs with what an agent's file says.
#
# $dialogs is a list of calls that ask a person: [{tool, args, shows, yes, runs}]; $menus one of
# commands that open a menu: [{command, shows}]; $first one of questions of the first start, [[text,
# key]], the first of which that is shown counts; $ready_pattern the first prompt, $bare_pattern that
# without what Muxbus sets up, if it is another one (and $first is not asked); $variants more ways to start it, one a line.

# The settings of record.mjs and walk.mjs.
write_settings() {
	sh -c 'export -p' >"$dir/env"
	muxbus start >/dev/null 2>&1
	jq -nc --arg agent "$agent" --arg version "$version" --arg start "$asking_command" --arg ready "$ready_pattern" \
		--arg dir "$dir" --arg log "$log" --arg project "$project" --arg socket "$MUXBUS" --arg adopt "$MUXBUS_AGENT_ADOPT" --arg replies "$MUXBUS_AGENT_REPLIES" \
		--argjson dialogs "${dialogs:-[]}" --argjson menus "${menus:-[]}" --argjson first "${first:-[]}" --arg variants "$variants" --arg bare "$is_bare" --arg leave "${leave:-/quit}" \
		'{$agent, $version, $start, $ready, $dir, $log, $project, $socket, $dialogs, $menus, $first, $leave, adopts: ($adopt != ""), replies: ($replies != ""),
		isBare: ($bare != ""), starts: [$start, ($variants | split("\n")[] | select(. != ""))]}' >"$dir/record.json"
}

# record_states: $MUXBUS_AGENT_COUNT screens into the file $MUXBUS_AGENT_STATES, by the seed $MUXBUS_AGENT_SEED;
# with $MUXBUS_AGENT_ADOPT the agent is adopted, else it is as a person has started it. Or, with
# $MUXBUS_AGENT_REPLIES, so many tasks, and a row with how many replies are exact into that file.
record_states() {
	[ -n "$MUXBUS_AGENT_STATES$MUXBUS_AGENT_REPLIES" ] || return 0
	write_settings
	node "$MUXBUS_SRCDIR/tests/agents/record.mjs" "$dir/record.json" \
		"${MUXBUS_AGENT_REPLIES:-$MUXBUS_AGENT_STATES}" "${MUXBUS_AGENT_COUNT:-20}" "${MUXBUS_AGENT_SEED:-1}"
	ok 'it is recorded' [ -s "${MUXBUS_AGENT_REPLIES:-$MUXBUS_AGENT_STATES}" ]
	done_testing
	exit
}

# slow_tasks: with $MUXBUS_AGENT_SLOW, so many tasks for the agent as a person has started it, without what Muxbus
# sets up, at full speed and slowed down (slow.mjs), and nothing else.
slow_tasks() {
	[ -n "$MUXBUS_AGENT_SLOW" ] || return 0
	unset_up >"$dir/said" 2>&1
	ready_pattern=${bare_pattern:-$ready_pattern} first= is_bare=yes
	write_settings
	node "$MUXBUS_SRCDIR/tests/agents/slow.mjs" "$dir/record.json" "$MUXBUS_AGENT_SLOW" "${MUXBUS_AGENT_FACTOR:-8}"
	is 'tasks of a slow agent' $? 0
	done_testing
	exit
}

# narrow_panes: with $MUXBUS_AGENT_NARROW, a list of sizes such as 20x10, notices for the agent without what Muxbus
# sets up in panes of these sizes (narrow.mjs), and nothing else.
narrow_panes() {
	[ -n "$MUXBUS_AGENT_NARROW" ] || return 0
	unset_up >"$dir/said" 2>&1
	ready_pattern=${bare_pattern:-$ready_pattern} first= is_bare=yes
	write_settings
	node "$MUXBUS_SRCDIR/tests/agents/narrow.mjs" "$dir/record.json" "$MUXBUS_AGENT_NARROW"
	is 'notices in narrow panes' $? 0
	done_testing
	exit
}

# marked_tasks: with $MUXBUS_AGENT_MARKS, tasks with "?" and "!" for the agent without what Muxbus sets up (marks.mjs),
# and nothing else.
marked_tasks() {
	[ -n "$MUXBUS_AGENT_MARKS" ] || return 0
	unset_up >"$dir/said" 2>&1
	ready_pattern=${bare_pattern:-$ready_pattern} first= is_bare=yes
	write_settings
	node "$MUXBUS_SRCDIR/tests/agents/marks.mjs" "$dir/record.json"
	is 'tasks with marks' $? 0
	done_testing
	exit
}

# walk LABEL: a person at random (walk.mjs), $MUXBUS_AGENT_WALK rounds (5) by the seed $MUXBUS_AGENT_SEED.
walk() {
	write_settings
	walk_seed=${MUXBUS_AGENT_SEED:-$(date +%s)}
	node "$MUXBUS_SRCDIR/tests/agents/walk.mjs" "$dir/record.json" "${MUXBUS_AGENT_WALK:-5}" "$walk_seed"
	is "a walk, $1, MUXBUS_AGENT_SEED=$walk_seed" $? 0
}

# walks: one with what Muxbus has set up, one without, where notices are typed. With $MUXBUS_AGENT_WALK
# nothing else is tested.
walks() {
	slow_tasks
	narrow_panes
	marked_tasks
	[ -z "$MUXBUS_AGENT_WAKES$MUXBUS_AGENT_SCENARIO" ] || return 0
	[ -n "$MUXBUS_AGENT_BARE" ] || walk 'set up'
	unset_up >"$dir/said" 2>&1
	usual_pattern=$ready_pattern usual_first=$first
	ready_pattern=${bare_pattern:-$ready_pattern} first= is_bare=yes
	walk 'not set up'
	ready_pattern=$usual_pattern first=$usual_first is_bare=
	if [ -n "$MUXBUS_AGENT_WALK" ]; then
		done_testing
		exit
	fi
	set_up >"$dir/said" 2>&1
}
set_up() {
	muxbus setup "$agent" --write
}
unset_up() {
	muxbus setup "$agent" --remove
}
