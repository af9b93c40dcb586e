#!/bin/sh
# SPDX-License-Identifier: ISC
# A tool server, and programs, that answer with anything, behind a whole daemon: each call has one
# answer, the daemon lives, nothing is typed, and no file is written elsewhere. For
# $MUXBUS_FUZZ_SEC seconds (4); $MUXBUS_SEED repeats a run.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
need_python
export MUXBUS_TOOLS=/nonexistent
start 'exec cat'
export MUXBUS_TOOLS="$dir/shipped"
mkdir -m 755 "$dir/shipped"
cat >"$dir/shipped/anything" <<'END'
#!/usr/bin/python3 -ESB
"""As a server, answers with mutations of true answers; as a program, prints anything."""
import json, os, random, sys

kind, seed = sys.argv[1:]
number = int.from_bytes(os.urandom(4), "big")
chance = random.Random(f"{seed} {number}")
VALUES = [None, True, -1, 1e300, "", "\u0000", "\ud800", "x" * 70000, [], [[]], {}, {"a": {}}, "image", "text", 1, 2, 3]

def mutated(value):
    """The value, with a type changed or a member more or less somewhere within."""
    if chance.random() < 0.05:
        return chance.choice(VALUES)
    if isinstance(value, dict):
        members = {name: mutated(part) for name, part in value.items() if chance.random() > 0.03}
        if chance.random() < 0.1:
            members[chance.choice(["id", "error", "result", "method", "content", "isError"])] = chance.choice(VALUES)
        return members
    return [mutated(part) for part in value] if isinstance(value, list) else value

def bytes_of(message):
    line = json.dumps(message, ensure_ascii=chance.random() < 0.5).encode("utf-8", "surrogatepass")
    how = chance.randrange(12)
    if how == 0 and line.startswith(b"{"):
        line = b'{"id":1,"id":2,' + line[1:]
    elif how == 1:
        line = b"[" * chance.randrange(1, 3000) + line
    elif how == 2 and line:
        cut = chance.randrange(len(line))
        line = line[:cut] + bytes(chance.randrange(256) for _ in range(9)) + line[cut:]
    elif how == 3:
        line = line[: chance.randrange(len(line) + 1)]
    return line + b"\n"

if kind != "server":
    out = [b"", b"\x89PNG\r\n\x1a\n" + os.urandom(99), os.urandom(chance.randrange(3000)), b"\x1b]0;a\x07" * 50,
        bytes_of(mutated({"a": [1, {"b": "c"}]})), b"[" * 5000, b"x" * chance.choice([8999, 9001, 1500000])]
    for stream in sys.stdout.buffer, sys.stderr.buffer:
        stream.write(chance.choice(out))
    sys.stdout.flush()
    os._exit(chance.choice([0, 0, 0, 1, 127]))
results = {
    "initialize": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}},
    "tools/list": {"tools": [{"name": "any_server", "inputSchema": {"type": "object", "properties": {}, "required": []}}]},
    "tools/call": {"content": [{"type": "text", "text": "t" * 300}, {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"},
        {"type": "resource", "resource": {"uri": "a", "text": "b"}}], "structuredContent": {"rows": [{"a": 1}] * 9}, "isError": False},
}
for line in sys.stdin.buffer:
    asked = json.loads(line)
    if asked.get("method") not in results or "id" not in asked:
        continue
    true = {"jsonrpc": "2.0", "id": asked["id"], "result": results[asked["method"]]}
    is_wild = chance.random() < (0.8 if asked["method"] == "tools/call" else 0.1)
    out = [bytes_of(mutated(true)) if is_wild else json.dumps(true).encode() + b"\n"]
    for _ in range(chance.choice([0, 0, 0, 1, 1, 50])):
        out.insert(0, chance.choice([
            bytes_of({**true, "id": chance.choice([asked["id"] + 1, asked["id"] - 1, "1", None, 0])}),
            bytes_of({"jsonrpc": "2.0", "method": "notifications/progress", "params": mutated({"progressToken": asked["id"], "progress": 1})}),
            bytes_of({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}),
            bytes_of({"jsonrpc": "2.0", "id": chance.choice(VALUES), "method": "ping"}),
            b"a line of a log\n", b"\n", os.urandom(30).replace(b"\n", b"") + b"\n"]))
    sys.stdout.buffer.write(b"".join(out))
    sys.stdout.buffer.flush()
    if chance.random() < 0.03:
        os._exit(1)
END
chmod 755 "$dir/shipped/anything"
seed=${MUXBUS_SEED:-$(date +%s)}
echo "# MUXBUS_SEED=$seed"
for answer in text json image/png; do
	name=any_${answer%/*}
	printf '{"name":"%s","group":"demo","description":"A test.","run":["./anything","%s","%s"],"answer":"%s","timeout_sec":10}' \
		"$name" "$name" "$seed" "$answer" >"$dir/shipped/$name.json"
done
printf '{"name":"any_server","group":"demo","description":"A test.","server":{"name":"s","command":["./anything","server","%s"]},"timeout_sec":2}' \
	"$seed" >"$dir/shipped/any_server.json"
chmod 644 "$dir"/shipped/*.json
kill_daemon
find "$dir" -maxdepth 1 | sort >"$dir.files"
cat >"$dir.calls" <<'END'
import json, os, socket, sys, time
to = socket.socket(socket.AF_UNIX)
to.connect(os.environ["MUXBUS"])
to.settimeout(60)
lines = to.makefile("rb")
end, number, kinds = time.monotonic() + float(sys.argv[1]), 0, {}
while time.monotonic() < end:
    asked = {}
    for tool in ("any_server",) * 12 + ("any_text", "any_json", "any_image"):
        number += 1
        asked[number] = tool
        call = {"method": tool, "params": {}} if number % 2 else {"method": "tools/call", "params": {"name": tool, "arguments": {}}}
        to.sendall(json.dumps({"jsonrpc": "2.0", "id": number, **call}).encode() + b"\n")
    while asked:
        answer = json.loads(lines.readline())
        if "id" not in answer:
            continue
        assert ("result" in answer) != ("error" in answer), answer
        tool = asked.pop(answer["id"])  # once
        kind = (tool, answer.get("error", {}).get("data", {}).get("kind") or "result")
        kinds[kind] = kinds.get(kind, 0) + 1
print(f"# {number} calls, {kinds}", file=sys.stderr)
print("answered once")
END
is 'each call has one answer' \
	"$(python3 "$dir.calls" "${MUXBUS_FUZZ_SEC:-4}" 2>"$dir.said" || tail -n 3 "$dir.said")" 'answered once'
cat "$dir.said"
ok 'the daemon lives' kill -0 "$daemon_pid"
is 'nothing was typed' "$(t capture-pane -p | tr -d '\n ')" ''
is 'no file was written elsewhere' "$(find "$dir" -maxdepth 1 | sort | comm -13 "$dir.files" -)" ''
rm -f "$dir.files" "$dir.calls" "$dir.said"
done_testing
