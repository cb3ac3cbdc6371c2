#!/usr/bin/env python3
"""Solves one problem on 1, 2, 3 and 4 ranks and with several rank grids, and expects the same plaquette, iterations and norm of the
solution, to 1e-12. Of each face only the sites of one parity must travel.

decomposition.py LATTICE -- LAUNCHER FLAG...

SPDX-License-Identifier: BSD-3-Clause
"""
import json
import math
import pathlib
import subprocess
import sys
import tempfile

# x, y, z, t of the rank grid.
RANKS = [(1, 1, 1, 1), (1, 1, 2, 1), (1, 3, 1, 1), (2, 1, 1, 2)]
GLOBAL = (4, 6, 4, 8)
VECTOR_BYTES = 3 * 2 * 8
PROBLEM = ["--global", *GLOBAL, "--mass", 0.5, "--residual", 1e-13, "--variant", "view", "--repeats", 1]


def bytes_of_swap(grid):
    """What all ranks get together: both sides of each split dimension, half of the sites of a face."""
    sites = math.prod(GLOBAL)
    faces = [2 * ranks * sites // extent for ranks, extent in zip(grid, GLOBAL) if ranks > 1]
    return sum(faces) // 2 * VECTOR_BYTES


def solution(program, launcher, grid):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "report.json"
        ranks = grid[0] * grid[1] * grid[2] * grid[3]
        command = [*launcher, "-n", ranks, program, *PROBLEM, "--ranks", *grid, "--json", file]
        subprocess.run([str(word) for word in command], check=True, timeout=100)
        report = json.loads(file.read_text())
    if tuple(report["problem"]["rank_grid"]) != grid:
        sys.exit(f"the rank grid is {report['problem']['rank_grid']}, not {grid}")
    found = report["variants"]["view"]
    if found["bytes_per_swap"] != bytes_of_swap(grid):
        sys.exit(f"a swap on {grid} ranks moves {found['bytes_per_swap']} bytes, not {bytes_of_swap(grid)}")
    return {"plaquette": report["problem"]["plaquette"], "iterations": found["iterations"], "norm": found["norm"]}


def main():
    split = sys.argv.index("--")
    program, launcher = sys.argv[1], sys.argv[split + 1:]
    right = solution(program, launcher, RANKS[0])
    for grid in RANKS[1:]:
        found = solution(program, launcher, grid)
        for name, value in right.items():
            if not abs(found[name] - value) <= 1e-12 * abs(value):
                sys.exit(f"{name} on {grid} ranks is {found[name]!r}, on one it is {value!r}")
        print(f"{grid}: {found}")


if __name__ == "__main__":
    main()
