# SPDX-License-Identifier: ISC
"""Methods that peers provide, on a real daemon: calls and their ends, names, limits, providers that
lie, events, files of providers, and kill -9 of either side."""

import json
import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(__file__))
from provide_peer import Daemon, Peer, kind, row, text, until
from tap import done, ok

DIR = os.environ["dir"]
SHIPPED = DIR + "/shipped"
TEXT = {"type": "object", "properties": {"text": {"type": "string", "maxLength": 9},
        "how": {"type": "string", "enum": ["fast", "slow", "leave"]}}, "required": ["text"]}
daemon = Daemon()


def is_(got, want, name):
    ok(got == want, name, f"got  {got!r}\nwant {want!r}")


def cli(*words):
    return subprocess.run([os.environ["MUXBUS_BUILDDIR"] + "/muxbus", *words], timeout=30, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout


def calls():
    provider, caller = Peer(), Peer()
    is_(provider.provide(row("word_count", parameters=TEXT, also=["wc"], group="mine", example={"text": "a b"}))
        .get("result"), {"methods": ["word_count"]}, "a peer provides a method")
    number = caller.begin("word_count", text="a b")
    call = provider.call()
    is_((call["method"], call["params"], call["caller"]["pid"], call["caller"]["role"]),
        ("word_count", {"text": "a b"}, os.getpid(), "full"), "the provider gets a call, with its caller")
    provider.answer(call, words=2)
    is_(caller.end(number)["result"], {"words": 2}, "the caller gets the answer")
    number = caller.begin("wc", text="c")
    call = provider.call()
    is_(call["method"], "word_count", "another name means the same method")
    provider.send({"id": call["id"], "error": {"code": 1, "message": "no such word"}})
    is_(text(caller.end(number)), "word_count: no such word", "an error is passed on, with the first name")
    for params, field in (({}, "text"), ({"text": 1}, "text"), ({"text": "x" * 10}, "text"), ({"text": "", "how": "x"}, "how"),
                          ({"text": "", "other": 1}, "other")):
        answer = caller.ask("word_count", **params)
        is_((kind(answer), answer["error"]["data"]["field"]), ("invalid_params", field), f"{params} is refused")
    is_(provider.call(0.05), None, "and not passed on")
    described = caller.ask("describe")["result"]
    is_(("word_count" in described["methods"], "wc" in described["methods"], described["groups"]["mine"]),
        (True, False, ["word_count"]), "describe lists the method by its name")
    is_(caller.ask("describe", method="wc")["result"]["methods"]["word_count"]["also"], ["wc"], "and describes it by another")
    ok("The method word_count." in cli("help", "word_count"), "muxbus help describes it", cli("help", "word_count"))
    ok("word_count" in cli("complete", "--", "word_"), "completion knows it", cli("complete", "--", "word_"))
    shell = subprocess.Popen([os.environ["MUXBUS_BUILDDIR"] + "/muxbus", "word_count", "text=x"], stdout=subprocess.PIPE, text=True)
    provider.answer(provider.call(), words=7)
    is_(json.loads(shell.communicate(timeout=20)[0]), {"words": 7}, "it is a command of muxbus")

    number = caller.begin("word_count", text="a")
    call = provider.call()
    for done_ in range(3):
        provider.ask("progress", id=call["id"], text="t", done=done_, of=9)
    provider.answer(call)
    caller.end(number)
    reports = [m["params"] for m in caller.kept if m.get("method") == "progress"]
    is_(reports, [{"request": number, "text": "t", "done": 0, "of": 9}], "progress is passed on, not more often than 10 a second")
    caller.kept.clear()
    caller.send({"method": "word_count", "params": {"text": "b"}})
    call = provider.call()
    provider.ask("progress", id=call["id"], text="t")
    provider.answer(call)
    is_(caller.take(lambda m: True), {"jsonrpc": "2.0", "id": None, "result": {}}, "not for a request without an id")

    other = Peer()
    other.begin("word_count", text="a")
    call = provider.call()
    other.close()
    is_(provider.take(lambda m: m.get("method") == "cancel")["params"], {"id": call["id"]}, "the caller goes: the call is cancelled")
    provider.answer(call)
    provider.provide(row("word_count", parameters=TEXT, timeout_ms=1001))
    number = caller.begin("word_count", text="a")
    call = provider.call()
    answer = caller.end(number)
    is_(kind(answer), "timeout", "the time is over")
    is_("within 1.001 s" in answer["error"]["message"], True, "and stands in the error exactly")
    is_(provider.take(lambda m: m.get("method") == "cancel")["params"], {"id": call["id"]}, "and the call is cancelled")
    provider.answer(call, late=True)
    number = caller.begin("word_count", text="a")
    provider.answer(provider.call(), late=False)
    is_(caller.end(number)["result"], {"late": False}, "a late answer is no other call's")
    is_(kind(caller.ask("wc", text="a")), "no_such_method", "rows that are given again replace the earlier ones")

    answer = caller.ask("word_count", text="a", wait=False)
    name = answer["result"]["id"]
    is_(kind(caller.ask("get_tool_answer", id=name)), "not_ready", "without waiting a call answers with an id")
    provider.answer(provider.call(), words=5)
    note = caller.ask("next_notification", id=name, timeout_sec=10)["result"]["notifications"][0]
    is_((note["text"], note["data"]["command"], note["data"]["output"]), ("done", "word_count", '{"words":5}'), "its end is a notification")
    is_(caller.ask("get_tool_answer", id=name)["result"], {"words": 5}, "its answer is kept")

    number = caller.begin("word_count", text="a")
    provider.call()
    provider.socket.shutdown(1)
    is_(text(caller.end(number)), "word_count: the provider of word_count ended", "the end of a provider's input ends its calls")
    is_(kind(caller.ask("word_count", text="a")), "no_such_method", "and its methods")


def names():
    one, other = Peer(), Peer()
    one.provide(row("mine", also=["my_own"]))
    for rows, want in (
        ([row("list_panes")], "refused"), ([row("good", also=["list_panes"])], "refused"), ([row("mine")], "refused"),
        ([row("good"), row("my_own")], "refused"), ([row("good"), row("good")], "invalid_params"),
        ([row("good", also=["good"])], "invalid_params"), ([row("Good")], "invalid_params"), ([row("a b")], "invalid_params"),
        ([row("good", effects=["flies"])], "invalid_params"), ([row("good", group="all")], "invalid_params"),
        ([row("good", other=1)], "invalid_params"), ([row("good", parameters={"type": "array"})], "invalid_params"),
        ([row("good", parameters={"type": "object", "properties": {"wait": {"type": "string"}}})], "invalid_params"),
        ([row("good", parameters=TEXT, example={})], "invalid_params"), ([row("good", timeout_ms=3600001)], "invalid_params"),
        ([{"name": "good"}], "invalid_params"), ([1], "invalid_params"), ([row("good", also=list("abcde"))], "invalid_params"),
    ):
        answer = other.provide(*rows)
        is_(kind(answer), want, f"{json.dumps(rows)[:100]} is {want}")
        is_(answer["error"]["data"].get("field"), "methods" if want == "invalid_params" else None, "a wrong parameter has a name")
    is_(kind(other.ask("provide", methods={})), "invalid_params", "rows are an array")
    is_(kind(other.ask("provide")), "invalid_params", "a peer gives rows")
    is_(kind(Peer().ask("good")), "no_such_method", "one wrong row, and none is taken")
    is_(other.provide(row("mine2")).get("result"), {"methods": ["mine2"]}, "the peer may try again")
    is_(other.provide().get("result"), {"methods": []}, "and withdraw its rows")
    is_(kind(Peer().ask("mine2")), "no_such_method", "which are gone then")


def events():
    provider, other, reader = Peer(), Peer(), Peer()
    is_(kind(provider.ask("publish", kind="page_text")), "refused", "only a provider publishes")
    provider.provide(events=[{"kind": "page_text", "summary": "A page was read."}])
    ok(reader.ask("describe")["result"]["events"]["page_text"] == "A page was read.", "describe lists its kind")
    reader.ask("subscribe", kinds=["page_*"])
    wait = reader.begin("wait_for", any=[{"event": "page_text", "where": {"url": "b"}}], timeout_sec=20)
    reader.ask("list_panes")  # comes behind the wait, which looks at tmux first
    for url in "ab":
        ok("result" in provider.ask("publish", kind="page_text", data={"url": url}), f"event {url} is published")
    is_(reader.end(wait)["result"]["conditions"][0]["details"]["data"], {"url": "b"}, "wait_for takes the event that fits")
    got = [m["params"]["data"]["url"] for m in reader.kept if m.get("method") == "event"]
    is_(got, ["a", "b"], "a subscription gets both")
    listed = reader.ask("list_events", kinds=["page_text"])["result"]["events"]
    is_([event["data"]["url"] for event in listed], ["a", "b"], "list_events remembers them")
    other.provide()
    is_(kind(other.ask("publish", kind="page_text")), "refused", "a kind of another provider cannot be published")
    is_(kind(other.ask("publish", kind="pane_closed")), "refused", "nor one of the daemon")
    is_(kind(other.ask("publish", kind="Page")), "invalid_params", "a kind has a name")
    is_(kind(other.ask("publish", kind="big", data={"x": "x" * 17000})), "limit", "an event has at most 16 KiB")
    deep = {}
    for _ in range(40):
        deep = {"x": deep}
    is_(kind(other.ask("publish", kind="big", data=deep)), "limit", "nested 32 deep at most")
    kinds = [kind(other.ask("publish", kind=f"kind_{i}")) for i in range(8)]
    is_(kinds, [None] * 7 + ["limit"], "a provider has at most 8 kinds")
    flood = [other.begin("publish", kind="kind_0") for _ in range(400)]
    answers = [kind(other.end(number)) for number in flood]
    ok(190 <= answers.count(None) <= 320 and answers.count("busy") == 400 - answers.count(None),
       "it publishes at most 100 events a second", f"{answers.count(None)} of 400")
    other.close()
    until(lambda: len(reader.ask("list_providers")["result"]["providers"]) == 1)
    other = Peer()
    other.provide()
    is_(kind(other.ask("publish", kind="kind_0")), None, "the kind of a provider that has gone is free")
    answers = []
    for at in range(30):
        more = Peer()
        more.provide()
        answers.append(kind(more.ask("publish", kind=f"many_{at}")))
        more.close()
    ok("limit" in answers and answers[:15] == [None] * 15, "there are 24 kinds in all while events are remembered", answers)


def kept_waits():
    """Named waits for events of a provider that comes back after kill -9 of the daemon, later than they."""
    provider, caller = Peer(), Peer()
    provider.provide(events=[{"kind": "page_text"}, {"kind": "other_text"}])
    waits = {name: caller.begin("wait_for", any=[{"event": event}], wait=name, timeout_sec=60)
             for name, event in (("1", "page_*"), ("2", "[pq]age_*"), ("3", "page_text"))}
    until(lambda: caller.ask("status")["result"]["waits"] == len(waits))
    daemon.kill()
    daemon.start()
    provider, caller = Peer(), Peer()
    waits = {name: caller.begin("wait_for", wait=name) for name in waits}
    is_([caller.end(number, 0.2) for number in waits.values()], [None] * 3, "a kept wait waits for the kinds of a provider to come")
    provider.provide(events=[{"kind": "page_text"}, {"kind": "other_text"}])
    for event in ("other_text", "page_text"):
        provider.ask("publish", kind=event, data={"n": 1})
    got = {name: (caller.end(number) or {}).get("result", {}).get("conditions", [{}])[0] for name, number in waits.items()}
    is_({name: (part.get("state"), part.get("details", {}).get("kind")) for name, part in got.items()},
        dict.fromkeys(waits, ("matched", "page_text")), "and takes the first one of its name or pattern")


def limits():
    provider, caller = Peer(), Peer()
    is_(kind(provider.provide(*[row(f"m{i}") for i in range(65)])), "limit", "a provider has at most 64 names")
    wide = {"type": "object", "properties": {f"p{i}": {"type": "string", "description": "d" * 900} for i in range(30)}}
    is_(kind(provider.provide(*[row(f"m{i}", parameters=wide) for i in range(12)])), "limit", "its rows have at most 256 KiB")
    peers = [Peer() for _ in range(3)]
    answers = [kind(peer.provide(*[row(f"n{at}_{i}") for i in range(50)])) for at, peer in enumerate(peers)]
    is_(answers, [None, None, "limit"], "all providers together have at most 128 names")
    for peer in peers:
        peer.close()
    until(lambda: kind(caller.ask("n0_0")) == "no_such_method")

    peers = [Peer() for _ in range(65)]
    is_([kind(peer.provide()) for peer in peers], [None] * 64 + ["limit"], "at most 64 peers provide")
    for peer in peers:
        peer.close()
    until(lambda: not caller.ask("list_providers")["result"]["providers"])
    provider.provide(row("slow"))
    first = os.fork()
    if not first:  # another process, which has calls of its own
        more = Peer()
        for _ in range(32):
            more.begin("slow")
        more.ask("slow")
        signal.pause()
    numbers = [caller.begin("slow") for _ in range(33)]
    is_(kind(caller.end(numbers.pop())), "limit", "a process has at most 32 open calls")
    taken = [provider.call() for _ in range(64)]
    second = os.fork()
    if not second:
        answer = kind(Peer().ask("slow"))
        os._exit(answer == "limit")
    is_(os.waitstatus_to_exitcode(os.waitpid(second, 0)[1]), 1, "a provider has at most 64 open calls")
    for call in taken:
        provider.answer(call)
    is_([kind(caller.end(number)) for number in numbers], [None] * 32, "all of them are answered")
    os.kill(first, 9)
    os.waitpid(first, 0)


def one_by_one():
    provider, callers = Peer(), [Peer() for _ in range(8)]
    provider.provide(row("turned", parameters={"type": "object", "properties": {"text": {"type": "string"}}}))
    for caller in callers:
        caller.begin("turned", text="x" * 200000)
    for _ in callers:
        call = provider.call()
        provider.answer(call, text="y" * 500000)
    is_([len(caller.end(1)["result"]["text"]) for caller in callers], [500000] * 8,
        "a provider may write a large answer before it reads its next calls")
    numbers = [provider.begin("describe") for _ in range(100)]
    time.sleep(0.5)
    is_(["result" in provider.end(number) for number in numbers], [True] * 100,
        "and many requests before it reads their answers")


def circle(within, said):
    """A calls B, which calls A …; each is a process of its own."""
    caller = Peer()
    rounds = []
    for name, next_ in (("ring_a", "ring_b"), ("ring_b", "ring_a")):
        child = os.fork()
        if not child:
            me = Peer()
            me.within = within
            me.provide(row(name))
            open_ = {}
            while (message := me.read(60)) is not None:
                if "method" in message and "id" in message:
                    open_[me.begin(next_)] = message
                elif message.get("id") in open_:
                    call = open_.pop(message["id"])
                    if "error" in message:
                        me.answer(call, depth=1, said=message["error"]["message"])
                    else:
                        me.answer(call, depth=message["result"]["depth"] + 1, said=message["result"]["said"])
            os._exit(0)
        rounds.append(child)
    until(lambda: {"ring_a", "ring_b"} <= set(caller.ask("describe")["result"]["methods"]))
    answer = caller.ask("ring_a")
    ok(answer["result"]["depth"] == 8 and "8 deep" in answer["result"]["said"], f"a circle of calls ends at a depth of 8, {said}", answer)
    for child in rounds:
        os.kill(child, 9)
        os.waitpid(child, 0)


def circles():
    circle(..., "which the daemon sees itself")
    circle("c999999999999", "also within a call that there is not")


def liars():
    provider, other, caller = Peer(), Peer(), Peer()
    provider.provide(row("lie"))
    other.provide(row("truth"))
    number = caller.begin("lie")
    call = provider.call()
    other.answer(call, by="other")
    provider.send({"id": call["id"] + "0", "result": {"by": "wrong id"}})
    provider.send({"id": 17, "result": {"by": "number"}})
    provider.send({"id": None, "result": {}})
    provider.answer(call, by="provider")
    provider.answer(call, by="again")
    is_(caller.end(number)["result"], {"by": "provider"}, "only the provider answers, by the id of the call")
    is_(caller.take(lambda m: True, 0.05), None, "and once")
    for line, want in (
        (lambda call: {"id": call["id"], "result": []}, "tool_failed"), (lambda call: {"id": call["id"], "result": None}, "tool_failed"),
        (lambda call: {"id": call["id"]}, "tool_failed"), (lambda call: {"id": call["id"], "error": "no"}, "tool_failed"), (lambda call: {"id": call["id"], "error": {}}, "tool_failed"),
        (lambda call: {"id": call["id"], "result": {"x": "y" * (1 << 20)}}, "limit"),
        (lambda call: b'{"id":"' + call["id"].encode() + b'","result":{"x":"\xff"}}', "tool_failed"),
        (lambda call: b'{"id":"' + call["id"].encode() + b'","result":{"x":"' + b"y" * (5 << 20) + b'"}}', "tool_failed"),
    ):
        number = caller.begin("lie")
        answer = line(provider.call())
        provider.send(answer)
        is_(kind(caller.end(number)), want, f"{str(answer)[:60]} is {want}")
    try:
        for _ in range(1000):
            provider.send({"id": "c1", "result": {}})
    except OSError:
        pass
    is_(provider.take(lambda m: False), None, "a provider that answers no call of its own is disconnected")
    is_(kind(caller.ask("lie")), "no_such_method", "and gives nothing more")

    provider = Peer()
    provider.provide(row("deaf", parameters={"type": "object", "properties": {"x": {"type": "string"}}}, timeout_ms=1500))
    numbers = [caller.begin("deaf", x="x" * 200000) for _ in range(32)]
    answers = [kind(caller.end(number)) for number in numbers]
    ok(set(answers) == {"busy", "timeout"}, "calls of a provider that does not read end", answers)
    number = caller.begin("truth")
    other.answer(other.call())
    is_(kind(caller.end(number)), None, "those of another are not touched")


def own_members():
    provider, caller = Peer(), Peer()
    provider.provide(row("own", effects=["runs"]))
    number = caller.begin("own", key="own members")
    provider.answer(provider.call(), repeated=5, durable=1, audited=2, x=3)
    is_(caller.end(number)["result"], {"x": 3}, "members that the daemon writes itself are left out of a result")
    caller.begin("own", key="own members")
    while b"\n" not in caller.rest:
        caller.rest += caller.socket.recv(1 << 16)
    is_(caller.rest.count(b'"repeated":'), 1, "so that none stands twice")
    caller = Peer()
    begun = caller.ask("own", wait=False)["result"]["id"]
    provider.answer(provider.call(), repeated=5, durable=1, audited=2, x=3)
    caller.ask("wait_for", any={"notification": begun}, timeout_sec=60)
    is_(caller.ask("get_tool_answer", id=begun)["result"], {"x": 3}, "nor in an answer that is kept")


def stopped():
    provider, caller = Peer(), Peer()
    provider.provide(row("in_time", timeout_ms=1000))
    pid = caller.ask("status")["result"]["pid"]
    number = caller.begin("in_time")
    call = provider.call()
    os.kill(pid, signal.SIGSTOP)
    provider.answer(call, fine=True)
    time.sleep(1.5)
    os.kill(pid, signal.SIGCONT)
    is_(caller.end(number).get("result"), {"fine": True}, "an answer that came while the daemon was stopped is in time")


def killed():
    other, caller = Peer(), Peer()
    other.provide(row("stays"))
    child = os.fork()
    if not child:
        me = Peer()
        me.provide(row("dies"))
        while True:
            me.read(60)
    until(lambda: "dies" in caller.ask("describe")["result"]["methods"])
    dying = [caller.begin("dies") for _ in range(10)]
    kept = caller.ask("dies", wait=False)["result"]["id"]
    staying = [caller.begin("stays") for _ in range(10)]
    taken = [other.call() for _ in range(10)]
    os.kill(child, 9)
    os.waitpid(child, 0)
    is_({text(caller.end(number)) for number in dying}, {"dies: the provider of dies ended"}, "kill -9 of a provider: its callers are told")
    note = caller.ask("next_notification", id=kept, timeout_sec=10)["result"]["notifications"][0]
    is_(note["data"]["state"], "failed", "so is the one that did not wait")
    for call in taken:
        other.answer(call, fine=True)
    is_([caller.end(number)["result"] for number in staying], [{"fine": True}] * 10, "calls of others are untouched")
    kept = caller.ask("stays", wait=False)["result"]["id"]
    other.call()
    other.provide(row("moves"))
    other.provide()
    other.close()
    note = caller.ask("next_notification", id=kept, timeout_sec=10)["result"]["notifications"][0]
    is_(note["text"], "the provider of stays ended", "a call outlives its row")


def mcp_tools():
    peer = Peer()
    peer.ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "test", "version": "1"})
    peer.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    peer.send({"jsonrpc": "2.0", "method": "notifications/muxbus/hello", "params": {"tools": "all"}})
    names, cursor = [], {}
    while True:
        result = peer.ask("tools/list", **cursor)["result"]
        names += [tool["name"] for tool in result["tools"]]
        if "nextCursor" not in result:
            return peer, names
        cursor = {"cursor": result["nextCursor"]}


PROGRAM = """#!/usr/bin/python3
import os, sys, time
sys.path.insert(0, %r)
from provide_peer import Peer
open(%r, "a").write(f"{os.getpid()}\\n")
while True:
    try:
        me = Peer()
        if "result" not in me.ask("provide", methods=[{"name": "from_file"}]):
            sys.exit(3)
        while (call := me.read(600)) is not None:
            if "id" in call and "method" in call:
                if call["params"].get("how") == "slow":
                    time.sleep(3)
                elif call["params"].get("how") == "leave":
                    me.close()
                    time.sleep(0.5)
                    sys.exit(4)
                me.answer(call, pid=os.getpid(), said=call["params"].get("text"))
    except OSError:
        pass
    time.sleep(0.02)
"""


def declare(name, **members):
    path = f"{SHIPPED}/{name}.provider"
    with open(path + ".new", "w") as file:
        json.dump(members, file)
    os.chmod(path + ".new", 0o644)
    os.rename(path + ".new", path)
    return path


def script(name, content):
    with open(f"{SHIPPED}/{name}", "w") as file:
        file.write(content)
    os.chmod(f"{SHIPPED}/{name}", 0o755)


def state(peer, name):
    rows = peer.ask("list_providers")["result"]["providers"]
    return next((one for one in rows if one["name"] == name), {"state": None, "reason": None, "pid": None})


def files():
    caller = Peer()
    script("program", PROGRAM % (os.path.dirname(__file__), DIR + "/pids"))
    row_ = row("from_file", parameters=TEXT, summary="From a file.", also=["by_file"])
    bare = Peer()
    bare.provide(row("from_peer"), row("by_file"))
    path = declare("good", program=["./program"], methods=[row_], idle_sec=2, events=[{"kind": "file_kind"}])
    is_(state(caller, "good")["state"], "off", "a file provides, and its program does not run yet")
    mcp, tools = mcp_tools()
    is_(("from_file" in tools, "from_peer" in tools, "by_file" in tools), (True, False, False), "only rows of files are tools")
    answer = mcp.ask("tools/call", name="from_peer", arguments={})
    ok("error" in answer or answer["result"].get("isError"), "agents cannot call others", answer)
    is_("file_kind" in caller.ask("describe")["result"]["events"], True, "its kinds of events are known")
    is_(text(Peer().provide(row("from_file"))), f'"from_file" belongs to the program of {path} alone', "other peers cannot take its names")
    answer = mcp.ask("tools/call", name="from_file", arguments={"text": "hello"})
    ok("hello" in answer["result"]["content"][0]["text"], "the first call starts the program", answer)
    pid = caller.ask("from_file", text="x")["result"]["pid"]
    is_(state(caller, "good")["state"], "ready", "which stays")
    ok(until(lambda: state(caller, "good")["state"] == "off"), "until it is idle")
    ok(not os.path.exists(f"/proc/{pid}"), "then it has ended")
    bare.close()
    is_(kind(caller.ask("from_file", text="x", how="slow")), None, "a call that takes longer than that is no idleness")
    ok(until(lambda: state(caller, "good")["state"] == "off"), "it has ended again")

    # Kill -9 of the daemon: the program connects again, a call waits for it.
    pid = caller.ask("from_file", text="x")["result"]["pid"]
    lost = caller.ask("from_file", text="x", wait=False)["result"]["id"]
    caller.ask("next_notification", id=lost, timeout_sec=10)
    daemon.kill()
    daemon.start()
    caller = Peer()
    is_(caller.ask("from_file", text="again")["result"], {"pid": pid, "said": "again"},
        "kill -9 of the daemon: the same program provides again, and a call waits for it")
    is_(len([job for job in caller.ask("list_jobs")["result"]["jobs"] if job["state"] == "running"]), 1, "nothing was started")
    os.kill(pid, 9)
    ok(until(lambda: state(caller, "good")["state"] == "off"), "kill -9 of the program")
    new = caller.ask("from_file", text="x")["result"]["pid"]
    ok(new != pid, "the next call starts it again")

    is_(kind(caller.ask("from_file", text="x", how="leave")), "gone", "a program that leaves during a call")
    answer = caller.ask("from_file", text="x")
    ok("result" in answer and answer["result"]["pid"] != new, "the next call waits for its end and its next start", answer)
    new = answer.get("result", {}).get("pid", new)

    declare("good", program=["./program"], methods=[row_], idle_sec=3)
    ok(until(lambda: state(caller, "good")["pid"] is None), "a file that has changed ends its program", state(caller, "good"))
    answer = caller.ask("from_file", text="x")
    ok("result" in answer and answer["result"]["pid"] != new, "and the next call waits for another one", answer)
    new = answer["result"]["pid"]

    os.chmod(path, 0o664)
    ok(until(lambda: state(caller, "good")["state"] == "broken"), "a file that others can write to provides nothing", state(caller, "good"))
    is_(kind(caller.ask("from_file", text="x")), "no_such_method", "its methods are gone")
    ok(until(lambda: not os.path.exists(f"/proc/{new}")), "and its program")
    os.chmod(path, 0o644)
    ok(until(lambda: state(caller, "good")["state"] == "off"), "until it is mended")
    os.unlink(path)
    ok(until(lambda: state(caller, "good")["state"] is None), "a file that is removed provides nothing")
    answer = caller.ask("run_long_command", command="sleep 60", name="provider:good")
    is_(kind(answer), "invalid_params", "no other job has the name of a provider's")

    declare("none", program=["./absent"], methods=[row("absent")])
    declare("taken", program=["./program"], methods=[row("list_panes")])
    declare("ends", program=["/bin/sh", "-c", "exit 3"], methods=[row("ends")])
    declare("silent", program=["sleep", "1000"], methods=[row("silent")])
    ok(until(lambda: state(caller, "silent")["state"] == "off"), "four more files")
    is_(state(caller, "taken")["state"], "broken", "no file takes a name of muxbusd")
    ok("is not installed" in text(caller.ask("absent")), "a program that is missing")
    ok("ended with status 3" in text(caller.ask("ends")), "one that ends")
    began = time.monotonic()
    answer = caller.ask("silent")
    ok(kind(answer) == "not_ready" and 5 < time.monotonic() - began < 15, "one that does not provide: the call waits 10 s", answer)
    is_(kind(caller.ask("ping")), None, "the daemon lives")

    script("program", PROGRAM.replace("from_file", "with_it") % (os.path.dirname(__file__), DIR + "/pids"))
    declare("along", program=["./program"], methods=[row("with_it", parameters=TEXT)], life="with_daemon")
    ok(until(lambda: state(caller, "along")["state"] == "ready"), "a program that lives with the daemon starts by itself")
    pid = state(caller, "along")["pid"]
    os.kill(pid, 9)
    ok(until(lambda: state(caller, "along")["state"] == "ready" and state(caller, "along")["pid"] != pid), "also after kill -9")
    pid = state(caller, "along")["pid"]
    caller.ask("shutdown")
    is_(daemon.process.wait(20), 0, "the daemon ends")
    ok(until(lambda: not os.path.exists(f"/proc/{pid}")), "and its program with it")


try:
    for part in (calls, names, own_members, stopped, killed, limits, one_by_one, circles, liars, events, kept_waits, files) if len(sys.argv) < 2 else [globals()[sys.argv[1]]]:
        print(f"# {part.__name__}", flush=True)
        part()
        if part is events:  # whose kinds are all given now
            daemon.kill()
            daemon.start()
finally:
    daemon.stop()
done()
