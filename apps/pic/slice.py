#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws the plane of x and y from a NetCDF file of the mini-app pic: current along z with magnetic field lines, the field across the
sheets, density of electrons, magnetic field along z, which in reconnection comes from the Hall current.

usage: slice.py FILE.nc [--output PICTURE.png] [--z INDEX] [--record N] [--animation FILE.gif]

An animation has all records of the file (pic --output-every), in the colours of the chosen one.
Needs netCDF4 and matplotlib.
"""
import argparse
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))
import dataset  # noqa: E402
import plots  # noqa: E402


def read_arguments():
    parser = argparse.ArgumentParser(description="Draws a plane of a NetCDF file of pic.")
    parser.add_argument("file", help="what pic --output wrote")
    parser.add_argument("--output", help="the picture (default: the file's name with .png)")
    parser.add_argument("--z", type=int, default=0, help="which cell along z (0)")
    parser.add_argument("--record", type=int, default=-1, help="which record, from 0 (default: the last)")
    parser.add_argument("--animation", help="write all records to this file, .gif or .png, instead of a picture")
    return parser.parse_args()


def flux(magnetic_x, magnetic_y, dx, dy):
    """A vector potential along z, whose lines are those of the field: Bx = dA/dy, By = -dA/dx. Periodic, without the mean field."""
    jz = np.gradient(magnetic_y, dx, axis=0) - np.gradient(magnetic_x, dy, axis=1)
    kx = 2 * np.pi * np.fft.fftfreq(jz.shape[0], dx)[:, np.newaxis]
    ky = 2 * np.pi * np.fft.fftfreq(jz.shape[1], dy)[np.newaxis, :]
    square = kx**2 + ky**2
    square[0, 0] = 1
    transformed = np.fft.fft2(magnetic_y) * 1j * kx - np.fft.fft2(magnetic_x) * 1j * ky
    transformed[0, 0] = 0
    return np.real(np.fft.ifft2(transformed / square)), jz


def draw(axes, place, values, title, chosen):
    """The colours are those of the chosen record's values, centred on 0 where these have both signs."""
    centred = np.min(chosen) < 0 < np.max(chosen)
    colours, span = "RdBu_r" if centred else "viridis", {"vmin": float(np.min(chosen)), "vmax": float(np.max(chosen))}
    if centred:
        largest = float(np.percentile(np.abs(chosen), 99.5)) or 1.0
        span = {"vmin": -largest, "vmax": largest}
    mesh = axes.pcolormesh(*place, values.T, cmap=colours, shading="nearest", **span)
    axes.figure.colorbar(mesh, ax=axes, fraction=0.046)
    axes.set_title(title, fontsize=10, loc="left")
    axes.set_aspect("equal")


class Plane:
    """What is drawn of a record."""

    def __init__(self, data, record, z):
        def plane(name):
            return np.ma.getdata(data[name][record, :, :, z])

        layers = data["magnetic_x"].shape[-1]
        if not -layers <= z < layers:
            sys.exit(f"{data.filepath()}: --z {z}: it has {layers} cells along z, 0 to {layers - 1}")
        self.place, self.time = (data["x"][:], data["y"][:]), float(data["time"][record])
        bx, self.by, self.bz = plane("magnetic_x"), plane("magnetic_y"), plane("magnetic_z")
        self.light = next((name for name in data.variables if name.startswith("charge_density_")), None)
        if self.light is None:
            sys.exit(f"{data.filepath()}: it has no charge_density_..., so there are no particles whose current could be drawn")
        self.density = np.abs(plane(self.light))
        if min(bx.shape) < 2:
            sys.exit(f"{data.filepath()}: {bx.shape[0]} x {bx.shape[1]} cells along x and y; a picture of the plane needs at least 2 x 2")
        x, y = self.place
        self.lines, self.jz = flux(bx, self.by, x[1] - x[0], y[1] - y[0])


def figure_of(title, plane, chosen):
    figure, axes = plots.plt.subplots(2, 2, figsize=(11, 9), layout="constrained")
    draw(axes[0, 0], plane.place, plane.jz, "Current along z, and magnetic field lines", chosen.jz)
    axes[0, 0].contour(*plane.place, plane.lines.T, 24, colors="k", linewidths=0.6, linestyles="solid")
    draw(axes[0, 1], plane.place, plane.by, "Magnetic field along y", chosen.by)
    title_of_density = f"{plane.light.removeprefix('charge_density_').capitalize()}: magnitude of the charge per volume"
    draw(axes[1, 0], plane.place, plane.density, title_of_density, chosen.density)
    draw(axes[1, 1], plane.place, plane.bz, "Magnetic field along z", chosen.bz)
    for place in axes[:, 0]:
        place.set_ylabel("y, inertial lengths", fontsize=9)
    for place in axes[1]:
        place.set_xlabel("x, inertial lengths", fontsize=9)
    figure.suptitle(f"{title}, time {plane.time:g} inverse plasma frequencies", fontsize=12, x=0.01, ha="left")
    return figure


def main():
    options = read_arguments()
    picture = options.animation or options.output or str(pathlib.Path(options.file).with_suffix(".png"))
    with dataset.opened(options.file, "pic", "magnetic_x", "magnetic_y", "magnetic_z") as data:
        chosen = Plane(data, dataset.checked_record(data, options.record), options.z)
        if options.animation:
            records = range(len(data["time"]))
            plots.animate((figure_of(data.title, Plane(data, record, options.z), chosen) for record in records), picture)
        else:
            plots.save(figure_of(data.title, chosen, chosen), picture, dpi=130)
    print(f"written: {picture}")


if __name__ == "__main__":
    main()
