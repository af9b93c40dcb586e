# SPDX-License-Identifier: ISC
"""Asks for what changes tmux while it is late, and compares each answer with the world.

tmux is stopped by SIGSTOP again and again, or its clock jumps (see late_clock.c), which it can
not tell from that: a format of 100 ms is given up since 3.7. Whatever is answered as done was
done, once, and what was refused was not; a pane that is there is not gone.

Usage: late_tmux.py TMUX DIR PID HOW SECONDS, where HOW is "stops" or "jumps". Prints JSON.
"""

import collections
import json
import os
import random
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

TMUX, DIR, SERVER, HOW, SECONDS = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4], float(sys.argv[5])
RATES = collections.defaultdict(lambda: 1500, resize_pane=200)  # one look at the clock of so many is late
DEADLINE = 10  # seconds in which keys are there

link = socket.socket(socket.AF_UNIX)
link.connect(os.environ["MUXBUS"])
answers = link.makefile("rb")
wrong, asked, refused = [], collections.Counter(), collections.Counter()


def jump(rate):
    with open(f"{DIR}/late", "r+b") as file:
        file.write(struct.pack("=I", rate if HOW == "jumps" else 0))


def ask(method, **params):
    """The result, or None, and why."""
    jump(RATES[method])
    link.sendall(json.dumps({"id": 1, "method": method, "params": params}).encode() + b"\n")
    answer = json.loads(answers.readline())
    jump(0)
    asked[method] += 1
    why = answer.get("error", {}).get("message", "")
    if why:
        refused[f"{method}: {why}"] += 1
    return answer.get("result"), why


def tmux(*words):
    done = subprocess.run([TMUX, "-S", f"{DIR}/tmux", *words], stdout=subprocess.PIPE, check=False, timeout=60)
    return done.stdout.decode().splitlines()


def formatted(names, *words):
    """Lines of variables, as soon as tmux gives none up."""
    while True:
        lines = tmux(*words, " ".join("#{%s}" % name for name in names.split()) + " #{?version,whole,}")
        if all(line.endswith(" whole") for line in lines):
            return [line[: -len(" whole")] for line in lines]


def shown(target, names):
    return formatted(names, "display-message", "-p", "-t", target)[0]


def panes():
    return set(formatted("pane_id window_id session_id", "list-panes", "-a", "-F"))


def check(is_right, *what):
    if not is_right:
        wrong.append(" ".join(str(word) for word in what))


def is_honest(why):
    return any(words in why for words in ("tmux gave up", "did not answer in time", "tmux refused a command"))


def zoom(number):
    pane, wants = f"main:zoom.{random.randrange(2)}", random.random() < 0.6
    before = shown(pane, "window_zoomed_flag pane_active")
    result, why = ask("resize_pane", pane=pane, zoom=wants)
    now = shown(pane, "window_zoomed_flag pane_active")
    if result is None:
        check(is_honest(why) and (now == before or "may have taken effect" in why), "zoom", wants, "of", before, "was refused and is", now, why)
    else:
        check(now == "1 1" if wants else now[0] == "0", "zoom", wants, "of", before, "is", now)


def make(number):
    method, params, ways = random.choice((
        ("create_pane", {"pane": "main:split"}, ("pane",)),
        ("create_window", {"session": "main"}, ("pane", "window")),
        ("create_session", {}, ("pane", "window", "session"))))
    before = panes()
    result, why = ask(method, command=["sleep", "3600"], **params)
    made = panes() - before
    if result is None:
        check("list_panes shows it" in why and len(made) == 1 if made else is_honest(why), method, "made", made, why)
    else:
        check(made == {"{pane} {window} {session}".format(**result)}, method, "made", made, "and says", result)
        check(shown(result["pane"], "pane_dead") == "0", method, "has ended")
    for row in made:
        kind = random.choice(ways)
        ids = dict(zip(("pane", "window", "session"), row.split()))
        ask("list_panes", max_age_ms=0)
        result, why = ask(f"close_{kind}", **{kind: ids[kind]})
        check(is_honest(why) if result is None else row not in panes(), "close", kind, ids, why)


def capture(number):
    result, why = ask("capture_pane", pane="main:picture")
    size = shown("main:picture", "pane_height pane_width cursor_y cursor_x history_size")
    check(result is not None or is_honest(why), "capture:", why)
    if result is not None:
        cursor = result["cursor"]
        found = f"{result['rows']} {result['columns']} {cursor['row']} {cursor['column']} {result['history_size']}"
        check(found == size and result["text"] == "a picture\n", "capture", found, "of", size, result["text"])


def typed(name, size, is_done):
    """What came in after so many bytes."""
    end = time.monotonic() + (DEADLINE if is_done else 0.05)
    found = b""
    while not found.endswith((b"\n", b"M")) and time.monotonic() < end:
        time.sleep(0.002)
        with open(f"{DIR}/{name}", "rb") as file:
            file.seek(size)
            found = file.read()
    return found.decode()


def type_it(number):
    text, size = f"word {number}", os.path.getsize(f"{DIR}/typed")
    result, why = random.choice((
        lambda: ask("send_keys", pane="main:typed", keys=[text, "Enter"]),
        lambda: ask("send_text", pane="main:typed", text=text, enter=True),
        lambda: ask("send_text", pane="main:typed", text=text, enter=True, force=True)))()
    is_half = why.endswith("typed: the text, but not Enter")
    if is_half:
        tmux("send-keys", "-t", "main:typed", "Enter")
    is_done = is_half or result is not None
    found = typed("typed", size, is_done)
    check(found == (f"{text}\n" if is_done else ""), "typed", repr(found), "for", text, result, why)
    check(result is not None or is_honest(why), "typing", why)


def click(number):
    size = os.path.getsize(f"{DIR}/mouse")
    result, why = ask("send_mouse", pane="main:mouse", x=number % 9, y=1, action="press")
    found = typed("mouse", size, result is not None)
    check(found == (f"\x1b[<0;{number % 9 + 1};2M" if result is not None else ""), "mouse", repr(found), result, why)
    check(result is not None or is_honest(why), "mouse", why)


def option(number):
    result, why = ask("run_tmux", command=["set-option", "-w", "-t", "main:split", "@number", str(number)])
    check(result is None or tmux("show-options", "-v", "-w", "-t", "main:split", "@number") == [str(number)], "option", number, why)


def look(number):
    result, why = ask("get_pane", pane="main:picture", max_age_ms=0)
    check(is_honest(why) if result is None else result["command"] == "sleep", "look", result, why)


def stop():
    while is_asking:
        time.sleep(random.uniform(0.01, 0.1))
        os.kill(SERVER, signal.SIGSTOP)
        time.sleep(random.uniform(0.12, 0.3))
        os.kill(SERVER, signal.SIGCONT)


is_asking = True
thread = threading.Thread(target=stop)
if HOW == "stops":
    thread.start()
try:
    end = time.monotonic() + SECONDS
    while time.monotonic() < end or sum(asked.values()) < 20:
        random.choice((zoom, zoom, zoom, zoom, make, capture, type_it, type_it, click, option, look))(sum(asked.values()))
finally:
    is_asking = False
    if HOW == "stops":
        thread.join()
answers.close()
link.close()
print(json.dumps({"asked": asked, "refused": refused, "count": len(wrong), "wrong": wrong[:9]}))
