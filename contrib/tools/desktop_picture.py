# SPDX-License-Identifier: ISC
"""Pictures of the screen as PNG. Smaller ones are made by import of ImageMagick, and those of a display with
unusual pixels by import or scrot."""

import json
import os
import shutil
import struct
import zlib

from desktop import check_display, fail, find_window, program, screen, screen_size

MAX_BYTES = 8 << 20
LEVEL = 4  # of compression
# The points of each digit, in 5 rows of 3: no font is needed.
DIGITS = dict(zip("0123456789", (0x7B6F, 0x2C97, 0x73E7, 0x72CF, 0x5BC9, 0x79CF, 0x79EF, 0x7292, 0x7BEF, 0x7BCF)))


def area(arguments, window):
    """The rectangle that is wanted, in pixels of the screen."""
    width, height = screen_size()
    whole = {"x": 0, "y": 0, "width": width, "height": height}
    if window:
        whole = {name: window[name] for name in whole}
    part = arguments.get("region")
    if part is None:
        part = {}
    unknown = set(part) - set(whole)
    if unknown:
        fail(f"region has no member {min(unknown)!r}: its members are x, y, width and height")
    if any(not isinstance(value, int) or isinstance(value, bool) for value in part.values()):
        fail("region: x, y, width and height are whole numbers of pixels")
    x, y = part.get("x", 0), part.get("y", 0)
    size = part.get("width", whole["width"] - x), part.get("height", whole["height"] - y)
    if x < 0 or y < 0 or min(size) < 1 or x + size[0] > whole["width"] or y + size[1] > whole["height"]:
        fail(f"region is not inside the {'window' if window else 'screen'}, which is "
             f"{whole['width']} x {whole['height']} pixels")
    # What lies beyond the edges of the screen cannot be seen.
    left, top = max(0, whole["x"] + x), max(0, whole["y"] + y)
    right, bottom = min(width, whole["x"] + x + size[0]), min(height, whole["y"] + y + size[1])
    if left >= right or top >= bottom:
        fail("the window is not on the screen")
    return left, top, right - left, bottom - top


def state_path():
    """The file that remembers the last picture for the pane of the caller, or None."""
    state = os.environ.get("MUXBUS_TOOL_STATE")
    return state and os.path.join(state, f"picture-{os.environ.get('MUXBUS_PANE', 'none').lstrip('%')}.json")


def last_picture():
    """The corner of the last picture on the screen, its scale, and the points of its elements."""
    path = state_path()
    try:
        with open(path or "", "rb") as file:
            kept = json.load(file)
        return kept["left"], kept["top"], kept["scale"], kept.get("points", [])
    except (OSError, ValueError, KeyError, TypeError):
        fail("there is no picture for this pane yet: call observe_screen first, or leave out space")


def keep_place(left, top, scale, elements):
    """Remembers where a picture was, so that its pixels and elements can be points of execute_gui."""
    if state_path():
        points = [[element["x"], element["y"]] for element in elements]
        with open(state_path(), "w", encoding="utf-8") as file:
            json.dump({"left": left, "top": top, "scale": scale, "points": points}, file)


def element_point(number):
    """The middle of an element of the last picture, in its pixels."""
    points = last_picture()[3]
    if not 1 <= number <= len(points):
        fail(f"the last picture has {len(points)} elements, and no number {number}: observe_screen with mode=grounding numbers "
             "them")
    return points[number - 1]


def picture(arguments, window_name):
    """The bytes of a PNG."""
    return taken(arguments, window_name)[0]


def taken(arguments, window_name):
    """The bytes of a PNG, its corner on the screen, and its scale."""
    check_display()
    window = find_window(arguments[window_name]) if window_name in arguments else None
    left, top, width, height = area(arguments, window)
    scale = arguments.get("scale", 1)
    rows = screen().pixels(left, top, width, height) if scale == 1 else None
    if rows:
        return checked(png_of(rows, width), scale), left, top, 1
    if shutil.which("import"):
        words = ["import", "-silent", "-window", "root", "-crop", f"{width}x{height}+{left}+{top}", "+repage"]
        words += [] if scale == 1 else ["-resize", f"{scale * 100:g}%"]
        words += ["-depth", "8", "png:-"]
    elif scale != 1:
        fail("scale needs import of ImageMagick, which is not installed")
    else:
        words = ["scrot", "--autoselect", f"{left},{top},{width},{height}", "-"]
    status, data, errors = program(*words)
    if status != 0 or not data.startswith(b"\x89PNG"):
        fail(f"{words[0]} made no picture: {errors.splitlines()[-1] if errors else f'exit status {status}'}")
    return checked(data, scale), left, top, size_of(data)[0] / width


def checked(data, scale):
    if len(data) > MAX_BYTES:
        fail(f"the picture has {len(data)} bytes, more than {MAX_BYTES}: give a region, or a scale below {scale:g}")
    return data


def png_of(rows, width):
    """A PNG of rows of red, green and blue bytes."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    head = struct.pack(">IIBBBBB", width, len(rows), 8, 2, 0, 0, 0)
    data = zlib.compress(b"".join(b"\0" + row for row in rows), LEVEL)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def marked(png, elements):
    """The picture with a frame and the number of each element, by ImageMagick; without it, the picture as it is."""
    if not elements or not shutil.which("convert"):
        return png
    frames = [f"rectangle {round(e['x'] - e['width'] / 2)},{round(e['y'] - e['height'] / 2)} "
              f"{round(e['x'] + e['width'] / 2)},{round(e['y'] + e['height'] / 2)}" for e in elements]
    words = ["convert", "png:-", "-fill", "none", "-stroke", "red", "-draw", " ".join(frames), "-stroke", "none"]
    for element in elements:
        x, y = max(0, round(element["x"] - element["width"] / 2)), max(0, round(element["y"] - element["height"] / 2))
        digits = str(element["number"])
        cells = "".join(f"rectangle {x + 2 + 8 * at + 2 * (cell % 3)},{y + 2 + 2 * (cell // 3)} "
                        f"{x + 3 + 8 * at + 2 * (cell % 3)},{y + 3 + 2 * (cell // 3)} "
                        for at, digit in enumerate(digits) for cell in range(15) if DIGITS[digit] >> (14 - cell) & 1)
        words += ["-fill", "red", "-draw", f"rectangle {x},{y} {x + 1 + 8 * len(digits)},{y + 13}", "-fill", "white", "-draw", cells]
    status, data, _ = program(*words, "-depth", "8", "png:-", data=png)
    return data if status == 0 and data.startswith(b"\x89PNG") and len(data) <= MAX_BYTES else png


def size_of(png):
    return struct.unpack(">II", png[16:24])
