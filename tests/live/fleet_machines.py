# SPDX-License-Identifier: ISC
"""Machines of a fleet for tests: each has folders, a tmux server and a muxbusd of its own, and sshd if wanted;
and the muxbusd --fleet that follows them."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import threading
import time

BUILD = os.path.abspath(os.environ.get("MUXBUS_BUILDDIR", "."))
SSHD = os.environ.get("MUXBUS_SSHD") or shutil.which("sshd", path=os.environ["PATH"] + ":/usr/sbin")
REPLY_SEC = 45  # for a request through the fleet, before its client connects anew


def write(path, text, mode=0o600):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, mode)


def until(check, seconds=30):
    """Waits for a fact; returns the last answer of the check."""
    end = time.monotonic() + seconds
    while not (found := check()) and time.monotonic() < end:
        time.sleep(0.05)
    return found


def clean_environ():
    """The environment without what names other daemons; alone.sh finds the processes of a test by one variable."""
    return {k: v for k, v in os.environ.items()
            if k == "MUXBUS_TEST_RUN" or not k.startswith(("TMUX", "MUXBUS", "XDG_"))}


class Ended(Exception):
    """A daemon closed the connection, or did not answer in time."""


class Link:
    """One connection to a socket: requests, responses, events."""

    def __init__(self, path, on_event=None):
        self.on_event = on_event
        self.number = 0
        self.held = b""
        self.socket = socket.socket(socket.AF_UNIX)
        try:
            self.socket.connect(path)
        except OSError as error:
            self.socket.close()
            raise Ended(str(error)) from None

    def close(self):
        self.socket.close()

    def line(self, seconds):
        end = time.monotonic() + seconds
        while b"\n" not in self.held:
            self.socket.settimeout(max(0.01, end - time.monotonic()))
            try:
                more = self.socket.recv(65536)
            except OSError as error:
                raise Ended(str(error)) from None
            if not more:
                raise Ended("closed")
            self.held += more
        line, self.held = self.held.split(b"\n", 1)
        return json.loads(line)

    def send(self, method, params):
        self.number += 1
        text = json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        try:
            self.socket.sendall(text.encode() + b"\n")
        except OSError as error:
            raise Ended(str(error)) from None
        return self.number

    def ask(self, method, params=None, seconds=REPLY_SEC):
        """The response; events that come before it go to on_event."""
        number = self.send(method, params or {})
        end = time.monotonic() + seconds
        while True:
            message = self.line(end - time.monotonic())
            if message.get("id") == number:
                return message
            if self.on_event and message.get("method") == "event":
                self.on_event(message["params"])


class Machine:
    """A machine: an address of 127/8 with sshd, a tmux server and a daemon, each with folders of its own."""

    def __init__(self, folder, number, port):
        self.name = f"h{number}"
        self.address = f"127.0.0.{10 + number}"
        self.folder = os.path.join(folder, self.name)
        self.port = port
        self.sshd = None
        self.typed = os.path.join(self.folder, "typed")
        self.agent_log = os.path.join(self.folder, "agent")
        for part in ("", "state", "run", "tmux"):
            os.makedirs(os.path.join(self.folder, part), 0o700, exist_ok=True)
        self.env = {**clean_environ(),
                    "HOME": self.folder, "XDG_STATE_HOME": f"{self.folder}/state",
                    "XDG_RUNTIME_DIR": f"{self.folder}/run", "TMUX_TMPDIR": f"{self.folder}/tmux",
                    "LC_ALL": "C.UTF-8", "TERM": "xterm-256color", "SHELL": "/bin/sh"}
        self.muxbus = os.path.join(self.folder, "muxbus")
        names = ("HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "TMUX_TMPDIR", "SHELL", "LC_ALL")
        write(self.muxbus, "#!/bin/sh\n" + "".join(f"export {n}='{self.env[n]}'\n" for n in names) +
              f"exec '{BUILD}/muxbus' \"$@\"\n", 0o700)
        self.socket = f"{self.folder}/tmux/tmux-{os.getuid()}/default.muxbus"

    def run(self, *argv):
        return subprocess.run(argv, env=self.env, stdin=subprocess.DEVNULL, capture_output=True, check=False,
                              timeout=60, text=True)

    def start(self):
        os.makedirs(f"{self.folder}/.config/muxbus")
        write(f"{self.folder}/.config/muxbus/agents", "fake_agent ready\n")
        # %0 keeps the lines that it gets; %1 is an agent that keeps the notifications that it gets.
        made = self.run("tmux", "-f", "/dev/null", "new-session", "-d", "-x", "150", "-y", "40",
                        f"stty -echo; while IFS= read -r l; do printf '%s\\n' \"$l\" | tee -a {self.typed}; done")
        if made.returncode:
            raise OSError(f"{self.name}: tmux does not start: {made.stderr}")
        self.run("tmux", "new-window", "-d", f"exec {BUILD}/tests/fake_agent {self.agent_log}")
        if self.start_muxbusd():
            raise OSError(f"{self.name}: muxbusd does not start")

    def start_muxbusd(self):
        """The exit status."""
        return self.run(f"{BUILD}/muxbusd", "-o", "ack_wait_ms=10000").returncode

    def start_sshd(self):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", f"{self.folder}/host_key"], check=True)
        write(f"{self.folder}/sshd_config",
              f"ListenAddress {self.address}:{self.port}\nHostKey {self.folder}/host_key\n"
              f"AuthorizedKeysFile {self.folder}/../key.pub\nStrictModes no\nPermitRootLogin yes\n"
              "PasswordAuthentication no\nKbdInteractiveAuthentication no\nUsePAM no\nPidFile none\n"
              "MaxStartups 1000\nUseDNS no\n")
        with open(f"{self.folder}/sshd.log", "w", encoding="utf-8") as log:
            self.sshd = subprocess.Popen([SSHD, "-D", "-e", "-f", f"{self.folder}/sshd_config"], stdin=subprocess.DEVNULL,
                                         stdout=log, stderr=log)

    def ask(self, method, params=None):
        """Straight to the daemon of the machine, without ssh and the fleet."""
        link = Link(self.socket)
        try:
            message = link.ask(method, params)
            if "result" not in message:
                raise KeyError(f"{self.name}: {method}: {message['error']}")
            return message["result"]
        finally:
            link.close()

    def journal(self):
        """The bytes of the journal of its daemon."""
        found = b""
        for folder in os.listdir(f"{self.folder}/state/muxbus"):
            with open(f"{self.folder}/state/muxbus/{folder}/journal", "rb") as file:
                found += file.read()
        return found

    def has_kept(self, text):
        """Whether its daemon has written this into its journal."""
        return text in self.journal()

    def records(self, key):
        """What its journal has of a record, in order: JSON; "": it was deleted there."""
        found = re.findall(re.escape(key.encode()) + rb"(\{[ -~]*|(?![ -~]))", self.journal())
        return [value.decode() for value in found]

    def lines(self, path):
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                return file.read().splitlines()
        except OSError:
            return []

    def stop(self):
        self.run(f"{BUILD}/muxbus", "shutdown")
        self.run("tmux", "kill-server")
        if self.sshd:
            self.sshd.terminate()
            self.sshd.wait()
        for pid, _, _ in processes():  # jobs, which outlive their daemon
            if self.owns(pid):
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass

    def owns(self, pid):
        """Whether a process is of this machine, by its environment."""
        try:
            with open(f"/proc/{pid}/environ", encoding="utf-8", errors="replace") as file:
                return f"HOME={self.folder}\0" in file.read()
        except OSError:
            return False  # it has ended


def processes():
    """Pid, parent and command line of what runs."""
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                parent = int(file.read().rsplit(")", 1)[1].split()[1])
            with open(f"/proc/{name}/cmdline", encoding="utf-8", errors="replace") as file:
                yield int(name), parent, file.read().split("\0")
        except (OSError, IndexError):
            continue


class Fleet:
    """The fleet daemon, on a machine of its own without tmux."""

    def __init__(self, folder, machines, ssh=None):
        self.folder = os.path.join(folder, "a")
        for part in ("", "state", "run", "config", "config/muxbus", "tmux"):
            os.makedirs(os.path.join(self.folder, part), 0o700, exist_ok=True)
        write(f"{self.folder}/config/muxbus/hosts", "# the machines of the test\n" + "".join(
            f"{m.name} ssh={m.name} muxbus={m.muxbus} may=notify\n" for m in machines))
        write(f"{folder}/ssh_config", "".join(
            f"Host {m.name}\n  HostName {m.address}\n  Port {m.port}\n" for m in machines) +
            f"Host *\n  IdentityFile {folder}/key\n  IdentitiesOnly yes\n  BatchMode yes\n"
            f"  StrictHostKeyChecking no\n  UserKnownHostsFile {folder}/known_hosts\n  LogLevel ERROR\n")
        self.env = {**clean_environ(),
                    "HOME": self.folder, "XDG_STATE_HOME": f"{self.folder}/state",
                    "XDG_RUNTIME_DIR": f"{self.folder}/run", "XDG_CONFIG_HOME": f"{self.folder}/config",
                    "TMUX_TMPDIR": f"{self.folder}/tmux", "MUXBUS_SSH": ssh or f"ssh -F {folder}/ssh_config"}
        self.socket = f"{self.folder}/run/muxbus/fleet"
        self.process = None
        self.lock = threading.Lock()

    def start(self):
        with open(f"{self.folder}/log", "a", encoding="utf-8") as log:
            self.process = subprocess.Popen([f"{BUILD}/muxbusd", "--fleet", "-f", "-v"], env=self.env,
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def lines(self):
        """Of its log: what it says of the hosts."""
        with open(f"{self.folder}/log", encoding="utf-8", errors="replace") as log:
            return log.read().splitlines()

    def is_up(self, count):
        """Whether so many machines are up."""
        try:
            link = Link(self.socket)
        except Ended:
            return False
        try:
            hosts = link.ask("list_hosts")["result"]["hosts"]
        finally:
            link.close()
        return sum(h["state"] == "up" for h in hosts) >= count

    def relays(self, machine):
        """The processes of muxbus relay on a machine, and none of another test that runs."""
        return [pid for pid, _, argv in processes()
                if "relay" in argv and argv[0].startswith(BUILD) and machine.owns(pid)]

    def kill(self):
        with self.lock:
            self.process.kill()
            self.process.wait()
            self.start()

    def stop(self):
        self.process.terminate()
        self.process.wait()


def stop_all(ones, folder, is_kept):
    """Stops machines and fleets, and removes their folder unless it is kept for a look."""
    for one in ones:
        try:
            one.stop()
        except Exception as error:
            print(f"# {error!r}")
    if is_kept:
        print(f"# kept: {folder}")
    else:
        shutil.rmtree(folder, ignore_errors=True)


def all_notes(machine):
    """All notifications of a machine, by its own daemon."""
    notes, after = [], 0
    while True:
        page = machine.ask("list_notifications", {"after": after, "limit": 100})
        notes += page["notifications"]
        if not page["notifications"]:
            return notes
        after = page["last"]


def free_port(addresses):
    for port in range(20000 + os.getpid() % 20000, 65000):
        try:
            for address in addresses:
                with socket.socket() as test:
                    test.bind((address, port))
            return port
        except OSError:
            continue
    raise SystemExit("Bail out! no free port")
