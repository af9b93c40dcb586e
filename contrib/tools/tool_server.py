# SPDX-License-Identifier: ISC
"""
The loop of a server of tools: an MCP server on standard input and output for the tools beside it that
are Python programs and whose declaration names the server. A call is done by a worker, a child that
does nothing else meanwhile, in the directory and for the pane of the caller: a call that hangs or dies
leaves the others alone. Calls come from muxbusd, which says in _meta."muxbus/caller" whose they are.
"""


import base64
import contextlib
import gc
import importlib.machinery
import importlib.util
import json
import os
import selectors
import signal
import sys
import time

import tool

VERSIONS = ("2025-06-18", "2025-03-26", "2024-11-05")
MAX_LINE = 4 << 20  # bytes of a message from the client
MAX_CALLS = 256  # at once, also those that were cancelled and do not end
MAX_FDS = 4096
MAX_FREE = 4  # workers that wait for a call
MAX_FEEDS = 4  # workers that publish events
MAX_CALLS_IN_TURN = 1000  # of a worker
MAX_ANSWER = 12 << 20  # bytes
MAX_ERROR = 4096  # bytes of the end of standard error
PIECE = 1 << 18
KILL_SEC = 5  # from SIGTERM to SIGKILL
ENDINGS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
INPUT, OUTPUT, ERRORS = 0, 1, 2
# The first byte of a line of a worker: a result, after which it takes another call or ends, or a note.
GOES_ON, ENDS, NOTE = b"+", b"-", b"!"
FEED, FEED_NAME = ("feed",), ""  # the id and the name of the call that a feed does, whose lines are events


def read_tools(server):
    """The tools of the declarations beside this program: of each its row for tools/list, and its function."""
    folder = os.path.dirname(os.path.realpath(__file__))
    rows, functions = [], {}
    tool.run = lambda *found: functions.update({function.__name__: function for function in found})
    for entry in sorted(os.listdir(folder)):
        if not entry.endswith(".json"):
            continue
        try:
            with open(os.path.join(folder, entry), encoding="utf-8") as file:
                declared = json.load(file)
            if declared["server"]["name"] != server:
                continue
        except (ValueError, KeyError, TypeError):
            continue  # a tool of another kind, or a file that muxbusd refuses too
        name = declared["name"]
        schema = {"type": "object", **declared.get("parameters", {}), "additionalProperties": False}
        rows.append({"name": name, "description": declared["description"], "inputSchema": schema})
        if not os.path.exists(os.path.join(folder, name)):
            continue  # it is a function of another one
        loader = importlib.machinery.SourceFileLoader(name, os.path.join(folder, name))
        loader.exec_module(importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader)))
    return rows, functions


def result_of(answer):
    """The result of MCP. An object is the whole result of the tool."""
    if isinstance(answer, bytes):
        answer = {"mime_type": "image/png", "bytes": len(answer), "data": base64.b64encode(answer).decode()}
    if isinstance(answer, str):
        return {"content": [{"type": "text", "text": answer}]}
    return {"content": [], "structuredContent": answer, "_meta": {"muxbus/result": True}}


def error_of(text):
    return {"content": [{"type": "text", "text": text}], "isError": True}


def enter(caller):
    """Goes to the place of the caller. A directory whose name is not UTF-8 comes in base64."""
    of_call = {"MUXBUS_PANE": caller.get("pane"), "MUXBUS_SHOWN_BYTES": caller.get("shown_bytes"), **caller.get("env", {})}
    os.environ["MUXBUS_SPELLED"] = caller.get("spelled", "")
    for variable, value in of_call.items():
        os.environ.pop(variable, None)
        if value is not None:
            os.environ[variable] = str(value)
    os.chdir(base64.b64decode(caller["cwd_base64"]) if "cwd_base64" in caller else caller.get("cwd", "/"))


def write_all(fd, data):
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def write_line(kind, value):
    write_all(OUTPUT, kind + tool.encode(json.dumps(value, ensure_ascii=False)) + b"\n")


def work(functions):
    """The life of a worker: a line for each call on standard input, and lines on standard output."""
    tool.State.tell = lambda note: write_line(NOTE, note)
    while not tool.State.is_used_up and (line := sys.stdin.buffer.readline()):
        name, caller, arguments = json.loads(line)
        try:
            tool.answer_of(enter, caller)
            result = result_of(tool.answer_of(functions[name], arguments))
        except tool.Failed as failure:
            result = error_of(failure.sentence)
        os.chdir("/")  # no folder is held
        write_line(ENDS if tool.State.is_used_up else GOES_ON, result)


def live(ends, functions):
    """Becomes a worker, and never returns."""
    status = 1
    try:
        for stream, end in ends.items():
            os.dup2(end, stream)
        os.closerange(ERRORS + 1, MAX_FDS)
        for number in ENDINGS:
            signal.signal(number, lambda *_: sys.exit(143))  # a time-out cleans up too
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDINGS)
        work(functions)
        status = 0
    except SystemExit as end:
        status = end.code or 1
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stderr.flush()
        os._exit(status)


class Worker:
    """A child that does one call at a time, and the next one if that went well."""

    def __init__(self, functions):
        self.id = None  # of its call
        self.is_cancelled = False
        self.calls = 0
        self.is_used_up = False
        self.kill_at = None  # time.monotonic() of SIGKILL
        self.said = {OUTPUT: bytearray(), ERRORS: bytearray()}
        self.pipes = {}  # descriptor: OUTPUT or ERRORS
        ends = {}
        ours = []
        try:
            ends[INPUT], self.input = os.pipe()
            ours.append(self.input)
            for stream in (OUTPUT, ERRORS):
                begin, ends[stream] = os.pipe()
                ours.append(begin)
                self.pipes[begin] = stream
            signal.pthread_sigmask(signal.SIG_BLOCK, ENDINGS)
            self.pid = os.fork()
            if self.pid == 0:
                live(ends, functions)
        except OSError:
            for fd in ours:
                os.close(fd)
            raise
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDINGS)
            for fd in ends.values():
                os.close(fd)

    def begin(self, ident, call):
        self.id = ident
        self.calls += 1
        self.said[ERRORS].clear()
        with contextlib.suppress(BrokenPipeError):  # its end says why
            write_all(self.input, json.dumps(call).encode() + b"\n")

    def take(self, fd):
        """Reads what it has written. False: the pipe has ended."""
        piece = os.read(fd, PIECE)
        said = self.said[self.pipes[fd]]
        said += piece
        if len(said) > MAX_ANSWER:
            said.clear()
            self.end(signal.SIGKILL)
        return bool(piece)

    def take_lines(self):
        """The lines that are there: the first byte of each, and the rest."""
        said = self.said[OUTPUT]
        size = said.rfind(b"\n") + 1
        lines = bytes(said[:size]).split(b"\n")[:-1]
        del said[:size]
        return [(line[:1], line[1:]) for line in lines]

    def is_free(self):
        return self.id is None and self.kill_at is None and not self.is_used_up

    def end(self, number):
        os.kill(self.pid, number)
        self.kill_at = time.monotonic() + KILL_SEC if number == signal.SIGTERM else None

    def last_words(self):
        """The result of a call at which it has died."""
        status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        text = self.said[ERRORS][-MAX_ERROR:].decode("utf-8", "replace").rstrip()
        if not text and status < 0:
            text = f"its program was killed by signal {-status}, {signal.strsignal(-status)}"
        text = text or f"its program ended with exit status {status}"
        return json.dumps(error_of(text)).encode()


class Server:
    def __init__(self, name, events, feed):
        self.name = name  # of the server in declarations
        self.rows, self.functions = read_tools(name)
        self.events = events
        self.functions[FEED_NAME] = feed
        self.feeds = {}  # the arguments of each: its worker
        self.workers = set()
        self.selector = selectors.DefaultSelector()
        self.rest = bytearray()  # of a line

    def send(self, ident, body):
        write_all(OUTPUT, b'{"jsonrpc":"2.0","id":%s,%s}\n' % (json.dumps(ident).encode(), body))

    def publish(self, event):
        write_all(OUTPUT, b'{"jsonrpc":"2.0","method":"notifications/muxbus/publish","params":%s}\n' % event)

    def answer(self, ident, result):
        self.send(ident, b'"result":' + json.dumps(result).encode())

    def refuse(self, ident, code, text):
        self.send(ident, b'"error":' + json.dumps({"code": code, "message": text}).encode())

    def free_worker(self):
        """A worker without a call."""
        for worker in self.workers:
            if worker.is_free():
                return worker
        worker = Worker(self.functions)
        self.add(worker)
        return worker

    def add(self, worker):
        self.workers.add(worker)
        for fd in worker.pipes:
            self.selector.register(fd, selectors.EVENT_READ, worker)

    def begin(self, ident, params):
        name = params.get("name")
        if name not in self.functions or name == FEED_NAME:
            self.refuse(ident, -32602, f"there is no tool {name!r}")
        elif sum(worker.id not in (None, FEED) for worker in self.workers) >= MAX_CALLS:
            self.refuse(ident, -32603, f"{MAX_CALLS} calls run already, the most there may be")
        else:
            try:
                worker = self.free_worker()
            except OSError as error:
                self.refuse(ident, -32603, f"no call can begin: {error.strerror}")
                return
            worker.begin(ident, [name, params.get("_meta", {}).get("muxbus/caller", {}), params.get("arguments", {})])

    def take(self, line):
        try:
            message = json.loads(line)
            ident, method, params = message.get("id"), message.get("method"), message.get("params", {})
        except (ValueError, AttributeError):
            self.refuse(None, -32700, "not a message of JSON-RPC")
            return
        if method == "tools/call":
            self.begin(ident, params)
        elif method == "notifications/cancelled":
            for worker in self.workers:
                if worker.id not in (None, FEED) and worker.id == params.get("requestId"):
                    worker.is_cancelled = True
                    worker.end(signal.SIGTERM)
        elif method == "initialize":
            asked = params.get("protocolVersion")
            can = {"tools": {}, **({"experimental": {"muxbus/events": self.events}} if self.events else {})}
            self.answer(ident, {"protocolVersion": asked if asked in VERSIONS else VERSIONS[0], "capabilities": can,
                                "serverInfo": {"name": f"muxbus-{self.name}", "version": "1"}})
        elif method == "tools/list":
            self.answer(ident, {"tools": self.rows})
        elif method == "ping":
            self.answer(ident, {})
        elif ident is not None:
            self.refuse(ident, -32601, f"there is no method {method!r}")

    def read(self):
        """Takes the lines that have come. False: there are no more."""
        piece = os.read(INPUT, PIECE)
        *lines, last = piece.split(b"\n")
        if lines:
            lines[0] = self.rest + lines[0]
            self.rest = bytearray()
        self.rest += last
        for line in lines:
            if line.strip():
                self.take(line)
        return piece and len(self.rest) <= MAX_LINE

    def hear(self, worker, fd):
        """Takes what a worker has written."""
        if worker.take(fd):
            for kind, value in worker.take_lines():
                if kind == NOTE:
                    self.take_note(worker, value)
                else:
                    worker.is_used_up = kind == ENDS
                    self.finish(worker, value)
        else:
            del worker.pipes[fd]
            self.selector.unregister(fd)
            os.close(fd)
        if not worker.pipes:
            self.workers.remove(worker)
            self.feeds = {key: feed for key, feed in self.feeds.items() if feed is not worker}
            os.close(worker.input)
            self.finish(worker, worker.last_words())

    def take_note(self, worker, value):
        """A feed publishes; another worker wants one to run."""
        if worker.id == FEED:
            self.publish(value)
            return
        note = json.loads(value)
        key = json.dumps(note["for"])
        if key in self.feeds or len(self.feeds) >= MAX_FEEDS:
            return
        feed = Worker(self.functions)
        self.add(feed)
        self.feeds[key] = feed
        feed.begin(FEED, [FEED_NAME, {"env": note["for"]}, note])

    def finish(self, worker, result):
        if worker.id not in (None, FEED) and not worker.is_cancelled:
            self.send(worker.id, b'"result":' + result)
        worker.id = None
        free = sum(other.is_free() for other in self.workers)
        if worker in self.workers and worker.kill_at is None and (worker.calls >= MAX_CALLS_IN_TURN or free > MAX_FREE):
            worker.end(signal.SIGTERM)

    def kill_late(self):
        """Kills workers that did not end in their time. Returns the seconds until the next one, or None."""
        times = []
        for worker in self.workers:
            if worker.kill_at is not None and worker.kill_at <= time.monotonic():
                worker.end(signal.SIGKILL)
            elif worker.kill_at is not None:
                times.append(worker.kill_at - time.monotonic())
        return max(min(times), 0) if times else None

    def run(self):
        """Until standard input has ended, and all calls."""
        self.selector.register(INPUT, selectors.EVENT_READ)
        has_ended = False
        while not has_ended or any(worker.id not in (None, FEED) for worker in self.workers):
            for key, _ in self.selector.select(self.kill_late()):
                if key.data is not None:
                    self.hear(key.data, key.fd)
                elif not self.read():
                    has_ended = True
                    self.selector.unregister(INPUT)


def serve(name, events=(), feed=None):
    """
    The whole life of a server. Its tools may tell {"for": ENVIRONMENT}: then feed(that), in a process of
    its own, publishes events by tool.State.tell(), each of a kind in events.
    """
    for number in ENDINGS:
        signal.signal(number, lambda *_: sys.exit(0))
    server = Server(name, list(events), feed)
    gc.freeze()  # a child copies no page for it
    try:
        server.run()
    finally:
        for worker in server.workers:
            worker.end(signal.SIGTERM)
