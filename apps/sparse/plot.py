#!/usr/bin/env python3
"""Draws what bench.py wrote, with the axes of Gerstenberger et al., SC13, figure 7b: the time of an exchange over the number of ranks.

plot.py JSON PICTURE

A line goes through the medians, its band is the 95% interval of the median.

SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))
import plots  # noqa: E402

COLORS = {"alltoall": "#333333", "reduce_scatter": "#8fb8c6", "nbx": "#0b6e8a", "accumulate": "#c9a46b", "engine": "#b3402e",
          "accumulate, preloaded": "#8a6d3b"}


def heading(result):
    return f"sparse: {plots.machine_of(result['environment'])}"


def problem_of(result):
    return result["problem"]["neighbours"], result["problem"]["bytes"]


def draw_panel(axes, sweep, problem):
    some = [result for result in sweep if problem_of(result) == problem]
    at = [result["problem"]["ranks"] for result in some]
    for name in some[0]["order"]:
        times = [[time * 1e6 for time in result["protocols"][name]["exchange_s"]] for result in some]
        plots.draw_band(axes, at, times, label=name, color=COLORS.get(name))
    title = f"Sparse exchange, {problem[0]} neighbours, {problem[1]} bytes (as figure 7b)"
    plots.decorate_over_ranks(axes, at, "one exchange, microseconds", title)


def main():
    sweep, picture = plots.arguments(__doc__.splitlines()[0])
    several = list(dict.fromkeys(map(problem_of, sweep)))
    figure, panels = plots.plt.subplots(1, len(several), figsize=(7 * len(several), 5), squeeze=False)
    for axes, problem in zip(panels[0], several):
        draw_panel(axes, sweep, problem)
    panels[0][0].legend(fontsize=9, frameon=False)
    figure.suptitle(heading(sweep[0]), fontsize=8, color=plots.FAINT, x=0.01, ha="left")
    figure.tight_layout(rect=(0, 0, 1, 0.97))
    plots.save(figure, picture, dpi=130)


if __name__ == "__main__":
    main()
