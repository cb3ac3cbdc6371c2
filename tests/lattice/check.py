#!/usr/bin/env python3
"""Runs lattice in all variants, and expects of each the serial run's solution: even and uneven blocks, third neighbours, both precisions,
blocks without inner sites, ranks that are late at random.

check.py LATTICE [--ranks N] [--nodes N] [--preload LIBRARY] [--few] -- LAUNCHER FLAG...

SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import app_check  # noqa: E402

VARIANTS = ["p2p", "persistent", "fence", "pscw", "passive", "notify", "notify_node", "direct", "view", "auto"]
# A large mass needs few iterations. The first two are exact to rounding.
PROBLEMS = [
    ["--global", 4, 6, 4, 8, "--mass", 2, "--residual", 1e-13, "--skew", 3],
    ["--local", 4, 4, 4, 4, "--mass", 2, "--residual", 1e-13, "--naik", "--dots", "mpi"],
    ["--local", 2, 2, 2, 2, "--mass", 2, "--precision", "single", "--skew", 4],
    ["--global", 6, 6, 6, 8, "--mass", 2, "--start", "warm"],
]


def main():
    options = app_check.arguments(__doc__.splitlines()[0], few=2)
    # To MPI emulated nodes are one. Between them a swap takes longer.
    options.few = options.few and (2 if options.nodes == 1 else 1)
    variants = VARIANTS if options.nodes == 1 else ["notify", "notify_node", "direct", "view"]
    if options.preload:
        variants = ["fence", "pscw", "passive"]
    # With more ranks than cores a swap by fences takes tens of milliseconds.
    problems = PROBLEMS if options.ranks < 4 else PROBLEMS[:3]
    app_check.try_all(options, problems, variants, ["--variant", "right: .*"])


if __name__ == "__main__":
    main()
