# SPDX-License-Identifier: ISC
# For scripts (sourced): README's session, pasted line by line at the prompt of a shell in a pane,
# as a person does it. The script has t, which is tmux, and says in $shell_pane which pane that is.

# The lines of the session as they stand in README: those with a tab.
session_lines() {
	sed -n '/^A SESSION/,/^FOR AN AGENT/s/^\t//p' "${MUXBUS_SRCDIR:-.}/README"
}

# The prompt is the status of the last command: <0>.
paste_shell() {
	echo "exec env HISTFILE= PS1='<\$?> ' PS2='> ' bash --norc --noprofile"
}

paste_screen() {
	t capture-pane -p -t "$shell_pane"
}

# paste_shows REGEX: waits up to a minute until a line of the screen matches.
paste_shows() {
	tries=0
	until paste_screen | grep -q -E -e "$1"; do
		tries=$((tries + 1))
		[ $tries -lt 1200 ] || return 1
		# Programs that wait for an event get one.
		[ $((tries % 10)) -ne 0 ] || t rename-window -t "$shell_pane" "try $tries"
		sleep 0.05
	done
}

# paste LINE: types the line, lets the person end a command that has no end, and prints the screen
# if the shell has no prompt then, or a status but 0. ^C ends with status 130.
paste() {
	wanted=0
	# On an empty screen each prompt is a new one.
	t send-keys -R -t "$shell_pane" \; clear-history -t "$shell_pane"
	t send-keys -t "$shell_pane" -l -- "$1" \; send-keys -t "$shell_pane" Enter
	case $1 in
	'muxbus top'*)
		paste_shows '^ +PANE +WHERE' || echo 'top shows no panes'
		t send-keys -t "$shell_pane" q
		;;
	'muxbus watch'*)
		paste_shows ' window_renamed ' || echo 'watch shows no event'
		t send-keys -t "$shell_pane" C-c
		wanted='(0|130)'
		;;
	*'"subscribe"'*)
		paste_shows '"method":"event"' || echo 'no event comes'
		t send-keys -t "$shell_pane" C-c
		wanted=130
		;;
	esac
	paste_shows '^(\^C)?<[0-9]+>' || echo 'the prompt does not come back'
	paste_screen | grep -q -E "^(\^C)?<$wanted>" || paste_screen
}
