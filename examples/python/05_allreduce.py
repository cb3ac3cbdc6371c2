"""A reduction: every rank gives an array, and every rank gets the sums of all, element by element.

Run:   mpiexec -n 4 python 05_allreduce.py    prints: 05_allreduce: 4 ranks, sum 24: ok
SPDX-License-Identifier: BSD-3-Clause
"""
import numpy as np

import halocline

with halocline.Context() as context:
    # Plan once, run as often as you like.
    plan = halocline.Allreduce(context, 3)

    # 1, the rank and its square: their sums over all ranks are known.
    total = plan.run(np.array([1.0, context.rank, context.rank**2]))
    n = context.size
    right = (total == [n, n * (n - 1) / 2, (n - 1) * n * (2 * n - 1) / 6]).all()
    if context.rank == 0:
        print(f"05_allreduce: {n} ranks, sum {total.sum():.0f}: {'ok' if right else 'WRONG'}")
