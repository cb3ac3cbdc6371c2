#!/usr/bin/env python3
"""Draws what `halocline-bench model --json` wrote: measured points, fitted curves and switch points, one panel per operation.

model.py JSON PICTURE [--operations NAME ...]

A colour is a way to carry an operation out, a cross a measured point, a line the fitted curve, a dotted line a switch point. Panels of
operations of one size have ranks on their axis, the others bytes; of several numbers of ranks those of the fewest and the most are drawn.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "apps" / "common"))
import plots  # noqa: E402
from plots import FAINT  # noqa: E402

COLOURS = ("#0b6e8a", "#b3402e", "#c9a46b", "#5b8c5a", "#7d5ba6", "#333333", "#d17a22", "#4a90d9", "#999933", "#aa4499", "#117733")
COLUMNS = 3


def by_operation(report):
    """Curves by operation and kind of nodes, those with one point left out."""
    panels = {}
    for curve in report["curves"]:
        if len({(point["bytes"], point["ranks"]) for point in curve["fit"]}) > 1:
            panels.setdefault((curve["operation"], curve["nodes"]), []).append(curve)
    return panels


def axis_of(curves):
    """What varies: bytes, or ranks where all points have the same size."""
    return "bytes" if len({point["size"] for curve in curves for point in curve["fit"]}) > 1 else "ranks"


def series_of(curve, axis):
    """Lists of points for a line each: one, or those of the fewest and of the most ranks."""
    if axis == "ranks":
        return [sorted(curve["fit"], key=lambda point: point["ranks"])]
    ranks = {point["ranks"] for point in curve["fit"]}
    return [sorted((point for point in curve["fit"] if point["ranks"] == some), key=lambda point: point["bytes"])
            for some in sorted({min(ranks), max(ranks)})]


def draw_curve(axes, curve, axis, colour):
    """Points and lines of one way; a second line, of the most ranks, is dashed."""
    for points, line in zip(series_of(curve, axis), ("-", "--")):
        at = [point[axis] for point in points]
        axes.plot(at, [point["us"] for point in points], "x", color=colour, markersize=4, zorder=3)
        label = curve["by"] + (f", {points[0]['ranks']:.0f} ranks" if axis == "bytes" and line == "--" else "")
        axes.plot(at, [point["fitted_us"] for point in points], line, color=colour, linewidth=1.2, label=label, zorder=2)
    if axis == "bytes":
        for term in curve["terms"]:
            if term.get("from", 0) > 0:
                axes.axvline(term["from"], color=colour, linestyle=":", linewidth=0.8, zorder=1)


def draw_panel(axes, name, curves):
    operation, nodes = name
    axis = axis_of(curves)
    for curve, colour in zip(curves, COLOURS * len(curves)):
        draw_curve(axes, curve, axis, colour)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlabel(axis, fontsize=8)
    axes.set_ylabel("microseconds", fontsize=8)
    axes.set_title(operation + (", several nodes" if nodes > 1 else ""), fontsize=9, loc="left")
    axes.legend(fontsize=6, frameon=False)
    axes.tick_params(labelsize=7)
    plots.decorate(axes)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("json", type=pathlib.Path, help="result of halocline-bench model --json")
    parser.add_argument("picture", type=pathlib.Path, help="file to write: .svg, .png or .pdf")
    parser.add_argument("--operations", nargs="*", help="these alone")
    options = parser.parse_args()
    report = json.loads(options.json.read_text())
    panels = {name: curves for name, curves in by_operation(report).items() if not options.operations or name[0] in options.operations}
    if not panels:
        sys.exit(f"no curve with several points in {options.json}")
    rows = -(-len(panels) // COLUMNS)
    figure, grid = plots.plt.subplots(rows, COLUMNS, figsize=(4.4 * COLUMNS, 3.1 * rows), squeeze=False)
    for axes, (name, curves) in zip(grid.flat, panels.items()):
        draw_panel(axes, name, curves)
    for axes in list(grid.flat)[len(panels):]:
        axes.set_visible(False)
    half = report["predicted_half"]
    figure.suptitle(f"{plots.machine_of(report['environment'])}; half of the points predicts the others: median error "
                    f"{100 * half['median']:.0f} %, worst {100 * half['worst']:.0f} %", fontsize=9, color=FAINT)
    figure.tight_layout(rect=(0, 0, 1, 0.98))
    plots.save(figure, options.picture)


if __name__ == "__main__":
    main()
