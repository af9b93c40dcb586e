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

# The examples of its other sections, but for those that tasks.t, rerun.t, completion.t, fleet.t and
# relay.t run, are no usage errors. The line for config.fish needs fish, and marks.t runs it there.
sed -n '1,/^\.Sh EXAMPLES/p' "$MUXBUS_SRCDIR/src/cli/muxbus.1" |
	awk '/^\.S[hs]/ { section = $0 } /^\.Bd/ { block = 1 } /^\.Ed/ { block = 0 }
		block && section !~ /TASKS|completion/ && !/--(fleet|host)|rerun|shell-init fish/ && /^muxbus / { sub(/ *#.*/, ""); print }' >"$dir/lines"
ok 'there are such examples' test "$(wc -l <"$dir/lines")" -gt 7
while IFS= read -r line; do
	eval "timeout 5 $line" >"$dir/out" 2>"$dir/err" </dev/null
	ok "$line" test "$?" != 2
	sed 's/^/# /' "$dir/err"
done <"$dir/lines"
rm -rf "$dir/.config/muxbus/on_notify" "$dir/.config/muxbus/hosts"

# The shell function of the help works as it is printed.
muxbus help mark | sed -n 's/^ *//; /^mark() {/,/^mark /p' >"$dir/mark.sh"
marked=$(muxbus create_window session=main command="sh" reports=token | jq -r .pane)
muxbus send "$marked" ". $dir/mark.sh" >/dev/null
reported() {
	muxbus list_events kinds=agent_reported | jq -c '.events[] | [.pane, .agent, .state]'
}
until_is 'the function of help mark reports' "[\"$marked\",\"claude\",\"busy\"]" reported

# No help has a control byte, and all end well.
muxbus help | sed -n 's/^  \([a-z_-]*\) .*/\1/p' | grep -v -x muxbus >"$dir/names"
echo 'agents conditions events machines methods tasks' | tr ' ' '\n' >>"$dir/names"
ok 'help has many names' test "$(wc -l <"$dir/names")" -gt 95
while IFS= read -r name; do
	muxbus help "$name" >"$dir/out" 2>&1 || echo "help $name: status $?"
	LC_ALL=C grep -a '[[:cntrl:]]' "$dir/out" >/dev/null && echo "help $name"
	[ -s "$dir/out" ] || echo "help $name is empty"
	case $name in
	agents | conditions | events | machines | methods | tasks) continue ;;
	esac
	muxbus "$name" --help >"$dir/out" 2>&1 || echo "$name --help: status $?"
	LC_ALL=C grep -a '[[:cntrl:]]' "$dir/out" >/dev/null && echo "$name --help"
	grep -q "^usage: muxbus $name" "$dir/out" || echo "$name --help has no usage"
done <"$dir/names" >"$dir/wrong"
muxbus help | LC_ALL=C grep -a '[[:cntrl:]]' >>"$dir/wrong"
is 'no help has a control byte' "$(cat "$dir/wrong")" ''

# Every verb has its place in the manual.
for verb in $(sed -n 's/^    {"\([a-z_-]*\)", VERB.*/\1/p' "$MUXBUS_SRCDIR/src/cli/verbs.c"); do
	[ "$verb" = complete ] ||
		ok "muxbus(1) tells of $verb" grep -q "^\.Ss $verb\$" "$MUXBUS_SRCDIR/src/cli/muxbus.1"
done

# The usage of a verb in muxbus(1) is that of its help.
if command -v mandoc >/dev/null; then
	mandoc -T ascii -O width=400 "$MUXBUS_SRCDIR/src/cli/muxbus.1" | sed 's/.\x08//g' | awk '
		/^   [a-z]/ { verb = $1; next }
		verb != "" && $1 == "muxbus" && $2 == verb && !/[.:]$|[.] / { print }
		NF > 0 { verb = "" }' | sed 's/ | /|/g; s/  */ /g; s/^ //' >"$dir/usages"
	ok 'verbs have a usage' test "$(wc -l <"$dir/usages")" -gt 20
	while read -r _ verb rest; do
		muxbus "$verb" --help | grep -q '^See: ' || is "usage of $verb" "$(muxbus "$verb" --help |
			sed -n '1s/^usage: muxbus //; 1s/ | /|/g; 1s/  */ /g; 1p')" "$verb${rest:+ $rest}"
	done <"$dir/usages"
fi
done_testing
