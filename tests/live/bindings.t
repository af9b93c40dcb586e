#!/bin/sh
# SPDX-License-Identifier: ISC
# The binding in Python, contrib/bindings/python: typed methods made from the daemon's tables,
# requests at the same time, events, errors, and the end of the daemon.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
python3 -c 'import sys; sys.exit(sys.version_info < (3, 8))' 2>/dev/null || skip_all 'there is no Python of 3.8 or later'
export PYTHONDONTWRITEBYTECODE=1
bindings=$MUXBUS_SRCDIR/contrib/bindings
start 'exec sh'

# The package as it is installed: make writes methods.py into the build folder, a release has it.
package=$dir/python/muxbus
mkdir -p "$package" && cp "$bindings/python/muxbus"/*.py "$package"
made=$MUXBUS_BUILDDIR/contrib/bindings/python/muxbus/methods.py
[ ! -e "$made" ] || cp -f "$made" "$package"

"$MUXBUS_BUILDDIR/muxbusd" describe | "$bindings/generate" >"$dir/methods.py"
is 'methods.py is that of this daemon (make writes it)' \
	"$(diff "$dir/methods.py" "$package/methods.py" | head -n 5)" ''

cat >"$dir/try.py" <<'END'
import asyncio
import inspect
import typing

import muxbus


async def types(bus):
    methods = (await bus.describe())["methods"]
    print("missing", [name for name in methods if not inspect.iscoroutinefunction(getattr(bus, name))])
    # Each result that the daemon gives has only members that its type has.
    for name in ("list_panes", "list_windows", "list_sessions", "status", "list_timers", "ping"):
        result = await getattr(bus, name)()
        hints = typing.get_type_hints(getattr(bus, name))["return"]
        known = typing.get_type_hints(hints) if hasattr(hints, "__total__") else {}
        print(name, sorted(set(result) - set(known)))


async def at_once(bus):
    pane = (await bus.list_panes())["panes"][0]["pane"]
    late = asyncio.ensure_future(bus.wait_for(any=[{"sec": 50}, {"output": "never", "pane": pane}]))
    done = await asyncio.gather(*(bus.get_pane(pane=pane) for _ in range(100)))
    print("at once", len(done), late.done())
    late.cancel()
    statuses = set()
    for _ in range(20):
        made = await bus.create_window(session="main", command="exit 5", keep_on_exit=True)
        ended = await bus.wait_for(any=[{"exited": made["pane"]}], timeout_sec=30)
        statuses.add(ended["conditions"][0]["details"]["exit_status"])
    print("exited", *statuses)
    missed = 0
    for _ in range(12):
        # Kept panes whose programs end together, and waits that begin just then.
        begin = asyncio.get_running_loop().time() + 0.1
        async def end(number):
            due = begin + 0.04 * number / 8
            left = max(0, due - asyncio.get_running_loop().time())
            made = await bus.create_window(session="main", command=f"sleep {left:.4f}; exit 5", keep_on_exit=True)
            await asyncio.sleep(max(0, due - asyncio.get_running_loop().time()) + 0.0015 * (number % 4))
            ended = await bus.wait_for(any=[{"exited": made["pane"]}], timeout_sec=5)
            await bus.close_pane(pane=made["pane"], force=True)
            return ended["matched"] != [0]
        missed += sum(await asyncio.gather(*(end(number) for number in range(8))))
    print("missed ends", missed)
    try:
        await bus.capture_pane(pane="nowhere")
    except muxbus.MuxbusError as error:
        print("error", error.kind, error.code == error.data.get("code", error.code))


async def events(bus):
    texts = [f"note {number}" for number in range(20)]
    got = []
    async with muxbus.Client() as other:
        stream = bus.events("notification")
        first = asyncio.ensure_future(stream.__anext__())
        while not (await bus.status())["subscriptions"]:
            pass
        for text in texts:
            await other.post_notification(text=text)
        got.append((await first)["text"])
        async for event in stream:
            got.append(event["text"])
            if len(got) == len(texts):
                break
        await stream.aclose()
    print("events", got == texts or got, (await bus.status())["subscriptions"])


async def cancelled(bus):
    """A task that is cancelled at any moment leaves no subscription."""
    async def read():
        async for _ in bus.events("notification"):
            pass

    for turns in range(12):
        task = asyncio.ensure_future(read())
        for _ in range(turns):
            await asyncio.sleep(0 if turns < 8 else 0.005)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    await bus.ping()  # subscriptions that were asked for are made
    print("cancelled", (await bus.status())["subscriptions"], len(bus._subscriptions))


async def slow(bus):
    muxbus.client.EVENTS_MAX = 3
    stream = bus.events("notification")
    first = asyncio.ensure_future(stream.__anext__())
    while not (await bus.status())["subscriptions"]:
        pass
    for _ in range(10):
        await bus.post_notification(text="many")
    kinds = [(await first)["kind"]] + [(await stream.__anext__())["kind"] for _ in range(4)]
    print("slow", kinds[-1], kinds.count("notification") < 10)
    await stream.aclose()


async def end(bus):
    waiting = asyncio.ensure_future(bus.wait_for(any=[{"sec": 50}]))
    await bus.ping()
    await bus.shutdown()
    try:
        await waiting
    except (ConnectionError, muxbus.MuxbusError) as error:
        print("end", type(error).__name__ in ("ConnectionError", "MuxbusError"))
    try:
        while True:
            await bus.ping()
    except ConnectionError:
        print("closed")


async def main():
    async with muxbus.Client() as bus:
        for part in (types, at_once, events, cancelled, slow, end):
            await part(bus)

asyncio.run(main())
END
PYTHONPATH=$dir/python timeout 60 python3 -W error "$dir/try.py" >"$dir/said" 2>&1
is 'types, requests at once, errors, events and the end' "$(cat "$dir/said")" "missing []
list_panes []
list_windows []
list_sessions []
status []
list_timers []
ping []
at once 100 False
exited 5
missed ends 0
error no_such_pane True
events True 0
cancelled 0 0
slow gap True
end True
closed"

# Without asyncio: objects as libtmux has them.
cat >"$dir/objects.py" <<'END'
import os
import signal
import sys
import threading

import muxbus

with muxbus.Server() as server:
    session = server.new_session("work", x=100, y=30, window_command="exec sh")
    print(session.name, len(session.windows), len(session.panes), session.session_attached)
    window = session.new_window("build", window_shell="exec sh")
    pane = window.split(direction="-h", size=20, shell="exec sh")
    print(window.name, window.window_index, pane.width, pane.window == window, pane.session == session,
          session.active_window == window, pane in server.panes, len(window.panes))
    pane.send_keys("echo $((6*7))")
    pane.wait_for(screen="(?m)^42", timeout=30)
    pane.send_keys("echo C-c; echo ü", literal=True)
    pane.wait_for(screen="(?m)^ü", timeout=30)
    print([line for line in pane.capture_pane() if line in ("42", "C-c", "ü")])
    print(server.cmd("display-message", "-t", "main", "-p", "#{session_name}; x").stdout, pane.cmd("display-message", "-p", "#{pane_id}").stdout == [pane.id],
          server.cmd("has-session", "-t", "none").returncode, server.cmd("nonsense").returncode)
    server.cmd("set-buffer", "a\fb\u2028c\n\nd\n")
    print(server.cmd("show-buffer").stdout)
    print(window.rename_window("new; #S name").name, session.rename_session("-x").name, server.has_session("-x"))
    print(pane.resize(width=30).width, window.select() == session.active_window, pane.select() == window.active_pane)
    try:
        pane.wait_for(timeout=0.1, output="never")
    except TimeoutError:
        print("late")
    bus = muxbus.sync.Client(timeout=0.2)
    try:
        bus.ping()
    except ConnectionError:
        print("not open")
    with bus:
        waited = []

        def wait():
            waited.append(bus.wait_for(any=[{"sec": 1}], timeout_sec=9)["timed_out"])
        threads = [threading.Thread(target=wait) for _ in range(4)]
        [thread.start() for thread in threads], [thread.join() for thread in threads]
        print(waited)
        os.kill(int(sys.argv[1]), signal.SIGSTOP)
        try:
            bus.ping()
        except TimeoutError:
            print("stopped")
        os.kill(int(sys.argv[1]), signal.SIGCONT)
    pane.kill()
    for gone in (lambda: pane.row, lambda: pane.send_keys("x")):
        try:
            gone()
        except muxbus.MuxbusError as error:
            print(error.kind)
    window.kill(), session.kill()
    try:
        session.name
    except muxbus.MuxbusError as error:
        print(error.kind, len(server.sessions))
END
start_daemon
run_python() { PYTHONPATH=$dir/python timeout 60 python3 -W error "$@"; }
run_python "$dir/objects.py" "$daemon_pid" >"$dir/said" 2>&1
is 'sessions, windows and panes as objects' "$(cat "$dir/said")" "work 1 1 0
build 1 20 True True False True 2
['42', 'C-c', 'ü']
['main; x'] True 1 1
['a\x0cb\u2028c', '', 'd']
new; #S name -x True
30 True True
late
not open
[False, False, False, False]
stopped
no_such_pane
no_such_pane
no_such_session 1"

# A daemon that was killed: events go on behind the last one, requests wait for the next daemon.
cat >"$dir/again.py" <<'END'
import asyncio

import muxbus


async def main():
    async with muxbus.Client(reconnect=True) as bus:
        stream = bus.events("notification")
        first = asyncio.ensure_future(stream.__anext__())
        while not (await bus.status())["subscriptions"]:
            pass
        await bus.post_notification(text="before")
        print((await first)["text"])
        late = asyncio.ensure_future(bus.wait_for(any=[{"sec": 50}]))
        await bus.ping()
        print("ready", flush=True)
        try:
            await late
        except ConnectionError:
            print("under way")
        await bus.post_notification(text="after")
        async for event in stream:
            print(event["kind"], event.get("text"))
            if event.get("text") == "after":
                break

asyncio.run(main())
END
run_python "$dir/again.py" >"$dir/said" 2>&1 &
program=$!
until_is 'a program has events and a request under way' ready tail -n 1 "$dir/said"
kill_daemon
wait "$program"
is 'it goes on with the next daemon' "$(grep -v '^gap' "$dir/said")" 'before
ready
under way
notification after'

# A name of a subscription is given anew by the next daemon: the events of another reader stay.
cat >"$dir/names.py" <<'END'
import asyncio
import json
import sys

import muxbus

connections = []


async def serve(reader, writer):
    connections.append(writer)
    while line := await reader.readline():
        request = json.loads(line)
        if request["method"] == "subscribe" and (len(connections), request["params"]["kinds"]) != (2, ["job"]):
            result = {"subscription": request["params"]["kinds"][0] if len(connections) == 1 else "job", "seq": 1}
            writer.write(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}).encode() + b"\n")


def send(subscription, text):
    event = {"subscription": subscription, "kind": "notification", "seq": 2, "text": text}
    connections[-1].write(json.dumps({"jsonrpc": "2.0", "method": "event", "params": event}).encode() + b"\n")


async def until(true):
    while not true():
        await asyncio.sleep(0.001)


async def main():
    await asyncio.start_unix_server(serve, sys.argv[1])
    async with muxbus.Client(sys.argv[1], reconnect=True) as bus:
        jobs, notes = bus.events("job"), bus.events("notification")
        job, note = (asyncio.ensure_future(stream.__anext__()) for stream in (jobs, notes))
        await until(lambda: len(bus._subscriptions) == 2)
        connections[0].close()
        await until(lambda: len(connections) == 2 and bus._subscriptions)
        job.cancel()
        await asyncio.gather(job, return_exceptions=True)
        send("job", "stays")
        print((await asyncio.wait_for(note, 20))["text"])
        await notes.aclose()

asyncio.run(main())
END
is 'a reader that leaves takes no name of the next daemon along' \
	"$(PYTHONPATH=$dir/python timeout 60 python3 "$dir/names.py" "$dir/names" 2>&1)" stays

# The hosts of a fleet have numbers of their own.
cat >"$dir/hosts.py" <<'END'
import asyncio
import json
import sys

import muxbus

EVENTS = ({"host": "A", "seq": 5}, {"host": "B", "seq": 7}, {"host": "A", "kind": "gap", "to": 9},
          {"host": "B", "kind": "gap", "to": None}, {"host": "C", "kind": "host_state"})
asked = []


async def serve(reader, writer):
    request = json.loads(await reader.readline())
    asked.append(request["params"].get("after"))
    lines = [{"id": request["id"], "result": {"subscription": "S1", "missing": []}}]
    lines += [{"method": "event", "params": {"subscription": "S1", "server": "x", **event}} for event in EVENTS]
    writer.write("".join(json.dumps(line) + "\n" for line in lines).encode())
    writer.close()


async def main():
    await asyncio.start_unix_server(serve, sys.argv[1])
    async with muxbus.Client(sys.argv[1], reconnect=True) as bus:
        got = 0
        async for event in bus.events():
            got += 1
            if got > len(EVENTS):
                break
    print(json.dumps(asked), event["host"])

asyncio.run(main())
END
is 'events of a fleet go on behind the last one of each host' \
	"$(PYTHONPATH=$dir/python timeout 60 python3 "$dir/hosts.py" "$dir/hosts" 2>&1 | tail -n 1)" '[null, {"A/x": 9}] A'

if python3 -c 'import setuptools, wheel, pip' 2>/dev/null; then
	mkdir "$dir/wheel"
	cp -R "$bindings/python" "$dir/wheel"
	cp -f "$package/methods.py" "$dir/wheel/python/muxbus"
	(cd "$dir/wheel" && python3 -m pip -q wheel --no-deps --no-index --no-build-isolation ./python &&
		python3 -m pip -q install --no-deps --no-index --target "$dir/site" muxbus-*.whl) >"$dir/said" 2>&1 || sed 's/^/# /' "$dir/said"
	is 'pip installs it' "$(cd / && PYTHONPATH=$dir/site python3 -c 'import muxbus; print(muxbus.__file__, muxbus.Server.__name__)')" \
		"$dir/site/muxbus/__init__.py Server"
else
	skip 'pip installs it' 'pip, setuptools and wheel are not installed'
fi
mkdir -m 700 "$dir/tmux-$(id -u)" && ln -s "$dir/tmux.muxbus" "$dir/tmux-$(id -u)/default.muxbus"
is 'outside of tmux it is the daemon of the default server' \
	"$(PYTHONPATH=$dir/python env -u MUXBUS -u TMUX TMUX_TMPDIR="$dir" python3 -c 'import muxbus
with muxbus.Server() as server:
    print(server.bus.ping())' 2>&1 | tail -n 1)" '{}'
kill "$daemon_pid" 2>/dev/null
wait "$daemon_pid"
daemon_pid=
is 'a missing daemon is an error, which names it' \
	"$(PYTHONPATH=$dir/python python3 -c 'import asyncio, muxbus
async def main():
    async with muxbus.Client():
        pass
asyncio.run(main())' 2>&1 | grep -c "^FileNotFoundError.*$MUXBUS\|^ConnectionRefused.*$MUXBUS")" 1
done_testing
