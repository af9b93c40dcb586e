#!/bin/sh
# SPDX-License-Identifier: ISC
# Every byte of panes that are followed by pipes, while users pipe, respawn, move and kill them: see byte_walk.py.
# MUXBUS_BYTE_STEPS says how many commands, MUXBUS_REST_TMUX of which tmux; MUXBUS_TEST_SEED repeats a run.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
need_python
MUXBUS_TEST_ATTACH=used
program=${MUXBUS_REST_TMUX:-$(command -v tmux)}
start 'exec sleep 3600'
t kill-server # the walk has servers of its own
PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 "$MUXBUS_SRCDIR/tests/live/byte_walk.py" \
	"$program" "$dir/tmux" "${MUXBUS_BYTE_STEPS:-120}" "$(ask '{"method":"status"}' | jq .result.pid)" >"$dir/answer"
echo "# $(cat "$dir/answer")"
is 'each byte comes once and in order, or a gap says that some are missing, and tmux lives' "$(field '.wrong | length')" 0
is 'many were read' "$(field '.counts.bytes > 100000')" true
done_testing
