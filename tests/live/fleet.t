#!/bin/sh
# SPDX-License-Identifier: ISC
# muxbusd --fleet: a host through a real ssh to this machine, scripted hosts (tests/fake_relay) and
# a daemon by its socket; their lists, requests for one of them, and what may fail.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
PATH=$PATH:/usr/sbin
command -v ssh >/dev/null || skip_all 'no ssh'
sshd=${MUXBUS_SSHD:-$(command -v sshd)} || skip_all 'no sshd'
[ -x "$MUXBUS_BUILDDIR/muxbus" ] || skip_all 'muxbus is not built'
start 'exec cat'

[ "$(id -u)" != 0 ] || mkdir -p -m 755 /run/sshd
ssh-keygen -q -t ed25519 -N '' -f "$dir/host_key"
ssh-keygen -q -t ed25519 -N '' -f "$dir/key"
cp "$dir/key.pub" "$dir/authorized_keys"
printf '%s\n' "HostKey $dir/host_key" "AuthorizedKeysFile $dir/authorized_keys" 'StrictModes no' \
	'PermitRootLogin yes' 'PasswordAuthentication no' 'PidFile none' \
	'AcceptEnv XDG_STATE_HOME' >"$dir/sshd_config"
printf '%s\n' "ProxyCommand $sshd -i -f $dir/sshd_config" "IdentityFile $dir/key" \
	'IdentitiesOnly yes' 'SendEnv XDG_STATE_HOME' 'BatchMode yes' 'StrictHostKeyChecking no' \
	'UserKnownHostsFile /dev/null' 'LogLevel ERROR' >"$dir/ssh_config"
timeout 10 ssh -F "$dir/ssh_config" far true 2>"$dir/said" </dev/null ||
	skip_all "ssh to this machine does not work: $(head -n 1 "$dir/said")"

# One program for all hosts: a destination with habits is a scripted one.
cat >"$dir/ssh" <<END
#!/bin/sh
case "\$*" in *'-- lost '*)
	[ -e "$dir/installed" ] && exec "$MUXBUS_BUILDDIR/tests/fake_relay" -- name=lost x
	echo 'sh: 1: muxbus: not found' >&2
	exit 127 ;;
esac
case "\$*" in *'-- older '*)
	echo 'muxbus relay 1 0.0.1'
	exec jq -c --unbuffered '{jsonrpc: "2.0", id, error: {code: -32601, message: "no method"}}' ;;
esac
case "\$*" in *name=*) exec "$MUXBUS_BUILDDIR/tests/fake_relay" "\$@" ;; esac
exec ssh -F $dir/ssh_config "\$@"
END
chmod 755 "$dir/ssh"
mkdir -m 700 "$dir/run" "$dir/log" "$dir/local"
export MUXBUS_SSH="$dir/ssh" MUXBUS_REMOTE="$MUXBUS_BUILDDIR/muxbus" XDG_RUNTIME_DIR="$dir/run"
export FAKE_RELAY_LOG="$dir/log"
hosts="$dir/.config/muxbus/hosts"
cat >"$hosts" <<END
far server=$dir/tmux    # this machine, through ssh
B ssh=name=b,panes=2
slow ssh=name=slow,delay=30000
dead ssh=name=dead,refuse=no-route-to-host
far colour=blue
END
own_socket=$MUXBUS
MUXBUS="$dir/run/muxbus/fleet"

start_fleet() {
	TMUX_TMPDIR="$dir/local" "$MUXBUS_BUILDDIR/muxbusd" --fleet -fv >"$dir/fleet_log" 2>&1 &
	fleet_pid=$!
	tries=0
	# A socket can be there that a killed daemon has left.
	while ! call ping '{}' 2>/dev/null && [ $tries -lt 500 ]; do
		tries=$((tries + 1))
		sleep 0.02
	done
}
trap 'kill $fleet_pid 2>/dev/null; tmux -S "$dir/top" kill-server 2>/dev/null; finish' EXIT
start_fleet
[ -S "$MUXBUS" ] || exit 99
host_state() { # host_state NAME: its row
	call list_hosts '{}' && field ".result.hosts[] | select(.host == \"$1\") | .state"
	true # a fleet that was killed leaves its socket until the next one is ready
}
missing() { # missing METHOD: the names of the hosts
	call "$1" '{}' && field '[.result.missing[].host] | join(" ")'
}

until_is 'a host through ssh is up' up host_state far
is 'its row has counts and the version' "$(field '.result.hosts[] | select(.host == "far") | "\(.panes) \(.jobs) \(.version)"')" \
	"1 0 $("$MUXBUS_BUILDDIR/muxbus" --version | cut -d ' ' -f 2)"
is 'a scripted host is up' "$(field '.result.hosts[] | select(.host == "B") | .state')" up
is 'a dead host is down' "$(field '.result.hosts[] | select(.host == "dead") | .state')" down
is 'with the reason of ssh' "$(field '.result.hosts[] | select(.host == "dead") | .reason')" 'ssh: no-route-to-host'
is 'a bad line is named' "$(field '.result.errors | map("\(.line) \(.text)") | first' | cut -c 1-25)" '5 there is no "colour"; a'

begun=$(date +%s)
is 'a list has who did not answer' "$(missing list_panes)" 'dead slow'
ok 'after 5 s at most' [ $(($(date +%s) - begun)) -le 7 ]
is 'panes of all others, by name' "$(field '[.result.panes[].pane] | join(" ")')" 'B:%0 B:%1 far:%0'
is 'with their host and server' "$(field '.result.panes[2] | "\(.host) \(.server)"')" 'far tmux'
is 'and what else each one said' "$(field '.result.hosts[] | select(.host == "far") | .seq | type')" number

begun=$(date +%s)
is 'and the next list' "$(missing list_panes)" 'dead slow'
ok 'does not wait for it' [ $(($(date +%s) - begun)) -le 3 ]
sed -i '/^slow/d' "$hosts"
count() {
	call status '{}' && field .result.fleet.hosts
}
until_is 'a line that is removed ends its host' 3 count

call get_pane '{"pane": "far:%0"}'
is 'a request goes to the host of its target' "$(field '"\(.result.pane) \(.result.command) \(.result.host)"')" 'far:%0 cat far'
call send_text '{"pane": "far/tmux:%0", "text": "hello", "enter": true}'
is 'host/server:pane is a target too' "$(field .result.pane)" far:%0
call wait_for '{"host": "far", "any": [{"screen": "hello", "pane": "%0"}], "timeout_sec": 20}'
is 'a wait, with the host as a member' "$(field '.result.matched | tostring')" '[0]'
call get_pane '{"pane": "far:main:0.0"}'
is 'a name of tmux behind the host' "$(field .result.pane)" far:%0
call list_panes '{"session": "far:main"}'
is 'a list of one host' "$(field '[.result.panes[].pane] | join(" ")')" far:%0
call run_long_command '{"host": "far", "command": "exit 3"}'
job=$(field .result.id)
is 'an id of an answer names its host' "${job%:*}" far
call wait_for "$(jq -nc --arg job "$job" '{host: "far", any: [{job: ($job | ltrimstr("far:"))}], timeout_sec: 20}')"
call get_job "{\"job\": \"$job\"}"
is 'and is a target' "$(field .result.exit_code)" 3
call execute_cli '{"host": "far", "command": "cd /usr"}'
call execute_cli '{"host": "far", "command": "pwd"}'
is 'a directory is not that of another peer of the fleet' "$(field .result.stdout)" "$dir"
mkfifo "$dir/one"
: >"$dir/answer"
socat -t 60 - "UNIX-CONNECT:$MUXBUS" <"$dir/one" >"$dir/answer" &
exec 4>"$dir/one"
echo '{"method":"execute_cli","params":{"host":"far","command":"cd /usr"}}' >&4
until_is 'a first command' /usr field .result.cwd
echo '{"method":"execute_cli","params":{"host":"far","command":"cd share"}}' >&4
until_is 'but of the next command of the same one' '/usr /usr/share' \
	sh -c "jq -rs '[.[].result.cwd] | join(\" \")' '$dir/answer'"
exec 4>&-
ask '{"method":"provide","params":{"host":"far","methods":[]}}
{"method":"publish","params":{"host":"far","kind":"k"}}
{"method":"progress","params":{"host":"far","id":"c1"}}' >"$dir/answer"
is 'a fleet is no provider' "$(jq -rs '[.[].error.data.kind] | join(" ")' "$dir/answer")" 'refused refused refused'
call unknown_here '{"pane": 5}'
is 'a pane that is no text, for a method that only hosts know' "$(field '"\(.error.data.field) \(.error.message)"')" \
	'pane pane: must be a string, not a number'
call unknown_here '{"host": ["far"]}'
is 'a host that is none' "$(field '"\(.error.data.field) \(.error.message)"')" 'host host: must be a string, not an array'
call unsubscribe '{"subscription": 1}'
is 'a subscription that is none' "$(field .error.data.field)" subscription
call get_pane '{"pane": "far:%99"}'
is 'an error of the host' "$(field '"\(.error.data.kind) \(.error.message)"')" \
	'no_such_pane far: there is no pane %99; list_panes lists the existing ones'
call get_pane '{"pane": "%0"}'
is 'without a host' "$(field .error.data.kind)" ambiguous_target
call get_pane '{"pane": "far:%0", "host": "B"}'
is 'with two hosts' "$(field .error.message)" 'the request names two hosts, far and B; ask each in a request of its own'
call get_pane '{"pane": "%0", "host": "nowhere"}'
is 'with an unknown one' "$(field .error.message)" 'host: there is none "nowhere"; see list_hosts'
call get_pane '{"pane": "dead:%0"}'
is 'with one that is down' "$(field '"\(.error.data.kind) \(.error.message)"')" 'not_ready dead cannot be reached: ssh: no-route-to-host'

# A write is sent with a key.
call run_long_command '{"host": "B", "command": "true"}'
is 'a request that writes has a key' "$(grep -c '"key":"fleet-' "$dir/log/b")" 1
call run_long_command '{"host": "B", "command": "true", "key": null, "notify": null}'
is 'if its key is null, too' "$(tail -n 1 "$dir/log/b" | jq -r '.params | "\(.key | startswith("fleet-")) \(has("notify"))"')" 'true false'

# MCP on the same socket.
printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}' \
	'{"jsonrpc":"2.0","method":"notifications/initialized"}' \
	'{"jsonrpc":"2.0","id":2,"method":"tools/list"}' \
	'{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"capture_pane","arguments":{"pane":"far:%0"}}}' \
	'{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"capture_pane","arguments":{"pane":"%0"}}}' |
	socat -t 86400 - "UNIX-CONNECT:$MUXBUS" >"$dir/mcp"
is 'MCP begins' "$(jq -r 'select(.id == 1) | .result.serverInfo.name' "$dir/mcp")" muxbus
is 'its tools are listed' "$(jq -r 'select(.id == 2) | .result.tools | length > 5' "$dir/mcp")" true
is 'a tool takes a target with a host' "$(jq -r 'select(.id == 3) | .result.structuredContent | .pane, (.text | contains("hello"))' "$dir/mcp" | tr '\n' ' ')" 'far:%0 true '
is 'and says what is missing' "$(jq -r 'select(.id == 4) | .result.isError' "$dir/mcp")" true

# The command line.
mb() { # mb ARGUMENT...: its status; output in $dir/out, errors in $dir/said
	"$MUXBUS_BUILDDIR/muxbus" --fleet "$@" >"$dir/out" 2>"$dir/said" </dev/null
	echo $?
}
is 'muxbus --fleet: a method' "$(mb get_pane pane=far:%0) $(jq -r .pane "$dir/out")" '0 far:%0'
is 'by the environment' "$(MUXBUS_FLEET=1 "$MUXBUS_BUILDDIR/muxbus" get_pane pane=far:%0 | jq -r .pane)" far:%0
# Ids have the name of the host, which may be long.
long=a-machine-with-a-name-of-forty-characters
echo "$long ssh=far server=$dir/tmux" >>"$hosts"
until_is 'a host with a long name' up host_state $long
is 'a recording of its pane' "$(mb record -o "$dir/cast" $long:%0) $(head -n 1 "$dir/cast" | jq .version)" '0 2'
"$MUXBUS_BUILDDIR/muxbus" --fleet tail -n 1 -t 60 $long:%0 >"$dir/tailed" 2>&1 &
tailed() {
	t send-keys -t main:0.0 'a line' Enter
	head -n 1 "$dir/tailed"
}
until_is 'and its lines' 'a line' tailed
sed -i "/^$long/d" "$hosts"
until_is 'and it is gone again' 3 count
mkdir -m 700 "$dir/run2"
is 'in another run-time folder' "$(XDG_RUNTIME_DIR="$dir/run2" mb hosts) $(cat "$dir/said")" \
	"3 muxbus: muxbusd runs already, and listens at $MUXBUS: use -s"
is 'doctor says the command as it is' "$(XDG_RUNTIME_DIR="$dir/run2" mb doctor) $(jq -r '.findings[].remedy' "$dir/out")" \
	'1 muxbus --fleet start'
is 'a host that is down has no version' "$(mb --host dead list_panes) $(grep -c version "$dir/said")" '1 0'
is 'a list as a table' "$(mb --text ls) $(awk '$1 == "far:%0" {print $1}' "$dir/out")" '0 far:%0'
ok 'names those that are missing' grep -q '^missing: dead/default: ssh: no-route-to-host' "$dir/out"
is 'a verb on one host' "$(mb --host far send %0 'again it is')" 0
is 'a job there' "$(mb --host far run -d -- true) $(jq -r '.id | split(":")[0]' "$dir/out")" '0 far'
is 'go says the way there' "$(mb go far:%0) $(cat "$dir/said")" "1 muxbus: %0 is on far: ssh -t far tmux -S $dir/tmux attach -t %0"
is 'its exit status is that of run' "$(mb --host far run -- false) $(mb --host far run -- sh -c 'echo out; exit 7') $(cat "$dir/out")" '1 7 out'

# --host without the fleet, by the same file.
echo "gpu ssh=far server=$dir/tmux muxbus=$MUXBUS_BUILDDIR/muxbus" >>"$hosts"
on_gpu() { # on_gpu ARGUMENT...: without the fleet
	MUXBUS_REMOTE=nowhere "$MUXBUS_BUILDDIR/muxbus" --host "$@" 2>"$dir/said" </dev/null
}
is '--host takes ssh, server and muxbus of the line' "$(on_gpu gpu list_panes | jq -r '.panes[0].pane')" %0
is 'and the name with its server' "$(on_gpu gpu/tmux list_panes | jq -r '.panes[0].pane')" %0
on_gpu gpu -S "$dir/none" list_panes
ok 'a server of -S counts more' grep -q "$dir/none" "$dir/said"
echo 'wrong name=' >>"$hosts"
wrong_line() {
	"$MUXBUS_BUILDDIR/muxbus" --text hosts | grep -c '^hosts, line [0-9]*: "name="' || :
}
until_is 'a line that cannot be used is said with the hosts' 1 wrong_line
sed -i '/^wrong/d' "$hosts"
chmod g+w "$hosts"
is 'a file that others can write is not used' "$(on_gpu gpu list_panes; grep -c 'hosts is writable by others' "$dir/said")" 1
chmod g-w "$hosts"
mkdir -m 777 "$dir/open"
mv "$hosts" "$dir/open"
ln -s "$dir/open/hosts" "$hosts"
is 'nor one of a folder that others can write, through a link' "$(on_gpu gpu list_panes; grep -c 'open is writable by others' "$dir/said")" 1
rm "$hosts"
mv "$dir/open/hosts" "$hosts"
sed -i '/^gpu/d' "$hosts"

# top in a pane of a tmux of its own: the host has a column, and keys act there.
top() { # the screen
	tmux -S "$dir/top" capture-pane -p
}
top_row() { # top_row WORD: the first two words of its first row with this word
	top | awk -v word="$1" 'index($0, word) {sub("^>", ""); print $1, $2; exit}'
}
top_text() { # top_text TEXT: that, if a row begins so
	top | grep -o -m 1 "^$1" || true
}
top_foot() {
	top | tail -n 1
}
top_key() {
	tmux -S "$dir/top" send-keys "$@"
}
tmux -S "$dir/top" -f /dev/null new-session -d -x 80 -y 24 "exec '$MUXBUS_BUILDDIR/muxbus' --fleet top"
until_is 'top has a pane with its host' '%0 far' top_row main:0.0
top_head() {
	top | sed -n '1s/ · .*//p'
}
until_is 'its first row counts the hosts' 'muxbus fleet  3 hosts, 2 up, 1 down' top_head
top_missing() {
	top | sed -n 3p
}
until_is 'a row has the host that is missing' 'missing: dead/default: ssh: no-route-to-host' top_missing
top_key / && top_key -l main:0 && top_key Enter Enter
until_is 'Enter says the way there' "%0 is on far: ssh -t far tmux -S $dir/tmux attach -t %0" top_foot
top_key Escape c
until_is 'c shows the screen there' 'again it is' top_text 'again it is'
mb --host far run -d -- sleep 1000 >/dev/null
job=$(jq -r .id "$dir/out")
top_key q 2
until_is 'a job has its host too' "${job#far:} far" top_row 'sleep 1000'
top_key Home x
until_is 'x asks' "stop $job? y: yes, any other key: no" top_foot
top_key y
job_state() {
	call get_job "{\"job\": \"$job\"}" && field .result.state
}
until_is 'and stops the job there' stopped job_state
tmux -S "$dir/top" kill-server
# A machine without muxbus at first.
is 'a machine without muxbus' "$(mb hosts add lost)" 0
until_is 'is down' down host_state lost
mb --text doctor >/dev/null
ok 'doctor has the remedy' grep -q 'install Muxbus on lost' "$dir/out"
: >"$dir/installed"
is 'hosts retry tries at once' "$(mb hosts retry lost) $(jq -r '.hosts[] | select(.host == "lost") | .state' "$dir/out")" '0 up'
echo 'older ssh=older' >>"$hosts"
until_is 'a machine with an older muxbus' up host_state older
is 'what it does not know may be new' "$(mb read_audit host=older; grep -c '^muxbus: older: no method; it runs Muxbus 0.0.1, and this is ' "$dir/said")" "$(printf '2\n1')"
sed -i '/^older/d' "$hosts"
is 'hosts remove of a server that it has not' "$(mb hosts remove lost/other) $(grep -c ' has no host "lost/other"' "$dir/said")" '1 1'
is 'hosts remove' "$(mb hosts remove lost --text)" 0
until_is 'and it is gone' 3 count
is 'muxbus hosts' "$(mb --text hosts) $(awk '$1 == "far" {print $2, $3}' "$dir/out")" '0 tmux up'
is 'status' "$(mb --text status) $(awk '$1 == "fleet" {print $2, $3}' "$dir/out")" '0 3 hosts:'
is 'doctor has a row for each host' "$(mb --text doctor) $(grep -c '^[a-z]* *host ' "$dir/out")" '1 3'
dead_row() { # between two tries it is down, else connecting
	mb --text doctor >/dev/null
	grep -c '^wrong *host dead *down: ssh: no-route-to-host' "$dir/out" || true
}
until_is 'with the reason' 1 dead_row

# What may end: each is a row with its reason, and comes back.
ssh_pid() {
	pgrep -f -- "^ssh -F $dir/ssh_config .*-- far"
}
is 'which forwards nothing' "$(tr '\0' ' ' <"/proc/$(ssh_pid)/cmdline" | grep -c -- ' -a -x -o ClearAllForwardings=yes -o PermitLocalCommand=no .*-- far ')" 1
is_new_link() { # is_new_link PID: whether another ssh runs
	now=$(ssh_pid)
	[ -n "$now" ] && [ "$now" != "$1" ] && [ "$(host_state far)" = up ] && echo yes
	true
}
# A host that lets the fleet only read.
printf '#!/bin/sh\nexec "%s/muxbus" "$@" --read-only\n' "$MUXBUS_BUILDDIR" >"$dir/reader"
chmod 755 "$dir/reader"
is 'hosts add' "$(mb hosts add reader ssh=shows "server=$dir/tmux" "muxbus=$dir/reader")" 0
until_is 'a host that only shows is up' up host_state reader
call wait_for '{"any": [{"quiet_sec": 0.1, "pane": "reader:%0"}], "timeout_sec": 20}'
is 'a wait there' "$(field '.result.matched | tostring')" '[0]'
call wait_for '{"any": [{"quiet_sec": 0.1, "pane": "reader:%0"}], "timeout_sec": 20, "wait": "mine"}'
is 'which keeps no name' "$(field .error.data.kind)" forbidden
# A daemon that is always attached has nothing to refuse.
if [ "${MUXBUS_TEST_ATTACH:-}" != always ]; then
	is_attached() {
		MUXBUS=$own_socket call status '{}' && field .result.tmux.attached
	}
	until_is 'what top followed has ended' false is_attached
	subscribed() {
		{
			echo '{"method":"subscribe","params":{"host":"reader","kinds":["window_created"]}}'
			sleep 1
		} | socat -t 0.1 - "UNIX-CONNECT:$MUXBUS" | jq -r '.params | select(.) | "\(.kind) \(.reason) \(.host) \(.error)"'
	}
	call status '{}'
	errors=$(field .result.counters.errors)
	is 'events that it refuses are a gap' "$(subscribed)" \
		'gap refused reader this attaches a client to tmux, which the role read_only of this connection does not allow'
	failures() { # failures: how many requests have failed, once the subscriber has left
		call status '{}'
		field 'select(.result.peers == 1) | .result.counters.errors'
	}
	until_is 'a subscriber that leaves is no error' "$errors" failures
	grep ' the host reader ' "$dir/fleet_log" | sed 's/^/# /' # one link tells once
fi
is 'hosts remove' "$(mb hosts remove reader)" 0

cut_and_back() { # cut_and_back NAME COMMAND...: the link is made anew
	cut_name=$1
	before=$(ssh_pid)
	shift
	"$@"
	until_is "$cut_name: another link is up" yes is_new_link "$before"
	call get_pane '{"pane": "far:%0"}'
	is "$cut_name: and the host answers" "$(field .result.pane)" far:%0
}
cut_and_back 'ssh is killed' kill -9 "$(ssh_pid)"
relay_pid() {
	pgrep -f -- "^$MUXBUS_BUILDDIR/[^ ]*muxbus -S $dir/tmux relay"
}
# shellcheck disable=SC2046
cut_and_back 'the relay is killed' kill -9 $(relay_pid)
kill_far() {
	kill -9 "$daemon_pid" "$(ask_far '{"method":"status"}' | jq .result.pid)" 2>/dev/null
	wait "$daemon_pid" 2>/dev/null
	start_daemon
}
ask_far() {
	printf '%s\n' "$1" | socat -t 86400 - "UNIX-CONNECT:$own_socket"
}
cut_and_back 'the daemon is killed' kill_far
t kill-server
until_is 'without its tmux the host is up' up host_state far
until_is 'and missing in the list of panes' 'dead far' missing list_panes
is 'with the reason' "$(field '.result.missing[] | select(.host == "far") | .reason' | cut -c 1-15)" 'the tmux server'
is 'its row keeps the last version' "$(call list_hosts '{}' && field '.result.hosts[] | select(.host == "far") | .version | type')" string

# A host whose answers are no such answers is missing, and nothing else.
is 'hosts add' "$(mb hosts add odd 'ssh=name=odd,result={"panes":[[1]]}')" 0
until_is 'a host that answers with anything' up host_state odd
is 'is missing in a list' "$(missing list_panes)" 'dead far odd'
is 'with the reason' "$(field '.result.missing[] | select(.host == "odd") | .reason')" 'its answer has no list of panes'
call wait_for '{"host": "odd", "any": [{"job": "A1B2"}], "timeout_sec": 5}'
is 'a wait there fails' "$(field .error.message)" 'odd: its answer cannot be understood'
is 'hosts remove' "$(mb hosts remove odd)" 0

# The hosts file, and daemons on this machine.
is 'hosts add' "$(mb hosts add new ssh=name=new)" 0
until_is 'a new line is a new host' up host_state new
is 'hosts remove has its names' "$("$MUXBUS_BUILDDIR/muxbus" complete -- hosts remove n | cut -f 1)" new
is 'hosts remove' "$(mb hosts remove new)" 0
until_is 'and a line less one less' '' host_state new
is 'a host that is not there' "$(mb hosts remove new)" 1
chmod o+w "$hosts"
is 'nor is a host added to a file that the fleet refuses' "$(mb hosts add new ssh=name=new) $(grep -c 'writable by others' "$dir/said") $(grep -c '^new' "$hosts")" '1 1 0'
chmod o-w "$hosts"
is 'a name that is an option' "$(mb hosts add -oProxyCommand=id)" 2
is 'a destination that is an option' "$(mb hosts add x ssh=-oProxyCommand=id)" 2
ok 'other lines stay' grep -q '^far server=.*# this machine' "$hosts"
TMUX_TMPDIR="$dir/local" tmux -L here -f /dev/null new-session -d 'exec cat'
TMUX_TMPDIR="$dir/local" "$MUXBUS_BUILDDIR/muxbusd" -f -L here 2>"$dir/here_log" &
here_pid=$!
here() {
	call list_hosts '{}' && field '.result.hosts[] | select(.local) | "\(.server) \(.state)"'
}
until_is 'a daemon on this machine is a host' 'here up' here
call list_panes '{}'
is 'its panes are in the list' "$(field '.result.panes[] | select(.server == "here") | .pane | split(":")[1]')" %0
call list_hosts '{}'
local=$(field '.result.hosts[] | select(.local).host')
is 'a job there begins in the home directory' \
	"$(mb --host "$local" run pwd) $(cat "$dir/said" "$dir/out")" "0 $HOME"

# It starts again: the fleet sees that its socket is away, or not; events are lost with a gap.
mkfifo "$dir/events_in"
: >"$dir/events"
socat -t 60 - "UNIX-CONNECT:$MUXBUS" <"$dir/events_in" >"$dir/events" &
exec 4>"$dir/events_in"
printf '%s\n' '{"id":1,"method":"subscribe","params":{"kinds":["host_state","notification"],"after":{"'"$local"'/soon":4711}}}' \
	'{"id":2,"method":"subscribe","params":{"kinds":["host_state","notification"],"host":"'"$local"'"}}' >&4
heard() { # heard SERVER: what its subscriptions were told, and whether it goes on behind the last number
	jq -rs --arg server "$1" '[.[].params | select(.server == $server)] | group_by(.subscription)[] |
		[foreach .[] as $e (null; if $e.kind == "gap" then $e.to elif . == null or $e.kind != "host_state" then $e.seq else . end;
			if $e.kind == "host_state" and $e.state != "up" then "gone"
			elif $e.kind == "gap" then "\($e.reason) \($e.from)" | sub(" .*"; "")
			elif $e.kind == "host_state" and $e.seq != . then "up elsewhere" else $e.state // $e.kind end)] |
		join(" ")' "$dir/events"
}
until_is 'two subscriptions' "$(printf 'up\nup')" heard here
kill -9 $here_pid
rm "$dir/local/tmux-$(id -u)/here.muxbus"
until_is 'a host without a socket is none' '' here
start_here() { # start_here SERVER
	TMUX_TMPDIR="$dir/local" "$MUXBUS_BUILDDIR/muxbusd" -f -L "$1" 2>>"$dir/here_log" &
	here_pid=$!
}
start_here here
until_is 'until it starts again' "$(printf 'up gone up restart\nup gone up restart')" heard here
kill $here_pid
until_is 'and not when it has ended' '' here
start_here soon
until_is 'a number counts when its host comes' 'gone renumbered up' heard soon
kill $here_pid
exec 4>&-
TMUX_TMPDIR="$dir/local" tmux -L here kill-server

# Errors beyond the limit are counted.
cp "$hosts" "$dir/hosts"
seq -f 'bad%g colour=blue' 100 149 >>"$hosts"
many_errors() {
	call list_hosts '{}' && field '.result.errors | "\(length) \(.[-1] | .line == 0 or .line > 20 and .line < 130) \(.[-1].text)"'
}
until_is 'more errors than are listed' '21 true further errors, not listed: 31' many_errors
ok 'the log says it too' grep -q ': further errors, not listed: 31$' "$dir/fleet_log"
truncate -s 1048577 "$hosts"
until_is 'a file that is too long' "1 true $hosts: longer than 1048576 bytes" many_errors
cp "$dir/hosts" "$hosts"

# A list of no host at all.
cp "$hosts" "$dir/hosts"
echo 'dead ssh=name=dead,refuse=no-route-to-host' >"$hosts"
until_is 'only one host is left' 1 count
until_is 'which is down' down host_state dead
is 'ls of hosts that are all missing' "$(mb ls)" 3
cp "$dir/hosts" "$hosts"
until_is 'the others are back' up host_state B

kill -9 $fleet_pid
wait $fleet_pid 2>/dev/null
until_is 'no ssh outlives the fleet' '' ssh_pid
start_fleet
until_is 'which starts again' up host_state B
call shutdown '{}'
wait $fleet_pid
is 'and ends by shutdown' $? 0
done_testing
