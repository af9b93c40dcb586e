#!/bin/sh
# SPDX-License-Identifier: ISC
# A result that MCP cuts ends with the calls that get the rest; who follows them has all of it, byte
# for byte: of any method that answers with text, of programs and of servers, at sizes around
# every bound.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
need_python
export MUXBUS_TOOLS=/nonexistent
start 'exec sleep 3600'
export MUXBUS_TOOLS="$dir/shipped"
mkdir -m 755 "$dir/shipped"
cat >"$dir/shipped/print" <<'END'
#!/usr/bin/python3 -ESB
"""Prints what its argument says; as a server, answers with it."""
import json, sys

def text_of(how):
    return (how.get("piece", "x") * how["size"]).encode()[: how["size"]].decode("utf-8", "ignore")

def value_of(how):
    return [{"number": i, "text": text_of(how)} for i in range(how.get("rows", 0))]

def result(how):
    content = [{"type": "text", "text": text_of(how)}]
    if how.get("image"):
        content.append({"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"})
    made = {"content": content}
    if how.get("rows"):
        made["structuredContent"] = {"rows": value_of(how)}
    return made

if sys.argv[1:] == ["text"]:
    sys.stdout.buffer.write(text_of(json.loads(json.load(sys.stdin)["how"])).encode())
elif sys.argv[1:] == ["json"]:
    how = json.loads(json.load(sys.stdin)["how"])
    members = {f"member{i}": text_of(how) for i in range(how.get("members", 0))}
    print(json.dumps({"rows": value_of(how), "rest": "its own", **members} if how.get("own") else {"rows": value_of(how), **members}))
for line in sys.stdin if sys.argv[1:] == ["server"] else []:
    asked = json.loads(line)
    answer = {"tools/call": lambda: result(json.loads(asked["params"]["arguments"]["how"])),
        "tools/list": lambda: {"tools": [{"name": "say", "inputSchema": {"type": "object", "properties": {"how": {"type": "string"}}}}]},
        "initialize": lambda: {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}},
    }.get(asked["method"])
    if answer and "id" in asked:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": answer()}), flush=True)
END
chmod 755 "$dir/shipped/print"
parameters='"parameters":{"type":"object","properties":{"how":{"type":"string"}}}'
printf '{"name":"print_text","group":"demo","description":"A test.","run":["./print","text"],%s}' "$parameters" >"$dir/shipped/print_text.json"
printf '{"name":"print_json","group":"demo","description":"A test.","run":["./print","json"],"answer":"json",%s}' "$parameters" >"$dir/shipped/print_json.json"
printf '{"name":"say","group":"demo","description":"A test.","server":{"name":"s","command":["./print","server"]},%s}' "$parameters" >"$dir/shipped/say.json"
chmod 644 "$dir"/shipped/*.json
kill_daemon
pane=$(t new-window -dP -F '#{pane_id}' "for i in \$(seq 1 900); do printf 'line %d of the pane, \\303\\251\\342\\202\\254\\n' \$i; done; printf END; exec sleep 3600")
until_is 'the pane is full' END sh -c "tmux -S $dir/tmux capture-pane -p -t $pane | tail -n 1"
call run_long_command '{"command":"for i in $(seq 1 3000); do echo line $i \"quoted\"; done"}'
job=$(field .result.id)
call wait_for "{\"any\":[{\"job\":\"$job\"}]}"
for i in $(seq 1 60); do
	printf '{"method":"post_notification","params":{"text":"%s %d"}}\n' "$(printf '%0300d' 0)" "$i"
done | socat -t 60 - "UNIX-CONNECT:$MUXBUS" >/dev/null
call list_notifications '{"limit":1000}'

cat >"$dir/follow" <<'END'
"""Asks by MCP, follows each call that an answer names, and compares with the daemon's own answer."""
import json, os, re, socket, subprocess, sys

SEEN = {}
BOUNDS = (9000, 20000)
MARKS = ("truncated", "rest", "first_row", "to", "last")

class Daemon:
    def __init__(self):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(os.environ["MUXBUS"])
        self.lines = self.socket.makefile("rb")

    def ask(self, method, params):
        self.socket.sendall(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode() + b"\n")
        answer = json.loads(self.lines.readline())
        assert "result" in answer, (method, str(params)[:200], answer)
        return answer["result"]

daemon = Daemon()
calls = 0

def parts(rest):
    """The calls in a rest: the tool, its arguments, and what they do."""
    found, decoder = [], json.JSONDecoder()
    for start in re.finditer(r"(?:^|(?<=\. ))([a-z_]+) (?=\{)", rest):
        arguments, end = decoder.raw_decode(rest, start.end())
        found.append((start[1], arguments, re.match(r" reads (.*?)\.(?: |$)", rest[end:])[1]))
    assert found, rest
    return found

def whole_text(arguments):
    """What read_rest gives, piece by piece."""
    text, go = "", ("read_rest", arguments)
    while go:
        assert go[0] == "read_rest", go
        answer, go_on = shown(*go)
        text += answer["text"]
        go = go_on[0][:2] if go_on else None
        assert go or answer["to"] in (answer["size"], arguments.get("to")), answer
    return text

def shown(tool, arguments):
    """The structure that an answer shows, and the calls for the rest. Its text says the same."""
    global calls
    calls += 1
    answer = daemon.ask("tools/call", {"name": tool, "arguments": arguments})
    text = "".join(part["text"] for part in answer["content"] if part["type"] == "text")
    assert not answer.get("isError"), text
    value = answer.get("structuredContent")
    if value is None:  # with an image
        assert len(text.encode()) <= BOUNDS[0] + 512
        whole, *ends = text.split("\nTruncated. ")
        return {"text": whole, "images": [True]}, [part for end in ends for part in parts(end)]
    bound = BOUNDS[any(name in arguments for name in ("history", "limit", "lines", "max_bytes"))]
    assert len(text.encode()) <= bound, len(text.encode())
    assert len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()) <= bound
    is_cut = value.get("truncated") is True and "rest" in value
    assert text.endswith("Truncated. " + value["rest"] + "\n") if is_cut else "\nTruncated. " not in text, (value, text)
    for name in ("text", "stdout"):
        clean = value.get(name, "").strip("\n")
        assert clean in text or re.search("[\u0080\u202e]", clean), (name, clean, text)
    return value, parts(value["rest"]) if is_cut else []

def followed(tool, arguments):
    """The whole result, put together."""
    value, todo = shown(tool, arguments)
    value = dict(value)
    for other, more, does in todo:
        how, _, member = does.rpartition(" ")
        SEEN[f"{other} {how or does}"] = SEEN.get(f"{other} {how or does}", 0) + 1
        if does == "on":
            assert other == tool
            rest = followed(other, more)
            for name, part in rest.items():
                if isinstance(part, (list, str)) and name in ("text", "base64", "notifications", "events"):
                    value[name] += part
        elif does == "all of it, as JSON":
            value = json.loads(whole_text(more))
        elif does.endswith(", as JSON"):
            member = does.removesuffix(", as JSON").split(" ")[-1]
            text = whole_text(more)
            value[member] = value[member] + json.loads("[" + text.lstrip(",")) if how.startswith("the other") else json.loads(text)
        elif how == "on in":
            value[member] += whole_text(more)
        else:
            assert how == "the beginning of", does
            value[member] = whole_text(more) + value[member]
    return value

def plain(value):
    return {name: part for name, part in value.items() if name not in MARKS}

def check(tool, arguments, native=None):
    whole = native or daemon.ask(tool, arguments)
    got = followed(tool, arguments)
    if "images" in got:
        whole, got = dict(whole), dict(got)
        whole.pop("images"), got.pop("images")
    if tool.startswith("read_"):  # the calls go on behind what the first one would have given
        name = "text" if "text" in whole else "base64"
        return not got[name].startswith(whole[name])
    if plain(whole) != plain(got):
        for name in whole:
            if name not in MARKS and whole[name] != got.get(name):
                print("differs:", tool, json.dumps(arguments)[:200], name, str(whole[name])[:80], str(got.get(name))[:80], len(str(whole[name])), len(str(got.get(name))), file=sys.stderr)
        return 1
    return 0

def how(**members):
    return {"how": json.dumps(members)}

PIECES = ["x", "a line of text\n", "\u00e9", "\u20ac\n", "\U0001f98a", '"\\', "\u001b[31m", "\u202e", "\ttab \u0080\n", "\r\n"]
faults = checks = 0
def run(tool, arguments, native=None):
    global faults, checks
    checks += 1
    faults += check(tool, arguments, native)

what, pane, job = sys.argv[1:]
if what == "server":
    for piece in PIECES:
        for size in [0, 1, 500, 1490, 1510, 2990, 4400, 4500, *range(8850, 9010, 13), 19990, 20010, 70001]:
            run("say", how(size=size, piece=piece))
        for size, rows in ((10, 300), (2500, 40), (50, 1), (9100, 1), (9100, 20)):
            run("say", how(size=size, rows=rows, piece=piece))
    run("say", how(size=3000000, piece="0123456789 \u20ac\n"))
    for size in (0, 10, 8999, 9000, 9001, 9002, 9003, 30000):
        run("say", how(size=size, piece="\u20ac", image=True))
        run("say", how(size=size, piece="\u20ac", image=True, rows=5))
elif what == "program":
    for piece in PIECES[:5]:
        for size in (8900, 8999, 9001, 40000):
            run("print_text", how(size=size, piece=piece))
    for size, rows, members in ((10, 300, 0), (2500, 40, 1), (9100, 1, 2), (3000, 0, 7), (40, 200, 300), (8950, 1, 0)):
        run("print_json", how(size=size, rows=rows, members=members))
        run("print_json", how(size=size, rows=rows, members=members, own=True))
elif what == "limits":
    def joined(tool, arguments, name):
        """A member of all answers of a method that shows so much at a time."""
        value, go = shown(tool, arguments)
        whole, number = value[name], 1
        while go:
            assert len(go) == 1 and go[0][0] == tool and go[0][2] == "on", go
            assert value.get("more") is not False, value
            value, go = shown(tool, go[0][1])
            whole, number = whole + value[name], number + 1
        return whole, number
    def expect(name, got, want, least):
        global checks, faults
        checks += 1
        if got[0] != want or got[1] < least:
            faults += 1
            print("differs:", name, got[1], len(got[0]), len(want), str(got[0])[:200], file=sys.stderr)
    output = "".join(f"{i:07d} \u20ac\u00e9\n" for i in range(9000))
    ended = daemon.ask("execute_cli", {"command": "PYTHONUTF8=1 /usr/bin/python3 -c 'for i in range(9000): print(\"%07d \\u20ac\\u00e9\" % i)'"})
    assert ended["truncated"] and "rest" in ended, {**ended, "stdout": ""}
    (reader, its, does), = parts(ended["rest"])
    assert (reader, does) == ("read_job", "all that is kept of stdout"), ended["rest"]
    expect("execute_cli", joined(reader, its, "text"), output, 3)
    cut, go = shown("execute_cli", {"command": "seq 20000"})
    expect("execute_cli by MCP", joined(*go[0][:2], "text"), "".join(f"{i}\n" for i in range(1, 20001)), 2)
    for most in (1000, 7001, 7002, 7003):
        expect(f"read_job {most}", joined("read_job", {**its, "max_bytes": most}, "text"), output, len(output.encode()) // most)
    ended = daemon.ask("execute_cli", {"command": "seq 20000 >&2"})
    (reader, its, does), = parts(ended["rest"])
    assert does == "all that is kept of stderr", ended["rest"]
    expect("stderr", joined(reader, its, "text"), "".join(f"{i}\n" for i in range(1, 20001)), 2)
    tmux = ["tmux", "-S", os.environ["TMUX_SOCKET"]]
    pane2 = subprocess.run([*tmux, "new-window", "-dP", "-F", "#{pane_id}", "read x; seq -f '%05.0f \u20ac' 700; echo END; exec sleep 3600"], capture_output=True, text=True).stdout.strip()
    daemon.ask("read_output", {"pane": pane2})
    daemon.ask("send_keys", {"pane": pane2, "keys": ["Enter"]})
    daemon.ask("wait_for", {"any": [{"screen": "END", "pane": pane2}], "timeout_sec": 20})
    every = daemon.ask("read_output", {"pane": pane2, "after": 0})
    for most in (100, 999, 4000):
        expect(f"read_output {most}", joined("read_output", {"pane": pane2, "after": 0, "max_bytes": most}, "text"), every["text"], 2)
    every = [match for offset in (0, 1000) for match in daemon.ask("find_text", {"pane": pane, "history": True, "regex": "line [0-9]*|pane", "limit": 1000, "offset": offset})["matches"]]
    for limit in (1, 7, 200):
        part = daemon.ask("find_text", {"pane": pane, "history": True, "regex": "line [0-9]*|pane", "limit": limit})
        assert part["truncated"] and part["last"] == limit, part
        if limit > 1:
            expect(f"find_text {limit}", joined("find_text", {"pane": pane, "history": True, "regex": "line [0-9]*|pane", "limit": limit}, "matches"), every, 3)
    part, go = shown("find_text", {"pane": pane, "history": True, "regex": "line [0-9]*|pane", "limit": 1000})
    assert part["last"] == len(part["matches"]) < 1000, (part["last"], len(part["matches"]))
    expect("find_text 1000", joined("find_text", {"pane": pane, "history": True, "regex": "line [0-9]*|pane", "limit": 1000}, "matches"), every, 3)
    for _ in range(150):
        daemon.ask("post_notification", {"text": "y" * 300})
    part, go = shown("read_audit", {"after": 0, "limit": 1000})
    assert part["last"] == part["actions"][-1]["n"], part["last"]
    for tool, name in (("list_notifications", "notifications"), ("list_events", "events")):
        kinds = {"kinds": ["notification*"]} if tool == "list_events" else {}
        every = daemon.ask(tool, {"after": 0, "limit": 1000, **kinds})
        assert every["more"] is False, every["more"]
        for limit in (1, 7, 40):
            got = joined(tool, {"after": 0, "limit": limit, **kinds}, name)
            expect(f"{tool} {limit}", got, every[name], 2)
elif what == "small":
    whole = subprocess.run(["tmux", "-S", os.environ["TMUX_SOCKET"], "capture-pane", "-p", "-S", "-", "-t", pane], capture_output=True, text=True).stdout
    for tool, arguments, name in (("run_tmux", {"command": ["capture-pane", "-p", "-S", "-", "-t", pane]}, "output"), ("capture_pane", {"pane": pane, "history": True}, "text")):
        value = daemon.ask(tool, arguments)
        (reader, its, does), = parts(value["rest"])
        rest = ""
        while True:
            part = daemon.ask(reader, its)
            rest += part["text"]
            if part["to"] == part["size"]:
                break
            its = {**its, "after": part["to"]}
        checks += 1
        got = rest + value[name] if "before" in does else value[name] + rest
        if got.rstrip("\n") != whole.rstrip("\n") or not value["truncated"]:
            faults += 1
            print("differs:", tool, does, len(value[name]), len(rest), len(whole), file=sys.stderr)
else:
    for more in ({}, {"history": True}, {"lines": 300}, {"lines": 860}, {"escapes": True, "history": True}, {"history": True, "encoding": "base64"}):
        run("capture_pane", {"pane": pane, **more})
    for more in ({}, {"max_bytes": 15000}, {"max_bytes": 20000}, {"encoding": "base64", "max_bytes": 30000}):
        arguments = {"pane": pane, "after": 0, **more}
        run("read_output", arguments, daemon.ask("read_output", {**arguments, "max_bytes": min(more.get("max_bytes", 7000), 15000)}))
        run("read_job", {"job": job, "offset": 0, **more}, daemon.ask("read_job", {"job": job, "offset": 0, **more, "max_bytes": min(more.get("max_bytes", 7000), 15000)}))
    for tool in ("list_notifications", "list_events"):
        for limit in (2, 20, 30, 55, 59):
            value = daemon.ask(tool, {"limit": limit})
            got = followed(tool, {"limit": limit})
            name = "notifications" if "notifications" in value else "events"
            checks += 1
            faults += got[name][: len(value[name])] != value[name]
    for tool, arguments in (("describe", {}), ("list_tools", {}), ("list_panes", {"detail": "full"}),
        ("run_tmux", {"command": ["list-keys"]}), ("run_tmux", {"command": ["capture-pane", "-p", "-S", "-", "-t", pane]})):
        if tool == "describe":
            native = json.loads(json.dumps(daemon.ask(tool, arguments)))
            run(tool, arguments, native)
        else:
            run(tool, arguments)
print(f"{faults} faults of {checks}, calls {calls}", json.dumps(SEEN), file=sys.stderr)
print(faults)
END
export TMUX_SOCKET="$dir/tmux"
for what in server program methods limits small; do
	if [ $what = small ]; then
		kill -9 "$(ask '{"method":"status"}' | jq .result.pid)"
		wait "$daemon_pid" 2>/dev/null
		"$MUXBUS_BUILDDIR/muxbusd" -f -o result_bytes=65536 --ready-fd 3 -S "$dir/tmux" 3>"$dir/ready" 2>>"$dir/muxbusd.log" &
		daemon_pid=$!
		timeout 10 head -n 1 "$dir/ready" >/dev/null
		pane=$(t new-window -dP -F '#{pane_id}' 'seq -f "%060.0f" 1900; printf END; exec sleep 3600')
		until_is 'a large pane is full' END sh -c "tmux -S $dir/tmux capture-pane -p -t $pane | tail -n 1"
		fi
	is "whole, byte for byte: $what" "$(python3 "$dir/follow" $what "$pane" "$job" 2>"$dir/said" || tail -n 3 "$dir/said")" 0
	sed 's/^/# /' "$dir/said" | head -n 20
done
ask '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_rest","arguments":{"id":"R00000000"}}}' >"$dir/answer"
is 'what is kept no longer is an error with the next step' "$(field '.result | "\(.isError) \(.content[0].text)"')" \
	'true read_rest failed: id: the answer "R00000000" is kept no longer: repeat the call that it was of.'
done_testing
