"""The smallest halo swap in two dimensions: a periodic plane in blocks, each with one cell of its neighbours around it.

Run:   mpiexec -n 4 python 03_halo.py    prints: 03_halo: 4 ranks, halo sum 858: ok
SPDX-License-Identifier: BSD-3-Clause
"""
import numpy as np

import halocline

N = 8  # cells of the plane along each dimension

with halocline.Context() as context:
    # A block of the plane for each rank, with a halo of one cell, in memory that the neighbours read.
    grid = halocline.Grid(context, (N, N), periodic=True)
    u = halocline.Field(grid, depth=1)
    i, j = (np.arange(first - 1, first + count + 1) % N for first, count in zip(grid.start, grid.local))
    value = 10.0 * i[:, None] + j
    u.array[...] = -1
    u.interior = value[1:-1, 1:-1]

    # Plan once, swap as often as you like.
    halo = halocline.Halo(grid, [u])
    halo.swap()

    found = np.array([(u.array == value).all(), u.array.sum() - u.interior.sum()])
    all_right = halocline.Allreduce(context, 1, op="min").run(found[:1])[0] == 1
    if context.rank == 0:
        print(f"03_halo: {context.size} ranks, halo sum {found[1]:.0f}: {'ok' if all_right else 'WRONG'}")
