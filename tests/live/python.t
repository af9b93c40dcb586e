#!/bin/sh
# SPDX-License-Identifier: ISC
# The client in Python, contrib/example/client.py: requests, errors, waits, and events.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
python3 -c 'import sys; sys.exit(sys.version_info < (3, 8))' 2>/dev/null || skip_all 'there is no Python of 3.8 or later'
start 'exec sh'
export PYTHONDONTWRITEBYTECODE=1
client=$MUXBUS_SRCDIR/contrib/example/client.py
is 'as a program: a method' "$(python3 "$client" list_panes | jq -r '.panes[0].pane')" %0
is 'with parameters' "$(python3 "$client" get_pane '{"pane":"main"}' | jq -r .pane)" %0
is 'by $TMUX alone' "$(env -u MUXBUS TMUX="$dir/tmux,1,0" python3 "$client" ping | jq -c .)" '{}'
cat >"$dir/try.py" <<'END'
import client

with client.Client() as bus:
    try:
        bus.request("capture_pane", pane="nowhere")
    except client.Failed as failed:
        print("failed", failed.data["kind"] == failed.kind, failed.kind)

    made = bus.request("create_window", session="main", command="read line; exit 5", keep_on_exit=True)
    print("time", bus.wait({"exited": made["pane"]}, timeout_sec=0.05))
    bus.request("send_keys", pane=made["pane"], keys=["Enter"])
    ended = bus.wait({"sec": 50}, {"exited": made["pane"]})
    print(ended["condition"], ended["details"]["exit_status"])

    bus.request("subscribe", kinds=["notification"])
    events = bus.events()
    with client.Client() as other:
        seqs = [other.request("post_notification", text=text)["seq"] for text in ("one", "two \u00e4")]
    first = next(events)
    print("events", first["seq"] == seqs[0])
    # A request in between keeps the events that come with its answer.
    print("still answered", bus.request("ping"))
    print("events", next(events)["seq"] == seqs[1])
    texts = [note["text"] for note in bus.request("list_notifications")["notifications"]]
    print(texts[-2:] == ["one", "two \u00e4"] or texts)
    bus.request("shutdown")
    try:
        next(events)
    except ConnectionError as error:
        print(error)
END
PYTHONPATH=$MUXBUS_SRCDIR/contrib/example timeout 60 python3 "$dir/try.py" >"$dir/said" 2>&1
is 'errors, waits, events and requests share a connection' "$(cat "$dir/said")" "failed True no_such_pane
time None
exited 5
events True
still answered {}
events True
True
muxbusd closed the connection"
wait "$daemon_pid"
daemon_pid=
is 'a missing daemon is an error' "$(python3 "$client" ping 2>&1 >/dev/null | grep -c 'FileNotFoundError\|ConnectionRefused')" 1
is 'without a method it says how to call it' "$(python3 "$client" 2>&1)" 'usage: client.py METHOD [PARAMETERS AS JSON]'
done_testing
