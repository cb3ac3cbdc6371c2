#!/usr/bin/env python3
"""Runs boltzmann in all variants, and expects of each the same bits, conserved sums, and the analytic solution: one fluid and two, walls,
full halos, ranks that are late at random.

check.py BOLTZMANN [--ranks N] [--nodes N] [--preload LIBRARY] [--few] -- LAUNCHER FLAG...

SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import app_check  # noqa: E402

VARIANTS = ["p2p", "persistent", "neighbor", "fence", "pscw", "passive", "notify", "notify_node", "direct", "view", "auto"]
QUICK = ["p2p", "persistent", "notify", "direct", "view"]
POISEUILLE = ["--problem", "poiseuille", "--viscosity", 0.5]
PROBLEMS = [
    ["--problem", "taylor_green", "--global", 32, 2, 32, "--viscosity", 0.1, "--steps", 60, "--skew", 3],
    [*POISEUILLE, "--global", 8, 4, 9, "--walls", 0, 0, 1, "--force", 1e-4, 0, 0, "--steps", 150],
    [*POISEUILLE, "--global", 9, 4, 4, "--walls", 1, 0, 0, "--force", 0, 1e-4, -1e-4, "--steps", 150, "--overlap"],
    ["--problem", "spinodal", "--order-parameter", "lb", "--global", 10, 9, 8, "--steps", 30, "--skew", 4],
    ["--problem", "spinodal", "--order-parameter", "fd", "--global", 8, 9, 10, "--steps", 30, "--halo", "full", "--walls", 0, 1, 0],
    ["--problem", "spinodal", "--order-parameter", "fd", "--local", 6, 5, 4, "--steps", 30, "--overlap", "--skew", 5],
]


def check_columns(problem, output):
    """The table has a column for each swap of a step."""
    kind = problem[problem.index("--order-parameter") + 1] if "--order-parameter" in problem else "none"
    swaps = {"none": 1, "lb": 2, "fd": 3}[kind]
    found = re.findall(r"swap of \w+", output)
    if len(found) != swaps:
        sys.exit(f"order parameter {kind}: the table has {', '.join(found)}, not {swaps} swaps\n{output}")


def main():
    options = app_check.arguments(__doc__.splitlines()[0], few=2)
    variants = QUICK if options.few else VARIANTS
    if options.nodes > 1:
        variants = ["notify", "notify_node", "direct", "view"]
    if options.preload:
        variants = ["fence", "pscw", "passive"]
    # With more ranks than cores a swap by fences takes tens of milliseconds.
    problems = PROBLEMS if options.ranks < 4 else [PROBLEMS[0], *PROBLEMS[3:]]
    outputs = app_check.try_all(options, problems, variants, ["--variant", "right: .*"])
    for problem, output in zip(problems, outputs):
        check_columns(problem, output)


if __name__ == "__main__":
    main()
