#!/usr/bin/env python3
"""With MPI_ERRORS_ARE_FATAL a wrong call ends the program, after a message that names function, rank and value. What check mode finds at
the end of a program is reported.

Usage: fatal.py PROGRAM -- LAUNCHER [FLAG...]

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import subprocess
import sys

CASES = {
    "rank": ["MPI_Win_lock on rank 0", "rank 17"],
    "range": ["MPI_Put on rank 0", "bytes 4711 to 4711", "64 bytes of rank 0"],
    "twice": ["MPI_Win_lock on rank 0", "rank 0 is already locked"],
    "conflict": ["MPI_Put of rank 0", "byte 5 of rank 0", "MPI_Put on rank 0"],
    "open": ["in MPI_Finalize", "MPI_Win_lock_all of rank 0", "is still open"],
}
CHECKED = ("conflict", "open")


def fault_of(program, launcher, case):
    """What is wrong; '' if nothing is."""
    environment = dict(os.environ, HALOCLINE_MPI_STRICT="1", HALOCLINE_CHECK="1" if case in CHECKED else "0")
    run = subprocess.run([*launcher, "-n", "1", program, case], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60,
                         env=environment, check=False)
    if run.returncode == 0 or "went on" in run.stdout:
        return f"the program has gone on:\n{run.stdout}"
    missing = [word for word in CASES[case] if word not in run.stdout]
    return f"no {missing} in:\n{run.stdout}" if missing else ""


def main():
    divider = sys.argv.index("--")
    faults = {case: fault_of(sys.argv[1], sys.argv[divider + 1:], case) for case in CASES}
    for case, fault in faults.items():
        print(f"{'failed' if fault else 'passed'}: {case}: {fault}")
    failures = sum(1 for fault in faults.values() if fault)
    print(f"{len(CASES) - failures} passed, {failures} failed, 0 skipped")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
