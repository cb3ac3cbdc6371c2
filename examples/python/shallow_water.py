"""A shallow-water model: a hill of water falls apart on a periodic sea, and its picture is drawn. Lax-Friedrichs, so that it is short.

Run:   mpiexec -n 4 python shallow_water.py [PICTURE]    prints: shallow_water: 4 ranks, water kept: ok
PICTURE is shallow_water.png if not given; it needs Matplotlib.
SPDX-License-Identifier: BSD-3-Clause
"""
import sys

import numpy as np

import halocline

CELLS, STEPS, GRAVITY, STEP = 128, 120, 9.81, 0.02  # of one metre, and seconds


def flux_of(state):
    """What height and momentum carry along both dimensions: arrays (height, momentum along 0, along 1) in, two such out."""
    h, p, q = state
    pressure = 0.5 * GRAVITY * h**2
    return np.array([p, p * p / h + pressure, p * q / h]), np.array([q, p * q / h, q * q / h + pressure])


def advanced(fields):
    """The state one step later, from the cells on all four sides."""
    sides = [np.array([f.shifted(*offset) for f in fields]) for offset in ((-1, 0), (1, 0), (0, -1), (0, 1))]
    along = flux_of(sides[1])[0] - flux_of(sides[0])[0] + flux_of(sides[3])[1] - flux_of(sides[2])[1]
    return sum(sides) / 4 - STEP / 2 * along


def draw(height, path):
    """A picture of the whole sea."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        print("no picture: there is no Matplotlib", file=sys.stderr)
        return
    figure = Figure(figsize=(5, 4), layout="constrained")
    axes = figure.subplots()
    figure.colorbar(axes.imshow(height.T, origin="lower", cmap="viridis"), label="height in m")
    figure.savefig(path)


with halocline.Context() as context:
    grid = halocline.Grid(context, (CELLS, CELLS), periodic=True)
    fields = [halocline.Field(grid, depth=1, name=name) for name in ("height", "momentum_0", "momentum_1")]
    halo = halocline.Halo(grid, fields, stencil="star")
    total = halocline.Allreduce(context, grid.shape)
    i, j = np.mgrid[grid.block]
    fields[0].interior = 10 + 2 * np.exp(-((i - CELLS / 3) ** 2 + (j - CELLS / 3) ** 2) / 80)
    seas = []
    for step in range(STEPS + 1):
        if step in (0, STEPS):
            sea = np.zeros(grid.shape)
            sea[grid.block] = fields[0].interior
            seas.append(total.run(sea))
        halo.swap()
        for field, values in zip(fields, advanced(fields)):
            field.interior = values
    kept = np.isclose(seas[0].sum(), seas[1].sum(), rtol=1e-12) and 10 < seas[1].max() < seas[0].max()
    if context.rank == 0:
        draw(seas[1], sys.argv[1] if len(sys.argv) > 1 else "shallow_water.png")
        print(f"shallow_water: {context.size} ranks, water kept: {'ok' if kept else 'WRONG'}")
