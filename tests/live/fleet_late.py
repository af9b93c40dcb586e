# SPDX-License-Identifier: ISC
"""A fleet whose hosts answer late, or are two names of one daemon, or have lost their state. The machines are folders
of this one, and ssh a script that runs its command here; what h1 says goes through a gate, which can be shut."""

import os
import resource
import shutil
import signal
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import tap  # noqa: E402
from fleet_machines import Ended, Fleet, Link, Machine, all_notes, processes, stop_all, until, write  # noqa: E402
from tap import ok  # noqa: E402


def gates(fleet):
    return [pid for pid, _, argv in processes() if argv[0] == f"{fleet.folder}/gate"]


def shut(fleet, signal_number=signal.SIGSTOP):
    for pid in gates(fleet):
        os.kill(pid, signal_number)


def opened(fleet):
    shut(fleet, signal.SIGCONT)


def names_up(fleet):
    """The names of the hosts that are up; None: the fleet is not there."""
    try:
        link = Link(fleet.socket)
        rows = link.ask("list_hosts")["result"]["hosts"]
        link.close()
    except Ended:
        return None
    return [row["host"] for row in rows if row["state"] == "up"]


def set_hosts(fleet, text, names):
    write(f"{fleet.folder}/config/muxbus/hosts", text)
    ok(until(lambda: names_up(fleet) == names), f"the hosts are {names}", names_up(fleet))


def restart(fleet, text=None):
    fleet.process.kill()
    fleet.process.wait()
    opened(fleet)
    if text is not None:
        write(f"{fleet.folder}/config/muxbus/hosts", text)
    fleet.start()


def unsure(fleet, machines, hosts):
    """The fleet is killed before it has the answer to its post, and the host of the job has another name for the next one."""
    go = f"{machines[1].folder}/unsure"

    def told():
        return [n for n in all_notes(machines[0]) if n["source"] == "post" and (n.get("data") or {}).get("id") == job]
    link = Link(fleet.socket)
    job = link.ask("run_long_command", {"host": "h2", "command": f"until [ -e {go} ]; do sleep 0.1; done",
                                        "notify": "h1:%1"})["result"]["id"][3:]
    link.close()
    shut(fleet)
    write(go, "")
    ok(until(told), "a post comes")
    restart(fleet, hosts.replace("h2 ssh", "far ssh"))
    ok(until(lambda: [n for n in all_notes(machines[1]) if n["id"] == job and n["state"] != "queued"]),
       "a post whose answer was lost ends, though the host of its job has another name", fleet.lines()[-9:])
    ok(len(told()) == 1, "and comes once", told())
    set_hosts(fleet, hosts, ["h1", "h2"])


def acked_late(fleet, machines, _):
    """An entry is acknowledged while the answer that has it is under way."""
    link = Link(fleet.socket)

    def take(**params):
        return [n["text"] for n in link.ask("next_notification", {"consumer": "late", "timeout_sec": 0, **params})["result"]["notifications"]]
    for machine in machines:
        machine.ask("ack_notification", {"up_to": (all_notes(machine) or [{"seq": 0}])[-1]["seq"], "consumer": "late"})
    for member in ("ack_up_to", "ack"):
        ok(take() == [], "nothing is there, and the fleet waits for more")
        shut(fleet)
        for number in (1, 2):
            machines[0].ask("post_notification", {"text": f"{member} {number}"})
        seqs = [n["seq"] for n in all_notes(machines[0])][-2:]
        want = [f"{member} 2"]
        take(**{member: f"h1:{seqs[0]}"})
        opened(fleet)
        got = until(take)
        ok(got == want, f"an entry that came after its {member} is not given", got)
        take(ack_up_to=f"h1:{seqs[1]}")
    link.close()


def twins(fleet, machines, hosts):
    """Two names of one daemon in one wait."""
    set_hosts(fleet, hosts + hosts.splitlines()[-1].replace("h2 ssh", "twin ssh") + "\n", ["h1", "h2", "twin"])
    link = Link(fleet.socket)
    waits = machines[1].ask("status")["waits"]
    jobs = [machines[1].ask("run_long_command", {"command": c})["id"] for c in ("sleep 1000", "sleep 1000")]
    for more in ({}, {"wait": "mine"}, {"key": "k1"}, {"wait": "w" * 59, "key": "k" * 123}):
        for one, other in ((jobs[0], jobs[1]), (jobs[0], jobs[0])):
            conditions = [{"job": f"h2:{one}"}, {"job": f"twin:{other}"}, {"sec": 0.3}]
            got = link.ask("wait_for", {"any": conditions, "timeout_sec": 20, **{k: f"{v}.{other}" for k, v in more.items()}})
            states = [c["state"] for c in got.get("result", {}).get("conditions", [])]
            ok(states == ["pending", "pending", "matched"], f"a wait for {[one, other]} of both names {more}", got)
    for job in jobs:
        machines[1].ask("stop_job", {"job": job})
    ok(until(lambda: machines[1].ask("status")["waits"] <= waits), "no wait is left there", machines[1].ask("status"))
    set_hosts(fleet, hosts, ["h1", "h2"])
    link.close()


def odd_names(fleet, machines, _):
    """A name that a host refuses is not sent to another one as anything else."""
    link, before = Link(fleet.socket), [m.ask("status")["pid"] for m in machines]
    for name in ('a"b', 'a"}}\n{"method":"shutdown"}\n', "\n" * 60, "x" * 79):
        shut(fleet)
        number = link.send("wait_for", {"any": [{"sec": 90, "host": "h1"}, {"sec": 90, "host": "h2"}], "wait": name})
        got = link.line(20)
        ok(got["id"] == number and got["error"]["data"]["field"] == "wait", f"refused: {name!r}", got)
        opened(fleet)
    for machine in machines:
        link.ask("ping", {"host": machine.name})
    got = [m.ask("status") for m in machines]
    ok([g["pid"] for g in got] == before, "no daemon was ended", (got, before))
    ok(not any("no answer to" in line for line in fleet.lines()), "and no link cut", fleet.lines()[-5:])
    link.close()


def emptied(fleet, machines, hosts):
    """A host loses its state while a pane of another one waits for its notifications."""
    one, other = machines
    link = Link(fleet.socket)
    link.ask("watch_pane", {"pane": "h2:%0", "regex": "seen", "once": False, "notify": "h1:%1"})

    def told():
        return [n["text"] for n in all_notes(one) if n["pane"] == "%1" and n["source"] == "post" and "h2/" in n["text"]]
    count = len(told())
    other.ask("send_text", {"pane": "%0", "text": "seen", "enter": True})
    ok(until(lambda: len(told()) == count + 1), "a watch there is told here", told())
    pid = other.ask("status")["pid"]
    shutil.rmtree(f"{other.folder}/state/muxbus")
    os.kill(pid, signal.SIGKILL)
    until(lambda: other.start_muxbusd() == 0)
    ok(until(lambda: len(told()) == count + 2), "that its host has lost its state is told too", told())
    ok("lost" in told()[-1], "in words", told())
    count = other.ask("status")["counters"]["requests"]
    until(lambda: False, 3)
    ok(other.ask("status")["counters"]["requests"] <= count + 2, "and the fleet does not ask it for ever")
    link.close()


def no_descriptors(fleet, machines, hosts):
    """The hosts file changes while the fleet can open no file."""
    link, pid = Link(fleet.socket), fleet.process.pid

    def rows():
        return link.ask("list_hosts")["result"]
    before = rows()["hosts"]
    limit = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    used = {int(name) for name in os.listdir(f"/proc/{pid}/fd")}
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (min(set(range(len(used) + 1)) - used), limit[1]))
    write(f"{fleet.folder}/config/muxbus/hosts", hosts + machines[1].name + "x ssh=h2 muxbus=none\n")
    ok(until(lambda: rows()["errors"]), "a file that cannot be opened is an error")
    after = rows()["hosts"]
    ok([(r["host"], r["state"]) for r in after] == [(r["host"], r["state"]) for r in before] and
       all(a["since_sec"] >= b["since_sec"] for a, b in zip(after, before)), "the hosts and their links stay", (before, after))
    resource.prlimit(pid, resource.RLIMIT_NOFILE, limit)
    ok(until(lambda: not rows()["errors"]), "the file is read again later", rows())
    ok([r["host"] for r in rows()["hosts"]] == ["h1", "h2", "h2x"], "with its new host", rows())
    link.close()


def main():
    folder = tempfile.mkdtemp(prefix="mbl-", dir="/tmp")
    shutil.copy("/bin/cat", f"{folder}/gate")
    write(f"{folder}/ssh", '#!/bin/sh\nfor command; do :; done\n'
          f'case "$*" in *" h1 "*) sh -c "$command" | {folder}/a/gate; exit ;; esac\nexec sh -c "$command"\n', 0o700)
    machines = [Machine(folder, number, 22) for number in (1, 2)]
    fleet = Fleet(folder, machines, f"{folder}/ssh")
    shutil.move(f"{folder}/gate", f"{fleet.folder}/gate")
    with open(f"{fleet.folder}/config/muxbus/hosts", encoding="utf-8") as file:
        hosts = file.read()
    try:
        for machine in machines:
            machine.start()
        fleet.start()
        ok(until(lambda: names_up(fleet) == ["h1", "h2"]), "two machines are up")
        for part in (unsure, acked_late, twins, odd_names, emptied, no_descriptors) if len(sys.argv) < 2 else [globals()[sys.argv[1]]]:
            part(fleet, machines, hosts)
    except Ended as end:
        ok(False, "the fleet daemon answers", f"{end!r}; its status: {fleet.process.poll()}")
    finally:
        stop_all([fleet] + machines, folder, tap.failures > 0)
    tap.done()


if __name__ == "__main__":
    main()
