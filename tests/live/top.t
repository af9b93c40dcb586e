#!/bin/sh
# SPDX-License-Identifier: ISC
# muxbus top in a real terminal: its screen at each size, its keys, and a restored terminal after
# every kind of end.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
start 'PS1="ready\$ " exec sh'
muxbus="$MUXBUS_BUILDDIR/muxbus -S $dir/tmux"
[ -x "$MUXBUS_BUILDDIR/muxbus" ] || skip_all 'muxbus is not built'

screen() { # the screen of top's pane
	t capture-pane -p -t main:0.0
}
shows() { # shows TEXT: whether it does
	screen | grep -q -F -- "$1" && echo yes || echo no
}
chosen() {
	screen | sed -n 's/^> \([^ ]*\).*/\1/p'
}
waits_for() { # waits_for NAME TEXT: until top shows it
	until_is "$1" yes shows "$2"
}
key() {
	t send-keys -t main:0.0 "$@"
}
state() { # of the terminal: alternate screen, cursor, wrapping, mouse
	t display-message -p -t main:0.0 '#{alternate_on}#{cursor_flag}#{wrap_flag}#{mouse_any_flag}'
}
modes() { # of the line discipline
	stty -a <"$tty" | tr '\n' ' '
}
ask_all() { # the lines of standard input
	socat -t 60 - "UNIX-CONNECT:$MUXBUS"
}
tty=$(t list-panes -t main:0.0 -F '#{pane_tty}')

# In a pipe it is JSON, once.
$muxbus top >"$dir/snapshot" </dev/null
is 'in a pipe it is one line of JSON' "$(wc -l <"$dir/snapshot") $(jq -r '.panes[0].pane, .status.tmux.state, (.jobs | length)' "$dir/snapshot" | tr '\n' ' ')" '1 %0 live 0 '

# 80 x 24, and another window with some text.
cat >"$dir/long" <<END
echo first line
until [ -e "$dir/more" ]; do sleep 0.1; done
echo second line
exec sleep 1000
END
ask '{"method":"run_long_command","params":{"command":"exec sh '"$dir"'/long","name":"long"}}' >"$dir/answer"
job=$(jq -r .result.id "$dir/answer")
t new-window -d -t main -n other "printf '\\033]2;its title\\033\\\\'; printf 'in the \\033[31mother\\033[0m pane'; exec cat"
until_is 'the shell is ready' yes shows 'ready$'
modes >"$dir/before"
key "$muxbus top; echo status \$?" Enter
waits_for 'the lists are shown' 'Panes 2   Jobs 1   Timers   Watches   Queue'
is 'on the alternate screen, without a cursor' "$(state)" 1001
ok 'the first row names the server' sh -c "$(command -v tmux) -S $dir/tmux capture-pane -p -t main:0.0 | head -n 1 | grep -q '^muxbus tmux  tmux .* 1 session .* ● live\$'"
waits_for 'a pane with its program and title' 'main:1.0'
waits_for 'its title' 'its title'
is 'all 24 rows are used' "$(screen | tail -n 1 | grep -c '? help  q quit')" 1
is 'colours are used' "$(t capture-pane -pe -t main:0.0 | grep -c '36m%0')" 1

# New jobs and notifications appear by themselves.
t rename-window -t main:1 renamed
t new-window -d -t main -n third 'exec cat'
waits_for 'a new pane appears by itself' 'main:2.0'

is 'another pane than its own is chosen' "$(screen | grep -c '^> %1')" 1
row=$(screen | grep -n '^  %2' | cut -d : -f 1)
t send-keys -t main:0.0 -l "$(printf '\033[<0;9;%dM\033[<0;9;%dm' "$row" "$row")"
until_is 'a click chooses' '%2' chosen
t send-keys -t main:0.0 -l "$(printf '\033[<64;9;4M')"
until_is 'the wheel moves' '%0' chosen
key j
until_is 'and j' '%1' chosen
key Down
waits_for 'down chooses the next' '> %2'
key Up
waits_for 'up the last' '> %1'
key c
waits_for 'c shows its screen' 'in the other pane'
key Escape
waits_for 'Esc goes back' '> %1'
key d
waits_for 'd shows all details' 'session_name     main'
key q
waits_for 'q goes back too' 'Panes 3   Jobs 1'
key /
key -l third-is-not
waits_for 'a filter without a match' 'nothing matches "third-is-not"'
key Escape
waits_for 'is cleared' 'main:2.0'

# 200 x 60: the chosen pane is shown below.
t resize-window -t main:0 -x 200 -y 60
waits_for 'a large screen shows the pane too' '── %1 main:1.0'
waits_for 'and its text' 'in the other pane'
is 'all 60 rows are used' "$(screen | wc -l) $(screen | tail -n 1 | grep -c '^↑↓←→ move')" '60 1'
waits_for 'and the path' ' PATH'
t resize-window -t main:0 -x 24 -y 5
size() { # the rows, and the columns of the longest
	echo "$(screen | wc -l) $(screen | wc -L)"
}
until_is 'a tiny screen shows the part that fits' '5 24' size
t resize-window -t main:0 -x 80 -y 24
waits_for 'and back' 'Panes 3   Jobs 1'

# Enter goes to the pane: without a terminal attached, in its session.
current() {
	t display-message -p -t main '#{pane_id}'
}
key Enter
until_is 'Enter makes the pane the current one' %1 current
t select-window -t main:0

# With a terminal attached, there: also to another session.
t new-session -d -s far 'exec cat'
far=$(t list-panes -t far -F '#{pane_id}')
inner=$(command -v tmux)
t new-session -d -s outer "exec env TMUX= '$inner' -S '$dir/tmux' attach -t main"
shown() { # the session on the terminal in the pane of "outer"
	t list-clients -F '#{client_control_mode} #{client_tty} #{session_name}' |
		grep "^0 $(t list-panes -t outer -F '#{pane_tty}') " | cut -d ' ' -f 3
}
until_is 'a terminal is attached' main shown
key /
key -l far:
key Enter
waits_for 'the other session is found' "> $far"
key Enter
until_is 'Enter shows it on the terminal' far shown
t switch-client -c "$(t list-panes -t outer -F '#{pane_tty}')" -t main
until_is 'the terminal shows top again' main shown
key q
until_is 'q ends it' 0110 state
key "$muxbus top --pick" Enter
waits_for '--pick shows the same' '> %1'
t new-window -d -t main -n picked 'exec cat'
waits_for 'with a new pane' 'main:3.0'
key /
key -l main:3
key Enter
key Enter
until_is '--pick goes to the pane' 3 t display-message -p -t main '#{window_index}'
until_is 'and ends' 0110 state
t kill-window -t main:3

# The recipe for fzf, which chooses without a screen here.
if command -v fzf >/dev/null; then
	PATH="$MUXBUS_BUILDDIR:$PATH" TMUX="$dir/tmux,1,0" FZF_DEFAULT_OPTS='--filter=far:0.0' \
		"$MUXBUS_SRCDIR/contrib/tmux/pick" 2>"$dir/error"
	until_is 'contrib/tmux/pick goes to a pane' far shown
else
	ok 'contrib/tmux/pick # SKIP no fzf' true
fi
t kill-session -t outer
t kill-session -t far
t select-window -t main:0
key "$muxbus top; echo status \$?" Enter
waits_for 'top again' 'main:1.0'

# The log of a job grows on the screen. Jobs are stopped, after a question.
key Right
waits_for 'the list of jobs' "$job"
waits_for 'with its state' 'running'
key l
waits_for 'l shows its log' 'first line'
: >"$dir/more"
waits_for 'as it grows' 'second line'
key q
key x
waits_for 'x asks first' "stop $job?"
key n
waits_for 'n refuses' 'nothing was done'
key x
waits_for 'once more' "stop $job?"
key y
waits_for 'y stops the job' 'stopped'

# The queue: an undelivered notification is listed, however many events came after it.
ask '{"method":"post_notification","params":{"text":"of long ago","pane":null}}' >/dev/null
for i in $(seq 1100); do echo '{"method":"post_notification","params":{"text":"taken","pane":null}}'; done | ask_all >"$dir/posted"
jq -c '{method: "ack_notification", params: {seq: .result.seq}}' "$dir/posted" | ask_all >/dev/null
key 5
waits_for 'the queue is listed' 'taken'
key G
waits_for 'with an old one that nobody took' 'of long ago'

# By --host, processes of this machine that have the numbers of those far away are not measured.
printf '#!/bin/sh\nfor command; do :; done\nexec sh -c "$command"\n' >"$dir/ssh"
chmod 755 "$dir/ssh"
lists() { # lists SINCE: how often the daemon has listed panes since then, up to four
	ask '{"method":"get_action_history","params":{"limit":500}}' |
		jq --arg since "$1" '[.result.actions[] | select(.method == "list_panes" and .time > $since)] | [length, 4] | min'
}
busy() {
	screen | grep -q '[0-9]% ' && echo yes || echo no
}
key 1
until_is 'panes here are measured' yes busy
key q
until_is 'q ends it' 0110 state
since=$(ask '{"method":"get_action_history","params":{"limit":1}}' | jq -r '.result.actions[0].time')
key "MUXBUS_SSH=$dir/ssh MUXBUS_REMOTE=$MUXBUS_BUILDDIR/muxbus $MUXBUS_BUILDDIR/muxbus --host far -S $dir/tmux top" Enter
until_is 'panes far away are listed again and again' 4 lists "$since"
is 'and not measured' "$(busy)" no
key q
until_is 'q ends it, too' 0110 state
key "$muxbus top; echo status \$?" Enter
waits_for 'top of this machine again' 'main:1.0'

# The daemon ends, and starts again.
key 1
waits_for 'panes again' 'main:2.0'
kill -9 "$daemon_pid"
wait "$daemon_pid" 2>/dev/null
waits_for 'a lost daemon is reported' '● lost'
start_daemon
waits_for 'and found again' '● live'
t kill-window -t main:2
until_is 'with the changes since' no shows 'main:2.0'

# A hung daemon is reported too, and top does not hang.
kill -STOP "$daemon_pid"
key p p # top asks now: otherwise the next question may come 14 s later on a slow machine
waits_for 'a daemon that does not answer is reported' 'muxbusd does not answer'
key ?
waits_for 'keys still do what they do' 'redraw the screen'
key q
kill -CONT "$daemon_pid"
waits_for 'until it answers' '● live'

# Stopped and continued, as by a person.
key C-z
until_is 'C-z gives the terminal back' 0110 state
key Enter 'fg' Enter
until_is 'fg takes the terminal again' 1001 state
waits_for 'with the whole screen' 'main:1.0'
key q
until_is 'q gives it back' 0110 state
waits_for 'with the shell on it' 'ready$'
modes >"$dir/after"
is 'in the modes that it had' "$(cat "$dir/after")" "$(cat "$dir/before")"

# Signals end it too, and it cleans up.
for signal in TERM HUP SEGV; do
	key C-l
	key "clear; NO_COLOR=1 $muxbus top; echo $signal \$?" Enter
	waits_for "once more, for SIG$signal" 'Panes 2'
	if [ $signal = TERM ]; then
		is 'NO_COLOR is honoured' "$(t capture-pane -pe -t main:0.0 | grep -c '3[1-7]m')" 0
	fi
	pid=$(ps -o pid=,comm= -t "${tty#/dev/}" | awk '$2 == "muxbus" { print $1 }')
	kill -$signal "$pid"
	until_is "SIG$signal gives the terminal back" 0110 state
	until_is 'the shell continues' yes sh -c "$(command -v tmux) -S $dir/tmux capture-pane -p -t main:0.0 | grep -q '^$signal 1[0-9][0-9]\$' && echo yes || echo no"
	modes >"$dir/after"
	is 'in its modes' "$(cat "$dir/after")" "$(cat "$dir/before")"
done

done_testing
