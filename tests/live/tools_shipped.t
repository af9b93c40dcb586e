#!/bin/sh
# SPDX-License-Identifier: ISC
# The shipped tools through the daemon: from the command line, over the socket and by MCP; their
# ends wake an agent once; research hands a question to an agent.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
need_python
fake="$MUXBUS_BUILDDIR/tests/fake_agent"
[ -x "$fake" ] || skip_all 'the fake agent is not built'
MUXBUS_TOOLS=$(cd "$MUXBUS_SRCDIR/contrib/tools" && pwd)
export MUXBUS_TOOLS
PATH="$MUXBUS_BUILDDIR:$PATH"
start 'exec sleep 3600'
cd "$dir" || exit 99
mkdir -p project/src
printf 'one\ntwo\n' >project/f
pane=$(t new-window -dP -F '#{pane_id}' -c "$dir/project" "exec $fake $dir/fake.log")
: >"$dir/fake.log"
until_is 'an agent is there' '>' sh -c "tmux -S $dir/tmux capture-pane -p -t $pane | tr -d ' \n'"

# mcp NAME ARGUMENTS FILTER
mcp() {
	printf '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"%s","arguments":%s}}\n' "$1" "$2" |
		socat -t 60 - "UNIX-CONNECT:$MUXBUS" | jq -r "$3"
}
is 'each declaration can be used' \
	"$(muxbus --json list_tools | jq -r '.tools[] | select(.state == "broken") | "\(.file): \(.reason)"')" ''

# ---- the three ways of a call
is 'str_replace from the command line' "$(muxbus str_replace path="$dir/project/f" old_str=one new_str=1 | jq -r .text)" \
	"replaced in $dir/project/f: line 1"
call str_replace "{\"path\":\"f\",\"patch\":\"@@ -2 +2 @@\\n-two\\n+2\\n\",\"pane\":\"$pane\"}"
is 'over the socket, in the directory of the pane' "$(field .result.text)" "patched $dir/project/f: 1 hunk"
is 'by MCP' "$(mcp str_replace "{\"path\":\"$dir/project/f\",\"old_str\":\"2\",\"new_str\":\"zwei\"}" '.result.content[0].text')" \
	"replaced in $dir/project/f: line 2"
is 'the file has all three' "$(tr '\n' ' ' <project/f)" '1 zwei '
is 'a mistake is an error that teaches' "$(muxbus str_replace path="$dir/project/f" old_str=none 2>&1)" \
	"muxbus: str_replace: old_str is not in $dir/project/f: read it again, it may have changed"
is 'for MCP too' "$(mcp read_file '{"path":"/proc/nonexistent"}' '.result | "\(.isError) \(.content[0].text)"' | grep -c '^true .*/nonexistent: No such file or directory')" 1
is 'a tool whose program is missing: no advice about panes' \
	"$(mcp webdriver_start '{}' '.result | "\(.isError) \(.content[0].text)"' | sed 's/: .*//')" 'true webdriver_start failed'
seq -f 'line %.0f of a file' 600 >project/long
is 'read_file by MCP ends with the call that reads on' \
	"$(mcp read_file "{\"path\":\"$dir/project/long\"}" '.result | "\(.structuredContent.text | endswith(" reads on.]\n")) \(.structuredContent.truncated)"')" 'true null'
params="{\"path\":\"$dir/project/long\"}"
while [ -n "$params" ]; do
	mcp read_file "$params" .result.structuredContent.text >part
	params=$(sed -n 's/^\[These are.*read_file \({.*}\) reads on\.\]$/\1/p' part)
	sed '/^\[These are/d; /^$/d' part
done >whole
is 'and they give the whole file' "$(cksum <whole)" "$(cksum <project/long)"
is 'read_file by MCP' "$(mcp read_file "{\"path\":\"$dir/project/f\",\"start\":2}" '.result.content[0].text')" \
	"$(printf 'zwei\n\nunit lines, start 2, end 2, lines 2, bytes 7')"
is 'write_file of 200 kB' "$(head -c 200000 /dev/zero | tr '\0' w >"$dir/w"
	jq -c -Rs '{method: "write_file", params: {path: "~/w2", content: .}}' "$dir/w" | socat -t 60 - "UNIX-CONNECT:$MUXBUS" | jq -r .result.text)" \
	"created $dir/w2: 200000 bytes, 0 lines"
is 'its content' "$(cksum <w2)" "$(cksum <w)"
printf 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==' >"$dir/dot.txt"
base64 -d dot.txt >dot.png
is 'read_image by MCP is image content' "$(mcp read_image "{\"path\":\"$dir/dot.png\"}" '.result.content[0] | "\(.type) \(.mimeType) \(.data)"')" \
	"image image/png $(cat dot.txt)"

# ---- what is kept for a project, over kill -9
call todo_write "{\"todos\":[{\"content\":\"build\",\"status\":\"in_progress\"}],\"pane\":\"$pane\"}"
call remember "{\"notes\":\"the tests need tmux\",\"pane\":\"$pane\"}"
kill_daemon
call todo_read "{\"pane\":\"$pane\"}"
is 'tasks stay' "$(field '.result | tojson')" "{\"project\":\"$dir/project\",\"todos\":[{\"content\":\"build\",\"status\":\"in_progress\"}],\"markdown\":\"- [-] build\\n\"}"
call remember "{\"pane\":\"$pane\"}"
is 'notes stay' "$(field '.result.notes[0].text')" 'the tests need tmux'

# ---- without waiting
# shellcheck disable=SC2317
woken() {
	grep -c '\[muxbus' "$dir/fake.log" || :
}
call str_replace "{\"path\":\"f\",\"old_str\":\"zwei\",\"new_str\":\"2\",\"wait\":false,\"pane\":\"$pane\"}"
id=$(field .result.id)
until_is 'wait false: its end wakes the agent' 1 woken
call get_tool_answer "{\"id\":\"$id\"}"
is 'its answer' "$(field .result.text)" "replaced in $dir/project/f: line 2"
call str_replace "{\"path\":\"f\",\"old_str\":\"zwei\",\"wait\":false,\"pane\":\"$pane\"}"
until_is 'a failure wakes it too, and each woke it once' 2 woken

# ---- the example of the README
own="$dir/.config/muxbus/tools"
mkdir -p "$own"
example() { # example FIRST LAST: the lines between these, without their indentation
	sed -n "/^    $1/,/^    $2/s/^    //p" "$MUXBUS_TOOLS/README"
}
example '#!.bin.sh' 'wc -w' >"$own/count_words"
chmod 755 "$own/count_words"
example '{"name": "count_words"' ' "run"' >"$own/count_words.json"
echo 'one two three' >notes
until_is 'its tool works' '3' sh -c "cd '$dir' && muxbus count_words path='$dir/notes' 2>&1 | jq -j .text 2>&1 | head -n 1"
is 'its error' "$(muxbus count_words path=/nonexistent 2>&1)" \
	'muxbus: count_words: /nonexistent is not a file: give the path of a text'
is 'its help' "$(muxbus help count_words | head -n 1)" 'usage: muxbus count_words path=text [wait=true|false] [pane=text]'
example '{"research"' ' "execute' >example.json
is 'the file of agents is JSON' "$(jq -c keys example.json)" '["execute_computer_use","research"]'

# ---- agents
agents='claude gemini codex copilot opencode'
# shellcheck disable=SC2086
if command -v $agents >/dev/null; then
	skip 'an agent is installed, which research would start'
else
	is 'research: no agent is set' "$(muxbus research question=hello 2>&1)" \
		"muxbus: research: no agent is set for research, and none of $(echo $agents | sed 's/ /, /g') is installed: write {\"research\": {\"command\": [\"claude\"]}} into $dir/.config/muxbus/tool_agents.json"
fi
cat >.config/muxbus/tool_agents.json <<'JSON'
{"research": {"command": ["/usr/bin/python3", "-q"], "env": {"PYTHON_COLORS": "0", "PYTHON_BASIC_REPL": "1"},
	"instructions": "# Name your sources."}}
JSON
is 'research: the answer of the agent' "$(muxbus research question='print("forty", 6 * 7)' | jq -r .text)" 'forty 42'
is 'research: a question of the agent' "$(muxbus research question='x = input("Sure? [Y/n] ")' | jq -j .text | tail -n 1)" \
	'[The agent asks: Sure? [Y/n]. Answer with respond agent=research.]'
is 'research: nothing is typed at its question' "$(muxbus research question=more 2>&1)" \
	'muxbus: research: the agent research asks: Sure? [Y/n]; answer with respond agent=research, then call again'
is 'research: a command of the agent is refused' "$(muxbus research question='!ls' 2>&1)" \
	"muxbus: research: a task that begins with '!' could be a command of the agent: begin with a word"
is 'execute_computer_use: no agent is set' "$(muxbus execute_computer_use task=look 2>&1 | grep -c 'has no agent for execute_computer_use')" 1
echo '{"execute_computer_use": {"command": ["true"], "shell": 1}}' >.config/muxbus/tool_agents.json
is 'execute_computer_use: a wrong member' "$(muxbus execute_computer_use task=look 2>&1 | grep -c 'shell is unknown or of another type')" 1
done_testing
