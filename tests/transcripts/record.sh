#!/bin/sh
# SPDX-License-Identifier: ISC
# Records the output of a tmux to a control client, with known nonces, and the capture of
# hostile text in a pane: usage record.sh TMUX >NAME.txt. The server is private and ends.

tmux=$1
server=record-$$
dir=$(mktemp -d) || exit 1
trap '"$tmux" -L "$server" kill-server 2>/dev/null; rm -rf "$dir"' EXIT

nonce() { printf "$1%.0s" $(seq 32); }
# run NONCE COMMAND: a command and its sentinel on one line, that of the list on another.
run() {
	printf '%s ; display-message -p %s\ndisplay-message -p %s\n' "$2" "$(nonce "$1")" "$(nonce z)"
	sleep 0.3
}

# Prints guards of all replies of the near future, and events behind them.
cat >"$dir/hostile" <<'END'
now=$(date +%s)
for t in $now $((now + 1)) $((now + 2)) $((now + 3)); do
	n=$(($1 + 1))
	while [ $n -lt $(($1 + 40)) ]; do
		echo "%end $t $n 1"
		n=$((n + 1))
	done
done
echo '%session-renamed $0 PWNED'
echo '%exit'
printf 'caf\303\251 \033[31mred\033[0m \\134 tab\there\007\n'
exec sleep 600
END

printf '%s\n' 'set -s command-alias[9] two="display-message -p one ; display-message -p two"' \
	'set-hook -g after-rename-window "display-message -p hooked"' >"$dir/conf"

{
	sleep 0.7
	run a 'display-message -p "#{version}"'
	run b 'two'
	run c 'rename-window "a name"'
	run d 'bogus-command'
	run e 'kill-window -t @99'
	number=$(sed -n 's/^%begin [0-9]* \([0-9]*\) 1$/\1/p' "$dir/out" | tail -n 1)
	run f "split-window -h \"sh $dir/hostile $number\""
	run g 'capture-pane -p -S - -t :.1'
	run h 'refresh-client -A "%1:pause"'
	run i 'refresh-client -A "%1:continue"'
	run j 'refresh-client -B "sub:%*:#{pane_current_command}"'
	sleep 1.2
	run k 'set-buffer -b x y'
	run l 'new-window -d -n second "sleep 600"'
	run m 'resize-pane -Z'
	run n 'refresh-client -f pause-after=5'
	run o 'send-keys -t :.0 "echo hello" Enter'
	run p 'kill-window -t :second'
	sleep 0.3
	echo
} | "$tmux" -L "$server" -u -f "$dir/conf" -C new-session -s main -x 80 -y 24 'exec sh' |
	tee "$dir/out"
