#!/usr/bin/env python3
"""Runs boltzmann with several sizes of block on each rank; writes one JSON file and, where matplotlib is, the plot.

bench.py --build build/release                      # blocks as of 192^3 sites on 3072, 768 and 192 ranks, as the paper
bench.py --build build/release --order-parameter lb --overlap
bench.py --build build/release --ranks 4 --fake-nodes 2 --variant notify,notify_node

The plot is that of Simmendinger et al., figure 11 b: the time of the halo exchange of a step, over the size of a block.

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

BLOCKS = [(16, 12, 12), (16, 24, 24), (24, 32, 48)]
PARTS = {"communication_s": "communication, us", "swap_s": "swaps, us", "total_s": "a step, us"}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    runs.add_options(parser, "boltzmann")
    parser.add_argument("--local", type=int, nargs=3, help="sites of each rank (three sizes; with --short one)")
    parser.add_argument("--variant", default="p2p,persistent,fence,pscw,notify,direct,view")
    parser.add_argument("--order-parameter", choices=("none", "lb", "fd"), default="none", help="of two fluids")
    parser.add_argument("--halo", choices=("reduced", "full"), default="reduced")
    parser.add_argument("--overlap", action="store_true")
    options = parser.parse_args()
    options.repeats = options.repeats or (21 if options.short else 101 if options.long else 41)
    return options


def times(result, name, part):
    """Microseconds of a step."""
    return [sample[part] * 1e6 for sample in result["variants"][name]["samples"]]


def table_of(result):
    """A line per variant, with ratios to messages."""
    reference = "p2p" if "p2p" in result["order"] else result["order"][0]
    head = ["", *(word for title in PARTS.values() for word in (title, f"{reference} / this"))]
    rows = []
    for name in result["order"]:
        pairs = ((summary.in_words(times(result, name, part)),
                  summary.ratio(times(result, reference, part), times(result, name, part))) for part in PARTS)
        rows.append([name, *(word for pair in pairs for word in pair)])
    return head, rows


def line_of(result):
    """One line about a size: communication and its spread."""
    def words(name):
        some = times(result, name, "communication_s")
        slower = statistics.median(times(result, "p2p", "communication_s")) / statistics.median(some) if "p2p" in result["order"] else 0
        return f"{name} {summary.in_words(some)}" + (f", p2p / this {slower:.2f}" if slower > 0 else "")

    block = " x ".join(map(str, result["problem"]["local"]))
    return f"{block} sites per rank, communication of a step, us: " + "; ".join(words(name) for name in result["order"] if name != "local")


def main():
    options = arguments()
    blocks = [options.local] if options.local else BLOCKS[:1] if options.short else BLOCKS
    sweep = []
    for block in blocks:
        # Each sample takes some milliseconds.
        steps = max(3, 50000 // math.prod(block))
        words = ["--local", *block, "--steps", steps, "--viscosity", 0.05, "--variant", options.variant, "--halo", options.halo,
                 *(["--overlap"] if options.overlap else [])]
        if options.order_parameter != "none":
            words += ["--problem", "spinodal", "--order-parameter", options.order_parameter]
        sweep.append(runs.report_of(options, "boltzmann", *words))
        print(line_of(sweep[-1]), flush=True)
    runs.keep(options, sweep, HERE / "plot.py")


if __name__ == "__main__":
    main()
