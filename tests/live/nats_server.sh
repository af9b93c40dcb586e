# SPDX-License-Identifier: ISC
# For scripts (sourced behind live.sh): a nats-server of the test's own, muxbus-nats, and the probe.
# shellcheck disable=SC2154

[ -x "$MUXBUS_BUILDDIR/muxbus-nats" ] || skip_all 'muxbus-nats is not built: ./configure --with-nats'
nats_server=$(PATH=$PATH:/usr/sbin:/usr/local/sbin command -v nats-server) ||
	skip_all 'nats-server is not installed'
nats_port=-1
nats_pid=
bridge_pid=

probe() {
	timeout 30 "$MUXBUS_BUILDDIR/tests/live/nats_probe" "nats://127.0.0.1:$nats_port" "$@"
}

# start_nats OPTION...: at any free port for the first time, then at the same one.
start_nats() {
	"$nats_server" -js -sd "$dir/js" -a 127.0.0.1 -p "$nats_port" --ports_file_dir "$dir" "$@" \
		>>"$dir/nats.log" 2>&1 &
	nats_pid=$!
	tries=0
	until [ -s "$dir/nats-server_$nats_pid.ports" ] || [ $tries -gt 500 ]; do
		tries=$((tries + 1))
		sleep 0.02
	done
	[ -s "$dir/nats-server_$nats_pid.ports" ] || {
		echo "Bail out! nats-server does not start: $(tail -n 1 "$dir/nats.log")"
		exit 99
	}
	nats_port=$(jq -r '.nats[0] | sub(".*:"; "")' "$dir/nats-server_$nats_pid.ports")
}

kill_nats() {
	kill -9 "$nats_pid" 2>/dev/null
	wait "$nats_pid" 2>/dev/null
}

# start_bridge OPTION...
start_bridge() {
	"$MUXBUS_BUILDDIR/muxbus-nats" --url "nats://127.0.0.1:$nats_port" -S "$dir/tmux" \
		--fleet f --host h --server s "$@" 2>>"$dir/bridge.log" &
	bridge_pid=$!
}

kill_bridge() {
	kill "-${1:-9}" "$bridge_pid" 2>/dev/null
	wait "$bridge_pid" 2>/dev/null
}

finish_nats() {
	[ -z "$bridge_pid" ] || kill_bridge 9
	[ -z "$nats_pid" ] || kill_nats
	finish
}

# count PATTERN FILE: the lines that match; also none.
count() {
	grep -c "$@"
	return 0
}

# The texts of the notifications in the stream.
stream_texts() {
	probe read MUXBUS 2>/dev/null | grep '^[^	]*\.notification\.' | cut -f 3 | jq -r .text
}

presence() {
	probe get MUXBUS_PRESENCE f.h.s 2>/dev/null | jq -r "$1"
}

# Text for the log of a test that failed.
nats_logs() {
	[ "$failed" -eq 0 ] || sed 's/^/# muxbus-nats: /' "$dir/bridge.log"
}
