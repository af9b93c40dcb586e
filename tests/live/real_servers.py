# SPDX-License-Identifier: ISC
"""Asks MCP servers directly, over the socket of muxbusd, and over MCP: what all three say is the same. For
real_servers.t; no answer that is compared has a time in it."""

import base64
import json
import os
import subprocess

from provide_peer import Peer
from tap import done, ok

BIN = os.path.join(os.environ["MUXBUS_MCP_SERVERS"], "node_modules", ".bin")
DIR = os.environ["dir"]
FILES = os.path.join(DIR, "files")
PARAMETER = ("type", "enum", "minimum", "maximum")
PICTURE = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
A = {"path": f"{FILES}/a"}
CALLS = {
    "everything": [("echo", {"message": "hi"}), ("echo", {"message": ""}), ("echo", {"message": 'ü\n"\\\U0001f600'}),
                   ("get-annotated-message", {"messageType": "success", "includeImage": True}), ("get-tiny-image", {}),
                   ("get-resource-links", {"count": 2}), ("get-structured-content", {"location": "Chicago"}),
                   ("get-sum", {"a": 1.5, "b": 2}), ("get-sum", {"a": 1e300, "b": -1}),
                   ("gzip-file-as-resource", {"name": "x.gz", "data": "data:text/plain,hello", "outputType": "resource"}),
                   ("gzip-file-as-resource", {"name": "x.gz", "data": "data:text/plain,hello", "outputType": "resourceLink"}),
                   ("trigger-long-running-operation", {"duration": 0.5, "steps": 3}), ("simulate-research-query", {"topic": "x"})],
    "filesystem": [("read_text_file", A), ("read_text_file", {**A, "head": 1}), ("read_text_file", {"path": f"{FILES}/none"}),
                   ("read_text_file", {"path": "/etc/passwd"}), ("read_text_file", {"path": f"{FILES}/big"}),
                   ("read_media_file", {"path": f"{FILES}/pic.png"}), ("read_media_file", {"path": f"{FILES}/snd.wav"}),
                   ("read_media_file", {"path": f"{FILES}/bin.dat"}), ("write_file", {"path": f"{FILES}/w", "content": "x\n"}),
                   ("read_multiple_files", {"paths": [f"{FILES}/a", f"{FILES}/none", f"{FILES}/ü ö"]}),
                   ("edit_file", {"path": f"{FILES}/w", "edits": [{"oldText": "x", "newText": "y"}], "dryRun": True}),
                   ("list_directory", {"path": FILES}), ("read_multiple_files", {"paths": []}), ("list_allowed_directories", {})],
    "memory": [("read_graph", {}), ("search_nodes", {"query": "x"}), ("delete_entities", {"entityNames": ["no"]}),
               ("add_observations", {"observations": [{"entityName": "no", "contents": ["x"]}]})],
    "sequential-thinking": [("sequentialthinking", {"thought": "t", "nextThoughtNeeded": "true", "thoughtNumber": 1, "totalThoughts": 0})],
}


class Server:
    """A server on its standard streams, without muxbusd."""

    def __init__(self, words):
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.number = 0
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}})
        self.say({"method": "notifications/initialized"})

    def say(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method, params):
        self.number += 1
        self.say({"id": self.number, "method": method, "params": params})
        while True:
            message = json.loads(self.process.stdout.readline())
            if message.get("id") == self.number and "method" not in message:
                return message

    def close(self):
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.kill()
        self.process.wait()


def declare(name, tool, server, words):
    """A declaration of the tool, as a user would write it from the list of the server."""
    schema = tool["inputSchema"]
    properties = {}
    for key, value in schema.get("properties", {}).items():
        properties[key] = {member: value[member] for member in PARAMETER if member in value}
        if not isinstance(value["type"], str):
            properties[key]["type"] = "string"
        if isinstance(value.get("items", {}).get("type"), str):
            properties[key]["items"] = {"type": value["items"]["type"]}
        if properties[key].get("maximum", 0) > 2 ** 50:
            del properties[key]["maximum"]
    path = os.path.join(DIR, "shipped", f"{name}.json")
    with open(f"{path}.new", "w", encoding="utf-8") as file:
        json.dump({"name": name, "group": "real", "description": tool["name"], "tool": tool["name"], "timeout_sec": 60,
                   "parameters": {"type": "object", "properties": properties, "required": schema.get("required", [])},
                   "server": {"name": server.replace("-", "_"), "command": words}}, file)
    os.chmod(f"{path}.new", 0o644)
    os.rename(f"{path}.new", path)


def line_of(part):
    """The text that stands for a part of an answer; None: none."""
    about = part.get("resource", part)
    if part["type"] == "image" or "text" in about:
        return about.get("text")
    facts = [about[name] for name in ("name", "uri", "mimeType", "description") if about.get(name)]
    data = about.get("data", about.get("blob"))
    if data is not None:
        facts.append(f"left out: {len(base64.b64decode(data))} bytes")
    return f"[{part['type']}: {', '.join(facts)}]"


def repeats(text, structured):
    try:
        parsed = json.loads(text)
    except ValueError:
        parsed = text
    return parsed == structured or list(structured.values()) in ([text], [parsed])


def compare(server, name, peer, answer, tool, params):
    about = f"{server}: {tool} {json.dumps(params)[:60]}"
    content = answer.get("result", {}).get("content", [])
    text = "\n".join(line for line in map(line_of, content) if line is not None)
    images = [part for part in content if part["type"] == "image"]
    structured = answer.get("result", {}).get("structuredContent")
    got = peer.ask(name, pane="%0", **params)
    shown = peer.ask("tools/call", name=name, arguments={"pane": "%0", **params})["result"]
    if "error" in answer or answer["result"].get("isError"):
        reason = text or answer["error"]["message"]
        ok("error" in got and (reason in got["error"]["message"] or got["error"]["data"]["kind"] == "invalid_params"),
           f"{about}: fails", (reason, got))
        ok(shown.get("isError") is True, "over MCP, too", shown)
        return
    want = {"text": text}
    if images:
        want["images"] = [{"mime_type": image["mimeType"], "data": image["data"]} for image in images]
    if structured is not None:
        want["structured"] = structured
    ok(got.get("result") == want, f"{about}: the same over the socket", (want, got))
    texts = "".join(part["text"] for part in shown["content"] if part["type"] == "text")
    ok(texts.startswith(text[:4000]) and "isError" not in shown and
       [part["data"] for part in shown["content"] if part["type"] == "image"] == [image["data"] for image in images] and
       (images or ("structured" in shown["structuredContent"]) == (structured is not None and not repeats(text, structured))),
       "and over MCP, once", (text, shown))



def main():
    os.mkdir(FILES)
    for name, data in (("a", b"one\ntwo\n"), ("ü ö", 'ünï "q"\\ \t'.encode()), ("pic.png", PICTURE), ("snd.wav", b"RIFF" + bytes(99)),
                       ("bin.dat", bytes(range(256))), ("big", b"x" * 900000)):
        with open(os.path.join(FILES, name), "wb") as file:
            file.write(data)
    peer = Peer()
    peer.ask("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "t", "version": "1"})
    for server, calls in CALLS.items():
        words = ["env", f"MEMORY_FILE_PATH={DIR}/memory", f"{BIN}/mcp-server-{server}"] + ([FILES] if server == "filesystem" else [])
        direct = Server(words)
        names = {}
        for tool in direct.ask("tools/list", {})["result"]["tools"]:
            names[tool["name"]] = f"{server}_{tool['name']}".replace("-", "_").lower()
            declare(names[tool["name"]], tool, server, words)
        peer.ask("list_tools")
        for tool, params in calls:
            compare(server, names[tool], peer, direct.ask("tools/call", {"name": tool, "arguments": params}), tool, params)
        direct.close()
    done()


main()
