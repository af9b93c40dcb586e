#!/bin/sh
# SPDX-License-Identifier: ISC
# muxbus setup: the files of agents get the needed entries and keep their others.

. "${MUXBUS_SRCDIR:-.}/tests/tap.sh"
muxbus=${MUXBUS_BUILDDIR:-.}/muxbus
contrib=${MUXBUS_SRCDIR:-.}/contrib
[ -x "$muxbus" ] || skip_all 'muxbus is not built'
need jq
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
unset CLAUDE_CONFIG_DIR CODEX_HOME COPILOT_HOME XDG_CONFIG_HOME
export HOME="$dir/home with '1'" MUXBUS_CONTRIBDIR="$contrib"
mkdir -p "$HOME" "$dir/project"

count() {
	find "$HOME" -name "$1" | wc -l
}

# As in the contributed files, except the place of the program.
setup() {
	"$muxbus" setup "$@" 2>&1
}
plain() {
	sed -E "s|'?[^\" ']*/muxbus(['\" ])|muxbus\1|; s|^#.*||" "$@" | sed '/^$/d' | sed "s/muxbus'/muxbus/"
}

for agent in claude codex copilot gemini opencode; do
	setup $agent --write >/dev/null
	is "$agent: written" $? 0
	before=$(find "$HOME" -type f -exec cksum {} + | sort)
	setup $agent --write >/dev/null
	is "$agent: twice is once" "$(find "$HOME" -type f -exec cksum {} + | sort)" "$before"
done
is 'without an old file there is no backup' "$(count '*.bak')" 0
is 'no temporary file is left' "$(count '*.new-*')" 0
is 'others cannot read it' "$(stat -c %a "$HOME/.claude/settings.json")" 600
is 'codex has the entries of contrib' "$(plain "$HOME/.codex/config.toml")" "$(plain "$contrib/codex/config.toml")"
is 'and its hooks' "$(jq -S . "$HOME/.codex/hooks.json" | plain)" "$(jq -S . "$contrib/codex/hooks.json" | plain)"
is 'copilot too' "$(jq -S . "$HOME/.copilot/mcp-config.json" | plain)" "$(jq -S . "$contrib/copilot/mcp-config.json" | plain)"
is 'opencode too' "$(jq -S .mcp "$HOME/.config/opencode/opencode.json" | plain)" "$(jq -S .mcp "$contrib/opencode/opencode.json" | plain)"
is 'gemini too' "$(jq -S .mcpServers "$HOME/.gemini/settings.json" | plain)" \
	"$(jq -S .mcpServers "$contrib/gemini/gemini-extension.json" | plain)"
is 'and its hooks' "$(jq -S '.hooks' "$HOME/.gemini/settings.json" | plain)" \
	"$(jq -S '.hooks | del(..|.name?)' "$contrib/gemini/hooks/hooks.json" | plain)"
command=$(jq -r .mcpServers.muxbus.command "$HOME/.gemini/settings.json")
is 'the named program is this one' "$("$command" --version)" "$("$muxbus" --version)"
is 'claude finds the plugin' "$(jq -r .extraKnownMarketplaces.muxbus.source.path "$HOME/.claude/settings.json")" "$contrib/claude"
setup claude --remove >/dev/null
is 'and --remove removes it, with a file that has nothing else' "$(ls -d "$HOME/.claude" 2>/dev/null)" ''
MUXBUS_CONTRIBDIR=$dir/nowhere setup claude --write >/dev/null
is 'without the plugin it is refused' $? 1
is 'without HOME the home of the account counts' "$(HOME='' setup gemini --print | grep -m 1 '^/')" \
	"$(getent passwd "$(id -u)" | cut -d : -f 6)/.gemini/settings.json"
mkdir "$dir/removed"
is 'nor in a folder that is gone' "$(cd "$dir/removed" && rmdir "$dir/removed" && setup gemini --scope=project --write)" \
	'muxbus: .gemini/settings.json: the current directory was removed'
is '--print and --write exclude each other' "$(setup gemini --print --write | head -n 1)" 'muxbus: --print, --write and --remove exclude each other'

is 'another scope has the choices' "$(setup gemini --scope=x | head -n 1)" 'muxbus: --scope: choose user or project, not "x"'
is 'and another set of tools' "$(setup gemini --tools | head -n 1)" 'muxbus: --tools needs a value'
is 'without the installer the way to it' "$(MUXBUS_CONTRIBDIR=$dir/nowhere setup --install=files)" \
	"muxbus: $dir/nowhere/../tools/install_tools is not installed; \`make install\` does that"

# Files that are ours as a whole.
plugin=$HOME/.config/opencode/plugin/muxbus.js
extension=$HOME/.copilot/extensions/muxbus/extension.mjs
command=$(sed -n 's/^const muxbus = "\(.*\)"$/\1/p' "$plugin")
is 'the plugin of opencode runs this program' "$("$command" --version)" "$("$muxbus" --version)"
is 'and is that of contrib otherwise' "$(diff "$plugin" "$contrib/opencode/muxbus.js" | grep -c '^[<>]')" 2
is 'the extension of copilot too' "$(sed -n 's/^const muxbus = "\(.*\)"$/\1/p' "$extension")" "$command"
is 'copilot has hooks' "$(jq -r '.hooks | keys | join(" ")' "$HOME/.copilot/settings.json")" \
	'agentStop sessionEnd sessionStart userPromptSubmitted'
echo '// mine' >>"$plugin"
setup opencode --write >/dev/null
is 'a changed copy is replaced' "$(grep -c mine "$plugin")" 0
is 'and kept' "$(cat "$plugin".*.bak | grep -c mine)" 1
rm "$plugin".*.bak
setup opencode --remove >/dev/null
setup copilot --remove >/dev/null
is 'both are removed' "$(ls "$plugin" "$extension" 2>/dev/null)" ''
is 'and so are empty directories' "$(ls -d "${extension%/*}" "${plugin%/*}" 2>/dev/null)" ''
mkdir -p "${plugin%/*}"
echo 'export const Mine = 1' >"$plugin"
said=$(setup opencode --write)
is 'another file with that name is refused' "$? $(printf '%s\n' "$said" | grep -c 'another file with the name of ours')" '1 1'
setup opencode --remove >/dev/null
is 'and stays' "$(cat "$plugin")" 'export const Mine = 1'
rm "$plugin"
mkdir -p "$dir/project"
(cd "$dir/project" && setup copilot --write --scope=project && setup opencode --write --scope=project) >/dev/null
is 'in a project' "$(cd "$dir/project" && find . -type f | sort | tr '\n' ' ')" \
	'./.github/extensions/muxbus/extension.mjs ./.github/hooks/muxbus.json ./.mcp.json ./.opencode/plugin/muxbus.js ./opencode.json '
both() {
	(cd "$dir/project" && rm -f .mcp.json && setup "$1" --write --scope=project &&
		setup "$2" --write --scope=project) >/dev/null 2>&1
}
is 'Claude Code takes the entry of Copilot CLI in a project' "$(both copilot claude; echo $?)" 0
is 'and the other way round' "$(both claude copilot; echo $?)" 0
rm -rf "$dir/project"
mkdir "$dir/project"

# Without --write the command prints exactly the text that --write would write.
is 'printed' "$(setup gemini | sed -n '/^{/,/^}/p' | jq -c .mcpServers.muxbus.args)" '["mcp"]'
is 'and not written' "$(cd "$dir/project" && setup gemini --scope=project >/dev/null; ls -A "$dir/project")" ''

# Existing content stays: other members, the person's choices, mode, link, layout.
mkdir "$dir/dotfiles"
printf '{\n\t"theme": "dark",\n\t"mcpServers": {\n\t\t"other": {"command": "x"},\n\t\t"muxbus": {"command": "/elsewhere/muxbus", "args": ["mcp"], "timeout": 5, "trust": true}\n\t},\n\t"hooks": {"AfterAgent": [{"hooks": [{"type": "command", "command": "mine"}]}]}\n}\n' \
	>"$dir/dotfiles/settings.json"
chmod 644 "$dir/dotfiles/settings.json"
cp "$dir/dotfiles/settings.json" "$dir/before"
ln -sf "$dir/dotfiles/settings.json" "$HOME/.gemini/settings.json"
setup gemini --write >/dev/null
settings=$dir/dotfiles/settings.json
is 'merged' "$(jq -c '[.theme, .mcpServers.other.command, .mcpServers.muxbus.timeout, .mcpServers.muxbus.trust, .mcpServers.muxbus.args[0], (.hooks.AfterAgent | length)]' "$settings")" \
	'["dark","x",5,true,"mcp",2]'
is 'a link stays one' "$(readlink "$HOME/.gemini/settings.json")" "$settings"
is 'the mode stays' "$(stat -c %a "$settings")" 644
is 'the old file is kept' "$(cmp "$dir/before" "$dir"/dotfiles/settings.json.*.bak && echo same)" same
is 'lines that are not ours stay' "$(grep -c "$(printf '^\t\t"other": {"command": "x"},$')" "$settings")" 1
setup gemini --remove >/dev/null
is 'removed' "$(jq -c . "$settings")" '{"theme":"dark","mcpServers":{"other":{"command":"x"}},"hooks":{"AfterAgent":[{"hooks":[{"type":"command","command":"mine"}]}]}}'
is 'a backup of what the person changed in ours stays too' "$(cat "$dir"/dotfiles/settings.json.*.bak | grep -c trust)" 2
rm "$dir"/dotfiles/settings.json.*.bak
(
	HOME=$dir/tools
	mkdir "$HOME"
	for command in --tools=coding '' --tools=assistant; do
		# shellcheck disable=SC2086
		setup gemini $command --write >/dev/null
		jq -c .mcpServers.muxbus.args "$HOME/.gemini/settings.json"
	done
	setup gemini --remove >/dev/null
	ls "$HOME/.gemini" | grep -vc bak
) >"$dir/tools_said"
is 'a set of tools stays until another is wanted' "$(tr '\n' ' ' <"$dir/tools_said")" \
	'["mcp","--tools=coding"] ["mcp","--tools=coding"] ["mcp","--tools=assistant"] 0 '
is 'not for the plugin of Claude Code' "$(setup claude --tools=coding --write | grep -c 'scope=project chooses others')" 1
is 'twice is once' "$(setup gemini --remove)" "$HOME/.gemini/settings.json: contains nothing of muxbus"

# For each agent: --write and --remove leave the files as they were, with a person's own settings
# and without. An entry named muxbus that setup did not write is the person's own: it stays.
fresh=$dir/fresh
snapshot() { # the files of a home, with their contents
	(cd "$fresh" && find . -type f -exec cksum {} + | sort -k 3)
}
own_file() { # own_file AGENT: its first file
	case $1 in
	claude) echo .claude/settings.json ;;
	codex) echo .codex/config.toml ;;
	copilot) echo .copilot/mcp-config.json ;;
	gemini) echo .gemini/settings.json ;;
	opencode) echo .config/opencode/opencode.json ;;
	esac
}
own_text() { # own_text AGENT: an entry that setup does not write
	case $1 in
	claude) printf '{\n  "extraKnownMarketplaces": {\n    "muxbus": {"source": {"source": "github", "repo": "me/muxbus"}}\n  },\n  "enabledPlugins": {"muxbus@muxbus": true}\n}\n' ;;
	codex) printf '[mcp_servers.muxbus]\nurl = "https://example.org/mcp"\n' ;;
	opencode) printf '{\n  "mcp": {"muxbus": {"type": "remote", "url": "https://example.org/mcp"}}\n}\n' ;;
	*) printf '{\n  "mcpServers": {"muxbus": {"command": "docker", "args": ["run", "muxbus"]}}\n}\n' ;;
	esac
}
longer() { # longer AGENT FILE: more arguments for our program, as a person adds them
	sed -i 's/"mcp"\]/"mcp", "--tools=all"]/; /"mcp"$/s/$/,\n      "--tools=all"/' "$2"
}
for agent in claude codex copilot gemini opencode; do
	file=$fresh/$(own_file $agent)
	rm -rf "$fresh"
	mkdir "$fresh"
	said=$(HOME="$fresh" setup $agent --write)
	is "$agent that is not installed: so it is said" "$(printf '%s\n' "$said" | grep -c "is not installed: there is no $agent in PATH, nor the folder ${file%/*}$")" 1
	HOME="$fresh" setup $agent --remove >/dev/null
	is "$agent: nothing is left" "$(find "$fresh")" "$fresh"
	mkdir -p "${file%/*}"
	is 'installed: it is not' "$(HOME="$fresh" setup $agent | grep -c 'is not installed')" 0
	case $agent in
	codex) printf 'model = "x"\n' >"$file" ;;
	*) printf '{\n  "theme": "dark"\n}\n' >"$file" ;;
	esac
	before=$(snapshot)
	HOME="$fresh" setup $agent --write >/dev/null
	HOME="$fresh" setup $agent --remove >/dev/null
	is "$agent: the person's file is as before, without a backup" "$(snapshot)" "$before"
	printf ' \n\t' >"$file"
	before=$(snapshot)
	HOME="$fresh" setup $agent --write >/dev/null
	HOME="$fresh" setup $agent --remove >/dev/null
	is "$agent: so is one of blanks" "$(snapshot)" "$before"
	own_text $agent >"$file"
	before=$(snapshot)
	said=$(HOME="$fresh" setup $agent --remove)
	is "$agent: a person's own entry stays" "$? $(printf '%s\n' "$said" | grep -c 'its entry "muxbus" stays') $(snapshot)" "0 1 $before"
	said=$(HOME="$fresh" setup $agent --write)
	is 'and is not written over' "$? $(printf '%s\n' "$said" | grep -c 'is not of muxbus setup: rename or remove it') $(cat "$file")" \
		"1 1 $(cat "$file")"
	is 'but as it was' "$(cat "$file")" "$(own_text $agent)"
	[ $agent = claude ] && continue
	rm -rf "$fresh"
	mkdir "$fresh"
	HOME="$fresh" setup $agent --write >/dev/null
	longer $agent "$file"
	before=$(cat "$file")
	is "$agent: more arguments of a person" "$(printf '%s\n' "$before" | grep -c -e --tools=all)" 1
	HOME="$fresh" setup $agent --write >/dev/null
	is 'stay' "$(cat "$file")" "$before"
	HOME="$fresh" setup $agent --remove >/dev/null
	is 'and so does their entry' "$(grep -c -e --tools=all "$file")" 1
done

# A folder below a link, as in a home full of dotfiles: what --write has made goes, the link stays.
rm -rf "$fresh"
mkdir -p "$fresh/dotfiles"
for agent in codex gemini opencode; do
	folder=$(own_file $agent | cut -d / -f 1)
	ln -s dotfiles "$fresh/$folder"
	HOME="$fresh" setup $agent --write >/dev/null
	HOME="$fresh" setup $agent --remove >/dev/null
	is "$agent: nothing is left in a folder that is a link" "$(find "$fresh/dotfiles" ! -type d) $(readlink "$fresh/$folder")" ' dotfiles'
done

mkdir "$dir/bare"
for agent in claude gemini; do
	(cd "$dir/bare" && setup $agent --write --scope=project && setup $agent --remove --scope=project) >/dev/null
	is "$agent: an empty project stays" "$(find "$dir/bare")" "$dir/bare"
done

# Files that cannot be read for certain are refused.
printf '{\n  // mine\n  "theme": "dark"\n}\n' >"$settings"
said=$(setup gemini --write)
is 'comments in JSON are refused' $? 1
is 'with the reason' "$(printf '%s\n' "$said" | grep -c 'not plain JSON.*nothing was changed')" 1
is 'and stay' "$(grep -c mine "$settings")" 1
echo 'mcp_servers = {}' >"$HOME/.codex/config.toml"
setup codex --write >/dev/null
is 'an inline table is refused' $? 1
rm "$HOME/.config/opencode/opencode.json"
echo '{}' >"$HOME/.config/opencode/opencode.jsonc"
setup opencode --write >/dev/null
is 'a file that would hide ours is refused' $? 1

printf 'a = 1\nb = [\n' >"$HOME/.codex/config.toml"
said=$(setup codex --write)
is 'TOML that is invalid is refused' "$? $(printf '%s\n' "$said" | grep -c 'line 2 is not plain TOML')" '1 1'
is 'and stays' "$(cat "$HOME/.codex/config.toml")" "$(printf 'a = 1\nb = [')"

# A link to a file that is not there yet is kept, and the file made.
rm "$HOME/.codex/config.toml"
ln -s ../dotfiles-later.toml "$HOME/.codex/config.toml"
setup codex --write >/dev/null
is 'a link to a new file stays one' "$(readlink "$HOME/.codex/config.toml")" ../dotfiles-later.toml
is 'and leads to the settings' "$(grep -c tool_timeout_sec "$HOME/dotfiles-later.toml")" 1
ln -sf "$dir/unmounted/config.toml" "$HOME/.codex/config.toml"
setup codex --write >/dev/null
is 'a link to a missing directory is refused' "$? $(ls "$dir/unmounted" 2>/dev/null)" '1 '
ln -sf config.toml "$HOME/.codex/config.toml"
setup codex --write >/dev/null
is 'a link to itself too' $? 1
rm "$HOME/.codex/config.toml"

# The files of another user stay theirs.
if [ "$(id -u)" -eq 0 ]; then
	mkdir "$dir/theirs"
	echo 'a = 1' >"$dir/theirs/config.toml"
	chmod 640 "$dir/theirs/config.toml"
	chown -R 54321:54322 "$dir/theirs"
	CODEX_HOME=$dir/theirs setup codex --write >/dev/null
	is 'the owner of a file stays' "$(stat -c '%u:%g %a' "$dir/theirs/config.toml")" '54321:54322 640'
	is 'and owns the backup' "$(stat -c '%u:%g %a' "$dir"/theirs/config.toml.*.bak)" '54321:54322 640'
	is 'and a new file in their directory' "$(stat -c '%u:%g %a' "$dir/theirs/hooks.json")" '54321:54322 600'
	mkdir "$dir/homes"
	chown 54321:54322 "$dir/homes"
	HOME=$dir/homes setup opencode --write >/dev/null
	is 'and a new directory' "$(stat -c '%u:%g %a' "$dir/homes/.config/opencode")" '54321:54322 700'
	chmod 755 "$dir"
	chmod 777 "$dir/theirs"
	CODEX_HOME=$dir/theirs setpriv --reuid 54323 --regid 54322 --clear-groups \
		"$muxbus" setup codex --remove >"$dir/said" 2>&1
	is 'another user than root does not replace it' "$(grep -c 'it belongs to another user' "$dir/said")" 1
fi

# A project, other homes, and usage.
(cd "$dir/project" && setup claude --write --scope=project >/dev/null)
is 'in a project' "$(jq -r .mcpServers.muxbus.type "$dir/project/.mcp.json")" stdio
CODEX_HOME=$dir/codex setup codex --write >/dev/null
is 'in another home' "$(grep -c tool_timeout_sec "$dir/codex/config.toml")" 1
setup nonsense >/dev/null
is 'an unknown agent' $? 2

# Without a name: the agents that are installed. One is found by its program, one by its folder.
export HOME="$dir/new" PATH="$dir/new/bin:/usr/bin:/bin"
mkdir -p "$HOME/bin"
said=$(setup)
is 'no agent is installed' "$? $said" '1 muxbus: no agent is installed; muxbus knows claude, codex, copilot, gemini or opencode'
printf '#!/bin/sh\n' >"$HOME/bin/codex"
chmod +x "$HOME/bin/codex"
mkdir -p "$HOME/.config/opencode" "$HOME/.gemini/extensions/muxbus"
said=$(setup)
is 'agents that are found' "$(printf '%s\n' "$said" | sed 's/   */|/g' | head -n 3)" "$(printf '%s\n' \
	"Codex|not set up|$HOME/bin/codex" "Gemini CLI|not set up|$HOME/.gemini" "opencode|not set up|$HOME/.config/opencode")"
is 'with the commands' "$(printf '%s\n' "$said" | grep -c '^  muxbus setup .*--write$')" 4
is 'and nothing is written' "$(find "$HOME" -type f)" "$HOME/bin/codex"
is 'nor asked for without a terminal' "$(yes | setup | grep -c 'y/N')" 0
echo '{"name": "muxbus"}' >"$HOME/.gemini/extensions/muxbus/gemini-extension.json"
setup --write >/dev/null
is 'all are set up' "$? $(setup | sed 's/   */|/g')" "0 $(printf '%s\n' "Codex|set up|$HOME/.codex/config.toml" \
	"Gemini CLI|set up|$HOME/.gemini/extensions/muxbus/gemini-extension.json" "opencode|set up|$HOME/.config/opencode/opencode.json")"
is 'an extension is left alone' "$(ls "$HOME/.gemini")" extensions
doctor() {
	"$muxbus" --json doctor 2>/dev/null | jq -c "$1"
}
is 'doctor agrees' "$(doctor '[.findings[] | select(.subject | IN("codex", "gemini", "opencode")) | .state] | unique')" '["good"]'
rm "$HOME/.codex/hooks.json"
is 'a missing file is found' "$(setup | sed -n 's/   */|/g; 1p')" "Codex|set up in part|$HOME/bin/codex"
is 'by doctor too, with the remedy' \
	"$(doctor '.findings[] | select(.subject == "codex") | [.state, .remedy, (.text | endswith("/.codex/hooks.json"))]')" \
	'["note","muxbus setup codex --write",true]'
answers() { # answers LINE...: of a person at a terminal
	printf '%s\n' "$@" | script -qec "'$muxbus' setup" /dev/null 2>&1
}
if command -v script >/dev/null; then
	setup --remove >/dev/null
	mkdir -p "$HOME/.config/opencode" # by which it is installed
	answers n y >"$dir/said"
	is 'a person is asked' "$(grep -c -o 'Set up [A-Za-z]*? \[y/N\]' "$dir/said")" 2
	is 'and chooses' "$(setup | sed 's/   */|/g' | cut -d '|' -f 1,2 | head -n 3)" \
		"$(printf '%s\n' 'Codex|not set up' 'Gemini CLI|set up' 'opencode|set up')"
fi
said=$(setup --remove)
is 'all are removed' "$? $(find "$HOME" -name 'muxbus.js') $(cat "$HOME/.codex/config.toml")" '0  '
is 'each under its name' "$(printf '%s\n' "$said" | grep -A1 '^$' | grep ':$')" "$(printf '%s\n' 'Gemini CLI:' opencode:)"
end_testing
