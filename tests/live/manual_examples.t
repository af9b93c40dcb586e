#!/bin/sh
# SPDX-License-Identifier: ISC
# The examples of muxbus-protocol(7) are run, and print what the page says. An example is a
# literal display behind the comment "example"; in it "$ " and "> " begin typed lines, the
# rest is output, and "..." matches any text.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
# make writes the page into the build folder; a release has it.
page=$MUXBUS_BUILDDIR/src/daemon/muxbus-protocol.7
[ -e "$page" ] || page=$MUXBUS_SRCDIR/src/daemon/muxbus-protocol.7
start 'exec sh'

# A line typed before the first prompt is echoed above it, and its output stands behind it.
prompts() {
	t capture-pane -p -t main: | grep -c '[#$] *$' || :
}
until_is 'the shell is ready' 1 prompts

# Each example as two files: N.sh and N.want.
awk -v dir="$dir" '
	/^\.\\" example/ { wanted = 1; next }
	/^\.Bd/ && wanted { n++; inside = 1; wanted = 0; next }
	/^\.Ed/ { inside = 0; next }
	!inside { next }
	{ gsub(/\\e/, "\\"); gsub(/\\-/, "-"); gsub(/\\&/, "") }
	/^[$>] / { print substr($0, 3) > (dir "/" n ".sh"); next }
	{ print > (dir "/" n ".want") }
' "$page"

# matches GOT WANT: a line of WANT is a pattern whose only wildcard is "...".
matches() {
	awk -v want="$2" '
		function fits(line, pattern, n, part, i, at) {
			n = split(pattern, part, /\.\.\./)
			if (n == 1)
				return line == pattern
			if (substr(line, 1, length(part[1])) != part[1])
				return 0
			line = substr(line, length(part[1]) + 1)
			for (i = 2; i < n; i++) {
				at = index(line, part[i])
				if (at == 0)
					return 0
				line = substr(line, at + length(part[i]))
			}
			return length(line) >= length(part[n]) &&
				substr(line, length(line) - length(part[n]) + 1) == part[n]
		}
		{
			if ((getline pattern < want) <= 0 || !fits($0, pattern)) {
				print "# got: " $0
				print "# want: " pattern
				bad = 1
				exit
			}
		}
		END {
			if (!bad && (getline pattern < want) > 0)
				bad = 1
			exit bad
		}' "$1"
}

ok 'there are examples' test -e "$dir/1.sh"
number=1
cd "$dir" || exit 99
while [ -e "$dir/$number.sh" ]; do
	timeout 60 sh "$dir/$number.sh" >"$dir/$number.got" 2>&1
	[ -e "$dir/$number.want" ] || : >"$dir/$number.want"
	ok "example $number: $(head -n 1 "$dir/$number.sh" | tr -d '#')" matches "$dir/$number.got" "$dir/$number.want"
	number=$((number + 1))
done

# Those of muxbusd(8): the daemon runs already, answers, and ends.
sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE/p' "$MUXBUS_SRCDIR/src/daemon/muxbusd.8" |
	awk '/^\.Bd/ { block = 1; next } /^\.Ed/ { block = 0 } block' >"$dir/daemon.sh"
TMUX="$dir/tmux,1,0" PATH="$MUXBUS_BUILDDIR:$PATH" timeout 60 sh -e "$dir/daemon.sh" >"$dir/daemon.got" 2>&1
is 'the examples of muxbusd(8) work' "$? $(sed 1d "$dir/daemon.got" | jq -c '[(.result | objects | has("pid")), .error]')" \
	"0 $(printf '%s\n' '[true,null]' '[false,null]')"
until_is 'and the last one ends the daemon' gone sh -c "kill -0 $daemon_pid 2>/dev/null || echo gone"
done_testing
