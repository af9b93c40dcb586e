#!/bin/sh
# SPDX-License-Identifier: ISC
# Jobs by name: unique while they run, and usable wherever an id is.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
start 'exec sh'

# A name is as good as an id.
call run_long_command '{"command":"echo hello; exec sleep 1000","name":"build it"}'
first=$(field .result.id)
call run_long_command '{"command":"true","name":"build it"}'
is 'a second job with the name of a running one is refused, by its id' \
	"$(field '.error.data | "\(.kind) \(.field) \(.job)"')" "busy name $first"
ok 'with a way out' test "$(field '.error.message' | grep -c "job $first runs .*choose another name")" = 1
call run_long_command '{"command":"true","name":"A1B2"}'
is 'a name that could be an id is refused' "$(field '.error.data | "\(.kind) \(.field)"')" 'invalid_params name'
call get_job '{"job":"build it"}'
is 'get_job takes a name' "$(field '.result | "\(.id) \(.state)"')" "$first running"
output() { call read_job '{"job":"build it"}' && field .result.text; }
until_is 'read_job' hello output
call stop_job '{"job":"build it"}'
is 'stop_job' "$(field .result.id)" "$first"
call wait_for '{"any":[{"job":"build it"}],"timeout_sec":60}'
is 'wait_for' "$(field '.result.conditions[0].details | "\(.id) \(.state)"')" "$first stopped"

# An ended job gives its name back. The name then means the latest job.
call run_long_command '{"command":"exit 3","name":"build it"}'
second=$(field .result.id)
call next_notification '{"filter":{"id":"build it"},"timeout_sec":60}'
is 'next_notification' "$(field '.result.notifications[0] | "\(.id) \(.data.exit_code)"')" "$second 3"
call wait_for '{"any":[{"notification":{"id":"build it"}}],"timeout_sec":60}'
is 'the condition notification' "$(field '.result.conditions[0].details.id')" "$second"
call get_job '{"job":"build it"}'
is 'the latest job is meant' "$(field .result.id)" "$second"
call get_job "{\"job\":\"$first\"}"
is 'the earlier one by its id' "$(field '.result | "\(.name) \(.state)"')" 'build it stopped'
call run_long_command '{"command":"exec sleep 1000","name":"build it"}'
third=$(field .result.id)
call run_long_command '{"command":"true","name":"build"}'
call get_job '{"job":"build it"}'
is 'names are compared whole' "$(field .result.id)" "$third"

# The names are there after the daemon was killed.
kill_daemon
call get_job '{"job":"build it"}'
is 'a killed daemon leaves the name' "$(field '.result | "\(.id) \(.state)"')" "$third running"
call run_long_command '{"command":"true","name":"build it"}'
is 'which is still taken' "$(field .error.data.job)" "$third"
call stop_job '{"job":"build it","signal":"KILL"}'
call get_job '{"job":"nothing"}'
is 'what is no job is said' "$(field .error.data.kind)" no_such_job

# A restart: the same command, directory, environment and name, under another id.
muxbus="$MUXBUS_BUILDDIR/muxbus"
command="echo \$\$ \$PWD \$GIVEN; echo begun >>$dir/begun; [ ! -e $dir/stubborn ] || trap '' TERM; while :; do sleep 0.1; done"
: >"$dir/stubborn"
call run_long_command "$(jq -nc --arg command "$command" '{$command, name: "server", cwd: "/usr", env: {GIVEN: "yes"}}')"
old=$(field .result.id)
words() { call read_job '{"job":"server"}' && field '.result.text | split(" ")[1:] | join(" ") | rtrimstr("\n")'; }
begun() { cat "$dir/begun" 2>/dev/null | wc -l; }
until_is 'a job runs that ignores TERM' '/usr yes' words
ask '{"method":"restart_job","params":{"job":"server"}}' >"$dir/restarted" &
restarting=$!
busy() { call restart_job '{"job":"server"}' && field .error.data.kind; }
until_is 'a restart of a job that is being restarted' busy busy
rm "$dir/stubborn"
wait $restarting
new=$(jq -r .result.id "$dir/restarted")
is 'is answered when the new one runs' \
	"$(jq -r '.result | "\(.replaced) \(.cwd) \(.pid > 0)"' "$dir/restarted")" "$old /usr true"
until_is 'with its directory and environment' '/usr yes' words
call get_job '{"job":"server"}'
is 'and its name' "$(field '.result | "\(.id) \(.state)"')" "$new running"
call get_job "{\"job\":\"$old\"}"
is 'the old one was stopped' "$(field '.result | "\(.state) \(.signal)"')" 'stopped 9'
call list_notifications '{}'
is 'which is not notified' "$(field ".result.notifications[] | select(.id == \"$old\").state")" acknowledged
call restart_job '{"job":"server","env":{"GIVEN":"other"},"key":"again"}'
new=$(field .result.id)
call restart_job '{"job":"server","env":{"GIVEN":"other"},"key":"again"}'
is 'the same key does not restart again' "$(field '.result | "\(.id) \(.repeated)"')" "$new true"
until_is 'another environment can be given' '/usr other' words
kill_daemon
call restart_job '{"job":"server"}'
is 'a killed daemon forgets the environment, and says so' "$(field '.error.data.field')" env
is 'the job still runs' "$("$muxbus" get_job server | jq -r '"\(.id) \(.state)"')" "$new running"
call restart_job '{"job":"server","env":{"GIVEN":"third"}}'
until_is 'until the environment is given' '/usr third' words
call stop_job '{"job":"server","signal":"KILL"}'
call wait_for '{"any":[{"job":"server"}],"timeout_sec":60}'
is 'muxbus restart starts an ended job again' "$("$muxbus" restart server | jq -r .replaced)" "$(field '.result.conditions[0].details.id')"
until_is 'in the same way' '/usr third' words
is 'each restart began it once' "$(begun)" 5
call stop_job '{"job":"server","signal":"KILL"}'
is 'muxbus restart without a job' "$("$muxbus" restart 2>/dev/null || echo $?)" 2
is 'muxbus restart of an unknown job' "$("$muxbus" restart nothing 2>/dev/null || echo $?)" 1
# muxbus run: the environment and the umask of its caller, and nothing of the daemon; a restart too.
command="umask; env | sed '/^\(PWD\|OLDPWD\|SHLVL\|_\)=/d;s/^\(PATH\|MUXBUS_JOB\)=.*/\1/' | sort; exec sleep 1000"
words() { call read_job '{"job":"exact"}' && field '.result.text | rtrimstr("\n") | gsub("\n"; " ")'; }
(umask 027 && env -i A=1 PATH="$PATH" "$muxbus" -S "$dir/tmux" run -d -n exact -c "$command" >/dev/null)
until_is 'a job has the environment and the umask of its caller' '0027 A=1 MUXBUS_JOB PATH' words
call restart_job '{"job":"exact"}'
until_is 'also when it is restarted' '0027 A=1 MUXBUS_JOB PATH' words
kill_daemon
call restart_job '{"job":"exact","env":{"B":"2","PATH":"'"$PATH"'"},"env_only":true}'
until_is 'by another daemon with another environment' '0027 B=2 MUXBUS_JOB PATH' words
call stop_job '{"job":"exact"}'
said=$(env LATIN="$(printf '\351')" OTHER="$(printf 'a\377')" "$muxbus" run true 2>&1)
is 'variables that cannot be passed on are said' "$said" 'muxbus: the job does not get 2 variables: not UTF-8, or more than 1000'
quiet() { # quiet ARGUMENT...: the exit status, and what is printed
	said=$($by "$muxbus" run -q "$@" 2>&1)
	echo "$?$said"
}
is '-q says nothing of a signal' "$(quiet -c 'kill -9 $$')" 137
is 'nor of a time that is up' "$(quiet -t 0.2 sleep 1000)" 124
is 'nor of a line that is no program' "$(quiet 'no such program' | sed 's/[a-z/].*//')" 127
is 'nor of ^C' "$(by='timeout --foreground --preserve-status -s INT 1' && quiet sleep 1000)" 130
call run_long_command '{"command":"true","env_only":true}'
is 'no environment at all is refused' "$(field .error.data.field)" env_only
call run_long_command '{"command":"sleep 1000","name":"plain"}'
plain=$(field .result.id)
kill_daemon
call restart_job '{"job":"plain"}'
is 'a job without an environment of its own is restarted by the next daemon too' "$(field .result.replaced)" "$plain"
# What the shell says is what it says without Muxbus.
script='mkdir gone && cd gone && rmdir ../gone
no-such-program'
call execute_cli "$(jq -nc --arg command "$script" --arg cwd "$dir" '{$command, $cwd}')"
is 'execute_cli adds nothing to standard error, and counts lines from 1' "$(field '.result.stderr | rtrimstr("\n")')" \
	"$(cd "$dir" && /bin/sh -c "$script" 2>&1)"
call execute_cli "$(jq -nc --arg cwd "$dir" '{command: "cd /", $cwd}')"
is 'nor forgets the directory' "$(field .result.cwd)" /
call execute_cli '{"command":"exec sleep 1000","timeout_sec":0.05}'
executed=$(field .result.job)
kill_daemon
call restart_job "{\"job\":\"$executed\"}"
is 'so is a command of execute_cli' "$(field .result.replaced)" "$executed"
call stop_job "{\"job\":\"$(field .result.id)\",\"signal\":\"KILL\"}"
call get_job '{"job":"plain"}'

# The peer goes away: the restart goes on.
plain=$(field .result.id)
echo '{"method":"restart_job","params":{"job":"plain"}}' | socat -t 0 - "UNIX-CONNECT:$MUXBUS"
renewed() { call get_job '{"job":"plain"}' && field ".result | (.id != \"$plain\" and .state == \"running\")"; }
until_is 'a restart whose peer has gone' true renewed
call stop_job '{"job":"plain"}'

# Commands of execute_cli that ended in time are not listed, but remembered.
listed() { call list_jobs "$1" && field "[.result.jobs[] | select(.id == \"$quick\")] | length"; }
call execute_cli '{"command":"echo quick"}'
quick=$(field .result.job)
is 'a quick command answers with all that it printed' "$(field '.result | "\(.stdout | rtrimstr("\n")) \(.truncated) \(.rest)"')" 'quick false null'
is 'it is not listed' "$(listed '{}')" 0
is 'unless all are wanted' "$(listed '{"all":true}')" 1
call read_job "{\"job\":\"$quick\"}"
is 'its output can be read' "$(field .result.text)" quick
for command in 1 2 3 4 5 6 7 8 9 10; do
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		jq -nc --arg command "echo $command" '{method: "execute_cli", params: {$command}}'
	done
done | socat -t 86400 - "UNIX-CONNECT:$MUXBUS" >"$dir/answers"
is '100 more are run' "$(jq -r .result.exit_code "$dir/answers" | grep -c '^0$')" 100
call list_jobs '{"all":true}'
is 'the last 100 are remembered' \
	"$(field '[.result.jobs[] | select(.command | startswith("echo "))] | map(select(.name == null)) | length')" 100
call get_job "{\"job\":\"$quick\"}"
is 'the first is not' "$(field .error.data.kind)" no_such_job
call get_job "{\"job\":\"$first\"}"
is 'no other job is forgotten for them' "$(field .result.id)" "$first"
call execute_cli '{"command":"exec sleep 1000","timeout_sec":0.05}'
quick=$(field .result.job)
is 'one that takes longer is listed' "$(listed '{}')" 1
call stop_job "{\"job\":\"$quick\",\"signal\":\"KILL\"}"
call wait_for "{\"any\":[{\"job\":\"$quick\"}],\"timeout_sec\":60}"
is 'also when it has ended' "$(listed '{}')" 1

# A command that could not be started says why.
supervisors() { # those that wait for a job
	pgrep -P "$(ask '{"method":"status"}' | jq .result.pid)" -f ' - 3$'
}
until_is 'a supervisor waits' 1 eval 'supervisors | wc -l'
may_open 3 "$(supervisors)"
call execute_cli '{"command":"true"}'
is 'no descriptor is left' "$(field '.result | "\(.status) \(.note)"')" 'failed could not be started: Too many open files'

# Commands that prompt, page or stall: no terminal, and a standard input at its end.
said() { # said FILTER PARAMS: of an answer of execute_cli
	call execute_cli "$2" && field ".result | $1"
}
is 'a prompt for a line gets the end' "$(said '"\(.exit_code) \(.duration_ms < 20000)"' '{"command":"read -r line"}')" '1 true'
is 'what is given gets there' "$(said .stdout '{"command":"read -r line; echo \"$line\"","stdin":"yes\n"}')" yes
is 'a prompt for a password has no terminal' "$(said .stdout '{"command":"(: </dev/tty) 2>/dev/null || echo none"}')" none
if command -v more >/dev/null 2>&1; then
	is 'a pager prints all' "$(said '.stdout | split("\n") | length' '{"command":"seq 999 | more"}')" 1000
fi
is 'one that stalls goes on as a job' "$(said '"\(.status) \(.job != null)"' '{"command":"exec sleep 1000","timeout_sec":0.05}')" 'running true'
quick=$(field .result.job)
is 'and has its log' "$(test -f "$(field .result.log)" && echo yes)" yes
call stop_job "{\"job\":\"$quick\"}"
call wait_for "{\"any\":[{\"job\":\"$quick\"}],\"timeout_sec\":60}"
is 'which can be stopped' "$(field '.result.conditions[0].details.signal')" 15
stalls='{"command":"echo begun; exec sleep 1000","wait":false,"key":"stalls"}'
is 'with wait false it is a job at once' "$(said '"\(.status) \(.pid > 0) \(.note)"' "$stalls")" \
	'running true it runs as a job; see wake and get_job'
quick=$(field .result.job)
is 'once with a key' "$(said '"\(.job) \(.repeated)"' "$stalls")" "$quick true"
begun_once() { call read_job "{\"job\":\"$quick\"}" && field .result.text; }
until_is 'and runs' begun begun_once
call stop_job "{\"job\":\"$quick\",\"signal\":\"KILL\"}"
call next_notification "{\"id\":\"$quick\",\"timeout_sec\":60}"
is 'its end is notified' "$(field '.result.notifications[0].data.signal')" 9

# background_process: a name, a pid and a log at once; a second one only under another name.
web='{"name":"web","command":"echo up; exec sleep 1000","cwd":"/usr"}'
call background_process "$web"
first=$(field .result.id)
is 'a named process' "$(field '.result | "\(.pid > 0) \(.cwd)"') $(test -f "$(field .result.log)" && echo log)" 'true /usr log'
call background_process "$web"
is 'its name is taken, by that job' "$(field '.error.data | "\(.kind) \(.job)"')" "busy $first"
call background_process "$(echo "$web" | jq -c '. + {name: "web 2", key: "two"}')"
second=$(field .result.id)
is 'an equal command is another job' "$([ -n "$second" ] && [ "$second" != "$first" ] && echo yes)" yes
call background_process "$(echo "$web" | jq -c '. + {name: "web 2", key: "two"}')"
is 'but not with its key' "$(field '.result | "\(.id) \(.repeated)"')" "$second true"
call restart_job '{"job":"web"}'
is 'it is restarted by its name' "$(field '.result | "\(.replaced) \(.pid > 0)"')" "$first true"
for job in web 'web 2'; do call stop_job "{\"job\":\"$job\",\"signal\":\"KILL\"}"; done

# A killed daemon leaves no command behind that is neither answered nor listed.
(
	command="echo \$\$ >$dir/left; while ! [ -e $dir/end ]; do sleep 0.05; done"
	ask "$(jq -nc --arg command "$command" '{method: "execute_cli", params: {$command}}')" >/dev/null
) &
until_is 'a command runs' 1 sh -c "wc -l <'$dir/left' 2>/dev/null || echo 0"
call list_jobs '{"running":true}'
quick=$(field '.result.jobs[] | select(.name == null).id')
kill_daemon
: >"$dir/end"
call next_notification "{\"filter\":{\"id\":\"$quick\"},\"timeout_sec\":60}"
is 'its end is notified, since no request waits' "$(field '.result.notifications[0].data.exit_code')" 0
is 'and it is listed' "$(listed '{}')" 1
# In another time namespace processes seem to have started at another time.
call run_long_command '{"command":"exec sleep 1000"}'
job=$(field .result.id)
files=$(ls -d "$dir"/muxbus/*/jobs)/$job
read -r pid began <"$files.lock"
echo "$pid $((began + 10000000))" 1<>"$files.lock"
sed 's/^pid_start=/&1/' "$files.started" >"$dir/shifted"
cat "$dir/shifted" 1<>"$files.started"
kill_daemon
call get_job "{\"job\":\"$job\"}"
is 'a job goes on behind a clock that jumped' "$(field .result.state)" running
call stop_job "{\"job\":\"$job\",\"signal\":\"KILL\"}"
call wait_for "{\"any\":[{\"job\":\"$job\"}],\"timeout_sec\":20}"
is 'and gets signals' "$(field '.result.conditions[0].details | "\(.state) \(.signal)"')" 'failed 9'
# A job that ended while muxbusd was busy is restarted. Its supervisor is no child of this daemon.
mkfifo "$dir/gate"
call run_long_command "{\"command\":\"read x <$dir/gate\"}"
job=$(field .result.id)
kill_daemon
daemon=$(ask '{"method":"status"}' | jq .result.pid)
supervisor=$(cut -d ' ' -f 1 "$(ls "$dir"/muxbus/*/jobs/"$job".lock)")
mkfifo "$dir/lines"
socat -t 86400 - "UNIX-CONNECT:$MUXBUS" <"$dir/lines" >"$dir/answers" &
asker=$!
exec 5>"$dir/lines"
echo '{"method":"ping"}' >&5
until_is 'a connection is open' 1 sh -c "wc -l <'$dir/answers'"
kill -STOP "$daemon"
echo "{\"method\":\"restart_job\",\"params\":{\"job\":\"$job\"}}" >&5
echo >"$dir/gate"
until_is 'the job ends' ended sh -c "kill -0 $supervisor 2>/dev/null || echo ended"
exec 5>&-
kill -CONT "$daemon"
wait "$asker"
sed 1d "$dir/answers" >"$dir/restarted"
is 'it is restarted' "$(jq -r '.result.replaced // .error.message' "$dir/restarted")" "$job"
call stop_job "{\"job\":\"$(jq -r .result.id "$dir/restarted")\"}"

# A directory that was removed: the command is not run in the home directory instead.
mkdir "$dir/removed"
removed() { (cd "$dir/removed" && rmdir "$dir/removed" && "$@" 2>&1; mkdir "$dir/removed"); }
no_job() { removed "$muxbus" "$@" | grep -c -e 'was removed' -e 'directory here: No such file'; }
is 'muxbus run in a directory that was removed' "$(no_job run -- pwd)" 1
is 'muxbus run in one below it' "$(removed "$muxbus" run -C below -- pwd | grep -c 'below: No such file')" 1
for method in run_long_command execute_cli; do
	is "$method from there" "$(no_job $method command=pwd)" 1
done
odd=$(printf '%s/odd\377' "$dir")
mkdir "$odd"
is 'muxbus run in a directory whose name is not UTF-8' "$(cd "$odd" && "$muxbus" run -- pwd 2>&1 | grep -c 'directory is not valid UTF-8')" 1
is 'create_session from there' "$(no_job create_session command=pwd)" 1
is 'muxbus run elsewhere from there' "$(removed "$muxbus" run -C /usr -- pwd)" /usr

# ---- where the next command works, and what a command prints meanwhile
mkdir -p "$dir/own/sub" "$dir/other"
# in_pane COMMAND...: programs of one pane that work in a directory, each by its own connection; $dir/printed is
# what they print.
in_pane() {
	rm -f "$dir/printed"
	printf '%s\n' "$1" >"$dir/play"
	t send-keys -t "$player" "PATH='$MUXBUS_BUILDDIR':\$PATH; cd '$dir/own'; . '$dir/play' >'$dir/printing' 2>&1; mv '$dir/printing' '$dir/printed'" Enter
	until_is 'its programs end' yes sh -c "test ! -e '$dir/printed' || echo yes"
}
pwd_of='muxbus --json execute_cli command=pwd | jq -j .stdout'
player=$(t new-window -dP -F '#{pane_id}' sh)
in_pane "muxbus execute_cli command='cd sub' >/dev/null; $pwd_of; cd '$dir/other'; $pwd_of; cd '$dir/own'; $pwd_of"
is 'the directory stays that of the pane, for programs of one directory' "$(tr '\n' ' ' <"$dir/printed")" \
	"$dir/own/sub $dir/other $dir/own/sub "
kill_daemon
in_pane "$pwd_of"
is 'also over kill -9' "$(cat "$dir/printed")" "$dir/own/sub"
in_pane "muxbus execute_cli command=: cwd='$dir/own' >/dev/null; $pwd_of; rmdir sub"
is 'until it is named' "$(cat "$dir/printed")" "$dir/own"
player=$(t new-window -dP -F '#{pane_id}' sh)
in_pane "$pwd_of"
is 'that of another pane is its own' "$(cat "$dir/printed")" "$dir/own"
printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute_cli","_meta":{"progressToken":7},
	"arguments":{"command":"echo one; printf \"two\\033[1m\\rthree\\n\"; while ! [ -e go ]; do sleep 0.05; done; echo four >&2","cwd":"'"$dir"'"}}}' |
	tr -d '\n\t' | { cat; echo; } | socat -t 60 - "UNIX-CONNECT:$MUXBUS" >"$dir/progress" &
heard() { jq -r 'select(.method) | .params | "\(.progressToken) \(.message)"' "$dir/progress" | head -n 1; }
until_is 'over MCP the last line is progress' '7 three' heard
touch "$dir/go"
wait $!
is 'and the answer has all' "$(jq -j 'select(.id == 1).result.structuredContent | .stdout + .stderr' "$dir/progress" | tr '\r\033' '_^' | tr '\n' ' ')" \
	'one two^[1m_three four '
is 'one that prints nothing: the note' "$(said '.note | test("a program with a window goes on like this")' '{"command":"exec sleep 1000","timeout_sec":0.05}')" true
call stop_job "{\"job\":\"$(field .result.job)\",\"signal\":\"KILL\"}"
# Long commands do not make the list too long: it has the begin of each.
for at in $(seq 52); do
	printf '{"id":%s,"method":"run_long_command","params":{"command":"true # %0125000d"}}\n' "$at" 0
done | socat -t 60 - "UNIX-CONNECT:$MUXBUS" >"$dir/long"
is 'long commands run' "$(jq -c 'select(.error)' "$dir/long" | wc -l)" 0
call list_jobs '{}'
is 'and are listed by their begins' "$(field '[.result.jobs[] | select(.command_cut) | .command | length] | unique | join(" ")')" 1000
call get_job "{\"job\":$(jq -s '.[0].result.id' "$dir/long")}"
is 'get_job has all of one' "$(field '.result | "\(.command | length) \(.command_cut)"')" '125007 null'
# A umask that takes even our own rights: files are ours, and a job's are its user's.
old_umask=$(umask)
umask 0777
kill_daemon
umask "$old_umask"
call execute_cli '{"command":"umask; : >'"$dir"'/made"}'
is 'a umask that takes all leaves the user his files' "$(field .result.stdout)" 0077
is 'and the daemon its own' "$(find "$dir/muxbus" "$dir/made" ! -perm -u=rw)" ''

# What an ended job was, and the process that a lost one has left.
call run_long_command '{"command":"exec sleep 1000","name":"left"}'
left=$(field .result.id)
state_of() { call get_job "{\"job\":\"$left\"}" && field "$1"; }
until_is 'a job runs' running state_of .result.state
pid=$(state_of .result.pid)
kill -9 "$(ps -o ppid= -p "$pid" | tr -d ' ')"
until_is 'its supervisor is killed' lost state_of .result.state
call stop_job '{"job":"left"}'
is 'to stop it fails, and says which process runs on' "$(field .error.message)" \
	"job $left does not run: lost: its supervisor was killed, and its process $pid runs on"
kill -9 "$pid"
# A command as long as a method takes.
long() { # long METHOD BYTES: the answer for such a command, which does nothing
	printf '{"method":"%s","params":{"command":":%*s;exit"}}\n' "$1" $(($2 - 6)) '' | socat -t 60 - "UNIX-CONNECT:$MUXBUS"
}
for method in execute_cli run_long_command; do
	most=$(long $method 200000 | jq -r '.error.message | capture(" to (?<most>[0-9]+) bytes").most')
	job=$(long $method "$most" | jq -r '.result | .id // .job')
	call wait_for "{\"any\":[{\"job\":\"$job\"}],\"timeout_sec\":60}"
	is "$method: the longest command runs" "$(field '.result.conditions[0].details.exit_code')" 0
done

# A daemon that is killed between its first answer and the request for the job: the next one runs it.
cat >"$dir/cut.py" <<'PYTHON'
import select, socket, sys
own, other = sys.argv[1:]
listener = socket.socket(socket.AF_UNIX)
listener.bind(own)
listener.listen(1)


def accept():
    peer, daemon = listener.accept()[0], socket.socket(socket.AF_UNIX)
    daemon.connect(other)
    return peer, daemon


def pass_on(source, target):
    got = source.recv(65536)
    target.sendall(got)
    return got


peer, daemon = accept()
while not pass_on(peer, daemon).endswith(b"\n"):
    pass
while not pass_on(daemon, peer).endswith(b"\n"):
    pass
select.select([peer], [], [])
peer.close()  # the request is unread: the connection is reset
peer, daemon = accept()
while True:
    for end in select.select([peer, daemon], [], [])[0]:
        if not pass_on(end, daemon if end is peer else peer):
            sys.exit()
PYTHON
python3 "$dir/cut.py" "$dir/cut.muxbus" "$MUXBUS" &
until_is 'a daemon that will be cut off listens' yes sh -c "test -S '$dir/cut.muxbus' && echo yes || :"
"$muxbus" -s "$dir/cut.muxbus" run -- sh -c "echo begun >>'$dir/cut'; exit 7" >/dev/null 2>&1
is 'run goes on with the next daemon' "$? $(cat "$dir/cut")" '7 begun'
wait $!

done_testing
