# SPDX-License-Identifier: ISC
"""
Programs subscribe, wait, watch, look and type at random in a few panes, which others pipe and respawn
meanwhile, and leave in the middle of it. The law: then no pane is piped, no client of muxbusd is there,
nothing is read, and muxbusd has no more descriptors. Each request has got one answer.
"""

import os
import random
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ["MUXBUS_SRCDIR"], "tests"))
sys.path.insert(0, os.path.join(os.environ["MUXBUS_SRCDIR"], "tests", "live"))
import tap
from provide_peer import Peer

STEPS, END_SEC, PEERS_MAX = 25, 30, 4
SINGLE = 4  # descriptors that muxbusd may open once and keep
rounds = int(sys.argv[1])
seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1 << 32)
rng = random.Random(seed)
main = Peer()


def tmux(*words):
    done = subprocess.run(["tmux", "-S", os.environ["dir"] + "/tmux", *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False, timeout=30)
    return done.stdout.decode()


def descriptors():
    """Without those of processes in panes, which come and go with these."""
    links = [os.readlink(entry.path) for entry in os.scandir(f"/proc/{os.environ['PID']}/fd")]
    return sum(link != "anon_inode:[pidfd]" for link in links)


def needs():
    """What muxbusd needs of tmux just now."""
    status = main.ask("status")["result"]
    return {
        "own_pipes": status["streams"]["piped"],
        "pipes": tmux("list-panes", "-a", "-F", "#{pane_dead}#{pane_pipe}").split().count("01"),
        "interests": status["streams"]["interests"],
        "rings": status["streams"]["rings"],
        "clients": len(tmux("list-clients").split("\n")) - 1,
        "attached": int(status["tmux"]["attached"]),
    }


def subscriptions(pane):
    return [{"kinds": ["pane_output"], "panes": [pane]}, {"kinds": ["line"], "panes": [pane]}, {"kinds": ["window_*"]},
            {"kinds": ["pane_exited"], "panes": [pane]}, {"kinds": ["bell", "pane_quiet"], "panes": [pane]},
            {"kinds": ["command_changed"]}, {"kinds": ["mode_changed"], "panes": [pane]}]


def conditions(pane):
    return [{"output": "zzz", "pane": pane}, {"screen": "zzz", "pane": pane}, {"quiet_sec": 5, "pane": pane}, {"exited": pane},
            {"prompt": True, "pane": pane}, {"event": "bell", "pane": pane}, {"event": "window_created"}, {"ready": pane}]


def looks(pane):
    return [("capture_pane", {"pane": pane}), ("capture_pane", {"pane": pane, "format": "svg"}),
            ("find_text", {"pane": pane, "regex": "x"}), ("list_panes", {}),
            ("send_text", {"pane": pane, "text": "abc", "force": True}), ("send_keys", {"pane": pane, "keys": "C-c", "force": True})]


class Walk:
    def __init__(self):
        self.peers, self.watches, self.done = [], [], []

    def subscribe(self, peer, pane):
        peer.ask("subscribe", **rng.choice(subscriptions(pane)))

    def wait(self, peer, pane):
        more = {"wait": f"wait{rng.randrange(5)}"} if rng.random() < 0.3 else {}
        peer.begin("wait_for", any=[rng.choice(conditions(pane))], timeout_sec=0.01 + 1.5 * rng.random(), **more)

    def watch(self, peer, pane):
        how = rng.choice([{"regex": "zz"}, {"prompt": True}, {"regex": "a", "once": False}])
        self.watches.append(peer.ask("watch_pane", pane=pane, timeout_sec=60, **how)["result"]["id"])

    def look(self, peer, pane):
        method, params = rng.choice(looks(pane))
        number = peer.begin(method, **params)
        if rng.random() < 0.7 and peer.end(number) is None:
            self.done.append(f"NO ANSWER to {method}")

    def leave(self, peer, pane):
        self.peers.remove(peer)
        peer.close()

    def others(self, peer, pane):
        tmux(*rng.choice([("pipe-pane", "-t", pane, "cat >/dev/null"), ("pipe-pane", "-t", pane), ("respawn-pane", "-k", "-t", pane)]))

    def step(self):
        if not self.peers or (len(self.peers) < PEERS_MAX and rng.random() < 0.15):
            self.peers.append(Peer())
        work = rng.choice([self.subscribe, self.subscribe, self.wait, self.wait, self.watch, self.look, self.look, self.leave, self.others])
        pane = rng.choice(panes)
        self.done.append(f"{work.__name__} {pane}")
        work(rng.choice(self.peers), pane)

    def end(self):
        """All programs leave, a person's pipes end, and what would go on by itself is cancelled."""
        for peer in self.peers:
            peer.close()
        for pane in panes:
            tmux("pipe-pane", "-t", pane)
        for watch in self.watches:
            main.ask("cancel_watch", id=watch)
        for note in main.ask("list_notifications")["result"]["notifications"]:
            main.ask("ack_notification", seq=note["seq"])


def settle(law):
    end = time.monotonic() + END_SEC
    while not law() and time.monotonic() < end:
        time.sleep(0.1)
    return law()


def all_is_over(most):
    return not any(needs().values()) and descriptors() <= most


print(f"# MUXBUS_SEED={seed}", flush=True)
tmux("set-option", "-g", "remain-on-exit", "on")
panes = ["%0"] + [main.ask("create_window", session="main", command=command, keep_on_exit=True)["result"]["pane"] for command in ("cat", "sh", "cat")]
first = Walk()
for some in (first.subscribe, first.wait, first.watch, first.look):  # what muxbusd opens once, and keeps
    peer = Peer()
    first.peers.append(peer)
    for pane in panes:
        for _ in range(4):
            some(peer, pane)
first.end()
tap.ok(settle(lambda: all_is_over(1000)), "after the first programs nothing is needed", needs())
most = descriptors() + SINGLE
for number in range(rounds):
    walk = Walk()
    for _ in range(STEPS):
        walk.step()
    walk.end()
    is_over = settle(lambda: all_is_over(most))
    is_answered = not any(step.startswith("NO ANSWER") for step in walk.done)
    tap.ok(is_over and is_answered, f"round {number}: nothing of tmux is needed any more",
           f"{needs()}, {descriptors()} descriptors, at most {most}: {', '.join(walk.done)}")
tap.done()
