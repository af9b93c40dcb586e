#!/bin/sh
# SPDX-License-Identifier: ISC
# Starts of agents: one that fails says why and leaves nothing behind.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
start 'exec sh'

# fails NAME PARAMS: an agent whose start fails; keeps the answer.
fails() {
	call ensure_agent "$(jq -nc --arg name "$1" --argjson more "$2" '{$name} + $more')"
}
sessions() { t list-sessions -F '#{session_name}' | sort | tr '\n' ' '; }

fails missing '{"command":"no-such-program --flag"}'
is 'a program that does not exist: its exit status' \
	"$(field '.error.data | "\(.kind) \(.state) \(.evidence.exit_status) \(.pane)"')" 'not_ready crashed 127 null'
ok 'and in words' test "$(field '.error.message' | grep -c 'not found, exit status 127')" = 1
touch "$dir/file"
fails forbidden "{\"command\":\"$dir/file\"}"
is 'a file that is no program' "$(field '.error.data.evidence.exit_status')" 126
ok 'is said in words' test "$(field '.error.message' | grep -c 'cannot be executed, exit status 126')" = 1
fails words '{"command":["no-such-program","--flag"]}'
ok 'a missing program without a shell' test "$(field '.error.message' | grep -c '"no-such-program" cannot be executed: not found in PATH')" = 1
fails killed '{"command":"echo before; kill -SEGV $$"}'
ok 'a program that is killed' test "$(field '.error.message' | grep -c 'killed by signal 11')" = 1
fails silent '{"command":"exit 5"}'
is 'a program that says nothing' "$(field '.error | "\(.data.evidence.exit_status) \(.message | endswith("exit status 5"))"')" '5 true'
# On a busy machine tmux can close the terminal before it has read the last bytes: see muxbusd(8).
for again in 1 2 3 4 5; do
	fails talks '{"command":"echo one; printf \"\\033[31mtwo\\033[0m three\\033]0;title\\007\\n\\n\"; exit 3"}'
	[ "$(field .error.data.output)" = null ] || break
done
is 'a program that says why: its last lines' "$(field '.error.data | "\(.evidence.exit_status) \(.output)"')" "$(printf '3 one\ntwo three')"
ok 'in the message too' test "$(field '.error.message' | grep -c 'exit status 3; its last lines: one | two three$')" = 1
fails long '{"command":"yes word | head -n 3000; printf \"%01000d\" 7; exit 3"}'
is 'a program that says much: the end of it' "$(field '.error.data.output | "\(split("\n") | length) \(length < 300) \(startswith("word\nword\n"))"')" '5 true true'
ok 'the missing program as the shell says it' test "$(ask '{"method":"list_agents"}' | jq -r '.result.agents[] | select(.agent == "missing").output' | grep -c 'no-such-program.*not found')" = 1
call list_notifications '{}'
is 'the notification has it too' "$(field '.result.notifications[] | select(.data.agent == "talks").data.output | startswith("one\n")')" true
until_is 'no session or window stays' 'main ' sessions

# The next daemon knows why, and the agent can be started again.
kill_daemon
call list_agents '{}'
is 'a killed daemon leaves the reason' "$(field '.result.agents[] | select(.agent == "missing") | "\(.state) \(.evidence.exit_status)"')" 'crashed 127'
is 'and the last lines' "$(field '.result.agents[] | select(.agent == "talks").output | startswith("one\n")')" true
call ensure_agent '{"name":"missing","command":"exec cat","prompt":"^$"}'
is 'the name can be used again' "$(field '.result | "\(.state) \(.started)"')" 'ready true'
call stop_agent '{"agent":"talks"}'
is 'an agent without a pane is stopped' "$(field '.error.message // (.result | "\(.agent) \(.pane) \(.released)")')" 'talks null false'

# Its pane closes at any time of the start; it is started again, and stopped: the first launch
# is over then, and reads nothing of an agent that is no more.
life=$(ask '{"method":"status"}' | jq .result.pid)
for delay in 0 1 2 3 5 7 9; do
	t set-hook -g after-new-window \
		"run-shell -b 'sleep 0.00$delay; tmux -S $dir/tmux kill-pane -t agent-cut:; : >$dir/cut.$delay'"
	call ensure_agent '{"name":"cut","command":"exec cat","prompt":"^$"}'
	t set-hook -gu after-new-window
	until_is 'it is cut' there sh -c "[ -e '$dir/cut.$delay' ] && echo there || :"
	call ensure_agent '{"name":"cut","command":"exec cat","prompt":"^$"}'
	is "a start after one that was cut $delay ms after its window" "$(field .result.state)" ready
	call stop_agent '{"agent":"cut"}'
	is 'and it can be stopped' "$(field .result.agent)" cut
done
until_is 'no session of a launch is left' 0 sh -c "tmux -S $dir/tmux list-sessions -F '#{session_name}' | grep -c cut"
is 'the same daemon lives' "$(ask '{"method":"status"}' | jq .result.pid)" "$life"
done_testing
