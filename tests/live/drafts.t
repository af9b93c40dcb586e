#!/bin/sh
# SPDX-License-Identifier: ISC
# A person's half-typed line is not submitted, nor added to, by what another pane types there; on
# any tmux, in any shell.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
muxbus="$MUXBUS_BUILDDIR/muxbus"
printf 'PS1="me@host:~$ "\n' >"/tmp/mbt-rc-$$"
start "exec bash --noprofile --rcfile /tmp/mbt-rc-$$"
trap 'rm -f "/tmp/mbt-rc-$$"; finish' EXIT
pane=$(t list-panes -a -F '#{pane_id}')
row() { # row PANE: the cursor's row
	t capture-pane -p -t "$1" | sed -n "$(($(t display-message -p -t "$1" '#{cursor_y}') + 1))p" | sed 's/ *\(\[right\]\)*$//'
}
why() { field '"\(.error.data.kind // "done") \(.error.data | .why // "-") \(.error.data.sign // .result.sign // "-") \(.error.data.draft // "-")"'; }
send_text() { call send_text "$(jq -nc --arg pane "$1" --arg text "$2" '{$pane, $text, enter: true}')"; }
wait_row() { until_is "$1" "$3" row "$2"; }

# shell NAME PROMPT COMMAND SIGN: a half-typed line in that shell.
shell() {
	new=$(t new-window -d -P -F '#{pane_id}' "$3")
	wait_row "$1: its prompt" "$new" "$2"
	t send-keys -t "$new" -l 'rm -rf ./draft '
	wait_row "$1: a person types" "$new" "$2 rm -rf ./draft"
	send_text "$new" 'echo typed'
	is "$1: a text is refused, with the evidence" "$(why)" "refused draft $4 rm -rf ./draft"
	call send_keys "{\"pane\":\"$new\",\"keys\":\"Enter\"}"
	is "$1: Enter too" "$(why)" "refused draft $4 rm -rf ./draft"
	is "$1: nothing was typed" "$(row "$new")" "$2 rm -rf ./draft"
	call run_tmux "{\"command\":[\"send-keys\",\"-t\",\"$new\",\"Enter\"]}"
	is "$1: nor by tmux" "$(why)" "refused draft $4 rm -rf ./draft"
	t send-keys -t "$new" C-u
	t send-keys -t "$new" -l 'cat ./file # '
	wait_row "$1: a line that ends as a prompt" "$new" "$2 cat ./file #"
	send_text "$new" victim
	is "$1: is a draft" "$(why)" "refused draft $4 cat ./file #"
	t send-keys -t "$new" C-u
	t send-keys -t "$new" -l 'rm -rf ./draft '
	wait_row "$1: another" "$new" "$2 rm -rf ./draft"
	t send-keys -t "$new" C-a
	send_text "$new" 'echo typed'
	is "$1: a draft right of the cursor" "$(why)" "refused draft $4 rm -rf ./draft"
	t send-keys -t "$new" C-e C-u
	wait_row "$1: the person takes it back" "$new" "$2"
	call send_text "{\"pane\":\"$new\",\"text\":\"echo one\"}"
	is "$1: at the empty prompt it is typed" "$(why)" "done - $4 -"
	wait_row "$1: without Enter" "$new" "$2 echo one"
	call send_keys "{\"pane\":\"$new\",\"keys\":[\"x\",\"BSpace\",\" two\",\"Enter\"]}"
	is "$1: what Muxbus typed is no draft" "$(why)" "done - $4 -"
	wait_row "$1: and is submitted" "$new" "$2"
	is "$1: as it stood" "$(t capture-pane -p -t "$new" | grep -c '^one two$')" 1
	call send_text "{\"pane\":\"$new\",\"text\":\"echo two\"}"
	wait_row "$1: another text" "$new" "$2 echo two"
	t send-keys -t "$new" C-u
	wait_row "$1: a person clears the line" "$new" "$2"
	call send_text "{\"pane\":\"$new\",\"text\":\"echo 3\"}"
	wait_row "$1: and gets another text" "$new" "$2 echo 3"
	call send_keys "{\"pane\":\"$new\",\"keys\":\"Enter\"}"
	is "$1: which is no draft either" "$(why)" "done - $4 -"
	wait_row "$1: and ends" "$new" "$2"
	call send_text "{\"pane\":\"$new\",\"text\":\"echo three\"}"
	t send-keys -t "$new" -l ' four'
	wait_row "$1: a person goes on with it" "$new" "$2 echo three four"
	call send_keys "{\"pane\":\"$new\",\"keys\":\"Enter\"}"
	is "$1: which is a draft" "$(why)" "refused draft $4 echo three four"
	call send_keys "{\"pane\":\"$new\",\"keys\":\"Enter\",\"force\":true}"
	is "$1: force submits it" "$(why)" 'done - - -'
	wait_row "$1: all the same" "$new" "$2"
}
shell bash 'me@host:~$' "exec bash --noprofile --rcfile /tmp/mbt-rc-$$" prompt
command -v zsh >/dev/null && shell zsh 'host%' "PS1='host%% ' RPS1='[right]' exec zsh -f" prompt
command -v fish >/dev/null &&
	shell fish 'host>' "exec fish --no-config -C 'function fish_prompt; echo -n \"host> \"; end'" prompt

# A pane that is closed between a text and its Enter.
new=$(t new-window -d -P -F '#{pane_id}' 'stty raw -echo; printf ready; exec head -c 4 >/dev/null')
wait_row 'a program that ends at a text' "$new" ready
send_text "$new" text
is 'the error says that the pane is gone, and what was typed' "$(field '.error.data | "\(.kind) \(.typed)"') $(field .error.message)" \
	"gone the text, but not Enter pane $new was closed meanwhile; typed: the text, but not Enter"

# A prompt with signs of its own, those of the directory, is an empty one.
mkdir "$dir/a > b # c"
new=$(t new-window -d -c "$dir/a > b # c" -P -F '#{pane_id}' "PS1='[\W] \\$ ' exec bash --noprofile --norc")
until_is 'a prompt in a directory of signs' 1 sh -c "tmux -S '$dir/tmux' capture-pane -p -t '$new' | grep -c '^.a > b # c. [#$]' || :"
send_text "$new" 'echo typed'
is 'is free' "$(why)" 'done - prompt -'
until_is 'and takes the text' 1 sh -c "tmux -S '$dir/tmux' capture-pane -p -t '$new' | grep -c '^typed' || :"

# A wrapped line, and one that no sign tells of.
t send-keys -t "$pane" -l 'rm -rf ./draft of a line that is longer than the terminal is wide, so that it is wrapped'
wait_row 'a line is wrapped' "$pane" ' that it is wrapped'
send_text "$pane" 'echo typed'
is 'and a draft' "$(why)" 'refused draft prompt rm -rf ./draft of a line that is longer'
t send-keys -t "$pane" C-u
new=$(t new-window -d -P -F '#{pane_id}' 'stty -echo; exec cat >/dev/null')
until_is 'cat runs' cat t display-message -p -t "$new" '#{pane_current_command}'
send_text "$new" 'what'
is 'where no prompt is known only keys count' "$(why)" 'done - keys -'

# lines PROMPT DRAFT COMMAND KEYS...: what is refused behind a draft of several lines.
lines() {
	prompt=$1 draft=$2
	new=$(t new-window -d -P -F '#{pane_id}' "$3")
	wait_row "$3: its prompt" "$new" "$prompt"
	last=$4
	shift 4
	for key; do
		t send-keys -t "$new" "$key"
	done
	until_is "a draft: $draft" 1 sh -c "tmux -S '$dir/tmux' capture-pane -p -t '$new' | grep -c -F -e '$last' || :"
	send_text "$new" 'echo typed'
	is 'is refused' "$(why | tr -s ' ')" "refused draft prompt $draft"
}
rc="exec bash --noprofile --rcfile /tmp/mbt-rc-$$"
lines 'me@host:~$' 'rm -rf b' "$rc" 'rm -rf b' "$(printf '\033[200~rm -rf a\nrm -rf b\033[201~')"
lines 'me@host:~$' "\`o $': echo $ a" "$rc" 'i-search' 'echo $ a' Enter C-r 'o $'
command -v zsh >/dev/null && lines 'host%' 'rm -rf b' "PS1='host%% ' exec zsh -f" 'rm -rf b' 'rm -rf a' M-Enter 'rm -rf b'
command -v fish >/dev/null && lines 'host>' 'begin rm -rf a' \
	"exec fish --no-config -C 'function fish_prompt; echo -n \"host> \"; end'" 'rm -rf a' begin Enter 'rm -rf a' Enter
command -v python3 >/dev/null && lines '>>>' 'for i in 1,2: print(i' 'exec python3 -q' 'print(i' 'for i in 1,2:' Enter '  print(i'

# In a tmux that the pane shows; what else fills its screen is no prompt.
new=$(t new-window -d -P -F '#{pane_id}' "TMUX= exec tmux -S $dir/inner -f /dev/null new-session '$rc'")
wait_row 'a tmux in the pane' "$new" 'me@host:~$'
t send-keys -t "$new" -l 'rm -rf ./draft'
wait_row 'a person types in it' "$new" 'me@host:~$ rm -rf ./draft'
send_text "$new" 'echo typed'
is 'that is a draft' "$(why)" 'refused draft prompt rm -rf ./draft'
t send-keys -t "$new" C-u
t send-keys -t "$new" -l "less '$dir/text'"
echo 'a text' >"$dir/text"
t send-keys -t "$new" Enter
wait_row 'a text fills the screen' "$new" "$dir/text (END)"
send_text "$new" q
is 'nothing tells of a draft there' "$(why)" 'done - keys -'
tmux -S "$dir/inner" kill-server

# A command that goes on in the next row, which is empty yet.
t send-keys -t "$pane" -l 'echo rm -rf \'
t send-keys -t "$pane" Enter
wait_row 'a command goes on' "$pane" '>'
send_text "$pane" 'important'
is 'and is a draft' "$(why)" 'refused draft prompt echo rm -rf \'
t send-keys -t "$pane" C-c
wait_row 'it is given up' "$pane" 'me@host:~$'

# Behind the mark of the shell, whatever the prompt looks like; followed, as a wait does it.
new=$(t new-window -d -P -F '#{pane_id}' "PS1='\[\033]133;A\007\]what now? \[\033]133;B\007\]' exec bash --noprofile --norc")
wait_row 'a prompt that looks like none' "$new" 'what now?'
t send-keys -t "$new" -l 'rm -rf ./draft '
wait_row 'with a draft' "$new" 'what now? rm -rf ./draft'
"$muxbus" wait 'output=^done' "pane=$new" -t 1m >/dev/null &
waiting=$!
until_is 'its output is followed' 1 sh -c "'$muxbus' --json status | jq .waits"
t send-keys -t "$new" C-u Enter
t send-keys -t "$new" -l 'rm -rf ./draft '
until_is 'the next prompt is seen' 2 sh -c "tmux -S '$dir/tmux' capture-pane -p -t '$new' | grep -c '^what now?' || :"
wait_row 'with a draft too' "$new" 'what now? rm -rf ./draft'
send_text "$new" 'echo typed'
is 'the mark tells' "$(why)" 'refused draft osc133 rm -rf ./draft'
t send-keys -t "$new" C-u
wait_row 'it is taken back' "$new" 'what now?'
send_text "$new" 'echo done'
is 'then the prompt is free' "$(why)" 'done - osc133 -'
wait $waiting
is 'and the wait ends' $? 0

# Who made a pane may type there; a process elsewhere may not.
call create_window '{"session":"main","command":["bash","--noprofile","--norc"]}'
new=$(field .result.pane)
until_is 'a prompt' 1 sh -c "tmux -S '$dir/tmux' capture-pane -p -t '$new' | grep -c bash || :"
t send-keys -t "$new" -l 'echo draft '
until_is 'a draft' 1 sh -c "tmux -S '$dir/tmux' capture-pane -p -t '$new' | grep -c draft || :"
printf '{"method":"send_text","params":{"pane":"%s","text":"x"}}\n' "$new" |
	setsid -w socat -t 60 - "UNIX-CONNECT:$MUXBUS" >"$dir/answer"
is 'another session is refused' "$(why)" 'refused draft prompt echo draft'
send_text "$new" 'echo typed'
is 'the maker is not' "$(why)" 'done - - -'
call create_pane "{\"pane\":\"$pane\"}"
call run_tmux '{"command":["set-option","-w","-t","main:0","synchronize-panes","on"]}'
t send-keys -t "$pane" -l 'rm -rf ./draft '
new=$(t list-panes -t main:0 -F '#{pane_id}' | tail -n 1)
send_text "$new" 'echo typed'
is 'keys that tmux would give to another pane too are refused' "$(field '.error.data | "\(.pane) \(.why)"')" "$pane draft"
t send-keys -t "$pane" C-u
t set-option -w -t main:0 synchronize-panes off

# A person who looks at the pane has pressed a key.
new=$(t new-window -P -F '#{pane_id}' 'exec cat')
tmux -S "$dir/outer" -f /dev/null new-session -d -x 100 -y 30 "exec env -u TMUX TERM=screen tmux -S $dir/tmux attach -t =main"
trap 'tmux -S "$dir/outer" kill-server; rm -f "/tmp/mbt-rc-$$"; finish' EXIT
until_is 'a person is there' 1 sh -c "tmux -S $dir/tmux list-clients -F '#{client_control_mode}' | grep -c -x 0 || :"
tmux -S "$dir/outer" send-keys -l 'a'
until_is 'and types' a row "$new"
send_text "$new" 'what'
is 'so nothing else does' "$(why)" 'refused person_typed keys -'
is 'the error says why' "$(field .error.message)" "pane $new: a person typed there less than 5 seconds ago; typed: nothing; \"force\": true types all the same"
is 'the command line says no' "$("$muxbus" send "$new" x >/dev/null 2>&1; echo $?)" 1
"$muxbus" send --force "$new" x >/dev/null
until_is 'unless it is told to' ax sh -c "tmux -S '$dir/tmux' capture-pane -p -t '$new' | head -n 1"

# A person goes on below a blank row: a draft for a text from elsewhere, and for a notice.
new=$(t new-window -d -P -F '#{pane_id}' "exec $MUXBUS_BUILDDIR/tests/fake_agent --ask $MUXBUS --draft 'one

' /dev/null")
until_is 'an agent with a draft' '> one' sh -c "tmux -S '$dir/tmux' capture-pane -p -t '$new' | sed -n 1p"
call send_keys "{\"pane\":\"$new\",\"keys\":\"Enter\"}"
is 'its draft is seen from below' "$(why)" 'refused draft prompt one'
call post_notification "{\"pane\":\"$new\",\"text\":\"x\"}"
id=$(field .result.id)
until_is 'nothing is typed there' 'there is something on the prompt line: ""' sh -c "echo '{\"method\":\"list_notifications\"}' |
	socat -t 60 - 'UNIX-CONNECT:$MUXBUS' | jq -r '.result.notifications[] | select(.id == \"$id\") | .delivery.reason // empty'"
t kill-window -t "$new"

# A known agent on a screen without its signs, as of another version: a row of a draft may look like a prompt.
ln -s "$MUXBUS_BUILDDIR/tests/fake_agent" "$dir/claude"
: >"$dir/claude.log"
new=$(t new-window -d -P -F '#{pane_id}' "exec $dir/claude --draft 'to ->' $dir/claude.log")
wait_row 'a sign of prompts in a draft of a known agent' "$new" '> to ->'
call post_notification "{\"pane\":\"$new\",\"text\":\"all is well\"}"
id=$(field .result.id)
reason() { ask '{"method":"list_notifications"}' | jq -r ".result.notifications[] | select(.id == \"$id\") | .delivery.reason"; }
until_is 'is no prompt' 'there is something on the prompt line: "> to ->"' reason
is 'nothing was sent' "$(cat "$dir/claude.log")" ''
t kill-pane -t "$new"

# The end of a long draft is a blank row, and its begin is out of sight.
new=$(t new-window -d -P -F '#{pane_id}' "exec $MUXBUS_BUILDDIR/tests/fake_agent --draft '$(seq 60)
' $dir/long.log")
until_is 'a long draft' 60 sh -c "tmux -S '$dir/tmux' capture-pane -p -t '$new' | tail -n 2 | head -n 1"
call post_notification "{\"pane\":\"$new\",\"text\":\"all is well\"}"
id=$(field .result.id)
until_is 'is seen' 'no prompt is seen: a draft may begin above the screen' reason
ok 'and not sent' [ ! -e "$dir/long.log" ]
t kill-pane -t "$new"

# A person who has been there changed what Muxbus typed, in a program that shows texts in its own form.
new=$(t new-window -d -P -F '#{pane_id}' "exec $MUXBUS_BUILDDIR/tests/fake_agent /dev/null")
wait_row 'an agent' "$new" '>'
call send_text "{\"pane\":\"$new\",\"text\":\"hi\"}"
wait_row 'has a text' "$new" '> hi'
tmux -S "$dir/outer" send-keys C-b n
until_is 'a person comes' 1 t display-message -p -t "$new" '#{window_active}'
tmux -S "$dir/outer" send-keys BSpace BSpace 'my own'
wait_row 'who types' "$new" '> my own'
tmux -S "$dir/outer" send-keys C-b p
until_is 'and leaves' 0 t display-message -p -t "$new" '#{window_active}'
call send_keys "{\"pane\":\"$new\",\"keys\":\"Enter\"}"
is 'that is a draft' "$(why)" 'refused draft prompt my own'
t kill-window -t "$new"

# A person synchronizes the panes, or respawns this one, between the look at them and the keys: a hook does it just then.
new=$(t new-window -d -P -F '#{pane_id}' 'stty raw -echo; printf "> "; exec cat >/dev/null')
theirs=$(t split-window -d -t "$new" -P -F '#{pane_id}' "stty raw -echo; printf '> draft'; exec cat >>$dir/theirs")
for change in "set-option -w -t $new synchronize-panes on" "respawn-pane -k -t $new 'stty raw -echo; exec cat >>$dir/other'"; do
	wait_row 'a draft beside it' "$theirs" '> draft'
	t set-hook -g after-display-message "$change"
	send_text "$new" text
	t set-hook -gu after-display-message
	is "$change: nothing is typed" "$(field '.error.data | "\(.kind) \(.typed)"')" 'not_ready nothing'
	t set-option -w -t "$new" synchronize-panes off
done
# Two empty prompts that get the keys: the first is respawned before the second is looked at.
last=$(t split-window -d -t "$new" -P -F '#{pane_id}' 'stty raw -echo; printf "> "; exec cat >/dev/null')
wait_row 'an empty prompt' "$last" '>'
t respawn-pane -k -t "$new" 'stty raw -echo; printf "> "; exec cat >/dev/null'
wait_row 'and another' "$new" '>'
for one in "$new" "$last"; do
	t set-option -p -t "$one" synchronize-panes on
done
t set-hook -g after-display-message "set-hook -gu after-display-message ; respawn-pane -k -t $new 'stty raw -echo; printf \"> \"; exec cat >>$dir/other'"
send_text "$last" text
is 'one is respawned: nothing is typed' "$(field '.error.data | "\(.kind) \(.typed)"')" 'not_ready nothing'
for one in "$new" "$last"; do
	t set-option -p -u -t "$one" synchronize-panes
done
# The draft is in a pane that is older, and synchronized when the list that is looked at is made.
t set-hook -g after-list-panes "set-option -w -t $new synchronize-panes on"
send_text "$last" text
t set-hook -gu after-list-panes
is 'an older draft is synchronized: nothing is typed' "$(field '.error.data | "\(.kind) \(.typed)"')" 'not_ready nothing'
t set-option -w -t "$new" synchronize-panes off
# Between a text and its Enter, in a pane that is free to type into.
call create_pane "{\"pane\":\"$theirs\",\"command\":[\"cat\"]}"
last=$(field .result.pane)
t set-hook -g after-send-keys "set-option -w -t $new synchronize-panes on"
send_text "$last" text
t set-hook -gu after-send-keys
is 'a draft is synchronized behind a text' "$(field '.error.data | "\(.kind) \(.typed)"')" 'not_ready the text, but not Enter'
send_text "$last" text
is 'then it is seen' "$(why)" 'refused draft prompt draft'
t set-option -w -t "$new" synchronize-panes off
call send_keys "{\"pane\":\"$theirs\",\"keys\":\"x\",\"force\":true}"
until_is 'nor does it come to another program' x cat "$dir/theirs" "$dir/other"
t kill-window -t "$new"

# Panes without a program get no keys.
no_program() {
	call create_window '{"session":"main","command":["cat"]}'
	new=$(field .result.pane)
	t set-option -w -t "$new" remain-on-exit on
	t split-window -d -t "$new" ''
	last=$(t split-window -d -t "$new" -P -F '#{pane_id}' 'exit 0')
	until_is 'a pane is dead' 1 t display-message -p -t "$last" '#{pane_dead}'
	t respawn-pane -k -t "$new" 'exec cat' # of which tmux tells nothing, as of synchronized panes
	t set-option -w -t "$new" synchronize-panes on
	send_text "$new" text
	is 'beside dead panes a text is typed' "$(field .result.synchronized)" true
	until_is 'with its Enter' 2 sh -c "tmux -S '$dir/tmux' capture-pane -p -t '$new' | grep -c text || :"
	t kill-window -t "$new"
}
no_program

# More panes than can be compared.
call create_window '{"session":"main","command":["cat"]}'
new=$(field .result.pane)
for one in $(seq 32); do
	t split-window -d -t "$new" 'exec cat'
	t select-layout -t "$new" tiled
done >/dev/null
t set-option -w -t "$new" synchronize-panes on
send_text "$new" text
is 'for 33 panes force is needed' "$(field '.error.data | "\(.kind) \(.typed)"')" 'not_ready nothing'
call send_keys "{\"pane\":\"$new\",\"keys\":\"x\",\"force\":true}"
is 'and does it' "$(field .result.synchronized)" true
t kill-window -t "$new"

# A person who comes while a text waits behind a notice.
new=$(t new-window -d -P -F '#{pane_id}' "exec $MUXBUS_BUILDDIR/tests/fake_agent --ask $MUXBUS --deaf 1500 /dev/null")
wait_row 'an agent' "$new" '>'
call post_notification "{\"pane\":\"$new\",\"text\":\"x\"}"
until_is 'a notice is being typed' deaf t display-message -p -t "$new" '#{pane_title}'
send_text "$new" '/' &
texting=$!
tmux -S "$dir/outer" send-keys C-b n
until_is 'a person comes' 1 t display-message -p -t "$new" '#{window_active}'
tmux -S "$dir/outer" send-keys 'rm -rf '
tmux -S "$dir/outer" send-keys C-b p
wait $texting
# Where the person has not left yet, they are the reason.
is 'it is not typed behind their words' "$(why | sed 's/person_typed prompt /draft prompt [muxbus/' | cut -c 1-28)" \
	'refused draft prompt [muxbus'

# tmux 3.8 has no process id for a dead pane.
newest=$(ls -d "${MUXBUS_TMUX_CACHE:-$MUXBUS_SRCDIR/tests/cache}"/tmux-* 2>/dev/null | sort -V | tail -n 1)
if is_tested "$newest"; then
	tmux -S "$dir/outer" kill-server
	kill "$daemon_pid"
	wait "$daemon_pid"
	server=$(t display-message -p '#{pid}')
	t kill-server
	until_is 'tmux ends' gone sh -c "kill -0 $server 2>/dev/null || echo gone"
	mkdir "$dir/bin"
	ln -s "$newest" "$dir/bin/tmux"
	PATH="$dir/bin:$PATH"
	t new-session -d -s main -x 80 -y 24 'exec cat'
	start_daemon
	is 'the newest tmux has its turn' "$(t display-message -p 'tmux #{version}')" "$("$newest" -V)"
	no_program
fi
[ "$failed" -eq 0 ] || sed 's/^/# /' "$dir/answer"
done_testing
