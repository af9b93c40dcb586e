# SPDX-License-Identifier: ISC
"""For harmless_walk.py: two persons at terminals, what is there in tmux, and the random commands of a walk.

An action is called with the walk and changes one thing, as users and their scripts do; it returns nothing. It takes its
objects from walk.all, the last listing, so some of them may be gone: tmux says so, and that is part of the walk.

Not part of it is what ends or stops tmux without any control client, and so without muxbusd: renumbered windows (the stack
of last windows), lists of choose-tree in panes of few lines, respawn-window of several panes and paste-buffer into a pane
that remains (3.3a), terminals of few columns (3.7c), detach-on-destroy in groups, the end of the last window of a group,
the detach of the last person of a session with destroy-unattached while the client is slow to go (3.3a, 3.5a), menus and
display-panes (3.8 draws them for a pane, and for a session, that have ended);
and where a person looks, a window that is in one session twice, or programs of linked windows that end together."""

import fcntl
import os
import signal
import struct
import subprocess
import termios
import threading

from harmless_world import send_signal, until

ACTIONS = []
SESSIONS_MAX, PANES_MAX = 7, 28
LISTING = "#{session_id} #{window_id} #{window_index} #{pane_id} #{pane_pid} #{m:*norc*,#{pane_start_command}} #{window_linked} #{m:kept*,#{window_name}} #{session_group}"
FIRST = "$0"  # this session is never ended, so that the walk goes on
KEPT = "kept"  # the name of a window that each session of a group has, and that nothing ends
PROGRAMS = ("exec sleep 1000", "exec sleep 1000", "exec cat", "exec sh", "seq 300; exec sleep 1000", "echo ends at once",
            "sleep 0.2", "printf '\\033[?1049h\\033[?1004h\\033[?1000h'; exec cat", "while sleep 0.1; do date; done", "exit 3")


def action(weight):
    def add(function):
        ACTIONS.extend([function] * weight)
        return function
    return add


class Terminal:
    """A person at a pseudo-terminal of its own; all that tmux draws is read and dropped."""

    def __init__(self, world, session):
        self.master, slave = os.openpty()
        self.tty = os.ttyname(slave)
        self.resize(80, 24)
        self.client = subprocess.Popen([world.tmux, "-S", world.socket, "attach", "-t", session], env=world.env, stdin=slave,
                                       stdout=slave, stderr=slave, start_new_session=True, cwd=world.folder)
        os.close(slave)
        self.bytes = 0
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        try:
            while data := os.read(self.master, 65536):
                self.bytes += len(data)
        except OSError:
            pass

    def resize(self, columns, rows):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def say_resize(self, columns, rows):
        self.resize(columns, rows)
        send_signal(self.client.pid, signal.SIGWINCH)

    def press(self, keys):
        os.write(self.master, keys)

    def is_attached(self):
        return self.client.poll() is None

    def leave(self, hang_up):
        """The terminal is closed, or only the client of tmux is ended."""
        if not hang_up:
            self.client.terminate()
        if self.client.poll() is None:
            try:
                self.client.wait(0.05 if hang_up else 5)
            except subprocess.TimeoutExpired:
                self.client.kill()
        self.client.wait()
        self.reader.join(5)
        os.close(self.master)


class Listing:
    """What was there before a step."""

    def __init__(self, text):
        rows = [line.split(" ") for line in text.splitlines() if line.startswith("$")]
        self.sessions = sorted({row[0] for row in rows})
        self.grouped = sorted({row[0] for row in rows if row[8]})
        self.kept = sorted({row[0] for row in rows if row[7] == "1"})
        self.rows = [row for row in rows if row[7] != "1"]
        self.may_end = [session for session in self.sessions if session != FIRST]
        self.windows = sorted({row[1] for row in self.rows})
        self.panes = sorted({row[3] for row in self.rows})
        self.links = sorted({f"{row[0]}:{row[2]}" for row in self.rows})
        self.agents = {row[3] for row in self.rows if row[5] == "1"}

    def programs(self, session=None):
        """The programs of a session, or of all, in windows that have one link."""
        return sorted(int(row[4]) for row in self.rows if session in (None, row[0]) and row[6] == "0" and row[4])

    def sessions_without(self, window):
        return sorted(set(self.sessions) - {row[0] for row in self.rows if row[1] == window})


# Sessions.


@action(3)
def new_session(walk):
    """A group has a window that is never ended: tmux dies by itself when a group loses its last one."""
    words = ["new-session", "-d", "-x", str(walk.below(150) + 20), "-y", str(walk.below(60) + 5)]
    way = walk.below(3)
    if way == 0 and walk.all.kept:
        walk.do(*words, "-t", walk.any_of(walk.all.kept))
    elif way == 0:
        walk.do(*words, "-n", f"{KEPT}{walk.step}", "exec sleep 10000")
    else:
        walk.do(*words, "-n", f"w{walk.step}", walk.program())


@action(1)
def new_session_of_two_windows(walk):
    walk.do("new-session", "-d", "-s", f"two{walk.step}", walk.program(), ";", "new-window", "-d", "-t", f"two{walk.step}:", walk.program())


@action(2)
def kill_session(walk):
    if walk.all.may_end:
        walk.do("kill-session", "-t", walk.any_of(walk.all.may_end))


@action(1)
def kill_session_in_a_list(walk):
    if walk.all.may_end:
        session = walk.any_of(walk.all.may_end)
        walk.do("select-window", "-t", f"{session}:", ";", "kill-session", "-t", session)


@action(1)
def rename(walk):
    walk.do("rename-session", "-t", walk.session(), f"s{walk.step}", ";", "rename-window", "-t", walk.window(), f"n{walk.step}")


# Windows.


@action(6)
def new_window(walk):
    words = ["new-window", *walk.some("-d", "-a"), "-t", f"{walk.session()}:"]
    if "-a" in words:
        words[-1] = walk.link_of()
    walk.do(*words, walk.program())


@action(3)
def kill_window(walk):
    link = walk.link_of()
    walk.do("kill-window", *([] if link.split(":")[0] in walk.all.kept else walk.some("-a", odds=6)), "-t", link)


@action(4)
def link_window(walk):
    window = walk.window()
    sessions = walk.all.sessions_without(window)
    if sessions:
        walk.do("link-window", *walk.some("-d", "-k"), "-s", window, "-t", f"{walk.any_of(sessions)}:{walk.below(30) + 2}")


@action(3)
def unlink_window(walk):
    walk.do("unlink-window", *walk.some("-k", odds=3), "-t", walk.link_of())


@action(3)
def move_window(walk):
    row = walk.any_of(walk.all.rows)
    session = walk.any_of([row[0], *walk.all.sessions_without(row[1])])
    walk.do("move-window", *walk.some("-d", "-k"), "-s", f"{row[0]}:{row[2]}", "-t", f"{session}:{walk.below(30) + 2}")


@action(3)
def swap_window(walk):
    session = walk.session()
    links = [link for link in walk.all.links if link.startswith(f"{session}:")] or [walk.link_of()]
    walk.do("swap-window", *walk.some("-d"), "-s", walk.any_of(links), "-t", walk.any_of(links))


@action(4)
def select_window(walk):
    walk.do(*walk.any_of((("select-window", "-t", walk.link_of()), ("last-window", "-t", walk.session()),
                          ("next-window", "-t", walk.session()), ("previous-window", "-t", walk.session()))))


@action(1)
def rotate_window(walk):
    walk.do("rotate-window", *walk.some("-D"), "-t", walk.window())


@action(2)
def resize_window(walk):
    walk.do("resize-window", "-t", walk.window(), *walk.any_of((("-A",), ("-a",), ("-x", str(walk.below(200) + 10), "-y", str(walk.below(60) + 3)))))


@action(3)
def select_layout(walk):
    walk.do("select-layout", "-t", walk.window(), walk.any_of(("tiled", "even-horizontal", "even-vertical", "main-horizontal",
                                                               "main-vertical", "-E", "-o", "-n")))


# Panes.


@action(8)
def split_window(walk):
    walk.do("split-window", *walk.some("-d", "-h", "-b", "-f"), "-t", walk.pane(), walk.program())


@action(5)
def kill_pane(walk):
    walk.do("kill-pane", *walk.some("-a", odds=6), "-t", walk.pane())


@action(4)
def respawn_pane(walk):
    walk.do("respawn-pane", "-k", "-t", walk.pane(), walk.program())


@action(3)
def join_pane(walk):
    walk.do(walk.any_of(("join-pane", "move-pane")), *walk.some("-d", "-h", "-b"), "-s", walk.pane(), "-t", walk.pane())


@action(3)
def break_pane(walk):
    """A window of one pane moves: it must not be in a session twice."""
    row = walk.any_of(walk.all.rows)
    sessions = walk.all.sessions_without(row[1])
    if sessions:
        walk.do("break-pane", *walk.some("-d"), "-s", row[3], "-t", f"{walk.any_of(sessions)}:")


@action(2)
def swap_pane(walk):
    walk.do("swap-pane", *walk.some("-d"), "-s", walk.pane(), "-t", walk.pane())


@action(3)
def select_pane(walk):
    walk.do("select-pane", *walk.any_of((("-t", walk.pane()), ("-t", walk.pane(), "-m"), ("-M",), ("-t", walk.pane(), "-T", "a title"),
                                         ("-L", "-t", walk.pane()), ("-d", "-t", walk.pane()), ("-e", "-t", walk.pane()))))


@action(3)
def resize_pane(walk):
    walk.do("resize-pane", "-t", walk.pane(), *walk.any_of((("-Z",), ("-U", "3"), ("-L", "3"), ("-x", "20"), ("-y", "5"))))


@action(3)
def pipe_pane(walk):
    """A pipe of the user: begun, toggled or ended."""
    pane = walk.pane_to_pipe()
    if pane:
        walk.do("pipe-pane", *walk.any_of(((), ("-o",), ("-I",))), "-t", pane,
                *walk.any_of(((), ("exec cat >/dev/null",), ("exec cat >/dev/null",), ("exit 0",))))


@action(3)
def modes_of_panes(walk):
    walk.do(*walk.any_of((
        ("copy-mode", "-t", walk.pane()), ("clock-mode", "-t", walk.pane()), ("copy-mode", "-q", "-t", walk.pane()),
        ("send-keys", "-t", walk.pane(), "-X", "search-backward", "1"), ("send-keys", "-t", walk.pane(), "-X", "cancel"))))


@action(3)
def type_text(walk):
    walk.begin("send-keys", "-t", walk.pane(), *walk.any_of((("echo text", "Enter"), ("exit", "Enter"), ("C-c",), ("C-d",), ("q",))))


@action(1)
def buffers(walk):
    walk.do("set-buffer", f"text {walk.step}", ";", "show-buffer")


@action(2)
def clear(walk):
    walk.do(*walk.any_of((("clear-history", "-t", walk.pane()), ("capture-pane", "-t", walk.pane()), ("send-keys", "-R", "-t", walk.pane()))))


# Programs.


@action(3)
def program_ends(walk):
    walk.end([int(walk.any_of(walk.all.rows)[4] or "0")])


@action(3)
def programs_end_together(walk):
    """All of a session; half of the times tmux is busy meanwhile, and finds all of them ended."""
    walk.end(walk.all.programs(walk.session()), while_stopped=walk.any_of((True, False)))


@action(1)
def programs_of_all_sessions_end(walk):
    walk.end([pid for pid in walk.all.programs() if walk.below(2)])


# Persons.


@action(4)
def switch_client(walk):
    walk.do("switch-client", "-c", walk.person().tty, *walk.any_of((("-t", walk.session()), ("-n",), ("-p",), ("-l",), ("-t", walk.pane()))))


def let_sessions_stay(walk):
    for session in walk.all.sessions:
        walk.t("set-option", "-t", session, "destroy-unattached", "off")


@action(2)
def detach_client(walk):
    let_sessions_stay(walk)
    walk.do("detach-client", *walk.any_of((("-t", walk.person().tty), ("-s", walk.session()), ("-a", "-t", walk.person().tty))))


@action(2)
def terminal_goes(walk):
    walk.person_leaves(walk.any_of((True, False)))


@action(3)
def terminal_resizes(walk):
    walk.person().say_resize(walk.below(180) + 20, walk.below(60) + 6)


@action(6)
def keys_of_a_person(walk):
    person = walk.person()
    keys = walk.any_of((
        b"\x02c", b"\x02%", b'\x02"', b"\x02n", b"\x02p", b"\x02l", b"\x02o", b"\x02;", b"\x02z", b"\x02(", b"\x02)", b"\x02L", b"\x02d",
        b"\x02[", b"q", b"\r", b"\x02 ", b"\x02!", b"\x02{", b"\x02q", b"\x02t", b"\x02:", b"\x1b",
        b"\x1b[I", b"\x1b[O", b"\x1b[M !!", b"echo typed\r", b"exit\r", b"\x02?", b"\x02m", b"\x02~"))
    if keys == b"\x02d":
        let_sessions_stay(walk)
    if keys != b"\x02q" or not walk.keeps_menus:
        person.press(keys)


@action(2)
def shown_to_a_person(walk):
    tty = walk.person().tty
    words = walk.any_of((
        ("display-message", "-c", tty, "a message"), ("display-panes", "-b", "-t", tty), ("display-popup", "-c", tty, "-E", "sleep 0.2"),
        ("display-popup", "-c", tty, "-C"), ("confirm-before", "-t", tty, "-p", "Really?", "kill-pane"), ("refresh-client", "-t", tty),
        ("display-menu", "-c", tty, "-T", "Menu", "Item", "i", "new-window"), ("command-prompt", "-t", tty, "-p", "Which:", "rename-window '%%'")))
    if words[0] not in ("display-menu", "display-panes") or not walk.keeps_menus:
        walk.begin(*words)


# Options.


@action(6)
def set_options(walk):
    """No pane remains in the mode following: one that is followed when its program has ended already brings a control client."""
    session, window = walk.any_of(walk.all.may_end or [FIRST]), walk.window()
    walk.do("set-option", *walk.any_of((
        ("-g", "focus-events", "on"), ("-g", "focus-events", "off"), ("-t", session if session != FIRST else "=none", "destroy-unattached", "on"),
        ("-t", session, "destroy-unattached", "off"), ("-t", session, "destroy-unattached", "keep-group"),
        ("-g", "aggressive-resize", "on"), ("-g", "aggressive-resize", "off"), ("-g", "window-size", "latest"),
        ("-g", "window-size", "smallest"), ("-w", "-t", window, "window-size", "manual"), ("-g", "status", "2"), ("-g", "status", "off"),
        ("-g", "status", "on"), ("-g", "status-position", "top"), 
        ("-g", "base-index", "1"), ("-g", "pane-base-index", "1"), ("-g", "pane-border-status", "top"), ("-g", "pane-border-status", "off"),
        ("-w", "-t", window, "remain-on-exit", "off" if walk.mode == "following" else "on"), ("-g", "remain-on-exit", "off"), ("-g", "mouse", "on"), ("-g", "set-titles", "on"),
        ("-g", "monitor-activity", "on"), ("-g", "monitor-silence", "1"), ("-g", "automatic-rename", "on"),
        ("-w", "-t", window, "synchronize-panes", "on"), ("-w", "-t", window, "synchronize-panes", "off"), ("-g", "history-limit", "50"),
        ("-g", "status-interval", "1"), ("-g", "display-time", "50"))))


@action(1)
def set_hooks(walk):
    walk.do("set-hook", "-g", walk.any_of(("window-linked", "client-attached", "pane-exited", "session-closed", "client-session-changed",
                                           "after-new-window")), walk.any_of(("", "set-option -g @hook 1", "refresh-client -S")))


def two_in_one_list(walk):
    """What tmux up to 3.7c cannot bear while a control client is there."""
    walk.do("kill-window", "-t", walk.link_of(), ";", "kill-window", "-t", walk.link_of())


ACTIONS.extend([two_in_one_list])


def parent(pid):
    """The parent of a process that runs; 0 if it has ended."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            state, number = file.read().rsplit(") ", 1)[1].split()[:2]
        return 0 if state == "Z" else int(number)
    except (FileNotFoundError, ProcessLookupError):
        return 0


def end_programs(pids, server, while_stopped):
    """Kills programs of the server at once; with the server stopped until all of them have ended."""
    pids = [pid for pid in pids if pid > 1 and parent(pid) == server]
    if while_stopped:
        send_signal(server, signal.SIGSTOP)
    try:
        for pid in pids:
            send_signal(pid, signal.SIGKILL)
        until(lambda: not while_stopped or all(parent(pid) != server for pid in pids), 5)
    finally:
        send_signal(server, signal.SIGCONT)
