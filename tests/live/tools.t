#!/bin/sh
# SPDX-License-Identifier: ISC
# Declared tools: the folders, calls of programs and their answers, bad files and bad programs.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
export MUXBUS_TOOLS=/nonexistent
start 'exec sleep 3600'
export MUXBUS_TOOLS="$dir/shipped"
own="$dir/.config/muxbus/tools"
mkdir -m 755 "$dir/shipped"
export PATH="$dir/bin:$PATH"
mkdir "$dir/bin"

# declare NAME MEMBERS [FOLDER]: a declaration, written whole.
declare_tool() {
	folder=${3:-$dir/shipped}
	printf '{"name":"%s","group":"demo","description":"A test.",%s}\n' "$1" "$2" >"$folder/.new"
	chmod 644 "$folder/.new"
	mv "$folder/.new" "$folder/$1.json"
}
# program NAME: a script from standard input, beside the declarations.
program() {
	cat >"$dir/shipped/$1"
	chmod 755 "$dir/shipped/$1"
}
# tool NAME PARAMS FILTER: calls it.
tool() {
	call "$1" "$2"
	field "$3"
}
# gone PID: no such process, or a dead one.
gone() {
	! kill -0 "$1" 2>/dev/null
}
# state NAME: the state of a tool, and the reason.
state() {
	ask '{"method":"list_tools"}' |
		jq -r --arg name "$1" '.result.tools[] | select(.name == $name) | "\(.state) \(.reason)"'
}

program echo_arguments <<'SCRIPT'
#!/bin/sh
cat
SCRIPT
parameters='"parameters":{"type":"object","required":["text"],"properties":{
	"text":{"type":"string","minLength":1},"count":{"type":"integer","minimum":1,"default":2},
	"how":{"type":"string","enum":["fast","slow"]},
	"lines":{"type":"array","items":{"type":"integer"}}}}'
declare_tool echo_arguments "$parameters,\"run\":[\"./echo_arguments\"]"
program place <<'SCRIPT'
#!/bin/sh
printf '%s\n' "$PWD" "$MUXBUS_PANE" "$TMUX_PANE" "${TMUX%%,*}" "$MUXBUS" "$COLOUR" "$MUXBUS_TOOL"
ls -ld "$MUXBUS_TOOL_STATE" | cut -c 1-10
SCRIPT
declare_tool place '"run":["./place"]'
declare_tool as_json '"answer":"json","run":["printf","{\"a\": 1}"]'
declare_tool ill_typed '"answer":"json","result":{"type":"object","properties":{"a":{"type":"integer"}}},
	"run":["printf","{\"a\": 1.5, \"b\": 2}"]'
declare_tool ill_long '"answer":"json","result":{"type":"object","properties":{"a":{"type":"integer"}}},"run":["./ill_long"]'
program ill_long <<'SCRIPT'
#!/bin/sh
printf '{"b":"x%s","a":""}' "$(yes é | head -n 3000 | tr -d '\n')"
SCRIPT
declare_tool well_typed '"answer":"json","result":{"type":"object","properties":{"a":{"type":"integer"},"c":{"type":"array"}}},
	"run":["printf","{\"a\": 1.8e18, \"b\": null}"]'
declare_tool as_given '"answer":"json","run":["jq",".answer|fromjson"],"parameters":{"type":"object","properties":{"answer":{"type":"string"}}},
	"result":{"type":"object","properties":{"a.b":{"type":["string","null"]},"list":{"type":"array","items":{"properties":{"n":{"type":"integer"}}}}}}'
declare_tool with_id '"answer":"json","run":["printf","{\"id\": 7}"],"result":{"type":"object","properties":{"id":{"type":"integer"}}}'
declare_tool unpromised '"answer":"json","run":["printf","{\"id\": 7}"]'
declare_tool as_list '"answer":"json","run":["printf","[1, 2]"]'
declare_tool no_json '"answer":"json","run":["printf","{"]'
declare_tool picture '"answer":"image/*","run":["printf","\\211PNG\\r\\n\\032\\nrest"]'
declare_tool no_picture '"answer":"image/png","run":["printf","GIF89a"]'
declare_tool nothing '"run":["true"]'
declare_tool failing '"run":["sh","-c","echo one >&2; echo the file is too old >&2; exit 3"]'
declare_tool loud_failing '"run":["sh","-c","yes | head -c 3000000 >&2; printf \"one\\\\0two\" >&2; exit 3"]'
declare_tool silent_failing '"run":["sh","-c","exit 3"]'
declare_tool killed '"run":["sh","-c","kill -9 $$"]'
declare_tool not_utf8 '"run":["printf","a\\377b"]'
declare_tool much '"run":["sh","-c","yes | head -c 1000000000"],"timeout_sec":60'
declare_tool stubborn '"run":["sh","-c","echo $$ >'"$dir"'/stubborn; trap : TERM; while :; do sleep 0.1; done"],"timeout_sec":1'
declare_tool leaver '"run":["sh","-c","sleep 1000 & echo $!"]'
declare_tool slow '"run":["sh","-c","echo $$ >'"$dir"'/pid; exec sleep 1000"]'
declare_tool once '"run":["sh","-c","echo x >>'"$dir"'/runs; sleep 1; echo done"]'
declare_tool absent '"run":["no-such-program"]'
declare_tool in_need '"run":["true"],"programs":["true",["no-such-a","no-such-b"]]'
declare_tool fileless '"run":["true"],"programs":["file:/proc/self/stat*","file:/nonexistent/*.typelib"]'
declare_tool dataless '"run":["./echo_arguments"],"programs":["data:lib-1/main"]'
declare_tool list_panes '"run":["true"]'
declare_tool wrong_schema '"run":["true"],"parameters":{"type":"object","properties":{"a":{"type":"text"}}}'
declare_tool writable '"run":["true"]'
chmod 666 "$dir/shipped/writable.json"
echo 'no JSON' >"$dir/shipped/not_json.json"
program loose </dev/null
chmod 777 "$dir/shipped/loose"
declare_tool loose '"run":["./loose"]'
mkdir -m 777 "$dir/open"
chmod 777 "$dir/open"
program linked <<'END'
#!/bin/sh
END
mv "$dir/shipped/linked" "$dir/open/linked"
ln -s "$dir/open/linked" "$dir/shipped/linked"
declare_tool linked '"run":["./linked"]'
kill_daemon
ask '{"id":1,"method":"stubborn"}' >"$dir/stubborn_answer" & # it takes 6 s
stubborn=$!

# ---- arguments and answers ----
is 'a program gets its arguments, with defaults, and answers' \
	"$(tool echo_arguments '{"text":"a\n\"b","lines":[1,2]}' .result.text)" \
	'{"text":"a\n\"b","count":2,"lines":[1,2]}'
is 'a parameter that is missing' "$(tool echo_arguments '{}' .error.message)" 'text: is required'
is 'a wrong name' "$(tool echo_arguments '{"text":"a","cuont":1}' .error.message)" \
	'cuont: there is no such parameter; did you mean "count"?'
is 'a bound' "$(tool echo_arguments '{"text":"a","count":0}' .error.message)" \
	'count: must be at least 1, not 0'
is 'a choice' "$(tool echo_arguments '{"text":"a","how":"so"}' .error.message)" \
	'how: must be one of "fast", "slow", not "so"'
is 'an element' "$(tool echo_arguments '{"text":"a","lines":[1,"b"]}' .error.message)" \
	'lines: element 1 must be of type integer, not a string'
is 'a wrong tool' "$(tool echo_argument '{}' .error.message)" \
	'there is no method "echo_argument"; did you mean "echo_arguments"? "describe" lists all methods'
is 'its schema' "$(tool describe '{"method":"echo_arguments"}' \
	'.result.methods.echo_arguments.params.properties.count | "\(.type) \(.minimum) \(.default)"')" 'integer 1 2'
is 'the command line' "$("$MUXBUS_BUILDDIR/muxbus" echo_arguments text=hello count=3 | jq -r .text)" \
	'{"text":"hello","count":3}'
is 'its text as text' "$("$MUXBUS_BUILDDIR/muxbus" --text echo_arguments text=hello)" \
	'{"text":"hello","count":2}'
ok 'its help' sh -c "'$MUXBUS_BUILDDIR/muxbus' help echo_arguments | grep -q 'usage: muxbus echo_arguments text=text'"
is 'its completion' "$("$MUXBUS_BUILDDIR/muxbus" complete -- echo_arguments how= | cut -f 1 | tr '\n' ' ')" \
	'how=fast how=slow '
is 'the history' "$(ask '{"method":"get_action_history"}' |
	jq -r '[.result.actions[] | select(.method == "echo_arguments")] | length > 5')" true
t set-environment COLOUR green
pane=$(t list-panes -F '#{pane_id}')
cd / || exit 99
is 'the environment and the directory are those of the pane' \
	"$(tool place "{\"pane\":\"$pane\"}" .result.text | tr '\n' ' ' | sed 's/ *$//')" \
	"$(t display -p -t "$pane" '#{pane_current_path}') $pane $pane $dir/tmux $MUXBUS green place drwx------"
is 'JSON: an object' "$(tool as_json '{}' '.result | tojson')" '{"a":1}'
is 'JSON: another value' "$(tool as_list '{}' '.result | tojson')" '{"value":[1,2]}'
is 'JSON that is none' "$(tool no_json '{}' .error.data.kind)" tool_failed
is 'an image' "$(tool picture '{}' '.result | "\(.mime_type) \(.bytes) \(.data)"')" 'image/png 12 iVBORw0KGgpyZXN0'
is 'another image than declared' "$(tool no_picture '{}' .error.message)" \
	'no_picture: its program ended well, but printed image/gif instead of image/png'
is 'nothing' "$(tool nothing '{}' '.result | tojson')" '{"text":""}'
is 'bytes that are no UTF-8' "$(tool not_utf8 '{}' .result.text)" 'a�b'

# ---- programs that fail ----
is 'standard error is the reason' "$(tool failing '{}' '.error | "\(.data.kind) \(.message)"')" \
	'tool_failed failing: one
the file is too old'
is 'its end is, of much of it' "$(tool loud_failing '{}' '.error | "\(.data.kind) \(.message)"' | tail -n 1)" 'one two'
is 'an exit status' "$(tool silent_failing '{}' .error.message)" 'silent_failing: its program ended with exit status 3'
is 'a signal' "$(tool killed '{}' .error.message)" 'killed: its program was killed by signal 9, Killed'
call much '{}'
is 'of 1 GB the ends are kept' "$(field '.result.text | length < 8000000 and contains("bytes are left out here")')" true
call leaver '{}'
is 'a program that leaves a process behind' "$(field .result.note)" \
	'a process that the program left behind still holds its output'
kill "$(field '.result.text | rtrimstr("\n")')" # the process that it left behind

wait $stubborn
is 'a program that ignores TERM' "$(jq -r .error.data.kind "$dir/stubborn_answer")" timeout
ok 'none of its group is left' gone "$(cat "$dir/stubborn")"

# ---- callers ----
printf '{"id":1,"method":"slow"}\n' | socat -t 1 - "UNIX-CONNECT:$MUXBUS" >/dev/null
until_is 'a caller that leaves ends its program' gone sh -c "[ -s '$dir/pid' ] && ! kill -0 \$(cat '$dir/pid') 2>/dev/null && echo gone || :"
id=$(tool once "{\"wait\":false,\"pane\":\"$pane\"}" .result.id)
call restart_job "{\"job\":\"$id\"}"
is 'the job of a call is no command that may be restarted' "$(field '.error | "\(.data.field) \(.message | contains("tool once"))"')" 'job true'
until_is 'without waiting, its program begins' 1 sh -c "wc -l <'$dir/runs' | tr -d ' '"
is 'no answer yet' "$(tool get_tool_answer "{\"id\":\"$id\"}" .error.data.kind)" not_ready
kill_daemon
call next_notification "{\"filter\":{\"id\":\"$id\"},\"timeout_sec\":20}"
is 'its end is one notification, over kill -9' \
	"$(field '.result.notifications | "\(length) \(.[0].source) \(.[0].data.command) \(.[0].data.state)"')" \
	'1 tool once exited'
is 'it ran once' "$(wc -l <"$dir/runs" | tr -d ' ')" 1
is 'its answer' "$(tool get_tool_answer "{\"id\":\"$id\"}" .result.text)" 'done'

# ---- bad files ----
is 'no JSON' "$(state not_json | cut -c 1-25)" 'broken not a JSON object:'
is 'a method is not replaced' "$(state list_panes)" \
	'broken name: "list_panes" is a method of muxbusd, which no declaration replaces'
is 'the method works' "$(tool list_panes '{}' '.result.panes | length')" 1
is 'a wrong schema' "$(state wrong_schema)" 'broken parameters.properties.a.type: must be one of "array", "boolean", "integer", "number", "object", "string", or ["string", "array"], not "text"'
is 'a file that others can write' "$(state writable)" \
	"broken $dir/shipped/writable.json is writable by others (mode 0666): look at it, then run: chmod go-w '$dir/shipped/writable.json'"
is 'a program that others can write' "$(state loose | cut -d ' ' -f 1,3-5)" 'broken is writable by'
is 'a program that others can replace, behind a link' "$(state linked)" \
	"broken $dir/open is writable by others (mode 0777): look at it, then run: chmod go-w '$dir/open'"
is 'a missing program' "$(state absent)" 'hidden no-such-program is not installed'
is 'a missing file' "$(state fileless)" 'hidden /nonexistent/*.typelib is not installed'
is 'a missing library of the user, and its command' "$(state dataless | sed 's|run: .*/|run: |')" \
	'hidden lib-1/main is not installed, run: echo_arguments --install'
is 'a missing alternative' "$(state in_need)" 'hidden no-such-a or no-such-b is not installed'
is 'a call says so' "$(tool absent '{}' '.error | "\(.data.kind) \(.message)"')" \
	'not_ready absent cannot run: no-such-program is not installed'
printf '#!/bin/sh\necho here\n' >"$dir/bin/no-such-program"
chmod 755 "$dir/bin/no-such-program"
is 'until it is installed' "$(state absent)" 'listed null'

# ---- changes of the folders ----
has() {
	ask '{"method":"describe"}' | jq --arg name "$1" '.result.methods | has($name)'
}
mkdir -p "$own"
declare_tool later '"run":["echo","later"]' "$own"
until_is 'a new file of a new folder is read' true has later
declare_tool nothing '"run":["echo","mine"]' "$own"
until_is "the user's file replaces a shipped one" mine sh -c "printf '{\"id\":1,\"method\":\"nothing\"}\n' |
	socat - UNIX-CONNECT:$MUXBUS | jq -r '.result.text | rtrimstr(\"\n\")'"
rm "$own/later.json"
printf '{"name":"twice","group":"demo","description":"A test.","run":["true"]}' >"$dir/shipped/a_twice.json"
echo 'no JSON' >"$dir/shipped/twice.json"
chmod 644 "$dir/shipped/"*twice.json
is 'a file that cannot be used blocks no other one' \
	"$(state twice | cut -d ' ' -f 1 | sort | tr '\n' ' ')" 'broken listed '
declare_tool twice '"run":["echo","mine"]' "$own"
is 'a tool of the user replaces all of its name' "$(state twice)" 'listed null'
rm "$own/twice.json" "$dir/shipped/"*twice.json
until_is 'a file that is gone is forgotten' false has later
chmod 777 "$own"
until_is 'a folder that others can write is not read' 'broken' sh -c "printf '{\"id\":1,\"method\":\"list_tools\"}\n' |
	socat - UNIX-CONNECT:$MUXBUS | jq -r '.result.tools[] | select(.file == \"$own\") | .state'"
is 'the shipped one is back' "$(tool nothing '{}' .result.text)" ''
chmod 755 "$own"

# ---- the example of muxbusd(8), and doctor ----
example() { # example LINE: the display behind this line of the manual
	sed -n "/^$1\$/,/^\\.Ed/p" "$MUXBUS_SRCDIR/src/daemon/muxbusd.8" | sed '1,/^\.Bd/d; /^\.Ed/d'
}
example '\.Pa count_words.json :' >"$own/count_words.json"
example '\.Pa count_words' >"$own/count_words"
chmod 644 "$own/count_words.json"
chmod 755 "$own/count_words"
until_is 'the example of the manual is listed' 'listed null' state count_words
printf 'one two three\n' >"$dir/notes"
is 'and works' "$("$MUXBUS_BUILDDIR/muxbus" count_words "path=$dir/notes" | jq -r '.text | rtrimstr("\n")')" 3
is 'and says what is wrong' "$("$MUXBUS_BUILDDIR/muxbus" count_words "path=$dir/none" 2>&1)" \
	"muxbus: count_words: $dir/none is not a file"
"$MUXBUS_BUILDDIR/muxbus" doctor >"$dir/doctor"
doctor() {
	jq -r ".findings[] | select(.subject | startswith(\"tools\")) | \"\(.subject) \(.state) \(.text)\"" "$dir/doctor"
}
is 'doctor names a missing program with its group' "$(doctor | grep 'no-such-a')" \
	'tools: demo note no-such-a or no-such-b is not installed: not listed are in_need'
is 'and files that cannot be used' "$(doctor | grep -c '^tools wrong ')" 6

# ---- MCP ----
mcp() { # mcp TOOLS: the names that are listed
	printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}' \
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/muxbus/hello\",\"params\":{\"tools\":\"$1\"}}" \
		'{"jsonrpc":"2.0","id":2,"method":"tools/list"}' | socat -t 5 - "UNIX-CONNECT:$MUXBUS" |
		jq -r 'select(.id == 2) | .result.tools // .error.message'
}
is 'the default list has none of them' "$(mcp default | jq -c 'map(select(.name == "place"))')" '[]'
is 'a group lists its tools' "$(mcp demo | jq -c 'map(select(.name == "place" or .name == "in_need").name)')" '["place"]'
is 'a tool by its name' "$(mcp default,place | jq -c 'map(select(.name == "place").name)')" '["place"]'
mcp_call() { # mcp_call NAME ARGUMENTS FILTER
	printf '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"%s","arguments":%s}}\n' "$1" "$2" |
		socat -t 10 - "UNIX-CONNECT:$MUXBUS" | jq -r "$3"
}
is 'text' "$(mcp_call echo_arguments '{"text":"x","count":"3"}' .result.content[0].text)" '{"text":"x","count":3}'
is 'an image is image content' "$(mcp_call picture '{}' '.result.content[0] | "\(.type) \(.mimeType) \(.data)"')" \
	'image image/png iVBORw0KGgpyZXN0'
is 'an error' "$(mcp_call failing '{}' '.result | "\(.isError) \(.content[0].text)"' | grep -o '^true .*')" \
	'true failing failed: one'
is 'and its last line' "$(mcp_call failing '{}' '.result.content[0].text' | grep -c 'too old')" 1
is 'an answer that its declaration does not promise' "$(mcp_call ill_typed '{}' '.result | "\(.isError) \(.content[0].text)"')" \
	'true ill_typed failed: it has answered, but a is a number, not of a type that its result declares: {"a":1.5,"b":2}.'
is 'a long one is cut behind a whole character' \
	"$(mcp_call ill_long '{}' '.result.content[0].text' | grep -c 'type that its result declares: {"b":"xé*….$')" 1
is 'one that it promises' "$(mcp_call well_typed '{}' '.result | "\(.isError) \(.structuredContent.a == 1.8e18)"')" 'null true'
as_given() { # as_given ANSWER: whether it fails, and what the error names
	mcp_call as_given "$(jq -nc --arg answer "$1" '{answer: $answer}')" '.result | "\(.isError) \(.content[0].text)"' |
		sed -n '1s/ as_given failed: it has answered, but \(.*\), not of a type.*/ \1/;1s/^null .*/null/;1p'
}
is 'null is a type of its own, as is a name with a dot' "$(as_given '{"a.b":null,"list":[{"n":1},{"n":2,"m":null}]}')" null
is 'a null that is not declared' "$(as_given '{"list":[{"n":1},{"n":null}]}')" 'true list[1].n is null'
is 'another type of a name with a dot' "$(as_given '{"a.b":5}')" 'true a.b is a number'
is 'the schema has all depths' "$(ask '{"method":"describe","params":{"method":"as_given"}}' | jq -c '.. | .result_schema? // empty | .properties')" \
	'{"a.b":{"anyOf":[{"type":"string"},{"type":"null"}]},"list":{"type":"array","items":{"properties":{"n":{"type":"integer"}}}}}'
is 'a declared id has the type of that of a call without an answer, too' \
	"$(mcp_call with_id '{"wait":false}' .result.isError) $(mcp_call with_id '{}' .result.structuredContent.id)" 'null 7'
is 'without a declared result any member has any type' "$(mcp_call unpromised '{}' '.result | "\(.isError) \(.structuredContent.id)"')" 'null 7'
declare_tool changing '"answer":"json","run":["sh","-c","until [ -e '"$dir"'/go ]; do sleep 0.02; done; echo 7"]'
until_is 'a tool that answers with JSON' 'listed null' state changing
id=$(tool changing '{"wait":false}' .result.id)
declare_tool changing '"answer":"image/png","run":["true"]'
until_is 'is declared otherwise while it runs' image/png \
	sh -c "jq -r .answer '$dir/shipped/changing.json'"
state changing >/dev/null # reads the folders again
touch "$dir/go"
until_is 'it answers as it was declared at its call' '{"value":7}' tool get_tool_answer "{\"id\":\"$id\"}" '.result | tojson'
kill_daemon
is 'also after the next start of the daemon' "$(tool get_tool_answer "{\"id\":\"$id\"}" '.result | tojson')" '{"value":7}'
mkfifo "$dir/in"
socat -t 10 - "UNIX-CONNECT:$MUXBUS" <"$dir/in" >"$dir/out" &
exec 4>"$dir/in"
printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}' \
	'{"jsonrpc":"2.0","method":"notifications/initialized"}' \
	'{"jsonrpc":"2.0","method":"notifications/muxbus/hello","params":{"tools":"demo"}}' \
	'{"jsonrpc":"2.0","id":2,"method":"tools/list"}' >&4
until_is 'a session lists them' 1 sh -c "grep -c '\"id\":2' '$dir/out' || :"
changes=$(grep -c tools/list_changed "$dir/out")
declare_tool newest '"run":["true"]'
until_is 'it hears of a new one' $((changes + 1)) sh -c "grep -c tools/list_changed '$dir/out' || :"
whole=$(cat "$dir/shipped/newest.json")
# One that takes a second is read all the same: on a slow machine that round counts for nothing.
mkdir -p "$own"
wrong=0 rounds=0 tries=0
while [ $rounds -lt 3 ] && [ $tries -lt 20 ]; do
	tries=$((tries + 1))
	changes=$(grep -c tools/list_changed "$dir/out")
	began=$(date +%s%N)
	chmod 600 "$dir/shipped/newest.json"
	sleep 0.06
	{
		mkdir "$own/beside$tries" # the other folder changes meanwhile
		sleep 0.2
		printf '%s\n' "$whole"
	} >"$dir/shipped/newest.json"
	took=$((($(date +%s%N) - began) / 1000000))
	sleep 0.3
	state newest >/dev/null # the daemon has seen the end
	if [ $took -lt 600 ]; then
		rounds=$((rounds + 1))
		[ "$(grep -c tools/list_changed "$dir/out")" -eq "$changes" ] || wrong=$((wrong + 1))
	else
		sleep 2
	fi
done
if [ $rounds -gt 0 ]; then
	is 'a file that is written anew is not read in between' "$wrong" 0
else
	ok 'a file that is written anew # SKIP the machine is too slow' true
fi
tries=0 took=600
while [ $took -ge 600 ] && [ $tries -lt 20 ]; do
	tries=$((tries + 1))
	began=$(date +%s%N)
	exec 5>"$dir/shipped/newest.json"
	printf '{"name":' >&5
	during=$(state newest)
	took=$((($(date +%s%N) - began) / 1000000))
	printf '%s\n' "${whole#\{\"name\":}" >&5
	exec 5>&-
done
[ $took -lt 600 ] || during='listed null' # the machine is too slow
is 'nor by a request' "$during, $(state newest)" 'listed null, listed null'
changes=$(grep -c tools/list_changed "$dir/out")
i=0
while [ $i -lt 60 ] && [ "$(grep -c tools/list_changed "$dir/out")" -eq "$changes" ]; do
	[ $i -ne 1 ] || declare_tool newer '"run":["true"]'
	chmod 644 "$dir/shipped/newest.json"
	sleep 0.05
	i=$((i + 1))
done
ok "a folder that changes all the time is read ($i)" [ $i -lt 60 ]
exec 4>&-

# ---- Without a free descriptor the tools stay as they were. ----
mkfifo "$dir/late"
socat -t 60 - "UNIX-CONNECT:$MUXBUS" <"$dir/late" >"$dir/late_out" &
late=$!
exec 4>"$dir/late"
echo '{"method":"list_tools"}' >&4
until_is 'a peer is answered' 1 sh -c "wc -l <'$dir/late_out' | tr -d ' '"
pid=$(ask '{"method":"status"}' | jq .result.pid)
may_open 0 "$pid"
echo '{"method":"list_tools"}' >&4
exec 4>&-
wait $late
prlimit --nofile=1024: --pid "$pid"
is 'no tool has gone' "$(jq -s '.[0].result.tools == .[1].result.tools' "$dir/late_out")" true

# ---- MUXBUS_TOOLS ----
export MUXBUS_TOOLS="$own"
mkdir -p "$own"
declare_tool only_once '"run":["true"]' "$own"
kill_daemon
is 'a folder that is both is read once' "$(state only_once)" 'listed null'
export MUXBUS_TOOLS=shipped
kill_daemon
is 'a relative path is refused' "$(state '*' | sed 's/;.*//')" 'broken MUXBUS_TOOLS must be an absolute path'
ok 'doctor says so' sh -c "'$MUXBUS_BUILDDIR/muxbus' doctor | grep -q 'MUXBUS_TOOLS must be an absolute path'"

# ---- The kernel has no more watches: the folder is read again and again. ----
if unshare -Ur true 2>/dev/null; then
	export MUXBUS_TOOLS="$dir/shipped"
	cat >"$dir/bin/muxbusd" <<END
#!/bin/sh
exec unshare -Ur sh -c 'echo 1 >/proc/sys/user/max_inotify_watches; exec "\$0" "\$@"' '$MUXBUS_BUILDDIR/muxbusd' "\$@"
END
	chmod +x "$dir/bin/muxbusd"
	MUXBUS_BUILDDIR=$dir/bin
	kill_daemon
	declare_tool unwatched '"run":["true"]'
	seen() { tool unwatched '{}' .result.text; }
	until_is 'a tool is seen without a watch' '' seen
else
	ok 'a tool is seen without a watch # SKIP unshare is not allowed'
fi
done_testing
