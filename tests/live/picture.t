#!/bin/sh
# SPDX-License-Identifier: ISC
# Pictures of panes: the screen of a real tmux in its colours, as XML without other files; and what
# an answer says of a history that is longer than tmux is asked for.
. "$MUXBUS_SRCDIR/tests/live/live.sh"

script=$(mktemp) || exit 99
cat >"$script" <<'END'
printf '\033[31mred\033[0m \033[1;4:3mbold\033[0m <i>&amp;</i>\n'
printf '\033[44mblue\033[K\033[0m\n\342\224\214\342\224\200\342\224\220 \346\227\245\346\234\254\n'
printf '\033]2;a <title> & more\033\\ready'
exec cat
END
start "sh $script"

picture() { # picture MORE: the answer to capture_pane
	ask '{"method":"capture_pane","params":{"pane":"main:0.0"'"$1"'}}' >"$dir/answer"
	jq -r '.result.picture // .error.data.kind' "$dir/answer"
}
ready() {
	ask '{"method":"capture_pane","params":{"pane":"main:0.0"}}' | jq '.result.text | contains("ready")'
}
has() { # has TEXT: the picture
	grep -q -F -- "$1" "$dir/picture"
}
lint() {
	if command -v xmllint >/dev/null; then
		xmllint --noout --nonet "$dir/picture"
	else
		head -c 10 "$dir/picture" | grep -q '<'
	fi
}

until_is 'the pane shows the sample' true ready
rm -f "$script"

picture ',"format":"svg"' >"$dir/picture"
is 'the answer names the type' "$(jq -c '.result | [.format, .rows, .columns, .text]' "$dir/answer")" '["svg",24,80,null]'
ok 'it is XML' lint
ok 'as large as the pane' has "width='696' height='456'"
ok 'a word in its colour' has "fill='#e8656f'>red</text>"
ok 'another in bold' has "font-weight='bold'>bold</text>"
ok 'with waves under it' has "q2.1-3 4.2 0t4.2 0q"
ok 'tags of a program are text' has '&lt;i&gt;&amp;amp;&lt;/i&gt;'
ok 'a background colour' has "height='18' fill='#62a8ef'/>"
ok 'a corner that is drawn' has "M16.2 57H20.4M16.2 57V66"
ok 'a wide character' has "x='45.6' y='61.5' textLength='16.8' lengthAdjust='spacingAndGlyphs'>日</text>"
ok 'the cursor' has "<rect x='54' y='66' width='8.4' height='18' fill='#d7dae0'/>"
ok 'the title of the pane' has '<title>a &lt;title&gt; &amp; more</title>'
ok 'no bar unless asked for' test "$(grep -c '<circle' "$dir/picture")" = 0

picture ',"format":"svg","title":"mine","theme":"light","lines":1' >"$dir/picture"
ok 'the last line alone, in a frame, dark on light' has "width='696' height='60'"
ok 'is XML' lint
ok 'with the title that was given' has '>mine</text>'
ok 'and the line' has '>ready</text>'

picture ',"format":"html"' >"$dir/picture"
ok 'HTML is XML too' lint
ok 'and has the colours' has "<span style='color:#e8656f;'>red</span>"
ok 'and wide characters' has "<i class='w'>日</i>"

picture ',"format":"svg","join":true' >"$dir/picture"
is 'lines of a picture are not joined' "$(jq -c '.error | [.code, .data.field]' "$dir/answer")" '[-32602,"join"]'
picture ',"format":"html","encoding":"base64"' >"$dir/picture"
is 'nor is it base64' "$(jq -c .error.data.field "$dir/answer")" '"encoding"'
picture ',"format":"png"' >"$dir/picture"
is 'an unknown format is refused' "$(jq -c .error.data.field "$dir/answer")" '"format"'

# Columns are those of the screen, where several characters make one, and behind tabs.
t new-window -d -t main:7 'printf "\360\237\221\251\342\200\215\360\237\222\273e\314\201\t\346\227\245\033[1;31Hthere"; exec cat'
column() {
	ask '{"method":"find_text","params":{"pane":"main:7.0","regex":"there"}}' | jq -c '.result.matches[0].column'
}
until_is 'find_text counts the columns of the screen' 30 column

# A history that is longer than tmux is asked for.
t set-option -g history-limit 30000
long=$(t new-window -d -P -F '#{pane_id}' 'seq 12000; exec cat')
until_is 'a pane with a long history' 11977 t display-message -p -t "$long" '#{history_size}'
call capture_pane "{\"pane\":\"$long\",\"history\":true}"
is 'the rows of its last 10,000 lines are theirs' "$(field '.result | "\(.first_row) \(.truncated) \(.text[:4])"')" '-10000 true 1978'
call capture_pane "{\"pane\":\"$long\",\"lines\":11000}"
is 'so is an answer with fewer lines than were asked for' "$(field '.result.truncated')" true
call capture_pane "{\"pane\":\"$long\",\"lines\":9000}"
is 'and not one with all of them' "$(field '.result.truncated')" false
call find_text "{\"pane\":\"$long\",\"regex\":\"^(1978|12000)$\",\"history\":true}"
is 'and what is found stands in its row' "$(field '[.result.matches[].row] | @text')" '[-10000,22]'

# A screen in which every cell has a colour of its own does not fit in a small result.
kill "$daemon_pid"
wait "$daemon_pid" 2>/dev/null
t respawn-pane -k -t main:0.0 'i=0; while [ $i -lt 1840 ]; do
	printf "\033[48;2;$((i % 256));$((i / 8));$((i % 7))m."; i=$((i + 1)); done; printf "\033[0mready"; exec cat'
"$MUXBUS_BUILDDIR/muxbusd" -f -o result_bytes=65536 --ready-fd 3 -S "$dir/tmux" \
	3>"$dir/ready" 2>>"$dir/muxbusd.log" &
daemon_pid=$!
timeout 10 head -n 1 "$dir/ready" >/dev/null
until_is 'a screen full of colours' true ready
is 'is refused if the picture is too large' "$(picture ',"format":"svg"')" limit
ok 'with a remedy' grep -q 'ask for fewer lines' "$dir/answer"
picture ',"format":"svg","lines":3' >"$dir/picture"
ok 'fewer lines fit' lint
call capture_pane "{\"pane\":\"$long\",\"lines\":9000}"
is 'lines that were asked for and do not fit are missed, and can be read' \
	"$(field '.result | "\(.truncated) \(.rest | length > 0)"')" 'true true'

# tmux stands still while it writes colours, so their cells are bounded.
wide=$(t new-session -d -x 2000 -y 20 -P -F '#{pane_id}' 'seq 1 1500; exec sleep 600')
until_is 'a wide pane' 1500 sh -c "tmux -S '$dir/tmux' capture-pane -p -t $wide | grep . | tail -n 1"
call capture_pane "{\"pane\":\"$wide\",\"history\":true,\"escapes\":true}"
is 'with colours it has fewer lines' "$(field '.result | "\(.first_row) \(.truncated)"')" '-750 true'
call capture_pane "{\"pane\":\"$wide\",\"history\":true}"
is 'and all without' "$(field '.result | "\(.first_row) \(.truncated)"')" '-1481 false'

# A signal leaves no temporary folder of a picture in PNG.
mkdir "$dir/bin" "$dir/temporary"
printf '#!/bin/sh\necho $$ >"%s"\nexec sleep 60\n' "$dir/renders" >"$dir/bin/rsvg-convert"
chmod +x "$dir/bin/rsvg-convert"
: >"$dir/renders"
PATH="$dir/bin:$PATH" TMPDIR="$dir/temporary" "$MUXBUS_BUILDDIR/muxbus" -S "$dir/tmux" \
	screenshot -o "$dir/never.png" main:7.0 2>/dev/null &
shooter=$!
until_is 'a program draws' 1 grep -c . "$dir/renders"
kill -TERM "$shooter"
kill -TERM "$(cat "$dir/renders")"
wait "$shooter"
is 'the signal ends the command' $? 143
is 'and its folder is removed' "$(ls "$dir/temporary")" ''

# The pictures of contrib can be made again, and are as small as they may be.
pictures=$MUXBUS_SRCDIR/contrib/pictures
mkdir "$dir/made"
if command -v bash >/dev/null && [ -x "$MUXBUS_BUILDDIR/muxbus" ]; then
	# Its programs end with their terminal: the leak checker then waits for ever, and is busy with that.
	ok 'the pictures are made' env "ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0" sh "$pictures/make" "$MUXBUS_BUILDDIR" "$dir/made"
	is 'all of them' "$(ls "$dir/made")" "$(cd "$pictures" && ls ./*.svg | cut -c 3-)"
	cp "$dir/made/top-80x24.svg" "$dir/picture"
	ok 'that of top shows agents, with their number' has '>Agents 2</text>'
	ok 'and is live' has '>live</text>'
fi
for file in "$dir"/made/*.svg "$pictures"/*.svg; do
	cp "$file" "$dir/picture"
	ok "${file##*/} is XML" lint
	ok 'and of less than 60 kB' test "$(wc -c <"$file")" -lt 61440
done

done_testing
