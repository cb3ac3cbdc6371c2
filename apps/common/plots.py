"""What the pictures of the apps and of the bench have in common: how matplotlib is opened, the look of axes, the MPI in words, the file.

SPDX-License-Identifier: BSD-3-Clause
"""
import statistics

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

INK, FAINT, GRID = "#333333", "#666666", "#e4e4e4"


def mpi_of(environment):
    """The MPI of a report in a few words."""
    return " ".join(environment["mpi"].replace("\n", ",").split(",")[0].split())


def draw_band(axes, at, samples, **line):
    """A line through the medians of several lists of samples, and a band from the least to the most of each."""
    axes.plot(at, [statistics.median(some) for some in samples], linewidth=1.5, zorder=3, **line)
    least, most = [min(some) for some in samples], [max(some) for some in samples]
    axes.fill_between(at, least, most, color=line.get("color"), alpha=0.12, linewidth=0, zorder=2)


def decorate(axes, grid="both", hidden=("top", "right")):
    axes.grid(axis=grid, color=GRID, zorder=0)
    for side in hidden:
        axes.spines[side].set_visible(False)


def save(figure, picture, dpi=150):
    figure.savefig(picture, dpi=dpi)
    plt.close(figure)
    print(picture)
