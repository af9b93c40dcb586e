#!/bin/sh
# SPDX-License-Identifier: ISC
# muxbus shell-init in the real shells: command lines and exit statuses as events, beside what the
# rc file has already; and notify-when, which says them.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
start 'exec sh'
PATH="$MUXBUS_BUILDDIR:$PATH"
export PATH
cd "$dir" || exit 99
mkdir -p fish
cat >bashrc <<'END'
HISTCONTROL=ignorespace
PROMPT_COMMAND='seen=$?'
PS1='[$seen] '
eval "$(muxbus shell-init bash)"
eval "$(muxbus shell-init bash)"
END
cat >.zshrc <<'END'
setopt hist_ignore_space prompt_subst
precmd() { seen=$? }
PS1='[$seen] '
eval "$(muxbus shell-init zsh)"
eval "$(muxbus shell-init zsh)"
END
cat >fish/config.fish <<'END'
function fish_greeting; end
function fish_prompt; echo -n "[$status] "; end
muxbus shell-init fish | source
muxbus shell-init fish | source
END
# Options under which an unset variable is an error, and under which a prompt is shown as it stands.
cat >strict <<'END'
set -u
HISTCONTROL=ignorespace
PS1='[s] '
eval "$(muxbus shell-init bash)"
END
mkdir -p strict.zsh plain.zsh
printf '%s\n' 'setopt no_unset hist_ignore_space' "PS1='[s] '" 'eval "$(muxbus shell-init zsh)"' >strict.zsh/.zshrc
printf '%s\n' 'setopt no_prompt_percent' "PS1='[p] '" 'eval "$(muxbus shell-init zsh)"' >plain.zsh/.zshrc
printf '%s\n' 'shopt -u promptvars' "PS1='[p] '" 'eval "$(muxbus shell-init bash)"' >plain
# Marks of its own, in words that the script sees, and in words that it does not.
cat >own <<'END'
PS0='\e]133;C\a'
PROMPT_COMMAND='printf "\033]133;D;%s\a\033]133;A\a" "$?"'
PS1='[own] '
eval "$(muxbus shell-init bash)"
END
cat >both <<'END'
eval "$(muxbus shell-init bash)"
HISTCONTROL=ignorespace
PS0+='\e]133;C\a'
PROMPT_COMMAND+='; printf "\033]133;D\a\033]133;A\a"'
PS1='[own] '
END

events() { # of the pane: command lines, and exit statuses
	jq -rc 'if .kind == "command_started" then .command_line else .exit_status end' events |
		tr '\n' '|'
}
last_line() {
	t capture-pane -p -t "$pane" | grep . | tail -n 1
}
# try NAME COMMAND PROMPT WANT LAST: types five lines, and compares the events and the prompt.
try() {
	command -v "${1%% *}" >/dev/null || { skip "no $1"; return; }
	pane=$(t new-window -d -P -F '#{pane_id}' "$2")
	until_is "$1: its prompt" "$3" last_line
	muxbus --json watch -p "$pane" -t 60 command_started command_finished >events &
	watch=$!
	until_is "$1: watched" 1 sh -c 'muxbus status | jq .subscriptions'
	for line in "echo 'a  b' | cat; sh -c 'exit 3'" '' ' echo secret' 'false # ä' 'cat >/dev/null'; do
		t send-keys -l -t "$pane" "$line"
		t send-keys -t "$pane" Enter
	done
	until_is "$1: command lines and statuses" "$4" events
	id=$(muxbus notify-when "$pane" | jq -r .id)
	t send-keys -t "$pane" C-d
	until_is "$1: notify-when" 'the command in pane '"$pane"' is done: exit status 0' \
		sh -c "muxbus list_notifications | jq -r '.notifications[] | select(.id == \"$id\").text'"
	until_is "$1: the prompt shows the right status" "$5" last_line
	kill "$watch"
	wait "$watch" 2>/dev/null
	t kill-pane -t "$pane"
}
lines="echo 'a  b' | cat; sh -c 'exit 3'|3|null|0|false # ä|1|cat >/dev/null|"
try bash 'exec bash --rcfile bashrc' '[0]' "$lines" '[0]'
try zsh "exec env ZDOTDIR=$dir zsh" '[0]' "$lines" '[0]'
try fish "exec env XDG_CONFIG_HOME=$dir fish" '[0]' "$lines" '[0]'
try 'bash with marks' 'exec bash --rcfile own' '[own]' 'null|3|null|0|null|1|null|' '[own]'
try 'bash with both' 'exec bash --rcfile both' '[own]' "$lines" '[own]'
try 'bash -u' 'exec bash --rcfile strict' '[s]' "$lines" '[s]'
try 'zsh -u' "exec env ZDOTDIR=$dir/strict.zsh zsh" '[s]' "$lines" '[s]'
for shell in 'bash --rcfile plain' "env ZDOTDIR=$dir/plain.zsh zsh"; do
	[ "${shell##* }" = plain ] || command -v zsh >/dev/null || { skip 'no zsh'; continue; }
	pane=$(t new-window -d -P -F '#{pane_id}' "exec $shell")
	until_is "plain prompts: $shell" '[p]' last_line
	t send-keys -t "$pane" 'echo $((6 * 7))' Enter
	until_is 'nothing of ours is shown' '[p] echo $((6 * 7))|42|[p]|' \
		sh -c "tmux -S '$dir/tmux' capture-pane -p -t $pane | grep . | tr '\n' '|'"
	t kill-pane -t "$pane"
done
id=$(muxbus notify-when "$(t new-window -d -P -F '#{pane_id}' 'exec sleep 1000')" | jq -r .id)
t kill-window -t "$(muxbus list_watches | jq -r '.watches[0].watched_pane')"
until_is 'a pane that closes' 1 sh -c "muxbus list_notifications | jq -r '.notifications[] | select(.id == \"$id\").text' | grep -c 'is done: its pane is gone'"
muxbus shell-init tcsh 2>err
is 'another shell' "$? $(grep -c 'no script for "tcsh"' err)" '2 1'
done_testing
