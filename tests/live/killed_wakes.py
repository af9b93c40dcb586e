#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""Wakes by one way, while the daemon is killed again and again. The stand-in of an agent writes what
it gets, with the time; each notification that a post was answered for must be there.

  killed_wakes.py hear WAY DIR                  in the pane of the agent: follow, confirm, hook
  killed_wakes.py drive WAY DIR PANE COUNT SEED  prints: posted, seen twice, lost, pending, p50, p99
"""
import json, os, random, re, signal, socket, subprocess, sys, threading, time

def hear(way, folder):
    log = open(f"{folder}/{way}.log", "a", buffering=1)
    muxbus = os.environ["MUXBUS_BUILDDIR"] + "/muxbus"
    def note(text):
        log.write(f"{int(time.monotonic() * 1000)} {text}\n")
    while way == "hook":
        for event in ("UserPromptSubmit", "Stop"):
            said = subprocess.run([muxbus, "hook", "claude", event], input='{"session_id":"s"}', capture_output=True, text=True).stdout
            if said.strip():
                note(" ".join(said.split()))
            time.sleep(0.1)
    while True:
        follower = subprocess.Popen([muxbus, "follow"] + (["--json", "--confirm"] if way == "confirm" else []),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        open(f"{folder}/{way}.pid", "w").write(str(follower.pid))
        for line in follower.stdout:
            if way == "confirm":
                heard = json.loads(line)
                note(heard["notice"])
                try:
                    follower.stdin.write(f"{heard['seq']}\n")
                    follower.stdin.flush()
                except OSError:
                    pass
            else:
                note(line.strip())
        follower.wait()

class Drive:
    def __init__(self, way, folder, pane, count, seed):
        self.way, self.folder, self.pane, self.count = way, folder, pane, int(count)
        self.chance, self.posted, self.is_over = random.Random(int(seed)), {}, False
        self.start()

    def start(self):
        self.daemon = subprocess.Popen([os.environ["MUXBUS_BUILDDIR"] + "/muxbusd", "-f", "-o", "deliver_quiet_ms=100",
            "-S", f"{self.folder}/tmux"], stderr=open(f"{self.folder}/muxbusd.log", "a"))

    def ask(self, method, **params):
        with socket.socket(socket.AF_UNIX) as peer:
            peer.settimeout(10)
            peer.connect(os.environ["MUXBUS"])
            peer.sendall(json.dumps({"method": method, "params": params}).encode() + b"\n")
            answer = json.loads(peer.makefile("rb").readline() or b"{}")
            return answer.get("result")

    def post(self):
        for number in range(self.count):
            posted = None
            while not posted:
                try:
                    posted = self.ask("post_notification", pane=self.pane, text=f"number {number}")
                except (OSError, ValueError):
                    time.sleep(0.02)
            self.posted[posted["id"]] = (posted["seq"], time.monotonic() * 1000)
            time.sleep(self.chance.uniform(0, 0.04))
        self.is_over = True

    def kill(self):
        time.sleep(self.chance.uniform(0.5, 3))
        if self.way in ("follow", "confirm") and self.chance.random() < 0.3:
            try:
                os.kill(int(open(f"{self.folder}/{self.way}.pid").read()), signal.SIGKILL)
            except (OSError, ValueError):
                pass
        self.stop(signal.SIGKILL)
        self.start()

    def stop(self, how):
        try:
            os.kill(self.ask("status")["pid"], how)  # muxbusd may be a wrapper
        except (OSError, ValueError, TypeError):
            pass
        self.daemon.send_signal(how)
        self.daemon.wait()

    def heard(self):
        """The times at which each id was heard: by its name, and without it, as one of "the rest"."""
        named, rest = {}, {}
        for line in open(f"{self.folder}/{self.way}.log", errors="replace") if os.path.exists(f"{self.folder}/{self.way}.log") else []:
            at, _, text = line.partition(" ")
            for id in set(re.findall(r"\b[A-Z][A-Z0-9]{3,11}\b", text)) & self.posted.keys():
                named.setdefault(id, []).append(int(at))
            after = re.search(r"the rest: next_notification after=(\d+)", text)  # an agent fetches these
            for id, (seq, when) in self.posted.items() if after else ():
                if seq > int(after[1]) and when < int(at):
                    rest.setdefault(id, int(at))
        self.twice = sum(len(times) > 1 for times in named.values())
        return {id: min(named.get(id, [1e18])[0], rest.get(id, 1e18)) for id in {**named, **rest}}

    def states(self):
        states, after = {}, 0
        while True:
            try:
                page = self.ask("list_notifications", after=after, limit=1000)
            except (OSError, ValueError):
                time.sleep(0.1)
                continue
            states.update({note["id"]: note["state"] for note in page["notifications"]})
            if not page["more"]:
                return states
            after = page["last"]

    def run(self):
        poster = threading.Thread(target=self.post)
        poster.start()
        kills = 0
        while not self.is_over:
            self.kill()
            kills += 1
        poster.join()
        end = time.monotonic() + 180
        while len(heard := self.heard()) < len(self.posted) and time.monotonic() < end:
            time.sleep(0.5)
        states = self.states()
        missing = [id for id in self.posted if id not in heard]
        lost = [id for id in missing if states.get(id, "forgotten") not in ("queued", "delivering")]
        took = sorted(max(0, heard[id] - at) for id, (_, at) in self.posted.items() if id in heard)
        print(f"# {self.way}: {kills} kills; lost {lost[:5]}")
        print(len(self.posted), self.twice, len(lost), len(missing) - len(lost),
            *(round(took[min(len(took) - 1, int(len(took) * part))]) for part in (0.5, 0.99)))
        self.stop(signal.SIGTERM)

if sys.argv[1] == "hear":
    hear(*sys.argv[2:])
Drive(*sys.argv[2:]).run()
