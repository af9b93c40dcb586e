#!/bin/sh
# SPDX-License-Identifier: ISC
# nats-server and muxbusd are killed under load, and now and then muxbus-nats too: each post that
# muxbusd accepted is in the stream once. $MUXBUS_NATS_KILLS: how often each (make check-nats: 100).
. "$MUXBUS_SRCDIR/tests/live/live.sh"
. "$MUXBUS_SRCDIR/tests/live/nats_server.sh"
kills=${MUXBUS_NATS_KILLS:-5}
start 'exec sleep 3600'
trap finish_nats EXIT
start_nats
start_bridge

# Posts numbers until the file "end" is there; a post without an answer is made again, with its key.
# The file "posted" has the last number.
poster() {
	number=0
	until [ -e "$dir/end" ]; do
		number=$((number + 1))
		until printf '{"method":"post_notification","params":{"text":"n%d","key":"k%d"}}\n' \
			$number $number | socat -t 5 - "UNIX-CONNECT:$MUXBUS" 2>/dev/null | grep -q '"seq"'; do
			sleep 0.02
		done
		echo $number >"$dir/posted.new"
		mv "$dir/posted.new" "$dir/posted"
	done
}
poster &
poster_pid=$!

# progress: waits until some more posts were made, so that each kill meets load.
progress() {
	goal=$(($(cat "$dir/posted" 2>/dev/null || echo 0) + $1))
	tries=0
	until [ "$(cat "$dir/posted" 2>/dev/null || echo 0)" -ge $goal ] || [ $tries -gt 1000 ]; do
		tries=$((tries + 1))
		sleep 0.02
	done
}

round=0
while [ $round -lt "$kills" ]; do
	round=$((round + 1))
	progress $((round % 7 + 3))
	kill_nats
	progress $((round % 5 + 2))
	start_nats
	progress $((round % 11 + 3))
	kill_daemon
	t new-window -d 'exec true'
	if [ $((round % 4)) -eq 0 ]; then
		progress 5
		kill_bridge 9
		start_bridge
	fi
done
: >"$dir/end"
wait $poster_pid
last=$(cat "$dir/posted")

stored() {
	stream_texts | sort -u | wc -l
}
tries=0
until [ "$(stored)" -ge "$last" ] || [ $tries -gt 150 ]; do
	tries=$((tries + 1))
	sleep 0.2
done
probe read MUXBUS >"$dir/stream"
seq "$last" | sed 's/^/n/' | sort >"$dir/want"
awk -F '\t' '$1 ~ /\.notification\.post$/ { print $3 }' "$dir/stream" | jq -r .text | sort >"$dir/got"
is "$kills kills each of nats-server and muxbusd, $last posts: 0 lost" \
	"$(comm -23 "$dir/want" "$dir/got" | wc -l)" 0
is '0 twice' "$(uniq -d "$dir/got" | wc -l)" 0
is 'no other' "$(comm -13 "$dir/want" "$dir/got" | uniq | wc -l)" 0
is 'no message id is in the stream twice' "$(cut -f 2 "$dir/stream" | sort | uniq -d | wc -l)" 0
is 'notifications have no gap' "$(grep -c '\.notification\.gap	' "$dir/stream")" 0
# Events are not kept over kill -9: what is missing is said.
is 'events that were lost with muxbusd are gaps' \
	"$([ "$(grep -c '\.event\.gap	' "$dir/stream")" -ge 1 ] && echo yes)" yes
# A bridge that was killed before it noted what is stored has a gap that begins earlier.
order=$(awk -F '\t' '$1 ~ /\.event\./ && $1 !~ /\.gap$/ { print $3 }' "$dir/stream" | jq .seq)
is 'the others are in order' "$order" "$(echo "$order" | sort -n)"
nats_logs
done_testing
