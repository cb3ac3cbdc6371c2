#!/usr/bin/env python3
"""Lets one of three or more ranks end while the others wait, in some ways.

Usage: death.py PROGRAM WAY... [--apart] [--ranks=N] -- LAUNCHER [FLAG...]

With --apart on pretended nodes of their own, on one node otherwise. Each rank is the child of a shell that outlives it, so that the
launcher does not end the others.

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import subprocess
import sys
import tempfile

# Runs a rank, and stays until all survivors have ended.
SHELL = """survivors=$1; folder=$2; shift 2; "$@"; code=$?
[ $code -eq 137 ] || : > "$folder/$$"
tries=0
while [ $tries -lt 2000 ] && [ "$(ls "$folder" | wc -l)" -lt $survivors ]; do sleep 0.1; tries=$((tries + 1)); done
exit 0"""


def goes_on(command, ranks, nodes):
    """Runs a command, in which None stands for a folder; true if all others have come to their end."""
    with tempfile.TemporaryDirectory() as folder:
        command = [argument or folder for argument in command]
        result = subprocess.run(command, env={**os.environ, "HALOCLINE_TIMEOUT": "100", **nodes}, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, timeout=250, check=False)
    right = result.stdout.count("goes on without rank 1") == ranks - 1
    if not right:
        print(result.stdout)
    return right


def main():
    split = sys.argv.index("--")
    program, launcher = sys.argv[1], sys.argv[split + 1:]
    ranks = max([3, *(int(option[8:]) for option in sys.argv[:split] if option.startswith("--ranks="))])
    ways = [way for way in sys.argv[2:split] if not way.startswith("--")]
    nodes = {"HALOCLINE_FAKE_NODES": str(ranks)} if "--apart" in sys.argv[:split] else {}
    failed = 0 if ways else 1
    for way in ways:
        right = goes_on([*launcher, "-n", str(ranks), "sh", "-c", SHELL, "sh", str(ranks - 1), None, program, way], ranks, nodes)
        failed += not right
        print(f"{'passed' if right else 'failed'}: the rank {way}, on {'nodes of their own' if nodes else 'one node'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
