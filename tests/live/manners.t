#!/bin/sh
# SPDX-License-Identifier: ISC
# Terminal manners: run on a terminal and in the background, patterns of events, starting a daemon
# and not leaving one, a socket without answers, and a daemon of another version.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
start 'exec sh'
muxbus=$MUXBUS_BUILDDIR/muxbus
pane=$(t list-panes -a -F '#{pane_id}')
mkfifo "$dir/go"

type_line() {
	t send-keys -t "$pane" "clear; $1" Enter
}
screen() { # screen TEXT: on how many lines of the pane, with its escape sequences, that is
	t capture-pane -p -e -t "$pane" | grep -c -F -e "$1" || :
}
job_wrote() { # whether the latest job has written something
	"$muxbus" list_jobs | jq '.jobs[-1].log_bytes > 0'
}
without_daemon() {
	"$muxbus" shutdown >/dev/null
	until_is "$1" gone sh -c "[ -S '$MUXBUS' ] || echo gone"
	daemon_pid=
}
says() { # says NAME STATUS TEXT COMMAND...: the status, and a text in the errors
	say_name=$1 say_status=$2 say_text=$3
	shift 3
	timeout 60 "$@" >"$dir/out" 2>"$dir/err"
	is "$say_name" "$? $(told "$say_text")" "$say_status 1"
}
told() { # told TEXT: on how many lines of the errors that is
	grep -c -F -e "$1" "$dir/err" || :
}
listens() { # listens SOCKET
	grep -c "00010000 .* $1\$" /proc/net/unix || :
}
escape=$(printf '\033')

# Patterns of kinds. watch passes them on to subscribe.

call list_events '{"kinds":["bell","pane_c*"]}'
is 'the socket takes patterns' "$(field '.result.events[0].kind')" pane_created
call subscribe '{"kinds":["windw_*"]}'
is 'a pattern without a kind is an error' "$(field .error.data.field)" kinds
timeout 60 "$muxbus" watch -n 1 'pane_*' 'window_c*' >"$dir/out" &
watcher=$!
until_is 'it is subscribed' 1 sh -c "'$muxbus' status | jq .subscriptions"
type_line 'echo raw out''put'
until_is 'the pane prints' 1 screen 'raw output'
t new-window -d 'read line'
wait "$watcher"
is 'a pattern never means the output of panes' "$? $(jq -r .kind "$dir/out")" '0 window_created'

# Jobs are listed in the order of their start, also by the next daemon.

for name in z m a q b; do
	"$muxbus" run -n "$name" -- true
done
kill_daemon
is 'jobs are listed in order of start' "$("$muxbus" list_jobs all=true | jq -r '[.jobs[].name] | add')" zmaqb

done_testing
