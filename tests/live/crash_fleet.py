# SPDX-License-Identifier: ISC
"""A fleet daemon that is killed at each call by which it changes its files keeps the notifications of a host.

crash_at.c, preloaded, does something to one of these calls, as in crash_points.py. Meanwhile a machine posts, and
what it posts is acknowledged and answered through the fleet. Then a fleet daemon starts as usual: each
notification of the machine comes once, and nothing that was answered is lost.

Usage: crash_fleet.py TRIES [SEED]. 0: each call in all ways; else so many of them."""

import os
import random
import shutil
import struct
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import tap  # noqa: E402
from fleet_machines import BUILD, Ended, Fleet, Link, Machine, until, write  # noqa: E402
from tap import ok  # noqa: E402

HOW = ("kill", "tear", "fail", "full")
SHIM = f"{BUILD}/tests/live/.libs/crash_at.so"
# Runs a command of a host here.
SSH = "#!/bin/sh\nwhile [ $# -gt 0 ] && [ \"$1\" != h1 ]; do shift; done\nshift\nexec sh -c \"$*\"\n"


class Life:
    """One life of the fleet daemon, in which something happens to a call, and the next one."""

    def __init__(self, fleet, machine, number):
        self.fleet, self.machine, self.number = fleet, machine, number
        self.count = f"{fleet.folder}/count"
        self.answered = {}
        self.texts, self.acked, self.again = [], [], 0  # of the reader

    def start(self, at, how):
        write(self.count, "\0" * 8)
        plain = self.fleet.env
        asan = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
        self.fleet.env = {**plain, "LD_PRELOAD": SHIM, "CRASH_COUNT": self.count, "CRASH_AT": str(at),
                          "CRASH_HOW": how, "ASAN_OPTIONS": asan}
        self.fleet.start()
        self.fleet.env = plain

    def calls(self):
        with open(self.count, "rb") as file:
            return struct.unpack("Q", file.read(8))[0]

    def text(self, name):
        return f"{name} of life {self.number}"

    def ask(self, method, params):
        link = Link(self.fleet.socket)
        try:
            return link.ask(method, params)["result"]
        except KeyError:
            raise Ended("refused") from None
        finally:
            link.close()

    def note(self, text):
        """All that the fleet has of a text."""
        try:
            found = [n for n in self.ask("list_notifications", {"limit": 1000})["notifications"] if n["text"] == text]
        except Ended:
            return []
        return found

    def is_dead(self):
        return self.fleet.process.poll() is not None

    def place(self):
        """The number of the first notification of the machine, for those who name it."""
        first = self.note(self.text("before"))[0]
        return {"host": first["host"], "seq": first["seq"]}

    def read(self, timeout_sec):
        """The consumer "reader" takes what there is, and acknowledges it. Returns whether there was something."""
        taken = self.ask("next_notification", {"consumer": "reader", "timeout_sec": timeout_sec})["notifications"]
        for note in taken:
            entry = {name: note[name] for name in ("host", "seq") if name in note}
            self.again += entry in self.acked
            self.texts.append(note["text"])
            if self.ask("ack_notification", {**entry, "consumer": "reader"}).get("durable") is not False:
                self.acked.append(entry)
        return bool(taken)

    def play(self):
        self.machine.ask("post_notification", {"text": self.text("before")})
        until(lambda: self.is_dead() or self.note(self.text("before")), 20)
        self.machine.ask("post_notification", {"text": self.text("meanwhile")})
        for name, method, params in (
                ("own", "post_notification", lambda: {"text": self.text("own")}),
                ("acked", "ack_notification", self.place)):
            try:
                answer = self.ask(method, params())
                self.answered[name] = answer.get("durable") is not False
                self.read(2)
            except (Ended, IndexError):
                continue
        until(lambda: self.is_dead() or self.note(self.text("meanwhile")), 5)
        self.machine.ask("post_notification", {"text": self.text("behind")})

    def look(self, where):
        for name in ("before", "meanwhile", "behind"):
            until(lambda name=name: self.note(self.text(name)))
        # What was on its way to the reader as the daemon was killed comes again after ack_wait_ms, 10 s here.
        end = time.monotonic() + 40
        names = {self.text(name) for name in ("before", "meanwhile", "behind")}
        while not names <= set(self.texts) and time.monotonic() < end:
            self.read(0.5)
        while self.read(0):
            pass
        ok(names <= set(self.texts), f"{where}: a reader gets all of it", self.texts)
        ok(self.again == 0, f"{where}: and nothing of what it has acknowledged", self.again)
        found = {name: len(self.note(self.text(name))) for name in ("before", "meanwhile", "behind", "own")}
        own = found.pop("own")
        ok(set(found.values()) == {1}, f"{where}: what the machine posted came once", found)
        ok(own <= 1 and (own == 1 or not self.answered.get("own")), f"{where}: what was posted here is there",
           f"{own}, {self.answered}")
        if self.answered.get("acked"):
            states = [n["state"] for n in self.note(self.text("before"))]
            ok(states == ["acknowledged"], f"{where}: what was acknowledged stays so", states)


def one(fleet, machine, number, at, how, again):
    life = Life(fleet, machine, number)
    where = f"life {number}, call {at}, {how}{f', then {again}' if again else ''}"
    life.start(at, how)
    life.play()
    if how in ("fail", "full"):
        fleet.process.kill()
    else:
        fleet.process.terminate()
    fleet.process.wait()
    calls = life.calls()
    if again:
        life.start(again, "kill")
        until(lambda: life.is_dead() or fleet.is_up(1), 20)
        fleet.process.terminate()
        fleet.process.wait()
    fleet.start()
    ok(until(lambda: fleet.is_up(1)), f"{where}: the host is up again")
    life.look(where)
    fleet.stop()
    return calls


def main():
    tries = int(sys.argv[1])
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else time.time_ns() % 100000
    chance = random.Random(seed)
    print(f"# seed {seed}", flush=True)
    folder = tempfile.mkdtemp(prefix="mbt-")
    machine = Machine(folder, 1, 22)
    write(f"{folder}/ssh", SSH, 0o700)
    fleet = Fleet(folder, [machine], ssh=f"{folder}/ssh")
    try:
        machine.start()
        total = one(fleet, machine, 0, 0, "kill", 0)
        ok(total > 20, "the calls of a life that is not killed are counted", total)
        lives = [(at, how) for at in range(1, total + 1) for how in HOW]
        if 0 < tries < len(lives):
            lives = chance.sample(lives, tries)
        for number, (at, how) in enumerate(lives):
            one(fleet, machine, number + 1, at, how, chance.randrange(1, 15) if number % 3 == 2 else 0)
        print(f"# {len(lives)} of {len(HOW) * total} lives")
    finally:
        if fleet.process is not None and fleet.process.poll() is None:
            fleet.stop()
        machine.stop()
        if tap.failures:
            with open(f"{fleet.folder}/log", encoding="utf-8", errors="replace") as log:
                print("".join(f"# {line}" for line in log.readlines()[-20:]))
        shutil.rmtree(folder, ignore_errors=True)
    tap.done()


main()
