#!/bin/sh
# SPDX-License-Identifier: ISC
# The plugin for tmux, on every tmux there is: what it starts, sets, shows and costs.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
dir=$(mktemp -d /tmp/mbt-XXXXXX) || exit 99
daemon_pid=
unset TMUX TMUX_PANE MUXBUS
export HOME="$dir" XDG_STATE_HOME="$dir" LC_ALL=C.UTF-8 TERM=xterm-256color SHELL=/bin/sh
plugin=$MUXBUS_SRCDIR/contrib/tmux/muxbus.tmux
inner=
# The terminal of the tmux under test is a pane of another one, whose screen can be read.
t() {
	tmux -S "$dir/outer" -f /dev/null "$@"
}
i() {
	"$inner" -S "$dir/tmux" "$@"
}
ending() {
	[ -z "$inner" ] || i kill-server 2>/dev/null
	finish
}
trap ending EXIT
trap 'exit 99' INT TERM
t new-session -d -s outer -x 100 -y 10 'exec cat'
t set-option -g remain-on-exit on

# The status line, as a person sees it, between two marks.
shown() {
	t capture-pane -p -t outer | sed -n 's/.*<\(.*\)>.*/\1/p'
}
request() {
	printf '%s\n' "$1" | socat -t 60 - "UNIX-CONNECT:$dir/tmux.muxbus" 2>/dev/null
}
requests() {
	request '{"method":"status"}' | jq .result.counters.requests
}
# The options of the server, except the ones that the plugin may set.
options() {
	i show-options -g
	i show-options -gw
	i show-options -s
	i show-hooks -g
	i list-keys
}
tidy() { # without the environment that it sets for new panes, which is the daemon's
	grep -v '^@muxbus_'
}
bodies() { # how many of the piece's processes there are
	pgrep -f -c "$MUXBUS_SRCDIR/contrib/tmux/status" || :
}
# until_true COMMAND: within 20 s
until_true() {
	tries=0
	until "$@" || [ $tries -ge 400 ]; do
		tries=$((tries + 1))
		sleep 0.05
	done
	"$@"
}

try_with() {
	inner=$1
	version=$("$inner" -V | sed 's/tmux //')
	cat >"$dir/tmux.conf" <<-END
		set -g status-interval 2
		set -g status-right-length 60
		set -g status-right '<#{E:@muxbus_status}>'
		set -g @muxbus_daemon '$MUXBUS_BUILDDIR/muxbusd'
	END
	# First without the daemon, and without the plugin.
	"$inner" -S "$dir/tmux" -f "$dir/tmux.conf" new-session -d -s inner -x 100 -y 9 'exec cat'
	options >"$dir/before"
	t respawn-pane -k -t outer "exec env TMUX= '$inner' -S '$dir/tmux' attach"
	until_is "$version: a person attaches" 1 attached
	i set-option -g @muxbus_daemon none
	i run-shell -b "$plugin"
	ok "$version: it makes the piece" until_true has_piece
	until_is "$version: which is empty without a daemon" '' shown
	i set-option -g @muxbus_daemon "$MUXBUS_BUILDDIR/muxbusd"
	i set-option -g @muxbus_options '-o events=77 -o deliver_quiet_ms=2000'
	i run-shell -b "$plugin"
	ok "$version: it starts the daemon" until_true [ -S "$dir/tmux.muxbus" ]
	is "$version: with the options that are set" \
		"$(request '{"method":"status"}' | jq -c '.result.limits | [.events, .deliver_quiet_ms]')" '[77,2000]'
	pid=$(request '{"method":"status"}' | jq .result.pid)
	i run-shell "$plugin" # as when tmux.conf is read again
	is "$version: and no second one" "$(request '{"method":"status"}' | jq .result.pid)" "$pid"
	options | tidy >"$dir/after"
	is "$version: no option, hook or key but its own is touched" "$(tidy <"$dir/before" | diff - "$dir/after")" ''
	until_is "$version: nothing to do shows nothing" '' shown

	# Counts only: no text of a notification or a job appears there.
	request "$(jq -nc --arg text "#(touch $dir/pwned) #{pane_id} ,\"jobs\":7" \
		'{method: "post_notification", params: {text: $text, data: {jobs: 8}}}')" >"$dir/posted"
	request "$(jq -nc --arg name "#(touch $dir/pwned) ,\"undelivered\":9" \
		'{method: "run_long_command", params: {command: "exec sleep 1000", $name}}')" >"$dir/job"
	until_is "$version: a job and a notification are counted" '1 running, 1 pending' shown
	request "$(jq -c '{method: "stop_job", params: {job: .result.id, signal: "KILL"}}' "$dir/job")" >/dev/null
	[ "$2" = whole ] || return
	request "$(jq -c '{method: "cancel_notification", params: {seq: .result.seq}}' "$dir/posted")" >/dev/null
	until_is "$version: the job ends, and has a notification" '1 pending' shown
	request '{"method":"ack_notification","params":{"up_to":'"$(request '{"method":"list_notifications"}' | jq .result.last)"'}}' >/dev/null
	until_is "$version: nothing is left" '' shown
	ok "$version: and nothing was run" [ ! -e "$dir/pwned" ]

	# For any number of redraws, the daemon gets one request an interval. The test itself sends
	# two requests here; an interval that had begun, and one that ends, count as well.
	asked=$(requests)
	drawn=0
	while [ $drawn -lt 60 ]; do
		drawn=$((drawn + 1))
		i rename-window -t inner "$drawn"
		sleep 0.1
	done
	asked=$(($(requests) - asked - 1))
	ok "in 6 s with 60 drawings it was asked about every 2 s, and not more ($asked)" [ "$asked" -le 5 ]
	ok 'but it was' [ "$asked" -ge 1 ]

	# After the end of the daemon the piece is empty.
	request '{"method":"post_notification","params":{"text":"left"}}' >/dev/null
	until_is "$version: the piece is there" '1 pending' shown
	kill -9 "$pid"
	until_is "$version: without the daemon it is empty" '' shown
	i run-shell -b "$plugin"
	until_is "$version: the next daemon knows what the last one did" '1 pending' shown
	pid=$(request '{"method":"status"}' | jq .result.pid)
}
attached() {
	i list-clients -F '#{client_control_mode}' | grep -cx 0 || :
}
has_piece() {
	[ -n "$(i show-options -gqv @muxbus_status)" ]
}
gone() {
	! kill -0 "$pid" 2>/dev/null
}

own=$(command -v tmux)
for program in "$own" "$MUXBUS_TMUX_CACHE"/tmux-*; do
	is_tested "$program" || continue
	form=${MUXBUS_TEST_LONG:+whole}
	[ "$program" != "$own" ] || form=whole
	try_with "$program" "$form"

	# After the end of the server no process is left.
	i kill-server
	ok "$version: the daemon ends with the server" until_true gone
	until_is "$version: and nothing stays behind" 0 bodies
	inner=
	rm -rf "$dir/muxbus" "$dir/tmux.muxbus"
done

# Like TPM: a link, run by its path, with $TMUX alone to name the server.
mkdir -p "$dir/.tmux/plugins"
ln -s "$MUXBUS_SRCDIR/contrib/tmux" "$dir/.tmux/plugins/muxbus"
inner=tmux
i -f /dev/null new-session -d -s inner 'exec cat'
i set-option -g @muxbus_daemon "$MUXBUS_BUILDDIR/muxbusd"
i run-shell "for plugin in $dir/.tmux/plugins/muxbus/*.tmux; do \$plugin >/dev/null 2>&1; done"
ok 'TPM finds and runs it' until_true [ -S "$dir/tmux.muxbus" ]
ok 'the piece leads to the files' [ -x "$(i show-options -gqv @muxbus_status | sed -n 's/^#(exec \([^ ]*\) .*/\1/p')" ]
# A folder whose name would act on tmux or a shell.
odd="$dir/a #(touch $dir/pwned2) b"
mkdir -p "$odd"
cp "$MUXBUS_SRCDIR"/contrib/tmux/* "$odd"
i set-option -gu @muxbus_status
cp "$odd/muxbus.tmux" "$dir/odd.tmux" && sed -i "s|^here=.*|here='$odd'|" "$dir/odd.tmux"
i run-shell "sh $dir/odd.tmux" >/dev/null
is 'a folder with an odd name has no piece' "$(i show-options -gqv @muxbus_status)" ''
ok 'and nothing was run' [ ! -e "$dir/pwned2" ]
# tmux without the daemon in its PATH.
i set-option -g @muxbus_daemon no-such-muxbusd
i run-shell "$plugin"
is 'a missing daemon is no failure' $? 0
: >"$dir/muxbusd.log"
done_testing
