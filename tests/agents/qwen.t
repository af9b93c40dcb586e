#!/bin/sh
# SPDX-License-Identifier: ISC
# Qwen Code, for which Muxbus has no plugin: its screens are recorded, and a person walks through its states.

. "$MUXBUS_SRCDIR/tests/agents/agents.sh"
need_agent qwen @qwen-code/qwen-code
qwen=$folder/node_modules/.bin/qwen
begin
export OPENAI_API_KEY=stand-in OPENAI_BASE_URL="$url/v1" OPENAI_MODEL=stand-in
is 'it is that version' "$("$qwen" --version 2>/dev/null)" "$version"
mkdir -p "$HOME/.qwen"
cat >"$HOME/.qwen/settings.json" <<END
{"security": {"auth": {"selectedType": "openai"}, "folderTrust": {"enabled": false}},
 "general": {"enableAutoUpdate": false, "disableAutoUpdate": true, "disableUpdateNag": true},
 "privacy": {"usageStatisticsEnabled": false}, "telemetry": {"enabled": false}}
END

title='Qwen Code'
asking_command="$qwen --approval-mode default"
ready_pattern='Type your message'
dialogs='[{"tool": "run_shell_command", "args": {"command": "touch MARKER; sleep 4", "is_background": false, "description": "a test"},
  "shows": "Allow execution", "runs": true},
 {"tool": "write_file", "args": {"file_path": "PROJECT/NAME.txt", "content": "one\ntwo\n"}, "shows": "Apply this change"}]'
menus='[{"command": "/theme", "shows": "Select Theme"}]'
record_states
MUXBUS_AGENT_BARE=yes
[ -z "$MUXBUS_AGENT_WALK$MUXBUS_AGENT_SLOW$MUXBUS_AGENT_NARROW$MUXBUS_AGENT_MARKS" ] || walks
skip_all 'neither MUXBUS_AGENT_STATES nor MUXBUS_AGENT_WALK is set'
