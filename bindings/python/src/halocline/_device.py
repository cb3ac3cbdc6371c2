"""Arrays that the library allocates in a device's memory.

SPDX-License-Identifier: BSD-3-Clause
"""
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ._arrays import counted
from ._errors import StateError

if TYPE_CHECKING:
    from ._context import Context


class DeviceArray:
    """An array in the memory of a device, as Context.device_zeros makes it.

    Fields take it (`Field.over`), and every package that knows the CUDA array interface: `cupy.asarray(array)`, `torch.as_tensor(array)`,
    kernels of Numba. The host cannot access its elements. Its memory is released when nothing has it any more, or with the context.
    """

    def __init__(self, context: "Context", memory: tuple[int, object], shape: tuple[int, ...], dtype: np.dtype[Any], order: str) -> None:
        self._context, (self._address, self._owner) = context, memory
        self.shape, self.dtype, self.ndim, self.size = shape, dtype, len(shape), math.prod(shape)
        dims = range(self.ndim)
        behind = [shape[:d] if order == "F" else shape[d + 1 :] for d in dims]
        self.strides = tuple(dtype.itemsize * math.prod(sizes) for sizes in behind)

    shape: tuple[int, ...]
    """Elements along each axis."""
    dtype: np.dtype[Any]
    """Of an element."""
    ndim: int
    """Axes."""
    size: int
    """Elements of the whole array."""
    strides: tuple[int, ...]
    """Bytes from one element to the next along each axis."""

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        if not self._context.is_open:
            raise StateError("this DeviceArray ended with its context")
        return {"version": 3, "shape": self.shape, "typestr": self.dtype.str, "data": (self._address, False), "strides": self.strides}

    def __repr__(self) -> str:
        return f"DeviceArray(shape={self.shape}, dtype={self.dtype}, {counted(self.size * self.dtype.itemsize, 'byte')})"
