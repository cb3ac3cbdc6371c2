#!/usr/bin/env python3
"""Kills a rank in the middle of epochs of MPI RMA: the others get an error from each call that waits for it, long before HALOCLINE_TIMEOUT,
and nothing stays in /dev/shm.

Usage: dead_peer.py PROGRAM -- LAUNCHER [FLAG...]

One launch of PROGRAM (dead_peer.cpp) on 3 ranks, each the child of a shell that outlives it, as those of ../failure/peer_death.py are.

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "failure"))
import peer_death  # noqa: E402

RANKS = 3
VICTIM = 1
TIMEOUT_S = 60  # of the library: no rank is to wait this long
PATIENCE_S = 40


def launch(program, launcher):
    """Returns the survivors' reports by rank, the launcher's output, and what was left behind."""
    with tempfile.TemporaryDirectory(prefix="halocline-test-") as directory:
        command = launcher + ["-n", str(RANKS), "sh", "-c", peer_death.SHELL, "sh", directory, program, str(VICTIM), directory]
        environment = dict(os.environ, HALOCLINE_TIMEOUT=str(TIMEOUT_S), HALOCLINE_TEST_PATIENCE=str(PATIENCE_S), HALOCLINE_MPI_STRICT="1")
        try:
            run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=90, text=True, env=environment)
            output = run.stdout
        except subprocess.TimeoutExpired as expired:
            output = f"the launch did not end in 90 s\n{expired.stdout or ''}"
        reports = {int(path.name): path.read_text().strip() for path in pathlib.Path(directory).glob("[0-9]")}
        return reports, output, peer_death.left_behind(directory)


def main():
    divider = sys.argv.index("--")
    if not peer_death.has_private_shm():
        peer_death.enter_private_shm()
    reports, output, left = launch(sys.argv[1], sys.argv[divider + 1:])
    right = len(reports) == RANKS - 1 and all(report.startswith("right, ") for report in reports.values())
    print(f"{'passed' if right else 'failed'}: rank {VICTIM} of {RANKS} killed: {reports}")
    if not right:
        print(output)
    print(f"{'failed' if left else 'passed'}: left behind: {left or 'nothing'}")
    failures = (not right) + bool(left)
    print(f"{2 - failures} passed, {failures} failed, 0 skipped")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
