#!/usr/bin/env python3
"""Checks that the library prints nothing on success, and says what a user asked for and does not get once per rank.

Usage: quiet.py PROGRAM -- LAUNCHER [FLAG...]

PROGRAM (quiet/quiet.cpp) swaps in every mode and prints nothing itself. Open MPI prints a line per process when it makes windows; that
line is left out.

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from quiet_lines import quiet_lines  # noqa: E402

RANKS = 2


def lines_of(launcher, program, memory, **variables):
    run = subprocess.run(launcher + ["-n", str(RANKS), program, memory], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                         timeout=100, env={**os.environ, **variables})
    return run.returncode, quiet_lines(run.stdout)


def main():
    program, launcher = sys.argv[1], sys.argv[sys.argv.index("--") + 1:]
    faults = []

    # All modes, fields in shared memory: silence.
    status, lines = lines_of(launcher, program, "shared")
    if status or lines:
        faults.append(f"with shared fields: status {status}, output {lines}")

    # Mode direct with the caller's own memory: it goes through notify; each rank says so at most once, all ranks together at least once.
    status, lines = lines_of(launcher, program, "own")
    said = [line for line in lines if "halocline:" in line]
    if status or lines != said:
        faults.append(f"with own memory: status {status}, output {lines}")
    if not 1 <= len(said) <= RANKS or not all("direct" in line and "notify" in line for line in said):
        faults.append(f"with own memory: expected the detour from direct to notify once per rank at most, got {said}")

    # Variables that are set and change nothing: rank 0 says so, once each, or nobody with HALOCLINE_QUIET.
    wrong = {"HALOCLINE_TIMEOUTT": "3", "HALOCLINE_XPMEM": "/no/such/library.so", "HALOCLINE_TEST_OWN": "1"}
    status, lines = lines_of(launcher, program, "shared", **wrong)
    if status or len(lines) != 2 or not all(any(line.startswith(f"halocline: {name}") for line in lines) for name in list(wrong)[:2]):
        faults.append(f"with {wrong}: expected a line of the first and of the second, got status {status}, output {lines}")
    status, lines = lines_of(launcher, program, "shared", HALOCLINE_QUIET="1", **wrong)
    if status or lines:
        faults.append(f"with {wrong} and HALOCLINE_QUIET: status {status}, output {lines}")
    print("\n".join(faults) if faults else f"silent on success; the detour is told: {said[0]}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
