#!/bin/sh
# SPDX-License-Identifier: ISC
# Completion in real shells: what the tables have, and what is alive, and nothing that a shell
# could take for more than a word.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
start 'exec sh'
PATH="$MUXBUS_BUILDDIR:$PATH"
export PATH
completions=$MUXBUS_SRCDIR/contrib/completions
pane=$(t list-panes -a -F '#{pane_id}' | head -n 1)
t rename-session -t main 'pwn; touch pwned $(touch pwned)'
t new-session -d -s plain 'exec sleep 1000'
job=$(muxbus run -d -- sleep 60 | jq -r .id)

# shows PANE TEXT: on how many lines of the pane a pattern is found.
shows() {
	muxbus --text capture_pane "$1" | grep -c -e "$2" || :
}
complete() { # complete WORD...: the words that may follow, on one line
	muxbus complete -- "$@" | cut -f 1 | tr '\n' ' '
}
is 'verbs and methods' "$(complete wai)" 'wait wait_for wait_for_idle '
is 'options' "$(complete --js)" '--json '
is 'keys of a method' "$(complete get_job '')" "job= $job "
is 'a used key is not offered again' "$(complete find_text regex=x re)" ''
is 'but after a value that is a key it is' "$(complete find_text regex re)" 'regex= '
is 'choices' "$(complete send_mouse button=l)" 'button=left '
is 'truth values' "$(complete close_pane force=)" 'force=true force=false '
is 'live panes' "$(complete capture_pane "pane=$pane")" "pane=$pane "
is 'live jobs' "$(complete stop_job job=)" "job=$job "
is 'event kinds' "$(complete watch bel)" 'bell '
is 'options of a verb' "$(complete run --det)" '--detach '
is 'conditions' "$(complete wait scr)" 'screen= '
is 'the subjects of a condition' "$(complete wait job=)" "job=$job "
is 'the tables of describe' "$(complete describe table=ev)" 'table=events '
is 'a method as a value' "$(complete describe method=send_te)" 'method=send_text '
is 'a kind as a value' "$(complete list_events kinds=bel)" 'kinds=bell '
is 'the named daemon' "$(complete -s "$dir/nothing" get_job job=)" ''
is 'named in one word' "$(complete "-S$dir/nothing" get_job job=)" ''
is 'the verb behind a value that is a word' "$(complete --color always get_job job=)" "job=$job "
is 'the verb behind the name of a host' "$(complete --host far wai) $(complete --host=far wai)" \
	'wait wait_for wait_for_idle  wait wait_for wait_for_idle '
is 'no pane of this machine is one of a host' "$(complete --host far capture_pane pane=)" ''
printf '#!/bin/sh\n: >"%s/asked"\nexit 255\n' "$dir" >"$dir/ssh"
chmod +x "$dir/ssh"
is 'MUXBUS_HOST is such a host' "$(export MUXBUS_HOST=far MUXBUS_SSH="$dir/ssh"; complete wai; complete capture_pane pane=)" \
	'wait wait_for wait_for_idle '
ok 'and a Tab starts no ssh' test ! -e "$dir/asked"
is 'names with shell code are not offered' "$(complete list_panes session=)" 'session=plain '
is 'each word once' "$(complete completion '') $(complete notify-when '' | tr ' ' '\n' | sort | uniq -d)" 'bash fish zsh  '
is 'the topics of help' "$(complete help cond)" 'conditions '
is 'and the methods' "$(complete help list_ses)" 'list_sessions '
is 'descriptions' "$(muxbus complete -- watch_lo | grep -c "$(printf 'watch_log\tW')")" 1

if command -v bash >/dev/null; then
	bash_complete() { # bash_complete LINE: what bash would offer behind it
		MUXBUS_LINE=$1 bash --norc -c '
			. "$1"
			COMP_LINE=$MUXBUS_LINE COMP_POINT=${#MUXBUS_LINE}
			COMP_WORDS=(muxbus) COMP_CWORD=0 COMPREPLY=()
			_muxbus
			echo "${COMPREPLY[*]}"' bash "$completions/bash/muxbus" 2>&1
	}
	is 'bash: verbs' "$(bash_complete 'muxbus wai')" 'wait wait_for wait_for_idle'
	is 'bash: the word after a blank' "$(bash_complete 'muxbus get_job ')" "job= $job"
	is 'bash: after = only the value is completed' "$(bash_complete 'muxbus capture_pane pane=')" "$(muxbus list_panes | jq -r '[.panes[].pane] | join(" ")')"
	is 'bash: nothing is expanded' "$(bash_complete 'muxbus capture_pane pane=$(touch pwned)* ')" "$(complete capture_pane pane=x '' | sed 's/ $//')"
	# In an interactive one, in a pane, with the Tab key.
	t new-window -d -n typing "exec bash --norc --noprofile"
	typing=$(t list-panes -t '=plain:typing' -F '#{pane_id}' 2>/dev/null || t list-panes -a -F '#{window_name} #{pane_id}' | sed -n 's/^typing //p')
	muxbus send_text "pane=$typing" "text=PS1='$ '; PATH='$PATH'; MUXBUS='$MUXBUS'; . '$completions/bash/muxbus'; clear" enter=true >/dev/null
	muxbus wait -t 20 screen='(?m)^\$ *$' "pane=$typing" >/dev/null
	muxbus send_keys "pane=$typing" 'keys=muxbus stop_j' keys=Tab "keys=job=" keys=Tab >/dev/null
	until_is 'bash: typed with Tab' 1 shows "$typing" "muxbus stop_job job=$job"
fi

if command -v zsh >/dev/null; then
	t new-window -d -n ztyping "exec zsh -f"
	typing=$(t list-panes -a -F '#{window_name} #{pane_id}' | sed -n 's/^ztyping //p')
	muxbus send_text "pane=$typing" "text=PS1='> '; PATH='$PATH'; MUXBUS='$MUXBUS'; fpath=('$completions/zsh' \$fpath); autoload -Uz compinit; compinit -u -d '$dir/zcompdump'; clear" enter=true >/dev/null
	muxbus wait -t 30 screen='(?m)\A> *$' "pane=$typing" >/dev/null
	muxbus send_keys "pane=$typing" 'keys=muxbus stop_j' keys=Tab 'keys=job=' keys=Tab >/dev/null
	until_is 'zsh: typed with Tab' 1 shows "$typing" "muxbus stop_job job=$job"
	muxbus send_keys "pane=$typing" keys=C-u 'keys=muxbus wai' keys=Tab keys=Tab >/dev/null
	until_is 'zsh: a list with descriptions' 1 shows "$typing" "wait_for_idle  -- "
else
	echo '# no zsh'
fi

if command -v fish >/dev/null; then
	fish_complete() {
		fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$completions/fish/muxbus.fish" "$1" 2>&1 | cut -f 1 | tr '\n' ' '
	}
	is 'fish: verbs' "$(fish_complete 'muxbus wait_')" 'wait_for wait_for_idle '
	is 'fish: conditions' "$(fish_complete 'muxbus wait quiet')" 'quiet_sec= '
	is 'fish: live jobs' "$(fish_complete 'muxbus stop_job job=')" "job=$job "
	is 'fish: files where there is nothing else' "$(cd "$dir" && : >afile && fish_complete 'muxbus run ./afi')" './afile '
else
	echo '# no fish'
fi

ok 'nothing was run' sh -c "! find '$dir' . -maxdepth 1 -name pwned | grep -q ."
muxbus stop_job "$job" >/dev/null
if command -v python3 >/dev/null; then
	muxbus ensure_agent name=calc command='env PYTHONSTARTUP= python3 -q' >/dev/null
	is 'live agents' "$(complete send_task agent=)" 'agent=calc '
fi
done_testing
