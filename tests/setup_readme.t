#!/bin/sh
# SPDX-License-Identifier: ISC
# contrib/setup as README runs it: in any order, again, with and without a tmux server
# of the user's own, inside and outside tmux, as a plain user with sudo.
#
# The checkout has stand-ins for autogen.sh, configure and the tests, so that a run takes a
# second; muxbusd and tmux are real. apt-get and sudo are stand-ins that record their
# arguments.

builddir=${MUXBUS_BUILDDIR:-.}
srcdir=${MUXBUS_SRCDIR:-.}
for program in tmux socat make jq; do
	command -v $program >/dev/null || { echo "1..0 # SKIP $program is not installed"; exit 0; }
done
[ -x "$builddir/muxbusd" ] || { echo '1..0 # SKIP muxbusd is not built'; exit 0; }

dir=$(mktemp -d /tmp/mbt-XXXXXX) || exit 99
checks=0
failed=0

# ok NAME COMMAND...
ok() {
	name=$1
	shift
	checks=$((checks + 1))
	if "$@"; then
		echo "ok $checks - $name"
	else
		echo "not ok $checks - $name"
		[ ! -e "$dir/said" ] || sed 's/^/# /' "$dir/said" | cut -c 1-200
		failed=$((failed + 1))
	fi
}
# is NAME GOT WANT
is() {
	ok "$1" [ "$2" = "$3" ]
	[ "$2" = "$3" ] || printf '%s\n' "got: $2" "want: $3" | sed 's/^/# /'
}
skip() { # skip NAME REASON
	checks=$((checks + 1))
	echo "ok $checks - $1 # SKIP $2"
}

# Ends all tmux servers and daemons of the test.
end_servers() {
	for socket in "$dir"/*/tmp/tmux-*/*.muxbus; do
		echo '{"method":"shutdown"}' | socat -t 10 - "UNIX-CONNECT:$socket" >/dev/null 2>&1
	done
	for socket in "$dir"/*/tmp/tmux-*/*; do
		while [ -S "$socket" ] && tmux -S "$socket" kill-server 2>/dev/null; do
			sleep 0.02
		done
	done
}
finish() {
	end_servers
	rm -rf "$dir"
}
trap finish EXIT
trap 'exit 99' INT TERM

# make_home FOLDER: the place of all files of tmux and muxbusd.
make_home() {
	mkdir -p "$1/tmp" && chmod 700 "$1/tmp" || exit 99
	export HOME="$1" TMUX_TMPDIR="$1/tmp" XDG_STATE_HOME="$1" XDG_CONFIG_HOME="$1" XDG_RUNTIME_DIR="$1"
}

# make_checkout FOLDER: contrib/setup, with one package more that no machine has.
make_checkout() {
	mkdir -p "$1/contrib" "$1/tests/cache" "$1/bin" && : >"$1/tests/cache/tmux-0" || exit 99
	sed '/^autoconf	/a muxbus-none	cmd muxbus-none		check' "$srcdir/contrib/setup" >"$1/contrib/setup"
	: >"$1/configure.ac"
	: >"$1/Makefile.am"
	cat >"$1/autogen.sh" <<-END
		#!/bin/sh
		: >Makefile.in
		cp project configure
		chmod +x configure
	END
	cat >"$1/project" <<-END
		#!/bin/sh
		printf '#!/bin/sh\nexec "%s" "\$@"\n' "$(cd "$builddir" && pwd)/muxbusd" >muxbusd
		chmod +x muxbusd
		mkdir tests
		: >tests/one.log
		cp ../stand-in Makefile
	END
	# The first try of `check` fails if a certain file exists.
	cat >"$1/stand-in" <<-'END'
		all:
		check: all; $(if $(TESTS),echo ":test-result: $(RESULT)" >tests/one.trs; [ $(RESULT) = PASS ])
		TESTS = one
		recheck:; echo ':test-result: PASS' >tests/one.trs
		RESULT = $(if $(wildcard ../unsteady),FAIL,PASS)
	END
	for program in apt-get sudo; do
		printf '#!/bin/sh\necho "%s $*" >>"%s"\n' $program "$1/asked" >"$1/bin/$program"
	done
	echo 'exec "$@"' >>"$1/bin/sudo"
	chmod +x "$1"/bin/* "$1/autogen.sh" "$1/contrib/setup"
}

# setup ARGUMENT...: the commands of README, in the checkout. Their output is in $dir/said.
setup() {
	(cd "$checkout" && PATH="$checkout/bin:$PATH" timeout 120 $as_user ./contrib/setup "$@") \
		>"$dir/said" 2>&1 </dev/null
}
starts() { # starts NAME: ./contrib/setup starts the daemon, or finds it
	setup
	is "$1" "$? $(grep -c '^{.*"result":' "$dir/said")" '0 1'
}
tests() { # tests NAME: ./contrib/setup check does, and runs the tests
	setup check
	is "$1" "$? $(grep -c '^{.*"result":' "$dir/said") $(tail -n 1 "$dir/said")" \
		'0 1 2 passed, 0 failed, 0 skipped'
}
said() { # said TEXT: the last run did
	grep -q -F -- "$1" "$dir/said"
}

unset CI TMUX TMUX_PANE MUXBUS
export SHELL=/bin/sh # the user nobody has no shell
as_user=
checkout=$dir/checkout
make_checkout "$checkout"
make_home "$dir/home"
ok 'README has the command' grep -q '^  \./contrib/setup ' "$srcdir/README"
ok 'and that for the tests' grep -q '^	\./contrib/setup check' "$srcdir/README"

# Without a server.
starts 'setup'
ok 'starts a server' said 'starting a tmux server'
is 'asks apt-get for no package of the tests' "$(cat "$checkout/asked" 2>/dev/null | grep -c muxbus-none)" 0
tests 'then check'
ok 'finds the server' said 'that of an earlier run'
ok 'and the daemon' said 'muxbusd already runs'
ok 'installs the packages of the tests' grep -q 'apt-get install .*muxbus-none' "$checkout/asked"
tests 'check again'
starts 'setup again'
is 'one session is there' "$(tmux -L muxbus list-sessions | wc -l)" 1
kill -9 "$(echo '{"method":"status"}' |
	socat -t 10 - "UNIX-CONNECT:$TMUX_TMPDIR/tmux-$(id -u)/muxbus.muxbus" | jq .result.pid)"
tests 'check after a kill of the daemon'
ok 'starts the daemon' said 'starting muxbusd'
kill -9 "$(tmux -L muxbus display-message -p '#{pid}')"
starts 'setup after a kill of the tmux server'
ok 'starts the server' said 'starting a tmux server'
ok 'and finds the daemon' said 'muxbusd already runs'
end_servers
tests 'check without a server'
starts 'then setup'
end_servers
CI=true tests 'check on a machine of CI'
ok 'leaves no server' sh -c '! tmux -L muxbus has-session 2>/dev/null'

# With a server of the user's own.
tmux -f /dev/null new-session -d -s own -x 80 -y 24 || exit 99
own=$(tmux display-message -p '#{socket_path}')
starts 'setup beside a server of the user'
ok 'uses the existing server' said "the default one, $own"
tests 'then check'
starts 'then setup'
ok 'no other server is there' sh -c '! tmux -L muxbus has-session 2>/dev/null'

# in_pane ARGUMENT...: setup in a window of that server, with its terminal as input.
in_pane() {
	tmux new-window -d -t own: "cd '$checkout' && PATH='$checkout/bin:$PATH'
		./contrib/setup $* >'$dir/said' 2>&1; echo \$? >'$dir/status'; tmux wait-for -S setup-ended"
	timeout 120 tmux wait-for setup-ended
	echo "$(cat "$dir/status") $(grep -c '^{.*"result":' "$dir/said")"
}
is 'inside tmux: setup' "$(in_pane)" '0 1'
ok 'takes its server' said "that of this terminal, $own"
is 'check' "$(in_pane check) $(tail -n 1 "$dir/said")" '0 1 2 passed, 0 failed, 0 skipped'
is 'check again' "$(in_pane check) $(tail -n 1 "$dir/said")" '0 1 2 passed, 0 failed, 0 skipped'
is 'setup again' "$(in_pane)" '0 1'
ok 'the windows of the user are there' [ "$(tmux list-windows -t own | wc -l)" = 1 ]

# In a terminal that has outlived its server.
end_servers
export TMUX="$own,1,0"
starts 'setup after the end of the server of this terminal'
ok 'reports it' said 'the tmux server of this terminal has ended'
tests 'then check'
unset TMUX
end_servers

# A test that needs a second try is named.
: >"$checkout/unsteady"
tests 'tests that pass at the second try'
is 'are counted and named before the closing line' "$(tail -n 2 "$dir/said" | head -n 1)" \
	'setup: 2 tests needed a second try: build/tests/one build-san/tests/one'
rm "$checkout/unsteady"
tests 'tests that pass at the first try'
ok 'are not' sh -c "! grep -q 'second try' '$dir/said'"
end_servers

# As a plain user with sudo.
is_user() {
	[ "$(id -u)" != 0 ] && return
	as_user='setpriv --reuid=65534 --regid=65534 --clear-groups'
	chmod 755 "$dir"
	$as_user test -x "$builddir/muxbusd" 2>/dev/null
}
if is_user; then
	checkout=$dir/users
	make_checkout "$checkout"
	make_home "$dir/nobody"
	[ -z "$as_user" ] || chown -R 65534:65534 "$checkout" "$HOME"
	starts 'as a plain user: setup'
	tests 'then check'
	ok 'installs by sudo' grep -q 'sudo .*apt-get install .*muxbus-none' "$checkout/asked"
	tests 'check again'
	starts 'setup again'
	chmod -R a-w "$checkout"
	rm -f "$dir/said"
	setup check
	is 'a checkout that cannot be written fails' "$? $(tail -n 1 "$dir/said")" '1 0 passed, 1 failed, 0 skipped'
	ok 'and reports it' said 'cannot be written'
	chmod -R u+w "$checkout"
else
	skip 'as a plain user' 'no setpriv, or the build folder is closed to others'
fi

echo "1..$checks"
[ $failed -eq 0 ]
