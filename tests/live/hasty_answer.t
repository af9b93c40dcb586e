#!/bin/sh
# SPDX-License-Identifier: ISC
# A person answers a question at the moment when one look has seen it and no other has agreed:
# nothing is typed behind what they have begun.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
need python3
start 'exec sh'
cat >"$dir/hasty" <<'EOF'
import json, socket, subprocess, sys

path, tmux, row = sys.argv[1:4]
sock = socket.socket(socket.AF_UNIX)
sock.connect(path)
lines = sock.makefile("rw")


def ask(method, **params):
    lines.write(json.dumps({"id": 1, "method": method, "params": params}) + "\n")
    lines.flush()
    return next(m["result"] for m in map(json.loads, lines) if m.get("id") == 1)


ask("send_task", agent="asks", text=f'x = input("{row}")', wait=False)
seen = {}
while seen.get("row") != row or seen.get("reads") != "yes":
    agent = ask("list_agents")["agents"][0]
    seen = agent.get("evidence", {})
subprocess.run(["tmux", "-S", tmux, "send-keys", "-t", agent["pane"], "-l", "n"], check=True)
EOF
agent() {
	ask '{"method":"list_agents"}' | jq -r ".result.agents[0]$1"
}
shown() { # of the answer, behind the question
	t capture-pane -p -t "$pane" | grep -c "^Name $at, please $1\$" || :
}
call ensure_agent '{"name":"asks","command":["python3","-q"],"env":{"PYTHON_BASIC_REPL":"1"}}'
pane=$(agent .pane)
for at in 1 2 3 4 5 6; do
	timeout 60 python3 "$dir/hasty" "$MUXBUS" "$dir/tmux" "Name $at, please "
	is 'a person begins an answer as soon as a question is seen' "$?" 0
	until_is 'it is shown' 1 shown n
	call respond '{"agent":"asks","text":"yes","timeout_sec":60}'
	is 'an answer of somebody else is refused' "$(field '.error.data.kind // .result.outcome')" not_ready
	is 'and not typed behind it' "$(shown n)" 1
	t send-keys -t "$pane" Enter
	until_is 'the person answers' ready agent .state
done
done_testing
