#!/usr/bin/env python3
"""Kills a rank in the middle of epochs of MPI RMA: the others get an error from each call that waits for it, long before HALOCLINE_TIMEOUT,
and nothing stays in /dev/shm.

Usage: dead_peer.py PROGRAM [--nodes] -- LAUNCHER [FLAG...]

Launches PROGRAM (dead_peer.cpp), each rank the child of a shell that outlives it, as those of ../failure/node_death.py are: 3 ranks on one
node, without and with a queue of those that want a lock. With --nodes: 5 ranks on as many emulated nodes. There some ranks only learn of
the death from others.

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "failure"))
import node_death  # noqa: E402
import peer_death  # noqa: E402

VICTIM = 1
TIMEOUT_S = 60  # of the library: no rank is to wait this long
PATIENCE_S = 40


# Name, ranks, environment.
WAYS = [("one node", 3, {}), ("a queue", 3, {"HALOCLINE_MPI_LOCK": "mcs"})]
NODES = [("five nodes", 5, {"HALOCLINE_FAKE_NODES": "5"})]


def launch(program, launcher, ranks, way):
    """Returns the survivors' reports by rank, the launcher's output, and what was left behind."""
    with tempfile.TemporaryDirectory(prefix="halocline-test-") as directory:
        command = launcher + ["-n", str(ranks), "sh", "-c", node_death.SHELL, "sh", directory, str(ranks - 1)]
        command += [program, str(VICTIM), directory]
        environment = dict(os.environ, HALOCLINE_TIMEOUT=str(TIMEOUT_S), HALOCLINE_TEST_PATIENCE=str(PATIENCE_S)) | way
        environment["HALOCLINE_MPI_STRICT"] = "1"
        try:
            run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=90, text=True, env=environment)
            output = run.stdout
        except subprocess.TimeoutExpired as expired:
            output = f"the launch did not end in 90 s\n{expired.stdout or ''}"
        reports = {int(path.name): path.read_text().strip() for path in pathlib.Path(directory).glob("[0-9]")}
        return reports, output, peer_death.left_behind(directory)


def try_way(name, ranks, way, program, launcher):
    """Returns how many of its two checks have failed."""
    reports, output, left = launch(program, launcher, ranks, way)
    right = len(reports) == ranks - 1 and all(report.startswith("right, ") for report in reports.values())
    print(f"{'passed' if right else 'failed'}: {name}: rank {VICTIM} of {ranks} killed: {reports}")
    if not right:
        print(output)
    print(f"{'failed' if left else 'passed'}: {name}: left behind: {left or 'nothing'}")
    return (not right) + bool(left)


def main():
    divider = sys.argv.index("--")
    if not peer_death.has_private_shm():
        peer_death.enter_private_shm()
    ways = NODES if "--nodes" in sys.argv[:divider] else WAYS
    failures = sum(try_way(*way, sys.argv[1], sys.argv[divider + 1:]) for way in ways)
    print(f"{2 * len(ways) - failures} passed, {failures} failed, 0 skipped")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
