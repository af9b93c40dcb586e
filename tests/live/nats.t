#!/bin/sh
# SPDX-License-Identifier: ISC
# muxbus-nats on a real nats-server: events and notifications in the stream, requests, posts and
# presence, and what goes wrong.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
. "$MUXBUS_SRCDIR/tests/live/nats_server.sh"
need_python
start 'exec sleep 3600'
trap finish_nats EXIT

post() { # post TEXT
	ask "$(jq -nc --arg text "$1" '{method: "post_notification", params: {text: $text}}')" >/dev/null
}

mkdir -p "$dir/.config/muxbus/tools"
echo '{"name":"claims","group":"mine","description":"It only reads, it says.","read_only":true,
	"parameters":{"type":"object","properties":{}},"run":["/bin/echo","ran"]}' \
	>"$dir/.config/muxbus/tools/claims.json"
until_is 'a tool is declared' claims \
	sh -c "$(command -v echo) '{\"method\":\"list_tools\"}' | socat -t 60 - 'UNIX-CONNECT:$MUXBUS' | jq -r '.result.tools[].name | select(. == \"claims\")'"

# nats-server is not there yet: nothing is lost.
post 'before all'
nats_port=$((20000 + $$ % 12000)) # below those that the kernel gives to connections
start_bridge --posts
until_is 'without nats-server muxbus-nats says so and goes on' 1 count 'NATS: ' "$dir/bridge.log"
start_nats
until_is 'then it is stored' 'before all' stream_texts
post 'two'
until_is 'and what comes' "before all
two" stream_texts
is 'under its subject' "$(probe read MUXBUS | grep -c '^muxbus\.f\.h\.s\.notification\.post	')" 2
id=$(head -c 16 "$dir"/muxbus/*/nats-f.cursor)
is 'with the id of the journal and its number' \
	"$(probe read MUXBUS | awk -F '\t' '/notification/ { print $2 }')" \
	"$(ask '{"method":"list_notifications"}' | jq -r ".result.notifications[] | \"$id-\(.seq)\"")"
is 'for the pane it is as it was' \
	"$(ask '{"method":"list_notifications"}' | jq -r '[.result.notifications[].state] | unique[]')" queued
t new-window -d 'exec sleep 3600'
until_is 'an event is stored' pane_created \
	sh -c "'$MUXBUS_BUILDDIR/tests/live/nats_probe' nats://127.0.0.1:$nats_port read MUXBUS | sed -n 's/^muxbus.f.h.s.event.\(pane_created\)	.*/\1/p' | tail -n 1"

# Requests.
rpc() { # rpc REQUEST FILTER
	probe request muxbus.f.h.s.request "$1" | jq -r "$2"
}
is 'a request is answered' "$(rpc '{"id":7,"method":"list_panes"}' '"\(.id) \(.result.panes | length)"')" '7 2'
is 'a method that does more than read is refused' \
	"$(rpc '{"id":"a","method":"send_text","params":{"pane":"%0","text":"x"}}' '"\(.id) \(.error.data.kind)"')" 'a refused'
is 'and the refusal says how to grant it' \
	"$(rpc '{"method":"close_pane","params":{"pane_id":"%0"}}' .error.message | grep -c -- '--allow')" 1
for method in subscribe nothing initialize tools/call narrow provide progress; do
	is "no $method" "$(rpc "{\"method\":\"$method\"}" 'has("error")')" true
done
wait_for='{"method":"wait_for","params":{"any":[{"file":"/etc/passwd","regex":".","from_start":true}],"timeout_sec":1}}'
is 'who may only read has the role read_only' "$(rpc "$wait_for" .error.data.kind)" forbidden
is 'what a declared tool claims grants nothing' "$(rpc '{"method":"claims"}' .error.data.kind)" refused
for reply in muxbus.f.h.s.notification.forged '$KV.MUXBUS_PRESENCE.f.h.forged'; do
	printf 'CONNECT {"verbose":false}\r\nPUB muxbus.f.h.s.request %s 23\r\n{"method":"list_panes"}\r\nPING\r\n' "$reply" |
		socat -t 1 - "TCP:127.0.0.1:$nats_port" | grep -c PONG >"$dir/count"
done
is 'a request that names a subject of ours for its answer' "$(cat "$dir/count")" 1
is 'gets none' "$({ probe read MUXBUS; probe read KV_MUXBUS_PRESENCE; } | grep -c forged)" 0
is 'what is not JSON' "$(rpc '{"method":' .error.data.kind)" parse_error
is 'an error of the daemon' "$(rpc '{"method":"get_pane","params":{"pane":"%99"}}' .error.data.kind)" no_such_pane
is 'the service is found' "$(probe request '$SRV.INFO.muxbus' '' | jq -r '"\(.type) \(.endpoints[0].subject)"')" \
	'io.nats.micro.v1.info_response muxbus.f.h.s.request'
is 'and counts' "$(probe request '$SRV.STATS' '' | jq -r '.endpoints[0] | "\(.num_requests) \(.num_errors)"')" '14 13'

# Posts.
posted() {
	ask '{"method":"list_notifications"}' | jq -r '[.result.notifications[].text | select(startswith("posted"))] | join(" ")'
}
probe publish muxbus.f.h.s.post '{"text":"posted 1","pane":"%0"}'
until_is 'a post is a notification' 'posted 1' posted
probe publish muxbus.f.h.s.post '{"nonsense":1}'
probe publish muxbus.f.h.s.post 'no JSON'
probe publish muxbus.f.h.s.post '{"text":"posted 2"}'
until_is 'after two that are none' 'posted 1 posted 2' posted
left() { # messages that no daemon has taken
	probe request '$JS.API.STREAM.INFO.MUXBUS_POSTS' '' | jq .state.messages
}
until_is 'none is left' 0 left

# Streams that are deleted while all runs are made again.
for name in MUXBUS MUXBUS_POSTS KV_MUXBUS_PRESENCE; do
	is "$name is deleted" "$(probe request "\$JS.API.STREAM.DELETE.$name" '' | jq .success)" true
done
post 'deleted'
until_is 'then it is made again' deleted stream_texts
made() {
	probe request '$JS.API.STREAM.NAMES' '' | jq -r '.streams | sort | join(" ")'
}
until_is 'as are the others' 'KV_MUXBUS_PRESENCE MUXBUS MUXBUS_POSTS' made
probe publish muxbus.f.h.s.post '{"text":"deleted too"}'
until_is 'and a post is taken' 'deleted too' \
	sh -c "$(command -v echo) '{\"method\":\"list_notifications\"}' | socat -t 60 - 'UNIX-CONNECT:$MUXBUS' |
	jq -r '.result.notifications[].text | select(. == \"deleted too\")'"

# Presence.
until_is 'presence has the counts' 'up true' presence '"\(.state) \(.panes > 0)"'
kill -9 "$daemon_pid"
wait "$daemon_pid" 2>/dev/null
until_is 'and says that the daemon is down' down presence .state
is 'a request says so too' "$(rpc '{"method":"list_panes"}' .error.data.kind)" not_ready
probe publish muxbus.f.h.s.post '{"text":"posted 3"}'
start_daemon
until_is 'a post waits for the daemon' 'posted 1 posted 2 posted 3' posted
until_is 'presence is up again' up presence .state
kill_bridge TERM
is 'at its end it says so' "$(presence .state)" ended

: >"$dir/bridge.log"
# The stream is full: then it is not.
purge='$JS.API.STREAM.PURGE.MUXBUS'
config=$(probe request '$JS.API.STREAM.INFO.MUXBUS' '' | jq -c '.config')
stored=$(probe request '$JS.API.STREAM.INFO.MUXBUS' '' | jq .state.messages)
update() { # update FILTER: of the stream's configuration
	probe request '$JS.API.STREAM.UPDATE.MUXBUS' "$(echo "$config" | jq -c "$1")" >/dev/null
}
update ".max_msgs = $stored"
start_bridge --events none --allow 'reads,sees,cl*,narrow,execute_cli,read_audits'
post 'late 1'
post 'late 2'
until_is 'a full stream is said in the log' 1 count 'wait: maximum messages exceeded' "$dir/bridge.log"
is 'nothing is stored' "$(stream_texts | grep -c late)" 0
until_is 'a name of no method is said in the log' 1 count 'has no method "read_audits"' "$dir/bridge.log"
is 'a tool is granted by its name' "$(rpc '{"method":"claims"}' .result.text)" ran
is 'what is about the connection is not' "$(rpc '{"method":"narrow"}' .error.data.kind)" refused
rpc '{"method":"execute_cli","params":{"command":"cd /usr"}}' . >/dev/null
is 'a directory is not that of another requester' \
	"$(rpc '{"method":"execute_cli","params":{"command":"pwd"}}' .result.stdout)" "$dir"
is 'and the role is full then' "$(rpc "$wait_for" .result.timed_out)" false
update '.max_msgs = -1'
until_is 'it is stored when there is room' "late 1
late 2" sh -c "'$MUXBUS_BUILDDIR/tests/live/nats_probe' nats://127.0.0.1:$nats_port read MUXBUS | cut -f 3 | jq -r 'select(.text // \"\" | startswith(\"late\")).text'"
until_is 'and said' 1 count 'stored again' "$dir/bridge.log"
is 'purging' "$(probe request "$purge" '' | jq .success)" true

# Only one holds the cursor; and a wrong account.
is 'a second one for the same fleet ends' \
	"$("$MUXBUS_BUILDDIR/muxbus-nats" -S "$dir/tmux" --fleet f 2>&1 | grep -c 'another muxbus-nats')" 1
kill_bridge TERM
kill_nats
start_nats --user me --pass secret
: >"$dir/bridge.log"
start_bridge --user me --no-requests
until_is 'a wrong account is said' 1 count -i 'NATS: .*auth' "$dir/bridge.log"
kill_bridge TERM
echo secret >"$dir/password"
start_bridge --user me --password-file "$dir/password"
until_is 'with the password it works' 1 count 'publishing to stream' "$dir/bridge.log"
kill_bridge TERM
# The permissions of the manual are enough.
kill_nats
{
	echo 'accounts { A { jetstream: enabled, users: [ { user: me, password: secret,'
	sed -n '/^permissions {/,/^\.Ed/p' "$MUXBUS_SRCDIR/src/nats/muxbus-nats.8" | sed '/^\.Ed/d'
	echo '}, { user: all, password: all } ] } }'
	echo 'no_auth_user: all'
} >"$dir/nats.conf"
start_nats -c "$dir/nats.conf"
: >"$dir/bridge.log"
start_bridge --user me --password-file "$dir/password" --posts
until_is 'with the permissions of the manual it works' 1 count 'publishing to stream' "$dir/bridge.log"
post 'permitted'
until_is 'it publishes' permitted stream_texts
until_is 'it answers' 1 rpc '{"id":1,"method":"list_panes"}' .id
probe publish muxbus.f.h.s.post '{"text":"posted 4"}'
until_is 'it takes posts' 'posted 1 posted 2 posted 3 posted 4' posted
until_is 'and is present' up presence .state
is 'nothing else was needed' "$(count -i violation "$dir/bridge.log" "$dir/nats.log" | sed 's/.*://' | tr '\n' ' ')" '0 0 '

# A message that is larger than NATS takes is cut, also where NATS takes little, and took more when
# the message was made.
kill_nats
long_post() {
	ask "$(jq -nc '{method: "post_notification", params: {text: "long", data: {x: ("x" * 5000)}}}')" >/dev/null
}
long_post
{
	cat "$dir/nats.conf"
	echo 'max_payload: 3000'
} >"$dir/short.conf"
start_nats -c "$dir/short.conf"
until_is 'the bridge is back' 2 count 'publishing to stream' "$dir/bridge.log"
long_post
post 'behind it'
until_is 'behind a message that is too long' 'behind it' eval 'stream_texts | tail -n 1'
is 'which is cut' "$(probe read MUXBUS | grep -c '"truncated":true')" 2

# nats-server is down for more than muxbus-nats and the output of its connection have room for.
ended() {
	kill -0 "$daemon_pid" 2>/dev/null || echo ended
}
kill "$daemon_pid"
until_is 'muxbusd ends' ended ended
wait "$daemon_pid" 2>/dev/null
"$MUXBUS_BUILDDIR/muxbusd" -f -S "$dir/tmux" -o unread_bytes=1048576 2>>"$dir/muxbusd.log" &
daemon_pid=$!
until_is 'and begins with little room' yes sh -c "[ -S '$MUXBUS' ] && echo yes || echo no"
kill_nats
seq 5000 | sed 's/.*/{"method":"post_notification","params":{"text":"many &"}}/' |
	socat -t 60 - "UNIX-CONNECT:$MUXBUS" | grep -c '"seq"' >"$dir/count"
is '5,000 posts without nats-server' "$(cat "$dir/count")" 5000
start_nats -c "$dir/nats.conf"
many() {
	stream_texts | grep '^many ' | sort -u | wc -l
}
until_is 'are all stored' 5000 many
is 'once' "$(stream_texts | grep -c '^many ')" 5000

is 'a name that is no token is refused' \
	"$("$MUXBUS_BUILDDIR/muxbus-nats" --host a.b 2>&1 | grep -c 'must be 1 to 63')" 1
refused() { # refused OPTION...: its status, and whether it says why
	timeout 5 "$MUXBUS_BUILDDIR/muxbus-nats" "$@" >"$dir/said" 2>&1
	echo "$? $(sed 's/.*: error: //' "$dir/said")"
}
is 'so are two servers of tmux' "$(refused -L a -S b)" '2 muxbus-nats: --tmux-name: excludes --tmux-path'
is 'and credentials that are not there' "$(refused --creds "$dir/none" -S "$dir/tmux" --fleet g)" "1 $dir/none cannot be read: No such file or directory"

# A server names others, and hangs up before it has greeted: those of --url are asked, and no others.
cat >"$dir/liar" <<'END'
import select, socket, sys
liar, other = socket.create_server(("127.0.0.1", 0)), socket.create_server(("127.0.0.1", 0))
print(liar.getsockname()[1], flush=True)
peer = liar.accept()[0]
peer.sendall(b'INFO {"server_id":"x","version":"2.9.0","max_payload":1048576,"connect_urls":["127.0.0.1:%d"]}\r\n' % other.getsockname()[1])
peer.recv(1)
peer.close()
print(["another", "the same"][liar in select.select([liar, other], [], [], 20)[0]], flush=True)
END
kill_bridge TERM
/usr/bin/python3 "$dir/liar" >"$dir/asked" &
liar_pid=$!
until_is 'a server' 1 count . "$dir/asked"
nats_port=$(cat "$dir/asked")
start_bridge
wait $liar_pid
is 'the same one is asked again' "$(tail -n 1 "$dir/asked")" 'the same'

# A server that says anything of itself: what it does not take waits, and the log says why.
stand_in() { # stand_in MEMBERS: of its INFO
	kill_bridge TERM
	: >"$dir/asked"
	: >"$dir/bridge.log"
	/usr/bin/python3 "$MUXBUS_SRCDIR/tests/live/nats_stand_in.py" "$1" >"$dir/asked" &
	liar_pid=$!
	until_is "a server with $1" 1 count '^[0-9]' "$dir/asked"
	nats_port=$(head -n 1 "$dir/asked")
	start_bridge
	post 'to anyone'
}
for members in '{"max_payload":0}' '{"max_payload":-1}' '{"max_payload":9}' '{"headers":false}' '{"max_payload":"x"}'; do
	stand_in "$members"
	until_is 'takes nothing, and that is said once' 1 count 'NATS: \|events and notifications wait: ' "$dir/bridge.log"
	kill $liar_pid
done
stand_in '{"max_payload":9223372036854775807,"nonce":"x","cluster":5,"tls_required":false}'
until_is 'takes all' yes sh -c "grep -q notification.post '$dir/asked' && echo yes || echo no"
is 'and nothing is wrong' "$(count 'NATS: \|wait: ' "$dir/bridge.log")" 0
kill $liar_pid

# A muxbusd that refuses the first request of each kind: it is made again. Each fleet has its own consumer.
kill_bridge TERM
cat >"$dir/refuse" <<'END'
import json
import socket
import sys
import threading

NOTE = {"seq": 1, "id": "n1", "source": "post", "text": "x"}
RESULTS = {"subscribe": {"subscription": "1"}, "list_notifications": {"notifications": [NOTE]}}
asked = set()


def serve(peer):
    for line in peer.makefile():
        request = json.loads(line)
        method = request["method"]
        print(method, json.dumps(request.get("params")), flush=True)
        answer = {"jsonrpc": "2.0", "id": request.get("id")}
        if method in ("list_notifications", "ack_notification") and method not in asked:
            asked.add(method)
            answer["error"] = {"code": 17, "message": "not now"}
        else:
            answer["result"] = RESULTS.get(method, {})
            RESULTS.pop("list_notifications", None) if method == "list_notifications" else None
        peer.sendall(json.dumps(answer).encode() + b"\n")


server = socket.socket(socket.AF_UNIX)
server.bind(sys.argv[1])
server.listen()
while True:
    threading.Thread(target=serve, args=(server.accept()[0],), daemon=True).start()
END
refuse() { # refuse FLEET
	: >"$dir/asked"
	: >"$dir/requests"
	rm -f "$dir/refusing"
	/usr/bin/python3 "$MUXBUS_SRCDIR/tests/live/nats_stand_in.py" '{}' >"$dir/asked" &
	liar_pid=$!
	/usr/bin/python3 "$dir/refuse" "$dir/refusing" >"$dir/requests" &
	refuser_pid=$!
	until_is "a server for $1" 1 count '^[0-9]' "$dir/asked"
	nats_port=$(head -n 1 "$dir/asked")
	start_bridge -s "$dir/refusing" --fleet "$1"
	until_is 'a refused list is repeated' yes sh -c "[ \$(grep -c ^list_notifications '$dir/requests') -gt 1 ] && echo yes"
	until_is 'a refused acknowledgement too' 2 count ^ack_notification "$dir/requests"
	kill_bridge TERM
	kill $liar_pid $refuser_pid
	wait $liar_pid $refuser_pid
}
consumer() {
	sed -n 's/.*"consumer": *"\([^"]*\)".*/\1/p' "$dir/requests" | head -n 1
}
fleet=$(printf %062d 0)
refuse "${fleet}a"
one=$(consumer)
refuse "${fleet}b"
ok 'two fleets whose long names differ at the end have two consumers' test "$one" != "$(consumer)"
is 'with names that muxbusd takes' "${#one}" 64

if [ -w /dev/full ]; then
	"$MUXBUS_BUILDDIR/muxbus-nats" -V >/dev/full 2>"$dir/said"
	is 'a full disk is said' "$? $(grep -c 'No space left' "$dir/said")" '1 1'
fi
nats_logs
done_testing
