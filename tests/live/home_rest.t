#!/bin/sh
# SPDX-License-Identifier: ISC
# The home screen beside 500 panes at rest: what it costs, and what it knows of programs that
# neither read nor write their terminals.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
[ -r /proc/self/schedstat ] || skip_all 'there is no schedstat'
muxbus=$MUXBUS_BUILDDIR/muxbus
start 'exec cat'
PANES=500
: >"$dir/windows"
for _ in $(seq $((PANES - 1))); do
	echo "new-window -d -t main: 'exec cat'" >>"$dir/windows"
done
t source-file "$dir/windows"
mkfifo "$dir/silent" "$dir/loud"
loud="exec sh -c 'read x <$dir/loud; echo; exec sleep 1000'"
silent=$(t new-window -d -P -F '#{pane_id}' -t main: "exec sh -c 'read x <$dir/silent; exec sleep 1000'")
loud=$(t new-window -d -P -F '#{pane_id}' -t main: "$loud")

# paint: until the home screen has a row of panes, in ms, in a terminal of its own.
o() {
	tmux -S "$dir/outer" -f /dev/null "$@"
}
paint() {
	from=$(date +%s%N)
	o respawn-pane -k "exec $muxbus -S $dir/tmux"
	while ! o capture-pane -p | grep -q '%0 '; do
		sleep 0.005
	done
	echo $((($(date +%s%N) - from) / 1000000))
}
o new-session -d -x 200 -y 50 cat
trap 'o kill-server; finish' EXIT
until_is 'all panes are known' $((PANES + 2)) sh -c "$muxbus -S $dir/tmux list_panes --json | jq '.panes | length'"
took=$(paint)
echo "# first paint after $took ms"
ok 'the first paint comes soon' test "$took" -lt 1000

cpu() { # cpu PID...: their processor time in us
	cat $(printf '/proc/%s/schedstat ' "$@") | awk '{ sum += $1 } END { printf "%d", sum / 1000 }'
}
name() { # name PANE MAX_AGE_MS: of its program
	ask '{"method":"list_panes","params":{"max_age_ms":'"$2"'}}' |
		jq -r 2>&1 --arg pane "$1" '.result.panes[] | select(.pane == $pane).command'
}
sleep 12 # the kernel notes the use of a terminal so coarsely, and all have just been made
home=$(o display-message -p '#{pane_pid}')
server=$(t display-message -p '#{pid}')
before=$(cpu "$home" "$server" "$daemon_pid")
sleep 20
for pid in "$home" "$server" "$daemon_pid"; do
	echo "# $(tr '\0' ' ' <"/proc/$pid/cmdline"): $(cpu "$pid") us since its start"
done
after=$(cpu "$home" "$server" "$daemon_pid")
echo "# home screen, muxbusd and tmux together: $(((after - before) / 2000)) hundredths of a percent of a core"
ok 'less than 2 % of a core, and 1 % on a quiet machine' test $(((after - before) / 2000)) -lt 200

# A program that prints is seen by the clock. One that does not is seen by a list that may not be old.
echo >"$dir/loud"
until_is 'a program that writes has its new name by the clock' sleep name "$loud" 86400000
is 'the other one has its first name' "$(name "$silent" 86400000)" sh
echo >"$dir/silent"
until_is 'a program in silence has its new name in a list that is fresh' sleep name "$silent" 0
done_testing
