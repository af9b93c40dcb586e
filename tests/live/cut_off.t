#!/bin/sh
# SPDX-License-Identifier: ISC
# tmux since 3.7 gives a format up after 100 ms and prints a part of it. A machine that stops tmux for
# so long, at any instant, changes no answer. MUXBUS_CUT_STOPS says how often tmux is stopped.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
need_python
answers=$(mktemp)
cat >"$answers" <<'END'
import json, os, random, signal, socket, sys, threading, time

server, stops = int(sys.argv[1]), int(os.environ.get("MUXBUS_CUT_STOPS") or 25)
link = socket.socket(socket.AF_UNIX)
link.connect(os.environ["MUXBUS"])
lines = link.makefile("rb")

def ask(method, **params):
    link.sendall(json.dumps({"id": 1, "method": method, "params": params}).encode() + b"\n")
    answer = json.loads(lines.readline())
    return answer.get("result") or answer

def look():
    """What is asked, without the times of clients that come and go."""
    return {method: [{key: row[key] for key in row if key not in ("activity", "attached")} for row in ask(method, max_age_ms=0)[rows]]
        for method, rows in (("list_sessions", "sessions"), ("list_windows", "windows"), ("list_panes", "panes"))}

def stop():
    """Stops tmux so often, and on until it was looked at as often, for a minute at most."""
    end, stopped = time.monotonic() + 60, 0
    while (stopped < stops or looks < 25) and time.monotonic() < end:
        stopped += 1
        time.sleep(random.uniform(0.005, 0.04))
        os.kill(server, signal.SIGSTOP)
        time.sleep(0.13)
        os.kill(server, signal.SIGCONT)

first, wrong, looks = look(), [], 0
thread = threading.Thread(target=stop)
thread.start()
while thread.is_alive():
    now = look()
    looks += 1
    wrong += [f"{method}: {new} and not {old}" for method in now for old, new in zip(first[method], now[method]) if old != new]
    wrong += [method for method in now if len(now[method]) != len(first[method])]
print(json.dumps({"looks": looks, "count": len(wrong), "wrong": wrong[:3]}))
END
for tmux_path in "$(command -v tmux)" "${MUXBUS_TMUX_CACHE:-$MUXBUS_SRCDIR/tests/cache}"/tmux-*; do
	is_tested "$tmux_path" || continue
	eval "t() { '$tmux_path' -S \"\$dir/tmux\" -f /dev/null \"\$@\"; }"
	for attach in never always; do
		MUXBUS_TEST_ATTACH=$attach
		start 'exec sleep 3600'
		t set-option -g automatic-rename off
		for number in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
			t new-window -d -n "window $number \\n" 'exec sleep 3600'
			t split-window -d -t main:$number 'exec sleep 3600'
		done
		/usr/bin/python3 "$answers" "$(t display-message -p '#{pid}')" >"$dir/answer"
		echo "# $(t -V), attach=$attach: $(cut -c 1-900 "$dir/answer")"
		is 'no answer differs while tmux is stopped again and again' "$(field .count)" 0
		is 'and many were compared' "$(field '.looks >= 25')" true
		finish
	done
done
rm -f "$answers"
end_testing
