#!/usr/bin/env python3
"""Runs pic over sizes or over ranks, with the paper's two improvements off, alone and together; writes one JSON file and, where matplotlib
is, the picture.

bench.py --build build/release                       # blocks of 6^3 to 16^3 cells per rank, 27 particles of each species per cell
bench.py --build build/release --per-cell 500 --local 12       # the regime of the paper in which particles dominate, one size
bench.py --build build/release --ranks 16 --local 8 --over-ranks       # on 1 rank, 2, 4 and so on, as the paper's figures 7 and 8

The case is gem.toml in three dimensions, as GEM3D of Simmendinger et al., section 5.1. All variants make each step in turn and must have
the same bits. Communication is the time in calls, the mean over the ranks. Ranks meet before they communicate, and that waiting, which
depends on the load of the ranks and of the machine, is listed by itself.

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

VARIANTS = ("p2p:mpi:messages,direct+notify:mpi:notified,p2p:overlapped:messages,direct+notify:overlapped:notified,"
            "notify:overlapped:notified,notify:overlapped:sparse")
PARTS = ("total_s", "communication_s", "moments_s", "solver_swaps_s", "charge_swaps_s", "particles_s", "sums_s", "waiting_s")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    runs.add_options(parser, "pic")
    parser.add_argument("--local", type=int, nargs="+", help="cells of each rank along each dimension (6 8 12 16, with --short 8)")
    parser.add_argument("--over-ranks", action="store_true", help="over the ranks, with blocks of each size")
    parser.add_argument("--per-cell", type=int, default=27, help="particles of each of two species (27)")
    parser.add_argument("--variant", default=VARIANTS)
    parser.add_argument("--with-waiting", action="store_true", help="let waiting for slower ranks count as communication, too")
    options = parser.parse_args()
    options.local = options.local or ([8] if options.short or options.over_ranks else [6, 8, 12, 16])
    options.repeats = options.repeats or (61 if options.long else 15 if options.short else 31)
    return options


def words_of(options, n):
    """Blocks of n^3 cells, of 0.4 ion lengths. The ranks are side by side along x."""
    cells = (n * options.ranks, n, n)
    return [HERE / "gem.toml", "--per-cell", f"{options.per_cell},{options.per_cell}", "--cells", ",".join(map(str, cells)),
            "--length", ",".join(f"{0.4 * cell:g}" for cell in cells), "--sheet-thickness", 0.025 * n, "--history-every", 1000000,
            *([] if options.with_waiting else ["--meet"])]


def report_of(options, n):
    return runs.report_of(options, "pic", *words_of(options, n), "--variant", options.variant)


def times(report, name, part):
    return [sample[part] for sample in report["variants"][name]["samples"]]


def table_of(report):
    """A line per variant: milliseconds of a step and of its communication, with ratios to messages."""
    head = ["", *(word for part in PARTS for word in (f"{part.removesuffix('_s').replace('_', ' ')}, ms", "p2p / this"))]
    rows = []
    for name in report["order"]:
        row = [name]
        for part in PARTS:
            mine = times(report, name, part)
            row += [summary.in_words([1e3 * time for time in mine]), summary.ratio(times(report, report["order"][0], part), mine)]
        rows.append(row)
    return head, rows


def line_of(report):
    """One line about a size: milliseconds of communication per step, medians."""
    def words(name):
        mine, first = (times(report, which, "communication_s") for which in (name, report["order"][0]))
        return f"{name} {statistics.median(mine) * 1e3:.3f} ({summary.ratio(first, mine)})"

    problem = report["problem"]
    return f"{problem['ranks']} ranks, {problem['cells']} cells, communication per step, ms: " + "; ".join(map(words, report["order"]))


def main():
    options = arguments()
    sweep, most = [], options.ranks
    for n in options.local:
        options.ranks = most
        for _ in runs.doubled_ranks(options) if options.over_ranks else (most,):
            sweep.append(report_of(options, n))
            print(line_of(sweep[-1]), flush=True)
    runs.keep(options, sweep, HERE / "plot.py")


if __name__ == "__main__":
    main()
