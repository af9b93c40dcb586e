# SPDX-License-Identifier: ISC
# The recorder of screens (sourced by agents.sh): record.mjs with what an agent's file says.
#
# $dialogs is a list of calls that ask a person: [{tool, args, shows, yes, runs}]; $menus one of
# commands that open a menu: [{command, shows}]; $first one of questions of the first start, [[text,
# key]], the first of which that is shown counts; $ready_pattern the first prompt.

# record_states: $MUXBUS_AGENT_COUNT screens into the file $MUXBUS_AGENT_STATES, by the seed $MUXBUS_AGENT_SEED;
# with $MUXBUS_AGENT_ADOPT the agent is adopted, else it is as a person has started it. Or, with
# $MUXBUS_AGENT_REPLIES, so many tasks, and a row with how many replies are exact into that file.
record_states() {
	[ -n "$MUXBUS_AGENT_STATES$MUXBUS_AGENT_REPLIES" ] || return 0
	sh -c 'export -p' >"$dir/env"
	muxbus start >/dev/null 2>&1
	jq -nc --arg agent "$agent" --arg version "$version" --arg start "$asking_command" --arg ready "$ready_pattern" \
		--arg dir "$dir" --arg log "$log" --arg project "$project" --arg socket "$MUXBUS" --arg adopt "$MUXBUS_AGENT_ADOPT" --arg replies "$MUXBUS_AGENT_REPLIES" \
		--argjson dialogs "${dialogs:-[]}" --argjson menus "${menus:-[]}" --argjson first "${first:-[]}" \
		'{$agent, $version, $start, $ready, $dir, $log, $project, $socket, $dialogs, $menus, $first, adopts: ($adopt != ""), replies: ($replies != "")}' \
		>"$dir/record.json"
	node "$MUXBUS_SRCDIR/tests/agents/record.mjs" "$dir/record.json" \
		"${MUXBUS_AGENT_REPLIES:-$MUXBUS_AGENT_STATES}" "${MUXBUS_AGENT_COUNT:-20}" "${MUXBUS_AGENT_SEED:-1}"
	ok 'it is recorded' [ -s "${MUXBUS_AGENT_REPLIES:-$MUXBUS_AGENT_STATES}" ]
	done_testing
	exit
}
