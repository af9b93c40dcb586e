#!/bin/sh
# SPDX-License-Identifier: ISC
# Wake policies: what does not wake stays queued, for typing and for followers, over kill -9, and
# comes with the next that wakes.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
export TZ=UTC0
start 'exec sleep 3600'
fake="$MUXBUS_BUILDDIR/tests/fake_agent"
[ -x "$fake" ] || skip_all 'the fake agent is not built'
pane=$(t new-window -dP -F '#{pane_id}' "exec $fake $dir/fake.log")
: >"$dir/fake.log"
until_is 'an agent is there' '>' sh -c "tmux -S $dir/tmux capture-pane -p -t $pane | tr -d ' \n'"

post() { # post TEXT URGENCY
	ask "$(jq -nc --arg pane "$pane" --arg text "$1" --arg urgency "${2:-normal}" \
		'{method: "post_notification", params: {pane: $pane, text: $text, urgency: $urgency}}')" | jq -r .result.id
}
job() { # its id, when it has ended
	ended=$(ask "{\"method\":\"run_long_command\",\"params\":{\"pane\":\"$pane\",\"command\":\"true\"}}" | jq -r .result.id)
	ask "{\"method\":\"next_notification\",\"params\":{\"id\":\"$ended\"}}" >/dev/null
	echo "$ended"
}
policy() { # policy MEMBERS: its result, or the error
	ask "{\"method\":\"set_wake_policy\",\"params\":{$1}}" | jq -c '.result // .error.message'
}
fate() { # fate ID
	ask '{"method":"list_notifications","params":{"limit":1000}}' |
		jq -r ".result.notifications[] | select(.id == \"$1\") | .state"
}
lines() {
	wc -l <"$dir/fake.log" | tr -d ' '
}
kept() {
	ask '{"method":"status"}' | jq -c .result.wake_policies
}

is 'a policy' "$(policy "\"pane\":\"$pane\",\"sources\":[\"job\"]")" \
	"{\"pane\":\"$pane\",\"sources\":[\"job\"],\"window_ms\":0,\"quiet_hours\":null}"
held=$(post held)
is 'a request gets it at once' "$(ask "{\"method\":\"next_notification\",\"params\":{\"id\":\"$held\"}}" |
	jq -r '.result.notifications[0].text')" held
other=$(t new-window -dP -F '#{pane_id}' "exec $fake $dir/other.log")
: >"$dir/other.log"
until_is 'another agent is there' '>' sh -c "tmux -S $dir/tmux capture-pane -p -t $other | tr -d ' \n'"
first=$pane
pane=$other
marker=$(post marker)
until_is 'another pane has no policy' delivered fate "$marker"
pane=$first
is 'what does not wake is queued meanwhile' "$(fate "$held") $(lines)" 'queued 0'
is 'and its receipt says why' "$(ask '{"method":"list_notifications","params":{"limit":1000}}' |
	jq -r ".result.notifications[] | select(.id == \"$held\") | .delivery | \"\(.result) \(.reason)\"")" \
	'deferred the wake policy holds it'
is 'a notification for no pane says so' "$(ask '{"method":"post_notification","params":{"text":"x"}}' >/dev/null
	ask '{"method":"list_notifications","params":{"limit":1000}}' |
	jq -r '.result.notifications[] | select(.text == "x") | .delivery | "\(.result) \(.way) \(.reason)"')" \
	'deferred none it is for no pane and no thread'
kill_daemon
is 'the policy is kept over kill -9' "$(kept)" \
	"[{\"pane\":\"$pane\",\"sources\":[\"job\"],\"window_ms\":0,\"quiet_hours\":null}]"
id=$(job)
until_is 'a job wakes' delivered fate "$id"
until_is 'and what was held comes with it' delivered fate "$held"
is 'in one line' "$(lines) $(grep -c "And 1 more" "$dir/fake.log")" '1 1'
id=$(post urgent high)
until_is 'high urgency wakes' delivered fate "$id"

# A follower gets no more than a prompt does.
"$MUXBUS_BUILDDIR/muxbus" follow --pane "$pane" >"$dir/lines" 2>/dev/null &
follower=$!
until_is 'a follower is there' 1 sh -c "echo '{\"method\":\"status\"}' | socat -t 86400 - UNIX-CONNECT:$MUXBUS | jq .result.waits"
held=$(post held)
pane=$other
marker=$(post marker)
until_is 'another pane is woken meanwhile' delivered fate "$marker"
pane=$first
is 'it gets nothing that does not wake' "$(cat "$dir/lines")" ''
id=$(job)
until_is 'with a job both' 2 sh -c "grep -c -e '$held' -e '$id' '$dir/lines' || :"
kill $follower
wait $follower 2>/dev/null

# A window gathers; hours of which this is one hold; the default is forgotten.
is 'a window' "$(policy "\"pane\":\"$pane\",\"window_ms\":5000" | jq .window_ms)" 5000
before=$(lines)
one=$(post one) two=$(post two) three=$(post three)
for id in $one $two $three; do
	until_is 'gathered' delivered fate "$id"
done
is 'in one line' "$(($(lines) - before))" 1
hour=$(date +%H)
hour=${hour#0}
hours=$(printf '%02d:00-%02d:00' "$hour" $(((hour + 2) % 24)))
is 'quiet hours' "$(policy "\"pane\":\"$pane\",\"quiet_hours\":\"$hours\"" | jq -r .quiet_hours)" "$hours"
held=$(post quiet)
kill_daemon
pane=$other
marker=$(post marker)
until_is 'another pane is woken' delivered fate "$marker"
pane=$first
is 'the quiet one is not' "$(fate "$held")" queued
is 'no policy: the default' "$(policy "\"pane\":\"$pane\"" | jq -c .sources)" \
	'["command","condition","job","post","program","timer","tool","watch"]'
until_is 'wakes at once' delivered fate "$held"
is 'and is not kept' "$(kept)" '[]'

# Of an agent, by the name that it reports.
policy '"agent":"claude","sources":[]' >/dev/null
held=$(ask "{\"method\":\"report_agent\",\"params\":{\"agent\":\"claude\",\"pane\":\"$pane\"}}" >/dev/null && post claude)
pane=$other
marker=$(post marker)
until_is 'another agent is woken' delivered fate "$marker"
pane=$first
is 'claude is not' "$(fate "$held")" queued
policy '"agent":"claude"' >/dev/null
until_is 'until its policy is removed' delivered fate "$held"

is 'no source' "$(policy "\"pane\":\"$pane\",\"sources\":[\"jobs\"]")" \
	'"sources: must be names out of command, condition, job, post, program, timer, tool, watch"'
is 'no hours' "$(policy "\"pane\":\"$pane\",\"quiet_hours\":\"22-7\"")" \
	'"quiet_hours: must be two times such as 22:00-07:00, and not the same"'
is 'too long a window' "$(policy "\"pane\":\"$pane\",\"window_ms\":600001")" '"window_ms: must be 0 to 600000 ms, not 600001"'
is 'both' "$(policy "\"pane\":\"$pane\",\"agent\":\"claude\"")" '"agent: give either agent or pane"'
done_testing
