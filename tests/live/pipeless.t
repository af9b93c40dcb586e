#!/bin/sh
# SPDX-License-Identifier: ISC
# Panes whose pipes cannot be handed over: no output is lost silently.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
need socat
unset MUXBUS_TEST_ATTACH # a daemon that is always attached makes no pipe
built=$MUXBUS_BUILDDIR
program=$built/muxbusd
[ ! -x "$built/.libs/muxbusd" ] || program=$built/.libs/muxbusd
place=$(mktemp -d /tmp/mbt-XXXXXX) || exit 99
mkdir "$place/bin"
cp "$program" "$place/bin/muxbusd"
printf '#!/bin/sh\nexec $way "%s" "$@"\n' "$place/bin/muxbusd" >"$place/muxbusd"
chmod +x "$place/muxbusd"
export way LD_LIBRARY_PATH="$built/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

# heard COMMAND...: whether a wait has the output that is written at once behind its begin.
waiting() { call status '{}' && field .result.waits; }
heard() {
	ask '{"method":"wait_for","params":{"any":[{"output":"said","pane":"%0"}],"timeout_sec":10}}' >"$dir/heard" &
	asking=$!
	until [ "$(waiting)" = 1 ]; do sleep 0.02; done
	t send-keys -t %0 said Enter
	wait $asking
	jq -r '.result.conditions[0].state' "$dir/heard"
}
stop() {
	call shutdown '{}'
	wait "$daemon_pid"
}

# The program that hands pipes over is not there, as after an upgrade or in a container.
way=
MUXBUS_BUILDDIR=$place
start cat
trap 'finish; rm -rf "$place"' EXIT
is 'without muxbus-job' "$(heard)" matched
stop

# Another PID namespace than that of tmux: no process of tmux has a number.
cp "$built/muxbus-job" "$place/bin"
for way in 'unshare -pf --kill-child --mount-proc'; do
	$way true 2>/dev/null || break
	start_daemon
	is 'in another PID namespace' "$(heard)" matched
	is 'and again' "$(heard)" matched
	stop
done

# The pipe is handed over late. What has been shown meanwhile is seen then.
way=
cat >"$place/bin/muxbus-job" <<EOT
#!/bin/sh
sleep 1
exec "$built/muxbus-job" "\$@"
EOT
start_daemon
ask '{"method":"wait_for","params":{"any":[{"screen":"shown","pane":"%0"}],"timeout_sec":10}}' >"$dir/shown" &
asking=$!
until_is 'a wait for the screen' 1 waiting
t send-keys -t %0 shown
wait $asking
is 'sees what was shown before its output came' "$(jq -r '.result.conditions[0].state' "$dir/shown")" matched
stop

# The socket to which pipes are handed over cannot be made, and then it can.
cp "$built/muxbus-job" "$place/bin"
mkdir "$MUXBUS.pipe"
start_daemon
is 'without the socket of pipes' "$(heard)" matched
rmdir "$MUXBUS.pipe"
call read_output "{\"pane\":\"$(t new-window -dPF '#{pane_id}' cat)\"}"
piped() { call status '{}' && field .result.streams.piped; }
until_is 'with it the next pane is piped' 1 piped
stop

# The pipe is never handed over. Output of that time cannot be had any more: it is a gap.
way=
printf '#!/bin/sh\nexec cat >/dev/null\n' >"$place/bin/muxbus-job"
start_daemon
"$built/muxbus" -S "$dir/tmux" watch gap line -p %0 -n 2 -t 20 --json >"$dir/events" &
watching=$!
subscribed() { call status '{}' && field .result.subscriptions; }
until_is 'a subscriber' 1 subscribed
ask '{"method":"wait_for","params":{"any":[{"output":"lost","pane":"%0"},{"output":"kept","pane":"%0"}],"timeout_sec":20}}' >"$dir/lost" &
asking=$!
"$built/muxbus" -S "$dir/tmux" wait --text -t 5 output=never pane=%0 >"$dir/never" &
never=$!
until_is 'two waits for output' 2 waiting
t send-keys -t %0 lost Enter
attached() { call status '{}' && field .result.tmux.attached; }
until_is 'control mode takes over' true attached
gaps() { jq -r 'select(.kind == "gap").reason' "$dir/events"; }
until_is 'and begins with a gap' not_watched gaps
t send-keys -t %0 kept Enter
wait $watching
is 'behind which there is all' "$(jq -r 'select(.kind == "line").text' "$dir/events")" kept
wait $asking
is 'a wait says that output was lost' \
	"$(jq -c '.result.conditions | map([.state, .gap])' "$dir/lost")" '[["pending",true],["matched",true]]'
wait $never
is 'and so does the command line' "$(cat "$dir/never")" 'the time is up; something may have been missed'
stop

# After three pipes that were not handed over no pipe is made for ten minutes. Then they are again.
preloaded=$built/tests/live/.libs/late_clock.so
set_ahead() { printf '%-16s' "0 $1" | dd of="$dir/set" conv=notrunc 2>/dev/null; }
set_ahead 0
way="env LD_PRELOAD=$preloaded SET_CLOCK=$dir/set ASAN_OPTIONS=$ASAN_OPTIONS:verify_asan_link_order=0"
if "$place/muxbusd" --version >/dev/null 2>&1; then
	late() { grep -c 'handed over in time' "$dir/muxbusd.log"; }
	most=$(($(late) + 3))
	start_daemon
	condition() { echo "{\"output\":\"never\",\"pane\":\"$(t new-window -dPF '#{pane_id}' cat)\"}"; }
	call wait_for "{\"any\":[$(condition),$(condition),$(condition)],\"timeout_sec\":0.1}"
	until_is 'three pipes are not handed over' $most late
	cp "$built/muxbus-job" "$place/bin"
	read_new() { call read_output "{\"pane\":\"$(t new-window -dPF '#{pane_id}' cat)\"}"; }
	read_new
	until_is 'so control mode brings the output of the next pane' true attached
	is 'and not a pipe' "$(piped)" 0
	set_ahead 601
	read_new
	until_is 'after ten minutes a pane is piped again' 1 piped
	stop
fi

# A peer leaves while its output does not flow yet, for up to two seconds. No later peer is taken for it.
way=
daemon_options='-o attach=always'
start_daemon
tmux_pid=$(t display-message -p '#{pid}')
kill -STOP "$tmux_pid"
echo '{"method":"wait_for","params":{"any":[{"output":"never","pane":"%0"}]}}' | socat -t 0 -u - "UNIX-CONNECT:$MUXBUS"
began=$(date +%s%3N)
call list_jobs '{}'
ok 'the next peer is answered at once' test $(($(date +%s%3N) - began)) -lt 1500
kill -CONT "$tmux_pid"
stop

done_testing
