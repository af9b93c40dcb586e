#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""Judges recorded screens by herdr's rules, which are not part of this tree, beside our own verdicts.

DIRECTORY has its manifests (src/detect/manifests in its repository). A rule has a state, a priority, a
region of the screen (or the terminal's title), and a gate: texts, patterns, and gates in all, any and not.
The first rule of the highest priority whose gate holds counts; without one an agent counts as idle there.
A draft is idle in these states. JUDGE is tests/screens.

    gzip -dc screens.gz | herdr.py DIRECTORY JUDGE
"""
import re
import subprocess
import sys
import tomllib
from pathlib import Path

STATES = ["idle", "busy", "asking", "unknown"]
NAMES = {"working": "busy", "blocked": "asking", "idle": "idle", "unknown": "unknown"}

def compiled(pattern):
    return re.compile(re.sub(r"\\x\{([0-9A-Fa-f]+)\}", lambda code: f"\\U{int(code[1], 16):08x}", pattern))

def is_rule_line(line):
    dashes = len(re.match("─*", line.strip())[0])
    return dashes >= 3 or (dashes > 0 and dashes == len(line.strip()))

def region(name, rows, title):
    """The part of the screen that a rule looks at."""
    number = re.fullmatch(r"(\w+)\((\d+)\)", name)
    if name == "osc_title":
        return title
    if name == "osc_progress":
        return ""  # tmux does not keep it
    if number:
        filled = [at for at, row in enumerate(rows) if row.strip()]
        if number[1] == "bottom_lines":
            return "\n".join(rows[-int(number[2]):])
        if number[1] == "bottom_non_empty_lines":
            return "\n".join(rows[filled[-int(number[2]):][0]:]) if filled else ""
        return "\n".join(rows[:filled[:int(number[2])][-1] + 1]) if filled else ""
    marks = [at for at, row in enumerate(rows) if row == "›" or row.startswith("› ")]
    lines = [at for at, row in enumerate(rows) if is_rule_line(row)]
    if name == "after_last_prompt_marker":
        return "\n".join(rows[marks[-1] + 1:] if marks else rows)
    if name == "after_last_horizontal_rule":
        return "\n".join(rows[lines[-1] + 1:] if lines else rows)
    if name == "prompt_box_body":
        return "\n".join(rows[lines[-2] + 1:lines[-1]]) if len(lines) > 1 else ""
    if name == "whole_recent":
        return "\n".join(rows)
    raise SystemExit(f"the region {name} is not known here")

def holds(gate, text):
    lower = text.lower()
    return (all(one.lower() in lower for one in gate.get("contains", []))
            and all(compiled(one).search(text) for one in gate.get("regex", []))
            and all(any(compiled(one).search(row) for row in text.split("\n")) for one in gate.get("line_regex", []))
            and all(holds(one, text) for one in gate.get("all", []))
            and (not gate.get("any") or any(holds(one, text) for one in gate["any"]))
            and not any(holds(one, text) for one in gate.get("not", [])))

def judge(rules, rows, title):
    best = None
    for rule in rules:
        if (best is None or rule.get("priority", 0) > best.get("priority", 0)) and holds(
                rule, region(rule.get("region", "whole_recent"), rows, title)):
            best = rule
    return NAMES[best.get("state", "unknown")] if best else "idle"

def table(name, verdicts):
    print(f"{name}\n\n| agent | screens | right | unknown | idle while it asks |\n| --- | --- | --- | --- | --- |")
    for agent in sorted({agent for agent, _, _ in verdicts}) + ["all"]:
        rows = [(truth, verdict) for one, truth, verdict in verdicts if agent in (one, "all")]
        print(f"| {agent} | {len(rows)} | {sum(truth == verdict for truth, verdict in rows)} | "
              f"{sum(verdict == 'unknown' for _, verdict in rows)} | {rows.count(('asking', 'idle'))} |")
    print("\n| truth | " + " | ".join(STATES) + " |\n| --- | --- | --- | --- | --- |")
    for truth in STATES[:3]:
        counts = [sum(one[1:] == (truth, verdict) for one in verdicts) for verdict in STATES]
        print(f"| {truth} | " + " | ".join(map(str, counts)) + " |")
    print()

def main():
    manifests = {}
    for path in Path(sys.argv[1]).glob("*.toml"):
        manifest = tomllib.loads(path.read_text(encoding="utf-8"))
        manifests[manifest["id"]] = manifest["rules"]
    screens = sys.stdin.read()
    ours = subprocess.run([sys.argv[2], "-j"], input=screens, capture_output=True, text=True, check=True).stdout
    pairs = {"herdr's rules": [], "ours": []}
    lines, at, judged = screens.split("\n"), 0, iter(ours.split("\n"))
    while at < len(lines) and lines[at]:
        head, _, title = lines[at].partition("\t")
        agent, _, truth, *rest = head.split(" ")[1:]
        count = int(rest[5])
        rows = [re.sub(r"\x1b\[[0-9;:]*m|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b\(.|[\x0e\x0f]", "", row).rstrip()
                for row in lines[at + 1:at + 1 + count]]
        at += 1 + count
        verdict = next(judged)
        if agent in manifests:
            truth = "idle" if truth == "draft" else truth
            pairs["herdr's rules"].append((agent, truth, judge(manifests[agent], rows, title)))
            pairs["ours"].append((agent, truth, "idle" if verdict == "draft" else verdict))
    for name, verdicts in pairs.items():
        table(name, verdicts)

main()
