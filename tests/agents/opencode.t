#!/bin/sh
# SPDX-License-Identifier: ISC
# opencode: set up like a new user, has the tools, is woken by its plugin, and survives a restart of
# the daemon.

. "$MUXBUS_SRCDIR/tests/agents/agents.sh"
need_agent opencode opencode-ai
opencode=$folder/node_modules/.bin/opencode
begin
patience=90
unset XDG_CONFIG_HOME
export OPENCODE_DISABLE_AUTOUPDATE=1 OPENCODE_DISABLE_MODELS_FETCH=1 OPENCODE_DISABLE_LSP_DOWNLOAD=1
is 'it is that version' "$("$opencode" --version 2>/dev/null)" "$version"
mkdir -p "$HOME/.config/opencode"
cat >"$HOME/.config/opencode/opencode.json" <<END
{
  "autoupdate": false,
  "share": "disabled",
  "model": "stand-in/stand-in",
  "provider": {
    "stand-in": {
      "npm": "@ai-sdk/anthropic",
      "options": {"baseURL": "$url/v1", "apiKey": "stand-in"},
      "models": {"stand-in": {"name": "stand-in"}}
    }
  }
}
END
ok 'muxbus setup' quietly muxbus setup opencode --write
is 'opencode mcp list' "$(cd "$project" && "$opencode" mcp list 2>&1 | grep muxbus | grep -o connected)" connected

title=opencode
start_command=$opencode
ready=is_ready
is_ready() {
	wait_until shows 'Ask anything'
}
asking_command="env OPENCODE_PERMISSION='{\"bash\":\"ask\",\"edit\":\"ask\"}' $opencode"
shell=bash shell_key=command dialog='Permission required' yes=Enter leave=/exit
ready_pattern='Ask anything'
dialogs='[{"tool": "bash", "args": {"command": "touch MARKER; sleep 4", "description": "a test"},
  "shows": "Permission required", "runs": true},
 {"tool": "write", "args": {"filePath": "PROJECT/NAME.txt", "content": "one\ntwo\n"}, "shows": "Permission required"},
 {"tool": "question", "args": {"questions": [{"question": "Which one do you like?", "header": "Choice",
  "options": [{"label": "Red", "description": "the first"}, {"label": "Blue", "description": "the second"}]}]},
  "shows": "Which one do you like"}]'
menus='[{"command": "/models", "shows": "Select model"}, {"command": "/themes", "shows": "hemes"}]'
record_states
measure_crashes "$opencode" 'ctrl+p'
walks
measure_wakes
scenario 'a shell' 'a shell' follow
scenario 'a waiting shell' 'a waiting shell' follow
scenario 'two in a window' 'two in a window' follow

run_agent 'Ask anything' "$opencode"
wakes 'with the daemon that was there'
restart
wakes 'with the next one'
done_testing
