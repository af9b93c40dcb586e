#!/bin/sh
# SPDX-License-Identifier: ISC
# The tools of the server "files": one process for all panes, which works in the directory and for
# the pane of each caller; calls that hang or die leave others alone; and it is fast.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
need_python
export MUXBUS_TOOLS=/nonexistent
PATH="$MUXBUS_BUILDDIR:$PATH"
start 'exec sleep 3600'
cd "$dir" || exit 99
export MUXBUS_TOOLS="$dir/shipped"
umask 022
cp -r "$MUXBUS_SRCDIR/contrib/tools" shipped && chmod -R u+w,go-w shipped || exit 99
# own NAME TIMEOUT BODY: one more tool of the server, whose function has this body.
own() {
	printf '{"name":"%s","group":"files","description":"A test.","timeout_sec":%s,"server":%s}\n' "$1" "$2" \
		'{"name":"files","command":["./files_server"],"per":"daemon","idle_sec":600}' >"shipped/$1.json"
	printf 'import os, signal, time\nfrom tool import run\ndef %s(_):\n    %s\nrun(%s)\n' "$1" "$3" "$1" >"shipped/$1"
}
own where 30 'return {"server": os.getppid(), "umask": os.umask(0o22), "home": os.environ["HOME"], "tmux": os.environ.get("TMUX_PANE")}'
own hang 1 'time.sleep(3600)'
own hang_long 3600 'time.sleep(3600)'
own late 30 'time.sleep(1.5); return {"text": "late"}'
own die 30 'os.kill(os.getpid(), signal.SIGKILL)'
own memory 30 'raise MemoryError'
own much 30 'return {"text": "x" * 20000000}'
kill_daemon

servers() {
	ask '{"method":"list_tools"}' | jq -r ".result.servers | $1"
}
# get TOOL PARAMS [FILTER]
get() {
	call "$1" "$2"
	field "${3:-.result.text // .error.message}"
}
# workers SERVER: how many children it has.
workers() {
	cat /proc/[0-9]*/stat 2>/dev/null | awk -v server="$1" '$4 == server && $3 != "Z"' | wc -l
}
# few SERVER MOST: yes, if it has no more than that.
few() {
	[ "$(workers "$1")" -gt "$2" ] || echo yes
}
mkdir one two
seq 3 >one/f
seq 4 >two/f
one=$(t new-window -dP -F '#{pane_id}' -c "$dir/one" 'exec sleep 3600')
two=$(t new-window -dP -F '#{pane_id}' -c "$dir/two" 'exec sh')

# ---- one process for all
is 'before the first call there is no process' "$(servers length)" 0
is 'a file of a pane' "$(get read_file "{\"path\":\"f\",\"pane\":\"$one\"}")" "$(seq 3)"
server=$(servers '.[] | select(.name == "files").pid')
is 'of another one' "$(get read_file "{\"path\":\"f\",\"pane\":\"$two\"}")" "$(seq 4)"
t send-keys -t "$two" "cd '$dir/one'" Enter
until_is 'of a pane that has gone elsewhere' "$(seq 3)" get read_file "{\"path\":\"f\",\"pane\":\"$two\"}"
is 'one process served them' "$(servers 'map("\(.name) \(.pane) \(.pid)") | join(", ")')" "files null $server"
is 'whose child does the work' "$(get where '{}' '.result.server')" "$server"
is 'as the daemon would' "$(get where '{}' '.result | "\(.umask) \(.home) \(.tmux)"')" "18 $HOME null"
is 'an answer has its members, and no others' "$(get read_file "{\"path\":\"f\",\"pane\":\"$one\"}" '.result | tojson')" \
	'{"text":"1\n2\n3\n","unit":"lines","start":1,"end":3,"lines":3,"bytes":6}'
is 'an error is that of the program' "$(get read_file '{"path":"/proc/nonexistent"}' '.error | "\(.data.kind) \(.message)"')" \
	'tool_failed read_file: /proc/nonexistent: No such file or directory'
is 'a second spelling counts' "$(get read_file "{\"file_path\":\"f\",\"end\":3,\"pane\":\"$one\"}" '.result | "\(.unit) \(.text[:3])"')" \
	"$(printf 'characters 1\n2')"
is 'but not for the next call' "$(get read_file "{\"path\":\"f\",\"end\":1,\"pane\":\"$one\"}" '.result | "\(.unit) \(.text)"')" 'lines 1'
is 'what the pane has seen is known' "$(get write_file "{\"path\":\"f\",\"content\":\"\",\"pane\":\"$two\"}" .result.text)" \
	"replaced $dir/one/f: 0 bytes, 0 lines"
seq 9 >one/f
get read_file "{\"path\":\"f\",\"end\":1,\"pane\":\"$one\"}" >part
is 'and what it has not' "$(get write_file "{\"path\":\"f\",\"content\":\"\",\"pane\":\"$one\"}" .error.message | cut -c -40)" \
	'write_file: you have seen a part of '"$(printf %.4s "$dir")"
odd=$(printf 'caf\351')
mkdir "$odd" && echo odd >"$odd/f"
is 'a directory whose name is not UTF-8' "$(cd "$odd" && muxbus read_file path=f | jq -j .text 2>/dev/null || :)" odd

# ---- many at once
for i in $(seq 20); do seq "$i" >"many$i"; done
seq 20 | jq -c '{id: ., method: "read_file", params: {path: "~/many\(.)"}}' | socat -t 60 - "UNIX-CONNECT:$MUXBUS" >answers
is '20 calls at once are right' "$(jq -c 'select(.id == .result.lines and .result.end == .id)' answers | wc -l)" 20
until_is 'of their processes a few stay' yes few "$server" 4

# ---- calls that hang or die
before=$(workers "$server")
printf '{"method":"hang_long"}\n' | socat -t 3600 - "UNIX-CONNECT:$MUXBUS" >/dev/null &
hanging=$!
ask '{"method":"hang"}' >hung &
until_is 'two calls hang' 2 servers '.[].running'
is 'and others go on' "$(get read_file "{\"path\":\"$dir/many2\"}")" "$(seq 2)"
wait $!
is 'one ends at its time' "$(jq -r .error.message hung)" \
	'hang: the server "files" did not answer within 1 s; the call is cancelled, its effect unknown'
kill $hanging
until_is 'the other with its caller' 0 servers '.[].running'
until_is 'their processes end' yes few "$server" "$before"
is 'a call that is killed' "$(get die '{}' .error.message)" 'die: its program was killed by signal 9, Killed'
is 'one without memory' "$(get memory '{}' .error.message | tail -n 1)" MemoryError
is 'one with too long an answer' "$(get much '{}' .error.data.kind)" tool_failed
is 'the server is the same' "$(get where '{}' .result.server)" "$server"

# ---- ends
ask '{"method":"hang_long"}' >hung &
until_is 'a call hangs' 1 servers '.[].running'
ok 'its processes are found' [ "$(pgrep -fc "$dir/shipped/files_server")" -ge 2 ]
kill -9 "$server"
wait $!
is 'a server that is killed' "$(jq -r .error.data.kind hung)" gone
until_is 'its processes end with it' '' pgrep -f "$dir/shipped/files_server"
next=$(get where '{}' .result.server)
ok 'the next call has another one' [ "$next" -gt 0 ]
kill -STOP "$next" # an answer that the killed daemon had not read would be lost
begun=$(get late '{"wait":false}' .result.id)
call write_file "{\"path\":\"$dir/kept\",\"content\":\"whole\",\"wait\":false}"
written=$(field .result.id)
kill_daemon
kill -CONT "$next"
is 'it outlives the daemon' "$(get where '{}' .result.server)" "$next"
for id in $written $begun; do
	call next_notification "{\"filter\":{\"id\":\"$id\"},\"timeout_sec\":20}"
	is 'how a call ended over kill -9 of the daemon is known' "$(field '.result.notifications | "\(length) \(.[0].text)"')" '1 done'
done
is 'with its answer' "$(get get_tool_answer "{\"id\":\"$begun\"}")" late
is 'and its effect' "$(cat kept)" whole
params="{\"path\":\"$dir/many2\"}"
begin=$(date +%s%3N)
seq 40 | jq -c --argjson params "$params" '{id: ., method: "read_file", params: $params, wait_for_previous: true}' |
	while read -r line; do printf '%s\n' "$line"; done | socat -t 60 - "UNIX-CONNECT:$MUXBUS" >answers
served=$(($(date +%s%3N) - begin))
begin=$(date +%s%3N)
for _ in $(seq 40); do
	printf '{"path":["%s"]}' "$dir/many2" | shipped/read_file >/dev/null
done
started=$(($(date +%s%3N) - begin))
is '40 calls on a connection' "$(jq -c 'select(.result.lines == 2)' answers | wc -l)" 40
ok "are faster than 40 programs: $served ms, $started ms" [ "$served" -lt "$started" ]
sed -i 's/"idle_sec": *600/"idle_sec":1/' shipped/*.json
kill_daemon
get where '{}' >/dev/null
until_is 'without calls it ends' off servers '.[].state'
is 'and its processes' "$(pgrep -f "$dir/shipped/files_server")" ''
done_testing
