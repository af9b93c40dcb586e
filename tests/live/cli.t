#!/bin/sh
# SPDX-License-Identifier: ISC
# The command line: every verb, in a pipe and on a terminal, with all exit statuses; and the
# name of a stranger's pane cannot control the terminal.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
start 'exec sh'
muxbus=$MUXBUS_BUILDDIR/muxbus
pane=$(t list-panes -a -F '#{pane_id}' | head -n 1)

# run_it COMMAND...: keeps output, errors and status.
run_it() {
	timeout 60 "$@" >"$dir/out" 2>"$dir/err"
	status=$?
}
as_user= # a prefix of its commands
# gives NAME STATUS FILTER WANT COMMAND...: the status, and what jq finds in the output.
gives() {
	give_name=$1 give_status=$2 filter=$3 give_want=$4
	shift 4
	run_it $as_user "$muxbus" "$@"
	is "$give_name" "$status $(jq -rc "$filter" "$dir/out" 2>&1)" "$give_status $give_want"
}
# says NAME STATUS TEXT COMMAND...: the status, and a text in the errors.
says() {
	say_name=$1 say_status=$2 text=$3
	shift 3
	run_it "$muxbus" "$@"
	is "$say_name" "$status $(grep -c -F -- "$text" "$dir/err")" "$say_status 1"
	[ -s "$dir/err" ] && grep -q -F -- "$text" "$dir/err" || sed 's/^/# /' "$dir/err"
}
# shows PANE TEXT: on how many lines of the pane a pattern is found.
shows() {
	"$muxbus" --text capture_pane "$1" | grep -c -e "$2" || :
}
file_has() { # file_has FILE TEXT
	grep -q -F -- "$2" "$1"
}

# Methods.

gives 'a method in a pipe gives JSON' 0 '.panes[0].pane' "$pane" list_panes
is 'on one line' "$(wc -l <"$dir/out")" 1
gives 'a word without a key is the pane' 0 .pane "$pane" get_pane "$pane"
gives 'typed by the schema' 0 .pane "$pane" capture_pane "pane=$pane" lines=1
says 'an integer is checked here' 2 'lines: must be a whole number' capture_pane "pane=$pane" lines=x
says 'an unknown argument' 2 'did you mean "lines"' capture_pane lins=3
gives 'the history has the request, not the look-ups for it' 0 '[.actions[].method] | index("describe")' null get_action_history
says 'an unknown method' 2 'did you mean "list_panes"' list_pane
is 'and of the versions nothing' "$(grep -c version "$dir/err")" 0
says 'a command of tmux' 2 'did you mean "close_pane"' kill-pane
says 'and one that has no method' 2 'did you mean "run_tmux"' select-layout
says 'an option of tmux' 2 'a pane is named without an option' capture -t "$pane"
says 'also before a text' 2 'a pane is named without an option' send -t "$pane" hi
says 'an option of ls' 2 'there is no option "-a"' ls -a
says 'a number for the id of a window' 1 "there is no session '9'; ids are those of sessions (\$1), windows (@1)" close_window 9
says 'a wait for nothing' 2 'a condition is missing' wait "pane=$pane"
says 'an option of kill' 2 'there is no option "-9"' kill -9 A1B2
gives 'options for tmux itself' 0 '.output | split("\n")[0]' "$pane" run_tmux list-panes -aF '#{pane_id}'
says 'a verb with a typing error' 2 'did you mean "watch"' wach
says 'a pane that there is not' 1 'there is no pane %99' get_pane %99
watch=$("$muxbus" watch_log "$dir/none" | jq -r .id)
gives 'a word without a key is the id of a watch' 0 '.watches[0].id' "$watch" cancel_watch "$watch"
says 'also of none' 1 'there is no watch "A1B2"' cancel_watch A1B2
gives 'but the id of a pane is the pane' 0 .pane "$pane" cancel_watch "$pane"
says 'JSON that is none' 2 'not JSON' wait_for any:='[{'
says 'which is said once' 2 'any: not JSON: only true' wait_for any:=bad
says 'a word behind -- that no argument takes' 2 'each argument has a key, but "command=1" is behind --' create_session -- command=1
says 'nothing asked for' 2 'a verb or method is missing'
says 'an option that there is not' 2 'usage: muxbus' --nonsense
says 'names and sockets exclude each other' 2 'exclude each other' -L a -S b ping
says 'an empty name is none' 2 'need a name that is not empty' -S '' ping
says 'nor is it this machine' 2 'need a name that is not empty' --host '' ping
MUXBUS_HOST=far run_it "$muxbus" -s "$MUXBUS" ping
is 'a socket counts more than the machine of the environment' "$status $(cat "$dir/out")" '0 {}'
says 'but not more than that of an option' 2 '-s and --host exclude each other' -s "$MUXBUS" --host far ping
run_it "$muxbus" -s "$dir/nothing" ping
is 'no daemon' "$status $(cat "$dir/err")" \
	"3 muxbus: muxbusd is not running: there is no socket at $dir/nothing. Start it with: muxbus -s $dir/nothing start"
run_it sh -c "ulimit -s 64; exec '$muxbus' ping"
is 'a small stack is enough' "$status $(cat "$dir/err")" '0 '
mkdir -p "$dir/.claude"
for verb in doctor setup; do
	run_it env -i HOME="$HOME" PATH="$PATH" LARGE="$(head -c 26000 /dev/zero | tr '\0' x)" sh -c "ulimit -s 64; exec '$muxbus' -S '$dir/tmux' $verb"
	ok "for $verb too, beside a large environment ($status)" [ "$status" -lt 2 ]
done
gives 'a time that is up' 4 .timed_out true wait_for any:='[{"sec":60}]' timeout_sec=0.05
printf 'typed; $HOME `x`' | "$muxbus" send_text "pane=$pane" - >"$dir/out"
until_is 'text from standard input is typed' 1 shows "$pane" "typed; \$HOME \`x\`"
"$muxbus" send_keys "pane=$pane" C-u >/dev/null
"$muxbus" send_keys "pane=$pane" 'keys=echo a''b' keys=Enter >/dev/null
until_is 'keys can be repeated' 1 shows "$pane" '^ab$'
"$muxbus" send_keys "$pane" 'echo c''d' Enter >/dev/null
until_is 'the first word without a key is the pane' 1 shows "$pane" '^cd$'
"$muxbus" send_text "$pane" 'echo e''f' enter=true >/dev/null
until_is 'also of send_text' 1 shows "$pane" '^ef$'
says 'and of send_mouse' 1 "pane $pane: its program did not ask for the mouse" send_mouse "$pane" x=1 y=1
gives 'a key in another spelling is that key' 0 .note null send_keys "$pane" 'echo g''h' '<Enter>'
until_is 'so the line is run' 1 shows "$pane" '^gh$'
gives 'one that is text is told' 0 .note '"Enter" was typed as text; the key is Enter, in an element of its own' \
	send_keys "$pane" ': Enter'
"$muxbus" send_keys "$pane" Ctrl+C >/dev/null
run_it "$muxbus" --text list_panes
ok 'a table in a pipe, if asked for' file_has "$dir/out" 'PANE  WHERE'
run_it "$muxbus" list_panes --json --color=always
ok 'JSON has no colours' sh -c "! grep -q '\\[' '$dir/out' || jq -e .panes '$dir/out' >/dev/null"
"$muxbus" list_panes >/dev/full 2>"$dir/err"
is 'a full disk is an error' "$? $(grep -c 'No space left' "$dir/err")" '1 1'
for verb in relay mcp; do
	echo '{"jsonrpc":"2.0","id":1,"method":"ping"}' |
		timeout 20 "$muxbus" $verb >/dev/full 2>"$dir/err"
	is "for $verb too" "$? $(grep -c 'No space left' "$dir/err")" '1 1'
done
gives 'after -- no word is an option' 0 .output '--json=x' run_tmux -- display-message -p -- --json=x

# Help and version.

run_it "$muxbus" help
is 'help lists' "$status $(grep -c -e '^  watch ' -e '^  list_panes ' "$dir/out")" '0 2'
ok 'in a pipe each of them is one line' sh -c "! grep '^   ' '$dir/out'"
run_it "$muxbus" help STOP jo
is 'other words are searched for' "$status $(grep -c -e '^  kill  .*stop a job$' -e '^  stop_job  ' "$dir/out")" '0 2'
says 'but an option is no name' 2 'there is no "--non-sense"; see: muxbus help' help --non-sense
run_it "$muxbus" help capture_pane
is 'help of a method' "$status $(grep -c -e '^usage: muxbus capture_pane' -e '^Example' "$dir/out")" '0 2'
run_it "$muxbus" -s "$dir/nothing" help wait_for
is 'without a daemon too' "$status $(grep -c '^usage: muxbus wait_for' "$dir/out")" '0 1'
run_it "$muxbus" help run
is 'help of a verb, with its options' "$status $(grep -c -e '^usage: muxbus run' -e '^-C dir, --cwd dir' "$dir/out")" '0 2'
for topic in agents conditions events machines methods tasks; do
	run_it "$muxbus" help $topic
	ok "help $topic" test "$status" = 0 -a "$(wc -l <"$dir/out")" -gt 9
done
run_it "$muxbus" help conditions
is 'each condition has an example' "$(grep -c '^  [a-z_][a-z_]* ' "$dir/out")" "$(grep -c '^ *muxbus wait ' "$dir/out")"

# A help longer than the terminal is paged, without a shell.
printf '#!/bin/sh\necho "paged: $1" $(wc -l)\n' >"$dir/pager"
chmod 755 "$dir/pager"
t new-window -d -t main -n paged "TERM=dumb PAGER='$dir/pager ;dumb' '$muxbus' help run; PAGER='$dir/pager ;id' '$muxbus' help run; PAGER='$dir/pager' '$muxbus' help version; stty cols 1; PAGER='$dir/pager ;narrow' '$muxbus' help version; exec cat"
paged() {
	t capture-pane -p -t main:paged | grep -c -e '^paged: ;id [0-9]' -e ' prints the versions' || :
}
until_is 'a long help is paged, a short one is not' 2 paged
narrow() {
	t capture-pane -p -S - -t main:paged | grep -c '^paged: ;narrow' || :
}
until_is 'but on a terminal of one column' 1 narrow
is 'nor is one where TERM is dumb' "$(t capture-pane -p -S - -t main:paged | grep -c '^paged: ;dumb')" 0
t kill-window -t main:paged

# ^C is for the pager: it keeps the terminal, and muxbus waits for it.
cat >"$dir/pager" <<END
#!/bin/sh
trap 'echo caught' INT
cat >/dev/null
echo paging
until [ -e "$dir/leave" ]; do sleep 0.02; done
echo leaving
END
t new-window -d -t main -n paged "trap : INT; PAGER='$dir/pager' '$muxbus' help run; echo after; exec cat"
paged() {
	t capture-pane -p -t main:paged | grep -o -e paging -e caught -e leaving -e after | tr '\n' ' '
}
until_is 'a pager reads' 'paging ' paged
t send-keys -t main:paged C-c
until_is 'and is interrupted' 'paging caught ' paged
: >"$dir/leave"
until_is 'muxbus ends after the pager' 'paging caught leaving after ' paged
t kill-window -t main:paged
run_it "$muxbus" help wait
is 'help of wait lists the conditions' "$status $(grep -c -e '^  file=text \[regex=text\]' -e '^  notification:=json' "$dir/out")" '0 2'
says 'help of nothing' 2 'did you mean "list_jobs"' help lst_jobs
says 'and of several words' 2 'nothing has all of these words; see: muxbus help' help stop nonsense
run_it "$muxbus" version
is 'versions' "$status $(sed -n 's/ .*//p' "$dir/out" | tr '\n' ' ')" '0 muxbus muxbusd tmux '
for verb in $("$muxbus" help | sed -n '/^Watching/,/^Agents/s/^  \([a-z]*\) .*/\1/p'); do
	run_it "$muxbus" "$verb" --help
	is "$verb --help" "$status $(grep -c "^usage: muxbus $verb" "$dir/out")" '0 1'
	run_it "$muxbus" help "$verb"
	is "help $verb has its usage once" "$(grep -c -e "^usage: muxbus $verb\( [^ ]\|$\)" -e "^muxbus $verb \[.*\.\.\.$" "$dir/out")" 1
	ok "help $verb says more than one line" test "$(wc -l <"$dir/out")" -gt 2
done
# Each example can be pasted: it is answered, with a result or an error.
# (The manual of the protocol covers the methods that end objects, or wait.)
for method in list_panes list_windows list_sessions list_jobs list_timers status describe ping; do
	example=$("$muxbus" help "$method" | sed -n '/^Example/{n;s/^ *muxbus //p;}')
	run_it sh -c "'$muxbus' $example"
	is "the example of $method" "$status" 0
done
for table in methods groups conditions errors limits; do
	gives "describe table=$table" 0 'keys_unsorted | join(" ")' "version $table" describe "table=$table"
done
gives 'describe table=events' 0 'keys_unsorted | join(" ")' 'version events event_members event_lists' describe table=events

# run.

run_it "$muxbus" run -- sh -c 'echo out; echo err >&2; exit 7'
is "run's status is the command's" "$status" 7
is 'its end is not queued as a notification' "$("$muxbus" list_notifications state=queued | jq '.notifications | length')" 0
is 'its output is printed' "$(sort "$dir/out" | tr '\n' ' ')" 'err out '
run_it "$muxbus" run -- printf '%s|' 'a b' "it's" '$HOME' '`id`' '' '*' "$(printf 'x\ny')" '\n'
is 'arguments arrive unchanged' "$status $(cat "$dir/out")" "0 $(printf '%s|' 'a b' "it's" '$HOME' '`id`' '' '*' "$(printf 'x\ny')" '\n')"
run_it "$muxbus" run --shell 'echo a b | tr a-z A-Z'
is 'a shell, if asked for' "$status $(cat "$dir/out")" '0 A B'
run_it "$muxbus" run -qc 'exit 3; true'
is 'flags in one word' "$status" 3
run_it "$muxbus" run -qt0.1 -- sleep 60
is 'and an option with its value' "$status $(wc -c <"$dir/err")" '124 0'
says 'each of them is looked at' 2 'unknown option -qz' run -qz true
says 'a flag has no value' 2 '--detach=no: takes no value' run --detach=no true
is 'the usage follows the verb' "$(grep '^usage' "$dir/err" | cut -c1-22)" 'usage: muxbus run [-df'
# A connection that ends before the answer: a job is begun once, and its end is seen.
/usr/bin/python3 - "$MUXBUS" "$dir/cut" <<'END' &
import socket, sys, threading
gate = socket.socket(socket.AF_UNIX)
gate.bind(sys.argv[2])
gate.listen(8)
gate.settimeout(20)
def serve(near, cuts):
    far = socket.socket(socket.AF_UNIX)
    far.connect(sys.argv[1])
    threading.Thread(target=back, args=(near, far), daemon=True).start()
    for line in near.makefile("rb"):
        far.sendall(line)
        if cuts and b"run_long_command" in line:
            near.shutdown(socket.SHUT_RDWR)
            return
def back(near, far):
    try:
        while data := far.recv(65536):
            near.sendall(data)
    except OSError:
        pass
for number in range(2):
    serve(gate.accept()[0], number == 0)
END
until [ -S "$dir/cut" ]; do sleep 0.02; done
run_it "$muxbus" -s "$dir/cut" run -- sh -c "echo begun >>$dir/begun; exit 5"
is 'a connection is cut before the answer: run goes on' "$status $(grep -c 'is gone' "$dir/err")" '5 1'
is 'with one job' "$(grep -c begun "$dir/begun")" 1
run_it "$muxbus" run no-such-program-anywhere
is 'no such program' "$status" 127
run_it "$muxbus" run -- sh -c 'kill -TERM $$'
is 'killed' "$status" 143
run_it "$muxbus" run -t 0.1 -- sleep 60
is 'its timeout' "$status" 124
run_it env MARK=here "$muxbus" run -C /usr -- sh -c 'echo $MARK $PWD'
is 'environment and directory are the caller'"'"'s' "$(cat "$dir/out")" 'here /usr'
run_it "$muxbus" run -- printf '\377\000x'
is 'output in a pipe is exact' "$(od -An -tx1 <"$dir/out" | tr -d ' ')" ff0078
mkfifo "$dir/typed"
"$muxbus" run -- sh -c "echo first; read line <'$dir/typed'; echo second" 2>"$dir/err" | cat >"$dir/out" &
piped=$!
until_is 'output goes into a pipe as it comes' first cat "$dir/out"
echo >"$dir/typed"
wait "$piped"
is 'all of it' "$(tr '\n' ' ' <"$dir/out")" 'first second '
run_it "$muxbus" run -f -- sh -c 'for i in 1 2 3; do echo $i; sleep 0.05; done; exit 3'
is 'output is followed' "$status $(tr '\n' ' ' <"$dir/out")" '3 1 2 3 '
gives 'detached it returns at once' 0 '.id | length' 4 run -d -- sleep 60
job=$(jq -r .id "$dir/out")
gives 'and continues' 0 .state running get_job "$job"
"$muxbus" stop_job "$job" >/dev/null
says 'run without a command' 2 'a command is missing' run -f
timeout 60 "$muxbus" run -- sleep 60 2>"$dir/err" &
runner=$!
until_is 'a job runs' 1 sh -c "'$muxbus' list_jobs running=true | jq '[.jobs[] | select(.command == \"exec sleep 60\")] | length'"
job=$("$muxbus" list_jobs running=true | jq -r '[.jobs[] | select(.command == "exec sleep 60")][0].id')
kill -INT "$(pgrep -P "$runner" || echo "$runner")" 2>/dev/null
wait "$runner"
is '^C stops it' "$? $("$muxbus" get_job "$job" | jq -r .state)" '130 stopped'
ok 'and says so' file_has "$dir/err" "stopping job $job"
(timeout 60 "$muxbus" run -- yes; echo $? >"$dir/status") 2>"$dir/err" | head -n 2 >"$dir/out"
until_is 'the end of its reader ends it' 0 sh -c "'$muxbus' list_jobs running=true | jq '.jobs | length'"
is 'when head has its lines' "$(cat "$dir/out")" "$(printf 'y\ny')"
until_is 'with the status of SIGPIPE' 141 cat "$dir/status"
ok 'and says so' file_has "$dir/err" 'the reader of the output is gone: stopping job'
is 'and no more' "$(grep -c 'standard output' "$dir/err")" 0
"$muxbus" run -- echo hi >/dev/full 2>"$dir/err"
is 'a full disk is an error of run too' "$? $(grep -c 'output: No space left' "$dir/err")" '1 1'
"$muxbus" run -- echo '{"method":"post_notification","params":{"text":"forged"}}' <&- >&- 2>"$dir/err"
is 'output of a job is no request where standard output is closed' \
	"$? $(grep -c 'output: Bad file' "$dir/err") $("$muxbus" list_notifications | jq '[.notifications[] | select(.text == "forged")] | length')" '1 1 0'
is 'jobs say how it ended' "$("$muxbus" --text jobs | awk '$NF == "yes" { print $2, $3, $4 }')" 'stopped SIG 15'
"$muxbus" run -- sh -c 'sleep 1; echo survived' >"$dir/out" 2>"$dir/err" &
runner=$!
until_is 'a job runs' 1 sh -c "'$muxbus' list_jobs running=true | jq '.jobs | length'"
kill_daemon
wait "$runner"
is 'it outlives the daemon, and is waited for' "$? $(cat "$dir/out")" '0 survived'

# wait.

job=$("$muxbus" run -d -- sh -c 'sleep 0.1; exit 4' | jq -r .id)
gives 'a job is waited for' 0 '.conditions[0].details.exit_code' 4 wait "job=$job"
gives 'one of two' 0 '.matched' '[1]' wait sec=60 sec=0.05
gives 'all of two' 0 '.matched' '[0,1]' wait --all sec=0.01 sec=0.05
gives 'a time that is up' 4 '.timed_out' true wait -t 0.05 sec=60
says 'an unknown condition' 2 'did you mean "output"' wait outptu=x
says 'nothing to wait for' 2 'a condition is missing' wait
says 'an unknown job' 1 'there is no job' wait job=Z9Z9
other=$(t split-window -d -P -F '#{pane_id}' 'read line')
timeout 60 "$muxbus" wait output=never "pane=$other" >"$dir/out" 2>"$dir/err" &
waiter=$!
until_is 'it waits' 1 sh -c "'$muxbus' status | jq .waits"
t kill-pane -t "$other"
wait "$waiter"
is 'a pane that closes is an answer: no' "$? $(jq -r '.conditions[0].state' "$dir/out")" '1 gone'
timeout 60 "$muxbus" --text wait exited="$pane" -t 0.05 >"$dir/out"
is 'readable, if asked for' "$? $(cat "$dir/out")" '4 the time is up'

# watch.

timeout 60 "$muxbus" watch -n 2 'window_c*' >"$dir/out" 2>"$dir/err" &
watcher=$!
until_is 'it is subscribed' 1 sh -c "'$muxbus' status | jq .subscriptions"
t new-window -d -n extra 'read line'
t kill-window -t extra
wait "$watcher"
is 'events as JSON lines, by patterns' "$? $(jq -r .kind "$dir/out" | tr '\n' ' ')" '0 window_created window_closed '
timeout 60 "$muxbus" --text watch -n 1 --after 0 window_created >"$dir/out" 2>/dev/null
ok 'and past events, readable' sh -c "grep -q 'window_created' '$dir/out' || grep -q 'gap' '$dir/out'"
says 'an unknown kind' 2 'did you mean "bell"' watch bel
says 'a subscription ends with its command' 0 'muxbus watch prints events' subscribe kinds=bell
run_it "$muxbus" watch -t 0.1 bell
is 'for a while' "$status" 4
timeout 60 "$muxbus" watch bell >"$dir/out" 2>"$dir/err" &
watcher=$!
until_is 'it is subscribed' 1 sh -c "'$muxbus' status | jq .subscriptions"
kill -INT "$(pgrep -P "$watcher" || echo "$watcher")" 2>/dev/null
wait "$watcher"
is '^C ends it' "$?" 130
(trap '' HUP; exec "$muxbus" watch -n 1 window_created) >"$dir/out" 2>"$dir/err" &
watcher=$!
until_is 'it is subscribed' 1 sh -c "'$muxbus' status | jq .subscriptions"
kill -HUP $watcher
t new-window -d -n after_hup 'read line'
wait $watcher
is 'under nohup the end of a terminal does not' "$? $(jq -r .kind "$dir/out")" '0 window_created'

# A shell ends its loop at ^C only if the command died of it.
if command -v bash >/dev/null; then
	"$muxbus" run -d -n logged -- sleep 60 >"$dir/out"
	printf '#!/bin/sh\ntrap "" INT\nsleep 60\n' >"$dir/deaf"
	chmod +x "$dir/deaf"
	cat >"$dir/loop" <<-LOOP
		for i in 1 2 3; do echo "\$1" >>$dir/looped; "$muxbus" "\$@"; done
	LOOP
	t new-window -d -t main -n looping "trap : INT; bash $dir/loop run -- $dir/deaf; bash $dir/loop tail $pane
		bash $dir/loop watch; bash $dir/loop logs -f logged; bash $dir/loop rerun x -- sleep 60; exec cat"
	for verb in run tail watch logs rerun; do
		until_is "$verb is begun" "$verb" tail -n 1 "$dir/looped"
		sleep 0.5
		t send-keys -t main:looping C-c
		[ $verb != run ] || { sleep 0.2 && t send-keys -t main:looping C-c; }
	done
	until_is 'all loops end' cat t display-message -p -t main:looping '#{pane_current_command}'
	is '^C ends the loop of a shell, too' "$(tr '\n' ' ' <"$dir/looped")" 'run tail watch logs rerun '
	t kill-window -t main:looping
fi
timeout 60 "$muxbus" watch -r -n 1 window_created >"$dir/out" 2>"$dir/err" &
watcher=$!
until_is 'it is subscribed' 1 sh -c "'$muxbus' status | jq .subscriptions"
kill_daemon
until_is 'it finds the next daemon' 1 sh -c "'$muxbus' status | jq .subscriptions"
t new-window -d -n another 'read line'
wait "$watcher"
is 'and continues' "$?" 0

# Hostile names, and a terminal.

hostile=$(printf 'pwn\033]0;owned\007\033[2J\342\200\256x')
t new-window -d -n hostile "printf '\\033]2;%s\\007' \"pwn\$(printf '\\033')[31m\"; exec sleep 1000"
# tmux 3.7 and later refuse a name with control characters.
t rename-window -t hostile "$hostile" 2>/dev/null ||
	t rename-window -t hostile "$(printf 'pwn\342\200\256x')"
# The terminal is a pane of this tmux: what muxbus prints there is looked at with its escapes.
"$muxbus" send_keys "pane=$pane" "keys=clear; $muxbus list_windows; $muxbus --color=never watch -n 1 --after 0 window_renamed -t 1; echo \$? done" keys=Enter >/dev/null
until_is 'on a terminal there is a table' 1 shows "$pane" "^WINDOW"
until_is 'until the end' 1 shows "$pane" "done\$"
t capture-pane -p -e -t "$pane" >"$dir/screen"
ok 'the hostile name is shown, harmless' file_has "$dir/screen" 'pwn'
ok 'as text' sh -c "grep -q -e 'x1b' -e '033' -e 'u202e' '$dir/screen'"
ok 'and not hidden' sh -c "! grep -q \"\$(printf '\342\200\256')\" '$dir/screen'"
is 'the title of the pane is its own' "$(t display-message -p -t "$pane" '#{pane_title}' | grep -c owned)" 0
for format in --text --json; do
	for method in list_panes list_windows status get_action_history list_events; do
		"$muxbus" "$format" "$method" >"$dir/out"
		ok "$method $format has no control characters" sh -c "! tr -d '\\n' <'$dir/out' | LC_ALL=C grep -q '[[:cntrl:]]'"
	done
done
"$muxbus" send_keys "pane=$pane" "keys=clear; $muxbus list_panes; NO_COLOR=1 $muxbus list_sessions; echo end" keys=Enter >/dev/null
until_is 'colours on a terminal' 1 shows "$pane" "^end"
t capture-pane -p -e -t "$pane" >"$dir/screen"
ok 'the titles are bold' sh -c "grep -q \"\$(printf '\033')\\[1mPANE\" '$dir/screen'"
ok 'but not with NO_COLOR' sh -c "! grep -q \"\$(printf '\033')\\[1mSESSION\" '$dir/screen' && grep -q '^SESSION' '$dir/screen'"
mkfifo "$dir/go"
"$muxbus" send_keys "pane=$pane" "keys=clear; $muxbus run -- sh -c 'echo step 1; read x <$dir/go; exit 5'; echo status \$?" keys=Enter >/dev/null
until_is 'its output comes at once' 1 shows "$pane" "step 1\$"
echo >"$dir/go"
until_is 'its status is that of the command' 1 shows "$pane" '^status 5$'
until_is 'its exit status is printed' 1 shows "$pane" "exit status 5 after"

# Another machine that answers with anything: its names are printed as text, and end nothing.
cat >"$dir/evil" <<'END'
#!/bin/sh
echo 'muxbus relay 1 0.2.0'
exec jq -c --unbuffered '{id, result: {
	methods: {"list_panes": {params: {properties: {"\u001b[2Jkey": {type: "string"}}}}, "say\u001b[2J": {summary: "\u001b[2J"}},
	events: {"bell\u001b[2J": "\u001b[2J"}, conditions: {"prompt\u001b[2J": {help: "\u001b[2J", params: {}}, "output": 5},
	tools: [{name: "\u001b[2J", group: "\u001b[2J", state: "listed"}]}}'
END
chmod +x "$dir/evil"
cat >"$dir/lists" <<'END'
#!/bin/sh
echo 'muxbus relay 1 0.2.0'
exec jq -c --unbuffered '{id, result: {methods: [{params: {properties: [1]}}], events: [1], conditions: [{params: {properties: [1]}}, [1]]}}'
END
chmod +x "$dir/lists"
for words in help 'help events' 'help conditions' 'help methods' 'help wait' 'list_panes x=1' 'wait x=1' 'complete -- wai' 'complete -- wait x'; do
	# shellcheck disable=SC2086
	MUXBUS_SSH="$dir/lists" timeout 20 "$muxbus" --host evil --text $words >"$dir/out" 2>&1 </dev/null
	status=$?
	is "$words of one whose tables are lists" "$((status > 4))" 0
done
for words in help 'help events' 'help conditions' 'help methods' 'help wait' 'help list_panes' 'list_panes x=1' describe doctor; do
	# shellcheck disable=SC2086
	MUXBUS_SSH="$dir/evil" timeout 20 "$muxbus" --host evil --text $words >"$dir/out" 2>&1 </dev/null
	status=$?
	is "$words of another machine" "$((status > 4)) $(grep -c "$(printf '\033')" "$dir/out")" '0 0'
done

# Doctor and start.

run_it "$muxbus" doctor
is 'doctor finds no trouble' "$status $(jq .wrong "$dir/out")" '0 0'
is 'each trouble has a remedy' "$(jq '[.findings[] | select(.state != "good" and .remedy == null)] | length' "$dir/out")" 0
mkdir "$dir/broken"
printf '#!/none\n' >"$dir/broken/tmux"
chmod 755 "$dir/broken/tmux"
PATH="$dir/broken:$PATH" gives 'a program that does not run, with the reason' 1 '.findings[] | select(.subject == "tmux").text' \
	"$dir/broken/tmux -V: No such file or directory" doctor
mkdir -m 0 "$dir/closed"
[ "$(id -u)" != 0 ] || as_user='setpriv --reuid=65534 --clear-groups'
if $as_user test -x "$muxbus" 2>/dev/null; then
	gives 'a server of another user is said' 1 \
		'[.findings[] | select(.subject | startswith("tmux server", "socket")) | .remedy | test("as the user")]' '[true,true]' \
		-S "$dir/closed/tmux" doctor
	XDG_STATE_HOME=/usr/none gives 'so is a state that cannot be made' 1 \
		'.findings[] | select(.subject == "state") | "\(.state) \(.text)"' 'wrong /usr: Permission denied' \
		-S "$dir/closed/tmux" doctor
fi
as_user=
if unshare -Ur true 2>/dev/null; then
	unshare -Ur sh -c "echo 0 >/proc/sys/user/max_inotify_instances; '$muxbus' doctor" >"$dir/out"
	is 'it advises no lower limits of inotify' "$(jq -r '.findings[] | select(.subject == "inotify").remedy' "$dir/out" |
		while IFS='= ' read -r _ _ watches _ instances; do
			[ "$watches" -gt "$(cat /proc/sys/fs/inotify/max_user_watches)" ] &&
				[ "$instances" -gt "$(cat /proc/sys/fs/inotify/max_user_instances)" ] && echo more
		done)" more
	unshare -Urm sh -c "mount -t tmpfs none /proc/sys/fs/inotify && '$muxbus' doctor" >"$dir/out"
	is 'nor limits that it cannot read' "$(jq -r '.findings[] | select(.subject == "inotify").text' "$dir/out")" \
		'files can be watched; /proc does not say how many'
fi
kill -STOP "$daemon_pid"
begin=$(date +%s)
gives 'of a daemon that does not answer' 1 '[.findings[] | select(.text | test("not answer"))] | length' 1 doctor
ok 'it waits for 5 s in all' [ $(($(date +%s) - begin)) -lt 12 ]
kill -CONT "$daemon_pid"
"$muxbus" shutdown >/dev/null
wait "$daemon_pid"
gives 'without a daemon it finds trouble' 1 '.findings[] | select(.subject == "daemon").remedy' 'muxbus start' doctor
chmod 777 "$dir"
run_it "$muxbus" --text doctor
is 'a directory that others can write to' "$status $(grep -c 'other users can write' "$dir/out")" '1 1'
chmod 700 "$dir"
old=${MUXBUS_TMUX_CACHE:-/nonexistent}/tmux-3.1c
if [ -x "$old" ]; then
	"$old" -S "$dir/old" -f /dev/null new-session -d cat
	"$muxbus" -S "$dir/old" start >/dev/null 2>&1
	run_it "$muxbus" -S "$dir/old" doctor
	is 'a tmux that is too old' "$(jq -r '.findings[] | select(.subject == "following") | .text, .remedy' "$dir/out" | paste -sd ' ' -)" \
		'tmux is not followed: not tmux, or older than 3.3 muxbusd needs tmux 3.3 or later; read its log'
	"$muxbus" -S "$dir/old" shutdown >/dev/null
	"$old" -S "$dir/old" kill-server
fi
# A fleet of many hosts, the last of which is down: a script stands for its daemon.
mkdir -p -m 700 "$dir/run/muxbus"
jq -nc '{jsonrpc: "2.0", id: 1, result: {hosts: [range(1000) | {target: "host\(.)", host: "host\(.)",
	server: "default", state: (if . == 999 then "down" else "up" end), reason: "away", version: "1"}]}}' >"$dir/many"
socat "UNIX-LISTEN:$dir/run/muxbus/fleet" "SYSTEM:read line; cat $dir/many" &
until_is 'a large fleet' yes sh -c "[ -S '$dir/run/muxbus/fleet' ] && echo yes || :"
XDG_RUNTIME_DIR="$dir/run" run_it "$muxbus" --fleet doctor
is 'is reported whole' "$status $(jq -r '"\(.wrong) \(.findings | length) \(.findings[-1].text)"' "$dir/out")" '1 1 1000 down: away'
run_it "$muxbus" start
is 'start starts it' "$status $(cat "$dir/out")" "0 muxbusd is ready at $MUXBUS"
run_it "$muxbus" start
is 'once' "$status $(cat "$dir/out")" "0 muxbusd is running already, at $MUXBUS"
"$muxbus" shutdown >/dev/null
until_is 'it ends' gone sh -c "[ -S '$MUXBUS' ] || echo gone"
run_it "$muxbus" run -- echo started
is 'run starts it too' "$status $(cat "$dir/out")" '0 started'
"$muxbus" shutdown >/dev/null
until_is 'it ends' gone sh -c "[ -S '$MUXBUS' ] || echo gone"
mkdir -p -m 755 "$dir/.config/muxbus/tools"
echo '{"name":"said","group":"text","description":"It prints.","run":["echo","hello"]}' >"$dir/.config/muxbus/tools/said.json"
chmod 644 "$dir/.config/muxbus/tools/said.json"
run_it "$muxbus" said
is 'and a declared tool' "$status $(cat "$dir/out")" '0 {"text":"hello\n"}'
"$muxbus" shutdown >/dev/null
until_is 'it ends' gone sh -c "[ -S '$MUXBUS' ] || echo gone"
run_it "$muxbus" sayd
is 'but no typing error' "$status $([ -S "$MUXBUS" ] && echo runs)" '2 '
daemon_pid=
"$MUXBUS_BUILDDIR/muxbusd" -f -S "$dir/none" --tmux /nonexistent 2>"$dir/none_log" &
until_is 'a program of --tmux that is missing is said at once' 1 grep -c -- '--tmux /nonexistent: there is no such program' "$dir/none_log"
kill $!

# A daemon that answers describe without the method.
cat >"$dir/answer" <<'END'
id=0
while read -r line; do
	id=$((id + 1))
	echo "{\"id\":$id,\"result\":{\"methods\":{}}}"
done
END
socat "UNIX-LISTEN:$dir/odd,fork" EXEC:"sh $dir/answer" &
odd=$!
until_is 'an odd daemon listens' yes sh -c "[ -S '$dir/odd' ] && echo yes"
timeout 20 "$MUXBUS_BUILDDIR/muxbus" -s "$dir/odd" list_panes >"$dir/said" 2>&1
is 'it is said that it does not describe a method' "$? $(grep -c 'does not describe list_panes' "$dir/said")" '1 1'
kill "$odd"
done_testing
