# SPDX-License-Identifier: ISC
"""Anything in the subjects of muxbus-nats: requests and posts of others, changed at random, with headers, and bytes;
and what others leave in its stores.
The law: muxbus-nats lives, each request has one reply, which is JSON; a request that is not granted changes nothing;
a post makes one notification at most, and what is none is thrown away; the next true request is answered.

usage: nats_fuzz.py PORT PID SOCKET   of nats-server, of muxbus-nats, of the daemon
MUXBUS_FUZZ_SEC: how long (10). MUXBUS_FUZZ_SEED: the seed that a failure has printed."""

import json
import os
import random
import re
import socket
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import tap  # noqa: E402
from fleet_fuzz import Changer  # noqa: E402
from fleet_machines import Link, until  # noqa: E402
from tap import ok  # noqa: E402

SECONDS = float(os.environ.get("MUXBUS_FUZZ_SEC", "10"))
SEED = os.environ.get("MUXBUS_FUZZ_SEED", str(random.randrange(1 << 32)))
REPLY_SEC = 40
REQUEST, POST = "muxbus.f.h.s.request", "muxbus.f.h.s.post"
READS = [("list_panes", {}), ("ping", {}), ("status", {}), ("get_pane", {"pane": "%0"}), ("list_jobs", {}),
         ("describe", {"method": "sleep"}), ("capture_pane", {"pane": "%0"}), ("list_notifications", {"limit": 3})]
# What waits by itself is left out: it may wait for as long as it says.
OTHERS = [("send_text", {"pane": "%0", "text": "evil", "enter": True}), ("close_pane", {"pane": "%0"}), ("shutdown", {}),
          ("run_long_command", {"command": "touch evil"}), ("subscribe", {}), ("provide", {"methods": []}),
          ("run_tmux", {"command": "kill-server"}), ("narrow", {"role": "full"}), ("initialize", {}), ("tools/call", {"name": "shutdown"}),
          ("post_notification", {"text": "evil"}), ("notifications/cancelled", {"requestId": 1})]


class Broken(Exception):
    """The law does not hold."""


class Nats:
    """A client of NATS: its text protocol is a line, and the bytes of a message."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.held = b""
        self.socket.sendall(b'CONNECT {"verbose":false,"headers":true}\r\nPING\r\n')
        self.replies = {}
        self.socket.sendall(b"SUB reply.> 1\r\n")
        self.wait_for_pong()

    def publish(self, subject, data, reply="", headers=b""):
        if headers:
            head = b"NATS/1.0\r\n" + headers + b"\r\n"
            line = f"HPUB {subject} {reply} {len(head)} {len(head) + len(data)}\r\n".encode()
            self.socket.sendall(line + head + data + b"\r\n")
        else:
            self.socket.sendall(f"PUB {subject} {reply} {len(data)}\r\n".encode() + data + b"\r\n")

    def fill(self, seconds):
        self.socket.settimeout(max(0.01, seconds))
        more = self.socket.recv(1 << 16)
        if not more:
            raise Broken("nats-server has closed the connection")
        self.held += more

    def read(self, seconds):
        """Reads one line of the server; keeps the message that it begins."""
        while b"\r\n" not in self.held:
            self.fill(seconds)
        line, self.held = self.held.split(b"\r\n", 1)
        words = line.split()
        if words[:1] in ([b"MSG"], [b"HMSG"]):
            size = int(words[-1])
            while len(self.held) < size + 2:
                self.fill(seconds)
            body, self.held = self.held[:size], self.held[size + 2:]
            if words[0] == b"HMSG":
                body = body[int(words[-2]):]
            self.replies.setdefault(words[1].decode(), []).append(body)
        elif words[:1] == [b"PING"]:
            self.socket.sendall(b"PONG\r\n")
        elif words[:1] == [b"-ERR"] or not words:
            raise Broken(f"nats-server: {words}")
        return words

    def wait_for_pong(self):
        while self.read(REPLY_SEC)[0] != b"PONG":
            pass


class Fuzzer:
    def __init__(self, port, pid, path):
        self.nats, self.pid, self.path = Nats(port), pid, path
        self.changer = Changer(SEED)
        self.count, self.sent = 0, {}

    def request(self, data, headers=b""):
        self.count += 1
        self.sent[self.count] = (data, headers)
        self.nats.publish(REQUEST, data, f"reply.{self.count}", headers)

    def data(self):
        """A request or post, and whether anything in it may be other than it says."""
        any_of = self.changer
        method, params = any_of.random.choice(READS if any_of.chance(0.5) else OTHERS)
        message = json.loads(json.dumps({"jsonrpc": "2.0", "id": any_of.random.choice([1, "a", None, 1.5, -1]),
                                         "method": method, "params": params}))
        if any_of.chance(0.3):
            message = {"text": any_of.random.choice(["one", any_of.text()]), "pane": "%0"}
        while any_of.chance(0.5):
            any_of.change(message)
        data = json.dumps(message).encode()
        data = any_of.bytes(data) if any_of.chance(0.2) else data
        return data[:1000000]  # more is refused by nats-server, which then closes the connection

    def headers(self):
        any_of = self.changer
        return any_of.random.choice([b"", b"", b"", b"Nats-Msg-Id: x\r\n", b"Nats-Rollup: all\r\n", b"A:" + b"b" * 5000 + b"\r\n",
                                     b"Status: 503\r\n", b":\r\n", b"Nats-Expected-Last-Sequence: 99999\r\n"])

    def round(self):
        any_of = self.changer
        first = self.count
        for _ in range(20):
            data = self.data()
            if any_of.chance(0.3):
                self.nats.publish(POST, data, "", self.headers())
            elif any_of.chance(0.1):
                self.nats.publish(REQUEST, data)  # nobody waits for the reply
            else:
                self.request(data, self.headers())
            if any_of.chance(0.05):
                self.nats.publish("$KV.MUXBUS_PRESENCE." + any_of.random.choice(["f.h.s", "f.other.s", "x"]), data)
            if any_of.chance(0.05):
                self.nats.publish("$SRV." + any_of.random.choice(["INFO.muxbus", "PING", "STATS.muxbus.none"]), data, "other")
        self.request(b'{"id":77,"method":"ping"}')
        end = time.monotonic() + REPLY_SEC
        while any(f"reply.{number}" not in self.nats.replies for number in range(first + 1, self.count + 1)):
            try:
                self.nats.read(max(0.01, end - time.monotonic()))
            except OSError:
                left = [n for n in range(first + 1, self.count + 1) if f"reply.{n}" not in self.nats.replies]
                raise Broken(f"not answered: {[self.sent[n] for n in left]}") from None
        for subject, bodies in self.nats.replies.items():
            if len(bodies) > 1:
                raise Broken(f"{subject} has {len(bodies)} replies")
            message = json.loads(bodies[0])
            if ("result" in message) == ("error" in message):
                raise Broken(f"{subject}: {bodies[0][:500]}")
        if b'"id":77' not in re.sub(rb"\s", b"", self.nats.replies[f"reply.{self.count}"][0]):
            raise Broken(f"the true request: {self.nats.replies[f'reply.{self.count}']}")
        self.nats.replies.clear()
        self.sent.clear()
        os.kill(self.pid, 0)

    def state(self):
        """What no request that is not granted may change."""
        link = Link(self.path)
        panes = link.ask("list_panes")["result"]["panes"]
        jobs = link.ask("list_jobs")["result"]["jobs"]
        providers = link.ask("list_providers")["result"]
        screen = link.ask("capture_pane", {"pane": "%0"})["result"]["text"]
        link.close()
        return [(p["pane"], p["pid"]) for p in panes], jobs, len(providers["providers"]), screen


def left_posts(nats):
    nats.publish("$JS.API.STREAM.INFO.MUXBUS_POSTS", b"", "reply.info")
    while "reply.info" not in nats.replies:
        nats.read(REPLY_SEC)
    return json.loads(nats.replies.pop("reply.info")[0])["state"]["messages"]


def main():
    print(f"# MUXBUS_FUZZ_SEED={SEED}")
    fuzzer = Fuzzer(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
    before = fuzzer.state()
    end = time.monotonic() + SECONDS
    try:
        while time.monotonic() < end:
            fuzzer.round()
        ok(True, "the law holds")
    except (Broken, OSError, ValueError) as error:
        ok(False, "the law holds", repr(error))
    print(f"# {fuzzer.count} requests")
    ok(before == fuzzer.state(), "nothing has changed", f"{before}\n{fuzzer.state()}")
    ok(until(lambda: left_posts(fuzzer.nats) == 0, 60), "no post is left", left_posts(fuzzer.nats))
    tap.done()


if __name__ == "__main__":
    main()
