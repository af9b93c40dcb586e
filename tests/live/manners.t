#!/bin/sh
# SPDX-License-Identifier: ISC
# Terminal manners: run on a terminal and in the background, patterns of events, starting a daemon
# and not leaving one, a socket without answers, and a daemon of another version.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
start 'exec sh'
muxbus=$MUXBUS_BUILDDIR/muxbus
pane=$(t list-panes -a -F '#{pane_id}')
mkfifo "$dir/go"

type_line() {
	t send-keys -t "$pane" "clear; $1" Enter
}
screen() { # screen TEXT: on how many lines of the pane, with its escape sequences, that is
	t capture-pane -p -e -t "$pane" | grep -c -F -e "$1" || :
}
job_wrote() { # whether the latest job has written something
	"$muxbus" list_jobs | jq '.jobs[-1].log_bytes > 0'
}
without_daemon() {
	"$muxbus" shutdown >/dev/null
	until_is "$1" gone sh -c "[ -S '$MUXBUS' ] || echo gone"
	daemon_pid=
}
says() { # says NAME STATUS TEXT COMMAND...: the status, and a text in the errors
	say_name=$1 say_status=$2 say_text=$3
	shift 3
	timeout 60 "$@" >"$dir/out" 2>"$dir/err"
	is "$say_name" "$? $(told "$say_text")" "$say_status 1"
}
told() { # told TEXT: on how many lines of the errors that is
	grep -c -F -e "$1" "$dir/err" || :
}
listens() { # listens SOCKET
	grep -c "00010000 .* $1\$" /proc/net/unix || :
}
escape=$(printf '\033')

# A script that asks each socket beside that of tmux for its sessions goes on.

timeout 20 tmux -S "$MUXBUS" list-sessions >"$dir/out" 2>&1
is 'a client of tmux is sent away' $? 1

# Patterns of kinds. watch passes them on to subscribe.

call list_events '{"kinds":["bell","pane_c*"]}'
is 'the socket takes patterns' "$(field '.result.events[0].kind')" pane_created
call subscribe '{"kinds":["windw_*"]}'
is 'a pattern without a kind is an error' "$(field .error.data.field)" kinds
timeout 60 "$muxbus" watch -n 1 'pane_*' 'window_c*' >"$dir/out" &
watcher=$!
until_is 'it is subscribed' 1 sh -c "'$muxbus' status | jq .subscriptions"
type_line 'echo raw out''put'
until_is 'the pane prints' 1 screen 'raw output'
t new-window -d 'read line'
wait "$watcher"
is 'a pattern never means the output of panes' "$? $(jq -r .kind "$dir/out")" '0 window_created'

# Jobs are listed in the order of their start, also by the next daemon.

for name in z m a q b; do
	"$muxbus" run -n "$name" -- true
done
kill_daemon
is 'jobs are listed in order of start' "$("$muxbus" list_jobs all=true | jq -r '[.jobs[].name] | add')" zmaqb

# run on a terminal.

type_line "$muxbus run -- sh -c 'printf \"\\033[31mred\\033[0m \\033[2Jx\\n\"; read x <$dir/go; exit 3'; echo result \$?"
until_is 'run streams on a terminal, with colours' 1 screen "$escape[31mred"
is 'other sequences are visible' "$(screen '\x1b[2Jx')" 1
t send-keys -t "$pane" 'typed' Enter
until_is 'what is typed does not reach the job, which is said' 1 screen 'standard input does not reach job'
echo >"$dir/go"
until_is 'and the status is that of the command' 1 screen 'result 3'
type_line "$muxbus --color=never run -- printf '\\033[31mred\\n'"
until_is 'without colours they are visible too' 1 screen '\x1b[31mred'
type_line "$muxbus run -t 0.2 sleep 60; echo status \$?"
until_is 'the time of -t is up' 1 screen 'status 124'
is 'which is said' "$(screen ': the time was up after ')" 1
type_line "$muxbus run -- sh -c 'echo fir''st; read x <$dir/go; echo sec''ond' &"
until_is 'a job in the background writes' true job_wrote
type_line 'echo a line of a per''son'
until_is 'while a person types' 1 screen 'a line of a person'
is 'its output is not drawn over that' "$(screen first)" 0
echo >"$dir/go"
until_is 'it comes at the end' 1 screen first
type_line "$muxbus run -- sh -c 'echo fir''st; read x <$dir/go' >$dir/log &"
until_is 'with its output in a file' true job_wrote
sleep 1.2 # the interval of the line of progress
is 'no line of progress is drawn' "$(screen first)" 0
echo >"$dir/go"
until_is 'the file has the output' first cat "$dir/log"

# Starting a daemon, or not.

without_daemon 'the daemon ends'
says 'ping starts none; the hint repeats the option' 3 "Start it with: muxbus -S $dir/tmux start" \
	env -u MUXBUS "$muxbus" -S "$dir/tmux" ping
says 'nor does a typing error, which is compared with verbs and methods' 2 'did you mean "list_panes"' "$muxbus" list_pane
says 'nor a socket of -s' 3 "Start it with: muxbus -s $dir/nothing start" "$muxbus" -s "$dir/nothing" list_panes
ok 'there is none' test ! -e "$MUXBUS"
says 'no daemon for a tmux server that does not run' 3 "no tmux server runs at $dir/typo" "$muxbus" -S "$dir/typo" start
says 'nor is one advised' 3 'To start it, start that tmux server first' "$muxbus" -S "$dir/typo" ping
is 'by doctor' "$("$muxbus" -S "$dir/typo" doctor | jq -r '.findings[] | select(.subject == "daemon").remedy')" 'start that tmux server first'
long=$dir/$(printf '%0100d' 0)
is 'a path that is too long for a socket, with the remedy' "$("$muxbus" -S "$long" ping 2>&1)" \
	"muxbus: the socket path has $((${#long} + 7)) bytes; at most 107 are allowed: choose another with -s, for muxbusd too: $long.muxbus"
ok 'none is left' test ! -e "$dir/typo.muxbus"
mkdir -m 700 "$dir/run"
outside="env -u MUXBUS -u TMUX TMUX_TMPDIR=$dir/run $muxbus"
nowhere=$dir/run/tmux-$(id -u)/default
for verb in ls 'run true' 'remind 10m tea' top 'wait sec=1' 'tail %0' list_jobs; do
	says "nor does $verb outside tmux" 3 "no tmux server runs at $nowhere. Start tmux; or muxbusd without it: muxbus start" \
		$outside $verb
done
ok 'none is left there' test ! -e "$nowhere.muxbus"
mkdir -m 700 "${nowhere%/*}"
TMUX_TMPDIR="$dir/run" tmux -f /dev/null new-session -d -s gone 'exec sh'
is 'where one runs, ls starts a daemon' "$($outside ls | jq -r '.panes[0].session_name')" gone
TMUX_TMPDIR="$dir/run" tmux kill-server
until_is 'a daemon whose server has ended says so' 'searching: no tmux server at this socket' \
	sh -c "$outside --text status | sed -n 's/^ *tmux  //p'"
says 'so does ls' 1 "the tmux server at $nowhere is not followed now: no tmux server at this socket" $outside ls
$outside shutdown >/dev/null
is 'muxbus start needs none' "$($outside start 2>/dev/null | cut -d ' ' -f 1-3)" 'muxbusd is ready'
$outside shutdown >/dev/null
"$muxbus" doctor >"$dir/out"
is 'doctor hints at it' "$(jq -r '.findings[] | select(.subject == "daemon").remedy' "$dir/out")" 'muxbus start'
tmux -S "$dir/second" -f /dev/null new-session -d -s second 'exec sh'
is 'in the panes of a tmux server that was started in a pane, its own is meant' \
	"$(TMUX="$dir/second,1,0" "$muxbus" ls | jq -r '.panes[0].session_name')" second
"$muxbus" -S "$dir/second" shutdown >/dev/null
tmux -S "$dir/second" kill-server
is 'a method starts one' "$("$muxbus" list_panes | jq -r '.panes[0].pane')" "$pane"
without_daemon 'that ends'
is 'wait starts one' "$("$muxbus" wait sec=0.01 | jq .matched)" "$(printf '[\n  0\n]')"
without_daemon 'that ends'
timeout 20 "$muxbus" watch -t 0.1 bell
is 'watch starts one' $? 4

# A daemon that was killed takes the connection, and ends: the next one is started.
"$muxbus" shutdown >/dev/null
without_daemon 'that ends'
socat -u /dev/null "UNIX-LISTEN:$MUXBUS" &
until_is 'a program listens that ends with the first connection' 1 listens "$MUXBUS"
timeout 30 "$muxbus" ping >/dev/null 2>&1
is 'what starts no daemon finds none' $? 3
socat -u /dev/null "UNIX-LISTEN:$MUXBUS" &
until_is 'and once more' 1 listens "$MUXBUS"
is 'what starts one is answered' "$(timeout 30 "$muxbus" list_panes | jq -r '.panes[0].pane')" %0

# A socket without answers, and a daemon of another version.

socat "UNIX-LISTEN:$dir/mute" 'EXEC:sleep 60' &
mute=$!
until_is 'a program listens' 1 listens "$dir/mute"
timeout 60 "$muxbus" -s "$dir/mute" list_panes 2>"$dir/err" &
asker=$!
until_is 'a socket without answers is told' 1 told 'has not answered for 2 s: waiting'
ok 'the command goes on waiting' kill -0 "$asker"
kill "$mute"
wait "$asker"
is 'and ends with it' $? 3
echo 'jq -c --unbuffered "{jsonrpc:\"2.0\",id,result:{version:\"0.0.1\"}}"' >"$dir/old.sh"
socat "UNIX-LISTEN:$dir/old" "EXEC:sh $dir/old.sh" &
until_is 'an old daemon listens' 1 listens "$dir/old"
says 'its version is told' 4 "the version of muxbusd is 0.0.1" "$muxbus" -s "$dir/old" watch -t 0.1
is 'with the remedy' "$(grep -c "muxbus -s $dir/old shutdown; muxbus -s $dir/old start" "$dir/err")" 1
cat >"$dir/old.sh" <<'END'
exec jq -c --unbuffered '{jsonrpc: "2.0", id} + if .params.method == "ping" then {result: {version: "0.0.1"}}
	else {error: {code: -32601, message: "there is no method \"read_audit\""}} end'
END
socat "UNIX-LISTEN:$dir/old,fork" "EXEC:sh $dir/old.sh" &
older=$!
until_is 'it listens again' 1 listens "$dir/old"
says 'what it does not know may be new' 2 "the version of muxbusd is 0.0.1" "$muxbus" -s "$dir/old" read_audit
says 'also to audit' 2 "the version of muxbusd is 0.0.1" "$muxbus" -s "$dir/old" audit
kill "$older"

"$muxbus" shutdown >/dev/null
done_testing
