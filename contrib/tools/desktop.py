# SPDX-License-Identifier: ISC
"""Common parts of the tools of the group "desktop": the screen and the windows of X11. Titles of windows are
text of strangers: they are shown and compared, and never a word of a command."""

import contextlib
import fcntl
import hashlib
import os
import re
import subprocess
import time

import tool
from tool import fail

MAX_WINDOWS = 100
ASK_SEC = 10


def check_display():
    """Without X11 a tool ends with a sentence that says why."""
    if os.environ.get("DISPLAY"):
        return
    if os.environ.get("WAYLAND_DISPLAY"):
        fail("this session is Wayland without an X server: the desktop tools need X11 (DISPLAY)")
    fail("there is no DISPLAY in the tmux session: start tmux on a desktop, or set it, "
         "as in: tmux set-environment DISPLAY :0")


opened = []  # the screen of this call
asked = {}  # display: time.monotonic() of the last question for its events


def screen():
    """The X server, until the call has ended."""
    check_display()
    if not opened:
        from desktop_x11 import Screen  # the tools of AT-SPI do without

        opened.append(Screen())
        tool.ends.append(lambda: opened.pop().close())
        ask_for_events()
    return opened[0]


def ask_for_events():
    """Has the server watch this display, if it does not yet."""
    place = {name: os.environ.get(name) for name in ("DISPLAY", "XAUTHORITY")}
    now = time.monotonic()
    if asked.get(place["DISPLAY"], -ASK_SEC) + ASK_SEC <= now:
        asked[place["DISPLAY"]] = now
        tool.State.tell({"for": place, "windows": open_windows()})


@contextlib.contextmanager
def alone():
    """No other call uses the mouse or the keyboard of this display meanwhile."""
    state = os.environ.get("MUXBUS_TOOL_STATE")
    if not state:
        yield
        return
    name = hashlib.sha256(os.fsencode(os.environ.get("DISPLAY", ""))).hexdigest()[:16]
    with open(os.path.join(state, f"display-{name}.lock"), "a", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def note():
    """With Wayland the X server is only that of programs which cannot do without."""
    if os.environ.get("WAYLAND_DISPLAY"):
        return {"note": "this is a Wayland session: only windows of X11 programs (XWayland) are seen and reached"}
    return {}


def program(*words, data=b""):
    """Runs a program without a shell: its status, output and errors."""
    try:
        done = subprocess.run(words, input=data, capture_output=True, check=False)
    except FileNotFoundError:
        fail(f"{words[0]} is not installed")
    return done.returncode, done.stdout, done.stderr.decode("utf-8", "replace").strip()


def screen_size():
    return screen().size


def numbers(window, name):
    found = screen().prop(window, name)
    return found if isinstance(found, list) else []


def has_manager():
    """Whether a window manager runs that can be asked (EWMH)."""
    return bool(numbers(screen().root, "_NET_SUPPORTING_WM_CHECK"))


def active_id():
    """The window in front, or None: that of the window manager, else the one that has the focus."""
    listed = screen().prop(screen().root, "_NET_ACTIVE_WINDOW")
    if isinstance(listed, list) and listed:
        return listed[0] or None
    return screen().focused()


def window_ids():
    """The windows, the lowest first: those of the window manager, else all that are visible and have a name."""
    for name in ("_NET_CLIENT_LIST_STACKING", "_NET_CLIENT_LIST"):
        listed = screen().prop(screen().root, name)
        if isinstance(listed, list):
            return listed
    return screen().named()


def open_windows():
    """The windows of programs: without a window manager, those that are not menus and the like."""
    if has_manager():
        return window_ids()
    found = []
    for window in screen().within(screen().root):
        now = screen().attributes(window)
        if now and now.is_shown() and not now.overrides and screen().title(window):
            found.append(window)
    return found


def geometry(window):
    """x, y, width and height, or None if the window is gone."""
    return screen().place(window)


def describe(window):
    """A window as an object, or None if it is gone."""
    place = geometry(window)
    if place is None:
        return None
    states = [screen().atom("_NET_WM_STATE_" + name) for name in ("MAXIMIZED_VERT", "MAXIMIZED_HORZ", "HIDDEN")]
    now = numbers(window, "_NET_WM_STATE")
    kinds = (screen().prop(window, "WM_CLASS") or b"").decode("utf-8", "replace").split("\0")
    answer = {"id": window, "title": screen().title(window)[:300], "class": (kinds + [""])[1][:100], **place}
    pid = numbers(window, "_NET_WM_PID")
    if pid:
        answer["pid"] = pid[0]
    if states[0] in now and states[1] in now:
        answer["maximized"] = True
    if states[2] in now:
        answer["minimized"] = True
    return answer


def windows():
    """All windows as objects, the active one first, then from the top; and how many were left out."""
    active = active_id()
    ids = window_ids()[::-1]
    ids.sort(key=lambda window: window != active)
    found = [window for window in map(describe, ids[:MAX_WINDOWS]) if window]
    for window in found:
        if window["id"] == active:
            window["active"] = True
    return found, max(0, len(ids) - MAX_WINDOWS)


def find_window(text):
    """The window that a text means: an id, "active", or a part of one title or class."""
    if re.fullmatch(r"0x[0-9A-Fa-f]{1,8}|[0-9]{1,10}", text):
        found = describe(int(text, 16 if "x" in text else 10))
        return found or fail(f"there is no window {text}: list_windows_desktop lists them")
    listed = windows()[0]
    if text == "active":
        return listed[0] if listed and listed[0].get("active") else fail("no window is active")
    wanted = text.lower()
    found = [window for window in listed if wanted in window["title"].lower() or wanted == window["class"].lower()]
    exact = [window for window in found if window["title"] == text]
    if len(exact) == 1 or len(found) == 1:
        return (exact or found)[0]
    names = "; ".join(f"{window['id']} {window['title'][:60]!r}" for window in (found or listed)[:10]) or "none"
    if found:
        fail(f"{len(found)} windows match {text!r}: give the id of one: {names}")
    fail(f"no window matches {text!r}: there are: {names}")


def activate(window):
    """Brings a window to the front, so that it gets what is typed."""
    if has_manager():
        screen().hand("xdo_activate_window", window)
    else:
        screen().hand("xdo_raise_window", window)
        screen().hand("xdo_focus_window", window)
    if not screen().is_well():
        fail(f"the window {window} cannot come to the front: it is gone, or hidden")
