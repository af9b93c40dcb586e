#!/bin/sh
# SPDX-License-Identifier: ISC
# Tasks of MCP: a call of run_long_command as a task, its states, its result, its end, and the
# notification of a task whose client has gone.
. "$MUXBUS_SRCDIR/tests/live/live.sh"
need python3
start 'exec sleep 3600'
cat >"$dir/client" <<'END'
import json, os, re, socket, sys

class Client:
    def __init__(self, revision):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(30)
        self.socket.connect(os.environ["MUXBUS"])
        self.lines, self.number, self.came = self.socket.makefile("rb"), 0, {}
        self.greeting = self.ask("initialize", protocolVersion=revision, capabilities={}, clientInfo={"name": "t", "version": "1"})["result"]

    def send(self, method, **params):
        self.number += 1
        self.socket.sendall(json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}).encode() + b"\n")
        return self.number

    def get(self, number):
        while number not in self.came:
            answer = json.loads(self.lines.readline())
            self.came[answer.get("id")] = answer
        return self.came.pop(number)

    def ask(self, method, **params):
        return self.get(self.send(method, **params))

    def task(self, command, **arguments):
        return self.ask("tools/call", name="run_long_command", arguments={"command": command, **arguments}, task={"ttl": 60000})["result"]

def show(*values):
    print(*values, sep="|")

pane, scratch = sys.argv[1:]
client = Client("2025-11-25")
show(json.dumps(client.greeting["capabilities"]["tasks"], sort_keys=True))
show(sorted((tool["name"], tool["execution"]["taskSupport"]) for tool in client.ask("tools/list")["result"]["tools"] if "execution" in tool))
old = Client("2025-06-18")
show("tasks" in old.greeting["capabilities"], any("execution" in tool for tool in old.ask("tools/list")["result"]["tools"]),
    "structuredContent" in old.task("true"))
show(client.ask("tools/call", name="list_panes", arguments={}, task={})["error"]["code"])

made = client.task(f"echo begun; until [ -e {scratch}/go ]; do sleep 0.05; done; echo 'the end'; exit 3", pane=pane)
task = made["task"]
id = task["taskId"]
related = {"io.modelcontextprotocol/related-task": {"taskId": id}}
show(task["status"], task["ttl"], task["pollInterval"], related.items() <= made["_meta"].items(), bool(re.match(r"\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$", task["createdAt"])))
show(client.ask("tasks/get", taskId=id)["result"]["status"])
waiting = client.send("tasks/result", taskId=id)
show(client.ask("tasks/get", taskId=id)["result"]["status"])
open(f"{scratch}/go", "w").close()
result = client.get(waiting)["result"]
shown = result["structuredContent"]
show(shown["id"] == id, shown["exit_code"], repr(shown["output"]), "isError" in result, result["_meta"] == related)
show(result["content"][0]["text"].split(" after")[0], "the end" in result["content"][0]["text"])
ended = client.ask("tasks/get", taskId=id)["result"]
show(ended["status"], ended["statusMessage"].split(" after")[0])
show(client.ask("tasks/result", taskId=id)["result"] == result)
note = [note for note in client.ask("list_notifications")["result"]["notifications"] if note["id"] == id]
show("notification", [(one["state"], one["delivery"]["way"]) for one in note])

polled = client.task("true", pane=pane)["task"]["taskId"]
while client.ask("tasks/get", taskId=polled)["result"]["status"] == "working":
    pass
show("polled", [(one["state"], one["delivery"]["way"]) for one in client.ask("list_notifications")["result"]["notifications"] if one["id"] == polled])

# What a cut result leaves out can be read by its reader, whose role has texts of its own.
quoted = client.task("yes '\"\"\"\"' | head -n 1000")["task"]["taskId"]
reader = Client("2025-11-25")
reader.ask("narrow", role="read_only")
rest = reader.ask("tasks/result", taskId=quoted)["result"]["structuredContent"]["rest"]
show(reader.ask("read_rest", id=re.search('"id":"(R[^"]*)"', rest).group(1))["result"]["size"] >= 5000)

long = client.task("seq 20000")["task"]["taskId"]
shown = client.ask("tasks/result", taskId=long)["result"]["structuredContent"]
show(shown["output"].endswith("19999\n20000\n"), len(shown["output"]) <= 6000, shown["rest"] == f'read_job {{"job":"{long}"}} reads all that is kept of output.')

sleeper = client.task("sleep 100")["task"]["taskId"]
show(client.ask("tasks/cancel", taskId=sleeper)["result"]["status"], client.ask("tasks/get", taskId=sleeper)["result"]["status"])
show(client.ask("tasks/cancel", taskId=sleeper)["error"]["code"], client.ask("tasks/result", taskId=sleeper)["result"]["isError"])
show(client.ask("tasks/cancel", taskId=id)["error"]["code"], client.ask("tasks/get", taskId="Z9Z9")["error"]["code"], client.ask("tasks/result", taskId="Z9Z9")["error"]["code"],
    client.ask("tasks/get")["error"]["code"], client.ask("tasks/list", cursor="x")["error"]["code"])
failed = client.ask("tools/call", name="run_long_command", arguments={"command": "true", "cwd": "/proc/nonexistent"}, task={})
show(failed["error"]["code"], "nonexistent" in failed["error"]["message"])
killed = client.task("kill -9 $$")["task"]["taskId"]
show(client.ask("tasks/result", taskId=killed)["result"]["isError"], client.ask("tasks/get", taskId=killed)["result"]["status"])

for _ in range(110):
    client.send("tools/call", name="run_long_command", arguments={"command": "true"}, task={})
for method, params in (("ping", {}), ("tools/list", {}), ("prompts/list", {}), ("resources/list", {}), ("resources/templates/list", {}),
        ("tasks/list", {}), ("tasks/get", {"taskId": id}), ("tasks/result", {"taskId": id}), ("resources/read", {"uri": "muxbus://panes"}),
        ("prompts/get", {"name": client.ask("prompts/list")["result"]["prompts"][0]["name"]}), ("logging/setLevel", {"level": "error"})):
    answer = client.ask(method, **params, _meta={"progressToken": 2, "traceparent": "00-1"})
    assert "result" in answer and (method != "ping" or answer["result"] == {}), (method, answer)
listed, cursor, pages = [], {}, 0
while cursor is not None:
    page = client.ask("tasks/list", **cursor)["result"]
    listed += [task["taskId"] for task in page["tasks"]]
    pages += 1
    cursor = {"cursor": page["nextCursor"]} if "nextCursor" in page else None
show(pages > 1, {id, long, sleeper, killed} <= set(listed), len(listed) == len(set(listed)))

# Between two pages jobs of the first one are forgotten: the next page begins where it did.
def pages_of(method, things, name):
    page = client.ask(method)["result"]
    rest = client.ask(method, cursor=page["nextCursor"])["result"]
    return [method, {"cursor": page["nextCursor"]}, things, name, rest[things][0][name], page[things][0][name]]
both = [pages_of("tasks/list", "tasks", "taskId"), pages_of("resources/list", "resources", "uri")]
for number in [client.send("tools/call", name="run_long_command", arguments={"command": "true"}, task={}) for _ in range(120)]:
    client.get(number)
while any(task["status"] == "working" for task in client.ask("tasks/list")["result"]["tasks"]) or \
        both[0][5] in [task["taskId"] for task in client.ask("tasks/list")["result"]["tasks"]]:
    pass
show(*(client.ask(method, **cursor)["result"][things][0][name] == next for method, cursor, things, name, next, _ in both))
show(*(client.ask("tasks/list", cursor=cursor).get("error", {}).get("code") for cursor in ("", "x", "100", "%1", "99999999999999999999.J1")))
show(len(client.ask("tasks/list", cursor="0.none")["result"]["tasks"]), *(client.ask("resources/list", cursor=cursor).get("error", {}).get("code") for cursor in ("", "%x", "4")))

left = client.task(f"until [ -e {scratch}/left ]; do sleep 0.05; done", pane=pane)["task"]["taskId"]
connected = old.ask("status")["result"]["peers"]
client.socket.shutdown(socket.SHUT_RDWR)
while old.ask("status")["result"]["peers"] == connected:  # muxbusd sees first that the client has gone
    pass
open(f"{scratch}/left", "w").close()
show("left", left)
END
is 'all of it' "$(python3 "$dir/client" %0 "$dir" 2>&1 | tee "$dir/said" | sed '/^left/d')" \
	'{"cancel": {}, "list": {}, "requests": {"tools": {"call": {}}}}
[('\''run_long_command'\'', '\''optional'\'')]
False|False|True
-32601
working|None|2000|True|True
working
working
True|3|'\''begun\nthe end\n'\''|False|True
exit 3|True
completed|exit 3
True
notification|[('\''acknowledged'\'', '\''waited'\'')]
polled|[('\''acknowledged'\'', '\''waited'\'')]
True
True|True|True
cancelled|cancelled
-32602|True
-32602|-32602|-32602|-32602|-32602
-32602|True
True|failed
True|True|True
True|True
-32602|-32602|-32602|-32602|-32602
100|-32602|-32602|-32602'
left=$(sed -n 's/^left|//p' "$dir/said")
state() {
	ask '{"method":"list_notifications","params":{"limit":1000}}' |
		jq -r ".result.notifications[] | select(.id == \"$left\") | .delivery.way // empty"
}
until_is 'the end of a task without a client is a notification' shown state
done_testing
