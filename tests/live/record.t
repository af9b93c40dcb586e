#!/bin/sh
# SPDX-License-Identifier: ISC
# muxbus screenshot and muxbus record on a real tmux: pictures in files, recordings that play.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
start "printf 'in \\033[32mgreen\\033[0m'; exec cat"
muxbus="$MUXBUS_BUILDDIR/muxbus -S $dir/tmux"

status() { # status COMMAND...: its exit status; what it says is in $dir/said
	"$@" >"$dir/out" 2>"$dir/said"
	echo $?
}
shows() { # shows WINDOW TEXT
	t capture-pane -p -t "main:$1" | grep -q -F -- "$2" && echo yes || echo no
}
lines() { # lines FILE: how many it has by now
	cat "$1" 2>/dev/null | wc -l
}
until_is 'the pane is ready' yes shows 0 'in green'

# Pictures.
$muxbus screenshot %0 >"$dir/a.svg"
ok 'a picture on standard output' grep -q "fill='#8cc570'>green</text>" "$dir/a.svg"
is 'in a file' "$(status $muxbus screenshot main:0 -o "$dir/b.svg")" 0
ok 'the same' cmp -s "$dir/a.svg" "$dir/b.svg"
is 'a name says what it is' "$(status $muxbus screenshot %0 -o "$dir/b.html")" 0
ok 'such as HTML' grep -q '^<!DOCTYPE html>$' "$dir/b.html"
is 'with a title, on light ground, one line' "$(status $muxbus screenshot %0 --theme=light -t 'a & b' -n 1)" 0
ok 'as it was asked for' grep -q "height='60'.*fill='#2a2e37'" "$dir/out"
ok 'and its bar' grep -q 'r=.5.5' "$dir/out"
is '--json gives the result' "$($muxbus screenshot %0 --json | jq -r '.format + " " + (.rows | tostring)')" 'svg 24'
is 'what it cannot be is wrong usage' "$(status $muxbus screenshot %0 -f gif)" 2
mkdir "$dir/tmp"
is 'a name that is of no picture too' "$(status $muxbus screenshot %0 -o "$dir/b.bmp") $(ls "$dir/b.bmp" 2>/dev/null)" '2 '
is 'unless the format is given' "$(status $muxbus screenshot %0 -f svg -o "$dir/b.txt")" 0
is 'PNG needs a program' "$(status env PATH=/none TMPDIR="$dir/tmp" $muxbus screenshot %0 -f png)" 1
ok 'which is named' grep -q 'rsvg-convert (Debian: librsvg2-bin) or chromium' "$dir/said"
if command -v rsvg-convert >/dev/null; then
	is 'and then works' "$(status env TMPDIR="$dir/tmp" $muxbus screenshot %0 -o "$dir/b.png")" 0
	is 'it is PNG' "$(head -c 4 "$dir/b.png" | tail -c 3)" PNG
	TMPDIR="$dir/tmp" $muxbus screenshot %0 -f png >"$dir/c.png"
	ok 'also to standard output' cmp "$dir/b.png" "$dir/c.png"
	# Cut where a name of a file of its own no longer fits, this is the folder itself.
	long=$dir/long/$(printf "%0$((249 - ${#dir}))d" 0)
	mkdir -p "$long"
	: >"$long/kept"
	is 'a folder with too long a name is no place' "$(status env TMPDIR="$long" $muxbus screenshot %0 -f png)" 1
	ok 'which is said' grep -q 'temporary files: File name too long' "$dir/said"
	ok 'and keeps its files' test -e "$long/kept"
else
	ok 'a picture in PNG # SKIP no rsvg-convert' true
fi
is 'no file is left behind' "$(ls "$dir/tmp")" ''
is 'so is text' "$(status $muxbus screenshot %0 -f text)" 2
is 'and a second pane' "$(status $muxbus screenshot %0 %1)" 2
is 'a pane that is not there is no' "$(status $muxbus screenshot %77)" 1
is 'nor is a file that cannot be written' "$(status $muxbus screenshot %0 -o "$dir/none/x.svg")" 1
ok 'which is named' grep -q 'none/x.svg: No such file' "$dir/said"
if [ -w /dev/full ]; then
	is 'a full disk is said' "$(status $muxbus screenshot %0 -o /dev/full)" 1
fi

# What is remembered: nothing yet, so that what the pane shows stands for it.
$muxbus record %0 >"$dir/a.cast"
is 'a recording has a header' "$(head -n 1 "$dir/a.cast" | jq -c '[.version, .width, .height]')" '[2,80,24]'
ok 'and what was on the screen' grep -q 'green' "$dir/a.cast"
is 'at time 0' "$(sed 1d "$dir/a.cast" | jq '.[0]')" 0
ask '{"method":"read_output","params":{"pane":"%0"}}' >/dev/null
t send-keys -t main:0 first Enter
until_is 'something is typed' 2 sh -c "$(command -v tmux) -S $dir/tmux capture-pane -p -t main:0 | grep -c first"
until_is 'and remembered' '"first\r\nfirst\r\n"' sh -c "$muxbus record %0 | sed 1d | jq -c '.[2]' | tail -n 1 | sed 's/.*green//; s/^\"*/\"/'"

# What comes.
$muxbus record %0 --follow -o "$dir/b.cast" &
recorder=$!
until_is 'a recording has begun' 2 lines "$dir/b.cast"
t send-keys -t main:0 -l "$(printf 'second \303\251')"
t send-keys -t main:0 Enter
has() { # has TEXT: the recording, by now
	grep -q -F -- "$1" "$dir/b.cast" && echo yes || echo no
}
until_is 'what is typed comes into it' yes has 'second é\r\n'
t resize-window -t main:0 -x 60 -y 20
until_is 'so does another size' yes has '"r","60x20"]'
t send-keys -t main:0 last Enter
until_is 'and what follows, with its echo' 2 sh -c "grep -o -F 'last\r\n' '$dir/b.cast' | wc -l"
kill -TERM $recorder
wait $recorder
is 'it ends in good order' $? 0
is 'all its lines are what they are to be' "$(sed 1d "$dir/b.cast" | jq -c 'select((length == 3 and (.[0] | type) == "number" and (.[1] | IN("o", "r")) and (.[2] | type) == "string") | not)')" ''
is 'time never goes back' "$(sed 1d "$dir/b.cast" | jq -s 'map(.[0]) | . == sort')" true
is 'nothing is there twice' "$(sed 1d "$dir/b.cast" | jq -rj 'select(.[1] == "o") | .[2]' | grep -c '^last')" 2

# It plays: what asciinema shows in the end is what the pane showed.
if command -v asciinema >/dev/null; then
	player=$(t new-window -d -P -F '#{pane_id}' -t main: -n player "asciinema cat $dir/b.cast; exec cat")
	t resize-window -t "$player" -x 60 -y 20
	until_is 'asciinema plays it' "$(t capture-pane -p -t main:0)" t capture-pane -p -t "$player"
else
	ok 'asciinema plays it # SKIP no asciinema' true
fi

# The end of the pane is the end of the recording.
$muxbus record %0 -f -o "$dir/c.cast" &
recorder=$!
until_is 'another one' 2 lines "$dir/c.cast"
other=$(t new-window -d -P -F '#{pane_id}' -t main: 'exec cat')
t send-keys -t main:0 C-d
wait $recorder
is 'ends with its pane' $? 0

# The end of the daemon is said, and what was recorded is whole.
$muxbus record "$other" -f -o "$dir/d.cast" 2>"$dir/said" &
recorder=$!
until_is 'a third' 2 lines "$dir/d.cast"
kill "$daemon_pid"
wait $recorder
is 'ends with the daemon' $? 3
ok 'which is said' grep -q 'muxbusd is gone' "$dir/said"
is 'and is whole' "$(jq -c 'type' "$dir/d.cast" | tr '\n' ' ')" '"object" "array" '
daemon_pid=

done_testing
