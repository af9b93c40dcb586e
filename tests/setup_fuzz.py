# SPDX-License-Identifier: ISC
"""`muxbus setup --write` and `--remove` on files of agents that hold anything: random TOML and JSON, many with an
entry of ours in odd forms, some cut or changed.
The law, by Python's own readers of both: what is written is valid and says what the file said before, beside the
entry of ours; all lines of before are there, in their order; the same command again changes nothing; --remove
brings back the bytes of before, but for a last newline and empty objects where ours were. What is refused keeps its bytes. A file that is not valid is refused, or keeps all
its lines.

MUXBUS_FUZZ_SEC: how long (10). MUXBUS_FUZZ_SEED: the seed that a failure has printed."""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tap  # noqa: E402
from tap import ok  # noqa: E402

SECONDS = float(os.environ.get("MUXBUS_FUZZ_SEC", "10"))
SEED = os.environ.get("MUXBUS_FUZZ_SEED", str(random.randrange(1 << 32)))
SOURCE = os.path.abspath(os.environ.get("MUXBUS_SRCDIR", "."))
MUXBUS = os.path.abspath(os.path.join(os.environ.get("MUXBUS_BUILDDIR", "."), "muxbus"))
# Where each agent has what: the file of servers, and the path in it.
AGENTS = {
    "codex": (".codex/config.toml", ["mcp_servers"]),
    "copilot": (".copilot/mcp-config.json", ["mcpServers"]),
    "gemini": (".gemini/settings.json", ["mcpServers"]),
    "opencode": (".config/opencode/opencode.json", ["mcp"]),
}
NAMES = ["a", "model", "mcp_servers", "mcpServers", "mcp", "hooks", "muxbus", "Muxbus", "muxbus2", "x-y", "1",
         "AfterAgent", "SessionStart", "args", "command", "env", "theme"]
ODD_NAMES = ["", " ", "a.b", "mcp_servers.muxbus", "é", "日本", "a]b", "a#b", "a=b", "a'b", 'a"b', "a\\b", "a\tb"]
TEXTS = ["", "x", "muxbus", "[mcp_servers.muxbus]", "# no comment", "}", "]", "{", "[", "=", "'", "''", '"', "\\",
         "a\nb", "[mcp_servers.muxbus]\ncommand = 1\n", "é ☃ 日本", "/usr/bin/muxbus hook", "\u2028", "\x7f", "'''"]


class Toml:
    """Writes random TOML."""

    def __init__(self, dice):
        self.dice = dice

    def name(self):
        dice = self.dice
        if dice.random() < 0.8:
            name = dice.choice(NAMES)
            return name if dice.random() < 0.7 else dice.choice(["'%s'", '"%s"']) % name
        name = dice.choice(ODD_NAMES)
        if dice.random() < 0.3 and not set("'\t") & set(name):
            return "'%s'" % name
        return json.dumps(name, ensure_ascii=dice.random() < 0.5)

    def names(self):
        blank = self.dice.choice(["", "", " ", "\t"])
        return (blank + "." + blank).join(self.name() for _ in range(self.dice.choice([1, 1, 1, 2, 2, 3])))

    def text(self):
        dice = self.dice
        text = dice.choice(TEXTS)
        form = dice.random()
        if form < 0.25 and not set("'\n\x7f") & set(text):
            return "'%s'" % text
        if form < 0.4 and "'''" not in text and not text.endswith("'") and "\x7f" not in text:
            return "'''%s%s'''" % (dice.choice(["", "\n"]), text)
        if form < 0.6:
            return '"""%s%s"""' % (dice.choice(["", "\n", "\\\n  "]),
                                   text.replace("\\", "\\\\").replace('"', '\\"').replace("\x7f", "\\u007f"))
        return json.dumps(text, ensure_ascii=dice.random() < 0.5).replace("\x7f", "\\u007f")

    def value(self, depth=0):
        dice = self.dice
        form = dice.random()
        if form < 0.4:
            return self.text()
        if form < 0.7 or depth > 2:
            return dice.choice(["1", "-0", "3.5", "true", "false", "inf", "0x1f", "1979-05-27T07:32:00Z", "07:32:00",
                                "1979-05-27 07:32:00", "1_000"])
        if form < 0.85:
            between = dice.choice([", ", ",", " , ", ",\n  ", ", # note ]\n  "])
            parts = [self.value(depth + 1) for _ in range(dice.randrange(4))]
            return "[" + dice.choice(["", " ", "\n", "# note [\n"]) + between.join(parts) + (
                "," if parts and dice.random() < 0.3 else "") + dice.choice(["", " ", "\n"]) + "]"
        parts = ["%s = %s" % (self.names(), self.value(depth + 1)) for _ in range(dice.randrange(3))]
        return "{ " + ", ".join(parts) + " }"

    def line(self):
        dice = self.dice
        form = dice.random()
        if form < 0.12:
            return dice.choice(["", "", "  ", "\t"])
        if form < 0.25:
            return dice.choice(["# note", "  # [mcp_servers.muxbus]", "#", "# é \"", "#command = 1"])
        if form < 0.45:
            names = dice.choice([self.names(), self.names(), "mcp_servers.other", "mcp_servers.muxbus",
                                 "mcp_servers . muxbus", "mcp_servers.muxbus.env", "'mcp_servers'.\"muxbus\"",
                                 "mcp_servers.muxbus2", "mcp_servers", "features"])
            blank = dice.choice(["", "", "", " ", "\t"])
            head = "[[%s%s%s]]" if dice.random() < 0.15 else "[%s%s%s]"
            return dice.choice(["", "", "  "]) + head % (blank, names, blank) + dice.choice(["", "", " # note ]", " "])
        blank = dice.choice([" ", " ", "", "  "])
        return dice.choice(["", "", "", "  "]) + self.names() + blank + "=" + blank + self.value() + dice.choice(
            ["", "", "", " ", " # note", "# \"note"])

    def whole(self):
        """Mostly valid: a line that makes it invalid is left out."""
        lines = []
        must = self.dice.random() < 0.9
        for _ in range(self.dice.randrange(24)):
            line = self.line()
            if must and not is_toml("\n".join(lines + [line]) + "\n"):
                continue
            lines.append(line)
        return "\n".join(lines) + ("\n" if self.dice.random() < 0.85 else "")


class Json:
    """Writes random JSON: an object."""

    def __init__(self, dice, path):
        self.dice = dice
        self.path = path

    def value(self, depth=0):
        dice = self.dice
        form = dice.random()
        if form < 0.3:
            return dice.choice(TEXTS)
        if form < 0.5 or depth > 3:
            return dice.choice([0, 1, -2.5, 1e300, True, False, None, 12345678901234567890])
        if form < 0.65:
            return [self.value(depth + 1) for _ in range(dice.randrange(4))]
        return {self.name(): self.value(depth + 1) for _ in range(dice.randrange(4))}

    def name(self):
        return self.dice.choice(NAMES if self.dice.random() < 0.85 else ODD_NAMES)

    def whole(self):
        dice = self.dice
        value = {self.name(): self.value() for _ in range(dice.randrange(6))}
        if dice.random() < 0.5:
            value[self.path[0]] = {self.name(): self.value(2) for _ in range(dice.randrange(3))}
        if dice.random() < 0.3:
            value["hooks"] = {self.name(): [self.value(2) for _ in range(dice.randrange(3))] for _ in range(3)}
        form = dice.random()
        if form < 0.2:
            text = json.dumps(value, ensure_ascii=dice.random() < 0.5, separators=(",", ":"))
        elif form < 0.4:
            text = json.dumps(value, ensure_ascii=dice.random() < 0.5)
        else:
            text = json.dumps(value, ensure_ascii=dice.random() < 0.5, indent=dice.choice([2, 4, "\t", 0, 1, 20]))
        if dice.random() < 0.2:
            text = text.replace("\n", "\r\n")
        if dice.random() < 0.15:
            text = text.replace("{", "{ \n ").replace(":", " : ")  # also in texts: still JSON mostly
        return dice.choice(["", "", "", "\n ", "\ufeff"]) + text + dice.choice(["\n", "\n", "", "\n\n", " "])


def is_toml(text):
    try:
        tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return False
    return True


def unique(pairs):
    names = [name for name, _ in pairs]
    if len(set(names)) != len(names):
        raise ValueError("a name twice")
    return dict(pairs)


def parse(path, data):
    """What a file says, by Python; None where it is not valid."""
    try:
        text = data.decode()
        return tomllib.loads(text) if path.endswith(".toml") else json.loads(text, object_pairs_hook=unique)
    except (ValueError, RecursionError):
        return None


def change(dice, text):
    """A few changes that mostly make a file invalid."""
    data = bytearray(text.encode())
    for _ in range(dice.randrange(1, 4)):
        at = dice.randrange(len(data) + 1)
        form = dice.random()
        if form < 0.3:
            del data[at:]
        elif form < 0.6:
            data[at:at] = dice.choice([b'"', b"'", b"[", b"]", b"{", b"}", b"\n", b"\0", b"\xff", b",", b"=", b"#",
                                       b"//", b"'''", b'"""', b"\\"])
        elif form < 0.8:
            del data[at:at + dice.randrange(1, 5)]
        else:
            end = min(len(data), at + dice.randrange(30))
            data[at:at] = data[at:end]
    return bytes(data)


def plain(value):
    return json.dumps(value, sort_keys=True, default=repr)


def others(value, path):
    """What a file says, without what is ours: our entry, hooks that run us, and what holds nothing but these."""
    if not isinstance(value, dict):
        return value
    value = dict(value)
    servers = value.get(path[0])
    if isinstance(servers, dict):
        servers = {name: entry for name, entry in servers.items() if name != "muxbus"}
        if servers:
            value[path[0]] = servers
        else:
            del value[path[0]]
    hooks = value.get("hooks")
    if isinstance(hooks, dict):
        hooks = {name: [part for part in parts if "muxbus hook" not in json.dumps(part, default=str)]
                 if isinstance(parts, list) else parts for name, parts in hooks.items()}
        hooks = {name: parts for name, parts in hooks.items() if parts != []}
        if hooks:
            value["hooks"] = hooks
        else:
            del value["hooks"]
    if path == ["mcp"]:
        value.pop("$schema", None)
    return value


def is_within(lines, all_lines):
    rest = iter(all_lines)
    return all(any(line == other for other in rest) for line in lines)


class Round:
    def __init__(self, home, dice):
        self.home = home
        self.dice = dice
        self.agent = dice.choice(list(AGENTS))
        self.name, self.path = AGENTS[self.agent]
        self.file = os.path.join(home, self.name)
        self.faults = []

    def setup(self, *args):
        env = {"HOME": self.home, "PATH": "/usr/bin:/bin", "MUXBUS_CONTRIBDIR": os.path.join(SOURCE, "contrib")}
        done = subprocess.run([MUXBUS, "setup", self.agent, *args], env=env, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, check=False)
        if done.returncode not in (0, 1):
            self.faults.append(f"{args}: status {done.returncode}: {done.stdout[-2000:]!r}")
        return done

    def read(self):
        try:
            with open(self.file, "rb") as file:
                return file.read()
        except FileNotFoundError:
            return None

    def expect(self, passed, text, *more):
        if not passed:
            self.faults.append("\n".join([text, *(f"{part!r}" for part in more)]))

    def run(self):
        dice = self.dice
        text = (Toml(dice) if self.name.endswith(".toml") else Json(dice, self.path)).whole()
        before = text.encode() if dice.random() < 0.8 else change(dice, text)
        os.makedirs(os.path.dirname(self.file), exist_ok=True)
        with open(self.file, "wb") as file:
            file.write(before)
        said = parse(self.name, before)
        done = self.setup("--write")
        after = self.read()
        if done.returncode != 0 and after == before:
            self.expect(len(done.stdout) > 20, "refused without a word", before)
            return "refused" if said is not None else "invalid"
        is_new = said is None or "muxbus" not in json.dumps(said.get(self.path[0]), default=str)
        now = parse(self.name, after)
        if said is not None:
            self.expect(now is not None, "not valid any more", before, after)
            self.expect(now is None or self.path[0] in now and "muxbus" in now[self.path[0]], "no entry", before, after)
            self.expect(now is None or plain(others(now, self.path)) == plain(others(said, self.path)),
                        "says something else", before, after)
        if is_new and self.name.endswith(".toml"):
            self.expect(is_within(before.splitlines(), after.splitlines()), "a line is lost", before, after)
        again = self.setup("--write")
        self.expect(again.returncode == done.returncode and self.read() == after, "twice is not once", before, after,
                    self.read())
        gone = self.setup("--remove")
        left = self.read()
        if gone.returncode != 0:
            self.expect(left == after, "a failed --remove changes the file", after, left)
            self.expect(said is None, "--remove is refused", before, after, gone.stdout)
        elif is_new and said is not None:
            self.expect(left == before, "--remove does not bring it back", before, after, left)
        elif left is not None and said is not None:
            self.expect(plain(others(parse(self.name, left), self.path)) == plain(others(said, self.path)),
                        "--remove takes more", before, after, left)
        return "written"


def main():
    counts = {"written": 0, "refused": 0, "invalid": 0}
    seed = random.Random(SEED)
    faults = []
    began = time.monotonic()
    top = tempfile.mkdtemp()
    try:
        # A loaded machine writes few files in the time: it has ten times as long for the first ones.
        while time.monotonic() - began < SECONDS * (1 if counts["written"] > 20 else 10) and len(faults) < 3:
            number = seed.randrange(1 << 32)
            home = os.path.join(top, "home")
            os.mkdir(home)
            one = Round(home, random.Random(number))
            counts[one.run()] += 1
            if one.faults:
                faults.append(f"{one.agent}, round {number}:\n" + "\n".join(one.faults))
            shutil.rmtree(home)
    finally:
        shutil.rmtree(top)
    ok(not faults, "files of agents keep what is not ours", f"MUXBUS_FUZZ_SEED={SEED}\n" + "\n".join(faults))
    ok(counts["written"] > 20, "files were written", counts)
    print(f"# {counts}")
    tap.done()


main()
