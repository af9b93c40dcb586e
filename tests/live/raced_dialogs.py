#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""Dialogs that change while they are answered: a stand-in that shows them, and the one that answers.

The answer names a question by its question_id. At a random moment of it the stand-in shows another
question instead, with the same numbers, or the same question with its choices in another order, or
its prompt. Each key is logged with the dialog that took it.

    raced_dialogs.py stand-in number|mark DIRECTORY
    raced_dialogs.py answer number|mark DIRECTORY SOCKET COUNT SEED
"""
import json
import os
import random
import select
import socket
import sys
import time

TIMES = 30  # of the last keys, of which the usual time to a key is made

def draw(text):
    os.write(1, text.replace("\n", "\r\n").encode())

class StandIn:
    """Draws a menu as agents do; commands come as datagrams, keys by its terminal."""

    def __init__(self, kind, directory):
        self.kind, self.dialog, self.due = kind, None, []
        self.control = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.control.bind(f"{directory}/control.{kind}")
        self.log = open(f"{directory}/taken.{kind}", "a", buffering=1)

    def show(self, dialog):
        self.dialog, self.marked = dialog, 0
        self.redraw()

    def redraw(self):
        if self.dialog is None:
            draw("\x1b[2J\x1b[H> ")
            return
        rows = [f"  {self.dialog['about']}", "", self.dialog["question"], ""]
        for at, choice in enumerate(self.dialog["choices"]):
            rows.append(f"{'❯' if at == self.marked else ' '} {at + 1}. {choice}")
        draw("\x1b[2J\x1b[H" + "\n".join(rows) + "\n\nEnter takes the marked one")

    def key(self, key):
        if self.dialog is None:
            self.log.write(json.dumps({"dialog": None, "key": key}) + "\n")
            return
        count, taken = len(self.dialog["choices"]), None
        if key in "\r\n":
            taken = self.marked
        elif key.isdigit() and 0 < int(key) <= count:
            self.marked = int(key) - 1
            taken = self.marked if self.kind == "number" else None
        self.log.write(json.dumps({
            "dialog": self.dialog["name"], "key": key, "at": time.monotonic(),
            "taken": None if taken is None else self.dialog["choices"][taken]}) + "\n")
        if taken is not None:
            self.dialog = self.dialog.get("then")
            self.marked = 0
        self.redraw()

    def run(self):
        import tty
        tty.setraw(0)
        self.redraw()
        while True:
            wait = max(0, self.due[0][0] - time.monotonic()) if self.due else None
            ready = select.select([0, self.control], [], [], wait)[0]
            if self.due and time.monotonic() >= self.due[0][0]:
                self.show(self.due.pop(0)[1])
            if self.control in ready:
                order = json.loads(self.control.recv(65536))
                self.due = []
                if order["after"] is None:
                    self.show(order["dialog"])
                else:
                    self.due.append((time.monotonic() + order["after"], order["dialog"]))
            if 0 in ready:
                for key in os.read(0, 1024).decode():
                    self.key(key)

class Daemon:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.file = self.socket.makefile("rw", encoding="utf-8")

    def call(self, method, params):
        self.file.write(json.dumps({"id": 1, "method": method, "params": params}) + "\n")
        self.file.flush()
        while True:
            answer = json.loads(self.file.readline())
            if "method" not in answer:
                return answer

def choices_of(chance):
    return chance.sample(["Yes", "Yes, and do not ask again", "No", "No, and say why", "Later"], 3)

def race(kind, directory, path, count, seed):
    chance = random.Random(seed)
    daemon = Daemon(path)
    control = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    control.connect(f"{directory}/control.{kind}")
    tally = {"right": 0, "refused": 0, "wrong": 0, "stray": 0, "told wrong": 0}
    agent = {"agent": kind}
    times = [0.5]  # from the request to the key that takes a choice, seconds

    def order(dialog, after=None):
        control.send(json.dumps({"dialog": dialog, "after": after}).encode())

    def taken():
        with open(f"{directory}/taken.{kind}", encoding="utf-8") as log:
            return [json.loads(line) for line in log]

    def until(question):
        for _ in range(600):
            found = [one for one in daemon.call("list_agents", {})["result"]["agents"]
                     if one["agent"] == kind and one.get("question") == question]
            if found if question else True:
                return found[0] if found else None
            time.sleep(0.05)
        sys.exit(f"{kind}: the question is not seen: {question}")

    for number in range(count):
        first = {"name": f"{number}a", "about": f"Bash(make {number})", "question": f"Run step {number}?",
                 "choices": choices_of(chance)}
        how = chance.choice(["other", "about", "order", "prompt", "stays"])
        second = dict(first, name=f"{number}b")
        if how == "other":
            second.update(about=f"Bash(rm {number})", question=f"Remove {number}?", choices=choices_of(chance))
        elif how == "about":
            second.update(about=f"Bash(rm -rf {number})")
        elif how == "order":
            second.update(choices=first["choices"][1:] + first["choices"][:1])
        elif how == "prompt":
            second = None
        order(first)
        shown = until(first["question"])
        number_of = chance.randint(1, 3)
        before = len(taken())
        if how != "stays":
            order(second, chance.uniform(0, 1.5 * sorted(times)[len(times) // 2]))
        began = time.monotonic()
        answer = daemon.call("respond", {**agent, "question_id": shown["question_id"], "choice": number_of,
                                         "timeout_sec": 5})
        time.sleep(0.05)
        keys = taken()[before:]
        want = first["choices"][number_of - 1]
        ends = [key for key in keys if key.get("taken")]
        right = [key for key in ends if key["dialog"] == first["name"] and key["taken"] == want]
        times = (times + [key["at"] - began for key in ends[:1]])[-TIMES:]
        tally["wrong"] += len(ends) > len(right)
        tally["stray"] += any(key["dialog"] != first["name"] for key in keys)
        tally["right"] += len(right) > 0
        tally["refused"] += not ends
        tally["told wrong"] += ("error" in answer) == bool(right)
        if len(ends) > len(right) or ("error" in answer) == bool(right):
            print("#", how, json.dumps(keys, ensure_ascii=False), json.dumps(answer, ensure_ascii=False)[:400])
    print(f"# {kind}: {1000 * sorted(times)[len(times) // 2]:.0f} ms to the key that takes a choice")
    print(" ".join(str(tally[name]) for name in ("right", "refused", "wrong", "stray", "told wrong")))

if sys.argv[1] == "stand-in":
    StandIn(sys.argv[2], sys.argv[3]).run()
else:
    race(sys.argv[2], sys.argv[3], sys.argv[4], int(sys.argv[5]), int(sys.argv[6]))
