#!/bin/sh
# SPDX-License-Identifier: ISC
# The packages of contrib/debian, by `make check-debian`, as root. They are built in a minimal
# root, which proves their Build-Depends. In another one they are installed, an ordinary user pastes
# README's session in tmux, and the packages are purged.

. "${MUXBUS_SRCDIR:-.}/tests/check.sh"
. "${MUXBUS_SRCDIR:-.}/tests/paste.sh"
packages=$builddir/debian
cd "$srcdir" || exit 99

# apt ARGUMENT...: apt-get; all that it says, if it fails.
apt() {
	DEBIAN_FRONTEND=noninteractive apt-get -y "$@" >/tmp/apt.log 2>&1 || tail -n 30 /tmp/apt.log
}

# ---- in a root: build ----------------------------------------------------------------

if [ "${1:-}" = build ]; then
	builddir=$2
	wrong=$(apt update && apt --no-install-recommends build-dep ./contrib)
	[ -z "$wrong" ] || { echo "$wrong" && exit 1; }
	DEB_BUILD_OPTIONS=nocheck exec contrib/debian/build "$builddir"
fi

# ---- in another root: install, play, purge ------------------------------------------------

# All files but those that apt and dpkg keep for themselves.
files() {
	find / -xdev \( -path "$srcdir" -o -path /tmp -o -path /var/cache -o -path /var/lib/apt \
		-o -path /var/lib/dpkg -o -path /var/log -o -path /run \) -prune -o -print | sort
}

# The tmux of an ordinary user, in a home that is new.
t() {
	runuser -u tester -- env -i -C /home/tester HOME=/home/tester USER=tester SHELL=/bin/bash \
		TERM=xterm-256color LANG=C.UTF-8 PATH="$PATH" tmux "$@"
}

# README's session, as the user pastes it; then a job in a second pane, whose end wakes its reader:
# `muxbus follow`, which plugins of agents run.
play_readme() {
	check 'a user starts tmux' "$(t new-session -d -x 80 -y 24 "$(paste_shell)" 2>&1)"
	shell_pane=%0
	session_lines >/tmp/lines
	check 'README has a session' "$([ "$(grep -c -E '^(muxbus|ask)' /tmp/lines)" -ge 15 ] || cat /tmp/lines)"
	while IFS= read -r line <&3; do
		check "$line" "$(paste "$line")"
	done 3</tmp/lines
	paste 'muxbus run_long_command command="sleep 1; exit 3"' >/tmp/said
	t send-keys -t %0 'muxbus follow' Enter
	check "a job that ends wakes its reader, $(($(date +%s) - began)) s after apt-get install began" \
		"$(paste_shows '^\[muxbus .* exit 3' || cat /tmp/said)"
	check 'in less than two minutes' "$([ $(($(date +%s) - began)) -lt 120 ] || echo 'later')"
	t send-keys -t %0 C-c
	check 'muxbusd ends' "$(paste 'muxbus shutdown')"
	check 'and so does tmux' "$(t kill-server)"
}

if [ "${1:-}" = install ]; then
	shift
	wrong=$(apt update)
	check 'apt knows its packages' "$wrong"
	useradd --create-home tester
	files >/tmp/before
	began=$(date +%s)
	check 'apt install ./*.deb' "$(apt install "$@")"
	check 'files are installed' "$(files | diff -q /tmp/before - >/dev/null && echo none)"
	check 'no package depends on one that is missing' "$(dpkg --audit && apt-get check 2>&1 >/dev/null)"
	play_readme
	rm -r /home/tester/.local /home/tester/pane.svg
	check 'apt remove' "$(apt remove muxbus muxbus-nats libmuxbus0)"
	check 'no program is left' "$(find /usr/bin /usr/lib /usr/libexec -name '*muxbus*')"
	check 'dpkg --purge' "$(dpkg --purge muxbus muxbus-nats libmuxbus0 libmuxbus-dev 2>&1 >/dev/null | grep -v "isn't installed")"
	check 'apt autoremove --purge' "$(apt autoremove --purge)"
	check 'and no file is left' "$(files | diff /tmp/before -)"
	done_checking
fi

# ---- outside ----------------------------------------------------------------------------

need lintian mmdebstrap unshare
[ "$(id -u)" = 0 ] || skip_all 'not root'
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

.ci/run tests/debian.t build "$builddir" >"$work/log" 2>&1
status=$?
[ "$status" != 77 ] || skip_all "$(tail -n 1 "$work/log")"
check 'contrib/debian/build succeeds in a root with its Build-Depends' \
	"$([ "$status" = 0 ] || tail -n 40 "$work/log")"
for package in muxbus muxbus-nats libmuxbus0 libmuxbus-dev; do
	check "there is $package" "$(ls "$packages/${package}_"*.deb 2>&1 >/dev/null)"
done
check 'lintian has nothing to say' \
	"$(lintian --allow-root --display-info "$packages"/*.changes 2>&1)"
.ci/run tests/debian.t install "$packages"/*.deb >"$work/log" 2>&1
grep -E '^(not )?ok|^#  ' "$work/log" | sed "s/^\(\(not \)\{0,1\}ok\) [0-9]* - /\1 - in the root: /"
inside=$(grep -c -E '^(not )?ok' "$work/log")
checks=$((checks + inside))
check 'the packages were tried to the end' "$(grep -q '^1\.\.' "$work/log" || tail -n 40 "$work/log")"
grep -q '^not ok' "$work/log" && failed=1

done_checking
