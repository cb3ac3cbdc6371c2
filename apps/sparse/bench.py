#!/usr/bin/env python3
"""Runs all protocols of sparse on 1 rank and more; writes one JSON file and, where matplotlib is, the plot.

bench.py --build build/release                      # 1, 2 and 4 ranks, 6 neighbours
bench.py --build build/release --ranks 8 --fake-nodes 2 --neighbours 2
bench.py --build build/release --hosts 2

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
import summary  # noqa: E402

RUNS_ON_HOSTS = True
NEIGHBOURS = (2, 6)  # of an exchange, with --short
BYTES = (8, 4096)  # of a message: in the barrier's notification, or in several slots; the longer ones with 2 neighbours alone


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    runs.add_options(parser, "sparse")
    parser.set_defaults(ranks=4)
    parser.add_argument("--neighbours", type=int, help="of an exchange (6, with --short 2 and 6)")
    parser.add_argument("--bytes", type=int, help="of a message (8, with --short 8 and 4096)")
    return parser.parse_args()


def table_of(result):
    """A line per protocol, with ratios to the time of the library's."""
    times = {name: [1e6 * time for time in result["protocols"][name]["exchange_s"]] for name in result["order"]}
    ours = times.get("engine", times[result["order"][-1]])
    rows = [[name, summary.in_words(some), summary.ratio(some, ours)] for name, some in times.items()]
    return ["", "one exchange, us", "to engine"], rows


def shown(sweep):
    """What a summary shows: for each number of neighbours the most ranks, and two if there are so many neighbours."""
    most = {result["problem"]["neighbours"]: result["problem"]["ranks"] for result in sweep}

    def is_shown(problem):
        fits = problem["ranks"] == 2 and problem["targets"] == problem["neighbours"]
        return fits or problem["ranks"] == most[problem["neighbours"]]

    return [result for result in sweep if is_shown(result["problem"])]


def line_of(result):
    """One line about a number of ranks: microseconds of an exchange, the median of each protocol."""
    times = (statistics.median(result["protocols"][name]["exchange_s"]) * 1e6 for name in result["order"])
    words = ", ".join(f"{name} {time:.2f}" for name, time in zip(result["order"], times))
    problem = result["problem"]
    return f"{problem['ranks']:>3} ranks, {problem['targets']} neighbours, {problem['bytes']} bytes, us: {words}"


def problems(options):
    """Neighbours and bytes of the exchanges."""
    neighbours = [options.neighbours] if options.neighbours else NEIGHBOURS if options.short else [6]
    sizes = [options.bytes] if options.bytes is not None else BYTES if options.short else BYTES[:1]
    return [(some, size) for size in sizes for some in (neighbours if size == sizes[0] else neighbours[:1])]


def main():
    options = arguments()
    # More ranks than cores take milliseconds for an exchange in some protocols.
    exchanges = 1000 if options.long else 50 if options.short else 200
    most, sweep = options.ranks, []
    for neighbours, size in problems(options):
        # So many neighbours need more ranks than that.
        options.ranks = max(most, 1 << neighbours.bit_length()) if options.short else most
        words = ["--neighbours", neighbours, "--bytes", size, "--exchanges", exchanges, "--check"]
        sweep += runs.sweep_ranks(options, "sparse", words, line_of, ("--protocol", ["accumulate"]))
    runs.keep(options, sweep, HERE / "plot.py")


if __name__ == "__main__":
    main()
