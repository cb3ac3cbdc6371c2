"""Who sends how much to whom, from the bytes that `halocline-trace --json` counts.

SPDX-License-Identifier: BSD-3-Clause
"""
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

from halocline.command.pictures import look
from halocline.command.words import Json, bytes_of

MOST_NUMBERS = 8  # ranks up to which each cell has its number


def matrix_of(trace: Json) -> list[list[float]]:
    """Bytes from the rank of the row to that of the column."""
    ranks, moved = trace["ranks"], trace["bytes"]
    return [[float(moved.get(str(origin), {}).get(str(target), 0)) for target in ranks] for origin in ranks]


def figure(trace: Json) -> Figure | None:
    """A coloured matrix; None if no byte was counted."""
    rows = matrix_of(trace)
    most = max((value for row in rows for value in row), default=0)
    if most == 0:
        return None
    drawn, axes = look.one(height=3.7)
    shades = LinearSegmentedColormap.from_list("shades", ["#ffffff00", look.ONE_SIDED])
    axes.pcolormesh(rows, cmap=shades, vmin=0, vmax=most, edgecolors=look.GRID, linewidth=0.5)
    if len(rows) <= MOST_NUMBERS:
        for i, row in enumerate(rows):
            for j, value in enumerate(row):
                colour = "#ffffff" if value > 0.6 * most else look.INK
                axes.text(j + 0.5, i + 0.5, bytes_of(value) if value else "–", ha="center", va="center", fontsize=8, color=colour)
    step = -(-len(rows) // 16)
    ticks = range(0, len(rows), step)
    axes.set_xticks([i + 0.5 for i in ticks], [str(trace["ranks"][i]) for i in ticks])
    axes.set_yticks([i + 0.5 for i in ticks], [str(trace["ranks"][i]) for i in ticks])
    axes.invert_yaxis()
    axes.set_aspect("equal")
    look.label(axes, "to rank", "from rank")
    look.title(axes, "Bytes between ranks")
    look.decorate(axes, hidden=("top", "right", "left", "bottom"))
    axes.grid(False)
    drawn.tight_layout()
    return drawn
