#!/bin/sh
# SPDX-License-Identifier: ISC
# Several agents at once, two of them without what Muxbus sets up, while muxbusd is killed (crowd.mjs).
# Each has a home, a project and a model of its own. Only agents that are cached take part.

. "$MUXBUS_SRCDIR/tests/agents/agents.sh"
need node
crowd=${MUXBUS_AGENT_CROWD:-claude codex gemini copilot opencode gemini:bare}
for one in $crowd; do
	[ -d "$cache/${one%:bare}/node_modules" ] || skip_all "${one%:bare} is not cached: make check-agents AGENTS=${one%:bare}"
done
start 'exec sh'
end_crowd() {
	kill $(cat "$dir"/pid* 2>/dev/null) 2>/dev/null
	for environment in $(grep -l -z "^HOME=$dir/h" /proc/[0-9]*/environ 2>/dev/null); do
		left=${environment%/environ}
		[ "${left#/proc/}" = $$ ] || kill -9 "${left#/proc/}" 2>/dev/null
	done
	tmux -S "$dir/seat" kill-server 2>/dev/null
	other=$(status_pid)
	[ -z "$other" ] || kill -9 "$other"
	[ -z "$MUXBUS_AGENT_KEEP" ] || cp -r "$dir" "$MUXBUS_AGENT_KEEP"
	finish
}
trap end_crowd EXIT
mkdir -p "$dir/bin"
ln -s "$MUXBUS_BUILDDIR/muxbus" "$MUXBUS_BUILDDIR/muxbusd" "$dir/bin"
export PATH="$dir/bin:$PATH" COLORTERM=truecolor MUXBUS_CONTRIBDIR="$MUXBUS_SRCDIR/contrib"

# What an agent needs to ask our model, and not to ask a person; the words are those of its own test.
configure() {
	first='[]'
	clear=/clear
	quit=/exit
	case $kind in
	claude)
		bin=$(find "$folder/@anthropic-ai/" -path '*claude-code-*/claude' | head -n 1)
		export ANTHROPIC_BASE_URL="$url" ANTHROPIC_API_KEY=sk-ant-stand-in-for-tests
		export CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 DISABLE_AUTOUPDATER=1
		mkdir "$HOME/.claude"
		echo "{\"hasCompletedOnboarding\": true, \"theme\": \"dark\", \"customApiKeyResponses\": {\"approved\":
 [\"t-stand-in-for-tests\"], \"rejected\": []}, \"projects\": {\"$project\": {\"hasTrustDialogAccepted\": true}}}" >"$HOME/.claude.json"
		echo '{"permissions": {"allow": ["mcp__plugin_muxbus_muxbus"]}}' >"$HOME/.claude/settings.json"
		command="$bin --permission-mode default" ready='1 monitor' bare='for shortcuts|for agents'
		call='{"tool": "Bash", "args": {"command": "touch MARKER", "description": "a test"}}' shows='Do you want to proceed'
		;;
	codex)
		mkdir "$HOME/.codex"
		export STAND_IN_KEY=stand-in
		cat >"$HOME/.codex/config.toml" <<END
model = "stand-in"
model_provider = "stand-in"
check_for_update_on_startup = false
[model_providers.stand-in]
name = "stand-in"
base_url = "$url/v1"
wire_api = "responses"
env_key = "STAND_IN_KEY"
[projects."$project"]
trust_level = "trusted"
END
		command="$folder/.bin/codex -a on-request -s read-only" ready='for shortcuts|^› [^1-9]' bare=$ready
		first='[["› 2. Trust all and continue", "Enter"], ["Trust all and continue", "Down"]]'
		call='{"tool": "exec_command", "args": {"cmd": "touch MARKER", "sandbox_permissions": "require_escalated", "justification": "a test"}}'
		shows='Would you like to run' quit=/quit clear=/new
		;;
	gemini)
		mkdir "$HOME/.gemini"
		export GEMINI_API_KEY=stand-in GOOGLE_GEMINI_BASE_URL="$url"
		echo '{"security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": false}},
 "general": {"enableAutoUpdate": false, "enableAutoUpdateNotification": false, "defaultApprovalMode": "default"},
 "privacy": {"usageStatisticsEnabled": false}, "telemetry": {"enabled": false}}' >"$HOME/.gemini/settings.json"
		command="$folder/.bin/gemini -m gemini-2.5-flash --approval-mode default" ready='Type your message' bare=$ready
		call='{"tool": "run_shell_command", "args": {"command": "touch MARKER", "description": "a test"}}'
		shows='Allow execution' quit=/quit
		;;
	copilot)
		mkdir "$HOME/.copilot"
		export COPILOT_PROVIDER_BASE_URL="$url/v1" COPILOT_PROVIDER_TYPE=anthropic COPILOT_PROVIDER_API_KEY=stand-in
		export COPILOT_MODEL=claude-sonnet-4.5 COPILOT_OFFLINE=true COPILOT_AUTO_UPDATE=false
		echo "{\"trustedFolders\": [\"$project\"], \"banner\": \"never\"}" >"$HOME/.copilot/config.json"
		command="$folder/.bin/copilot --experimental" ready='[?] help' bare='/ commands'
		call='{"tool": "bash", "args": {"command": "touch MARKER", "description": "a test"}}' shows='Do you want to run|No, and tell'
		;;
	opencode)
		unset XDG_CONFIG_HOME
		export OPENCODE_DISABLE_AUTOUPDATE=1 OPENCODE_DISABLE_MODELS_FETCH=1 OPENCODE_DISABLE_LSP_DOWNLOAD=1
		export OPENCODE_PERMISSION='{"bash":"ask","edit":"ask"}'
		mkdir -p "$HOME/.config/opencode"
		echo '{"autoupdate": false, "share": "disabled", "model": "stand-in/stand-in", "provider": {"stand-in":
 {"npm": "@ai-sdk/anthropic", "options": {"baseURL": "'"$url"'/v1", "apiKey": "stand-in"},
 "models": {"stand-in": {"name": "stand-in"}}}}}' >"$HOME/.config/opencode/opencode.json"
		command=$folder/.bin/opencode ready='Ask anything' bare=$ready clear=/new
		call='{"tool": "bash", "args": {"command": "touch MARKER", "description": "a test"}}' shows='Permission required'
		;;
	esac
}
add() { # add NUMBER KIND[:bare]
	kind=${2%:bare}
	folder=$cache/$kind/node_modules
	export HOME="$dir/h$1"
	project=$dir/p$1
	log=$dir/turns$1
	mkdir "$HOME" "$project"
	: >"$log"
	node "$MUXBUS_SRCDIR/tests/agents/model.mjs" "$dir/port$1" "$log" 2>"$dir/model$1.log" &
	echo $! >"$dir/pid$1"
	wait_until [ -s "$dir/port$1" ]
	url=http://127.0.0.1:$(cat "$dir/port$1")
	configure
	if [ "$2" != "$kind" ]; then
		ready=$bare first='[]'
	elif [ "$kind" = gemini ]; then
		(cd "$project" && "$folder/.bin/gemini" extensions install "$MUXBUS_SRCDIR/contrib/gemini" --consent --skip-settings)
	else
		muxbus setup "$kind" --write
	fi >"$dir/setup$1" 2>&1
	sh -c 'export -p' >"$dir/env$1"
	jq -nc --arg name "$kind$1" --arg kind "$kind" --argjson bare "$([ "$2" = "$kind" ] && echo false || echo true)" \
		--arg command "$command" --arg ready "$ready" --argjson first "$first" --arg call "$call" --arg shows "$shows" \
		--arg quit "$quit" --arg clear "$clear" --arg log "$log" --arg project "$project" --arg env "$dir/env$1" '$ARGS.named'
}
number=0
for one in $crowd; do
	(add $number "$one") >>"$dir/agents"
	number=$((number + 1))
done
jq -s --arg dir "$dir" --arg socket "$MUXBUS" '{$dir, $socket, log: ($dir + "/none"), first: [], agents: .}' \
	"$dir/agents" >"$dir/crowd.json"
seed=${MUXBUS_AGENT_SEED:-$(date +%s)}
node "$MUXBUS_SRCDIR/tests/agents/crowd.mjs" "$dir/crowd.json" "${MUXBUS_AGENT_ROUNDS:-6}" "$seed" "${MUXBUS_AGENT_SIZE:-104x28}"
is "a crowd, MUXBUS_AGENT_SEED=$seed" $? 0
done_testing
