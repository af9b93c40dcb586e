#!/bin/sh
# SPDX-License-Identifier: ISC
# At rest every answer is true: after small batches of hundreds of random commands of others, get_pane,
# list_panes, list_windows and list_sessions say what tmux lists. The same while the daemon follows tmux. See
# rest_walk.py, also for MUXBUS_REST_MODES. MUXBUS_TEST_SEED repeats a run; MUXBUS_REST_STEPS says how many
# commands, MUXBUS_REST_TMUX of which tmux.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
need_python
MUXBUS_TEST_ATTACH=used
program=${MUXBUS_REST_TMUX:-$(command -v tmux)}
start 'exec sleep 3600'

t kill-server # the walk has servers of its own
for mode in ${MUXBUS_REST_MODES:-rest following}; do
	if [ "$mode" = without ] || [ "$mode" = plain ]; then
		kill "$daemon_pid" 2>/dev/null && wait "$daemon_pid"
	else
		kill -0 "$daemon_pid" 2>/dev/null || start_daemon
	fi
	MUXBUS_REST_MODE=$mode PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 "$MUXBUS_SRCDIR/tests/live/rest_walk.py" \
		"$program" "$dir/tmux" "${MUXBUS_REST_STEPS:-800}" >"$dir/answer"
	echo "# $mode: $(cat "$dir/answer")"
	case $mode in
	without) cp "$dir/answer" "$dir/alone" && export MUXBUS_REST_ALONE="$dir/alone" ;;
	rest | piped) is 'no more lives of tmux end than without muxbusd' "$(field '.is_more // false')" false ;;
	esac
	is 'no answer differs from what tmux says' "$(field '.wrong | length')" 0
	case $mode in without | plain) continue ;; esac
	is 'hundreds of answers were compared' "$(field '.asked >= 200')" true
	[ "$mode" != rest ] || is 'and the daemon was no client' "$(field .attached)" false
done
done_testing
