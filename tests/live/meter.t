#!/bin/sh
# SPDX-License-Identifier: ISC
# The meter: what it counts, its example in muxbus(1), and its sums over restarts of the daemon.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
start 'exec sleep 3600'
short() { # short COUNT: waits that are answered at once
	for _ in $(seq "$1"); do call wait_for '{"any":[{"sec":0.01}]}'; done
}
sums() { # sums PARAMS
	ask "{\"method\":\"meter\",\"params\":$1}" | jq -c '.result | [.waits_answered, .polls_avoided, .turns_avoided]'
}
is 'nothing is counted yet' "$(sums '{}')$(ask '{"method":"meter"}' | jq .result.since)" '[0,0,0]null'
short 3
is 'three waits for one look each' "$(sums '{}')" '[3,3,0]'
since=$(ask '{"method":"meter"}' | jq -r .result.since)
call run_long_command '{"command":"sleep 1"}'
call next_notification "{\"id\":\"$(field .result.id)\"}"
is 'muxbus meter prints them' "$("$MUXBUS_BUILDDIR/muxbus" meter | jq -c '[.waits_answered, .by_source.wait.waits_answered]')" '[4,4]'
is 'also the last hour' "$("$MUXBUS_BUILDDIR/muxbus" meter since_sec=3600 | jq .waits_answered)" 4
is 'and a part of a second' "$("$MUXBUS_BUILDDIR/muxbus" meter since_sec=3599.5 | jq .waits_answered)" 4

# The agent is woken by a job, and fetches what the line says already: one wake, one turn that is a cost.
before=$(ask '{"method":"meter"}' | jq -c '.result | [.wakes, .waits_answered, .polls_avoided, .fetches]')
call post_notification '{"text":"done","pane":"%0"}'
id=$(field .result.id)
call take_notifications '{"pane":"%0","way":"hook"}'
call ack_notification "$(jq -c '{seq: .result.notifications[0].seq}' "$dir/answer")"
call next_notification "{\"id\":\"$id\"}"
is 'it has it' "$(field '.result.notifications[0].text')" done
is 'a fetch is a cost, and a notification one wake' \
	"$(ask '{"method":"meter"}' | jq -c --argjson before "$before" \
		'.result | [[.wakes, .waits_answered, .polls_avoided, .fetches], $before] | transpose | map(.[0] - .[1])')" '[1,0,1,1]'

# What is given to a person wakes no agent, nor does what a reader finds and acknowledges.
wakes() { ask '{"method":"meter"}' | jq -c '.result | [.wakes, .wakes_coalesced]'; }
before=$(wakes)
echo true >"$dir/.config/muxbus/on_notify"
person=$(t new-window -dPF '#{pane_id}' 'exec sleep 3600')
call post_notification "{\"text\":\"for a person\",\"pane\":\"$person\"}"
way() { ask '{"method":"list_notifications"}' | jq -r ".result.notifications[] | select(.pane == \"$person\").delivery.result"; }
until_is 'it is given to the program of the person' handed_over way
rm "$dir/.config/muxbus/on_notify"
call post_notification '{"text":"for nobody"}'
call ack_notification "$(jq -c '{seq: .result.seq}' "$dir/answer")"
is 'neither is a wake' "$(wakes)" "$before"
t kill-pane -t "$person"

# A restart, normal or after kill -9 of a daemon that has kept all.
restart_daemon() {
	kill -TERM "$(jq -r .result.pid "$dir/status")"
	until_is 'the daemon ends' gone sh -c "kill -0 $(jq -r .result.pid "$dir/status") 2>/dev/null || echo gone"
}
ask '{"method":"status"}' >"$dir/status"
restart_daemon
kill_daemon
is 'the next daemon goes on counting' "$(sums '{}')" '[4,5,0]'
is 'since the same time' "$(ask '{"method":"meter"}' | jq -r .result.since)" "$since"
is 'the last hour is its own' "$(sums '{"since_sec":3600}')" '[0,0,0]'
short 1
is 'and adds' "$(sums '{}')" '[5,6,0]'
kill_daemon
is 'kill -9 loses at most the last minute' "$(sums '{}')" '[4,5,0]'

# The example of muxbus(1); tests/test_meter has its figures.
example=$(sed -n '/^\.Ss meter/,/^\.Ed/p' "$MUXBUS_SRCDIR/src/cli/muxbus.1" | grep '^{')
is 'the manual has the members of the answer' "$(echo "$example" | jq -r 'keys[]' | sort)" \
	"$(ask '{"method":"meter"}' | jq -r --argjson example "$example" '.result | keys[] | select(in($example))' | sort)"
done_testing
