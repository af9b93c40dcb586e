#!/bin/sh
# SPDX-License-Identifier: ISC
# Codex: set up like a new user, has the tools, is woken by its queue, with the daemon that its
# windows share and without, survives a restart of muxbusd, and reads after its end what it had in its queue.

. "$MUXBUS_SRCDIR/tests/agents/agents.sh"
need_agent codex @openai/codex
codex=$folder/node_modules/.bin/codex
begin
is 'it is that version' "$("$codex" --version 2>/dev/null)" "codex-cli $version"
mkdir -p "$HOME/.codex"
cat >"$HOME/.codex/config.toml" <<END
model = "stand-in"
model_provider = "stand-in"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false

[model_providers.stand-in]
name = "stand-in"
base_url = "$url/v1"
wire_api = "responses"
env_key = "STAND_IN_KEY"

[projects."$project"]
trust_level = "trusted"
END
export STAND_IN_KEY=stand-in
ok 'muxbus setup' quietly muxbus setup codex --write
is 'codex mcp list' "$("$codex" mcp list 2>/dev/null | grep -c '^muxbus .*enabled')" 1

title=Codex
ready=is_ready
# It asks a person once whether the hooks are trusted.
is_ready() {
	if [ ! -e "$dir/trusted" ]; then
		wait_until shows 'Trust all and continue' || return 1
		for try in 1 2 3 4 5; do # it passes over a key while it starts
			t send-keys -t "$pane" Down
			! (patience=3 && wait_until shows '› 2') || break
		done
		t send-keys -t "$pane" Enter
		: >"$dir/trusted"
	fi
	wait_until shows '^› [^1-9]'
}
start_command=$codex
resume_command="$codex resume --last"
asking_command="$codex -a on-request -s read-only"
asking_members=',"sandbox_permissions":"require_escalated","justification":"a test"'
shell=exec_command shell_key=cmd dialog='Would you like to run' yes=Enter leave=/quit
ready_pattern='for shortcuts'
first='[["› 2. Trust all and continue", "Enter"], ["Trust all and continue", "Down"]]'
dialogs='[{"tool": "exec_command", "args": {"cmd": "touch MARKER; sleep 4", "sandbox_permissions": "require_escalated",
  "justification": "a test"}, "shows": "Would you like to run", "runs": true}]'
menus='[{"command": "/model", "shows": "Select Model"}, {"command": "/permissions", "shows": "Permissions"}]'
record_states
measure_crashes "$codex"
variants="$asking_command -c tui.theme=github"
walks
[ -n "$MUXBUS_AGENT_WAKES$MUXBUS_AGENT_BARE$MUXBUS_AGENT_SCENARIO" ] || : >"$dir/trusted" # by the walk
measure_wakes
scenario 'a shell' 'a shell' '(hook, )?queue_command'
scenario 'a waiting shell' 'a waiting shell' '(hook, )?queue_command'
scenario 'two in a window' 'two in a window' '(hook, )?queue_command'
start_command="$codex --no-daemon"
scenario 'with --no-daemon' 'a shell' '(hook, )?queue_command'

run_agent '^› [^1-9]' "$codex"
wakes 'with the daemon that was there'
restart
wakes 'with the next one'

# What is handed over just before Codex ends stays in its queue for the thread.
prompt 'WAIT 30. Work now.'
wait_until has_turns 1 '.prompt | test("Work now")'
last=$(ask '{"method":"sleep","params":{"pane":"'"$pane"'","seconds":0.1,"text":"late"}}' | jq -r .result.id)
until_is 'a notice while it works is handed over' '"delivered"' state_of "$last"
t send-keys -t "$pane" C-c
wait_until shows 'Exit  *Stop the current task'
t send-keys -t "$pane" Down Down Enter
is_dead() {
	[ "$(t display-message -p -t "$pane" '#{pane_dead}')" = 1 ]
}
ok 'it ends at once' wait_until is_dead
is 'and has not read it' "$(turns ".prompt | test(\"muxbus $last\")")" 0
run_agent '^› [^1-9]' "$resume_command"
prompt 'Go on after the end.'
until_turns 'the same thread reads it once' 1 ".prompt | test(\"muxbus $last\")"
done_testing
