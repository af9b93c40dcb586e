#!/bin/sh
# SPDX-License-Identifier: ISC
# SIGTERM with open requests of all kinds: each gets one answer, and the daemon ends in order.
# MUXBUS_STOPS: how often; 200 by hand.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
need_python
MUXBUS_TOOLS=$(mktemp -d /tmp/mbt-XXXXXX) || exit 99
export MUXBUS_TOOLS
printf '{"name":"slow_tool","group":"demo","description":"A test.","run":["sleep","1000"]}\n' >"$MUXBUS_TOOLS/slow_tool.json"
chmod 644 "$MUXBUS_TOOLS/slow_tool.json"
start 'exec sh'
trap 'finish; rm -rf "$MUXBUS_TOOLS"' EXIT

cat >"$dir/stop.py" <<'END'
import json, os, signal, socket, sys, time

path, pid, number, fleet = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), len(sys.argv) > 4
slow = number % 3 == 1  # tmux is busy: all that asks it waits
meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}


def tool(name, **arguments):
    return ("tools/call", {"name": name, "arguments": arguments, "_meta": meta})


rows = [
    ("wait_for", {"any": [{"sec": 1000}]}),
    ("wait_for", {"any": [{"sec": 1000}, {"output": "never", "pane": "main"}], "wait": f"named-{number}"}),
    ("next_notification", {"after": 10**9, "timeout_sec": 1000}),
    tool("wait_for", any=[{"sec": 1000}]),
    ("subscriptions/listen", {"notifications": {"toolsListChanged": True}, "_meta": meta}),
    ("subscribe", {"kinds": ["notification"]}),
    ("execute_cli", {"command": "sleep 1000", "timeout_sec": 900}),
    ("execute_cli", {"command": "sleep 1000", "timeout_sec": 900, "key": f"k-{number}"}),
    ("execute_cli", {"command": "sleep 1000", "timeout_sec": 900, "key": f"k-{number}"}),
    ("slow_tool", {}),
    ("slow_tool", {"wait": False}),
    ("ensure_agent", {"name": "never", "command": "exec sleep 1000", "prompt": "^never$"}),
    ("send_task", {"agent": "never", "text": "task"}),
    ("stop_agent", {"agent": "never", "grace_sec": 30}),
    ("take_notifications", {"way": "follow", "pane": "main", "timeout_sec": 1000}),
    ("send_text", {"pane": "main", "text": "x", "key": f"s-{number}"}),
    ("send_text", {"pane": "main", "text": "x", "key": f"s-{number}"}),
    ("self_command", {"pane": "main", "command": "true"}),
    tool("send_text", pane="main", text="y"),
    tool("list_panes"),
    tool("capture_pane", pane="main"),
    tool("execute_cli", command="sleep 1000"),
    ("resources/read", {"uri": "muxbus://panes/0", "_meta": meta}),
    ("create_window", {"session": "main", "command": "exec sleep 1000"}),
    ("run_long_command", {"command": "sleep 1000"}),
    ("list_panes", {"detail": "full"}),
    ("run_tmux", {"command": ["list-panes"]}),
    ("wait_for_idle", {"pane": "main", "duration_seconds": 100, "cpu_threshold": 5, "timeout_sec": 200}),
    ("watch_pane", {"pane": "main", "regex": "never"}),
    ("report_agent", {"agent": "claude", "pane": "main", "session": "s", "state": "busy"}),
    ("list_agents", {}),  # reads its screen
]
if slow:
    rows.insert(0, ("run_tmux", {"command": ["run-shell", "sleep 20"], "force": True}))
rows += [("post_notification", {"text": f"post {at}", "sync": True, "key": f"p-{number}-{at}"}) for at in range(8)]
if fleet:
    rows = [row for row in rows if row[0] in ("wait_for", "next_notification", "subscribe", "take_notifications",
        "list_panes", "post_notification", "list_jobs")]
    rows += [("send_text", {"pane": "main", "text": "x", "host": "b"}), ("list_panes", {"host": "b"}), ("list_jobs", {})]

peers = []
for _ in range(3):  # one of them is gone before the stop, and one reads
    peer = socket.socket(socket.AF_UNIX)
    peer.connect(path)
    peers.append(peer)
lines = "".join(
    json.dumps({"jsonrpc": "2.0", "id": at, "method": method, "params": params}) + "\n"
    for at, (method, params) in enumerate(rows))
for peer in peers:
    peer.sendall(lines.encode())
peers[1].close()
peer = peers[0]
# The daemon has read the last of them when a later request is answered.
peer.sendall(b'{"jsonrpc":"2.0","id":"last","method":"ping"}\n')
peer.settimeout(60)
answers, text, has_stopped = {}, b"", False
if number % 2:
    time.sleep(number % 7 * 0.005)
    os.kill(pid, signal.SIGTERM)
    has_stopped = True
while True:
    try:
        got = peer.recv(65536)
    except ConnectionResetError:
        got = b""
    if not got:
        break
    text += got
    *whole, text = text.split(b"\n")
    for line in whole:
        message = json.loads(line)
        if "id" in message:
            answers.setdefault(message["id"], []).append(message)
    if not has_stopped and any(isinstance(at, int) and rows[at][0] == "subscribe" for at in answers):
        os.kill(pid, signal.SIGTERM)
        has_stopped = True
assert text == b"", text
twice = [at for at, all in answers.items() if len(all) > 1]
assert not twice, (twice, [answers[at] for at in twice])
# Lines that were not read before the end have no answers; of those that were, all have.
asked = max((at for at in answers if isinstance(at, int)), default=-1)
if "last" in answers:
    asked = len(rows) - 1
without = [rows[at][0] for at in range(asked + 1) if at not in answers]
assert not without, without
ended = [at for at, all in answers.items() if all[0].get("error", {}).get("data", {}).get("daemon_ends")]
for at in ended:
    assert answers[at][0]["error"]["data"]["kind"] == "cancelled", answers[at]
print("each has one answer", "some say why" if ended or asked < 0 else [answers[at][0].get("error") for at in answers])
END

status=0
stops=${MUXBUS_STOPS:-10}
number=0
while [ $number -lt "$stops" ]; do
	number=$((number + 1))
	is "stop $number" "$(/usr/bin/python3 "$dir/stop.py" "$MUXBUS" "$daemon_pid" $number 2>&1)" 'each has one answer some say why'
	wait "$daemon_pid"
	is "stop $number: in order" $? 0
	start_daemon
done
call list_watches '{}'
is 'what was armed is still there' "$(field '.result.watches | length > 0')" true

# The fleet: its hosts do not answer.
kill "$daemon_pid"
wait "$daemon_pid"
mkdir -m 700 "$dir/run"
printf '#!/bin/sh\nexec "%s/tests/fake_relay" "$@"\n' "$MUXBUS_BUILDDIR" >"$dir/ssh"
chmod 755 "$dir/ssh"
printf '%s\n' 'b ssh=name=b,panes=2,delay=60000' 'c ssh=name=c,panes=2' >"$dir/.config/muxbus/hosts"
export MUXBUS_SSH="$dir/ssh" XDG_RUNTIME_DIR="$dir/run"
start_fleet() {
	"$MUXBUS_BUILDDIR/muxbusd" --fleet -f --ready-fd 3 3>"$dir/ready" 2>>"$dir/muxbusd.log" &
	daemon_pid=$!
	timeout 10 head -n 1 "$dir/ready" >"$dir/answer"
}
start_fleet
number=0
while [ $number -lt $((stops / 3)) ]; do
	number=$((number + 1))
	is "stop $number of the fleet" "$(/usr/bin/python3 "$dir/stop.py" "$dir/run/muxbus/fleet" "$daemon_pid" $number fleet 2>&1)" 'each has one answer some say why'
	wait "$daemon_pid"
	is "stop $number of the fleet: in order" $? 0
	start_fleet
done
done_testing
