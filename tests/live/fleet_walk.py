# SPDX-License-Identifier: ISC
"""
A random walk of the hosts of a fleet: they are added, removed, renamed, killed, stopped, cut in the middle of an
answer, and emptied, and so is the fleet. Beside it clients ask the fleet, and each host is asked alone.

The laws: the rows of the fleet are those of its hosts; a host that does not answer is in "missing", and one that is
gone in nothing; each request has one answer, in the time that the manual says; each notification of each host
comes to the consumer, and not again when it is acknowledged; the events of each host come in order, all of them;
a wait ends when its job does; the end of a job wakes the pane of another host once.
"""

import collections
import json
import os
import random
import re
import select
import shutil
import signal
import socket
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import tap
from fleet_machines import BUILD, Ended, Fleet, all_notes, write
from fleet_walk_hosts import SLACK_SEC, Client, Fault, Host, Line, law, plain, story, tell

SECONDS = float(sys.argv[1])
seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1 << 32)
rng = random.Random(seed)
LISTS = ("panes", "windows", "sessions", "agents", "jobs", "timers", "watches", "notifications", "events")
KINDS = ["notification", "window_*", "pane_created", "pane_closed", "server_*", "session_*"]
ACK_SEC = 10
PASSING = ("gone", "timeout", "busy", "not_ready", "cancelled", "tmux_unavailable")
HERE = re.sub(r"\..*", "", socket.gethostname())


class Walk:
    def __init__(self, folder):
        self.folder = folder
        self.requests = self.lists = self.rows = self.entries = self.events = self.jobs = 0
        os.makedirs(f"{folder}/bin", 0o700)
        shutil.copy(f"{BUILD}/muxbus", f"{folder}/bin/muxbus")
        write(f"{folder}/bin/muxbusd", f"#!/bin/sh\nexec '{BUILD}/muxbusd' -o ack_wait_ms={ACK_SEC * 1000} \"$@\"\n", 0o700)
        write(f"{folder}/ssh", "#!/bin/sh\nfor word; do host=$command command=$word; done\n"
              "[ \"$host\" != dead ] || { echo 'ssh: no route' >&2; exit 255; }\nexec sh -c \"$command\"\n", 0o700)
        os.makedirs(f"{folder}/a/tmux", 0o700)
        self.hosts = [Host(folder, n, f"{folder}/a/tmux" if n == 5 else None) for n in range(1, 6)]
        self.fleet = Fleet(folder, [], f"{folder}/ssh")
        self.path = f"{self.fleet.folder}/config/muxbus/hosts"
        self.lines = [Line(host.name, host) for host in self.hosts]
        here = self.lines[4]
        here.name, here.ssh = HERE, None
        self.spare = [Line("twin", self.hosts[0]), Line("dead", None)]
        for line in self.spare:
            line.is_in = False
        self.lines += self.spare
        self.names = 0
        self.pools = [Client(self) for _ in range(3)]
        self.reader, self.listener, self.waiter = Client(self), Client(self), Client(self)
        self.listener.on_event = self.on_event
        self.clients = self.pools + [self.reader, self.listener, self.waiter]
        self.handed = {}  # (host, life, seq): [times, confirmed acknowledgement]
        self.to_ack = []
        self.wait = None
        self.number = 0
        self.notices = {}
        self.file_change = 0
        self.renamed = {}  # lines by their names before, while the fleet takes new ones over

    # The hosts as the fleet must see them.

    def lines_in(self):
        return [line for line in self.lines if line.is_in]

    def label(self, line):
        same = [other for other in self.lines_in() if other.name == line.name]
        return line.name if line.server == "default" or len(same) == 1 else f"{line.name}/{line.server}"

    def find(self, row):
        key = row["host"], row["server"]
        found = [line for line in self.lines_in() if line.key == key] + [line for old, line in self.renamed.items() if old == key]
        return min(found, key=lambda line: abs(row.get("seq", 0) - (line.seen or [line.floor or 0])[-1])) if found else None

    def sleep(self, seconds):
        end = time.monotonic() + seconds
        while True:
            for client in self.clients:
                client.pump()
            left = end - time.monotonic()
            if left <= 0:
                return
            sockets = [client.link.socket for client in self.clients if client.link]
            select.select(sockets, [], [], min(left, 0.05))

    def until(self, check, name, seconds=30, about=None):
        end = time.monotonic() + seconds
        while not check():
            law(time.monotonic() < end, name, about() if about else "")
            self.sleep(0.03)

    def ask(self, method, params=None, seconds=10):
        """One request to the fleet, awaited. None: the fleet ended."""
        got = []
        self.pools[0].send(method, params or {}, seconds, got.append)
        self.until(lambda: got, f"{method} is answered", seconds + SLACK_SEC + 2)
        return got[0]

    def until_result(self, method, params):
        """Asks until there is a result."""
        end = time.monotonic() + 60
        while "result" not in (got := self.ask(method, params) or {}):
            law(time.monotonic() < end and got.get("error", {}).get("data", {}).get("kind") in PASSING,
                "a request passes in the end", method, params, got)
            self.sleep(0.1)
        return got["result"]

    # What is done to them.

    def write_hosts(self):
        text = "# walk\n" + "".join(line.text() for line in self.lines_in() if line.ssh)
        if rng.random() < 0.2:
            text += "bad colour=blue\n"
        if rng.random() < 0.5:
            write(self.path + "~", text)
            os.rename(self.path + "~", self.path)
        else:
            write(self.path, text)
        self.file_change += 1
        self.settle_hosts()

    def settle_hosts(self):
        """The fleet has the hosts of the file."""
        want = sorted((*line.key, self.label(line), line.ssh is None, line.may or line.ssh is None) for line in self.lines_in())

        def is_there():
            rows = self.ask("list_hosts")["result"]["hosts"]
            self.got_hosts = [(r["host"], r["server"], r["target"], r["local"], r["may_notify"]) for r in rows]
            return self.got_hosts == want
        self.until(is_there, "the fleet has the hosts of the file", 15, lambda: (want, self.got_hosts))

    def quiet(self):
        """Nothing is under way but waits."""
        self.until(lambda: not any(client.open for client in self.pools + [self.reader]), "requests end", 40)

    def remove(self):
        found = [line for line in self.lines_in() if line.ssh]
        if len(found) < 3:
            return
        line = rng.choice(found)
        tell("remove", line.key)
        self.quiet()
        line.is_in = False
        self.write_hosts()
        self.sleep(0.1)
        law(not line.is_up, "a host that is removed is not up any more", line.key)
        line.floor, line.seen = None, []
        for host in self.hosts:
            if host == line.host:
                host.unrest += 1

    def add(self):
        found = [line for line in self.lines if line.ssh and not line.is_in and
                 all(line.key != other.key for other in self.lines_in())]
        if found:
            line = rng.choice(found)
            tell("add", line.key)
            self.quiet()
            line.is_in = True
            line.floor, line.seen = None, []
            self.write_hosts()

    def rename(self):
        """New names: one is fresh, the others are those of the one before. Links and waits stay."""
        found = [line for line in self.lines_in() if line.ssh and line.host and line.host is not self.hosts[0]]
        rng.shuffle(found)
        found = found[:rng.choice([1, 1, 2, 3])]
        if not found:
            return
        self.quiet()
        self.names += 1
        names = [line.name for line in found]
        names = names[1:] + [names[0] if rng.random() < 0.5 else f"n{self.names}"]
        new = dict(zip(found, names))
        keys = [(new.get(line, line.name), line.server) for line in self.lines]
        if len(set(keys)) < len(keys):
            return
        tell("rename", [(line.key, name) for line, name in new.items()])
        self.sleep(0.2)
        before = {line: self.row(line) for line in found}
        self.renamed = {line.key: line for line in found}
        for line, name in new.items():
            line.name = name
        self.write_hosts()
        self.sleep(0.05)
        self.renamed = {}
        for line, row in before.items():
            after = self.row(line)
            if row["state"] == "up" and not line.host.is_fragile():
                law(after["state"] == "up" and after["since_sec"] >= row["since_sec"], "a new name keeps the link", line.key, row, after)

    def row(self, line):
        rows = self.ask("list_hosts")["result"]["hosts"]
        return next(row for row in rows if (row["host"], row["server"]) == line.key)

    def rights(self):
        line = rng.choice([line for line in self.lines_in() if line.ssh])
        line.may = not line.may
        tell("rights", line.key, line.may)
        self.write_hosts()

    def kill_relay(self, host):
        for pid in self.fleet.relays(host):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def cut(self, host):
        write(f"{host.folder}/cut", f"{rng.choice([5, 40, 400, 3000, 20000])}\n")
        self.kill_relay(host)

    def away(self, host):
        host.is_away = True
        write(f"{host.folder}/away", "")
        self.kill_relay(host)

    def find_pid(self, host):
        host.pid = host.ask("status")["pid"]

    def freeze(self, host):
        self.find_pid(host)
        os.kill(host.pid, signal.SIGSTOP)
        host.is_stopped = True

    def heal(self, host):
        if host.is_stopped:
            os.kill(host.pid, signal.SIGCONT)
        if host.is_away:
            os.unlink(f"{host.folder}/away")
        host.is_stopped = host.is_away = False

    def kill_daemon(self, host, is_wiped=False):
        self.find_pid(host)
        host.kills += 1
        os.kill(host.pid, signal.SIGKILL)
        while os.path.exists(f"/proc/{host.pid}"):
            with open(f"/proc/{host.pid}/stat", encoding="utf-8") as file:
                if file.read().rsplit(")", 1)[1].split()[0] == "Z":
                    break
            time.sleep(0.005)
        if is_wiped:
            self.kill_relay(host)
            host.life += 1
            host.posts = {}
            shutil.rmtree(f"{host.folder}/state/muxbus", ignore_errors=True)
        host.start_daemon()

    def wipe(self, host):
        self.kill_daemon(host, True)

    def kill_tmux(self, host):
        host.run("tmux", "-L", host.server, "kill-server")
        while host.run("tmux", "-L", host.server, "list-sessions").returncode == 0:
            time.sleep(0.02)
        host.start_tmux()

    def window(self, host):
        host.run("tmux", "-L", host.server, "new-window", "-d", "-n", "more", "exec cat")

    def close_window(self, host):
        host.run("tmux", "-L", host.server, "kill-window", "-t", "more")

    def disturb(self):
        hurt = [host for host in self.hosts if host.is_stopped or host.is_away]
        host = rng.choice(hurt if hurt and rng.random() < 0.6 else self.hosts)
        if host.is_stopped or host.is_away:
            self.heal(host)
            tell("heal", host.folder[-2:])
        else:
            does = rng.choices([self.kill_relay, self.cut, self.away, self.freeze, self.kill_daemon, self.wipe, self.kill_tmux],
                               [4, 4, 2, 2, 3, 1, 1])[0]
            if host.is_local and does in (self.kill_relay, self.cut, self.away):
                does = self.kill_daemon
            tell(does.__name__, host.folder[-2:])
            host.unrest += 1
            does(host)
        host.unrest += 1

    def kill_fleet(self):
        tell("kill fleet")
        self.fleet.process.kill()
        self.fleet.process.wait()
        for client in self.clients:
            client.drop()
        for line in self.lines:
            line.is_up = False
        self.start_fleet()

    def start_fleet(self):
        self.fleet.start()

        def is_there():
            try:
                self.pools[0].connect()
                return True
            except Ended:
                return False
        self.until(is_there, "the fleet starts", 20)
        for host in self.hosts:
            host.unrest += 1
        self.listen()
        self.settle_hosts()

    # What is asked.

    def alone(self, method, params):
        """What each host answers itself; hosts that do not are left out."""
        found = {}
        for host in self.hosts:
            try:
                if not host.is_stopped:
                    found[host] = host.ask(method, params)
            except (Ended, KeyError):
                pass
        return found

    def list(self):
        name = rng.choice(LISTS)
        method, params = f"list_{name}", {}
        only = rng.choice(self.lines_in()) if rng.random() < 0.3 else None
        before, unrest, good = self.alone(method, params), {host: host.unrest for host in self.hosts}, self.good_lines()
        change = self.file_change
        lines = [only] if only else self.lines_in()
        keys = {line: line.key for line in lines}

        def done(message):
            if message is None:
                return
            after = self.alone(method, params)
            if only and "error" in message:
                data = message["error"]["data"]
                law(data["kind"] in PASSING and (data["host"], data["server"]) == only.key, "an error of one host", message, only.key)
                calm = only.host in after and only.host in before
                law(not calm or not self.is_good(only, good), "a host that is there answers", message)
                return
            result = message["result"]
            if change != self.file_change:
                return
            parts = collections.defaultdict(list)
            for row in result[name]:
                parts[row["host"], row["server"]].append(row)
            there = [(row["host"], row["server"]) for row in result["hosts"]]
            missing = [(row["host"], row["server"]) for row in result["missing"]]
            law(sorted(there + missing) == sorted(keys.values()), "each host is there or missing", there, missing, list(keys.values()))
            law(all(row["reason"] for row in result["missing"]), "what is missing has a reason", result["missing"])
            law(set(parts) <= set(there), "rows are of hosts that answered", list(parts), there)
            for line in lines:
                host = line.host
                if line.key in missing:
                    law(not self.is_good(line, good) or host not in before or host not in after, "a host that is there is not missing", line.key, result["missing"])
                    continue
                line.good = max(line.good or 0, unrest[host])  # it may have answered before what was done to it since
                if host in before and before[host] == after.get(host):
                    label = self.label(line)
                    rows = [plain({k: v for k, v in row.items() if k not in ("host", "server")}, label) for row in parts[line.key]]
                    law(rows == before[host][name], "rows are those of the host", line.key, rows, before[host][name])
                    rest = next(row for row in result["hosts"] if (row["host"], row["server"]) == line.key)
                    own = {k: v for k, v in before[host].items() if k != name}
                    law({k: v for k, v in rest.items() if k not in ("host", "server")} == own, "and the rest is", rest, own)
                    self.rows += len(rows)
            self.lists += 1
        params_there = {**params, **({"host": self.label(only)} if only else {})}
        rng.choice(self.pools).send(method, params_there, 5, done)

    def good_lines(self):
        """The lines whose hosts have answered a list since something was done to them, with the unrest of the hosts."""
        return {line: line.good for line in self.lines_in() if line.host and line.good == line.host.unrest and not line.host.is_fragile()}

    def is_good(self, line, good):
        """Whether the host was good when it was asked, and nothing was done to it since."""
        return line in good and good[line] == line.host.unrest and not line.host.is_fragile()

    def get(self):
        line = rng.choice(self.lines_in())
        if line.host is None:
            return
        host, label = line.host, self.label(line)
        method, own = rng.choice([("get_pane", {"pane": "%0"}), ("capture_pane", {"pane": "%1"}), ("status", {}), ("read_audit", {"limit": 3}),
                                  ("next_notification", {"id": "A0B1", "timeout_sec": 0.1})])
        good = self.good_lines()
        before = None if method == "next_notification" else self.alone(method, own).get(host)
        params = {k: f"{label}:{v}" if k == "pane" else v for k, v in own.items()}
        change = self.file_change
        if "pane" not in params or rng.random() < 0.3:
            params["host"] = rng.choice([label, f"{line.name}/{line.server}"])

        def done(message):
            if message is None or change != self.file_change:
                return
            if "error" in message:
                law(not self.is_good(line, good) or before is None or host not in self.alone(method, own), "a host that is there answers", message)
                return
            result = message["result"]
            law((result["host"], result["server"]) == line.key, "an answer has its host", result)
            if method != "status" and before is not None and before == self.alone(method, own).get(host):
                got = plain({k: v for k, v in result.items() if k not in ("host", "server")}, label)
                law(got == before, "an answer is that of the host", got, before)
        rng.choice(self.pools).send(method, params, 10, done)

    def post(self):
        line = rng.choice(self.lines_in())
        host = line.host
        if host is None:
            return
        self.number += 1
        text = f"P{self.number}."
        life = host.life
        host.posts[text] = False

        def done(message):
            if message and "result" in message and host.life == life:
                host.posts[text] = True
            elif message:
                law(message.get("error", {}).get("data", {}).get("kind") in PASSING, "a post fails for a reason", message)
        rng.choice(self.pools).send("post_notification", {"host": self.label(line), "text": text, "key": text}, 10, done)

    def notice(self):
        """A job on one host whose end goes to a pane of another."""
        found = [line for line in self.lines_in() if line.host and (line.may or not line.ssh) and line.name != "twin"]
        if len(found) < 2:
            return
        one, other = rng.sample(found, 2)
        self.number += 1
        key = f"N{self.number}."
        lives = {host: host.life for host in (one.host, other.host)}
        params = {"host": self.label(one), "command": f"true {key}", "notify": f"{self.label(other)}:%1", "key": key}

        def done(message):
            if message and "result" in message:
                self.notices[key] = (one.host, other.host, lives)
            elif message:
                law(message.get("error", {}).get("data", {}).get("kind") in PASSING + ("forbidden",), "a job fails for a reason", message)
        rng.choice(self.pools).send("run_long_command", params, 10, done)

    # The consumer.

    def read(self):
        if self.reader.open:
            return
        seconds = rng.choice([0, 0, 0.3, 2])
        params = {"consumer": "walk", "timeout_sec": seconds, "limit": rng.choice([100, 100, 100, 2])}
        acks = []
        if self.to_ack and rng.random() < 0.8:
            acks, self.to_ack = self.to_ack, []
            names = {line.host: self.label(line) for line in self.lines_in() if line.host}
            params["ack"] = [f"{names[host]}:{seq}" for host, life, seq in acks if host in names and host.life == life]
        unrest = {host: (host.unrest, host.is_fragile()) for host in self.hosts}
        change = self.file_change

        def done(message):
            if message is None:
                return
            law("result" in message, "the consumer is answered", message)
            result = message["result"]
            for entry in acks:
                host = entry[0]
                names = sum(line.host is host for line in self.lines_in())  # with two, the queue has two readers
                if names == 1 and unrest[host] == (host.unrest, False) and not host.is_fragile() and not message["result"]["missing"]:
                    self.handed[entry][1] = True
            if change != self.file_change:
                acks.clear()
            self.take(result, seconds, unrest, change)
        self.reader.send("next_notification", params, max(seconds, 2), done)

    def take(self, result, seconds, unrest, change):
        missing = [(row["host"], row["server"]) for row in result["missing"]]
        law(all(row["reason"] or True for row in result["missing"]), "what is missing has a reason", result)
        for entry in result["notifications"]:
            line = self.find(entry)
            if line is None:
                law(change != self.file_change, "an entry is of a host", entry)
                continue
            host = line.host
            if host.life and not self.is_of_life(host, entry):
                continue
            key = (host, host.life, entry["seq"])
            times, is_acked = self.handed.get(key, (0, False))
            law(not is_acked, "an acknowledged entry does not come again", entry, line.key)
            # A daemon that was killed does not know how often.
            law(times == 0 or entry.get("redelivered", 0) > 0 or host.kills > 0, "an entry comes again with a word", entry, line.key)
            self.handed[key] = [times + 1, False]
            self.to_ack.append(key)
            self.entries += 1

    def is_of_life(self, host, entry):
        """Whether a host that was emptied has an entry: the fleet may have read it before."""
        try:
            return not host.is_stopped and any((note["seq"], note["time"]) == (entry["seq"], entry["time"]) for note in all_notes(host))
        except (Ended, KeyError):
            return False

    # The subscriber.

    def listen(self):
        after = {self.label(line): (line.seen or [line.floor])[-1] for line in self.lines_in()
                 if line.floor is not None and line.host.life == line.life}
        for line in self.lines_in():
            if self.label(line) not in after:
                line.floor, line.seen = None, []
        self.listener.send("subscribe", {"kinds": KINDS + ["host_state"], "after": after}, 1)

    def on_event(self, event):
        line = self.find(event)
        if line is None:
            law(event["kind"] == "host_state" and event["state"] != "up", "an event is of a host", event)
            for old in self.lines:
                if old.key == (event["host"], event["server"]):
                    old.is_up = False
            return
        self.events += 1
        last = (line.seen or [line.floor])[-1]
        if event["kind"] == "host_state":
            tell("event", json.dumps(event))
            law((event["state"] == "up") != line.is_up or event["state"] != "up", "a state is news", event)
            line.is_up = event["state"] == "up"
            if not line.is_up:
                law(event["reason"], "a host that is not up has a reason", event)
                return
            if line.floor is None:
                line.floor, line.life, line.seen = event["seq"], line.host.life, []
            elif line.life == line.host.life:
                law(event["seq"] == last, "events go on behind the last", event, last)
            else:
                line.floor, line.life, line.seen = event["seq"], line.host.life, []
            return
        if event["kind"] == "gap" and "offset" not in event:
            tell("event", json.dumps(event))
            if event["to"] is None:
                line.floor, line.seen = None, []
            else:
                line.seen.append(event["to"])
                line.gaps.append(event["to"])
            return
        if line.floor is None:  # of a host with numbers of its own, before its state is told
            line.floor, line.life = event["seq"] - 1, line.host.life
        elif line.life == line.host.life:
            law(event["seq"] > last, "events are in order, each once", event, last)
        line.seen.append(event["seq"])

    # The wait.

    def begin_wait(self):
        if self.wait is not None:
            return
        found = [line for line in self.lines_in() if line.host and not line.host.is_stopped]
        if len(found) < 2:
            return
        pair = rng.sample(found, 2)
        if pair[0].host is pair[1].host:
            return
        self.number += 1
        jobs = []
        for at, line in enumerate(pair):
            go = f"{self.folder}/go{self.number}.{at}"
            jobs.append((line, line.host.ask("run_long_command", {"command": f"while [ -d {self.folder} ] && [ ! -e {go} ]; do sleep 0.1; done"})["id"], go, line.host.life))
        self.wait = {"jobs": jobs, "key": f"W{self.number}", "ended": None, "removed": False, "until": None}
        self.ask_wait()

    def ask_wait(self):
        wait = self.wait
        if any(not line.is_in for line, *_ in wait["jobs"]):
            self.end_wait()
            return
        params = {"any": [{"job": f"{self.label(line)}:{job}"} for line, job, _, _ in wait["jobs"]], "timeout_sec": 30,
                  "wait": wait["key"], "key": wait["key"]}
        self.waiter.send("wait_for", params, 40, self.on_wait)

    def on_wait(self, message):
        wait = self.wait
        if message is None:
            return
        kind = message.get("error", {}).get("data", {}).get("kind")
        if kind in PASSING or kind == "limit":
            return
        if kind == "no_such_job" and any(line.host.life != life for line, _, _, life in wait["jobs"]):
            self.end_wait()
            return
        law("result" in message, "a wait has a result", message)
        result = message["result"]
        tell("wait", json.dumps(result))
        for at, (line, _, _, life) in enumerate(wait["jobs"]):
            state = result["conditions"][at]["state"]
            law(state != "matched" or wait["ended"] == at, "a job that runs has not ended", result)
            law(state != "gone" or line.host.life != life or not line.is_in or wait["removed"], "a job that is there is not gone", result)
        self.end_wait()

    def end_wait(self):
        for _, _, go, _ in self.wait["jobs"]:
            write(go, "")
        self.wait = None
        if self.waiter.open:
            self.waiter.drop()

    def go_wait(self):
        if self.wait is None:
            self.begin_wait()
        elif not all(line.is_in and line.host.life == life for line, _, _, life in self.wait["jobs"]):
            self.end_wait()
        elif self.wait["ended"] is None and rng.random() < 0.3:
            self.wait["ended"] = rng.randrange(2)
            self.wait["until"] = None
            write(self.wait["jobs"][self.wait["ended"]][2], "")
        elif not self.waiter.open:
            self.ask_wait()
        elif self.wait["ended"] is not None:
            line = self.wait["jobs"][self.wait["ended"]][0]
            if line not in self.good_lines():
                self.wait["until"] = None
            elif self.wait["until"] is None:
                self.wait["until"] = time.monotonic() + 5 + SLACK_SEC
            law(self.wait["until"] is None or time.monotonic() < self.wait["until"], "a wait ends when its job does", self.wait["key"], line.key)

    # At the end all is accounted for.

    def check_all(self):
        tell("check all")
        for host in self.hosts:
            if host.is_stopped or host.is_away:
                self.heal(host)
                host.unrest += 1
        for line in self.lines:
            if line.ssh and line.host and not line.is_in and all(line.key != other.key for other in self.lines_in()):
                line.is_in, line.floor, line.seen = True, None, []
            line.may = True
        if self.wait:
            self.end_wait()
        self.write_hosts()
        self.quiet()
        hosts = [line for line in self.lines_in() if line.host]

        def all_up():
            rows = self.until_result("retry_hosts", {})["hosts"]
            return all(row["state"] == "up" for row in rows if row["host"] != "dead")
        self.until(all_up, "all hosts are up in the end", 60)
        for line in hosts:
            self.check_posts(line.host)
        self.until(lambda: not self.lost_notices(), "the end of each job wakes its pane", 40, self.lost_notices)
        for key, (_, other, _) in self.notices.items():
            law(len(self.posts_of(other, key)) <= 1, "once", key)
        self.until(lambda: not self.left_to_read(), "the consumer gets all", 40, self.left_to_read)
        self.until(lambda: not self.left_to_hear(hosts), "the subscriber gets all", 20, lambda: self.left_to_hear(hosts))

    def check_posts(self, host):
        texts = [note["text"] for note in all_notes(host)]
        for text, is_sure in host.posts.items():
            law(texts.count(text) <= 1 and (texts.count(text) == 1 or not is_sure), "a post is there once", host.name, text)

    def posts_of(self, host, key):
        return [note for note in all_notes(host) if note["source"] == "post" and key in json.dumps(note["data"])]

    def lost_notices(self):
        return [(key, one.folder, other.folder, other.ask("status")["tmux"]["state"]) for key, (one, other, lives) in self.notices.items()
                if all(host.life == life for host, life in lives.items()) and not self.posts_of(other, key)]

    def left_to_read(self):
        self.read()
        return [(host.folder, note["seq"], note["text"]) for host in {line.host for line in self.lines_in() if line.host}
                for note in all_notes(host) if (host, host.life, note["seq"]) not in self.handed]

    def left_to_hear(self, lines):
        left = []
        for line in lines:
            if line.floor is None or not line.is_up:
                left.append((line.key, line.floor))
                continue
            got = line.host.ask("list_events", {"after": line.floor, "kinds": KINDS, "limit": 10000})
            seqs = {event["seq"] for event in got["events"]}
            begin = max([line.floor, (got["gap"] or {}).get("to") or 0] + line.gaps)
            wrong = seqs - set(line.seen) | {seq for seq in line.seen if seq > begin and seq not in seqs}
            if line.life == line.host.life and wrong:
                left.append((line.key, line.floor, sorted(wrong)))
        return left

    def step(self):
        does, weights = zip((self.list, 30), (self.get, 20), (self.post, 20), (self.read, 30), (self.go_wait, 20), (self.notice, 5),
                            (self.disturb, 10), (self.remove, 1), (self.add, 2), (self.rename, 2), (self.rights, 1), (self.kill_fleet, 0.7),
                            (lambda: self.window(rng.choice(self.hosts)), 1), (lambda: self.close_window(rng.choice(self.hosts)), 1))
        rng.choices(does, weights)[0]()
        self.sleep(rng.choice([0, 0, 0.01, 0.05, 0.2]))

    def run(self):
        for host in self.hosts:
            host.start_tmux()
            host.start_daemon()
        self.write_first()
        self.start_fleet()
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            part = min(end, time.monotonic() + 30)
            while time.monotonic() < part:
                self.step()
            self.check_all()

    def write_first(self):
        write(self.path, "".join(line.text() for line in self.lines_in() if line.ssh))

    def stop(self):
        if self.wait:
            self.end_wait()
        for client in self.clients:
            client.link = client.link and client.link.close()
        for one in [self.fleet] + self.hosts:
            try:
                one.stop()
            except Exception as error:
                print(f"# {error!r}")


def main():
    folder = tempfile.mkdtemp(prefix="mbw-", dir="/tmp")
    walk, fault = Walk(folder), None
    try:
        walk.run()
    except (Fault, Ended, KeyError, OSError) as error:
        import traceback
        fault = f"{error!r}"[:6000] + "\n" + traceback.format_exc()[:4000]
    finally:
        walk.stop()
    print(f"# seed {seed}: {walk.requests} requests, {walk.lists} lists with {walk.rows} rows, {walk.entries} entries, "
          f"{walk.events} events, {len(walk.notices)} notices")
    tap.ok(fault is None, "the fleet says what its hosts say", f"seed {seed}; kept: {folder}\n{fault}\n" + "\n".join(list(story)[-int(os.environ.get('MUXBUS_WALK_LINES', '60')):]))
    if fault is None:
        shutil.rmtree(folder, ignore_errors=True)
    tap.done()


if __name__ == "__main__":
    main()
