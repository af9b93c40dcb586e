# SPDX-License-Identifier: ISC
# For scripts (sourced): a private tmux, muxbusd on it, and checks in TAP. What was started
# is ended however the script ends. After `start`, $MUXBUS is the socket and t is tmux.

. "${MUXBUS_SRCDIR:-.}/tests/tap.sh"

need tmux socat jq
[ -x "${MUXBUS_BUILDDIR:-.}/muxbusd" ] || skip_all 'muxbusd is not built'

# until_is NAME WANT COMMAND...: the command prints that within 30 s, whatever its exit status. It
# is run at least 100 times, since one run may take long on a busy machine.
until_is() {
	until_name=$1
	want=$2
	shift 2
	tries=0
	read -r now_sec _ </proc/uptime # which no test sets back
	until_sec=$((${now_sec%.*} + 30))
	while got=$("$@"); [ "$got" != "$want" ]; do
		tries=$((tries + 1))
		read -r now_sec _ </proc/uptime
		[ $tries -lt 100 ] || [ "${now_sec%.*}" -lt $until_sec ] || break
		sleep 0.02
	done
	is "$until_name" "$got" "$want"
}

# The script's tmux server.
t() {
	tmux -S "$dir/tmux" -f /dev/null "$@"
}

# is_tested PROGRAM: whether it is the tmux of the PATH, or one of the cache that is supported and
# of another version.
is_tested() {
	[ -x "$1" ] || return
	[ "$1" != "$(command -v tmux)" ] || return 0
	case ${1##*/tmux-} in
	[12].* | 3.[0-2] | 3.[0-2][a-z]) return 1 ;;
	esac
	[ "$("$1" -V)" != "$(tmux -V)" ]
}

# ask LINE: one request, its response.
ask() {
	printf '%s\n' "$1" | socat -t 86400 - "UNIX-CONNECT:$MUXBUS"
}

# may_open N PID: a process may open so many descriptors more.
may_open() {
	free=0
	limit=0
	while [ $free -lt "$1" ]; do
		[ -L "/proc/$2/fd/$limit" ] || free=$((free + 1))
		limit=$((limit + 1))
	done
	prlimit --nofile=$limit: --pid "$2"
}

# call METHOD PARAMS: asks, and keeps the answer.
call() {
	ask "$(jq -nc --arg method "$1" --argjson params "$2" '{method: $method, params: $params}')" >"$dir/answer"
}

# field FILTER: of the kept answer.
field() {
	jq -r "$1" "$dir/answer"
}

# Jobs outlive the daemon that started them, but not the test.
end_jobs() {
	for lock in "$dir"/muxbus/*/jobs/*.lock; do
		supervisor=$(cut -d ' ' -f 1 "$lock" 2>/dev/null)
		[ -n "$supervisor" ] || continue
		[ "$(cat "/proc/$supervisor/comm" 2>/dev/null)" = muxbus-job ] || continue
		kill -9 "-$(sed -n 's/^pid=//p' "${lock%.lock}.started")" 2>/dev/null
		kill -9 "$supervisor" 2>/dev/null
	done
}

finish() {
	[ -z "$daemon_pid" ] || kill "$daemon_pid" 2>/dev/null
	t kill-server 2>/dev/null
	[ -z "$daemon_pid" ] || wait "$daemon_pid" 2>/dev/null
	end_jobs
	rm -rf "$dir"
}

# start COMMAND: a tmux server whose session "main" runs it, and the daemon.
start() {
	dir=$(mktemp -d /tmp/mbt-XXXXXX) || exit 99
	daemon_pid=
	unset TMUX TMUX_PANE
	export HOME="$dir" XDG_STATE_HOME="$dir" LC_ALL=C.UTF-8 TERM=xterm-256color SHELL=/bin/sh
	export MUXBUS="$dir/tmux.muxbus"
	unset XDG_CONFIG_HOME
	mkdir -p "$dir/.config/muxbus"
	echo 'fake_agent ready' >"$dir/.config/muxbus/agents" # the tests' own agent; nothing is removed
	trap finish EXIT
	trap 'exit 99' INT TERM
	t new-session -d -s main -x 80 -y 24 "$1" || exit 99
	mkfifo "$dir/ready"
	start_daemon
}

# The daemon alone, for the second time after it was killed too.
start_daemon() {
	"$MUXBUS_BUILDDIR/muxbusd" -f --ready-fd 3 ${readers:+--readonly-socket "$readers"} $daemon_options ${mcp_wait_sec:+-o "mcp_wait_sec=$mcp_wait_sec"} ${MUXBUS_TEST_ATTACH:+-o "attach=$MUXBUS_TEST_ATTACH"} \
		-S "$dir/tmux" 3>"$dir/ready" 2>>"$dir/muxbusd.log" &
	daemon_pid=$!
	if ! timeout 10 head -n 1 "$dir/ready" | grep -q .; then
		echo "Bail out! muxbusd is not ready: $(cat "$dir/muxbusd.log")"
		exit 99
	fi
}

# kill -9, and another life. MUXBUS_BUILDDIR/muxbusd may be a wrapper: its lock names the daemon.
kill_daemon() {
	kill -9 "$daemon_pid" 2>/dev/null
	kill -9 "$(ask '{"method":"status"}' 2>/dev/null | jq .result.pid)" 2>/dev/null
	wait "$daemon_pid" 2>/dev/null
	start_daemon
}

done_testing() {
	[ $failed -eq 0 ] || sed 's/^/# muxbusd: /' "$dir/muxbusd.log"
	end_testing
}
