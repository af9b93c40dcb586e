# SPDX-License-Identifier: ISC
"""
A random walk of posts, readers and acknowledgements, and a model that says what each answer must hold.

The laws: a number that was handed out is in an answer that its reader got, else it is as if it had not been;
it comes again after ack_wait_ms and not before, and says so; each is acknowledged once for each reader; none is
lost, over a kill of the daemon and answers that are not read; what is parked is counted, and can be taken back.
"""

import json
import os
import random
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ["MUXBUS_SRCDIR"], "tests"))
sys.path.insert(0, os.path.join(os.environ["MUXBUS_SRCDIR"], "tests", "live"))
import tap
from provide_peer import Peer

ACK_SEC, LATE_SEC, RESULT_BYTES, TIMES_MAX = 0.15, 0.1, 150000, 10
seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1 << 32)
rng = random.Random(seed)


class Fault(Exception):
    pass


def law(is_kept, name, *about):
    if not is_kept:
        raise Fault(f"{name}: {about}")


class Reader:
    def __init__(self, name):
        self.name, self.peer = name, Peer()
        self.acked, self.out = set(), {}  # out: how often a number was in an answer, when that was asked for, and got
        self.lost, self.blind_until = set(), 0  # numbers that an answer may have had that was not read


class Walk:
    def __init__(self):
        self.peer, self.daemon = Peer(), None
        self.notes = {}  # by number: urgent, count, state, told, redelivered
        self.posts = self.entries = 0
        self.fuzzy = set()  # numbers whose redeliveries are not known exactly
        self.parked_most = 0
        self.readers = [Reader(f"reader{at}") for at in range(4)]
        self.deaf = self.readers[3]  # it acknowledges nothing, and is asked most often

    def post(self):
        params = {"text": f"post {self.posts}", "urgency": rng.choice(["normal", "normal", "normal", "high"]),
                  "data": {"x": "x" * rng.choice([0, 0, 10, 300, 300, 5000, 60000])}}
        key = rng.random() < 0.2
        if key:
            params["key"] = "key"
        seq = self.peer.ask("post_notification", **params)["result"]["seq"]
        self.posts += 1
        note = self.notes.get(seq)
        if note is None:
            self.notes[seq] = {"urgent": params["urgency"] == "high", "count": 1, "state": "queued", "told": False, "redelivered": 0}
        else:
            law(key and not note["told"] or seq in self.fuzzy, "no post is counted into one that a reader has", seq)
            note["count"] += 1

    def due(self, reader, is_meant=lambda note: True):
        """The numbers that the reader does not have yet."""
        return [seq for seq, note in self.notes.items() if seq not in reader.acked and note["state"] != "cancelled"
                and seq not in reader.out and is_meant(note)]

    def parked(self, reader, at):
        """The numbers that are parked for certain, and those that may be."""
        full = [seq for seq, (times, _, _) in reader.out.items()
                if times >= TIMES_MAX and seq not in reader.acked and self.notes[seq]["state"] != "cancelled"]
        return [seq for seq in full if reader.out[seq][2] + ACK_SEC + 0.002 < at], full

    def check_entry(self, reader, entry, asked, is_meant):
        seq = entry["seq"]
        note = self.notes.get(seq)
        law(note is not None and is_meant(note), "an entry is what was asked for", seq)
        law(seq not in reader.acked and note["state"] != "cancelled", "an entry is not settled", seq)
        times, before, _ = reader.out.get(seq, (0, 0, 0))
        law(times == 0 or time.monotonic() - before >= ACK_SEC - 0.002, "an entry comes again in time", seq, times, time.monotonic() - before, seq in reader.lost)
        law(times < TIMES_MAX or seq in reader.lost, "an entry comes 10 times at most", seq)
        note["redelivered"] += times > 0
        law(seq in self.fuzzy or entry.get("redelivered", note["redelivered"]) == note["redelivered"],
            "an entry says how often it came again", seq, entry.get("redelivered"), note["redelivered"])
        law(entry.get("count", 1) == note["count"], "an entry has its count", seq, entry.get("count"), note["count"])
        note["told"] = True
        reader.out[seq] = (times + 1, asked, time.monotonic())
        self.entries += 1

    def read(self, reader, params, is_meant=lambda note: True, is_tool=False):
        asked = time.monotonic()
        sure, maybe = self.parked(reader, asked)
        if params.get("parked"):
            for seq in maybe:
                reader.out[seq] = (1, *reader.out[seq][1:])
            sure = maybe = []
        due = self.due(reader, is_meant)
        if is_tool:
            answer = reader.peer.ask("tools/call", name="next_notification", arguments=params)
            result = answer["result"]["structuredContent"]
        else:
            answer = reader.peer.ask("next_notification", **params)
            result = answer["result"]
            law(len(json.dumps(answer)) <= RESULT_BYTES + 4096, "an answer has its size")
        got = [entry["seq"] for entry in result["notifications"]]
        law(got == sorted(set(got)) and len(got) <= params["limit"], "entries are in order", got)
        for entry in result["notifications"]:
            self.check_entry(reader, entry, asked, is_meant)
        last = got[-1] if result["more"] and got else max(self.notes, default=0)
        law(asked < reader.blind_until or set(got) >= {seq for seq in due if seq <= last},
            "an answer has all up to its last", got, due, result["more"])
        law(got or not result["more"], "more is not without an entry")
        law(reader.lost or len(sure) <= result["parked"] <= len(maybe), "parked is counted", result["parked"], sure, maybe)
        self.parked_most = max(self.parked_most, result["parked"])
        return got

    def next(self, reader):
        params, is_meant = {"consumer": reader.name, "timeout_sec": 0, "limit": rng.choice([1, 3, 100, 1000])}, lambda note: True
        if rng.random() < 0.15:
            params["filter"], is_meant = {"urgent": True}, lambda note: note["urgent"]
        if rng.random() < 0.3 and reader.out and reader is not self.deaf:
            name = rng.choice(["ack", "ack_up_to"])
            params[name] = rng.choice(list(reader.out))
            self.settle(reader, params[name], name == "ack_up_to")
        if rng.random() < 0.05 and self.parked(reader, time.monotonic())[0] == self.parked(reader, time.monotonic())[1]:
            params["parked"] = True
        self.read(reader, params, is_meant, rng.random() < 0.3)

    def settle(self, reader, seq, up_to, settles=True):
        """What an acknowledgement does. Returns how many are new."""
        new = [at for at in self.notes if (at <= seq if up_to else at == seq) and at not in reader.acked]
        for at in new:
            reader.acked.add(at)
            if settles and self.notes[at]["state"] == "queued":
                self.notes[at]["state"] = "acknowledged"
        return len(new)

    def ack(self, reader):
        if not self.notes or reader is self.deaf:
            return
        seq, up_to, settles = rng.choice(list(reader.out or self.notes)), rng.random() < 0.3, rng.random() < 0.8
        params = {"up_to" if up_to else "seq": seq, "consumer": reader.name, "settle": settles}
        want = self.settle(reader, seq, up_to, settles)
        for count in (want, 0):
            got = reader.peer.ask("ack_notification", **params)["result"]["acknowledged"]
            law(got == count, "each is acknowledged once", params, got, count)

    def cancel(self, _):
        if not self.notes:
            return
        seq = rng.choice(list(self.notes))
        is_queued = self.notes[seq]["state"] == "queued"
        law(("result" in self.peer.ask("cancel_notification", seq=seq)) == is_queued, "a queued one is cancelled", seq)
        if is_queued:
            self.notes[seq]["state"] = "cancelled"

    def list(self, _):
        after = rng.choice([0] + list(self.notes))
        want, got, more = [seq for seq in self.notes if seq > after], [], True
        while more:
            result = self.peer.ask("list_notifications", after=after, limit=rng.choice([5, 1000]))["result"]
            for entry in result["notifications"]:
                law(entry["state"] == self.notes[entry["seq"]]["state"], "an entry has its state", entry["seq"])
                self.notes[entry["seq"]]["told"] = True
            got += [entry["seq"] for entry in result["notifications"]]
            after, more = result["last"], result["more"]
        law(got == want, "a list has all", got, want)

    def lose(self, reader):
        """An answer that is not read: its entries may be taken, and come again."""
        reader.peer.begin("next_notification", consumer=reader.name, timeout_sec=0)
        reader.peer.close()
        reader.peer = Peer()
        reader.peer.ask("ping")  # the daemon has read what was sent before
        reader.blind_until = time.monotonic() + ACK_SEC + LATE_SEC
        reader.lost |= {seq for seq in self.notes if seq not in reader.acked}
        self.fuzzy |= reader.lost

    def kill(self):
        """All readers have nothing in hand then."""
        os.kill(self.peer.ask("status")["result"]["pid"], signal.SIGKILL)
        self.peer.read()
        self.daemon = subprocess.Popen([os.environ["MUXBUS_BUILDDIR"] + "/muxbusd", "-f", "-o", "ack_wait_ms=150", "-o",
                                        f"result_bytes={RESULT_BYTES}", "-S", os.environ["dir"] + "/tmux"])
        end = time.monotonic() + 20
        while True:
            try:
                self.peer = Peer()
                break
            except OSError:
                law(time.monotonic() < end, "the daemon comes again")
                time.sleep(0.02)
        for reader in self.readers:
            reader.peer, reader.out, reader.lost, reader.blind_until = Peer(), {}, set(), 0
        for note in self.notes.values():
            note["told"] = True

    def drain(self, reader):
        """All that is left comes, be it parked; none twice."""
        end = time.monotonic() + 20
        while left := [seq for seq in self.notes if seq not in reader.acked and self.notes[seq]["state"] != "cancelled"]:
            law(time.monotonic() < end, "nothing is lost", reader.name, left)
            sure, maybe = self.parked(reader, time.monotonic())
            params = {"consumer": reader.name, "timeout_sec": 0.05, "limit": 1000}
            if len(sure) == len(maybe):
                params["parked"] = True
            for seq in self.read(reader, params):
                law(self.settle(reader, seq, False) == 1, "none twice", seq)
                law(reader.peer.ask("ack_notification", consumer=reader.name, seq=seq)["result"]["acknowledged"] == 1, "once", seq)

    def step(self):
        does, weight = zip((self.next, 10), (self.ack, 5), (self.cancel, 0.3), (self.list, 0.5), (self.lose, 0.3))
        if rng.random() < 0.35:
            self.post()
        else:
            rng.choices(does, weight)[0](rng.choice(self.readers[rng.randrange(4):]))


def run(walk, sec):
    for part in range(2):
        end = time.monotonic() + sec / 2
        while time.monotonic() < end and len(walk.notes) < 700:
            walk.step()
        if part == 0:
            walk.kill()
    for reader in walk.readers:
        walk.drain(reader)
    law(sum(note["count"] for note in walk.notes.values()) == walk.posts, "each post is counted")


walk, fault = Walk(), None
try:
    run(walk, float(sys.argv[1]))
except Fault as error:
    fault = error
finally:
    if walk.daemon:
        walk.daemon.terminate()
        walk.daemon.wait(20)
print(f"# seed {seed}: {walk.posts} posts, {walk.entries} entries, {walk.parked_most} parked at once")
tap.ok(fault is None, "what is handed out is read, and nothing is lost", f"seed {seed}\n{fault}")
tap.done()
