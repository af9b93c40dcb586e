# SPDX-License-Identifier: ISC
"""Every tool of the group "desktop" once, on a window of GTK and a dialog of zenity: what the tools did
is read from these programs, which say what happened to them."""

import base64
import fcntl
import hashlib
import json
import os
import shutil
import signal
import statistics
import struct
import subprocess
import tempfile
import threading
import time

import tap
from tap import ok

TOOLS = os.path.realpath(os.path.join(os.environ.get("MUXBUS_SRCDIR", "."), "contrib", "tools"))
WAIT_SEC = 60
WINDOW = """
import gi, sys
gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, Gtk
window = Gtk.Window(title="Form -x\\nof the test")
window.set_default_size(400, 300)
box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
def say(*words):
    print(*words, flush=True)
entry = Gtk.Entry()
entry.get_accessible().set_name("Who")
entry.connect("changed", lambda _: say("text", entry.get_text()))
secret = Gtk.Entry(visibility=False, text="hidden")
secret.get_accessible().set_name("Secret")
button = Gtk.Button(label="Greet")
button.connect("clicked", lambda _: say("greet", entry.get_text()))
check = Gtk.CheckButton(label="Loud")
check.connect("toggled", lambda _: say("loud", check.get_active()))
off = Gtk.Button(label="Off", sensitive=False)
scale = Gtk.Scale.new_with_range(Gtk.Orientation.HORIZONTAL, 0, 10, 1)
scale.connect("value-changed", lambda _: say("scale", scale.get_value()))
twins = [Gtk.Button(label="Twin") for _ in range(2)]
for number, twin in enumerate(twins):
    twin.connect("clicked", lambda _, number: say("twin", number), number)
pad = Gtk.EventBox()
pad.set_size_request(400, 80)
pad.add_events(Gdk.EventMask.ALL_EVENTS_MASK)
pad.connect("button-press-event", lambda _, e: say("press", e.type.value_nick, e.button, int(e.x_root), int(e.y_root)))
pad.connect("button-release-event", lambda _, e: say("release", e.button, int(e.x_root), int(e.y_root)))
pad.connect("scroll-event", lambda _, e: say("scroll", e.get_scroll_direction()[1].value_nick))
window.connect("key-press-event", lambda _, e: say("key", Gdk.keyval_name(e.keyval), int(e.state) & 13))
window.connect("configure-event", lambda _, e: say("size", e.width, e.height))
for part in (pad, entry, secret, button, check, off, scale, *twins):
    box.pack_start(part, False, False, 0)
window.add(box)
window.show_all()
Gtk.main()
"""


def until(fact):
    deadline = time.monotonic() + WAIT_SEC
    while not fact() and time.monotonic() < deadline:
        time.sleep(0.02)
    return fact()


class Program:
    """A program with a window, and the lines that it prints."""

    def __init__(self, *words):
        self.lines = []
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))

    def says(self, line):
        return until(lambda: line in self.lines)


class Tools:
    """Runs the tools as the daemon does: parameters on standard input."""

    def __init__(self, folder):
        self.folder = folder

    def run(self, name, env=None, **arguments):
        """The answer: an object, the bytes of a picture, or a text that begins with "error: "."""
        done = subprocess.run([os.path.join(TOOLS, name.split()[0]), *name.split()[1:]], input=json.dumps(arguments).encode(), cwd=self.folder,
                              env={**os.environ, **(env or {})}, capture_output=True, timeout=60, check=False)
        if done.returncode != 0:
            return "error: " + done.stderr.decode().strip()
        return done.stdout if done.stdout.startswith(b"\x89PNG") else json.loads(done.stdout)


VARIABLES = ("DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "AT_SPI_BUS_ADDRESS")


class Served(Tools):
    """The same calls to desktop_server, as muxbusd sends them. Events are kept."""

    def __init__(self, folder):
        super().__init__(folder)
        self.server = subprocess.Popen([os.path.join(TOOLS, "desktop_server")], stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, text=True, cwd="/")
        self.last, self.answers, self.events = 0, {}, []
        self.is_there = threading.Condition()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.server.stdout:
            message = json.loads(line)
            with self.is_there:
                if "id" in message:
                    self.answers[message["id"]] = message.get("result")
                else:
                    self.events.append(message["params"])
                self.is_there.notify_all()

    def begin(self, name, env=None, **arguments):
        now = {**os.environ, **(env or {})}
        caller = {"pane": None, "cwd": self.folder, "env": {name: now.get(name) for name in VARIABLES}}
        with self.is_there:
            self.last += 1
            number = self.last
        self.server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {
            "name": name.split()[-1], "arguments": arguments, "_meta": {"muxbus/caller": caller}}}) + "\n")
        self.server.stdin.flush()
        return number

    def end(self, number):
        with self.is_there:
            self.is_there.wait_for(lambda: number in self.answers, WAIT_SEC)
            result = self.answers.pop(number)
        if result.get("isError"):
            return "error: " + result["content"][0]["text"]
        value = result["structuredContent"]
        return base64.b64decode(value["data"]) if "mime_type" in value else value

    def run(self, name, env=None, **arguments):
        if "PATH" in (env or {}):
            return super().run(name, env, **arguments)  # the server has the one of its start
        return self.end(self.begin(name, env, **arguments))

    def event(self, **members):
        """Waits for an event whose data has these members."""
        def found():
            return next((one for one in self.events if members.items() <= {"kind": one["kind"], **one["data"]}.items()), None)
        with self.is_there:
            return self.is_there.wait_for(found, WAIT_SEC)


def find(tree, **members):
    """The first element of an answer of get_ui_context that has these members."""
    for element in tree:
        if all(element.get(name) == value for name, value in members.items()):
            return element
        found = find(element.get("children", []), **members)
        if found:
            return found
    return None


def without_desktop(tools):
    nothing = {"DISPLAY": "", "DBUS_SESSION_BUS_ADDRESS": ""}
    for name in ("execute_gui", "observe_screen", "list_windows_desktop", "maximize_active_window"):
        answer = tools.run(name, nothing, action="click")
        ok(answer.startswith("error: there is no DISPLAY"), f"{name} without DISPLAY", answer)
    answer = tools.run("observe_screen", {**nothing, "WAYLAND_DISPLAY": "wayland-0"})
    ok("Wayland" in answer, "Wayland alone is named", answer)
    answer = tools.run("list_windows_desktop", {"DISPLAY": ":4999"})
    ok(answer.startswith("error: the display :4999 cannot be opened"), "a display that is not there", answer)
    answer = tools.run("get_ui_context", nothing)
    ok("no DBUS_SESSION_BUS_ADDRESS" in answer, "get_ui_context without a session bus", answer)


def windows(tools, form):
    listed = tools.run("list_windows_desktop")
    ok(listed["screen"] == {"width": 1024, "height": 768}, "the size of the screen", listed)
    window = next(window for window in listed["windows"] if window["title"].startswith("Form"))
    ok(window["title"] == "Form -x\nof the test" and window["pid"] == form.process.pid and window["width"] == 400,
       "list_windows_desktop", listed)
    answer = tools.run("list_windows_desktop", {"WAYLAND_DISPLAY": "wayland-0"})
    ok("XWayland" in answer["note"], "XWayland is named", answer)
    return window


def mouse(tools, form, window):
    for arguments, line in [
            ({"action": "click", "x": 20, "y": 30, "target": "pad"}, "press button-press 1 20 30"),
            ({"action": "right_click", "coordinates": {"x": 21, "y": 31}}, "press button-press 3 21 31"),
            ({"action": "double_click", "x": 100, "y": 30}, "press 2button-press 1 100 30"),
            ({"action": "middle_click", "x": 22, "y": 32, "window": str(window["id"])}, "press button-press 2 22 32"),
            ({"action": "scroll", "x": 20, "y": 30, "direction": "up", "amount": 2}, "scroll up"),
            ({"action": "scroll", "coordinates": {"direction": "down"}}, "scroll down"),
            ({"action": "drag", "x": 40, "y": 40, "to_x": 90, "to_y": 60}, "release 1 90 60")]:
        answer = tools.run("execute_gui", **arguments)
        ok("done" in answer and form.says(line), f"execute_gui {arguments['action']}: {line}", (answer, form.lines[-5:]))
    tools.run("execute_gui", action="move_mouse", x=7, y=9)
    where = subprocess.run(["xdotool", "getmouselocation"], capture_output=True, text=True, check=True).stdout
    ok(where.startswith("x:7 y:9 "), "execute_gui move_mouse", where)


def keyboard(tools, form):
    text = "--help -x $(id) `a` 'ä€' \"😀\""
    place = find(tools.run("get_ui_context")["windows"], name="Who")
    answer = tools.run("execute_gui", window="Form", steps=[])
    ok("either action or steps" in answer, "steps and more", answer)
    answer = tools.run("execute_gui", steps=[{"action": "click", "x": place["x"] + 20, "y": place["y"] + 10},
                                             {"action": "type", "text": text}])
    ok("done" in answer and form.says("text " + text), "execute_gui type: as it is", (answer, form.lines[-3:]))
    answer = tools.run("execute_gui", action="hotkey", coordinates={"keys": ["Ctrl", "a"]})
    ok("done" in answer and form.says("key a 4"), "execute_gui hotkey", (answer, form.lines[-3:]))
    answer = tools.run("execute_gui", action="press_key", keys="BackSpace esc - F5 Page_Down")
    ok("done" in answer and form.says("text ") and all(form.says(f"key {key} 0") for key in (
        "BackSpace", "Escape", "minus", "F5", "Page_Down")), "execute_gui press_key", (answer, form.lines[-9:]))
    strange = "äöü ☃ 日本"
    tools.run("execute_gui", action="hotkey", keys="ctrl+a BackSpace")
    answer = tools.run("execute_gui", steps=[{"action": "click", "x": place["x"] + 20, "y": place["y"] + 10},
                                             {"action": "type", "text": strange}])
    ok("pasted" in answer and form.says("text " + strange), "text that no keyboard has, in an entry of GTK",
       (answer, form.lines[-3:]))
    tools.run("execute_gui", action="hotkey", keys="ctrl+a BackSpace")
    said = os.path.join(tools.folder, "said")
    xterm = Program("xterm", "-u8", "-title", "Terminal", "-e", "sh", "-c", 'head -n 1 >"$0"', said)
    ok(until(lambda: "error" not in str(tools.run("execute_gui", window="Terminal", action="type", text=""))), "a window of xterm")
    answer = tools.run("execute_gui", steps=[{"window": "Terminal", "action": "type", "text": strange},
                                             {"action": "press_key", "keys": "Return"}])
    ended = xterm.process.wait(WAIT_SEC)
    with open(said, encoding="utf-8") as file:
        line = file.read()
    ok("pasted" in answer and ended == 0 and line == strange + "\n", "and in xterm", (answer, line))
    os.unlink(said)
    tools.run("execute_gui", window="Form", action="move_mouse", x=1, y=1)  # the focus was in xterm
    for arguments, want in [
            ({}, "action must be one of"),
            ({"action": "click", "x": 5000, "y": 1}, "outside of the screen, which is 1024 x 768"),
            ({"action": "click", "x": 5}, "click needs x and y"),
            ({"action": "click", "coordinates": {"x": "5; rm", "y": 1}}, "x must be a whole number"),
            ({"steps": [{"action": "click", "coordinates": [1, 2]}]}, "coordinates must be an object"),
            ({"action": "press_key", "keys": "ctrl+nokey"}, "there is no key 'nokey'"),
            ({"action": "press_key", "keys": "--help"}, "there is no key '--help'"),
            ({"action": "press_key", "keys": "$(id)"}, "there is no key '$(id)'"),
            ({"action": "type", "text": "a\x1b[A"}, "control character U+001B"),
            ({"action": "type", "text": "a" * 2001}, "more than 2000"),
            ({"action": "click", "window": "-nix"}, "no window matches '-nix': there are: "),
            ({"steps": [{"action": "move_mouse", "x": 1, "y": 1}, {"action": "type"}]}, "Steps 1 to 1 are done.")]:
        answer = str(tools.run("execute_gui", **arguments))
        ok(answer.startswith("error: ") and want in answer, f"execute_gui: {want}", answer)


def size(png):
    return struct.unpack(">II", png[16:24]) if isinstance(png, bytes) else png


def pictures(tools, folder, window):
    ok(size(tools.run("observe_screen")) == (1024, 768), "observe_screen")
    ok(size(tools.run("observe_screen", window="Form")) == (window["width"], window["height"]), "of a window")
    region = {"x": 10, "y": 20, "width": 100, "height": 50}
    ok(size(tools.run("observe_screen", region=region)) == (100, 50), "of a region")
    ok(size(tools.run("observe_screen", window="active", region=region, scale=0.5)) == (50, 25), "of a window, scaled")
    answer = tools.run("take_screenshot", path="-shot.png", window_id="Form", region=region)
    ok(answer == {"path": folder + "/-shot.png", "bytes": os.path.getsize(folder + "/-shot.png"), "width": 100, "height": 50},
       "take_screenshot", answer)
    ok("already there" in tools.run("take_screenshot", path="-shot.png"), "a file is not overwritten unasked")
    ok(tools.run("take_screenshot", path="-shot.png", overwrite=True)["width"] == 1024, "but when asked")
    for arguments, want in [
            ({"region": {"x": 1000, "width": 100}}, "region is not inside the screen, which is 1024 x 768"),
            ({"region": {"w": 1}}, "region has no member 'w'"),
            ({"region": {"x": "1"}}, "whole numbers"),
            ({"window": "0123"}, "there is no window 0123"),
            ({"window": "4294967295"}, "there is no window 4294967295")]:
        answer = tools.run("observe_screen", **arguments)
        ok(isinstance(answer, str) and want in answer, f"observe_screen: {want}", answer)
    few = os.path.join(folder, "bin")
    os.mkdir(few)
    for name in ("xdotool", "scrot"):
        os.symlink(shutil.which(name), os.path.join(few, name))
    ok(size(tools.run("observe_screen", {"PATH": few}, region=region)) == (100, 50), "of a part, without ImageMagick")
    place = {"x": window["x"] + 3, "y": window["y"] + 5, "width": 201, "height": 99}
    def looks():
        pixels = subprocess.run(["convert", "png:-", "-depth", "8", "rgb:-"], input=tools.run("observe_screen", region=place),
                                capture_output=True, check=True).stdout
        wanted = subprocess.run(["import", "-silent", "-window", "root", "-crop", f"201x99+{place['x']}+{place['y']}", "+repage",
                                 "-depth", "8", "rgb:-"], capture_output=True, check=True).stdout
        return len(set(pixels)) > 5 and pixels == wanted

    ok(until(looks), "each pixel is that of the screen, if no cursor blinks between two looks")
    ok("scale needs import" in tools.run("observe_screen", {"PATH": few}, scale=0.5), "which cannot scale")


def elements(tools, form):
    answer = tools.run("get_ui_context", window_title="Form")
    tree = answer["windows"]
    secret, check = find(tree, name="Secret"), find(tree, name="Loud")
    ok(answer["foreground_window"] == "Form -x\nof the test" and find(tree, name="Greet", role="push button", actions=["click"])
       and check["role"] == "check box" and check["width"] > 0, "get_ui_context", answer)
    ok("hidden" not in json.dumps(answer) and secret["role"] == "password text" and "text" not in secret,
       "a password is not shown", secret)
    ok(find(tree, name="Off")["states"] == ["disabled"] if "states" in find(tree, name="Off") else False,
       "what is disabled", find(tree, name="Off"))
    few = tools.run("get_ui_context", max_elements=3)
    ok(few["element_count"] == 3 and "left out" in few["note"], "a bound on elements", few)
    few = tools.run("get_ui_context", max_depth=1)
    ok(few["windows"][0]["children"][0]["children_left_out"] == 9, "a bound on depth", few)

    def use(**arguments):
        return tools.run("execute_accessible", **arguments)
    answer = use(action="set_value", element_name="who", value="-x ä\"$HOME")
    ok("done" in answer and form.says("text -x ä\"$HOME"), "execute_accessible set_value", answer)
    answer = use(action="click", target="the button", element_name="Greet", window_title="Form")
    ok("done" in answer and form.says("greet -x ä\"$HOME"), "execute_accessible click", answer)
    answer = use(action="toggle", control_type="CheckBox")
    ok("done" in answer and form.says("loud True"), "execute_accessible toggle, by role", answer)
    answer = use(action="set_value", control_type="slider", value="7")
    ok("done" in answer and form.says("scale 7.0"), "execute_accessible set_value of a number", answer)
    answer = use(action="type", element_name="Who", value="typed")
    ok("done" in answer and form.says("text typed"), "execute_accessible type is set_value", answer)
    grounding(tools, form)
    answer = use(action="focus", element_name="Who")
    ok("focused" in answer["element"].get("states", []) if "done" in answer else False, "execute_accessible focus", answer)
    ok((tools.run("get_ui_context")["focused_element"] or {}).get("name") == "Who", "and get_ui_context shows that")
    answer = use(action="click", element_name="Twin", index=1)
    ok("done" in answer and form.says("twin 1"), "one of several", answer)
    for arguments, want in [
            ({"element_name": "Twin"}, "2 elements match: give control_type, or index"),
            ({"element_name": "Twin", "index": 2}, "only 2 elements match"),
            ({"element_name": "Nix"}, "no element matches; those that can click: "),
            ({}, "give element_name, control_type or automation_id"),
            ({"element_name": "Off"}, "the element is disabled"),
            ({"element_name": "Greet", "window_title": "Nix"}, "no window has 'Nix' in its title: there are 'Form")]:
        answer = str(use(action="click", **arguments))
        ok(answer.startswith("error: ") and want in answer, f"execute_accessible: {want}", answer)
    answer = str(use(action="set_value", control_type="slider", value="x"))
    ok("is a number, not 'x'" in answer, "execute_accessible: a value that is no number", answer)


def grounding(tools, form):
    answer = tools.run("observe_screen", mode="grounding", intent="the button", scale=0.5)
    said = json.loads(answer["text"].split("\n")[0])
    place = find(said["elements"], name="Greet")
    numbers = [element["number"] for element in said["elements"]]
    ok(numbers == list(range(1, len(numbers) + 1)), "observe_screen: elements are numbered", numbers)
    plain = tools.run("observe_screen", scale=0.5)
    ok(base64.b64decode(answer["images"][0]["data"]) != plain and size(plain) == (512, 384), "and marked in the picture")
    tools.run("observe_screen", mode="grounding", scale=0.5)
    ok(said["scale"] == 0.5 and said["intent"] == "the button" and answer["images"][0]["mime_type"] == "image/png" and place,
       "observe_screen: grounding has elements and the scale", said)
    answer = tools.run("execute_gui", action="click", space="screenshot", x=place["x"], y=place["y"])
    ok("done" in answer and form.says("greet typed"), "whose points execute_gui hits", (place, answer))
    before = form.lines.count("greet typed")
    answer = tools.run("execute_gui", action="click", element=place["number"])
    ok("done" in answer and until(lambda: form.lines.count("greet typed") > before), "by its number, too", (place, answer))
    answer = tools.run("execute_gui", action="click", element=999)
    ok("no number 999" in str(answer), "a number that is not there", answer)
    found = tools.run("execute_accessible find_element", text="greet", role="button")
    ok(found["found"] == 1 and found["elements"][0]["name"] == "Greet", "find_element", found)


def choice(tools):
    zenity = Program("zenity", "--forms", "--title=Colours", "--add-combo=Colour", "--combo-values=red|green|blue")
    ok(until(lambda: "error" not in tools.run("get_ui_context", window_title="Colours")), "a dialog with a choice")
    answer = str(tools.run("execute_accessible", action="select", control_type="combo box", window_title="Colours", value="pink"))
    ok("has no choice 'pink': there are red, green, blue" in answer, "select: no such choice", answer)
    answer = tools.run("execute_accessible", action="select", control_type="combo box", window_title="Colours", value="green")
    tools.run("execute_accessible", action="click", element_name="OK", window_title="Colours")
    ok(zenity.says("green") and zenity.process.wait(WAIT_SEC) == 0, "select by the value", (answer, zenity.lines))


def dialog(tools):
    """A dialog is filled in and closed; its program prints what it was given."""
    zenity = Program("zenity", "--entry", "--title=Question", "--text=Your name")
    ok(until(lambda: "error" not in tools.run("get_ui_context", window_title="Question")), "a dialog of zenity appears")
    tools.run("execute_accessible", action="set_value", control_type="Edit", window_title="Question", value="Ada; id")
    tools.run("execute_accessible", action="click", element_name="OK", window_title="Question")
    ok(zenity.says("Ada; id") and zenity.process.wait(WAIT_SEC) == 0, "it is filled in and closed", zenity.lines)


def maximize(tools, form, window):
    tools.run("execute_gui", action="click", x=20, y=30, window=str(window["id"]))
    answer = tools.run("maximize_active_window")
    ok(answer.get("maximized") and answer["was_maximized"] is False and form.says("size 1024 768"), "maximize_active_window",
       (answer, form.lines[-3:]))
    ok(tools.run("maximize_active_window")["was_maximized"] is True, "a second time changes nothing")


def keys_have_names(tools):
    for keys in ("alt+F4", "Alt + f4", "Alt_L+F4", "F4+alt", "0xffe9+0xffc1", "Super_R+R", "Control_L+Alt_R+Delete"):
        answer = str(tools.run("execute_gui", action="hotkey", keys=keys))
        ok("is blocked" in answer, f"{keys} is blocked", answer)
    answer = tools.run("execute_gui", action="press_key", keys="64+70")
    ok("there is no key '64'" in str(answer), "numbers of keys are no way around", answer)


def layout(tools, form):
    """The keyboard of now counts, not that of the start of the server."""
    if not shutil.which("setxkbmap"):
        return
    place = find(tools.run("get_ui_context", window_title="Form")["windows"], name="Who")
    for keymap, text in (("de", "yz-/"), ("us", "zy-/")):
        subprocess.run(["setxkbmap", keymap], check=True)
        tools.run("execute_accessible", action="set_value", element_name="Who", value="")
        answer = tools.run("execute_gui", steps=[{"action": "click", "x": place["x"] + 20, "y": place["y"] + 10},
                                                 {"action": "type", "text": text}])
        ok("done" in answer and form.says("text " + text), f"execute_gui type with the layout {keymap}", (answer, form.lines[-3:]))


def is_used(display):
    """Whether a call uses the mouse or the keyboard of a display."""
    name = f"display-{hashlib.sha256(display.encode()).hexdigest()[:16]}.lock"
    with open(os.path.join(os.environ["MUXBUS_TOOL_STATE"], name), "a", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def served(tools, form):
    """What only a server has: events, many calls at once, speed, and ends of displays, windows and itself."""
    zenity = Program("zenity", "--entry", "--title=Surprise", "--text=Text")
    opened = tools.event(kind="window_opened", title="Surprise")
    ok(opened and opened["data"]["pid"] == zenity.process.pid and "untrusted" in opened["data"], "an event: a window has opened", opened)
    ok(tools.event(kind="window_opened", title="Surprise", again=1), "and again, for a wait that begins later")
    zenity.process.kill()
    place = find(tools.run("get_ui_context", window_title="Form")["windows"], name="Who")
    tools.run("execute_accessible", action="set_value", element_name="Who", value="")
    tools.run("execute_gui", action="click", x=place["x"] + 20, y=place["y"] + 10)
    words = [f"word{number:02} " for number in range(20)]
    for number in [tools.begin("execute_gui", action="type", text=word) for word in words]:
        tools.end(number)
    text = next((line[5:] for line in reversed(form.lines) if line.startswith("text ")), "")
    ok(sorted(text.split()) == sorted("".join(words).split()), "20 calls at once do not type into each other", text)
    medians = {}
    for arguments in ({"action": "click", "x": 20, "y": 30}, {"action": "move_mouse", "x": 30, "y": 40}, {"action": "hotkey", "keys": "ctrl+a"}):
        times = []
        for _ in range(21):
            begin = time.monotonic()
            tools.run("execute_gui", **arguments)
            times.append(round(1000 * (time.monotonic() - begin), 1))
        medians[arguments["action"]] = statistics.median(times)
    load = os.getloadavg()[0]
    print(f"# medians of execute_gui in ms at load {load}: {medians}", flush=True)
    ok(max(medians.values()) <= (15 if load < 2 else 150), "execute_gui is quick", (medians, load))
    second = subprocess.Popen(["Xvfb", "-displayfd", "1", "-noreset", "-screen", "0", "640x480x24", "-nolisten", "tcp"],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    other = {"DISPLAY": ":" + second.stdout.readline().strip()}
    fds = f"/proc/{second.pid}/fd"  # one more for each client
    alone = len(os.listdir(fds))
    ok(tools.run("list_windows_desktop", other)["screen"]["width"] == 640, "the display is that of the caller")
    ok(tools.run("list_windows_desktop")["screen"]["width"] == 1024, "each time")
    until(lambda: len(os.listdir(fds)) == alone)
    typing = tools.begin("execute_gui", other, action="type", text="x" * 1000)
    ok(until(lambda: is_used(other["DISPLAY"]) and len(os.listdir(fds)) > alone), "a call is under way")
    second.kill()
    second.wait()
    answer = tools.end(typing)
    ok("has ended meanwhile (effect unknown)" in answer or "cannot be opened" in answer, "a display that ends in the middle", answer)
    answer = tools.run("list_windows_desktop", other)
    ok("cannot be opened" in answer, "and the next call", answer)
    ok("done" in tools.run("execute_gui", action="move_mouse", x=5, y=5), "others go on")
    window = next(one for one in tools.run("list_windows_desktop")["windows"] if one["title"].startswith("Form"))["id"]
    form.process.kill()
    form.process.wait()
    answer = tools.run("execute_gui", window=str(window), action="move_mouse", x=1, y=1)
    ok(f"there is no window {window}" in answer, "a window that has vanished", answer)
    workers = subprocess.run(["pgrep", "-P", str(tools.server.pid)], capture_output=True, text=True, check=False).stdout.split()
    tools.server.send_signal(signal.SIGKILL)
    ok(workers and until(lambda: not any(os.path.exists(f"/proc/{pid}") for pid in workers)), "after kill -9 of the server none of its processes is left",
       workers)


def story(tools, folder):
    form = Program("/usr/bin/python3", "-c", WINDOW)
    try:
        ok(until(lambda: isinstance(tools.run("get_ui_context", window_title="Form"), dict)), "a window of GTK appears")
        without_desktop(tools)
        window = windows(tools, form)
        mouse(tools, form, window)
        keyboard(tools, form)
        keys_have_names(tools)
        pictures(tools, folder, window)
        elements(tools, form)
        dialog(tools)
        choice(tools)
        layout(tools, form)
        maximize(tools, form, window)
        if isinstance(tools, Served):
            served(tools, form)
    finally:
        form.process.kill()


def main():
    folder = os.path.realpath(tempfile.mkdtemp())
    os.environ.update(HOME=folder, MUXBUS_TOOL_STATE=folder, TMPDIR=folder, LC_ALL="C.UTF-8", NO_AT_BRIDGE="0")
    server = subprocess.Popen(["Xvfb", "-displayfd", "1", "-noreset", "-screen", "0", "1024x768x24", "-nolisten", "tcp"],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        os.environ["DISPLAY"] = ":" + server.stdout.readline().strip()
        for kind in (Tools, Served):
            place = os.path.join(folder, kind.__name__)
            os.mkdir(place)
            print(f"# {kind.__name__}", flush=True)
            story(kind(place), place)
    finally:
        server.terminate()
        server.wait()
        shutil.rmtree(folder, ignore_errors=True)
    tap.done()


main()
