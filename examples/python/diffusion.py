"""Diffusion of a wave on a periodic plane, in twelve lines. The wave decays by a known factor in each step.

Run:   mpiexec -n 4 python diffusion.py    prints: diffusion: 4 ranks, wave 0.61748: ok
SPDX-License-Identifier: BSD-3-Clause
"""
import numpy as np

import halocline

with halocline.Context() as context:
    grid = halocline.Grid(context, (64, 64), periodic=True)
    u = halocline.Field(grid, depth=1)
    halo = halocline.Halo(grid, [u], stencil="star")
    x = 2 * np.pi * np.arange(*grid.block[0].indices(64)[:2]) / 64
    u.interior = np.cos(x)[:, None]
    for _ in range(200):
        halo.swap()
        u.interior += 0.25 * (u.shifted(-1) + u.shifted(1) + u.shifted(0, -1) + u.shifted(0, 1) - 4 * u.interior)
    decay = (1 - 0.5 * (1 - np.cos(2 * np.pi / 64))) ** 200
    ok = np.allclose(u.interior, decay * np.cos(x)[:, None])
    all_ok = halocline.Allreduce(context, 1, op="min").run(np.array([float(ok)]))[0] == 1
    if context.rank == 0:
        print(f"diffusion: {context.size} ranks, wave {decay:.5f}: {'ok' if all_ok else 'WRONG'}")
