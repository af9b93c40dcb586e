# SPDX-License-Identifier: ISC
"""A random walk of commands of others, and answers that are compared with tmux: rest_walk.py TMUX SOCKET STEPS

The same seed (MUXBUS_TEST_SEED) gives the same commands in every mode. They come in small
batches; if an answer is wrong, MUXBUS_REST_EACH=1 compares after each command of the same walk, which names the one.
Each LIFE commands are for a server of their own, so a tmux that dies changes no other life. The lives that ended are compared
with those of the mode without, whose answer is the file MUXBUS_REST_ALONE: does tmux die more often beside muxbusd? In long
walks the commands of a life that ended are also repeated without muxbusd.

MUXBUS_REST_MODE: rest; following: all events are followed, by control clients; piped: the output of all panes is followed, by
pipes; and to count the deaths of tmux without muxbusd: without, and plain, with a `tmux -C` in each session."""

import json
import math
import os
import random
import re
import resource
import signal
import socket
import subprocess
import sys
import threading
import time

from harmless_world import adopt_orphans
from tmux_shot import Gone, Shots, Stuck

PROGRAM, PATH, STEPS = sys.argv[1], sys.argv[2], int(sys.argv[3])
MODE, EACH = os.environ.get("MUXBUS_REST_MODE", "rest"), bool(os.environ.get("MUXBUS_REST_EACH"))
ALONE = MODE in ("without", "plain")  # there is no muxbusd
CORES = os.environ.get("MUXBUS_REST_CORES")  # a folder that keeps the memory of each tmux that died
BATCHES = (1, 1, 2, 5, 10)
SETTLE_SEC = 20  # in which tmux must say the same twice
CLOSES = 40
LIFE = 500  # commands for one server
REPEAT_SEC = 10
REPEATED_MAX = 12 if STEPS >= 5000 else 0  # deaths whose commands are repeated without muxbusd

PANE = ("pane_id window_id pane_index pane_width pane_height pane_left pane_top pane_active pane_pid pane_tty"
        " pane_dead pane_dead_status pane_mode alternate_on pane_input_off pane_synchronized pane_floating_flag"
        " pane_current_command window_name pane_title pane_current_path").split()
WINDOW = "window_id session_id session_name window_index window_active window_name window_width window_height window_zoomed_flag window_layout".split()


# Of a line that takes long, tmux cuts the rest.
END = "#{?pid,whole,}"


def format_of(kind, fields):
    return "\t".join([kind, *("#{%s}" % field for field in fields), END])


BRIEF = ("list-panes", "-a", "-F", format_of("P", PANE[:2]), ";",
         "list-windows", "-a", "-F", format_of("W", WINDOW[:4]))
FULL = ("list-panes", "-a", "-F", format_of("P", PANE), ";",
        "list-windows", "-a", "-F", format_of("W", WINDOW), ";",
        "list-sessions", "-F", format_of("S", ("session_id", "session_name", "session_windows")))


class Truth:
    """What tmux says: the panes by id, the links of each window as (session, name, index), windows and sessions."""

    def __init__(self, text):
        self.text, self.panes, self.links, self.windows, self.sessions = text, {}, {}, {}, {}
        for line in text.splitlines():
            kind, *values, _ = line.split("\t")
            if kind == "P":
                self.panes[values[0]] = dict(zip(PANE, values))
            elif kind == "W":
                self.add_window(dict(zip(WINDOW, values)))
            elif kind == "S":
                self.sessions[values[0]] = f"{values[1]} {values[2]}"

    def add_window(self, row):
        there = self.links.setdefault(row["window_id"], set())
        there.add((row["session_id"], row["session_name"], int(row["window_index"])))
        if "window_layout" in row:
            window = self.windows.setdefault(row["window_id"], {
                "name": row["window_name"], "width": int(row["window_width"]), "height": int(row["window_height"]),
                "zoomed": row["window_zoomed_flag"] == "1", "layout": row["window_layout"], "links": set()})
            window["links"].add((row["session_id"], int(row["window_index"]), row["window_active"] == "1"))

    def is_corrupt(self):
        """Whether a layout names a pane that is not there: tmux up to 3.5a reads memory that it has freed."""
        return any(f"%{pane}" not in self.panes for row in self.windows.values()
                   for pane in re.findall(r"\d+x\d+,-?\d+,-?\d+,(\d+)", row["layout"]))

    def all_sessions(self):
        return sorted({session for there in self.links.values() for session, _, _ in there})


class Server:
    """A tmux server with one pane; a child of this process."""

    def __init__(self, path):
        self.path, self.shots = path, Shots(PROGRAM, path, 8)
        words = [PROGRAM, "-S", path, "-f", "/dev/null", "start-server", ";", "set-option", "-g", "exit-empty", "off", ";", "set-option", "-g", "automatic-rename", "off"]
        while subprocess.run(words, stdin=subprocess.DEVNULL, check=False, timeout=20).returncode:
            time.sleep(0.01)  # the socket of one that has just died
        self.add_session()
        self.pid = int(self.shots.run("display-message", "-p", "#{pid}")[1])
        self.has_floats = "new-pane" in self.shots.run("list-commands")[1]

    def add_session(self):
        self.shots.run("new-session", "-d", "-x", "80", "-y", "24", "cd . && exec sleep 3600")

    def look(self, words):
        for _ in range(100):
            status, text = self.shots.run(*words)
            if status:  # there is no session
                return Truth("")
            if all(line.endswith("\twhole") for line in text.splitlines()):
                return Truth(text)
        raise Stuck(words)

    def do(self, command):
        """A program that ends at once has ended before the next command, which may depend on its pane."""
        self.shots.run(*command)
        until = time.monotonic() + 10
        while (command[-1].startswith("exit ") and time.monotonic() < until and
               self.shots.run("display-message", "-p", "-t", command[-2], "#{pane_dead}")[1].strip() == "0"):
            time.sleep(0.005)

    def end(self):
        """How it ended; a server that is there is killed."""
        for last in (False, True):
            until = time.monotonic() + (10 if last else 2)
            while time.monotonic() < until:
                pid, status = os.waitpid(self.pid, os.WNOHANG)
                if pid:
                    reap()
                    return signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else f"exit {os.WEXITSTATUS(status)}"
                time.sleep(0.01)
            os.kill(self.pid, signal.SIGKILL)
        return "lost"


def reap():
    """The programs of a server that has died."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def step(server, chance, truth, number):
    """One command of a person or a script."""
    panes, links = truth.panes, truth.links
    pane, other = chance.choice(list(panes)), chance.choice(list(panes))
    window, away = panes[pane]["window_id"], panes[other]["window_id"]
    session, _, index = chance.choice(sorted(links[window]))
    elsewhere = chance.choice(truth.all_sessions())
    free = chance.randrange(20, 90)
    # Before its shell is there tmux names a pane after the first word, which no later program of it is called.
    run = chance.choice(["cd . && exec sleep 3600", "cd . && exec cat", "cd / && exec sleep 3600", "printf '\\033]2;a %% title\\033\\\\'; exec cat", "printf '\\033[?1049h'; exec cat"])
    make = [
        ["new-session", "-d", "-x", "80", "-y", "24", "-s", f"s{number}", run], ["new-session", "-d", "-s", f"g{number}", "-t", elsewhere],
        ["new-window", "-d", "-t", f"{elsewhere}:", run], ["new-window", "-t", f"{elsewhere}:", run],
        ["split-window", "-t", pane, run], ["split-window", "-h", "-d", "-t", pane, run]]
    if server.has_floats:
        make += [["new-pane", "-d", "-t", pane, "-x", "30", "-y", "8", "-X", str(free % 40), "-Y", str(free % 12), run]] * 2
    commands = [
        *make, ["kill-pane", "-t", pane], ["kill-window", "-t", window], ["unlink-window", "-k", "-t", f"{session}:{index}"],
        ["move-window", "-s", f"{session}:{index}", "-t", f"{elsewhere}:{free}"], ["move-window", "-r", "-t", elsewhere],
        ["link-window", "-d", "-s", window, "-t", f"{elsewhere}:{free}"], ["swap-window", "-d", "-s", window, "-t", away],
        ["join-pane", "-d", "-s", pane, "-t", other], ["break-pane", "-d", "-s", pane], ["swap-pane", "-d", "-s", pane, "-t", other],
        ["select-pane", "-T", f"title {number} a\\b 100%", "-t", pane], ["select-pane", "-t", pane], ["select-window", "-t", f"{session}:{index}"],
        ["rename-window", "-t", window, f"w {number} 100%"], ["rename-session", "-t", session, f"n{number}"],
        ["select-layout", "-t", window, chance.choice(["tiled", "even-horizontal", "main-vertical"])], ["resize-pane", "-Z", "-t", pane],
        ["resize-pane", "-U", "2", "-t", pane], *[["rotate-window", "-t", window]] * 4,
        ["set-option", "-w", "-t", window, "pane-base-index", str(chance.randrange(3))], ["set-option", "-w", "-t", window, "synchronize-panes", chance.choice(["on", "off"])],
        ["set-option", "-w", "-t", window, "pane-border-status", chance.choice(["top", "off"])], ["set-option", "-w", "-t", window, "remain-on-exit", chance.choice(["on", "off"])],
        ["copy-mode", "-t", pane], ["send-keys", "-X", "-t", pane, "cancel"], ["select-pane", "-d", "-t", pane], ["select-pane", "-e", "-t", pane],
        ["respawn-pane", "-k", "-t", pane, run], ["respawn-pane", "-k", "-t", pane, f"exit {number % 250}"],
        ["set-option", "-t", session, "renumber-windows", chance.choice(["on", "off"])], ["respawn-window", "-k", "-t", window, run],
        ["resize-window", "-t", window, "-x", str(60 + free), "-y", str(free // 2 + 10)], ["last-pane", "-t", window], ["next-layout", "-t", window],
    ]
    if server.has_floats:
        commands += [["break-pane", "-W", "-d", "-s", pane], ["move-pane", "-t", pane, "-X", str(free % 40), "-Y", str(free % 12)]]
    # A server needs a session, and a walk a few panes.
    if len(panes) < 4:
        commands = make
    elif len(panes) > 30:
        commands = [["kill-window", "-t", window]]
    elif chance.random() < 0.02 and len(truth.all_sessions()) > 2:
        commands = [["kill-session", "-t", session]]
    return chance.choice(commands)


def close_windows(walk):
    """Sessions are listed while muxbusd looks for windows that have closed, one after the other."""
    for number in range(CLOSES):
        for _ in range(3):
            walk.server.shots.run("new-window", "-d", "-t", "$0:", "exec sleep 3600")
        walk.asker.ask("list_panes", max_age_ms=0)
        walk.server.shots.run("kill-window", "-a", "-t", "$0:0", ";", "new-session", "-d", "-s", f"c{number}", "exec sleep 3600")
        time.sleep(number % 10 / 2000)
        walk.wrong += walk.asker.wrong_sessions(walk.server.look(FULL))
        walk.server.shots.run("kill-session", "-t", f"c{number}")
    walk.truth = walk.server.look(FULL)


def whole(text):
    return int(text) if text else None


def differences(said, pane, links):
    """What an answer says of a pane, beside tmux's own words."""
    there = links[pane["window_id"]]
    is_dead = pane["pane_dead"] == "1"
    pairs = {
        "window": pane["window_id"], "pane_index": whole(pane["pane_index"]), "width": whole(pane["pane_width"]),
        "height": whole(pane["pane_height"]), "left": whole(pane["pane_left"]), "top": whole(pane["pane_top"]),
        "active": pane["pane_active"] == "1", "title": pane["pane_title"], "tty": pane["pane_tty"],
        "dead": is_dead, "mode": pane["pane_mode"] or None, "alternate_screen": pane["alternate_on"] == "1",
        "input_off": pane["pane_input_off"] == "1", "synchronized": pane["pane_synchronized"] == "1",
        "window_name": pane["window_name"]}
    if pane["pane_floating_flag"] == "1":
        pairs["floating"] = True
    if not is_dead:
        pairs.update(pid=whole(pane["pane_pid"]), command=pane["pane_current_command"], path=pane["pane_current_path"])
    if pane["pane_dead_status"]:
        pairs["exit_status"] = whole(pane["pane_dead_status"])
    wrong = [f"{name}: {said.get(name)!r} and not {value!r}" for name, value in pairs.items() if said.get(name) != value]
    if (said.get("session"), said.get("session_name"), said.get("window_index")) not in there:
        wrong.append(f"{said.get('session')} {said.get('session_name')}:{said.get('window_index')} and not one of {there}")
    sessions = {session for session, _, _ in there}
    if len(sessions) > 1 and set(said.get("sessions") or []) != sessions:
        wrong.append(f"sessions: {said.get('sessions')} and not {sessions}")
    return wrong


class Asker:
    """A peer of muxbusd."""

    def __init__(self):
        self.link = socket.socket(socket.AF_UNIX)
        self.link.connect(os.environ["MUXBUS"])
        self.lines = self.link.makefile("rb")

    def ask(self, method, **params):
        self.link.sendall(json.dumps({"id": 1, "method": method, "params": params}).encode() + b"\n")
        answer = json.loads(self.lines.readline())
        return answer.get("result"), answer.get("error")

    def wrong_pane(self, truth, pane):
        said, error = self.ask("get_pane", pane=pane, max_age_ms=0)
        if pane not in truth.panes:
            return [] if error else [f"{pane} is gone, and the answer is {said}"]
        return [f"{pane}: {text}" for text in ([error] if error else differences(said, truth.panes[pane], truth.links))]

    def wrong_panes(self, truth):
        said, error = self.ask("list_panes", max_age_ms=0)
        listed = {pane["pane"]: pane for pane in (said or {}).get("panes", [])}
        if error or set(listed) != set(truth.panes):
            return [f"list_panes: {error or sorted(set(listed) ^ set(truth.panes))}"]
        return [f"list_panes: {pane}: {text}" for pane, row in truth.panes.items() for text in differences(listed[pane], row, truth.links)]

    def wrong_windows(self, truth):
        said, error = self.ask("list_windows", max_age_ms=0)
        listed = {row["window"]: dict({key: row[key] for key in ("name", "width", "height", "zoomed", "layout")},
                                      links={(link["session"], link["index"], link["current"]) for link in row["links"]})
                  for row in (said or {}).get("windows", [])}
        if error or set(listed) != set(truth.windows):
            return [f"list_windows: {error or sorted(set(listed) ^ set(truth.windows))}"]
        return [f"list_windows: {window}: {listed[window]} and not {row}" for window, row in truth.windows.items() if listed[window] != row]

    def wrong_sessions(self, truth):
        said, error = self.ask("list_sessions", max_age_ms=0)
        listed = {row["session"]: f"{row['name']} {row['windows']}" for row in (said or {}).get("sessions", [])}
        return [] if listed == truth.sessions and not error else [f"list_sessions: {error or listed} and not {truth.sessions}"]


class Corrupt(Exception):
    """tmux lists what cannot be."""


class Walk:
    def __init__(self, seed):
        self.seed, self.asking = seed, random.Random(seed + 1)
        self.asked = self.again = self.number = self.life = 0
        self.deaths, self.wrong, self.gone, self.batch, self.commands = [], [], set(), [], []
        self.asker = None if ALONE else Asker()
        self.follower, self.followed, self.with_client, self.clients = self.asker, 0, 0, {}
        self.server = None

    def begin(self):
        """A server, which muxbusd has found. tmux dies in such walks at times, without muxbusd too."""
        self.end_life()
        self.life += 1
        self.chance = random.Random(f"{self.seed} {self.life}")
        self.server, self.commands, self.batch, self.clients, self.gone = Server(PATH), [], [], {}, set()
        until = time.monotonic() + 10
        while not ALONE and self.asker.ask("list_panes")[1] and time.monotonic() < until:
            time.sleep(0.01)
        self.truth = self.server.look(FULL)
        by_program = subprocess.run([PROGRAM, "-S", PATH, *BRIEF], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True).stdout
        assert Truth(by_program).panes.keys() == self.truth.panes.keys(), "the program tmux says the same"

    def attach(self):
        """A plain control client in each session, as muxbusd attaches; one whose session has ended has ended too."""
        for session in self.truth.all_sessions():
            client = self.clients.get(session)
            if client and client.poll() is None:
                continue
            words = [PROGRAM, "-S", PATH, "-C", "attach-session", "-f", "no-output,ignore-size", "-t", session]
            client = self.clients[session] = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            until = time.monotonic() + 10
            while not self.server.shots.run("list-clients", "-t", session)[1] and client.poll() is None and time.monotonic() < until:
                time.sleep(0.001)

    def pipe(self):
        """A new connection follows the output of all panes that run; then the one before goes. A dead one needs a client."""
        before, self.follower = self.follower, Asker()
        panes = sorted(pane for pane, row in self.truth.panes.items() if row["pane_dead"] != "1")
        said, _ = self.follower.ask("subscribe", panes=panes, output=True, kinds=["gap"])
        self.followed += len(panes) if said else 0
        self.with_client += "control-mode" in self.server.shots.run("list-clients", "-F", "#{client_flags}")[1]
        if before is not self.asker:
            before.link.close()

    def walk_on(self):
        """A batch of commands, then some questions."""
        if MODE == "plain":
            self.attach()
        elif MODE == "piped":
            self.pipe()
        for left in reversed(range(self.chance.choice(BATCHES))):
            self.number += 1
            command = step(self.server, self.chance, self.truth, self.number)
            self.commands.append(command)
            self.batch.append(command)
            self.server.do(command)
            self.gone |= set(self.truth.panes)
            self.truth = self.server.look(BRIEF if left and not EACH else FULL)
            if not self.truth.panes:
                self.server.add_session()
                self.truth = self.server.look(FULL)
            if EACH or not left:
                self.compare()

    def questions(self):
        """The first is the one that no other answer may have repaired."""
        asker, asking, panes = self.asker, self.asking, sorted(self.truth.panes)
        looks = asking.sample(panes, min(2, len(panes))) + asking.sample(sorted(self.gone), min(1, len(self.gone)))
        one = [lambda truth, pane=pane: asker.wrong_pane(truth, pane) for pane in looks]
        return asking.choice((one, one, [asker.wrong_panes], [asker.wrong_windows, asker.wrong_sessions], [asker.wrong_sessions, asker.wrong_windows]))

    def compare(self):
        """An answer is wrong if tmux said the same before it and behind it."""
        self.gone -= set(self.truth.panes)
        questions = [] if ALONE else self.questions()
        until = time.monotonic() + SETTLE_SEC
        while time.monotonic() < until:
            wrong = [text for question in questions for text in question(self.truth)]
            after = self.server.look(FULL)
            self.asked += len(questions)
            if not after.panes:  # the last program has ended
                return
            if after.is_corrupt():
                raise Corrupt
            if not wrong or after.text == self.truth.text:
                self.wrong = [f"command {self.number}: {text}" for text in wrong]
                if not wrong:
                    self.batch = []
                self.truth = after
                return
            self.again += 1
            self.truth = after
        self.wrong = ["tmux does not rest"]

    def has_died(self, error):
        server, self.server = self.server, None
        how = server.end() if isinstance(error, Gone) else f"{type(error).__name__} {error}, {server.end()}"
        if CORES and os.path.exists("core"):
            os.rename("core", f"{CORES}/core.{MODE}.{self.number}")
        alone = [repeat(self.commands) for _ in range(3)] if len(self.deaths) < REPEATED_MAX and not ALONE else []
        self.deaths.append({"life": self.life, "command": len(self.commands), "how": how, "alone": alone, "last": self.commands[-3:]})
        print(json.dumps(self.deaths[-1]), file=sys.stderr, flush=True)

    def end_life(self):
        if self.server:
            os.kill(self.server.pid, signal.SIGKILL)
            self.server.end()

    def walk_life(self, commands):
        """The commands of one server, which may die of them."""
        try:
            while len(self.commands) < commands and not self.wrong:
                self.walk_on()
        except (Gone, Stuck, Corrupt) as error:
            self.has_died(error)


def repeat(commands):
    """How a server without muxbusd takes the same commands."""
    server, until = Server(f"{PATH}-alone"), time.monotonic() + REPEAT_SEC
    try:
        for command in commands:
            if time.monotonic() > until:
                break
            server.do(command)
            server.look(FULL)
    except (Gone, Stuck):
        return server.end()
    os.kill(server.pid, signal.SIGKILL)
    server.end()
    return "lives"


def compare_lives(walk, died):
    """Lives that died here and not alone, and the reverse; whether so many more here are no chance: 1 in 200 such walks."""
    if "MUXBUS_REST_ALONE" not in os.environ:
        return {}
    with open(os.environ["MUXBUS_REST_ALONE"], encoding="utf-8") as file:
        alone = json.load(file)
    lives = range(1, min(walk.life, alone["lives"]))
    died, died_alone = set(died).intersection(lives), set(alone["died"]).intersection(lives)
    here, there = len(died - died_alone), len(died_alone - died)
    chance = sum(math.comb(here + there, count) for count in range(here, here + there + 1)) / 2 ** (here + there)
    return {"both": len(died & died_alone), "only_here": here, "only_alone": there, "is_more": chance < 0.005}


def main():
    seed = int(os.environ.get("MUXBUS_TEST_SEED") or random.randrange(10**6))
    adopt_orphans()
    if CORES:
        resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    if MODE == "following":
        follower = Asker()
        follower.link.sendall(b'{"id":1,"method":"subscribe"}\n')
        threading.Thread(target=lambda: [None for _ in iter(lambda: follower.link.recv(65536), b"")], daemon=True).start()
    began, walk, told = time.monotonic(), Walk(seed), 0
    if MODE == "rest":
        walk.begin()
        close_windows(walk)
        walk.life = 0
    while walk.number < STEPS and not walk.wrong:
        walk.begin()
        walk.walk_life(min(LIFE, STEPS - walk.number))
        if walk.number // 5000 > told:
            told = walk.number // 5000
            print(f"{walk.number} commands, {walk.asked} answers, {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    died = [death["life"] for death in walk.deaths if death["life"] < walk.life]  # the last one is cut
    status = {"attached": len(walk.clients) > 0} if ALONE else walk.asker.ask("status")[0]["tmux"]
    print(json.dumps({"commands": walk.number, "asked": walk.asked, "again": walk.again, "seconds": round(time.monotonic() - began, 1),
                      "attached": status["attached"], "deaths": len(walk.deaths), "lives": walk.life, "died": died, **compare_lives(walk, died), "followed": walk.followed, "with_client": walk.with_client, "wrong": walk.wrong[:5], "seed": seed,
                      "last": walk.batch if walk.wrong else []}))
    walk.end_life()


if __name__ == "__main__":
    main()
