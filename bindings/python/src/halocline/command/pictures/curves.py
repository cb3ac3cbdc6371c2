"""Measured points, fitted curves and switch points of operations, from `halocline-bench model --json`.

A colour is a way to carry an operation out, a cross a measured point with its spread, a line the fitted curve, a dotted line a switch
point. Panels of operations of one size have ranks on their axis, the others bytes; of several numbers of ranks those of the fewest and the
most are drawn.

SPDX-License-Identifier: BSD-3-Clause
"""
import math
from collections.abc import Callable
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from halocline.command.pictures import look, scaling

Json = dict[str, Any]
COLUMNS = 3


def with_spread(report: Json, curve: Json) -> Json:
    """The curve, whose points have their percentiles where the report has the row that a point is the median of."""
    def percentiles(point: Json) -> Json:
        rows = [row for row in scaling.rows_at(report, curve["operation"], curve["by"], point)
                if row["nodes"] == curve["nodes"] and math.isclose(row["median"], point["us"], rel_tol=1e-6)]
        return {"p10": rows[0]["p10"], "p90": rows[0]["p90"]} if rows else {"p10": math.nan, "p90": math.nan}

    return curve | {"fit": [point | percentiles(point) for point in curve["fit"]]}


def by_operation(report: Json) -> dict[tuple[str, int], list[Json]]:
    """Curves by operation and number of nodes, those with one point left out."""
    panels: dict[tuple[str, int], list[Json]] = {}
    for curve in report["curves"]:
        if len({(point["bytes"], point["ranks"]) for point in curve["fit"]}) > 1:
            panels.setdefault((curve["operation"], curve["nodes"]), []).append(with_spread(report, curve))
    return panels


def axis_of(curves: list[Json]) -> str:
    """What varies: bytes, or ranks where all points have the same size."""
    return "bytes" if len({point["size"] for curve in curves for point in curve["fit"]}) > 1 else "ranks"


def series_of(curve: Json, axis: str) -> list[list[Json]]:
    """Lists of points for a line each: one, or those of the fewest and of the most ranks."""
    if axis == "ranks":
        return [sorted(curve["fit"], key=lambda point: float(point["ranks"]))]
    ranks = {point["ranks"] for point in curve["fit"]}
    return [sorted((point for point in curve["fit"] if point["ranks"] == some), key=lambda point: float(point["bytes"]))
            for some in sorted({min(ranks), max(ranks)})]


def draw_points(axes: Axes, at: list[float], points: list[Json], colour: str, value: Callable[[Json, str], float]) -> None:
    """Crosses, with whiskers from the 10th to the 90th percentile."""
    middle = [value(point, "us") for point in points]
    ends = [sorted((value(point, "p10"), value(point, "p90"))) for point in points]
    spread = [[max(y - low, 0) for y, (low, _) in zip(middle, ends)], [max(high - y, 0) for y, (_, high) in zip(middle, ends)]]
    axes.errorbar(at, middle, yerr=spread, fmt="x", color=colour, markersize=4, elinewidth=0.8, capsize=1.5, zorder=3)


def draw_curve(axes: Axes, curve: Json, axis: str, colour: str, value: Callable[[Json, str], float]) -> None:
    """Points and lines of one way; a second line, of the most ranks, is dashed."""
    for points, line in zip(series_of(curve, axis), ("-", "--")):
        at = [point[axis] for point in points]
        draw_points(axes, at, points, colour, value)
        label = curve["by"] + (f", {points[0]['ranks']:.0f} ranks" if axis == "bytes" and line == "--" else "")
        axes.plot(at, [value(point, "fitted_us") for point in points], line, color=colour, linewidth=1.2, label=label, zorder=2)
    if axis == "bytes":
        for term in curve["terms"]:
            if term.get("from", 0) > 0:
                axes.axvline(term["from"], color=colour, linestyle=":", linewidth=0.8, zorder=1)


def microseconds(point: Json, key: str) -> float:
    return float(point[key])


def gigabytes_per_second(point: Json, key: str) -> float:
    return float(point["bytes"]) / float(point[key]) / 1000


def draw_panel(axes: Axes, name: tuple[str, int], curves: list[Json], bandwidth: bool = False) -> None:
    operation, nodes = name
    axis = axis_of(curves)
    for curve, colour in zip(curves, look.COLOURS * len(curves)):
        draw_curve(axes, curve, axis, colour, gigabytes_per_second if bandwidth else microseconds)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    look.label(axes, axis, "GB/s" if bandwidth else "microseconds")
    look.title(axes, operation + (", bandwidth" if bandwidth else "") + (", several nodes" if nodes > 1 else ""))
    look.legend(axes, 2 if len(curves) > 5 else 1)
    look.decorate(axes)


def check_in_words(half: Json) -> str:
    """How well a half of the points predicts the others."""
    if not half["points"]:
        return "predictions not tested: too few points"
    return f"half of the points predicts the others: median error {100 * half['median']:.0f} %, worst {100 * half['worst']:.0f} %"


def figure(report: Json, operations: list[str] | None = None) -> Figure | None:
    """A page of panels, one for each operation; None if no curve has several points."""
    panels = {name: curves for name, curves in by_operation(report).items() if not operations or name[0] in operations}
    if not panels:
        return None
    rows = -(-len(panels) // COLUMNS)
    drawn, grid = look.grid(rows, COLUMNS, figsize=(4.4 * COLUMNS, 3.1 * rows), squeeze=False)
    for axes, (name, curves) in zip(grid.flat, panels.items()):
        draw_panel(axes, name, curves)
    for axes in list(grid.flat)[len(panels):]:
        axes.set_visible(False)
    drawn.suptitle(f"{look.machine_of(report['environment'])}; {check_in_words(report['predicted_half'])}", fontsize=9, color=look.FAINT)
    drawn.tight_layout(rect=(0, 0, 1, 0.98))
    return drawn


def single(report: Json, operation: str, bandwidth: bool = False) -> Figure | None:
    """One panel alone; None if the report has no such curve of several points."""
    for name, curves in by_operation(report).items():
        if name[0] == operation:
            drawn, axes = look.one()
            draw_panel(axes, name, curves, bandwidth)
            drawn.tight_layout()
            return drawn
    return None
