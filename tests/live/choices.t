#!/bin/sh
# SPDX-License-Identifier: ISC
# Choices: a menu that an agent shows is answered by the number of a choice, and only while it
# stands there. One program takes the number alone, another marks the choice and waits for Enter:
# neither gets a key that what it asks next would take for an answer.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
need python3
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
# Questions that look alike, and programs that take one key.
cat >"$dir/next.py" <<'END'
import os, sys, termios, time, tty
tty.setcbreak(0)
log = open(sys.argv[1], "a", buffering=1)
def show(text):
    os.write(1, text.encode())
def menu(name, above, marked):
    show("\x1b[2J\x1b[H" + above + "\r\n\r\nProceed?\r\n\r\n")
    for i, choice in enumerate(["Yes", "Always", "No"]):
        show(f"{'❯' if i == marked else ' '} {i + 1}. {choice}\r\n")
    show("\r\nEsc to cancel")
    while True:
        key = os.read(0, 1)
        if key == b"\n" or key in (b"1", b"2", b"3"):
            return log.write(f"{name} {key.decode().strip() or 'Enter'}\n")
def one_key(name, text):
    show(text)
    key = os.read(0, 1)
    show(key.decode().strip())
    log.write(f"{name} {key.decode().strip() or 'Enter'}\n")
    time.sleep(0.5)
while True:
    show("\x1b[2J\x1b[H> ")
    line = b""
    while not line.endswith(b"\n"):
        key = os.read(0, 1)
        show("" if key == b"\n" else key.decode())
        line += key
    time.sleep(0.2)
    kind = line.decode().strip()
    if kind == "same":
        menu("A", "Bash(ls)", 0)
        menu("B", "Bash(ls)", 0)
    elif kind == "above":
        menu("A", "Bash(ls)", 0)
        menu("B", "Bash(rm)", 0)
    elif kind == "keys":
        show("\x1b[2J\x1b[H")
        one_key("A", "Overwrite? [Y/n] ")
        one_key("B", "\r\nDelete? [Y/n] ")
    elif kind == "goes":
        marked = 0
        while marked == 0:
            show("\x1b[2J\x1b[HBash(ls)\r\n\r\nProceed?\r\n\r\n")
            for i, choice in enumerate(["Yes", "Always", "No"]):
                show(f"{'❯' if i == marked else ' '} {i + 1}. {choice}\r\n")
            if os.read(0, 1) == b"2":
                marked = 1
        show("\x1b[5;1H \x1b[6;1H❯")
        time.sleep(0.15)
        log.write("it went\n")
    elif kind == "other":
        show("\x1b[2J\x1b[HBash(ls)\r\n\r\nProceed?\r\n\r\n❯ 1. Yes\r\n  2. No\r\n")
        os.read(0, 1)
        show("\x1b[2J\x1b[HBash(rm)\r\n\r\nProceed?\r\n\r\n  1. Yes\r\n❯ 2. No\r\n")
        log.write(f"other {os.read(0, 1).decode()}\n")
    elif kind == "prompt":
        show("\x1b[2J\x1b[HBash(ls)\r\n\r\nProceed?\r\n\r\n❯ 1. Yes\r\n  2. No\r\n")
        show("\x1b[2J\x1b[H> " + os.read(0, 1).decode())
        log.write(f"prompt {os.read(0, 1).decode()}\n")
    elif kind == "words":
        show("\x1b[2J\x1b[HProceed?\r\n\r\n❯ Yes\r\n  No\r\n\r\nGo on? ")
        while os.read(0, 1) != b"\n":
            pass
        log.write("words Enter\n")
END
call ensure_agent "$(jq -nc --arg command "exec python3 $dir/next.py $dir/next.log" '{name: "next", $command}')"
state() {
	call list_agents '{}'
	field '.result.agents[] | select(.agent == "next") | .state'
}
go() { # go KIND: a task that asks, in $pane; id is that of its question
	call send_task "{\"agent\":\"next\",\"text\":\"$1\",\"timeout_sec\":60}"
	id=$(field .result.question_id) pane=$(field .result.pane)
	: >"$dir/next.log"
}
go same
first=$id
respond next '{"choice":1}'
is 'the same menu again: one key alone' "$(cat "$dir/next.log")" 'A Enter'
respond next '{"choice":1}'
is 'the id is not good for it' "$(field .error.data.kind)" not_ready
is 'so it has no answer' "$(cat "$dir/next.log")" 'A Enter'
id=$(field .error.data.question_id)
is 'but an id of its own' "$([ "$id" != "$first" ] && echo yes)" yes
respond next '{"choice":3}'
is 'which is answered' "$(tail -n 1 "$dir/next.log")" 'B 3'
go above
t send-keys -t "$pane" 3
until_is 'a person answers' 'A 3' cat "$dir/next.log"
respond next '{"choice":1}'
is 'a menu about another command is another question' "$(field .error.data.kind)" not_ready
is 'which has no answer' "$(cat "$dir/next.log")" 'A 3'
id=$(field .error.data.question_id)
respond next '{"choice":2}'
is 'until it is answered' "$(tail -n 1 "$dir/next.log")" 'B 2'
go keys
respond next '{"text":"n"}'
is 'a program that takes one key' "$(seen)" 'question Delete? [Y/n]'
is 'gets no Enter for what it asks next' "$(cat "$dir/next.log")" 'A n'
id=$(field .result.question_id)
respond next '{"text":"y"}'
is 'which is asked for by itself' "$(tail -n 1 "$dir/next.log")" 'B y'
go goes
respond next '{"choice":2}'
is 'a menu that marks, and goes before Enter, is not answered' "$(field .error.data.kind) $(cat "$dir/next.log")" 'not_ready it went'
go other
respond next '{"choice":2}'
is 'nor is one whose number marks a choice of another menu' "$(field .error.data.kind) $(cat "$dir/next.log")" 'not_ready '
t send-keys -t "$pane" x
until_is 'a person answers that' 'other x' cat "$dir/next.log"
until_is 'and it is at its prompt' ready state
go prompt
respond next '{"choice":2}'
is 'or one whose number stands at a prompt' "$(field .error.data.kind) $(cat "$dir/next.log")" 'not_ready '
t send-keys -t "$pane" x
until_is 'a person goes on there' 'prompt x' cat "$dir/next.log"
go words
respond next '{"text":"No"}'
is 'an answer that is not shown gets no Enter' "$(field .error.data.kind) $(cat "$dir/next.log")" 'not_ready '

done_testing
