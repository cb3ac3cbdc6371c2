"""What all pictures have in common: how Matplotlib is opened, colours, the look of axes, the machine in words, the file.

SPDX-License-Identifier: BSD-3-Clause
"""
import io
import re
from typing import Any, Literal

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.axes import Axes  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402

from halocline.command.words import mpi_of as mpi_in_words  # noqa: E402

INK, FAINT, GRID = "#333333", "#666666", "#e4e4e4"
ONE_SIDED, MPI, HAND, LIMIT = "#0b6e8a", "#8fb8c6", "#c9a46b", "#b3402e"
NODE_MODES = ("auto", "direct", "notify", "notify_node", "view")
COLOURS = (ONE_SIDED, LIMIT, HAND, "#5b8c5a", "#7d5ba6", INK, "#d17a22", "#4a90d9", "#999933", "#aa4499", "#117733")
# The colours that a page replaces by its own, light or dark.
VARIABLES = {INK: "--ink", FAINT: "--faint", GRID: "--grid", ONE_SIDED: "--teal", MPI: "--mist", HAND: "--sand", LIMIT: "--brick"}


def mode_colour(mode: str) -> str:
    """The modes over shared memory, those over MPI, and the hand-written swap."""
    if mode.startswith(("hand_", "petsc_")):
        return HAND
    return ONE_SIDED if mode in NODE_MODES else MPI


def mpi_of(environment: dict[str, Any]) -> str:
    """The MPI of a report in a few words."""
    return mpi_in_words(environment["mpi"])


def machine_of(environment: dict[str, Any]) -> str:
    """Nodes, cores, processor and MPI of a report in a line."""
    nodes = f"{environment['nodes']} emulated or real nodes, " if environment["nodes"] > 1 else ""
    return f"{nodes}{environment['cores']} cores, {environment['cpu']}, {mpi_of(environment)}"


def decorate(axes: Axes, grid: Literal["both", "x", "y"] = "both", hidden: tuple[str, ...] = ("top", "right")) -> None:
    axes.grid(axis=grid, color=GRID, zorder=0)
    axes.tick_params(colors=FAINT)
    for side, spine in axes.spines.items():
        spine.set_visible(side not in hidden)
        spine.set_edgecolor(FAINT)


def title(axes: Axes, text: str) -> None:
    axes.set_title(text, fontsize=10, loc="left", color=INK)


def label(axes: Axes, x: str, y: str) -> None:
    axes.set_xlabel(x, fontsize=8.5, color=FAINT)
    axes.set_ylabel(y, fontsize=8.5, color=FAINT)
    axes.tick_params(labelsize=8)


def legend(axes: Axes, columns: int = 1) -> None:
    """One for the lines that have a name, in the ink of the page."""
    if axes.get_legend_handles_labels()[0]:
        axes.legend(fontsize=7.5, frameon=False, labelcolor=INK, ncols=columns)


def one(width: float = 4.5, height: float = 3.1) -> tuple[Figure, Axes]:
    """A figure of one panel, as wide as a column of the report."""
    figure, axes = plt.subplots(figsize=(width, height))
    return figure, axes


def grid(rows: int, columns: int, **more: Any) -> tuple[Figure, Any]:
    """A figure of several panels, and the array of them."""
    return plt.subplots(rows, columns, **more)


def save(figure: Figure, picture: Any, dpi: int = 150) -> None:
    figure.savefig(picture, dpi=dpi)
    plt.close(figure)
    print(picture)


def inline_svg(figure: Figure, name: str, words: str) -> str:
    """A figure as an element of a page: its own names, the page's fonts and colours, as wide as its place. words: for who does not see."""
    buffer = io.StringIO()
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": name}):
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    plt.close(figure)
    return adapt_svg(buffer.getvalue(), name, words)


def adapt_svg(text: str, name: str, words: str) -> str:
    """A picture of a file as an element of a page. Several of them must not share a name."""
    text = text[text.index("<svg"):]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.S)
    text = re.sub(r'\bid="', f'id="{name}-', text)
    text = re.sub(r'(xlink:href="#|url\(#)', rf"\g<1>{name}-", text)
    for colour, variable in VARIABLES.items():
        text = re.sub(rf"{colour}\b", f"var({variable})", text, flags=re.I)
    # Presentation attributes know no variables; style does.
    text = re.sub(r'\b(fill|stroke)="(var\([^"]*\))"', r'style="\1: \2"', text)
    head, tail = text.split(">", 1)
    if "viewBox" not in head:
        size = [re.search(rf'{side}="([0-9.]+)', head) for side in ("width", "height")]
        head += ' viewBox="0 0 {} {}"'.format(*(found[1] if found else 0 for found in size))
    head = re.sub(r'\s(width|height)="[^"]*"', "", head)
    return f'{head} role="img" aria-label="{words}">{tail}'
