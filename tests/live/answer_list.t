#!/bin/sh
# SPDX-License-Identifier: ISC
# An agent's answer may look like a menu, or end with a question. Over the prompt of a known agent
# that keeps nobody from typing; a dialog of the agent does, and gets no key.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
need python3
start 'exec sh'

cat >"$dir/claude" <<'END'
#!/usr/bin/env python3
import os, sys, tty
tty.setraw(0)
log = open(sys.argv[1], "a", buffering=1)
RULE = "─" * 60
ANSWERS = {"list": "● Two ways:\n\n❯ 1. Yes, and remove it\n  2. No\n\nDo you want to proceed?",
           "busy": "● Press Esc to cancel, esc to interrupt."}
def show(answer, line):
    rows = f"\x1b[2J\x1b[H{answer}\n\n✻ Worked for 3s\n\n{RULE}\n❯ {line}\n{RULE}\n  ? for shortcuts\x1b[2A\r\x1b[{2 + len(line)}C"
    os.write(1, rows.replace("\n", "\r\n").encode())
answer = rest = ""
while True:
    line = enter = ""
    show(answer, line)
    while not enter:
        keys = rest or os.read(0, 4096).decode()
        text, enter, rest = keys.replace("\n", "\r").partition("\r")
        line += text.replace("\x1b[200~", "").replace("\x1b[201~", "")
        show(answer, line)
    log.write(line + "\n")
    answer = ANSWERS.get(line, "● Done.")
    if line == "dialog":
        os.write(1, "\x1b[2J\x1b[HDo you want to proceed?\r\n\r\n ❯ Yes\r\n   No\r\n\r\n Esc to cancel\r\n".encode())
        log.write(f"key {os.read(0, 4096)!r}\n")
END
chmod +x "$dir/claude"

task() { # task TEXT: the outcome, or the kind of the error
	call send_task "{\"agent\":\"kept\",\"text\":\"$1\",\"timeout_sec\":60}"
	field 'select(has("id")) | .result.outcome // .error.data.kind' # and no progress
}

# A kept agent.
call ensure_agent "$(jq -nc --arg command "exec $dir/claude $dir/kept.log" '{name: "kept", $command}')"
is 'an agent is ready' "$(field .result.state)" ready
is 'its answer is a list' "$(task list)" ready
is 'and the next task is typed' "$(task busy)" ready
is 'as behind one that speaks of keys' "$(task again)" ready
is 'a dialog is a question' "$(task dialog)" question
is 'which gets no task' "$(task more)" not_ready
is 'and no key' "$(tail -n 1 "$dir/kept.log")" dialog

# One that nobody keeps, with notices.
pane=$(t new-window -d -P -F '#{pane_id}' "exec $dir/claude $dir/pane.log")
: >"$dir/pane.log"
until_is 'another is at its prompt' 1 sh -c "tmux -S $dir/tmux capture-pane -p -t $pane | grep -c '^❯' || :"
notice() {
	ask "$(jq -nc --arg pane "$pane" --arg text "$1" \
		'{method: "post_notification", params: {$pane, $text}}')" >/dev/null
}
lines() {
	grep -c "$1" "$dir/pane.log" || :
}
t send-keys -t "$pane" list
t send-keys -t "$pane" Enter
until_is 'its answer is a list' 1 lines '^list$'
call wait_for "{\"any\":[{\"prompt\":true,\"pane\":\"$pane\"}],\"timeout_sec\":20}"
is 'the wait for its prompt ends' "$(field '.result.matched != null')" true
notice first
until_is 'a notice is typed under it' 1 lines 'first'
t send-keys -t "$pane" dialog
t send-keys -t "$pane" Enter
until_is 'it shows a dialog' 1 lines '^dialog$'
notice second
reason() {
	ask '{"method":"list_notifications","params":{}}' | jq -r '.result.notifications[-1].delivery.reason'
}
until_is 'the next notice waits for its end' 'a choice is offered: a key would answer it' reason
is 'it gets no key' "$(lines '^key')" 0
t send-keys -t "$pane" Enter
until_is 'a person answers' 1 lines '^key'
until_is 'then it is typed' 1 lines 'second'

# It reports that it asks, and a person ends that by Escape, which no agent reports.
call report_agent "{\"agent\":\"claude\",\"pane\":\"$pane\",\"session\":\"one\",\"state\":\"asking\"}"
notice third
until_is 'a notice waits for a question that is reported' 'claude asks a person something' reason
until_is 'for a while' 0 lines 'third'
waited() { tries=0; while [ "$tries" -lt 300 ] && [ "$(lines third)" = 0 ]; do sleep 0.1; tries=$((tries + 1)); done; }
waited
until_is 'until the prompt has been there for 15 s' 1 lines 'third'
done_testing
