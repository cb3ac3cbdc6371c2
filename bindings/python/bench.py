#!/usr/bin/env python3
"""Measures what Python adds to a swap: swaps by a loop in C and by a loop in Python, in turn, in one process.

    PYTHONPATH=build/release/python [mpiexec -n 2] .venv/bin/python bindings/python/bench.py [--swaps 2000] [--rounds 30]

Prints the medians and, as a spread, the 10th and 90th percentile of the difference between neighbouring blocks. It is for one rank, where a
swap copies inside the array and waits for no other rank, or for several, where the waits are part of both.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import time

import numpy as np

import halocline


def by_python(halo, swaps):
    """Seconds of one swap; of `with halo.swapping()` as well."""
    begin = time.perf_counter()
    for _ in range(swaps):
        halo.swap()
    between = time.perf_counter()
    for _ in range(swaps):
        with halo.swapping():
            pass
    return (between - begin) / swaps, (time.perf_counter() - between) / swaps


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--swaps", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=30)
    options = parser.parse_args()
    with halocline.Context() as context:
        grid = halocline.Grid(context, (8 * context.size, 8), periodic=True)
        halo = halocline.Halo(grid, [halocline.Field(grid)], stencil="star")
        rounds = []
        for _ in range(options.rounds):
            rounds.append((halo._core.seconds_of_swaps(options.swaps) / options.swaps, *by_python(halo, options.swaps)))
        times = np.array(rounds) * 1e6
        if context.rank == 0:
            print(f"{context.size} rank(s), one field of 8 x 8 cells each, median of {options.rounds} blocks of {options.swaps} swaps")
            print(f"C                      {np.median(times[:, 0]):7.3f} us")
            for name, column in (("halo.swap()", 1), ("with halo.swapping()", 2)):
                added = times[:, column] - times[:, 0]
                low, high = np.percentile(added, (10, 90))
                more = f"{np.median(added):.3f} us ({low:.3f} to {high:.3f})"
                print(f"{name:22} {np.median(times[:, column]):7.3f} us, more than C by {more}")


if __name__ == "__main__":
    main()
