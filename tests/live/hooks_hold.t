#!/bin/sh
# SPDX-License-Identifier: ISC
# While muxbusd is attached, a hook of the user delays the request whose command has it, and no other one.
# A listing runs no hook of display-message, at rest neither, and no hook of listings that is known.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
need_python
start 'exec cat'
t set-option -s message-limit 100000 # the log is counted
kill "$daemon_pid"
wait "$daemon_pid"
daemon_pid=

cat >"$dir/hold" <<'END'
import os
import re
import subprocess
import time

import tap
from provide_peer import Daemon, Peer, until


def run(*words):
    return "run_tmux", {"command": list(words)}


CAPTURE = ("capture_pane", {"pane": "%0"})
LISTS = [("get_pane", {"pane": "%0", "max_age_ms": 0}), ("list_sessions", {"max_age_ms": 0})]
ALL = [*LISTS, ("list_panes", {"max_age_ms": 0})]
MESSAGE = run("display-message", "-p", "x")
TYPE = run("send-keys", "-t", "%0", "x")
# A hook, the request that it delays, and requests without the command of the hook.
HOOKS = {
    "after-list-panes": (run("list-panes"), [MESSAGE]),
    "after-capture-pane": (CAPTURE, [MESSAGE]),
    "after-send-keys": (TYPE, [MESSAGE]),
}
held = 0


def tmux(*words):
    return subprocess.run(["tmux", "-S", os.environ["dir"] + "/tmux", "-f", "/dev/null", *words], check=False,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=20).stdout.strip()


def is_held():
    return tmux("show-environment", "-g", "HELD") == "HELD=yes"


def hold(hook):
    global held
    held += 1
    tmux("set-environment", "-gu", "HELD")
    tmux("set-hook", "-g", hook, "set-environment -g HELD yes ; wait-for held")


def let_go(hook):
    tmux("set-hook", "-gu", hook)
    tmux("wait-for", "-S", "held")


def numbered(number):
    """A request that tmux writes to its log. Every second one is of a form that does not go over the connection."""
    text = f"held{held}:{number}"
    return run("display-message", "-p", text) if number % 2 else run("display-message", "-t", "%0", "-p", text)


def begin_all(peer, requests):
    return [peer.begin(method, **params) for method, params in requests]


def check_ends(peer, numbers, name):
    answers = [peer.end(number) or {"error": {"message": "no answer"}} for number in numbers]
    errors = [answer["error"]["message"] for answer in answers if "error" in answer]
    tap.ok(not errors, name, "\n".join(errors))


def order():
    return re.findall(f"held{held}:([0-9])", tmux("show-messages"))[::-1]


def check_order(name):
    tap.ok(order() == list("123456789"), name, " ".join(order()))


def check_hook(hook, time_of, others):
    """The hook waits until it is let go. An answer that comes before does not wait for it."""
    first, ordered, other = Peer(), Peer(), Peer()
    hold(hook)
    begun = time.monotonic()
    numbers = begin_all(first, [HOOKS[hook][0]])
    tap.ok(until(is_held), f"{hook} waits, the {time_of} time")
    until(lambda: time.monotonic() > begun + 0.1)  # requests of the same moment wait the first time
    behind = begin_all(ordered, map(numbered, range(1, 8)))
    for request in others:
        check_ends(other, begin_all(other, [request]), f"{request[0]} {request[1].get('command', [''])[0]} is answered")
    behind += begin_all(ordered, map(numbered, (8, 9)))
    check_ends(ordered, behind, "and the requests of one peer")
    check_order("in their order")
    tap.ok(first.read(0.01) is None, "before the hook ends", f"{time.monotonic() - begun:.2f} s")
    let_go(hook)
    check_ends(first, numbers, "whose request is answered then")


def check_both(hook):
    others = HOOKS[hook][1]
    # With attach=always the output of a pane comes over the connection, and a picture waits for that.
    if hook != "after-capture-pane" and os.environ["MUXBUS_TEST_ATTACH"] == "used":
        others = others + [CAPTURE]
    check_hook(hook, "first", others)
    check_hook(hook, "second", others + LISTS)


def check_sent(hook):
    """Requests that tmux has got behind the one with the hook wait for it, and so do later ones of their peer."""
    peer = Peer()
    hold(hook)
    numbers = begin_all(peer, [MESSAGE, HOOKS[hook][0], *map(numbered, range(1, 5))])
    until(is_held)
    numbers += begin_all(peer, map(numbered, range(5, 10)))
    until(lambda: len(order()) == 9, 1.5)
    let_go(hook)
    check_ends(peer, numbers, f"{hook}: a burst with its command is answered")
    check_order("in its order")


def count_listings():
    return len(re.findall('command: list-panes|command: list-commands -F "#.S:', tmux("show-messages")))


def check_joined(hook):
    """Requests that wait for the listing after the one that runs share it, also behind other commands that were answered.
    The hook came while the daemon was attached, so the first listing runs it, and no later one."""
    peers = [Peer() for _ in range(4)]
    hold(hook)
    before = count_listings()
    numbers = []
    for peer in peers[:3]:
        begun = time.monotonic()
        numbers += begin_all(peer, LISTS[:1])
        tap.ok(until(is_held), "a listing waits for a hook")
        until(lambda: time.monotonic() > begun + 0.1)
        check_ends(peers[3], begin_all(peers[3], [MESSAGE, MESSAGE]), "others do not")
    let_go(hook)
    for peer, number in zip(peers, numbers):
        check_ends(peer, [number], "and is answered")
    count = count_listings() - before
    tap.ok(count == 2, "by the listing that ran, or by the next one", f"{count} listings")
    tmux("set-environment", "-gu", "HELD")
    tmux("set-hook", "-g", hook, "set-environment -g HELD yes ; wait-for held")
    check_ends(peers[0], begin_all(peers[0], LISTS * 2), "later ones are answered")
    tap.ok(not is_held(), "without the hook")
    tmux("set-hook", "-gu", hook)


def check_rest(hook):
    """At rest the listing that runs the hook is left to it after a second, and made without it."""
    peer = Peer()
    check_ends(peer, begin_all(peer, LISTS[:1]), f"{hook}: none yet")
    hold(hook)
    check_ends(peer, begin_all(peer, ALL), "a listing is answered before the hook ends")
    tap.ok(is_held(), "which it has run")
    tmux("set-environment", "-gu", "HELD")
    check_ends(peer, begin_all(peer, ALL), "later ones too")
    tap.ok(not is_held(), "which do not run it")
    let_go(hook)


def check_start(hook, attach):
    """A daemon that starts finds the hook, and does not run it."""
    hold(hook)
    daemon = Daemon()
    daemon.start()
    peer = Peer()
    peer.ask("subscribe")
    tap.ok(until(lambda: tmux("list-clients", "-F", "#{client_control_mode}") == "1"), f"{hook}, attach={attach}")
    check_ends(peer, begin_all(peer, ALL), "a daemon that starts with it lists")
    tap.ok(not is_held(), "and does not run it")
    daemon.stop()
    tmux("set-hook", "-gu", hook)


def check_unhooked():
    """A hook of display-message does not run for listings."""
    peer = Peer()
    check_ends(peer, begin_all(peer, LISTS), "listings are answered")
    tmux("set-environment", "-gu", "HELD")
    tmux("set-hook", "-g", "after-display-message", "set-environment -g HELD yes")
    check_ends(peer, begin_all(peer, ALL * 2), "beside a hook too")
    tap.ok(not is_held(), "which did not run")
    check_ends(peer, begin_all(peer, [MESSAGE]), "a message is answered")
    tap.ok(until(is_held), "and its hook runs")
    tmux("set-hook", "-gu", "after-display-message")


daemon = Daemon()
daemon.start()
check_unhooked()
for hook in "after-list-panes", "after-list-windows", "after-list-sessions":
    daemon.stop()
    daemon.start()
    check_rest(hook)
daemon.stop()
for attach in "used", "always":
    os.environ["MUXBUS_TEST_ATTACH"] = attach
    for hook in list(HOOKS)[: None if attach == "used" else 1]:
        for check in (check_both, check_sent) + (check_joined,) * (hook == "after-list-panes"):
            daemon = Daemon()
            daemon.start()
            follower = Peer()
            follower.ask("subscribe")
            tap.ok(until(lambda: tmux("list-clients", "-F", "#{client_control_mode}") == "1"), f"attach={attach}")
            check(hook)
            if check == check_sent:
                check_unhooked()
            daemon.stop()
    for hook in "after-list-panes", "after-list-windows", "after-list-sessions", "after-display-message":
        check_start(hook, attach)
tap.done()
END
export dir PYTHONDONTWRITEBYTECODE=1
PYTHONPATH=$MUXBUS_SRCDIR/tests:$MUXBUS_SRCDIR/tests/live /usr/bin/python3 "$dir/hold"
status=$?
[ $status -eq 0 ] || sed 's/^/# muxbusd: /' "$dir/muxbusd.log"
exit $status
