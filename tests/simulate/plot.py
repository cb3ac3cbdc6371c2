#!/usr/bin/env python3
"""Draws what `halocline-simulate --json` wrote: a picture of all figures of an experiment, and what was measured beside what was simulated.

plot.py JSON FOLDER [--name NAME]

Full lines with dots are simulated, dashed ones modelled (functions fitted to simulated points), dotted ones published, crosses measured.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "apps" / "common"))
import plots  # noqa: E402
from plots import FAINT  # noqa: E402

COLOURS = ("#0b6e8a", "#b3402e", "#c9a46b", "#5b8c5a", "#7d5ba6", "#333333", "#d17a22", "#4a90d9", "#aa4499", "#117733", "#e78ac3",
           "#8a8a2a", "#5c3a21", "#00b3a4")
STYLES = {"simulated": {"linestyle": "-", "marker": "o", "markersize": 3},
          "modelled": {"linestyle": "--", "marker": ""},
          "published": {"linestyle": ":", "marker": ""},
          "measured": {"linestyle": "", "marker": "x"}}
COLUMNS = 2


def colours_of(figure):
    """A colour for each name: what is modelled or published of it has the same."""
    names = list(dict.fromkeys(series["name"] for series in figure["series"]))
    return dict(zip(names, COLOURS * len(names)))


def legend_of(axes, figure):
    """An entry for each name, by its colour, and one for each kind of point that the figure has, in grey."""
    colours = colours_of(figure)
    entries = [plots.plt.Line2D([], [], color=colour, label=name) for name, colour in colours.items()]
    kinds = [kind for kind in STYLES if any(series["origin"] == kind for series in figure["series"])]
    entries += [plots.plt.Line2D([], [], color=FAINT, linewidth=1.2, label=kind, **STYLES[kind]) for kind in kinds]
    axes.legend(handles=entries, fontsize=6.5, frameon=False, loc="upper left", bbox_to_anchor=(1, 1))


def draw_figure(axes, figure):
    colours = colours_of(figure)
    for series in figure["series"]:
        at, values = zip(*series["points"])
        axes.plot(at, values, color=colours[series["name"]], linewidth=1.2, zorder=3, **STYLES[series["origin"]])
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlabel(figure["x"], fontsize=8)
    axes.set_ylabel(figure["y"], fontsize=8)
    axes.set_title(figure["title"], fontsize=9.5, loc="left", pad=14)
    axes.text(0, 1.015, f"after {figure['after']}", transform=axes.transAxes, fontsize=7.5, color=FAINT)
    legend_of(axes, figure)
    axes.tick_params(which="both", labelsize=7.5)
    plots.decorate(axes)


def draw_check(axes, checked):
    """Simulated over measured times of swaps, a colour for each mode; on the line they are equal."""
    modes = list(dict.fromkeys(one["mode"] for one in checked))
    for mode, colour in zip(modes, COLOURS * len(modes)):
        mine = [one for one in checked if one["mode"] == mode]
        axes.plot([one["measured_us"] for one in mine], [one["simulated_us"] for one in mine], "x", color=colour, label=mode, zorder=3)
    ends = [min(one["measured_us"] for one in checked), max(one["measured_us"] for one in checked)]
    axes.plot(ends, ends, color=FAINT, linewidth=0.8, zorder=2)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("measured, microseconds", fontsize=8)
    axes.set_ylabel("simulated, microseconds", fontsize=8)
    axes.set_title("Swaps of this machine", fontsize=9.5, loc="left")
    axes.legend(fontsize=6.5, frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
    axes.tick_params(which="both", labelsize=7.5)
    plots.decorate(axes)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("json", type=pathlib.Path, help="result of halocline-simulate --json")
    parser.add_argument("folder", type=pathlib.Path, help="where the pictures go")
    parser.add_argument("--name", default="simulation", help="of the picture (simulation)")
    options = parser.parse_args()
    report = json.loads(options.json.read_text())
    panels = [(draw_figure, figure) for figure in report.get("figures", [])]
    panels += [(draw_check, report["check"])] if report.get("check") else []
    if not panels:
        sys.exit(f"no figure in {options.json}")
    rows = -(-len(panels) // COLUMNS)
    figure, grid = plots.plt.subplots(rows, COLUMNS, figsize=(6.4 * COLUMNS, 3.4 * rows), squeeze=False)
    for axes, (draw, what) in zip(grid.flat, panels):
        draw(axes, what)
    for axes in list(grid.flat)[len(panels):]:
        axes.set_visible(False)
    figure.tight_layout()
    plots.save(figure, options.folder / f"{options.name}.png", dpi=75)


if __name__ == "__main__":
    main()
