#!/bin/sh
# SPDX-License-Identifier: ISC
# What a program that starts muxbusd left it: blocked and ignored signals, limits of files.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
env --block-signal=TERM true 2>/dev/null || skip_all 'env cannot block signals'
muxbus=$MUXBUS_BUILDDIR/muxbus
start cat

# A shell cannot block signals.
again() { # again COMMAND...: the daemon started by that
	call shutdown '{}'
	wait "$daemon_pid" 2>/dev/null
	"$@" "$MUXBUS_BUILDDIR/muxbusd" -S "$dir/tmux"
	call status '{}'
	pid=$(field .result.pid)
	daemon_pid=$pid
}
gone() { [ ! -e "$MUXBUS" ] && echo gone; }
there() { [ -e "$MUXBUS" ] && echo there; }
again env --block-signal --ignore-signal=CHLD
rm "$MUXBUS"
kill -USR1 "$pid"
until_is 'signals that were blocked are taken: SIGUSR1' there there
is 'a job, with its status' "$("$muxbus" -S "$dir/tmux" run -- sh -c 'exit 3' 2>/dev/null || echo $?)" 3
# But for 32 and 33, which are the C library's own.
blocked() {
	"$muxbus" -S "$dir/tmux" run -- sed -n 's/^Sig[BI][lg][kn]:[[:space:]]*//p' /proc/self/status | while read -r mask; do
		printf '%x ' $((0x$mask & ~0x180000000))
	done
}
is 'it blocks and ignores none' "$(blocked)" '0 0 '
kill -TERM "$pid"
until_is 'and SIGTERM' gone gone

# Nor does a program that the command line starts.
cat >"$dir/ssh" <<END
#!/bin/sh
sed -n 's/^SigIgn:[[:space:]]*//p' /proc/self/status >'$dir/ignored'
END
chmod +x "$dir/ssh"
MUXBUS_SSH=$dir/ssh "$muxbus" --host nowhere ls >/dev/null 2>&1 || :
is 'ssh of --host ignores none' "$(printf '%x' $((0x$(cat "$dir/ignored") & ~0x180000000)))" 0

# Nor one that it becomes.
mkdir -p "$dir/contrib/tools"
sed 's/ignored/install&/' "$dir/ssh" >"$dir/contrib/tools/install_tools"
chmod +x "$dir/contrib/tools/install_tools"
MUXBUS_CONTRIBDIR=$dir/contrib "$muxbus" setup --install=files >"$dir/out" 2>&1
is 'the installer of setup ignores none' "$(printf '%x' $((0x$(cat "$dir/installignored") & ~0x180000000)))" 0

# Files may have 64 KiB: as a full disk, that is said, and ends nothing.
limited() (
	ulimit -f 128
	exec "$@"
)
start_daemon
again limited
post() { "$muxbus" -S "$dir/tmux" post_notification text="$(printf '%04000d' 0)" >"$dir/post" || echo failed; }
posted() {
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34; do
		post
	done
}
is 'posts beyond that limit' "$(posted)" ''
call status '{}'
is 'the daemon says so, and goes on' "$(field '"\(.result.pid == '"$pid"') \(.result.queue.journal.state)"')" 'true degraded'
is 'a job that writes more' "$("$muxbus" -S "$dir/tmux" run -- sh -c 'trap "" XFSZ; yes | head -c 200000; exit 4' 2>/dev/null >"$dir/out" || echo $?)" 4
is 'what it wrote before' "$(head -c 4 "$dir/out")" 'y
y'

# With little memory no thread can be started: that is said too.
short() { (ulimit -v 16000; HOME=$dir timeout 3 "$MUXBUS_BUILDDIR/muxbusd" -f -S "$dir/none") 2>&1 </dev/null; }
is 'memory is named where it may be short' "$(short | grep 'see ulimit' | grep -vc -e -v)" 0

# With as many open files as it may have, it says what is short, and goes on when it may have more.
error() { field '.error.data.kind + " " + .error.message' | sed 's|: /[^:]*:|:|'; }
again env
may_open 1 "$pid" # for the one that asks
call run_long_command '{"command":"true"}'
is 'no descriptor for a job' "$(error)" 'limit the job cannot be started: muxbusd may have no more open files: see ulimit -n'
may_open 3 "$pid" # also for tmux, but not for a pipe
echo '{"method":"run_long_command","params":{"command":"sleep 60"}}' | timeout 9 socat -t 9 - "UNIX-CONNECT:$MUXBUS" >"$dir/answer"
is 'nor for its news' "$(error)" 'limit the job cannot be started: muxbusd may have no more open files: see ulimit -n'
may_open 1 "$pid"
call send_text '{"pane":"main","text":"x"}'
is 'nor for a command of tmux' "$(error)" \
	'tmux_unavailable no tmux server is followed now (Too many open files); the daemon retries by itself'
prlimit --nofile=1024: --pid "$pid"
call send_text '{"pane":"main","text":"x"}'
is 'with more it goes on at once' "$(error)" ' '
is 'with jobs too' "$("$muxbus" -S "$dir/tmux" run -- sh -c 'exit 3' 2>/dev/null || echo $?)" 3

# With few open files the jobs of an earlier life, which are many, end with their own status.
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40; do
	"$muxbus" -S "$dir/tmux" run -d -- sh -c 'sleep 2; exit 3' >"$dir/run"
done
again prlimit --nofile=64:64
ends() { ask '{"method":"list_jobs"}' | jq -rc '[.result.jobs[-40:][].exit_code] | group_by(.) | map([length, .[0]])'; }
until_is 'many jobs and few open files: none is lost' '[[40,3]]' ends
"$muxbus" -S "$dir/tmux" run -d -- sh -c 'sleep 1; exit 4' >"$dir/run"
again env
may_open 0 "$pid"
sleep 2
prlimit --nofile=1024: --pid "$pid"
ends() { ask '{"method":"list_jobs"}' | jq -c '.result.jobs[-1].exit_code'; }
until_is 'one that ends while none can be opened is not lost either' 4 ends
done_testing
