#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""A person who begins to type at random moments of a typed wake: a stand-in for the agent, and the persons.

The stand-in edits a line as agents do, draws it after a random time, and logs each line that Enter ends.
Each person is a tmux client on a terminal: types a prompt key by key, begun at a random moment between
the post of a notification and SPREAD seconds later, and ends it with Enter, without looking.

    interrupting.py stand-in DIRECTORY NAME
    interrupting.py persons DIRECTORY SOCKET TMUX-SOCKET PERSONS TRIALS SPREAD SEED
"""
import json
import os
import pty
import random
import re
import select
import socket
import subprocess
import sys
import threading
import time
import tty

KEYS = re.compile(r"\x1b\[[0-9;]*[A-Za-z~]|.", re.S)

def stand_in(directory, name):
    chance = random.Random(name)
    log = open(f"{directory}/got.{name}", "a", buffering=1)
    tty.setraw(0)
    line, at, said = "", 0, ""
    while True:
        columns = os.get_terminal_size(0).columns
        cell = 2 + at
        os.write(1, (f"\x1b[?25l\x1b[H\x1b[2J* said: {said[:60]}\r\n\r\n> {line}"
                     f"\x1b[{3 + cell // columns};{1 + cell % columns}H\x1b[?25h").encode())
        text = os.read(0, 65536).decode()
        for key in KEYS.findall(text):
            if key == "\r":
                log.write(json.dumps(line) + "\n")
                line, at, said = "", 0, line
            elif key == "\x7f":
                line, at = line[:max(at - 1, 0)] + line[at:], max(at - 1, 0)
            elif key == "\x1b[3~":
                line = line[:at] + line[at + 1:]
            elif key in ("\x01", "\x1b[1~", "\x1b[H"):
                at = 0
            elif key in ("\x05", "\x1b[4~", "\x1b[F"):
                at = len(line)
            elif key == "\x1b[D":
                at = max(at - 1, 0)
            elif key == "\x1b[C":
                at = min(at + 1, len(line))
            elif len(key) == 1 and key >= " ":
                line, at = line[:at] + key + line[at:], at + 1
        time.sleep(chance.uniform(0, 0.05))

class Daemon:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.file = self.socket.makefile("rw", encoding="utf-8")

    def call(self, method, **params):
        self.file.write(json.dumps({"id": 1, "method": method, "params": params}) + "\n")
        self.file.flush()
        while True:
            answer = json.loads(self.file.readline())
            if answer.get("id") == 1:
                return answer

class Person(threading.Thread):
    def __init__(self, number, directory, path, tmux, trials, spread, seed):
        super().__init__(daemon=True)
        self.name_ = f"p{number}"
        self.chance = random.Random(f"{seed} {number}")
        self.directory, self.path, self.tmux, self.trials, self.spread = directory, path, tmux, trials, spread
        self.posted = []

    def run_tmux(self, *words):
        return subprocess.run(["tmux", "-S", self.tmux, *words], check=True, capture_output=True,
                              text=True).stdout.strip()

    def attach(self):
        pid, self.terminal = pty.fork()
        if pid == 0:
            os.environ["TERM"] = "xterm"
            os.execlp("tmux", "tmux", "-S", self.tmux, "attach-session", "-t", self.name_)
        threading.Thread(target=self.look, daemon=True).start()

    def look(self):
        try:
            while os.read(self.terminal, 65536):
                pass
        except OSError:
            pass

    def lines(self):
        with open(f"{self.directory}/got.{self.name_}", encoding="utf-8") as log:
            return [json.loads(line) for line in log]

    def run(self):
        pane = self.run_tmux("new-session", "-d", "-s", self.name_, "-x", "100", "-y", "24", "-P", "-F",
                             "#{pane_id}", f"exec {self.directory}/fake_agent {self.directory} {self.name_}")
        self.attach()
        while "* said:" not in self.run_tmux("capture-pane", "-p", "-t", pane):
            time.sleep(0.05)
        daemon = Daemon(self.path)
        daemon.call("report_agent", agent="fake_agent", pane=pane, state="idle")
        for trial in range(self.trials):
            time.sleep(5.6)
            note = f"note {self.name_} {trial}."
            daemon.call("post_notification", pane=pane, text=note)
            time.sleep(self.chance.uniform(0, self.spread))
            text = f"hello again {trial}!"
            for key in text:
                os.write(self.terminal, key.encode())
                time.sleep(self.chance.uniform(0.03, 0.2))
            time.sleep(self.chance.uniform(0.05, 0.4))
            os.write(self.terminal, b"\r")
            self.posted.append((text, note))
            for _ in range(1000):
                if any(note in line for line in self.lines()):
                    break
                time.sleep(0.02)

def persons(directory, path, tmux, count, trials, spread, seed):
    people = [Person(number, directory, path, tmux, trials, spread, seed) for number in range(count)]
    for person in people:
        person.start()
    for person in people:
        person.join()
    tally = {"trials": 0, "apart": 0, "fused": 0, "damaged": 0, "not woken": 0, "woken twice": 0}
    for person in people:
        lines = person.lines()
        for text, note in person.posted:
            notes = [line for line in lines if note in line]
            tally["trials"] += 1
            kind = "apart" if text in lines else "fused" if any(text in line for line in lines) else "damaged"
            tally[kind] += 1
            tally["not woken"] += not notes
            tally["woken twice"] += len(notes) > 1
            if kind != "apart" or len(notes) != 1:
                print("#", kind, json.dumps([line for line in lines if note in line or text[-4:] in line]),
                      file=sys.stderr)
    print(json.dumps(tally))

if sys.argv[1] == "stand-in":
    stand_in(*sys.argv[2:4])
else:
    persons(sys.argv[2], sys.argv[3], sys.argv[4], int(sys.argv[5]), int(sys.argv[6]), float(sys.argv[7]),
            sys.argv[8])
