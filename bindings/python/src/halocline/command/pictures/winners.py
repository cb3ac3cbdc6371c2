"""Which mode the machine card predicts to be the fastest, over bytes and neighbours.

SPDX-License-Identifier: BSD-3-Clause
"""
import math

from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from halocline.command.card import Card, fastest, one_message_each
from halocline.command.pictures import look

NEIGHBOURS = (1, 2, 4, 6, 8, 12, 18, 26)


def sizes_of(card: Card, nodes: int = 1) -> list[float]:
    """Powers of two between the fewest and the most bytes that were measured."""
    swaps = card.swaps(nodes)
    if not swaps:
        return []
    least = min(curve.bytes_range[0] for curve in swaps)
    most = max(curve.bytes_range[1] for curve in swaps)
    low, high = math.floor(math.log2(max(least, 8))), math.ceil(math.log2(max(most, 1024)))
    return [2.0**power for power in range(low, high + 1)]


def winners(card: Card, ranks: float = 2, nodes: int = 1) -> list[list[str]]:
    """Rows of modes, one row per number of neighbours, one column per size. Each neighbour's data are one contiguous run."""
    return [[fastest(card.swaps(nodes), one_message_each(size, count, ranks, nodes))[0][1].by
             for size in sizes_of(card, nodes)] for count in NEIGHBOURS]


def figure(card: Card, ranks: float = 2, nodes: int = 1) -> Figure | None:
    """A coloured map; None if the card has no swaps."""
    if not card.swaps(nodes):
        return None
    rows, sizes = winners(card, ranks, nodes), sizes_of(card, nodes)
    names = sorted({name for row in rows for name in row})
    palette = dict(zip(names, look.COLOURS))
    drawn, axes = look.one()
    axes.pcolormesh([[names.index(name) for name in row] for row in rows], cmap=ListedColormap([palette[name] for name in names]),
                    vmin=-0.5, vmax=len(names) - 0.5, edgecolors="none", alpha=0.9)
    axes.set_xticks([i + 0.5 for i in range(0, len(sizes), 3)], [size_tick(size) for size in sizes[::3]])
    axes.set_yticks([i + 0.5 for i in range(len(NEIGHBOURS))], [str(count) for count in NEIGHBOURS])
    look.label(axes, "bytes that a rank gets from others", "neighbours")
    look.title(axes, "Fastest mode, predicted")
    look.decorate(axes, hidden=("top", "right", "left", "bottom"))
    axes.grid(False)
    axes.legend(handles=[Patch(color=palette[name], label=name) for name in names], fontsize=8, frameon=False, labelcolor=look.INK,
                loc="upper center", bbox_to_anchor=(0.5, -0.18), ncols=4)
    drawn.tight_layout()
    return drawn


def size_tick(size: float) -> str:
    for unit, big in (("Mi", 2**20), ("Ki", 2**10)):
        if size >= big:
            return f"{size / big:.0f} {unit}"
    return f"{size:.0f}"
