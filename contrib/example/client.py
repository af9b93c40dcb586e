#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""A client of muxbusd in Python: with Client() as bus: print(bus.request("list_panes"))"""
import collections
import json
import os
import socket
import sys


class Failed(Exception):
    """A failed request: .kind is the kind of error ("no_such_pane"), .data has details."""

    def __init__(self, error):
        super().__init__(error["message"])
        self.data = error.get("data") or {}
        self.kind = self.data.get("kind")


class Client:
    def __init__(self, path=None):
        path = path or os.environ.get("MUXBUS") or os.environ["TMUX"].split(",")[0] + ".muxbus"
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.lines = self.socket.makefile("rb")
        self.last_id, self.pending = 0, collections.deque()

    __enter__ = lambda self: self
    __exit__ = lambda self, *_: self.socket.close()

    def read(self):
        line = self.lines.readline()
        if not line.endswith(b"\n"):
            raise ConnectionError("muxbusd closed the connection")
        return json.loads(line)

    def request(self, method, **params):
        """Asks and waits for the result, without a timeout; events are kept for events()."""
        self.last_id += 1
        request = {"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params}
        self.socket.sendall(json.dumps(request).encode() + b"\n")
        while (answer := self.read()).get("id") != self.last_id:
            self.pending.append(answer["params"])
        if "error" in answer:
            raise Failed(answer["error"])
        return answer["result"]

    def wait(self, *conditions, timeout_sec=600):
        """Waits for any condition; returns the first that is true, or None after the timeout."""
        result = self.request("wait_for", any=list(conditions), timeout_sec=timeout_sec)
        return None if result["timed_out"] else result["conditions"][result["matched"][0]]

    def events(self):
        """Yields events as they come, after request("subscribe", kinds=["pane_created"])."""
        while True:
            yield self.pending.popleft() if self.pending else self.read()["params"]


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: client.py METHOD [PARAMETERS AS JSON]")
    with Client() as bus:
        print(json.dumps(bus.request(sys.argv[1], **json.loads((sys.argv + ["{}"])[2]))))
