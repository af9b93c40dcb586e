#!/bin/sh
# SPDX-License-Identifier: ISC
# The condition agent_state of wait_for: agents that report themselves, and one that is kept.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
need python3
start 'exec sh'
pane=$(t split-window -d -P -F '#{pane_id}' 'exec cat')

state() {
	field '.result.conditions[0] | "\(.state) \(.details.by) \(.details.state)"'
}
report() {
	ask '{"method":"report_agent","params":{"agent":"robot","pane":"'"$pane"'","state":"'"$1"'"}}' >/dev/null
}
once_armed() {
	until [ "$(ask '{"method":"status"}' | jq .result.waits)" -gt 0 ]; do sleep 0.02; done
	"$@"
}

once_armed report busy &
call wait_for '{"any":[{"agent_state":"busy","pane":"'"$pane"'"}],"timeout_sec":60}'
is 'the first report of a pane' "$(state)" 'matched report busy'
wait $!
call wait_for '{"any":[{"agent_state":"busy","agent":"robot"}],"timeout_sec":60}'
is 'a state that is reached comes true at once' "$(field '.result.conditions[0] | "\(.at_entry) \(.details.pane)"')" "true $pane"
once_armed report asking &
call wait_for '{"any":[{"agent_state":"asking","agent":"robot"}],"timeout_sec":60}'
is 'an agent that asks, by its name' "$(state)" 'matched report asking'
wait $!
once_armed report idle &
call wait_for '{"any":[{"agent_state":"ready","agent":"robot","pane":"'"$pane"'"}],"timeout_sec":60}'
is 'ready is what agents call idle' "$(state)" 'matched report idle'
wait $!
call wait_for '{"any":[{"agent_state":"idle","pane":"'"$pane"'"}],"timeout_sec":60}'
is 'and idle means it too' "$(state)" 'matched report idle'
call wait_for '{"any":[{"agent_state":"busy","pane":"'"$pane"'"}],"timeout_sec":0.2}'
is 'another state is not it' "$(field '.result.timed_out')" true

# The end of the process, without a word, and of the pane.
once_armed t respawn-pane -k -t "$pane" 'exec cat' &
call wait_for '{"any":[{"agent_state":"gone","pane":"'"$pane"'"}],"timeout_sec":60}'
is 'the end of its process is its end' "$(state)" 'matched report gone'
wait $!
report busy
once_armed t kill-pane -t "$pane" &
call wait_for '{"any":[{"agent_state":"ready","pane":"'"$pane"'"}],"timeout_sec":60}'
is 'with its pane it can be ready no more' "$(state)" 'gone report gone'
wait $!

# An agent that is kept.
call ensure_agent '{"name":"snake","command":"env PYTHONSTARTUP= python3 -q"}'
is 'an agent is kept' "$(field .result.state)" ready
call wait_for '{"any":[{"agent_state":"ready","agent":"snake"}],"timeout_sec":60}'
is 'it is ready' "$(state)" 'matched agent ready'
once_armed ask '{"method":"send_task","params":{"agent":"snake","text":"import time; time.sleep(2)","wait":false}}' >/dev/null &
call wait_for '{"any":[{"agent_state":"busy","agent":"snake"}],"timeout_sec":60}'
is 'then busy' "$(state)" 'matched agent busy'
wait $!
call wait_for '{"any":[{"agent_state":"ready","agent":"snake"}],"timeout_sec":60}'
is 'and ready again' "$(field '.result.conditions[0] | "\(.state) \(.at_entry)"')" 'matched false'
ask '{"method":"wait_for","params":{"any":[{"agent_state":"gone","agent":"snake"}],"timeout_sec":60,"wait":"kept"}}' >/dev/null &
waiter=$!
kept_waits() {
	ask '{"method":"status"}' | jq .result.waits
}
until_is 'a wait with a name is armed' 1 kept_waits
kill_daemon
wait $waiter
ask '{"method":"wait_for","params":{"wait":"kept","timeout_sec":60}}' >"$dir/kept" &
waiter=$!
until_is 'and resumed after a restart' 1 kept_waits
call send_task '{"agent":"snake","text":"import time; time.sleep(60)","wait":false}'
call wait_for '{"any":[{"agent_state":"busy","agent":"snake"}],"timeout_sec":60}'
ask '{"method":"wait_for","params":{"any":[{"ready":"snake"}],"timeout_sec":60,"wait":"other"}}' >/dev/null &
other=$!
until_is 'another wait looks at its pane' 2 kept_waits
kill -TERM "$daemon_pid"
wait "$daemon_pid"
is 'a daemon that is told to end does so in order' $? 0
wait $waiter $other
start_daemon
ask '{"method":"wait_for","params":{"wait":"kept","timeout_sec":60}}' >"$dir/kept" &
waiter=$!
call stop_agent '{"agent":"snake"}'
wait $waiter
is 'the agent is stopped' "$(jq -r '.result.conditions[0].state' "$dir/kept")" matched

call ensure_agent '{"name":"fails","command":"exit 3"}'
call wait_for '{"any":[{"agent_state":"ready","agent":"fails"}],"timeout_sec":60}'
is 'an agent that has ended, and is not started again, is gone' "$(state)" 'gone agent crashed'
call wait_for '{"any":[{"ready":"fails"}],"timeout_sec":60}'
is 'also for the condition ready' "$(field '.result.conditions[0].state')" gone
call wait_for '{"any":[{"agent_state":"ready","agent":"nobody"}]}'
is 'an agent that is none' "$(field .error.data.kind)" no_such_agent
call wait_for '{"any":[{"agent_state":"redy","agent":"snake"}]}'
is 'a state that is none' "$(field .error.data.field)" any
done_testing
