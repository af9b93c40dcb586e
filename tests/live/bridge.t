#!/bin/sh
# SPDX-License-Identifier: ISC
# muxbus mcp: it starts the daemon, survives its end by kill -9 in a call, and ends itself in time.

. "$MUXBUS_SRCDIR/tests/live/live.sh"
start 'exec sh'
muxbus=$MUXBUS_BUILDDIR/muxbus
export MUXBUS_SECRET_TOKEN=1 ANTHROPIC_API_KEY=1 GITHUB_PAT=1 DB_PWD=1 DB_PASS=1 SENTRY_DSN=1
export GPG_PASSPHRASE=1 SLACK_WEBHOOK=1 PLACE=postgres://user:pass@host/db
export HARMLESS=1 GIT_AUTHOR_NAME=1 SSL_CERT_FILE=1 NODE_EXTRA_CA_CERTS=1 KEYBOARD=1
bridge_pid=

# A daemon that the bridge started has no parent here: the test asks it to end.
end_daemon() {
	daemon_pid=$(ask '{"method":"status"}' 2>/dev/null | jq -r .result.pid)
	ask '{"method":"shutdown"}' >/dev/null 2>&1
	wait_gone "$daemon_pid"
	daemon_pid=
}
wait_gone() {
	tries=0
	while [ -n "$1" ] && kill -0 "$1" 2>/dev/null && [ $tries -lt 500 ]; do
		tries=$((tries + 1))
		sleep 0.02
	done
}
trap 'exec 4>&-; [ -z "$bridge_pid" ] || kill $bridge_pid 2>/dev/null; end_daemon; finish' EXIT

# bridge OPTION...: the agent's end of a bridge: say writes a line, heard shows the answer to an id.
bridge() {
	exec 4>&-
	rm -f "$dir/in"
	mkfifo "$dir/in"
	: >"$dir/out"
	"$muxbus" -S "$dir/tmux" mcp "$@" <"$dir/in" >"$dir/out" 2>>"$dir/bridge.log" &
	bridge_pid=$!
	exec 4>"$dir/in"
}
say() {
	printf '%s\n' "$1" >&4
}
heard() {
	jq -c "select(.id == $1) | $2" "$dir/out"
}
# answer ID FILTER: the answer, once it is there.
answer() {
	tries=0
	while [ -z "$(heard "$1" .)" ] && [ $tries -lt 1000 ]; do
		tries=$((tries + 1))
		sleep 0.02
	done
	heard "$1" "$2"
}
says() {
	expr "$1" : "$2" >/dev/null
}
status_pid() {
	ask '{"method":"status"}' 2>/dev/null | jq .result.pid
}

# No daemon runs: the bridge starts the daemon.
end_daemon
bridge
say '{"jsonrpc":"2.0","id":1,"method":"list_panes"}'
is 'without a daemon the first call starts one' "$(answer 1 '.result.panes | length')" 1
first=$(status_pid)
harmless_of() {
	tr '\0' '\n' <"/proc/$1/environ" |
		grep -c -E '^(HARMLESS|GIT_AUTHOR_NAME|SSL_CERT_FILE|NODE_EXTRA_CA_CERTS|KEYBOARD)=1$'
}
secrets_of() {
	tr '\0' '\n' <"/proc/$1/environ" | grep -E '^[A-Z_]*(KEY|TOKEN|PAT|PWD|PASS|DSN|PASSPHRASE|WEBHOOK)=1$|^PLACE='
}
is 'which has the harmless part of the environment' "$(harmless_of "$first")" 5
is 'and no secrets' "$(secrets_of "$first")" ''

# kill -9 in a call.
say '{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}'
is 'initialize is answered' "$(answer 2 .result.protocolVersion)" '"2025-06-18"'
say '{"jsonrpc":"2.0","method":"notifications/initialized"}'
say '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"wait_for","arguments":{"all":[{"sec":3600}],"timeout_sec":3600}}}'
say '{"jsonrpc":"2.0","id":4,"method":"wait_for","params":{"all":[{"sec":3600}],"timeout_sec":3600}}'
say '{"jsonrpc":"2.0","id":20,"method":"tools/call","params":{"name":"wait_for","arguments":{"wait":"over","any":[{"notification":{}}],"timeout_sec":3600}}}'
say '{"jsonrpc":"2.0","id":5,"method":"ping"}'
is 'the calls have been sent' "$(answer 5 .result)" '{}'
kill -9 "$first"
is 'a lost call is answered with a tool result' "$(answer 3 .result.isError)" true
ok 'the answer says how to continue' says "$(answer 3 '.result.content[0].text')" '.*restarted while this call ran'

is 'a native request is answered with an error' "$(answer 4 .error.data.kind)" '"internal"'
say '{"jsonrpc":"2.0","id":6,"method":"tools/list"}'
is 'the next daemon has the tools' "$(answer 6 '.result.tools | length > 0')" true
is 'a wait with a name has no answer yet' "$(heard 20 .id)" ''
ask '{"method":"post_notification","params":{"text":"came after"}}' >/dev/null
is 'it goes on with the next daemon' "$(answer 20 '.result.structuredContent.matched')" '[0]'
second=$(status_pid)
ok 'it is another daemon' [ "$second" != "$first" ]
changes() {
	grep -c 'notifications/tools/list_changed' "$dir/out"
}
until_is 'the agent is notified that the tools may have changed' 1 changes
is 'initialize was answered once' "$(heard 2 .id)" 2

# A daemon that ended in order is started again by the next request.
end_daemon
say '{"jsonrpc":"2.0","id":7,"method":"list_panes"}'
is 'after an orderly end a call starts the daemon' "$(answer 7 '.result.panes | length')" 1

# tmux ends: the answer reports it.
t kill-server
state() {
	ask '{"method":"status"}' | jq -r .result.tmux.state
}
until_is 'the end of tmux is seen' searching state
say '{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"list_panes","arguments":{}}}'
say '{"jsonrpc":"2.0","id":9,"method":"list_panes"}'
is 'without tmux there is an answer' "$(answer 9 .error.data.kind)" '"tmux_unavailable"'
is 'to tools too' "$(answer 8 .result.isError)" true
t new-session -d -s main -x 80 -y 24 'exec sh' 4>&-

# The end of input.
exec 4>&-
wait "$bridge_pid"
is 'it ends with its input' $? 0
said=$(printf '%s' '{"id":1,"method":"wait_for","params":{"all":[{"sec":0.3}],"timeout_sec":9}}' |
	"$muxbus" -S "$dir/tmux" mcp | jq -c .result.matched)
is 'the last request is answered before the end' "$said" '[0]'
is 'it serves its own pane, whatever the environment says' "$(echo '{"jsonrpc":"2.0","id":1,"method":"ping"}' |
	MUXBUS_HOST=far MUXBUS_FLEET=1 MUXBUS_SSH=false timeout 20 "$muxbus" -S "$dir/tmux" mcp | jq -c .result)" '{}'
is 'a stream does not delay the end' "$(printf '%s\n' \
	'{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{"notifications":{},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}' |
	timeout 20 "$muxbus" -S "$dir/tmux" mcp >/dev/null; echo $?)" 0

# No reader.
mkfifo "$dir/in2" "$dir/out2"
# The tools that are wanted.

tools_of() {
	echo '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' |
		timeout 20 "$muxbus" -S "$dir/tmux" mcp "--tools=$1" |
		jq -c '[.result.tools[].name] | [length, (index("send_task") != null), (index("read_job") != null)]'
}
is 'a group and a tool are added to the default list' "$(tools_of default,agents,read_job)" \
	'[22,true,true]'
is 'or listed alone' "$(tools_of read_job)" '[1,false,true]'
is 'an unknown group is refused, with the nearest' \
	"$(timeout 20 "$muxbus" -S "$dir/tmux" mcp --tools=default,agnets </dev/null 2>&1 | head -n 1)" \
	'muxbus: --tools: there is no group or tool "agnets"; did you mean "agents"?'
"$muxbus" -S "$dir/tmux" mcp <"$dir/in2" >"$dir/out2" 2>/dev/null &
pid=$!
exec 5>"$dir/in2"
exec 6<"$dir/out2"
exec 6<&-
wait "$pid"
is 'it ends without a reader' $? 0
exec 5>&-

# A crash is one loss and one start: a few in a row are no reason to give up.
bridge
for id in 31 32 33 34; do
	kill -9 "$(status_pid)"
	say "{\"jsonrpc\":\"2.0\",\"id\":$id,\"method\":\"tools/call\",\"params\":{\"name\":\"list_panes\"}}"
	is "crash $((id - 30)) of four in a row is survived" "$(answer $id .result.isError)" null
done
exec 4>&-
wait "$bridge_pid"

# The bridge finds muxbusd beside itself: a program that counts its starts, and may be away.
mkdir "$dir/bin"
cp "$muxbus" "$dir/bin"
printf '#!/bin/sh\necho >>%s\nexec "%s" "$@"\n' "$dir/starts" "$MUXBUS_BUILDDIR/muxbusd" >"$dir/bin/muxbusd"
chmod +x "$dir/bin/muxbusd"
starts() {
	wc -l <"$dir/starts"
}
turns() {
	sed -n 's/^voluntary_ctxt_switches:.//p' "/proc/$bridge_pid/status"
}
# has_turned: yes once the bridge has woken five times more; it rests 5 s at most.
has_turned() {
	last=$(($(turns) + 5))
	tries=0
	while [ "$(turns)" -lt $last ] && [ $tries -lt 2000 ]; do
		tries=$((tries + 1))
		sleep 0.02
	done
	[ "$(turns)" -lt $last ] || echo yes
}
has_failed() {
	! grep -q 'not beside muxbus' "$dir/bridge.log" || echo yes
}
is_back() {
	[ -z "$(status_pid)" ] || echo yes
}
end_daemon
muxbus=$dir/bin/muxbus
: >"$dir/starts"
bridge
say '{"jsonrpc":"2.0","id":41,"method":"ping"}'
is 'a daemon runs' "$(answer 41 .result) $(starts)" '{} 1'
mv "$dir/bin/muxbusd" "$dir/away"
kill -9 "$(status_pid)"
until_is 'its next start fails, as the program is away' yes has_failed
mv "$dir/away" "$dir/bin/muxbusd"
until_is 'the bridge starts it again without a request' yes is_back
is 'once' "$(starts)" 2
say '{"jsonrpc":"2.0","id":42,"method":"ping"}'
is 'and is connected' "$(answer 42 .result) $(starts)" '{} 2'
end_daemon
is 'after a shutdown it looks for another daemon' "$(has_turned)" yes
is 'but starts none' "$(starts)" 2
printf '#!/bin/sh\necho >>%s\necho %s\n' "$dir/starts" 'muxbusd: socket /nowhere' >"$dir/bin/muxbusd"
exec 4>&-
wait "$bridge_pid"
bridge
say '{"jsonrpc":"2.0","id":43,"method":"list_panes"}'
ok 'starts without a daemon come to an end' says "$(answer 43 .error.message)" '.*started more than 5 times'
all=$(starts)
is 'then, too, it looks for another one' "$(has_turned)" yes
is 'and starts none' "$(starts)" "$all"
exec 4>&-
wait "$bridge_pid"
cat >"$dir/old" <<'END'
#!/bin/sh
# An old daemon: it has no roles.
read -r request
echo '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no such method"}}'
cat >/dev/null
END
chmod +x "$dir/old"
socat "UNIX-LISTEN:$MUXBUS,fork" "EXEC:$dir/old" &
old_pid=$!
until_is 'an old daemon is there' yes sh -c "[ -S '$MUXBUS' ] && echo yes"
bridge --read-only
say '{"jsonrpc":"2.0","id":44,"method":"list_panes"}'
ok 'it cannot be used' says "$(answer 44 .error.message)" '.*did not give this bridge the role'
kill "$old_pid"
wait "$old_pid"
rm -f "$MUXBUS"
is 'after its shutdown the bridge looks for the next one' "$(has_turned)" yes
is 'but does not start it' "$(starts)" "$all"
exec 4>&-
wait "$bridge_pid"
muxbus=$MUXBUS_BUILDDIR/muxbus

# Any start by muxbus leaves out secrets; a job of `muxbus run` has the caller's own environment.
end_daemon
is 'a job that starts the daemon has the environment of its caller' \
	"$("$muxbus" -S "$dir/tmux" run sh -c 'echo "$GITHUB_PAT"' 2>/dev/null)" 1
is 'and the daemon has no secrets' "$(secrets_of "$(status_pid)")" ''

# Impossible starts.
end_daemon
call='{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_panes"}}'
said=$(echo "$call" | timeout 60 "$muxbus" -S "$dir/tmux" mcp --no-start 2>/dev/null)
is '--no-start: a reason' "$(echo "$said" | jq .result.isError)" true
socat "UNIX-LISTEN:$MUXBUS" SYSTEM:'head -n 1 >/dev/null' &
until_is 'a daemon is there that ends soon' yes sh -c "[ -S '$MUXBUS' ] && echo yes"
is 'the next one answers a bridge that has asked the first for its role' \
	"$(echo "$call" | timeout 60 "$muxbus" -S "$dir/tmux" mcp --read-only 2>/dev/null | jq .result.isError)" null
end_daemon
said=$(echo "$call" | timeout 60 "$muxbus" -S "$dir/nowhere/tmux" mcp 2>/dev/null | jq -r '.result.content[0].text')
ok 'an impossible address: a reason' says "$said" '.*nowhere'
said=$(echo '{"id":1,"method":"server/discover"}' | "$muxbus" -S "$dir/tmux" mcp --legacy | jq .error.code)
is '--legacy: nothing to discover' "$said" -32601

# A daemon that others start after minutes is found. Each blank line lets the bridge see the clock.
end_daemon
clock=$MUXBUS_BUILDDIR/tests/live/.libs/late_clock.so
export ASAN_OPTIONS="$ASAN_OPTIONS:verify_asan_link_order=0"
if (LD_PRELOAD=$clock; export LD_PRELOAD; "$muxbus" --version >/dev/null 2>&1); then
	printf '%-16s' '0 0' >"$dir/set"
	mkfifo "$dir/agent"
	LD_PRELOAD=$clock SET_CLOCK="$dir/set" "$muxbus" -S "$dir/tmux" mcp --no-start <"$dir/agent" >/dev/null 2>&1 &
	bridge_pid=$!
	exec 4>"$dir/agent"
	ahead=0
	was_read() {
		[ "$(sed -n 's/^rchar: //p' "/proc/$bridge_pid/io")" != "$seen" ] && echo yes
	}
	wait_minute() {
		ahead=$((ahead + 70))
		printf '%-16s' "0 $ahead" | dd of="$dir/set" conv=notrunc 2>/dev/null
		seen=$(sed -n 's/^rchar: //p' "/proc/$bridge_pid/io")
		echo >&4
		while [ "$(was_read)" != yes ] && kill -0 "$bridge_pid"; do sleep 0.01; done
	}
	for _ in $(seq 30); do wait_minute; done
	start_daemon 4>&-
	peers() {
		call status '{}' && field .result.peers
	}
	is 'a bridge that has no daemon' "$(peers)" 1
	wait_minute
	until_is 'finds one after half an hour' 2 peers
	exec 4>&-
	kill "$bridge_pid"
fi
"$muxbus" mcp --nonsense </dev/null >/dev/null 2>&1
is 'an unknown option' $? 2
done_testing
