#!/bin/sh
# SPDX-License-Identifier: ISC
# A host that is not reached: muxbus --host and the fleet say in one line why, and what to do. A script
# stands for ssh, and its destination says what happens.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
[ -x "$MUXBUS_BUILDDIR/muxbus" ] || skip_all 'muxbus is not built'
start 'exec cat'
cat >"$dir/ssh" <<'END'
#!/bin/sh
while [ "$1" != -- ]; do shift; done
end() { # end STATUS LINE...: on standard error
	status=$1
	shift
	printf '%s\n' "$@" >&2
	exit "$status"
}
no_login() {
	echo 'This account is currently not available.'
	exit 1
}
case $2 in
nologin) no_login ;;
bannered)
	echo 'Authorized users only.' >&2
	no_login ;;
changed)
	end 255 '@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@' \
		'@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @' \
		'@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@' \
		'Someone could be eavesdropping on you right now (man-in-the-middle attack)!' \
		'Host key verification failed.' ;;
unknown)
	end 255 'No ED25519 host key is known for unknown and you have requested strict checking.' \
		'Host key verification failed.' ;;
denied) end 255 'me@denied: Permission denied (publickey,password).' ;;
away) end 255 'ssh: connect to host away port 22: No route to host' ;;
bare) end 127 'bash: line 1: muxbus: command not found' ;;
older) end 2 'muxbus: there is no method "relay"; "describe" lists all methods' ;;
empty) end 3 'muxbus: no tmux server runs at /tmp/tmux-7/default. Start tmux; or muxbusd without it: muxbus start' ;;
mute) exit 4 ;;
wordy)
	yes 'debug1: nothing yet' | head -c 100000 >&2
	end 255 'ssh: connect to host wordy port 22: No route to host' ;;
late)
	exec <&- >&-
	sleep 0.2
	end 255 'ssh: connect to host late port 22: Connection refused' ;;
stays) exec sleep 1000 <&- >&- ;;
welcomed)
	echo Welcome
	exit 127 ;;
chatty) yes Welcome | head -n 1500 ;;
greeting) printf 'Welcome\n\nYou have mail.\n' ;;
started) printf 'set up' ;;
dropped)
	echo 'Authorized users only.' >&2
	sh -c "$3" | head -n 1
	exec <&- >&-
	sleep 0.2
	end 255 'client_loop: send disconnect: Broken pipe' ;;
esac
echo 'Pseudo-terminal will not be allocated.' >&2
exec sh -c "$3"
END
chmod 755 "$dir/ssh"
mkdir -m 700 "$dir/run"
export MUXBUS_SSH="$dir/ssh" MUXBUS_REMOTE="$MUXBUS_BUILDDIR/muxbus" XDG_RUNTIME_DIR="$dir/run"
says() { # says HOST: the exit status and the standard error of a request
	timeout 20 "$MUXBUS_BUILDDIR/muxbus" --host "$1" -S "$dir/tmux" list_panes 2>&1 >/dev/null </dev/null | cat
}
unreached() { # unreached HOST REASON [REASON_OF_THE_COMMAND]
	is "muxbus --host $1" "$(says "$1")" "muxbus: ${3:-$2}"
	printf '%s\t%s\n' "$1" "$2" >>"$dir/reasons"
}
unreached nologin 'ssh has ended: exit status 1, and said "This account is currently not available.": the login shell must run commands on nologin'
unreached bannered 'ssh has ended: exit status 1, and said "This account is currently not available.": the login shell must run commands on bannered'
changed='Host key verification failed: its host key has changed; if you know why, forget the old one as this says: ssh changed'
unreached changed "$changed" "ssh did not reach changed: $changed"
unknown='Host key verification failed: its host key is not known here; look at the key and accept it: ssh unknown'
unreached unknown "$unknown" "ssh did not reach unknown: $unknown"
denied='me@denied: Permission denied (publickey,password): give it a key of yours: ssh-copy-id denied'
unreached denied "$denied" "ssh did not reach denied: $denied"
away='ssh: connect to host away port 22: No route to host'
unreached away "$away" "ssh did not reach away: $away"
late='ssh: connect to host late port 22: Connection refused'
unreached late "$late" "ssh did not reach late: $late"
wordy='ssh: connect to host wordy port 22: No route to host'
unreached wordy "$wordy" "ssh did not reach wordy: $wordy"
unreached welcomed 'ssh has ended: exit status 127: install Muxbus there, or set MUXBUS_REMOTE, or muxbus= in the hosts file, to its path on welcomed'
unreached bare 'bash: line 1: muxbus: command not found: install Muxbus there, or set MUXBUS_REMOTE, or muxbus= in the hosts file, to its path on bare'
unreached older 'muxbus: there is no method "relay"; "describe" lists all methods: its muxbus has another version; install the same version on older'
unreached empty 'muxbus on empty: no tmux server runs at /tmp/tmux-7/default. Start tmux; or muxbusd without it: muxbus start'
unreached mute 'ssh has ended: exit status 4'
unreached chatty 'it writes, but muxbus relay says no hello' 'chatty: it writes, but muxbus relay says no hello'
is 'muxbus --host without ssh' "$(MUXBUS_SSH=/none/ssh says far)" \
	'muxbus: /none/ssh: No such file or directory: install an ssh client here, or name one in MUXBUS_SSH'
is 'what closes its output and stays is ended' "$(says stays)" 'muxbus: ssh has ended: signal 9'
is 'ssh ends behind the hello: its reason is passed on' "$(says dropped | tail -n 1)" 'client_loop: send disconnect: Broken pipe'
is 'a greeting before the relay is no error' "$(says greeting)" ''
is 'nor is text without an end' "$(says started)" ''

# The fleet has the same reasons.
own_socket=$MUXBUS
MUXBUS="$dir/run/muxbus/fleet"
cut -f 1 "$dir/reasons" >"$dir/.config/muxbus/hosts"
printf '%s\n' greeting started | sed "s|\$| server=$dir/tmux|" >>"$dir/.config/muxbus/hosts"
start_fleet() {
	TMUX_TMPDIR="$dir/run" "$MUXBUS_BUILDDIR/muxbusd" --fleet -f --ready-fd 3 3>"$dir/fleet_ready" 2>"$dir/fleet_log" &
	fleet_pid=$!
}
mkfifo "$dir/fleet_ready"
trap 'kill $fleet_pid 2>/dev/null; MUXBUS=$own_socket; finish' EXIT
start_fleet
timeout 10 head -n 1 "$dir/fleet_ready" >/dev/null
reason() {
	call list_hosts '{}' && field ".result.hosts[] | select(.host == \"$1\") | \"\(.state) \(.reason // \"\")\"" |
		sed 's/^connecting /down /'
}
while read -r host want; do
	until_is "the fleet: $host" "down $want" reason "$host"
done <"$dir/reasons"
until_is 'a greeting' 'up ' reason greeting
until_is 'text without an end' 'up ' reason started
kill "$fleet_pid"
wait "$fleet_pid" 2>/dev/null
export MUXBUS_SSH='/none/connect -v'
start_fleet
timeout 10 head -n 1 "$dir/fleet_ready" >/dev/null
until_is 'the fleet without ssh' \
	'down /none/connect: No such file or directory: install an ssh client here, or name one in MUXBUS_SSH, to reach away' reason away
done_testing
