#!/usr/bin/env python3
"""What the pictures of the apps and of the bench have in common: how matplotlib is opened, the look of axes, the MPI in words, the file.

plots.py PAGE PICTURE...   puts pictures on one page

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import json
import pathlib
import statistics
import sys

import summary

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bindings" / "python" / "src"))
from halocline.command.pictures.look import (  # noqa: E402, F401
    FAINT,
    GRID,
    INK,
    decorate,
    machine_of,
    mpi_of,
    plt,
    save,
)


def arguments(description):
    """What a plot of an app is called with: the reports of its sweep, and the file to draw."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("json", type=pathlib.Path, help="what bench.py wrote")
    parser.add_argument("picture", type=pathlib.Path, help="file to write: .svg, .png or .pdf")
    options = parser.parse_args()
    return json.loads(options.json.read_text())["sweep"], options.picture


def draw_band(axes, at, samples, **line):
    """A line through the medians of several lists of samples, and a band of their intervals (summary.interval)."""
    axes.plot(at, [statistics.median(some) for some in samples], linewidth=1.5, zorder=3, **line)
    least, most = zip(*map(summary.interval, samples))
    axes.fill_between(at, least, most, color=line.get("color"), alpha=0.12, linewidth=0, zorder=2)


def decorate_over_ranks(axes, at, unit, title):
    """Both axes logarithmic, the ranks `at` the ticks."""
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xticks(at, [str(ranks) for ranks in at])
    axes.set_xlabel("ranks", fontsize=9)
    axes.set_ylabel(unit, fontsize=9)
    axes.set_title(title, fontsize=11, loc="left")
    decorate(axes)


def animate(frames, file, dpi=70, milliseconds=150):
    """Writes figures as an animated GIF or, by the file's name, PNG, which repeats; each is closed when it has been drawn."""
    from PIL import Image  # it comes with matplotlib, and pictures do without it

    images = []
    for figure in frames:
        figure.set_dpi(dpi)
        figure.canvas.draw()
        images.append(Image.frombytes("RGBA", figure.canvas.get_width_height(), bytes(figure.canvas.buffer_rgba())).convert("RGB"))
        plt.close(figure)
    images[0].save(file, save_all=True, append_images=images[1:], duration=milliseconds, loop=0)


def draw_page(page, pictures):
    """Pictures in two columns, each as wide as its column."""
    images = [plt.imread(picture) for picture in pictures]
    columns = [images[::2], images[1::2]]
    shapes = [[image.shape[0] / image.shape[1] for image in column] for column in columns if column]
    figure = plt.figure(figsize=(8 * len(shapes), 8 * max(map(sum, shapes))))
    for c, column in enumerate(columns[:len(shapes)]):
        top = 1.0
        for image, shape in zip(column, shapes[c]):
            height = shape / max(map(sum, shapes))
            top -= height
            axes = figure.add_axes((c / len(shapes), top, 1 / len(shapes), height))
            axes.imshow(image, aspect="auto")
            axes.axis("off")
    save(figure, page)


if __name__ == "__main__":
    draw_page(sys.argv[1], sys.argv[2:])
