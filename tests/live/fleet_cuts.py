# SPDX-License-Identifier: ISC
"""Cuts of a fleet at random: machines with sshd, tmux and muxbusd each, one muxbusd --fleet, and an accounting.

Each post, ack, job, wait, event and typed line has a number of its own. While all of them are under way
in both directions, ssh, the far relays, the sessions of sshd and the fleet daemon are killed, and links
stall. At the end every number is looked for on the machines themselves, without the fleet.

MUXBUS_CUTS (30) is the number of cuts, MUXBUS_FLEET_HOSTS (4) of machines, MUXBUS_FLEET_KEEP=1 keeps the folder."""

import collections
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import tap  # noqa: E402
from fleet_machines import BUILD, REPLY_SEC, Ended, Fleet, Link, Machine, all_notes, free_port, processes, stop_all, until  # noqa: E402
from tap import ok  # noqa: E402

CUTS = int(os.environ.get("MUXBUS_CUTS", "30"))
HOSTS = int(os.environ.get("MUXBUS_FLEET_HOSTS", "4"))
SEED = int(os.environ.get("MUXBUS_SEED", "0")) or random.SystemRandom().randrange(1, 1 << 30)


class Cutter(threading.Thread):
    """Cuts links at random, each in one of the ways that machines have."""

    def __init__(self, fleet, machines, folder, randoms):
        super().__init__()
        self.fleet, self.machines, self.folder, self.random = fleet, machines, folder, randoms
        self.counts = {"ssh": 0, "relay": 0, "sshd session": 0, "stalled ssh": 0, "fleet daemon": 0}
        self.stopped = threading.Event()
        self.failure = None

    def find(self, way):
        if way in ("ssh", "stalled ssh"):
            return [pid for pid, _, argv in processes() if argv[0] == "ssh" and f"{self.folder}/ssh_config" in argv]
        if way == "relay":
            return [pid for machine in self.machines for pid in self.fleet.relays(machine)]
        ours = {m.sshd.pid for m in self.machines}
        return [pid for pid, parent, argv in processes() if parent in ours]

    def cut(self):
        way = self.random.choices(list(self.counts), (8, 8, 4, 2, 1))[0]
        if way == "fleet daemon":
            self.fleet.kill()
            self.counts[way] += 1
            return True
        found = self.find(way)
        if not found:
            return False
        pid = self.random.choice(found)
        try:
            if way == "stalled ssh":
                os.kill(pid, signal.SIGSTOP)
                time.sleep(self.random.uniform(0.1, 1))
                os.kill(pid, signal.SIGCONT)
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            return False
        self.counts[way] += 1
        return True

    def run(self):
        try:
            while sum(self.counts.values()) < CUTS and not self.stopped.is_set():
                self.cut()
                time.sleep(self.random.uniform(0.1, 0.6))
        except Exception as error:  # shown by the main thread
            self.failure = error
            self.stopped.set()


class Worker(threading.Thread):
    """One client of the fleet. It repeats a request under the same key until it has an answer."""

    def __init__(self, fleet, stop, name):
        super().__init__(name=name)
        self.fleet, self.stop = fleet, stop
        self.link = None
        self.failure = None
        self.repeats = collections.Counter()  # by why

    def connect(self):
        end = time.monotonic() + 60
        while self.link is None:
            try:
                self.link = Link(self.fleet.socket, self.on_event)
            except Ended:
                if time.monotonic() > end:
                    raise
                time.sleep(0.05)

    def on_event(self, params):
        pass

    def drop(self):
        if self.link is not None:
            self.link.close()
            self.link = None

    def ask(self, method, params, seconds=REPLY_SEC):
        """Until there is a result. Errors that say that a link was cut are asked again."""
        end = time.monotonic() + 240
        while True:
            try:
                self.connect()
                message = self.link.ask(method, params, seconds)
            except Ended as error:
                self.drop()
                self.repeats[f"{method}: {error}"] += 1
                continue
            if "result" in message:
                return message["result"]
            kind = message["error"].get("data", {}).get("kind")
            if kind not in ("gone", "timeout", "busy", "limit", "cancelled", "not_ready") or time.monotonic() > end:
                raise AssertionError(f"{method} {params}: {message['error']}")
            self.repeats[f"{method}: {kind}: {message['error']['message']}"] += 1
            time.sleep(0.05)

    def run(self):
        try:
            self.work()
        except Exception as error:
            self.failure = error
            self.stop.set()
        finally:
            self.drop()

    def work(self):
        raise NotImplementedError


class Writer(Worker):
    """Types numbered lines into a pane of a machine."""

    def __init__(self, fleet, stop, machine):
        super().__init__(fleet, stop, f"lines of {machine.name}")
        self.host, self.sent = machine.name, []

    def work(self):
        while not self.stop.is_set():
            line = f"L{len(self.sent)}."
            self.sent.append(line)
            self.ask("send_text", {"pane": f"{self.host}:%0", "text": line, "enter": True, "key": line})
            time.sleep(0.05)


class Poster(Worker):
    """Posts numbered notifications on a machine, every fourth one to its agent."""

    def __init__(self, fleet, stop, machine):
        super().__init__(fleet, stop, f"posts of {machine.name}")
        self.host, self.sent = machine.name, []

    def work(self):
        while not self.stop.is_set():
            text = f"P{len(self.sent)}."
            params = {"text": text, "key": text}
            params.update({"pane": f"{self.host}:%1"} if len(self.sent) % 4 == 0 else {"host": self.host})
            self.sent.append(text)
            self.ask("post_notification", params)
            time.sleep(0.1)


class Jobs(Worker):
    """Jobs on one machine whose ends go to the agent of another."""

    def __init__(self, fleet, stop, machines):
        super().__init__(fleet, stop, "jobs")
        self.machines, self.sent = machines, []

    def work(self):
        number = 0
        while not self.stop.is_set():
            runs = self.machines[number % len(self.machines)].name
            wakes = self.machines[(number + 1 + number // len(self.machines)) % len(self.machines)].name
            command = f"echo J{number}."
            self.sent.append((number, runs, wakes))
            self.ask("run_long_command", {"host": runs, "command": command, "notify": f"{wakes}:%1",
                                          "key": f"J{number}."})
            number += 1
            time.sleep(0.2)


class Waiter(Worker):
    """Waits for lines in panes of two machines; one of them gets the line, once, when its daemon waits."""

    def __init__(self, fleet, stop, machines, randoms):
        super().__init__(fleet, stop, "waits")
        self.machines, self.random = machines, randoms
        self.asked = self.answered = 0
        self.wrong = []
        self.errors = {}  # of lines, by number

    def type_line(self, machine, number, name, line):
        def is_typed():
            try:
                machine.ask("send_text", {"pane": "%0", "text": line, "enter": True, "key": f"typed {line}"})
                return True
            except (Ended, KeyError) as error:
                self.errors[number] = repr(error)
                return False
        until(lambda: machine.has_kept(f"wait/{name}{{".encode()), 100)
        until(is_typed, 60)

    def told(self):
        """Of each wait that went wrong: its answer, where its line was typed, and what machines kept of it."""
        return [{"answer": answer, "error": self.errors.get(number),
                 "typed": [m.name for m in self.machines if f"W{number}." in m.lines(m.typed)],
                 "kept": {m.name: m.records(f"wait/w{number}") for m in self.machines}}
                for number, answer in self.wrong[:3]]

    def work(self):
        number = 0
        while not self.stop.is_set():
            one, other = self.random.sample(self.machines, 2)
            line, name = f"W{number}.", f"w{number}"
            self.asked += 1
            conditions = [{"output": re.escape(line), "pane": f"{m.name}:%0"} for m in (one, other)]
            typing = threading.Thread(target=self.type_line, args=(one, number, name, line))
            typing.start()
            result = self.ask("wait_for", {"any": conditions, "timeout_sec": 120, "wait": name, "key": line}, 150)
            typing.join()
            if result["matched"] == [0]:
                self.answered += 1
            else:
                self.wrong.append((number, result))
            number += 1


class Reader(Worker):
    """The consumer "books": reads the notifications of all machines, and acknowledges each."""

    def __init__(self, fleet, stop, machines, done):
        super().__init__(fleet, stop, "acks")
        self.machines, self.done = machines, done
        self.seen = {}  # (host, seq): how often, not counting those that said redelivered
        self.texts = {m.name: [] for m in machines}
        self.after_ack = []
        self.acked = set()

    def work(self):
        while not self.done.is_set():
            result = self.ask("next_notification", {"consumer": "books", "timeout_sec": 2, "limit": 20})
            for note in result["notifications"]:
                entry = (note["host"], note["seq"])
                if entry in self.acked:
                    self.after_ack.append(entry)
                if entry not in self.seen:
                    self.texts[note["host"]].append(note["text"])
                elif not note.get("redelivered"):
                    self.after_ack.append(entry)
                self.seen[entry] = self.seen.get(entry, 0) + 1
            for note in result["notifications"]:
                self.ask("ack_notification", {"host": note["host"], "seq": note["seq"], "consumer": "books"})
                self.acked.add((note["host"], note["seq"]))


class Subscriber(Worker):
    """One merged stream of the notifications of all machines; it connects again behind the last number of each."""

    def __init__(self, fleet, stop, machines, done):
        super().__init__(fleet, stop, "events")
        self.machines, self.done = machines, done
        self.last = {}
        self.first = {}
        self.seen = {m.name: [] for m in machines}
        self.twice = []
        self.gaps = {m.name: [] for m in machines}

    def on_event(self, params):
        host = params.get("host")
        if params["kind"] == "gap":
            self.gaps[host].append((params["from"], params["to"]))
            self.last[host] = max(self.last.get(host, 0), params["to"])
        elif params["kind"] == "notification":
            if params["seq"] <= self.last.get(host, 0):
                self.twice.append((host, params["seq"]))
            self.last[host] = params["seq"]
            self.seen[host].append(params["seq"])

    def work(self):
        self.last = {m.name: 0 for m in self.machines}
        while not self.done.is_set():
            try:
                self.connect()
                self.link.ask("subscribe", {"kinds": ["notification"], "after": self.last})
                while not self.done.is_set():
                    try:
                        message = self.link.line(0.5)
                    except Ended as end:
                        if "timed out" in str(end):
                            continue
                        raise
                    if message.get("method") == "event":
                        self.on_event(message["params"])
            except Ended as error:
                self.drop()
                self.repeats[f"subscribe: {error}"] += 1


class Books:
    """The table of what was asked, and what is there."""

    def __init__(self):
        self.rows = []

    def add(self, name, asked, lost, twice, detail=""):
        self.rows.append((name, asked, len(lost), len(twice)))
        ok(not lost, f"{name}: none of {asked} is lost", f"{lost[:10]} {detail}")
        ok(not twice, f"{name}: none is there twice", f"{twice[:10]} {detail}")

    def show(self):
        print(f"# {'what':<34} {'asked':>7} {'lost':>6} {'twice':>6}")
        for name, asked, lost, twice in self.rows:
            print(f"# {name:<34} {asked:>7} {lost:>6} {twice:>6}")


def compare(want, got):
    """Those that are missing, and those that are there more than once."""
    counts = {}
    for one in got:
        counts[one] = counts.get(one, 0) + 1
    return [one for one in want if one not in counts], [one for one in want if counts.get(one, 0) > 1]


def account(books, machines, workers):
    jobs, waiter, reader, subscriber = workers[:4]
    typed = {w.host: w.sent for w in workers if isinstance(w, Writer)}
    posted = {w.host: w.sent for w in workers if isinstance(w, Poster)}
    lost, twice, lines = [], [], 0
    for m in machines:
        one, other = compare(typed[m.name], m.lines(m.typed))
        lost, twice, lines = lost + one, twice + other, lines + len(typed[m.name])
    books.add("lines typed into panes", lines, lost, twice)
    notes = {m.name: all_notes(m) for m in machines}
    lost, twice, count = [], [], 0
    for m in machines:
        one, other = compare(posted[m.name], [n["text"] for n in notes[m.name] if n["source"] == "post"])
        lost, twice, count = lost + one, twice + other, count + len(posted[m.name])
    books.add("posts in the queues", count, lost, twice)
    lost, twice = [], []
    for m in machines:
        one, other = compare(posted[m.name], reader.texts[m.name])
        lost, twice = lost + one, twice + other
    books.add("posts read by a consumer", count, lost, twice + reader.after_ack)
    ended = job_ends(machines, notes)
    lost = [(n, runs, wakes) for n, runs, wakes in jobs.sent if (n, wakes) not in ended]
    books.add("ends of jobs at another machine", len(jobs.sent), lost,
              [key for key, ids in ended.items() if len(ids) > 1], first_ends(lost, notes))
    lost, twice, count = [], [], 0
    for m in machines:
        typed = m.lines(m.agent_log)
        for note in notes[m.name]:
            if note.get("pane") != "%1":
                continue
            count += 1
            own = re.compile(rf"(?<!:)\b{note['id']}\b")  # h2/default:B7J3 is the id of a job elsewhere
            times = sum(own.search(line) is not None for line in typed)
            lost += [(m.name, note["id"], note["state"])] if times == 0 and note["state"] != "acknowledged" else []
            twice += [(m.name, note["id"])] if times > 1 else []
    books.add("notifications typed to agents", count, lost, twice)
    books.add("waits over two machines", waiter.asked, [number for number, _ in waiter.wrong], [], waiter.told())
    lost, count = [], 0
    for m in machines:
        seen = set(subscriber.seen[m.name])
        for note in notes[m.name]:
            if not any(a <= note["seq"] <= b for a, b in subscriber.gaps[m.name]):
                count += 1
                lost += [(m.name, note["seq"])] if note["seq"] not in seen else []
    books.add("notification events of one stream", count, lost, subscriber.twice)


def first_ends(lost, notes):
    """What the machines of lost jobs have of their ends."""
    return [{key: note.get(key) for key in ("seq", "id", "time", "text", "state", "delivery")}
            for number, runs, _ in lost for note in notes[runs] if job_number(note) == number]


def job_number(note):
    """The job of a notification; an id such as B7J3 is none."""
    found = re.search(r"\bJ(\d+)\.", json.dumps(note))
    return int(found[1]) if found else None


def job_ends(machines, notes=None):
    """The ends of jobs that agents have: number and machine to the ids of their notifications."""
    ended = {}
    for m in machines:
        for note in notes[m.name] if notes else all_notes(m):
            number = job_number(note) if note.get("pane") == "%1" else None
            if number is not None:
                ended.setdefault((number, m.name), []).append(note["id"])
    return ended


def settled(machines):
    """Whether the agents have got what was posted to them."""
    for m in machines:
        for state in ("queued", "delivering"):
            if any(n.get("pane") == "%1" for n in m.ask("list_notifications",
                                                        {"state": state, "limit": 1000})["notifications"]):
                return False
    return True


def agents_task(fleet, machines):
    """A script on one machine gives the agent of another one a task in one request, and learns of its end."""
    one, other = machines[0], machines[1]
    link = Link(fleet.socket)
    agent = link.ask("ensure_agent", {"host": other.name, "name": "helper", "key": "helper",
                                      "command": f"{BUILD}/tests/fake_agent {other.folder}/task"})
    ok("result" in agent, "an agent is started on another machine", agent)
    task = link.ask("send_task", {"agent": f"{other.name}:helper", "text": "count the files", "wait": True,
                                  "key": "task 1", "timeout_sec": 30})
    ok(task.get("result", {}).get("outcome") == "ready", "it is given a task in one request, and its end comes back", task)
    again = link.ask("send_task", {"agent": f"{other.name}:helper", "text": "count the files", "wait": True,
                                   "key": "task 1", "timeout_sec": 30})
    ok(again.get("result", {}).get("repeated") is True, "the task is given once for one key", again)
    lines = other.lines(f"{other.folder}/task")
    ok(len([l for l in lines if "count the files" in l]) == 1, "the agent has it once", lines)
    job = link.ask("run_long_command", {"host": other.name, "command": "echo the task is done",
                                        "notify": f"{one.name}:%1"})
    ident = job.get("result", {}).get("id", "none")
    got = until(lambda: any("the task is done" in json.dumps(n) for n in all_notes(one) if n.get("pane") == "%1"))
    ok(got, "the end of a job there wakes a pane here", f"{ident} {job}")
    link.close()


def cut_while_busy(fleet, machines, randoms, folder):
    stop, done = threading.Event(), threading.Event()
    workers = [Jobs(fleet, stop, machines), Waiter(fleet, stop, machines, randoms),
               Reader(fleet, stop, machines, done), Subscriber(fleet, stop, machines, done)]
    workers += [one(fleet, stop, m) for m in machines for one in (Writer, Poster)]
    jobs, _, reader, subscriber = workers[:4]
    cutter = Cutter(fleet, machines, folder, randoms)
    for thread in workers + [cutter]:
        thread.start()
    while cutter.is_alive() and not stop.is_set():
        cutter.join(0.2)
    cutter.stopped.set()
    cutter.join()
    stop.set()
    for worker in workers:
        if worker not in (reader, subscriber):
            worker.join(300)
    until(lambda: len(job_ends(machines)) >= len(jobs.sent), 60)
    until(lambda: settled(machines), 60)
    posts = sum(len(w.sent) for w in workers if isinstance(w, Poster))
    until(lambda: sum(t.startswith("P") for texts in reader.texts.values() for t in texts) >= posts, 90)
    until(lambda: all(subscriber.last.get(m.name, 0) >= all_notes(m)[-1]["seq"] for m in machines), 30)
    done.set()
    for worker in workers:
        worker.join(60)
    failed = [(w.name, repr(w.failure)) for w in workers if w.failure is not None or w.is_alive()]
    ok(not failed, f"{len(workers)} clients go through", failed)
    ok(cutter.failure is None and sum(cutter.counts.values()) == CUTS,
       f"{CUTS} cuts: " + ", ".join(f"{n} {w}" for w, n in cutter.counts.items()), repr(cutter.failure))
    repeats = sum((w.repeats for w in workers), collections.Counter())
    print(f"# requests asked again by clients: {sum(repeats.values())}")
    for why, count in repeats.most_common():
        print(f"# {count:>5} {why}")
    return workers


def main():
    folder = tempfile.mkdtemp(prefix="mbf-", dir="/tmp")
    randoms = random.Random(SEED)
    print(f"# MUXBUS_SEED={SEED}")
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", f"{folder}/key"], check=True)
    if os.getuid() == 0:
        os.makedirs("/run/sshd", 0o755, exist_ok=True)
    port = free_port([f"127.0.0.{10 + n}" for n in range(1, HOSTS + 1)])
    machines = [Machine(folder, number, port) for number in range(1, HOSTS + 1)]
    fleet = Fleet(folder, machines)
    try:
        for machine in machines:
            machine.start()
            machine.start_sshd()
        fleet.start()
        ok(until(lambda: os.path.exists(fleet.socket)), "the fleet daemon is ready")

        ok(until(lambda: fleet.is_up(len(machines)), 60), f"{HOSTS} machines are up")
        agents_task(fleet, machines)
        workers = cut_while_busy(fleet, machines, randoms, folder)
        books = Books()
        account(books, machines, workers)
        books.show()
    finally:
        stop_all([fleet] + machines, folder, tap.failures > 0 or os.environ.get("MUXBUS_FLEET_KEEP"))
    tap.done()


if __name__ == "__main__":
    main()
