#!/usr/bin/env python3
"""Draws what drop_in.py has measured: rma_calls.png, rma_windows.png and rma_halo.png, each if its part was measured.

drop_in_plot.py JSON FOLDER

The last one shows the one-sided modes with and without the library, as figure 10 of the MONC paper shows them with and without DMAPP.

SPDX-License-Identifier: BSD-3-Clause
"""
import json
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "apps" / "common"))
import plots  # noqa: E402

import drop_in_tables as tables  # noqa: E402

OURS, LIMIT = "#0b6e8a", "#b3402e"
HOSTS = ("#c9852f", "#7a6aa8", "#6f9f4f", "#a0527c")
MARKERS = ("o", "s", "^", "v")


def draw_transfers(axes, operations, mpis, title):
    """Times over sizes, and the limit dashed."""
    sizes = [one.bytes for one in operations]
    for mpi, host_color, marker in zip(mpis, HOSTS, MARKERS):
        for key, color, label in (("ours_us", OURS, f"ours, {mpi}"), ("host_us", host_color, mpi)):
            times = [one.typical(mpi, key) for one in operations]
            axes.plot(sizes, times, color=color, marker=marker, markersize=3.5, linewidth=1, label=label)
    axes.plot(sizes, [one.typical(mpis[0], "limit_us") for one in operations], color=LIMIT, linestyle="--", label="a copy")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlabel("bytes")
    axes.set_ylabel("microseconds")
    axes.set_title(title, fontsize=10, loc="left")
    plots.decorate(axes)


def draw_bars(axes, names, series):
    """Groups of horizontal bars: (label, color, values), the first group at the top."""
    height = 0.8 / len(series)
    for i, (label, color, values) in enumerate(series):
        places = [-place + 0.4 - (i + 0.5) * height for place in range(len(names))]
        axes.barh(places, values, height=height * 0.92, color=color, label=label, zorder=2)
    axes.set_yticks([-place for place in range(len(names))], names, fontsize=8.5)
    axes.set_xscale("log")
    axes.set_xlabel("microseconds")
    plots.decorate(axes, grid="x")


def draw_calls(found, picture):
    mpis = tables.in_order(one["mpi"] for one in found["calls"])
    operations = tables.operations_of(found["calls"])
    others = [one for one in operations if one.name not in ("put + flush", "get + flush")]
    figure, panels = plots.plt.subplots(1, 3, figsize=(15, 5.2), gridspec_kw={"width_ratios": (1, 1, 1.4)})
    for axes, name in zip(panels, ("put + flush", "get + flush")):
        draw_transfers(axes, [one for one in operations if one.name == name], mpis, f"{name}, {found['ranks']} ranks")
    panels[0].legend(fontsize=7.5, frameon=False)
    series = []
    for mpi, host_color in zip(mpis, HOSTS):
        series.append((f"ours, {mpi}", OURS, [one.typical(mpi, "ours_us") for one in others]))
        series.append((mpi, host_color, [one.typical(mpi, "host_us") for one in others]))
    series.append(("limit", LIMIT, [one.typical(mpis[0], "limit_us") for one in others]))
    draw_bars(panels[2], [f"{one.name}{f', {one.bytes:,} B' if one.bytes > 8 else ''}" for one in others], series)
    panels[2].legend(fontsize=7.5, frameon=False)
    figure.tight_layout()
    plots.save(figure, picture)


def draw_windows(found, picture):
    """Time and memory of each kind over the ranks."""
    measured = found["windows"]
    kinds, mpis = (tables.in_order(one[key] for one in measured) for key in ("kind", "mpi"))
    figure, panels = plots.plt.subplots(2, len(kinds), figsize=(3.6 * len(kinds), 6.4), squeeze=False)
    for column, kind in enumerate(kinds):
        for mpi, host_color, marker in zip(mpis, HOSTS, MARKERS):
            rows = [one for one in measured if (one["kind"], one["mpi"]) == (kind, mpi)]
            ranks = [one["ranks"] for one in rows]
            for side, color, label in (("ours", OURS, f"ours, {mpi}"), ("host", host_color, mpi)):
                line = {"color": color, "marker": marker, "markersize": 3.5, "label": label}
                panels[0, column].plot(ranks, [one[side]["median_us"] for one in rows], **line)
                panels[1, column].plot(ranks, [(one[side]["own_bytes"] + one[side]["shared_bytes"]) / 1024 for one in rows], **line)
        panels[0, column].set_title(kind, fontsize=10, loc="left")
        panels[0, column].set_yscale("log")
        panels[1, column].set_xlabel("ranks")
        for axes in panels[:, column]:
            axes.set_xscale("log", base=2)
            plots.decorate(axes)
    panels[0, 0].set_ylabel("microseconds, made and freed")
    panels[1, 0].set_ylabel("KiB per rank and window")
    panels[0, 0].legend(fontsize=7.5, frameon=False)
    figure.tight_layout()
    plots.save(figure, picture)


def draw_halo(found, picture):
    measured = found["halo"]
    mpis = tables.in_order(one["mpi"] for one in measured)
    sizes = tables.in_order((one["cells"], one["fields"]) for one in measured)
    figure, panels = plots.plt.subplots(1, len(sizes), figsize=(5.2 * len(sizes), 5), squeeze=False)
    for axes, (cells, fields) in zip(panels[0], sizes):
        here = [one for one in measured if (one["cells"], one["fields"]) == (cells, fields)]
        names = [mode for mode in tables.in_order(name for one in here for name in one["modes"])
                 if mode in tables.ONE_SIDED or mode in ("p2p", "notify", "direct")]
        series = []
        for mpi, host_color in zip(mpis, HOSTS):
            for loaded, color, label in ((False, host_color, mpi), (True, OURS, f"{mpi}, with the library")):
                series.append((label, color, [statistics.median(tables.swaps_of(here, mpi, loaded, name) or [0]) for name in names]))
        draw_bars(axes, names, series)
        axes.axvline(statistics.median([one["limit_us"] for one in here]), color=LIMIT, linestyle="--", zorder=4)
        axes.set_title(f"{cells.replace(',', ' × ')} cells, {fields} field{'s' if fields > 1 else ''}", fontsize=10, loc="left")
    # One for all, below: the bars leave no room.
    handles, labels = panels[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncol=len(mpis), fontsize=8, frameon=False)
    figure.tight_layout(rect=(0, 0.09, 1, 1))
    plots.save(figure, picture)


def main():
    found, folder = json.loads(pathlib.Path(sys.argv[1]).read_text()), pathlib.Path(sys.argv[2])
    for part, draw in (("calls", draw_calls), ("windows", draw_windows), ("halo", draw_halo)):
        if found[part]:
            draw(found, folder / f"rma_{part}.png")


if __name__ == "__main__":
    main()
