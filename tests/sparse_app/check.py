#!/usr/bin/env python3
"""Runs sparse in all protocols, and expects every byte as sent: short, long and empty messages, few slots, ranks that are late at random.

check.py SPARSE [--ranks N] [--nodes N] [--preload LIBRARY] [--few] -- LAUNCHER FLAG...

SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import app_check  # noqa: E402

PROTOCOLS = ["alltoall", "reduce_scatter", "nbx", "accumulate", "engine"]
PROBLEMS = [
    ["--neighbours", 2, "--bytes", 3000, "--vary", "--skew", 3, "--exchanges", 20],
    ["--neighbours", 6, "--exchanges", 50],
    ["--neighbours", 6, "--bytes", 20000, "--vary", "--slots", 2, "--exchanges", 20],
    ["--neighbours", 1, "--bytes", 0, "--exchanges", 20],
    ["--neighbours", 0, "--exchanges", 5],
    ["--neighbours", 3, "--bytes", 100000, "--slots", 1, "--skew", 4, "--exchanges", 5],
]


def main():
    options = app_check.arguments(__doc__.splitlines()[0], few=1)
    # To MPI emulated nodes are one.
    protocols = PROTOCOLS if options.nodes == 1 else ["engine"]
    if options.preload:
        protocols = ["accumulate"]
    app_check.try_all(options, PROBLEMS, protocols, ["--protocol", "every byte as sent"])


if __name__ == "__main__":
    main()
