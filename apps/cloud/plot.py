#!/usr/bin/env python3
"""Draws what bench.py wrote: milliseconds that a step of the cloud model spends in swaps, by mode.

plot.py JSON PICTURE

A bar is the median, its line goes from the least to the most of the samples.

SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))
import plots  # noqa: E402


def main():
    (report, *_), picture = plots.arguments(__doc__.splitlines()[0])
    times = {mode: [1e3 * sample["swaps_s"] for sample in report["variants"][mode]["samples"]] for mode in report["order"]}
    figure, axes = plots.plt.subplots(figsize=(7, 5))
    middle = [statistics.median(some) for some in times.values()]
    ends = [[m - min(some) for m, some in zip(middle, times.values())], [max(some) - m for m, some in zip(middle, times.values())]]
    axes.bar(list(times), middle, yerr=ends, color="#0b6e8a", ecolor=plots.INK, zorder=3)
    axes.set_ylabel("all swaps of a step, ms", fontsize=9)
    axes.set_title(f"Cloud model, {report['problem']['case']}, {report['problem']['ranks']} ranks", fontsize=11, loc="left")
    plots.decorate(axes, grid="y")
    figure.suptitle(plots.machine_of(report["environment"]), fontsize=8, color=plots.FAINT, x=0.01, ha="left")
    figure.tight_layout(rect=(0, 0, 1, 0.97))
    plots.save(figure, picture, dpi=130)


if __name__ == "__main__":
    main()
