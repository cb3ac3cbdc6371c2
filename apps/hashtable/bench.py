#!/usr/bin/env python3
"""Runs all variants of hashtable on 1 rank and more; writes one JSON file and, where matplotlib is, the plot.

bench.py --build build/release                      # 1, 2 and 4 ranks, random keys
bench.py --build build/release --ranks 8 --fake-nodes 2 --keys zipf

The plot has the axes of Gerstenberger et al., SC13, figure 7a: inserts per second of all ranks together over the number of ranks.

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
    runs.add_options(parser, "hashtable")
    parser.set_defaults(ranks=4)
    parser.add_argument("--keys", choices=("random", "zipf"), default="random")
    parser.add_argument("--inserts", type=int, help="of each rank (16384, with --long 262144)")
    options = parser.parse_args()
    options.inserts = options.inserts or (262144 if options.long else 16384)
    return options


def line_of(result):
    """One line about a number of ranks: millions of inserts per second of all ranks, the median of each variant."""
    inserts = result["problem"]["inserts"] * result["problem"]["ranks"] / 1e6
    rates = (inserts / statistics.median([s["insert_s"] for s in result["variants"][name]["samples"]]) for name in result["order"])
    return f"{result['problem']['ranks']:>3} ranks, M inserts/s: " + ", ".join(
        f"{name} {rate:.3f}" for name, rate in zip(result["order"], rates))


def main():
    options = arguments()
    words = ["--inserts", options.inserts, "--keys", options.keys, "--check"]
    sweep = runs.sweep_ranks(options, "hashtable", words, line_of)
    runs.keep(options, sweep, HERE / "plot.py")


if __name__ == "__main__":
    main()
