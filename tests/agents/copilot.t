#!/bin/sh
# SPDX-License-Identifier: ISC
# Copilot CLI: set up like a new user, has the tools, is woken by its extension, without it by a
# typed line, and survives a restart of the daemon.

. "$MUXBUS_SRCDIR/tests/agents/agents.sh"
need_agent copilot @github/copilot
copilot=$folder/node_modules/.bin/copilot
begin
export COPILOT_PROVIDER_BASE_URL="$url/v1" COPILOT_PROVIDER_TYPE=anthropic COPILOT_PROVIDER_API_KEY=stand-in
export COPILOT_MODEL=claude-sonnet-4.5 COPILOT_OFFLINE=true COPILOT_AUTO_UPDATE=false
is 'it is that version' "$("$copilot" --version 2>/dev/null | grep -o '[0-9.]*[0-9]' | head -n 1)" "$version"
mkdir -p "$HOME/.copilot"
printf '{"trustedFolders": ["%s"], "banner": "never"}\n' "$project" >"$HOME/.copilot/config.json"
ok 'muxbus setup' quietly muxbus setup copilot --write

title='Copilot CLI'
ready=is_ready
is_ready() {
	wait_until shows '? help'
}
# The programs of a build may be outside of the paths that it allows.
start_command="$copilot --experimental --allow-all-tools --allow-all-paths"
asking_command="$copilot --experimental"
shell=bash shell_key=command dialog='Do you want to run' yes=Enter leave=/exit
ready_pattern='[?] help'
dialogs='[{"tool": "bash", "args": {"command": "touch MARKER; sleep 4", "description": "a test"},
  "shows": "Do you want to run|No, and tell", "runs": true},
 {"tool": "create", "args": {"path": "PROJECT/NAME.txt", "file_text": "one\ntwo\n"}, "shows": "Do you want to|No, and tell"},
 {"tool": "ask_user", "args": {"message": "Which one do you like?", "requestedSchema": {
  "properties": {"choice": {"type": "string", "enum": ["Red", "Blue"]}}, "required": ["choice"]}},
  "shows": "Which one do you like"}]'
menus='[{"command": "/model", "shows": "rescan"}, {"command": "/theme", "shows": "heme"}]'
record_states
measure_crashes "$copilot"
bare_pattern='/ commands'
walks
measure_wakes
scenario 'a shell' 'a shell' 'follow(, hook)?'
scenario 'a waiting shell' 'a waiting shell' 'follow(, hook)?'
scenario 'two in a window' 'two in a window' 'follow(, hook)?'
start_command="$copilot --no-experimental --allow-all-tools"
scenario 'without its extension' 'a shell' '(hook|typed)(, typed)?'

run_agent '? help' "$copilot --experimental --allow-all-tools"
wakes 'with the daemon that was there'
restart
wakes 'with the next one'
done_testing
