# SPDX-License-Identifier: ISC
"""For harmless.py: situations of users of tmux. Each has a server of its own, does what users do, and says with see()
what they then see. w.settle() stands where muxbusd has come to follow, was asked, or is at rest."""

import os
import re
import signal
import subprocess
import time

from harmless_world import LIVES, send_signal, until

SITUATIONS = {}
ROUNDS = int(os.environ.get("MUXBUS_HARMLESS_ROUNDS", "6"))
PANES = ("#{session_name} #{window_id} #{window_index} #{window_name} #{window_flags} #{window_width}x#{window_height} "
         "#{pane_id} #{pane_index} #{pane_width}x#{pane_height} #{pane_active} #{pane_dead} #{pane_in_mode} "
         "#{pane_input_off} #{pane_marked} #{window_linked} #{session_group}")
HOOKS = ("client-attached client-detached client-resized client-session-changed session-created session-closed "
         "session-renamed session-window-changed window-linked window-unlinked window-renamed window-pane-changed "
         "pane-exited pane-mode-changed client-active client-focus-in client-focus-out pane-focus-in pane-focus-out "
         "window-layout-changed").split()
AFTER_HOOKS = ("after-list-panes after-list-windows after-list-sessions after-capture-pane after-set-environment "
               "after-show-environment after-refresh-client after-pipe-pane").split()

# Variables that differ from run to run, or that other rows look at.
VARIES = re.compile("client_|pid=|start_time=|cursor_|pane_current_command=|pane_search|session_(active|attached|many)|"
                    "window_(active_(clients|sessions)|bigger|offset)|.*_(activity|created|size|bytes|pid|path|tty|time|attached)=")


def situation(function, tries=1):
    function.tries = tries
    SITUATIONS[function.__name__.replace("_", " ")] = function
    return function


def risky(function):
    """tmux up to 3.7c may die of this by itself, so that the death says nothing about muxbusd."""
    return situation(function, 12)


def sessions(w):
    """Empty too if there is no server."""
    return " ".join(w.t("list-sessions", "-F", "#{session_name}").splitlines())


def file_has(path):
    try:
        with open(path, encoding="utf-8", errors="replace", newline="") as file:
            return file.read()
    except (FileNotFoundError, ProcessLookupError):
        return ""


# Deaths of tmux. What is compared is whether it died; `deaths` counts.


def rounds(w, row, prepare, harm):
    """Does the harm several times. A server that has died is replaced."""
    deaths = 0
    for number in range(ROUNDS):
        prepare()
        w.settle()
        if w.mode == "following":
            w.need(lambda: "0" not in w.t("list-panes", "-a", "-F", "#{pane_pipe}"))
        if w.mode in ("rest", "following") and w.controls():
            raise ValueError("there is a control client")
        try:
            harm(number)
            until(lambda: w.fate() != LIVES or "k" not in sessions(w).split(), 10)
            w.t("has-session", "-t", "=main")
        except Exception:
            if not w.has_ended(5):
                raise
        if w.fate() != LIVES:
            deaths += 1
            w.stop_server()
            w.start_server()
    w.counts[f"{w.situation}: {row}"] = deaths
    w.see(row, "tmux died" if deaths else "tmux lives")


def has_ended(pid):
    stat = file_has(f"/proc/{pid}/stat")
    return not stat or ") Z " in stat


@situation
def programs_end_together(w):
    def prepare():
        w.t("new-session", "-d", "-s", "k", "exec sleep 1000", ";", "split-window", "-t", "k", "exec sleep 1000", ";",
            "new-window", "-t", "k", "exec sleep 1000", ";", "new-window", "-t", "k", "exec sleep 1000")

    def end_all(number):
        pids = [int(pid) for pid in w.t("list-panes", "-s", "-t", "=k", "-F", "#{pane_pid}").split()]
        if number % 2:  # tmux is busy meanwhile, and finds all of them ended
            send_signal(w.pid, signal.SIGSTOP)
        for pid in pids:
            send_signal(pid, signal.SIGKILL)
        until(lambda: all(has_ended(pid) for pid in pids) or not number % 2, 5)
        send_signal(w.pid, signal.SIGCONT)

    rounds(w, "programs of a session that are killed at once", prepare, end_all)


@situation
def windows_of_links(w):
    def prepare():
        w.t("new-session", "-d", "-s", "j", ";", "new-window", "-t", "j:1", ";", "new-window", "-t", "j:2", ";",
            "new-session", "-d", "-s", "k", ";", "link-window", "-s", "j:1", "-t", "k:5", ";",
            "link-window", "-s", "j:2", "-t", "k:6", ";", "kill-window", "-t", "k:0", ";", "select-window", "-t", "k:5")

    def harm(_):
        w.t("kill-window", "-a", "-t", "j:0")
        w.t("kill-session", "-t", "=j")

    rounds(w, "kill-window -a", prepare, harm)


@situation
def two_ends_in_one_list(w):
    def prepare():
        w.t("new-session", "-d", "-s", "k", ";", "new-window", "-t", "k:1")

    rounds(w, "select-window and kill-session", prepare,
           lambda _: w.t("select-window", "-t", "k:0", ";", "kill-session", "-t", "k"))
    rounds(w, "kill-window twice", prepare, lambda _: w.t("kill-window", "-t", "k:0", ";", "kill-window", "-t", "k:1"))


# Focus.


@situation
def focus_events(w):
    w.t("set-option", "-g", "focus-events", "on")
    program = "stty raw -echo; printf '\\033[?1004h'; exec cat >{}"
    logs = {name: f"{w.place}/{name}" for name in "abcd"}
    panes = {}
    for name, words in {"a": ("new-window", "-t", "main:1"), "b": ("split-window", "-t", "main:1"),
                        "c": ("new-window", "-t", "main:2"), "d": ("new-session", "-d", "-s", "other")}.items():
        panes[name] = w.t(words[0], "-P", "-F", "#{pane_id}", *words[1:], program.format(logs[name]))
    for name, pane in panes.items():
        until(lambda: "sleep" in w.t("display-message", "-p", "-t", pane, "#{pane_current_command}") or
              os.path.exists(logs[name]), 10)
    w.t("select-window", "-t", "main:1", ";", "select-pane", "-t", panes["a"])
    read = dict.fromkeys(panes, 0)
    step = [0]

    def events(row):
        """What each program has got since. A text that is sent behind the events ends the wait for them."""
        step[0] += 1
        found = []
        for name, pane in panes.items():
            w.t("send-keys", "-t", pane, "-l", f"<{step[0]}>")
            until(lambda: f"<{step[0]}>" in file_has(logs[name]), 10)
            text = file_has(logs[name])
            new, read[name] = text[read[name]:], len(text)
            found += [f"{name}:{'in' if kind == 'I' else 'out'}" for kind in re.findall("\033\\[([IO])", new)]
        w.see(row, " ".join(found))

    person = w.person()
    w.settle()
    events("a person attaches")
    for row, keys, place in (("the other pane", ("C-b", "o"), "main:1.1"), ("and back", ("C-b", "o"), "main:1.0"),
                             ("the next window", ("C-b", "n"), "main:2.0"), ("the window before", ("C-b", "p"), "main:1.0"),
                             ("the other session", ("C-b", ")"), "other:0.0"), ("and its neighbour", ("C-b", "("), "main:1.0")):
        person.press(*keys)
        until(lambda: person.place() == place, 10)
        events(row)
    w.settle()
    for row, sequence, flag in (("the terminal loses the focus", b"\033[O", False), ("and gets it", b"\033[I", True)):
        person.send_bytes(sequence)
        until(lambda: ("focused" in w.t("list-clients", "-F", "#{client_tty} #{client_flags}").split(person.tty, 1)[-1].split("\n")[0])
              == flag, 10)
        events(row)
    person.press("C-b", "d")
    until(lambda: not person.session(), 10)
    events("the person leaves")


# The current client of scripts: nobody has typed since the daemon came.


def current_client(w, pane_of):
    """Commands without a client, from a shell outside or in the pane of the person."""
    w.t("new-session", "-d", "-s", "other", "-x", "80", "-y", "24")
    first = w.person()
    second = w.person()
    w.settle()
    pane = w.t("list-panes", "-t", "=main:", "-F", "#{pane_id}") if pane_of else None
    w.see("display-message -p", w.t(
        "display-message", "-p", "#{client_tty} #{client_termname} #{client_width}x#{client_height} #{client_session} "
        "#{client_control_mode} #{client_readonly} #{session_name}", pane=pane))
    w.see("if-shell -F", w.t("if-shell", "-F", "#{client_control_mode}", "display-message -p control",
                             "display-message -p person", pane=pane))
    done = f"{w.place}/popup"
    program = f"echo shown >{done}; echo popped; until [ -e {done}.end ]; do sleep 0.1; done"
    popup = w.start_command("display-popup", "-E", program, pane=pane)
    w.see_when("display-popup runs its program", "shown\n", lambda: file_has(done))
    w.see("display-popup", second.sees("popped", "display-popup"))
    with open(f"{done}.end", "w", encoding="utf-8"):
        pass
    until(lambda: "popped" not in second.screen(), 10)
    try:
        popup.wait(w.patience("display-popup"))
    except subprocess.TimeoutExpired:
        popup.kill()
        popup.wait()
    w.t("display-message", "a message", pane=pane)
    w.see("display-message", second.sees("a message", "display-message"))
    w.t("set-option", "-g", "lock-command", f"echo locked >>{w.place}/lock")
    w.t("lock-client", pane=pane)
    w.see_when("lock-client", "locked\n", lambda: file_has(f"{w.place}/lock"))
    until(lambda: "[main]" in second.screen() or "a message" in second.screen(), 2)
    w.t("switch-client", "-t", "=other", pane=pane)
    w.see_when("switch-client", "p1:main p2:other", w.where)
    w.t("switch-client", "-c", second.tty, "-t", "=main")
    w.t("detach-client", "-a", pane=pane)
    w.see_when("detach-client -a", "p1:- p2:main", w.where)
    w.see("the clients that stay", w.t("list-clients", "-F", "#{client_tty}"))
    return first, second


@situation
def current_client_outside(w):
    current_client(w, False)
    w.t("detach-client")
    w.see_when("detach-client", "p1:- p2:-", w.where)


@situation
def current_client_of_a_pane(w):
    current_client(w, True)


def dialogs(w, from_pane):
    person = w.person()
    w.settle()
    pane = w.t("list-panes", "-F", "#{pane_id}") if from_pane else None
    started = [w.start_command("confirm-before", "-p", "Really?", "rename-window sure", pane=pane)]
    w.see_screen("confirm-before", person, "Really?")
    person.press("y")
    w.see_when("and its answer", "sure", lambda: w.t("display-message", "-p", "-t", "main:0", "#{window_name}"))
    w.settle()
    started.append(w.start_command("command-prompt", "-p", "Which:", "rename-window '%%'", pane=pane))
    w.see_screen("command-prompt", person, "Which:")
    person.press("n", "e", "w", "Enter")
    w.see_when("and what was typed", "new", lambda: w.t("display-message", "-p", "-t", "main:0", "#{window_name}"))
    w.settle()
    started.append(w.start_command("display-menu", "-T", "Menu", "-x", "0", "-y", "5", "Item", "i", "rename-window chosen", pane=pane))
    w.see_screen("display-menu", person, "Item")
    person.press("i")
    w.see_when("and its item", "chosen", lambda: w.t("display-message", "-p", "-t", "main:0", "#{window_name}"))
    for command in started:
        try:
            command.wait(1)
        except subprocess.TimeoutExpired:
            command.kill()
            command.wait()


@situation
def dialogs_outside(w):
    dialogs(w, False)


@situation
def dialogs_of_a_pane(w):
    dialogs(w, True)


@situation
def bound_keys(w):
    """A key knows its client, whoever was the current one."""
    w.t("bind-key", "X", "display-message", "bound", ";", "set-option", "-g", "@seen", "#{client_tty}")
    w.t("bind-key", "R", "run-shell", "tmux -S #{socket_path} display-message -p '#{session_name}' >" + w.place + "/run")
    person = w.person()
    w.settle()
    person.press("C-b", "X")
    w.see_screen("display-message of a key", person, "bound")
    person.press("C-b", "R")
    w.see_when("run-shell of a key", "main\n", lambda: file_has(f"{w.place}/run"))


# Options that count clients.


@risky
def destroy_unattached(w):
    persons = {}
    for name in ("gone", "switched", "later"):
        w.t("new-session", "-d", "-s", name)
        persons[name] = w.person(name)
    for name in ("gone", "switched"):
        w.t("set-option", "-t", name, "destroy-unattached", "on")
    w.settle()
    persons["gone"].press("C-b", "d")
    w.see_when("its person leaves", "later main switched", lambda: sessions(w))
    w.t("switch-client", "-c", persons["switched"].tty, "-t", "=main")
    w.see_when("its person goes to another session", "later main", lambda: sessions(w))
    w.t("set-option", "-t", "later", "destroy-unattached", "on")
    w.settle()
    persons["later"].press("C-b", "d")
    w.see_when("the option is set later", "main", lambda: sessions(w))


@risky
def destroy_unattached_in_groups(w):
    for value in ("keep-last", "keep-group"):
        w.t("new-session", "-d", "-s", "base")
        w.t("new-session", "-d", "-t", "base", "-s", "twin")
        person = w.person("twin")
        known = not w.t("set-option", "-t", "twin", "destroy-unattached", value)
        w.settle()
        w.t("detach-client", "-t", person.tty)
        until(lambda: not person.session(), 10)
        w.see_when(value, "base main" if known else "base main twin", lambda: sessions(w))
        w.t("kill-session", "-t", "=base")
        if "twin" in sessions(w).split():
            w.t("kill-session", "-t", "=twin")


def last_person_leaves(w, person):
    w.may_end = True
    person.press("C-b", "d")
    w.has_ended(w.patience("server"))


@situation
def exit_unattached(w):
    person = w.person()
    w.t("set-option", "-s", "exit-unattached", "on")
    w.settle()
    last_person_leaves(w, person)


@situation
def exit_unattached_set_later(w):
    person = w.person()
    w.settle()
    w.t("set-option", "-s", "exit-unattached", "on")
    w.settle()
    last_person_leaves(w, person)


@situation
def exit_empty(w):
    w.settle()
    w.may_end = True
    w.t("kill-session", "-t", "main")
    w.has_ended(w.patience("server"))


@situation
def exit_of_the_last_program(w):
    w.settle()
    w.may_end = True
    w.t("send-keys", "-t", "main", "exit", "Enter")
    w.has_ended(w.patience("server"))


@situation
def exit_empty_off(w):
    w.t("set-option", "-s", "exit-empty", "off")
    w.settle()
    w.t("kill-session", "-t", "main")
    w.see("no session", w.t("list-sessions"))
    w.see("no client", w.t("list-clients"))
    w.t("new-session", "-d", "-s", "new", "-x", "80", "-y", "24")
    w.settle()
    w.see("a new session", w.t("list-sessions"))


@situation
def detach_on_destroy(w):
    """Where the person of a session that is killed goes. The others are made in a known order of activity."""
    for value in ("on", "off", "no-detached", "previous", "next"):
        for name in ("early", "gone", "late"):
            w.t("new-session", "-d", "-s", name)
        person = w.person("gone")
        stays = w.person("late")
        w.t("set-option", "-t", "gone", "detach-on-destroy", value)
        w.settle()
        w.t("kill-session", "-t", "=gone")
        w.see(value, person.session())
        for left in (person, stays):
            w.outer("kill-session", "-t", f"={left.name}")
        for name in ("early", "late"):
            w.t("kill-session", "-t", f"={name}")


@situation
def detach_on_destroy_no_detached(w):
    """no-detached chooses among the sessions that have no client."""
    w.t("new-session", "-d", "-s", "gone")
    person = w.person("gone")
    w.t("set-option", "-t", "gone", "detach-on-destroy", "no-detached")
    w.t("new-session", "-d", "-s", "alone")
    w.settle()
    w.t("kill-session", "-t", "=gone")
    until(lambda: "gone" not in sessions(w).split(), 10)
    w.see("where the person is", person.session())


# Lists, counts and choices.


@situation
def attach_without_a_name(w):
    for name in ("one", "two"):
        w.t("new-session", "-d", "-s", name)
    w.person("two")
    w.settle()
    person = w.person("")
    w.see("the session that tmux attach takes", person.session())
    w.settle()
    w.t("detach-client", "-t", person.tty)
    until(lambda: not person.session(), 10)
    person = w.person("")
    w.see("and once more", person.session())


@situation
def attach_and_detach(w):
    w.t("new-session", "-d", "-s", "other")
    first = w.person()
    w.settle()
    w.start_command("attach-session", "-d", "-t", "=main").wait(20)  # not a terminal
    w.see("attach without a terminal", w.where())
    w.t("detach-client", "-s", "main")
    w.see_when("detach-client -s", "p1:-", w.where)
    w.see("clients then", w.t("list-clients", "-t", "main"))
    first = w.person()
    w.settle()
    w.t("attach-session", "-d")
    w.t("switch-client", "-c", first.tty, "-n")
    w.see("switch-client -n", first.session())
    w.t("switch-client", "-c", first.tty, "-p")
    w.see("switch-client -p", first.session())
    w.t("switch-client", "-c", first.tty, "-l")
    w.see("switch-client -l", first.session())
    w.t("switch-client", "-c", first.tty, "-t", "=other")
    w.t("detach-client", "-E", "echo instead; exec sleep 1000", "-t", first.tty)
    w.see_screen("detach-client -E", first, "instead")


@situation
def lists(w):
    w.t("new-session", "-d", "-s", "other")
    w.person()
    w.settle()
    w.see("list-sessions", w.t("list-sessions"))
    w.see("list-clients", w.t("list-clients"))
    w.see("list-clients of a session without persons", w.t("list-clients", "-t", "other"))
    w.see("session_attached", w.t("list-sessions", "-F", "#{session_name} #{session_attached} #{session_many_attached} "
                                  "#{?session_last_attached,was attached,never attached}"))
    w.see("session_attached_list", w.t("list-sessions", "-F", "#{session_name} #{session_attached_list}"))
    w.see("filter of unattached sessions", w.t("list-sessions", "-f", "#{==:#{session_attached},0}", "-F", "#{session_name}"))
    w.see("window_active_clients", w.t("list-windows", "-a", "-F", "#{session_name}:#{window_index} #{window_active_clients} "
                                       "#{window_active_clients_list} #{window_active_sessions}"))
    w.see("list-windows", w.t("list-windows", "-a"))
    w.see("list-panes", w.t("list-panes", "-a"))


@situation
def activity_of_sessions(w):
    w.t("new-session", "-d", "-s", "other")
    time.sleep(1.1)  # tmux has whole seconds
    before = w.t("list-sessions", "-F", "#{session_name} #{session_activity} #{session_last_attached}")
    w.settle()
    after = w.t("list-sessions", "-F", "#{session_name} #{session_activity} #{session_last_attached}")
    w.see("session_activity and session_last_attached", "as before" if before == after else "changed")


@situation
def counts_in_the_status_line(w):
    w.t("new-session", "-d", "-s", "other")
    w.t("set-option", "-g", "status-left", "[#{session_name}] #{session_attached} #{session_many_attached} "
        "#{S:#{session_name}=#{session_attached} }#{W:#{window_active_clients} }")
    person = w.person()
    w.settle()
    w.see("status line", person.settled_screen().splitlines()[-1])


@situation
def choosers(w):
    w.t("new-session", "-d", "-s", "other")
    person = w.person()
    w.settle()
    person.press("C-b", "D")
    person.sees("sort:", "choose-client")
    w.see("choose-client", re.sub(r" \d+s| \d\d:\d\d|\d+[KB]?\b +\d+[KB]?\b", "", person.settled_screen().split("\n┌")[0]))
    person.press("q")
    person.press("C-b", "s")
    person.sees("other:", "choose-tree")
    w.see("choose-tree", person.settled_screen().split("\n┌")[0])


# Hooks and the log.


@situation
def hooks(w):
    for hook in HOOKS:
        w.t("set-hook", "-g", hook, f"set-option -ag @log ' {hook}'")
        w.t("set-hook", "-gw", hook, f"set-option -ag @log ' {hook}'")
    for hook in AFTER_HOOKS:
        w.t("set-hook", "-g", hook, f"set-option -ag @after ' {hook}'")

    def seen(row):
        told = w.t("show-options", "-gqv", "@log").split()
        # Whether tmux sees the terminal that comes change its size is a race of the two.
        if row == "a person attaches":
            told = [hook for hook in told if hook != "client-resized"]
        w.see(row, " ".join(sorted(told)))
        w.t("set-option", "-g", "@log", "")

    w.settle()
    seen("nothing is done")
    person = w.person()
    w.settle()
    seen("a person attaches")
    w.t("new-session", "-d", "-s", "other", "-x", "80", "-y", "24")
    w.settle()
    seen("a session is made")
    w.t("new-window", "-t", "main:1", "-n", "work", ";", "split-window", "-t", "main:1", ";", "select-pane", "-t", "main:1.0",
        ";", "rename-window", "-t", "main:1", "other", ";", "select-window", "-t", "main:0")
    w.settle()
    seen("windows")
    w.t("switch-client", "-c", person.tty, "-t", "=other")
    w.t("kill-session", "-t", "=main")
    w.settle()
    seen("a session ends")
    w.t("detach-client", "-t", person.tty)
    until(lambda: not person.session(), 10)
    w.settle()
    seen("the person leaves")
    w.see("after-* hooks", w.t("show-options", "-gqv", "@after"))


@situation
def hooks_with_arguments(w):
    """A hook for each event that this tmux knows, but for those behind commands, with all that it is given."""
    for scope in ("-g", "-gw"):
        for hook in {re.split(r"[\[ ]", line)[0] for line in w.t("show-hooks", scope).splitlines()}:
            if not hook.startswith(("after-", "command-", "client-resized")):  # whether a terminal is resized is a race
                w.t("set-hook", scope, f"{hook}[9]", f"set-option -agF @log '|{hook} #{{hook_session_name}} #{{hook_window}} "
                    "#{hook_pane} #{hook_client}'")
    person = w.person()
    w.settle()
    w.t("new-session", "-d", "-s", "other", "-x", "80", "-y", "24", ";", "new-window", "-t", "main:1", ";", "split-window", "-t", "main:1",
        "sleep 0.1")
    until(lambda: w.t("display-message", "-p", "-t", "main:1", "#{window_panes}") == "1", 10)
    w.settle()
    w.t("link-window", "-d", "-s", "main:1", "-t", "other:5", ";", "copy-mode", "-t", "main:0", ";", "rename-session", "-t", "other", "named",
        ";", "switch-client", "-c", person.tty, "-t", "named", ";", "swap-window", "-s", "named:0", "-t", "named:5", ";", "set-buffer", "text")
    w.settle()
    w.t("kill-window", "-t", "main:1", ";", "kill-session", "-t", "main", ";", "detach-client", "-t", person.tty)
    until(lambda: not person.session(), 10)
    w.settle()
    w.see("events", "\n".join(sorted(set(w.t("show-options", "-gqv", "@log").split("|")))))


@situation
def log_of_messages(w):
    person = w.person()
    w.settle()
    names = re.findall(r"command: ([a-z-]+)", w.t("show-messages", "-t", person.tty))
    w.see("commands of show-messages", " ".join(sorted(set(names) - {"list-clients"})))


@situation
def other_control_client(w):
    """What another program in control mode is told, such as iTerm2."""
    other = subprocess.Popen([w.tmux, "-S", w.socket, "-C", "attach-session", "-t", "=main"], env=w.env,
                             stdin=subprocess.PIPE, stdout=open(f"{w.place}/told", "wb"), stderr=subprocess.STDOUT)
    until(lambda: "%session-changed" in file_has(f"{w.place}/told"), 10)
    w.settle()
    w.t("new-window", "-d", "-n", "work", "exec sleep 1000", ";", "new-session", "-d", "-s", "other", "exec sleep 1000")
    w.settle()
    w.t("rename-window", "-t", "main:1", "last")
    until(lambda: " last" in file_has(f"{w.place}/told"), 10)
    told = [line for line in file_has(f"{w.place}/told").splitlines() if not re.match("%(begin|end|output|layout)|[^%]", line)]
    w.see("events", "\n".join(told))
    other.stdin.close()
    other.wait(20)


# The setups of others.


@situation
def tmux_sensible(w):
    for words in ("-s escape-time 0", "-g history-limit 50000", "-g display-time 4000", "-g status-interval 5",
                  "-g default-terminal screen-256color", "-g status-keys emacs", "-g focus-events on",
                  "-gw aggressive-resize on"):
        w.t("set-option", *words.split())
    w.t("bind-key", "C-p", "previous-window", ";", "bind-key", "C-n", "next-window", ";", "bind-key", "b", "last-window")
    w.t("new-window", "-d", "-t", "main:1")
    w.t("new-window", "-d", "-t", "main:2")
    person = w.person(size=(90, 28))
    w.settle()
    for row, key, place in (("C-n", "C-n", "main:1.0"), ("C-p", "C-p", "main:0.0"), ("b", "b", "main:1.0")):
        person.press("C-b", key)
        w.see_when(f"prefix {row}", place, person.place)
    person.press("C-b", "%")
    until(lambda: w.t("display-message", "-p", "-t", "main:1", "#{window_panes}") == "2", 10)
    w.see("sizes", w.t("list-panes", "-a", "-F", PANES))
    for options in ("-s", "-g", "-gw"):
        w.see(f"show-options {options}", w.t("show-options", options))
    w.see("list-keys", w.t("list-keys"))
    w.see("show-hooks", w.t("show-hooks", "-g"))


@situation
def tmux_resurrect(w):
    """Its commands to save and to restore."""
    w.t("new-session", "-d", "-s", "old", "-x", "80", "-y", "24", ";", "split-window", "-t", "old", ";", "new-session", "-d", "-t", "old",
        "-s", "grouped")
    person = w.person()
    w.t("switch-client", "-c", person.tty, "-t", "=old")
    w.settle()
    w.see("state", w.t("display-message", "-p", "#{client_session} #{client_last_session}"))
    w.see("panes", w.t("list-panes", "-a", "-F", "pane #{session_name} #{window_index} #{window_active} :#{window_flags} "
                       "#{pane_index} :#{pane_current_path} #{pane_active} #{pane_current_command} #{history_size}"))
    w.see("windows", w.t("list-windows", "-a", "-F", "window #{session_name} #{window_index} #{window_active} "
                         ":#{window_flags} #{window_layout}"))
    w.see("groups", w.t("list-sessions", "-F", "#{session_grouped} #{session_group} #{session_id} #{session_name}"))
    w.see("contents", w.t("capture-pane", "-epJ", "-S", "-1000", "-t", "old:0.0"))
    w.t("new-session", "-d", "-s", "restored", "-n", "editor", "-c", "/", ";", "new-window", "-d", "-t", "restored:1", ";",
        "split-window", "-t", "restored:1", "-h", ";", "select-layout", "-t", "restored:1", "even-vertical")
    w.t("switch-client", "-t", "main")
    w.t("switch-client", "-t", "restored")
    w.see("where the person is", w.where())
    w.t("switch-client", "-l")
    w.see("the last session", w.where())
    w.see("all of it", w.t("list-panes", "-a", "-F", PANES))


@situation
def from_a_pane(w):
    """Commands of a program in a pane, without a target."""
    w.t("new-session", "-d", "-s", "other", "-x", "80", "-y", "24")
    w.person("other")
    w.person()
    w.settle()
    pane = w.t("list-panes", "-t", "main", "-F", "#{pane_id}")
    w.see("display-message -p", w.t("display-message", "-p", "#{session_name}:#{window_index}.#{pane_index}", pane=pane))
    w.t("new-window", "-n", "made", pane=pane)
    w.t("split-window", pane=pane)
    w.t("split-window", "-h", pane=pane)
    w.t("new-session", "-d", "-s", "third", pane=pane)
    w.t("new-window", "-t", "third", pane=pane)
    w.settle()
    w.t("resize-pane", "-D", "3", pane=pane)
    w.t("swap-pane", "-U", pane=pane)
    w.t("select-pane", "-m", pane=pane)
    w.t("set-option", "-p", "@mine", "yes", pane=pane)
    w.t("next-window", pane=pane)
    w.t("rename-session", "renamed", pane=pane)
    w.t("break-pane", "-d", pane=pane)
    w.t("resize-pane", "-Z", pane=pane)
    w.see("all panes", w.t("list-panes", "-a", "-F", PANES))
    w.see("list-windows", w.t("list-windows", pane=pane))
    w.see("show-options", w.t("show-options", "-p", pane=pane))
    w.see("persons", w.where())
    w.t("kill-pane", pane=pane)
    w.see("its end", w.t("list-panes", "-a", "-F", PANES))


@situation
def typed_in_a_pane(w):
    """The same by a person who types commands into a shell."""
    person = w.person()
    w.settle()
    for text, row, fact in (
            ("tmux new-window -d -n typed", "new-window", "0:sh 1:typed"),
            ("tmux rename-window first", "rename-window", "0:first 1:typed"),
            ("tmux kill-window -t 1", "kill-window", "0:first")):
        person.press("-l", text)
        person.press("Enter")
        w.see_when(row, fact, lambda: " ".join(w.t("list-windows", "-t", "main", "-F", "#{window_index}:#{window_name}").split()))
    person.press("-l", "tmux display-message typed-message")
    person.press("Enter")
    until(lambda: person.screen().endswith("typed-message"), 10)
    w.see("screen", person.screen())


@situation
def groups_and_links(w):
    w.t("new-window", "-d", "-t", "main:1", "-n", "one", ";", "new-session", "-d", "-s", "other", "-x", "80", "-y", "24", ";",
        "link-window", "-s", "main:1", "-t", "other:4")
    w.t("new-session", "-d", "-t", "main", "-s", "group")
    person = w.person("group")
    w.settle()
    w.t("select-window", "-t", "group:1")
    w.t("new-window", "-t", "group:", "-n", "in-group")
    w.settle()
    w.see("sessions", w.t("list-sessions", "-F", "#{session_name} #{session_grouped} #{session_group_list} #{session_windows}"))
    w.see("counts of the group", w.t("list-sessions", "-F", "#{session_name} #{session_group_attached} #{session_group_many_attached} "
                                     "#{session_group_attached_list}"))
    w.see("windows", w.t("list-panes", "-a", "-F", PANES))
    w.t("unlink-window", "-t", "other:4")
    w.see("unlink-window", w.t("list-panes", "-a", "-F", PANES))
    w.see("unlink-window of the last link", w.t("unlink-window", "-t", "other:0"))
    w.t("kill-session", "-t", "=main")
    w.see("the group goes on", w.t("list-panes", "-a", "-F", PANES))
    w.see("the person", person.session())
    w.t("move-window", "-s", "group:1", "-t", "other:9")
    w.see("move-window", w.t("list-panes", "-a", "-F", PANES))


@situation
def lock(w):
    w.t("set-option", "-g", "lock-command", f"echo locked >>{w.place}/lock")
    w.t("new-session", "-d", "-s", "other")
    person = w.person()
    w.settle()
    w.t("lock-session", "-t", "main")
    w.see_when("lock-session", "locked\n", lambda: file_has(f"{w.place}/lock"))
    until(lambda: person.screen().strip().startswith("$"), 10)
    w.t("lock-session", "-t", "other")
    w.t("lock-server")
    w.see_when("lock-server", "locked\nlocked\n", lambda: file_has(f"{w.place}/lock"))
    w.see("the screen behind it", person.settled_screen())


# Alerts.


@situation
def alerts(w):
    w.t("set-option", "-g", "visual-bell", "on", ";", "set-option", "-g", "visual-activity", "on", ";",
        "set-option", "-gw", "monitor-activity", "off", ";", "set-option", "-g", "bell-action", "any")
    for hook in ("alert-bell", "alert-activity", "alert-silence"):
        w.t("set-hook", "-g", hook, f"set-option -ag @log ' {hook}'")
    w.t("new-session", "-d", "-s", "alone")
    for number in ("1", "2", "3"):
        w.t("new-window", "-d", "-t", f"main:{number}")
    person = w.person()
    w.settle()

    def flags(target):
        return w.t("display-message", "-p", "-t", target, "#{window_bell_flag}#{window_activity_flag}#{window_silence_flag}")

    w.t("send-keys", "-t", "main:1", "printf '\\a'", "Enter")
    w.see_when("bell of another window", "100", lambda: flags("main:1"))
    w.see_screen("its message", person, "Bell in window 1")
    w.t("set-option", "-w", "-t", "main:2", "monitor-activity", "on")
    w.t("send-keys", "-t", "main:2", "echo something", "Enter")
    w.see_when("activity of another window", "010", lambda: flags("main:2"))
    w.see_screen("its message too", person, "Activity in window 2")
    w.t("set-option", "-w", "-t", "main:3", "monitor-silence", "1")
    w.see_when("silence of another window", "001", lambda: flags("main:3"))
    w.t("set-option", "-w", "-t", "main:3", "monitor-silence", "0")
    w.t("send-keys", "-t", "alone:0", "printf '\\a'", "Enter")
    w.see_when("bell of a session without persons", "100", lambda: flags("alone:0"))
    w.see("session_alerts", w.t("list-sessions", "-F", "#{session_name} #{session_alerts}"))
    person.press("C-b", "1")
    until(lambda: person.place() == "main:1.0", 10)
    w.see("flags when the window is looked at", flags("main:1"))
    w.see("hooks of alerts", w.t("show-options", "-gqv", "@log"))


# Pipes.


@situation
def pipes(w):
    w.settle()
    w.see("pane_pipe", w.t("display-message", "-p", "-t", "main", "#{pane_pipe}"))
    w.t("pipe-pane", "-t", "main", f"cat >>{w.place}/piped")
    w.t("send-keys", "-t", "main", "echo pi''ped", "Enter")
    w.see("a user's own pipe", bool(until(lambda: "piped\r\n" in file_has(f"{w.place}/piped"), 10)))
    w.settle()
    w.see("pane_pipe then", w.t("display-message", "-p", "-t", "main", "#{pane_pipe}"))
    w.t("send-keys", "-t", "main", "echo ag''ain", "Enter")
    w.see("the pipe goes on", bool(until(lambda: "again\r\n" in file_has(f"{w.place}/piped"), 10)))
    w.t("pipe-pane", "-t", "main")
    w.see_when("pane_pipe at its end", "0", lambda: w.t("display-message", "-p", "-t", "main", "#{pane_pipe}"))


@situation
def toggled_pipe(w):
    """The key of users who log a pane: pipe-pane -o opens, and the next closes."""
    w.settle()
    w.t("pipe-pane", "-o", "-t", "main", f"cat >>{w.place}/piped")
    w.t("send-keys", "-t", "main", "echo pi''ped", "Enter")
    w.see("pipe-pane -o", bool(until(lambda: "piped\r\n" in file_has(f"{w.place}/piped"), w.patience("pipe-pane -o"))))
    w.t("pipe-pane", "-o", "-t", "main", f"cat >>{w.place}/piped")
    w.see_when("pipe-pane -o again", "0", lambda: w.t("display-message", "-p", "-t", "main", "#{pane_pipe}"))


# Environment.


@situation
def environment(w):
    w.t("set-environment", "-g", "COLOUR", "blue")
    w.settle()
    person = w.person(DISPLAY=":9", SSH_AUTH_SOCK="/agent")
    w.t("new-session", "-d", "-s", "other", "-x", "80", "-y", "24")
    w.settle()
    lines = w.t("show-environment", "-g").splitlines()
    w.see("MUXBUS", [line for line in lines if line.startswith("MUXBUS")])
    w.see("show-environment -g", "\n".join(line for line in lines if not line.startswith("MUXBUS")))
    w.see("the session of a person", w.t("show-environment", "-t", "main"))
    w.see("a session without persons", w.t("show-environment", "-t", "other"))
    w.t("new-window", "-t", "main", f"env | sort >{w.place}/env; sync; echo >>{w.place}/env.done")
    until(lambda: os.path.exists(f"{w.place}/env.done"), 10)
    seen = [line for line in file_has(f"{w.place}/env").splitlines() if not line.startswith(("MUXBUS", "TMUX="))]
    w.see("of a new pane", "\n".join(seen))
    w.see("person", person.session())


# Sizes.


@situation
def window_size(w):
    w.t("new-session", "-d", "-s", "alone", "-x", "91", "-y", "33")
    big, small = w.person(size=(100, 30)), w.person(size=(70, 20))
    w.settle()

    def size(target):
        return w.t("display-message", "-p", "-t", target, "#{window_width}x#{window_height}")

    for value, want in (("largest", "100x29"), ("smallest", "70x19"), ("latest", "70x19")):
        w.t("set-option", "-g", "window-size", value)
        w.see_when(value, want, lambda: size("main:0"))
    big.press("x")
    w.see_when("latest, behind a key", "100x29", lambda: size("main:0"))
    w.see("a session without persons", size("alone:0"))
    w.t("new-window", "-t", "alone:1")
    w.see("a new window there", size("alone:1"))
    w.t("new-session", "-d", "-s", "fresh")
    w.settle()
    w.see("a new session", size("fresh:0"))
    w.t("set-option", "-g", "window-size", "smallest", ";", "set-option", "-gw", "aggressive-resize", "on")
    w.t("new-window", "-d", "-t", "main:1")
    w.t("new-session", "-d", "-t", "main", "-s", "twin")
    w.t("switch-client", "-c", small.tty, "-t", "=twin")
    w.t("select-window", "-t", "twin:1")
    w.settle()
    w.see_when("aggressive-resize, one", "100x29", lambda: size("main:0"))
    w.see_when("aggressive-resize, the other", "70x19", lambda: size("twin:1"))
    w.t("detach-client", "-t", small.tty)
    w.see_when("sizes when a person has left", "100x29", lambda: size("main:0"))
    w.t("resize-window", "-t", "alone:0", "-x", "60", "-y", "15")
    w.see("resize-window", size("alone:0"))


# Modes and screens.


@situation
def copy_mode(w):
    w.t("send-keys", "-t", "main", "seq 100", "Enter")
    person = w.person()
    person.sees("100")
    w.settle()
    person.press("C-b", "[")
    person.press("C-Up", "C-Up", "C-Up")
    until(lambda: w.t("display-message", "-p", "-t", "main", "#{scroll_position}") == "3", 10)
    w.settle()
    w.t("send-keys", "-t", "main", "-X", "select-line")
    w.t("send-keys", "-t", "main", "-X", "copy-selection")
    w.see("copy mode", person.settled_screen())
    w.see("buffers", w.t("list-buffers", "-F", "#{buffer_name} #{buffer_size} #{buffer_sample}"))
    w.see("state", w.t("display-message", "-p", "-t", "main", "#{pane_mode} #{scroll_position} #{copy_cursor_y} #{history_size}"))
    person.press("q")
    w.see_when("its end", "0", lambda: w.t("display-message", "-p", "-t", "main", "#{pane_in_mode}"))
    w.see("the screen then", person.settled_screen())


@situation
def screens(w):
    """What a person sees and types, with output, a resize and a zoom."""
    person = w.person()
    w.settle()
    person.press("-l", "seq 5")
    person.press("Enter")
    person.sees("\n5\n$")
    person.press("C-b", '"')
    until(lambda: w.t("display-message", "-p", "-t", "main", "#{window_panes}") == "2", 10)
    w.prompt("main:0.1")
    w.t("send-keys", "-t", "main:0.1", "printf '\\033[31mred\\033[0m \\303\\244\\n'", "Enter")
    person.sees("red ä")
    w.settle()
    w.see("two panes", person.settled_screen())
    person.press("C-b", "z")
    until(lambda: w.t("display-message", "-p", "-t", "main", "#{window_zoomed_flag}") == "1", 10)
    w.see("zoomed", person.settled_screen())
    w.t("capture-pane", "-t", "main:0.0", "-b", "kept")
    w.see("capture-pane", w.t("show-buffer", "-b", "kept"))
    w.t("respawn-pane", "-k", "-t", "main:0.0", "exec sleep 1000")
    w.t("clear-history", "-t", "main:0.1")
    w.t("set-option", "-w", "-t", "main:0", "remain-on-exit", "on")
    w.t("send-keys", "-t", "main:0.1", "exit 3", "Enter")
    w.see_when("remain-on-exit", "1", lambda: w.t("display-message", "-p", "-t", "main:0.1", "#{pane_dead}"))
    w.t("display-panes", "-b", "-d", "1")
    w.see("all panes", w.t("list-panes", "-a", "-F", PANES))


@situation
def other_commands(w):
    w.settle()
    w.see("server-access -l", w.t("server-access", "-l"))
    waiting = w.start_command("wait-for", "channel")
    w.t("wait-for", "-S", "channel")
    w.see("wait-for", waiting.wait(20))
    w.see("run-shell", re.sub("^'.*\n?", "", w.t("run-shell", "echo output")))
    w.t("source-file", f"{w.folder}/tmux.conf")
    w.t("set-buffer", "-b", "mine", "text")
    w.see("list-buffers", w.t("list-buffers"))
    kept = [line for line in w.t("display-message", "-a", "-p").splitlines() if not VARIES.match(line)]
    w.see("display-message -a", "\n".join(kept))
    w.see("an unknown command", w.t("no-such-command"))
    w.t("respawn-window", "-k", "-t", "main:0", "exec sleep 1000")
    w.see("list-panes", w.t("list-panes", "-a", "-F", PANES))


# The end.


@situation
def kill_server_with_a_stopped_daemon(w):
    w.person()
    w.settle()
    w.t("send-keys", "-t", "main", "while :; do echo 0123456789012345678901234567890123456789; done", "Enter")

    def goes_on():
        w.t("clear-history", "-t", "main")
        return until(lambda: int(w.t("display-message", "-p", "-t", "main", "#{history_size}") or "0") >= 1000, 10)

    goes_on()
    if w.daemon:
        w.daemon.send_signal(signal.SIGSTOP)
    goes_on()
    w.may_end = True
    began = time.monotonic()
    command = w.start_command("kill-server")
    w.has_ended(5)
    seconds = time.monotonic() - began
    w.see("kill-server", "ends tmux" if w.fate() != LIVES else "tmux does not end")
    w.counts[f"{w.situation}: milliseconds"] = int(seconds * 1000)
    if w.daemon:
        w.daemon.kill()
    w.has_ended(15)
    command.kill()
    command.wait()


@situation
def a_new_server_behind_the_old_one(w):
    w.settle()
    w.may_end = True
    w.t("kill-server")
    w.has_ended(10)
    w.t("new-session", "-d", "-s", "second", "-x", "80", "-y", "24")
    w.pid, w.death, w.may_end = int(w.t("display-message", "-p", "#{pid}")), None, False
    w.see("sessions", w.t("list-sessions", "-F", "#{session_id} #{session_name} #{session_windows}"))
