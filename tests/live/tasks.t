#!/bin/sh
# SPDX-License-Identifier: ISC
# The tasks of a stranger: each is one command, which one search in `muxbus help` finds, and which
# works as help prints it, but for the names of panes, jobs and agents.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
need python3
start "exec env PS1='\$ ' bash --norc --noprofile"
PATH="$MUXBUS_BUILDDIR:$PATH"
TMUX="$dir/tmux,$(t display-message -p '#{pid}'),0"
TMUX_PANE=$(t display-message -p '#{pane_id}')
export PATH TMUX TMUX_PANE
pane=$(t split-window -d -P -F '#{pane_id}' "exec env PS1='\$ ' bash --norc --noprofile")
cd "$dir" || exit 99
muxbus help >all

# found WORD COMMAND: each search has a line with the command, which the last file keeps.
found() {
	for search in "muxbus help $1" "grep -i -e '$1' all" "muxbus help tasks | grep -i -e '$1'"; do
		eval "$search" 2>/dev/null | grep "^ *\(usage: \)\{0,1\}$2" >line || { echo "not by $search"; return; }
	done
	echo "$2"
}
# task WORD COMMAND: the command as help has it, for this server; its output is in the file out.
task() {
	is "$1: found" "$(found "$1" "$2")" "$2"
	sed "s/^usage.*//; s/ *#.*//; s/%3/$pane/; s/A1B2/$job/; s|'go on'|'$text'|; s/make check/echo sent/" line | head -n 1 >command
	eval "$(cat command)" >out 2>err
	is "$1: done" "$? $(cat err)" '0 '
}
screen() { # screen TEXT: on how many lines of the pane that is
	t capture-pane -p -t "$pane" | grep -c -x -e "$1" || :
}

# A job of last night, one that runs, and an agent.
muxbus run -n backup -- sh -c 'exit 3' >/dev/null
job=$(muxbus run -d -n build -- sleep 600 | jq -r .id)
muxbus ensure_agent name=fix command='env PYTHONSTARTUP= python3 -q' >/dev/null
text='print(6 * 7)'

task prompt 'muxbus wait prompt='
task type 'muxbus send '
until_is 'the line is typed' 1 screen sent
task safely 'muxbus send_task '
is 'the agent answers' "$(jq -r .text out)" 42
is 'in words for a person' "$(eval "$(sed 's/muxbus/muxbus --text/' command)")" 42
text='input("Go on? [Y/n] ")'
eval "$(sed "s|'print.*'|'$text'|" command)" >out
task blocked 'muxbus list_agents'
is 'the blocked agent, and its question' "$(jq -r '.agents[] | select(.state == "blocked") | "\(.agent): \(.question)"' out)" 'fix: Go on? [Y/n]'

is 'in words' "$(muxbus --text list_agents | awk '/^fix/ { print $1, $2 } /Go on\? / { print "asks" }')" "$(printf 'fix blocked\nasks')"
# The same on the home screen: a begins the answer.
is 'waits: found' "$(found 'who waits' 'muxbus ')" 'muxbus '
t resize-window -t main -x 80 -y 50
t send-keys -t "$pane" "'$MUXBUS_BUILDDIR/muxbus'" Enter
until_is 'it is on top' 1 screen '> needs you  fix .*Go on? \[Y/n\]  (a answers)'
t send-keys -t "$pane" a
until_is 'an answer begins' 1 screen 'answer: _.*'
t send-keys -t "$pane" n Enter
until_is 'and is typed' ready sh -c "muxbus list_agents | jq -r '.agents[0].state'"
until_is 'no question is left' 0 screen '.*needs you  fix.*'
t send-keys -t "$pane" q
until_is 'it is noted when a person looked' 1 sh -c "ls '$dir'/muxbus/*/looked | wc -l"
until_is 'the shell is back' 1 screen '\$ *'

task log 'muxbus watch_log '
id=$(jq -r .id out)
printf 'fine\nERROR: no disk\n' >log
is 'the line in the log' "$(timeout 20 muxbus next_notification "filter:={\"id\":\"$id\"}" timeout_sec=20 |
	jq -r '.notifications[0] | "\(.data.reason) \(.data.line)"')" 'match ERROR: no disk'
task remind 'muxbus remind '
is 'the reminder is set' "$(muxbus list_timers | jq -r '.timers[].text')" tea
task picture 'muxbus screenshot '
ok 'the picture is SVG' grep -q '^<svg ' pane.svg
task status 'muxbus get_job '
is 'the job runs' "$(jq -r '"\(.name) \(.state)"' out)" 'build running'
is 'socat: found' "$(found socat 'muxbus get_job ')" 'muxbus get_job '
muxbus help tasks | sed -n '/^echo/,$p' | sed "s/A1B2/$job/" >line
is 'its status by socat' "$(sh ./line | jq -r .result.state)" running
is 'rerun: found' "$(found rerun 'muxbus rerun ')" 'muxbus rerun '
mkdir -p src/lib
: >src/lib/a.c
sed "s/ *#.*//; s/^ */exec /; s/make test/echo ran/" line >command
sh ./command >out 2>err &
rerun=$!
ran() {
	grep -c ran out || :
}
until_is 'it runs at once' 1 ran
echo 1 >src/lib/a.c
until_is 'and on a change' 2 ran
kill "$rerun"
wait "$rerun" 2>/dev/null
t send-keys -t "$pane" 'sleep 0.5' Enter
task 'notify me' 'muxbus notify-when '
is 'notify-when takes what watch_pane does' "$(muxbus notify-when %0 timeout_sec=600 2>&1 | jq -r .watched_pane)" %0
id=$(jq -r .id out)
until_is 'notified of its end' "the command in pane $pane is done" sh -c "muxbus list_notifications | jq -r '.notifications[] | select(.id == \"$id\").text'"
is 'phone: found' "$(found phone 'muxbus on_notify ')" 'muxbus on_notify '
task 'clock' 'muxbus remind 14:30 '
is 'at that time' "$(date -d "$(jq -r .due out)" +%H:%M)" 14:30
job7=$(muxbus run -d -- sh -c 'exit 7' | jq -r .id)
found status 'muxbus wait -x ' >/dev/null
is 'wait for a job: its own status' "$(eval "$(sed "s/ *#.*//; s/A1B2/$job7/" line)" >out; echo $?)" 7
task stop 'muxbus kill '
until_is 'the job has ended' stopped sh -c "muxbus get_job $job | jq -r .state"
task history 'muxbus jobs'
is 'what ran' "$(jq -r '.jobs[] | "\(.name) \(.exit_code)"' out | tr '\n' ' ')" 'backup 3 build null null 7 '
# Clocks that go back or on in 30 minutes, when it is $at now, which is $west seconds west of UTC.
zone() { # SECONDS: an offset as TZ has it
	echo "$1" | awk '{ s = $1 < 0 ? -$1 : $1; printf("%s%d:%d:%d", $1 < 0 ? "-" : "", s / 3600, s / 60 % 60, s % 60) }'
}
rules() { # SECONDS: the day and time of the change, where that offset holds, and half a year on
	change=$((now + 1800)) day=$(($(TZ=AAA$(zone "$1") date -d "@$change" +1%j) - 1001))
	change=$day/$(TZ=AAA$(zone "$1") date -d "@$change" +%H:%M:%S) other=$(((day + 180) % 365))/0
}
remind() { # SECONDS TEXT: the seconds from now to the time that clocks will show then, or skip
	due=$(TZ=$clock muxbus remind "$(TZ=$shown date -d "@$((now + $1))" +%H:%M:%S)" "$2" | jq -r .due)
	echo $(($(date -d "$due" +%s) - now))
}
for at in 12:00 22:55 23:20 23:50; do
	now=$(date +%s)
	west=$((now % 86400 - $(date -u -d "1970-01-01 $at" +%s)))
	rules $west
	shown=AAA$(zone $west)
	clock="AAA$(zone $((west + 3600)))BBB,$other,$change"
	ok "$at: a time that comes twice is the first one" test "$(remind 900 twice)" -le 960
	clock="AAA$(zone $((west + 7200)))BBB$(zone $west),$other,$change" # as in Antarctica/Troll
	ok "$at: also where the clock goes back two hours" test "$(remind 900 again)" -le 960
	clock="AAA$(zone $west)BBB,$change,$other"
	is "$at: a time that is skipped is the first one after" "$(remind 2700 skipped)" 1800
done

is 'busy: found' "$(found busy 'muxbus --fleet')" 'muxbus --fleet'
is 'layout: found' "$(found layout 'muxbus restore')" 'muxbus restore'

# Two that need the terminal of a person, or time.
is 'follow: found' "$(found follow 'muxbus tail ')" 'muxbus tail '
timeout 60 muxbus tail -n 2 "$pane" >out 2>/dev/null &
until_is 'tail subscribes' 1 sh -c "muxbus status | jq .subscriptions"
muxbus send "$pane" 'echo one; echo two' >/dev/null
wait $!
is 'lines as they come' "$? $(tail -n 1 out)" '0 one'
is 'jump: found' "$(found jump 'muxbus go ')" 'muxbus go '
muxbus go "$pane" >out 2>err
is 'without a terminal it says so' "$? $(grep -c 'no terminal is attached' err)" '0 1'
t new-session -d -s far 'exec cat'
far=$(t list-panes -t far -F '#{pane_id}')
t new-session -d -s outer "exec env TMUX= '$(command -v tmux)' -S '$dir/tmux' attach -t main"
shown() { # the pane on the terminal of the person
	t list-clients -F '#{client_control_mode} #{client_tty} #{pane_id}' |
		grep "^0 $(t list-panes -t outer -F '#{pane_tty}') " | cut -d ' ' -f 3
}
until_is 'a person is attached' "$pane" shown
muxbus go far
until_is 'go shows a pane of another session' "$far" shown
muxbus send "$pane" "muxbus go $TMUX_PANE" >/dev/null
until_is 'and one of the first' "$TMUX_PANE" shown
muxbus go nothing 2>err
is 'a pane that is not there' "$? $(wc -l <err)" '1 1'
muxbus go 2>err
is 'without a pane' "$? $(grep -c 'a pane is missing' err)" '2 1'

MUXBUS_CONTRIBDIR=$MUXBUS_SRCDIR/contrib
export MUXBUS_CONTRIBDIR
# It refuses a program that cannot run, so there is a notify-send.
mkdir bin
printf '#!/bin/sh\nfor word; do printf "%%s|" "$word"; done\n' >bin/notify-send
chmod 755 bin/notify-send
PATH="$dir/bin:$PATH"
task desktop 'muxbus on_notify '
program=$(cat .config/muxbus/on_notify)
is 'the program is written' "$program" "$MUXBUS_CONTRIBDIR/on_notify/desktop"
is 'which tells the desktop' "$(echo '{"line":"a < b","urgency":"high"}' | "$program")" \
	'-a|muxbus|-u|critical|--|Muxbus|a &lt; b|'
is 'it is shown' "$(muxbus on_notify)" "$program"
muxbus on_notify no-such-program 2>err
is 'a program that is not there' "$? $(grep -c 'no-such-program' err)" '1 1'
muxbus on_notify sh "$(printf 'a\nb')" 2>err
is 'a word with a line feed' "$?" 2
is 'its options are those of all verbs' "$(muxbus on_notify --text) $(muxbus on_notify --color=never)" "$(muxbus on_notify) $(muxbus on_notify)"
is 'a word more is refused' "$(muxbus on_notify --remove x 2>&1 | head -n 1)" 'muxbus: unexpected argument "x"'
muxbus on_notify --remove --json >out
is 'and removed' "$? $(muxbus on_notify 2>&1)" '0 muxbus: no program is set; for the desktop: muxbus on_notify desktop'
done_testing
