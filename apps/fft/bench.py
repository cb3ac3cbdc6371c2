#!/usr/bin/env python3
"""Runs all variants of fft on 1 rank and more; writes one JSON file and, where matplotlib is, the plot.

bench.py --build build/release                      # 1, 2 and 4 ranks, class W, slabs
bench.py --build build/release --class A --decomposition pencil --ranks 8 --long

The left part of the plot has the axes of Gerstenberger et al., SC13, figure 7c: GFlop/s over the number of ranks.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import pathlib
import statistics
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
import runs  # noqa: E402
import summary  # noqa: E402


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    runs.add_options(parser, "fft")
    parser.set_defaults(ranks=4)
    parser.add_argument("--class", dest="name", choices="SWAB", help="of NAS FT (W, with --long A)")
    parser.add_argument("--decomposition", choices=("slab", "pencil"), default="slab")
    options = parser.parse_args()
    options.name = options.name or ("A" if options.long else "W")
    # Communication is a small difference of two times.
    options.repeats = options.repeats or (31 if options.name in "SW" else None)
    return options


def table_of(result):
    """A line per variant: milliseconds per iteration, those of communication, and how many times as long MPI_Alltoall takes for each."""
    iterations, variants = result["problem"]["iterations"], result["variants"]
    first = variants[result["order"][0]]
    rows = []
    for name in result["order"]:
        total, communication = variants[name]["total_s"], variants[name]["communication_s"]
        rows.append([name, summary.in_words([1e3 * time / iterations for time in total]), summary.ratio(first["total_s"], total),
                     "" if name == "local" else summary.in_words([1e3 * time for time in communication]),
                     "" if name == "local" else summary.ratio(first["communication_s"], communication)])
    return ["", "iteration, ms", "ratio", "communication, ms", "ratio"], rows


def line_of(result):
    """One line about a number of ranks: the median of each variant, in milliseconds per iteration."""
    iterations, variants = result["problem"]["iterations"], result["variants"]
    total = {name: statistics.median(variants[name]["total_s"]) * 1e3 / iterations for name in result["order"]}
    communication = {name: statistics.median(variants[name]["communication_s"]) * 1e3 for name in result["order"]}
    return f"{result['problem']['ranks']:>3} ranks, ms per iteration, of which communication: " + ", ".join(
        f"{name} {total[name]:.2f} {communication[name]:.2f}" for name in result["order"])


def main():
    options = arguments()
    # Emulated nodes are one to MPI, and its variants ran as on one node beside those on the network.
    variants = "all" if options.fake_nodes == 1 else "notify"
    words = ["--class", options.name, "--decomposition", options.decomposition, "--variant", variants, "--check"]
    sweep = runs.sweep_ranks(options, "fft", words, line_of, ("--variant", ["rma"]))
    runs.keep(options, sweep, HERE / "plot.py")


if __name__ == "__main__":
    main()
