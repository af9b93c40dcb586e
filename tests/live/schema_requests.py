# SPDX-License-Identifier: ISC
"""Requests that are wrong in one thing, made from the schemas of describe: each parameter of each method, also by its
other names, of another type, beyond its bounds, too long, not one of its words, missing or unknown. Each is refused as
invalid_params, whose field and message name the parameter, and the bound; afterwards all is as before."""

import json
import os
import re
import socket
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import tap  # noqa: E402

LISTS = ("panes", "windows", "sessions", "jobs", "timers", "watches", "agents", "notifications", "providers", "tools")
VOLATILE = {"seq", "last_output", "evidence", "duration_ms", "activity"}
LINE_MAX = 1 << 20


class Link:
    def __init__(self):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(os.environ["MUXBUS"])
        self.socket.settimeout(30)
        self.lines = self.socket.makefile("rb")

    def close(self):
        self.lines.close()
        self.socket.close()

    def ask(self, method, params):
        self.socket.sendall(json.dumps({"id": 1, "method": method, "params": params}).encode() + b"\n")
        while "id" not in (message := json.loads(self.lines.readline())):
            pass
        return message


def sample(schema):
    kind = schema.get("type")
    if "enum" in schema:
        return schema["enum"][0]
    if kind == "array":
        return [sample(schema.get("items", {"type": "string"}))]
    return {"integer": schema.get("minimum", 1), "number": schema.get("minimum", 1), "boolean": True, "object": {}}.get(kind, "x")


def wrong(schema):
    """Values that the schema does not take."""
    kind, low, high = schema.get("type"), schema.get("minimum"), schema.get("maximum")
    if "anyOf" in schema:
        return [5, True, {"a": 1}]
    if kind == "string":
        values = [5, True, [], {}] + ["nosuch", ""] * ("enum" in schema) + [""] * ("minLength" in schema)
        longest = schema.get("maxLength", LINE_MAX)
        return values + ["x" * (longest + 1)] * (longest < LINE_MAX)
    if kind in ("integer", "number"):
        values = ["5", True, [], {}] + [1.5, 2 ** 53, -2 ** 53] * (kind == "integer")
        return values + ([low - 1] if "minimum" in schema else []) + ([high + 1] if "maximum" in schema else [])
    if kind == "boolean":
        return [0, 1, "true", [], {}]
    if kind == "array":
        few = [[]] * (schema.get("minItems", 0) > 0)
        many = [[sample(schema.get("items", {}))] * (schema["maxItems"] + 1)] if "maxItems" in schema else []
        return [5, True, {}, [5], [None]] + few + many
    if kind == "object":
        values = [{"A": 5}, {"A": None}] if isinstance(schema.get("additionalProperties"), dict) else []
        return [5, True, []] + values + [{"nosuch": 1}] * (schema.get("additionalProperties") is False)
    return []


def requests(row):
    """The name that is wrong, and all parameters."""
    properties, required = row["params"]["properties"], row["params"].get("required", [])
    names = {name: [name] + schema.get("also", []) for name, schema in properties.items()}
    base = dict(row.get("example") or {})
    for name in required:
        if not set(names[name]) & set(base):
            base[name] = sample(properties[name])
    for name, schema in properties.items():
        rest = {key: value for key, value in base.items() if key not in names[name] and (name != "all" or key != "any")}
        for value in wrong(schema):
            for called in names[name]:
                yield called, {**rest, called: value}, schema
        for missing in ({}, {name: None}) if name in required else ():
            yield name, {**rest, **missing}, {}
    for name in ("nosuch", "", "x" * 60, "a\u0001\"b"):
        yield name, {**base, name: 1}, {}


def breach(name, params, schema, message):
    """Why the answer is none to such a request; "" if it is."""
    error = message.get("error", {"data": {"kind": "no error"}, "message": str(message)[:300]})
    value = params.get(name)
    if error["data"]["kind"] != "invalid_params":
        return f"answered with {error['data']['kind']}: {error['message']}"
    if error["data"].get("field") != name:
        return f"field is {error['data'].get('field')}: {error['message']}"
    if re.sub(r"\W.*", "", name) not in error["message"]:
        return f"not named: {error['message']}"
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool) and schema.get("type") in ("integer", "number")
    is_beyond = is_number and value != 1.5 and {"minimum", "maximum"} & set(schema) or str(value)[:2] == "xx"
    if is_beyond and not re.search(r"\d", error["message"]):
        return f"no bound named: {error['message']}"
    return ""


def state(link):
    def still(value):
        if isinstance(value, dict):
            return {name: still(one) for name, one in value.items() if name not in VOLATILE}
        return [still(one) for one in value] if isinstance(value, list) else value
    return {name: still(link.ask(f"list_{name}", {})) for name in LISTS}


def main():
    link = Link()
    before, count = state(link), 0
    for method, row in link.ask("describe", {})["result"]["methods"].items():
        one, faults = Link(), []  # narrow would bind it
        for name, params, schema in requests(row):
            if method == "shutdown" and not set(params) - set(row["params"]["properties"]):
                continue
            count += 1
            message = one.ask(method, params)
            if reason := breach(name, params, schema, message):
                faults.append(f"{json.dumps(params)[:200]}: {reason}")
        tap.ok(not faults, method, "\n".join(faults[:5]))
        one.close()
    after = state(link)
    tap.ok(before == after, f"{count} requests have changed nothing", (before, after))
    link.close()
    tap.done()


if __name__ == "__main__":
    main()
