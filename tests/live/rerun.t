#!/bin/sh
# SPDX-License-Identifier: ISC
# muxbus rerun on real files: each change runs the command once more, also one that comes while it
# runs, in a new folder, or in a folder that went and came back; and nothing is left behind.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
dir=$(mktemp -d /tmp/mbt-XXXXXX) || exit 99
trap 'kill "$rerun" 2>/dev/null; rm -rf "$dir"' EXIT
trap 'exit 99' INT TERM
unset MUXBUS MUXBUS_HOST MUXBUS_FLEET TMUX
muxbus=$MUXBUS_BUILDDIR/muxbus
cd "$dir" || exit 99
mkdir -p src/.git 'a b'
: >src/a.c

# begin ARGUMENT...: in the background, with an empty log.
begin() {
	: >log
	"$muxbus" rerun "$@" >log 2>err &
	rerun=$!
}
ends() { # ends NAME SIGNAL STATUS
	kill -"$2" "$rerun"
	wait "$rerun"
	is "$1" $? "$3"
}
lines() {
	grep -c . log || :
}
runs() { # runs NAME COUNT: it has run so often
	until_is "$1" "$2" lines
}

begin -t 0.05 './src//**/*.c' 'a b' one -- sh -c 'echo "$1"' - 'x  $y'
runs 'it runs at once' 1
is 'with the words as they are' "$(cat log)" 'x  $y'
echo 1 >src/a.c
runs 'a file was written' 2
mkdir -p src/x/y
echo 1 >src/x/y/b.c
runs 'one in new folders' 3
echo 1 >new && mv new src/x/a.c
runs 'one was moved there' 4
mv src/x z
runs 'a folder went' 5
echo 1 >'a b/any'
runs 'any file of a folder' 6
echo 1 >one
runs 'a file that was not there' 7
echo 1 >src/a.h
echo 1 >src/.git/a.c
echo 1 >src/.a.c
echo 1 >other
rm src/a.c
runs 'one was removed' 8
rm -r src
runs 'its folder went' 9
mkdir src
echo 1 >src/back.c
runs 'and came back' 10
is 'nothing else made it run' "$(grep -c 'src/.git\|a\.h\|other\|/\.a\.c' err)" 0
ends 'SIGTERM ends it' TERM 143

# A folder whose own folder is not watched is looked for.
mkdir deep
begin 'deep/*.c' -- echo run
runs 'in a folder' 1
mv deep away
mkdir deep
echo 1 >deep/back.c
echo 1 >away/away.c
runs 'that went and came back' 2
echo 2 >deep/back.c
runs 'and is watched again' 3
is 'the old one is not' "$(grep -c away err)" 0
ends 'it ends' TERM 143

# A folder that is named before it is there.
mkdir late
begin later late/folder -- echo run
runs 'it runs at once' 1
mkdir later late/folder
echo 1 >later/x
runs 'a file in a folder that came later' 2
echo 2 >later/x
runs 'and another change of it' 3
mkdir late/folder/below
echo 1 >late/folder/below/y
runs 'and deeper' 4
rm -r later
runs 'it went' 5
echo 1 >later
runs 'and is a file now' 6
ends 'it ends, too' TERM 143

# A change while it runs is not lost, and many are one.
begin src -- sh -c 'echo begin; until [ -e go ]; do sleep 0.02; done; echo end'
runs 'it runs' 1
for i in 1 2 3 4 5; do echo $i >src/many; done
: >go
runs 'once more for all' 4
is 'in order' "$(tr '\n' ' ' <log)" 'begin end begin end '
ends '^C ends it' INT 130
is 'and it has not run more often' "$(lines)" 4
rm go

# --restart ends a server with all that it started.
begin -r src -- sh -c 'echo $$; sleep 1000 & wait'
runs 'a server' 1
echo 2 >src/many
runs 'is started again' 2
until_is 'and the first one is gone' '' ps -o pid= -s "$(head -n 1 log)"
ends 'as is the second in the end' HUP 129
until_is 'with its children' '' ps -o pid= -s "$(tail -n 1 log)"
# One that leaves children behind which ignore signals, and one that ignores them itself.
begin src -- sh -c 'echo $$; (trap "" TERM HUP; exec sleep 1000) & sleep 0.2'
runs 'children that ignore SIGTERM' 1
until_is 'are gone with their parent' '' ps -o pid= -s "$(head -n 1 log)"
ends 'it waits for changes' INT 130
begin src -- sh -c 'trap "" INT TERM; echo $$; sleep 1000 & while :; do sleep 1000; done'
runs 'a command that ignores ^C' 1
ends 'is killed in the end' INT 130
until_is 'with its children, too' '' ps -o pid= -s "$(head -n 1 log)"

"$muxbus" rerun -n 2 -q src -- sh -c 'echo x >src/self; exit 3' 2>err
is '-n: the status of the last run' "$? $(cat err)" '3 '
refused() { # refused NAME STATUS TEXT ARGUMENT...
	name=$1 want="$2 1" text=$3
	shift 3
	timeout 20 "$muxbus" rerun "$@" >log 2>err
	is "$name" "$? $(grep -c -e "$text" err)" "$want"
}
refused 'no pattern' 2 'a pattern is missing' -- true
refused 'no command' 2 'a command is missing' src
refused 'a folder that is not there' 1 'No such file' 'nowhere/*.c' -- true
refused 'braces' 1 'braces are no wildcard' 'src/*.{c,h}' -- true
refused 'no such program' 127 'no-such-program: No such file' src -- no-such-program
few() { for count in 4 5 6 7 8; do (ulimit -n $count && timeout 20 "$muxbus" rerun -n 1 src -- true) 2>&1; done; }
is 'too few descriptors are named so' "$(few | grep -c 'Bad file descriptor')" 0
MUXBUS_HOST=build refused 'another machine' 2 'leave out --host .* or unset MUXBUS_HOST' src -- true
end_testing
