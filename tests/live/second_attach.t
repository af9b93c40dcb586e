#!/bin/sh
# SPDX-License-Identifier: ISC
# The current client of tmux is the one that was active last. While muxbusd follows tmux, a person who makes a session
# stays that, though muxbusd attaches to the session then. On every tmux at hand.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
need_python
start 'exec cat'
kill "$daemon_pid"
wait "$daemon_pid"
daemon_pid=
t kill-server

cat >"$dir/second" <<'END'
import os
import subprocess

import tap
from harmless_versions import programs
from provide_peer import Daemon, Peer, until

FOLDER = os.environ["dir"]


def run(socket, *words, pane=None):
    env = {**os.environ, **({"TMUX": f"{FOLDER}/tmux,1,0", "TMUX_PANE": pane} if pane else {})}
    return subprocess.run([program, "-S", f"{FOLDER}/{socket}", "-f", "/dev/null", *words], check=False, env=env,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=20).stdout.strip()


def t(*words, pane=None):
    return run("tmux", *words, pane=pane)


def sees(text):
    return until(lambda: text in run("outer", "capture-pane", "-p", "-t", "person"))


def clients():
    """The sessions of the clients: of muxbusd with 1, of persons with 0."""
    return t("list-clients", "-F", "#{client_control_mode}#{client_session}").split()


def is_attached(count):
    """Whether muxbusd has attached to that many sessions."""
    return Peer().ask("status")["result"]["tmux"].get("connections") == count


def check():
    t("new-session", "-d", "-s", "main", "exec cat")
    t("set-option", "-g", "display-time", "20000")
    server = t("display-message", "-p", "#{pid}")
    daemon.start()
    Peer().ask("list_panes")
    files = len(os.listdir(f"/proc/{daemon.process.pid}/fd"))
    follower = Peer()
    follower.ask("subscribe")
    tap.ok(until(lambda: is_attached(1)), f"tmux {version}: muxbusd follows")
    run("outer", "new-session", "-d", "-s", "person", "-x", "80", "-y", "24",
        f"TMUX= exec {program} -S {FOLDER}/tmux new-session -s new 'exec cat'")
    tap.ok(until(lambda: "0new" in clients() and is_attached(2)), "a person makes a session; muxbusd attaches")
    pane = t("list-panes", "-t", "new", "-F", "#{pane_id}")
    t("display-message", "HELLO", pane=pane)
    tap.ok(sees("HELLO"), "a message reaches the person")
    t("detach-client", "-a", pane=pane)
    run("outer", "send-keys", "-t", "person", "typed")
    tap.ok(until(lambda: "typed" in t("capture-pane", "-p", "-t", pane)), "detach-client -a leaves the person there")
    run("outer", "kill-server")
    t("kill-session", "-t", "new")
    follower.close()
    tap.ok(until(lambda: not clients()), "muxbusd rests")
    tap.ok(until(lambda: len(os.listdir(f"/proc/{daemon.process.pid}/fd")) <= files), "without a connection to tmux")
    follower = Peer()
    follower.ask("subscribe")
    tap.ok(until(lambda: is_attached(1)), "it follows again")
    t("kill-session", "-t", "main")
    tap.ok(until(lambda: not os.path.exists(f"/proc/{server}/fd")), "and tmux ends with its last session")
    daemon.stop()


for version, program in programs().items():
    daemon = Daemon()
    check()
tap.done()
END
export dir PYTHONDONTWRITEBYTECODE=1 MUXBUS_TEST_ATTACH=used
PYTHONPATH=$MUXBUS_SRCDIR/tests:$MUXBUS_SRCDIR/tests/live /usr/bin/python3 "$dir/second"
status=$?
tmux -S "$dir/outer" kill-server 2>/dev/null
[ $status -eq 0 ] || sed 's/^/# muxbusd: /' "$dir/muxbusd.log"
exit $status
