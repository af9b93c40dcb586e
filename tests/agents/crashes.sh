# SPDX-License-Identifier: ISC
# For tests with real agents (sourced): crashes. $MUXBUS_AGENT_CRASHES: so often all that runs is killed, and
# muxbus restore has the agent go on with its conversation. Nothing else is tested then.

SAVED_SEC=32 # until what is there is saved, at the latest

# All with our home but this script and the model.
kill_all() {
	server=$(t display-message -p '#{pid}')
	daemon=$(status_pid)
	kill -9 "$server" "$daemon"
	wait_until [ ! -d "/proc/$server" ]
	for environment in $(grep -l -z -x "HOME=$HOME" /proc/[0-9]*/environ 2>/dev/null); do
		left=${environment%/environ}
		left=${left#/proc/}
		[ "$left" = $$ ] || [ "$left" = "$model_pid" ] || [ "$HOME" != "$dir/home" ] ||
			kill -9 "$left" 2>/dev/null
	done
}

# says_again TEXT: a person goes on; the model answers. An agent that starts yet may pass over Enter.
says_again() {
	answers=$(turns '.text')
	prompt "$1"
	wait_until has_turns $((answers + 1)) '.text' && return
	t send-keys -t "$pane" Enter
	wait_until has_turns $((answers + 1)) '.text'
}

# measure_crashes PROGRAM [PATTERN]: what the screen shows when a conversation goes on; else $ready_pattern.
measure_crashes() {
	[ -n "$MUXBUS_AGENT_CRASHES" ] || return 0
	ln -s "$1" "$dir/bin/$agent"
	run_agent . "$start_command"
	$ready
	ok 'the first words are answered' says_again 'hello number zero'
	sleep $SAVED_SEC
	for crash in $(seq "$MUXBUS_AGENT_CRASHES"); do
		kill_all
		t new-session -d -s other -x 150 -y 50 'exec sh'
		start_daemon
		is "crash $crash: restored" "$(muxbus -S "$dir/tmux" restore --text 2>&1 | grep -c 'restored main:.* 1 agent')" 1
		pane=$(t list-panes -a -F '#{pane_id} #{pane_current_path}' | sed -n "s|^\(%[0-9]*\) $project\$|\1|p" | head -n 1)
		t resize-window -t "$pane" -x 150 -y 50
		ok 'it is ready' wait_until shows "${2:-$ready_pattern}"
		ok 'a person goes on' says_again "hello number $crash"
		ok 'with the whole conversation' wait_until shows 'number zero'
		is 'the agent is known there' \
			"$(ask '{"method":"list_agents"}' | jq -r '.result.agents | map(.agent + .pane) | join(" ")')" "$agent$pane"
	done
	done_testing
	exit
}
