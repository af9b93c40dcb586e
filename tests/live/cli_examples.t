#!/bin/sh
# SPDX-License-Identifier: ISC
# The examples of muxbus(1) can be pasted: each line succeeds.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
start 'exec sh'
PATH="$MUXBUS_BUILDDIR:$PATH"
export PATH

sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE/p' "$MUXBUS_SRCDIR/src/cli/muxbus.1" |
	awk '/^\.Bd/ { block = 1; next } /^\.Ed/ { block = 0 } block' |
	sed -e 's/^\\&//' -e 's/\\e/\\/g' >"$dir/examples"
ok 'there are examples' test "$(wc -l <"$dir/examples")" -gt 10
while IFS= read -r line; do
	eval "$line" >"$dir/out" 2>"$dir/err" </dev/null
	is "$line" "$?" 0
	sed 's/^/# /' "$dir/err"
done <"$dir/examples"
is 'and prints its stated output' "$(muxbus --text capture_pane "$pane" | grep -c '^42$')" 1
is 'all of it' "$(muxbus get_job "$job" | jq -r '"\(.name) \(.exit_code)"')" 'nap 0'

# Every verb has its place in the manual.
for verb in $(sed -n 's/^    {"\([a-z]*\)", VERB.*/\1/p' "$MUXBUS_SRCDIR/src/cli/verbs.c"); do
	[ "$verb" = complete ] ||
		ok "muxbus(1) tells of $verb" grep -q "^\.Ss $verb\$" "$MUXBUS_SRCDIR/src/cli/muxbus.1"
done
done_testing
