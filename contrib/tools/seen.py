# SPDX-License-Identifier: ISC
"""What the caller, the agent of a pane, has seen of files: one of which it has seen a part only should not be replaced."""

import contextlib
import fcntl
import json
import os
import time

from tool import shown
from whole_file import version

MAX_FILES = 400  # the latest are kept
KNOWN_SEC = 24 * 3600  # that a caller is taken for the one who has seen another text of a file
STEP = 1 << 16  # bytes compared at once


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


def merged(parts):
    """Parts of bytes, from begin to end, as few as possible."""
    done = []
    for begin, end in sorted(parts):
        if done and begin <= done[-1][1]:
            done[-1][1] = max(done[-1][1], end)
        else:
            done.append([begin, end])
    return done


def parts_of(kept, name, status):
    """The parts of this version of a file that the caller has seen, or None: he has seen none."""
    one = kept.get(name)
    return one["parts"] if one and one.get("version") == version(status) else None


def note_seen(path, status, begin, end):
    """The caller gets to see these bytes, or has written them."""
    where, name = state_path(), os.path.realpath(path)
    if where is None or any(first <= begin and end <= last for first, last in parts_of(load(where), name, status) or ()):
        return
    with changing(where) as kept:
        parts = merged([*(parts_of(kept, name, status) or ()), [begin, end]])
        keep(kept, name, status, parts)


def keep(kept, name, status, parts):
    kept.pop(name, None)  # the latest is the last one
    kept[name] = {"version": version(status), "parts": parts, "time": time.time()}


def common_start(one, other):
    """How many bytes are the same at the start of both."""
    at, step = 0, STEP
    most = min(len(one), len(other))
    while step:
        if at + step <= most and one[at : at + step] == other[at : at + step]:
            at += step
        else:
            step //= 2
    return at


def note_changed(path, old, new, old_status, new_status):
    """The caller has changed a place of a file, from the old bytes to the new ones: he has seen as much of it as before."""
    where, name = state_path(), os.path.realpath(path)
    if where is None or parts_of(load(where), name, old_status) is None:
        return
    begin = common_start(old, new)
    end = len(old) - common_start(old[begin:][::-1], new[begin:][::-1])
    longer = len(new) - len(old)
    with changing(where) as kept:
        parts = []
        for first, last in parts_of(kept, name, old_status) or ():
            if first <= begin and end <= last:
                parts.append([begin, end + longer])
            parts += [[first, min(last, begin)]] if first < begin else []
            parts += [[max(first, end) + longer, last + longer]] if last > end else []
        keep(kept, name, new_status, merged(parts))


def why_not(path):
    """Why a caller who knows a part of a file should not replace it, or None."""
    where, name = state_path(), os.path.realpath(path)
    kept = load(where).get(name) if where else None
    try:
        status = os.stat(name)
    except OSError:
        return None
    if not kept:
        return None
    if kept.get("version") != version(status):
        is_late = time.time() - kept.get("time", 0) > KNOWN_SEC
        return None if is_late else f"{shown(path)} has changed since you have seen it: read it again"
    left = status.st_size - sum(end - begin for begin, end in kept["parts"])
    if left <= 0:
        return None
    return f"you have seen a part of {shown(path)} only, and {left} of its bytes not: read the rest with read_file"
