# SPDX-License-Identifier: ISC
"""The oracle of harmlessness: situations of users on real tmux servers, without muxbusd and with it in several modes.
All that users see must be the same as without it, but for the rows that ALLOWED names, with the reason.

MUXBUS_HARMLESS is what is run: "all", or words of versions and modes, such as "3.3a,3.8:rest,control"; by default the
tmux of the PATH with the modes of QUICK. The mode "plain" is run only where it is named. Versions are those of the PATH and of MUXBUS_TMUX_CACHE.
MUXBUS_HARMLESS_ROUNDS (6) is how often tmux is brought near its death in each situation for that.
MUXBUS_HARMLESS_ONLY is a part of the names of situations, for one who looks for a fault."""

import fnmatch
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import tap  # noqa: E402
from harmless_situations import SITUATIONS  # noqa: E402
from harmless_versions import number_of, selection  # noqa: E402
from harmless_world import MODES, PLAIN, World, adopt_orphans  # noqa: E402
from tap import ok  # noqa: E402

QUICK = ("without", "rest", "asked", "following")
ONLY = os.environ.get("MUXBUS_HARMLESS_ONLY", "")

# Modes that have control clients. A mode that has lost them goes from here, and its rows are then as without.
ATTACHED = {"control", PLAIN}
EACH = {"rest", "asked", "following", *ATTACHED}
ANY = ("3.3", "99")
UP_TO_3_7 = ("3.3", "3.7z")
# Rows that may differ from tmux without muxbusd: modes, versions, patterns of rows, the reason.
ALLOWED = (
    (EACH, ANY, ("environment: MUXBUS",), "muxbusd sets this variable on purpose"),
    (EACH, ANY, ("hooks: after-* hooks", "log of messages: commands of show-messages"), "the commands of muxbusd"),
    (ATTACHED, UP_TO_3_7, ("programs end together: programs*", "windows of links: kill-window*", "two ends in one list: *-*"),
     "tmux tells each control client of a session's current window when that is gone"),
    (ATTACHED, ANY, ("focus events: *",), "a control client is focused from its creation"),
    (ATTACHED, ANY, ("current client *: *", "dialogs *: *", "tmux resurrect: state", "tmux resurrect: where the person is",
                     "tmux resurrect: the last session"),
     "the newest client is the current one, until a person's next key"),
    (ATTACHED, ANY, ("tmux resurrect: all of it", "from a pane: all panes", "from a pane: its end", "window size: a new window there"),
     "tmux takes the size of a new window in a session without persons from its current client"),
    (ATTACHED, ANY, ("detach on destroy*: *", "attach without a name: *",
                     "lists: list-sessions", "lists: *clients*", "lists: *attached*", "activity of sessions: *",
                     "counts in the status line: *", "choosers: *", "exit empty off: a new session",
                     "groups and links: counts of the group", "alerts: bell of a session without persons",
                     "alerts: session_alerts", "attach and detach: clients then"),
     "a control client counts as a client of its session"),
    (ATTACHED, ANY, ("destroy unattached: the option is set later", "destroy unattached in groups: keep-group",
                     "exit unattached set later: server"),
     "a control client counts as a client of its session; muxbusd leaves as persons do, but reads the option when it attaches"),
    (ATTACHED, ANY, ("hooks: *", "hooks with arguments: *", "other control client: events"), "tmux says that a client attaches, or leaves"),
    (ATTACHED, ANY, ("kill server with a stopped daemon: kill-server",), "tmux waits for its control clients, but not without an end"),
    (ATTACHED, UP_TO_3_7, ("*: server",), "the same may come with the end of any session"),
    ({"following"}, ANY, ("pipes: pane_pipe", "pipes: pane_pipe at its end", "toggled pipe: *", "other commands: display-message -a"), "a pipe follows the pane"),
)


def allowance(version, mode, row):
    """Why the row may differ from tmux without muxbusd: the pattern and the reason; None if it may not."""
    number = number_of(version)
    for modes, (first, last), patterns, why in ALLOWED:
        if mode in modes and number_of(first) <= number <= number_of(last):
            for pattern in patterns:
                if fnmatch.fnmatchcase(row, pattern) and (not row.endswith(": server") or pattern.endswith(": server")):
                    return pattern, why
    return None


def play(version, program, mode):
    """All situations in one mode; prints the rows. This is a process of its own."""
    adopt_orphans()
    folder = tempfile.mkdtemp(prefix="mbh-")
    world = World(program, mode, folder, lambda row: allowance(version, mode, row))
    seconds = {}
    try:
        for name, function in SITUATIONS.items():
            if ONLY in name:
                seconds[name] = world.play(name, function)
    finally:
        world.close()
        shutil.rmtree(folder, ignore_errors=True)
    print(json.dumps({"rows": world.rows, "counts": world.counts, "seconds": seconds}))


def start(version, program, mode):
    return subprocess.Popen([sys.executable, os.path.abspath(__file__), "play", version, program, mode],
                            stdout=subprocess.PIPE, text=True)


def finish(process):
    text = process.communicate()[0]
    return json.loads(text) if process.returncode == 0 else None


def differences(want, got):
    """Rows that are not the same. When a server has died, its other rows are not looked at."""
    for row in {**want, **got}:
        died = row.split(": ")[0] + ": server"
        if want.get(row) != got.get(row) and (row in got or got.get(died) == want.get(died)):
            yield row, want.get(row), got.get(row)


def say(text):
    print("# " + text.replace("\n", "\n# "), flush=True)


def short(value):
    """Of a row of many lines, as one line."""
    return repr(value if value is None or len(value) < 400 else value[:400] + "...")


def changes(want, got):
    """What differs between two texts of several lines; both if they are short."""
    if want is None or got is None or "\n" not in want + got:
        return f"{short(want)} -> {short(got)}"
    old, new = want.split("\n"), got.split("\n")
    return short("\n".join([f"-{line}" for line in old if line not in new] + [f"+{line}" for line in new if line not in old]))


def compare(version, mode, want, got):
    """One check: the mode is harmless, but for what is allowed; and a note for each pattern that was not needed."""
    harm, named, used = [], 0, set()
    for row, without, there in differences(want["rows"], got["rows"]):
        allowed = allowance(version, mode, row)
        if allowed is None:
            harm.append(f"{row}: {changes(without, there)}")
        else:
            named += 1
            used.add(allowed[0])
            say(f"{version} {mode}, allowed: {row}: {changes(without, there)} ({allowed[1]})")
    unused = {allowance(version, mode, row) for row in got["rows"]} - {None}
    for pattern, why in sorted(unused):
        if pattern not in used:
            say(f"{version} {mode}, note: nothing differs in {pattern} ({why})")
    ok(not harm, f"tmux {version}, {mode}: {len(got['rows'])} things are seen as without muxbusd, but for {named} that are named",
       "\n".join(harm))


def main():
    versions, modes = selection("MUXBUS_HARMLESS", MODES, QUICK, (PLAIN,))
    began = time.monotonic()
    for version, program in versions.items():
        results = {mode: process for mode, process in [(mode, start(version, program, mode)) for mode in modes]}
        results = {mode: finish(process) for mode, process in results.items()}
        want = results.pop("without")
        ok(want and not [row for row, value in want["rows"].items() if ": " in value and row.endswith(": server")],
           f"tmux {version}, without: every situation runs", want and want["rows"])
        for mode, got in results.items():
            if want and got:
                compare(version, mode, want, got)
            else:
                ok(False, f"tmux {version}, {mode}: the situations run")
        for mode, got in {"without": want, **results}.items():
            if got:
                slow = sorted(got["seconds"].items(), key=lambda item: -item[1])[:4]
                say(f"{version} {mode}: {sum(got['seconds'].values()):.1f} s, of these " +
                    ", ".join(f"{name} {seconds:.1f}" for name, seconds in slow) + "; " +
                    ", ".join(f"{name} {count}" for name, count in got["counts"].items()))
    say(f"{time.monotonic() - began:.1f} s")
    tap.done()


if sys.argv[1:2] == ["play"]:
    play(*sys.argv[2:])
else:
    main()
