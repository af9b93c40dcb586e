#!/bin/sh
# SPDX-License-Identifier: ISC
# Choices: a menu that an agent shows is answered by the number of a choice, and only while it
# stands there. One program takes the number alone, another marks the choice and waits for Enter:
# neither gets a key that what it asks next would take for an answer.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
command -v python3 >/dev/null || skip_all 'python3 is not installed'
start 'exec sh'

cat >"$dir/menu.py" <<'END'
import os, sys, termios, time, tty
tty.setcbreak(0)
log = open(sys.argv[2], "a", buffering=1)
def show(text):
    os.write(1, text.encode())
def choose(question, choices):
    at = 0
    while True:
        show("\x1b[2J\x1b[H" + question + "\r\n\r\n")
        for i, choice in enumerate(choices):
            show(f"{'❯' if i == at else ' '} {i + 1}. {choice}\r\n")
        show("\r\nEsc to cancel")
        key = os.read(0, 1)
        if key in b"\r\n":
            return log.write(f"{question} {at + 1}\n")
        if key.isdigit() and 0 < int(key) <= len(choices):
            at = int(key) - 1
            if sys.argv[1] == "number":
                return log.write(f"{question} {at + 1}\n")
while True:
    show("\x1b[2J\x1b[H> ")
    line = b""
    while not line.endswith(b"\r") and not line.endswith(b"\n"):
        key = os.read(0, 1)
        show("" if key in b"\r\n" else key.decode())
        line += key
    time.sleep(0.2)
    if line.strip():
        choose("Run it?", ["Yes", "Yes, and do not ask again", "No"])
        choose("And delete all?", ["Yes", "No"])
END

call() { # call METHOD PARAMS
	ask "$(jq -nc --arg method "$1" --argjson params "$2" '{method: $method, params: $params}')" |
		jq -c 'select(.method == null)' >"$dir/answer"
}
respond() { # respond AGENT WHAT: with the id of the question
	call respond "$(jq -nc --arg agent "$1" --arg id "$id" --argjson what "$2" \
		'{agent: $agent, question_id: $id, timeout_sec: 60} + $what')"
}
seen() { # the answer: an outcome and a question, or the kind of the error and what is asked
	field 'if .error then "\(.error.data.kind) \(.error.data.question)" else .result | "\(.outcome) \(.question)" end'
}

for kind in number mark; do
	call ensure_agent "$(jq -nc --arg name "$kind" --arg command "exec python3 $dir/menu.py $kind $dir/$kind.log" '{$name, $command}')"
	call send_task "{\"agent\":\"$kind\",\"text\":\"go\",\"timeout_sec\":60}"
	is "$kind: a menu is a question with choices" "$(field '.result | "\(.question) \([.choices[] | "\(.choice) \(.text)"] | join(", "))"')" \
		'Run it? 1 Yes, 2 Yes, and do not ask again, 3 No'
	id=$(field .result.question_id)
	call list_agents '{}'
	is "$kind: list_agents has both" "$(field ".result.agents[] | select(.agent == \"$kind\") | \"\\(.question_id) \\(.choices | length)\"")" "$id 3"
	call respond "{\"agent\":\"$kind\",\"choice\":1}"
	is "$kind: a choice is one of a question" "$(field '.error.data.field')" question_id
	respond "$kind" '{"choice":1,"text":"1"}'
	is "$kind: and no text beside" "$(field '.error.data.field')" choice
	respond "$kind" '{"choice":4}'
	is "$kind: a choice that is not there" "$(seen)" 'refused Run it?'
	respond "$kind" '{"text":"maybe"}'
	is "$kind: a text that is none" "$(seen)" 'refused Run it?'
	is "$kind: nothing was taken by that" "$(cat "$dir/$kind.log")" ''
	respond "$kind" '{"choice":2}'
	is "$kind: a choice is taken, and the next question told" "$(seen)" 'question And delete all?'
	is "$kind: which is not answered" "$(cat "$dir/$kind.log")" 'Run it? 2'
	respond "$kind" '{"choice":1}'
	is "$kind: the old answer is not for it" "$(seen)" 'not_ready And delete all?'
	id=$(field .error.data.question_id)
	respond "$kind" '{"text":"no"}'
	is "$kind: the text of a choice is one" "$(field .result.outcome)" ready
	is "$kind: each question had its answer" "$(tail -n 1 "$dir/$kind.log")" 'And delete all? 2'
	call send_task "{\"agent\":\"$kind\",\"text\":\"go\",\"timeout_sec\":60}"
	id=$(field .result.question_id)
	respond "$kind" '{"text":""}'
	is "$kind: Enter alone takes what is marked" "$(tail -n 1 "$dir/$kind.log")" 'Run it? 1'
done
done_testing
