#!/usr/bin/env python3
"""Kills a rank in the middle of a swap in mode notify_node: all others are told who is lost, on its node and on the others, be they its
neighbours or not, and long before HALOCLINE_TIMEOUT.

Usage: node_death.py PROGRAM -- LAUNCHER [FLAG...]

Each case is one launch of PROGRAM (node_death.cpp) on pretended nodes, each rank the child of a shell that outlives it, so that the
launcher does not see the death and end all ranks, as most do.

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

TIMEOUT_S = 100  # of the library: no rank is to wait this long
PATIENCE_S = 40
# Ranks, nodes, victim. Ranks are a periodic row, cut into nodes of equal length.
CASES = [
    (3, 2, 2, {}),  # the only rank of its node
    (4, 2, 2, {}),  # the leader, which receives the messages for its node
    (4, 2, 3, {}),  # not the leader: the network gives no sign of its death
    (5, 2, 4, {}),  # rank 1 has no neighbour on another node
    (6, 3, 5, {}),  # three nodes
    (4, 2, 3, {"HALOCLINE_PROGRESS": "thread"}),
    (3, 2, 2, {"HALOCLINE_FAKE_NETWORK": "poor"}),
    (4, 2, 1, {"HALOCLINE_FAKE_NETWORK": "poor"}),
]
SHELL = """folder=$1; survivors=$2; shift 2; "$@"
tries=0
while [ $tries -lt 600 ] && [ "$(ls "$folder" | grep -c '^[0-9]*$')" -lt "$survivors" ]; do sleep 0.1; tries=$((tries + 1)); done
exit 0"""


def launch(program, launcher, case):
    """Runs one case; returns the survivors' reports by rank, and the launcher's output."""
    ranks, nodes, victim, more = case
    with tempfile.TemporaryDirectory(prefix="halocline-test-") as directory:
        command = launcher + ["-n", str(ranks), "sh", "-c", SHELL, "sh", directory, str(ranks - 1), program, str(victim), directory]
        environment = dict(os.environ, HALOCLINE_TIMEOUT=str(TIMEOUT_S), HALOCLINE_TEST_PATIENCE=str(PATIENCE_S),
                           HALOCLINE_FAKE_NODES=str(nodes)) | more
        try:
            run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=90, text=True, env=environment)
            output = run.stdout
        except subprocess.TimeoutExpired as expired:
            output = f"the launch did not end in 90 s\n{expired.stdout or ''}"
        return {int(path.name): path.read_text().strip() for path in pathlib.Path(directory).glob("[0-9]")}, output


def judge(reports, output, ranks, victim):
    """What is wrong with a case; '' if nothing is."""
    missing = set(range(ranks)) - {victim} - set(reports)
    if missing:
        return f"no report of ranks {sorted(missing)}\n{output}"
    named = rf"HLC_ERR_PEER_DIED: .*\brank {victim}\b"
    wrong = sorted(rank for rank, report in reports.items() if not re.search(named, report))
    return f"ranks {wrong} are not told that rank {victim} is lost" if wrong else ""


def main():
    divider = sys.argv.index("--")
    program, launcher = sys.argv[1], sys.argv[divider + 1:]
    failures = 0
    for case in CASES:
        ranks, nodes, victim, more = case
        reports, output = launch(program, launcher, case)
        fault = judge(reports, output, ranks, victim)
        failures += 1 if fault else 0
        how = "".join(f", {name}={value}" for name, value in more.items())
        print(f"{'failed' if fault else 'passed'}: rank {victim} of {ranks} on {nodes} nodes killed{how}: {fault}", flush=True)
        for rank, report in sorted(reports.items()):
            print(f"  rank {rank}: {report}", flush=True)
    print(f"{len(CASES) - failures} passed, {failures} failed, 0 skipped")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
