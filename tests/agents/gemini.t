#!/bin/sh
# SPDX-License-Identifier: ISC
# Gemini CLI: the extension is valid, installed as a new user does it, has the tools under their old
# names, is woken by a typed line, and survives a restart of the daemon.

. "$MUXBUS_SRCDIR/tests/agents/agents.sh"
need_agent gemini @google/gemini-cli
gemini=$folder/node_modules/.bin/gemini
begin
export GEMINI_API_KEY=stand-in GOOGLE_GEMINI_BASE_URL="$url"
is 'it is that version' "$("$gemini" --version 2>/dev/null)" "$version"
ok 'the extension is valid' quietly "$gemini" extensions validate "$MUXBUS_SRCDIR/contrib/gemini"

mkdir -p "$HOME/.gemini"
cat >"$HOME/.gemini/settings.json" <<END
{"security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": false}},
 "general": {"enableAutoUpdate": false, "enableAutoUpdateNotification": false,
  "defaultApprovalMode": "default"},
 "privacy": {"usageStatisticsEnabled": false}, "telemetry": {"enabled": false}}
END
cd "$project" || exit 99
set_up() {
	"$gemini" extensions install "$MUXBUS_SRCDIR/contrib/gemini" --consent --skip-settings
}
unset_up() {
	"$gemini" extensions uninstall muxbus
}
set_up >/dev/null 2>&1
is 'installed' $? 0
is 'gemini mcp list' "$("$gemini" mcp list 2>&1 | grep muxbus | grep -o Connected)" Connected

title='Gemini CLI'
start_command="$gemini -m gemini-2.5-flash --approval-mode yolo"
ready=is_ready
is_ready() {
	wait_until shows 'Type your message'
}
asking_command="$gemini -m gemini-2.5-flash --approval-mode default"
shell=run_shell_command shell_key=command dialog='Allow execution' yes=Enter leave=/quit
ready_pattern='Type your message'
dialogs='[{"tool": "run_shell_command", "args": {"command": "touch MARKER; sleep 4", "description": "a test"},
  "shows": "Allow execution", "runs": true},
 {"tool": "write_file", "args": {"file_path": "PROJECT/NAME.txt", "content": "one\ntwo\n"}, "shows": "Apply this change"},
 {"tool": "ask_user", "args": {"questions": [{"question": "Which one do you like?", "header": "Choice", "type": "choice",
  "options": [{"label": "Red", "description": "the first"}, {"label": "Blue", "description": "the second"}]}]},
  "shows": "Which one do you like"}]'
menus='[{"command": "/theme", "shows": "Select Theme"}, {"command": "/model", "shows": "Select Model"}]'
record_states
measure_crashes "$gemini"
variants="GEMINI_CLI_SYSTEM_SETTINGS_PATH=$dir/light $asking_command"
echo '{"ui": {"theme": "Google Code"}}' >"$dir/light"
walks
measure_wakes
scenario 'a shell' 'a shell' '(hook|typed)(, typed)?'
scenario 'a waiting shell' 'a waiting shell' '(hook|typed)(, typed)?'
scenario 'two in a window' 'two in a window' '(hook|typed)(, typed)?'

run_agent 'Type your message' "$gemini -m gemini-2.5-flash --approval-mode yolo"
wakes 'with the daemon that was there'
for tool in self_command gemini_sleep watch_log cancel_watch yield_turn run_long_command send_keys \
	capture_pane create_pane close_pane wait_for_idle; do
	ok "it has $tool" [ "$(turns ".tools | any(endswith(\"_$tool\"))")" -gt 0 ]
done
restart
wakes 'with the next one'
is 'gemini mcp list again' "$("$gemini" mcp list 2>&1 | grep muxbus | grep -o Connected)" Connected
done_testing
