#!/bin/sh
# SPDX-License-Identifier: ISC
# Notifications for people: shown in the status line of tmux, and given to the program of on_notify.
# No text of theirs is expanded or run, on any tmux.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
muxbus="$MUXBUS_BUILDDIR/muxbus"
start 'exec sh'
pane=$(t list-panes -a -F '#{pane_id}')
first=$(command -v tmux)

# A person's terminal is a pane of another tmux, which keeps all that was ever to be seen there.
terminals=0
o() { tmux -S "$dir/outer$terminals" -f /dev/null "$@"; }
# The servers of another release may not take this one's client.
trap 'PATH="$dir/bin:$PATH"; o kill-server 2>/dev/null; finish' EXIT
attach() { # attach SESSION
	terminals=$((terminals + 1))
	rm -f "$dir/go"
	o new-session -d -x 120 -y 24 "until [ -e $dir/go ]; do sleep 0.02; done
		exec env -u TMUX TERM=screen tmux -S $dir/tmux attach -t '=$1'"
	o pipe-pane "cat >>$dir/seen"
	touch "$dir/go"
	until_is 'a person attaches' 1 sh -c "tmux -S $dir/tmux list-clients -F '#{client_control_mode}' | grep -c -x 0 || :"
}
has_seen() { # has_seen TEXT
	grep -a -q -F -e "$1" "$dir/seen" && echo yes || echo no
}
post() { # post TEXT: prints the id
	ask "$(jq -nc --arg text "$1" --arg pane "$pane" '{method: "post_notification", params: {$text, $pane}}')" >"$dir/posted"
	jq -r .result.id "$dir/posted"
}
wake() { jq -r '.result.wake | "\(.way): \(.text)"' "$dir/posted"; }
receipt() { # receipt ID
	ask '{"method":"list_notifications","params":{"limit":1000}}' |
		jq -r ".result.notifications[] | select(.id == \"$1\") | \"\(.state) \(.delivery.result) \(.delivery.way)\""
}
restart() { # restart OPTIONS...: the daemon, with these
	kill "$daemon_pid"
	wait "$daemon_pid"
	"$MUXBUS_BUILDDIR/muxbusd" -f --ready-fd 3 -S "$dir/tmux" "$@" 3>"$dir/ready" 2>>"$dir/muxbusd.log" &
	daemon_pid=$!
	timeout 10 head -n 1 "$dir/ready" >/dev/null
}

# Without a client it waits for one; several are one message.
id=$(post 'one')
is 'nothing is attached' "$(wake)" 'shown: shown in the status line when a client attaches, and none is attached now'
until_is 'so it waits' 'queued deferred shown' receipt "$id"
other=$(post 'two')
until_is 'and the next' 'queued deferred shown' receipt "$other"
attach main
until_is 'the person sees both as one line' yes \
	has_seen "2 notifications: muxbus list_notifications. The last: [muxbus $other post] two"
until_is 'the first is delivered' 'delivered shown shown' receipt "$id"
until_is 'and the second' 'delivered shown shown' receipt "$other"
call status '{}'
is 'nothing is pending any more' "$(field '.result.queue.undelivered')" 0
call yield_turn "{\"pane\":\"$pane\"}"
is 'for the pane neither' "$(field '.result.pending | length')" 0

# In the shell of the person: run -d says what will happen, and it does.
t send-keys -t "$pane" "clear; $muxbus -S $dir/tmux --json run -d -n build -- sh -c 'exit 3' >$dir/run" Enter
until_is 'run -d names the way' shown sh -c "jq -r '.wake.way' '$dir/run' 2>/dev/null || :"
id=$(jq -r .id "$dir/run")
client=$(t list-clients -F '#{client_control_mode} #{client_name}' | sed -n 's/^0 //p')
is 'in words' "$(jq -r .message "$dir/run")" "Started. Its notification $id is shown in the status line of $client."
until_is 'the end is seen' yes has_seen "[muxbus $id job build] exit 3 after"
until_is 'and delivered' 'delivered shown shown' receipt "$id"
is 'nothing is typed' "$(t capture-pane -p -t "$pane" | grep -c 'muxbus [A-Z0-9]* job' || :)" 0

# A person who has locked the terminal sees it later.
t set-option -g lock-command "until [ -e $dir/unlock ]; do sleep 0.05; done"
t lock-session -t main
until_is 'locked' 1 sh -c "tmux -S $dir/tmux display-message -p -c $client '#{client_flags}' | grep -c suspended || :"
id=$(post 'for one who is away')
until_is 'who is away' 'queued deferred shown' receipt "$id"
touch "$dir/unlock"
seen() {
	call list_panes '{}'
	call list_sessions '{"max_age_ms":0}'
	receipt "$1"
}
until_is 'it is delivered on return' 'delivered shown shown' seen "$id"
until_is 'and seen' yes has_seen "[muxbus $id post] for one who is away"

# A person's editor, of which no agent is known.
t send-keys -t "$pane" 'clear; less /etc/passwd' Enter
until_is 'less' less t display-message -p -t "$pane" '#{pane_current_command}'
id=$(post 'for a reader of a file')
until_is 'is no agent either' 'delivered shown shown' receipt "$id"
t send-keys -t "$pane" q
restart -o show_ms=300

# A program in which only a command asks, such as make, and that has ended: the shell is the person's.
t send-keys -t "$pane" "clear; xargs -a /dev/null $muxbus -S $dir/tmux --json run -d -- sleep 1 >$dir/run" Enter
until_is 'a program asks' none sh -c "jq -r '.wake.way' '$dir/run' 2>/dev/null || :"
until_is 'and ends before its job' 'delivered shown shown' receipt "$(jq -r .id "$dir/run")"
id=$(post 'after a program that asked')
until_is 'what comes later is shown, too' 'delivered shown shown' receipt "$id"
echo "$muxbus -S $dir/tmux --json run -d true >$dir/run; sleep 2" >"$dir/late"
: >"$dir/run"
t send-keys -t "$pane" "clear; xargs -a /dev/null sh $dir/late" Enter
until_is 'a program asks that lives longer than its job' none sh -c "jq -r '.wake.way' '$dir/run' 2>/dev/null || :"
until_is 'it is shown at its end' 'delivered shown shown' receipt "$(jq -r .id "$dir/run")"

# One that asks itself, or is an agent by its name, may be begun again, until the person asks.
cat >"$dir/once.py" <<'END'
import os, socket, subprocess, sys
if sys.argv[1:]:
    subprocess.run(sys.argv[1:])
else:
    s = socket.socket(socket.AF_UNIX)
    s.connect(os.environ['MUXBUS'])
    s.sendall(b'{"id":1,"method":"yield_turn"}\n')
    s.recv(9999)
END
cp "$dir/once.py" "$dir/claude.py"
state() { receipt "$1" | cut -d ' ' -f 1-2; }
waits() { # waits NAME COMMAND
	rm -f "$dir/over"
	t send-keys -t "$pane" "clear; MUXBUS=$MUXBUS $2; touch $dir/over" Enter
	until_is 'it asks, and ends' "$dir/over" sh -c "ls '$dir/over' 2>/dev/null || :"
	id=$(post 'for one that has ended')
	until_is "$1" 'queued deferred' state "$id"
	t send-keys -t "$pane" "clear; xargs -a /dev/null $muxbus -S $dir/tmux --json run -d true >$dir/run" Enter
	until_is 'a program that asks by a command takes its place' none sh -c "jq -r '.wake.way' '$dir/run' 2>/dev/null || :"
	sleep 0.5
	is 'but not what waits' "$(state "$id")" 'queued deferred'
	for seq in $(ask '{"method":"list_notifications","params":{"limit":1000}}' |
		jq '.result.notifications[] | select(.state == "queued") | .seq'); do
		call cancel_notification "{\"seq\":$seq}"
	done
	t send-keys -t "$pane" "clear; $muxbus -S $dir/tmux --json run -d true >$dir/run" Enter
	until_is 'the person asks' shown sh -c "jq -r '.wake.way' '$dir/run' 2>/dev/null || :"
	until_is 'and sees it' 'delivered shown shown' receipt "$(jq -r .id "$dir/run")"
}
waits 'a program that asks itself' "python3 $dir/once.py"
waits 'an agent by its name' "python3 $dir/claude.py $muxbus -S $dir/tmux run -d true"

# A server of MCP that outlives the agent which began it speaks for a program in front, which ends.
cat >"$dir/bridge.py" <<'END'
import os, socket, sys, time
if os.fork() == 0:
    os.setsid()
    with socket.socket(socket.AF_UNIX) as s:
        s.connect(os.environ['MUXBUS'])
        s.sendall(b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",'
                  b'"capabilities":{},"clientInfo":{"name":"x","version":"1"}}}\n')
        s.recv(99999)
        open(sys.argv[1] + '/bridge', 'w').close()
        while not os.path.exists(sys.argv[1] + '/speak'):
            time.sleep(0.02)
        s.sendall(b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"yield_turn","arguments":{}}}\n')
        with open(sys.argv[1] + '/spoken', 'wb') as f:
            f.write(s.recv(99999))
        open(sys.argv[1] + '/bridge_over', 'w').close()
    os._exit(0)
while not os.path.exists(sys.argv[1] + '/bridge'):
    time.sleep(0.02)
END
exists() { [ -e "$1" ] && echo yes || echo no; }
t send-keys -t "$pane" "clear; MUXBUS=$MUXBUS python3 $dir/bridge.py $dir; less /etc/passwd" Enter
until_is 'less is in front' less t display-message -p -t "$pane" '#{pane_current_command}'
touch "$dir/speak"
until_is 'the server asks' yes exists "$dir/bridge_over"
is 'from this pane' "$(jq -r .result.structuredContent.pane "$dir/spoken")" "$pane"
t send-keys -t "$pane" q
until_is 'less has ended' sh t display-message -p -t "$pane" '#{pane_current_command}'
t send-keys -t "$pane" "clear; $muxbus -S $dir/tmux --json run -d true >$dir/run" Enter
until_is 'the person asks' shown sh -c "jq -r '.wake.way' '$dir/run' 2>/dev/null || :"
until_is 'and sees it' 'delivered shown shown' receipt "$(jq -r .id "$dir/run")"

# An agent that comes to the pane gets its own notifications.
call report_agent "{\"agent\":\"fake\",\"pane\":\"$pane\",\"state\":\"busy\"}"
id=$(post 'for an agent')
is 'not for the person' "$(wake | cut -d : -f 1)" none
call report_agent "{\"agent\":\"fake\",\"pane\":\"$pane\",\"state\":\"gone\"}"
until_is 'which goes: for the person' 'delivered shown shown' receipt "$id"

# The attach of the daemon is no activity of the person.
key=$(t list-clients -F '#{client_control_mode} #{client_activity}' | sed -n 's/^0 //p')
while [ "$(date +%s)" -lt $((key + 2)) ]; do sleep 0.1; done
restart -o attach=always
until_is 'for tmux the daemon was active' yes sh -c "[ \$(tmux -S $dir/tmux display-message -p '#{session_activity}') -gt $key ] && echo yes"
call list_sessions '{}'
is 'the activity of a session is that of a person' "$(field '.result.sessions[0].activity[:19] + "Z" | fromdate')" "$key"
restart -o show_ms=300

# Texts of others: shown as they are, on each tmux.
shows() { # shows VERSION TEXT
	id=$(post "$2")
	until_is "tmux $1 shows: $(printf %.40s "$2")" yes has_seen "[muxbus $id post] $(printf %.70s "$2")"
}
check_texts() { # check_texts VERSION
	shows "$1" "#(touch $dir/ran) #{pane_pid} #H #[fg=red]#{E:status-left} ##[x ###{pid}"
	shows "$1" '%H:%M %% %d #{T:%s} #,#} #{l:x} ${HOME} `id` $(id)'
	shows "$1" "; kill-server \\; run-shell 'touch $dir/ran' \" -t x"
	shows "$1" '-d 99999 --'
	id=$(post "$(printf 'a\033]0;title\007b\tc\001\r\nd\302\233e')")
	until_is "tmux $1 shows no control characters" yes has_seen "[muxbus $id post] ab c d"
	id=$(post "$(head -c 4000 /dev/zero | tr '\0' '#')")
	until_is "tmux $1 shows the head of a long one" yes has_seen "[muxbus $id post] ########################################"
	until_is 'which is delivered' 'delivered shown shown' receipt "$id"
	is 'nothing was run' "$(ls "$dir/ran" 2>/dev/null)" ''
}
check_texts "$(tmux -V)"
for program in ${MUXBUS_TMUX_CACHE:+"$MUXBUS_TMUX_CACHE"/tmux-*}; do
	is_tested "$program" && [ "$program" != "$first" ] || continue
	kill "$daemon_pid"
	wait "$daemon_pid"
	t kill-server
	mkdir -p "$dir/bin"
	ln -sf "$program" "$dir/bin/tmux"
	PATH="$dir/bin:$PATH"
	tries=0
	# The server before may be about to end, and still take a client.
	until "$program" -S "$dir/tmux" -f /dev/null new-session -d -s main -x 80 -y 24 'exec sh' ||
		[ $tries -ge 100 ]; do
		tries=$((tries + 1))
		sleep 0.05
	done
	"$MUXBUS_BUILDDIR/muxbusd" -f --ready-fd 3 -S "$dir/tmux" -o show_ms=300 3>"$dir/ready" 2>>"$dir/muxbusd.log" &
	daemon_pid=$!
	timeout 10 head -n 1 "$dir/ready" >/dev/null
	pane=$(t list-panes -a -F '#{pane_id}')
	attach main
	check_texts "$(t -V)"
	PATH=${PATH#*:}
done

# Nothing is shown, and nothing waits for ever.
restart -o show=none
id=$(post 'for no one')
is 'show=none' "$(wake)" "none: it is refused: pane $pane: no agent is there, and show=none"
until_is 'refuses' 'failed refused none' receipt "$id"
call status '{}'
is 'nothing is pending' "$(field '.result.queue.undelivered')" 0

# The person's own program, with words as they are, and the notification on its standard input.
cat >"$dir/program" <<'END'
#!/bin/sh
cat >>"$HOME/input"
printf '%s\n' "$#" "$@" >>"$HOME/words"
env >"$HOME/env"
[ ! -e "$HOME/slow" ] || { echo $$ >"$HOME/program.pid" && exec sleep 100; }
[ ! -e "$HOME/fails" ] || { echo 'no bus here' >&2; exit 7; }
END
chmod +x "$dir/program"
printf '# a comment\n~/program\n\n$(touch %s/ran); "x  y\n' "$dir" >"$dir/.config/muxbus/on_notify"
id=$(post 'to the program: "$(id)"')
is 'the program is a way' "$(wake)" 'on_notify: given to the program of on_notify'
until_is 'it takes the notification' 'delivered handed_over on_notify' receipt "$id"
is 'as JSON' "$(jq -r '"\(.id) \(.notifications) \(.line) \(.text)"' "$dir/input")" \
	"$id 1 [muxbus $id post] to the program: \"\$(id)\" to the program: \"\$(id)\""
is 'its words are not for a shell' "$(cat "$dir/words")" "$(printf '1\n$(touch %s/ran); "x  y' "$dir")"
is 'its environment is small' "$(grep -c -E '^(TERM|MUXBUS_SRCDIR|XDG_STATE_HOME)=' "$dir/env" || :) $(grep -c "^MUXBUS=$MUXBUS\$" "$dir/env")" '0 1'
rm -f "$dir/input"
: >"$dir/app.log"
call watch_log "{\"file_path\":\"$dir/app.log\",\"regex\":\"ERROR\",\"pane\":\"$pane\",\"once\":true}"
id=$(field .result.id)
printf 'fine\n\033[31mERROR\033[0m disk "full"\n' >>"$dir/app.log"
until_is 'a line of a log is in the line for people' "[muxbus $id watch] a line of $dir/app.log matched: ERROR disk \"full\"" \
	sh -c "jq -r .line '$dir/input' 2>/dev/null || :"

# A failure is said, and the next run makes it good.
touch "$dir/fails"
id=$(post 'fails')
failure() { ask '{"method":"status"}' | jq -r '.result.on_notify.failure'; }
until_is 'a failure is in status' 'the program ended with status 7: no bus here' failure
until_is 'and the notification waits' queued sh -c "echo '{\"method\":\"list_notifications\"}' |
	socat -t 60 - 'UNIX-CONNECT:$MUXBUS' | jq -r '.result.notifications[] | select(.id == \"$id\") | .state'"
is 'doctor finds it' "$("$muxbus" -S "$dir/tmux" doctor 2>&1 | grep -c 'status 7: no bus here')" 1
rm "$dir/fails"
chmod g+w "$dir/.config/muxbus/on_notify"
id=$(post 'unsafe')
until_is 'a file that others can write is not used' 1 sh -c "'$muxbus' -S '$dir/tmux' doctor 2>&1 | grep -c 'on_notify is writable by others'"
chmod g-w "$dir/.config/muxbus/on_notify"
mkdir -m 777 "$dir/open"
mv "$dir/.config/muxbus/on_notify" "$dir/open/of_others"
ln -s "$dir/open/of_others" "$dir/.config/muxbus/on_notify"
id=$(post 'unsafe, too')
until_is 'nor one of a folder that others can write, through a link' 1 \
	sh -c "'$muxbus' -S '$dir/tmux' doctor 2>&1 | grep -c 'open is writable by others'"
chmod go-w "$dir/open"
id=$(post 'safe')
until_is 'a link into a folder of the user is used' 'delivered handed_over on_notify' receipt "$id"

# It is run again if it could not be started only because something was short for a while.
call status '{}'
pid=$(field .result.pid)
may_open 2 "$pid" # one for who asks
id=$(post 'when there is room')
until_is 'no descriptor for the program' 1 eval 'failure 2>/dev/null | grep -c "Too many open files"'
prlimit --nofile=1024: --pid "$pid"
until_is 'it is run later' 'delivered handed_over on_notify' receipt "$id"
until_is 'and all is well' null failure

# The daemon is killed while the program runs: the next one gives it the notification again.
touch "$dir/slow"
id=$(post 'when it is killed')
until_is 'the program is slow' 1 sh -c "grep -c . '$dir/program.pid' || :"
rm "$dir/slow"
kill -9 "$daemon_pid"
kill "$(cat "$dir/program.pid")"
restart -o show=none
until_is 'the next daemon runs it again' 'delivered handed_over on_notify' receipt "$id"

# One at once, and a rate: what comes meanwhile is joined.
restart -o show=none -o on_notify_rate=2
rm -f "$dir/input"
for number in 1 2 3 4 5 6; do
	post "number $number" >/dev/null
done
runs() { ask '{"method":"status"}' | jq -r '.result.on_notify | "\(.runs) \(.failures)"'; }
until_is 'six at once are two runs at most' '2 0' runs
id=$(post 'over the rate')
call status '{}'
is 'the others wait for their minute, and all are counted' \
	"$(field .result.on_notify.runs) $(($(field .result.on_notify.waiting) + $(jq -s '[.[].notifications] | add' "$dir/input")))" '2 7'

# For all: an agent's notification too.
restart -o on_notify_for=all
rm -f "$dir/input"
call post_notification '{"text":"for no pane"}'
until_is 'with on_notify_for=all it runs for each' 'for no pane' sh -c "jq -r .text '$dir/input' 2>/dev/null || :"
is 'no file was made' "$(ls "$dir/ran" 2>/dev/null)" ''
# Ours are refused without the programs that they run, by the name of the package.
mkdir "$dir/few"
ln -s "$(command -v jq)" "$dir/few/jq"
rm -f "$dir/.config/muxbus/on_notify"
MUXBUS_CONTRIBDIR=$(cd "$MUXBUS_SRCDIR/contrib" && pwd)
export MUXBUS_CONTRIBDIR
set_program() { # set_program PATH WORD...: the status, what is said, and whether it is set
	set_path=$1
	shift
	said=$(PATH="$set_path" "$MUXBUS_BUILDDIR/muxbus" on_notify "$@" 2>&1)
	echo "$? $(printf '%s\n' "$said" | sed 's/^muxbus: //; s/: .*on_notify$//') $(ls "$dir/.config/muxbus" | grep -c on_notify)"
}
is 'desktop without notify-send' "$(set_program "$dir/few" desktop)" \
	'1 desktop needs notify-send, which is not installed: apt install libnotify-bin 0'
is 'ntfy without curl' "$(set_program "$dir/few" ntfy https://ntfy.sh/x)" \
	'1 ntfy needs curl, which is not installed: apt install curl 0'
printf '#!/bin/sh\n' >"$dir/few/curl"
chmod +x "$dir/few/curl"
is 'ntfy without a topic' "$(set_program "$dir/few" ntfy)" \
	'1 its topic is missing: on_notify ntfy https://ntfy.sh/TOPIC 0'
is 'ntfy with a topic that names no server' "$(set_program "$dir/few" ntfy my-topic)" \
	'1 its topic is no URL: on_notify ntfy https://ntfy.sh/TOPIC 0'
is 'ntfy with both' "$(set_program "$dir/few" ntfy https://ntfy.sh/x)" \
	"0 muxbusd runs $MUXBUS_CONTRIBDIR/on_notify/ntfy for notifications that no agent gets 1"
rm "$dir/few/jq" "$dir/.config/muxbus/on_notify"
is 'and without jq' "$(set_program "$dir/few" ntfy https://ntfy.sh/x)" \
	'1 ntfy needs jq, which is not installed: apt install jq 0'

done_testing
