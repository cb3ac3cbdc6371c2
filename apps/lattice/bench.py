#!/usr/bin/env python3
"""Runs lattice on 1 rank and more, with the same lattice for each rank; writes one JSON file and, where matplotlib is, the plot.

bench.py --build build/release                      # 4^3 x 8 sites per rank, as the paper
bench.py --build build/release --ranks 16 --naik --precision single

The plot has the axes of Gerstenberger et al., figure 6: the time of a weakly scaled problem over the number of ranks.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import math
import pathlib
import statistics
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
import runs  # noqa: E402
import summary  # noqa: E402


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    runs.add_options(parser, "lattice")
    parser.add_argument("--local", type=int, nargs=4, default=[4, 4, 4, 8], help="sites of each rank")
    parser.add_argument("--variant", default="p2p,persistent,fence,pscw,notify,direct,view")
    parser.add_argument("--mass", type=float, help="the smaller, the longer a solution takes (0.1, with --long 0.02)")
    parser.add_argument("--precision", choices=("double", "single"), default="double")
    parser.add_argument("--dots", choices=("hlc", "mpi"), default="hlc")
    parser.add_argument("--naik", action="store_true")
    options = parser.parse_args()
    options.mass = options.mass or (0.02 if options.long else 0.1)
    # Communication is a small difference of two times, and a solution of a small lattice takes some milliseconds.
    options.repeats = options.repeats or (101 if math.prod(options.local) <= 1024 else None)
    return options


def table_of(result):
    """A line per variant: microseconds of an iteration, of communication, and of the parts, with ratios to messages. The rest is linear
    algebra."""
    reference = "p2p" if "p2p" in result["order"] else result["order"][0]
    parts = {"total_s": "an iteration, us", "communication_s": "communication, us",
             "swap_s": "swaps, us", "dslash_s": "dslash, us", "dots_s": "sums over all ranks, us"}

    def times(name, part):
        found = result["variants"][name]
        if part == "communication_s":
            return [0 if name == "local" else time * 1e6 for time in found[part]]
        return [sample[part] / max(found["iterations"], 1) * 1e6 for sample in found["samples"]]

    head = ["", *(word for title in parts.values() for word in (title, f"{reference} / this"))]
    rows = []
    for name in result["order"]:
        pairs = ((summary.in_words(times(name, part)), summary.ratio(times(reference, part), times(name, part))) for part in parts)
        rows.append([name, *(word for pair in pairs for word in pair)])
    return head, rows


def line_of(result):
    """One line about a number of ranks: microseconds of communication in an iteration, and its share of the time, medians."""
    def median(name, part):
        found = result["variants"][name]
        samples = found[part] if part in found else [sample[part] / max(found["iterations"], 1) for sample in found["samples"]]
        return statistics.median(samples) * 1e6

    def words(name):
        time = median(name, "communication_s")
        ratio = f", {median('p2p', 'communication_s') / time:.1f} times as fast as p2p" if "p2p" in result["order"] and time > 0 else ""
        return f"{name} {time:.2f} ({time / median(name, 'total_s'):.0%} of the time{ratio})"

    names = [name for name in result["order"] if name != "local"]
    return f"{result['problem']['ranks']:>3} ranks, communication in an iteration, us: " + "; ".join(map(words, names))


def main():
    options = arguments()
    words = ["--local", *options.local, "--variant", options.variant, "--mass", options.mass, "--precision", options.precision,
             "--dots", options.dots, *(["--naik"] if options.naik else [])]
    on_windows = [name for name in ("fence", "pscw", "passive") if name in options.variant.split(",")]
    sweep = runs.sweep_ranks(options, "lattice", words, line_of, on_windows and ("--variant", on_windows))
    runs.keep(options, sweep, HERE / "plot.py")


if __name__ == "__main__":
    main()
