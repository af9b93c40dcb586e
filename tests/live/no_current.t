#!/bin/sh
# SPDX-License-Identifier: ISC
# tmux up to 3.5a can leave a session of a group without a current window, and then dies by any target in that session:
# muxbusd lists the session by a filter instead, so tmux lives, and the answer says what tmux lists.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
MUXBUS_TEST_ATTACH=used
start 'exec sleep 3600'

t move-window -s main:0 -t main:5
t new-window -d -t main:6 'exec sleep 3600'
t new-window -d -t main:7 'exec sleep 3600'
t new-session -d -s second -t main
t select-window -t second:6
t select-window -t second:5
t new-session -d -s other 'exec sleep 3600' # a target that is left out is in the newest session
call list_panes '{}'
pid=$(t display-message -p -t main:7 '#{pane_pid}')
t move-window -r -t main
t kill-window -t main:2
tries=500
while kill -0 "$pid" 2>/dev/null && [ $((tries -= 1)) -gt 0 ]; do sleep 0.01; done
call ping '{}' # muxbusd has seen the end of the program, so it lists the sessions of its window
call get_pane '{"pane":"%0","max_age_ms":0}'
is 'the index of the window is the new one' "$(field .result.window_index)" 0
is 'tmux lives' "$(t display-message -p up)" up
done_testing
