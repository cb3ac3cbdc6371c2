#!/usr/bin/env python3
"""Draws what `halocline-bench halo --json` wrote: time per swap by mode, one panel per file, as an SVG, PNG or PDF picture.

plot.py JSON [JSON ...] PICTURE

A bar is the median, the whisker goes from p10 to p90, the number is how many times as fast as p2p, the dashed line is the physical limit.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "apps" / "common"))
import plots  # noqa: E402
from plots import FAINT, INK  # noqa: E402

ONE_SIDED, MPI, HAND, LIMIT = "#0b6e8a", "#8fb8c6", "#c9a46b", "#b3402e"
NODE_MODES = ("direct", "notify", "notify_node", "view")


def color(mode):
    """The modes over shared memory, those over MPI, and the hand-written swap."""
    if mode == "hand_p2p":
        return HAND
    return ONE_SIDED if mode in NODE_MODES else MPI


def title(result):
    """Two lines: the size of the problem, and the machine."""
    problem, environment = result["problem"], result["environment"]
    cells = " × ".join(str(n) for n in problem["local"])
    fields = f"{problem['fields']} field{'s' if problem['fields'] > 1 else ''}"
    ranks = f"{environment['ranks']} rank{'s' if environment['ranks'] > 1 else ''}"
    machine = f"{ranks}, {environment['cores']} cores, {plots.mpi_of(environment)}"
    return f"{cells} cells per rank, depth {problem['depth']}, {fields}", machine


def draw_panel(axes, result):
    """One horizontal bar per mode, the fastest at the top."""
    modes = sorted(result["modes"].items(), key=lambda item: item[1]["median_us"], reverse=True)
    names = [name for name, _ in modes]
    medians = [row["median_us"] for _, row in modes]
    low = [row["median_us"] - row["p10_us"] for _, row in modes]
    high = [row["p90_us"] - row["median_us"] for _, row in modes]
    limit = result["limit"]["limit_us"]

    axes.barh(names, medians, color=[color(name) for name in names], height=0.72, zorder=2)
    axes.errorbar(medians, names, xerr=[low, high], fmt="none", ecolor=INK, elinewidth=1, capsize=2.5, zorder=3)
    widest = max(m + h for m, h in zip(medians, high))
    for name, row in modes:
        axes.text(row["p90_us"] + 0.015 * widest, name, f"{row['ratio_to_p2p']:.2f}×", va="center", fontsize=9, color=INK)
    axes.axvline(limit, color=LIMIT, linestyle="--", linewidth=1.3, zorder=4)
    axes.text(limit, len(names) - 0.42, " physical limit", color=LIMIT, fontsize=8.5, va="bottom", ha="left")
    axes.set_xlim(0, widest * 1.14)
    axes.set_ylim(-0.6, len(names) - 0.05)
    axes.set_xlabel("microseconds per halo swap (bar: median, whisker: p10 to p90, ×: times as fast as p2p)", fontsize=8.5, color=INK)
    size, machine = title(result)
    axes.set_title(size, fontsize=11, loc="left", pad=22, color=INK)
    axes.text(0, 1.02, machine, transform=axes.transAxes, fontsize=8.5, color=FAINT)
    decorate(axes)


def decorate(axes):
    axes.tick_params(axis="y", length=0, labelsize=10)
    axes.tick_params(axis="x", labelsize=8.5, colors=FAINT)
    plots.decorate(axes, grid="x", hidden=("top", "right", "left"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("json", nargs="+", type=pathlib.Path, help="result of halocline-bench halo --json")
    parser.add_argument("picture", type=pathlib.Path, help="file to write: .svg, .png or .pdf")
    options = parser.parse_args()
    results = [json.loads(path.read_text()) for path in options.json]
    rows = [len(result["modes"]) for result in results]
    figure, panels = plots.plt.subplots(
        len(results), 1, figsize=(8, sum(0.32 * n + 1.5 for n in rows)), squeeze=False, gridspec_kw={"height_ratios": rows}
    )
    for axes, result in zip(panels[:, 0], results):
        draw_panel(axes, result)
    figure.tight_layout()
    plots.save(figure, options.picture, dpi=160)


if __name__ == "__main__":
    main()
