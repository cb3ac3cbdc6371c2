#!/usr/bin/env python3
"""Kills one rank in the middle of halo swaps and checks that every other rank of the node is told so by name.

Usage: peer_death.py PROGRAM -- LAUNCHER [FLAG...]

Each case is one launch of 3 ranks of PROGRAM (peer_death.cpp), each the child of a shell that outlives it, so that the launcher does not
see the death and end all ranks, as most do. Afterwards /dev/shm must hold nothing of a process that has ended.

SPDX-License-Identifier: BSD-3-Clause
"""
import itertools
import pathlib
import re
import subprocess
import sys
import tempfile
import time

RANKS = 3
VICTIM = 1
# Runs a rank, and stays until every survivor has reported: arguments are the folder of reports and the rank's command.
SHELL = f"""folder=$1; shift; "$@"
tries=0
while [ $tries -lt 400 ] && [ "$(ls "$folder" | grep -c '^[0-9]*$')" -lt {RANKS - 1} ]; do sleep 0.1; tries=$((tries + 1)); done
exit 0"""


def left_behind():
    """Objects of ours in /dev/shm whose maker has ended."""
    names = [path.name for path in pathlib.Path("/dev/shm").glob("halocline-*")]
    return [name for name in names if not pathlib.Path("/proc", name.split("-")[1]).exists()]


def launch(program, launcher, mode, when):
    """Runs one case; returns the survivors' reports by rank, and the launcher's output."""
    with tempfile.TemporaryDirectory(prefix="halocline-test-") as directory:
        command = launcher + ["-n", str(RANKS), "sh", "-c", SHELL, "sh", directory, program, mode, when, directory]
        try:
            output = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=90, text=True).stdout
        except subprocess.TimeoutExpired as expired:
            output = f"the launch did not end in 90 s\n{expired.stdout or ''}"
        paths = pathlib.Path(directory).glob("[0-9]")
        return {int(path.name): path.read_text().strip() for path in paths}, output


def judge(reports, output):
    """Result of one case in a word, and its reason."""
    survivors = set(range(RANKS)) - {VICTIM}
    missing = survivors - set(reports)
    if missing:
        return "failed", f"no report of ranks {sorted(missing)}; others: {reports}\n{output}"
    for rank in survivors:
        told = reports[rank]
        if not told.startswith("HLC_ERR_PEER_DIED") or not re.search(rf"\brank {VICTIM}\b", told) or "(and yet" in told:
            return "failed", f"rank {rank} was told: {told}"
    return "passed", reports[min(survivors)]


def main():
    divider = sys.argv.index("--")
    program, launcher = sys.argv[1], sys.argv[divider + 1:]
    counts = dict(passed=0, failed=0)
    old = left_behind()
    for mode, when in itertools.product(("notify", "direct"), ("before_start", "after_start")):
        result, reason = judge(*launch(program, launcher, mode, when))
        counts[result] += 1
        print(f"{result}: {mode}, rank {VICTIM} killed {when.replace('_', ' ')}: {reason}", flush=True)

    time.sleep(0.2)
    leaks = sorted(set(left_behind()) - set(old))
    counts["failed" if leaks else "passed"] += 1
    print(f"{'failed' if leaks else 'passed'}: left behind in /dev/shm: {leaks or 'nothing'}")
    print(f"{counts['passed']} passed, {counts['failed']} failed, 0 skipped")
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
