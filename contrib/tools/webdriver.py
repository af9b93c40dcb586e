# SPDX-License-Identifier: ISC
"""A chromium, driven by WebDriver (W3C), the HTTP protocol of a chromedriver that is started here.

Chromedriver listens without a password on a random port of 127.0.0.1, so other users of the machine
could use it while it runs."""

import contextlib
import ctypes
import fcntl
import glob
import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time

ANSWER_MAX = 64 << 20  # bytes of an answer from chromedriver
LOAD_SEC = 45  # a page or a script
CALL_SEC = 55  # any command; declarations allow 60 s for a call
CLOSE_SEC = 1  # for chromium to end by itself; muxbusd kills its server 3 s after the end of input
KILL_SEC = 5

PREFIX = "muxbus-browser-"


class Failed(Exception):
    """A call that failed; its text is for the model."""


class WebDriverError(Exception):
    """An error of WebDriver: its code, as the protocol has it, and the first line of its message."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code
        self.message = message[len(code) + 2:] if message.startswith(code + ": ") else message


def shorten(text, size=300):
    return text if len(text) <= size else text[:size] + "…"


def children():
    """The processes that descend from this one, orphans too: main() adopts them."""
    parents = {}
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path) as stat:
                pid, rest = stat.read().split(" (", 1)
                parents[int(pid)] = int(rest.rsplit(")", 1)[1].split()[1])
        except OSError:
            continue  # it has ended
    found = []
    for pid in parents:
        above = pid
        while above in parents and above != os.getpid():
            above = parents[above]
        if above == os.getpid() and pid != os.getpid():
            found.append(pid)
    return found


@contextlib.contextmanager
def open_folder(path):
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        yield folder
    finally:
        os.close(folder)


def die_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


class Browser:
    """A chromedriver with one session, or neither."""

    def __init__(self):
        self.driver = None
        self.folder = None
        self.lock = None
        self.port = None
        self.session = None
        self.version = ""
        self.headless = True
        self.refs = []
        self.tabs = []  # in the order in which they were opened
        self.openers = {}  # which tab opened a tab

    def start(self, headless, width, height):
        chromium = next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None)
        if not chromium or not shutil.which("chromedriver"):
            raise Failed("chromium and chromedriver are needed: install the packages chromium and chromium-driver")
        if not headless and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
            raise Failed("there is no DISPLAY for a visible browser: leave headless as it is")
        self.make_folder()
        try:
            self.start_driver()
            self.start_session(chromium, headless, width, height)
        except BaseException:
            self.end()
            raise
        self.headless = headless

    def make_folder(self):
        """A folder for the profile. Those of servers that were killed are removed: they have no lock."""
        for path in glob.glob(os.path.join(tempfile.gettempdir(), PREFIX + "*")):
            with contextlib.suppress(OSError):
                with open_folder(path) as folder:
                    if os.fstat(folder).st_uid == os.geteuid():
                        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
                        shutil.rmtree(path, ignore_errors=True)
        new = tempfile.mkdtemp(prefix="new-" + PREFIX)  # It takes its name when it has its lock.
        self.lock = os.open(new, os.O_RDONLY | os.O_DIRECTORY)
        fcntl.flock(self.lock, fcntl.LOCK_EX)
        self.folder = os.path.join(os.path.dirname(new), os.path.basename(new)[len("new-"):])
        os.rename(new, self.folder)

    def start_driver(self):
        self.driver = subprocess.Popen(
            ["chromedriver", "--port=0"], env=dict(os.environ, TMPDIR=self.folder), start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, preexec_fn=die_with_parent)
        log = b""
        for line in self.driver.stdout:
            log += line
            port = re.search(rb"started successfully on port (\d+)", line)
            if port:
                self.port = int(port[1])
                # The pipe must not fill: chromium logs what pages write to their console.
                nowhere = open(os.devnull, "wb")
                threading.Thread(target=shutil.copyfileobj, args=(self.driver.stdout, nowhere), daemon=True).start()
                return
        raise Failed("chromedriver did not start: " + shorten(log.decode(errors="replace").strip()))

    def start_session(self, chromium, headless, width, height):
        arguments = [
            # A pipe instead of a port: other users cannot reach the page.
            "--remote-debugging-pipe", "--user-data-dir=" + os.path.join(self.folder, "profile"),
            f"--window-size={width},{height}", "--no-first-run", "--no-default-browser-check", "--disable-breakpad"]
        if headless:
            arguments.append("--headless=new")
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")  # Chromium's sandbox refuses to run as root.
        shm = os.statvfs("/dev/shm") if os.path.isdir("/dev/shm") else None
        if not shm or shm.f_bavail * shm.f_frsize < 512 << 20:
            arguments.append("--disable-dev-shm-usage")
        made = self.command("POST", "/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome",
            "timeouts": {"pageLoad": LOAD_SEC * 1000, "script": LOAD_SEC * 1000, "implicit": 0},
            "goog:chromeOptions": {"binary": chromium, "args": arguments},
        }}})
        self.session = "/session/" + made["sessionId"]
        self.version = made["capabilities"].get("browserVersion", "")
        self.command("POST", self.session + "/url", {"url": "about:blank"})  # instead of its new tab page

    def command(self, verb, path, body=None, seconds=CALL_SEC):
        """One command of WebDriver: its value."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=seconds)
        try:
            text = None if body is None else json.dumps(body)
            connection.request(verb, path, text, {"Content-Type": "application/json"})
            data = connection.getresponse().read(ANSWER_MAX + 1)
            if len(data) > ANSWER_MAX:
                raise Failed(f"the answer of the browser is larger than {ANSWER_MAX >> 20} MiB")
            value = json.loads(data)["value"]
        except TimeoutError:
            raise Failed(f"the browser has not answered for {seconds} s: "
                         "webdriver_quit ends it, then webdriver_start begins a new one") from None
        except (OSError, http.client.HTTPException, ValueError, KeyError):
            raise self.lost() from None
        finally:
            connection.close()
        if isinstance(value, dict) and "error" in value:
            raise WebDriverError(value["error"], shorten(str(value.get("message", "")).split("\n")[0]))
        return value

    def ask(self, verb, path, body=None):
        """A command of the session."""
        if not self.session:
            raise Failed("no browser runs: call webdriver_start first")
        try:
            return self.command(verb, self.session + path, body)
        except WebDriverError as error:
            if error.code in ("invalid session id", "disconnected", "tab crashed") or (
                    "chrome not reachable" in error.message or "not connected to DevTools" in error.message):
                raise self.lost() from None
            raise

    def lost(self):
        """The browser died: the failure that says so. It is not started again by itself."""
        self.end()
        return Failed("the browser has ended in the middle, and its pages with it (effect unknown): "
                      "call webdriver_start to begin a new one")

    def end(self):
        """Ends chromium and chromedriver, and waits for their ends."""
        if self.driver and self.driver.poll() is None and self.session:
            with contextlib.suppress(Failed, WebDriverError):
                self.command("DELETE", self.session, seconds=CLOSE_SEC)
        self.session = None
        deadline = time.monotonic() + KILL_SEC
        while children() and time.monotonic() < deadline:
            for pid in children():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            self.reap()
            time.sleep(0.01)
        self.driver = None
        self.refs, self.tabs, self.openers = [], [], {}
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)
            os.close(self.lock)
            self.folder = None

    def reap(self):
        if self.driver:
            self.driver.poll()
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            pass
