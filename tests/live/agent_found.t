#!/bin/sh
# SPDX-License-Identifier: ISC
# The state of an agent that nobody keeps: as it reports it, but for a prompt or a dialog that its
# screen shows. An agent does not report that a person has ended a turn by Escape.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
start 'exec sh'
pane=$(t display-message -p '#{pane_id}')
t resize-window -t "$pane" -x 80 -y 24
rule=────────────────────────────────────────

report() { # report STATE
	call report_agent "{\"agent\":\"claude\",\"pane\":\"$pane\",\"session\":\"one\",\"state\":\"$1\"}"
}
seen() { # its state, and who says so
	ask '{"method":"list_agents"}' |
		jq -r --arg pane "$pane" '.result.agents[] | select(.pane == $pane) | "\(.state) by \(.source)"'
}
show() { # show TEXT: as the screen of the agent
	printf '%b' "$1" >"$dir/screen"
	t respawn-pane -k -t "$pane" "cat '$dir/screen'; exec sleep 3600"
	until_is 'the screen is shown' "$(tail -n 1 "$dir/screen")" sh -c \
		"tmux -S '$dir/tmux' capture-pane -p -t $pane | grep . | tail -n 1"
}

# One that has not reported, as Codex before its first prompt: what its screen says.
cp "$(command -v sleep)" "$dir/claude"
printf '%b' "$rule\n❯ half a line\n$rule\n  ? for shortcuts" >"$dir/silent"
silent=$(t new-window -dP -F '#{pane_id}' -t main: "cat '$dir/silent'; exec '$dir/claude' 3600")
until_is 'one that has not reported, by its screen' 'draft by screen' sh -c "printf '%s\n' '{\"method\":\"list_agents\"}' |
	socat -t 86400 - UNIX-CONNECT:$MUXBUS | jq -r '.result.agents[] | select(.pane == \"$silent\") | \"\(.state) by \(.source)\"'"
t kill-pane -t "$silent"

show "● Working on it\n\n$rule\n❯\n$rule\n  esc to interrupt"
report busy
is 'work that is shown and reported' "$(seen)" 'busy by hook'
report asking
is 'work that is shown just after the report of a question' "$(seen)" 'blocked by hook'
until_is 'and later: it was answered' 'busy by screen' seen
show "● Interrupted\n\n  ⎿  What now?\n\n$rule\n❯\n$rule\n  ? for shortcuts"
report busy
is 'a prompt that is shown just after the report' "$(seen)" 'busy by hook'
until_is 'and later' 'ready by screen' seen
report asking
is 'an early one of a question' "$(seen)" 'blocked by hook'
until_is 'which has gone' 'ready by screen' seen
show "$rule\n❯ half a line\n$rule\n  ? for shortcuts"
report busy
until_is 'a draft is in its prompt' 'draft by screen' seen
show "Do you want to proceed?\n ❯ 1. Yes\n   2. No\n\n Esc to cancel"
report busy
is 'a dialog counts at once' "$(seen)" 'blocked by screen'
report idle
is 'a menu that a person opened is the report' "$(seen)" 'ready by hook'
call report_agent "{\"agent\":\"other\",\"pane\":\"$pane\",\"session\":\"two\",\"state\":\"busy\"}"
is 'an agent without signs is as it reports' "$(seen)" 'busy by hook'
done_testing
