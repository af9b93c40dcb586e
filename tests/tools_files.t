#!/bin/sh
# SPDX-License-Identifier: ISC
# The tools of the group "files", run as muxbusd runs them: arguments as JSON on standard input.
# shellcheck disable=SC2016

. "${MUXBUS_SRCDIR:-.}/tests/tap.sh"
tools=$(cd "${MUXBUS_SRCDIR:-.}/contrib/tools" && pwd)
need_python
need jq
dir=$(mktemp -d) || exit 99
small=
finish() {
	[ -z "$small" ] || umount -R "$small" 2>/dev/null
	rm -rf "$dir"
}
trap finish EXIT
trap 'exit 99' INT TERM
export HOME="$dir/home" MUXBUS_TOOL_STATE="$dir/state" LC_ALL=C.UTF-8
mkdir -m 700 "$HOME" "$MUXBUS_TOOL_STATE" && mkdir "$dir/work" && cd "$dir/work" || exit 99

# A program that calls the tools by the server, and compares the programs of those that read.
mkfifo "$dir/calls" "$dir/done"
# It is no child of this shell, which waits for all of them below; it ends with its input.
(PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 -Xutf8 "$tools/../../tests/tools_files.py" "$tools" "$dir" <"$dir/calls" >"$dir/done" &)
exec 7>"$dir/calls" 8<"$dir/done"

# tool NAME ARGUMENTS: its answer, or "error: " and its error. Of read_file the text.
tool() {
	printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$1" "$PWD" "${MUXBUS_SPELLED:-}" "${MUXBUS_SHOWN_BYTES:-}" \
		"${MUXBUS_PANE:-}" "${MUXBUS_TOOL_STATE:-}" "$2" >&7
	read -r _ <&8
	cat "$dir/text"
}

# What the tools leave in the folder, apart from files of the test.
rubbish() {
	find "$1" -name '.muxbus-*' | wc -l
}

# ---- read_file
printf 'first\nsecond\nthird\n' >f
is 'read_file: the whole file' "$(tool read_file '{"path":"f"}')" "$(cat f)"
is 'read_file: lines start to end' "$(tool read_file '{"path":"f","start":2,"end":3}')" "$(printf 'second\nthird')"
is 'read_file: with numbers' "$(tool read_file '{"path":"f","start":2,"numbers":true}')" "$(printf '     2\tsecond\n     3\tthird')"
is 'read_file: a start behind the end of the file' "$(tool read_file '{"path":"f","start":9}')" \
	"error: $PWD/f has 3 lines: start 9 is behind the last one"
is 'read_file: an end before the start' "$(tool read_file '{"path":"f","start":3,"end":2}')" \
	'error: end 2 is before start 3: both are numbers of lines, and line 2 is included'
seq 5000 >long
is 'read_file: a long file is cut' "$(tool read_file '{"path":"long"}' | tail -n 2)" \
	"$(printf '2000\n[These are lines 1 to 2000. read_file {"start": 2001, "path": "%s/long", "unit": "lines"} reads on.]' "$PWD")"
is 'read_file: the parts are the file' "$(for start in 1 2001 4001; do
	tool read_file '{"path":"long","start":'$start'}' | grep -v '^\['
done | cksum)" "$(cksum <long)"
{ head -c 300000 /dev/zero | tr '\0' x; printf '\nlast\n'; } >wide
# follow PARAMS: the sum of the text of the file, by all calls that the answers name.
follow() {
	tool follow "$1" | cksum
}
is 'read_file: a long line is cut, and the rest can be read' "$(follow '{"path":"wide"}')" "$(cksum <wide)"
{ for i in $(seq 70000); do printf '\303\251\342\202\254'; done; printf '\nlast\n'; } >many
is 'read_file: no character is split' "$(follow '{"path":"many"}')" "$(cksum <many)"
awk 'BEGIN { for (i = 0; i < 700; i++) printf "%d\t\"\\ \033[1m%*s\n", i, i % 90, "" }' >escaped
for bytes in 900 2000 8744; do
	is "read_file: $bytes bytes are shown, and the rest can be read" \
		"$(export MUXBUS_SHOWN_BYTES=$bytes; follow '{"path":"escaped"}')" "$(cksum <escaped)"
	ok 'read_file: and it is no more' [ "$(MUXBUS_SHOWN_BYTES=$bytes tool read_file '{"path":"escaped"}' | jq -Rs . | wc -c)" -le $((bytes > 1000 ? bytes : 1000)) ]
done
is 'read_file: behind a long line' "$(tool read_file '{"path":"wide","start":2}')" last
printf 'text\0' >binary
is 'read_file: a binary file' "$(tool read_file '{"path":"binary"}')" \
	"error: $PWD/binary is binary (NUL at byte 4): use read_image for an image, or xxd"
printf 'caf\351\n' >latin
is 'read_file: bytes that are not UTF-8' "$(tool read_file '{"path":"latin"}')" \
	"$(printf 'caf\357\277\275\n[Bytes that are NUL or not UTF-8 are shown as \357\277\275.]')"
# Each such byte is one character, for str_replace too, and only bytes that were shown count as seen.
printf 'ab\342\202cd\377\376ef x\n' >partly
is 'read_file: characters behind bytes that are not UTF-8' \
	"$(tool read_file '{"path":"partly","unit":"characters","start":11}' | head -n 1)" x
is 'str_replace: the same characters' "$(tool str_replace '{"path":"partly","unit":"characters","start":11,"old_str":"x","new_str":"y"}')" \
	"$(printf 'replaced in characters 11 to 13 of %s: line 1' "$PWD/partly")"
yes "$(printf '\351\351\351\351')" | head -n 3000 >mostly
MUXBUS_PANE=%7 tool read_file '{"path":"mostly","unit":"characters","end":8000}' >/dev/null
is 'write_file: a file of other bytes that was read in part' "$(MUXBUS_PANE=%7 tool write_file '{"path":"mostly","content":"x"}' | grep -o '7000 of its bytes not')" \
	'7000 of its bytes not'
{ yes | head -c 10000; printf 'x\0y\n'; } >late_nul
is 'read_file: a NUL far behind the beginning' "$(tool read_file '{"path":"late_nul","start":5001}')" \
	"$(printf 'x\357\277\275y\n[Bytes that are NUL or not UTF-8 are shown as \357\277\275.]')"
mkdir -p real/deep && ln -s real/deep in_deep && echo real >real/which && echo other >which
is 'read_file: a link and ".."' "$(tool read_file '{"path":"in_deep/../which"}')" "$(cat in_deep/../which)"
is 'write_file: a link and ".."' "$(tool write_file '{"path":"in_deep/../made","content":"x"}')" "created $PWD/real/made: 1 bytes, 0 lines"
printf 'a\fb\r\nc' >odd
is 'read_file: only a newline ends a line' "$(tool read_file '{"path":"odd","numbers":true}')" "$(printf '     1\ta\fb\r\n     2\tc')"
: >empty
is 'read_file: an empty file' "$(tool read_file '{"path":"empty"}')" ''
mkfifo pipe
is 'read_file: a pipe' "$(tool read_file '{"path":"pipe"}')" \
	"error: $PWD/pipe is not a regular file but a pipe, socket or device"
is 'read_file: a folder' "$(tool read_file '{"path":"/"}')" 'error: / is a folder: give the path of a file in it'
is 'read_file: a missing file' "$(tool read_file '{"path":"missing"}')" "error: $PWD/missing: No such file or directory"
echo home >"$HOME/h"
is 'read_file: ~ is the home directory' "$(tool read_file '{"path":"~/h"}')" home
is 'read_file: ~user is refused' "$(tool read_file '{"path":"~root/h"}')" \
	'error: ~root/h is in the home directory of another user: write the path out, or "./~..." for a file here'
is 'write_file: the same of a user that is not there' "$(tool write_file '{"path":"~h3","content":""}' | cut -c 1-50)" \
	'error: ~h3 is in the home directory of another use'
is 'write_file: a name here that begins with ~' "$(tool write_file '{"path":"./~root","content":""}')" "created $PWD/~root: 0 bytes, 0 lines"
is 'read_file: a NUL in the path' "$(tool read_file '{"path":"a\u0000b"}')" 'error: path contains a NUL character, which no path can'

members() {
	jq -c 'del(.text)' "$dir/answer"
}
tool read_file '{"path":"f","start":2}' >/dev/null
is 'read_file: the unit, the place, and how long the file is' "$(members)" '{"unit":"lines","start":2,"end":3,"lines":3,"bytes":19}'
is 'read_file: characters' "$(tool read_file '{"path":"f","unit":"characters","start":1,"end":8}')" "$(printf 'irst\nse')"
is 'read_file: say so' "$(members)" '{"unit":"characters","start":1,"end":8,"lines":3,"bytes":19}'
export MUXBUS_SPELLED=file_path
is 'read_file: which is the unit of file_path' "$(tool read_file '{"path":"f","start":0,"end":5}')" first
is 'read_file: unless it is said' "$(tool read_file '{"path":"f","start":2,"unit":"lines"}')" "$(printf 'second\nthird')"
is 'str_replace: the same' "$(tool str_replace '{"path":"f","old_str":"i","new_str":"I","start":2,"end":17}')" \
	"$(printf 'replaced in characters 2 to 17 of %s: line 3' "$PWD/f")"
unset MUXBUS_SPELLED
tool str_replace '{"path":"f","old_str":"I","new_str":"i"}' >/dev/null
# Text in front of a hole: it is not seen to be binary, and no call may read all of it.
seq 5000 >deep && truncate -s 10G deep
is 'read_file: far inside of a file of 10 GB' "$(tool read_file '{"path":"deep","start":6000}')" \
	"error: start is more than 1 GiB inside of $PWD/deep: use a command such as tail or sed"
rm deep
yes | head -c 100M >short
begin=$(date +%s%3N)
is 'read_file: the last of 50 million lines' "$(tool read_file '{"path":"short","start":52428800}')" y
ok 'read_file: are not read one by one' [ $(($(date +%s%3N) - begin)) -lt 10000 ]
is 'read_file: a line behind them' "$(tool read_file '{"path":"short","start":52428801}')" \
	"error: $PWD/short has 52428800 lines: start 52428801 is behind the last one"
rm short
is 'read_file: line 0' "$(tool read_file '{"path":"f","start":0}')" \
	'error: start 0: lines count from 1; with unit=characters, characters count from 0'
is 'read_file: behind the last character' "$(tool read_file '{"path":"f","unit":"characters","start":20}')" \
	"error: $PWD/f has 19 characters: start 20 is behind the last one"
is 'read_file: at the end' "$(tool read_file '{"path":"f","unit":"characters","start":19}')" ''
is 'read_file: all characters of a long file' "$(follow '{"path":"many","unit":"characters"}')" "$(cksum <many)"
is 'read_file: the same where little is shown' \
	"$(export MUXBUS_SHOWN_BYTES=3000; follow '{"path":"escaped","unit":"characters"}')" "$(cksum <escaped)"
is 'read_file: several files' "$(tool read_file '{"path":["f","odd"]}')" "$(printf '==> f <==\nfirst\nsecond\nthird\n\n==> odd <==\na\fb\r\nc')"
is 'read_file: each with its unit' "$(members)" \
	'{"files":[{"path":"f","unit":"lines","start":1,"end":3,"lines":3,"bytes":19},{"path":"odd","unit":"lines","start":1,"end":2,"lines":2,"bytes":6}]}'

# ---- write_file
is 'write_file: a new file' "$(tool write_file '{"path":"n","content":"one\ntwo\n"}')" "created $PWD/n: 8 bytes, 2 lines"
is 'write_file: its text' "$(cat n)" "$(printf 'one\ntwo')"
chmod 640 n
ln -s n link
is 'write_file: an old file, by a link' "$(tool write_file '{"path":"link","content":"new"}')" "replaced $PWD/n: 3 bytes, 0 lines"
is 'write_file: mode and link stay' "$(stat -c '%a %F' n link | tr '\n' ' ')" '640 regular file 777 symbolic link '
ln -s missing/deep dangling
is 'write_file: a missing folder' "$(tool write_file '{"path":"dangling","content":"","make_folders":false}')" \
	"error: there is no folder $PWD/missing: leave out make_folders=false to make it"
is 'write_file: it is made' "$(tool write_file '{"path":"dangling","content":"x"}')" \
	"created $PWD/missing/deep: 1 bytes, 0 lines"
is 'write_file: only a new one' "$(tool write_file '{"path":"n","content":"x","only_new":true}')" "error: $PWD/n is already there"
is 'write_file: nothing was changed' "$(cat n)" new
is 'write_file: a name with a newline and a dash' "$(tool write_file '{"path":"-a\nb","content":"x"}')" \
	"created \"$PWD/-a\\nb\": 1 bytes, 0 lines"
is 'write_file: the file has that name' "$(cat "./-a
b")" x
ln n hard
in_place='It was written in place: its other names (hard links: 1) have the new text too.'
inode=$(stat -c %i n)
is 'write_file: hard links' "$(tool write_file '{"path":"n","content":"longer than it was\n"}' | tail -n 1)" "$in_place"
is 'write_file: all names have the new text' "$(cat hard) $(stat -c %i n)" "longer than it was $inode"
is 'str_replace: hard links' "$(tool str_replace '{"path":"hard","old_str":" than it was","new_str":""}' | tail -n 1)" "$in_place"
is 'str_replace: all names have the new text' "$(cat n) $(stat -c '%i %h' hard)" "longer $inode 2"
(
	ulimit -f 16
	printf '{"path":"n","content":"%s"}' "$(seq -s ' ' 5000)" | "$tools/write_file" >said 2>&1
)
is 'write_file: hard links and no room: the old text is there' "$(cat said hard)" \
	"$(printf '%s/n: File too large: the old file is as it was\nlonger' "$PWD")"
rm hard
is 'write_file: a folder' "$(tool write_file '{"path":"missing","content":"x"}')" \
	"error: $PWD/missing is a folder: give the path of a file in it"
is 'write_file: a pipe' "$(tool write_file '{"path":"pipe","content":"x"}')" \
	"error: $PWD/pipe is not a regular file but a pipe, socket or device"
is 'write_file: below a file' "$(tool write_file '{"path":"f/sub/x","content":""}')" \
	"error: a part of $PWD/f/sub is a file, and no folder can be made in it"
ln -s loop loop
is 'write_file: a link to itself' "$(tool write_file '{"path":"loop","content":"x"}')" \
	"error: $PWD/loop: Too many levels of symbolic links"
is 'write_file: half a character' "$(tool write_file '{"path":"half","content":"\ud83d"}')" \
	'error: the arguments contain half of a surrogate pair, which is not Unicode text'
is 'write_file: no JSON' "$(echo '{"path"' | "$tools/write_file" 2>&1)" \
	"the arguments are not JSON: Expecting ':' delimiter: line 2 column 1 (char 8)"
if [ "$(id -u)" = 0 ]; then
	chown 12345:23456 n
	tool write_file '{"path":"n","content":"y"}' >/dev/null
	is 'write_file: the owner stays' "$(stat -c '%u:%g %a' n)" '12345:23456 640'
	skip 'root may write a read-only file'
else
	skip 'only root can give a file away'
	chmod 444 n
	is 'write_file: a read-only file' "$(tool write_file '{"path":"n","content":"y"}')" \
		"error: $PWD/n is read-only (mode 444): chmod u+w it first"
fi

# A folder that may be written to, and not be read.
mkdir drop && echo old >drop/f && chmod 300 drop
as_user=
[ "$(id -u)" != 0 ] || as_user='setpriv --reuid=65534 --clear-groups'
[ -z "$as_user" ] || chown -R 65534 drop
alone='It was written in place, since no other file can take its name.'
if [ -n "$as_user" ] && ! { chmod 755 "$dir" && $as_user test -x "$tools/write_file"; } 2>/dev/null; then
	skip 'no other user can run the tools'
	skip 'no other user can run the tools'
else
	is 'write_file: in a folder that cannot be read' \
		"$(echo '{"path":"drop/f","content":"new"}' | $as_user "$tools/write_file" 2>&1; cat drop/f)" \
		"$(printf 'replaced %s: 3 bytes, 0 lines\nnew' "$PWD/drop/f")"
	chmod 500 drop
	is 'write_file: in a folder that takes no file' \
		"$(echo '{"path":"drop/f","content":"newer"}' | $as_user "$tools/write_file" 2>&1 | tail -n 1; cat drop/f)" \
		"$(printf '%s\nnewer' "$alone")"
fi
chmod 700 drop

# Another program writes between the read and the rename; a disk without hard links.
/usr/bin/python3 -B - "$tools" <<'PYTHON' >raced 2>&1
import errno, os, sys
sys.path.insert(0, sys.argv[1])
import whole_file
open("raced_file", "w").write("read")
read = os.stat("raced_file")
open("raced_file", "a").write(" and more")
try:
    whole_file.write_whole("raced_file", b"ours", read=read)
except SystemExit as failure:
    print(failure.sentence.replace(os.getcwd(), ""))
print(open("raced_file").read())
def no_link(*_, **__):
    raise PermissionError(errno.EPERM, "Operation not permitted")
os.open, real = (lambda path, flags, *rest, **more: real(path, flags, *rest, **more) if flags & os.O_TMPFILE != os.O_TMPFILE
                 else (_ for _ in ()).throw(OSError(errno.EOPNOTSUPP, ""))), os.open
os.link, real_link = no_link, os.link
whole_file.write_whole("unlinked", b"ours")
print(open("unlinked").read())
try:
    whole_file.put(os.path.abspath("unlinked"), b"again", None, None)
except FileExistsError:
    print("is there")
os.open, os.link = real, real_link
os.mkdir("given")
with open("given/f", "w"):
    pass
mode = os.stat("given/f").st_mode
try:  # an ACL for new files of the folder; a disk may have none
    os.setxattr("given", "system.posix_acl_default", bytes.fromhex("02000000 01000700ffffffff 0200060039300000"
                "04000500ffffffff 10000700ffffffff 20000500ffffffff"))
except OSError:
    pass
whole_file.write_whole("given/f", b"new")
print(*os.listxattr("given/f"), os.stat("given/f").st_mode == mode)
PYTHON
is 'str_replace: a file that another program has changed meanwhile' "$(head -n 2 raced)" \
	"$(printf '/raced_file was changed by another program just now, and is as that has left it: read it again\nread and more')"
is 'write_file: on a disk without hard links' "$(sed -n '3,4p' raced)" "$(printf 'ours\nis there')"
is 'write_file: an ACL that the folder gives to new files is not added' "$(tail -n +5 raced)" True
is 'write_file: nothing else is left of them' "$(rubbish .)" 0

# A file of which the agent of the pane has read a part only.
export MUXBUS_PANE=%5
seq 3000 >part
refused="error: you have seen a part of $PWD/part only, and 5000 of its bytes not: read the rest with read_file, change what you have seen with str_replace, or replace it all with force=true"
is 'write_file: a file that was not read' "$(tool write_file '{"path":"part","content":"x"}')" "replaced $PWD/part: 1 bytes, 0 lines"
seq 3000 >part
tool read_file '{"path":"part"}' >/dev/null
is 'write_file: a file that was read in part' "$(tool write_file '{"path":"part","content":"x"}')" "$refused"
ln -s part other_name
is 'write_file: by another name' "$(tool write_file '{"path":"other_name","content":"x"}' | cut -c 1-30)" 'error: you have seen a part of'
is 'write_file: of another agent' "$(cp -p part copy; MUXBUS_PANE=%6 tool write_file '{"path":"copy","content":"x"}')" "replaced $PWD/copy: 1 bytes, 0 lines"
tool read_file '{"path":"part","start":2500}' >/dev/null
is 'write_file: with a hole' "$(tool write_file '{"path":"part","content":"x"}' | cut -c 1-30)" 'error: you have seen a part of'
tool read_file '{"path":"part","start":2001,"end":2600}' >/dev/null
is 'write_file: a file that was read in parts' "$(tool write_file '{"path":"part","content":"x"}')" "replaced $PWD/part: 1 bytes, 0 lines"
printf 'äöü☃%s' "$(seq 300)" >part
tool read_file '{"path":"part","unit":"characters","start":3,"end":20}' >/dev/null
is 'write_file: a part by characters' "$(tool write_file '{"path":"part","content":"x"}' | cut -c 1-30)" 'error: you have seen a part of'
tool read_file '{"path":"part","unit":"characters","start":20}' >/dev/null
tool read_file '{"path":"part","unit":"characters","end":3}' >/dev/null
is 'write_file: all by characters' "$(tool write_file '{"path":"part","content":"x"}')" "replaced $PWD/part: 1 bytes, 0 lines"
seq 3000 >part
tool read_file '{"path":"part","end":1}' >/dev/null
is 'write_file: force' "$(tool write_file '{"path":"part","content":"x","force":true}')" "replaced $PWD/part: 1 bytes, 0 lines"
seq 3000 >part
tool read_file '{"path":"part","end":1}' >/dev/null
# What was seen stays seen: all of it before a part, what the agent wrote, and what it changed.
seq 1500 >part
tool read_file '{"path":"part"}' >/dev/null
tool read_file '{"path":"part","end":1}' >/dev/null
is 'write_file: a part of a file that was read' "$(tool write_file '{"path":"part","content":"1\n2\n3\n"}')" "replaced $PWD/part: 6 bytes, 3 lines"
tool read_file '{"path":"part","end":1}' >/dev/null
is 'str_replace: in a file that was written' "$(tool str_replace '{"path":"part","old_str":"2","new_str":"two"}')" "replaced in $PWD/part: line 2"
tool read_file '{"path":"part","end":1}' >/dev/null
is 'write_file: a file that was written and changed' "$(tool write_file '{"path":"part","content":"x"}')" "replaced $PWD/part: 1 bytes, 0 lines"
seq 3000 >part
tool read_file '{"path":"part"}' >/dev/null
tool str_replace '{"path":"part","old_str":"1000\n","new_str":"thousand\n"}' >/dev/null
is 'write_file: a change shows no more of a file' "$(tool write_file '{"path":"part","content":"x"}')" "$refused"
tool str_replace '{"path":"part","patch":"@@\n-2500\n+unseen\n"}' >/dev/null
tool read_file '{"path":"part","start":2001,"end":2499}' >/dev/null
is 'write_file: but for the changed place' "$(tool write_file '{"path":"part","content":"x"}' | cut -c 1-30)" 'error: you have seen a part of'
tool read_file '{"path":"part","start":2500}' >/dev/null
is 'write_file: all of a changed file' "$(tool write_file '{"path":"part","content":"x"}')" "replaced $PWD/part: 1 bytes, 0 lines"
seq 3000 >part
tool read_file '{"path":"part","end":1}' >/dev/null
echo more >>part
is 'write_file: a file that has changed since' "$(tool write_file '{"path":"part","content":"x"}')" \
	"error: $PWD/part has changed since you have seen it: read it again, change what you have seen with str_replace, or replace it all with force=true"
tool read_file '{"path":"part","start":2999}' >/dev/null
is 'write_file: and was read in part again' "$(tool write_file '{"path":"part","content":"x"}' | cut -c 1-30)" 'error: you have seen a part of'
sed -i 's/"time": [0-9.]*/"time": 5/g' "$MUXBUS_TOOL_STATE/seen-5.json"
touch part
is 'write_file: a day later it is another agent' "$(tool write_file '{"path":"part","content":"x"}')" "replaced $PWD/part: 1 bytes, 0 lines"
unset MUXBUS_PANE

# Killed while it writes 50 MB: the old file or the new one, never a part. The kill comes when
# its new file has that size; the last ones while it waits for the disk.
head -c 50000000 /dev/zero | tr '\0' a >big
{ printf '{"path":"big","content":"'; tr a b <big; printf '"}'; } >arguments
cat >"$dir/kill.py" <<'PYTHON'
import os, subprocess, sys
program, size = sys.argv[1], int(sys.argv[2])
writer = subprocess.Popen([program], stdin=open("arguments"), stdout=subprocess.DEVNULL)
def growing():
    for fd in os.listdir(f"/proc/{writer.pid}/fd"):
        name = f"/proc/{writer.pid}/fd/{fd}"
        if int(fd) > 2 and os.readlink(name).startswith(os.getcwd() + "/") and os.stat(name).st_size > size:
            return True
while writer.poll() is None:
    try:
        if growing():
            writer.kill()
            break
    except OSError:
        pass
print(writer.wait())
PYTHON
old=$(cksum <big)
new=$(tr a b <big | cksum)
torn=0
caught=0
for size in 0 1000000 25000000 49999999 49999999; do
	cp big before
	[ "$(/usr/bin/python3 "$dir/kill.py" "$tools/write_file" $size)" != -9 ] || caught=$((caught + 1))
	case $(cksum <big) in
	"$old" | "$new") ;;
	*) torn=$((torn + 1)) ;;
	esac
	mv before big
done
is 'write_file: killed, the old or the new file is whole' $torn 0
is 'write_file: was killed in the middle of it' "$([ $caught -ge 2 ] && echo yes)" yes
is 'write_file: a kill leaves no temporary file' "$(rubbish .)" 0

# A file that may not grow so far, and a full disk.
is 'write_file: beyond the limit of a file' "$(ulimit -f 2048 && "$tools/write_file" <arguments 2>&1)" \
	"$PWD/big: File too large: the old file is as it was"
is 'write_file: the old file' "$(cksum <big)" "$old"
mkdir small
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=1m tmpfs small 2>/dev/null; then
	small=$PWD/small
	echo kept >small/f
	{ printf '{"path":"small/f","content":"'; head -c 2000000 big; printf '"}'; } >arguments
	is 'write_file: a full disk' "$("$tools/write_file" <arguments 2>&1)" \
		"$PWD/small/f: No space left on device: the old file is as it was"
	is 'write_file: the file on it' "$(cat small/f) $(rubbish small)" 'kept 0'
	is 'write_file: the space is free again' "$(tool write_file '{"path":"small/f","content":"x"}')" \
		"replaced $PWD/small/f: 1 bytes, 0 lines"
	echo alone >mounted && : >small/mounted && mount --bind mounted small/mounted
	is 'write_file: a file that is mounted alone' "$(tool write_file '{"path":"small/mounted","content":"new\n"}' | tail -n 1)" "$alone"
	is 'str_replace: the same' "$(tool str_replace '{"path":"small/mounted","old_str":"new","new_str":"newer"}' | tail -n 1; cat mounted)" \
		"$(printf '%s\nnewer' "$alone")"
else
	skip 'a small tmpfs cannot be mounted'
	skip 'a small tmpfs cannot be mounted'
	skip 'a small tmpfs cannot be mounted'
	skip 'a small tmpfs cannot be mounted'
	skip 'a small tmpfs cannot be mounted'
fi
rm -f big arguments

# ---- str_replace
text() {
	printf 'int a;\nint b;\nint a;\n\treturn b;\n' >f.c
}
text
is 'str_replace: the only occurrence' "$(tool str_replace '{"path":"f.c","old_str":"int b;","new_str":"int b = 1;\nint c;"}')" \
	"replaced in $PWD/f.c: line 2"
is 'str_replace: the file' "$(cat f.c)" "$(printf 'int a;\nint b = 1;\nint c;\nint a;\n\treturn b;')"
text
is 'str_replace: several occurrences' "$(tool str_replace '{"path":"f.c","old_str":"int a;","new_str":"x"}')" \
	"error: old_str occurs 2 times in $PWD/f.c (lines 1, 3): give more of the text around it"
is 'str_replace: one of them, by its lines' "$(tool str_replace '{"path":"f.c","old_str":"int a;","new_str":"x","start":2}')" \
	"replaced in lines 2 to 4 of $PWD/f.c: line 3"
is 'str_replace: a text that differs in white space' "$(tool str_replace '{"path":"f.c","old_str":"    return b;","new_str":"x"}')" \
	"error: old_str is not in $PWD/f.c, but line 4 differs only in white space: copy it exactly"
is 'str_replace: a text that is not there' "$(tool str_replace '{"path":"f.c","old_str":"zzz","new_str":"x"}')" \
	"error: old_str is not in $PWD/f.c: read it again, it may have changed"
is 'str_replace: overlapping occurrences' "$(echo aaa >o; tool str_replace '{"path":"o","old_str":"aa","new_str":"x"}')" \
	"error: old_str occurs 2 times in $PWD/o (lines 1, 1): give more of the text around it"
is 'str_replace: an empty old_str' "$(tool str_replace '{"path":"f.c","old_str":"","new_str":"x"}')" \
	'error: old_str is empty: give the text to replace, or use write_file for a new file'
is 'str_replace: neither text nor patch' "$(tool str_replace '{"path":"f.c"}')" \
	'error: give either old_str and new_str, or patch'
is 'str_replace: no change' "$(tool str_replace '{"path":"f.c","old_str":"x","new_str":"x"}')" \
	"error: $PWD/f.c would stay as it is: the new text is the old one"
is 'str_replace: a deletion' "$(tool str_replace '{"path":"f.c","old_str":"x\n"}'; cat f.c)" \
	"$(printf '%s\nint a;\nint b;\n\treturn b;' "replaced in $PWD/f.c: line 3")"
printf 'caf\351\r\nb\r\n' >crlf
tool str_replace '{"path":"crlf","old_str":"b\n","new_str":"c\nd\n"}' >/dev/null
is 'str_replace: line ends and other bytes stay' "$(od -An -c crlf | tr -d ' \n')" 'caf351\r\nc\r\nd\r\n'

# ---- str_replace with a unified diff
text
is 'str_replace: a hunk' "$(tool str_replace '{"path":"f.c","patch":"--- a/f.c\n+++ b/f.c\n@@ -1,3 +1,3 @@\n int a;\n-int b;\n+int B;\n int a;\n"}')" \
	"patched $PWD/f.c: 1 hunk"
is 'str_replace: the patched file' "$(cat f.c)" "$(printf 'int a;\nint B;\nint a;\n\treturn b;')"
is 'str_replace: wrong counts, and a wrong line' \
	"$(tool str_replace '{"path":"f.c","patch":"@@ -4,9 +4,7 @@\n int B;\n-int a;\n+int c;\n"}')" \
	"$(printf 'patched %s: 1 hunk\nHunk 1 fitted -2 lines off its number.' "$PWD/f.c")"
is 'str_replace: a hunk without numbers' "$(tool str_replace '{"path":"f.c","patch":"@@\n int a;\n+int n;\n"}'; sed -n 2p f.c)" \
	"$(printf 'patched %s: 1 hunk\nint n;' "$PWD/f.c")"
is 'str_replace: the least of a diff' \
	"$(tool str_replace '{"path":"f.c","patch":"--- old\n-int n;\n+++ new\n+int m;"}'; sed -n 2p f.c)" \
	"$(printf 'patched %s: 1 hunk\nint m;' "$PWD/f.c")"
before=$(cat f.c)
is 'str_replace: all hunks or none' \
	"$(tool str_replace '{"path":"f.c","patch":"@@ -1 +1 @@\n-int a;\n+int A;\n@@ -4 +4 @@\n-other\n+x\n"}')" \
	"error: the old lines of hunk 2 are not in $PWD/f.c near line 4; nothing was changed: read it again"
is 'str_replace: other context does not fit' \
	"$(tool str_replace '{"path":"f.c","patch":"@@ -1,2 +1,2 @@\n int z;\n-int m;\n+int M;\n"}')" \
	"error: the old lines of hunk 1 are not in $PWD/f.c near line 1; nothing was changed: read it again"
is 'str_replace: two files in one diff' \
	"$(tool str_replace '{"path":"f.c","patch":"--- a\n+++ b\n@@ -1 +1 @@\n-int a;\n+x\n--- c\n+++ d\n@@ -1 +1 @@\n-y\n+z\n"}')" \
	'error: patch changes more than one file: call once for each file'
is 'str_replace: an ed script is not run' "$(tool str_replace '{"path":"f.c","patch":"1d\n!touch x\n"}')" \
	"error: a line of a hunk begins with a space, - or +, and not as this: '1d'"
is 'str_replace: the names in a diff are not used' \
	"$(tool str_replace '{"path":"f.c","patch":"--- /etc/passwd\n+++ /etc/passwd\n@@ -1 +1 @@\n-root\n+x\n"}')" \
	"error: the old lines of hunk 1 are not in $PWD/f.c near line 1; nothing was changed: read it again"
is 'str_replace: the file is as it was' "$(cat f.c)" "$before"
printf 'a\nend' >e
tool str_replace '{"path":"e","patch":"@@ -2 +2,2 @@\n end\n+more\n"}' >/dev/null
is 'str_replace: a last line without a newline' "$(od -An -c e | tr -d ' \n')" 'a\nend\nmore'
printf 'a\r\nb\r\n' >crlf
tool str_replace '{"path":"crlf","patch":"@@ -1,2 +1,2 @@\n a\n-b\n+c"}' >/dev/null
is 'str_replace: a hunk for lines that end with CR LF' "$(od -An -c crlf | tr -d ' \n')" 'a\r\nc\r\n'
printf 'a\r\nb\r\nc' >crlf
tool str_replace '{"path":"crlf","patch":"@@ -2,2 +2,3 @@\n b\n c\n+d"}' >/dev/null
is 'str_replace: the same without an end of the last line' "$(od -An -c crlf | tr -d ' \n')" 'a\r\nb\r\nc\r\nd'
printf 'a\r\nb' >crlf
tool str_replace '{"path":"crlf","old_str":"b","new_str":"c\nd","start":2}' >/dev/null
tool str_replace '{"path":"crlf","patch":"@@ -3 +3,2 @@\n d\n+e","start":3}' >/dev/null
is 'str_replace: the same where only a last line without an end may change' "$(od -An -c crlf | tr -d ' \n')" 'a\r\nc\r\nd\r\ne'
printf 'a\r\nb\nc\n' >mixed
tool str_replace '{"path":"mixed","patch":"@@ -1,2 +1,2 @@\n-a\r\n+A\r\n b\n"}' >/dev/null
is 'str_replace: line ends of both kinds' "$(od -An -c mixed | tr -d ' \n')" 'A\r\nb\nc\n'
printf '\357\273\277a\nb\n' >bom
tool str_replace '{"path":"bom","patch":"@@ -1,2 +1,2 @@\n-a\n+A\n b\n"}' >/dev/null
tool str_replace '{"path":"bom","patch":"@@ -1,2 +1,2 @@\n-\ufeffA\n+\ufeffx\n b\n"}' >/dev/null
is 'str_replace: a byte order mark stays' "$(od -An -c bom | tr -d ' \n')" '357273277x\nb\n'
seq 9 >nine
tool str_replace '{"path":"nine","patch":"@@ -7 +7 @@\n-7\n+seven\n","start":5,"end":8}' >/dev/null
is 'str_replace: a hunk within lines' "$(tr '\n' ' ' <nine)" '1 2 3 4 5 6 seven 8 9 '
is 'str_replace: a hunk outside of them' \
	"$(tool str_replace '{"path":"nine","patch":"@@ -2 +2 @@\n-2\n+two\n","start":5,"end":8}')" \
	"error: the old lines of hunk 1 are not in lines 5 to 8 of $PWD/nine near line 2; nothing was changed: read it again"
# Diffs of diff(1) with more, little and no context, and with and without a newline at the end.
wrong=0
for context in 0 1 3; do
	for edit in 1d '$d' '3s/^/x/' '5i new' '2,4d;8s/$/y/' '1i top' '$a end'; do
		for end in 0 1; do
			seq 9 | head -c -$end >old
			sed "$edit" old >new
			diff -U $context old new | jq -Rs '{path: "old", patch: .}' >arguments
			"$tools/str_replace" <arguments >/dev/null && cmp -s old new || wrong=$((wrong + 1))
		done
	done
done
is 'str_replace: what diff(1) writes' $wrong 0

# Twenty at once: each change is there.
seq 101 120 >counter
for i in $(seq 101 120); do
	printf '{"path":"counter","old_str":"%s\\n","new_str":"%s done\\n"}' "$i" "$i" | "$tools/str_replace" >/dev/null &
done
wait
is 'str_replace: no change at the same time is lost' "$(grep -c ' done' counter)" 20
is 'str_replace: no temporary file is left' "$(rubbish .)" 0

# A write waits for a change of the same file that has begun.
if command -v flock >/dev/null; then
	echo old >shared
	mkfifo go
	flock shared sh -c 'echo >locked; read -r line <go; cat shared >seen' &
	tries=0
	while ! [ -e locked ] && [ $((tries += 1)) -lt 1000 ]; do sleep 0.01; done
	"$tools/write_file" <<-'JSON' >/dev/null &
		{"path":"shared","content":"new"}
	JSON
	writer=$!
	while kill -0 $writer 2>/dev/null && ! grep -q -e "-> FLOCK .* $writer " /proc/locks &&
		[ $((tries += 1)) -lt 2000 ]; do sleep 0.01; done
	echo >go
	wait
	is 'write_file: waits for a change of the same file' "$(cat seen shared)" "$(printf 'old\nnew')"
else
	skip 'flock is not installed'
fi

# ---- read_image
printf 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==' |
	base64 -d >dot.png
is 'read_image: a PNG' "$(tool read_image '{"path":"dot.png"}' | cksum)" "$(cksum <dot.png)"
head -c 40 dot.png >cut.png
is 'read_image: an unfinished PNG' "$(tool read_image '{"path":"cut.png"}')" \
	"error: $PWD/cut.png is a PNG image that ends too early: is it still being written?"
printf 'R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==' | base64 -d >dot.gif
is 'read_image: a GIF' "$(tool read_image '{"path":"dot.gif"}' | cksum)" "$(cksum <dot.gif)"
printf 'UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==' | base64 -d >dot.webp
is 'read_image: a WebP' "$(tool read_image '{"path":"dot.webp"}' | cksum)" "$(cksum <dot.webp)"
is 'read_image: several' "$(tool read_image '{"path":["dot.png","dot.gif"]}' | jq -r '.images[] | .mime_type + " " + .data')" \
	"$(printf 'image/png %s\nimage/gif %s' "$(base64 -w 0 dot.png)" "$(base64 -w 0 dot.gif)")"
is 'read_image: a text' "$(tool read_image '{"path":"f"}')" \
	"error: $PWD/f is not a PNG, JPEG, GIF or WebP image: convert it, or use read_file for a text"
truncate -s 9M huge.png
is 'read_image: too large' "$(tool read_image '{"path":"huge.png"}')" \
	"error: $PWD/huge.png has 9437184 bytes, 8388608 at most are read: make it smaller with convert -resize"

# ---- todo_read, todo_write
mkdir -p project/.git project/src other
cd project/src || exit 99
is 'todo_read: no tasks' "$(tool todo_read '{}' | jq -c .)" "{\"project\":\"$dir/work/project\",\"todos\":[],\"markdown\":\"\"}"
is 'todo_write: tasks' \
	"$(tool todo_write '{"todos":[{"content":"build","status":"completed"},{"text":"test"}]}' | jq -c '[.tasks, .replaced]')" '[2,0]'
is 'todo_read: in another folder of the project' "$(cd .. && tool todo_read '{}' | jq -c .todos)" \
	'[{"content":"build","status":"completed"},{"content":"test","status":"pending"}]'
is 'todo_read: of another project' "$(cd ../../other && tool todo_read '{}' | jq -c .todos)" '[]'
is 'todo_write: as Markdown' "$(tool todo_write '{"content":"- [ ] Task 1\n- [x] Task 2\n  - [-] Part\n"}' | jq -c .replaced
	tool todo_read '{}' | jq -c '.todos | map(.status + ":" + .content)')" \
	"$(printf '2\n["pending:Task 1","completed:Task 2","in_progress:  Part"]')"
is 'todo_write: an unknown status' "$(tool todo_write '{"todos":[{"content":"x","status":"done"}]}')" \
	"error: the status 'done' is not one of pending, in_progress, completed, text"
markdown='# Plan\n- [ ] Task 1\n- [x] Task 2\n  - [-] Part\n  free words\n'
is 'todo_write: lines that are no tasks stay' "$(tool todo_write "{\"content\":\"$markdown\"}" | jq .tasks
	tool todo_read '{}' | jq -r .markdown)" "$(printf "3\n$markdown")"
is 'todo_write: what todo_read lists, as it was' "$(tool todo_write "$(tool todo_read '{}' | jq -c '{todos}')" | jq .tasks
	tool todo_read '{}' | jq -r .markdown)" "$(printf "3\n$markdown")"
is 'todo_write: a task without a text' "$(tool todo_write '{"todos":[{"status":"pending"}]}')" \
	'error: a task is an object with content: {"content": "...", "status": "pending"}'
is 'todo_write: the list is as it was' "$(tool todo_read '{}' | jq '.todos | length')" 5
for file in "$MUXBUS_TOOL_STATE"/todo-*.json; do echo '{' >"$file"; done
is 'todo_write: a spoilt file is not overwritten' \
	"$(tool todo_write '{"todos":[]}' | grep -c 'is not JSON.*repair the file or remove it')" 1
is 'todo_read: without a state' "$(unset MUXBUS_TOOL_STATE; tool todo_read '{}')" \
	'error: MUXBUS_TOOL_STATE is not set: muxbusd sets the folder for this tool'

# ---- remember
is 'remember: a note' "$(tool remember '{"notes":"### Feature\n- `file.rs` [0..100] - `function_name()`"}' | jq -c '[.id, .count]')" '[1,1]'
is 'remember: another' "$(tool remember '{"notes":"the build needs make"}' | jq -c '[.id, .count]')" '[2,2]'
is 'remember: the list' "$(tool remember '{}' | jq -c '.notes | map(.text[:11])')" '["### Feature","the build n"]'
is 'remember: notes with a word' "$(tool remember '{"find":"BUILD"}' | jq -c '.notes | map(.id)')" '[2]'
is 'remember: the same again' "$(tool remember '{"notes":"the build needs make"}' | jq -c '[.id, .replaced, .count]')" '[2,true,2]'
is 'remember: the same heading' "$(tool remember '{"notes":"### Feature\nnew"}' | jq -c '[.id, .replaced, .count]'
	tool remember '{}' | jq -c '.notes[0].text')" "$(printf '[1,true,2]\n"### Feature\\nnew"')"
is 'remember: parts under other headings stay' "$(tool remember '{"notes":"### One\n- a\n#### Deeper\n- b\n### Two\n```\n### no heading\n```"}' | jq -c .id
	tool remember '{"notes":"### Three\n- d\n### One\n- c"}' | jq -c '[.id, .replaced]'; tool remember '{"find":"Two"}' | jq -c '.notes[].text')" \
	"$(printf '3\n[3,true]\n"### One\\n- c\\n### Two\\n```\\n### no heading\\n```\\n### Three\\n- d"')"
is 'remember: with them it is too long' "$(tool remember "{\"notes\":\"### Four\\n$(head -c 16330 /dev/zero | tr '\0' n)\\n### One\"}")" \
	'error: a note has 1 to 16384 bytes, not 16392 with what stays of note 3'
tool remember '{"forget":3}' >/dev/null
is 'remember: forget' "$(tool remember '{"forget":2}' | jq -c '[.forgotten, .count]')" '[2,1]'
is 'remember: an id is not used again' "$(tool remember '{"notes":"next"}' | jq .id)" 4
is 'remember: an unknown note' "$(tool remember '{"forget":9}')" \
	"error: there is no note 9 for $dir/work/project; the latest are: 1, 4"
is 'remember: a note too long' "$(tool remember "{\"notes\":\"$(head -c 20000 /dev/zero | tr '\0' n)\"}")" \
	'error: a note has 1 to 16384 bytes, not 20000'
odd=$dir/$(printf 'caf\351')
mkdir "$odd"
is 'remember, todo_write: in a folder whose name is not UTF-8' "$(cd "$odd" &&
	for call in 'remember {"notes":"x"}' 'remember {}' 'todo_write {"content":"- [ ] x"}' 'todo_read {}'; do
		printf '%s' "${call#* }" | "$tools/${call%% *}" 2>&1 | jq -r '.project | sub(".*/"; "")' 2>/dev/null
	done | sort | uniq -c | tr -d ' ')" "$(printf '4caf\357\277\275')"
is 'files_server: the same answers and errors' "$(cat "$dir/different" 2>/dev/null)" ''
ok 'files_server: of all calls' [ "$(cat "$dir/compared")" -gt 200 ]

for i in $(seq 20); do
	printf '{"notes":"at once %s"}' "$i" | "$tools/remember" >/dev/null &
done
wait
is 'remember: no note at the same time is lost' "$(tool remember '{"find":"at once"}' | jq '.notes | map(.id) | unique | length')" 20

end_testing
