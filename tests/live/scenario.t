#!/bin/sh
# SPDX-License-Identifier: ISC
# A person's first hour with socat and jq: make a session and panes, type into them, read
# the answer from the screen, and see everything that happens as events.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
start 'exec sleep 3600'

# Events come to a peer that stays; its standard input is held open by descriptor 4.
mkfifo "$dir/requests"
socat -t 86400 - "UNIX-CONNECT:$MUXBUS" <"$dir/requests" >"$dir/events" &
listener=$!
exec 4>"$dir/requests"
echo '{"id":"sub","method":"subscribe","params":{"output":true}}' >&4

# event FILTER: waits for an event that jq selects by it.
has_event() {
	jq -ne "first(inputs | select(.method == \"event\") | .params | select($1))" "$dir/events" >/dev/null 2>&1
}
event() {
	tries=0
	while ! has_event "$1" && [ $tries -lt 500 ]; do
		tries=$((tries + 1))
		sleep 0.02
	done
	has_event "$1"
}
until_is 'subscribed' S1 jq -r 'select(.id == "sub").result.subscription' "$dir/events"

# A session, and a pane beside its first.
made=$(ask '{"id":1,"method":"create_session","params":{"name":"work","command":"exec sh"}}')
is 'the answer has the id of the request' "$(echo "$made" | jq .id)" 1
pane=$(echo "$made" | jq -r .result.pane)
is 'the session is there' "$(t list-sessions -F '#{session_name}' | sort | xargs)" 'main work'
ok 'session_created' event '.kind == "session_created"'
ok 'pane_created' event ".kind == \"pane_created\" and .pane == \"$pane\""

second=$(ask '{"method":"create_pane","params":{"pane":"'"$pane"'","command":"exec sh","direction":"horizontal"}}' |
	jq -r .result.pane)
is 'a pane beside it' "$(t display-message -p -t "$second" '#{session_name} #{window_panes}')" 'work 2'
ok 'pane_created' event ".kind == \"pane_created\" and .pane == \"$second\""
ok 'layout_changed' event '.kind == "layout_changed"'

# Characters special to shells and tmux are typed unchanged.
text='a;b ";" '"'quoted'"' $HOME #{pane_id} #(id) {x} \ ~ 🦊'
printf '%s' "$text" >"$dir/expected"
ask "$(jq -nc --arg pane "$second" '{method: "send_keys", params: {pane_id: $pane, keys: ["cd; cat >typed", "Enter"]}}')" >"$dir/answer"
is 'send_keys answers with the pane' "$(jq -r .result.pane "$dir/answer")" "$second"
until_is 'the command runs' cat t display-message -p -t "$second" '#{pane_current_command}'
ask "$(jq -nc --arg pane "$second" --arg text "$text" '{method: "send_keys", params: {pane_id: $pane, keys: [$text, "C-d", "C-d"]}}')" >/dev/null
until_is 'it has arrived byte for byte' "$text" cat "$dir/typed"

tab=$(printf 'tab\there')
ask "$(jq -nc --arg pane "$second" '{method: "send_keys", params: {pane_id: $pane, keys: ["cat >tabbed", "Enter"]}}')" >/dev/null
until_is 'the command runs' cat t display-message -p -t "$second" '#{pane_current_command}'
ask "$(jq -nc --arg pane "$second" --arg text "$tab" '{method: "send_text", params: {pane: $pane, text: $text, enter: true}}')" >/dev/null
ask "$(jq -nc --arg pane "$second" '{method: "send_keys", params: {pane_id: $pane, keys: "C-d"}}')" >/dev/null
until_is 'tabs too' "$tab" cat "$dir/tabbed"

# Read back the output of a command.
ask "$(jq -nc --arg pane "$pane" '{method: "send_text", params: {pane: $pane, text: "clear; echo $((6 * 7)) is the answer", enter: true}}')" >/dev/null
shown() {
	ask "$(jq -nc --arg pane "$pane" '{method: "capture_pane", params: {pane_id: $pane}}')" |
		jq -r .result.text | grep -x '42 is the answer'
}
until_is 'capture_pane shows it' '42 is the answer' shown
ok 'pane_output carries it' event ".kind == \"pane_output\" and .pane == \"$pane\" and (.text | contains(\"42 is the answer\"))"

# The program ends: its status is reported.
ask "$(jq -nc --arg pane "$second" '{method: "send_text", params: {pane: $pane, text: "exit 7", enter: true}}')" >/dev/null
ok 'pane_exited or pane_closed' event "(.kind == \"pane_exited\" or .kind == \"pane_closed\") and .pane == \"$second\""
made=$(ask "$(jq -nc --arg pane "$pane" '{method: "create_pane", params: {pane: $pane, command: "exec sleep 3600", keep_on_exit: true}}')" | jq -r .result.pane)
kill "$(t display-message -p -t "$made" '#{pane_pid}')"
ok 'pane_exited says the signal' event ".kind == \"pane_exited\" and .pane == \"$made\" and .signal != null"
made=$(ask "$(jq -nc --arg pane "$pane" '{method: "create_pane", params: {pane: $pane, command: "exit 7", keep_on_exit: true}}')" | jq -r .result.pane)
ok 'pane_exited says the status' event ".kind == \"pane_exited\" and .pane == \"$made\" and (.status == 7 or .exit_status == 7)"

# A person's actions in tmux are seen as well.
t rename-session -t work play
ok 'session_renamed' event '.kind == "session_renamed" and .name == "play"'
t rename-window -t play:0 'a window; "odd"'
ok 'window_renamed' event '.kind == "window_renamed" and .name == "a window; \"odd\""'
t kill-session -t play
ok 'session_closed' event '.kind == "session_closed"'

is 'all numbers of events rise' "$(jq -r 'select(.method == "event").params.seq' "$dir/events" | sort -n -u -c 2>&1)" ''
exec 4>&-
kill "$listener"
done_testing
