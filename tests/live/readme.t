#!/bin/sh
# SPDX-License-Identifier: ISC
# The session in README can be pasted: each line, as it stands, at the prompt of a shell in tmux.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
. "$MUXBUS_SRCDIR/tests/paste.sh"
PATH="$MUXBUS_BUILDDIR:$PATH"
export PATH
start "$(paste_shell)"
shell_pane=%0
is 'the shell has a prompt' "$(paste "cd $dir")" ''

session_lines >"$dir/session"
while IFS= read -r line <&3; do
	is "$line" "$(paste "$line")" ''
done 3<"$dir/session"
ok 'the session has many lines' [ "$(grep -c '^muxbus' "$dir/session")" -ge 12 ]
is 'and some for socat' "$(grep -c '^ask' "$dir/session")" 4
ok 'the picture is SVG' grep -q '^<svg ' "$dir/pane.svg"
ok 'no line of README is wider than 92 columns' [ "$(LC_ALL=C.UTF-8 wc -L <"$MUXBUS_SRCDIR/README")" -le 92 ]
ok 'a pane has one parameter name' sh -c "! grep -n 'pane_id\|target=' '$MUXBUS_SRCDIR/README'"
done_testing
