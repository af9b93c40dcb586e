#!/bin/sh
# SPDX-License-Identifier: ISC
# Claude Code: the plugin is valid, set up as a new user does it, has the tools, wakes the session by
# its monitor, and survives a restart of the daemon.

. "$MUXBUS_SRCDIR/tests/agents/agents.sh"
need_agent claude @anthropic-ai/claude-code
claude=$(find "$folder/node_modules/@anthropic-ai" -path '*claude-code-*/claude' -type f | head -n 1)
[ -x "$claude" ] || skip_all 'there is no Claude Code for this machine'
begin
export ANTHROPIC_BASE_URL="$url" ANTHROPIC_API_KEY=sk-ant-stand-in-for-tests
export CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 DISABLE_AUTOUPDATER=1
is 'it is that version' "$("$claude" --version)" "$version (Claude Code)"
ok 'the plugin is valid' quietly "$claude" plugin validate "$MUXBUS_SRCDIR/contrib/claude"

# The questions of its first start.
cat >"$HOME/.claude.json" <<END
{"hasCompletedOnboarding": true, "theme": "dark",
 "customApiKeyResponses": {"approved": ["t-stand-in-for-tests"], "rejected": []},
 "projects": {"$project": {"hasTrustDialogAccepted": true}}}
END
mkdir -p "$HOME/.claude"
echo '{"permissions": {"allow": ["mcp__plugin_muxbus_muxbus"]}}' >"$HOME/.claude/settings.json"
ok 'muxbus setup' quietly muxbus setup claude --write
list() {
	(cd "$project" && "$claude" mcp list 2>&1) | grep '^plugin:muxbus:muxbus' | grep -o Connected
}
until_is 'claude mcp list' Connected list

title='Claude Code'
start_command=$claude
# Versions such as 2.1.197 arm a plugin's monitors only by a switch that they fetch from their maker: by their code
# "tengu_amber_sentinel", off without a network. Then the hook at the end of a turn wakes, and typing.
if grep -q -a tengu_amber_sentinel "$claude"; then
	echo '# this version arms no monitor here'
	ready_pattern='for shortcuts' ways='(hook|typed)(, (hook|typed))?'
else
	ready_pattern='1 monitor' ways='follow(, hook)?'
fi
ready=is_ready
is_ready() {
	wait_until shows "$ready_pattern"
}
asking_command="$claude --permission-mode default"
start_command="$asking_command --allowedTools Bash"
shell=Bash shell_key=command dialog='Do you want to proceed' yes=Enter leave=/exit
dialogs='[{"tool": "Bash", "args": {"command": "touch MARKER; sleep 4", "description": "a test"},
  "shows": "Do you want to proceed", "runs": true},
 {"tool": "Write", "args": {"file_path": "PROJECT/NAME.txt", "content": "one\ntwo\n"}, "shows": "Do you want to create"},
 {"tool": "AskUserQuestion", "args": {"questions": [{"question": "Which one do you like?", "header": "Choice",
  "multiSelect": false, "options": [{"label": "Red", "description": "the first"},
  {"label": "Blue", "description": "the second"}]}]}, "shows": "Which one do you like"}]'
menus='[{"command": "/model", "shows": "Select model"}, {"command": "/permissions", "shows": "Permissions"}]'
record_states
measure_crashes "$claude"
variants="$asking_command --settings '{\"theme\":\"light\"}'"
bare_pattern='for shortcuts|for agents'
walks
measure_wakes
start_command=$claude
scenario 'a shell' 'a shell' "$ways"
scenario 'a waiting shell' 'a waiting shell' "$ways"
scenario 'two in a window' 'two in a window' "$ways"

run_agent "$ready_pattern" "$claude"
wakes 'with the daemon that was there'
ok 'its tool list has ours' [ "$(turns '.tools | any(endswith("__run_long_command"))')" -gt 0 ]
restart
wakes 'with the next one'
is 'claude mcp list again' "$(list)" Connected
done_testing
