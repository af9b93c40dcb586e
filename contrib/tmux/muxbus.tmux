#!/bin/sh
# SPDX-License-Identifier: ISC
# A plugin for tmux: starts muxbusd for the tmux server that runs this, and makes a segment
# for the status line. Add it to tmux.conf, or let TPM find it (see README):
#
#	run-shell -b /path/to/contrib/tmux/muxbus.tmux
#	set -g status-right '#{E:@muxbus_status} %H:%M'
#
# Reads and sets only its own options:
#
#	@muxbus_daemon     the program to start; default muxbusd; "none": start nothing
#	@muxbus_options    more options besides --exit-with-server, such as "-o quiet_ms=500"
#	@muxbus_restore    "on": restore the saved sessions, by muxbus restore
#	@muxbus_status     set here: "2 running, 1 pending"; empty if both are zero
here=$(cd "$(dirname "$0")" && pwd -P) || exit 1

# Use the program of the server itself: another version, such as a new one after an upgrade,
# may not be compatible.
server=${TMUX#*,}
tmux=/proc/${server%%,*}/exe
[ -x "$tmux" ] || tmux=tmux
tmux() {
	command "$tmux" "$@"
}

# The name of the folder passes through tmux's formats and a shell. If it contains special
# characters of either, there is no segment.
case $here in
*[!A-Za-z0-9/._+@-]*) # nor is it safe in a message
	tmux display-message 'muxbus: special characters in the path of the plugin: no status segment'
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
# The options are words, not patterns. Do not wait for the daemon, since tmux may still read
# its configuration; it logs itself if another one runs already.
set -f
# shellcheck disable=SC2046
"$daemon" --exit-with-server $(tmux show-options -gqv @muxbus_options) </dev/null >/dev/null 2>&1 &

[ "$(tmux show-options -gqv @muxbus_restore)" = on ] || exit 0
if ! command -v muxbus >/dev/null; then
	tmux display-message 'muxbus is not in the PATH of tmux: no session is restored'
	exit 0
fi
muxbus -S "${TMUX%%,*}" restore </dev/null >/dev/null 2>&1 &
