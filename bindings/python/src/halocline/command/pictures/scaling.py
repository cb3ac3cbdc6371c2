"""Time over the number of ranks, with the line of the model, from `halocline-bench model --json`.

SPDX-License-Identifier: BSD-3-Clause
"""
from typing import Any

from matplotlib.figure import Figure

from halocline.command.pictures import look

Json = dict[str, Any]


def size_with_most_ranks(curve: Json) -> list[Json]:
    """The points of the size that was measured on the most numbers of ranks, in the order of ranks."""
    sizes: dict[Any, list[Json]] = {}
    for point in curve["fit"]:
        sizes.setdefault(point["size"], []).append(point)
    best = max(sizes.values(), key=lambda points: len({point["ranks"] for point in points}))
    return sorted(best, key=lambda point: float(point["ranks"]))


def series(report: Json, operation: str) -> dict[str, list[Json]]:
    """Points by contender, of those that were measured on several numbers of ranks."""
    found = {curve["by"]: size_with_most_ranks(curve) for curve in report["curves"] if curve["operation"] == operation and curve["fit"]}
    return {by: points for by, points in found.items() if len({point["ranks"] for point in points}) > 1}


def rows_at(report: Json, operation: str, by: str, point: Json) -> list[Json]:
    return [row for row in report["rows"] if (row["operation"], row["by"], row["ranks"], row["bytes"]) ==
            (operation, by, point["ranks"], point["bytes"])]


def figure(report: Json, operation: str, only: tuple[str, ...] = ()) -> Figure | None:
    """Crosses with their spread, and the model's line; None if nothing was measured on several numbers of ranks."""
    found = {by: points for by, points in series(report, operation).items() if not only or by in only}
    if not found:
        return None
    drawn, axes = look.one()
    ticks = sorted({int(point["ranks"]) for points in found.values() for point in points})
    for (by, points), colour in zip(found.items(), look.COLOURS):
        at = [point["ranks"] for point in points]
        axes.plot(at, [point["fitted_us"] for point in points], "-", color=colour, linewidth=1.3, label=f"{by}, model", zorder=2)
        for point in points:
            rows = rows_at(report, operation, by, point)
            low, high = (rows[0]["p10"], rows[0]["p90"]) if rows else (point["us"], point["us"])
            axes.errorbar([point["ranks"]], [point["us"]], yerr=[[max(point["us"] - low, 0)], [max(high - point["us"], 0)]], fmt="x",
                          color=colour, markersize=5, elinewidth=1, capsize=2, zorder=3)
    axes.set_yscale("log")
    axes.set_xticks(ticks, [str(tick) for tick in ticks])
    look.label(axes, "ranks", "microseconds")
    look.title(axes, f"{operation} over ranks: measured, and the model")
    look.legend(axes, 2 if len(found) > 4 else 1)
    look.decorate(axes)
    cores = report["environment"]["cores"]
    if ticks[-1] > cores:
        axes.axvspan(cores + 0.5, ticks[-1] + 0.2, color=look.GRID, alpha=0.5, zorder=0)
        axes.annotate("ranks share cores", (cores + 0.5, 0.02), xycoords=("data", "axes fraction"), fontsize=7.5, color=look.FAINT,
                      xytext=(4, 0), textcoords="offset points")
    drawn.tight_layout()
    return drawn
