# SPDX-License-Identifier: ISC
"""Of which files the caller, the agent of a pane, has seen a part only: these should not be replaced unread."""

import contextlib
import fcntl
import json
import os

MAX_FILES = 200


def state_path():
    """The file with what was seen, or None: a caller without a pane cannot be known again."""
    state, pane = os.environ.get("MUXBUS_TOOL_STATE"), os.environ.get("MUXBUS_PANE")
    return os.path.join(state, f"seen-{pane.lstrip('%')}.json") if state and pane else None


def load(path):
    try:
        with open(path, "rb") as file:
            kept = json.load(file)
        return kept if isinstance(kept, dict) else {}
    except (OSError, ValueError):
        return {}


@contextlib.contextmanager
def changing(path):
    """What was seen, locked; it is written when its user is done. A spoilt file counts as none."""
    with open(path + ".lock", "a", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        kept = load(path)
        yield kept
        while len(kept) > MAX_FILES:
            del kept[next(iter(kept))]
        temporary = f"{path}.{os.getpid()}"
        with open(temporary, "w", encoding="utf-8") as file:
            json.dump(kept, file)
        os.replace(temporary, path)


def version(status):
    """Another one is another text."""
    return [status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns]


def merged(parts):
    """Parts of bytes, from begin to end, as few as possible."""
    done = []
    for begin, end in sorted(parts):
        if done and begin <= done[-1][1]:
            done[-1][1] = max(done[-1][1], end)
        else:
            done.append([begin, end])
    return done


def note_seen(path, status, begin, end):
    """The caller gets to see these bytes. Only files are kept of which he has not seen all."""
    where, name = state_path(), os.path.realpath(path)
    is_whole = begin == 0 and end >= status.st_size
    if where is None or (is_whole and name not in load(where)):
        return
    with changing(where) as kept:
        old = kept.pop(name, None)
        parts = old["parts"] if old and old.get("version") == version(status) else []
        parts = merged([*parts, [begin, end]])
        if parts[0][0] > 0 or parts[0][1] < status.st_size:
            kept[name] = {"version": version(status), "parts": parts}


def unseen_bytes(path):
    """How many bytes of a file the caller has not seen, though he has seen others; 0 also if it has changed since."""
    where, name = state_path(), os.path.realpath(path)
    kept = load(where).get(name) if where else None
    try:
        status = os.stat(name)
    except OSError:
        return 0
    if not kept or kept.get("version") != version(status):
        return 0
    return status.st_size - sum(end - begin for begin, end in kept["parts"])
