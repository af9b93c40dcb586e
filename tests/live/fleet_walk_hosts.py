# SPDX-License-Identifier: ISC
"""The hosts, the lines of the hosts file, and the clients of the random walk of a fleet: see fleet_walk.py."""

import collections
import json
import os
import re
import select
import signal
import subprocess
import time

from fleet_machines import BUILD, Ended, Link, Machine, write

SLACK_SEC = 6  # for a busy machine, beyond each time of the manual
began = time.monotonic()
story = collections.deque(maxlen=5000)


def tell(*what):
    story.append(f"{time.monotonic() - began:7.3f} " + " ".join(str(word) for word in what))


class Fault(Exception):
    pass


def law(is_kept, name, *about):
    if not is_kept:
        raise Fault(f"{name}: {about}")


class Host(Machine):
    """A machine, and what the walk knows of its daemon."""

    def __init__(self, folder, number, tmux_dir=None):
        super().__init__(folder, number, 22)
        self.server = {4: "work", 5: "here"}.get(number, "default")
        self.is_local = tmux_dir is not None
        if self.is_local:
            self.env["TMUX_TMPDIR"] = tmux_dir
        self.socket = f"{self.env['TMUX_TMPDIR']}/tmux-{os.getuid()}/{self.server}.muxbus"
        self.env["FOLDER"] = self.folder
        self.life = 0  # of the state directory
        self.kills = 0  # of the daemon
        self.unrest = 0  # counts what was done to it
        self.is_stopped = self.is_away = False
        self.pid = None
        self.link = None
        self.posts = {}  # text: whether the fleet has answered it; of this life
        os.makedirs(f"{self.folder}/.config/muxbus", exist_ok=True)
        write(f"{self.folder}/.config/muxbus/agents", "fake_agent ready\n")
        with open(self.muxbus, encoding="utf-8") as file:
            exports = file.read().rsplit("exec", 1)[0]
        # A relay that a cut is made for ends behind so many bytes.
        write(self.muxbus, exports + f"cd '{self.folder}'\n" + ("echo Welcome; echo\n" if number == 3 else "") +
              "[ ! -e away ] || { echo 'No route to host' >&2; exit 255; }\n"
              f"mv cut cutting 2>/dev/null || exec '{folder}/bin/muxbus' \"$@\"\n"
              "read -r bytes <cutting; echo $$ >cutting; rm -f pipe; mkfifo pipe; exec 4<&0\n"
              f"'{folder}/bin/muxbus' \"$@\" <&4 4<&- >pipe & exec head -c $bytes <pipe 4<&-\n", 0o700)

    def start_tmux(self):
        made = ("-f", "/dev/null", "new-session", "-d", "-x", "150", "-y", "40", "exec cat"), ("new-window", "-d", "exec cat")
        end = time.monotonic() + 20
        for words in made:  # a server that ends may still take the first one
            while self.run("tmux", "-L", self.server, *words).returncode and time.monotonic() < end:
                time.sleep(0.05)

    def start_daemon(self):
        subprocess.run([f"{self.folder}/../bin/muxbusd", "-L", self.server], env=self.env, stdin=subprocess.DEVNULL, timeout=60,
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def ask(self, method, params=None):
        for is_last in (False, True):
            try:
                self.link = self.link or Link(self.socket)
                message = self.link.ask(method, params, 20)
                break
            except Ended:
                if self.link is not None:
                    self.link.close()
                self.link = None
                if is_last:
                    raise
        if "result" not in message:
            raise KeyError(f"{self.name}: {method} {params}: {message['error']}")
        return message["result"]

    def is_fragile(self):
        """Whether a cut is due, or what was done to it lasts."""
        if self.is_stopped or self.is_away or os.path.exists(f"{self.folder}/cut"):
            return True
        try:
            with open(f"{self.folder}/cutting", encoding="utf-8") as file:
                return os.path.exists(f"/proc/{int(file.read() or 0)}")
        except (OSError, ValueError):
            return False

    def stop(self):
        if self.link is not None:
            self.link.close()
        if self.is_stopped:
            os.kill(self.pid, signal.SIGCONT)
        self.run(f"{BUILD}/muxbus", "-L", self.server, "shutdown")
        self.run("tmux", "-L", self.server, "kill-server")


class Line:
    """A line of the hosts file."""

    def __init__(self, name, host, may=True):
        self.name, self.host, self.may = name, host, may
        self.is_in = True
        self.good = None  # the unrest of the host when it was last asked for a list that it answered
        self.server = host.server if host else "default"
        self.ssh = f"h{host.folder[-1]}" if host else "dead"
        # What the subscriber knows: the number behind which events are due (None: none are), and those seen.
        self.floor, self.seen, self.life, self.is_up, self.gaps = None, [], 0, False, []

    @property
    def key(self):
        return self.name, self.server

    def text(self):
        muxbus = f" muxbus={self.host.muxbus}" if self.host else ""
        return f"{self.name} ssh={self.ssh} server={self.server}{muxbus}{' may=notify' if self.may else ''}\n"


class Client:
    """A connection to the fleet: each request has one answer, in time."""

    def __init__(self, walk):
        self.walk, self.link, self.open = walk, None, {}
        self.on_event = None

    def connect(self):
        if self.link is None:
            self.link = Link(self.walk.fleet.socket)

    def drop(self):
        """The fleet was killed, or the peer goes."""
        if self.link is not None:
            self.link.close()
        self.link = None
        lost, self.open = self.open, {}
        for _, done, _, _ in lost.values():
            if done:
                done(None)

    def send(self, method, params, seconds, done=None):
        self.connect()
        number = self.link.send(method, params)
        self.open[number] = (method, done, time.monotonic() + seconds + SLACK_SEC, params)
        tell("ask", number, method, json.dumps(params))
        self.walk.requests += 1

    def take(self, message):
        if message.get("method") == "event":
            law(self.on_event is not None, "no event without a subscription", message)
            self.on_event(message["params"])
            return
        law(message.get("id") in self.open, "each request has one answer", message)
        method, done, due, params = self.open.pop(message["id"])
        text = json.dumps(message)
        tell("got", message["id"], text[:300] + "..." + text[-200:])
        law(time.monotonic() <= due, "an answer has its time", method, params, time.monotonic() - due, message)
        if done:
            done(message)

    def pump(self):
        """Takes what has come."""
        while self.link is not None:
            while b"\n" in self.link.held:
                line, self.link.held = self.link.held.split(b"\n", 1)
                self.take(json.loads(line))
                if self.link is None:
                    return
            if not select.select([self.link.socket], [], [], 0)[0]:
                break
            more = self.link.socket.recv(1 << 20)
            law(more, "the fleet keeps a connection", self.open)
            self.link.held += more
        for method, _, due, params in self.open.values():
            law(time.monotonic() <= due + 1, "a request is answered", method, params)


def plain(value, label, inside=True):
    """A value of the fleet as its host wrote it; each id must have the name of the host."""
    if isinstance(value, dict):
        return {k: plain(v, label, inside and k not in ("data", "params", "target")) for k, v in value.items()}
    if isinstance(value, list):
        return [plain(v, label, inside) for v in value]
    if isinstance(value, str) and inside:
        law(not re.fullmatch(r"[%@$][0-9]+", value), "an id has its host", value)
        if value.startswith(label + ":"):
            return value[len(label) + 1:]
    return value
