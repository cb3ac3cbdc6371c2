"""Reductions over all ranks.

SPDX-License-Identifier: BSD-3-Clause
"""
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from . import _core
from ._arrays import OPAQUE, TYPES, contiguous, dtype_of, shape_of, text, type_name
from ._context import Context, Plan, agreeing
from ._errors import ArgumentError
from ._grid import number_in

REDUCTIONS = {"sum": 0, "min": 1, "max": 2}


Function = Callable[[NDArray[Any], NDArray[Any]], Any]
_USER = 3


def _combining(function: Function, dtype: np.dtype[Any]) -> Callable[[memoryview, memoryview], None]:
    """What the extension calls with the memory of two pieces. The function gets copies, which it may keep."""

    def combine(later: memoryview, earlier: memoryview) -> None:
        with later, earlier:
            first, second = (np.array(np.frombuffer(piece, dtype)) for piece in (earlier, later))
            result = np.asarray(function(first, second))
            if result.shape != first.shape:
                raise ArgumentError(f"Allreduce: op made an array of shape {result.shape} of two of shape {first.shape}")
            np.copyto(np.frombuffer(earlier, dtype), result, casting="same_kind")

    return combine


class Allreduce(Plan):
    """A plan of reductions: arrays of all ranks, combined element by element; every rank gets the result, with the same bits.

    shape and dtype of the arrays: float32, float64, int32, int64, complex64 or complex128. op: "sum", and for real numbers "min" and
    "max". name: for messages. All are the same on all ranks. Collective over the context. Raises on all ranks: ArgumentError,
    MismatchError, OutOfMemoryError, UnsupportedError (the minimum of complex numbers; several nodes without a network).

    op may also be a function of two arrays, such as numpy.logaddexp: it returns their elements combined, those of the first from ranks
    that precede those of the second. The dtype is then any plain one. The arrays are pieces of those that are reduced, in one dimension,
    of any length. The function is associative, and commutative too where the context has several nodes; it does the same on all ranks.
    It is called inside `run`, which raises what the function raises once the run has ended: the results of all ranks are then undefined.
    """

    def __init__(
        self,
        context: Context,
        shape: int | Sequence[int],
        dtype: DTypeLike = np.float64,
        op: str | Function = "sum",
        *,
        name: str | None = None,
    ) -> None:
        with agreeing(context, "Allreduce"):
            self.shape = shape_of(shape, "Allreduce: shape")
            self.dtype = dtype_of(dtype, "Allreduce")
            words = self._words(op)
            name = text(name, "Allreduce: name")
        self._op = op if isinstance(op, str) else getattr(op, "__name__", type(op).__name__)
        self._name = name
        kind, reduction, function = words
        count = math.prod(self.shape)
        number = TYPES.get(kind, OPAQUE)
        self._begin(context, _core.Allreduce, count, number, kind, reduction, name, function)

    shape: tuple[int, ...]
    """Of the arrays."""
    dtype: np.dtype[Any]
    """Of their elements."""

    def _words(self, op: str | Function) -> tuple[str, int, Callable[[memoryview, memoryview], None] | None]:
        """Type and reduction as the extension takes them."""
        kind = type_name(self.dtype)
        if callable(op) and not self.dtype.hasobject:
            return kind, _USER, _combining(op, self.dtype)
        if kind not in TYPES or callable(op):
            names = ", ".join(str(np.dtype(one)) for one in TYPES)
            raise ArgumentError(f"Allreduce: dtype is {self.dtype}; it must be one of {names}, or for a function plain values")
        return kind, number_in(REDUCTIONS, op, "op"), None

    def _about(self) -> str:
        return f"{self._op} of {self.shape} {self.dtype}"

    def run(self, array: Any, out: Any = None) -> NDArray[Any]:
        """Combines this array with those of the other ranks. Returns the result: `out`, which may be `array`, or a new array.

        Collective: all ranks run the same plans in the same order. Raises ArgumentError (shape, dtype, not contiguous) on this rank
        alone; WaitTimeoutError and PeerDiedError, which name a rank, and what a signal handler raises. After these the plan can only be
        closed.
        """
        given = contiguous(array, "array")
        result = np.empty(self.shape, self.dtype) if out is None else contiguous(out, "out")
        for words, one in (("array", given), ("out", result)):
            if one.shape != self.shape:
                raise ArgumentError(f"Allreduce: {words} has shape {one.shape}, the plan {self.shape}")
        self._core.run(given, result)
        return result
