#!/bin/sh
# SPDX-License-Identifier: ISC
# A plugin for tmux: starts muxbusd for the server that reads it, and makes a piece for the
# status line. Say in tmux.conf, or let TPM find it (see README):
#
#	run-shell -b /path/to/contrib/tmux/muxbus.tmux
#	set -g status-right '#{E:@muxbus_status} %H:%M'
#
# Options of its own, and no others, are read and set:
#
#	@muxbus_daemon     the program to start; default muxbusd; "none": start nothing
#	@muxbus_options    its options beside --exit-with-server, such as "-o quiet_ms=500"
#	@muxbus_status     set here: "2 running, 1 pending"; nothing if there is nothing
here=$(cd "$(dirname "$0")" && pwd -P) || exit 1

# The tmux that the server itself is: another version may not get along with it, such as the
# new one after an upgrade.
server=${TMUX#*,}
tmux=/proc/${server%%,*}/exe
[ -x "$tmux" ] || tmux=tmux
tmux() {
	command "$tmux" "$@"
}

# The name of the folder goes through tmux's formats and a shell: where it holds what either
# would take for more than a name, there is no piece.
case $here in
*[!A-Za-z0-9/._+@-]*) # it would do the same in a message
	tmux display-message 'muxbus: there are odd characters in the name of its folder: no status piece'
	;;
*) tmux set-option -g @muxbus_status "#(exec $here/status '#{status-interval}')" ;;
esac

daemon=$(tmux show-options -gqv @muxbus_daemon)
: "${daemon:=muxbusd}"
[ "$daemon" != none ] || exit 0
if ! command -v "$daemon" >/dev/null; then
	tmux display-message 'muxbus: the daemon is not installed, or not in the PATH of tmux'
	exit 0
fi
# Its options are words, not patterns. It says itself that it runs already, and is not waited
# for: tmux may still be reading its configuration.
set -f
# shellcheck disable=SC2046
"$daemon" --exit-with-server $(tmux show-options -gqv @muxbus_options) </dev/null >/dev/null 2>&1 &
