# SPDX-License-Identifier: ISC
"""A random walk of pipes and panes, and every byte of them: byte_walk.py TMUX SOCKET STEPS

The program in each pane writes numbered lines. Users toggle pipes of their own, respawn, move, link and kill panes,
and muxbusd is stopped for a moment. A subscriber gets every line once and in order, or an event says that some are
missing; a pipe of the user gets an unbroken run. Each round of ROUND commands has a server of its own. In every second
round the user has no pipes, so that muxbusd follows by pipes alone: tmux must not die there. Where muxbusd follows in
control mode, tmux up to 3.7c may die of a pane that is respawned while it writes.
MUXBUS_TEST_SEED repeats a run, as far as time does."""

import collections
import glob
import json
import os
import random
import re
import signal
import socket
import sys
import threading
import time

ROUND, PANES_MAX, SETTLE_SEC = 60, 8, 20
WRITER = r"""
import os, random, signal, sys, time, tty
name, flood, last = sys.argv[1], [], []
signal.signal(signal.SIGUSR1, lambda *_: flood.append(1))
signal.signal(signal.SIGUSR2, lambda *_: last.append(1))
tty.setraw(1)
open(name + ".pid", "w").write(str(os.getpid()))
number = 0
def write(data):
    while data:
        data = data[os.write(1, data):]
while not last:
    for _ in range(4000 if flood else random.randrange(1, 30)):
        number += 1
        write(b"%s:%010d\n" % (os.path.basename(name).encode(), number))
    flood.clear()
    time.sleep(random.choice((0.001, 0.01, 0.05)))
write(b"%s:end%07d\n" % (os.path.basename(name).encode(), number))
while True:
    time.sleep(3600)
"""


class Lines:
    """Numbered lines as they come: each the next one, or behind a gap or another program a later one."""

    def __init__(self, may_begin_late):
        self.held, self.program, self.number = "", "", 0
        self.has_gap, self.wrong, self.bytes, self.ended = may_begin_late, [], 0, ""

    def gap(self):
        self.has_gap, self.held = True, ""

    def add(self, text):
        self.bytes += len(text)
        *lines, self.held = (self.held + text).split("\n")
        for line in lines:
            self.add_line(line)

    def add_line(self, line):
        # A program that was killed, or the other side of a gap, leaves a part of its line.
        found = re.fullmatch(r"(.*?)(w\d+):(end\d{7}|\d{10})", line)
        if not found or (found[1] and not self.is_part(found[1], found[2])):
            if not (self.has_gap and not found):
                self.wrong.append(f"{line!r} behind {self.program}:{self.number}")
            return
        is_end = found[3][0] == "e"
        number, same = int(found[3][3:] if is_end else found[3]), found[2] == self.program
        next_number = (self.number if same else 0) + (0 if is_end else 1)
        if same and number < next_number:
            self.wrong.append(f"twice: {line} behind {self.program}:{self.number}")
        elif number != next_number and not self.has_gap:
            self.wrong.append(f"{number - next_number} missing: {line} behind {self.program}:{self.number}")
        self.program, self.number, self.has_gap = found[2], number, False
        if is_end:
            self.ended = self.program

    def is_part(self, part, program):
        return self.has_gap or (program != self.program and f"{self.program}:{self.number + 1:010d}".startswith(part))


class Pane:
    def __init__(self):
        self.lines, self.offset, self.program, self.reasons = Lines(True), None, "", collections.Counter()
        self.is_closed = False


class Walk:
    def __init__(self, seed):
        self.chance, self.seed, self.number, self.count = random.Random(seed), seed, 0, 0
        self.counts, self.wrong, self.deaths, self.is_piped = collections.Counter(), [], [], False
        self.folder = f"{PATH}.d"
        os.makedirs(self.folder, exist_ok=True)
        with open(f"{self.folder}/writer.py", "w", encoding="ascii") as file:
            file.write(WRITER)

    # muxbusd.

    def connect(self):
        self.link = socket.socket(socket.AF_UNIX)
        self.link.connect(os.environ["MUXBUS"])
        self.answers, self.ids = {}, 0
        threading.Thread(target=self.read, args=(self.link.makefile("rb"), self.answers, self.panes), daemon=True).start()

    def read(self, lines, answers, panes):
        try:
            for line in lines:
                message = json.loads(line)
                if "id" in message:
                    answers[message["id"]] = message
                elif message.get("params", {}).get("pane") in panes:
                    self.take(panes[message["params"]["pane"]], message["params"])
        except OSError:
            pass

    def take(self, pane, event):
        if event["kind"] == "gap":
            pane.reasons[event.get("reason")] += 1
            pane.lines.gap()
        elif event["kind"] == "pane_closed":
            pane.is_closed = True
        elif event["kind"] == "pane_output":
            offset, text = event["offset"], event["text"]
            if pane.offset is not None and offset != pane.offset and not (pane.lines.has_gap and offset > pane.offset):
                pane.lines.wrong.append(f"offset {offset} and not {pane.offset}")
            pane.offset = offset + len(text)
            pane.lines.add(text)

    def ask(self, method, **params):
        self.ids += 1
        number = self.ids
        self.link.sendall(json.dumps({"id": number, "method": method, "params": params}).encode() + b"\n")
        until = time.monotonic() + SETTLE_SEC
        while number not in self.answers and time.monotonic() < until:
            time.sleep(0.001)
        return self.answers.pop(number, {"error": "none"})

    # tmux.

    def run(self, *words):
        self.log.append(" ".join(words)[:120])
        return self.server.shots.run(*words)[1].strip()

    def writer(self):
        self.count += 1
        name = f"{self.folder}/w{self.count}"
        return f"exec /usr/bin/python3 -ES {self.folder}/writer.py {name}", f"w{self.count}"

    def add_pane(self, *words):
        command, program = self.writer()
        pane = self.run(*words, "-P", "-F", "#{pane_id}", command)
        if not re.fullmatch(r"%\d+", pane):
            return
        self.panes[pane] = Pane()
        self.panes[pane].program = program
        self.follow(pane)

    def follow(self, pane):
        self.ask("subscribe", kinds=["gap", "pane_closed"], panes=[pane], output=True)

    def pid_of(self, program):
        until = time.monotonic() + 10
        while time.monotonic() < until:
            try:
                with open(f"{self.folder}/{program}.pid", encoding="ascii") as file:
                    return int(file.read())
            except (OSError, ValueError):
                time.sleep(0.01)
        return 0

    def signal(self, pane, number):
        pid = self.pid_of(self.panes[pane].program)
        if pid:
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass

    def list_panes(self):
        words = self.run("list-panes", "-a", "-F", "#{pane_id}", ";", "list-clients", "-F", "client").split()
        self.has_client |= "client" in words
        return [pane for pane in words if pane in self.panes]

    def step(self):
        there = self.list_panes()
        if len(there) < 3:
            self.add_pane("new-window", "-d", "-t", "$0:")
            return
        pane, other = self.chance.choice(there), self.chance.choice(there)
        self.count += 1
        file = f"{self.folder}/u{self.count}"
        free = str(self.chance.randrange(20, 90))
        action = self.chance.choice([*([] if self.is_piped else ["o", "o", "pipe", "close", "in"]), "respawn", "break", "join", "swap", "link", "unlink",
                                     "kill", "flood", "flood", "resize", "access", "stop", "new", "split"])
        self.counts[action] += 1
        if action in ("o", "pipe"):
            self.run("pipe-pane", *(["-o"] if action == "o" else []), "-t", pane, f"exec cat >>{file}")
        elif action == "close":
            self.run("pipe-pane", "-t", pane)
        elif action == "in":
            self.run("pipe-pane", "-I", "-t", pane, "exec sleep 0.1")
        elif action == "respawn":
            command, program = self.writer()
            self.run("respawn-pane", "-k", "-t", pane, command)
            self.panes[pane].program = program
        elif action == "break":
            self.run("break-pane", "-d", "-s", pane)
        elif action in ("join", "swap"):
            self.run(f"{action}-pane", "-d", "-s", pane, "-t", other)
        elif action == "link":
            self.run("link-window", "-d", "-s", pane, "-t", f"$0:{free}")
        elif action == "unlink":
            self.run("unlink-window", "-t", pane)
        elif action == "kill":
            self.run("kill-pane", "-t", pane)
        elif action == "flood":
            self.signal(pane, signal.SIGUSR1)
        elif action == "resize":
            self.run("resize-window", "-t", pane, "-x", free, "-y", "30")
        elif action == "access":
            self.run("server-access", "-l")
        elif action == "stop":
            os.kill(DAEMON, signal.SIGSTOP)
            time.sleep(0.1)
            os.kill(DAEMON, signal.SIGCONT)
        elif len(there) < PANES_MAX:
            self.add_pane(*(["split-window", "-d", "-t", pane] if action == "split" else ["new-window", "-d", "-t", "$0:"]))

    def round(self):
        self.panes, self.log, self.is_piped = {}, collections.deque(maxlen=12), not self.is_piped
        self.has_client = False
        self.server = Server(PATH)
        self.connect()
        until = time.monotonic() + 10
        while "error" in self.ask("list_panes") and time.monotonic() < until:
            time.sleep(0.01)
        for _ in range(ROUND):
            self.number += 1
            self.step()
            time.sleep(self.chance.choice((0, 0.005, 0.02)))
        self.end_round()

    def end_round(self):
        there = self.list_panes()
        for pane in there:
            self.signal(pane, signal.SIGUSR2)
        until = time.monotonic() + SETTLE_SEC
        while time.monotonic() < until and any(self.panes[pane].lines.ended != self.panes[pane].program for pane in there):
            time.sleep(0.02)
        for pane, seen in self.panes.items():
            wrong = list(seen.lines.wrong)
            if pane in there and seen.lines.ended != seen.program and not seen.lines.has_gap:
                wrong.append(f"the end of {seen.program} has not come behind {seen.lines.program}:{seen.lines.number}")
            if pane in there and seen.is_closed:
                wrong.append("it was closed, and is there")
            self.wrong += [f"{pane} of {self.number}: {text}" for text in wrong]
            self.counts["bytes"] += seen.lines.bytes
            for reason, count in seen.reasons.items():
                self.counts[f"gap {reason}"] += count
        self.check_users()

    def check_users(self):
        """What a pipe of the user has got: it may begin and end anywhere, but misses nothing between."""
        for name in glob.glob(f"{self.folder}/u*"):
            lines = Lines(True)
            with open(name, encoding="ascii") as file:
                text = file.read()
            lines.add(text[text.find("w"):] if "w" in text else "")
            self.counts["user bytes"] += lines.bytes
            self.wrong += [f"the user's {os.path.basename(name)} of {self.number}: {text}" for text in lines.wrong]

    def end(self):
        self.link.close()
        try:
            os.kill(self.server.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        how = self.server.end()
        for name in glob.glob(f"{self.folder}/[uw]*"):
            if not name.endswith(".py"):
                os.unlink(name)
        return how


def main():
    seed = int(os.environ.get("MUXBUS_TEST_SEED") or random.randrange(10**6))
    adopt_orphans()
    began, walk = time.monotonic(), Walk(seed)
    while walk.number < STEPS and not walk.wrong:
        try:
            walk.round()
        except (Gone, Stuck) as error:
            walk.deaths.append(f"{type(error).__name__} behind {walk.log[-1]}")
            print(f"{walk.number}: {walk.deaths[-1]}", file=sys.stderr, flush=True)
            changes = [line for line in walk.log if not line.startswith("list-")]  # the death may be seen by the list behind
            if (walk.is_piped and not walk.has_client) or "respawn-pane" not in (changes or [""])[-1] or walk.server.has_floats:  # tmux 3.8 has floating panes
                walk.wrong.append(f"tmux died in command {walk.number}: {walk.deaths[-1]}")
        walk.end()
    print(json.dumps({"commands": walk.number, "seconds": round(time.monotonic() - began, 1), "deaths": len(walk.deaths), "seed": seed,
                      "wrong": walk.wrong[:6], "counts": walk.counts, "last": list(walk.log) if walk.wrong else []}))


if __name__ == "__main__":
    PATH, STEPS, DAEMON = sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    from harmless_world import adopt_orphans
    from rest_walk import Server
    from tmux_shot import Gone, Stuck
    main()
