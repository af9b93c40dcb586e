#!/bin/sh
# SPDX-License-Identifier: ISC
# While muxbusd follows tmux, the session of its own client may go, or the client itself. No answer fails for that.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
need_python
start 'exec cat'

cat >"$dir/walk" <<'END'
import collections
import os
import subprocess
import threading
import time

import tap
from provide_peer import Peer, until

ASKED = (("get_pane", {"pane": "%0", "max_age_ms": 0}), ("list_panes", {"max_age_ms": 0}), ("list_sessions", {"max_age_ms": 0}),
         ("capture_pane", {"pane": "%0"}), ("send_keys", {"pane": "%0", "keys": ["x"]}), ("resize_pane", {"pane": "%0", "width": 30}),
         ("run_tmux", {"command": ["display-message", "-p", "-t", "%0", "#{pane_id}"]}))


def tmux(*words):
    return subprocess.run(["tmux", "-S", os.environ["dir"] + "/tmux", "-f", "/dev/null", *words], check=False,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=20).stdout.strip()


def is_followed():
    """The daemon has its clients."""
    return sorted(tmux("list-clients", "-F", "#{session_id}").split()) == sorted(tmux("list-sessions", "-F", "#{session_id}").split())


def client():
    """The name of one of its clients: it may be leaving, and come again."""
    names = []
    until(lambda: names.extend(tmux("list-clients", "-F", "#{client_name}").split()) or names)
    return names[0]


class Asker(threading.Thread):
    """It asks all the time."""

    def __init__(self, method, params):
        super().__init__(daemon=True)
        self.method, self.params, self.peer, self.asked, self.errors, self.goes_on = method, params, Peer(), 0, collections.Counter(), True
        self.start()

    def run(self):
        while self.goes_on:
            answer = self.peer.ask(self.method, **self.params)
            self.asked += 1
            if "error" in answer:
                self.errors[f"{self.method}: {answer['error']['data']['kind']}: {answer['error']['message']}"] += 1


def moved(number, command):
    """The pane goes to a new session, and the old one goes as the command says."""
    new = f"n{number}"
    tmux("new-session", "-d", "-s", new, "exec sleep 3600", ";", "link-window", "-d", "-s", "@0", "-t", new + ":", ";", *command)
    tmux("rename-session", "-t", new, "main")


COMMANDS = {
    "kill-session": lambda number: moved(number, ["kill-session", "-t", "main"]),
    "kill-session -a": lambda number: moved(number, ["kill-session", "-a", "-t", f"n{number}"]),
    "destroy-unattached": lambda number: moved(number, ["set-option", "-t", "main", "destroy-unattached", "on", ";", "switch-client", "-c", client(), "-t", f"n{number}"]),
    "detach-on-destroy off": lambda number: moved(number, ["set-option", "-t", "main", "detach-on-destroy", "off", ";", "kill-session", "-t", "main"]),
    "rename-session": lambda number: tmux("rename-session", "-t", "main", "other", ";", "rename-session", "-t", "other", "main"),
    "detach-client": lambda number: tmux("detach-client", "-s", "main"),
    "switch-client": lambda number: moved(number, ["switch-client", "-c", client(), "-t", f"n{number}", ";", "kill-session", "-t", "main"]),
}
if os.environ.get("MUXBUS_ATTACH") == "process":
    del COMMANDS["destroy-unattached"]  # tmux 3.3a may die of it while a tmux -C is there
# Their errors came in few rounds: a capture during output, and a command on its way while the client is closed.
LONG = ("detach-on-destroy off", "kill-session -a")
pid = tmux("display-message", "-p", "#{pid}")
follower = Peer()
follower.ask("subscribe")
number = 0
for what, command in COMMANDS.items():
    askers = [Asker(*asked) for asked in ASKED]
    for _ in range(int(os.environ.get("MUXBUS_ROUNDS") or (60 if what in LONG else 4))):
        if not until(is_followed):
            tap.ok(False, f"{what}: the daemon follows again", tmux("list-clients") + "\n" + tmux("list-sessions"))
            break
        number += 1
        command(number)
        time.sleep(0.01 * (number % 5))
    until(is_followed)
    for asker in askers:
        asker.goes_on = False
    for asker in askers:
        asker.join(20)
    errors = sum((asker.errors for asker in askers), collections.Counter())
    tap.ok(not errors and all(asker.asked for asker in askers), f"{what}: no answer fails, of {len(askers)} that ask all the time",
           "\n".join(f"{count} of {sum(asker.asked for asker in askers)}: {text}" for text, count in errors.most_common(9)))
tap.ok(tmux("display-message", "-p", "#{pid}") == pid, "it is the same tmux")
tap.done()
END
export dir PYTHONDONTWRITEBYTECODE=1
PYTHONPATH=$MUXBUS_SRCDIR/tests:$MUXBUS_SRCDIR/tests/live /usr/bin/python3 "$dir/walk"
status=$?
[ $status -eq 0 ] || sed 's/^/# muxbusd: /' "$dir/muxbusd.log"
exit $status
