#!/bin/sh
# SPDX-License-Identifier: ISC
# A line that is typed at a prompt of few columns and rows: it wraps over more rows than are seen. Each notice
# comes once, and no draft is sent. The stub draws the boxes of Gemini CLI and opencode; the real agents:
# MUXBUS_AGENT_NARROW in tests/agents.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
need python3
daemon_options='-o ack_wait_ms=500'
start 'exec sh'
cat >"$dir/gemini" <<'END'
#!/usr/bin/env python3
# NAME LOG: has the box of the agent that it is named for, and logs what Enter sends.
import os, sys, tty
tty.setraw(0)
columns, lines = os.get_terminal_size()
is_boxed = os.path.basename(sys.argv[0]) == "opencode" # a box of its own that scrolls
said, text = ["Hello, what is to be done?"], ""
def rows(width):
    found = []
    for one in text.split("\n"):
        found += [one[at:at + width] for at in range(0, max(len(one), 1), width)]
    if len(text.split("\n")[-1]) == 0 or len(found[-1]) < width:
        return found
    return found + [""]
def draw():
    if is_boxed:
        parts = rows(columns - 6)[-5:]
        box = ["  ┃"] + ["  ┃  " + row for row in parts] + ["  ┃"] + ["  ┃  " + "Build · model"[at:at + columns - 8] for at in (0, columns - 8)]
        box += ["  ╹" + "▀" * (columns - 3)]
    else:
        parts = rows(columns - 6)
        box = ["▄" * columns] + [(" > " if at == 0 else "   ") + row for at, row in enumerate(parts)]
        box += ["▀" * columns, " sandbox", " no sandbox"]
        if text == "":
            box[1] += "\033[90m" + "  Type your message or @path/to/file"[:columns - 6] + "\033[39m"
    screen = (said + [""] * lines + box)[-lines:]
    column = (6 if is_boxed else 4) + len(parts[-1])
    os.write(1, ("\033[H\033[J" + "\r\n".join(screen) + f"\033[{lines - 3 - is_boxed};{column}H").encode())
if is_boxed:
    os.write(1, b"\033[?1049h")
draw()
while piece := os.read(0, 4096).decode(errors="replace"):
    for key in piece:
        if key == "\r":
            with open(sys.argv[1], "a") as log:
                log.write(text.replace("\n", "/") + "\n")
            said, text = said + ["I heard that."], ""
        else:
            text = text[:-1] if key == "\x7f" else text + key
    draw()
END
chmod +x "$dir/gemini"
ln -s gemini "$dir/opencode"
heard() { grep -c -F -e "$1" "$log" || :; }
state() { ask "{\"method\":\"list_notifications\"}" | jq -r ".result.notifications[] | select(.id == \"$1\") | \"\(.state) \(.delivery.reason // \"\" | sub(\":.*\"; \"\"))\""; }
post() { ask "$(jq -nc --arg pane "$pane" --arg text "$1" '{method: "post_notification", params: {$pane, $text}}')" | jq -r .result.id; }

for agent in gemini opencode; do
	for size in 20x10 15x10; do
		log=$dir/heard.$agent.$size
		: >"$log"
		pane=$(t new-window -d -P -F '#{pane_id}' -t main: 'exec sh')
		t resize-window -t "$pane" -x "${size%x*}" -y "${size#*x}"
		t respawn-pane -k -t "$pane" "exec $dir/$agent $log"
		until_is "$agent of $size" 1 sh -c "tmux -S '$dir/tmux' capture-pane -p -t '$pane' | grep -c '▀▀▀' || :"
		call ensure_agent "{\"pane\":\"$pane\",\"startup_timeout_sec\":3}"
		id=$(post 'a reminder with many words, which is more than the box of that agent has room for')
		until_is 'has a notice' 'delivered ' state "$id"
		is 'once' "$(heard "$id")" 1
		# A person's draft, whose begin is out of sight.
		t send-keys -t "$pane" -l 'my own words, which nobody is to send but me, and which take some rows too, so that they begin out of sight, as those of the notice do'
		id=$(post 'a reminder')
		until_is 'a draft is seen' 'queued there is something on the prompt line' state "$id"
		t send-keys -t "$pane" C-j
		other=$(post 'another one')
		sleep 3 # longer than a prompt must rest before it is typed at
		is 'and behind a line of its own' "$(state "$other" | cut -d ' ' -f 1)" queued
		is 'it is not sent' "$(heard 'my own words')" 0
		t send-keys -t "$pane" -N 200 BSpace
		until_is 'behind it the notice comes' 1 heard "$id"
		until_is 'and the other' 1 heard "$other"
		t kill-pane -t "$pane"
	done
done
is 'none came twice' "$(cat "$dir"/heard.* | grep -c .)" "$(cat "$dir"/heard.* | sort -u | grep -c .)"
done_testing
