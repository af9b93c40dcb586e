# SPDX-License-Identifier: ISC
"""
Applies the hunks of a unified diff as models write them: counts may be wrong, line numbers wrong or
missing, context uneven. (patch(1) refuses the first, and takes less context behind a change than
before it for the end of the file.) The lines of a hunk must be in the file exactly.
"""

import re

from tool import fail

BOM = b"\xef\xbb\xbf"
HEADER = re.compile(rb"@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@")


class Hunk:
    def __init__(self, header):
        match = HEADER.match(header)
        self.line = int(match[1]) if match else None  # None: to be found by its text
        self.old = []
        self.new = []
        self.ends_with_newline = None  # the new file, if the hunk is at its end; None: as before

    def add(self, sign, text):
        if sign in b" -":
            self.old.append(text)
        if sign in b" +":
            self.new.append(text)


def has_crlf(data, part):
    """Whether all lines of a part end with CR LF. A part without an end of a line is like all data."""
    text = part if b"\n" in part else data
    return b"\r\n" in text and text.count(b"\r\n") == text.count(b"\n")


def apply_patch(name, part, first, diff, is_crlf):
    """Patches the bytes of a file from line first on. Returns the new bytes, and a sentence for the caller."""
    if part.startswith(BOM):
        new, said = apply_patch(name, part[len(BOM) :], first, diff.replace(BOM, b""), is_crlf)
        return BOM + new, said
    if is_crlf:
        new, said = apply_patch(name, part.replace(b"\r\n", b"\n"), first, diff.replace(b"\r\n", b"\n"), False)
        return new.replace(b"\n", b"\r\n"), said
    hunks = read_hunks(diff if b"\r\n" in part else diff.replace(b"\r\n", b"\n"))
    lines = part.removesuffix(b"\n").split(b"\n") if part else []
    newline = b"\n" if part.endswith(b"\n") or not part else b""
    said = f"patched {name}: {len(hunks)} {'hunk' if len(hunks) == 1 else 'hunks'}\n"
    done = 0  # lines of the new file
    shift = 0  # from a line of the diff to its place in lines
    for number, hunk in enumerate(hunks, 1):
        stated = None if hunk.line is None else hunk.line - first + shift + (not hunk.old)
        place = find(name, lines, number, hunk.old, done, stated, first)
        if stated is not None:
            if place != stated:
                said += f"Hunk {number} fitted {place - stated} lines off its number.\n"
            shift += place - stated + len(hunk.new) - len(hunk.old)
        lines[place : place + len(hunk.old)] = hunk.new
        done = place + len(hunk.new)
        if done == len(lines) and hunk.ends_with_newline is not None:
            newline = b"\n" if hunk.ends_with_newline else b""
    return b"\n".join(lines) + (newline if lines else b""), said


def read_hunks(diff):
    """The hunks of a diff of one file. Without any @@ line, all of it is one hunk."""
    lines = diff.rstrip(b"\n").split(b"\n")
    if not any(line.startswith(b"@@") for line in lines):
        names = [next((line for line in lines if line.startswith(sign)), None) for sign in (b"--- ", b"+++ ")]
        if names[0] == lines[0] and names[1] is not None:
            lines = [line for line in lines if line not in names]
        lines.insert(0, b"@@")
    hunks = []
    for number, line in enumerate(lines):
        sign = line[:1] or b" "
        if line.startswith(b"@@"):
            hunks.append(Hunk(line))
        elif not hunks:
            pass  # names of files
        elif line.startswith(b"--- ") and [text[:3] for text in lines[number + 1 : number + 3]] == [b"+++", b"@@ "]:
            fail("patch changes more than one file: call once for each file")
        elif sign in b" -+":
            hunks[-1].add(sign, line[1:])
        elif sign == b"\\":
            hunks[-1].ends_with_newline = lines[number - 1][:1] == b"-"
        else:
            fail(f"a line of a hunk begins with a space, - or +, and not as this: {line[:40].decode('utf-8', 'replace')!r}")
    if not all(hunk.old or hunk.new for hunk in hunks):
        fail("patch has an empty hunk: lines that begin with a space, - or + follow each @@ line")
    return hunks


def find(name, lines, number, old, done, stated, first):
    """The index of the old lines of a hunk: where they are stated, or nearest to that."""
    if not old and (stated is None or not done <= stated <= len(lines)):
        fail(f"hunk {number} only adds lines: give lines around them too, or their place as @@ -LINE,0 +LINE,1 @@")
    if not old:
        return stated
    places = [i for i in range(done, len(lines) - len(old) + 1) if lines[i : i + len(old)] == old]
    if not places:
        near = "" if stated is None else f" near line {max(stated + first, 1)}"
        fail(f"the old lines of hunk {number} are not in {name}{near}; nothing was changed: read it again")
    if stated is not None:
        nearest = min(abs(i - stated) for i in places)
        places = [i for i in places if abs(i - stated) == nearest]
    if len(places) > 1:
        fail(f"the old lines of hunk {number} are in {name} {len(places)} times: give more lines around them")
    return places[0]
