#!/bin/sh
# SPDX-License-Identifier: ISC
# At rest every answer is true: after each of hundreds of random commands of others, get_pane of one
# pane and now and then list_panes, list_windows and list_sessions say what tmux lists. The same while
# the daemon follows tmux. MUXBUS_TEST_SEED repeats a run; MUXBUS_REST_STEPS says how many commands.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
need_python
MUXBUS_TEST_ATTACH=used
start 'exec sleep 3600'
cat >"$dir/walk" <<'END'
import json, os, random, signal, socket, subprocess, sys, threading, time

TMUX = sys.argv[1:]
FIELDS = ("pane_id window_id pane_index pane_width pane_height pane_left pane_top pane_active pane_pid pane_tty"
    " pane_dead pane_dead_status pane_mode alternate_on pane_input_off pane_synchronized pane_floating_flag"
    " pane_current_command window_name pane_title pane_current_path").split()
seed = int(os.environ.get("MUXBUS_TEST_SEED") or random.randrange(10**6))
chance = random.Random(seed)
follows = os.environ.get("MUXBUS_REST_FOLLOWS") == "yes"
follower = socket.socket(socket.AF_UNIX)
follower.connect(os.environ["MUXBUS"])
if follows:
    follower.sendall(b'{"id":1,"method":"subscribe"}\n')
    threading.Thread(target=lambda: [None for _ in iter(lambda: follower.recv(65536), b"")], daemon=True).start()
link = socket.socket(socket.AF_UNIX)
link.connect(os.environ["MUXBUS"])
lines = link.makefile("rb")

def ask(method, **params):
    link.sendall(json.dumps({"id": 1, "method": method, "params": params}).encode() + b"\n")
    answer = json.loads(lines.readline())
    return answer.get("result"), answer.get("error")

def tmux(*words):
    """What tmux prints. A kill-window of 3.3a can take for ever, without muxbusd too: its server is ended then."""
    try:
        return subprocess.run([*TMUX, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=20).stdout
    except subprocess.TimeoutExpired:
        os.kill(server, signal.SIGKILL)
        return ""

def truth():
    """What tmux says: the panes by id, and the links of each window as (session, name, index)."""
    listing = tmux("list-panes", "-a", "-F", "P\t" + "\t".join("#{%s}" % field for field in FIELDS),
        ";", "list-windows", "-a", "-F", "W\t#{window_id}\t#{session_id}\t#{session_name}\t#{window_index}")
    panes, links = {}, {}
    for line in listing.splitlines():
        kind, *values = line.split("\t")
        if kind == "P":
            panes[values[0]] = dict(zip(FIELDS, values))
        else:
            links.setdefault(values[0], set()).add((values[1], values[2], int(values[3])))
    return panes, links

WINDOWS = "window_id session_id window_index window_active window_name window_width window_height window_zoomed_flag window_layout".split()

def windows():
    """What tmux says of windows: by id, the one line and the links."""
    listed = {}
    for line in tmux("list-windows", "-a", "-F", "\t".join("#{%s}" % field for field in WINDOWS)).splitlines():
        id, session, index, current, name, width, height, zoomed, layout = line.split("\t")
        row = listed.setdefault(id, {"name": name, "width": int(width), "height": int(height), "zoomed": zoomed == "1", "layout": layout, "links": set()})
        row["links"].add((session, int(index), current == "1"))
    return listed

def sessions():
    return dict(line.split("\t") for line in tmux("list-sessions", "-F", "#{session_id}\t#{session_name} #{session_windows}").splitlines())

def whole(text):
    return int(text) if text else None

def differences(said, pane, links):
    """What an answer says of a pane, beside tmux's own words."""
    there = links[pane["window_id"]]
    is_dead = pane["pane_dead"] == "1"
    pairs = {
        "window": pane["window_id"], "pane_index": whole(pane["pane_index"]), "width": whole(pane["pane_width"]),
        "height": whole(pane["pane_height"]), "left": whole(pane["pane_left"]), "top": whole(pane["pane_top"]),
        "active": pane["pane_active"] == "1", "title": pane["pane_title"], "tty": pane["pane_tty"],
        "dead": is_dead, "mode": pane["pane_mode"] or None, "alternate_screen": pane["alternate_on"] == "1",
        "input_off": pane["pane_input_off"] == "1", "synchronized": pane["pane_synchronized"] == "1",
        "window_name": pane["window_name"]}
    if pane["pane_floating_flag"] == "1":
        pairs["floating"] = True
    if not is_dead:
        pairs.update(pid=whole(pane["pane_pid"]), command=pane["pane_current_command"], path=pane["pane_current_path"])
    if pane["pane_dead_status"]:
        pairs["exit_status"] = whole(pane["pane_dead_status"])
    wrong = [f"{name}: {said.get(name)!r} and not {value!r}" for name, value in pairs.items() if said.get(name) != value]
    if (said.get("session"), said.get("session_name"), said.get("window_index")) not in there:
        wrong.append(f"{said.get('session')} {said.get('session_name')}:{said.get('window_index')} and not one of {there}")
    sessions = {session for session, _, _ in there}
    if len(sessions) > 1 and set(said.get("sessions") or []) != sessions:
        wrong.append(f"sessions: {said.get('sessions')} and not {sessions}")
    return wrong

def step(panes, links, number):
    """One command of a person or a script."""
    pane, other = chance.choice(list(panes)), chance.choice(list(panes))
    window, away = panes[pane]["window_id"], panes[other]["window_id"]
    session, _, index = chance.choice(sorted(links[window]))
    elsewhere = chance.choice(sorted({s for there in links.values() for s, _, _ in there}))
    free = chance.randrange(20, 90)
    run = chance.choice(["exec sleep 3600", "exec cat", "cd / && exec sleep 3600", "printf '\\033]2;a %% title\\033\\\\'; exec cat", "printf '\\033[?1049h'; exec cat"])
    commands = [
        ["new-session", "-d", "-x", "80", "-y", "24", "-s", f"s{number}", run], ["new-session", "-d", "-s", f"g{number}", "-t", elsewhere],
        ["new-window", "-d", "-t", f"{elsewhere}:", run], ["new-window", "-t", f"{elsewhere}:", run],
        ["split-window", "-t", pane, run], ["split-window", "-h", "-d", "-t", pane, run],
        ["kill-pane", "-t", pane], ["kill-window", "-t", window], ["unlink-window", "-k", "-t", f"{session}:{index}"],
        ["move-window", "-s", f"{session}:{index}", "-t", f"{elsewhere}:{free}"], ["move-window", "-r", "-t", elsewhere],
        ["link-window", "-d", "-s", window, "-t", f"{elsewhere}:{free}"], ["swap-window", "-d", "-s", window, "-t", away],
        ["join-pane", "-d", "-s", pane, "-t", other], ["break-pane", "-d", "-s", pane], ["swap-pane", "-d", "-s", pane, "-t", other],
        ["select-pane", "-T", f"title {number} a\\b 100%", "-t", pane], ["select-pane", "-t", pane], ["select-window", "-t", f"{session}:{index}"],
        ["rename-window", "-t", window, f"w {number} 100%"], ["rename-session", "-t", session, f"n{number}"],
        ["select-layout", "-t", window, chance.choice(["tiled", "even-horizontal", "main-vertical"])], ["resize-pane", "-Z", "-t", pane],
        ["resize-pane", "-U", "2", "-t", pane], *[["rotate-window", "-t", window]] * 4,
        ["set-option", "-w", "-t", window, "pane-base-index", str(chance.randrange(3))], ["set-option", "-w", "-t", window, "synchronize-panes", chance.choice(["on", "off"])],
        ["set-option", "-w", "-t", window, "pane-border-status", chance.choice(["top", "off"])], ["set-option", "-w", "-t", window, "remain-on-exit", chance.choice(["on", "off"])],
        ["copy-mode", "-t", pane], ["send-keys", "-X", "-t", pane, "cancel"], ["select-pane", "-d", "-t", pane], ["select-pane", "-e", "-t", pane],
        ["respawn-pane", "-k", "-t", pane, run], ["respawn-pane", "-k", "-t", pane, f"exit {number % 250}"],
    ]
    # A server needs a session, and a walk a few panes.
    if len(panes) < 4:
        commands = commands[:6]
    elif len(panes) > 30:
        commands = [["kill-window", "-t", window]]
    elif chance.random() < 0.02 and len({s for there in links.values() for s, _, _ in there}) > 2:
        commands = [["kill-session", "-t", session]]
    command = chance.choice(commands)
    tmux(*command)
    return command

def begin():
    """A server with a pane. tmux 3.3a dies in such walks at times, without muxbusd too."""
    tmux("start-server", ";", "set-option", "-g", "exit-empty", "off", ";", "set-option", "-g", "automatic-rename", "off")
    tmux("new-session", "-d", "-x", "80", "-y", "24", "exec sleep 3600")
    global server
    server = int(tmux("display-message", "-p", "#{pid}"))
    until = time.monotonic() + 10
    while ask("list_panes")[1] and time.monotonic() < until:
        pass
    return truth()

def wrong_pane(pane, panes, links):
    said, error = ask("get_pane", pane=pane, max_age_ms=0)
    if pane not in panes:
        return [] if error else [f"{pane} is gone, and the answer is {said}"]
    return [f"{pane}: {text}" for text in ([error] if error else differences(said, panes[pane], links))]

def wrong_list(panes, links):
    said, error = ask("list_panes", max_age_ms=0)
    listed = {pane["pane"]: pane for pane in (said or {}).get("panes", [])}
    if error or set(listed) != set(panes):
        return [f"list_panes: {error or sorted(set(listed) ^ set(panes))}"]
    return [f"list_panes: {pane}: {text}" for pane in panes for text in differences(listed[pane], panes[pane], links)]

def wrong_windows(there):
    said, error = ask("list_windows", max_age_ms=0)
    listed = {w["window"]: dict({key: w[key] for key in ("name", "width", "height", "zoomed", "layout")},
        links={(link["session"], link["index"], link["current"]) for link in w["links"]}) for w in (said or {}).get("windows", [])}
    if error or set(listed) != set(there):
        return [f"list_windows: {error or sorted(set(listed) ^ set(there))}"]
    return [f"list_windows: {id}: {listed[id]} and not {row}" for id, row in there.items() if listed[id] != row]

def wrong_sessions(there):
    said, error = ask("list_sessions", max_age_ms=0)
    listed = {s["session"]: f"{s['name']} {s['windows']}" for s in (said or {}).get("sessions", [])}
    return [] if listed == there and not error else [f"list_sessions: {error or listed} and not {there}"]

def compare(ask_it, truth=truth):
    """What is wrong with an answer, if tmux says the same before it and behind it."""
    for _ in range(50):
        before = truth()
        wrong = ask_it(*before) if isinstance(before, tuple) else ask_it(before)
        if not wrong or truth() == before:
            has_ended = not (before[0] if isinstance(before, tuple) else before)
            return [] if has_ended and all("tmux_unavailable" in text for text in wrong) else wrong
    return ["tmux does not rest"]

wrong, asked, steps = [], 0, int(os.environ.get("MUXBUS_REST_STEPS") or 250)
panes, links = begin()
gone, history = set(), []
for number in range(1, steps + 1):
    for _ in range(chance.choice((1, 1, 1, 2, 5))):
        history.append(step(panes, links, number))
        gone |= set(panes)
        panes, links = truth()
        if not panes:
            panes, links = begin()
    gone -= set(panes)
    # An answer about panes may repair what one about windows would have had wrong.
    looks = chance.sample(sorted(panes), min(2, len(panes))) + chance.sample(sorted(gone), min(1, len(gone)))
    for pane in looks if number % 3 else []:
        wrong += compare(lambda panes, links: wrong_pane(pane, panes, links))
        asked += 1
    if number % 7 == 0:
        wrong += compare(wrong_list)
        asked += 1
    if number % 3 == 0:
        wrong += compare(wrong_windows, windows) + compare(wrong_sessions, sessions)
        asked += 2
    if wrong:
        wrong = [f"step {number}: {text}" for text in wrong]
        break
attached = ask("status")[0]["tmux"]["attached"]
print(json.dumps({"asked": asked, "attached": attached, "wrong": wrong[:5], "seed": seed, "last": history[-6:] if wrong else []}))
END
for follows in no yes; do
	MUXBUS_REST_FOLLOWS=$follows /usr/bin/python3 "$dir/walk" tmux -S "$dir/tmux" -f /dev/null >"$dir/answer"
	echo "# $(cat "$dir/answer")"
	is 'no answer differs from what tmux says' "$(field '.wrong | length')" 0
	is 'hundreds of answers were compared' "$(field '.asked >= 300')" true
	[ $follows = yes ] || is 'and the daemon was no client' "$(field .attached)" false
done
done_testing
