# SPDX-License-Identifier: ISC
"""A server of NATS that says anything of itself: it greets with an INFO of these members, and answers JetStream's
requests. usage: nats_stand_in.py MEMBERS   (JSON); prints its port, then each subject that was published."""

import json
import socket
import sys

INFO = {"server_id": "x", "version": "2.9.0", "headers": True, "max_payload": 1 << 20, **json.loads(sys.argv[1])}


def serve(peer):
    peer.sendall(b"INFO " + json.dumps(INFO).encode() + b"\r\n")
    lines, subscriptions, stored = peer.makefile("rb"), [], 0
    for line in lines:
        words = line.decode().split()
        if words[:1] == ["PING"]:
            peer.sendall(b"PONG\r\n")
        elif words[:1] == ["SUB"]:
            subscriptions.append((words[1].rstrip("*"), words[-1]))
        elif words[:1] in (["PUB"], ["HPUB"]):
            lines.read(int(words[-1]) + 2)
            stored += 1
            print(words[1], flush=True)
            text = json.dumps({"config": {}, "stream": "MUXBUS", "seq": stored})
            for prefix, number in subscriptions:
                if len(words) > 3 and words[2].startswith(prefix):
                    peer.sendall(f"MSG {words[2]} {number} {len(text)}\r\n{text}\r\n".encode())


def main():
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    while True:
        try:
            serve(listener.accept()[0])
        except OSError:
            pass


main()
