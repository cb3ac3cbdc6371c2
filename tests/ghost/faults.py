#!/usr/bin/env python3
"""Would the check of ghost notice? Runs the program whose faults can be asked for: the right variants must differ, and no other.

faults.py GHOST_FAULTY -- LAUNCHER FLAG...

What takes out a wait shows only if ranks are late at the right moment: each such fault has several seeds of random delays to show.

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import re
import subprocess
import sys

SHARED = {"mpi_shared_1copy", "mpi_shared_1copy_blocking"}
ZERO = {"mpi_0copy"}
EVERY = {"mpi_only"} | SHARED | ZERO
NOTIFIED = {"notified_shared_1copy", "notified_shared_1copy_nobarrier", "notified_0copy"}
# By fault: which variants must differ. On one node only mpi_only unpacks messages.
EXPECTED = {
    "none": set(),
    "cell": EVERY | NOTIFIED,
    "halo": {"mpi_only"},
    "ready": SHARED | ZERO | NOTIFIED,
    "done": ZERO | {"notified_0copy", "notified_shared_1copy_nobarrier"},
    "barrier": SHARED | {"notified_shared_1copy"},
}
SEEDS = range(1, 9)


def differing(launcher, program, fault, seed):
    """The variants that a run with a fault says to differ, after its exit status was found to fit."""
    words = ["--global", "7", "5", "6", "--ranks", "1", "1", "3", "--vars", "1", "--steps", "20", "--stencil", "27", "--periodic"]
    words += ["--repeats", "0", "--check", "--skew", str(seed)]
    run = subprocess.run([*launcher, "-n", "3", program, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                         check=False, timeout=200, env=os.environ | {"GHOST_FAULT": fault})
    verdicts = dict(re.findall(r"^check (\S+) +[0-9a-f]{16} (.*)$", run.stdout, re.M))
    found = {name for name, verdict in verdicts.items() if verdict == "DIFFERS"}
    if set(verdicts) != EVERY | NOTIFIED or (run.returncode == 0) != (not found):
        sys.exit(f"fault {fault}: exit status {run.returncode}\n{run.stdout}")
    return found


def main():
    split = sys.argv.index("--")
    program, launcher = sys.argv[1], sys.argv[split + 1:]
    for fault, expected in EXPECTED.items():
        found = set()
        for seed in SEEDS:
            found |= differing(launcher, program, fault, seed)
            if found == expected:
                break
        if found != expected:
            sys.exit(f"fault {fault}: {sorted(found)} differ, expected were {sorted(expected)}")
        print(f"fault {fault}: {len(found)} variants differ, with seed {seed}")


if __name__ == "__main__":
    main()
