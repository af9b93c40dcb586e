# SPDX-License-Identifier: ISC
"""Random tmux servers that are saved, killed with SIGKILL, and restored: names, layouts,
directories, active panes and windows are compared, and what existed is not touched."""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.environ.get("MUXBUS_SRCDIR", "."), "tests"))
import tap  # noqa: E402

BUILD = os.path.abspath(os.environ.get("MUXBUS_BUILDDIR", "."))
ROUNDS = int(os.environ.get("MUXBUS_RESTORES", "3"))
SEED = int(os.environ.get("MUXBUS_SEED", random.randrange(1 << 30)))
WAIT = 20
NAMES = ["work", "a b", "#{pane_id}", "#(touch pwned)", "x;", "$(touch pwned)", "%H", "'q\"",
         "-d", "~", "ä €", "#[fg=red]r", "##", "`touch pwned`", "{a}", "#S;", "a,b", "*", "?x"]
CONFIG = ["", "set -g base-index 1\nset -g pane-base-index 1\n", "set -g renumber-windows on\n",
          "set-hook -g after-split-window 'display-message split'\n"
          "set-hook -g session-created 'set -g @made 1'\nset -g base-index 3\n",
          "setw -g automatic-rename off\nset -g default-size 132x50\n"]
FIELDS = ("#{session_name}\t#{window_index}\t#{window_name}\t#{window_layout}\t"
          "#{pane_current_path}\t#{pane_active}\t#{window_active}\t#{window_zoomed_flag}\t"
          "#{session_group_size}")


class World:
    """A home, a socket of tmux and a daemon."""

    def __init__(self):
        self.dir = os.path.realpath(tempfile.mkdtemp(prefix="mbt-", dir="/tmp"))
        self.bin = os.path.join(self.dir, "bin")
        os.mkdir(self.bin)
        keep = {key: os.environ[key] for key in ("PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS")
                if key in os.environ}
        self.env = dict(keep, HOME=self.dir, XDG_STATE_HOME=self.dir + "/state", SHELL="/bin/sh",
                        LC_ALL="C.UTF-8", TERM="xterm-256color",
                        PATH=f"{self.bin}:{BUILD}:{keep['PATH']}")
        self.daemon = None

    def run(self, *words):
        return subprocess.run(words, env=self.env, cwd=self.dir, text=True, timeout=120,
                              errors="surrogateescape",
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)

    def tmux(self, *words):
        done = self.run("tmux", "-S", self.dir + "/tmux", *words)
        if done.returncode != 0:
            raise RuntimeError(f"tmux {words}: {done.stderr}")
        return done.stdout.rstrip("\n")

    def muxbus(self, *words):
        return self.run("muxbus", "-S", self.dir + "/tmux", *words)

    def saved(self):
        return json.loads(self.muxbus("list_saved").stdout)["sessions"]

    def await_saved(self, count):
        """The daemon has found the server, and saved so many sessions of it."""
        until(lambda: sum(not session["is_past"] for session in self.saved()) == count)

    def start_daemon(self):
        self.daemon = subprocess.Popen(
            [BUILD + "/muxbusd", "-f", "-S", self.dir + "/tmux"], env=self.env, cwd=self.dir,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=open(self.dir + "/log", "a"))
        until(lambda: self.muxbus("ping").returncode == 0)

    def end_daemon(self):
        self.daemon.terminate()
        self.daemon.wait(WAIT)

    def anew(self):
        """No server, and a daemon without a past."""
        self.run("tmux", "-S", self.dir + "/tmux", "kill-server")
        if self.daemon is not None:
            self.end_daemon()
        shutil.rmtree(self.dir + "/state", ignore_errors=True)
        with open(self.dir + "/.tmux.conf", "w"):
            pass
        self.start_daemon()

    def kill_tmux(self):
        pid = int(self.tmux("display-message", "-p", "#{pid}"))
        os.kill(pid, signal.SIGKILL)
        until(lambda: all(session["is_past"] for session in self.saved()))

    def finish(self):
        self.run("tmux", "-S", self.dir + "/tmux", "kill-server")
        if self.daemon is not None:
            self.end_daemon()
        shutil.rmtree(self.dir, ignore_errors=True)


def until(fact):
    end = time.monotonic() + WAIT
    while time.monotonic() < end:
        if fact():
            return True
        time.sleep(0.02)
    return False


def literal(text):
    """A text as an argument that tmux takes as it is: a run of # before [ is one already."""
    out = re.sub("(#+)(?![#[])", lambda match: match.group() * 2, text)
    return out[:-1] + "\\;" if out.endswith(";") else out


def build(world, chance):
    """A random server."""
    with open(world.dir + "/.tmux.conf", "w") as file:
        file.write("set -g exit-empty on\n" + chance.choice(CONFIG))
    folders = []
    for name in chance.sample(["plain", "a b", "#{pid}", "'\"", "x;", "ö", "%d", "-n"], 5):
        folders.append(os.path.join(world.dir, "folders", name))
        os.makedirs(folders[-1], exist_ok=True)
    windows = []
    for name in chance.sample(NAMES, chance.randint(1, 4)):
        size = chance.choice([(80, 24), (200, 60), (20, 5), (131, 41), (400, 120)])
        ids = world.tmux("new-session", "-d", "-P", "-F", "#{session_id} #{window_id}", "-x",
                         str(size[0]), "-y", str(size[1]), "-s", literal(name), "-c",
                         literal(chance.choice(folders))).split()
        made = [ids[1]]
        for _ in range(chance.randint(0, 3)):
            if windows and chance.random() < 0.2:
                world.tmux("link-window", "-d", "-s", chance.choice(windows), "-t", ids[0] + ":")
                continue
            place = ids[0] + ":" + (str(chance.randint(10, 99999)) if chance.random() < 0.5 else "")
            made.append(world.tmux("new-window", "-d", "-P", "-F", "#{window_id}", "-t", place,
                                   "-n", literal(chance.choice(NAMES)), "-c",
                                   literal(chance.choice(folders))))
        for window in made:
            split(world, chance, window, folders)
        windows += made
        world.tmux("select-window", "-t", chance.choice(made))
    if chance.random() < 0.4:
        for name in ("grouped 1", "#{grouped 2}"):
            id = world.tmux("new-session", "-d", "-P", "-F", "#{session_id}", "-t", ids[0], "-s",
                            literal(name))
            world.tmux("select-window", "-t", id + ":{end}")
    return folders


def split(world, chance, window, folders):
    panes = [world.tmux("display-message", "-p", "-t", window, "#{pane_id}")]
    for _ in range(chance.choice([0, 0, 1, 2, 3, 5, 9])):
        try:
            panes.append(world.tmux("split-window", "-d", "-P", "-F", "#{pane_id}", "-t",
                                    chance.choice(panes), chance.choice(["-h", "-v"]), "-c",
                                    literal(chance.choice(folders))))
        except RuntimeError:
            pass  # there is no room
    for _ in range(chance.randint(0, 3)):
        world.tmux("resize-pane", "-t", chance.choice(panes),
                   chance.choice(["-U", "-D", "-L", "-R"]), str(chance.randint(1, 9)))
    world.tmux("select-pane", "-t", chance.choice(panes))
    if len(panes) > 1 and chance.random() < 0.2:
        world.tmux("resize-pane", "-Z", "-t", chance.choice(panes))


def without_ids(layout):
    """Its cells, without their panes and the checksum of these; JSON from tmux 3.8 on."""
    return re.sub(r',"I":"%\d+"', "",
                  re.sub(r"(\d+x\d+,\d+,\d+),\d+", r"\1", layout.split(",", 1)[1]))


def picture(world, but=()):
    """All that is compared, by sessions."""
    sessions = {}
    for line in world.tmux("list-panes", "-a", "-F", FIELDS).split("\n"):
        fields = line.split("\t")
        if fields[0] not in but:
            fields[3] = without_ids(fields[3])
            sessions.setdefault(fields[0], []).append(tuple(fields[1:]))
    return sessions


def settled(world):
    """The shells of new panes run, in their directories: before, tmux itself seems to be there."""
    until(lambda: all(line[0] == "/" and not line.endswith("\ttmux") for line in world.tmux(
        "list-panes", "-a", "-F", "#{pane_current_path}\t#{window_name}").split("\n")))


def compare(got, want):
    lines = []
    for name in sorted(set(got) | set(want)):
        for one, other in zip(got.get(name, []) + [None] * 99, want.get(name, [])):
            if one != other:
                lines.append(f"{name}: got {one}\n{name}: want {other}")
        if len(got.get(name, [])) != len(want.get(name, [])):
            lines.append(f"{name}: {len(got.get(name, []))} panes, not {len(want.get(name, []))}")
    return "\n".join(lines)


def random_server(world, number):
    chance = random.Random(f"{SEED} {number}")
    build(world, chance)
    settled(world)
    before = picture(world)
    world.await_saved(len(before))
    world.kill_tmux()
    alone = [name for name in before if before[name][0][-1] == ""]
    exists = chance.choice(alone) if alone and chance.random() < 0.4 else None
    if exists is not None:
        world.tmux("new-session", "-d", "-s", literal(exists), "exec sleep 1000")
        marks = "#{session_name} #{window_id} #{pane_id} #{pane_pid} #{window_layout}"
        mine = world.tmux("list-panes", "-a", "-F", marks)
        del before[exists]
    done = world.muxbus("restore")
    if exists is not None:
        after = world.tmux("list-panes", "-a", "-F", marks).split("\n")
        tap.ok(mine in after, f"{number}: the session that exists is as it was", after)
    # tmux names a window after its program half a second later.
    until(lambda: picture(world, (exists,)) == before)
    now = picture(world, (exists,))
    tap.ok(done.returncode == 0 and now == before,
           f"{number}: restored as it was, {len(before)} sessions (MUXBUS_SEED={SEED})",
           done.stdout + done.stderr + compare(now, before))
    tap.ok(not os.path.exists(world.dir + "/pwned"), f"{number}: no name was run")


def closed(world):
    """What a person closes stays closed, also what a server before had under its name."""
    world.tmux("new-session", "-d", "-s", "one")
    world.tmux("new-session", "-d", "-s", "two")
    world.await_saved(2)
    world.kill_tmux()
    world.muxbus("restore")
    world.tmux("kill-session", "-t", "one")
    tap.ok(until(lambda: [session["name"] for session in world.saved()] == ["two", "two"]),
           "a closed session is forgotten", world.saved())
    world.kill_tmux()
    done = world.muxbus("restore")
    tap.ok(done.stdout == "restored two: 1 window, 1 pane\n", "and not restored", done.stdout)


def encoded(world):
    """tmux stores some names with more backslashes: each restore has the same ones."""
    made = 3
    for name in ("a $HOME", "b\\c", "##\\\\$x\\"):
        id = world.tmux("new-session", "-d", "-P", "-F", "#{session_id}", "-s", literal(name))
        world.tmux("rename-window", "-t", id, literal(name))
    for name in ("t\tb \\t", "n\nl\x1b[1m", "d\x7fl;"):
        if "invalid" not in world.run("tmux", "-S", world.dir + "/tmux", "new-session", "-d", "-s",
                                      literal(name)).stderr:  # tmux 3.8 refuses it
            world.tmux("rename-window", "-t", "{end}", literal(name))
            made += 1
    settled(world)
    before = picture(world)
    for number in range(2):
        world.await_saved(made)
        world.kill_tmux()
        done = world.muxbus("restore")
        settled(world)
        tap.ok(done.returncode == 0 and picture(world) == before,
               f"restore {number} keeps names with backslashes",
               done.stdout + done.stderr + compare(picture(world), before))
    done = world.muxbus("restore")
    tap.ok(done.stdout == "there is nothing to restore\n", "and then all are there",
           done.stdout + done.stderr)


def undecodable(world):
    """Directories whose names are not UTF-8, of a shell and of an agent."""
    folders = [os.fsencode(world.dir) + name for name in (b"/l\xe9 '$(touch pwned)\\", b"/\xff\n")]
    with open(world.bin + "/claude", "w") as file:
        file.write("#!/bin/sh\nexec cat\n")
    os.chmod(world.bin + "/claude", 0o755)
    for folder in folders:
        os.mkdir(folder)
        world.tmux("new-session" if folder == folders[0] else "split-window", "-d", "-c",
                   os.fsdecode(folder).replace("#", "##"))
    world.tmux("split-window", "-d", "-c", os.fsdecode(folders[0]), "exec claude")
    panes = world.tmux("list-panes", "-F", "#{pane_id}").split("\n")
    world.muxbus("report_agent", "agent=claude", "session=talk", "pane=" + panes[-1])

    def places():
        return sorted(os.readlink(os.fsencode(f"/proc/{pid}/cwd")) for pid in world.tmux(
            "list-panes", "-a", "-F", "#{pane_pid}").split("\n"))

    want = sorted(folders + folders[:1])
    tap.ok(until(lambda: places() == want), "panes in directories that are not UTF-8", places())
    for number in range(2):
        world.await_saved(1)
        until(lambda: "talk" in world.muxbus("list_saved").stdout)
        world.kill_tmux()
        done = world.muxbus("restore")
        tap.ok(done.returncode == 0 and until(lambda: places() == want) and "1 agent" in done.stdout
               and not os.path.exists(world.dir + "/pwned"),
               f"restore {number} keeps directories that are not UTF-8",
               f"{done.stdout}{done.stderr}{places()}")
    os.unlink(world.bin + "/claude")


def named_bytes(world):
    """Names that are not UTF-8: tmux 3.8 refuses them, others store them with escapes."""
    name = os.fsdecode(b"a\xff# $(touch pwned)\"b")
    format = name.replace("#", "##")
    world.tmux("new-session", "-d", "-s", "plain")
    if world.run("tmux", "-S", world.dir + "/tmux", "rename-session", format).returncode != 0:
        tap.ok(True, "tmux refuses names that are not UTF-8")
        return
    world.tmux("rename-window", format)
    world.tmux("new-window", "-d", "-n", "x")
    world.tmux("rename-window", "-t", ":1", format)

    def names():
        return world.tmux("list-windows", "-a", "-F", "#{session_name}|#{window_name}")

    before = names()
    for number in range(2):
        world.await_saved(1)
        until(lambda: "377" in world.muxbus("list_saved").stdout)
        world.kill_tmux()
        done = world.muxbus("restore")
        tap.ok(done.returncode == 0 and names() == before and "377" in before,
               f"restore {number} keeps names that are not UTF-8",
               f"{done.stdout}{done.stderr}{names()}{before}")
    world.run("tmux", "-S", world.dir + "/tmux", "new-window", "-d", "-n", format)
    raw = names().encode("utf-8", "surrogateescape") != names().encode("utf-8", "replace")
    world.await_saved(1)
    until(lambda: len(world.saved()[0]["windows"]) == 3)
    world.kill_tmux()
    done = world.muxbus("restore")
    tap.ok((not raw) or "shows its name with escapes now" in done.stderr,
           "a name that tmux stored as it is", done.stdout + done.stderr)


def hostile(world):
    """Records of the store that lie: nothing is run, tmux lives, and the others are restored."""
    window = {"window": "@1", "index": 0, "name": "n", "is_named": True, "width": 80, "height": 24,
              "layout": "b25d,80x24,0,0,0", "panes": [{"cwd": "/tmp", "command": "sh"}]}

    def record(session, **changes):
        return dict(server_pid=1, server_start="1", session=1, name=session, saved_ms=1,
                    state={"windows": [dict(window, **changes)]})

    lies = [dict(record("empty"), state={}), dict(record("two"), state={"windows": [], "name": "x"}),
            record("muxbus-restore-unfinished"), {"name": "part"}, [], "text"]
    odd = [record("name"), record("zzz", layout="zzz"), record("none", layout=""), record(
        "options", layout="-E"), record("main", layout="main"), record(
        "wide", layout="5a63,4294967295x4294967295,0,0,0"), record("index", index=-1), record(
        "size", width=-1), record("panes", panes=[5, None, {}]), record("-t", name="#(touch pwned)"),
        record("#(touch pwned)"), record("a\u202e\n;\x1b[2J", name="\\"), record("agent", panes=[
            {"cwd": "/", "agent": "\x1b]0;x\x07%n", "conversation": "$(touch pwned)\n-"}]),
        record("cwd", panes=[{"cwd": "/tmp", "cwd_base64": "L3RtcAB4"}]),
        record("large", panes=[{"cwd": "/tmp", "command": "x" * 400000}]), record("good")]
    world.end_daemon()
    folder = os.path.join(world.dir, "state/muxbus", os.listdir(world.dir + "/state/muxbus")[0])
    for number, value in enumerate(lies + odd):
        done = subprocess.run([BUILD + "/tests/spoil_store", folder, f"saved/{number:020d}"],
                              input=json.dumps(value).encode())
        tap.ok(done.returncode == 0, f"record {number}")
    world.start_daemon()
    listed = [session["name"] for session in world.saved()]
    tap.ok(listed == [value["name"] for value in odd], "records that are none are not listed",
           listed)
    done = world.muxbus("restore")
    names = world.tmux("list-sessions", "-F", "#{session_name}").split("\n")
    tap.ok(done.returncode == 1 and "good" in names and "zzz" in names and "large" in names and
           "muxbus-restore-unfinished" not in names and world.daemon.poll() is None,
           "the others are restored", f"{names} {done.stdout}{done.stderr}")
    tap.ok(re.search("[\x00-\x09\x0b-\x1f\x7f\u202e]", done.stdout + done.stderr) is None,
           "what is printed has no control characters", done.stdout + done.stderr)
    tap.ok(not os.path.exists(world.dir + "/pwned"), "no name was run")


def killed(world):
    """A restore that is killed loses nothing, and of two at once one works."""
    part = "muxbus-restore-unfinished"
    world.tmux("new-session", "-d", "-s", "one", "-n", "w", "-x", "100", "-y", "50")
    world.tmux("new-session", "-d", "-s", "two", "-n", "w")
    for _ in range(14):
        world.tmux("new-window", "-d", "-n", "w", "-t", "one:")
    settled(world)
    before = picture(world)
    world.await_saved(2)
    until(lambda: sorted(len(session["windows"]) for session in world.saved()) == [1, 15])

    def windows(session):
        return world.run("tmux", "-S", world.dir + "/tmux", "list-windows", "-t",
                         "=" + session).stdout.count("\n")

    def begin():
        return subprocess.Popen(["muxbus", "-S", world.dir + "/tmux", "restore"], env=world.env,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    for what in ("muxbus restore", "tmux"):
        world.kill_tmux()
        restore = begin()
        tap.ok(until(lambda: 1 < windows(part) < 15), "a session is not whole yet")
        if what == "tmux":
            world.kill_tmux()
        else:
            restore.kill()
        restore.communicate()
        names = [session["name"] for session in world.saved()]
        tap.ok(windows("one") == 0 and names == ["one", "two"], f"{what} is killed: no part", names)
        if what != "tmux":
            done = world.muxbus("restore")
            tap.ok(done.returncode == 1 and part in done.stderr and windows("two") == 0,
                   "another restore names the part", done.stdout + done.stderr)
            world.tmux("kill-session", "-t", part)
        done = world.muxbus("restore")
        until(lambda: picture(world) == before)
        tap.ok(done.returncode == 0 and picture(world) == before, "and the next one makes all",
               done.stdout + done.stderr + compare(picture(world), before))
    world.kill_tmux()
    both = [begin() for _ in range(2)]
    said = "".join(restore.communicate()[0] for restore in both)
    until(lambda: picture(world) == before)
    tap.ok(said.count("restored one:") == 1 and picture(world) == before,
           "two restores at once", said + compare(picture(world), before))


def many(world):
    """All sessions of a server that had many."""
    names = [f"s{number}" for number in range(70)]
    for name in names:
        world.tmux("new-session", "-d", "-s", name, "exec sleep 1000")
    world.await_saved(70)
    world.kill_tmux()
    done = world.muxbus("restore")
    got = world.tmux("list-sessions", "-F", "#{session_name}").split("\n")
    tap.ok(sorted(got) == sorted(names), "70 sessions are restored", done.stdout + done.stderr)


def kept(world):
    """An agent that the daemon keeps is left to it."""
    world.tmux("new-session", "-d", "-s", "one")
    until(lambda: world.muxbus("ensure_agent", "name=keep", "command=sh").returncode == 0)
    world.await_saved(2)
    names = [session["name"] for session in world.saved()]
    world.kill_tmux()
    done = world.muxbus("restore")
    said = done.stdout.replace("restored agent keep\n", "")
    tap.ok(names == ["one", "agent-keep"] and said == "restored one: 1 window, 1 pane\n",
           "an agent that the daemon keeps is left to it", f"{names} {done.stdout}{done.stderr}")


def kept_talks(world):
    """Kept agents go on with their conversations, each once, and none begins anew."""
    starts = world.dir + "/starts"
    with open(world.bin + "/claude", "w") as file:
        file.write("#!/bin/sh\necho \"$*\" >>\"$HOME/starts\"\n"
                   "[ \"$1\" != --resume ] || TALK=$2\n"
                   "[ -z \"$TALK\" ] || until muxbus report_agent agent=claude session=$TALK"
                   " pane=$TMUX_PANE state=idle >/dev/null; do sleep 0.1; done\n"
                   "printf '> '\nexec cat\n")
    os.chmod(world.bin + "/claude", 0o755)

    def started():
        with open(starts) as file:
            return file.read().splitlines()

    def ensure(name, command, *more):
        done = world.muxbus("ensure_agent", "name=" + name, "command=" + command, "prompt=^> $", *more)
        tap.ok(done.returncode == 0, "an agent: " + name, done.stdout + done.stderr)

    def state(name):
        listed = json.loads(world.muxbus("list_agents", "--json").stdout)["agents"]
        return next((agent for agent in listed if agent["agent"] == name), {})

    world.tmux("new-session", "-d", "-s", "one")
    world.await_saved(1)
    ensure("keep", "claude --model x", "env=TALK=talk-k")
    ensure("mute", "claude --mute")
    want = ["--model x", "--mute", "--resume talk-k --model x"]
    world.await_saved(3)
    world.kill_tmux()
    until(lambda: world.run("tmux", "-S", world.dir + "/tmux", "new-session", "-d", "-s",
                            "two").returncode == 0)
    tap.ok(until(lambda: started() == want), "the daemon has it go on in the next server", started())
    tap.ok(until(lambda: state("mute").get("state") == "crashed"), "and tells of the other",
           state("mute"))
    tap.ok("its conversation is not known" in state("mute").get("reason", ""), "why", state("mute"))
    done = world.muxbus("restore")
    tap.ok(started() == want and "one: 1 window" in done.stdout and done.returncode == 1 and
           "session agent-mute: agent \"mute\" cannot go on: its conversation is not known" in
           done.stderr, "restore starts none twice, and none anew", done.stdout + done.stderr)
    tap.ok(until(lambda: state("keep").get("state") == "ready"), "it is ready", state("keep"))
    for cycle in range(2):
        pane = state("keep")["pane"]
        world.tmux("split-window", "-d", "-t", pane)
        until(lambda: any(len(window["panes"]) == 2 for session in world.saved()
                          for window in session["windows"] if session["name"] == "agent-keep"))
        world.end_daemon()
        world.run("tmux", "-S", world.dir + "/tmux", "kill-server")
        world.start_daemon()
        done = world.muxbus("restore")
        want.append("--resume talk-k --model x")
        tap.ok(until(lambda: started() == want), f"reboot {cycle}: restore has it go on, once",
               f"{started()} {done.stdout}{done.stderr}")
        shown = world.tmux("list-panes", "-a", "-F", "#{session_name}")
        tap.ok("agent-keep\nagent-keep" in shown and "this name" not in done.stderr, f"reboot {cycle}: the other pane is there",
               f"{shown} {done.stdout}{done.stderr}")
        tap.ok(until(lambda: state("keep").get("state") == "ready"), f"reboot {cycle}: it is ready",
               state("keep"))


def agents(world):
    """Agents go on with their conversations in each of three cycles."""
    with open(world.bin + "/claude", "w") as file:
        file.write("#!/bin/sh\necho \"claude $*\"\n"
                   "[ -z \"$TALK\" ] || until muxbus report_agent agent=claude session=$TALK"
                   " pane=$TMUX_PANE state=idle >/dev/null; do sleep 0.1; done\nexec cat\n")
    os.chmod(world.bin + "/claude", 0o755)
    with open(world.dir + "/.tmux.conf", "w") as file:
        file.write("set -g default-shell /bin/sh\n")
    world.tmux("new-session", "-d", "-s", "agents", "-x", "100", "-y", "50")
    for talk in range(5):
        world.tmux("new-window", "-d", "-t", "agents:", "-n", f"w{talk}", "-e",
                   f"TALK=talk-{talk}", "claude")
    world.tmux("new-window", "-d", "-t", "agents:", "-n", "nobody", "-e", "TALK=", "exec claude")
    pane = world.tmux("display-message", "-p", "-t", "agents:nobody", "#{pane_id}")
    world.muxbus("report_agent", "agent=claude", "pane=" + pane)
    want = [f"talk-{talk}" for talk in range(5)]

    def talks():
        return [pane["conversation"] for session in world.saved() if not session["is_past"]
                for window in session["windows"] for pane in window["panes"] if "conversation" in pane]

    tap.ok(until(lambda: talks() == want), "conversations are saved", talks())
    for cycle in range(3):
        world.kill_tmux()
        done = world.muxbus("restore")
        tap.ok("5 agents" in done.stdout, f"cycle {cycle}: five agents", done.stdout + done.stderr)
        tap.ok(until(lambda: all(f"claude --resume talk-{talk}" in world.tmux(
            "capture-pane", "-p", "-t", f"agents:w{talk}") for talk in range(5))),
            f"cycle {cycle}: each goes on with its conversation")
        tap.ok(until(lambda: talks() == want), f"cycle {cycle}: and is bound to it", talks())
        line = "claude was here; its conversation is not known"
        tap.ok(cycle > 0 or until(lambda: line in world.tmux(
            "capture-pane", "-p", "-t", "agents:nobody")), f"cycle {cycle}: none begins anew")
    os.unlink(world.bin + "/claude")
    world.kill_tmux()
    done = world.muxbus("restore")
    tap.ok(until(lambda: "it cannot go on with talk-0" in world.tmux(
        "capture-pane", "-p", "-t", "agents:w0")), "an agent that is not installed any more",
        done.stdout + done.stderr)


def ends(world):
    """What changed at rest is saved when the daemon ends; what is gone is said."""
    gone = world.dir + "/gone"
    os.mkdir(gone)
    world.tmux("new-session", "-d", "-s", "end", "-n", "one", "-c", gone)
    until(lambda: any(session["name"] == "end" for session in world.saved()))
    world.tmux("rename-window", "-t", "end:0", "two")
    world.end_daemon()
    world.run("tmux", "-S", world.dir + "/tmux", "kill-server")
    os.rmdir(gone)
    world.start_daemon()
    names = [window["name"] for session in world.saved() if session["name"] == "end"
             for window in session["windows"]]
    tap.ok(names == ["two"], "the last change before the daemon ended", names)
    done = world.muxbus("restore", "--dry-run", "end")
    running = world.run("tmux", "-S", world.dir + "/tmux", "has-session").returncode == 0
    tap.ok(done.stdout.startswith("would restore end: 1 window, 1 pane") and not running,
           "a dry run does nothing", done.stdout + done.stderr)
    world.end_daemon()
    world.daemon = None
    done = world.muxbus("restore", "end", "nothing")
    tap.ok(done.returncode == 1 and f"the directory {gone} is gone" in done.stderr and
           "session nothing: is not saved" in done.stderr, "what is gone is said", done.stderr)
    path = world.tmux("display-message", "-p", "-t", "end", "#{pane_current_path}")
    tap.ok(path == world.dir, "the home directory is in its place", path)
    done = world.muxbus("restore", "end")
    tap.ok("exists, and stays as it is" in done.stderr, "it exists now", done.stderr)
    world.muxbus("shutdown")
    world.daemon = None


def main():
    world = World()
    try:
        for number in range(ROUNDS):
            world.anew()
            random_server(world, number)
        for part in (closed, encoded, undecodable, named_bytes, hostile, killed, many, kept, kept_talks, ends, agents):
            world.anew()
            part(world)
    finally:
        if tap.failures > 0:
            with open(world.dir + "/log") as file:
                print("".join("# " + line for line in file.readlines()[-40:]))
        world.finish()
    tap.done()


main()
