#!/bin/sh
# SPDX-License-Identifier: ISC
# tmux types a self_command and its reply is lost, as a hook of the user holds tmux longer than it may take to answer.
# A person submits the text meanwhile, so the prompt is empty again: it is not typed a second time.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
fake="$MUXBUS_BUILDDIR/tests/fake_agent"
[ -x "$fake" ] || skip_all 'the fake agent is not built'
MUXBUS_TEST_ATTACH=always
daemon_options='-o command_timeout_ms=2000'
start 'exec sleep 3600'
pane=$(t new-window -dP -F '#{pane_id}' "exec $fake $dir/fake.log")
: >"$dir/fake.log"
until_is 'an agent is there' '>' sh -c "tmux -S $dir/tmux capture-pane -p -t $pane | tr -d ' \n'"
cat >"$dir/hold" <<END
before=\$(grep -c 'did not answer' "$dir/muxbusd.log")
tmux -S "$dir/tmux" set-hook -gu after-send-keys
tmux -S "$dir/tmux" send-keys -t $pane Enter
while [ -e "$dir/muxbusd.log" ] && [ "\$(grep -c 'did not answer' "$dir/muxbusd.log")" = "\$before" ]; do
	sleep 0.02
done
END
t set-hook -g after-send-keys "run-shell 'sh $dir/hold'"
call self_command "{\"pane\":\"$pane\",\"command\":\"/compress\"}"
id=$(field .result.id)
call next_notification "{\"id\":\"$id\",\"timeout_sec\":30}"
is 'it is not known whether it ran' "$(field '.result.notifications[0] | .data.outcome, .text' | paste -sd ' ')" \
	'lost it is not known whether the command was typed: look whether it ran'
is 'the text was submitted once' "$(cut -d ' ' -f 2- "$dir/fake.log" | grep -c /compress)" 1
done_testing
