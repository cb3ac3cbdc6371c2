#!/usr/bin/env python3
"""Draws what ranking.py found: of each app how many times shorter communication is than with p2p, by way to communicate.

ranking_plot.py JSON PICTURE

A mark is the median of the launches, its line goes from the least to the most. At the right: what the paper gained.

SPDX-License-Identifier: BSD-3-Clause
"""
import json
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "common"))
import placing  # noqa: E402
import plots  # noqa: E402

LOOK = {"MPI RMA": ("#c9a46b", "s"), "notify": ("#8fb8c6", "o"), "direct": ("#0b6e8a", "D"), "view": ("#b3402e", "^"),
        "auto": ("#6b8e23", "*")}
STEP = 0.15  # between the marks of an app


def draw_marks(axes, rows):
    for number, (column, (colour, mark)) in enumerate(LOOK.items()):
        at, middle, ends = [], [], ([], [])
        for place, row in enumerate(rows):
            gains = row["columns"].get(column, {}).get("communication_gain")
            if gains:
                at.append(place + STEP * (number - 2))
                middle.append(statistics.median(gains))
                ends[0].append(middle[-1] - min(gains))
                ends[1].append(max(gains) - middle[-1])
        axes.errorbar(middle, at, xerr=ends, fmt=mark, color=colour, ecolor=colour, elinewidth=1, markersize=6, label=column, zorder=3)


def label_of(row):
    """The app, its problem, and the columns without a mark: those whose communication is hidden, in some launch at least."""
    hidden = [column for column in LOOK if row["columns"].get(column, {}).get("communication_gain") == []]
    return f"{row['app']}\n{row['problem']}" + (f"\nhidden, so no ratio: {', '.join(hidden)}" if hidden else "")


def draw(found, picture):
    rows = found["rows"]
    figure, axes = plots.plt.subplots(figsize=(11, 0.8 * len(rows) + 1.6))
    draw_marks(axes, rows)
    for at, style in ((1, "-"), (placing.AIM, "--")):
        axes.axvline(at, color=plots.FAINT, linewidth=1, linestyle=style, zorder=2)
    axes.set_xscale("log")
    ticks = [tick for tick in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50) if axes.get_xlim()[0] <= tick <= axes.get_xlim()[1]]
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.set_xticks([], minor=True)
    axes.set_yticks(range(len(rows)), [label_of(row) for row in rows], fontsize=8)
    axes.invert_yaxis()
    for place, row in enumerate(rows):
        axes.annotate("paper: " + row["gain"].replace(" (", "\n("), (1.01, place), xycoords=("axes fraction", "data"), va="center",
                      fontsize=7.5, color=plots.FAINT)
    axes.set_xlabel("communication with p2p / this: to the right is faster; dashed: twice as fast", fontsize=9)
    axes.set_title(f"Communication of the mini-apps, {found['ranks']} ranks on one node", fontsize=11, loc="left", pad=20)
    plots.decorate(axes)
    where = f"{plots.machine_of(found['environment'])}, {found['launches']} launches"
    axes.annotate(where, (0, 1), (0, 6), xycoords="axes fraction", textcoords="offset points", fontsize=8, color=plots.FAINT)
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncol=len(labels), fontsize=9, frameon=False)
    figure.tight_layout(rect=(0, 0.05, 1, 1))
    plots.save(figure, picture, dpi=110)


if __name__ == "__main__":
    draw(json.loads(pathlib.Path(sys.argv[1]).read_text()), sys.argv[2])
