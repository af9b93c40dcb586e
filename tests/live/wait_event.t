#!/bin/sh
# SPDX-License-Identifier: ISC
# The condition event of wait_for: kinds and patterns, filters, ends, and a restart of the daemon.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
start 'exec sh'

pane=$(t list-panes -a -F '#{pane_id}')
window=$(t list-panes -a -F '#{window_id}')
session=$(t list-panes -a -F '#{session_id}')

# once_armed COMMAND...: runs it as soon as the daemon says that a request waits.
once_armed() {
	until [ "$(ask '{"method":"status"}' | jq .result.waits)" -gt 0 ]; do sleep 0.02; done
	"$@"
}

once_armed t new-window -d -n made 'exec sleep 1000' &
call wait_for '{"any":[{"event":"window_created"}],"timeout_sec":60}'
is 'an event comes true' "$(field '.result | "\(.matched) \(.conditions[0].details.kind)"')" '[0] window_created'
wait $!
once_armed t rename-window -t main:1 other &
call wait_for '{"any":[{"event":"window_*","where":{"previous":"made","name":"other"}}],"timeout_sec":60}'
is 'a pattern and a filter' \
	"$(field '.result.conditions[0] | "\(.state) \(.details.kind) \(.details.name)"')" 'matched window_renamed other'
wait $!

once_armed t rename-window -t main:1 third &
call wait_for '{"any":[{"event":"window_renamed","where":"{\"previous\":\"other\"}"}],"timeout_sec":60}'
is 'a filter as a JSON string' "$(field '.result.conditions[0] | "\(.state) \(.details.name)"')" 'matched third'
wait $!
call wait_for '{"any":[{"event":"window_renamed","where":"previous"}],"timeout_sec":60}'
is 'a filter as another string' "$(field .error.message | grep -c 'where: must be an object such as .*, not a string')" 1

# watch_pane takes events in place of output: once, or each, also after a restart.
call watch_pane '{"pane":"'"$pane"'","event":"bell","where":{"pane":"'"$pane"'"},"once":false}'
watch=$(field .result.id)
call watch_pane '{"pane":"'"$pane"'","event":"bell","regex":"x"}'
is 'a watch of both is refused' "$(field .error.data.field)" regex
call watch_pane '{"pane":"'"$pane"'","event":"title_chnged"}'
is 'an event of no kind too' "$(field .error.message)" 'event: there is no kind of events called "title_chnged"; did you mean "title_changed"?'
watched() {
	ask '{"method":"list_watches"}' | jq -r '.result.watches[] | select(.id == "'"$watch"'").count'
}
ring() {
	t send-keys -t "$pane" 'printf "\007"' Enter
}
ring
until_is 'an event is a match' 1 watched
kill_daemon
again() { # the bell rings until the next daemon follows the output
	ring
	[ "$(watched)" -le 1 ] || echo yes
}
until_is 'and again after a restart' yes again
call list_notifications '{}'
is 'the notification says so' "$(field '.result.notifications[] | select(.id == "'"$watch"'") | "\(.text) \(.data.details.kind)"' | tail -n 1)" \
	"an event of pane $pane came that is watched for bell"
call cancel_watch '{"id":"'"$watch"'"}'
call watch_pane '{"pane":"'"$pane"'","event":"command_finished","once":false}'
watch=$(field .result.id)
t send-keys -t "$pane" 'printf "\033]133;C\007\033]133;D;%d\007" 1 2 3' Enter
until_is 'events that come together are counted each' 3 watched
call cancel_watch '{"id":"'"$watch"'"}'
ended=$(t split-window -d -P -F '#{pane_id}' 'exec sleep 1000')
call watch_pane '{"pane":"'"$ended"'","event":"pane_*","once":false}'
watch=$(field .result.id)
t kill-pane -t "$ended"
until_is 'a watch that goes on ends with its pane' '' watched
call list_notifications '{}'
is 'and says so' "$(field '[.result.notifications[] | select(.id == "'"$watch"'").data | "\(.reason) \(.details.kind)"] | join(", ")' |
	sed 's/pane_exited/pane_closed/')" 'match pane_closed, gone pane_closed'

# Only this pane, this window, this session, and these members.
two_panes() {
	t new-window -d 'exec sleep 1000'
	t split-window -d -t main:0 'exec sleep 1000'
}
once_armed two_panes &
call wait_for '{"any":[{"event":"pane_created","window":"'"$window"'"}],"timeout_sec":60}'
is 'the event of another window is not it' "$(field '.result.conditions[0].details.window')" "$window"
wait $!
other_session() {
	t new-session -d -s aside 'exec sleep 1000'
	t new-window -d -t main: 'exec sleep 1000'
}
once_armed other_session &
call wait_for '{"any":[{"event":"pane_created","session":"main"}],"timeout_sec":60}'
is 'nor that of another session' "$(field '.result.conditions[0].details.session')" "$session"
wait $!
kept=$(t split-window -d -P -F '#{pane_id}' 'read -r line; exit 4')
t set-option -p -t "$kept" remain-on-exit on
call get_pane '{"pane":"'"$kept"'"}'
once_armed t send-keys -t "$kept" Enter &
call wait_for '{"any":[{"event":"pane_exited","pane":"'"$kept"'","where":{"exit_status":5}},{"event":"pane_exited","pane":"'"$kept"'","where":{"exit_status":4}}],"timeout_sec":60}'
is 'a number is compared as a number' "$(field '.result.matched | join(",")')" 1
wait $!
t kill-pane -t "$kept"

# Events that come from output are looked for because they are named.
once_armed t send-keys -t "$pane" 'printf "\007"' Enter &
call wait_for '{"any":[{"event":"bell","pane":"'"$pane"'"}],"timeout_sec":60}'
is 'a bell' "$(field '.result.conditions[0].details | "\(.kind) \(.pane)"')" "bell $pane"
wait $!
once_armed t send-keys -t "$pane" 'echo seen' Enter &
call wait_for '{"any":[{"event":"pane_output","pane":"'"$pane"'"}],"timeout_sec":60}'
is 'output, by its own name' "$(field '.result.conditions[0].details.kind')" pane_output
wait $!
once_armed t send-keys -t "$pane" 'echo seen' Enter &
call wait_for '{"any":[{"event":"pane_*","pane":"'"$pane"'"}],"timeout_sec":60}'
is 'but by no pattern' "$(field '.result.conditions[0].details.kind')" pane_quiet
wait $!

# A pane that closes ends a wait for another of its events.
doomed=$(t split-window -d -P -F '#{pane_id}' 'exec sleep 1000')
call get_pane '{"pane":"'"$doomed"'"}'
once_armed t kill-pane -t "$doomed" &
call wait_for '{"any":[{"event":"bell","pane":"'"$doomed"'"}],"timeout_sec":60}'
is 'a closed pane ends its condition' "$(field '.result.conditions[0].state')" gone
wait $!
once_armed t kill-session -t aside &
call wait_for '{"any":[{"event":"bell","session":"aside"}],"timeout_sec":60}'
is 'and a closed session' "$(field '.result.conditions[0].state')" gone
wait $!

# Mistakes.
call wait_for '{"any":[{"event":"pane_exitd"}]}'
is 'the nearest kind is named' "$(field '.error | "\(.data.field) \(.message)"')" \
	'event event: there is no kind of events called "pane_exitd"; did you mean "pane_exited"?'
call wait_for '{"any":[{"event":"nothing_*"}]}'
is 'a pattern of no kind' "$(field .error.data.field)" event
call wait_for '{"any":[{"event":"pane_exited","where":{"exit_code":0}}]}'
is 'a member that the kind has not' "$(field '.error.message')" \
	'where: events pane_exited have no member "exit_code"'
call wait_for '{"any":[{"event":"pane_exited","where":{"signal_nam":"TERM"}}]}'
is 'the nearest member is named' "$(field '.error.message')" \
	'where: events pane_exited have no member "signal_nam"; did you mean "signal_name"?'
call wait_for '{"any":[{"event":"pane_exited","where":["exit_status"]}]}'
is 'a filter is an object' "$(field .error.data.field)" where
call wait_for '{"any":[{"event":"delivery","where":{"delivery":"typed"}}]}'
is 'a member that is an object' "$(field '.error.message')" \
	'where: delivery cannot be compared: it is a list or an object'
call wait_for '{"any":[{"event":"agent_state","where":{"exit_status":1}}]}'
is 'of its evidence' "$(field '.error.message')" \
	'where: events agent_state have no member "exit_status"'
call wait_for '{"any":[{"event":"bell","pane":"%999"}]}'
is 'a pane that is none' "$(field .error.data.kind)" no_such_pane
call wait_for '{"any":[{"event":"session_closed","where":{"name":"main"}}]}'
is 'what a session that is no more has not' "$(field '.error.message')" \
	'where: events session_closed have no member "name"'
call describe '{}'
is 'those that are lists or objects stand apart' "$(field '.result.event_lists.notification | join(" ")')" 'data delivery'
is 'each kind has members' "$(field '[.result.events | keys[]] - [.result.event_members | to_entries[] | select(.value | length > 0) | .key] | length')" 0

# Other forms: one object, a string that holds one or a list; and what was meant.
for any in '{"sec":0.01}' '"{\"sec\":0.01}"' '"[{\"sec\":0.01}]"'; do
	call wait_for '{"any":'"$any"'}'
	is "any as $any" "$(field '.result.matched | join(",")')" 0
done
call wait_for '{"all":"sec"}'
is 'other strings are none' "$(field .error.data.field)" all
for wrong in '{}' '{"sec":"x"}' '{"nosuch":1}' 5 null; do
	call wait_for '{"any":['"$wrong"']}'
	is "$wrong is no condition of any" "$(field .error.data.field)" any
	call wait_for '{"any":null,"all":['"$wrong"']}'
	is "$wrong is none of all" "$(field .error.data.field)" all
done
meant() {
	call wait_for '{"any":['"$1"']}'
	is "$1" "$(field .error.message | sed -n 's/.*did you mean \(.*\)?$/\1/p')" "$2"
}
meant '{"type":"output","regex":"done","pane":"%1"}' '{"output":"done","pane":"%1"}'
meant '{"kind":"exited","pane":"%1"}' '{"exited":"%1"}'
meant '{"kind":"job","id":"A1B2"}' '{"job":"A1B2"}'
meant '{"type":"file","path":"/tmp/x","regex":"y"}' '{"file":"/tmp/x","regex":"y"}'
meant '{"regex":"done","pane":"%1"}' '{"output":"done","pane":"%1"}'
meant '{"outputs":"done","pane":"%1"}' '{"output":"done","pane":"%1"}'
meant '{"output":"done","quiet_sec":5,"pane":"%1"}' \
	'[{"output":"done","pane":"%1"},{"quiet_sec":5,"pane":"%1"}]'
meant '{"zebra":"done"}' ''
meant '{"agent":"helper","state":"idle"}' ''
meant '{"agent":"helper","agent_stat":"idle"}' '{"agent_state":"idle","agent":"helper"}'

# The screen: each sentence of the manual.
shown=$(t split-window -d -P -F '#{pane_id}' -t main:0 'printf "first  \\n\\033[31msecond\\033[0m row   \\nlast   "; exec sleep 1000')
call wait_for '{"any":[{"screen":"last","pane":"'"$shown"'"}],"timeout_sec":60}'
screen() {
	call wait_for '{"any":[{"screen":"'"$2"'","pane":"'"$shown"'"}],"timeout_sec":0.3}'
	is "$1" "$(field '.result.timed_out')" "$3"
}
screen 'rows with a newline between them, without colours' 'first\\nsecond row\\nlast' false
screen 'blanks at the end are no part of a row' '^first$' false
screen 'so a blank before the end matches none' 'first $' true
screen 'the last row is the last one that is written on' 'last\\z' false
screen 'the first one the beginning' '\\Afirst' false
screen 'a full stop matches no newline' 'first.second' true

# The command line has the same conditions, as words and as options.
muxbus="$MUXBUS_BUILDDIR/muxbus"
once_armed t rename-window -t main:0 byword &
is 'an event as a word' "$("$muxbus" wait -t 60 event=window_renamed session=main where:='{"name":"byword"}' --json | jq -r '.conditions[0].details.name')" byword
wait $!
once_armed t rename-window -t main:0 byoption &
is 'and as an option' "$("$muxbus" wait -t 60 --event 'window_ren*' --window "$window" --json | jq -r '.conditions[0].details.name')" byoption
wait $!
ok 'a prompt as an option' "$muxbus" wait -q -t 60 --prompt --pane "$pane"
"$muxbus" wait -q -t 1 --agent-state busy --pane "$pane"
is 'a state as an option' $? 4
"$muxbus" wait -q -t 1 --event 2>/dev/null
is 'an option without its value' $? 2

# Waits with a name are kept, and filters with them. What is there already is not made in the next life.
ask '{"method":"wait_for","params":{"any":[{"event":"window_renamed","session":"main","where":{"name":"late"}}],"timeout_sec":60,"wait":"kept"}}' >/dev/null &
waiter=$!
ask '{"method":"wait_for","params":{"any":[{"event":"window_created"}],"timeout_sec":60,"wait":"made"}}' >/dev/null &
kept_waits() {
	ask '{"method":"status"}' | jq .result.waits
}
until_is 'waits with a name are armed' 2 kept_waits
kill_daemon
wait $waiter
call get_pane '{"pane":"'"$pane"'"}'
ask '{"method":"wait_for","params":{"wait":"kept","timeout_sec":60}}' >"$dir/kept" &
waiter=$!
ask '{"method":"wait_for","params":{"wait":"made","timeout_sec":60}}' >"$dir/made" &
maker=$!
until_is 'the waits are resumed' 2 kept_waits
t rename-window -t main:0 early
t rename-window -t main:0 late
t new-window -d -n fresh
wait $waiter
is 'one comes true in the next life' \
	"$(jq -r '.result.conditions[0] | "\(.state) \(.details.name)"' "$dir/kept")" 'matched late'
wait $maker
is 'the other by what is made then' "$(jq -r '.result.conditions[0].details.name' "$dir/made")" fresh

# What an event shows, describe names; a filter can name it, but lists and objects.
ask '{"method":"post_notification","params":{"text":"x","key":"k","urgency":"high","pane":"'"$pane"'"}}' >/dev/null
call describe '{"table":"events"}'
field .result >"$dir/members"
call list_events '{"after":0,"limit":10000}'
is 'the members of events are those of filters' "$(jq -c --slurpfile known "$dir/members" '[.result.events[] |
	.kind as $kind | to_entries[] | $known[0][if .value | type == "array" or type == "object" then "event_lists" else "event_members" end][$kind] as $names |
	.key | select(. as $name | ["seq", "time", "kind", "delivery"] + $names | index($name) | not) | "\($kind).\(.)"] | unique' \
	"$dir/answer")" '[]'

done_testing
