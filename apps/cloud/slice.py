#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws the last state in a NetCDF file of the cloud mini-app.

usage: slice.py FILE.nc [--output PICTURE.png] [--y METRES] [--record N] [--animation FILE.gif]

Where the file has liquid water, a vertical slice of it and of the upward wind, over x and height; and from above, over x and y, the
liquid water path and the upward wind at the height of most liquid water. Dashed lines show where each cuts the other. Without liquid
water, four slices: liquid water potential temperature less its mean at each height, total water, upward wind, and a tracer. An animation
has all states of the file (cloud --output-every), in the colours of the chosen one. Needs netCDF4 and matplotlib.
"""
import argparse
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))
import dataset  # noqa: E402
import plots  # noqa: E402

# Variable, title, factor from the file's unit, unit as printed, colour map, and whether the colours are centred on 0. The inversion parts
# the air by 8.5 K, so that only differences from the mean at a height show what moves.
LIQUID = ("q_l", "Liquid water", 1000.0, "g kg⁻¹", "Blues_r", False)
RISING = ("w", "Upward wind", 1.0, "m s⁻¹", "RdBu_r", True)
PANELS = [
    ("theta_l", "Liquid water potential temperature, less its mean", 1.0, "K", "RdYlBu_r", True),
    ("q_t", "Total water", 1000.0, "g kg⁻¹", "YlGnBu", False),
    RISING,
    ("tracer_19", "Passive tracer", 1.0, "1", "viridis", False),
]


def read_arguments():
    parser = argparse.ArgumentParser(description="Draws a vertical slice through a NetCDF file of cloud.")
    parser.add_argument("file", help="what cloud --output wrote")
    parser.add_argument("--output", help="the picture (default: the file's name with .png)")
    parser.add_argument("--y", type=float, help="where to cut, in metres (default: the middle)")
    parser.add_argument("--record", type=int, default=-1, help="which state, from 0 (default: the last)")
    parser.add_argument("--animation", help="write all states to this file, .gif or .png, instead of a picture")
    return parser.parse_args()


def slice_of(variable, record, y):
    """The values over (height, x) nearest to y, with the coordinates in kilometres; of theta_l, less the mean of their height."""
    names = variable.dimensions
    across = variable.group()[names[2]][:]
    place = len(across) // 2 if y is None else int(np.argmin(np.abs(across - y)))
    x = variable.group()[names[3]][:] / 1000
    z = variable.group()[names[1]][:] / 1000
    values = np.ma.getdata(variable[record, :, place, :])
    if variable.name == "theta_l":
        values = values - np.mean(np.ma.getdata(variable[record]), axis=(1, 2), dtype=float)[:, np.newaxis]
    return x, z, values


def draw_panel(axes, variable, panel, record, arguments):
    x, z, values = slice_of(variable, record, arguments.y)
    paint(axes, (x, z, values * panel[2]), panel, slice_of(variable, arguments.record, arguments.y)[2] * panel[2])


def paint(axes, field, panel, chosen):
    """Values over two coordinates, with a colour bar; the colours are those of the chosen state's values."""
    _, title, _, unit, colours, centred = panel
    x, z, values = field
    span = {"vmin": float(np.min(chosen)), "vmax": float(np.max(chosen))}
    if centred:
        # A few cells at the inversion differ far more than all others: they may lie beyond the ends of the colours.
        largest = float(np.percentile(np.abs(chosen), 98)) or 1.0
        span = {"vmin": -largest, "vmax": largest}
    image = axes.pcolormesh(x, z, values, cmap=colours, shading="nearest", rasterized=True, **span)
    axes.set_title(title, fontsize=10)
    bar = axes.figure.colorbar(image, ax=axes, pad=0.02, extend="both" if centred else "neither")
    bar.set_label(unit)
    bar.ax.tick_params(labelsize=8)
    axes.tick_params(labelsize=8)


def draw_slices(data, record, arguments):
    figure, axes = plots.plt.subplots(2, 2, figsize=(9.5, 6), sharex=True, sharey=True, layout="constrained")
    for place, panel in zip(axes.flat, PANELS):
        draw_panel(place, data[panel[0]], panel, record, arguments)
    for place in axes[:, 0]:
        place.set_ylabel("height / km")
    return figure, axes


def draw_cloud(data, record, arguments):
    figure, axes = plots.plt.subplots(2, 2, figsize=(9.5, 7), sharex=True, layout="constrained")
    kilometres = {name: np.ma.getdata(data[name][:]) / 1000 for name in ("x", "y", "z", "z_w")}
    liquid, chosen = (np.ma.getdata(data["q_l"][number]).astype(float) for number in (record, arguments.record))
    level = int(np.argmax(chosen.mean(axis=(1, 2))))
    row = len(kilometres["y"]) // 2 if arguments.y is None else int(np.argmin(np.abs(kilometres["y"] - arguments.y / 1000)))
    for place, panel in zip(axes[0], (LIQUID, RISING)):
        draw_panel(place, data[panel[0]], panel, record, arguments)
        place.axhline(kilometres["z"][level], color=plots.INK, linewidth=0.8, linestyle="--")
        place.set_ylim(0, 1.3 * kilometres["z"][level])
    axes[0, 0].set_ylabel("height / km")
    place, panel = (kilometres["x"], kilometres["y"]), ("", "Liquid water path", 1.0, "g m⁻²", "Blues_r", False)
    paint(axes[1, 0], (*place, liquid_water_path(data, liquid)), panel, liquid_water_path(data, chosen))
    rising, strongest = (np.ma.getdata(data["w"][number, level]) for number in (record, arguments.record))
    title = f"Upward wind at {1000 * kilometres['z_w'][level]:.0f} m"
    paint(axes[1, 1], (*place, rising), ("", title, *RISING[2:]), strongest)
    for place in axes[1]:
        place.axhline(kilometres["y"][row], color=plots.INK, linewidth=0.8, linestyle="--")
        place.set_aspect("equal")
    axes[1, 0].set_ylabel("y / km")
    return figure, axes


def liquid_water_path(data, liquid):
    """Grams per square metre over (y, x): the mixing ratio times the density of the air at rest, summed over the layers."""
    face = np.concatenate(([0.0], np.ma.getdata(data["z_w"][:])))
    weight = np.ma.getdata(data["air_density"][:]) * np.diff(face)
    return 1000 * np.tensordot(weight, liquid, axes=1)


def figure_of(data, record, arguments):
    figure, axes = (draw_cloud if "q_l" in data.variables else draw_slices)(data, record, arguments)
    for place in axes[1]:
        place.set_xlabel("x / km")
    seconds = float(data["time"][record])
    ranks = f"{data.ranks} rank{'s' if data.ranks > 1 else ''}"
    figure.suptitle(f"{data.title} after {seconds:g} s, {ranks}, mode {data.halo_mode}", fontsize=12)
    return figure


def main():
    arguments = read_arguments()
    target = arguments.output or str(pathlib.Path(arguments.file).with_suffix(".png"))
    with dataset.opened(arguments.file, "cloud", "theta_l", "q_t", "w") as data:
        dataset.checked_record(data, arguments.record)
        if arguments.animation:
            plots.animate((figure_of(data, record, arguments) for record in range(len(data["time"]))), arguments.animation)
        else:
            plots.save(figure_of(data, arguments.record, arguments), target)
    return 0


if __name__ == "__main__":
    sys.exit(main())
