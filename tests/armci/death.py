#!/usr/bin/env python3
"""Lets a rank of an ARMCI program, or a PE of OpenSHMEM, die while the others wait for it: they end long before HALOCLINE_TIMEOUT, one of
them says which rank it was, and nothing stays in /dev/shm.

Usage: death.py PROGRAM WAY... [--apart] [--ranks=N] -- LAUNCHER [FLAG...]

With --apart on emulated nodes of their own, on one node otherwise. Each rank is the child of a shell that outlives it, so that the launcher
does not end the others.

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "failure"))
import peer_death  # noqa: E402

TIMEOUT_S = 60  # of the library: no rank is to wait this long
SHELL = '"$@"; code=$?; if [ $code -eq 137 ]; then sleep 80; fi; exit $code'


def launch(command, nodes):
    """Returns the output of a run, and its seconds."""
    begin = time.monotonic()
    environment = dict(os.environ, HALOCLINE_TIMEOUT=str(TIMEOUT_S)) | nodes
    try:
        run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=90, env=environment, check=False)
        return run.stdout, time.monotonic() - begin
    except subprocess.TimeoutExpired as expired:
        return f"the launch did not end in 90 s\n{expired.stdout or ''}", 90.0


def try_way(way, ranks, program, launcher, nodes):
    """Returns how many of its two checks have failed."""
    with tempfile.TemporaryDirectory(prefix="halocline-test-") as directory:
        words = ["sh", "-c", SHELL, "sh", program, way, directory]
        output, seconds = launch([*launcher, "-n", str(ranks), *words], nodes)
        left = peer_death.left_behind(directory)
    named = [line for line in output.splitlines() if line.startswith("halocline: ") and ("rank 1" in line or "PE 1" in line)]
    right = seconds < TIMEOUT_S and named and "has not noticed" not in output
    print(f"{'passed' if right else 'failed'}: {way}: the others have ended after {seconds:.1f} s: {named[:1]}")
    if not right:
        print(output)
    print(f"{'failed' if left else 'passed'}: {way}: left behind: {left or 'nothing'}")
    return (not right) + bool(left)


def main():
    divider = sys.argv.index("--")
    if not peer_death.has_private_shm():
        peer_death.enter_private_shm()
    options = sys.argv[2:divider]
    ranks = max([3, *(int(option[8:]) for option in options if option.startswith("--ranks="))])
    ways = [way for way in options if not way.startswith("--")]
    nodes = {"HALOCLINE_FAKE_NODES": str(ranks)} if "--apart" in options else {}
    failures = sum(try_way(way, ranks, sys.argv[1], sys.argv[divider + 1:], nodes) for way in ways)
    print(f"{2 * len(ways) - failures} passed, {failures} failed, 0 skipped")
    return 1 if failures or not ways else 0


if __name__ == "__main__":
    sys.exit(main())
