#!/usr/bin/env python3
"""Runs all protocols of sparse on 1 rank and more; writes one JSON file and, where matplotlib is, the plot.

bench.py --build build/release                      # 1, 2 and 4 ranks, 6 neighbours
bench.py --build build/release --ranks 8 --fake-nodes 2 --neighbours 2

The plot has the axes of Gerstenberger et al., SC13, figure 7b: the time of an exchange over the number of ranks.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import pathlib
import statistics
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
import runs  # noqa: E402


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    runs.add_options(parser, "sparse")
    parser.set_defaults(ranks=4)
    parser.add_argument("--neighbours", type=int, default=6)
    parser.add_argument("--bytes", type=int, default=8)
    return parser.parse_args()


def line_of(result):
    """One line about a number of ranks: microseconds of an exchange, the median of each protocol."""
    times = (statistics.median(result["protocols"][name]["exchange_s"]) * 1e6 for name in result["order"])
    return f"{result['problem']['ranks']:>3} ranks, us: " + ", ".join(f"{name} {time:.2f}" for name, time in zip(result["order"], times))


def main():
    options = arguments()
    exchanges = 1000 if options.long else 200
    words = ["--neighbours", options.neighbours, "--bytes", options.bytes, "--exchanges", exchanges, "--check"]
    sweep = runs.sweep_ranks(options, "sparse", words, line_of)
    runs.keep(options, sweep, HERE / "plot.py")


if __name__ == "__main__":
    main()
