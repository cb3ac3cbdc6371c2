"""Time per swap by mode, from `halocline-bench halo --json`.

A bar is the median, the whisker goes from p10 to p90, the number is how many times as fast as p2p, the dashed line is the physical limit.

SPDX-License-Identifier: BSD-3-Clause
"""
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from halocline.command.pictures import look
from halocline.command.words import needs_logarithm

Json = dict[str, Any]


def title(result: Json) -> tuple[str, str]:
    """Two lines: the size of the problem, and the machine."""
    problem, environment = result["problem"], result["environment"]
    cells = " × ".join(str(n) for n in problem["local"])
    fields = f"{problem['fields']} field{'s' if problem['fields'] > 1 else ''}"
    ranks = f"{environment['ranks']} rank{'s' if environment['ranks'] > 1 else ''}"
    machine = f"{ranks}, {environment['cores']} cores, {look.mpi_of(environment)}"
    return f"{cells} cells per rank, depth {problem['depth']}, {fields}", machine


def draw_panel(axes: Axes, result: Json) -> None:
    """One horizontal bar per mode, the fastest at the top."""
    modes = sorted(result["modes"].items(), key=lambda item: item[1]["median_us"], reverse=True)
    names = [name for name, _ in modes]
    medians = [row["median_us"] for _, row in modes]
    low = [row["median_us"] - row["p10_us"] for _, row in modes]
    high = [row["p90_us"] - row["median_us"] for _, row in modes]
    limit = result["limit"]["limit_us"]

    axes.barh(names, medians, color=[look.mode_colour(name) for name in names], height=0.72, zorder=2)
    axes.errorbar(medians, names, xerr=[low, high], fmt="none", ecolor=look.INK, elinewidth=1, capsize=2.5, zorder=3)
    widest = max(m + h for m, h in zip(medians, high))
    logarithmic = needs_logarithm(medians)
    for name, row in modes:
        beside = row["p90_us"] * 1.03 if logarithmic else row["p90_us"] + 0.015 * widest
        axes.text(beside, names.index(name), f"{row['ratio_to_p2p']:.2f}×", va="center", fontsize=9, color=look.INK)
    axes.axvline(limit, color=look.LIMIT, linestyle="--", linewidth=1.3, zorder=4)
    axes.text(limit, len(names) - 0.42, " physical limit", color=look.LIMIT, fontsize=8.5, va="bottom", ha="left")
    if logarithmic:
        axes.set_xscale("log")
        axes.set_xlim(0.7 * min([limit, *medians]), widest * 1.6)
    else:
        axes.set_xlim(0, widest * 1.14)
    axes.set_ylim(-0.6, len(names) - 0.05)
    scale = ", logarithmic" if logarithmic else ""
    axes.set_xlabel(f"microseconds per halo swap{scale}\n(bar: median, whisker: p10 to p90, ×: times as fast as p2p)", fontsize=8.5,
                    color=look.INK)
    size, machine = title(result)
    axes.set_title(size, fontsize=11, loc="left", pad=22, color=look.INK)
    axes.text(0, 1.02, machine, transform=axes.transAxes, fontsize=8.5, color=look.FAINT)
    look.decorate(axes, grid="x", hidden=("top", "right", "left"))
    axes.tick_params(axis="y", length=0, labelsize=10, labelcolor=look.INK)
    axes.tick_params(axis="x", labelsize=8.5)


def figure(results: list[Json], width: float = 8) -> Figure:
    """A panel for each result, above each other."""
    rows = [len(result["modes"]) for result in results]
    drawn, panels = look.grid(len(results), 1, figsize=(width, sum(0.32 * n + 1.6 for n in rows)), squeeze=False,
                                      gridspec_kw={"height_ratios": rows})
    for axes, result in zip(panels[:, 0], results):
        draw_panel(axes, result)
    drawn.tight_layout()
    return drawn
