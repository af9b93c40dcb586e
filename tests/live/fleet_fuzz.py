# SPDX-License-Identifier: ISC
"""A host that sends anything to a fleet: its true answers, events and hello changed at random, and random bytes.
The host is late too, or reads no more.
The law: the fleet lives, each request of a peer has one answer, each line is JSON that a peer can read, a host
speaks for itself alone, the other host gets no request that no peer has made, and its answers come as they are.
After it the fleet has no more descriptors than before, and some memory.

MUXBUS_FUZZ_SEC: how long (10). MUXBUS_FUZZ_SEED: the seed that a failure has printed.
What broke the fleet once is in tests/fuzz/corpus/host: lines, with @ID@ for the id of the request and @SUB@ for
the name of the subscription."""

import collections
import json
import os
import random
import re
import shutil
import socket
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import tap  # noqa: E402
from fleet_machines import Ended, Fleet, Link, Machine, until, write  # noqa: E402
from tap import ok  # noqa: E402

SECONDS = float(os.environ.get("MUXBUS_FUZZ_SEC", "10"))
SEED = os.environ.get("MUXBUS_FUZZ_SEED", str(random.randrange(1 << 32)))
CORPUS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fuzz", "corpus", "host")
ANSWER_SEC = 40  # longer than any of the fleet's own limits
MEMORY_MAX = 700  # MiB; sanitizers keep what is freed
DEPTH_MAX, VALUES_MAX = 96, 262144  # of what a peer reads: wire/json.c
LISTS = ("panes", "windows", "sessions", "agents", "jobs", "timers", "watches", "notifications", "events", "tools")
MARK = "of-the-evil-host"
HELLO = b"muxbus relay 1 0.2.0\n"

# What a peer asks in a round; the host is chosen then.
ASKED = [(f"list_{name}", {}) for name in LISTS] + [
    ("list_hosts", {}), ("status", {}), ("ping", {}), ("list_panes", {"host": "evil"}), ("status", {"host": "evil"}),
    ("get_pane", {"pane": "evil:%0"}), ("capture_pane", {"pane": "evil:%0"}), ("list_events", {"host": "evil"}),
    ("subscribe", {"kinds": ["notification", "host_state", "pane_*"]}), ("subscribe", {"host": "evil"}),
    ("next_notification", {"consumer": "fuzz", "timeout_sec": 0.3}),
    ("wait_for", {"any": [{"sec": 5, "host": "evil"}, {"sec": 5, "host": "good"}], "timeout_sec": 0.5}),
    ("wait_for", {"all": [{"exited": "evil:%0"}, {"ready": "evil:%0"}], "timeout_sec": 0.5}),
    ("run_long_command", {"host": "evil", "command": "true", "notify": "good:%0"}),
    ("run_long_command", {"host": "evil", "command": "true"}),
    ("sleep", {"host": "good", "seconds": 1, "notify": "evil:%0"}), ("get_pane", {"pane": "good:%0"}),
]
EXPECTED = {method for method, _ in ASKED} | {"unsubscribe", "cancel_watch", "post_notification", "ack_notification",
                                              "notifications/cancelled"}


class Recorder:
    """The true answers of a daemon, and some of its events."""

    def __init__(self, folder):
        machine = Machine(folder, 1, 22)
        self.answers, self.events = {}, []
        try:
            machine.start()
            link = Link(machine.socket, lambda event: self.events.append(event))
            link.ask("subscribe", {})
            for method, params in ASKED:
                if method == "wait_for":
                    params = {"any": [{"sec": 0.01}, {"sec": 50}]}
                elif method == "next_notification":
                    params = {"timeout_sec": 0, "after": 0}
                self.answers[method] = link.ask(method, {
                    k: v.replace("evil:", "") if isinstance(v, str) else v for k, v in params.items()
                    if k not in ("host", "notify", "consumer")}).get("result", {})
                if method == "status":
                    link.ask("post_notification", {"text": "one", "pane": "%0"})
                    link.ask("post_notification", {"text": "two", "pane": "%0"})
            link.close()
        finally:
            machine.stop()
        self.answers["post_notification"] = {"seq": 9, "id": "AB12"}


def deep(number):
    return json.loads("[" * number + "]" * number)


class Changer:
    """Changes of values and of bytes."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def chance(self, part):
        return self.random.random() < part

    def value(self, depth=0):
        kind = self.random.randrange(14 if depth < 4 else 9)
        if kind > 8:
            items = [self.value(depth + 1) for _ in range(self.random.randrange(4))]
            return items if kind < 12 else {self.name(): item for item in items}
        return [None, True, 0, -1, 1 << 53, 1.5, "", self.name(), self.text()][kind]

    def text(self):
        return self.random.choice(["\x1b[2J", "good:%0", "%0", "\u202e", "x" * 70000, "good/default", "gone", "é\ufffd",
                                   "a" * 63, "S1", "event", "host_state", "\\", "\"", "up"])

    def name(self):
        return self.random.choice(["host", "server", "id", "seq", "kind", "result", "error", "data", "panes", "pane",
                                   "subscription", "missing", "hosts", "truncated", "cut", "reason", "state", "message",
                                   "code", "notifications", "conditions", "gap", "wake", "from", "to", "", "x"])

    def places(self, value, found=None):
        """Each value with the container that has it."""
        found = [] if found is None else found
        if len(found) < 3000:
            for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
                found.append((value, key))
                if isinstance(inner, (dict, list)):
                    self.places(inner, found)
        return found

    def change(self, message):
        found = self.places(message)
        if not found:
            return
        inside, key = self.random.choice(found)
        kind = self.random.randrange(9)
        if kind == 0:
            del inside[key]
        elif kind == 1 and isinstance(inside, dict):
            inside[self.name()] = inside.pop(key)
        elif kind == 2 and isinstance(inside, dict):
            inside[self.name()] = self.value()
        elif kind == 3:
            other, name = self.random.choice(found)
            text = json.dumps([inside[key], other[name]])
            inside[key] = json.loads(text)[1]
        elif kind == 4:
            inside[key] = [inside[key]] * self.random.choice([1, 2, 50])
        elif kind == 5:
            inside[key] = deep(self.random.choice([3, 40, 58, 60, 61, 62, 63, 70]))
        else:
            inside[key] = self.value()

    def bytes(self, line):
        kind = self.random.randrange(8)
        at = self.random.randrange(len(line) + 1)
        if kind == 0:
            return line[:at] + b"\n" + (line[at:] if self.chance(0.5) else b"")
        if kind == 1:
            return line[:at] + bytes([self.random.randrange(256)]) + line[at + 1:]
        if kind == 2:
            return os.urandom(self.random.choice([1, 30, 5000])) + b"\n"
        if kind == 3:
            return re.sub(rb"\{", b'{"' + self.name().encode() + b'":"good",', line, count=self.random.randrange(1, 4))
        if kind == 4:
            return b"[" * 5000 + b"\n"
        if kind == 5:
            return b"x" * self.random.choice([70000, 1 << 20]) + b"\n"
        return line[:at] + self.random.choice([b"\0", b"\r", b"\\u0000", b"\xff", b"\\ud800"]) + line[at:]


class Host(threading.Thread):
    """Where ssh leads: a relay of its own."""

    def __init__(self, path):
        super().__init__(daemon=True)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        self.listener.listen(20)
        self.methods = collections.Counter()
        self.start()

    def run(self):
        while True:
            threading.Thread(target=self.serve, args=(self.listener.accept()[0],), daemon=True).start()

    def hello(self):
        return HELLO

    def serve(self, link):
        state = {"subscription": None, "seq": 0}
        try:
            link.sendall(self.hello())
            for line in link.makefile("rb"):
                request = json.loads(line)
                self.methods[request["method"]] += 1
                if "id" in request:
                    for piece in self.reply(request, state):
                        link.sendall(piece)
        except OSError:
            pass
        finally:
            link.close()


class Good(Host):
    """Answers by the rules."""

    def reply(self, request, state):
        method = request["method"]
        result = {"pane": "%0"}
        if method.startswith("list_"):
            result = {method[5:]: [{"pane": "%0", "title": "true"}]}
        elif method == "subscribe":
            result = {"subscription": "S7"}
        elif method == "next_notification":
            time.sleep(0.2)
            result = {"notifications": []}
        elif method == "wait_for":
            count = len(request["params"].get("any", request["params"].get("all")))
            result = {"matched": [], "conditions": [{"condition": "sec", "state": "pending"}] * count, "timed_out": True}
        elif method == "sleep":
            result = {"id": "T1"}
        yield json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}).encode() + b"\n"


class Evil(Host):
    """Sends anything. script: the bytes of each answer instead."""

    def __init__(self, path, recorder, changer):
        self.recorder, self.changer = recorder, changer
        self.script = None
        self.sent = collections.deque(maxlen=400)
        self.count = 0
        super().__init__(path)

    def keep(self, data):
        self.sent.append(data[:4000])
        self.count += 1
        return data

    def hello(self):
        any_of = self.changer
        if self.script is not None or any_of.chance(0.9):
            return self.keep(HELLO)
        return self.keep(any_of.random.choice([
            b"", HELLO * 3, b"muxbus relay 2 9\n", b"muxbus relay\n", b"x" * 3000 + HELLO, b"\0" + HELLO,
            b"muxbus relay 1 " + b"\x1b]0;x\x07" * 400 + b"\n", b"noise\n" * 1200, os.urandom(300) + b"\n" + HELLO,
            b"muxbus relay 4294967297 1\n", b"muxbus relay 1 \xff\xfe\n"]))

    def event(self, state):
        seq = state["seq"] = state["seq"] + 1
        event = dict(self.changer.random.choice(self.recorder.events)) if self.recorder.events else {}
        event.update(seq=seq, subscription=state["subscription"], mark=MARK)
        if self.changer.chance(0.3):
            event.update(host="good", server="default", state="down")
        if self.changer.chance(0.2):
            event["kind"] = "host_state"
        return {"jsonrpc": "2.0", "method": "event", "params": event}

    def line(self, message, part):
        any_of = self.changer
        message = json.loads(json.dumps(message))
        while any_of.chance(part):
            any_of.change(message)
        data = json.dumps(message).encode() + b"\n"
        return any_of.bytes(data) if any_of.chance(0.04) else data

    def reply(self, request, state):
        any_of = self.changer
        number, method = request["id"], request["method"]
        if method == "subscribe":
            state["subscription"] = "S1"
        if self.script is not None:
            yield self.keep(self.script.replace(b"@ID@", str(number).encode()).replace(
                b"@SUB@", str(state["subscription"]).encode()))
            return
        result = self.recorder.answers.get(method, {})
        if method == "subscribe":
            result = {"subscription": "S1", "seq": state["seq"]}
        elif method == "wait_for":
            conditions = request["params"].get("any", request["params"].get("all"))
            result = {**result, "conditions": [any_of.random.choice(result["conditions"]) for _ in conditions]}
        while any_of.chance(0.2):  # unsolicited, or of others
            other = any_of.random.choice([0, -1, number - 1, number + 1, number + 2, str(number), None, 1.5, [number]])
            yield self.keep(self.line({"jsonrpc": "2.0", "id": other, "result": result}, 0.3))
            yield self.keep(self.line({"jsonrpc": "2.0", "method": "progress", "params": {
                "request": any_of.random.choice([number, other]), "text": "t", "done": 1, "of": 2}}, 0.3))
        if state["subscription"] is not None:
            for _ in range(2000 if any_of.chance(0.005) else any_of.random.randrange(4)):
                yield self.keep(self.line(self.event(state), 0.3))
        if any_of.chance(0.0005):
            yield self.keep(b'{"x":"' + b"y" * (13 << 20) + b'"}\n')
        if any_of.chance(0.002):
            return  # no answer
        if any_of.chance(0.001):
            time.sleep(any_of.random.choice([0.2, 0.2, 2, 12]))  # a late one, and nothing is read
        if any_of.chance(0.2):
            error = {"code": -32000, "message": "no", "data": {"kind": any_of.text(), "host": "good", "field": "after"}}
            yield self.keep(self.line({"jsonrpc": "2.0", "id": number, "error": error}, 0.5))
        for _ in range(1 if any_of.chance(0.9) else 2):
            yield self.keep(self.line({"jsonrpc": "2.0", "id": number, "result": result}, 0.6))


class Broken(Exception):
    """The law does not hold."""


def pairs_of(pairs):
    names = [name for name, _ in pairs]
    if len(set(names)) != len(names):
        raise Broken(f"a name comes twice: {names}")
    return dict(pairs)


def size_of(value, depth=1):
    """The number of values, and the depth."""
    if not isinstance(value, (dict, list)):
        return 1, depth - 1
    sizes = [size_of(inner, depth + 1) for inner in (value.values() if isinstance(value, dict) else value)]
    return 1 + sum(s[0] for s in sizes), max([depth] + [s[1] for s in sizes])


def read(line):
    """A line of the fleet, as a strict peer reads it."""
    if re.search(rb"[\x00-\x1f\x7f]", line):
        raise Broken("a line has a control character")
    try:
        value = json.loads(line.decode("utf-8"), object_pairs_hook=pairs_of)
    except ValueError as error:
        raise Broken(f"not JSON: {error}") from None
    count, depth = size_of(value)
    if depth > DEPTH_MAX or count > VALUES_MAX:
        raise Broken(f"{count} values, {depth} deep")
    return value


def check_event(event):
    if event.get("host") not in ("evil", "good", HERE) or "server" not in event:
        raise Broken(f"an event without its host: {event}")
    if event.get("mark") == MARK and (event["host"] != "evil" or event.get("kind") == "host_state"):
        raise Broken(f"the host speaks for another: {event}")


HERE = re.sub(r"\..*", "", socket.gethostname())


class Peer:
    """One connection to the fleet, whose every answer is counted."""

    def __init__(self, fleet):
        self.link = Link(fleet.socket)
        self.answers = collections.Counter()
        self.asked = {}

    def send(self, method, params):
        is_good = params.get("pane") == "good:%0"
        self.asked[self.link.send(method, params)] = f"{method} good" if is_good else method

    def take(self, seconds):
        """Reads one line."""
        end = time.monotonic() + seconds
        while b"\n" not in self.link.held:
            self.link.socket.settimeout(max(0.01, end - time.monotonic()))
            more = self.link.socket.recv(1 << 16)
            if not more:
                raise Broken("the fleet has closed the connection")
            self.link.held += more
        line, self.link.held = self.link.held.split(b"\n", 1)
        message = read(line)
        if message.get("method") == "event":
            check_event(message["params"])
        elif self.asked.get(message.get("id")) == "get_pane good" and message.get("result", {}).get("pane") != "good:%0":
            raise Broken(f"an answer of the other host: {line[:500]}")
        elif message.get("id") not in self.asked or ("result" in message) == ("error" in message):
            raise Broken(f"an answer that was not asked for: {line[:500]}")
        else:
            self.answers[message["id"]] += 1
        return message

    def finish(self):
        """Reads until all is answered, once."""
        end = time.monotonic() + ANSWER_SEC
        while len(self.answers) < len(self.asked):
            try:
                self.take(max(0.01, end - time.monotonic()))
            except OSError as error:
                left = [m for n, m in self.asked.items() if n not in self.answers]
                raise Broken(f"{error}: not answered: {left}") from None
        self.link.send("ping", {})
        self.asked[self.link.number] = "ping"
        while self.take(ANSWER_SEC).get("id") != self.link.number:
            pass
        if max(self.answers.values()) > 1:
            raise Broken("a request has two answers")
        self.link.close()


def play(fleet, plans):
    """Sends what peers ask, all at once; returns how many requests that were."""
    peers = []
    for plan in plans:
        peer = Peer(fleet)
        for method, params in plan:
            peer.send(method, params)
        peers.append(peer)
    for peer in peers:
        peer.finish()
    return sum(len(peer.asked) for peer in peers)


def replay(fleet, evil):
    """The cases that broke the fleet once; then the host is as it was."""
    for name in sorted(os.listdir(CORPUS)):
        with open(os.path.join(CORPUS, name), "rb") as file:
            evil.script = file.read()
        link = Link(fleet.socket)
        until(lambda: any(h["host"] == "evil" and h["state"] == "up" for h in link.ask("list_hosts")["result"]["hosts"]))
        link.close()
        play(fleet, [ASKED])
        ok(fleet.process.poll() is None, f"the fleet lives after {name}")
    evil.script = None


def long_entry(fleet, evil):
    """A notification that is too long to be kept: DEL is one byte in a line, and six in a line that is written here."""
    text = b"\x7f" * (5 << 19)
    evil.script = b'{"jsonrpc":"2.0","id":@ID@,"result":{"notifications":[{"seq":1,"text":"' + text + b'"}]}}\n'
    link = Link(fleet.socket)
    got = link.ask("next_notification", {"consumer": "long", "timeout_sec": 2})["result"]["notifications"]
    ok(got == [], "no entry comes in place of one that is too long", got)
    link.close()
    evil.script = None


def held(fleet):
    """How many descriptors the fleet has, and its memory in MiB."""
    with open(f"/proc/{fleet.process.pid}/status", encoding="utf-8") as file:
        memory = re.search(r"VmRSS:\s*(\d+)", file.read()).group(1)
    return len(os.listdir(f"/proc/{fleet.process.pid}/fd")), int(memory) // 1024


def fuzz(fleet, evil, good):
    requests = rounds = 0
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        plans = [evil.changer.random.sample(ASKED, evil.changer.random.randrange(1, len(ASKED))) for _ in range(6)]
        requests += play(fleet, plans)
        rounds += 1
        if fleet.process.poll() is not None:
            raise Broken("the fleet has ended")
        if set(good.methods) - EXPECTED:
            raise Broken(f"the other host was asked for {set(good.methods) - EXPECTED}")
    print(f"# {rounds} rounds, {requests} requests, {evil.count} writes of the host; the other got {dict(good.methods)}")


def main():
    folder = tempfile.mkdtemp(prefix="mbz-", dir="/tmp")
    print(f"# MUXBUS_FUZZ_SEED={SEED}")
    write(f"{folder}/ssh", "#!/bin/sh\nfor word; do host=$last last=$word; done\n"
          f'exec socat STDIO "UNIX-CONNECT:{folder}/$host"\n', 0o700)
    recorder = Recorder(folder)
    changer = Changer(SEED)
    far = [Machine(folder, number, 22) for number in (2, 3)]
    far[0].name, far[1].name = "evil", "good"
    evil, good = Evil(f"{folder}/evil", recorder, changer), Good(f"{folder}/good")
    fleet = Fleet(folder, far, f"{folder}/ssh")
    fleet.start()
    try:
        ok(until(lambda: os.path.exists(fleet.socket) and fleet.is_up(1)), "the fleet is there")
        replay(fleet, evil)
        long_entry(fleet, evil)
        before = held(fleet)
        fuzz(fleet, evil, good)
        ok(True, "the law holds")
        ok(until(lambda: held(fleet)[0] <= before[0]), "no descriptor is left", (before, held(fleet)))
        ok(held(fleet)[1] < before[1] + MEMORY_MAX, "nor much memory", (before, held(fleet)))
        print(f"# descriptors and MiB: {before}, {held(fleet)}")
    except (Broken, Ended, OSError) as error:
        ok(False, "the law holds", f"{error!r}; the fleet's status: {fleet.process.poll()}")
        with open(f"{folder}/sent", "wb") as file:
            file.writelines(evil.sent)
    fleet.stop()
    ok(fleet.process.returncode == 0, "the fleet ends by itself", fleet.process.returncode)
    if tap.failures == 0:
        shutil.rmtree(folder, ignore_errors=True)
    else:
        print(f"# kept: {folder}; the last writes of the host: {folder}/sent; the log: {fleet.folder}/log")
    tap.done()


if __name__ == "__main__":
    main()
