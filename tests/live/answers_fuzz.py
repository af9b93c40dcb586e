# SPDX-License-Identifier: ISC
"""A daemon that answers anything to the command line, as one on another machine may (muxbus --host): its true
answers and events changed at random, cut, doubled, kept back, and random bytes.
The law: each verb ends by itself or by SIGTERM, with a status of its own; no escape sequence of an answer reaches
the terminal; no file changes but that of -o; nothing is run but tmux, and nothing of an answer becomes a word of it
but the id of a pane, window or session.

MUXBUS_FUZZ_SEC: how long (10). MUXBUS_FUZZ_SEED: the seed that a failure has printed."""

import json
import os
import pty
import random
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import tap  # noqa: E402
from fleet_fuzz import Changer  # noqa: E402
from fleet_machines import BUILD, Machine, until, write  # noqa: E402
from tap import ok  # noqa: E402

SECONDS = float(os.environ.get("MUXBUS_FUZZ_SEC", "10"))
SEED = os.environ.get("MUXBUS_FUZZ_SEED", str(random.randrange(1 << 32)))
END_SEC = 20  # for a program that has got SIGTERM, with sanitizers and load
RUN_SEC = 2.5  # until it gets that: many wait for good if no answer comes
# What no terminal may get: a report of the window, the clipboard, a title, and the same in C1 of UTF-8.
EVIL = ["\x1b[13t", "\x1b]52;c;ZXZpbA==\x07", "\x1b]0;evil\x07", "\u009b13t", "\x1bP+q\x1b\\"]
# Each verb that asks the daemon; "@" is the name of a file. Those that change nothing but by tmux.
VERBS = [line.split() for line in """
capture %0|capture pane=%0 escapes=true|capture --json %0|go %0|ls|ls --text|--json ls|record %0 -t 1 -o @
screenshot %0 -o @|screenshot %0 -f html -o @|tail -t 1 %0|tail -n 2 %0|watch -t 1|watch -n 3|--json watch -n 2|watch -o -t 1
jobs|kill @JOB|logs @JOB|logs -f @JOB|notify-when %0|ps|remind 10m tea|remind -p %0 23:59 tea|restart @JOB
run -- true|run -d -- true|run -f -- true|run -q -- true|run -t 1 -- sleep 5|rerun -n 1 *.c -- true|send %0 text
wait -t 1 prompt=true pane=%0|wait -x -t 1 job=@JOB|wait --all -t 1 sec=1 output=x pane=%0|wait -t 1 --event pane_created
follow --pane %0|follow --pane %0 --confirm|follow --pane %0 --paced|--json follow --pane %0|hook codex Stop
hook claude SessionStart|hook gemini AfterAgent|hook opencode SessionStart|mcp --no-start|mcp --no-start --tools=all
mcp --no-start --read-only|complete -- send %|complete -- kill|complete -- wait agent=|audit|audit --verify|--json audit
doctor|help|help list_panes|help tasks|help events|help word window|hosts|hosts retry|metrics|on_notify|relay
restore --dry-run|restore --dry-run main|status|--json status|version|list_agents|list_timers|list_watches|list_notifications
list_windows|list_sessions|list_events|list_tools|list_providers|list_saved|list_hosts|describe|describe method=sleep|meter
get_action_history|read_audit|get_pane %0|get_job @JOB|read_job @JOB|next_notification timeout_sec=1|run_tmux command=list-keys
execute_cli command=true|wait_for any:=[{"sec":1}] timeout_sec=1|list_jobs|no_such_method|top|home|top --pick
""".replace("\n", "|").split("|") if line]
SCREENS = ("top", "home")


class Daemon(threading.Thread):
    """Stands between the command line and the true daemon."""

    def __init__(self, path, true_socket, changer):
        super().__init__(daemon=True)
        self.true_socket, self.changer, self.is_true = true_socket, changer, False
        self.sent = []
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        self.listener.listen(50)
        self.start()

    def run(self):
        while True:
            link = self.listener.accept()[0]
            true = socket.socket(socket.AF_UNIX)
            true.connect(self.true_socket)
            for one, other, serve in ((link, true, self.ask), (true, link, self.answer)):
                threading.Thread(target=serve, args=(one, other), daemon=True).start()

    def ask(self, link, true):
        try:
            while data := link.recv(1 << 16):
                true.sendall(data)
            true.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def answer(self, true, link):
        try:
            for line in true.makefile("rb"):
                for piece in self.pieces(line):
                    self.sent.append(piece)
                    link.sendall(piece)
        except (OSError, Cut):
            pass
        for end in (link, true):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()

    def pieces(self, line):
        any_of = self.changer
        if self.is_true:
            yield line
            return
        if any_of.chance(0.03):
            return  # no answer
        message = json.loads(line)
        while any_of.chance(0.15):  # of others, and unsolicited
            other = {**message, "id": any_of.random.choice([0, -1, 1 << 60, "1", None, [1]])}
            yield json.dumps(other).encode() + b"\n"
        while any_of.chance(0.6):
            any_of.change(message)
        for _ in range(any_of.random.choice([1] * 12 + [2, 300])):
            data = json.dumps(message, ensure_ascii=any_of.chance(0.5)).encode("utf-8", "replace") + b"\n"
            yield any_of.bytes(data) if any_of.chance(0.05) else data
        if any_of.chance(0.03):
            raise Cut


class Cut(Exception):
    """The connection ends in the midst of an answer."""


class Evil(Changer):
    """Changes whose texts are harmful to a terminal, a path or tmux."""

    def text(self):
        return self.random.choice(EVIL * 2 + [
            "a" + EVIL[0] + "b", "%0", "%1", "; kill-server", "=main; kill-server", "#(touch evil)", "/etc/passwd",
            "../../evil", "evil", "-t", "--", "-", "x" * 70000, "\u202e", "é\ufffd", "\n", "\r\nevil", "\t", "\0", "\x7f",
            "99999999999999999999", "1e400", "NaN", "\ud800", "running", "closed", "2026-11-26T10:00:00.000Z", "$(touch evil)"])

    def value(self, depth=0):
        if self.chance(0.4):
            return self.text()
        return self.random.choice([1 << 31, 1 << 32, 1 << 63, -(1 << 63), 1e308, -1, 0, 2000000000]) \
            if self.chance(0.3) else super().value(depth)

    def name(self):
        return self.text().encode(errors="replace").decode() if self.chance(0.1) else super().name()


class Broken(Exception):
    """The law does not hold."""


def files_of(folder):
    return {os.path.join(d, name): os.stat(os.path.join(d, name), follow_symlinks=False).st_mtime_ns
            for d, _, names in os.walk(folder) for name in names}


class Person:
    """Runs a verb, in a terminal or with pipes."""

    def __init__(self, folder, machine, changer):
        self.changer, self.home, self.words = changer, f"{folder}/home", f"{folder}/words"
        for part in ("home", "bin"):
            os.mkdir(f"{folder}/{part}")
        write(f"{self.home}/a.c", "int a;\n")
        write(self.words, "")
        # All that is run leaves its words here.
        for name in ("tmux", "sh", "ssh", "less", "gzip", "notify-send", "xdg-open", "git", "codex", "python3"):
            true = shutil.which(name) or "/bin/false"
            write(f"{folder}/bin/{name}", "#!/bin/sh\nprintf '%s\\0' \"${0##*/}\" \"$@\" >>'" + self.words +
                  f"'\nprintf '\\n' >>'{self.words}'\nexec {true} \"$@\"\n", 0o700)
        self.env = {**machine.env, "HOME": self.home, "XDG_STATE_HOME": f"{self.home}/state", "TMUX_PANE": "%0",
                    "TMUX": f"{machine.folder}/tmux/tmux-{os.getuid()}/default,1,0",
                    "PATH": f"{folder}/bin", "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=0"}

    def run(self, argv, is_terminal):
        """The output, and the status."""
        if is_terminal:
            master, slave = pty.openpty()
        else:
            master, slave = os.pipe()
        child = subprocess.Popen([f"{BUILD}/muxbus", *argv], env=self.env, cwd=self.home, stderr=slave, stdout=slave,
                                 stdin=slave if is_terminal else subprocess.PIPE, start_new_session=True)
        os.close(slave)
        out, end, is_told = b"", time.monotonic() + RUN_SEC, False
        if not is_terminal:
            child.stdin.write(self.stdin(argv))
            child.stdin.close()
        while True:
            if select.select([master], [], [], max(0, min(0.2, end - time.monotonic())))[0]:
                try:
                    data = os.read(master, 1 << 16)
                except OSError:
                    data = b""
                out += data
                if not data:
                    break
            if is_terminal and argv[-1] in SCREENS and self.changer.chance(0.3):
                os.write(master, self.changer.random.choice([b"j", b"k", b"\t", b"?", b"/", b"\r", b"\x1b", b"2", b"w", b"s"]))
            if time.monotonic() > end and is_told:
                child.kill()
                child.wait()
                raise Broken(f"{argv} does not end by SIGTERM; its output: {out[-3000:]!r}")
            if time.monotonic() > end:
                child.terminate()
                is_told, end = True, time.monotonic() + END_SEC
        os.close(master)
        return out, child.wait(END_SEC)

    def stdin(self, argv):
        if argv[0] == "hook":
            return b'{"session_id":"s","cwd":"/","hook_event_name":"Stop"}'
        if "mcp" in argv:
            return b"".join(json.dumps({"jsonrpc": "2.0", "id": n, "method": method, "params": params}).encode() + b"\n"
                            for n, (method, params) in enumerate([
                                ("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}),
                                ("tools/list", {}), ("resources/list", {}), ("tools/call", {"name": "list_panes", "arguments": {}}),
                                ("tools/call", {"name": "capture_pane", "arguments": {"pane": "%0"}})]))
        return b'{"id":1,"method":"list_panes"}\n' if argv[-1] == "relay" else b""


def check(argv, out, status, is_terminal):
    if status < 0 and status != -signal.SIGTERM or status > 128 + 15 or status == 99:
        raise Broken(f"{argv} ended with {status}: {out[-3000:]!r}")
    if b"Sanitizer" in out or b"runtime error" in out:
        raise Broken(f"{argv}: {out[-6000:].decode(errors='replace')}")
    text = out.decode("utf-8", "replace")
    shows_bytes = argv[0] in ("logs", "run", "mcp", "relay") or "escapes=true" in argv
    if not shows_bytes:
        for evil in EVIL:
            if evil in text:
                raise Broken(f"{argv} prints {evil!r}: {text[max(0, text.index(evil) - 300):][:600]!r}")
        if argv[-1] not in SCREENS and argv[0] != "top":
            left = re.sub(r"\x1b\[[0-9;]*m", "", text) if is_terminal else text
            if found := re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]", left):
                raise Broken(f"{argv} prints {found[0]!r}: {left[max(0, found.start() - 300):][:600]!r}")


TMUX = {"-V", "display-message", "switch-client", "select-window", "select-pane", "attach-session", "list-clients",
        "list-panes", "has-session", "show-options", "list-sessions", "show-environment", "server-access"}


def check_words(words, argv):
    """What was run."""
    for line in words.split("\0\n"):
        parts = line.split("\0")
        if parts == [""]:
            continue
        rest = [part for part in parts[1:] if part not in ("-S", "-L", "-N", "-u")]
        if parts[0] != "tmux" or not any(part in TMUX for part in rest[:2]) or any("kill" in part or "evil" in part for part in rest):
            raise Broken(f"{argv} has run {parts}")


def fuzz(daemon, person, changer, job, folder):
    runs = 0
    end = time.monotonic() + SECONDS
    order = []
    while time.monotonic() < end or runs < len(VERBS):
        if not order:
            order = changer.random.sample(VERBS, len(VERBS))
        target = f"{folder}/home/out"
        argv = [word.replace("@JOB", job) for word in order.pop()]
        argv = ["-s", f"{folder}/evil"] + [target if word == "@" else word for word in argv]
        is_terminal = argv[-1] in SCREENS or argv[2] == "top" or changer.chance(0.5)
        before = files_of(person.home)
        daemon.sent.clear()
        out, status = person.run(argv, is_terminal)
        check(argv[2:], out, status, is_terminal)
        with open(person.words, "r+", encoding="utf-8", errors="replace") as file:
            check_words(file.read(), argv)
            file.truncate(0)
        after = files_of(person.home)
        changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)} - {target}
        if changed:
            raise Broken(f"{argv} has changed {changed}")
        runs += 1
    return runs


def main():
    folder = tempfile.mkdtemp(prefix="mbw-", dir="/tmp")
    print(f"# MUXBUS_FUZZ_SEED={SEED}")
    changer = Evil(SEED)
    machine = Machine(folder, 1, 22)
    machine.start()
    job = machine.ask("run_long_command", {"pane": "%0", "command": "printf 'one\\ntwo\\n'"})["id"]
    machine.ask("post_notification", {"pane": "%1", "text": "hello"})
    daemon = Daemon(f"{folder}/evil", machine.socket, changer)
    person = Person(folder, machine, changer)
    ok(until(lambda: machine.ask("get_job", {"job": job}).get("state") != "running"), "a job has ended")
    daemon.is_true = True
    out, status = person.run(["-s", f"{folder}/evil", "ls"], False)
    ok(status == 0 and b"%0" in out, "the true answers pass", out)
    daemon.is_true = False
    try:
        runs = fuzz(daemon, person, changer, job, folder)
        ok(True, f"the law holds")
        print(f"# {runs} runs of {len(VERBS)} commands")
    except Broken as error:
        ok(False, "the law holds", error)
        with open(f"{folder}/sent", "wb") as file:
            file.writelines(daemon.sent)
    ok(machine.ask("ping") == {}, "the true daemon lives")
    machine.stop()
    if tap.failures == 0:
        shutil.rmtree(folder, ignore_errors=True)
    else:
        print(f"# kept: {folder}; the last answers: {folder}/sent")
    tap.done()


if __name__ == "__main__":
    main()
