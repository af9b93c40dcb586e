# SPDX-License-Identifier: ISC
"""The elements of windows as their programs offer them to AT-SPI: GTK, Qt, browsers and others. This
needs no X11, so it works on Wayland too. It needs the Python of the system, which has gi."""

import os
import time
import warnings

from desktop import screen
from tool import State, fail

try:
    import gi

    gi.require_version("Atspi", "2.0")
    from gi.repository import Atspi, GLib
except (ImportError, ValueError):
    Atspi = None

    class GLib:
        Error = Exception

MAX_TEXT = 500
MAX_CHILDREN = 1000
MAX_ACTIONS = 20
SEARCH_MAX = 5000  # elements that a search looks at
SEARCH_SEC = 15
SHOWN_STATES = ("focused", "checked", "pressed", "selected", "expanded", "expandable", "editable", "modal")

warnings.simplefilter("ignore")  # of names that newer releases of AT-SPI give up


class Search:
    """Bounds of one call: elements and time."""

    def __init__(self, elements):
        self.left = elements
        self.deadline = time.monotonic() + SEARCH_SEC
        self.is_cut = False

    def take(self):
        if self.left == 0 or time.monotonic() > self.deadline:
            self.is_cut = True
            return False
        self.left -= 1
        return True


def check_bus():
    """Without a session bus libatspi would start one."""
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    if any(map(os.environ.get, ("AT_SPI_BUS_ADDRESS", "DBUS_SESSION_BUS_ADDRESS"))):
        return
    if runtime and os.path.exists(os.path.join(runtime, "bus")):
        return
    if not os.environ.get("DISPLAY") or not screen().prop(screen().root, "AT_SPI_BUS"):
        fail("there is no DBUS_SESSION_BUS_ADDRESS in the tmux session: start tmux on a desktop, or set it "
             "with tmux set-environment")


def children(element):
    for number in range(min(element.get_child_count(), MAX_CHILDREN)):
        child = element.get_child_at_index(number)
        if child:
            yield child


def states(element):
    return {state.value_nick for state in element.get_state_set().get_states()}


def text_of(element):
    """The text in an element, or None. Passwords stay where they are."""
    if element.get_role() == Atspi.Role.PASSWORD_TEXT or "Text" not in element.get_interfaces():
        return None
    return Atspi.Text.get_text(element, 0, MAX_TEXT)


def action_names(element):
    if "Action" not in element.get_interfaces():
        return []
    count = min(Atspi.Action.get_n_actions(element), MAX_ACTIONS)
    return [Atspi.Action.get_action_name(element, number) for number in range(count)]


def accessible_id(element):
    try:
        return element.get_accessible_id() or ""
    except (AttributeError, GLib.Error):
        return ""


def describe(element):
    """An element as an object, without members that say nothing."""
    name, text, now = element.get_name(), text_of(element), states(element)
    answer = {"role": element.get_role_name()}
    if name:
        answer["name"] = name[:MAX_TEXT]
    if accessible_id(element):
        answer["automation_id"] = accessible_id(element)
    if text and text != name:
        answer["text"] = text
    if "Value" in element.get_interfaces():
        answer["value"] = Atspi.Value.get_current_value(element)
    shown = [state for state in SHOWN_STATES if state in now]
    if "focusable" in now and "sensitive" not in now:
        shown.append("disabled")
    if shown:
        answer["states"] = shown
    if action_names(element):
        answer["actions"] = action_names(element)
    if "Component" in element.get_interfaces():
        box = Atspi.Component.get_extents(element, Atspi.CoordType.SCREEN)
        answer.update(x=box.x, y=box.y, width=box.width, height=box.height)
    return answer


def windows():
    """The windows of all programs."""
    if Atspi is None:
        fail("AT-SPI for Python is not installed: install the packages python3-gi and gir1.2-atspi-2.0")
    check_bus()
    State.is_used_up = True  # libatspi remembers elements, which change, and the bus of this caller
    Atspi.init()
    desktop = Atspi.get_desktop(0)
    found = []
    for program in children(desktop) if desktop else ():
        try:
            found += [window for window in children(program) if "showing" in states(window)]
        except GLib.Error:
            continue  # it does not answer
    if not found:
        fail("no program offers its windows to AT-SPI: start them with accessibility on, as GTK and Qt have it by "
             "default, Chromium with --force-renderer-accessibility")
    return found


def choose(title):
    """The windows that a part of a title means; without one the active window, else all."""
    every = windows()
    if title is None:
        return [window for window in every if "active" in states(window)] or every
    found = [window for window in every if title.lower() in (window.get_name() or "").lower()]
    if not found:
        fail(f"no window has {title!r} in its title: there are "
             + "; ".join(repr((window.get_name() or "")[:60]) for window in every[:10]))
    return found


def walk(element, search, depth=60, hidden=False):
    """All elements that are shown (or hidden, too), from the top; deeper ones after those above."""
    if not search.take():
        return
    yield element
    if depth == 0:
        return
    try:
        below = [child for child in children(element) if hidden or "showing" in states(child)]
    except GLib.Error:
        return  # it was removed meanwhile
    for child in below:
        yield from walk(child, search, depth - 1, hidden)


def tree(element, search, depth):
    """An element with those in it, or None when the bounds are reached."""
    if not search.take():
        return None
    answer = describe(element)
    shown = [child for child in children(element) if "showing" in states(child)]
    if shown and depth == 0:
        search.is_cut = True
        answer["children_left_out"] = len(shown)
    elif shown:
        below = [tree(child, search, depth - 1) for child in shown]
        answer["children"] = [child for child in below if child]
    return answer


def get_ui_context(arguments):
    try:
        chosen = choose(arguments.get("window_title"))
        search = Search(arguments.get("max_elements", 300))
        trees = [tree(window, search, arguments.get("max_depth", 8)) for window in chosen]
        active = next((window for window in choose(None) if "active" in states(window)), None)
        focused = None
        if active:
            focused = next((element for element in walk(active, Search(2000)) if "focused" in states(element)), None)
    except GLib.Error as error:
        fail(f"a program does not answer AT-SPI: {error.message}")
    answer = {
        "foreground_window": active.get_name() if active else None,
        "focused_element": describe(focused) if focused else None,
        "element_count": arguments.get("max_elements", 300) - search.left,
        "windows": [window for window in trees if window],
    }
    if search.is_cut:
        answer["note"] = "more elements were left out: give window_title, or larger max_depth or max_elements"
    return answer
