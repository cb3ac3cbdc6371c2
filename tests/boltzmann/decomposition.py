#!/usr/bin/env python3
"""Runs one problem on several rank grids, and expects the fingerprint of one rank. Of D3Q19's distributions five must cross a face.

decomposition.py BOLTZMANN [--few] -- LAUNCHER FLAG...

SPDX-License-Identifier: BSD-3-Clause
"""
import json
import math
import pathlib
import subprocess
import sys
import tempfile

# x, y, z of the rank grid: 1, 2, 4 and 8 ranks, uneven blocks, blocks without inner rows.
RANKS = [(1, 1, 1), (2, 1, 1), (1, 2, 1), (1, 1, 2), (2, 2, 1), (1, 2, 2), (4, 1, 1), (2, 1, 2), (3, 1, 1), (2, 2, 2)]
FEW = [(1, 1, 1), (2, 1, 1), (1, 1, 2), (2, 2, 1)]
GLOBAL = (10, 9, 8)
VARIANTS = ["p2p", "direct", "view"]
PROBLEMS = [
    ["--problem", "taylor_green", "--force", 1e-4, 2e-4, -1e-4],
    ["--problem", "spinodal", "--order-parameter", "lb", "--walls", 0, 0, 1],
    ["--problem", "spinodal", "--order-parameter", "fd", "--walls", 1, 0, 0, "--halo", "full"],
    ["--problem", "spinodal", "--order-parameter", "fd", "--walls", 0, 1, 0, "--overlap"],
]


def run(program, launcher, grid, problem):
    """The report of a run."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "report.json"
        command = [*launcher, "-n", math.prod(grid), program, "--global", *GLOBAL, "--ranks", *grid, "--steps", 25, "--repeats", 1,
                   *problem, "--variant", ",".join(VARIANTS), "--json", file]
        done = subprocess.run([str(word) for word in command], check=False, capture_output=True, text=True, timeout=200)
        if done.returncode != 0:
            sys.exit(f"exit status {done.returncode}: {' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
        return json.loads(file.read_text())


def expected_bytes(grid):
    """What all ranks of a grid that is split along x alone get per step: five distributions at each site of a face."""
    return 2 * grid[0] * GLOBAL[1] * GLOBAL[2] * 5 * 8


def check_swaps(report):
    """The swaps of a step, one by one, together take the time in swaps."""
    swaps = {"none": 1, "lb": 2, "fd": 3}[report["problem"]["order_parameter"]]
    for name in VARIANTS:
        (sample,) = report["variants"][name]["samples"]
        times = [sample[part] for part in ("distributions_s", "order_parameter_s", "gradients_s") if part in sample]
        if len(times) != swaps or not all(time > 0 for time in times) or not math.isclose(sum(times), sample["swap_s"]):
            sys.exit(f"{name}: of {swaps} swaps a step takes {times}, and in swaps {sample['swap_s']}")


def check_bytes(report, grid):
    for name in VARIANTS:
        found = report["variants"][name]["bytes_per_step"]
        if found != expected_bytes(grid):
            sys.exit(f"{name} on {grid} ranks moves {found} bytes, not {expected_bytes(grid)}")


def main():
    split = sys.argv.index("--")
    program, launcher = sys.argv[1], sys.argv[split + 1:]
    few = "--few" in sys.argv[:split]
    for problem in PROBLEMS[:2] if few else PROBLEMS:
        grids = FEW if few else RANKS
        right = run(program, launcher, grids[0], problem)["variants"]["view"]["fingerprint"]
        for grid in grids[1:]:
            report = run(program, launcher, grid, problem)
            check_swaps(report)
            for name in VARIANTS:
                found = report["variants"][name]["fingerprint"]
                if found != right:
                    sys.exit(f"{' '.join(map(str, problem))}: {name} on {grid} ranks has fingerprint {found}, one rank has {right}")
            if problem == PROBLEMS[0] and grid[1:] == (1, 1):
                check_bytes(report, grid)
        print("the same bits on all rank grids:", *problem)


if __name__ == "__main__":
    main()
