"""Reductions over all ranks.

SPDX-License-Identifier: BSD-3-Clause
"""
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from . import _core
from ._arrays import TYPES, contiguous, type_name
from ._context import Context, Plan
from ._errors import ArgumentError, Error
from ._grid import number_in, refused

REDUCTIONS = {"sum": 0, "min": 1, "max": 2}


class Allreduce(Plan):
    """A plan of reductions: arrays of all ranks, combined element by element; every rank gets the result, with the same bits.

    shape and dtype of the arrays: float32, float64, int32, int64, complex64 or complex128. op: "sum", and for real numbers "min" and
    "max". name: for messages. All are the same on all ranks. Collective over the context. Raises on all ranks: ArgumentError,
    MismatchError, OutOfMemoryError, UnsupportedError (the minimum of complex numbers; several nodes without a network).
    """

    def __init__(
        self, context: Context, shape: int | Sequence[int], dtype: DTypeLike = np.float64, op: str = "sum", *, name: str | None = None
    ) -> None:
        self.shape = (shape,) if isinstance(shape, int) else tuple(shape)
        self.dtype = np.dtype(dtype)
        kind = type_name(self.dtype)
        try:
            if kind not in TYPES:
                raise ArgumentError(f"Allreduce: dtype is {self.dtype}; it must be one of {', '.join(str(np.dtype(one)) for one in TYPES)}")
            reduction = number_in(REDUCTIONS, op, "op")
        except Error as error:
            raise refused(context, error) from None
        self._begin(context, _core.Allreduce(context._core, math.prod(self.shape), TYPES[kind], kind, reduction, name))

    def run(self, array: Any, out: Any = None) -> NDArray[Any]:
        """Combines this array with those of the other ranks. Returns the result: `out`, which may be `array`, or a new array.

        Collective: all ranks run the same plans in the same order. Raises ArgumentError (shape, dtype, not contiguous) on this rank
        alone; WaitTimeoutError and PeerDiedError, which name a rank, and what a signal handler raises. After these the plan can only be
        closed.
        """
        given = contiguous(array, "array")
        result = np.empty(self.shape, self.dtype) if out is None else contiguous(out, "out")
        self._core.run(given, result)
        return result
