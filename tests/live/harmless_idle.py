# SPDX-License-Identifier: ISC
"""Persons at terminals, each in the midst of something: a popup, a selection, a prompt. While nobody does anything and muxbusd
works, no terminal gets a byte, no #() of a status line runs, and nothing that tmux can list changes. Then each person ends
what was begun, with the same outcome as without muxbusd.

MUXBUS_IDLE is what is run: "all", or words of versions and modes, as for harmless.py."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import tap  # noqa: E402
from fleet_machines import Link  # noqa: E402
from harmless_situations import HOOKS  # noqa: E402
from harmless_steps import Terminal  # noqa: E402
from harmless_versions import selection  # noqa: E402
from harmless_world import World, adopt_orphans, until  # noqa: E402
from tap import ok  # noqa: E402

MODES = ("without", "rest", "following")
QUIET_SEC = 1.5
TERMINAL = b"\033[?1;2c\033[>0;95;0c\033P>|XTerm(370)\033\\"  # what a terminal answers when tmux asks what it is
CONFIG = r"""
set -g mouse on
set -g status-left '[#{session_name}] '
set -g status-right '#(echo >>DIR/jobs)#{?client_prefix,P,-}#{session_attached}#{window_active_clients} #{W:#I#F}'
setw -g window-status-format '#I:#W#F#(echo >>DIR/jobs)'
set -g set-titles on
set -g set-titles-string '#S #W #T #{session_attached}'
set -g pane-border-status top
set -g pane-border-format '#P #{pane_title} #{pane_current_command} #{pane_in_mode}#(echo >>DIR/jobs)'
setw -g aggressive-resize on
set -g focus-events on
setw -g monitor-activity on
set -g update-environment 'DISPLAY SSH_AUTH_SOCK XX'
set -g display-time 600000
set -g display-panes-time 600000
setw -g mode-keys vi
bind -T copy-mode-vi v send-keys -X begin-selection
"""
P = b"\002"
# Each person's session has that name. What is done before, the keys, and those that end what was begun; "" is a pause.
PERSONS = {
    "nothing": ((), (), ()),
    "prefix": ((), (P,), (b"c",)),
    "selection": ((), (b"seq 200\r", "", P + b"[", "", b"kkkvkkh"), (b"y",)),
    "search": ((), (b"seq 200\r", "", P + b"[", "", b"?19"), (b"\r",)),
    "tree": ((), (P + b"w", "", b"t"), (b"q",)),
    "buffers": (("set-buffer", "text"), (P + b"=",), (b"\r",)),
    "customize": ((), (P + b"C",), (b"q",)),
    "popup": ((), (P + b"u", "", b"echo typed"), (b"\r", "", b"exit\r")),
    "menu": ((), (P + b"<",), (b"q",)),
    "numbers": (("split-window", "-d"), (P + b"q",), (b"1",)),
    "prompt": ((), (P + b":", "", b"rename-window ab"), (b"cd\r",)),
    "question": (("split-window", "-d"), (P + b"x",), (b"y",)),
    "keys": ((), (P + b"?",), (b"q",)),
    "drag": (("split-window", "-h"), (b"\033[<0;41;5M", b"\033[<32;43;5M"), (b"\033[<32;50;5M", b"\033[<0;50;5m")),
    "full": ((), (b"printf '\\033[?1049h\\033[?1000h\\033[?2004hfull'; cat\r",), (b"\003",)),
    "synchronized": (("split-window", "-d", ";", "set-option", "-w", "synchronize-panes", "on"), (b"both",), (b"\r",)),
    "dead": (("set-option", "-w", "remain-on-exit", "on", ";", "split-window", "exit 3"), (), (P + b"o",)),
    "zoomed": (("split-window",), (P + b"m", P + b"z"), (P + b"z",)),
    "windows": (("new-window", ";", "new-window", ";", "new-window", "-d", "printf '\\a'; exec cat"), (P + b"p",), (P + b"l",)),
}
FORMATS = {
    "list-sessions": "#{session_id} #{session_name} #{session_attached} #{session_attached_list} #{session_last_attached} "
                     "#{session_activity} #{session_alerts} #{session_stack}",
    "list-windows -a": "#{window_id} #{window_index} #{window_name} #{window_raw_flags} #{window_visible_layout} #{window_activity} "
                       "#{window_stack_index} #{window_active_clients_list} #{window_active_sessions_list}",
    "list-panes -a": "#{pane_id} #{pane_index} #{pane_pid} #{pane_mode} #{history_size} #{history_bytes} #{cursor_x},#{cursor_y} "
                     "#{scroll_position} #{selection_present} #{pane_dead} #{pane_marked} #{pane_input_off} #{pane_title}",
    "list-clients": "#{client_tty} #{client_session} #{client_last_session} #{client_key_table} #{client_prefix} #{client_flags} "
                    "#{client_activity}",
    "list-buffers": "#{buffer_name} #{buffer_size} #{buffer_created}",
}
LISTS = ("list-keys", "show-options -s", "show-options -g", "show-options -gw", "show-hooks -g", "show-environment -g")
ENDED = ("#{window_index} #{window_name} #{window_panes} #{window_layout} #{pane_index} #{pane_mode} #{scroll_position} #{pane_marked} "
         "#{alternate_on} #{session_windows} #{client_key_table}")
VARIES = re.compile("start_time=|MUXBUS|pane_pipe")  # a pipe that follows is seen, and named in muxbusd(8)


class Watched(Terminal):
    """A person whose terminal keeps what tmux draws."""

    def __init__(self, world, session):
        self.shown = b""
        super().__init__(world, session)
        until(lambda: self.shown, 20)
        self.press(TERMINAL)

    def read(self):
        try:
            while data := os.read(self.master, 65536):
                self.shown += data
        except OSError:
            pass

    def type(self, *parts):
        for part in parts:
            if part:
                self.press(part)
            time.sleep(0.2 if part else 0.6)


def lists(world):
    """All that tmux can list, by its command."""
    seen = {words: world.t(*words.split(), "-F", form) for words, form in FORMATS.items()}
    seen.update({words: world.t(*words.split()) for words in LISTS})
    for pane in seen["list-panes -a"].splitlines():
        pane = pane.split()[0]
        for words in ("display-message -a -p", "capture-pane -ep", "show-options -p", "show-environment", "show-options"):
            seen[f"{words} -t {pane}"] = world.t(*words.split(), "-t", pane)
    return {words: [line for line in text.splitlines() if not VARIES.match(line)] for words, text in seen.items()}


def need(answer):
    if "error" in answer:
        raise ValueError(answer["error"]["message"])
    return answer["result"]


def work(world):
    """What agents and programs do that no person shall see."""
    link = world.link
    panes = [pane["pane"] for pane in need(link.ask("list_panes"))["panes"]]
    for method in ("list_sessions", "list_windows", "list_agents", "list_jobs", "list_notifications", "list_timers", "list_saved",
                   "list_tools", "status"):
        need(link.ask(method))
    for pane in panes:
        need(link.ask("get_pane", {"pane": pane}))
        need(link.ask("capture_pane", {"pane": pane}))
        need(link.ask("find_text", {"pane": pane, "regex": "never written"}))
    need(link.ask("post_notification", {"text": "a text"}))
    need(link.ask("background_process", {"name": "job", "command": "echo output"}))
    need(link.ask("sleep", {"seconds": 0.1, "text": "later"}))
    need(link.ask("wait_for", {"any": [{"notification": "none"}], "timeout_sec": 0.2}))
    for words in (["list-keys"], ["show-options", "-g"], ["display-message", "-p", "#{session_name} #{client_name}"]):
        need(link.ask("run_tmux", {"command": words}))
    if world.mode == "following":
        other = Link(f"{world.socket}.muxbus")
        need(other.ask("subscribe", {"panes": panes, "output": True, "kinds": ["bell", "gap", "line", "pane_closed"]}))
        for pane in panes:
            need(link.ask("watch_pane", {"pane": pane, "regex": "never written"}))
        need(link.ask("wait_for", {"any": [{"prompt": True, "pane": panes[-1]}, {"screen": "never", "pane": panes[0]}], "timeout_sec": 0.3}))
        other.close()
        for pane in panes:
            need(link.ask("cancel_watch", {"pane": pane}))


def jobs(world):
    return os.path.getsize(f"{world.folder}/jobs")


def quiet(world, persons):
    """No terminal gets anything, and no job runs, for a while."""
    seen = [None]

    def is_still():
        seen.append(([len(person.shown) for person in persons.values()], jobs(world)))
        time.sleep(QUIET_SEC)
        return seen[-1] == seen[-2]
    return until(is_still, 60)


def begin(world):
    world.start_server()
    with open(f"{world.folder}/user.conf", "w", encoding="utf-8") as file:
        file.write(CONFIG.replace("DIR", world.folder))
    world.t("source-file", f"{world.folder}/user.conf", ";", "bind-key", "u", "display-popup", "-E", "sh")
    for hook in HOOKS:
        world.t("set-hook", "-g", hook, f"set-option -ag @log ' {hook}'")
        world.t("set-hook", "-gw", hook, f"set-option -ag @log ' {hook}'")
    persons = {}
    for name, (before, keys, _) in PERSONS.items():
        world.t("new-session", "-d", "-s", name, "sh", ";", "set-option", "-w", "automatic-rename", "off", ";", *before)
        world.prompt(f"{name}:") if name not in ("dead", "windows") else None
        persons[name] = Watched(world, name)
        persons[name].type("", *keys)
    if world.mode != "without":
        world.start_daemon()  # which says in the environment where it is
        need(world.link.ask("list_panes"))
    return persons


def run(world):
    """What changed while nothing was done, and how it ended for each person."""
    persons = begin(world)
    changed, ended = [], {}
    if not quiet(world, persons):
        changed.append("tmux does not come to rest")
    lists(world)  # tmux names the panes of a pane_current_path once
    before, drawn, run_jobs = lists(world), {name: len(person.shown) for name, person in persons.items()}, jobs(world)
    if world.mode != "without":
        work(world)
    time.sleep(QUIET_SEC)
    changed += [f"{name}: {person.shown[drawn[name]:][:200]!r} is drawn" for name, person in persons.items()
                if len(person.shown) > drawn[name]]
    if jobs(world) != run_jobs:
        changed.append(f"#() runs {jobs(world) - run_jobs} times")
    after = lists(world)
    changed += [f"{words}: {[line for line in before.get(words, []) if line not in after.get(words, [])]} -> "
                f"{[line for line in after.get(words, []) if line not in before.get(words, [])]}"[:600]
                for words in {**before, **after} if before.get(words) != after.get(words)]
    for name, person in persons.items():
        person.type(*PERSONS[name][2])
        time.sleep(0.3)
        ended[name] = f"{person.is_attached()} " + world.t("display-message", "-p", "-t", f"={name}:", ENDED)
    for person in persons.values():
        person.leave(True)
    return {"changed": changed, "ended": ended, "panes": len([words for words in before if words.startswith("capture")])}


def play(program, mode):
    """One run; prints what came of it. This is a process of its own."""
    adopt_orphans()
    folder = tempfile.mkdtemp(prefix="mbh-")
    world = World(program, mode, folder, lambda row: None)
    try:
        print(json.dumps(run(world)))
    finally:
        world.close()
        shutil.rmtree(folder, ignore_errors=True)


def start(program, mode):
    return subprocess.Popen([sys.executable, os.path.abspath(__file__), "play", program, mode], stdout=subprocess.PIPE, text=True)


def main():
    versions, modes = selection("MUXBUS_IDLE", MODES, MODES)
    for version, program in versions.items():
        runs = {mode: start(program, mode) for mode in modes}
        texts = {mode: process.communicate()[0] for mode, process in runs.items()}
        results = {mode: json.loads(text) if text else None for mode, text in texts.items()}
        want = results["without"]
        for mode, got in results.items():
            ok(got and not got["changed"], f"tmux {version}, {mode}: nothing changes for {len(PERSONS)} persons",
               got and "\n".join(got["changed"]))
            if mode != "without":
                wrong = [f"{name}: {want['ended'][name]} -> {got['ended'][name]}" for name in PERSONS
                         if want and got and want["ended"][name] != got["ended"][name]]
                ok(want and got and not wrong, f"tmux {version}, {mode}: each ends what was begun", "\n".join(wrong))
    tap.done()


if sys.argv[1:2] == ["play"]:
    play(*sys.argv[2:])
else:
    main()
