#!/usr/bin/env python3
"""Runs fft in all variants, and expects right checksums, and the same bits of the field in all variants and decompositions.

check.py FFT [--ranks N] [--nodes N] [--preload LIBRARY] [--few] -- LAUNCHER FLAG...

SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import app_check  # noqa: E402

VARIANTS = ["alltoall", "p2p", "rma", "notify"]
PENCIL = ["--decomposition", "pencil"]
# By number of ranks, each a grid and how it is split. Sizes that are not a class's are compared with a serial run; 64 x 64 x 64 is divided
# neither by 3 nor by 6.
SMALL = ["--size", "12,24,36"]
PROBLEMS = {
    "S": [["--class", "S"], ["--class", "S", *PENCIL], ["--class", "S", *PENCIL, "--skew", 3]],
    "12 x 24 x 36": [SMALL, [*SMALL, *PENCIL], [*SMALL, "--skew", 5], [*SMALL, *PENCIL, "--skew", 6]],
    "W": [["--class", "W", "--iterations", 2]],
}


def problems_of(ranks):
    """Those that so many ranks divide, pencils and slabs; the small ones first where there are few."""
    grids = [grid for grid in PROBLEMS if grid == "12 x 24 x 36" or ranks % 3]
    return {grid: PROBLEMS[grid] for grid in grids}


def fields_of(output):
    return set(re.findall(r"field ([0-9a-f]{16})$", output, re.MULTILINE))


def main():
    options = app_check.arguments(__doc__.splitlines()[0], few=2)
    # To MPI emulated nodes are one.
    variants = VARIANTS if options.nodes == 1 else ["notify"]
    if options.preload:
        variants = ["rma"]
    ranks = options.ranks
    for grid, problems in problems_of(ranks).items():
        outputs = app_check.try_all(options, problems, variants, ["--variant", "right: .*"])
        if not options.few:
            options.ranks = 1
            outputs += app_check.try_all(options, problems[:1], variants, ["--variant", "right: .*"])
            options.ranks = ranks
        fields = set().union(*map(fields_of, outputs))
        if len(fields) != 1:
            sys.exit(f"fields of {grid} differ among decompositions or ranks: {fields}\n" + "\n".join(outputs))
        if options.few:
            break


if __name__ == "__main__":
    main()
