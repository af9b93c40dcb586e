#!/bin/sh
# SPDX-License-Identifier: ISC
# Calls as users know them from elsewhere, word for word: each by MCP and over the socket. Where a
# program or a display is missing here, the call must be taken and name that, never a parameter.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
need_python
[ -x "$MUXBUS_BUILDDIR/tests/fake_agent" ] || skip_all 'the fake agent is not built'
MUXBUS_TOOLS=$(cd "$MUXBUS_SRCDIR/contrib/tools" && pwd)
export MUXBUS_TOOLS
unset DISPLAY WAYLAND_DISPLAY
PATH="$MUXBUS_BUILDDIR:$PATH"
start 'exec sleep 3600'
mkdir -p "$dir/home/src" && cd "$dir/home" || exit 99
echo 'notes of a user' >"$dir/notes.md"
printf 'int x;\nint y;\n' >a.c
cp a.c src/b.c
printf 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==' |
	base64 -d | tee a.png >b.webp
cat >"$dir/.config/muxbus/tool_agents.json" <<'JSON'
{"research": {"command": ["/usr/bin/python3", "-q"], "env": {"PYTHON_COLORS": "0", "PYTHON_BASIC_REPL": "1"}},
 "execute_computer_use": {"command": ["/usr/bin/python3", "-q"], "env": {"PYTHON_COLORS": "0", "PYTHON_BASIC_REPL": "1"}}}
JSON

# How the call ends, its name, its arguments. ok: it is done. taken: done, or a program, display or
# agent is missing here, which the error says. Else: the error has these words.
cat >calls <<'CALLS'
taken	self_command	{"command":"/stats"}
ok	gemini_sleep	{"seconds":90}
ok	gemini_sleep	{"seconds":7200,"recurring":true}
ok	watch_log	{"file_path":"/var/tmp/build.log","regex":"BUILD (OK|FAILED)","timeout_sec":900}
ok	cancel_watch	{"file_path":"/var/tmp/build.log"}
ok	yield_turn	{}
ok	run_long_command	{"command":"npm run build"}
ok	send_keys	{"keys":"C-c","pane_id":"%4"}
ok	capture_pane	{"pane_id":"%4","lines":15}
ok	create_pane	{"command":"npm run dev","direction":"horizontal"}
ok	close_pane	{"pane_id":"%4"}
ok	wait_for_idle	{"cpu_threshold":15,"duration_seconds":20}
ok	execute_cli	{"command":"git log -3 --oneline"}
taken	execute_gui	{"action":"hotkey","key":"ctrl+s"}
taken	execute_gui	{"action":"scroll","x":640,"y":400,"direction":"down","clicks":3}
taken	observe_screen	{"mode":"grounding","intent":"the Save button"}
taken	get_ui_context	{"max_depth":4}
taken	execute_browser	{"action":"fill","params":{"selector":"#email","value":"a@b.example"}}
taken	execute_accessible	{"element_name":"Save","action":"click"}
taken	execute_accessible	{"element_name":"Name","action":"type","value":"a"}
taken	execute_computer_use	{"instruction":"Open the network settings"}
taken	maximize_active_window	{}
ok	wait	{"seconds":2.5}
ok	get_action_history	{}
ok	code	{"task":"Fix the failing test in parser.c"}
ok	respond_to_gemini	{"response":"Yes, keep the old API"}
ok	shell	{"command":"make -n"}
ok	background_process	{"name":"docs","command":"mkdocs serve","working_dir":"/srv"}
ok	read_file	{"file_path":"~/notes.md","start":0,"end":400}
ok	read_image	{"file_paths":["a.png","b.webp"]}
ok	write_file	{"file_path":"out/x.txt","content":"hi\n"}
ok	str_replace	{"file_path":"a.c","diff":"@@ -1,2 +1,2 @@\n-int x;\n+long x;\n int y;"}
taken	take_screenshot	{"path":"w.png","window_id":"Firefox"}
ok	todo_read	{}
ok	todo_write	{"content":"- [ ] a\n  - [x] b"}
taken	code_search	{"searches":[{"name":"fn","query":"(function_definition) @f","language":"c","paths":["src"]}]}
taken	code_coverage	{}
ok	research	{"query":"SQLite WAL on NFS"}
ok	remember	{"notes":"### Auth\n- src/auth.c - login()"}
`muxbus record` keeps	rehydrate	{"fragment_id":"f19"}
taken	mouse_click	{"x":40,"y":80,"button":"right"}
taken	type_text	{"text":"hello"}
taken	find_element	{"text":"OK","role":"button"}
ok	list_windows	{}
taken	webdriver_start	{}
taken	webdriver_navigate	{"url":"https://example.com/"}
taken	webdriver_get_url	{}
taken	webdriver_get_title	{}
taken	webdriver_find_element	{"selector":"a.next"}
taken	webdriver_find_elements	{"selector":"a.next"}
taken	webdriver_click	{"selector":"#go"}
taken	webdriver_send_keys	{"selector":"#q","text":"tmux"}
taken	webdriver_execute_script	{"script":"return document.title"}
taken	webdriver_get_page_source	{"max_length":0}
taken	webdriver_screenshot	{"path":"p.png"}
taken	webdriver_back	{}
taken	webdriver_forward	{}
taken	webdriver_refresh	{}
taken	webdriver_quit	{}
CALLS
ask "$(printf '{"method":"ensure_agent","params":{"name":"code","command":["%s","%s"]}}' \
	"$MUXBUS_BUILDDIR/tests/fake_agent" "$dir/fake.log")" >/dev/null

# play FORM: all calls by one connection of a program in a pane; FORM makes a request of a call.
play() {
	other=$(t new-window -dP -F '#{pane_id}' 'trap "" INT; exec sleep 3600')
	closed=$(t new-window -dP -F '#{pane_id}' 'exec sleep 3600') # requests of one peer may overtake each other
	jq -Rc --arg other "$other" --arg closed "$closed" "split(\"\\t\")
		| (if .[1] == \"close_pane\" then \$closed else \$other end) as \$pane
		| {id: input_line_number, name: .[1], arguments: (.[2] | gsub(\"%4\"; \$pane) | fromjson)}
		| $1" calls >requests
	rm -f answers
	t new-window -d -c "$dir/home" "socat -t 120 - 'UNIX-CONNECT:$MUXBUS' <requests >unsorted; mv unsorted answers"
	until_is 'all calls are answered' yes sh -c "test ! -e answers || echo yes"
	jq -Rr --slurpfile answers answers 'split("\t") as [$want, $name, $arguments] | input_line_number as $id
		| first(($answers[] | select(.id == $id)), {error: {code: 0, message: "no answer"}})
		| (if .result.isError == true then .result | {code: ._meta["muxbus/error"].code, message: .content[0].text} else .error end) as $error
		| (if $error == null then (if $want == "ok" or $want == "taken" then "as wanted" else "done, without an error" end)
		   elif $want == "taken" then (if [$error.code] | inside([-32601, -32602, -32603, 0]) then $error.message else "as wanted" end)
		   elif $want == "ok" then $error.message
		   else (if $error.message | contains($want) then "as wanted" else $error.message end) end)
		| gsub("[\t\n]"; " ") + "\t" + $name + " " + ($arguments | gsub("\\\\"; ""))' calls >outcomes
}
judge() {
	while IFS='	' read -r outcome name; do
		is "$1: $name" "$outcome" 'as wanted'
	done <outcomes
}
play '{jsonrpc: "2.0", id, method: "tools/call", params: {name, arguments}}'
judge MCP
rm -rf out a.c w.png p.png && cp src/b.c a.c
play '{id, method: .name, params: .arguments}'
judge socket

# ---- accepted everywhere, listed nowhere
known='shell wait code respond_to_gemini mouse_click type_text find_element'
listed() { # listed WORD: the names of the tools that an agent with --tools=WORD sees
	printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}' \
		'{"jsonrpc":"2.0","method":"notifications/initialized"}' '{"jsonrpc":"2.0","id":2,"method":"tools/list"}' |
		muxbus mcp --tools="$1" | jq -r 'select(.id == 2).result.tools[].name'
}
call describe '{}'
for name in $known; do
	is "describe does not list $name" "$(field ".result.methods | has(\"$name\")")" false
done
is 'but says it beside its name' "$(field '.result.methods | [.execute_cli.also, .read_file.params.properties.path.also] | tojson')" \
	'[["shell"],["file_path","file_paths","paths"]]'
listed all >all
is 'no list of tools has them' "$(for name in $known; do grep -x "$name" all; done)" ''
is 'nor their parameters' "$(ask '{"method":"describe"}' | jq '[.result.methods[].params.properties | keys[]] | map(select(. == "working_dir" or . == "diff")) | length')" 0
is 'a family of tools by one word' "$(listed coding | grep -cxE 'capture_pane|execute_cli|read_file|code_search|send_task|research')" 6
is 'without the desktop' "$(listed coding | grep -cE 'gui|browser|webdriver')" 0
is 'an unknown word' "$(muxbus mcp --tools=codin </dev/null 2>&1 | grep -c 'did you mean "coding"')" 1
is 'the command line: a method' "$(muxbus --json shell command='echo said' | jq -c '[.ok, .stdout]')" '[true,"said\n"]'
is 'the command line: a parameter keeps its type' "$(muxbus --json read_file file_path=~/notes.md start=0 end=5 | jq -c '[.text, .unit]')" '["notes","characters"]'
is 'the command line: several' "$(muxbus --json read_file paths=a.c paths=src/b.c | jq -c '.files | map(.path)')" '["a.c","src/b.c"]'
is 'its help has them' "$(muxbus help shell | grep -cx 'The same as execute_cli.')" 1

# ---- what others silently read in another way
call watch_log "{\"file_path\":\"$dir/log\",\"regex\":\"OK\",\"wake_on_change\":true}"
watch=$(field .result.id)
call list_watches '{}'
is 'watch_log: a regex counts more than wake_on_change' \
	"$(field ".result.watches[] | select(.id == \"$watch\") | [.regex, .wake_on_change] | join(\" \")")" 'OK false'

ask '{"method":"ping"}
{"id":1,"method":"list_timers"}
{"id":2,"method":"execute_cli","params":{"command":"echo secret"}}' >/dev/null
call get_action_history '{"limit":3}'
is 'get_action_history: the result, unless programs print it' \
	"$(field '.result.actions | map(select(.result) | .method + " " + (.result | .[:18] | sub("[0-9]+"; "N"))) | sort | join("; ")')" \
	'execute_cli (N bytes); list_timers {"count":N,"timers'
call get_action_history '{"limit":5,"mine":true}'
is 'get_action_history: only of this program' "$(field '.result.actions | map(.method) | join(" ")')" get_action_history

# ---- what the mouse and the keyboard are asked for, with an X server that writes it down
cp -r "$MUXBUS_TOOLS" stubs && chmod -R u+w stubs && cd stubs || exit 99
cat >desktop_x11.py <<'STUB'
import os
class Screen:
    size, root, keys = (1600, 900), 1, {}
    def say(self, *words):
        with open(os.environ["STUB_LOG"], "a") as log:
            print(*words, file=log)
    def move(self, x, y): self.say("move", x, y)
    def button(self, number, is_down): self.say("down" if is_down else "up", number)
    def press(self, keys): self.say("press", keys)
    def write(self, text): self.say("write", text)
    def keysym(self, name): return self.keys.setdefault(name, len(self.keys) + 1)
    def atom(self, name): return 1
    def prop(self, window, name): return None
    def within(self, window): return []
    def focused(self): return None
    def pixels(self, *place): return None
    def close(self): pass
STUB
mkdir bin && printf '#!/bin/sh\ncat "%s"\n' "$dir/home/a.png" >bin/import && chmod 755 bin/import
export STUB_LOG="$dir/log" MUXBUS_TOOL_STATE="$dir/home" MUXBUS_PANE=%7
gui() {
	: >"$STUB_LOG"
	said=$(echo "$2" | DISPLAY=:9 ./execute_gui ${3:+"$3"} 2>&1 >/dev/null)
	is "execute_gui: $2" "$(cat "$STUB_LOG")${said:+$said}" "$(printf '%b' "$1")"
}
notches() {
	for _ in $(seq "$1"); do printf 'down 5\nup 5\n'; done
}
gui 'press ctrl+s' '{"action":"hotkey","keys":"ctrl+s"}'
gui 'alt+F4 is blocked, as it closes the window: force=true presses it' '{"action":"hotkey","keys":"Alt+f4"}'
gui 'super+R is blocked, as it opens a prompt for commands: force=true presses it' '{"action":"hotkey","keys":"win+R"}'
gui 'ctrl+alt+Delete is blocked, as it can end the session: force=true presses it' '{"action":"press_key","keys":"a Ctrl+Alt+Del"}'
gui 'press alt+F4' '{"action":"hotkey","keys":"alt+F4","force":true}'
gui "move 640 400\n$(notches 5)" '{"action":"scroll","x":640,"y":400,"direction":"down"}'
gui "$(notches 2)\npress a" '{"steps":[{"action":"scroll","clicks":2},{"action":"press_key","key":"a"}]}'
gui 'move 40 80\ndown 3\nup 3' '{"x":40,"y":80,"button":"right"}' mouse_click
gui 'write hello' '{"text":"hello"}' type_text
gui 'there is no picture for this pane yet: call observe_screen first, or leave out space' '{"action":"click","x":1,"y":0,"space":"screenshot"}'
is 'observe_screen: where its picture is, and what is looked for' \
	"$(echo '{"mode":"understanding","intent":"Save","region":{"x":100,"y":50,"width":2,"height":2}}' |
		DISPLAY=:9 PATH="$PWD/bin:$PATH" ./observe_screen | jq -r .text | head -n 1)" \
	'{"width": 1, "height": 1, "scale": 0.5, "left": 100, "top": 50, "intent": "Save"}'
gui 'move 102 50\ndown 1\nup 1' '{"action":"click","x":1,"y":0,"space":"screenshot"}'
done_testing
