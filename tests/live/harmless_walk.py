# SPDX-License-Identifier: ISC
"""A random walk of commands of tmux with two persons at terminals, without muxbusd and with it: tmux lives to its end.

MUXBUS_WALK is what is run: "all", or words of versions and modes, such as "3.3a,3.8:rest,following"; by default the
tmux of the PATH with the modes of QUICK. MUXBUS_WALK_STEPS (150) is the number of commands in each mode, and
MUXBUS_WALK_SEED (1) chooses the walk: the same seed gives the same commands as far as tmux answers the same.
MUXBUS_WALK_FOLDER is a folder that keeps the memory of a tmux that has died, for one who looks for a fault.
Modes: without; rest: requests only; following: some panes are followed, by pipes, and users pipe other panes; taken: users
pipe any pane, and control clients follow these, and panes of agents that remain at their end; control: all by control clients. Where there are control clients, tmux up
to 3.7c may die: then deaths are counted, and fail no check. The mode plain is run only where it is named: a `tmux -C` in each session,
without muxbusd, to compare with."""

import glob
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import tap  # noqa: E402
from fleet_machines import Ended, Link  # noqa: E402
from harmless_steps import ACTIONS, KEPT, LISTING, PANES_MAX, PROGRAMS, SESSIONS_MAX, Listing, Terminal, end_programs, kill_session  # noqa: E402
from harmless_versions import number_of, selection, version_of  # noqa: E402
from harmless_world import OPTIONS, PLAIN, ServerEnded, World, adopt_orphans, send_signal  # noqa: E402
from tap import ok  # noqa: E402

MODES = ("without", "rest", "following", "taken", "control")
ATTACHED = ("taken", "control", PLAIN)
QUICK = ("without", "rest", "following")
STEPS = int(os.environ.get("MUXBUS_WALK_STEPS", "150"))
FOLDER = os.environ.get("MUXBUS_WALK_FOLDER", "")
FOLLOWERS = 4
DEATHS_MAX = 200  # in one mode: then the walk ends


class Follower:
    """A connection that follows; all that comes is read by a thread and counted."""

    def __init__(self, path, panes):
        self.events, self.errors, self.panes = 0, 0, panes
        self.link = Link(path)
        self.reader = threading.Thread(target=self.read, daemon=True)

    def start(self, *requests):
        for method, params in requests:
            self.link.send(method, params)
        self.reader.start()

    def read(self):
        try:
            while True:
                message = self.link.line(3600)
                self.events += message.get("method") == "event"
                self.errors += "error" in message
        except Ended:
            pass

    def close(self):
        self.link.socket.shutdown(2)
        self.reader.join(10)
        self.link.close()


class Walk(World):
    """One walk: a server, two persons, and muxbusd in a mode. A server that has died is replaced."""

    limit = 20

    def __init__(self, tmux, mode, folder, seed):
        super().__init__(tmux, mode, folder, lambda row: None)
        self.random, self.asking, self.following = (random.Random(seed * 3 + number) for number in range(3))
        self.step, self.all, self.terminals = 0, None, []
        self.keeps_menus = number_of(version_of(tmux)) >= (3, 8)  # tmux draws a menu, and display-panes, for what has ended
        self.followers, self.commands, self.deaths, self.faults, self.waiting = [], [], [], [], []
        self.has_daemon = mode not in ("without", PLAIN)
        self.piped, self.stay = set(), set()  # panes that had a pipe of the user, and that were followed
        self.counts = {"requests": 0, "refused": 0, "events": 0, "looks with a control client": 0, "followed panes": 0}

    # Chance.

    def below(self, limit):
        return self.random.randrange(limit)

    def any_of(self, values):
        return values[self.below(len(values))]

    def some(self, *words, odds=2):
        return [word for word in words if self.below(odds) == 0]

    def session(self):
        return self.any_of(self.all.sessions)

    def window(self):
        return self.any_of(self.all.windows)

    def link_of(self):
        return self.any_of(self.all.links)

    def pane(self):
        return self.any_of(self.all.panes)

    def program(self):
        return self.any_of(PROGRAMS)

    def person(self):
        return self.any_of(self.terminals)

    def pane_to_pipe(self):
        """A pane for a pipe of the user; None if that would take a pane that is followed, and may not."""
        pane = self.pane()
        if self.mode == "following":
            if pane in self.stay:
                return None
            self.piped.add(pane)
        return pane

    def panes_to_follow(self):
        """In the mode following, those that never had a pipe of the user."""
        panes = sorted(set(self.all.panes) - self.piped)
        return sorted({self.following.choice(panes) for _ in range(5)}) if panes else []

    # What actions do.

    def say(self, words):
        self.commands = [*self.commands[-9:], " ".join(words)]

    def do(self, *words):
        self.say(words)
        self.t(*words)

    def begin(self, *words):
        """A command that may wait for a person."""
        self.say(words)
        self.waiting.append(self.start_command(*words))

    def end(self, pids, while_stopped=False):
        self.say(["kill -9", *map(str, pids), "while stopped" if while_stopped else ""])
        end_programs(pids, self.pid, while_stopped)

    def person_leaves(self, hang_up):
        self.say(["a person leaves"])
        terminal = self.person()
        self.terminals.remove(terminal)
        terminal.leave(hang_up)

    # The walk.

    def begin_world(self):
        self.start_server()
        self.waiting, self.followers, self.piped, self.stay = [], [], set(), set()
        self.t("set-option", "-s", "exit-empty", "off")
        self.t("respawn-window", "-k", "-t", "main:0", "exec sleep 100000", ";", "rename-window", "-t", "main:0", KEPT)
        self.t("new-window", "-d", "-t", "main:", "exec cat")
        self.t("new-session", "-d", "-s", "second", "exec cat")
        self.terminals = [Terminal(self, "main"), Terminal(self, "second")]
        self.look()
        if self.has_daemon:
            self.start_daemon()

    def end_world(self, is_stuck=False):
        for follower in self.followers:
            self.end_follower(follower)
        self.followers = []
        for terminal in self.terminals:
            terminal.leave(True)
        self.terminals = []
        for command in self.waiting:
            command.kill()
            command.wait()
        send_signal(self.pid, signal.SIGABRT if FOLDER and is_stuck else signal.SIGKILL)
        self.has_ended(20)
        self.keep_core()
        self.stop_server()

    def look(self):
        """Lists what is there, and makes a window that may end, if there is none."""
        self.all = Listing(self.t("list-panes", "-a", "-F", LISTING))
        if not self.all.rows:
            self.t("new-session", "-d", "-n", f"w{self.step}", "-x", "80", "-y", "24", "exec sleep 1000")
            self.all = Listing(self.t("list-panes", "-a", "-F", LISTING))
        if not self.all.rows:
            raise ServerEnded
        self.stay |= self.all.agents

    def keep_persons(self):
        """A person who was detached comes back, in time."""
        for terminal in [terminal for terminal in self.terminals if not terminal.is_attached()]:
            if self.below(3) == 0:
                self.terminals.remove(terminal)
                terminal.leave(True)
        while len(self.terminals) < 2:
            self.terminals.append(Terminal(self, self.session()))

    def walk_on(self):
        self.keep_persons()
        self.waiting = [command for command in self.waiting if command.poll() is None]
        if len(self.all.panes) > PANES_MAX or len(self.all.sessions) > SESSIONS_MAX:
            kill_session(self)
        else:
            self.any_of(ACTIONS)(self)
        self.look()
        if self.mode == PLAIN:
            self.start_plain(set(self.t("list-sessions", "-F", "#{session_name}").splitlines()))
        self.use()

    # The use of muxbusd. It takes its chance from `asking`, and without muxbusd tmux gets the same commands: the walk is the same.

    def ask(self, method, params=None):
        self.say([method, json.dumps(params)])
        answer = self.link.ask(method, params or {}, 20)
        self.counts["requests"] += 1
        self.counts["refused"] += "error" in answer
        return answer

    def use(self):
        """Requests beside the commands, and in the modes that follow, connections that follow some panes."""
        number, pane = self.asking.randrange(12), self.asking.choice(self.all.panes)
        window, session, way = self.asking.choice(self.all.windows), self.asking.choice(self.all.sessions), self.asking.randrange(4)
        if number == 3:
            command = (("list-windows", "-a"), ("rename-window", "-t", window, "named"), ("kill-pane", "-t", pane),
                       ("new-window", "-d", "-t", f"{session}:", "exec sleep 1000"))[way]
            if self.has_daemon:
                self.ask("run_tmux", {"command": command})
            else:
                self.begin(*command)
        elif number == 4 and not self.has_daemon:
            self.begin("send-keys", "-l", "-t", pane, "text")
        elif number == 4:
            self.ask("send_text", {"pane": pane, "text": "text"})
        elif not self.has_daemon:
            return
        elif number < 3:
            self.ask(*(("list_panes",), ("get_pane", {"pane": pane}), ("capture_pane", {"pane": pane}))[number])
        elif self.mode == "rest":
            return
        elif number == 5:
            for pane in self.panes_to_follow()[:1]:
                self.stay.add(pane)
                self.ask("read_output", {"pane": pane})
        elif number in (6, 7, 8):
            self.follow()

    def follow(self):
        if len(self.followers) >= FOLLOWERS:
            self.end_follower(self.followers.pop(self.following.randrange(FOLLOWERS)))
        panes = self.panes_to_follow()
        if not panes:
            return
        follower = Follower(f"{self.socket}.muxbus", panes)
        self.followers.append(follower)
        self.stay.update(panes)
        requests = [("subscribe", {"panes": panes, "output": True, "kinds": ["bell", "gap", "line", "pane_closed"]}),
                    ("watch_pane", {"pane": panes[0], "regex": "never written"}),
                    ("wait_for", {"any": [{"prompt": True, "pane": panes[-1]}], "timeout_sec": 60})]
        if self.following.randrange(8) == 0 and self.mode in ATTACHED:
            requests.append(("ensure_agent", {"name": f"a{self.step}", "command": "exec bash --norc", "env": {"PS1": "$ "}}))
        follower.start(*requests)
        self.counts["followed panes"] += len(panes)

    def end_follower(self, follower):
        follower.close()
        self.counts["events"] += follower.events

    def check_clients(self):
        """Where pipes are enough, no control client is there."""
        controls = self.controls()
        self.counts["looks with a control client"] += bool(controls)
        if controls and self.mode not in ATTACHED:
            self.faults.append(f"step {self.step}: there is a control client; " + " | ".join(self.commands))

    def panes(self):
        """What tmux lists; without a session it says that there is no target."""
        return {word for word in self.t("list-panes", "-a", "-F", "#{pane_id}").split() if word[0] == "%"}

    def check_end(self):
        """The daemon knows what tmux has."""
        panes = self.ask("list_panes").get("result", {}).get("panes", [])
        want = self.panes()
        got = {pane["pane"] for pane in panes}
        if got != want and got != self.panes():
            self.faults.append(f"list_panes differs from tmux: {sorted(got ^ want)}")

    def has_died(self, fate=None):
        if fate is None:
            self.has_ended(5)
            fate = self.fate()
        self.deaths.append({"step": self.step, "fate": fate, "commands": self.commands})
        self.keep_core()

    def keep_core(self):
        for core in glob.glob(f"{self.folder}/core*") if FOLDER else ():
            shutil.move(core, f"{FOLDER}/core.{self.mode}.{self.step}.{self.pid}")

    def run_all(self, steps):
        self.begin_world()
        while self.step < steps and len(self.deaths) < DEATHS_MAX and not self.faults:
            self.step += 1
            try:
                self.walk_on()
                if self.step % 10 == 0:
                    self.check_clients()
                if self.step == steps and self.has_daemon:
                    self.check_end()
            except ServerEnded:
                self.has_died()
                self.end_world()
                self.begin_world()
            except subprocess.TimeoutExpired as error:
                self.has_died(f"does not answer {error.cmd[5:]}")
                self.end_world(True)
                self.begin_world()
            except (Ended, KeyError, OSError) as error:
                self.faults.append(f"step {self.step}: {type(error).__name__}: {error}; " + " | ".join(self.commands))
        if self.has_daemon and self.daemon.poll() is not None:
            self.faults.append(f"muxbusd has ended: {self.daemon.returncode}")
        self.end_world()


def play(program, mode, seed):
    """One walk; prints what came of it. This is a process of its own."""
    adopt_orphans()
    if FOLDER:
        resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    folder = tempfile.mkdtemp(prefix="mbh-")
    OPTIONS.update(taken=OPTIONS["following"], control=("-o", "attach=always", "-o", "follow=control"))
    walk = Walk(program, mode, folder, seed)
    began = time.monotonic()
    try:
        walk.run_all(STEPS)
    finally:
        walk.close()
        shutil.rmtree(folder, ignore_errors=True)
    print(json.dumps({"steps": walk.step, "deaths": walk.deaths, "faults": walk.faults, "counts": walk.counts,
                      "seconds": time.monotonic() - began}))


def start(program, mode, seed):
    return subprocess.Popen([sys.executable, os.path.abspath(__file__), "play", program, mode, str(seed)], stdout=subprocess.PIPE, text=True)


def finish(process):
    text = process.communicate()[0]
    return json.loads(text) if process.returncode == 0 else None


def check(version, mode, seed, got):
    name = f"tmux {version}, {mode}, seed {seed}: {STEPS} commands"
    if got is None:
        ok(False, f"{name}: the walk ends")
        return
    may_die = mode == PLAIN or (mode in ATTACHED and number_of(version) <= (3, 7, "z"))
    if number_of(version)[:2] == (3, 7):  # its tty_draw_line() goes round for ever, without muxbusd too
        loops = [death for death in got["deaths"] if death["fate"].startswith("does not answer")]
        got["deaths"] = [death for death in got["deaths"] if death not in loops]
        print(f"# {version} {mode}: tmux went round for ever {len(loops)} times")
    deaths = [f"command {death['step']}: tmux {death['fate']} after: " + " | ".join(death["commands"][-4:]) for death in got["deaths"]]
    ok(not got["faults"] and (may_die or not deaths) and (got["steps"] == STEPS or may_die), f"{name}: tmux {'is there' if may_die else 'lives'}",
       "\n".join(got["faults"] + deaths))
    print(f"# {version} {mode}: {len(deaths)} deaths of tmux in {got['steps']} commands; {got['seconds']:.1f} s; " +
          ", ".join(f"{name} {count}" for name, count in got["counts"].items()), flush=True)
    for death in deaths if may_die else ():
        print(f"# {death}", flush=True)


def main():
    versions, modes = selection("MUXBUS_WALK", MODES, QUICK, (PLAIN,))
    seed = int(os.environ.get("MUXBUS_WALK_SEED") or 1)
    for version, program in versions.items():
        walks = {mode: start(program, mode, seed) for mode in modes}
        for mode, process in walks.items():
            check(version, mode, seed, finish(process))
    tap.done()


if sys.argv[1:2] == ["play"]:
    play(sys.argv[2], sys.argv[3], int(sys.argv[4]))
else:
    main()
