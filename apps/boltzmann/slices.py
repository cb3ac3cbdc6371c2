#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws the two fluids in a NetCDF file of boltzmann: a slice through the order parameter at several times, and the size of the domains.

usage: slices.py FILE.nc [--output PICTURE.png] [--y PLANE] [--animation FILE.gif]

An animation has all states of the file (boltzmann --output-every).
The size is 2 pi over the mean wave number of the spectrum of the order parameter, as in Kendon et al., J. Fluid Mech. 440 (2001) 147.
Needs netCDF4 and matplotlib.
"""
import argparse
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))
import dataset  # noqa: E402
import plots  # noqa: E402

MOST_SLICES = 5


def read_arguments():
    parser = argparse.ArgumentParser(description="Draws slices through the two fluids in a NetCDF file of boltzmann.")
    parser.add_argument("file", help="what boltzmann --output wrote")
    parser.add_argument("--output", help="the picture (default: the file's name with .png)")
    parser.add_argument("--y", type=int, help="the plane, from 0 (default: the middle)")
    parser.add_argument("--animation", help="write all states to this file, .gif or .png, instead of a picture")
    return parser.parse_args()


def domain_size(phi):
    """2 pi over the mean wave number, weighted with the spectrum, in spacings."""
    spectrum = np.abs(np.fft.fftn(phi - phi.mean())) ** 2
    waves = [2 * np.pi * np.fft.fftfreq(n) for n in phi.shape]
    length = np.sqrt(sum(wave ** 2 for wave in np.meshgrid(*waves, indexing="ij")))
    return 2 * np.pi * spectrum.sum() / (length * spectrum).sum()


def draw_slice(axes, phi, plane, time):
    image = axes.imshow(phi[:, plane, :].T, origin="lower", cmap="RdYlBu_r", vmin=-1, vmax=1, interpolation="nearest")
    axes.set_title(f"step {time:.0f}", fontsize=10, loc="left")
    axes.set_xlabel("x", fontsize=9)
    axes.tick_params(labelsize=8)
    return image


def draw_sizes(axes, times, sizes):
    axes.plot(times, sizes, color="#0b6e8a", marker="o", markersize=4)
    axes.set_xlabel("step", fontsize=9)
    axes.set_ylabel("size of the domains, spacings", fontsize=9)
    axes.set_title("Coarsening", fontsize=10, loc="left")
    axes.set_ylim(bottom=0)
    plots.decorate(axes)


def frames_of(phi, plane, times):
    """A slice of each state beside the size of its domains."""
    sizes = [domain_size(state) for state in phi]
    for record, time in enumerate(times):
        figure, (left, right) = plots.plt.subplots(1, 2, figsize=(8, 3.6), layout="constrained")
        figure.colorbar(draw_slice(left, phi[record], plane, time), ax=left, shrink=0.8, label="order parameter")
        draw_sizes(right, times[:record + 1], sizes[:record + 1])
        right.set_xlim(times[0], max(times[-1], times[0] + 1))
        right.set_ylim(0, 1.05 * max(sizes))
        yield figure


def main():
    options = read_arguments()
    with dataset.opened(options.file, "boltzmann", "density") as file:
        if "order_parameter" not in file.variables:
            sys.exit(f"{options.file}: no order_parameter, so there is one fluid")
        phi, times = np.ma.getdata(file["order_parameter"][:]), np.ma.getdata(file["time"][:])
    plane = phi.shape[2] // 2 if options.y is None else options.y
    if not 0 <= plane < phi.shape[2]:
        sys.exit(f"{options.file}: no plane {plane} along y: it has 0 to {phi.shape[2] - 1}")
    if options.animation:
        return plots.animate(frames_of(phi, plane, times), options.animation)
    shown = [int(i) for i in dict.fromkeys(np.linspace(0, len(times) - 1, min(MOST_SLICES, len(times))).astype(int))]
    figure, panels = plots.plt.subplots(1, len(shown) + 1, figsize=(3.2 * (len(shown) + 1), 3.4), squeeze=False, layout="constrained")
    for axes, record in zip(panels[0], shown):
        image = draw_slice(axes, phi[record], plane, times[record])
    panels[0][0].set_ylabel("z", fontsize=9)
    figure.colorbar(image, ax=panels[0][:-1].tolist(), shrink=0.8, label="order parameter")
    draw_sizes(panels[0][-1], times, [domain_size(state) for state in phi])
    return plots.save(figure, options.output or str(pathlib.Path(options.file).with_suffix(".png")), dpi=130)


if __name__ == "__main__":
    main()
