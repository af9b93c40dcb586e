# SPDX-License-Identifier: ISC
"""Common parts of the tools: arguments, errors in one sentence, paths."""

import json
import os
import select
import signal
import stat
import sys

ends = []  # what a call has opened: functions that close it


class State:
    """Of this process. A server may use it for the next call, unless the last one has used it up."""

    is_used_up = False

    @staticmethod
    def tell(note):
        """Tells the server, if there is one."""


class Failed(SystemExit):
    """A call has failed; the sentence is the error that the caller reads."""

    def __init__(self, sentence):
        super().__init__(1)
        self.sentence = sentence


def fail(sentence):
    raise Failed(sentence)


def run(*functions):
    """
    Calls function(arguments), and prints the text, bytes or JSON value that it returns. Of several
    functions it is the one that the first word of the command names, or else the first one.
    """
    function = next((one for one in functions if [one.__name__] == sys.argv[1:2]), functions[0])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # a time-out cleans up too
    try:
        answer = answer_of(function, read_arguments())
    except Failed as failure:
        sys.stderr.buffer.write(encode(failure.sentence) + b"\n")
        raise
    if not isinstance(answer, (str, bytes)):
        answer = json.dumps(answer, ensure_ascii=False) + "\n"
    sys.stdout.buffer.write(answer if isinstance(answer, bytes) else encode(answer))


def read_arguments():
    try:
        arguments = json.loads(sys.stdin.buffer.read() or b"{}")
    except ValueError as error:
        fail(f"the arguments are not JSON: {error}")
    return arguments if isinstance(arguments, dict) else fail("the arguments must be one JSON object")


def answer_of(function, arguments):
    """What function(arguments) returns. A failure of the system ends the tool."""
    try:
        return function(arguments)
    except OSError as error:
        where = "" if error.filename is None else f"{shown(error.filename)}: "
        fail(f"{where}{error.strerror}")
    except UnicodeEncodeError:
        fail("the arguments contain half of a surrogate pair, which is not Unicode text")
    finally:
        while ends:
            ends.pop()()


def encode(text):
    """UTF-8. Bytes of file names that are not UTF-8 come out as they are."""
    return text.encode("utf-8", "surrogateescape")


def shown(path):
    """A path on one line, with control characters escaped."""
    text = os.fsdecode(path)
    return text if text.isprintable() else json.dumps(text, ensure_ascii=False)


def absolute(path):
    """The absolute path: "~" is the home directory, the rest is relative to the pane's directory."""
    if not path:
        fail("path is empty: give the path of a file")
    if "\0" in path:
        fail("path contains a NUL character, which no path can")
    if path[0] == "~" and path[1:2] not in ("", "/"):
        fail(f'{shown(path)} is in the home directory of another user: write the path out, or "./~..." for a file here')
    path = os.path.expanduser(path)
    return os.path.realpath(path) if ".." in path.split("/") else os.path.abspath(path)  # of a link, the real ".."


def check_regular(path, status):
    if stat.S_ISDIR(status.st_mode):
        fail(f"{shown(path)} is a folder: give the path of a file in it")
    if not stat.S_ISREG(status.st_mode):
        fail(f"{shown(path)} is not a regular file but a pipe, socket or device")


def open_regular(path):
    """Opens a file for reading. A pipe or device, which could block for ever, is refused."""
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        check_regular(path, os.fstat(fd))
        if not select.select([fd], [], [], 0)[0]:
            fail(f"{shown(path)} has nothing to read at present")  # such as /proc/kmsg
    except BaseException:
        os.close(fd)
        raise
    return open(fd, "rb")


def is_spelled(name):
    """Whether the caller used this second spelling of a parameter."""
    return name in os.environ.get("MUXBUS_SPELLED", "").split()


def unit_of(arguments):
    """What start and end count: lines, or characters for callers who say file_path, unless unit says it."""
    return arguments.get("unit") or ("characters" if is_spelled("file_path") else "lines")
