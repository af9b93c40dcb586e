#!/bin/sh
# SPDX-License-Identifier: ISC
# Requests that change something, while tmux is late: see late_tmux.py. MUXBUS_LATE_SEC says how
# long each tmux is asked.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
need_python
late=$(mktemp)
printf '\0\0\0\0' >"$late"

# late TMUX ATTACH HOW
late() {
	eval "t() { '$1' -S \"\$dir/tmux\" -f /dev/null \"\$@\"; }"
	MUXBUS_TEST_ATTACH=$2
	export LATE_CLOCK="$late" LD_PRELOAD=
	[ "$3" = stops ] || LD_PRELOAD=$MUXBUS_BUILDDIR/tests/live/.libs/late_clock.so
	start 'exec sleep 3600'
	LD_PRELOAD=
	ln -s "$late" "$dir/late"
	t set-option -g automatic-rename off
	t new-window -d -n zoom 'exec sleep 3600'
	t split-window -d -t main:zoom 'exec sleep 3600'
	t new-window -d -n split 'exec sleep 3600'
	t new-window -d -n picture 'echo a picture; exec sleep 3600'
	t new-window -d -n typed "stty -echo; exec cat >$dir/typed"
	t new-window -d -n mouse "stty raw -echo; printf '\\033[?1000h\\033[?1006h'; exec cat >$dir/mouse"
	until_is 'programs are there' 'sleep sleep sleep sleep sleep cat cat' eval 't list-panes -s -F "#{pane_current_command}" | xargs'
	/usr/bin/python3 -B -W error "$MUXBUS_SRCDIR/tests/live/late_tmux.py" "$1" "$dir" "$(t display-message -p '#{pid}')" \
		"$3" "${MUXBUS_LATE_SEC:-4}" >"$dir/answer"
	echo "# $(t -V), attach=$2, $3: $(cut -c 1-3000 "$dir/answer")"
	is 'each answer is what tmux is and has done' "$(field .count)" 0
	finish
}

for tmux_path in "$(command -v tmux)" "${MUXBUS_TMUX_CACHE:-$MUXBUS_SRCDIR/tests/cache}"/tmux-*; do
	is_tested "$tmux_path" || continue
	late "$tmux_path" always stops
	case $("$tmux_path" -V) in
	'tmux 3.'[0-6]*) continue ;; # no format is given up
	esac
	# tmux cannot load what is built with sanitizers.
	LD_PRELOAD=$MUXBUS_BUILDDIR/tests/live/.libs/late_clock.so "$tmux_path" -V >/dev/null 2>&1 || continue
	late "$tmux_path" never jumps
	late "$tmux_path" always jumps
done
rm -f "$late"
end_testing
