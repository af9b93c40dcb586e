#!/bin/sh
# SPDX-License-Identifier: ISC
# The recipes of contrib/socat, each against a real tmux.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
recipes=$MUXBUS_SRCDIR/contrib/socat
start 'exec sh'
pane=$(t list-panes -a -F '#{pane_id}')

# recipe NAME ARGUMENTS: runs it, bounded; its output is in $dir/out, its words in $dir/err.
recipe() {
	recipe_name=$1
	shift
	timeout 60 "$recipes/$recipe_name" "$@" >"$dir/out" 2>"$dir/err" </dev/null
	status=$?
	echo $status
}
status_of() { # status_of FILTER: of the daemon
	ask '{"method":"status"}' | jq -r ".result.$1"
}
# until_at_least COUNT FILTER: so many of them are known to the daemon
until_at_least() {
	tries=0
	until [ "$(status_of "$2")" -ge "$1" ] || [ $tries -ge 500 ]; do
		tries=$((tries + 1))
		sleep 0.02
	done
}

# build-and-wait
is 'build-and-wait ends as its command' "$(recipe build-and-wait 'echo compiled; exit 6')" 6
is 'and says so' "$(grep -c 'exit 6' "$dir/out")" 1
is 'a failure line comes first' "$(recipe build-and-wait 'echo "main.c:3: error: no"; exec sleep 1000')" 1
is 'and is quoted' "$(head -n 1 "$dir/out")" 'failing: main.c:3: error: no'

# log-line: a file that is not there yet, by a relative path; what is in it is only text.
(
	until_at_least 1 waits
	printf 'starting\nready \033]0;evil\007\n' >"$dir/a log"
) &
helper=$!
cd "$dir" || exit 99
is 'log-line finds a line in a file that comes later' "$(recipe log-line 'a log' '^ready' 30)" 0
is 'and prints it, without what acts on a terminal' "$(cat "$dir/out")" 'ready ?]0;evil?'
is 'log-line ends when the time is up' "$(recipe log-line 'a log' 'never' 0.1)" 4
is 'log-line says what is wrong' "$(recipe log-line 'a log' '(')" 2
ok 'in words' grep -q . "$dir/err"
wait "$helper"

# follow-events: over a kill of the daemon, with nothing lost or twice.
"$recipes/follow-events" window_created notification >"$dir/events" 2>"$dir/events.err" &
follower=$!
until_at_least 1 subscriptions
ask '{"method":"post_notification","params":{"text":"\u001b[31mone"}}' >/dev/null
followed() { # followed PATTERN: how many such lines there are
	grep -c "$1" "$dir/events" || :
}
until_is 'follow-events prints an event' 1 followed 'notification.* one$'
kill_daemon
ask '{"method":"post_notification","params":{"text":"two"}}' >/dev/null
until_at_least 1 subscriptions
window=$(t new-window -d -P -F '#{window_id}' 'exec sleep 1000')
until_is 'it goes on when the daemon was killed' 1 followed "window_created.* $window"
is 'what happened meanwhile is there, once' "$(followed 'notification.* two$')" 1
is 'and what came before is not told again' "$(followed 'one$')" 1
kill "$follower"
wait "$follower"
is 'an unknown kind is said' "$(recipe follow-events nonsense)" 2
ok 'with its name' grep -q nonsense "$dir/err"

# run-in-pane
is 'run-in-pane ends as its command' "$(recipe run-in-pane 'seq 1 1900; pwd; exit 7' main)" 7
is 'and prints all that it printed' "$(sed -n '1p; 1900p; 1901,$p' "$dir/out")" "$(printf '1\n1900\n%s' "$dir")"
is 'a signal is told as shells do' "$(recipe run-in-pane 'kill -TERM $$' main)" 143
is 'no window stays' "$(t list-windows -t main | wc -l)" 2
is 'a session that is not there is said' "$(recipe run-in-pane true nowhere)" 2

# git-post-commit
if command -v git >/dev/null; then
	git init -q "$dir/re po" && cd "$dir/re po" || exit 99
	git config user.name t
	git config user.email t@example.org
	cp "$recipes/git-post-commit" .git/hooks/post-commit
	git commit -q --allow-empty -m 'it'"'"'s "quoted" #(touch '"$dir"'/pwned) \n'
	first=$(git rev-parse HEAD)
	git commit -q --allow-empty -m second
	ask '{"method":"list_notifications"}' >"$dir/commits"
	is 'a commit is told' "$(jq -r '.result.notifications[-1] |
		"\(.text | .[-10:]) \(.data.commit)"' "$dir/commits")" "/pwned) \\n $first"
	is 'the next one is counted into it' "$(jq -r '.result.notifications[-1].count' "$dir/commits")" 2
	MUXBUS=$dir/nothing git commit -q --allow-empty -m third
	is 'without a daemon a commit is made all the same' $? 0
	cd "$dir" || exit 99
else
	ok 'git-post-commit # SKIP no git' true
fi

# collect: what failed comes again, also to the next daemon.
last=$(ask '{"method":"list_notifications"}' | jq .result.last)
ask '{"method":"ack_notification","params":{"consumer":"reader","up_to":'"$last"'}}' >/dev/null
for text in 'a b' '$(c)' d; do
	ask "$(jq -nc --arg text "$text" '{method: "post_notification", params: {text: $text}}')" >/dev/null
done
is 'collect stops when its command fails' "$(recipe collect reader 0.2 -- sh -c 'tee -a "$0" | grep -q "a b"' "$dir/seen")" 1
is 'it got the first, and the one it failed at' "$(jq -r .text "$dir/seen")" "$(printf 'a b\n$(c)')"
kill_daemon
is 'collect ends when there is nothing more' "$(recipe collect reader 0.2 -- sh -c 'cat >>"$0"' "$dir/rest")" 0
is 'what failed came again, and what followed; what was done did not' "$(jq -r .text "$dir/rest")" "$(printf '$(c)\nd')"
is 'nothing is left' "$(recipe collect reader 0 -- cat)$(cat "$dir/out")" 0
is 'collect wants a command' "$(recipe collect reader)" 2

# remind
is 'remind says it when it is time' "$(recipe remind 0.2 'a "break"')" 0
is 'as it was written' "$(cat "$dir/out")" 'a "break"'
timeout 60 "$recipes/remind" 1000 never >"$dir/out" 2>"$dir/err" &
reminder=$!
until_at_least 1 waits
kill_daemon
until_at_least 1 waits
is 'it waits on with the next daemon' "$(status_of timers)" 1
kill "$reminder"
until_is 'interrupted, its timer is cancelled' 0 status_of timers
wait "$reminder"

# screens
t send-keys -t "$pane" 'clear; printf "\\303\\244 %s\\n" shown' Enter
ask '{"method":"wait_for","params":{"any":[{"screen":"(?m)^. shown$","pane":"'"$pane"'"}],"timeout_sec":30}}' >/dev/null
is 'screens are written' "$(recipe screens "$dir/screens")" 0
is 'one file a pane' "$(ls "$dir/screens")" "$(t list-panes -s -t main -F '#{pane_id}.txt' | cat - "$dir/index" 2>/dev/null | sort; echo index.tsv)"
ok 'with what it shows' grep -qx 'ä shown' "$dir/screens/$pane.txt"
is 'and a list of them' "$(awk -F '\t' -v pane="$pane" '$1 == pane { print $2 }' "$dir/screens/index.tsv")" main

# type-when-quiet
asked=$(t new-window -d -P -F '#{pane_id}' 'printf "Proceed? [y/N] "; read -r answer; printf "got <%s>\n" "$answer"; exec sleep 1000')
is 'it types when the question is there' "$(recipe type-when-quiet "$asked" 0.1 'y; $(no)' 'Proceed\? \[y/N\] *$' 30)" 0
ask '{"method":"wait_for","params":{"any":[{"screen":"got <y; \\$\\(no\\)>","pane":"'"$asked"'"}],"timeout_sec":30}}' >"$dir/answer"
is 'the program has the text as it is' "$(jq .result.timed_out "$dir/answer")" false
is 'it ends when the time is up' "$(recipe type-when-quiet "$asked" 0.1 no 'never shown' 0.3)" 4
(
	until_at_least 1 waits
	t kill-pane -t "$asked"
) &
helper=$!
is 'it ends with the pane' "$(recipe type-when-quiet "$asked" 0.1 no 'never shown' 30)" 1
wait "$helper"
is 'a pane that is not there is said' "$(recipe type-when-quiet '%999' 1 no)" 2

# session.bash
if command -v bash >/dev/null; then
	is 'a session lists the panes' "$(recipe session.bash)" 0
	ok 'with their last lines' grep -q "^$pane	" "$dir/out"
	accepted=$(status_of counters.accepted)
	said=$(MUXBUS=$MUXBUS timeout 60 bash -c '
		. "$1"/session.bash
		muxbus_open
		muxbus_call execute_cli "{\"command\": \"cd /usr\"}" >/dev/null
		muxbus_call execute_cli "{\"command\": \"pwd\"}" >/dev/null && jq -j .stdout <<<"$muxbus_result"
		muxbus_call subscribe "{\"kinds\": [\"notification\"]}" >/dev/null
		muxbus_call post_notification "{\"text\": \"an event in between\"}" >/dev/null
		muxbus_call nonsense 2>/dev/null
		echo "error $?"
		muxbus_call ping
		muxbus_close
		echo "closed $?"' - "$recipes")
	is 'calls share a connection, and tell answers from events' "$said" "$(printf '/usr\nerror 1\n{}\nclosed 0')"
	is 'one connection it was' "$(($(status_of counters.accepted) - accepted))" 2
else
	ok 'session.bash # SKIP no bash' true
fi

# None of them hangs where nobody answers.
kill "$daemon_pid"
wait "$daemon_pid" 2>/dev/null
daemon_pid=
is 'nobody there: log-line' "$(recipe log-line log x)" 2
is 'nobody there: run-in-pane' "$(recipe run-in-pane true)" 2
is 'nobody there: collect' "$(recipe collect reader 1 -- cat)" 3
is 'nobody there: remind' "$(recipe remind 1 x)" 2
is 'nobody there: screens' "$(recipe screens "$dir/screens")" 2
is 'nobody there: type-when-quiet' "$(recipe type-when-quiet '%0' 1 x)" 2
done_testing
