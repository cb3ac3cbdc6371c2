#!/usr/bin/env python3
"""Draws what bench.py wrote: for the largest size the parts of communication by variant, and beside it communication over the sizes. Over
the ranks, beside it a whole step, as figures 7 and 8 of Simmendinger et al. do.

plot.py JSON PICTURE

SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))
import plots  # noqa: E402

PARTS = {"moments_s": "#0b6e8a", "fields_s": "#5f98a6", "solver_swaps_s": "#8fb8c6", "charge_swaps_s": "#c9a46b", "particles_s": "#d9c8a9",
         "sums_s": "#b3402e"}
COLORS = ("#333333", "#0b6e8a", "#888888", "#b3402e", "#8fb8c6", "#c9a46b", "#5f98a6", "#a98a5b")


def median_ms(report, name, part):
    return statistics.median(sample[part] for sample in report["variants"][name]["samples"]) * 1e3


def draw_parts(axes, report):
    names, left = report["order"], [0.0] * len(report["order"])
    for part, color in PARTS.items():
        values = [median_ms(report, name, part) for name in names]
        axes.barh(names, values, left=left, color=color, label=part.removesuffix("_s").replace("_", " "), zorder=3)
        left = [a + b for a, b in zip(left, values)]
    axes.invert_yaxis()
    axes.set_xlabel("in calls, ms per step", fontsize=9)
    axes.set_title(f"{report['problem']['cells']} cells, {report['problem']['ranks']} ranks", fontsize=11, loc="left")
    axes.legend(fontsize=8, frameon=False)
    plots.decorate(axes, grid="x")


def draw_sizes(axes, sweep, part, words):
    at = range(len(sweep))
    for name, color in zip(sweep[0]["order"], COLORS):
        samples = [[1e3 * sample[part] for sample in report["variants"][name]["samples"]] for report in sweep]
        plots.draw_band(axes, at, samples, label=name, color=color)
    axes.set_yscale("log")
    axes.set_xticks(list(at), [f"{report['problem']['cells']}\n{report['problem']['ranks']} ranks" for report in sweep], fontsize=8)
    axes.set_ylabel(words, fontsize=9)
    axes.legend(fontsize=8, frameon=False)
    plots.decorate(axes)


def main():
    sweep, picture = plots.arguments(__doc__.split(":")[0])
    figure, (left, right) = plots.plt.subplots(1, 2, figsize=(13, 5))
    draw_parts(left, sweep[-1])
    if len({report["problem"]["ranks"] for report in sweep}) > 1:
        draw_sizes(right, sweep, "total_s", "a step, ms (as figures 7 and 8)")
    else:
        draw_sizes(right, sweep, "communication_s", "communication, ms per step")
    figure.suptitle(plots.machine_of(sweep[0]["environment"]), fontsize=8, color=plots.FAINT, x=0.01, ha="left")
    figure.tight_layout(rect=(0, 0, 1, 0.97))
    plots.save(figure, picture, dpi=130)


if __name__ == "__main__":
    main()
