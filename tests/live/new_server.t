#!/bin/sh
# SPDX-License-Identifier: ISC
# The tmux server ends, and another one begins: what was armed in the old one names none of the new
# panes, and a kept agent is started again.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
start 'exec sh'
old=$(t display-message -p '#{pid}')
call sleep '{"pane":"main","seconds":3600,"text":"later"}'
call watch_log "{\"pane\":\"main\",\"file_path\":\"$dir/log\",\"regex\":\"x\"}"
call watch_pane '{"pane":"main","regex":"never"}'
call run_long_command '{"pane":"main","command":"sleep 3600"}'
job=$(field .result.id)
call post_notification '{"pane":"main","text":"unread"}'
call ensure_agent '{"name":"kept","command":"exec cat","prompt":"^$"}'
is 'an agent is kept' "$(field .result.state)" ready
first=$(field .result.pid)
call ensure_agent '{"name":"closed","command":"exec cat","prompt":"^$"}'
t kill-pane -t "$(field .result.pane)"
state() {
	ask '{"method":"list_agents"}' | jq -r --arg agent "$1" '.result.agents[] | select(.agent == $agent) | .state'
}
until_is 'of another one the pane was closed' gone state closed
panes() { # every pane of the lists, with the word whether it is gone
	ask '{"method":"list_timers"}' | jq -r '.result.timers[] | "timer \(.pane) \(.pane_gone)"'
	ask '{"method":"list_watches"}' | jq -r '.result.watches[] | "\(.kind) \(.pane) \(.pane_gone) \(.watched_pane) \(.watched_pane_gone)"'
	ask '{"method":"list_jobs"}' | jq -r '.result.jobs[] | "job \(.pane) \(.pane_gone)"'
	call get_job "{\"job\":\"$job\"}"
	field '.result | "one job \(.pane) \(.pane_gone)"'
	ask '{"method":"list_notifications"}' | jq -r '.result.notifications[] | select(.text == "unread") | "post \(.pane) \(.pane_gone)"'
}
is 'the panes are there' "$(panes)" 'timer %0 null
file %0 null null null
pane null null %0 null
job %0 null
one job %0 null
post %0 null'

t kill-server
# The old server may still be ending.
while kill -0 "$old" 2>/dev/null; do sleep 0.02; done
t new-session -d -s main 'exec sh' || exit 99
followed() {
	ask '{"method":"status"}' | jq -r '.result.tmux | "\(.state) \(.pid)"'
}
until_is 'the new server is followed' "live $(t display-message -p '#{pid}')" followed
is 'it has a pane of that id too' "$(ask '{"method":"get_pane","params":{"pane":"%0"}}' | jq -r .result.pane)" %0
is 'and no list means that' "$(panes | grep -v '^pane ')" 'timer %0 true
file %0 true null null
job %0 true
one job %0 true
post %0 true'
is 'nor are the notifications of the other its own' "$(call list_notifications '{"pane":"%0"}'; field '[.result.notifications[] | select(.text == "unread")] | length')" 0
# A program that outlived the first server has its TMUX_PANE.
outlives() { # outlives PID: the pane that `screenshot` takes for its own
	TMUX="$dir/tmux,$1,0" TMUX_PANE=%0 timeout 20 "$MUXBUS_BUILDDIR/muxbus" screenshot -f svg 2>&1 >"$dir/svg" | grep -c 'in no pane' || :
}
is 'nor is its pane that of a program of the other' "$(outlives "$old")" 1
is 'but that of its own ones' "$(outlives "$(t display-message -p '#{pid}')")" 0
until_is 'the agent is kept alive' ready state kept
again() {
	ask '{"method":"list_agents"}' | jq -r '.result.agents[] | select(.agent == "kept") | "\(.restarts) \(.pid != '"$first"')"'
}
is 'by another start' "$(again)" '1 true'
is 'the other one stays gone' "$(state closed)" gone
is 'the start is notified' "$(ask '{"method":"list_notifications"}' | jq -r '.result.notifications[] | select(.text | startswith("agent kept ")).text')" 'agent kept crashed; it is started again'
call send_task '{"agent":"kept","text":"a task","timeout_sec":20}'
is 'and takes tasks' "$(field '.result | "\(.outcome) \(.text)"')" 'ready a task'

# A server without sessions: a subscriber hears of the next one, and tmux sleeps until then.
call stop_agent '{"agent":"kept"}'
t set-option -s exit-empty off
printf '{"id":1,"method":"subscribe","params":{"kinds":["layout_changed","session_created","title_changed"]}}\n' |
	timeout 60 socat -t 60 - "UNIX-CONNECT:$MUXBUS" >"$dir/events" &
until_is 'a subscriber is there' 1 grep -c '"result"' "$dir/events"
for session in $(t list-sessions -F '#{session_id}'); do
	t kill-session -t "$session"
done
until_is 'the last session closes' '[]' sh -c "printf '%s\n' '{\"id\":1,\"method\":\"list_sessions\"}' | socat -t 9 - UNIX-CONNECT:$MUXBUS | jq -c .result.sessions"
server=$(followed)
server=${server#* }
turns() { # how often tmux has slept
	awk '/^voluntary_ctxt/ { print $2 }' "/proc/$server/status"
}
tries=0
until
	before=$(turns)
	sleep 1.5 # longer than between two listings of a server that announces nothing
	[ "$(turns)" = "$before" ] || [ $tries -ge 8 ]
do
	tries=$((tries + 1)) # the subscriber's client may still end
done
is 'tmux without sessions is asked nothing' "$(turns)" "$before"
t new-session -d -s next 'exec cat'
until_is 'a new session is heard of' true sh -c "jq -s 'any(.params.kind == \"session_created\" and .params.name == \"next\")' '$dir/events'"
done_testing
