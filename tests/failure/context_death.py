#!/usr/bin/env python3
"""Kills a rank that is in one of two contexts of the others: that one breaks, and the other goes on, though both share an endpoint. With
the program both_death.cpp it is in a job of GASPI besides, which is told, and goes on without it.

Usage: context_death.py PROGRAM [--few] -- LAUNCHER [FLAG...]

Each case is one launch of PROGRAM (context_death.cpp), as those of node_death.py are: one for each way to drive progress, with --few only
the default one.

SPDX-License-Identifier: BSD-3-Clause
"""
import sys

import node_death

TIMEOUT_S = 4  # of the library
CASES = [(3, 3, 2, {"HALOCLINE_TIMEOUT": str(TIMEOUT_S), "HALOCLINE_TEST_PATIENCE": "80", "HALOCLINE_PROGRESS": progress})
         for progress in ("caller", "spare", "thread")]


def main():
    divider = sys.argv.index("--")
    program, launcher = sys.argv[1], sys.argv[divider + 1:]
    cases = CASES[1:2] if "--few" in sys.argv[2:divider] else CASES
    failures = 0
    for case in cases:
        ranks, _, victim, more = case
        reports, output = node_death.launch(program, launcher, case)
        right = len(reports) == ranks - 1 and all(report.startswith("right, HLC_ERR_") for report in reports.values())
        failures += 0 if right else 1
        print(f"{'passed' if right else 'failed'}: rank {victim} of {ranks} killed, {more['HALOCLINE_PROGRESS']}", flush=True)
        for rank, report in sorted(reports.items()):
            print(f"  rank {rank}: {report}", flush=True)
        if not right:
            print(output, flush=True)
    print(f"{len(cases) - failures} passed, {failures} failed, 0 skipped")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
