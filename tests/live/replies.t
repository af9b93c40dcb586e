#!/bin/sh
# SPDX-License-Identifier: ISC
# The text of a task: the agent's own report of what it said, else what its pane shows; and its state
# where a report says one thing and its screen another.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
start 'exec sh'
fake=$MUXBUS_BUILDDIR/tests/fake_agent

# task TEXT: sends it, in the background; its answer comes into the file task.
task() {
	ask "$(jq -nc --arg text "$1" '{method: "send_task", params: {agent: "fake", $text, progress: false, timeout_sec: 60}}')" \
		>"$dir/task" &
	sent=$!
}
report() { # report PARAMS: more members
	ask "$(jq -nc --arg pane "$pane" --argjson more "$1" '{method: "report_agent", params: ({agent: "fake_agent", $pane} + $more)}')" |
		jq -r '.result.taken // .error.data.kind'
}
state() { ask '{"method":"list_agents"}' | jq -r '.result.agents[] | select(.agent == "fake") | .state'; }
runs() { ask '{"method":"list_agents"}' | jq -r '.result.agents[] | select(.agent == "fake") | .tasks[0].stage // "none"'; }
answer() { jq -r "$1" "$dir/task"; }

call ensure_agent "$(jq -nc --arg fake "$fake" --arg log "$dir/log" '{name: "fake", command: [$fake, "--busy", "1500", $log]}')"
pane=$(field .result.pane)
is 'an agent' "$(field .result.state)" ready
is 'that reports' "$(report '{"state":"idle","session":"one"}')" true

task '/first'
until_is 'its task runs' running runs
is 'it reports its turn' "$(report '{"state":"busy","session":"one"}')" true
reply=$(printf 'one\n\n```\n\ttwo  \n```\n日本語 \033[31mred\033[0m é')
is 'and what it says' "$(report "$(jq -nc --arg reply "$reply" '{state: "busy", session: "one", $reply}')")" true
is 'the last report counts' "$(report "$(jq -nc --arg reply "$reply." '{state: "idle", session: "one", $reply}')")" true
wait "$sent"
is 'its text is the reply' "$(answer .result.text)" "$reply."
is 'and the answer says so' "$(answer '.result.outcome + " " + .result.source')" 'ready hook'

task '/second'
wait "$sent"
is 'without a report it is read off the screen' "$(answer .result.source)" screen
is 'a report of no task changes nothing' "$(report '{"state":"idle","session":"one","reply":"late"}')" true
task '/third'
wait "$sent"
is 'not even the next task' "$(answer .result.source)" screen

long=$(head -c 300000 /dev/zero | tr '\0' x)
task '/fourth'
until_is 'another one runs' running runs
jq -nc --arg pane "$pane" --rawfile reply /dev/stdin \
	'{method: "report_agent", params: {agent: "fake_agent", $pane, session: "one", state: "idle", $reply}}' >"$dir/long" <<END
é$long.
END
socat -t 86400 - "UNIX-CONNECT:$MUXBUS" <"$dir/long" >"$dir/said"
wait "$sent"
is 'of a long reply the end is kept' "$(answer '.result | "\(.text | length) \(.truncated) \(.text[-2:-1])"')" '65536 true .'
ok 'and the rest can be read' [ -n "$(answer '.result.rest // empty')" ]
is 'a reply that is too long is refused' "$(head -c 600000 /dev/zero | tr '\0' x |
	jq -Rc --arg pane "$pane" '{method: "report_agent", params: {agent: "fake_agent", $pane, session: "one", reply: .}}' |
	socat -t 86400 - "UNIX-CONNECT:$MUXBUS" | jq -r '.error.data.kind // .result.taken')" invalid_params

# An agent that is done before Muxbus has seen its Enter work.
cat >"$dir/quick" <<'END'
tell() { printf '{"method":"report_agent","params":{"agent":"quick","session":"two",%s}}\n' "$1"; }
while printf '> ' && read -r line; do
	{ tell '"state":"busy"'; tell "\"state\":\"idle\",\"reply\":\"said $line\""; } |
		socat -t 86400 - "UNIX-CONNECT:$MUXBUS" >/dev/null
	echo seen
done
END
call ensure_agent "$(jq -nc --arg file "$dir/quick" '{name: "quick", command: ["sh", $file]}')"
for number in 1 2 3 4 5 6 7 8; do
	call send_task "{\"agent\":\"quick\",\"text\":\"$number\",\"progress\":false,\"timeout_sec\":60}"
	field '.result | "\(.source) \(.text)"'
done >"$dir/quick.said"
is 'each reply of a quick agent is taken' "$(sort -u "$dir/quick.said" | tr '\n' ';')" \
	"$(for number in 1 2 3 4 5 6 7 8; do printf 'hook said %s;' "$number"; done)"

# An agent that asks in its turn, and is done soon after the answer: that begins no turn.
cat >"$dir/asker" <<'END'
tell() {
	printf '{"method":"report_agent","params":{"agent":"asker","session":"three",%s}}\n' "$1" |
		socat -t 86400 - "UNIX-CONNECT:$MUXBUS" >/dev/null
}
tell '"state":"idle"'
while printf '> ' && read -r line; do
	tell '"state":"busy"'
	tell '"state":"asking"'
	printf 'Go on? [y/N] '
	read -r answer
	tell '"state":"busy"'
	tell "\"state\":\"idle\",\"reply\":\"took $answer\""
	echo done
done
END
call ensure_agent "$(jq -nc --arg file "$dir/asker" '{name: "asker", command: ["sh", $file]}')"
for number in 1 2 3; do
	call send_task '{"agent":"asker","text":"go","progress":false,"timeout_sec":60}'
	field .result.outcome
	call respond '{"agent":"asker","text":"y","progress":false,"timeout_sec":15}'
	field '.result | "\(.outcome) \(.source) \(.text)"'
done >"$dir/asker.said"
is 'an answer ends with its turn' "$(sort "$dir/asker.said" | uniq -c | tr -s ' \n' ' ')" ' 3 question 3 ready hook took y '
done_testing
