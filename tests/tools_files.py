# SPDX-License-Identifier: ISC
"""
tools_files.py TOOLS DIR: for tools_files.t, calls tools by one server that stays; those that only read
also by their programs, and compares. A call is a line on standard input: name, directory, MUXBUS_SPELLED,
MUXBUS_SHOWN_BYTES, MUXBUS_PANE, MUXBUS_TOOL_STATE and arguments, with tabs between; the answer is a line when
all is written: "answer", "error" and "text" in DIR, and what was "different". The name "follow" is read_file
with all calls that its answers name; the text is that of the file.
"""

import base64
import json
import os
import re
import subprocess
import sys

TOOLS, DIR = sys.argv[1:]
READERS = ("read_file", "todo_read")
servers = {}  # by MUXBUS_TOOL_STATE
compared = 0


def served(name, folder, env, arguments):
    """The result of the server."""
    state = env.get("MUXBUS_TOOL_STATE")
    if state not in servers:
        servers[state] = subprocess.Popen([os.path.join(TOOLS, "files_server")], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                          env=env)
    caller = {"cwd": folder, "pane": env.get("MUXBUS_PANE"), "spelled": env.get("MUXBUS_SPELLED", ""), "shown_bytes": env.get("MUXBUS_SHOWN_BYTES")}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
               "params": {"name": name, "arguments": arguments, "_meta": {"muxbus/caller": caller}}}
    servers[state].stdin.write(json.dumps(message).encode() + b"\n")
    servers[state].stdin.flush()
    result = json.loads(servers[state].stdout.readline())["result"]
    text = result["content"][0]["text"] if result["content"] else None
    return "error: " + text if result.get("isError") else result.get("structuredContent", text)


def change(name, folder, env, arguments):
    """Calls the server. Returns the text for the test; of an image its bytes."""
    value = served(name, folder, env, arguments)
    if isinstance(value, dict) and "data" in value:
        return base64.b64decode(value["data"])
    return value if isinstance(value, str) else json.dumps(value)


def call(name, folder, env, arguments):
    """Calls both ways. Returns the text for the test."""
    global compared
    if isinstance(arguments.get("path"), str):
        arguments = {**arguments, "path": [arguments["path"]]}
    done = subprocess.run([os.path.join(TOOLS, name)], input=json.dumps(arguments).encode(), cwd=folder, env=env,
                          capture_output=True, check=False)
    said = done.stderr.decode()
    value = "error: " + said.rstrip("\n") if said or done.returncode else json.loads(done.stdout)
    other = served(name, folder, env, arguments)
    compared += 1
    if json.dumps(value) != json.dumps(other):
        with open(os.path.join(DIR, "different"), "a", encoding="utf-8") as file:
            print(name, arguments, json.dumps(value), json.dumps(other), sep="\n", file=file)
    with open(os.path.join(DIR, "compared"), "w", encoding="utf-8") as file:
        print(compared, file=file)
    for name_of, data in (("answer", done.stdout), ("error", done.stderr)):
        with open(os.path.join(DIR, name_of), "wb") as file:
            file.write(data)
    if isinstance(value, str):
        return "".join("error: " + line for line in said.splitlines(keepends=True))
    return value["text"] if name == "read_file" else done.stdout.decode()


def follow(folder, env, arguments):
    """The text of a file by all calls that the answers name."""
    whole = ""
    while True:
        text = call("read_file", folder, env, arguments)
        rest, last = text.rstrip("\n").rpartition("\n")[::2]
        named = re.fullmatch(r"\[.*read_file (\{.*\}) reads on\.\]", last)
        if not named:
            return whole + text
        arguments = json.loads(named[1])
        # Within a line, and by characters, the newline before the remark is not of the file.
        whole += rest if "skip" in arguments or arguments.get("unit") == "characters" else rest + "\n"


def main():
    for line in sys.stdin:
        name, folder, *values, arguments = line.rstrip("\n").split("\t", 6)
        env = dict(os.environ)
        for variable, value in zip(("MUXBUS_SPELLED", "MUXBUS_SHOWN_BYTES", "MUXBUS_PANE", "MUXBUS_TOOL_STATE"), values):
            env.pop(variable, None)
            if value:
                env[variable] = value
        arguments = json.loads(arguments)
        way = call if name in READERS else change
        if name == "read_image" and isinstance(arguments["path"], str):
            arguments["path"] = [arguments["path"]]
        text = follow(folder, env, arguments) if name == "follow" else way(name, folder, env, arguments)
        with open(os.path.join(DIR, "text"), "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))
        print("done", flush=True)


main()
