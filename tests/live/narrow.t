#!/bin/sh
# SPDX-License-Identifier: ISC
# A line that is typed at a prompt of few columns and rows: it wraps over more rows than are seen. Each notice
# comes once, and no draft is sent. The stub draws the boxes of Gemini CLI, opencode and Qwen Code; the real agents:
# MUXBUS_AGENT_NARROW in tests/agents.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
need python3
MUXBUS_TEST_ATTACH=${MUXBUS_TEST_ATTACH:-used}
daemon_options='-o ack_wait_ms=500'
start 'exec sh'
cat >"$dir/gemini" <<'END'
#!/usr/bin/env python3
# NAME LOG: has the box of the agent that it is named for, and logs what Enter sends. It reads no further while
# LOG.hold exists: after so many keys as that says, or after "text" or "enter". While LOG.rows exists, Enter begins a row.
import os, select, signal, sys, textwrap, time, tty
tty.setraw(0)
columns, lines = os.get_terminal_size()
name = os.path.basename(sys.argv[0])
is_boxed = name == "opencode" # a box of its own that scrolls
hint = "Type your message or @path/to/file"
said, text, at, keys = ["Hello, what is to be done?"], "", 0, 0
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
    elif name == "qwen": # its placeholder wraps, in a colour
        parts = rows(columns - 4)
        shown = textwrap.wrap(hint, columns - 4) if text == "" else parts
        colour = "\033[38;2;108;112;134m" if text == "" else ""
        box = ["─" * columns] + [("> " if at == 0 else "  ") + colour + row + "\033[39m" for at, row in enumerate(shown)]
        box += ["─" * columns, "  ➜ p", "  ? for help"]
    else:
        parts = rows(columns - 6)
        box = ["▄" * columns] + [(" > " if at == 0 else "   ") + row for at, row in enumerate(parts)]
        box += ["▀" * columns, " sandbox", " no sandbox"]
        if text == "":
            box[1] += "\033[90m" + f"  {hint}"[:columns - 6] + "\033[39m"
    screen = (said + [""] * lines + box)[-lines:]
    column = {"opencode": 6, "qwen": 3}.get(name, 4) + len(parts[-1])
    row = lines - 3 - is_boxed - (len(shown) - len(parts) if name == "qwen" else 0)
    os.write(1, ("\033[H\033[J" + "\r\n".join(screen) + f"\033[{row};{column}H").encode())
if is_boxed:
    os.write(1, b"\033[?1049h")
draw()
def resized(*_):
    global columns, lines
    columns, lines = os.get_terminal_size()
    draw()
signal.signal(signal.SIGWINCH, resized)
def hold(point):
    try:
        if open(sys.argv[1] + ".hold").read().strip() != str(point):
            return
    except OSError:
        return
    os.write(1, b"\033]2;held\007")
    while os.path.exists(sys.argv[1] + ".hold"):
        time.sleep(0.01)
    os.write(1, b"\033]2;\007")
piece = b""
while byte := os.read(0, 1):
    piece += byte
    if piece[:1] == b"\033" and byte not in b"~ABCDFH":
        continue
    try:
        key = piece.decode()
    except UnicodeDecodeError:
        continue
    piece = b""
    keys += 1
    if key == "\r" and os.path.exists(sys.argv[1] + ".rows"):
        key = "\n"
        os.write(1, b"\033]2;row\007")
    if key == "\r":
        with open(sys.argv[1], "a") as log:
            log.write(text.replace("\n", "/") + "\n")
        hold("enter")
        said, text, at, keys = said + ["I heard that."], "", 0, 0
    elif key == "\033[1~": # to the begin of the row, then to the row above
        at = max(at - 1, 0) // (columns - 6) * (columns - 6)
    elif key == "\033[3~":
        text = text[:at] + text[at + 1:]
    elif key == "\033[4~":
        at = len(text)
    elif key in "\x01\x05":
        at = 0 if key == "\x01" else len(text)
    elif key == "\x7f":
        text, at = text[:max(at - 1, 0)] + text[at:], max(at - 1, 0)
    else:
        text, at = text[:at] + key + text[at:], at + 1
    is_all = not select.select([0], [], [], 0)[0]
    if is_all or keys < 200:
        draw()
    if key != "\r":
        hold(keys)
        if is_all and keys > 20:
            hold("text")
END
chmod +x "$dir/gemini"
ln -s gemini "$dir/opencode"
ln -s gemini "$dir/qwen"
heard() { grep -c -F -e "$1" "$log" || :; }
state() { ask "{\"method\":\"list_notifications\"}" | jq -r ".result.notifications[] | select(.id == \"$1\") | \"\(.state) \(.delivery.reason // \"\" | sub(\":.*\"; \"\"))\""; }
post() { ask "$(jq -nc --arg pane "$pane" --arg text "$1" '{method: "post_notification", params: {$pane, $text}}')" | jq -r .result.id; }

for agent in gemini opencode qwen; do
	for size in 20x10 15x10; do
		log=$dir/heard.$agent.$size
		: >"$log"
		pane=$(t new-window -d -P -F '#{pane_id}' -t main: 'exec sh')
		t resize-window -t "$pane" -x "${size%x*}" -y "${size#*x}"
		t respawn-pane -k -t "$pane" "exec $dir/$agent $log"
		until_is "$agent of $size" 1 sh -c "tmux -S '$dir/tmux' capture-pane -p -t '$pane' | grep -c -m 1 '▀▀▀\|───' || :"
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
# kill -9 of the daemon: before it types, while the program reads, before Enter, and before the line has left.
long='a reminder with many words, which is more than the box of that agent has room for'
open_agent() { # open_agent NAME COLUMNSxROWS: in a pane of that size, with a log of its own
	log=$dir/heard.$1.killed
	: >>"$log"
	pane=$(t new-window -d -P -F '#{pane_id}' -t main: 'exec sh')
	t resize-window -t "$pane" -x "${2%x*}" -y "${2#*x}"
	t respawn-pane -k -t "$pane" "exec $dir/$1 $log"
	until_is "$1" 1 sh -c "tmux -S '$dir/tmux' capture-pane -p -t '$pane' | grep -c '▀▀▀' || :"
	call ensure_agent "{\"pane\":\"$pane\",\"startup_timeout_sec\":3}"
}
end_daemon() { # end_daemon TITLE: by kill -9, when the program shows that title
	until_is "kill -9: $1" "$1" t display-message -p -t "$pane" '#{pane_title}'
	kill -9 "$daemon_pid"
	wait "$daemon_pid" 2>/dev/null
}
hold() { # hold POINT: posts a notice, and ends the daemon when the program has read so much of it
	echo "$1" >"$log.hold"
	id=$(post "$long")
	end_daemon held
}
release() {
	rm "$log.hold"
	until_is 'all is read' '' t display-message -p -t "$pane" '#{pane_title}'
}
type_elsewhere() { # a person comes, presses a key in another window, and leaves
	tmux -S "$dir/outer" -f /dev/null new-session -d -x 30 -y 12 "exec env -u TMUX TERM=screen tmux -S $dir/tmux attach -t =main"
	until_is 'a person comes' 1 sh -c "tmux -S $dir/tmux list-clients -F '#{client_control_mode}' | grep -c -x 0 || :"
	before=$(t display-message -p -t main: '#{session_activity}')
	until_is 'and types elsewhere' more sh -c "tmux -S '$dir/outer' send-keys C-u; [ \$(tmux -S '$dir/tmux' display-message -p -t main: '#{session_activity}') -le $before ] || echo more"
	tmux -S "$dir/outer" kill-server
}
# With attach=always, the attach of the next daemon counts as a key of a person: all of the line must be in sight.
enlarge() { [ "$MUXBUS_TEST_ATTACH" != always ] || t resize-window -t "$pane" -x 80 -y 30; }
shrink() { [ "$MUXBUS_TEST_ATTACH" != always ] || t resize-window -t "$pane" -x 20 -y 10; }
is_left() { # is_left: it is not typed again, and Enter is not pressed
	[ "$MUXBUS_TEST_ATTACH" = always ] || return 0
	until_is 'the line is left as it is' 'queued there is something on the prompt line' state "$id"
	is 'and not sent' "$(heard "$id")" 0
}
for agent in gemini opencode; do
	open_agent $agent 20x10
	id=$(post "$long")
	kill_daemon
	until_is "$agent, killed before typing: has a notice" 'delivered ' state "$id"
	is 'once' "$(heard "$id")" 1
	for point in 1 60 150 text enter; do
		hold $point
		start_daemon
		[ $point = enter ] && sleep 1 # longer than until another Enter would follow
		rm "$log.hold"
		[ $point = 60 ] && is_left
		enlarge
		until_is "$agent, killed after $point: has a notice" 'delivered ' state "$id"
		is 'once' "$(heard "$id")" 1
		shrink
	done

	# The next daemon presses Enter, and is killed before the line has left.
	hold text
	release
	echo enter >"$log.hold"
	start_daemon
	enlarge
	end_daemon held
	start_daemon
	sleep 1 # longer than until another Enter would follow
	rm "$log.hold"
	until_is 'killed twice: has a notice' 'delivered ' state "$id"
	is 'once' "$(heard "$id")" 1
	shrink

	# Words behind the line, whose begin is out of sight.
	hold 150
	release
	t send-keys -t "$pane" -l ' and my own words'
	start_daemon
	until_is 'words behind the line: it waits' 'queued there is something on the prompt line' state "$id"
	is 'and is not sent' "$(heard "$id")" 0
	t send-keys -t "$pane" -N 17 BSpace
	enlarge
	until_is 'without these words it is' 'delivered ' state "$id"
	is 'once' "$(heard "$id") $(heard 'my own')" '1 0'
	shrink

	# A person who types before the line, out of sight, and leaves.
	hold 150
	release
	before=$(t capture-pane -p -t "$pane")
	tmux -S "$dir/outer" -f /dev/null new-session -d -x 30 -y 12 "exec env -u TMUX TERM=screen tmux -S $dir/tmux attach -t =main"
	until_is 'a person comes' 1 sh -c "tmux -S $dir/tmux list-clients -F '#{client_control_mode}' | grep -c -x 0 || :"
	t select-window -t "$pane"
	tmux -S "$dir/outer" send-keys C-a 'mine ' C-e
	until_is 'and types' no sh -c "[ \"\$(tmux -S '$dir/tmux' capture-pane -p -t '$pane')\" = '$before' ] || echo no"
	t select-window -t main:0
	tmux -S "$dir/outer" kill-server
	start_daemon
	until_is 'the line is left to them' 'queued there is something on the prompt line' state "$id"
	sleep 2 # longer than it takes to press Enter
	is 'and not sent' "$(heard "$id")" 0
	t send-keys -t "$pane" -N 300 BSpace
	until_is 'behind it the notice comes' 'delivered ' state "$id"
	is 'once' "$(heard "$id") $(heard mine)" '1 0'

	# A person who types elsewhere while no daemon runs: all of the line must be in sight.
	hold 150
	release
	type_elsewhere
	start_daemon
	until_is 'the line waits' 'queued there is something on the prompt line' state "$id"
	t resize-window -t "$pane" -x 80 -y 30
	until_is 'until all of it is in sight' 'delivered ' state "$id"
	is 'once' "$(heard "$id")" 1
	t resize-window -t "$pane" -x 20 -y 10

	# The same, but Enter was pressed.
	hold enter
	type_elsewhere
	start_daemon
	until_is 'a line behind which Enter was pressed waits' 'queued there is something on the prompt line' state "$id"
	rm "$log.hold"
	until_is 'until it has left' 'delivered ' state "$id"
	is 'once' "$(heard "$id")" 1
	t kill-pane -t "$pane"
done
# A person who types in another window, while a slow program takes the line: its end is enough.
open_agent gemini 20x10
tmux -S "$dir/outer" -f /dev/null new-session -d -x 30 -y 12 "exec env -u TMUX TERM=screen tmux -S $dir/tmux attach -t =main"
until_is 'a person comes' 1 sh -c "tmux -S $dir/tmux list-clients -F '#{client_control_mode}' | grep -c -x 0 || :"
echo 60 >"$log.hold"
id=$(post "$long")
until_is 'a slow program' held t display-message -p -t "$pane" '#{pane_title}'
for key in 1 2 3 4; do
	sleep 0.8 # together longer than the daemon goes by the time alone
	tmux -S "$dir/outer" send-keys C-u
done
rm "$log.hold"
until_is 'a person types elsewhere: has a notice' 'delivered ' state "$id"
is 'once' "$(heard "$id")" 1
# The same, but they come to this window, type before the line, and leave.
echo 60 >"$log.hold"
id=$(post "$long")
until_is 'a slow program' held t display-message -p -t "$pane" '#{pane_title}'
t select-window -t "$pane"
tmux -S "$dir/outer" send-keys C-a 'mine ' C-e
sleep 1.5 # longer than between two looks for a person
t select-window -t main:0
release
sleep 3 # longer than it takes to press Enter
is 'a person has typed before it: not sent' "$(heard "$id") $(heard mine)" '0 0'
t send-keys -t "$pane" -N 300 BSpace
until_is 'behind it the notice comes' 'delivered ' state "$id"
is 'once' "$(heard "$id") $(heard mine)" '1 0'
tmux -S "$dir/outer" kill-server
t kill-pane -t "$pane"
# A person who begins to type in a pane of few columns, behind a line of many rows: it is taken back.
echo 'gemini edits yes' >>"$dir/.config/muxbus/agents"
kill_daemon
open_agent gemini 16x40
tmux -S "$dir/outer" -f /dev/null new-session -d -x 30 -y 42 "exec env -u TMUX TERM=screen tmux -S $dir/tmux attach -t =main"
until_is 'a person comes' 1 sh -c "tmux -S $dir/tmux list-clients -F '#{client_control_mode}' | grep -c -x 0 || :"
t select-window -t "$pane"
echo 60 >"$log.hold"
id=$(post "$long")
until_is 'it is not typed while they have been here' 'queued a person is typing' state "$id"
until_is 'then it is typed' held t display-message -p -t "$pane" '#{pane_title}'
before=$(t display-message -p -t main: '#{session_activity}')
tmux -S "$dir/outer" send-keys -l 'my words'
until_is 'a person types' more sh -c "[ \$(tmux -S '$dir/tmux' display-message -p -t main: '#{session_activity}') -le $before ] || echo more"
rm "$log.hold"
until_is 'the line is taken back' 'queued a person began to type' state "$id"
until_is 'and all of the words stay' ' > my words' sh -c "tmux -S '$dir/tmux' capture-pane -p -t '$pane' | grep words"
tmux -S "$dir/outer" kill-server
t select-window -t main:0
t send-keys -t "$pane" -N 8 BSpace
until_is 'behind them the notice comes' 'delivered ' state "$id"
is 'once' "$(heard "$id") $(heard 'my words')" '1 0'
# So is a text that is pasted, as it has a character that is a shortcut to some agents.
tmux -S "$dir/outer" -f /dev/null new-session -d -x 30 -y 42 "exec env -u TMUX TERM=screen tmux -S $dir/tmux attach -t =main"
until_is 'a person comes once more' 1 sh -c "tmux -S $dir/tmux list-clients -F '#{client_control_mode}' | grep -c -x 0 || :"
t select-window -t "$pane"
echo 60 >"$log.hold"
call self_command "{\"pane\":\"$pane\",\"command\":\"/say what? $(printf %060d 7)\"}"
until_is 'a command is pasted' held t display-message -p -t "$pane" '#{pane_title}'
before=$(t display-message -p -t main: '#{session_activity}')
tmux -S "$dir/outer" send-keys -l 'my words'
until_is 'they type' more sh -c "[ \$(tmux -S '$dir/tmux' display-message -p -t main: '#{session_activity}') -le $before ] || echo more"
rm "$log.hold"
until_is 'the command is taken back, and the words stay' ' > my words' sh -c "tmux -S '$dir/tmux' capture-pane -p -t '$pane' | grep words"
tmux -S "$dir/outer" kill-server
t select-window -t main:0
t send-keys -t "$pane" -N 8 BSpace
until_is 'behind them the command comes' 1 heard '/say what?'
is 'without the words' "$(heard 'my words')" 0
# Taken back when Enter was refused, as the pane was in a mode: the next daemon does not take it for submitted.
tmux -S "$dir/outer" -f /dev/null new-session -d -x 30 -y 42 "exec env -u TMUX TERM=screen tmux -S $dir/tmux attach -t =main"
until_is 'a person comes again' 1 sh -c "tmux -S $dir/tmux list-clients -F '#{client_control_mode}' | grep -c -x 0 || :"
t select-window -t "$pane"
echo 60 >"$log.hold"
id=$(post "$long")
until_is 'it is typed again' held t display-message -p -t "$pane" '#{pane_title}'
entered() { cat "$dir"/muxbus/*/journal* | grep -a -o -F '"entered":true' | grep -c .; }
is_refused() { [ "$(entered)" -le "$before" ] || echo yes; }
before=$(entered)
t copy-mode -t "$pane"
rm "$log.hold"
until_is 'Enter is refused' yes is_refused
tmux -S "$dir/outer" send-keys q 'my words'
until_is 'the line is taken back again' 'queued a person began to type' state "$id"
kill -9 "$daemon_pid"
wait "$daemon_pid" 2>/dev/null
tmux -S "$dir/outer" kill-server
t select-window -t main:0
delete_and_start() {
	t send-keys -t "$pane" -N 200 BSpace
	until_is 'the prompt is empty' 1 sh -c "tmux -S '$dir/tmux' capture-pane -p -t '$pane' | grep -c 'Type you'"
	start_daemon
	until_is 'the next daemon types it' 'delivered ' state "$id"
	is 'once' "$(heard "$id")" 1
}
delete_and_start
# The daemon is killed when Enter was refused, and a person deletes the line.
echo 60 >"$log.hold"
id=$(post "$long")
until_is 'another one is typed' held t display-message -p -t "$pane" '#{pane_title}'
before=$(entered)
t copy-mode -t "$pane"
rm "$log.hold"
until_is 'Enter is refused' yes is_refused
sleep 0.2 # until tmux has answered
kill -9 "$daemon_pid"
wait "$daemon_pid" 2>/dev/null
t send-keys -t "$pane" -X cancel
delete_and_start
# Enter made a row of the line. The next daemon sees a draft, and is killed; then a person deletes that.
: >"$log.rows"
id=$(post "$long")
end_daemon row
rm "$log.rows"
t send-keys -t "$pane" -l 'my words'
start_daemon
until_is 'a draft is seen' 'queued there is something on the prompt line' state "$id"
kill -9 "$daemon_pid"
wait "$daemon_pid" 2>/dev/null
delete_and_start
is 'none came twice' "$(cat "$dir"/heard.* | grep -c .)" "$(cat "$dir"/heard.* | sort -u | grep -c .)"
done_testing
