# SPDX-License-Identifier: ISC
"""For harmless.py and harmless_walk.py: the tmux programs at hand, and those that a variable of the environment names."""

import os
import re
import shutil
import subprocess
import sys


def version_of(program):
    return subprocess.run([program, "-V"], stdout=subprocess.PIPE, check=False, text=True).stdout.split()[-1]


def number_of(version):
    """A version as something that can be compared: 3.7c is (3, 7, "c")."""
    major, minor, letter = re.match(r"\D*(\d+)\.?(\d*)([a-z]*)", version).groups()
    return int(major), int(minor or 0), letter


def programs():
    """Each supported tmux, by version: of the PATH, and of the cache."""
    found = {version_of("tmux"): shutil.which("tmux")}
    cache = os.environ.get("MUXBUS_TMUX_CACHE", "")
    for name in sorted(os.listdir(cache) if os.path.isdir(cache) else ()):
        path = os.path.join(cache, name)
        if name.startswith("tmux-") and os.access(path, os.X_OK) and number_of(name) >= (3, 3):
            found.setdefault(version_of(path), path)
    return found


def selection(variable, all_modes, quick, named_only=()):
    """Versions, as programs, and modes, in order. "without" is always there; modes of named_only are not part of "all"."""
    words = os.environ.get(variable, "")
    there = programs()
    versions, modes = [version_of("tmux")], list(quick)
    if words == "all":
        return there, list(all_modes)
    if words:
        first, _, second = words.partition(":")
        versions = [name for name in first.split(",") if name] or versions
        modes = [mode for mode in second.split(",") if mode] or modes
    known = (*all_modes, *named_only)
    missing = [name for name in versions if name not in there] + [mode for mode in modes if mode not in known]
    if missing:
        print(f"Bail out! {variable}={words}: there is no {', '.join(missing)}")
        sys.exit(99)
    return {name: there[name] for name in versions}, [mode for mode in known if mode in modes or mode == "without"]
