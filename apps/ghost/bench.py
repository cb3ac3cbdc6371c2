#!/usr/bin/env python3
"""Sweeps the cells per rank, N^3 for even N, through all variants of ghost; writes one JSON file and, where matplotlib is, the three plots.

bench.py --build build/release                      # 2 ranks, N = 4 to 64
bench.py --build build/release --ranks 4 --fake-nodes 2 --stencil 27 --longest 32

Every run is compared with the serial run, bit by bit. The plots are those of Simmendinger et al., figures 12 to 14: performance per rank
of all, of the computation alone, and the bandwidth that the exchanges achieve.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import pathlib
import statistics
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
import runs  # noqa: E402

ELEMENTS_PER_SAMPLE = 4_000_000
FEWEST_STEPS, MOST_STEPS = 4, 2000


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    runs.add_options(parser, "ghost")
    parser.add_argument("--shortest", type=int, default=4, help="least N, even (4)")
    parser.add_argument("--longest", type=int, help="most N (64, with --long 128, with --short 32 in steps of 4)")
    parser.add_argument("--stencil", type=int, choices=(7, 27), default=7)
    parser.add_argument("--vars", type=int, default=5, help="variables (5)")
    parser.add_argument("--open", action="store_true", help="open sides instead of periodic ones")
    options = parser.parse_args()
    if options.shortest < 2 or options.shortest % 2:
        parser.error(f"--shortest has to be even and at least 2, not {options.shortest}")
    options.longest = options.longest or (128 if options.long else 32 if options.short else 64)
    return options


def run(options, n):
    """Runs ghost with blocks of n^3 cells and returns what it wrote."""
    steps = min(max(ELEMENTS_PER_SAMPLE // (options.vars * n**3), FEWEST_STEPS), MOST_STEPS)
    words = ["--local", n, "--vars", options.vars, "--stencil", options.stencil, "--steps", steps, "--check"]
    return runs.report_of(options, "ghost", *words, *([] if options.open else ["--periodic"]))


def line_of(n, result):
    """One line about a size: Melements/s of each variant in all."""
    work = n**3 * result["problem"]["variables"] * result["problem"]["steps"] / 1e6
    rates = (work / statistics.median([s["total_s"] for s in result["variants"][name]["samples"]]) for name in result["order"])
    return f"{n:>4}^3  " + "  ".join(f"{rate:>8.1f}" for rate in rates)


def main():
    options = arguments()
    sweep = []
    for n in range(options.shortest, options.longest + 1, 4 if options.short else 2):
        result = run(options, n)
        if not sweep:
            print("Melements/s per rank, median:", ", ".join(result["order"]))
        print(line_of(n, result), flush=True)
        sweep.append(result)
    runs.keep(options, sweep, HERE / "plot.py")


if __name__ == "__main__":
    main()
