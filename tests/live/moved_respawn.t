#!/bin/sh
# SPDX-License-Identifier: ISC
# tmux keeps the output of a pane for each control client that has not taken all of it, also when the window of the
# pane has moved to a session that the client does not show. tmux up to 3.7c dies when such a pane is respawned. The
# output of a pane comes in control mode while the user has piped the pane.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
MUXBUS_TEST_ATTACH=used
start 'exec sleep 3600'
t new-session -d -s other 'exec sleep 3600'
server=$(t display-message -p '#{pid}')

# follow COMMAND...: a subscriber has the lines of a new pane, which the command pipes or not.
follow() {
	pane=$(t new-window -d -P -F '#{pane_id}' -t main: 'exec cat')
	"$@"
	"$MUXBUS_BUILDDIR/muxbus" -S "$dir/tmux" watch line -p "$pane" --json >"$dir/lines" 2>/dev/null &
}
# comes WORD: the word is typed until the subscriber has it. tmux has written all output then.
comes() {
	t send-keys -t "$pane" "$1" Enter 2>/dev/null
	grep -qF "$1" "$dir/lines" && echo yes
}
attached() { call status '{}' && field .result.tmux.attached; }

# Without a client of tmux the daemon does not see that a pane moves. A respawned pane is not a closed one.
follow true
until_is 'a pane is followed by a pipe' yes comes begun
t break-pane -d -s "$pane" -t other: 2>/dev/null || t move-window -s "$pane" -t other:
t respawn-pane -k -t "$pane" 'exec cat'
until_is 'and when its window has moved' yes comes moved
t join-pane -d -s "$pane" -t main:0 \; respawn-pane -k -t "$pane" 'exec cat'
until_is 'and when it was joined to another window' yes comes joined
t break-pane -d -s "$pane" \; respawn-pane -k -t "$pane" 'exec cat'
until_is 'and when it left it' yes comes broken
is 'without a client' "$(attached)" false

follow eval 't pipe-pane -O -t "$pane" "exec cat >/dev/null"'
until_is 'a pane with a pipe of the user is followed in control mode' true attached
for to in other main other; do
	t respawn-pane -k -t "$pane" 'exec cat' 2>/dev/null
	until_is 'the pane is followed' yes comes "before-$to"
	t move-window -s "$pane" -t "$to:" 2>/dev/null
	until_is 'and when it has moved' yes comes "behind-$to"
done
# Nor is a pane closed that was respawned at once where it moved to: its old process has ended.
for round in 1 2 3 4 5 6; do
	t join-pane -d -s "$pane" -t main:0 \; respawn-pane -k -t "$pane" 'exec cat' 2>/dev/null
	until_is 'the pane is followed when it was joined to another window' yes comes "joined-$round"
	t break-pane -d -s "$pane" \; respawn-pane -k -t "$pane" 'exec cat' 2>/dev/null
	until_is 'and when it left it' yes comes "broken-$round"
done
t respawn-pane -k -t "$pane" 'exec cat' 2>/dev/null
until_is 'the pane is followed at last' yes comes last
is 'and tmux lives' "$(t display-message -p "#{pid}" 2>&1)" "$server"
done_testing
