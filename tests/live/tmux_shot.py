# SPDX-License-Identifier: ISC
"""Commands for a tmux server by the messages of tmux itself: no program is started for them, and no client stays."""

import os
import re
import socket
import struct
import subprocess

# Messages of tmux, and the flag of a client that shows UTF-8.
FLAGS, TERM, TTY, DIRECTORY, DONE, PID, FEATURES, LONG_FLAGS = 100, 101, 102, 108, 106, 107, 109, 111
COMMAND, EXIT, EXITED, EXITING, WRITE_OPEN, WRITE, WRITE_READY = 200, 203, 204, 205, 303, 304, 305
HEADER_BYTES, UTF8 = 16, 0x10000


class Gone(Exception):
    """There is no server, or it ended."""


class Stuck(Exception):
    """It does not answer in time."""


class Shots:
    """The commands for one server."""

    def __init__(self, program, path, limit=20):
        self.path, self.limit = path, limit
        text = subprocess.run([program, "-V"], capture_output=True, text=True, check=True).stdout.split()[1]
        self.version = tuple(int(word) for word in re.findall(r"\d+", text)[:2])
        self.header = "=IIII" if self.version >= (3, 6) else "=IHHII"
        self.hello = b"".join((self.message(FLAGS, struct.pack("=i", UTF8)), self.message(LONG_FLAGS, struct.pack("=Q", UTF8)),
                               self.message(TERM, b"xterm\0"), self.message(FEATURES, struct.pack("=i", 0)), self.message(TTY, b"\0"),
                               self.message(DIRECTORY, os.getcwd().encode() + b"\0"),
                               self.message(PID, struct.pack("=i", os.getpid())), self.message(DONE)))

    def message(self, kind, data=b""):
        size = HEADER_BYTES + len(data)
        rest = (size, 8, 0xffffffff) if self.version >= (3, 6) else (size, 0, 8, 0xffffffff)
        return struct.pack(self.header, kind, *rest) + data

    def run(self, *words):
        """The status and the output of a command; what tmux says of an error is part of the output."""
        link = socket.socket(socket.AF_UNIX)
        link.settimeout(self.limit)
        try:
            link.connect(self.path)
            link.sendall(self.hello + self.message(COMMAND, struct.pack("=i", len(words)) + b"".join(word.encode() + b"\0" for word in words)))
            return self.read(link)
        except socket.timeout:
            raise Stuck(words) from None
        except OSError as error:
            raise Gone(str(error)) from None
        finally:
            link.close()

    def read(self, link):
        held, output, status = b"", [], None
        while True:
            more = link.recv(65536)
            if not more:
                raise Gone("closed")
            held += more
            while len(held) >= HEADER_BYTES:
                kind, size = struct.unpack_from("=II" if self.version >= (3, 6) else "=IH", held)
                size &= 0x7fffffff
                if len(held) < size:
                    break
                data, held = held[HEADER_BYTES:size], held[size:]
                if kind == WRITE_OPEN:
                    link.sendall(self.message(WRITE_READY, data[:4] + struct.pack("=i", 0)))
                elif kind == WRITE:
                    output.append(data[4:])
                elif kind == EXIT:
                    status = struct.unpack_from("=i", data)[0] if len(data) >= 4 else 0
                    link.sendall(self.message(EXITING))
                elif kind == EXITED:
                    return status, b"".join(output).decode("utf-8", "replace")
