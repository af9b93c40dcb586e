#!/bin/sh
# SPDX-License-Identifier: ISC
# opencode makes a new line of an Enter while it loads, and draws its screen anew: the text is gone
# for a moment, and stands there again. It is submitted by the next Enter, or not at all.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
need python3
start 'exec sh'
cat >"$dir/opencode" <<'END'
"""Draws opencode's prompt; the first COUNT Enters are new lines."""
import os, sys, time, tty

count, log = int(sys.argv[1]), open(sys.argv[2], "a", buffering=1)
tty.setraw(0)
lines, said = [""], ""

def put(text):
    sys.stdout.write(text)
    sys.stdout.flush()

def draw():
    rows = lines if lines != [""] else ['Ask anything... "x"']
    put("\x1b[?1049h\x1b[H\x1b[2J" + said + "\r\n" * 14 + "  ┃\r\n" + "".join(f"  ┃  {row}\r\n" for row in rows)
        + "  ┃\r\n  ┃  Build  model\r\n  ╹" + "▀" * 40 + "\r\n     tab agents  ctrl+p commands"
        + f"\x1b[{15 + len(rows)};{6 + (len(lines[-1]) if lines != [''] else 0)}H")

draw()
while True:
    for key in os.read(0, 4096).decode():
        if key == "\r" and count > 0:
            count -= 1
            lines.append("")
            put("\x1b[H\x1b[2J\x1b[29;3H")
            time.sleep(0.4)
        elif key == "\r":
            log.write("\n".join(lines).strip() + "\n")
            said, lines = "  ┃  " + lines[0], [""]
        elif key == "\x7f":
            lines[-1] = lines[-1][:-1]
        elif key >= " ":
            lines[-1] += key
    draw()
END
# enters COUNT: how the task goes if the first Enters are new lines, and the prompts it got.
enters() {
	: >"$dir/got"
	pane=$(t new-window -dP -F '#{pane_id}' "exec python3 $dir/opencode $1 $dir/got")
	t resize-window -t "$pane" -x 100 -y 30
	until_is "$1: it is drawn" Build sh -c "tmux -S $dir/tmux capture-pane -p -t $pane | grep -o Build || :"
	call ensure_agent "$(jq -nc --arg pane "$pane" '{$pane}')"
	agent=$(field .result.agent)
	call send_task "$(jq -nc --arg agent "$agent" '{$agent, text: "One line.", timeout_sec: 20, progress: false}')"
}
for count in 0 1 2; do
	enters $count
	is "$count: the task ends" "$(field .result.outcome)" ready
	is "$count: it is submitted once" "$(cat "$dir/got")" 'One line.'
done
enters 9
is '9: it says that Enter did not submit it' "$(field .error.message | grep -o 'Enter did not submit it')" \
	'Enter did not submit it'
is '9: it is not submitted' "$(cat "$dir/got")" ''
done_testing
