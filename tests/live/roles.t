#!/bin/sh
# SPDX-License-Identifier: ISC
# Roles: the socket for readers, connections that were narrowed, and a bridge with a role. What a
# role does not allow has no effect.
. "${MUXBUS_SRCDIR:-.}/tests/live/live.sh"

need python3

muxbus=$MUXBUS_BUILDDIR/muxbus
group=$(id -gn)
mcp_wait_sec=1

readers=$(mktemp -u /tmp/mbt-readers-XXXXXX),mode=0660,group=$group
start 'stty -echo raw; exec cat >"$HOME/victim"'
readers=${readers%%,*}

# read LINE...: one connection to the socket for readers.
read_only() {
	printf '%s\n' "$@" | socat -t 60 - "UNIX-CONNECT:$readers" >"$dir/answers"
}

# last NAME: the last line of a file, which may not be there yet.
last() {
	tail -n 1 "$dir/$1" 2>/dev/null || :
}

# kinds: of the answers, one word each.
kinds() {
	jq -r '.error.data.kind // "done"' "$dir/answers" | tr '\n' ' '
}

is 'the socket for readers has its mode and group' "$(stat -c '%a %G' "$readers")" "660 $group"
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	as_other() { # as_other GROUP SOCKET: the answer to another user who is in a group
		printf '%s\n' '{"method":"list_sessions"}' |
			setpriv --reuid=65534 --regid="$1" --clear-groups socat -t 60 - "UNIX-CONNECT:$2" 2>&1 | tr '\n' ' '
	}
	chmod 711 "$dir"
	is 'who is in its group reads there' "$(as_other 0 "$readers" | jq -r '.result.sessions[0].name')" main
	is 'and another user does not' "$(as_other 65534 "$readers" | grep -c 'Permission denied')" 1
	is 'nor does one of the group by the other socket' "$(as_other 0 "$MUXBUS" | grep -c 'Permission denied')" 1
	chmod 666 "$MUXBUS"
	is 'the daemon asks the kernel who it is' "$(as_other 0 "$MUXBUS" | grep -c main)" 0
	chmod 600 "$MUXBUS"
fi
read_only '{"method":"list_panes"}' '{"method":"capture_pane","params":{"pane":"%0"}}' \
	'{"method":"wait_for","params":{"any":[{"sec":0.01}]}}' '{"method":"status"}'
is 'it reads' "$(kinds)" 'done done done done '
read_only '{"method":"list_notifications","params":{"consumer":null}}'
is 'a parameter that is null is none' "$(kinds)" 'done '
is 'the meter, which is kept, does not count it' "$(ask '{"method":"meter"}' | jq .result.waits_answered)" 0
case ${MUXBUS_TEST_ATTACH:-} in
'')
	read_only '{"method":"subscribe","params":{"output":true}}'
	is 'it makes the daemon no client of tmux' "$(kinds)$(t list-clients | wc -l | tr -d ' ')" 'forbidden 0'
	call read_audit '{"method":"subscribe"}'
	is 'and that is recorded' "$(field '.result.actions[-1] | "\(.role) \(.outcome)"')" 'read_only forbidden' ;;
esac
read_only '{"method":"send_text","params":{"pane":"%0","text":"x","force":true}}' \
	'{"method":"run_tmux","params":{"command":["send-keys","-t","%0","x"],"force":true}}' \
	'{"method":"next_notification","params":{"timeout_sec":0}}' \
	'{"method":"list_notifications","params":{"consumer":"new"}}' \
	'{"method":"wait_for","params":{"any":[{"file":"/etc/passwd"}],"timeout_sec":0.01}}' \
	'{"method":"wait_for","params":{"any":[{"sec":9}],"wait":"named"}}' \
	'{"method":"narrow","params":{"role":"own_panes"}}' '{"method":"narrow","params":{"pane":"%0"}}' \
	'{"method":"provide","params":{"methods":[]}}' '{"method":"shutdown"}'
is 'and does nothing else, by no parameter' "$(kinds)" \
	'forbidden forbidden forbidden forbidden forbidden forbidden forbidden forbidden forbidden forbidden '
long=$(head -c 70000 /dev/zero | tr '\0' y)
read_only "{\"id\":1,\"method\":\"ping\",\"x\":\"$long\"}" '{"id":2,"method":"ping"}'
is 'its lines are short' "$(jq -c '[.id, .error.data.kind]' "$dir/answers" | tr '\n' ' ')" '[1,"invalid_request"] [2,null] '
many=$(for i in $(seq 60); do printf '%s{"output":"never %s","pane":"%%0"}' "${between-}" "$i"; between=,; done)
for i in $(seq 18); do echo "{\"id\":$i,\"method\":\"wait_for\",\"params\":{\"any\":[$many],\"timeout_sec\":1}}"; done >"$dir/lines"
socat -t 60 - "UNIX-CONNECT:$readers" <"$dir/lines" >"$dir/answers"
is 'its waits have a common maximum' "$(jq -r '.error.data.kind // "waited"' "$dir/answers" | sort | uniq -c | xargs)" '1 limit 17 waited'
call list_watches '{}'
is 'no wait was kept' "$(field '.result.watches | length')" 0

# What an answer to another did not show, which may be of a file, is not read by its number.
long_answer='{"id":1,"method":"tools/call","params":{"name":"describe","arguments":{}}}'
rest_of() { grep -o 'R[0-9a-f]\{8\}' | head -n 1; }
theirs=$(ask "$long_answer" | rest_of)
read_only "$long_answer"
own=$(rest_of <"$dir/answers")
read_only "{\"method\":\"read_rest\",\"params\":{\"id\":\"$theirs\"}}" \
	"{\"method\":\"read_rest\",\"params\":{\"id\":\"$own\"}}" '{"method":"get_tool_answer","params":{"id":"A1B2"}}'
is "a reader reads on in its own answers only" "$(kinds)" 'gone done forbidden '
is 'others in theirs' "$(ask "{\"method\":\"read_rest\",\"params\":{\"id\":\"$theirs\"}}" | jq -r '.result.from')" 0

# A reader's wait takes nothing from others.
call run_long_command '{"command":"true","pane":"%0"}'
job=$(field .result.id)
read_only "{\"method\":\"wait_for\",\"params\":{\"any\":[{\"job\":\"$job\"}],\"timeout_sec\":60}}" \
	"{\"method\":\"wait_for\",\"params\":{\"any\":[{\"notification\":{\"id\":\"$job\"}}],\"timeout_sec\":60}}"
is 'a reader sees the end of a job' "$(kinds)" 'done done '
call list_notifications '{}'
is 'and its notification is not taken' \
	"$(field ".result.notifications[] | select(.id == \"$job\") | .delivery.way != \"waited\"")" true

# An MCP server with a role.
# mcp OPTION PARAMS...: tools/call of each; the names of the tools go to $dir/tools.
mcp() {
	mcp_option=$1
	shift
	{
		echo '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}'
		echo '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
		echo '{"jsonrpc":"2.0","id":3,"method":"prompts/list"}'
		echo '{"jsonrpc":"2.0","id":4,"method":"prompts/get","params":{"name":"watch_build","arguments":{"command":"make"}}}'
		for params; do
			printf '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":%s}\n' "$params"
		done
	} | "$muxbus" -S "$dir/tmux" mcp --tools=all "$mcp_option" >"$dir/mcp"
	jq -r 'select(.id == 1) | .result.tools[].name' "$dir/mcp" >"$dir/tools"
}
mcp --read-only '{"name":"send_keys","arguments":{"pane":"%0","keys":"x"}}' '{"name":"list_panes","arguments":{}}'
is 'a bridge that reads lists no tool that does more' \
	"$(grep -c -x -e capture_pane -e list_panes "$dir/tools") $(grep -c -x -e send_keys -e run_tmux -e sleep "$dir/tools")" '2 0'
is 'and offers no prompt that does more' \
	"$(jq -r 'select(.id == 3) | [.result.prompts[].name] | join(" ")' "$dir/mcp") $(jq -r 'select(.id == 4) | .error.code' "$dir/mcp")" 'catch_up -32602'
is 'a call of one is an error, one that reads is not' \
	"$(jq -r 'select(.id == 2) | .result | ._meta["muxbus/error"].kind // "done"' "$dir/mcp" | tr '\n' ' ')" 'forbidden done '
mcp --own-panes '{"name":"run_tmux","arguments":{"command":["list-keys"]}}'
is 'one with its own panes lists what it may do there, and no more' \
	"$(grep -c -x -e capture_pane -e create_pane -e send_keys -e run_long_command "$dir/tools") $(grep -c -x -e run_tmux -e close_window -e ensure_agent -e shutdown -e set_option "$dir/tools")" '4 0'
is 'nor has it a call of another' "$(jq -r 'select(.id == 2) | .result._meta["muxbus/error"].kind' "$dir/mcp")" forbidden
mcp --read-only '{"name":"wait_for","arguments":{"any":[{"sec":60}],"timeout_sec":90}}'
is 'its waits end, and are not kept: that would be a notification' \
	"$(jq -c 'select(.id == 2) | .result.structuredContent | [.status, .timed_out]' "$dir/mcp")" '[null,true]'
"$muxbus" -S "$dir/tmux" mcp --read-only --own-panes </dev/null 2>"$dir/error"
is 'one role at a time' $? 2

# peer NAME STEP...: a peer in a new pane; its pane is $peer, its answers $dir/NAME.
peer() {
	peer_name=$1
	shift
	: >"$dir/$peer_name.sh"
	printf "exec python3 '%s/tests/live/role_peer.py' '%s' '%s'" "${MUXBUS_SRCDIR:-.}" "$MUXBUS" "$dir/$peer_name" >"$dir/$peer_name.sh"
	for step; do
		printf " '%s'" "$step" >>"$dir/$peer_name.sh"
	done
	peer=$(t new-window -d -P -F '#{pane_id}' "sh '$dir/$peer_name.sh'; exec cat >'$dir/$peer_name.typed'")
}
narrow='{"method":"narrow","params":{"role":"own_panes"}}'
peer own "$narrow" \
	'{"method":"create_pane","params":{"command":"exec cat","focus":true}}' \
	'{"method":"create_pane","params":{"command":"exec cat","direction":"horizontal"}}' \
	'{"method":"list_panes"}' \
	'{"method":"run_long_command","params":{"command":"true"}}' \
	'{"method":"sleep","params":{"seconds":3600}}' \
	'{"method":"report_agent","params":{"agent":"fix","state":"busy"}}' \
	'{"method":"post_notification","params":{"text":"to myself","pane":"own"}}' \
	'{"method":"next_notification","params":{"timeout_sec":0}}' \
	'{"method":"send_text","params":{"pane":"%0","text":"x","force":true}}' \
	'{"method":"send_keys","params":{"pane":"main:0","keys":"x","force":true}}' \
	'{"method":"close_pane","params":{"pane":"%0","force":true}}' \
	'{"method":"report_agent","params":{"agent":"fix","pane":"%0","state":"gone"}}' \
	'{"method":"ack_notification","params":{"up_to":9999}}' \
	"{\"method\":\"stop_job\",\"params\":{\"job\":\"$job\"}}" \
	'{"method":"post_notification","params":{"text":"x","pane":"%0"}}' \
	'{"method":"watch_log","params":{"file_path":"/etc/passwd","regex":"x","pane":"%0"}}' \
	'{"method":"set_wake_policy","params":{"pane":"%0","window_ms":1000}}' \
	'{"method":"set_wake_policy","params":{"agent":"other","window_ms":1000}}' \
	'{"method":"run_tmux","params":{"command":["list-panes"]}}' \
	'{"method":"close_window","params":{"window":"main:0"}}' \
	'{"method":"narrow","params":{"role":"full"}}' '{"method":"narrow"}'
until_is 'a peer that has its own panes is done' end last own
sed -i '$d' "$dir/own"
cp "$dir/own" "$dir/answers"
is 'narrow says which pane is its own' "$(tail -n 1 "$dir/own" | jq -r .result.pane)" "$peer"
is 'what it makes does not take what a person types' "$(sed -n 2p "$dir/own" | jq -r '.error.data.kind + (.error.message | contains("focus") | tostring)')" 'forbiddentrue'
sed -i 2d "$dir/answers"
is 'it works in its own pane and those it made, and reads' "$(kinds)" \
	'done done done done done done no_such_pane done forbidden forbidden forbidden forbidden forbidden forbidden forbidden forbidden forbidden forbidden forbidden forbidden forbidden done '

# README's session and story, by an agent whose bridge has its own panes only.
cat >"$dir/story.sh" <<EOF
call() { printf '{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"%s","arguments":%s}}\n' "\$1" "\$2" "\$3"; }
answer() { tries=0; until line=\$(jq -c "select(.id == \$1)" "$dir/story" 2>/dev/null) && [ -n "\$line" ] || [ \$((tries += 1)) -gt 500 ]; do sleep 0.02; done; printf '%s\n' "\$line"; }
mkfifo "$dir/story.in"
"$muxbus" -S "$dir/tmux" mcp --own-panes --tools=all <"$dir/story.in" >"$dir/story" &
exec 9>"$dir/story.in"
echo '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}' >&9
call 1 list_panes '{}' >&9
call 2 create_pane '{"command":"cat","direction":"horizontal"}' >&9
made=\$(answer 2 | jq -r .result.structuredContent.pane)
call 3 send_text "{\"pane\":\"\$made\",\"text\":\"hello; \\\$HOME\",\"enter\":true}" >&9
call 4 wait_for "{\"any\":[{\"screen\":\"(?s)hello.*hello\",\"pane\":\"\$made\"}],\"timeout_sec\":9}" >&9
answer 4 >/dev/null
call 5 capture_pane "{\"pane\":\"\$made\"}" >&9
answer 5 >/dev/null
call 6 close_pane "{\"pane\":\"\$made\"}" >&9
call 7 gemini_sleep '{"seconds":600,"text":"tea"}' >&9
call 8 run_long_command '{"command":"echo 1 of 40 failed; exit 2"}' >&9
id=\$(answer 8 | jq -r .result.structuredContent.id)
call 9 next_notification "{\"id\":\"\$id\",\"timeout_sec\":20}" >&9
call 10 get_job "{\"job\":\"\$id\"}" >&9
answer 10 >/dev/null
exec 9>&-
wait
echo end >>"$dir/story.end"
exec cat
EOF
t new-window -d "sh '$dir/story.sh' 2>'$dir/story.error'"
until_is "an agent with its own panes only gets through README's story" end last story.end
is 'without an error' "$(jq -s -c '[.[] | select(.id > 0) | .result.isError // false] | [length, any]' "$dir/story")" '[10,false]'
is 'it has typed, and is told of its job' \
	"$(jq -r 'select(.id == 5) | .result.content[0].text' "$dir/story" | grep -c -F 'hello; $HOME') $(jq -r 'select(.id == 9) | .result.structuredContent.notifications[0].data.exit_code' "$dir/story")" '2 2'

# Providers and declared tools say themselves what they do.
mkfifo "$dir/provide"
socat -t 86400 - "UNIX-CONNECT:$MUXBUS" <"$dir/provide" >"$dir/provided" &
provider=$!
exec 8>"$dir/provide"
echo '{"method":"provide","params":{"methods":[{"name":"harmless","summary":"A method.","effects":["reads"]}]}}' >&8
until_is 'a provider claims to read alone' harmless sh -c "jq -r '.result.methods[0]' '$dir/provided' 2>/dev/null"
read_only '{"method":"harmless"}'
is 'no reader can call it' "$(kinds)" 'forbidden '
mcp --read-only '{"name":"harmless","arguments":{}}'
is 'nor by a bridge that reads' \
	"$(jq -r 'select(.id == 2) | .result._meta["muxbus/error"].kind // .error.code' "$dir/mcp") $(grep -c -x harmless "$dir/tools")" '-32602 0'
peer claimed "$narrow" '{"method":"harmless"}'
until_is 'a peer with its own panes has asked' end last claimed
is 'nor can that' "$(sed -n 2p "$dir/claimed" | jq -r .error.data.kind)" forbidden
is 'and the provider has no call' "$(wc -l <"$dir/provided" | tr -d ' ')" 1
echo '{"method":"narrow","params":{"role":"read_only"}}' >&8
until_is 'a provider narrows itself' read_only sh -c "sed -n 2p '$dir/provided' | jq -r .result.role"
printf '{"method":"harmless"}\n' | socat -t 2 - "UNIX-CONNECT:$MUXBUS" >/dev/null &
until_is 'and provides what it gave before' harmless sh -c "sed -n 3p '$dir/provided' | jq -r .method"
exec 8>&-
kill $provider

# The agent that is meant where none is named can be that of another.
call ensure_agent "{\"name\":\"only\",\"command\":\"exec cat >'$dir/only.typed'\"}"
peer unnamed "$narrow" \
	'{"method":"send_task","params":{"text":"x","wait":false}}' \
	'{"method":"respond","params":{"text":"x","wait":false}}' \
	'{"method":"respond_to_gemini","params":{"response":"x","wait":false}}'
until_is 'a peer that names no agent is done' end last unnamed
sed -i -e 1d -e '$d' "$dir/unnamed"
cp "$dir/unnamed" "$dir/answers"
is 'it may not type into the only agent' "$(kinds)" 'forbidden forbidden forbidden '
is 'and the agent has nothing' "$(wc -c <"$dir/only.typed" | tr -d ' ')" 0
call stop_agent '{"agent":"only"}'
is 'the daemon has not ended' "$(field .result.agent)" only

# What is addressed to others: a session of another agent, in a report and in the words of an MCP
# client, and a notification that has a key.
thread=019a0000-0000-7000-8000-000000000001
call report_agent '{"agent":"claude","session":"victim","pane":"%0","state":"busy"}'
call report_agent "{\"agent\":\"codex\",\"session\":\"$thread\",\"pane\":\"%0\",\"state\":\"busy\"}"
call post_notification '{"text":"for another","key":"theirs","pane":"%0"}'
note=$(field .result.seq)
claims() { # of the sessions: the pane that each is in
	ask '{"method":"list_agents"}' | jq -r '[.result.agents[] | select(.thread == "victim" or .thread == "'$thread'") | .pane] | join(" ")'
}
claims_before=$(claims)
peer speaker "$narrow" \
	'{"method":"report_agent","params":{"agent":"claude","session":"victim","state":"idle"}}' \
	"{\"method\":\"report_agent\",\"params\":{\"agent\":\"codex\",\"session\":\"${thread%1}2\",\"state\":\"idle\"}}" \
	'{"method":"post_notification","params":{"text":"x","key":"theirs"}}' \
	'{"jsonrpc":"2.0","id":5,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"codex-mcp-client","version":"1"}}}' \
	"{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"tools/call\",\"params\":{\"name\":\"gemini_sleep\",\"arguments\":{\"seconds\":3600},\"_meta\":{\"threadId\":\"$thread\"}}}"
until_is 'a peer that speaks for others is done' end last speaker
sed -i -e 1d -e '$d' "$dir/speaker"
cp "$dir/speaker" "$dir/answers"
is 'it may not' "$(kinds)" 'forbidden forbidden done done done '
is 'their sessions are where they were' "$(claims)" "$claims_before"
is 'and nothing is said to them' "$(jq -r 'select(.id == 6) | .result.structuredContent.wake.way' "$dir/answers")" none
call list_notifications '{}'
is 'the notification of another is as it was' "$(field ".result.notifications[] | select(.seq == $note) | .count // 1")" 1
call ack_notification "{\"up_to\":$note}" # none of them is to be typed

# Keys of requests: those of a peer with its own panes are its own, whatever others guess.
call sleep '{"seconds":3600,"pane":"%0","key":"guessed"}'
full=$(field .result.id)
call post_notification '{"text":"of all","key":"posted"}'
counted=$(field .result.seq)
peer keys "$narrow" '{"method":"sleep","params":{"seconds":3600,"key":"guessed"}}' \
	'{"method":"sleep","params":{"seconds":3600,"key":"guessed"}}' \
	'{"method":"sleep","params":{"seconds":3601,"key":"mine"}}' \
	'{"method":"sleep","params":{"seconds":3602,"key":"mine"}}' \
	'{"method":"post_notification","params":{"text":"x","key":"posted"}}' \
	'{"method":"post_notification","params":{"text":"y","key":"posted"}}' \
	"wait:$dir/keys.again" connect "$narrow" '{"method":"sleep","params":{"seconds":3601,"key":"mine"}}'
until_is 'a peer has used keys' 6 sh -c "grep -s -c result '$dir/keys' || :"
until_is 'and posted' 7 sh -c "wc -l <'$dir/keys'"
sed -n 2,3p "$dir/keys" >"$dir/answers"
is 'a key that is used by others is free' \
	"$(jq -s -r '"\(.[0].result.id != "'"$full"'") \(.[0].result.repeated) \(.[1].result.id == .[0].result.id) \(.[1].result.repeated)"' "$dir/answers")" 'true null true true'
is 'used twice it is refused' "$(sed -n 5p "$dir/keys" | jq -r .error.data.field)" key
is 'a post is counted into its own alone' \
	"$(sed -n 6,7p "$dir/keys" | jq -s -r '"\(.[0].result.seq != '"$counted"') \(.[0].result.repeated) \(.[0].result.seq == .[1].result.seq)"')" 'true null true'
mine=$(sed -n 4p "$dir/keys" | jq -r .result.id)
call sleep '{"seconds":3603,"pane":"%0","key":"mine"}'
is 'its key is free for all' "$(field ".result.id != \"$mine\"")" true
call post_notification '{"text":"of all","key":"posted"}'
is 'and posts of all are counted into theirs' "$(field .result.seq)" "$counted"
kill_daemon
touch "$dir/keys.again"
until_is 'after kill -9 it goes on' end last keys
is 'and has its keys' "$(sed -n 9p "$dir/keys" | jq -r '"\(.result.id) \(.result.repeated)"')" "$mine true"
for seq in $(sed -n 6,7p "$dir/keys" | jq .result.seq) $counted; do
	call cancel_notification "{\"seq\":$seq}"
done

# A connection that is handed to a program in another pane stays that of the first one.
peer taker "take:$dir/passed" \
	'{"method":"send_text","params":{"text":"mine","enter":true}}'
taker=$peer
peer giver "$narrow" "give:$dir/passed"
giver=$peer
until_is 'a connection is handed on' end last taker
is 'it types where its first program is' "$(sed -n 1p "$dir/taker" | jq -r .result.pane)" "$giver"
t kill-pane -t "$taker"

# A pane that it made, until a person respawns it; and keys that tmux gives to other panes too, which
# it does not announce.
loses_pane() { # loses_pane NAME WHEN
	peer "$1" "$narrow" '{"method":"create_pane","params":{"command":"exec cat","direction":"horizontal"}}' \
		'{"method":"send_text","params":{"pane":"MADE","text":"x"}}' "wait:$dir/respawned.$1" \
		'{"method":"close_pane","params":{"pane":"MADE","force":true}}' \
		'{"method":"send_text","params":{"pane":"MADE","text":"x","force":true}}' \
		'{"method":"send_text","params":{"text":"x","force":true}}'
	until_is "a peer has made a pane, and types there, $2" 3 sh -c "grep -s -c result '$dir/$1' || :"
	made=$(sed -n 2p "$dir/$1" | jq -r .result.pane)
	t respawn-pane -k -t "$made" 'exec cat'
	t set-option -w -t "$made" synchronize-panes on
	touch "$dir/respawned.$1"
	until_is 'the peer is done' end last "$1"
	sed -i -e 1d -e '$d' "$dir/$1"
	cp "$dir/$1" "$dir/answers"
	is 'it has lost the pane, and may not type into it through its own' "$(kinds)" 'done done forbidden forbidden forbidden '
	t kill-window -t "$made"
}
# Keys for panes of its own window, which a person synchronizes meanwhile: tmux does not announce it.
shares_keys() { # shares_keys NAME WHEN
	peer "$1" "$narrow" '{"method":"create_pane","params":{"command":"exec cat","direction":"horizontal"}}' \
		'{"method":"create_pane","params":{"command":"exec cat","direction":"vertical"}}' \
		'{"method":"send_text","params":{"pane":"MADE","text":"apart"}}' "wait:$dir/$1.on" \
		'{"method":"send_keys","params":{"pane":"MADE","keys":"both"}}' \
		'{"method":"send_text","params":{"pane":"MADE","text":"both"}}' \
		'{"method":"send_text","params":{"pane":"MADE","text":"both","force":true}}' "wait:$dir/$1.split" \
		'{"method":"send_keys","params":{"pane":"MADE","keys":"x"}}' \
		'{"method":"send_text","params":{"pane":"MADE","text":"x","force":true}}' \
		'{"method":"send_text","params":{"text":"x"}}' "wait:$dir/$1.apart" \
		'{"method":"send_text","params":{"pane":"MADE","text":"again"}}'
	until_is "a peer has made panes, and types there, $2" 4 sh -c "grep -s -c result '$dir/$1' || :"
	one=$(sed -n 2p "$dir/$1" | jq -r .result.pane)
	made=$(sed -n 3p "$dir/$1" | jq -r .result.pane)
	t set-option -w -t "$made" synchronize-panes on
	touch "$dir/$1.on"
	until_is 'its own panes may get its keys together' 7 sh -c "grep -s -c result '$dir/$1' || :"
	until_is 'and get them' bothbothboth sh -c "tmux -S '$dir/tmux' capture-pane -p -t $one | head -n 1"
	theirs=$(t split-window -d -P -F '#{pane_id}' -t "$made" "stty -echo raw; exec cat >'$dir/$1.theirs'")
	touch "$dir/$1.split"
	until_is 'with the pane of another among them' 3 sh -c "grep -s -c '\"forbidden\"' '$dir/$1' || :"
	t set-option -p -t "$theirs" synchronize-panes off
	touch "$dir/$1.apart"
	until_is 'which gets no keys any more' 8 sh -c "grep -s -c result '$dir/$1' || :"
	until_is 'the peer is done' end last "$1"
	sed -i -e 1d -e '$d' "$dir/$1"
	cp "$dir/$1" "$dir/answers"
	is 'it could type where all are its own' "$(kinds)" 'done done done done done done forbidden forbidden forbidden done '
	is 'and nothing went into the pane of another' "$(cat "$dir/$1.theirs")" ''
	t kill-window -t "$made"
}
# A program outlives a person's restart of its own pane, which is another program's then.
outlives() { # outlives NAME WHEN
	peer "$1" "$narrow" '{"method":"send_text","params":{"text":"x"}}' "wait:$dir/$1.go" \
		'{"method":"send_text","params":{"text":"x"}}' '{"method":"send_keys","params":{"keys":"x"}}' \
		'{"method":"create_pane","params":{"command":"cat"}}'
	until_is "a peer types into its own pane, $2" 2 sh -c "grep -s -c result '$dir/$1' || :"
	t respawn-pane -k -t "$peer" "stty -echo raw; exec cat >'$dir/$1.next'"
	until_is 'which has another program' "$(t display-message -p -t "$peer" '#{pane_pid}')" \
		sh -c "printf '%s\n' '{\"method\":\"list_panes\"}' | socat -t 60 - 'UNIX-CONNECT:$MUXBUS' | jq '.result.panes[] | select(.pane == \"$peer\") | .pid'"
	touch "$dir/$1.go"
	until_is 'and the peer goes on' end last "$1"
	sed -i -e 1,2d -e '$d' "$dir/$1"
	cp "$dir/$1" "$dir/answers"
	is 'it has no pane any more' "$(kinds)" 'forbidden forbidden forbidden '
	is 'and has typed nothing' "$(cat "$dir/$1.next")" ''
}
loses_pane kept 'as the daemon is'
outlives outlived 'as the daemon is'

# A process outside of all panes that names one, as one that serves many does.
named=$(t new-window -d -P -F '#{pane_id}' 'exec cat')
mkfifo "$dir/named.in"
socat -t 86400 - "UNIX-CONNECT:$MUXBUS" <"$dir/named.in" >"$dir/named" &
namer=$!
exec 8>"$dir/named.in"
call get_pane "{\"pane\":\"$named\"}"
printf '%s\n' "{\"method\":\"narrow\",\"params\":{\"role\":\"own_panes\",\"pane\":\"$named\"}}" \
	"{\"method\":\"send_text\",\"params\":{\"pane\":\"$named\",\"text\":\"x\"}}" >&8
until_is 'who names a pane types there' 2 sh -c "grep -s -c result '$dir/named' || :"
t respawn-pane -k -t "$named" "stty -echo raw; exec cat >'$dir/named.next'"
printf '%s\n' '{"method":"list_panes"}' "{\"method\":\"send_text\",\"params\":{\"pane\":\"$named\",\"text\":\"x\"}}" \
	"{\"method\":\"send_text\",\"params\":{\"pane\":\"$named\",\"text\":\"x\"}}" >&8
until_is 'until another program is there' 2 sh -c "grep -s -c forbidden '$dir/named' || :"
is 'which has got nothing' "$(cat "$dir/named.next")" ''
exec 8>&-
kill $namer
shares_keys together 'as the daemon is'
mkfifo "$dir/follow"
socat -t 86400 - "UNIX-CONNECT:$MUXBUS" <"$dir/follow" >"$dir/output" &
subscriber=$!
exec 8>"$dir/follow"
echo '{"method":"subscribe","params":{"output":true}}' >&8
until_is 'somebody follows output' true sh -c "grep -s -q result '$dir/output' && echo true || :"
ok 'so the daemon is attached' test -n "$(t list-clients)"
loses_pane attached 'attached'
outlives outlived_attached 'attached'
shares_keys together_attached 'attached'
exec 8>&-
kill $subscriber

# A program outlives its pane: nothing that comes later is its own.
peer gone "$narrow" "wait:$dir/go" '{"method":"send_text","params":{"text":"x"}}' \
	'{"method":"create_pane","params":{"command":"cat"}}'
until_is 'a peer waits' 1 sh -c "grep -s -c own_panes '$dir/gone' || :"
t kill-pane -t "$peer"
until_is 'its pane is gone' 0 sh -c "tmux -S '$dir/tmux' list-panes -a -F '#{pane_id}' | grep -c -x '$peer' || :"
t new-window -d 'exec cat'
touch "$dir/go"
until_is 'and it goes on' end last gone
sed -i -e 1d -e '$d' "$dir/gone"
cp "$dir/gone" "$dir/answers"
is 'it has no pane any more' "$(kinds)" 'forbidden forbidden '
ok 'and is told so' grep -q 'you have none' "$dir/answers"

is 'nothing was typed into the pane of another' "$(wc -c <"$dir/victim" | tr -d ' ')" 0
done_testing
