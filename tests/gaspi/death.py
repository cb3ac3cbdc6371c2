#!/usr/bin/env python3
"""Lets one of three ranks end while the others wait, in some ways.

Usage: death.py PROGRAM WAY... [--apart] -- LAUNCHER [FLAG...]

With --apart on pretended nodes of their own, on one node otherwise. Each rank is the child of a shell that outlives it, so that the
launcher does not end the others.

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import subprocess
import sys
import tempfile

RANKS = 3
# Runs a rank, and stays until both survivors have ended.
SHELL = f"""folder=$1; shift; "$@"; code=$?
[ $code -eq 137 ] || : > "$folder/$$"
tries=0
while [ $tries -lt 2000 ] && [ "$(ls "$folder" | wc -l)" -lt {RANKS - 1} ]; do sleep 0.1; tries=$((tries + 1)); done
exit 0"""


def goes_on(command, nodes):
    """Runs a command, in which None stands for a folder; true if both others have come to their end."""
    with tempfile.TemporaryDirectory() as folder:
        command = [argument or folder for argument in command]
        result = subprocess.run(command, env={**os.environ, "HALOCLINE_TIMEOUT": "100", **nodes}, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, timeout=250, check=False)
    right = result.stdout.count("goes on without rank 1") == RANKS - 1
    if not right:
        print(result.stdout)
    return right


def main():
    split = sys.argv.index("--")
    program, launcher = sys.argv[1], sys.argv[split + 1:]
    ways = [way for way in sys.argv[2:split] if way != "--apart"]
    nodes = {"HALOCLINE_FAKE_NODES": str(RANKS)} if "--apart" in sys.argv[:split] else {}
    failed = 0 if ways else 1
    for way in ways:
        right = goes_on([*launcher, "-n", str(RANKS), "sh", "-c", SHELL, "sh", None, program, way], nodes)
        failed += not right
        print(f"{'passed' if right else 'failed'}: the rank {way}, on {'nodes of their own' if nodes else 'one node'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
