#!/usr/bin/env python3
"""Draws what bench.py wrote, with the axes of Gerstenberger et al., figure 6: time over ranks, and beside it the share of communication.

plot.py JSON PICTURE

A line goes through the medians, its band is the 95% interval of the median. Numbers are the gain of the fastest variant over p2p;
local has no swaps.

SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))
import plots  # noqa: E402

COLORS = {"p2p": "#333333", "persistent": "#888888", "fence": "#d9c8a9", "pscw": "#c9a46b", "passive": "#a98a5b", "notify": "#8fb8c6",
          "notify_node": "#5f98a6", "direct": "#0b6e8a", "view": "#b3402e", "local": "#bbbbbb"}


def times_of(result, name):
    found = result["variants"][name]
    return [sample["total_s"] / max(found["iterations"], 1) * 1e6 for sample in found["samples"]]


def shares_of(result, name):
    """Communication as README.md defines it: what an iteration takes longer than one of local in the same round."""
    if name == "local":
        return [0 for _ in times_of(result, name)]
    communications = result["variants"][name]["communication_s"]
    return [100 * communication * 1e6 / time for communication, time in zip(communications, times_of(result, name))]


def draw_panel(axes, sweep, values_of, words):
    at = [result["problem"]["ranks"] for result in sweep]
    for name in sweep[0]["order"]:
        plots.draw_band(axes, at, [values_of(result, name) for result in sweep], label=name, color=COLORS.get(name))
    plots.decorate_over_ranks(axes, at, *words)


def annotate_gains(axes, sweep):
    for result in sweep:
        medians = {name: statistics.median(times_of(result, name)) for name in result["order"] if name != "local"}
        if "p2p" not in medians:
            continue
        gain = 1 - min(medians.values()) / medians["p2p"]
        axes.annotate(f"{gain:.1%}", (result["problem"]["ranks"], medians["p2p"]), textcoords="offset points", xytext=(0, 8), ha="center",
                      fontsize=8, color=plots.FAINT)


def heading(result):
    problem = result["problem"]
    sites = "x".join(str(extent // ranks) for extent, ranks in zip(problem["global"], problem["rank_grid"]))
    naik = ", Naik" if problem["naik"] else ""
    return (f"lattice: {sites} sites per rank, {problem['precision']} precision{naik}, mass {problem['mass']}, "
            f"{plots.machine_of(result['environment'])}")


def main():
    sweep, picture = plots.arguments(__doc__.splitlines()[0])
    figure, (times, shares) = plots.plt.subplots(1, 2, figsize=(11, 5))
    draw_panel(times, sweep, times_of, ("one iteration, microseconds", "Time (as figure 6)"))
    annotate_gains(times, sweep)
    draw_panel(shares, sweep, shares_of, ("percent of the time", "Communication"))
    for axes in (times, shares):
        axes.set_yscale("linear")
        axes.set_ylim(bottom=0)
    figure.suptitle(heading(sweep[0]), fontsize=9, color=plots.FAINT, x=0.01, ha="left")
    handles, labels = times.get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncol=len(labels), fontsize=9, frameon=False)
    figure.tight_layout(rect=(0, 0.07, 1, 0.97))
    plots.save(figure, picture, dpi=130)


if __name__ == "__main__":
    main()
