#!/bin/sh
# SPDX-License-Identifier: ISC
# Started by a service manager: with its socket, by the first client; the messages to the
# manager; and the units of contrib/systemd.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
start 'exec sh'
muxbusd=$MUXBUS_BUILDDIR/muxbusd
activate=$MUXBUS_BUILDDIR/tests/activate
other=$dir/other
manager=
# Ends the second server on every path.
trap '[ -z "$manager" ] || kill "$manager" 2>/dev/null; tmux -S "$other" kill-server 2>/dev/null; finish' EXIT
tmux -S "$other" -f /dev/null new-session -d -s other 'exec sh'

ask_other() {
	printf '%s\n' "$1" | socat -t 60 - "UNIX-CONNECT:$other.muxbus"
}
# manage ARGUMENTS: a manager with its socket there; its messages are in $dir/told.
manage() {
	rm -f "$other.muxbus"
	"$activate" "$@" >"$dir/told" 2>"$dir/err" &
	manager=$!
	tries=0
	until [ -S "$other.muxbus.notify" ] || [ $tries -ge 500 ]; do
		tries=$((tries + 1))
		sleep 0.02
	done
}
told() { # told LINE: how often the manager got it
	grep -cx "$1" "$dir/told" || :
}
# refused WHY NAME ARGUMENTS: it does not start, and prints the reason.
refused() {
	why=$1
	name=$2
	shift 2
	rm -f "$other.muxbus"
	timeout 30 "$activate" -n "$@" >"$dir/told" 2>"$dir/err"
	is "$name: status 1" $? 1
	ok 'with the reason' grep -q "$why" "$dir/err"
}

# The first client starts it, and is answered.
manage "$other.muxbus" "$muxbusd" -f -S "$other"
inode=$(stat -c %i "$other.muxbus")
is 'no daemon runs before a client connects' "$(tmux -S "$other" list-clients | wc -l)" 0
is 'the first client is answered' "$(ask_other '{"method":"list_sessions"}' | jq -r '.result.sessions[0].name')" other
until_is 'the manager gets the message that it is ready' 1 told 'READY=1'
until_is 'and its status' 1 told 'STATUS=Following the tmux server.'
is 'the socket is the manager'"'"'s' "$(stat -c %i "$other.muxbus")" "$inode"
is 'commands do not inherit the manager'"'"'s variables' "$(ask_other \
	'{"method":"execute_cli","params":{"command":"env; ls -l /proc/self/fd"}}' |
	jq -r .result.stdout | grep -c 'LISTEN_\|NOTIFY_\|[0-9] -> socket')" 0
tmux -S "$other" kill-server
until_is 'the end of tmux is reported' 1 told 'STATUS=Waiting for the tmux server.'
tmux -S "$other" -f /dev/null new-session -d -s again 'exec sh'
until_is 'and its return' 2 told 'STATUS=Following the tmux server.'
is 'shutdown ends it' "$(ask_other '{"method":"shutdown"}' | jq -c .result)" '{}'
wait "$manager"
is 'in good order' $? 0
manager=
is 'which was announced to the manager' "$(tail -n 1 "$dir/told")" STOPPING=1
is 'the socket stays for the next one' "$(stat -c %i "$other.muxbus")" "$inode"

# What cannot be is said.
refused 'ListenStream=, or use -s' 'a socket at another path' "$dir/elsewhere" "$muxbusd" -f -S "$other"
refused 'SocketMode=0600' 'a socket that others may connect to' -m 660 "$other.muxbus" "$muxbusd" -f -S "$other"
refused '2 sockets: one is wanted' 'two sockets' -c 2 "$other.muxbus" "$muxbusd" -f -S "$other"
refused 'add -f' 'without -f' "$other.muxbus" "$muxbusd" -S "$other"
refused 'already running' 'a second daemon' "$dir/tmux.muxbus" "$muxbusd" -f -S "$dir/tmux"
rm -f "$other.muxbus"
timeout 30 env LISTEN_PID=$$ LISTEN_FDS=1 "$muxbusd" -S "$other"
is 'variables for another process are ignored' $? 0
is 'it made a socket of its own' "$(ask_other '{"method":"ping"}' | jq -c .result)" '{}'
ask_other '{"method":"shutdown"}' >/dev/null

# A manager that does not listen, or whose address is nonsense, changes nothing.
for address in "$dir/nobody" @ relative "/$(printf 'x%.0s' $(seq 200))"; do
	NOTIFY_SOCKET=$address timeout 30 "$muxbusd" -S "$other"
	is "NOTIFY_SOCKET=$(printf %.12s "$address"): it starts" $? 0
	daemon=$(ask_other '{"method":"status"}' | jq .result.pid)
	ask_other '{"method":"shutdown"}' >/dev/null
	tries=0
	while kill -0 "$daemon" 2>/dev/null && [ $tries -lt 500 ]; do
		tries=$((tries + 1))
		sleep 0.02
	done
done

# The units, with the programs of this build.
if command -v systemd-analyze >/dev/null; then
	mkdir -p "$dir/units/muxbusd@.service.d"
	cp "$MUXBUS_SRCDIR"/contrib/systemd/muxbusd@.* "$dir/units"
	cp "$MUXBUS_SRCDIR/contrib/systemd/hardened.conf" "$dir/units/muxbusd@.service.d"
	chmod -R u+w "$dir/units"
	sed -i "s|^ExecStart=muxbusd|ExecStart=$muxbusd|" "$dir/units/muxbusd@.service"
	verify() {
		SYSTEMD_UNIT_PATH="$dir/units:" XDG_RUNTIME_DIR="$dir" systemd-analyze --user --man=no verify "$@" 2>&1 |
			grep 'muxbusd@\|hardened'
	}
	for unit in muxbusd@default.service muxbusd@default.socket; do
		is "systemd finds nothing to say about $unit" "$(verify "$dir/units/$unit")" ''
	done
	echo 'Nonsense=yes' >>"$dir/units/muxbusd@.service.d/hardened.conf"
	is 'though it reads hardened.conf as well' "$(verify "$dir/units/muxbusd@default.service" | grep -c Nonsense)" 1
else
	ok 'the units # SKIP no systemd-analyze' true
fi
done_testing
