#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""Holds what muxbusd has sent, as record_traffic.c keeps it, to what describe and muxbus-protocol(7) promise: each
line is JSON of JSON-RPC, each request has one answer, results and events have the members that are described, of
their types, errors the code of their kind; events come to subscribers, of the kinds that were asked for, in order,
and output without a hole. usage: traffic.py FILE... : a file "describe.json", and files of traffic.

It knows the answer of a request by its id: of several with one id it only counts the answers."""

import collections
import fnmatch
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import tap  # noqa: E402

TYPES = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "object": dict, "array": list, "null": type(None)}
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
TIMES = {"time", "due", "started", "ended", "created", "activity", "since", "last_output", "program_started"}
CONTROL = re.compile(rb"[\x00-\x1f\x7f]|\xc2[\x80-\x9f]")
EVENT = {"subscription", "seq", "time", "kind"}
OF_FLEET = {"host", "server", "hosts", "missing", "gaps"}  # muxbusd(8)
NOTICES = {"progress": {"request", "text", "done", "of", "agent", "task", "from", "to", "lossy"}, "cancel": {"id", "reason"}, "stored": {"id"}}


class Number(str):
    """As it is written: the id of a response is that of its request."""


def load(line, keeps_numbers=False):
    def members(pairs):
        if len({name for name, _ in pairs}) < len(pairs):
            raise ValueError("two members of one name")
        return dict(pairs)

    def constant(word):
        raise ValueError(word)
    kept = {"parse_int": Number, "parse_float": Number} if keeps_numbers else {}
    return json.loads(line, object_pairs_hook=members, parse_constant=constant, **kept)


def has_nul(value):
    if isinstance(value, dict):
        return any("\0" in name or has_nul(one) for name, one in value.items())
    return any(map(has_nul, value)) if isinstance(value, list) else isinstance(value, str) and "\0" in value


def id_text(value):
    return str(value) if isinstance(value, Number) else json.dumps(value)


class Law:
    def __init__(self, described):
        self.methods = dict(described["methods"])
        for row in described["methods"].values():
            self.methods.update({also: row for also in row.get("also", [])})
        self.codes = {kind: row["code"] for kind, row in described["errors"].items()}
        self.members = {kind: set(names + described["event_lists"].get(kind, [])) for kind, names in described["event_members"].items()}
        self.breaches, self.examples = collections.Counter(), {}
        self.count = collections.Counter()
        self.line, self.is_fleet = b"", False

    def breach(self, what, detail=""):
        self.breaches[what] += 1
        self.examples.setdefault(what, f"{str(detail)[:400]} in {self.line[:600]!r}")

    def value(self, value, schema, path):
        kinds = [one["type"] for one in schema.get("anyOf", [schema]) if "type" in one]
        if kinds and not any(isinstance(value, TYPES[kind]) and isinstance(value, bool) == (kind == "boolean") for kind in kinds):
            self.breach(f"{path} is no {' or '.join(kinds)}", value)
            return
        name = path.rsplit(".", 1)[-1]
        if name in TIMES and isinstance(value, str) and not TIME.fullmatch(value):
            self.breach(f"{path} is no time", value)
        if isinstance(value, (int, float)) and (abs(value) > 9007199254740991 or value < 0 and name.endswith(("_sec", "_ms", "_bytes", "seq"))):
            self.breach(f"{path} is out of range", value)
        if self.is_fleet and path == name and isinstance(value.get("host"), str):
            return  # what a host says, which may be of any version
        if isinstance(value, dict) and schema.get("properties"):
            for member, inside in value.items():
                if member in schema["properties"]:
                    self.value(inside, schema["properties"][member], f"{path}.{member}")
                elif not (member == "audited" or member in ("truncated", "cut", "rest") and "truncated" in value or self.is_fleet and member in OF_FLEET):
                    self.breach(f"{path}.{member} is not described", value)
        for one in value if isinstance(value, list) and "items" in schema else []:
            self.value(one, schema["items"], f"{path}[]")

    def error(self, error, method):
        data = error.get("data") if isinstance(error, dict) else None
        kind = data.get("kind") if isinstance(data, dict) else None
        self.count["errors"] += 1
        if not isinstance(error, dict) or set(error) - {"code", "message", "data"} or not str(error.get("message")).strip():
            self.breach("an error of another form")
        elif self.codes.get(kind) != error["code"] and not (kind is None and -32768 <= error["code"] <= -32000) and not method.startswith(("tasks/", "resources/")):  # MCP has codes of its own
            self.breach(f"an error of kind {kind} with the code {error['code']}")
        elif kind == "invalid_params" and not isinstance(data.get("field"), str):
            self.breach(f"{method}: invalid_params without field")
        elif kind == "internal" and "host" not in data:  # which may be at fault
            self.breach(f"{method}: an internal error")

    def event(self, event, is_listed=False):
        kind, about = event.get("kind"), EVENT - {"subscription"} if is_listed else EVENT
        self.count["events"] += 1
        known = EVENT | self.members.get(kind, set(event)) | {"truncated", "cut"} | (OF_FLEET if self.is_fleet else set())
        if not self.is_fleet and about - set(event) or not TIME.fullmatch(str(event.get("time"))):
            self.breach(f"event {kind} without one of {about}")
        for member in set(event) - known:
            self.breach(f"event {kind}.{member} is not described")


class Peer:
    def __init__(self, law):
        self.law, self.input, self.output = law, b"", b""
        self.requests, self.answered, self.end = [], 0, ""
        self.subscriptions, self.cancelled = {}, set()

    def take(self, line):
        """What the peer sends."""
        entry = {"at": len(self.requests) + self.answered, "id": "any", "method": "", "params": {}}
        if not line.strip(b" \t\r"):
            return
        try:
            message, plain = load(line.decode(), True), load(line.decode())
            if not has_nul(message):
                entry["id"] = "null"
        except (ValueError, RecursionError):
            message = None
            if re.search(rb'"id"\s*:\s*"c\d', line):
                return  # also of a provider
        if isinstance(message, dict) and entry["id"] == "null":
            number = message.get("id")
            if "method" not in message and (set(message) & {"result", "error"} or str(number).startswith("c")):
                return  # the answer of a provider
            entry["id"] = "any" if isinstance(number, (dict, list, bool)) else id_text(number)
            entry["method"] = str(plain.get("method", ""))
            entry["params"] = plain["params"] if isinstance(plain.get("params"), dict) else {}
            if entry["method"] == "notifications/cancelled":
                self.cancelled.add(id_text(load(json.dumps(entry["params"]), True).get("requestId")))
            if "id" not in message and message.get("jsonrpc") == "2.0":
                return
        self.requests.append(entry)

    def give(self, line):
        """What it gets."""
        law = self.law
        law.line = line
        law.count["lines"] += 1
        try:
            message, number = load(line.decode()), id_text(load(line.decode(), True).get("id"))
        except (ValueError, AttributeError) as error:
            law.breach("no object in UTF-8", error)
            return
        if CONTROL.search(line):
            law.breach("raw control characters")
        if "method" in message and "id" in message:
            allowed = {"jsonrpc", "id", "method", "params", "caller", "kept"}  # the call of a provider
        elif "method" in message:
            allowed = {"jsonrpc", "method", "params"}
            self.notice(message["method"], message.get("params", {}))
        else:
            allowed = {"jsonrpc", "id", "error" if "error" in message else "result"}
            self.answer(message, number)
        if message.get("jsonrpc") != "2.0" or set(message) - allowed or "method" not in message and set(message) != allowed:
            law.breach("no message of JSON-RPC")

    def notice(self, method, params):
        if method == "event":
            self.law.event(params)
            self.event(params, self.subscriptions.get(params.get("subscription")))
        elif not method.startswith("notifications/") and (method not in NOTICES or set(params) - NOTICES[method]):
            self.law.breach(f"a message {method} of another form")

    def event(self, event, asked):
        kind, host, law = event.get("kind"), event.get("host"), self.law
        if asked is None:
            law.breach("an event for no subscription")
            return
        is_asked = asked["output"] and kind == "pane_output" or (any(fnmatch.fnmatchcase(kind, one) for one in asked["kinds"])
                                                                 if asked["kinds"] else kind not in ("pane_output", "line"))
        if not is_asked and kind not in ("gap", "host_state"):
            law.breach(f"event {kind} was not asked for", asked)
        if kind == "gap":
            asked["to"].clear()
        elif kind == "pane_output":
            place = (host, event["pane"])
            if asked["to"].get(place, event["offset"]) != event["offset"] or event["to"] < event["offset"]:
                law.breach("pane_output goes on elsewhere", asked["to"])
            asked["to"][place] = event["to"]
        elif kind not in ("line", "host_state"):
            if asked["seq"].get(host, -1) >= event["seq"]:
                law.breach("the numbers of events do not rise", asked["seq"])
            asked["seq"][host] = event["seq"]

    def answer(self, message, number):
        law = self.law
        fits = [entry for entry in self.requests if entry["id"] == number] or [entry for entry in self.requests if entry["id"] == "any"]
        if not fits:
            if number != "null" or "error" not in message:  # else why it is disconnected
                law.breach("an answer to no request")
            return
        entry = fits[0]
        for other in fits[1:]:
            entry["method"] = other["method"] = ""
        self.requests.remove(entry)
        self.answered += 1
        method, params, result = entry["method"], entry["params"], message.get("result")
        row = law.methods.get(re.sub(r"^(mcp_+muxbus_+|muxbus[.-])", "", str(params.get("name")))
                              if method == "tools/call" else method)
        if "error" in message:
            law.error(message["error"], method)
        elif not isinstance(result, dict):
            law.breach(f"the result of {method} is no object")
        elif method == "tools/call":
            structured = result.get("structuredContent")
            if row and isinstance(structured, dict) and not result.get("isError") and structured.get("status") != "pending":
                law.value(structured, row["result_schema"], "tool " + params["name"])
        elif row and method not in ("ping", "get_tool_answer"):
            law.value(result, row["result_schema"], method)
            self.note(method, params, result)

    def note(self, method, params, result):
        if method == "subscribe":
            kinds = [params["kinds"]] if isinstance(params.get("kinds"), str) else params.get("kinds")
            self.subscriptions[result["subscription"]] = {"kinds": kinds, "output": params.get("output"), "seq": {}, "to": {}}
        elif method == "unsubscribe":
            self.subscriptions.pop(params["subscription"], None)
        for one in result["events"] if method == "list_events" else []:
            self.law.event(one, True)

    def close(self, is_last):
        self.law.line = b""
        if self.output and self.end != "H":
            self.law.breach("it closes within a line", self.output)
        left = [entry for entry in self.requests if entry["id"] not in self.cancelled]
        # A daemon that ends does not look at lines that it has only read.
        if left and self.end != "H" and not (is_last and left[0]["at"] >= self.answered):
            self.law.breach("it closes without an answer", left[:3])


def check(law, path):
    with open(path, "rb") as file:
        data = file.read()
    law.is_fleet = b'"host":' in data
    last = data.rfind(b"\nA ")
    at, peers = 0, {}
    while at < len(data):
        end = data.index(b"\n", at)
        what, fd, size = data[at:end].decode().split()
        piece = data[end + 1:end + 1 + int(size)]
        if what == "A":
            peers[fd] = Peer(law)
        peer = peers[fd]
        if what == "I":
            *lines, peer.input = (peer.input + piece).split(b"\n")
            for line in lines:
                peer.take(line)
        elif what == "O":
            *lines, peer.output = (peer.output + piece).split(b"\n")
            for line in lines:
                peer.give(line)
        elif what == "C":
            peer.close(at > last)
        elif peer.end != "H":
            if what == "E":
                peer.take(peer.input)
            peer.end = what
        at = end + 1 + int(size)


def main():
    with open(next(path for path in sys.argv[1:] if path.endswith("describe.json")), encoding="utf-8") as file:
        law = Law(json.load(file))
    for path in sys.argv[1:]:
        if path.endswith(".traffic"):
            check(law, path)
    for what, times in law.breaches.most_common():
        tap.ok(False, f"{what} ({times} times)", law.examples[what])
    tap.ok(law.count["lines"] > 0, f"{law.count['lines']} lines, {law.count['errors']} errors, {law.count['events']} events")
    tap.done()


if __name__ == "__main__":
    main()
