#!/bin/sh
# SPDX-License-Identifier: ISC
# The conditions prompt and ready of wait_for, on programs that have a prompt, and on others that
# are merely quiet.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
need bash python3
start 'exec bash --norc --noprofile'
t set-environment -g PS1 '$ '
pane=$(t list-panes -a -F '#{pane_id}')

# prompted NAME PANE TEXT BY: the pane comes to a prompt whose row is TEXT.
prompted() {
	call wait_for '{"any":[{"prompt":true,"pane":"'"$2"'"}],"timeout_sec":30}'
	is "$1" "$(field '.result.conditions[0] | "\(.state) \(.details.by) \(.details.text)"')" "matched $4 $3"
}

# unprompted NAME PANE: neither condition comes true within two seconds.
unprompted() {
	call wait_for '{"any":[{"prompt":true,"pane":"'"$2"'"},{"ready":"'"$2"'"}],"timeout_sec":2.2}'
	is "$1" "$(field '.result | "\(.matched) \(.timed_out)"')" '[] true'
}

run() {
	t split-window -d -P -F '#{pane_id}' -t main:0 "$@"
	t select-layout -t main:0 tiled
}

# shown PANE TEXT: waits for text on the screen.
shown() {
	call wait_for '{"any":[{"screen":"'"$2"'","pane":"'"$1"'"}],"timeout_sec":30}'
	[ "$(field .result.timed_out)" = false ] || echo "# never shown: $2"
}

call wait_for '{"any":[{"prompt":true,"pane":"'"$pane"'"}],"timeout_sec":30}'
is 'the prompt of bash' "$(field '.result.conditions[0] | "\(.state) \(.details.by) \(.details.command)"')" 'matched screen bash'
call wait_for '{"any":[{"ready":"'"$pane"'"}],"timeout_sec":30}'
is 'ready means the same' "$(field '.result.conditions[0] | "\(.state) \(.details.by)"')" 'matched screen'
t send-keys -t "$pane" "PS1='top row
> '" Enter
prompted 'a prompt of two lines' "$pane" '>' screen
t send-keys -t "$pane" 'half a draft'
unprompted 'a draft behind it is none' "$pane"
t send-keys -t "$pane" C-u
prompted 'the draft is gone' "$pane" '>' screen
t send-keys -t "$pane" 'sleep 77' Enter
shown "$pane" 'sleep 77'
unprompted 'sleep 77 is no prompt' "$pane"
t send-keys -t "$pane" C-c
prompted 'when it has ended there is one' "$pane" '>' screen
t send-keys -t "$pane" 'clear; printf "\\x24 "; sleep 77' Enter
shown "$pane" '^\\$ ?$'
unprompted 'nor is a sleep behind what looks like a prompt' "$pane"
t send-keys -t "$pane" C-c

python=$(run 'PYTHONSTARTUP= exec python3 -q')
prompted 'the prompt of Python' "$python" '>>>' screen
t send-keys -t "$python" 'import time; time.sleep(1)' Enter
shown "$python" 'sleep'
prompted 'comes back' "$python" '>>>' screen
t send-keys -t "$python" 'def f():' Enter
shown "$python" '\\.\\.\\.'
unprompted 'a line that goes on is none' "$python"

# A stopped program reads nothing, whatever its screen shows. (tmux continues a pane's first process at once.)
launched=$(run "exec env PYTHON_COLORS=0 PYTHON_BASIC_REPL=1 \
	python3 -c 'import subprocess; subprocess.call([\"python3\", \"-q\"])'")
prompted 'the prompt behind a launcher' "$launched" '>>>' screen
child=$(pgrep -P "$(t display-message -p -t "$launched" '#{pane_pid}')")
kill -STOP "$child"
unprompted 'none while the program behind it is stopped' "$launched"
kill -CONT "$child"
prompted 'one when it goes on' "$launched" '>>>' screen
t kill-pane -t "$launched"

# A password, a question, a line that is asked for behind a word.
asking=$(run 'stty -echo; printf "user@host password> "; read -r word')
shown "$asking" 'password>'
unprompted 'a password is no prompt' "$asking"
t kill-pane -t "$asking"
asking=$(run 'printf "user@host'"'"'s password: "; read -r word')
shown "$asking" 'password:'
unprompted 'nor the question of ssh' "$asking"
t kill-pane -t "$asking"
asking=$(run 'printf "Continue (y/n)> "; read -r word')
shown "$asking" 'Continue'
unprompted 'nor is yes or no' "$asking"
t kill-pane -t "$asking"
reading=$(run 'exec cat')
unprompted 'nor a program that reads' "$reading"
t kill-pane -t "$reading"
asking=$(run 'printf "db> "; read -r word; exec sleep 1000')
prompted 'a line that is read behind a prompt is one' "$asking" 'db>' screen
t kill-pane -t "$asking"

for program in 'vim -u NONE' 'vi' 'less' 'less -X -M'; do
	command -v "${program%% *}" >/dev/null || continue
	i=0
	while [ $i -lt 40 ]; do echo "> "; i=$((i + 1)); done >"$dir/text"
	full=$(run "exec $program $dir/text")
	shown "$full" '^>'
	unprompted "$program is no prompt" "$full"
	t send-keys -t "$full" Space A
	unprompted "$program is none further down" "$full"
	t kill-pane -t "$full"
done

# Marks of shell integration, whatever the prompt looks like.
t send-keys -t "$pane" "PS1='\\[\\e]133;A\\a\\]at work\\[\\e]133;B\\a\\]'" Enter
shown "$pane" 'at work$'
once_armed() {
	until [ "$(ask '{"method":"status"}' | jq .result.waits)" -gt 0 ]; do sleep 0.02; done
	"$@"
}
once_armed t send-keys -t "$pane" 'true' Enter &
prompted 'a prompt that the shell marks' "$pane" 'at work' osc133
wait $!
once_armed t send-keys -t "$pane" 'sleep 77' Enter &
unprompted 'and sleep 77 behind that mark is none' "$pane"
wait $!
t send-keys -t "$pane" C-c

# An agent that reports is believed.
t send-keys -t "$python" C-c
prompted 'Python is back' "$python" '>>>' screen
call report_agent '{"agent":"robot","pane":"'"$python"'","state":"busy"}'
unprompted 'an agent that reports busy is at no prompt' "$python"
call report_agent '{"agent":"robot","pane":"'"$python"'","state":"idle"}'
prompted 'until it reports idle' "$python" '>>>' screen

# Over a restart of the daemon.
t send-keys -t "$python" 'time.sleep(77)' Enter
shown "$python" 'sleep.77'
ask '{"method":"wait_for","params":{"any":[{"prompt":true,"pane":"'"$python"'"}],"timeout_sec":60,"wait":"kept"}}' >/dev/null &
waiter=$!
kept_waits() {
	ask '{"method":"status"}' | jq .result.waits
}
until_is 'a wait with a name is armed' 1 kept_waits
kill_daemon
wait $waiter
ask '{"method":"wait_for","params":{"wait":"kept","timeout_sec":60}}' >"$dir/kept" &
waiter=$!
until_is 'the wait is resumed' 1 kept_waits
t send-keys -t "$python" C-c
wait $waiter
is 'and comes true in the next life' \
	"$(jq -r '.result.conditions[0] | "\(.state) \(.details.text)"' "$dir/kept")" 'matched >>>'
done_testing
