#!/bin/sh
# SPDX-License-Identifier: ISC
# The journal of release 0.1 (tests/fixtures/journal-0.1), which holds each kind of record, is
# taken up by this daemon; and a record of each kind that cannot be read is told as lost.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
start 'exec sleep 3600'

state=$(echo "$dir"/muxbus/tmux-*)
old_state() { # the daemon is killed, and its state is that of release 0.1
	kill -9 "$(ask '{"method":"status"}' | jq .result.pid)"
	wait "$daemon_pid" 2>/dev/null
	rm -rf "$state"
	mkdir -m 700 "$state"
	cp "$MUXBUS_SRCDIR"/tests/fixtures/journal-0.1/[js]* "$state"
	chmod u+w "$state"/*
}
kept() { # kept ID: yes if a request is there, or has ended in another way than by its record
	for list in list_timers list_watches list_jobs list_agents list_notifications; do
		ask '{"method":"'$list'"}'
	done | jq -rs --arg id "$1" 'if any(.[].result | .timers, .watches, .jobs,
		(.agents | arrays | map(.tasks[]?)), .notifications | arrays[];
		(.id == $id or .task == $id) and .data.record == null) then "yes" else "no" end'
}
lost() { # the records that were told as lost
	ask '{"method":"list_notifications","params":{"limit":1000}}' |
		jq -r '.result.notifications[] | select(.data.reason == "lost" and .data.record != null).data.record'
}

old_state
start_daemon
is 'each record of release 0.1 can be read' "$(lost)" ''
is 'without a warning' "$(grep -c 'cannot be read' "$dir/muxbusd.log")" 0
call list_timers '{}'
is 'a sleep' "$(field '.result.timers[] | select(.id == "H7Z8") | "\(.pane) \(.due) \(.recurring)"')" \
	'%0 2036-05-25T07:30:39.238Z false'
is 'one that recurs' "$(field '.result.timers[] | select(.id == "N3U7") | "\(.pane) \(.recurring) \(.period_sec)"')" \
	'%3 true 300000000'
is 'one without a pane' "$(kept M6L1)" yes
is 'a watch of a file' "$(kept T5H2)" yes
is 'of any change' "$(kept U1F2)" yes
is 'a watch of a pane' "$(kept G0K0)" yes
is 'a wait for idleness' "$(kept H0P4)" yes
is 'a command of an agent to itself' "$(kept K3P1)" yes
is 'one that was submitted' "$(kept H1J8)" yes
is 'a task that was at work' "$(kept N8J9)" yes
is 'and one that waited' "$(kept W2C7)" yes
call wait_for '{"wait":"named","timeout_sec":20}'
is 'a named wait' "$(field '.result.conditions[0] | "\(.condition) \(.state)"')" 'sec matched'
call get_job '{"job":"A4D6"}'
is 'a job that has ended' "$(field '.result | "\(.name) \(.cwd) \(.exit_code)"')" 'short /usr 3'
call get_job '{"job":"F3L4"}'
is 'one that ran' "$(field '.result | "\(.command) \(.cwd)"')" 'exec sleep 1000 /'
call list_agents '{}'
is 'an agent' "$(field '.result.agents[] | "\(.agent) \(.command[1:3] | join(" "))"')" 'keeper --busy 60000'
call list_notifications '{}'
note() { # note ID FILTER
	field ".result.notifications[] | select(.id == \"$1\") | $2"
}
is 'a notification' "$(note W7J5 '"\(.seq) \(.text) \(.state) \(.data.a[1]) \(.key)"')" '16 kept queued 2 k'
is 'one that counts' "$(note X5M8 .count)" 2
is 'one that is acknowledged' "$(note C6K8 '"\(.state) \(.delivery.way)"')" 'acknowledged waited'
is 'an urgent one' "$(note K8L1 .urgency)" high
is 'one for a pane' "$(note P9U6 '"\(.seq) \(.pane) \(.text)"')" '28 %2 typed for the deaf'
call next_notification '{"consumer":"reader","timeout_sec":0}'
is 'the place of a consumer' "$(field '.result.notifications | map(.seq) | "\(.[0]) \(index(18))"')" '15 null'
# What was written since is in this release's form.
kill_daemon
is 'the next daemon reads it all' "$(lost)" ''
is 'without a warning, too' "$(grep -c 'cannot be read' "$dir/muxbusd.log")" 0
is 'a sleep is still set' "$(kept H7Z8)" yes

# Records that cannot be read.
old_state
"$MUXBUS_BUILDDIR/tests/spoil_store" "$state" | grep -v '^expect/' | sort >"$dir/keys"
start_daemon
lost | sort >"$dir/lost"
is 'a record that cannot be read is told as lost, whatever kind it is' \
	"$(cut -d / -f 1 "$dir/lost" | uniq | tr '\n' ' ')" \
	'agent command consumer courier errand job note presence task timer typed wait watch '
is 'each of them' "$(comm -3 "$dir/keys" "$dir/lost")" ''
call list_notifications '{"limit":1000}'
is 'a request by its id' "$(note H7Z8 '"\(.source) \(.text)"')" \
	'timer a timer was lost: its record cannot be read'
is 'an agent by an id of its own' \
	"$(field '.result.notifications[] | select(.data.record == "agent/keeper") | "\(.id | length) \(.text)"')" \
	'4 an agent was lost: its record cannot be read'
kill_daemon
is 'once' "$(lost | wc -l)" "$(wc -l <"$dir/keys")"
done_testing
