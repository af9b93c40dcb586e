# SPDX-License-Identifier: ISC
"""A peer of muxbusd for tests in Python: it asks, and it provides. All waiting has a bound."""

import json
import os
import socket
import subprocess
import time

BOUND_SEC = 20


class Peer:
    def __init__(self, path=None):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(BOUND_SEC)
        self.socket.connect(path or os.environ["MUXBUS"])
        self.rest = b""
        self.last = 0
        self.within = None  # the call that requests are made within; ... leaves this to the daemon
        self.kept = []  # messages that were passed over

    def close(self):
        self.socket.close()

    __del__ = close

    def send(self, message):
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.socket.sendall(line + b"\n")

    def read(self, sec=BOUND_SEC):
        """The next line; None at the end of the connection, or after that time."""
        end = time.monotonic() + sec
        while b"\n" not in self.rest:
            self.socket.settimeout(max(0.001, end - time.monotonic()))
            try:
                part = self.socket.recv(1 << 20)
            except (TimeoutError, socket.timeout, ConnectionError):
                return None
            finally:
                self.socket.settimeout(BOUND_SEC)
            if not part:
                return None
            self.rest += part
        line, self.rest = self.rest.split(b"\n", 1)
        return json.loads(line)

    def take(self, is_it, sec=BOUND_SEC):
        """The first message, also of earlier ones, for which is_it is true; None: there is none."""
        for at, message in enumerate(self.kept):
            if is_it(message):
                return self.kept.pop(at)
        end = time.monotonic() + sec
        while (message := self.read(max(0.001, end - time.monotonic()))) is not None:
            if is_it(message):
                return message
            self.kept.append(message)
        return None

    def begin(self, method, /, **params):
        self.last += 1
        message = {"jsonrpc": "2.0", "id": self.last, "method": method, "params": params}
        if self.within is not ...:
            message["within"] = self.within
        self.send(message)
        return self.last

    def end(self, number, sec=BOUND_SEC):
        return self.take(lambda m: m.get("id") == number and "method" not in m, sec)

    def ask(self, method, /, **params):
        return self.end(self.begin(method, **params))

    # The side of a provider.

    def provide(self, *rows, **more):
        return self.ask("provide", methods=list(rows), **more)

    def call(self, sec=BOUND_SEC):
        """The next call that the daemon sends."""
        return self.take(lambda m: "method" in m and "id" in m, sec)

    def answer(self, call, **result):
        self.send({"id": call["id"], "result": result})


def row(name, **members):
    return {"name": name, "summary": f"The method {name}.", "effects": ["reads"], **members}


def kind(answer):
    """The kind of an error; None of a result; "nothing" without an answer."""
    if answer is None:
        return "nothing"
    return answer["error"]["data"].get("kind", answer["error"]["code"]) if "error" in answer else None


def text(answer):
    return answer["error"]["message"] if answer and "error" in answer else json.dumps(answer)


def until(is_it, sec=BOUND_SEC):
    """Waits for a fact; returns whether it came."""
    end = time.monotonic() + sec
    while time.monotonic() < end:
        if is_it():
            return True
        time.sleep(0.01)
    return False


class Daemon:
    """The daemon of the test, which it may kill and start again."""

    def __init__(self):
        self.process = None

    def kill(self):
        try:
            pid = Peer().ask("status")["result"]["pid"]
            os.kill(pid, 9)
        except (OSError, TypeError):
            pass
        if self.process is not None:
            self.process.wait()
        until(lambda: not os.path.exists(f"/proc/{pid}/root/."))

    def start(self):
        read, write = os.pipe()
        where = os.environ["dir"]
        attach = os.environ.get("MUXBUS_TEST_ATTACH")
        with open(where + "/muxbusd.log", "ab") as log:
            self.process = subprocess.Popen(
                [os.environ["MUXBUS_BUILDDIR"] + "/muxbusd", "-f", "--ready-fd", str(write),
                 *(["-o", "attach=" + attach] if attach else []), "-S", where + "/tmux"],
                pass_fds=[write], stderr=log)
        os.close(write)
        with os.fdopen(read) as ready:
            ready.readline()

    def stop(self):
        if self.process is not None:
            self.process.terminate()
            return self.process.wait()
        return None
