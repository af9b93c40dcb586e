# SPDX-License-Identifier: ISC
"""A daemon that is killed at each call by which it changes its files loses nothing it has said.

crash_at.c, preloaded, does something to a chosen one of these calls: it kills the daemon before
it or in the middle of a write, or lets the call fail with EIO, or this one and all that need room
with ENOSPC. A short story of requests runs against it; a daemon that lives through it is killed.
Then a daemon starts as usual, and is asked: what was answered is there, once; what was not
answered, or as not durable, is there once or not at all; the chain of the audit is whole. Every
third time the daemon that recovers is killed as well.

Usage: crash_points.py TRIES [SEED]. 0: each call in all ways; else so many of them.
"""

import json
import os
import random
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import tap  # noqa: E402

DIR = os.environ["dir"]
DAEMON = os.environ["MUXBUS_BUILDDIR"] + "/muxbusd"
SHIM = os.environ["MUXBUS_BUILDDIR"] + "/tests/live/.libs/crash_at.so"
SOCKET = DIR + "/tmux.muxbus"
STATE = DIR + "/muxbus"
COUNT = DIR + "/count"
PATIENCE = 60  # seconds: no answer of the daemon takes longer


def check(right, name, detail=""):
    tap.ok(right, name, detail)
    return right


def start(at=0, how="kill"):
    """Starts the daemon. Returns its process; it may have been killed meanwhile."""
    with open(COUNT, "wb") as file:
        file.write(bytes(8))
    env = dict(os.environ)
    if at is not None:
        env.update(LD_PRELOAD=SHIM, CRASH_COUNT=COUNT, CRASH_AT=str(at), CRASH_HOW=how)
        env["ASAN_OPTIONS"] = env.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
    reader, writer = os.pipe()
    with open(DIR + "/muxbusd.log", "ab") as log:
        daemon = subprocess.Popen(
            [DAEMON, "-f", "--ready-fd", str(writer), "-o", "audit_bytes=65536", "-S", DIR + "/tmux"],
            env=env, pass_fds=[writer], stderr=log, stdin=subprocess.DEVNULL)
    os.close(writer)
    with os.fdopen(reader, "rb") as ready:
        ready.read()  # until it is ready, or has ended
    return daemon


def counted():
    with open(COUNT, "rb") as file:
        return struct.unpack("Q", file.read(8))[0]


class Gone(Exception):
    """The daemon was killed before its answer."""


def ask(method, **params):
    try:
        with socket.socket(socket.AF_UNIX) as sock:
            sock.settimeout(PATIENCE)
            sock.connect(SOCKET)
            sock.sendall(json.dumps({"id": 1, "method": method, "params": params}).encode() + b"\n")
            for line in sock.makefile("rb"):
                message = json.loads(line)
                if message.get("id") == 1:
                    return message
    except (ConnectionError, FileNotFoundError):
        pass
    raise Gone(method)


def result(method, **params):
    message = ask(method, **params)
    if "result" not in message:
        raise AssertionError(f"{method}: {message}")
    return message["result"]


# What the story has asked for, and whether it was answered.
STEPS = [
    ("first", "post_notification", {"text": "first"}),
    ("keyed", "post_notification", {"text": "keyed", "key": "k"}),
    ("synced", "post_notification", {"text": "synced", "sync": True}),
    ("sleep", "sleep", {"seconds": 36000, "pane": "%0"}),
    ("remind", "sleep", {"seconds": 36000, "pane": "%0", "text": "remind", "key": "r"}),
    ("watch", "watch_log", {"file_path": DIR + "/watched", "regex": "x", "pane": "%0"}),
    ("job", "run_long_command", {"command": "exit 3", "pane": "%0", "name": "job", "key": "j"}),
    ("acked", "ack_notification", {"seq": "first"}),
    ("ended", "cancel_timer", {"timer": "sleep"}),
    ("place", "ack_notification", {"up_to": "keyed", "consumer": "reader"}),
    ("taken back", "cancel_notification", {"seq": "synced"}),
    ("agent", "ensure_agent", {"name": "kept", "command": "printf '> '; exec cat", "prompt": "^> $"}),
    ("policy", "set_wake_policy", {"pane": "%0", "window_ms": 50}),
    ("last", "post_notification", {"text": "last"}),
]


def play(answers):
    """The story, until it ends or the daemon does."""
    for name, method, params in STEPS:
        places = {"seq": "seq", "up_to": "seq", "timer": "id"}
        if any(answers.get(params[key]) is None for key in places if key in params):
            continue  # the request that it is about has failed
        for key, member in places.items():
            if key in params:
                params = {**params, key: answers[params[key]][member]}
        answers[name] = None  # asked
        answer = ask(method, **params).get("result")
        if answer is not None and answer.get("durable") is not False:
            answers[name] = answer


def notes():
    return result("list_notifications", limit=1000)["notifications"]


def ends_of_jobs():
    return [n for n in notes() if n["source"] == "job"]


def tmux(*command):
    return subprocess.run(["tmux", "-S", DIR + "/tmux", *command], check=True, text=True,
                          stdin=subprocess.DEVNULL, capture_output=True).stdout


def kept_panes():
    panes = tmux("list-panes", "-a", "-F", "#{pane_id} #{pane_start_command}").splitlines()
    return [line.split()[0] for line in panes if "printf" in line]


def look(where, answers, is_failing):
    """Compares what is there with what was answered."""

    def times(name, found):
        answered = answers.get(name) is not None
        lowest, highest = (1, 1) if answered else (0, 1 if name in answers else 0)
        check(lowest <= found <= highest, f"{where}: {name}",
              f"{'answered' if answered else 'not answered'}, there {found} times")

    there = notes()
    for text in ("first", "keyed", "synced", "last"):
        times(text, sum(n["text"] == text for n in there))
    first = [n for n in there if n["text"] == "first"]
    if answers.get("acked") is not None:
        check(first and first[0]["state"] == "acknowledged", f"{where}: acknowledged", first)
    if answers.get("taken back") is not None:
        check([n["state"] for n in there if n["text"] == "synced"] == ["cancelled"],
              f"{where}: taken back", there)
    if answers.get("place") is not None:
        left = {n["text"] for n in result("list_notifications", consumer="reader")["notifications"]}
        check(not left & {"first", "keyed"}, f"{where}: the place of a reader", left)
    times("agent", sum(a["agent"] == "kept" for a in result("list_agents")["agents"]))
    check(len(kept_panes()) <= 1, f"{where}: the agent is started once", kept_panes())
    timers = result("list_timers")["timers"]
    times("remind", sum(t.get("text") == "remind" for t in timers))
    plain = sum(t.get("text") != "remind" for t in timers)
    if answers.get("ended") is not None:
        check(plain == 0, f"{where}: the timer that was cancelled", timers)
    elif "ended" not in answers:
        times("sleep", plain)
    times("watch", len(result("list_watches")["watches"]))
    policies = [w for w in result("status").get("wake_policies", []) if w.get("window_ms") == 50]
    times("policy", len(policies))
    times("job", len(result("list_jobs", all=True)["jobs"]))
    if answers.get("job") is not None:
        end = time.monotonic() + PATIENCE
        while not ends_of_jobs() and time.monotonic() < end:
            time.sleep(0.02)
        check(len(ends_of_jobs()) == 1, f"{where}: the end of the job", ends_of_jobs())
    audit = result("read_audit", verify=True, limit=1000)
    check(audit["chain"] == "whole", f"{where}: the chain of the audit", audit.get("broken_line"))
    numbers = [a["n"] for a in audit["actions"]]
    check(numbers == sorted(set(numbers)), f"{where}: the numbers of the audit", numbers)
    missed = sum(a.get("missed", 0) for a in audit["actions"])
    for method in {step[1] for step in STEPS}:
        answered = sum(answers.get(s[0]) is not None for s in STEPS if s[1] == method)
        recorded = sum(a["method"] == method for a in audit["actions"])
        check(is_failing or recorded + missed >= answered, f"{where}: {method} in the audit", f"{recorded} of {answered}")
    # Asked again with their keys, nothing is done twice.
    for name, method, params in STEPS:
        if "key" in params and answers.get(name) is not None:
            check(result(method, **params).get("repeated") is True, f"{where}: {name}, repeated")


def end(daemon):
    daemon.send_signal(signal.SIGTERM)
    daemon.wait(PATIENCE)


def one(at, how, again):
    """A life that is killed at a call, perhaps one more, and one that is not."""
    answers = {}
    where = f"call {at}, {how}{f', then {again}' if again else ''}"
    shutil.rmtree(STATE, ignore_errors=True)
    shutil.copytree(STATE + ".before", STATE)
    for pane in kept_panes():
        tmux("kill-pane", "-t", pane)
    daemon = start(at, how)
    is_failing = how in ("fail", "full")
    try:
        play(answers)
        if is_failing and at:
            daemon.kill()  # it kept on living
            daemon.wait()
        else:
            end(daemon)  # it ends in good order, or is killed meanwhile
    except Gone:
        daemon.wait(PATIENCE)
        refused = is_failing and daemon.returncode == 1 and not any(answers.values())
        check(daemon.returncode == -signal.SIGKILL or refused, f"{where}: how it ended",
              daemon.returncode)
    status, calls = daemon.returncode, counted()
    if again:
        daemon = start(again)
        end(daemon)
    daemon = start(None)
    if not check(daemon.poll() is None, f"{where}: the daemon starts again", daemon.returncode):
        return status, calls
    try:
        look(where, answers, is_failing)
    except (AssertionError, Gone) as error:
        check(False, where, repr(error))
    end(daemon)
    return status, calls


def main():
    tries = int(sys.argv[1])
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else time.time_ns() % 100000
    print(f"# seed {seed}", flush=True)
    chance = random.Random(seed)
    # An audit that is about to turn over.
    daemon = start(None)
    while os.path.getsize(find_audit()) < 31500:
        result("set_wake_policy", pane="%0")
    end(daemon)
    shutil.copytree(STATE, STATE + ".before")
    status, total = one(0, "kill", 0)
    check(status == 0, "a life that is not killed ends in good order", status)
    check(total > 40, "its calls are counted", total)
    lives = [(at, how) for at in range(1, total + 1) for how in ("kill", "tear", "fail", "full")]
    if 0 < tries < len(lives):
        lives = chance.sample(lives, tries)
    for number, (at, how) in enumerate(lives):
        one(at, how, chance.randrange(1, 25) if number % 3 == 2 else 0)
    print(f"# {len(lives)} of {4 * total} lives")


def find_audit():
    name = next(n for n in os.listdir(STATE) if os.path.isdir(f"{STATE}/{n}"))
    return f"{STATE}/{name}/audit"


main()
tap.done()
