# SPDX-License-Identifier: ISC
"""For harmless.py: a tmux server of its own for each situation, persons at terminals, and muxbusd in one of the modes.

A person is a tmux client in a pane of an outer tmux server, which is the person's terminal. This process is the
subreaper of all that it starts: it sees how a tmux server ends."""

import ctypes
import os
import re
import shutil
import signal
import subprocess
import sys
import time

from fleet_machines import BUILD, Ended, Link

# The options of muxbusd in each mode. Without: there is no daemon.
OPTIONS = {
    "rest": ("-o", "attach=used"),
    "asked": ("-o", "attach=used"),
    "following": ("-o", "follow=pipe"),
    "control": ("-o", "attach=always"),
}
MODES = ("without", *OPTIONS)
PLAIN = "plain"  # a `tmux -C` in each session in the place of muxbusd, to compare with
LIVES = "lives"
CONFIG = """
set -g default-command sh
set -g automatic-rename off
set -g allow-rename off
set -g status-left '[#{session_name}] '
set -g status-left-length 60
set -g status-right ''
set -g status-interval 0
set -g display-time 20000
set -s escape-time 10
set -g assume-paste-time 0
set -g lock-command true
"""


class ServerEnded(Exception):
    """The tmux server is gone, and the situation did not expect that."""


def adopt_orphans():
    """The tmux servers of this process are its children; it ends when its parent does, and then ends them."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
    libc.prctl(1, signal.SIGTERM, 0, 0, 0)  # PR_SET_PDEATHSIG
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))


def until(check, seconds):
    """Waits for a fact; returns the last answer of the check."""
    end = time.monotonic() + seconds
    while not (found := check()) and time.monotonic() < end:
        time.sleep(0.01)
    return found


def send_signal(pid, number):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass


class Person:
    """A person at a terminal, who attaches to a session ("" is the one that tmux picks)."""

    def __init__(self, world, name, target, size, variables):
        self.world, self.name = world, name
        words = ["exec", "env", "-u", "TMUX", "-u", "TMUX_PANE", *(f"{k}={v}" for k, v in variables.items()),
                 world.tmux, "-S", world.socket, "attach"]
        words += ["-t", f"={target}"] if target else []
        self.tty = world.outer("new-session", "-d", "-P", "-F", "#{pane_tty}", "-s", name, "-x", str(size[0]),
                               "-y", str(size[1]), " ".join(words))
        until(lambda: re.search(r"^\[\w+\]|^no ", self.screen(), re.M), 20)

    def screen(self):
        return self.world.outer("capture-pane", "-p", "-t", f"={self.name}:")

    def settled_screen(self):
        """What is shown when all changes up to now are drawn: a word in the status line comes behind them."""
        self.world.count += 1
        word = f"<{self.world.count}>"
        old = self.world.t("show-options", "-gv", "status-right")
        self.world.t("set-option", "-g", "status-right", word)
        until(lambda: word in self.screen(), 5)
        self.world.t("set-option", "-g", "status-right", old)
        until(lambda: word not in self.screen(), 5)
        return self.screen()

    def sees(self, text, row=""):
        return bool(until(lambda: text in self.screen(), self.world.patience(row)))

    def press(self, *keys):
        self.world.outer("send-keys", "-t", f"={self.name}:", *keys)

    def send_bytes(self, data):
        self.press("-H", *(f"{byte:02x}" for byte in data))

    def session(self):
        """The session that is attached; empty if none is."""
        lines = self.world.t("list-clients", "-F", "#{client_tty} #{client_session}").splitlines()
        return next((line.split(" ", 1)[1] for line in lines if line.startswith(f"{self.tty} ")), "")

    def place(self):
        return self.world.t("display-message", "-p", "-c", self.tty, "#{session_name}:#{window_index}.#{pane_index}")


class World:
    """One tmux program and one mode."""

    limit = 60  # seconds, of a command

    def __init__(self, tmux, mode, folder, allowed):
        self.tmux, self.mode, self.folder, self.allowed = tmux, mode, folder, allowed
        self.rows, self.counts, self.count, self.situation, self.persons = {}, {}, 0, "", {}
        self.pid = self.daemon = self.link = self.death = None
        self.followed, self.may_end, self.plain = set(), False, {}
        os.mkdir(f"{folder}/bin")
        os.symlink(tmux, f"{folder}/bin/tmux")
        self.terminal = shutil.which("tmux")
        self.env = {"PATH": f"{folder}/bin:{os.environ['PATH']}", "HOME": folder, "XDG_STATE_HOME": folder, "TERM": "screen-256color",
                    "LC_ALL": "C.UTF-8", "SHELL": "/bin/sh", "PS1": "$ ", "TMUX_TMPDIR": folder}
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "MUXBUS_ATTACH"):
            if name in os.environ:
                self.env[name] = os.environ[name]
        with open(f"{folder}/tmux.conf", "w", encoding="utf-8") as file:
            file.write(CONFIG)
        self.outer("-f", "/dev/null", "new-session", "-d", "-s", "outer", "exec sleep 100000")
        self.outer("set-option", "-g", "status", "off")
        self.outer("set-option", "-s", "escape-time", "0")

    # Commands.

    def run(self, argv, env=None):
        return subprocess.run(argv, env=env or self.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=self.limit, check=False, text=True, errors="replace",
                              cwd=self.folder)

    def outer(self, *words):
        return self.run([self.terminal, "-S", f"{self.folder}/outer", *words]).stdout.rstrip("\n")

    def t(self, *words, pane=None):
        """A tmux command, from a shell outside or in a pane. Its output, errors too."""
        env = dict(self.env, TMUX=f"{self.socket},{self.pid},0", TMUX_PANE=pane) if pane else self.env
        done = self.run([self.tmux, "-S", self.socket, "-f", f"{self.folder}/tmux.conf", *words], env)
        if done.returncode and not self.may_end and re.search(
                "no server running|server exited|lost server|error connecting", done.stdout):
            raise ServerEnded
        return done.stdout.rstrip("\n")

    def start_command(self, *words, pane=None):
        """A tmux command that may wait for a person."""
        env = dict(self.env, TMUX=f"{self.socket},{self.pid},0", TMUX_PANE=pane) if pane else self.env
        return subprocess.Popen([self.tmux, "-S", self.socket, *words], env=env, stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    # The server and the daemon.

    def start_server(self):
        self.count += 1
        self.place = f"{self.folder}/{self.count}"
        os.mkdir(self.place)
        self.socket = f"{self.place}/t"
        self.pid = self.daemon = self.link = self.death = None
        self.followed, self.may_end = set(), False
        self.t("new-session", "-d", "-s", "main", "-x", "80", "-y", "24")
        self.pid = int(self.t("display-message", "-p", "#{pid}"))
        self.prompt("main")

    def prompt(self, target):
        """The shell there has begun to read."""
        until(lambda: self.t("capture-pane", "-p", "-t", target).startswith("$"), 20)

    def fate(self):
        """How the server is: alive, ended, or died of a signal."""
        if self.death is None and self.pid is not None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
                self.death = f"died of {signal.Signals(number).name}" if number else "ended"
        return self.death or LIVES

    def has_ended(self, seconds):
        return until(lambda: self.fate() != LIVES, seconds)

    def stop_server(self):
        for name in self.persons:
            self.outer("kill-session", "-t", f"={name}")
        self.persons = {}
        self.end_daemon()
        if self.fate() == LIVES:
            self.may_end = True
            self.t("kill-server")
            if not self.has_ended(5):
                send_signal(self.pid, signal.SIGKILL)
                self.has_ended(5)
        shutil.rmtree(self.place, ignore_errors=True)
        self.place = None

    def start_daemon(self):
        ready, write = os.pipe()
        env = dict(self.env, DISPLAY=":666", SSH_AUTH_SOCK="/nowhere", HOME=self.place, XDG_STATE_HOME=self.place)
        with open(f"{self.folder}/muxbusd.log", "ab") as log:
            self.daemon = subprocess.Popen(
                [f"{BUILD}/muxbusd", "-f", "--ready-fd", str(write), "-S", self.socket,
                 *OPTIONS[self.mode]], env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=log, pass_fds=[write])
        os.close(write)
        os.read(ready, 16)
        os.close(ready)
        self.link = Link(f"{self.socket}.muxbus")

    def start_plain(self, sessions):
        """A plain control client in each session, which holds its input open and drops its output."""
        for session in sessions - self.controls():
            if session in self.plain:
                self.end_plain(session)
            self.plain[session] = subprocess.Popen([self.tmux, "-S", self.socket, "-C", "attach", "-t", f"={session}"], env=self.env,
                                                   stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def end_plain(self, session):
        client = self.plain.pop(session)
        client.kill()
        client.stdin.close()
        client.wait()

    def end_daemon(self):
        for session in list(self.plain):
            self.end_plain(session)
        if self.link:
            self.link.close()
        if self.daemon:
            self.daemon.send_signal(signal.SIGCONT)
            self.daemon.kill()
            self.daemon.wait()
        self.daemon = self.link = None

    def controls(self):
        """The sessions that have a control client."""
        clients = self.t("list-clients", "-F", "#{client_control_mode} #{client_session}").splitlines()
        return {line[2:] for line in clients if line.startswith("1 ")}

    def need(self, check):
        found = until(check, 20)
        if not found:
            raise TimeoutError(f"{self.mode} is not reached")
        return found

    def has_only_clients(self):
        """Whether muxbusd has ended its commands: it leaves the connection of the last one open for a moment.
        Another one is open for the next session while it is attached."""
        with open("/proc/net/unix", encoding="utf-8", errors="replace") as file:
            ends = [line.split() for line in file]
        open_ends = sum(len(end) > 7 and end[5] == "03" and end[7] == self.socket for end in ends)
        return open_ends <= len(self.t("list-clients").splitlines()) + bool(self.controls())

    def settle(self):
        """Muxbus is now in the state that the mode means, for all that is there now."""
        if self.mode == "without":
            return
        if self.mode == PLAIN:
            wanted = set(self.t("list-sessions", "-F", "#{session_name}").splitlines())
            self.start_plain(wanted)
            self.need(lambda: self.controls() >= wanted)
            return
        if self.daemon is None:
            self.start_daemon()
        if self.mode == "rest":
            self.need(lambda: self.link.ask("status")["result"]["tmux"]["attached"] is False)
        elif self.mode == "asked":
            panes = self.need(lambda: self.link.ask("list_panes").get("result"))["panes"]
            if panes:
                self.link.ask("capture_pane", {"pane": panes[0]["pane"]})
        elif self.mode == "following":
            panes = set(self.t("list-panes", "-a", "-F", "#{pane_id}").split())
            for pane in sorted(panes - self.followed):
                self.link.ask("watch_pane", {"pane": pane, "regex": "never written"})
            self.followed = panes
        else:
            wanted = set(self.t("list-sessions", "-F", "#{session_name}").splitlines())
            self.need(lambda: self.controls() >= wanted)
            if self.link.ask("status")["result"]["tmux"]["attach"] != os.environ.get("MUXBUS_ATTACH", "direct"):
                raise ValueError("muxbusd attaches in another way than for its users")
        if self.mode in ("rest", "asked", "following"):
            self.need(self.has_only_clients)

    # Persons.

    def person(self, target="main", size=(80, 24), **variables):
        self.count += 1
        name = f"p{len(self.persons) + 1}"
        self.persons[name] = Person(self, name, target, size, variables)
        return self.persons[name]

    def where(self):
        """The session of each person."""
        return " ".join(f"{name}:{person.session() or '-'}" for name, person in self.persons.items())

    # Rows.

    def patience(self, row):
        """How long something is waited for: less if it may stay away in this mode."""
        return 0.25 if self.allowed(f"{self.situation}: {row}") else 15

    def see(self, row, value):
        self.rows[f"{self.situation}: {row}"] = self.normal(str(value))

    def see_when(self, row, want, look):
        """What `look` gives, as soon as it is what tmux shows without muxbusd, or at last."""
        until(lambda: look() == want, self.patience(row))
        self.see(row, look())

    def see_screen(self, row, person, want):
        """The screen, as soon as it has that text and changes no more."""
        person.sees(want, row)
        shown = [person.screen()]
        until(lambda: shown.append(person.screen()) or shown[-1] == shown[-2], 5)
        self.see(row, shown[-1])

    def normal(self, text):
        """Without what differs from run to run."""
        for name, person in self.persons.items():
            text = re.sub(re.escape(person.tty) + r"\b", name, text)
        text = text.replace(self.place, "DIR").replace(self.folder, "DIR")
        text = re.sub(r"client-\d+", "client-N", text)
        text = re.sub(r"(/dev)?/?pts/\d+", "TTY", text)
        text = re.sub(r"\(created [^)]*\)", "(created)", text)
        text = re.sub(r"\b1[789]\d{8}\b", "TIME", text)
        text = re.sub(r"\b\d\d:\d\d(:\d\d)?\b", "CLOCK", text)
        return text

    def play(self, name, function):
        """One situation, on a new server. Where tmux also dies without muxbusd, it is tried again then."""
        began = time.monotonic()
        for left in reversed(range(getattr(function, "tries", 1))):
            self.situation, failure, before = name, "", dict(self.rows)
            self.start_server()
            try:
                function(self)
            except ServerEnded:
                self.has_ended(5)
            except (subprocess.TimeoutExpired, OSError, KeyError, IndexError, TypeError, ValueError, Ended) as error:
                failure = f"{type(error).__name__}: {error}"
            if self.fate().startswith("died"):
                failure = ""
            self.see("server", failure or self.fate())
            died = self.fate().startswith("died")
            self.stop_server()
            if not died:
                break
            self.counts[f"{name}: deaths"] = self.counts.get(f"{name}: deaths", 0) + 1
            if left:
                self.rows = before
        return time.monotonic() - began

    def close(self):
        if self.place:
            self.stop_server()
        self.outer("kill-server")
