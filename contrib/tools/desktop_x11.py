# SPDX-License-Identifier: ISC
"""The X server, by the libraries of xdotool: libX11 and libxdo. Each call has a connection of its own, so
that the keyboard and the display are those of now; a display that ends, or a window that is gone, ends the
call with a sentence."""

import ctypes
import locale
import os
from ctypes import POINTER, Structure, byref, c_char_p, c_int, c_long, c_uint, c_ulong, c_void_p, cast

from tool import fail

MAX_DEPTH = 8  # of windows within windows
MAX_SEEN = 10000  # windows that a search looks at
MAX_WORDS = 65536  # of a property, of 4 bytes each
NAMES = {"libX11": ("libX11.so.6",), "libxdo": ("libxdo.so.3", "libxdo.so.4")}
VIEWABLE = 2
CLIENT_MESSAGE = 33
ALL_PLANES, Z_PIXMAP = 0xFFFFFFFF, 2
TO_MANAGER = 0x180000  # SubstructureNotifyMask and SubstructureRedirectMask
BUTTON_MS = 4  # that a button is down
KEY_DELAY_US = 2000
TEXT_DELAY_US = 4000  # of each character: programs lose some of those that come faster


class Attributes(Structure):
    _fields_ = [*((name, c_int) for name in ("x", "y", "width", "height", "border", "depth")), ("visual", c_void_p),
                ("root", c_ulong), *((name, c_int) for name in ("kind", "bit_gravity", "gravity", "backing")),
                ("planes", c_ulong), ("pixel", c_ulong), ("save_under", c_int), ("colormap", c_ulong),
                ("installed", c_int), ("map_state", c_int), ("all_events", c_long), ("your_events", c_long),
                ("not_passed", c_long), ("overrides", c_int), ("screen", c_void_p)]

    def is_shown(self):
        return self.map_state == VIEWABLE


class Message(Structure):
    _fields_ = [("type", c_int), ("serial", c_ulong), ("sent", c_int), ("display", c_void_p), ("window", c_ulong),
                ("kind", c_ulong), ("width", c_int), ("words", c_long * 5), ("rest", c_long * 24)]


class Error(Structure):
    _fields_ = [("type", c_int), ("display", c_void_p), ("resource", c_ulong), ("serial", c_ulong),
                ("code", ctypes.c_ubyte), ("request", ctypes.c_ubyte), ("minor", ctypes.c_ubyte)]


class Image(Structure):
    _fields_ = [*((name, c_int) for name in ("width", "height", "offset", "format")), ("data", c_void_p),
                *((name, c_int) for name in ("byte_order", "unit", "bit_order", "pad", "depth", "row_bytes", "bits")),
                *((name, c_ulong) for name in ("red", "green", "blue"))]

    def has_known_pixels(self):
        """Whether a pixel is blue, green, red and a byte more, as nearly everywhere."""
        return (self.bits, self.byte_order, self.red, self.green, self.blue) == (32, 0, 0xFF0000, 0xFF00, 0xFF)


# Name: what it returns, and its arguments; each of a display ("d") or of libxdo begins with it.
X11 = {
    "XOpenDisplay": (c_void_p, c_char_p), "XCloseDisplay": (c_int, "d"), "XSync": (c_int, "d", c_int),
    "XDefaultRootWindow": (c_ulong, "d"), "XConnectionNumber": (c_int, "d"), "XPending": (c_int, "d"),
    "XNextEvent": (c_int, "d", c_void_p), "XSelectInput": (c_int, "d", c_ulong, c_long),
    "XDisplayWidth": (c_int, "d", c_int), "XDisplayHeight": (c_int, "d", c_int), "XFree": (c_int, c_void_p),
    "XInternAtom": (c_ulong, "d", c_char_p, c_int), "XStringToKeysym": (c_ulong, c_char_p),
    "XGetWindowProperty": (c_int, "d", c_ulong, c_ulong, c_long, c_long, c_int, c_ulong, POINTER(c_ulong),
                           POINTER(c_int), POINTER(c_ulong), POINTER(c_ulong), POINTER(c_void_p)),
    "XGetWindowAttributes": (c_int, "d", c_ulong, POINTER(Attributes)),
    "XTranslateCoordinates": (c_int, "d", c_ulong, c_ulong, c_int, c_int, POINTER(c_int), POINTER(c_int),
                              POINTER(c_ulong)),
    "XQueryTree": (c_int, "d", c_ulong, POINTER(c_ulong), POINTER(c_ulong), POINTER(POINTER(c_ulong)), POINTER(c_uint)),
    "XGetInputFocus": (c_int, "d", POINTER(c_ulong), POINTER(c_int)),
    "XMoveWindow": (c_int, "d", c_ulong, c_int, c_int), "XResizeWindow": (c_int, "d", c_ulong, c_uint, c_uint),
    "XGetImage": (POINTER(Image), "d", c_ulong, c_int, c_int, c_uint, c_uint, c_ulong, c_int),
    "XDestroyImage": (c_int, POINTER(Image)),
    "XSendEvent": (c_int, "d", c_ulong, c_int, c_long, POINTER(Message)),
    "XSetErrorHandler": (c_void_p, c_void_p), "XSetIOErrorHandler": (c_void_p, c_void_p),
}
XDO = {
    "xdo_new_with_opened_display": (c_void_p, "d", c_char_p, c_int), "xdo_free": (None, "d"),
    "xdo_move_mouse": (c_int, "d", c_int, c_int, c_int), "xdo_mouse_down": (c_int, "d", c_ulong, c_int),
    "xdo_mouse_up": (c_int, "d", c_ulong, c_int), "xdo_activate_window": (c_int, "d", c_ulong),
    "xdo_raise_window": (c_int, "d", c_ulong), "xdo_focus_window": (c_int, "d", c_ulong),
    "xdo_enter_text_window": (c_int, "d", c_ulong, c_char_p, c_uint),
    "xdo_send_keysequence_window": (c_int, "d", c_ulong, c_char_p, c_uint),
    "xdo_get_active_modifiers": (c_int, "d", POINTER(c_void_p), POINTER(c_int)),
    "xdo_clear_active_modifiers": (c_int, "d", c_ulong, c_void_p, c_int),
    "xdo_set_active_modifiers": (c_int, "d", c_ulong, c_void_p, c_int),
}


def load(name, rows):
    """The functions of a library, as in rows."""
    for file in NAMES[name]:
        try:
            library = ctypes.CDLL(file)
        except OSError:
            continue
        for function, (result, *arguments) in rows.items():
            found = getattr(library, function)
            found.restype = result
            found.argtypes = [c_void_p if argument == "d" else argument for argument in arguments]
        return library
    fail(f"{NAMES[name][0]} is not installed: install xdotool, which brings it")


x11 = load("libX11", X11)
xdo = load("libxdo", XDO)


class Screen:
    """A connection to the display of the environment."""

    def __init__(self):
        locale.setlocale(locale.LC_CTYPE, "C.UTF-8")  # in which libxdo reads text
        self.name = os.environ["DISPLAY"]
        self.error = 0  # code of the last one
        # Kept here, since C does not.
        self.handlers = (ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(Error))(self.on_error),
                         ctypes.CFUNCTYPE(c_int, c_void_p)(self.on_end))
        x11.XSetErrorHandler(self.handlers[0])
        x11.XSetIOErrorHandler(self.handlers[1])
        self.display = x11.XOpenDisplay(self.name.encode("utf-8", "surrogateescape"))
        if not self.display:
            fail(f"the display {self.name} cannot be opened: does its X server run, and may this user use it?")
        self.root = x11.XDefaultRootWindow(self.display)
        self.size = x11.XDisplayWidth(self.display, 0), x11.XDisplayHeight(self.display, 0)
        self.atoms = {}
        self.hands = None

    def on_error(self, _, error):
        self.error = error.contents.code
        return 0

    def on_end(self, _):
        os.write(2, f"the display {self.name} has ended meanwhile (effect unknown)\n".encode("utf-8", "replace"))
        os._exit(1)  # the function may not return

    def close(self):
        if self.hands:
            xdo.xdo_free(self.hands)
        x11.XCloseDisplay(self.display)

    def is_well(self):
        """Whether what was asked for since the last question went well: no window was gone."""
        x11.XSync(self.display, 0)
        error, self.error = self.error, 0
        return error == 0

    # ---- events ----

    def select_root(self, mask):
        x11.XSelectInput(self.display, self.root, mask)
        self.fd = x11.XConnectionNumber(self.display)

    def has_events(self):
        return x11.XPending(self.display) > 0

    def drop_events(self):
        """How many have come. What they mean is looked up."""
        event = (c_long * 24)()
        count = x11.XPending(self.display)
        for _ in range(count):
            x11.XNextEvent(self.display, event)
        return count

    # ---- looks ----

    def atom(self, name):
        if name not in self.atoms:
            self.atoms[name] = x11.XInternAtom(self.display, name.encode(), 0)
        return self.atoms[name]

    def prop(self, window, name):
        """A property of a window: bytes, or numbers; None: it is not there, or the window is not."""
        kind, count, left, width, data = c_ulong(), c_ulong(), c_ulong(), c_int(), c_void_p()
        x11.XGetWindowProperty(self.display, window, self.atom(name), 0, MAX_WORDS, 0, 0, byref(kind), byref(width),
                               byref(count), byref(left), byref(data))
        self.is_well()
        if not data:
            return None
        try:
            if width.value == 32:
                return list(cast(data, POINTER(c_ulong))[: count.value])
            text = ctypes.string_at(data, count.value * width.value // 8)
            return text.decode("latin-1").encode() if kind.value == self.atom("STRING") else text
        finally:
            x11.XFree(data)

    def attributes(self, window):
        """None: the window is gone."""
        found = Attributes()
        is_there = x11.XGetWindowAttributes(self.display, window, byref(found))
        return found if self.is_well() and is_there else None

    def place(self, window):
        """x, y, width and height on the screen, or None: the window is gone."""
        found = self.attributes(window)
        x, y, child = c_int(), c_int(), c_ulong()
        if found is None:
            return None
        x11.XTranslateCoordinates(self.display, window, found.root, -found.border, -found.border, byref(x), byref(y),
                                  byref(child))
        return {"x": x.value, "y": y.value, "width": found.width, "height": found.height} if self.is_well() else None

    def title(self, window):
        text = self.prop(window, "_NET_WM_NAME") or self.prop(window, "WM_NAME")
        return text.decode("utf-8", "replace") if isinstance(text, bytes) else ""

    def within(self, window):
        """The windows in a window, the lowest first."""
        root, parent, count, found = c_ulong(), c_ulong(), c_uint(), POINTER(c_ulong)()
        x11.XQueryTree(self.display, window, byref(root), byref(parent), byref(found), byref(count))
        self.is_well()
        if not found:
            return []
        try:
            return list(found[: count.value])
        finally:
            x11.XFree(found)

    def named(self):
        """All windows that are visible and have a name."""
        found, level, seen = [], [self.root], 0
        for _ in range(MAX_DEPTH):
            level = [inner for window in level for inner in self.within(window)][: MAX_SEEN - seen]
            seen += len(level)
            for window in level:
                attributes = self.attributes(window)
                if attributes and attributes.is_shown() and self.title(window):
                    found.append(window)
        return found

    def focused(self):
        window, how = c_ulong(), c_int()
        x11.XGetInputFocus(self.display, byref(window), byref(how))
        return window.value if window.value > 1 else None

    def pixels(self, left, top, width, height):
        """The rows of a part of the screen, of red, green and blue bytes; None: this display has others."""
        image = x11.XGetImage(self.display, self.root, left, top, width, height, ALL_PLANES, Z_PIXMAP)
        if not self.is_well() or not image:
            return None
        try:
            if not image.contents.has_known_pixels():
                return None
            size = image.contents.row_bytes
            data = ctypes.string_at(image.contents.data, size * height)
        finally:
            x11.XDestroyImage(image)
        rows = bytearray(3 * (size // 4) * height)
        for at in range(3):
            rows[at::3] = data[2 - at :: 4]
        return [bytes(rows[start : start + 3 * width]) for start in range(0, len(rows), 3 * (size // 4))]

    # ---- acts ----

    def hand(self, name, *arguments):
        """A function of libxdo."""
        self.hands = self.hands or xdo.xdo_new_with_opened_display(self.display, self.name.encode(), 0)
        return getattr(xdo, name)(self.hands, *arguments)

    def move(self, x, y):
        self.hand("xdo_move_mouse", x, y, 0)
        self.is_well()

    def button(self, number, is_down):
        self.hand("xdo_mouse_down" if is_down else "xdo_mouse_up", 0, number)
        self.is_well()

    def without_modifiers(self, work):
        """Does something while keys such as shift, if they are down, are not."""
        keys, count = c_void_p(), c_int()
        self.hand("xdo_get_active_modifiers", byref(keys), byref(count))
        self.hand("xdo_clear_active_modifiers", 0, keys, count)
        work()
        self.hand("xdo_set_active_modifiers", 0, keys, count)
        self.is_well()

    def press(self, keys):
        self.without_modifiers(lambda: self.hand("xdo_send_keysequence_window", 0, keys.encode(), KEY_DELAY_US))

    def write(self, text):
        self.without_modifiers(lambda: self.hand("xdo_enter_text_window", 0, text.encode(), TEXT_DELAY_US))

    def resize(self, window):
        """Makes a window as large as the screen."""
        x11.XMoveWindow(self.display, window, 0, 0)
        x11.XResizeWindow(self.display, window, *self.size)
        self.is_well()

    def ask_manager(self, window, name, *words):
        """Sends a message to the window manager; texts in it are names of atoms."""
        words = [self.atom(word) if isinstance(word, str) else word for word in words]
        message = Message(CLIENT_MESSAGE, 0, 1, self.display, window, self.atom(name), 32, (c_long * 5)(*words))
        x11.XSendEvent(self.display, self.root, 0, TO_MANAGER, byref(message))
        self.is_well()

    def keysym(self, name):
        """The number of a key; 0: X11 has none of that name."""
        return x11.XStringToKeysym(name.encode())
