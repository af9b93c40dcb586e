#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# Many requests over one connection, from bash. Source it for its functions, or run it for
# a demonstration. Needs socat and jq.
#
#	source contrib/socat/session.bash
#	muxbus_open
#	muxbus_call ping
#	muxbus_call execute_cli '{"command": "cd /usr; pwd"}' | jq -r .stdout
#	muxbus_call execute_cli '{"command": "pwd"}' | jq -r .stdout    # still /usr
#	muxbus_close

muxbus_last=0

# Connects. Socat is a coprocess; subshells cannot use its descriptors, only copies of them.
muxbus_open() {
	local socket=${MUXBUS:-${TMUX%%,*}.muxbus}
	coproc MUXBUS_PEER { exec socat -t 86400 - "UNIX-CONNECT:$socket"; }
	muxbus_pid=$MUXBUS_PEER_PID
	exec {muxbus_in}<&"${MUXBUS_PEER[0]}" {muxbus_out}>&"${MUXBUS_PEER[1]}"
}

# muxbus_call METHOD [PARAMS]: prints the result, and sets $muxbus_result to it. Prints an
# error to standard error and returns 1; returns 3 if the connection has ended. Skips other
# lines, such as events.
muxbus_call() {
	local line id=$((++muxbus_last)).$BASHPID # unique in subshells too
	muxbus_result=
	jq -nc --arg id "$id" --arg method "$1" --argjson params "${2:-"{}"}" \
		'{$id, $method, $params}' >&"$muxbus_out" || return 3
	while IFS= read -r line <&"$muxbus_in"; do
		[ "$(jq -r '.id // empty' <<<"$line")" = "$id" ] || continue
		if muxbus_result=$(jq -ce '.result // empty' <<<"$line"); then
			printf '%s\n' "$muxbus_result"
			return 0
		fi
		jq -r .error.message <<<"$line" >&2
		return 1
	done
	return 3
}

# Disconnects: all calls have been answered, and subscriptions end.
muxbus_close() {
	exec {muxbus_in}<&- {muxbus_out}>&-
	kill "$muxbus_pid" && wait "$muxbus_pid"
	return 0
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
	muxbus_open
	muxbus_call status | jq -r '"muxbusd \(.version) follows tmux \(.tmux.version // "of no server")"'
	muxbus_call list_panes | jq -r '.panes[].pane' | while read -r pane; do
		printf '%s\t%s\n' "$pane" "$(muxbus_call capture_pane "{\"pane\": \"$pane\"}" |
			jq -r '.text | split("\n") | map(select(. != "")) | last // ""')"
	done
	muxbus_close
fi
