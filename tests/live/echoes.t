#!/bin/sh
# SPDX-License-Identifier: ISC
# The echo of a typed line is no output: a wait for output ends when the program prints, and not
# before; in the shells and line editors that are here.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
muxbus="$MUXBUS_BUILDDIR/muxbus"
start 'exec sh'
first=$(t list-panes -a -F '#{pane_id}')
n=0
waits() { call status '{}'; field .result.waits; }
stands() { t capture-pane -J -p -t "$1" | sed 's/ *$//' | grep -c -e "$2" || :; }
# wait_for TEXT: in the background; ends in the file `waited`.
wait_for() {
	rm -f "$dir/waited"
	(
		"$muxbus" wait "output=$1" "pane=$new" -t 1m >"$dir/wait"
		echo $? >"$dir/waited"
	) &
	until_is "$name: a wait" 1 waits
}
go() { touch "$dir/go$n"; }
ended() { cat "$dir/waited" 2>/dev/null || echo no; }
type_line() { call send_text "$(jq -nc --arg pane "$new" --arg text "$1" '{$pane, $text, enter: true}')"; }

# shell NAME PROMPT COMMAND
shell() {
	name=$1
	n=$((n + 1))
	new=$(t new-window -d -P -F '#{pane_id}' "$3")
	until_is "$name: its prompt" 1 stands "$new" "$2"
	wait_for 'DO.E'
	type_line "sh -c 'until [ -e $dir/go$n ]; do sleep 0.02; done; echo D''ONE; sleep 1; : DONE'"
	until_is "$name: the line is echoed" 1 stands "$new" ': DONE'
	is "$name: which does not end the wait" "$(ended)" no
	go
	until_is "$name: its output does" 0 ended
	is "$name: with the line of the program" "$(sed -n 's/.*"line":"\([^"]*\)".*/\1/p; s/.* line=\(.*\)  captures.*/\1/p' "$dir/wait")" DONE
	wait_for 'over$'
	type_line "echo over"
	until_is "$name: output that stands in the line too" 0 ended
	wait_for 'half'
	call send_text "$(jq -nc --arg pane "$new" '{$pane, text: "echo ha"}')"
	call send_text "$(jq -nc --arg pane "$new" '{$pane, text: "lf a long line that goes over the end of the row, with half of it behind"}')"
	until_is "$name: a line in parts, and wrapped" 1 stands "$new" 'ind$'
	is "$name: is an echo" "$(ended)" no
	call send_keys "{\"pane\":\"$new\",\"keys\":\"Enter\"}"
	until_is "$name: and then output" 0 ended
}
shell bash '^\$' "PS1='\$ ' exec bash --noprofile --norc"
command -v zsh >/dev/null && shell zsh '^host%' "PS1='host%% ' exec zsh -f"
command -v fish >/dev/null &&
	shell fish '^host>' "exec fish --no-config -C 'function fish_prompt; echo -n \"host> \"; end'"
shell sh '^\$' "PS1='\$ ' exec sh"

# A person's line, where the shell marks it.
name=marks
new=$(t new-window -d -P -F '#{pane_id}' "PS0='\\[\\033]133;C\\007\\]' PS1='\\[\\033]133;A\\007\\]> \\[\\033]133;B\\007\\]' exec bash --noprofile --norc")
until_is 'marks: a prompt' 1 stands "$new" '^>'
wait_for 'DO.E'
t send-keys -t "$new" Enter
until_is 'marks: the next' 2 stands "$new" '^>'
t send-keys -t "$new" -l "echo D''ONE : DONE"
until_is 'marks: a person types' 1 stands "$new" ': DONE'
is 'marks: that is no output' "$(ended)" no
t send-keys -t "$new" Enter
until_is 'marks: but what it prints is' 0 ended

# cat prints what the terminal has echoed.
name=cat
new=$(t new-window -d -P -F '#{pane_id}' 'exec cat')
until_is 'cat: it runs' cat t display-message -p -t "$new" '#{pane_current_command}'
wait_for '^DONE$'
call send_text "$(jq -nc --arg pane "$new" '{$pane, text: "DONE"}')"
until_is 'cat: the terminal echoes' 1 stands "$new" DONE
is 'cat: that is no output' "$(ended)" no
call send_keys "{\"pane\":\"$new\",\"keys\":\"Enter\"}"
until_is 'cat: the same line is' 0 ended

# A program that reads lines without an echo, and prints them.
name=silent
new=$(t new-window -d -P -F '#{pane_id}' 'stty -echo; echo ready; while read -r line; do echo "$line"; done')
until_is 'silent: it runs' 1 stands "$new" ready
wait_for '^DONE$'
call send_text "$(jq -nc --arg pane "$new" '{$pane, text: "DONE", enter: true}')"
until_is 'silent: its line is output' 0 ended

name=python
if command -v python3 >/dev/null; then
	new=$(t new-window -d -P -F '#{pane_id}' 'exec python3 -q -I')
	until_is 'python: its prompt' 1 stands "$new" '^>>>'
	wait_for 'DONE'
	type_line "import time; time.sleep(0.3); print('DO' + 'NE') # DONE"
	until_is 'python: its output' 0 ended
	is 'python: alone' "$(grep -c '#' "$dir/wait")" 0
fi
[ "$failed" -eq 0 ] || sed 's/^/# /' "$dir/wait"
done_testing
