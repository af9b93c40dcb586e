# SPDX-License-Identifier: ISC
"""What crosses machines on the socket of a fleet: merged events, waits, consumers and notify. The machines are
folders of this one, and ssh a script that runs its command here."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import tap  # noqa: E402
from fleet_machines import BUILD, Ended, Fleet, Link, Machine, all_notes, stop_all, until, write  # noqa: E402
from tap import ok  # noqa: E402


def events_of(link, kinds, count, seconds=20):
    """The next events of these kinds."""
    found = []
    try:
        while len(found) < count:
            message = link.line(seconds)
            if message.get("method") == "event" and message["params"]["kind"] in kinds:
                found.append(message["params"])
    except Ended:
        pass
    return found


def error_of(link, method, params):
    return link.ask(method, params).get("error", {}).get("data", {})


def read(path):
    with open(path, "rb") as file:
        return file.read()


def close_all(machines, *links):
    """Closes links; then no subscription is left on the machines."""
    for link in links:
        link.close()
    until(lambda: not any(m.ask("status")["subscriptions"] for m in machines))


def streams(fleet, machines):
    one, other = machines
    link, asking = Link(fleet.socket), Link(fleet.socket)
    got = link.ask("subscribe", {"kinds": ["notification", "host_state"]})
    ok(got["result"]["subscription"] == "S1" and got["result"]["missing"] == [], "subscribe to all machines", got)
    up = events_of(link, ["host_state"], 2)
    ok(sorted(e["host"] for e in up) == ["h1", "h2"] and all(e["state"] == "up" and "seq" in e for e in up),
       "the events of each begin behind a number", up)
    for machine in machines:
        machine.ask("post_notification", {"text": f"from {machine.name}", "pane": "%0"})
    got = events_of(link, ["notification"], 2)
    ok(sorted((e["host"], e["text"], e["pane"]) for e in got) ==
       [("h1", "from h1", "h1:%0"), ("h2", "from h2", "h2:%0")], "each has its host, and its ids too", got)
    after = {e["host"]: e["seq"] for e in got}
    close_all(machines, link)
    one.ask("post_notification", {"text": "while no one listens"})
    link = Link(fleet.socket)
    link.ask("subscribe", {"kinds": ["notification"], "after": after})
    got = events_of(link, ["notification"], 1)
    ok([e["text"] for e in got] == ["while no one listens"], "after a number of each they go on", got)
    close_all(machines, link)
    link = Link(fleet.socket)
    link.ask("subscribe", {"panes": ["h2:%0"], "kinds": ["notification", "host_state"]})
    events_of(link, ["host_state"], 1)
    one.ask("post_notification", {"text": "h1", "pane": "%0"})
    other.ask("post_notification", {"text": "h2", "pane": "%0"})
    got = events_of(link, ["notification"], 1)
    ok([e["host"] for e in got] == ["h2"], "panes of one machine only", got)
    name = got[0]["subscription"]
    ok(link.ask("unsubscribe", {"subscription": name})["result"]["subscription"] == name, "unsubscribe")
    ok(until(lambda: other.ask("status")["subscriptions"] == 0), "ends the subscription there")
    ok(error_of(link, "unsubscribe", {"subscription": name})["kind"] == "no_such_subscription", "a second time")
    for params, field in (({"kinds": ["notificatoin"]}, "kinds"), ({"after": 5}, "after"), ({"host": "h9"}, "host"),
                          ({"panes": "h1:%0"}, "panes"), ({"output": 1}, "output"), ({"host": 5}, "host"),
                          ({"after": {"h1": "5"}}, "after"), ({"after": {"h1": -1}}, "after")):
        ok(error_of(asking, "subscribe", params).get("field") == field, f"refused: {params}")
    ok(error_of(asking, "subscribe", {"panes": ["%0"]})["kind"] == "ambiguous_target", "refused: a pane of no host")
    got = asking.ask("subscribe", {"kinds": ["k" * 1100000], "panes": ["h1:" + "p" * 1100000]})
    ok(got.get("error", {}).get("data", {}).get("kind") == "limit", "refused: more than a host can be asked", got)
    got = asking.ask("subscribe", {"after": {"h1": 1, "h9": 1}})["result"]["missing"]
    ok([m["host"] for m in got] == ["h9"] and "is no such host" in got[0]["reason"], "a number of a host that is none", got)
    close_all(machines, link, asking)


def slow_reader(fleet, machine):
    """A subscriber that does not read for a while misses nothing that its machine remembers."""
    link = Link(fleet.socket)
    link.ask("subscribe", {"kinds": ["notification", "host_state"], "host": machine.name})
    events_of(link, ["host_state"], 1)
    far, text = Link(machine.socket), "x" * 4000
    for number in range(400):
        far.ask("post_notification", {"text": f"{number} {text}"})
    got = events_of(link, ["notification", "gap"], 400, 10)
    numbers, missed = [], 0
    for event in got:
        if event["kind"] == "gap":
            missed += 1
        else:
            numbers.append(int(event["text"].split()[0]))
    ok(numbers == sorted(set(numbers)) and numbers[-1] == 399 and (missed or len(numbers) == 400),
       "a slow reader gets 400 events of 4 kB in order, or a gap", f"{len(numbers)} {missed}")
    far.close()
    link.close()


def slow_states(fleet, machines):
    """A subscriber that did not read when a machine came up again is told so when it reads."""
    one, other = machines
    link, far, asking = Link(fleet.socket), Link(other.socket), Link(fleet.socket)

    def learns(is_up):
        return until(lambda: [e for e in events_of(link, ["host_state"], 1, 1)
                              if e["host"] == "h1" and (e["state"] == "up") == is_up], 20)
    link.ask("subscribe", {"kinds": ["notification", "host_state"]})
    learns(True)
    command = read(one.muxbus).decode()
    write(one.muxbus, "#!/bin/sh\nexit 9\n", 0o700)
    for pid in fleet.relays(one):
        os.kill(pid, signal.SIGKILL)
    ok(learns(False), "a machine is down")
    ok(until(lambda: far.ask("post_notification", {"text": "big", "data": {"x": "y" * 60000}}) and
             far.ask("status")["result"]["subscriptions"] == 0, 60), "the subscriber is behind")
    write(one.muxbus, command, 0o700)
    asking.ask("retry_hosts")
    ok(until(lambda: fleet.is_up(2)), "the machine is up again")
    ok(learns(True), "which the subscriber learns when it reads")
    far.close()
    close_all(machines, link, asking)


def waits(fleet, machines):
    link = Link(fleet.socket)
    jobs = [m.ask("run_long_command", {"command": c})["id"] for m, c in zip(machines, ("true", "sleep 50"))]
    both = [{"job": f"h1:{jobs[0]}"}, {"job": f"h2:{jobs[1]}"}]
    got = link.ask("wait_for", {"any": both, "timeout_sec": 20})["result"]
    ok(got["matched"] == [0] and [c["state"] for c in got["conditions"]] == ["matched", "pending"] and
       got["conditions"][0]["host"] == "h1", "any of two machines", got)
    number = link.send("wait_for", {"all": both, "timeout_sec": 20, "wait": "both", "key": "both/1"})
    until(lambda: machines[1].has_kept(b"wait/both{"))
    machines[1].ask("stop_job", {"job": jobs[1]})
    got = link.line(20)
    ok(got.get("id") == number and got["result"]["matched"] == [0, 1] and got["result"]["wait"] == "both",
       "all of two machines", got)
    again = link.ask("wait_for", {"all": both, "timeout_sec": 20, "wait": "both", "key": "both/1"})["result"]
    ok(again["matched"] == [0, 1], "the same key is answered again", again)
    got = link.ask("wait_for", {"any": [{"sec": 0.1}, {"sec": 50, "host": "h2"}], "timeout_sec": 20})["result"]
    ok(got["matched"] == [0], "a time is of no machine", got)
    got = link.ask("wait_for", {"any": {"sec": 50, "host": "h1"}, "timeout_sec": 0.2})["result"]
    ok(got["timed_out"] and got["matched"] == [], "the time is up", got)
    got = link.ask("wait_for", {"any": [{"output": "x y", "pane": f"{host}:%0"} for host in ("h1", "h2")], "timeout_sec": 0.2})
    ok([c.get("pane") for c in got["result"]["conditions"]] == ["h1:%0", "h2:%0"], "then each says how it stands", got)
    got = link.ask("list_panes", {"host": 5})
    ok("a string" in got["error"]["message"], "a host that is no name", got)
    got = link.ask("wait_for", {"any": '[{"job":"h1:' + jobs[0] + '"}]', "timeout_sec": 20})["result"]
    ok(got["matched"] == [0], "conditions as a string", got)
    ok(error_of(link, "wait_for", {"any": [{"job": "A1B2"}]})["kind"] == "ambiguous_target", "no host in a condition")
    ok(error_of(link, "wait_for", {"any": [{"exited": "h1:%99"}]})["kind"] == "no_such_pane", "an error of a machine")
    refused_by_one(link, machines)
    for params in ({}, {"any": []}, {"any": [5]}, {"any": "x"}):
        ok(error_of(link, "wait_for", params).get("field") == "any", f"refused: {params}")
    ok(error_of(link, "wait_for", {"any": [{"sec": 1}], "timeout_sec": -1}).get("field") == "timeout_sec",
       "refused: a time below 0")
    ok(error_of(link, "wait_for", {"any": [{"sec": 1}], "timout_sec": 1}).get("field") == "timout_sec",
       "refused: a parameter that is none")
    ok(error_of(link, "wait_for", {"any": [{"job": "h1:A1B2", "host": "h2"}]}).get("field") == "any",
       "refused: a condition with two hosts")
    link.close()


def refused_by_one(link, machines):
    """One machine has too many waits for now. What comes true on the other one until the request is repeated counts."""
    one, other = machines
    full = Link(other.socket)
    names = [f"full.{number}" for number in range(256)]
    for name in names:
        full.send("wait_for", {"any": [{"sec": 300}], "wait": name, "timeout_sec": 600})
    until(lambda: other.has_kept(f"wait/{names[-1]}{{".encode()))
    params = {"any": [{"output": "while refused", "pane": "h1:%0"}, {"output": "while refused", "pane": "h2:%0"}],
              "timeout_sec": 10, "wait": "refused", "key": "refused/1"}
    got = error_of(link, "wait_for", params)
    ok(got.get("kind") == "limit" and got.get("host") == "h2", "one of two machines refuses a wait", got)
    until(lambda: one.has_kept(b"wait/refused{"))
    one.ask("send_text", {"pane": "%0", "text": "while refused", "enter": True})
    until(lambda: "while refused" in one.lines(one.typed))
    for name in names:
        other.ask("cancel_watch", {"id": name})
    full.close()
    got = link.ask("wait_for", params)["result"]
    ok(got["matched"] == [0], "asked again, it has what came true on the other one", got)


def consumers(fleet, machines):
    link = Link(fleet.socket)
    for machine in machines:
        machine.ask("ack_notification", {"up_to": all_notes(machine)[-1]["seq"], "consumer": "shop"})
    got = link.ask("next_notification", {"consumer": "shop", "timeout_sec": 0.2})["result"]
    ok(got["notifications"] == [] and got["missing"] == [], "nothing new on both", got)
    for machine in machines:
        machine.ask("post_notification", {"text": f"new on {machine.name}"})
    seen = {}
    while len(seen) < 2:
        got = link.ask("next_notification", {"consumer": "shop", "timeout_sec": 5})["result"]
        if not got["notifications"]:
            break
        seen.update({n["host"]: n for n in got["notifications"]})
    ok({h: n["text"] for h, n in seen.items()} == {"h1": "new on h1", "h2": "new on h2"}, "one of each", seen)
    ok(seen["h1"]["id"].startswith("h1:"), "with the ids of its machine", seen["h1"])
    link.ask("next_notification", {"consumer": "shop", "timeout_sec": 0,
                                   "ack": [f"{h}:{n['seq']}" for h, n in seen.items()]})
    ok(until(lambda: not any(m.ask("list_notifications", {"consumer": "shop"})["notifications"] for m in machines)),
       "acknowledged on each by the next request")
    for machine in machines:
        machine.ask("post_notification", {"text": "there already"})
    got = link.ask("next_notification", {"consumer": "looker", "timeout_sec": 0})["result"]
    ok({n["host"] for n in got["notifications"] if n["text"] == "there already"} == {"h1", "h2"},
       "without a time, what is there on both", got)
    begun = time.monotonic()
    got = link.ask("next_notification", {"consumer": "looker", "timeout_sec": 0, "filter": {"id": "A1B2"}})["result"]
    ok(got["notifications"] == [] and time.monotonic() - begun < 1, "or nothing, at once", time.monotonic() - begun)
    limited(link, machines)
    for params, field in (({}, "host"), ({"consumer": "shop", "after": 1}, "after"), ({"consumer": "shop", "limit": 0}, "limit"),
                          ({"consumer": "shop", "ack": 5}, "ack"), ({"consumer": "a b"}, "consumer")):
        ok(error_of(link, "next_notification", {**params, "timeout_sec": 5}).get("field") == field, f"refused: {params}")
    link.close()


def limited(link, machines):
    """A limit is that of the whole answer; another limit or filter gets what came for a request that has ended."""
    for machine in machines:
        last = all_notes(machine)[-1]["seq"]
        for name in ("few", "picky", "wide", "other"):
            machine.ask("ack_notification", {"up_to": last, "consumer": name})

    def take(**params):
        notes = link.ask("next_notification", {"timeout_sec": 5, **params})["result"]["notifications"]
        return sorted(n["text"] for n in notes)

    def post(text, **params):
        for machine in machines:
            machine.ask("post_notification", {"text": f"{text} {machine.name}", **params})
    post("one")
    got = [take(consumer="few", limit=1, timeout_sec=0) for _ in range(2)]
    ok(sorted(got) == [["one h1"], ["one h2"]], "limit 1 gives one of all hosts, then the other", got)
    post("two")
    got = take(consumer="few", limit=1, timeout_sec=0)
    rest = [f"{m.name}:{all_notes(m)[-1]['seq']}" for m in machines]
    got += take(consumer="few", timeout_sec=0, ack_up_to=rest)
    ok(len(got) == 1, "what was read for it and is acknowledged does not come", got)
    take(consumer="picky", timeout_sec=0)
    take(consumer="wide", timeout_sec=0)
    for name, first, then in (("picky", {"limit": 1}, {"limit": 100}), ("wide", {"filter": {"source": "post"}}, {}),
                              ("other", {"filter": {"id": "A1B2"}}, {"filter": {"source": "post"}})):
        take(consumer=name, timeout_sec=0.2, **first)
        post(name)  # the answers of the hosts may be on their way now
        got = []
        for _ in range(4):  # those of before may come alone
            got += [text for text in take(consumer=name, **then) if text.startswith(name)] if len(got) < 2 else []
        ok(sorted(got) == [f"{name} h1", f"{name} h2"], f"what came for {first} is there for {then}", got)


def notify(fleet, machines):
    one, other = machines
    link = Link(fleet.socket)
    params = {"host": "h2", "command": "exit 3", "notify": "h1:%1", "key": "job 1"}
    job = link.ask("run_long_command", params)["result"]
    ok(job["id"].startswith("h2:"), "a job there", job)
    ok(job["wake"] == {"way": "posted", "text": "posted to h1:%1 when it comes"}, "how it wakes is what is done", job)
    ok(job["message"] == f"Started. Its notification {job['id']} is posted to h1:%1 when it comes.", "in words too", job)

    def told():
        return [n for n in all_notes(one) if n["pane"] == "%1" and n["source"] == "post"]
    ok(until(told), "its end is posted here")
    note = told()[0]
    ok(note["data"]["data"]["exit_code"] == 3 and note["data"]["host"].startswith("h2"), "with what it says there", note)
    again = link.ask("run_long_command", params)["result"]
    ok(again["id"] == job["id"] and again.get("repeated"), "the same request again", again)
    fleet.process.send_signal(signal.SIGKILL)
    fleet.process.wait()
    link.close()
    fleet.start()
    until(lambda: os.path.exists(fleet.socket) and fleet.is_up(2), 30)
    link = Link(fleet.socket)
    job = link.ask("run_long_command", {"host": "h2", "command": "sleep 2; exit 4", "notify": "h1:%1"})["result"]
    fleet.process.send_signal(signal.SIGKILL)
    fleet.process.wait()
    link.close()
    until(lambda: other.ask("get_job", {"job": job["id"][3:]})["state"] != "running")
    fleet.start()
    ok(until(lambda: len(told()) == 2), "after kill -9 of the fleet between start and end", told())
    until(lambda: os.path.exists(fleet.socket) and fleet.is_up(2), 30)
    taken_first(fleet, other, told)
    cut_unanswered(fleet, other, told)
    waited_at_once(fleet, other)
    link = Link(fleet.socket)
    for bad in ({"notify": "%1"}, {"notify": "h9:%1"}, {"notify": 5}, {"notify": "h1:"}):
        ok(error_of(link, "run_long_command", {"host": "h2", "command": "true", **bad}).get("field") == "notify",
           f"refused: {bad}")
    ok(error_of(link, "send_text", {"pane": "h2:%0", "text": "x", "notify": "h1:%1"}).get("field") == "notify",
       "refused: a method without an end")
    ok(len(told()) == 4, "and nothing more was posted", told())
    link.close()


def taken_first(fleet, other, told):
    """Two jobs end while the fleet is down. A consumer acknowledges one end, and a wait gets the other."""
    link = Link(fleet.socket)
    command = f"until [ -e {other.folder}/end ]; do sleep 0.1; done"
    jobs = [link.ask("run_long_command", {"host": "h2", "command": command, "notify": "h1:%1"})["result"]["id"][3:]
            for _ in range(2)]
    fleet.process.send_signal(signal.SIGKILL)
    fleet.process.wait()
    link.close()
    write(f"{other.folder}/end", "")
    note = other.ask("next_notification", {"consumer": "books", "filter": jobs[0], "timeout_sec": 20})["notifications"][0]
    other.ask("ack_notification", {"consumer": "books", "seq": note["seq"]})
    waited = other.ask("wait_for", {"any": [{"job": jobs[1]}], "timeout_sec": 20})
    ok(waited["matched"] == [0], "a wait on a machine gets an end", waited)
    fleet.start()
    ok(until(lambda: len(told()) == 3), "an end that a consumer took first wakes its pane",
       [n for n in all_notes(other) if n["id"] == jobs[0]])
    until(lambda: os.path.exists(fleet.socket) and fleet.is_up(2), 30)
    ok(not any(jobs[1] in json.dumps(n) for n in told()), "and that of the wait does not", told())


def waited_at_once(fleet, other):
    """A quick job ends before its caller waits for it: the wait gets the end, and no pane is woken."""
    link = Link(fleet.socket)
    ask = {"host": "h2", "notify": "h1:%0"}
    job = link.ask("run_long_command", {**ask, "command": "exit 5"})["result"]["id"]
    until(lambda: [n for n in all_notes(other) if n["id"] == job[3:]])
    ok(link.ask("wait_for", {"any": [{"job": job}], "timeout_sec": 20})["result"]["matched"] == [0], "a wait gets an end")
    link.ask("run_long_command", {**ask, "command": "exit 6"})

    def told():
        return [n["text"] for n in link.ask("list_notifications", {"host": "h1"})["result"]["notifications"]
                if n["pane"] == "h1:%0" and n["source"] == "post" and "exit " in n["text"]]
    ok(until(told) and len(told()) == 1 and "exit 6" in told()[0], "which wakes no pane as well", told())
    link.close()


def cut_unanswered(fleet, other, told):
    """A machine has a request and has not answered it when the link is cut, and then cannot be reached for a while."""
    ssh = fleet.env["MUXBUS_SSH"]
    link = Link(fleet.socket)
    daemon = other.ask("status")["pid"]
    os.kill(daemon, signal.SIGSTOP)
    params = {"host": "h2", "command": "exit 9", "notify": "h1:%1", "key": "nine", "name": "n", "cwd": "/"}
    number = link.send("run_long_command", params)
    until(lambda: b"exit 9" in read(f"{fleet.folder}/state/muxbus/fleet/journal"))
    number, first = link.send("run_long_command", dict(reversed(params.items()))), number
    got = link.line(20)
    ok(got.get("id") == first and got["error"]["data"]["kind"] == "cancelled", "the same in another order waits in its place", got)
    os.rename(ssh, ssh + ".away")
    for pid in fleet.relays(other):
        os.kill(pid, signal.SIGKILL)
    got = link.line(20)
    os.kill(daemon, signal.SIGCONT)
    os.rename(ssh + ".away", ssh)
    ok(got.get("id") == number and got["error"]["data"]["kind"] == "gone", "a request whose effect is unknown", got)
    ok(until(lambda: len(told()) == 4 and "exit 9" in told()[3]["text"]), "its end comes, once", told())
    until(lambda: fleet.is_up(2), 30)
    link.close()


def own_pane(fleet, machines):
    """Without notify, the pane of the caller is woken: it is one of the machine of the fleet itself."""
    here = f"{fleet.env['TMUX_TMPDIR']}/tmux-{os.getuid()}/here"
    env = {**fleet.env, "TMUX": f"{here},1,0", "TMUX_PANE": "%0"}

    def run(*argv):
        return subprocess.run(argv, env=env, stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=60, text=True)

    def told():
        link = Link(here + ".muxbus")
        notes = link.ask("list_notifications")["result"]["notifications"]
        link.close()
        return [n["text"].split(": ", 1)[1] for n in notes if n["pane"] == "%0" and n["source"] == "post"]
    link, waiting = Link(fleet.socket), Link(fleet.socket)
    link.ask("subscribe", {"kinds": ["notification", "host_state"]})
    for machine in machines:
        machine.ask("ack_notification", {"up_to": all_notes(machine)[-1]["seq"], "consumer": "before"})
    waiting.send("next_notification", {"consumer": "before", "timeout_sec": 20, "filter": {"pane": "%0", "source": "post"}})
    run("tmux", "-L", "here", "-f", "/dev/null", "new-session", "-d", "exec cat")
    run(f"{BUILD}/muxbusd", "-L", "here")
    try:
        until(lambda: fleet.is_up(3))
        fleet_run = [f"{BUILD}/muxbus", "--fleet", "--host", "h2", "run"]
        done = run(*fleet_run, "--", "sh", "-c", "exit 5")
        ok(done.returncode == 5, "run waits for a job there", done)
        done = run(*fleet_run, "-d", "--", "sh", "-c", "exit 6")
        result = json.loads(done.stdout or "{}")
        ok(result.get("wake", {}).get("text", "").endswith("/here:%0 when it comes") or
           result.get("wake", {}).get("text", "").endswith(":%0 when it comes"), "the caller's pane is the default", done)
        ok(until(told), "its end is posted there")
        got = waiting.line(5).get("result", {"notifications": []})["notifications"]
        ok([n["server"] for n in got] == ["here"], "who waited before gets a notification of the new host", got)
        got = [e for e in events_of(link, ["notification", "host_state"], 9, 3) if e["server"] == "here"]
        ok(any(e.get("state") == "up" for e in got) and any(e["kind"] == "notification" for e in got),
           "who subscribed before gets the events of the new host", got)
        ok(len(told()) == 1 and "6" in told()[0], "and that of a run that waited is not", told())
        done = run(*fleet_run[:-1], "run_long_command", "command=true", "pane=%1")
        ok("posted" not in done.stdout, "a pane there is one there", done)
        until(lambda: machines[1].ask("status")["jobs"] == 0)
    finally:
        link.close()
        waiting.close()
        run(f"{BUILD}/muxbus", "-L", "here", "shutdown")
        run("tmux", "-L", "here", "kill-server")


def renamed(fleet, machines):
    """A host that gets another name keeps what waits for it; one that is taken out leaves a word."""
    hosts = f"{fleet.folder}/config/muxbus/hosts"
    with open(hosts, encoding="utf-8") as file:
        old = file.read()
    link = Link(fleet.socket)
    before = [n["seq"] for n in all_notes(machines[0])]
    go = f"{machines[1].folder}/go"

    def names():
        return [h["host"] for h in link.ask("list_hosts")["result"]["hosts"]]

    def errors():
        return [e["text"] for e in link.ask("list_hosts")["result"]["errors"]]

    def told():
        return [n for n in all_notes(machines[0]) if n["seq"] not in before and n["pane"] == "%1" and n["source"] == "post"]
    command = f"until [ -e {go} ]; do sleep 0.1; done"
    link.ask("run_long_command", {"host": "h2", "command": command, "notify": "h1:%1"})
    write(hosts, old.replace("h1 ssh", "first ssh"))
    ok(until(lambda: names() == ["first", "h2"]) and errors() == [], "a host has a new name", errors())
    write(hosts, old.replace("h1 ssh=h1", "other ssh=nowhere"))
    ok(until(lambda: len(errors()) == 1) and "there is no host first" in errors()[0], "without it, that is said", errors())
    write(hosts, old.replace("h1 ssh", "first ssh"))
    until(lambda: errors() == [])
    write(go, "")
    ok(until(told), "what waited for it comes", errors())
    write(hosts, old)
    ok(until(lambda: names() == ["h1", "h2"]), "and the old name again")
    count = len(told())
    swapped(fleet, old, link, machines, told, count)
    count += 1
    write(f"{go}2", "")
    os.unlink(f"{go}2")
    link.ask("run_long_command", {"host": "h2", "command": f"until [ -e {go}2 ]; do sleep 0.1; done", "notify": "h1:%1"})
    write(hosts, old.replace(" may=notify", ""))
    ok(until(lambda: not any(h["may_notify"] for h in link.ask("list_hosts")["result"]["hosts"])), "hosts lose a right")
    ok(error_of(link, "run_long_command", {"host": "h2", "command": "true", "notify": "h1:%1"}).get("kind") == "forbidden",
       "then none may notify a pane of another")
    write(f"{go}2", "")
    until(lambda: machines[1].ask("status")["jobs"] == 0)
    ok("has no may=notify" in "".join(errors()) and len(told()) == count, "also not for what was asked before", errors())
    write(hosts, old)
    ok(until(lambda: len(told()) == count + 1), "it comes when they may again", told())
    count += 1
    os.unlink(f"{go}2")
    link.ask("run_long_command", {"host": "h2", "command": f"until [ -e {go}2 ]; do sleep 0.1; done", "notify": "h1:%1"})
    link.close()
    fleet.process.kill()
    fleet.process.wait()
    write(hosts, old.replace("h1 ssh", "h0 ssh").replace("h2 ssh", "h1 ssh").replace("h0 ssh", "h2 ssh"))
    fleet.start()
    write(f"{go}2", "")
    until(lambda: machines[1].ask("status")["jobs"] == 0)
    ok(until(lambda: len(told()) == count + 1), "it comes if the names are swapped while there is no fleet", told())
    write(hosts, old)
    link = Link(fleet.socket)
    until(lambda: link.ask("status", {"host": "h2"}).get("result", {}).get("pid") == machines[1].ask("status")["pid"])
    link.close()


def swapped(fleet, old, link, machines, told, count):
    """Two hosts change their names, one that is not there any more leaves its name to another, and one goes."""
    hosts = f"{fleet.folder}/config/muxbus/hosts"
    go = f"{machines[1].folder}/swapped"

    def rows():
        return {h["host"]: h for h in link.ask("list_hosts")["result"]["hosts"]}
    link.ask("run_long_command", {"host": "h2", "command": f"until [ -e {go} ]; do sleep 0.1; done", "notify": "h1:%1"})
    for machine in machines:
        machine.ask("ack_notification", {"up_to": all_notes(machine)[-1]["seq"], "consumer": "kept"})
        machine.ask("post_notification", {"text": f"kept {machine.name}"})
    got = link.ask("next_notification", {"consumer": "kept", "limit": 1, "timeout_sec": 0})["result"]["notifications"]
    before = rows()
    write(hosts, old.replace("h1 ssh", "h0 ssh").replace("h2 ssh", "h1 ssh").replace("h0 ssh", "h2 ssh"))
    until(lambda: link.ask("status", {"host": "h2"})["result"]["jobs"] == 0)
    after = rows()
    ok(all(after[n]["since_sec"] >= before[o]["since_sec"] for n, o in (("h1", "h2"), ("h2", "h1"))), "two names are swapped, and no link is cut",
       (before, after, "".join(f"\n# {line}" for line in fleet.lines()[-40:])))
    got += link.ask("next_notification", {"consumer": "kept", "limit": 1, "timeout_sec": 0})["result"]["notifications"]
    ok([(n["text"], n["host"], n["id"][:3]) for n in got] in ([("kept h1", "h1", "h1:"), ("kept h2", "h1", "h1:")],
       [("kept h2", "h2", "h2:"), ("kept h1", "h2", "h2:")]), "what is kept for a consumer has the new name", got)
    write(go, "")
    ok(until(lambda: len(told()) == count + 1), "what waited for the hosts comes to the right one", told())
    write(hosts, old)
    until(lambda: link.ask("status", {"host": "h2"})["result"]["pid"] == machines[1].ask("status")["pid"])
    listener = Link(link.socket.getpeername())
    listener.ask("subscribe", {"kinds": ["host_state"]})
    events_of(listener, ["host_state"], 2)
    write(hosts, old.replace("h2 ssh", "# "))
    got = events_of(listener, ["host_state"], 1)
    ok([(e["host"], e["state"]) for e in got] == [("h2", "down")] and got[0]["reason"], "a host that goes is down", got)
    listener.close()
    write(hosts, old)
    until(lambda: rows().get("h2", {}).get("state") == "up")
    before = rows()
    for _ in range(3):
        os.chmod(hosts, 0o600)
        time.sleep(0.06)
        with open(hosts, "w", encoding="utf-8") as file:
            for beside in (f"{os.path.dirname(hosts)}/beside", f"{fleet.env['TMUX_TMPDIR']}/tmux-{os.getuid()}/beside"):
                os.mkdir(beside)
                os.rmdir(beside)
            time.sleep(0.3)
            file.write(old)
        time.sleep(0.3)
    after = rows()
    ok(all(after[n]["since_sec"] > before[n]["since_sec"] for n in before), "a file that is written anew cuts no link", (before, after))


def emptied(fleet, machines):
    """A machine loses its state while a wait is open on two."""
    one, other = machines
    ssh, go = fleet.env["MUXBUS_SSH"], f"{one.folder}/emptied"
    jobs = [m.ask("run_long_command", {"command": f"until [ -e {go} ]; do sleep 0.1; done"})["id"] for m in machines]
    link = Link(fleet.socket)
    waits = [{"job": f"{m.name}:{job}"} for m, job in zip(machines, jobs)]
    number = link.send("wait_for", {"any": waits, "timeout_sec": 40})
    until(lambda: other.ask("status")["waits"] > 0)
    os.rename(ssh, ssh + ".away")
    pid = other.ask("status")["pid"]
    shutil.rmtree(f"{other.folder}/state/muxbus")
    os.kill(pid, signal.SIGKILL)
    until(lambda: other.start_muxbusd() == 0)
    os.rename(ssh + ".away", ssh)
    asking = Link(fleet.socket)
    until(lambda: asking.ask("status", {"host": "h2"}).get("result", {"pid": pid})["pid"] != pid)
    write(go, "")
    got = link.line(30)
    ok(got.get("id") == number and "result" in got and got["result"]["matched"] == [0] and
       got["result"]["conditions"][1]["state"] == "gone", "a wait over two goes on without the one that lost its state", got)
    ok(error_of(link, "wait_for", {"any": waits[1:]})["kind"] == "no_such_job", "a new one there is refused")
    asking.close()
    link.close()


def restarted(fleet, machine):
    """The fleet is killed under verbs that wait: they start it again, and go on."""
    def start(*argv):
        return subprocess.Popen([f"{BUILD}/muxbus", "--fleet", *argv], env=fleet.env, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    job = machine.ask("run_long_command", {"command": "sleep 4"})["id"]
    verbs = [start("--host", "h2", "run", "--", "sh", "-c", "sleep 4; exit 7"), start("wait", f"job=h2:{job}"),
             start("watch", "-r", "-n", "1", "notification")]
    until(lambda: machine.ask("status")["jobs"] == 2 and machine.ask("status")["waits"] >= 2)
    fleet.process.kill()
    fleet.process.wait()
    for verb, want in zip(verbs, (7, 0, 0)):
        try:
            said = verb.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            verb.kill()
            said = verb.communicate()
        ok(verb.returncode == want, f"{verb.args[2:]} goes on after kill -9 of the fleet", (verb.returncode, said))
    subprocess.run([f"{BUILD}/muxbus", "--fleet", "shutdown"], env=fleet.env, check=False, timeout=60,
                   stdout=subprocess.DEVNULL)


def ids(fleet):
    """Each id that a host gives has its name."""
    link = Link(fleet.socket)
    for method, params in (("list_panes", {"host": None}), ("get_pane", {"pane": "h1:%0", "host": None}),
                           ("next_notification", {"consumer": "null", "host": None, "id": None, "timeout_sec": 0})):
        got = link.ask(method, params)
        ok("result" in got, f"null is no host: {method}", got)
    for method in ("status", "list_hosts", "retry_hosts"):
        got = link.ask(method, {"hots": 1})
        ok("hots" in got.get("error", {}).get("message", ""), f"refused: {method} with a parameter that is none", got)
    session = link.ask("list_sessions", {"host": "h1"})["result"]["sessions"][0]
    ok(session["current_window"].startswith("h1:@"), "the current window of a session is a target", session)
    link.close()


def edited(fleet):
    """muxbus hosts add: a line takes the place of that of its host, and an equal one writes nothing."""
    folder = f"{fleet.folder}/config/muxbus"
    old = read(f"{folder}/hosts").decode()
    line = next(row for row in old.splitlines() if row.startswith("h1 "))

    def add(text):
        done = subprocess.run([f"{BUILD}/muxbus", "hosts", "add", *text.split()], env=fleet.env, check=False, timeout=60,
                              stdin=subprocess.DEVNULL, capture_output=True)
        return done.returncode, read(f"{folder}/hosts").decode(), sum(name.endswith(".bak") for name in os.listdir(folder))
    got = add(line)
    ok(got == (0, old, 0), "hosts add of the same line writes nothing, and no backup", got)
    got = add(line + " server=default")
    ok(got == (0, old.replace(line, line + " server=default"), 1), "another line of the host takes its place", got)
    write(f"{folder}/hosts", old)


def answered(link, seconds):
    """The next message; None: none came in that time."""
    try:
        return link.line(seconds)
    except Ended:
        return None


WORDS = {"name": "word_count", "summary": "Counts words.", "effects": ["reads"], "timeout_ms": 20000,
         "parameters": {"type": "object", "properties": {name: {"type": "string"} for name in ("text", "id", "host")}}}


def provider_on(machine):
    """A provider on a machine, and what answers its next call."""
    link = Link(machine.socket)
    got = link.ask("provide", {"methods": [WORDS], "events": [{"kind": "page_text", "summary": "A page."}]})
    ok("result" in got, f"a provider on {machine.name}", got)

    def answer(result):
        call = link.line(20)
        link.socket.sendall(json.dumps({"id": call["id"], "result": result}).encode() + b"\n")
        return call
    return link, answer


def foreign(fleet, machines):
    """What only a machine has: methods of its providers, its tools, and their events."""
    far, answer = provider_on(machines[0])
    link, result = Link(fleet.socket), {"id": "a1", "pane": "%0", "deep": {"job": "j"}, "words": 2}
    os.mkdir(f"{machines[1].folder}/.config/muxbus/tools", 0o700)
    write(f"{machines[1].folder}/.config/muxbus/tools/whose.json", json.dumps(
        {"name": "whose", "group": "text", "description": "Whose.", "answer": "json", "run": ["./whose"],
         "parameters": {"type": "object", "properties": {"id": {"type": "string"}}}}))
    write(f"{machines[1].folder}/.config/muxbus/tools/whose", '#!/bin/sh\nprintf \'{"home":"%s","got":%s}\' "$HOME" "$(cat)"\n', 0o700)
    number = link.send("word_count", {"host": "h1", "text": "a b", "id": "h2:x"})
    call = answer(result)
    got = link.line(20)
    ok(call["params"] == {"text": "a b", "id": "h2:x"} and got == {"jsonrpc": "2.0", "id": number, "result": {
        **result, "host": "h1", "server": "default"}}, "a provided method of one machine, as it is", (call, got))
    link.send("word_count", {"pane": "h1:%0", "text": "a"})
    call, got = answer({}), link.line(20)
    ok(call["caller"]["pane"] == "%0" and got["result"]["host"] == "h1", "for a pane of that machine", (call, got))
    got = until(lambda: link.ask("whose", {"pane": "h2:%0", "id": "h1:y"}).get("result"))
    ok(got and got["home"] == machines[1].folder and got["got"] == {"id": "h1:y"}, "a declared tool", got)
    link.send("word_count", {"pane": "h1:%0", "host": "example.org"})
    call, got = answer({}), link.line(20)
    ok(call["params"] == {"host": "example.org"} and got["result"]["host"] == "h1", "its own host beside a pane that names one", call)
    number = link.send("word_count", {"host": "h1", "text": "slow"})
    call = far.line(20)
    params = {"text": "half", "done": 1, "of": 2}
    far.socket.sendall(json.dumps({"jsonrpc": "2.0", "method": "progress", "params": {"id": call["id"], **params}}).encode() + b"\n")
    got = link.line(20)
    ok((got.get("method"), got.get("params")) == ("progress", {"request": number, **params}),
       "its progress comes", got)
    far.socket.sendall(json.dumps({"id": call["id"], "result": {}}).encode() + b"\n")
    link.line(20)
    mcp = Link(fleet.socket)
    mcp.send("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}})
    ok("protocolVersion" in mcp.line(20).get("result", {}), "MCP with the fleet")
    mcp.send("tools/call", {"name": "word_count", "arguments": {"host": "h1", "text": "a"}})
    call, got = answer(result), mcp.line(20)
    ok(call["params"] == {"text": "a"} and got["result"]["structuredContent"] == {**result, "host": "h1", "server": "default"},
       "calls it", got)
    mcp.send("tools/call", {"name": "word_count", "arguments": {"host": "h2"}})
    got = mcp.line(20)["result"]
    ok(got["isError"] and "no method" in got["content"][0]["text"] and "takes" not in got["content"][0]["text"], "if it is there", got)
    mcp.close()
    link.send("word_count", {"host": "h1", "wait": False, "pane": "%0"})
    answer({"id": "late"})
    begun = link.line(20)["result"]
    got = until(lambda: link.ask("get_tool_answer", {"id": begun["id"]}).get("result"))
    ok(begun["id"].startswith("h1:") and got["id"] == "late" and got["host"] == "h1", "with wait=false, and its answer",
       (begun, got))
    for params, kind, text in (({}, "no_such_method", "word_count"), ({"host": "h2"}, "no_such_method", "h2: "),
                               ({"host": "h9"}, "invalid_params", "h9"), ({"host": "h1", "text": 5}, "invalid_params", "text"),
                               ({"host": "h1", "pane": "h2:%0"}, "invalid_params", "two hosts")):
        error = link.ask("word_count", params)["error"]
        ok(error["data"]["kind"] == kind and text in error["message"], f"refused: {params}", error)
    shown = link.ask("describe", {"host": "h1", "method": "word_count"})["result"]
    there = machines[0].ask("describe", {"method": "word_count"})
    ok(shown["methods"] == there["methods"], "describe with a host is that of the host", shown)
    shown = link.ask("describe", {"host": "h1", "table": "methods"})["result"]["methods"]
    ok(shown["get_pane"] == machines[0].ask("describe")["methods"]["get_pane"], "and no text of it is taken for an id")
    got = [r["host"] for r in link.ask("list_providers")["result"]["providers"]]
    ok(got == ["h1"], "the providers of all machines", got)
    got = Link(machines[0].socket).ask("provide", {"methods": [{**WORDS, "name": "retry_hosts"}]})
    ok("error" in got, "the name of a method of the fleet is none for a provider", got)
    for role in ("read_only", "own_panes"):
        narrow = Link(fleet.socket)
        narrow.ask("narrow", {"role": role})
        ok(error_of(narrow, "word_count", {"host": "h1"})["kind"] == "forbidden", f"not for the role {role}")
        narrow.close()
    stream = Link(fleet.socket)
    ok(error_of(stream, "subscribe", {"kinds": ["page_text"]})["field"] == "kinds", "its events belong to a machine")
    ok("result" in stream.ask("subscribe", {"kinds": ["page_text"], "host": "h1"}), "which is named")
    cli = subprocess.Popen([f"{BUILD}/muxbus", "--fleet", "--host", "h1", "watch", "-n", "1", "page_text"], env=fleet.env,
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    until(lambda: machines[0].ask("status")["subscriptions"] > 1)
    far.send("publish", {"kind": "page_text", "data": {"id": "p1"}})
    ok("result" in far.line(20), "it is published")
    got = events_of(stream, ["page_text"], 1)
    ok(got and got[0]["data"] == {"id": "p1"} and got[0]["host"] == "h1", "its event comes", got)
    said = cli.communicate(timeout=30)[0]
    ok(cli.returncode == 0 and "p1" in said, "muxbus --fleet --host watch shows it", said)
    got = link.ask("list_events", {"host": "h1", "kinds": ["page_text"]})
    ok([e["data"] for e in got["result"]["events"]] == [{"id": "p1"}], "list_events has it", got)
    number = link.send("wait_for", {"any": [{"event": "page_text", "where": {"id": "p2"}, "host": "h1"}]})
    got = until(lambda: (far.ask("publish", {"kind": "page_text", "data": {"id": "p2"}}), answered(link, 0.3))[1])
    ok(got and got["id"] == number and got["result"]["matched"] == [0], "one ends a wait", got)
    stream.send("word_count", {"host": "h1", "text": "left"})
    left = far.line(20)
    close_all(machines, stream)
    got = far.line(20)
    ok(got["method"] == "cancel" and got["params"]["id"] == left["id"], "a caller that leaves cancels it there", got)
    cli = subprocess.Popen([f"{BUILD}/muxbus", "--fleet", "--host", "h1", "word_count", "text=a b c"], env=fleet.env,
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    answer({"words": 3})
    said = cli.communicate(timeout=30)[0]
    ok(cli.returncode == 0 and "3" in said, "muxbus --fleet --host calls it", said)
    for words, want in ((["word_c"], "word_count"), (["word_count", "te"], "text=")):
        said = subprocess.run([f"{BUILD}/muxbus", "complete", "--", "--fleet", "--host", "h1", *words], env=fleet.env, check=False,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30).stdout
        ok(said.startswith(want), f"and completes {words}", said)
    link.send("word_count", {"host": "h1", "text": "cut"})
    far.line(20)
    for pid in fleet.relays(machines[0]):
        os.kill(pid, signal.SIGKILL)
    got = link.line(20)
    ok(got["error"]["data"]["kind"] == "gone", "a cut leaves its effect unknown", got)
    until(lambda: fleet.is_up(2))
    far.close()
    link.close()


def states(fleet, machine):
    """A machine whose daemon ends is told as down, and as up when it is back."""
    link = Link(fleet.socket)
    link.ask("subscribe", {"kinds": ["host_state"]})
    events_of(link, ["host_state"], 2)
    for pid in fleet.relays(machine):
        os.kill(pid, signal.SIGKILL)
    got = events_of(link, ["host_state"], 2)
    ok([(e["host"], e["state"] == "up") for e in got] == [(machine.name, False), (machine.name, True)] and got[0]["reason"],
       "a cut is an event, and its end", got)
    close_all([machine], link)


def main():
    folder = tempfile.mkdtemp(prefix="mbf-", dir="/tmp")
    write(f"{folder}/ssh", '#!/bin/sh\nfor command; do :; done\nexec sh -c "$command"\n', 0o700)
    machines = [Machine(folder, number, 22) for number in (1, 2)]
    fleet = Fleet(folder, machines, f"{folder}/ssh")
    try:
        for machine in machines:
            machine.start()
        fleet.start()
        ok(until(lambda: os.path.exists(fleet.socket) and fleet.is_up(2), 30), "two machines are up")
        streams(fleet, machines)
        waits(fleet, machines)
        consumers(fleet, machines)
        states(fleet, machines[0])
        ids(fleet)
        edited(fleet)
        foreign(fleet, machines)
        notify(fleet, machines)
        own_pane(fleet, machines)
        slow_reader(fleet, machines[1])
        slow_states(fleet, machines)
        renamed(fleet, machines)
        emptied(fleet, machines)
        restarted(fleet, machines[1])
    except Ended as end:
        ok(False, "the fleet daemon answers", f"{end!r}; its status: {fleet.process.poll()}")
    finally:
        stop_all([fleet] + machines, folder, tap.failures > 0)
    tap.done()


if __name__ == "__main__":
    main()
