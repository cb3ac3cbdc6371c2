#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws the plane of x and y from a NetCDF file of the mini-app pic: current along z with magnetic field lines, the field across the
sheets, density of electrons, magnetic field along z, which in reconnection comes from the Hall current.

usage: slice.py FILE.nc [--output PICTURE.png] [--z INDEX] [--record N]

Needs netCDF4 and matplotlib.
"""
import argparse
import pathlib
import sys

import netCDF4
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))
import plots  # noqa: E402


def read_arguments():
    parser = argparse.ArgumentParser(description="Draws a plane of a NetCDF file of pic.")
    parser.add_argument("file", help="what pic --output wrote")
    parser.add_argument("--output", help="the picture (default: the file's name with .png)")
    parser.add_argument("--z", type=int, default=0, help="which cell along z (0)")
    parser.add_argument("--record", type=int, default=-1, help="which record, from 0 (default: the last)")
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


def draw(axes, place, values, title, centred=True):
    colours, span = "RdBu_r" if centred else "viridis", {}
    if centred:
        largest = float(np.percentile(np.abs(values), 99.5)) or 1.0
        span = {"vmin": -largest, "vmax": largest}
    mesh = axes.pcolormesh(*place, values.T, cmap=colours, shading="nearest", **span)
    axes.figure.colorbar(mesh, ax=axes, fraction=0.046)
    axes.set_title(title, fontsize=10, loc="left")
    axes.set_aspect("equal")


def main():
    options = read_arguments()
    with netCDF4.Dataset(options.file) as data:
        def plane(name):
            return np.ma.getdata(data[name][options.record, :, :, options.z])

        x, y, time, title = data["x"][:], data["y"][:], float(data["time"][options.record]), data.title
        bx, by, bz = plane("magnetic_x"), plane("magnetic_y"), plane("magnetic_z")
        light = next(name for name in data.variables if name.startswith("charge_density_"))
        density = plane(light)
    if min(bx.shape) < 2:
        sys.exit(f"{options.file}: {bx.shape[0]} x {bx.shape[1]} cells along x and y; a picture of the plane needs at least 2 x 2")
    lines, jz = flux(bx, by, x[1] - x[0], y[1] - y[0])
    figure, axes = plots.plt.subplots(2, 2, figsize=(11, 9), layout="constrained")
    draw(axes[0, 0], (x, y), jz, "Current along z, and magnetic field lines")
    axes[0, 0].contour(x, y, lines.T, 24, colors="k", linewidths=0.6, linestyles="solid")
    draw(axes[0, 1], (x, y), by, "Magnetic field along y")
    title_of_density = f"{light.removeprefix('charge_density_').capitalize()}: magnitude of the charge per volume"
    draw(axes[1, 0], (x, y), np.abs(density), title_of_density, centred=False)
    draw(axes[1, 1], (x, y), bz, "Magnetic field along z")
    figure.suptitle(f"{title}, time {time:g}", fontsize=12, x=0.01, ha="left")
    picture = options.output or str(pathlib.Path(options.file).with_suffix(".png"))
    plots.save(figure, picture, dpi=130)
    print(f"written: {picture}")


if __name__ == "__main__":
    main()
