#!/usr/bin/env python3
"""Draws what bench.py wrote: milliseconds that a step of the cloud model spends in swaps, by mode.

plot.py JSON PICTURE

Of one run, bars: a bar is the median, its line goes from the least to the most of the samples. Of a sweep, lines over the ranks, in a panel
for each number of columns per rank.

SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))
import plots  # noqa: E402

COLOURS = ("#8a3b0b", "#0b6e8a", "#5a8a0b", "#8a0b6e", "#444444", "#d09a00", "#3b0b8a", "#0b8a5a", "#8a0b2b")


def times_of(report, mode):
    return [1e3 * sample["swaps_s"] for sample in report["variants"][mode]["samples"]]


def draw_bars(axes, report):
    times = {mode: times_of(report, mode) for mode in report["order"]}
    middle = [statistics.median(some) for some in times.values()]
    ends = [[m - min(some) for m, some in zip(middle, times.values())], [max(some) - m for m, some in zip(middle, times.values())]]
    axes.bar(list(times), middle, yerr=ends, color="#0b6e8a", ecolor=plots.INK, zorder=3)
    axes.set_ylabel("all swaps of a step, ms", fontsize=9)
    axes.set_title(f"Cloud model, {report['problem']['case']}, {report['problem']['ranks']} ranks", fontsize=11, loc="left")
    plots.decorate(axes, grid="y")


def draw_lines(axes, reports):
    ranks = [report["problem"]["ranks"] for report in reports]
    for mode, colour in zip(reports[0]["order"], COLOURS):
        plots.draw_band(axes, ranks, [times_of(report, mode) for report in reports], color=colour, label=mode, marker="o", markersize=3)
    columns = reports[0]["problem"]["local"].replace(",", " x ")
    plots.decorate_over_ranks(axes, ranks, "all swaps of a step, ms", f"Cloud model, {columns} columns per rank")
    axes.legend(fontsize=8, frameon=False)


def main():
    sweep, picture = plots.arguments(__doc__.splitlines()[0])
    panels = list(dict.fromkeys(report["problem"].get("local") for report in sweep))
    figure, axes = plots.plt.subplots(1, len(panels), figsize=(7 * len(panels), 5), squeeze=False)
    for place, local in zip(axes.flat, panels):
        if local:
            draw_lines(place, [report for report in sweep if report["problem"]["local"] == local])
        else:
            draw_bars(place, sweep[0])
    figure.suptitle(plots.machine_of(sweep[0]["environment"]), fontsize=8, color=plots.FAINT, x=0.01, ha="left")
    figure.tight_layout(rect=(0, 0, 1, 0.97))
    plots.save(figure, picture, dpi=130)


if __name__ == "__main__":
    main()
