#!/usr/bin/env python3
"""Runs boltzmann with several sizes of block on each rank; writes one JSON file and, where matplotlib is, the plot.

bench.py --build build/release                      # blocks as of 192^3 sites on 3072, 768 and 192 ranks, as the paper
bench.py --build build/release --order-parameter lb --overlap
bench.py --build build/release --ranks 4 --fake-nodes 2 --variant notify,notify_node
bench.py --build build/release --ranks 16 --whole 192 192 192    # on 1 rank, 2, 4 and so on: the lattice of the paper, strong scaling
bench.py --build build/release --ranks 16 --local 16 12 12 --over-ranks    # blocks of one size: weak scaling

The plot is that of Simmendinger et al., figure 11 b: the time of the halo exchange of a step, over the size of a block or over the ranks.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import math
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "common"))
import runs  # noqa: E402
import summary  # noqa: E402

BLOCKS = [(16, 12, 12), (16, 24, 24), (24, 32, 48)]
PARTS = {"communication_s": "communication, us", "swap_s": "swaps, us", "distributions_s": "of distributions, us",
         "order_parameter_s": "of the order parameter, us", "gradients_s": "of gradients, us", "total_s": "a step, us"}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    runs.add_options(parser, "boltzmann")
    parser.add_argument("--local", type=int, nargs=3, help="sites of each rank (three sizes; with --short one)")
    parser.add_argument("--whole", type=int, nargs=3, help="sites of the whole lattice instead, over the ranks")
    parser.add_argument("--over-ranks", action="store_true", help="over the ranks, with blocks of one size")
    parser.add_argument("--variant", default="p2p,persistent,fence,pscw,notify,direct,view")
    parser.add_argument("--order-parameter", choices=("none", "lb", "fd"), default="none", help="of two fluids")
    parser.add_argument("--halo", choices=("reduced", "full"), default="reduced")
    parser.add_argument("--overlap", action="store_true")
    options = parser.parse_args()
    if options.whole and options.local:
        parser.error("--whole and --local exclude each other: one gives the sites of all ranks together, the other those of each")
    options.over_ranks = options.over_ranks or bool(options.whole)
    options.repeats = options.repeats or (21 if options.short else 101 if options.long else 41)
    return options


def times(result, name, part):
    """Microseconds of a step."""
    return [sample[part] * 1e6 for sample in result["variants"][name]["samples"]]


def parts_of(result):
    """The parts that a report has. One fluid has one swap, which is not listed twice."""
    sample = result["variants"][result["order"][0]]["samples"][0]
    return {part: title for part, title in PARTS.items() if part in sample and (part != "distributions_s" or "order_parameter_s" in sample)}


def table_of(result):
    """A line per variant, with ratios to messages."""
    reference = "p2p" if "p2p" in result["order"] else result["order"][0]
    parts = parts_of(result)
    head = ["", *(word for title in parts.values() for word in (title, f"{reference} / this"))]
    rows = []
    for name in result["order"]:
        pairs = ((summary.in_words(times(result, name, part)),
                  summary.ratio(times(result, reference, part), times(result, name, part))) for part in parts)
        rows.append([name, *(word for pair in pairs for word in pair)])
    return head, rows


def line_of(result):
    """One line about a size: communication and its spread."""
    def words(name):
        some = times(result, name, "communication_s")
        slower = summary.ratio(times(result, "p2p", "communication_s"), some) if "p2p" in result["order"] else "-"
        return f"{name} {summary.in_words(some)}" + (f", p2p / this {slower}" if slower != "-" else "")

    block = " x ".join(map(str, result["problem"]["local"]))
    found = "; ".join(words(name) for name in result["order"] if name != "local")
    return f"{result['problem']['ranks']} ranks, {block} sites each, communication of a step, us: {found}"


def words_of(options, sites):
    """What the program is called with; each sample takes some milliseconds."""
    steps = max(3, 50000 // math.prod(sites))
    words = ["--global" if options.whole else "--local", *sites, "--steps", steps, "--viscosity", 0.05, "--variant", options.variant,
             "--halo", options.halo, *(["--overlap"] if options.overlap else [])]
    if options.order_parameter != "none":
        words += ["--problem", "spinodal", "--order-parameter", options.order_parameter]
    return words


def main():
    options = arguments()
    chosen = options.whole or options.local
    blocks = [chosen] if chosen else BLOCKS[:1] if options.short or options.over_ranks else BLOCKS
    sweep = []
    for block in blocks:
        if options.over_ranks:
            sweep += runs.sweep_ranks(options, "boltzmann", words_of(options, block), line_of)
        else:
            sweep.append(runs.report_of(options, "boltzmann", *words_of(options, block)))
            print(line_of(sweep[-1]), flush=True)
    runs.keep(options, sweep, HERE / "plot.py")


if __name__ == "__main__":
    main()
