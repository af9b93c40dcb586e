#!/bin/sh
# SPDX-License-Identifier: ISC
# An agent with a command of its own for messages to its session (codex queue) is told by that,
# word by word; by typing where the command fails, or hangs.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
start 'exec sleep 3600'
fake="$MUXBUS_BUILDDIR/tests/fake_agent"
[ -x "$fake" ] || skip_all 'the fake agent is not built'

mkdir "$dir/bin"
cat >"$dir/bin/codex" <<'END'
#!/bin/sh
dir=${0%/bin/codex}
for word; do printf '%s\n' "$word"; done >>"$dir/words"
echo "$CODEX_HOME" >>"$dir/home"
[ ! -e "$dir/is_slow" ] || . "$dir/slow"
[ ! -e "$dir/hang" ] || exec sleep 1000
[ ! -e "$dir/fail" ] || { echo 'no such day' && exit 3; }
END
chmod +x "$dir/bin/codex"
pane=$(t new-window -dP -F '#{pane_id}' "exec env PATH=$dir/bin:$PATH 'CODEX_HOME=$dir/of agent' $fake $dir/fake.log")
: >"$dir/fake.log"
: >"$dir/words"
until_is 'an agent is there' '>' sh -c "tmux -S $dir/tmux capture-pane -p -t $pane | tr -d ' \n'"

post() { # post TEXT: to the pane; prints its id
	ask "$(jq -nc --arg pane "$pane" --arg text "$1" '{method: "post_notification", params: {pane: $pane, text: $text}}')" |
		jq -r .result.id
}
fate() { # fate ID: state and way
	ask '{"method":"list_notifications","params":{"limit":1000}}' |
		jq -r ".result.notifications[] | select(.id == \"$1\") | \"\(.state) \(.delivery.way)\""
}
marks() { # marks ID: how often it came again
	ask '{"method":"list_notifications","params":{"limit":1000}}' |
		jq ".result.notifications[] | select(.id == \"$1\").redelivered"
}
report() { # report STATE
	ask "{\"method\":\"report_agent\",\"params\":{\"agent\":\"codex\",\"session\":\"019a-0:x\",\"pane\":\"$pane\",\"state\":\"$1\"}}" |
		jq -r .result.state
}

is 'an agent with a session' "$(report busy)" busy
id=$(post '$(id) `id`; "quoted" --thread')
until_is 'is told by its command, busy or not' 'delivered queue_command' fate "$id"
is 'word by word' "$(cat "$dir/words")" \
	"$(printf '%s\n' queue --thread 019a-0:x --message "[muxbus $id post] a message. Details: next_notification $id")"
is 'in its own environment' "$(cat "$dir/home")" "$dir/of agent"
is 'and nothing is typed' "$(wc -c <"$dir/fake.log")" 0

# Several at once, while it runs.
: >"$dir/words"
ids=$(for n in $(seq 20); do post "n $n"; done)
last=$(echo "$ids" | tail -n 1)
until_is 'twenty' 'delivered queue_command' fate "$last"
told=0
for id in $ids; do
	[ "$(fate "$id")" = 'delivered queue_command' ] && told=$((told + 1))
done
is 'each is told' "$told" 20

# It fails: typed.
is 'idle' "$(report idle)" idle
touch "$dir/fail"
id=$(post 'with a failure')
until_is 'a command that fails: typed' 'delivered typed' fate "$id"
is 'once' "$(grep -c "$id" "$dir/fake.log")" 1
rm "$dir/fail"
id=$(post 'again')
until_is 'which is forgotten with the next' 'delivered queue_command' fate "$id"

# The daemon is killed while the command runs: the next one learns how it ended.
cat >"$dir/slow" <<'END'
echo $$ >"$dir/slow.pid"
sleep 1.5
END
slow() { # slow NAME: posts it, and kills the daemon meanwhile; $id
	: >"$dir/words"
	rm -f "$dir/slow.pid"
	touch "$dir/is_slow"
	id=$(post "$1")
	until_is "$1: it runs" yes sh -c "[ -s '$dir/slow.pid' ] && echo yes || :"
	rm "$dir/is_slow"
}
slow 'in time'
late=$id
kill_daemon
until_is 'a command that outlives the daemon: handed over' 'delivered queue_command' fate "$id"
is 'once' "$(grep -c -x queue "$dir/words")" 1
is 'its trace is gone' "$(find "$dir" -name 'queued.*' | wc -l)" 0
touch "$dir/fail"
slow 'in vain'
kill_daemon
until_is 'one that fails then: typed' 'delivered typed' fate "$id"
is 'with its own words as the reason' "$(ask '{"method":"list_events","params":{"after":0,"kinds":["delivery"],"limit":1000}}' |
	jq -r ".result.events[] | select(.id == \"$id\" and .delivery.way == \"queue_command\").delivery.reason")" \
	'its queue command ended with status 3: no such day'
is 'and run once' "$(grep -c -x queue "$dir/words")" 1
rm "$dir/fail"
id=$(post 'after that')
until_is 'the next' 'delivered queue_command' fate "$id"
slow 'killed too'
kill -9 "$daemon_pid" "$(ask '{"method":"status"}' | jq .result.pid)" -"$(ps -o pgid= -p "$(cat "$dir/slow.pid")" | tr -d ' ')" 2>/dev/null
wait "$daemon_pid" 2>/dev/null
start_daemon
until_is 'one that is killed with it: run again' 'delivered queue_command' fate "$id"
is 'so twice' "$(grep -c -x queue "$dir/words")" 2
is 'and it is marked' "$(marks "$id")" 1
is 'one that was run once is not' "$(marks "$late")" 0

# It hangs: killed, and typed.
touch "$dir/hang"
id=$(post 'with a hang')
tries=0
while [ "$(fate "$id")" != 'delivered typed' ] && [ $tries -lt 300 ]; do
	tries=$((tries + 1))
	sleep 0.1
done
is 'a command that hangs: typed' "$(fate "$id")" 'delivered typed'
is 'and it is gone' "$(pgrep -f "$dir/bin/codex" | wc -l)" 0
rm "$dir/hang"

# Another program in its place has no such session.
ask "{\"method\":\"report_agent\",\"params\":{\"agent\":\"codex\",\"session\":\"019a-0:x\",\"pane\":\"$pane\",\"state\":\"gone\"}}" >"$dir/answer"
: >"$dir/words"
id=$(post 'when it is gone')
until_is 'without the session: typed' 'delivered typed' fate "$id"
is 'and no command is run' "$(wc -c <"$dir/words")" 0
done_testing
