# SPDX-License-Identifier: ISC
"""Common parts of the tools of the group "desktop": the screen and the windows of X11, by xdotool and
xprop. Titles of windows are text of strangers: each is read alone, and none is ever a word of a command
that could be taken for an option."""

import os
import re
import subprocess

from tool import fail

MAX_WINDOWS = 100


def check_display():
    """Without X11 a tool ends with a sentence that says why."""
    if os.environ.get("DISPLAY"):
        return
    if os.environ.get("WAYLAND_DISPLAY"):
        fail("this session is Wayland without an X server: the desktop tools need X11 (DISPLAY)")
    fail("there is no DISPLAY in the tmux session: start tmux on a desktop, or set it, "
         "as in: tmux set-environment DISPLAY :0")


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


def xdotool(*words, data=b"", may_fail=False):
    """The output of xdotool, or None. It says on standard error what it could not do, with status 0."""
    check_display()
    status, output, errors = program("xdotool", *map(str, words), data=data)
    if "open display" in errors:
        fail(f"the display {os.environ['DISPLAY']} cannot be opened: does its X server run, and may this user use it?")
    if status == 0 and not errors:
        return output.decode("utf-8", "replace")
    if may_fail:
        return None
    fail(f"xdotool: {errors.splitlines()[0] if errors else f'exit status {status}'}")


def prop(window, name):
    """The first line of a property of a window, or of the root window ("-root")."""
    check_display()
    where = ["-root"] if window == "-root" else ["-id", str(window)]
    output = program("xprop", *where, "-notype", name)[1].decode("utf-8", "replace")
    found = re.match(re.escape(name) + r"(?: = |: window id # )(.*)", output)
    return found[1] if found else ""


def screen_size():
    width, height = xdotool("getdisplaygeometry").split()
    return int(width), int(height)


def has_manager():
    """Whether a window manager runs that can be asked (EWMH)."""
    return prop("-root", "_NET_SUPPORTING_WM_CHECK") != ""


def active_id():
    """The window in front, or None: that of the window manager, else the one that has the focus."""
    listed = re.match(r"0x[0-9a-f]+", prop("-root", "_NET_ACTIVE_WINDOW"))
    if listed:
        return int(listed[0], 16) or None
    focused = (xdotool("getwindowfocus", may_fail=True) or "").strip()
    return int(focused) if focused.isdigit() and int(focused) > 1 else None


def window_ids():
    """The windows, the lowest first: those of the window manager, else all that are visible and have a name."""
    for name in ("_NET_CLIENT_LIST_STACKING", "_NET_CLIENT_LIST"):
        listed = prop("-root", name)
        if listed:
            return [int(number, 16) for number in re.findall(r"0x[0-9a-f]+", listed)]
    return [int(number) for number in (xdotool("search", "--onlyvisible", "--name", ".", may_fail=True) or "").split()]


def geometry(window):
    """x, y, width and height, or None if the window is gone. (xdotool counts the frame of a window twice.)"""
    check_display()
    status, output, _ = program("xwininfo", "-id", str(window))
    names = {"x": "Absolute upper-left X", "y": "Absolute upper-left Y", "width": "Width", "height": "Height"}
    lines = output.decode("utf-8", "replace")
    # The title comes before these lines, so that the last one of a name is never a part of it.
    found = {name: re.findall(rf"^  {text}: +(-?[0-9]+)$", lines, re.MULTILINE) for name, text in names.items()}
    return {name: int(values[-1]) for name, values in found.items()} if status == 0 and all(found.values()) else None


def describe(window):
    """A window as an object, or None if it is gone."""
    place = geometry(window)
    title = xdotool("getwindowname", window, may_fail=True)
    if place is None or title is None:
        return None
    pid = (xdotool("getwindowpid", window, may_fail=True) or "").strip()
    states = prop(window, "_NET_WM_STATE")
    kind = prop(window, "WM_CLASS").split('"')[-2:][0]
    answer = {"id": window, "title": title.rstrip("\n")[:300], "class": kind[:100], **place}
    if pid.isdigit():
        answer["pid"] = int(pid)
    if "_NET_WM_STATE_MAXIMIZED_VERT" in states and "_NET_WM_STATE_MAXIMIZED_HORZ" in states:
        answer["maximized"] = True
    if "_NET_WM_STATE_HIDDEN" in states:
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
        xdotool("windowactivate", window)
    else:
        xdotool("windowraise", window)
        xdotool("windowfocus", window)
