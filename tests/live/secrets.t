#!/bin/sh
# SPDX-License-Identifier: ISC
# Secrets: the history, the log and the state of ended jobs show no text, keys, input or environment.

. "$MUXBUS_SRCDIR/tests/live/live.sh"
export MUXBUS_TOOLS=/nonexistent
start 'exec cat'
export MUXBUS_TOOLS="$dir/shipped"
mkdir -m 755 "$dir/shipped"
# The shipped tools, with a program that fails, and says what it got.
for file in "$MUXBUS_SRCDIR"/contrib/tools/*.json; do
	jq 'del(.server, .tool, .arguments, .programs) | .run = ["sh", "-c", "cat >&2; exit 1"]' \
		"$file" >"$dir/shipped/${file##*/}"
	chmod 644 "$dir/shipped/${file##*/}"
done
kill_daemon
muxbus=$MUXBUS_BUILDDIR/muxbus

history() {
	ask '{"method":"get_action_history","params":{"limit":500}}'
}
shown() { # METHOD: the latest parameters of a method in the history
	history | jq -r --arg method "$1" 'first(.result.actions[] | select(.method == $method)).params'
}
lines_with() { # TEXT: how many lines of standard input have it
	grep -c -e "$1"
}

# Every field that holds text, keys, input or an environment; also mistaken ones.
while read -r method params; do
	ask "{\"method\":\"$method\",\"params\":$params}" >/dev/null
done <<'END'
send_text {"pane":"main","text":"hunter2"}
send_text {"pane":"main","text":["hunter2"]}
send_text {"pane":"main","base64":"hunter2hunter2"}
send_text {"pane":"main","txt":"hunter2"}
send_keys {"pane":"main","keys":"hunter2"}
send_keys {"pane":"main","keys":["hunter2","Enter"]}
send_keys {"pane":"main","keys":{"a":"hunter2"}}
send_keys {"pane":"main","base64":"hunter2"}
send_keys {"pane":"nowhere","keys":"hunter2"}
execute_cli {"command":"cat >/dev/null","stdin":"hunter2"}
execute_cli {"command":"true","input":"hunter2"}
run_long_command {"command":"true","env":{"A":"hunter2"}}
run_long_command {"command":"true","env":"A=hunter2"}
run_long_command {"command":"true","env":{"A":["hunter2"]}}
run_long_command {"command":"true","env":{"A=hunter2":"x"}}
create_pane {"pane":"main","command":"true","env":{"A":"hunter2"}}
create_window {"session":"main","command":"true","env":{"A":"hunter2"}}
create_session {"name":"s","command":"true","env":{"A":"hunter2"}}
create_session {"name":"s","command":"true","env":{"A=hunter2":"x"}}
ensure_agent {"name":"a","command":"cat","env":{"A":"hunter2"},"startup_timeout_sec":0.1}
send_task {"agent":"a","text":"hunter2","wait":false}
send_task {"agent":"hunter","text":"hunter2"}
respond {"agent":"a","text":"hunter2"}
self_command {"command":"hunter2"}
self_command {"command":"hunter2\nhunter2"}
post_notification {"text":"hunter2","data":{"a":"hunter2"}}
post_notification {"text":"a","data":"hunter2"}
run_tmux {"command":["send-keys","-t","main","hunter2"]}
run_tmux {"command":["set-environment","A","hunter2"]}
run_tmux {"command":["set-option","nonsense","hunter2"]}
run_tmux {"command":["set-option","hunter2"]}
run_tmux {"command":["set-buffer","hunter2"]}
run_tmux {"command":"set-buffer hunter2"}
run_tmux {"command":["bind-key","x","kill-server","hunter2"]}
END
ask '{"method":"send_text","params":["main","hunter2"]}' >/dev/null
is 'the history has all of these requests' "$(history | jq '.result.actions | length')" 35
is 'but no secret of theirs' "$(history | tr ',' '\n' | grep 'hunter2')" ''
is 'and shows what is not confidential' "$(shown send_keys)" '{"pane":"nowhere","keys":"(7 bytes)"}'
ask '{"method":"run_tmux","params":{"command":["send-keys","-t","%0","-l","hunter2"]}}' >/dev/null
is 'as words that are flags and ids' "$(shown run_tmux)" \
	'{"command":["send-keys","-t","%0","-l","(7 bytes)"]}'
is 'an error is still said' "$(ask '{"method":"send_keys","params":{"pane":"%99","keys":"x"}}' >/dev/null
	history | jq -r '.result.actions[1].outcome')" no_such_pane
printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"send_text","arguments":{"pane":"main","text":"hunter2"}}}' |
	"$muxbus" mcp >/dev/null
is 'nor are tool calls shown' "$(history | tr ',' '\n' | lines_with hunter2)" 0

# Declared tools: each value that its declaration does not say to be plain.
for file in "$dir"/shipped/*.json; do
	jq -c '.name as $name | (.parameters.required // []) as $required | .parameters.properties // {} | to_entries |
		({"object": {"a": "hunter4"}, "array": ["hunter4"], "string": "hunter4"}) as $secret |
		map(select(.value.plain | not) | {key, value: $secret[.value.type | if type == "array" then .[0] else . end]} | select(.value)) as $secrets |
		(map(select(.value.plain) | {key, value: (.value.enum[0]? // {"string": "x", "object": {}, "array": []}[.value.type | if type == "array" then .[0] else . end])} |
			select(.key as $key | $required | index($key)))) as $plain |
		($plain + $secrets | from_entries),
		(map({key, value: (if .value.plain then "x" else ["hunter4"] end)}) | from_entries),
		(map({key: ("x" + .key), value: "hunter4"}) | from_entries) |
		{method: $name, params: .}' "$file"
done >"$dir/calls"
ask "$(cat "$dir/calls")" >"$dir/answers"
ok 'programs are started, fail and say it' [ "$(grep -c '"tool_failed".*hunter4\|hunter4.*"tool_failed"' "$dir/answers")" -ge 10 ]
is 'all of their calls are in the history' \
	"$(history | jq '[.result.actions[] | select(.method | IN("write_file", "webdriver_send_keys"))] | length')" 6
is 'but no text of theirs' "$(history | tr ',' '\n' | grep hunter4)" ''
is 'a plain one is' "$(history | jq -r 'last(.result.actions[] | select(.method == "write_file")).params')" \
	'{"path":"x","content":"(7 bytes)"}'

# Jobs: nothing of their environment or input stays on disk.
ask '{"method":"run_long_command","params":{"command":"sleep 1000","env":{"A":"hunter3"}}}' >/dev/null
ask '{"method":"execute_cli","params":{"command":"true","stdin":"hunter3"}}' >/dev/null
is 'the state has no environment and no input' "$(grep -rl hunter3 "$dir/muxbus")" ''

# A job has the environment of its pane's session, over that of the daemon.
t set-environment -g GLOBAL_PLACE global
t set-environment -g GLOBAL_TOKEN secret
t set-environment -g CLAUDECODE 1
t set-environment -g HOME /nowhere
t set-environment -g BOTH global
t set-environment -t main BOTH session
t set-environment -t main MY_TOKEN 'the user said so'
t set-environment -t main ODD "$(printf 'a "b" $c \\$z `d` \\e;\n\302\251\tf"; export X;\nX="y')"
t set-environment -t main -r LC_ALL
t set-environment -t main -h HIDDEN secret
job_env() { # PARAMETER...: the environment of a job
	job=$(ask "{\"method\":\"run_long_command\",\"params\":{\"command\":\"env -0\"$1}}" | jq -r .result.id)
	ask "{\"method\":\"wait_for\",\"params\":{\"all\":[{\"job\":\"$job\"}],\"timeout_sec\":20}}" >/dev/null
	ask "{\"method\":\"read_job\",\"params\":{\"job\":\"$job\",\"encoding\":\"base64\"}}" |
		jq -r .result.base64 | base64 -d
}
variable() { # NAME
	tr '\n\0' '\1\n' <"$dir/env" | sed -n "s/^$1=//p" | tr '\1' '\n'
}
job_env ',"pane":"main","env":{"GIVEN":"yes"}' >"$dir/env"
is 'a variable of the session' "$(variable MY_TOKEN)" 'the user said so'
is 'with any characters' "$(variable ODD)" "$(printf 'a "b" $c \\$z `d` \\e;\n\302\251\tf"; export X;\nX="y')"
is 'which make no other variable' "$(variable X)" ''
is 'wins over one of all sessions' "$(variable BOTH)" session
is 'which is there as well' "$(variable GLOBAL_PLACE)" global
is 'unless it is a secret, or of an agent' "$(variable GLOBAL_TOKEN)$(variable CLAUDECODE)" ''
is 'or the daemon has it' "$(variable HOME)" "$dir"
is 'one that the session removes is not there' "$(variable LC_ALL)" ''
is 'nor one that it hides' "$(variable HIDDEN)" ''
is 'the request has the last word' "$(variable GIVEN)" yes
job_env '' >"$dir/env"
is 'without a pane there are those of all sessions' "$(variable BOTH)$(variable MY_TOKEN)" global
# Jobs that start at once share a look, but none begun before they were asked for.
round() { # FILES: what ten commands see that start at once, and ten more
	for number in 1 2 3 4 5 6 7 8 9 10; do
		echo '{"id":'$number',"method":"execute_cli","params":{"command":"echo $ROUND"}}'
		echo '{"id":'$number'0,"method":"execute_cli","params":{"command":"echo $ROUND"}}' >&3
	done 3>"$dir/asks.$1" | socat -t 60 - "UNIX-CONNECT:$MUXBUS" >"$dir/one.$1"
	socat -t 60 - "UNIX-CONNECT:$MUXBUS" <"$dir/asks.$1" >"$dir/two.$1"
	cat "$dir/one.$1" "$dir/two.$1" | jq -r .result.stdout | grep . | sort -u
}
seen=
for number in 1 2 3; do
	t set-environment -g ROUND "$number"
	round a >"$dir/round" &
	round_pid=$!
	seen="$seen $(round b)"
	wait "$round_pid"
	seen="$seen $(cat "$dir/round")"
done
is 'commands that start at once have what was set before' "$seen" ' 1 1 2 2 3 3'
cat >"$dir/inside" <<END
echo '{"method":"execute_cli","params":{"command":"echo \$BOTH"}}' | socat -t 60 - "UNIX-CONNECT:$MUXBUS" >"$dir/told"
END
t new-window -d -t main: "sh '$dir/inside'; mv '$dir/told' '$dir/is told'"
told() {
	jq -r .result.stdout "$dir/is told" 2>/dev/null || :
}
until_is 'execute_cli has it too, from its own pane' session told
t kill-server
gone() {
	ask '{"method":"status"}' | jq -r .result.tmux.state
}
until_is 'tmux ends' searching gone
job_env ',"env":{"GIVEN":"yes"}' >"$dir/env"
is 'and a job still has the environment of the daemon' "$(variable GIVEN)$(variable HOME)" "yes$dir"
done_testing
