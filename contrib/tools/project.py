# SPDX-License-Identifier: ISC
"""What a tool keeps for a project: one JSON file each in MUXBUS_TOOL_STATE."""

import contextlib
import fcntl
import hashlib
import json
import os

from tool import fail, shown
from whole_file import write_whole


def project_folder():
    """The folder around the current directory that has a .git, else the current directory."""
    here = folder = os.getcwd()
    while folder != "/":
        if os.path.lexists(os.path.join(folder, ".git")):
            return folder
        folder = os.path.dirname(folder)
    return here


class Kept:
    """The value that a tool keeps for the project; save() replaces it."""

    def __init__(self, path, project, empty):
        self.path = path
        self.project = os.fsencode(project).decode("utf-8", "replace")  # as it can be shown
        self.value = self.load(empty)

    def load(self, empty):
        try:
            with open(self.path, "rb") as file:
                kept = json.load(file)
        except FileNotFoundError:
            return empty
        except ValueError as error:
            fail(f"{shown(self.path)} is not JSON ({error}): repair the file or remove it")
        if not isinstance(kept, dict) or type(kept.get("value")) is not type(empty):
            fail(f"{shown(self.path)} is not what this tool has written: repair the file or remove it")
        return kept["value"]

    def save(self, value):
        kept = {"project": self.project, "value": value}
        write_whole(self.path, (json.dumps(kept, ensure_ascii=False, indent=1) + "\n").encode())


@contextlib.contextmanager
def kept(tool, empty):
    """The project's Kept of a tool, locked: other calls wait. Without one, its value is empty."""
    state = os.environ.get("MUXBUS_TOOL_STATE")
    if not state:
        fail("MUXBUS_TOOL_STATE is not set: muxbusd sets the folder for this tool")
    project = project_folder()
    name = hashlib.sha256(os.fsencode(project)).hexdigest()[:32]
    with open(os.path.join(state, f"{tool}-lock"), "a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield Kept(os.path.join(state, f"{tool}-{name}.json"), project, empty)
