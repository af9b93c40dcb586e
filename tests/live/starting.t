#!/bin/sh
# SPDX-License-Identifier: ISC
# Starting and ending: in the background, twice, twelve at once, without tmux, after kill -9,
# from tmux itself.

. "$MUXBUS_SRCDIR/tests/live/live.sh"
MUXBUS_TEST_ATTACH=used # in make check-always too: the socket of pipes is made anew
start 'exec sh'
muxbusd=$MUXBUS_BUILDDIR/muxbusd
other=$dir/other
trap 'tmux -S "$other" kill-server 2>/dev/null; finish' EXIT

# The same conversation with another socket.
ask_at() {
	printf '%s\n' "$2" | socat -t 60 - "UNIX-CONNECT:$1"
}
pid_at() {
	ask_at "$1" '{"method":"status"}' 2>/dev/null | jq .result.pid
}
says() {
	expr "$1" : "$2" >/dev/null
}
gone() {
	! kill -0 "$1" 2>/dev/null
}
until_gone() {
	tries=0
	while ! gone "$1" && [ $tries -lt 500 ]; do
		tries=$((tries + 1))
		sleep 0.02
	done
	gone "$1"
}

# A second daemon on the same server names the running one.
said=$("$muxbusd" -S "$dir/tmux" 2>&1)
is 'a second daemon exits with 0' $? 0
ok 'and names the running daemon' says "$said" ".*already running.*process $(pid_at "$MUXBUS"), socket $MUXBUS"

# Whatever path names the server, and wherever the state is.
running=$(pid_at "$MUXBUS")
ln -s tmux "$dir/link"
ln -s "$dir/link" "$dir/link2"
ln "$dir/tmux" "$dir/hard"
mkdir -m 700 "$dir/elsewhere"
for link in link link2; do
	said=$("$muxbusd" -S "$dir/$link" 2>&1)
	is "a daemon through $link" "$? $(expr "$said" : ".*already running.*process $running, socket $MUXBUS\$")" "0 ${#said}"
	is "muxbus through $link" "$("$MUXBUS_BUILDDIR/muxbus" -S "$dir/$link" status | jq .pid)" "$running"
done
said=$(XDG_STATE_HOME="$dir/elsewhere" "$muxbusd" -S "$dir/tmux" 2>&1)
is 'a daemon with another state directory' "$? $(expr "$said" : ".*already running.*process $running,.*")" "0 ${#said}"
said=$(XDG_STATE_HOME="$dir/elsewhere" "$muxbusd" -S "$dir/tmux" -s "$dir/own.muxbus" 2>&1)
is 'and another socket' "$? $(expr "$said" : ".*already running.*process $running,.*") $(ls "$dir/own.muxbus" 2>/dev/null)" "0 ${#said} "
said=$("$muxbusd" -S "$dir/hard" 2>&1)
is 'and a hard link' "$? $(expr "$said" : ".*already running.*process $running,.*")" "0 ${#said}"
is 'the lock outlives those starts' "$(pid_at "$MUXBUS")" "$running"

# A socket that was removed, as by a cleaner of old files, is made anew.
(sleep 30 | socat -t 60 - "UNIX-CONNECT:$MUXBUS" >/dev/null) & # a peer that stays
stays=$!
rm "$MUXBUS"
said=$("$muxbusd" -S "$dir/tmux" 2>&1)
is 'a start makes the running daemon listen again' "$? $(pid_at "$MUXBUS")" "0 $running"
rm "$MUXBUS"
is 'and so does any command' "$("$MUXBUS_BUILDDIR/muxbus" -S "$dir/tmux" ls | jq -c '[.panes[].pane]') $(pid_at "$MUXBUS")" "[\"%0\"] $running"
rm "$MUXBUS"
kill -USR1 "$running"
until_is 'and SIGUSR1' "$running" pid_at "$MUXBUS"
kill -USR1 "$running"
is 'which does nothing else' "$(pid_at "$MUXBUS")" "$running"
is 'its mode is that of the first' "$(stat -c %a "$MUXBUS")" 600
rm "$MUXBUS"
echo other >"$MUXBUS"
kill -USR1 "$running"
until_is 'another file in its place stays' 1 grep -c 'socket was removed.*not a socket' "$dir/muxbusd.log"
timeout 5 "$MUXBUS_BUILDDIR/muxbus" ls >"$dir/said" 2>&1
is 'and a request says so at once' "$? $(grep -c 'a file that is not a socket is at' "$dir/said")" '3 1'
is 'with its content' "$(cat "$MUXBUS")" other
rm "$MUXBUS"
"$muxbusd" -S "$dir/tmux" 2>/dev/null
is 'until it is gone' "$(pid_at "$MUXBUS")" "$running"
rm -r "$MUXBUS" "$dir/muxbus"/*/lock
"$muxbusd" -S "$dir/tmux" 2>/dev/null
is 'also where the lock was removed' "$(pid_at "$MUXBUS")" "$running"
ok 'its peers stay connected' kill -0 "$stays"
kill "$stays"
t new-window -d -n piped 'while sleep 0.1; do echo here; done'
is 'a pane is followed by a pipe' "$(ask '{"method":"wait_for","params":{"any":[{"output":"here","pane":"main:piped"}]}}' | jq -r '.result.conditions[0].state')" matched
t kill-window -t main:piped
rm "$MUXBUS.pipe"
t new-window -d -n again 'while sleep 0.1; do echo here; done'
is 'the socket of pipes is made anew too' "$(ask '{"method":"wait_for","params":{"any":[{"output":"here","pane":"main:again"}]}}' | jq -r '.result.conditions[0].state') $(ls "$MUXBUS.pipe")" "matched $MUXBUS.pipe"
t kill-window -t main:again

# No job gets the descriptors of the starter, such as a lock.
mkdir -m 700 "$dir/inherits"
XDG_STATE_HOME="$dir/inherits" "$muxbusd" -f --ready-fd 9 -S "$dir/none" -s "$dir/inherits.muxbus" 8>"$dir/another" 9>"$dir/ready.inherits" &
opened=$!
until_is 'another daemon runs' "$opened" pid_at "$dir/inherits.muxbus"
is 'its jobs inherit nothing of its starter' \
	"$("$MUXBUS_BUILDDIR/muxbus" -s "$dir/inherits.muxbus" execute_cli command='for fd in 8 9; do readlink /proc/$$/fd/$fd; done; ls -l /proc/$PPID/fd' | grep -c -e another -e ready.inherits)" 0
kill $opened

# Without HOME the account says where a person is at home.
(
	unset HOME
	XDG_RUNTIME_DIR="$dir" XDG_STATE_HOME="$dir/inherits" exec "$muxbusd" --fleet -f 2>/dev/null
) &
opened=$!
until_is 'a fleet without HOME works in the home directory of the account' \
	"$(getent passwd "$(id -u)" | cut -d : -f 6)" readlink /proc/$opened/cwd
kill $opened

# Two that wait for one server: the first that finds it follows it, and the other ends.
one_of_two() {
	alive=0
	for waiting in $waiters; do
		gone "$waiting" || alive=$((alive + 1))
	done
	echo $alive
}
waiters=
for name in first second; do
	mkdir -m 700 "$dir/$name"
	XDG_STATE_HOME="$dir/$name" "$muxbusd" -S "$other" -s "$dir/$name.muxbus" --exit-with-server 2>/dev/null
	waiters="$waiters $(pid_at "$dir/$name.muxbus")"
done
is 'two daemons wait for a server' "$(one_of_two)" 2
tmux -S "$other" -f /dev/null new-session -d -s shared 'exec sh'
until_is 'one of them follows it, and the other ends' 1 one_of_two
for name in first second; do
	ask_at "$dir/$name.muxbus" '{"method":"list_sessions"}' 2>/dev/null | jq -r '.result.sessions[0].name'
done >"$dir/followed"
is 'which has its session' "$(cat "$dir/followed")" shared
tmux -S "$other" kill-server
until_is 'and ends with it' 0 one_of_two
rm -f "$other"

# A server that does not exist yet: the daemon starts, reports it, and finds it later.
said=$("$muxbusd" -S "$other" --exit-with-server 2>&1)
is 'without tmux it starts in the background' $? 0
ok 'and reports that it waits' says "$said" '.*not followed yet.*waiting for it'
is 'the daemon is searching for tmux' "$(ask_at "$other.muxbus" '{"method":"status"}' | jq -r .result.tmux.state)" searching
is 'requests that need tmux are refused' "$(ask_at "$other.muxbus" '{"method":"list_panes"}' | jq -r .error.data.kind)" tmux_unavailable
tmux -S "$other" -f /dev/null new-session -d -s late 'exec sh'
state() {
	ask_at "$other.muxbus" '{"method":"status"}' | jq -r .result.tmux.state
}
until_is 'a starting server is found' live state
is 'its session is there' "$(ask_at "$other.muxbus" '{"method":"list_sessions"}' | jq -r '.result.sessions[0].name')" late

# After a reboot the directory of tmux's sockets is gone, too.
mkdir "$dir/boot"
booted() { # booted COMMAND...
	env -u TMUX -u MUXBUS TMUX_TMPDIR="$dir/boot" timeout 30 "$@" 2>&1
}
is 'it starts without the directory of tmux' "$(booted "$MUXBUS_BUILDDIR/muxbus" start | grep -c 'is ready at')" 1
is 'and makes it as tmux does' "$(stat -c %a "$dir/boot/tmux-$(id -u)")" 700
rm -r "$dir/boot/tmux-$(id -u)"
is 'again, if it was cleaned away' "$(booted "$MUXBUS_BUILDDIR/muxbus" start | grep -c 'is ready at')" 1
booted tmux -f /dev/null new-session -d 'exec sh'
is 'tmux takes it' $? 0
until_is 'and is found there' 1 booted sh -c "'$MUXBUS_BUILDDIR/muxbus' list_sessions | jq '.sessions | length'"
booted tmux kill-server
booted "$MUXBUS_BUILDDIR/muxbus" shutdown >/dev/null
is 'that of another socket is not made' "$("$muxbusd" -S "$dir/typo/tmux" 2>&1; ls -d "$dir/typo" 2>/dev/null)" \
	"muxbusd: $dir/typo: No such file or directory"

# In the background it has no parent here, holds none of our descriptors, and has a log.
daemon=$(pid_at "$other.muxbus")
is 'it leads a session of its own' "$(ps -o sid= -p "$daemon" | tr -d ' ')" "$daemon"
is 'its standard streams are /dev/null' "$(readlink /proc/"$daemon"/fd/0 /proc/"$daemon"/fd/1 /proc/"$daemon"/fd/2 | sort -u)" /dev/null
ok 'its state is for its user alone' [ "$(stat -c %a "$dir/muxbus")" = 700 ]

# Numbers are never given twice.
last() {
	ask_at "$other.muxbus" '{"method":"list_events","params":{"limit":1}}' | jq .result.last
}
before=$(last)
kill -9 "$daemon"
until_gone "$daemon"
ok 'kill -9 leaves a dead socket' [ -S "$other.muxbus" ]
"$muxbusd" -S "$other" --exit-with-server
is 'and the next daemon replaces it' $? 0
ok "numbers go on above $before" [ "$(last)" -gt "$before" ]

# An orderly end.
daemon=$(pid_at "$other.muxbus")
ask_at "$other.muxbus" '{"method":"shutdown"}' >/dev/null
ok 'shutdown ends it' until_gone "$daemon"
ok 'and removes its socket' [ ! -e "$other.muxbus" ]
is 'tmux continues, without a client of ours' "$(tmux -S "$other" list-clients | wc -l)" 0
"$muxbusd" -S "$other" --exit-with-server
daemon=$(pid_at "$other.muxbus")
kill "$daemon"
ok 'SIGTERM ends it' until_gone "$daemon"
ok 'and removes its socket' [ ! -e "$other.muxbus" ]

# Twelve at once: one runs, the others report it, and all exit with 0.
statuses=$(for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
	{
		"$muxbusd" -S "$other" --exit-with-server -o attach=always 2>/dev/null
		echo $?
	} &
done
wait)
is 'twelve starts at once all exit with 0' "$(echo $statuses)" '0 0 0 0 0 0 0 0 0 0 0 0'
daemon=$(pid_at "$other.muxbus")
is 'one of them runs' "$(tmux -S "$other" list-clients -F '#{client_control_mode}' | wc -l)" 1

# It ends with its server.
tmux -S "$other" kill-server
ok '--exit-with-server ends it with the server' until_gone "$daemon"

# From tmux itself, as in tmux.conf: run-shell returns, and the daemon knows its server.
tmux -S "$other" -f /dev/null new-session -d -s again 'exec sh'
tmux -S "$other" run-shell "HOME='$dir' XDG_STATE_HOME='$dir' '$muxbusd' --exit-with-server"
is 'run-shell returns when the daemon is ready' "$(ask_at "$other.muxbus" '{"method":"list_sessions"}' | jq -r '.result.sessions[0].name')" again
daemon=$(pid_at "$other.muxbus")
tmux -S "$other" kill-server
ok 'and it ends' until_gone "$daemon"

# A server that ends before the daemon has followed it. A server that does not answer has not ended.
ends_with() { # ends_with TMUX: the exit status of a daemon in the foreground
	TMUX=$1 timeout 10 "$muxbusd" -f --exit-with-server 2>/dev/null
	echo $?
}
tmux -S "$other" -f /dev/null new-session -d 'exec sh'
server=$(tmux -S "$other" display-message -p '#{pid}')
tmux -S "$other" kill-server
until_gone "$server"
is 'the server that started it has ended: so does it' "$(ends_with "$other,$server,0")" 0
is 'also if another program has its pid' "$(ends_with "$other,$$,0")" 0
tmux -S "$other" -f /dev/null new-session -d 'exec sh'
server=$(tmux -S "$other" display-message -p '#{pid}')
kill -STOP "$server"
"$muxbusd" -S "$other" -f --exit-with-server 2>"$dir/hung" &
daemon=$!
until_is 'it waits for a server that does not answer' "$daemon" pid_at "$other.muxbus"
kill -9 "$server"
ok 'and ends when that is killed' until_gone "$daemon"
tmux -S "$other" -f /dev/null new-session -d 'exec sh'
server=$(tmux -S "$other" display-message -p '#{pid}')
"$muxbusd" -S "$other" --exit-with-server -o command_timeout_ms=1000
daemon=$(pid_at "$other.muxbus")
kill -STOP "$server"
ask_at "$other.muxbus" '{"method":"run_tmux","params":{"command":["list-keys"]}}' >/dev/null
until_is 'a server does not answer any more' searching state
kill -CONT "$server"
until_is 'when it does, the same daemon follows it' "live $daemon" eval 'echo "$(state) $(pid_at "$other.muxbus")"'
kill -9 "$server"
ok 'and ends with it' until_gone "$daemon"

# In another pid namespace TMUX names a pid that is not the server's.
if unshare -pf --mount-proc true 2>/dev/null; then
	tmux -S "$other" -f /dev/null new-session -d -s again 'exec sh'
	TMUX="$other,1,0" unshare -pf --kill-child --mount-proc "$muxbusd" -f --exit-with-server 2>"$dir/inner" &
	inner=$!
	until_is 'in another pid namespace it stays with a server that answers' again \
		eval 'ask_at "$other.muxbus" "{\"method\":\"list_sessions\"}" | jq -r ".result.sessions[0].name"'
	kill -9 "$inner"
	wait "$inner" 2>/dev/null
	server=$(tmux -S "$other" display-message -p '#{pid}')
	tmux -S "$other" kill-server
	until_gone "$server"
else
	ok 'in another pid namespace # SKIP unshare is not allowed'
fi

# A start while a daemon ends waits for the end; here tmux does not answer its last question.
tmux -S "$other" -f /dev/null new-session -d -s again 'exec sh'
server=$(tmux -S "$other" display-message -p '#{pid}')
starts=$("$muxbusd" -S "$other" 2>&1 && for number in 1 2 3; do
	kill -STOP "$server"
	"$MUXBUS_BUILDDIR/muxbus" -S "$other" shutdown >/dev/null
	{ sleep 0.5; kill -CONT "$server"; } &
	"$muxbusd" -S "$other" 2>&1
	wait
	ask_at "$other.muxbus" '{"method":"ping"}' | jq -c .result
done)
is 'three starts behind a shutdown are three daemons' "$(echo $starts)" '{} {} {}'
daemon=$(pid_at "$other.muxbus")
tmux -S "$other" kill-server
ask_at "$other.muxbus" '{"method":"shutdown"}' >/dev/null
ok 'and the last one ends' until_gone "$daemon"

# The log file has at most 4 MiB, also where the full one cannot get another name.
tmux -S "$other" -f /dev/null new-session -d -s logged 'exec sh'
log_of() {
	head -c 4194200 /dev/zero | tr '\0' x >"$dir/full"
	"$muxbusd" -S "$other" -vv --log "$dir/full" 2>&1
	ask_at "$other.muxbus" '{"method":"ping"}' >/dev/null
	wc -c <"$dir/full"
}
is 'a full log begins anew' "$([ "$(log_of)" -lt 100000 ] && grep -c '^x' "$dir/full.old")" 1
daemon=$(pid_at "$other.muxbus")
mv "$dir/full" "$dir/moved"
kill -HUP "$daemon"
until_is 'SIGHUP opens it again' yes sh -c "[ -e '$dir/full' ] && echo yes"
rm "$dir/full"
mkfifo "$dir/full"
kill -HUP "$daemon"
is 'a FIFO in its place does not hold up the daemon' "$(timeout 10 "$MUXBUS_BUILDDIR/muxbus" -S "$other" ping)" '{}'
rm "$dir/full"
kill -HUP "$daemon"
until_is 'and is left alone' yes sh -c "[ -f '$dir/full' ] && echo yes"
said=$(mkfifo "$dir/fifo" && timeout 10 "$muxbusd" -S "$other.none" --log "$dir/fifo" 2>&1)
is 'nor does one at the start' "$? $said" "1 muxbusd: $dir/fifo: No such device or address"
ask_at "$other.muxbus" '{"method":"shutdown"}' >/dev/null
ok 'and it ends' until_gone "$daemon"
ok 'with its last words there' test -s "$dir/full"
rm "$dir/full.old" && mkdir "$dir/full.old"
is 'where the old one cannot be, it is emptied' "$([ "$(log_of)" -lt 100000 ] && echo yes)" yes
daemon=$(pid_at "$other.muxbus")
ask_at "$other.muxbus" '{"method":"shutdown"}' >/dev/null
ok 'and it ends' until_gone "$daemon"
tmux -S "$other" kill-server

# Impossible starts are reported, with status 1 or 2.
said=$("$muxbusd" -S "$dir/$(printf 'x%.0s' $(seq 120))" 2>&1)
is 'a path that is too long: status 1' $? 1
ok 'with its length' says "$said" '.*bytes'
mkdir -m 0777 "$dir/open"
chmod 0777 "$dir/open"
said=$("$muxbusd" -S "$dir/open/tmux" 2>&1)
is 'a directory that others can write to: status 1' $? 1
ok 'with the reason' says "$said" '.*other users'
"$muxbusd" --nothing 2>/dev/null
is 'a wrong option: status 2' $? 2
is 'a reader that goes is no error' "$({ "$muxbusd" describe | head -c 1; } 2>&1)" '{'
if [ -w /dev/full ]; then
	for word in -V --help describe; do
		said=$("$muxbusd" $word 2>&1 >/dev/full)
		is "what $word prints to a full disk: status 1, and why" "$? $said" '1 muxbusd: standard output: No space left on device'
	done
fi
"$MUXBUS_BUILDDIR/muxbusd" -L '' 2>"$dir/said"
is 'an empty name is refused' "$? $(grep -c 'a name that is not empty' "$dir/said")" '2 1'
done_testing
