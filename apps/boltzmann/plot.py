#!/usr/bin/env python3
"""Draws what bench.py wrote: communication of a step over the sites of a block or over the ranks, as Simmendinger et al., figure 11 b, and
its share.

plot.py JSON PICTURE

A line goes through the medians, its band is the 95% interval of the median.

SPDX-License-Identifier: BSD-3-Clause
"""
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))
import plots  # noqa: E402

COLORS = {"p2p": "#333333", "persistent": "#888888", "neighbor": "#aaaaaa", "fence": "#d9c8a9", "pscw": "#c9a46b", "passive": "#a98a5b",
          "notify": "#8fb8c6", "notify_node": "#5f98a6", "direct": "#0b6e8a", "view": "#b3402e", "auto": "#6b8e23"}


def communication(result, name):
    return [sample["communication_s"] * 1e6 for sample in result["variants"][name]["samples"]]


def share(result, name):
    return [100 * sample["communication_s"] / sample["total_s"] for sample in result["variants"][name]["samples"]]


def draw_panel(axes, sweep, values_of, words):
    over_ranks = len({result["problem"]["ranks"] for result in sweep}) > 1
    at = [result["problem"]["ranks"] if over_ranks else math.prod(result["problem"]["local"]) for result in sweep]
    for name in sweep[0]["order"]:
        if name != "local":
            plots.draw_band(axes, at, [values_of(result, name) for result in sweep], label=name, color=COLORS.get(name),
                            marker="o" if len(at) == 1 else None)
    axes.set_xscale("log")
    axes.set_ylim(bottom=0)
    blocks = [" x ".join(map(str, result["problem"]["local"])) for result in sweep]
    axes.set_xticks(at, [f"{ranks}\n{block}" for ranks, block in zip(at, blocks)] if over_ranks else blocks)
    axes.set_xticks([], minor=True)
    axes.set_xlabel("ranks, and the sites of each" if over_ranks else "sites of a rank", fontsize=9)
    axes.set_ylabel(words[0], fontsize=9)
    axes.set_title(words[1], fontsize=11, loc="left")
    plots.decorate(axes)


def heading(result):
    problem = result["problem"]
    fluids = "one fluid" if problem["order_parameter"] == "none" else f"two fluids ({problem['order_parameter']})"
    overlap = ", overlapped" if problem["overlap"] else ""
    return f"boltzmann: {fluids}, {problem['halo']} halo{overlap}, {plots.machine_of(result['environment'])}"


def main():
    sweep, picture = plots.arguments(__doc__.split(":")[0])
    figure, (left, right) = plots.plt.subplots(1, 2, figsize=(11, 5))
    draw_panel(left, sweep, communication, ("communication of a step, microseconds", "Halo exchange (as figure 11 b)"))
    draw_panel(right, sweep, share, ("percent of the time", "Its share of a step"))
    figure.suptitle(heading(sweep[0]), fontsize=9, color=plots.FAINT, x=0.01, ha="left")
    handles, labels = left.get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncol=len(labels), fontsize=9, frameon=False)
    figure.tight_layout(rect=(0, 0.07, 1, 0.97))
    plots.save(figure, picture, dpi=130)


if __name__ == "__main__":
    main()
