#!/usr/bin/env python3
"""Runs all variants of hashtable on 1 rank and more; writes one JSON file and, where matplotlib is, the plot.

bench.py --build build/release                      # 1, 2 and 4 ranks, random keys
bench.py --build build/release --ranks 8 --fake-nodes 2 --keys zipf
bench.py --build build/release --ranks 2 --hosts 2

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
import summary  # noqa: E402

RUNS_ON_HOSTS = True
KEYS = ("random", "zipf")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    runs.add_options(parser, "hashtable")
    parser.set_defaults(ranks=4)
    parser.add_argument("--keys", choices=KEYS, help="of all inserts (random, with --short random and zipf)")
    parser.add_argument("--inserts", type=int, help="of each rank (16384, with --long 262144)")
    options = parser.parse_args()
    # Between hosts an insert takes some hundred times as long.
    usual = 500 if options.hosts > 1 else 262144 if options.long else 16384
    options.inserts = options.inserts or usual
    return options


def rates_of(result, name, part):
    """Millions per second of all ranks."""
    done = result["problem"]["inserts"] * result["problem"]["ranks"] / 1e6
    return [done / sample[part] for sample in result["variants"][name]["samples"]]


def table_of(result):
    """A line per variant, with ratios to the one that sends messages, of which several are under way."""
    reference = "messages" if "messages" in result["order"] else result["order"][0]
    head = ["", "inserts, M/s", f"to {reference}", "look-ups, M/s", f"to {reference}"]
    rows = []
    for name in result["order"]:
        cells = [name]
        for part in ("insert_s", "find_s"):
            rates = rates_of(result, name, part)
            cells += [summary.in_words(rates), summary.ratio(rates, rates_of(result, reference, part))]
        rows.append(cells)
    for part, words in (("alone_s", "limit: one atomic per insert"), ("fetched_s", "limit: its cache line requested before")):
        rates = [result["problem"]["ranks"] / 1e6 / sample[part] for sample in result.get("limits", [])]
        if rates:
            rows.append([words, summary.in_words(rates), summary.ratio(rates, rates_of(result, reference, "insert_s")), "", ""])
    return head, rows


def shown(sweep):
    """What a summary shows: two ranks, and the most, with all kinds of keys."""
    return [result for result in sweep if result["problem"]["ranks"] in (2, sweep[-1]["problem"]["ranks"])]


def line_of(result):
    """One line about a number of ranks: millions of inserts per second of all ranks, the median of each variant."""
    rates = (statistics.median(rates_of(result, name, "insert_s")) for name in result["order"])
    return f"{result['problem']['ranks']:>3} ranks, keys {result['problem']['keys']}, M inserts/s: " + ", ".join(
        f"{name} {rate:.3f}" for name, rate in zip(result["order"], rates))


def main():
    options = arguments()
    most, sweep = options.ranks, []
    for keys in [options.keys] if options.keys else KEYS if options.short else KEYS[:1]:
        options.ranks = most
        words = ["--inserts", options.inserts, "--keys", keys, "--check"]
        sweep += runs.sweep_ranks(options, "hashtable", words, line_of, ("--variant", ["rma", "rma_batched"]))
    runs.keep(options, sweep, HERE / "plot.py")


if __name__ == "__main__":
    main()
