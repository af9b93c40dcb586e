#!/bin/sh
# SPDX-License-Identifier: ISC
# The names that one expects of a command line: each verb once, from the table to its effect.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
start 'exec sh'
PATH="$MUXBUS_BUILDDIR:$PATH"
export PATH
pane=$(t list-panes -a -F '#{pane_id}')
mkfifo "$dir/go"

shows() { # shows TEXT: on how many lines of the pane that is
	muxbus --text capture "$pane" | grep -c -e "$1" || :
}
complete() { # complete WORD...: the words that may follow, on one line
	muxbus complete -- "$@" | cut -f 1 | tr '\n' ' '
}

# Shorter names of methods.

is 'ls lists the panes' "$(muxbus ls | jq -r '.panes[0].pane')" "$pane"
is 'as a table for a person' "$(muxbus --text ls | cut -d ' ' -f 1 | tr '\n' ' ')" "PANE $pane "
muxbus send main 'echo se''nt' >/dev/null
until_is 'send types a line and presses Enter' 1 shows '^sent$'
muxbus send "$pane" enter=false 'echo un''sent' >/dev/null
until_is 'capture shows the screen' 1 shows 'echo unsent$'
is 'without Enter, if asked for' "$(shows '^unsent')" 0
muxbus send_keys "$pane" C-u >/dev/null
until_is 'C-u takes the line away' 0 shows 'unsent'
muxbus send "$pane" -- 'echo enter=''true' >/dev/null
until_is 'a text with an equals sign follows --' 1 shows '^enter=true$'
muxbus send "$pane" 'echo=with=equ''als; echo $echo' >/dev/null
until_is 'or comes last, behind the pane' 1 shows '^with=equals$'
muxbus send "$pane" enter=false 'word=of''f' >/dev/null
until_is 'also with a parameter between them' 1 shows 'word=off$'
muxbus send_keys "$pane" C-u >/dev/null
until_is 'and is taken away' 0 shows 'word=off'
printf false >"$dir/false"
muxbus send "$pane" "enter@=$dir/false" 'echo fi''le' >/dev/null
until_is 'also one from a file' 1 shows 'echo file$'
muxbus send_keys "$pane" C-u >/dev/null
until_is 'whose text is taken away too' 0 shows 'file'
muxbus send main text='echo ke''yed' >/dev/null
until_is 'but text= is no text' 1 shows '^keyed$'
muxbus send main base64="$(printf 'echo en''coded' | base64)" enter=true >/dev/null
until_is 'nor is base64=' 1 shows '^encoded$'

# Without a text nothing is typed: Enter alone would approve a question.
muxbus send "$pane" 'read -p "next> " x; echo "<$x>"' >/dev/null
until_is 'a program reads' 1 shows '^next> *$'
for words in "$pane" '' "$pane --" "$pane ''" "text= $pane" 'base64='; do
	eval "TMUX_PANE=$pane muxbus send $words" >"$dir/out" 2>"$dir/err"
	is "send $words" "$? $(sed -n 's/.*\(keys": "Enter"\|usage: .*\)/\1/p' "$dir/err" | tr '\n' ' ')" \
		'2 keys": "Enter" usage: muxbus send [pane] text [enter=false] '
done
muxbus send "$pane" given >/dev/null
until_is 'and what read waits for is the next text' 1 shows '^<given>$'
for verb in kill restart logs; do
	muxbus $verb 2>"$dir/err" >/dev/null
	is "$verb of nothing" "$? $(grep -c "^usage: muxbus $verb .*job" "$dir/err")" '2 1'
done
muxbus close_pane 2>"$dir/err"
is 'a method too' "$? $(grep -c '^usage: muxbus close_pane pane=' "$dir/err")" '2 1'

job=$(muxbus run -d -n reader -- sh -c "echo first; read x <$dir/go; echo second; sleep 60" | jq -r .id)
is 'jobs lists the jobs' "$(muxbus jobs running=true | jq -r '.jobs[].name')" reader
is 'ps too' "$(muxbus ps | jq -r '.jobs[].id')" "$job"
until_is 'logs prints the output of a job' first muxbus logs reader
muxbus logs -f "$job" >"$dir/out" &
follower=$!
echo >"$dir/go"
until_is 'and follows it' 'first second' sh -c "tr '\n' ' ' <'$dir/out' | sed 's/ \$//'"
is 'restart starts it again' "$(muxbus restart reader | jq -r .replaced)" "$job"
wait "$follower"
is 'logs ends with its job' $? 0
is 'whose end it waits for' "$(muxbus get_action_history | jq -c --arg job "$job" \
	'[.actions[] | select(.method == "wait_for" and (.params | contains($job))).outcome]')" '["done"]'
is 'run -i passes standard input on' "$(printf 'a\nb\n' | muxbus run -i -- wc -l)" 2
is 'without -i it is empty' "$(printf 'a\nb\n' | muxbus run -- wc -l)" 0
printf 'a\000b' | muxbus run -i -- cat 2>"$dir/err"
is 'bytes that are no text are refused' "$? $(grep -c 'is not text in UTF-8' "$dir/err")" '2 1'
head -c 1048577 /dev/zero | tr '\0' x | muxbus run -i -- cat 2>"$dir/err"
is 'so is too much' "$? $(grep -c 'longer than 1048576 bytes' "$dir/err")" '2 1'
long=$(head -c 65536 /dev/zero | tr '\0' x)
muxbus run -- true "$long" "${long%???????????}" 2>"$dir/err" # with exec before them: 128 KiB
is 'and a command that is longer than muxbusd takes' "$? $(grep -c 'longer than 131071 bytes' "$dir/err")" '2 1'
muxbus run -- true "$long" "${long%????????????}" 2>"$dir/err"
is 'not one that is as long' "$? $(cat "$dir/err")" '0 '
long=$(head -c 131069 /dev/zero | tr '\0' x) # with "AB=" and the NUL: 131073 bytes
is 'nor has a variable room for more' "$(printf '{"method":"create_pane","params":{"pane":"%s","env":{"AB":"%s"}}}\n' "$pane" "$long" |
	socat -t 86400 - "UNIX-CONNECT:$MUXBUS" | jq -r .error.data.kind)" invalid_params
is 'kill stops a job' "$(muxbus kill reader | jq -r '.id | length')" 4
until_is 'which ends' 0 sh -c "muxbus ps running=true | jq '.jobs | length'"
seq 100000 >"$dir/numbers"
muxbus run --name numbers -- cat "$dir/numbers" >/dev/null
for lines in 1 3 70000 99999 100000 100001; do
	is "logs -n $lines: the last lines" "$(muxbus logs -n $lines numbers | cksum)" \
		"$(tail -n $lines "$dir/numbers" | cksum)"
done
muxbus run --name short -- printf 'a\n\nb' >/dev/null
is 'the last line may have no end' "$(muxbus logs --tail=2 short | od -An -c | tr -d ' ')" '\nb'
is 'and there may be none' "$(muxbus run --name none -- true; muxbus logs --lines 5 none)" ''
muxbus run --name big -- seq 12000000 >/dev/null 2>&1 # more than is kept
is 'where lines are lost, that is said' "$(muxbus logs -n 100000 big 2>&1 >/dev/null)" \
	'muxbus: the output right before these lines is lost'
is 'logs -n 0' "$(muxbus logs -n 0 numbers 2>/dev/null; echo $?)" 2
muxbus logs nothing 2>"$dir/err"
is 'logs of an unknown job' "$? $(grep -c 'there is no job' "$dir/err")" '1 1'
muxbus logs 2>"$dir/err"
is 'logs of none' "$? $(grep -c 'a job is missing' "$dir/err")" '2 1'

# Lines. A pipe for each step: a writer may hold a pipe open until the next reader comes.

mkfifo "$dir/go2" "$dir/go3"
other=$(t new-window -d -P -F '#{pane_id}' "read x <$dir/go
	printf 'a line in \\033[31mco'; read x <$dir/go2
	printf 'lours\\033[0m\\nhalf\\rwhole\\n'; seq 3000; printf 'no newline'; read x <$dir/go3")
timeout 60 muxbus tail "$other" >"$dir/lines" 2>"$dir/err" &
tail=$!
timeout 60 muxbus watch -n 3000 line >"$dir/events" &
watcher=$!
until_is 'tail and watch subscribe' 2 sh -c "muxbus status | jq .subscriptions"
echo >"$dir/go"
until_is 'the output comes in pieces' true sh -c "muxbus capture_pane $other | jq '.text | test(\"in co\")'"
is 'and half a line is none' "$(cat "$dir/lines")" ''
echo >"$dir/go2"
until_is 'lines come as they are ended' 3002 sh -c "wc -l <'$dir/lines'"
until_is 'the rest of a line waits' true sh -c "muxbus capture_pane $other | jq '.text | test(\"no newline\")'"
echo >"$dir/go3"
wait "$tail"
is 'tail prints whole lines until the pane closes' "$? $(head -n 2 "$dir/lines" | tr '\n' '|') $(tail -n 1 "$dir/lines")" \
	'0 a line in colours|whole| no newline'
is 'each once, and no more' "$(sed -n '3,3002p' "$dir/lines" | cksum) $(wc -l <"$dir/lines")" "$(seq 3000 | cksum) 3003"
wait "$watcher"
is 'the socket has them as events' "$(jq -r 'select(.kind == "line").text' "$dir/events" | head -n 2 | tr '\n' '|')" 'a line in colours|whole|'
timeout 20 muxbus watch -t 0.3 'l*' >"$dir/events" &
watcher=$!
muxbus send "$pane" 'echo li''ne' >/dev/null
wait "$watcher"
is 'no pattern means lines' "$(grep -c '"kind":"line"' "$dir/events")" 0
muxbus tail -t 0.1 "$pane"
is 'tail for a time' $? 4
is 'and again: no line is missing before the first' "$(muxbus tail -t 0.1 "$pane" 2>&1)" ''

saved_windows() { # as the table of the saved sessions has them
	muxbus --text list_saved | awk 'NR == 2 {print $2}'
}
until_is 'saved sessions are listed with the number of their windows' "$(t list-windows | wc -l)" saved_windows

# Reminders.

is 'remind sets a timer with a text' "$(muxbus remind -p "$pane" 1h 'some tea' | jq -r .message | cut -c 1-20)" 'The reminder is set.'
muxbus remind -p "$pane" 30m water >/dev/null
is 'several of a pane' "$(muxbus list_timers | jq -r '[.timers[].text] | join(",")')" 'water,some tea'
id=$(muxbus remind 0.1 'now!' | jq -r .id)
is 'which comes as a notification' "$(timeout 20 muxbus next_notification "filter:={\"id\":\"$id\"}" timeout_sec=20 |
	jq -r '.notifications[0].text')" 'now!'
muxbus remind 14:3 tea 2>"$dir/err"
is 'half a time is none' "$? $(grep -c 'not "14:3"' "$dir/err")" '2 1'
muxbus remind soon tea 2>"$dir/err"
is 'a time that is none' "$? $(grep -c 'the time must be such as' "$dir/err")" '2 1'
muxbus remind 10m a cup 2>"$dir/err"
is 'a text without quotes' "$? $(grep -c 'quote the text' "$dir/err")" '2 1'

# The state of the daemon.

is 'status has ten lines for a person' "$(muxbus --text status | wc -l)" 10
is 'of these columns' "$(muxbus --text status | sed 's/^ *//; s/ .*//' | tr '\n' ' ')" \
	'muxbusd socket tmux panes running queue programs requests events memory '
is 'with its facts' "$(muxbus --text status | grep -c -e "^  socket  $MUXBUS\$" -e '^   panes  1 pane in 1 window of 1 session$')" 2
is 'and everything in a pipe' "$(muxbus status | jq -r '.counters.errors > 0, .socket' | tr '\n' ' ')" "true $MUXBUS "
muxbus >"$dir/out" 2>&1
is 'without a verb there is the usage in a pipe' "$? $(grep -c '^usage: muxbus' "$dir/out")" '2 1'
t send-keys -t "$pane" "clear; $MUXBUS_BUILDDIR/muxbus; echo done \$?" Enter
until_is 'and the home screen on a terminal' 1 shows '^ Home '
t send-keys -t "$pane" q
until_is 'which q ends' 1 shows '^done 0$'
t send-keys -t "$pane" "clear; $MUXBUS_BUILDDIR/muxbus -s $dir/nothing; echo over \$?" Enter
until_is 'also without a daemon' 1 shows '^over 0$'
is 'with eight verbs' "$(shows '^  muxbus [a-z]')" 8
is 'and the remedy' "$(shows "is not running: muxbus -s $dir/nothing start")" 1

# Metrics, by the rules of the text format.

muxbus metrics >"$dir/metrics"
is 'metrics have their HELP and TYPE once, then a value' "$(awk '
	function bad(text) { print FILENAME ":" FNR ": " text; failed = 1 }
	/^# HELP [a-z_]+ [A-Z].*\.$/ && !helped[$3]++ { name = $3; next }
	/^# TYPE [a-z_]+ (counter|gauge)$/ && $3 == name && !typed[$3]++ {
		if (($4 == "counter") != (name ~ /_total$/)) bad("a counter ends in _total")
		next
	}
	{ sub(/\{([a-z]+="([^"\\]|\\.)*",?)+\}/, "", $1) }
	NF == 2 && $1 == name && typed[name] && !seen[name]++ && $2 ~ /^[0-9.]+$/ { count++; next }
	{ bad($0) }
	END { print failed + 0, (count > 25) }' "$dir/metrics")" '0 1'
is 'with the figures of status' "$(sed -n 's/^muxbus_panes //p' "$dir/metrics")" "$(muxbus status | jq .panes)"
is 'and the versions' "$(grep -c "^muxbus_build_info{version=\"$(muxbus status | jq -r .version)\",tmux=\"" "$dir/metrics")" 1
is 'without a daemon, up is 0' "$(muxbus -s "$dir/nothing" metrics | tail -n 1; muxbus -s "$dir/nothing" metrics >/dev/null || echo $?)" "$(printf 'muxbus_up 0\n3')"

# The completion script, which is the installed one.

for file in bash/muxbus fish/muxbus.fish zsh/_muxbus; do
	muxbus completion "${file%%/*}" >"$dir/out"
	ok "completion of ${file%%/*}" cmp "$dir/out" "$MUXBUS_SRCDIR/contrib/completions/$file"
done
muxbus completion csh 2>"$dir/err"
is 'of no other shell' "$? $(grep -c 'for bash, fish and zsh' "$dir/err")" '2 1'

# Each verb has its help, its usage and its completion.

for verb in $(sed -n 's/^    {"\([a-z]*\)", VERB.*/\1/p' "$MUXBUS_SRCDIR/src/cli/verbs.c"); do
	[ "$verb" != complete ] || continue
	is "help lists $verb, and has its usage" "$(muxbus help | grep -c "^  $verb ") $(muxbus help "$verb" | grep -c "^usage: muxbus $verb")" '1 1'
	is "completion offers $verb" "$(complete "$verb" | tr ' ' '\n' | grep -c -x "$verb")" 1
done
is 'help of a shorter name says so' "$(muxbus help send | grep -c '^The same as send_text with enter=true')" 1
is 'completion of send has the panes' "$(complete send '%')" "$pane "
is 'of kill, the jobs and the arguments' "$(complete kill sig)" 'signal= '
is 'of logs, the jobs' "$(complete logs "$job")" "$job "

# A mark is ended, however long its texts are: a terminal swallows what follows one that is not.

printf '%s\n' 'export LC_MUXBUS=token' "muxbus mark idle -w $(head -c 70000 /dev/zero | tr '\0' x)" 'echo after' 'read x' >"$dir/long"
long=$(t new-window -d -P -F '#{pane_id}' "sh '$dir/long'")
until_is 'text behind a long mark is shown' true sh -c "muxbus capture_pane $long | jq '.text | test(\"after\")'"

# The end of the tmux server is the end of its panes.

before=$(muxbus status | jq .subscriptions)
timeout 20 muxbus tail "$pane" >"$dir/lines" 2>"$dir/err" &
tail=$!
until_is 'tail subscribes' $((before + 1)) sh -c "muxbus status | jq .subscriptions"
t kill-server
wait "$tail"
is 'tail ends with the tmux server' $? 0
done_testing
