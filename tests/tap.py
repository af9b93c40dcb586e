# SPDX-License-Identifier: ISC
"""Checks of tests in Python, as TAP on standard output."""

import sys

count = 0
failures = 0


def ok(passed, name, detail=""):
    global count, failures
    count += 1
    print(f"{'ok' if passed else 'not ok'} {count} - {name}", flush=True)
    if not passed:
        failures += 1
        print("\n".join("# " + line for line in str(detail).split("\n")), flush=True)


def done():
    print(f"1..{count}")
    sys.exit(failures > 0)
