"""Arrays of others as NumPy arrays, and their types as the library names them.

SPDX-License-Identifier: BSD-3-Clause
"""
import math
import operator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._errors import ArgumentError, Error, UnsupportedError

# hlc_type by numpy.dtype.kind and size; all other types are opaque: swapped, but not computed with.
TYPES = {"f4": 1, "f8": 2, "i4": 3, "i8": 4, "c8": 5, "c16": 6}
OPAQUE = 0
# hlc_number, for atomics.
NUMBERS = {"i1": 0, "i2": 1, "i4": 2, "i8": 3, "u1": 4, "u2": 5, "u4": 6, "u8": 7, "f4": 8, "f8": 9}


def whole(given: Any, what: str, bits: int = 64) -> int:
    """An integer of Python or NumPy, of so many bits in the library. Raises ArgumentError for anything else."""
    try:
        number = operator.index(given)
    except TypeError:
        raise ArgumentError(f"{what} is {given!r}; it must be a whole number") from None
    if not -(1 << bits - 1) <= number < 1 << bits - 1:
        raise ArgumentError(f"{what} is {number}, which does not fit into {bits} bits")
    return number


def wholes(given: Any, what: str, bits: int = 64) -> list[int]:
    """A list, tuple or array of integers."""
    if isinstance(given, str) or not np.iterable(given):
        raise ArgumentError(f"{what} is {given!r}; it must be whole numbers, one per dimension")
    return [whole(entry, what, bits) for entry in given]


def flag(given: Any, what: str) -> bool:
    """True or False, of Python or NumPy, or 1 or 0. Raises ArgumentError for anything else: it was not meant as a flag."""
    if isinstance(given, bool | np.bool_) or (isinstance(given, int | np.integer) and given in (0, 1)):
        return bool(given)
    raise ArgumentError(f"{what} is {given!r}; it must be True or False")


def text(given: Any, what: str) -> str | None:
    """A name, or None. Raises ArgumentError for anything else."""
    if given is None or isinstance(given, str):
        return given
    raise ArgumentError(f"{what} is {given!r}; it must be a text, or None")


def shape_of(given: Any, what: str) -> tuple[int, ...]:
    """The shape of an array: a number, or one per dimension."""
    shape = tuple(wholes(given, what)) if np.iterable(given) else (whole(given, what),)
    if min(shape, default=0) < 0:
        raise ArgumentError(f"{what} is {shape}; sizes are 0 or more")
    return shape


def bytes_of(shape: tuple[int, ...], dtype: np.dtype[Any], what: str) -> int:
    """Bytes of an array. Raises ArgumentError for more than an address can count."""
    count = math.prod(shape) * dtype.itemsize
    if count >= 2**63:
        raise ArgumentError(f"{what}: shape {shape} of dtype {dtype} has {count} bytes, more than memory holds")
    return count


def counted(count: int, one: str, many: str | None = None) -> str:
    """For `repr`: "1 field", "2 fields"."""
    return f"{count} {one if count == 1 else many or one + 's'}"


def _brief(value: Any) -> str:
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        return f"<{value.dtype} array of shape {tuple(value.shape)}>"
    if isinstance(value, list | tuple) and (len(value) > 4 or any(hasattr(entry, "shape") for entry in value)):
        return f"<{type(value).__name__} of {len(value)}>"
    return repr(value)


def in_short(entries: Any) -> str:
    """`repr` of a named tuple, without what is in its arrays."""
    named = ", ".join(f"{name}={_brief(value)}" for name, value in zip(entries._fields, entries))
    return f"halocline.{type(entries).__name__}({named})"


class Memory(NamedTuple):
    """Where the elements of an array are, in the host's memory or a device's."""

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    """In bytes."""
    dtype: np.dtype[Any]
    owner: object = None
    """What keeps it."""


def memory_of(array: NDArray[Any]) -> Memory:
    """That of a NumPy array, which keeps what it is a view of."""
    return Memory(array.ctypes.data, array.shape, array.strides, array.dtype, array)


def on_device(given: Any, what: str) -> Memory | None:
    """The memory of an object with the CUDA array interface, such as CuPy's arrays, or with DLPack of a CUDA device; None for any other
    object. `what` names it in messages.

    A mask hides elements, and read-only memory cannot be swapped: ArgumentError. So is what the object itself raises, as PyTorch's do that
    require a gradient. UnsupportedError for other devices.
    """
    try:
        return _by_interface(given, what)
    except Error:
        raise
    except (BufferError, KeyError, RuntimeError, TypeError, ValueError) as error:
        raise ArgumentError(f"{what} is a {type(given).__name__} that does not show its memory: {error}") from None


def _by_interface(given: Any, what: str) -> Memory | None:
    said = getattr(given, "__cuda_array_interface__", None)
    if said is None:
        return _by_dlpack(given, what)
    address, read_only = said["data"]
    if said.get("mask") is not None:
        raise ArgumentError(f"{what} has a mask in its __cuda_array_interface__; pass an array without one")
    if read_only:
        raise ArgumentError(f"{what} is read-only, and swaps write it")
    shape, dtype = tuple(said["shape"]), np.dtype(said["typestr"])
    strides = said.get("strides")
    if strides is None:
        strides = [dtype.itemsize * math.prod(shape[d + 1 :]) for d in range(len(shape))]
    return Memory(address, shape, tuple(strides), dtype)


# DLDeviceType: what NumPy, too, can read - the CPU, pinned memory of CUDA and ROCm, managed memory -, and memory of CUDA devices.
_HOSTS, _CUDA = (1, 3, 11, 13), 2


def _by_dlpack(given: Any, what: str) -> Memory | None:
    """The memory of an array on a CUDA device by DLPack."""
    if not hasattr(given, "__dlpack_device__"):
        return None
    kind, number = given.__dlpack_device__()
    if kind in _HOSTS:
        return None
    if kind != _CUDA:
        raise UnsupportedError(
            f"{what} is on device {number} of type {int(kind)} of DLPack; swaps know memory of CUDA devices (type {_CUDA})"
        )
    try:
        address, shape, strides, typestr, owner = _core.tensor(given)
    except TypeError:
        given.__dlpack__()  # it says why it refuses, which the extension does not pass on
        raise TypeError("its DLPack is of a version or type that is not known") from None
    return Memory(address, shape, strides, np.dtype(typestr), owner)


def stream_of(stream: Any) -> int:
    """The handle of a stream of a device: a number, such as 0 for the default stream, or a stream of CuPy, PyTorch or Numba, or any object
    with `__cuda_stream__`."""
    if hasattr(stream, "__cuda_stream__"):
        said = stream.__cuda_stream__
        stream = (said() if callable(said) else said)[1]
    for name in ("ptr", "cuda_stream", "handle"):
        stream = getattr(stream, name, stream)
    handle = getattr(stream, "value", stream)  # Numba's are of ctypes, where NULL is None
    if handle is None:
        return 0
    if isinstance(handle, bool) or not isinstance(handle, int) or not 0 <= handle < 2**64:
        raise ArgumentError(f"stream is {stream!r}; it must be a stream of CuPy, PyTorch or Numba, or its handle as a number")
    return handle


class _Shown:
    """Memory in the terms of NumPy's array interface, and what keeps it."""

    def __init__(  # noqa: PLR0913 - the parts of that interface
        self, address: int, shape: tuple[int, ...], strides: tuple[int, ...], typestr: str, owner: object, read_only: bool = True
    ) -> None:
        self.owner = owner
        self.__array_interface__ = {
            "version": 3,
            "data": (address, read_only),
            "shape": shape,
            "strides": strides,
            "typestr": typestr,
        }


class _Producer:
    """An object with DLPack, as NumPy asks it; notes whether it answers as before DLPack 1.0."""

    def __init__(self, given: Any) -> None:
        self._given = given
        self.is_legacy = False

    def __dlpack_device__(self) -> Any:
        return self._given.__dlpack_device__()

    def __dlpack__(self, **words: Any) -> Any:
        capsule = self._given.__dlpack__(**words)
        self.is_legacy = _core.is_legacy(capsule)
        return capsule


def _says_read_only(given: Any, array: NDArray[Any]) -> bool:
    """Whether an object shows the memory of an array as read-only by the buffer protocol or to NumPy, as JAX does, whose values never
    change."""
    try:
        return memoryview(given).readonly
    except (TypeError, BufferError, ValueError):
        pass
    try:
        seen = np.asarray(given)
    except (TypeError, BufferError, ValueError, RuntimeError):
        return False
    return seen.ctypes.data == array.ctypes.data and not seen.flags.writeable


def _from_dlpack(given: Any) -> NDArray[Any]:
    """The memory of an object with DLPack. Before version 1.0 this cannot say that it is read-only, and NumPy then takes all of it as such.
    Consumers write such memory all the same, as its producers expect, unless another interface of the object says that it is read-only."""
    producer = _Producer(given)
    array: NDArray[Any] = np.from_dlpack(producer)
    if _says_read_only(given, array):
        array.flags.writeable = False
        return array
    if array.flags.writeable or not producer.is_legacy:
        return array
    return np.asarray(_Shown(array.ctypes.data, array.shape, array.strides, array.dtype.str, array, read_only=False))


def as_array(given: Any, what: str) -> NDArray[Any]:
    """A NumPy array over the memory of an object with the buffer protocol or DLPack; nothing is copied. `what` names it in messages."""
    if isinstance(given, np.ndarray):
        return given
    try:
        return _from_dlpack(given) if hasattr(given, "__dlpack__") else np.asarray(memoryview(given))
    except (TypeError, BufferError, ValueError, RuntimeError) as error:
        raise ArgumentError(f"{what} is a {type(given).__name__}, not an array in this machine's memory: {error}") from None


def contiguous(given: Any, what: str) -> NDArray[Any]:
    """As as_array, for memory that is moved as it is."""
    array = as_array(given, what)
    if not array.flags.c_contiguous:
        raise ArgumentError(
            f"{what} is not contiguous: its strides are {array.strides} for a shape of {array.shape}; numpy.ascontiguousarray makes a copy "
            "that is"
        )
    return plain(array, what)


def swapped(given: Any, what: str) -> tuple[Any, Memory]:
    """An array that swaps write, and its memory: a NumPy array over the host's, or, where that is a device's, the object itself."""
    memory = on_device(given, what)
    if memory:
        return given, memory
    array = plain(as_array(given, what), what)
    if not array.flags.writeable:
        raise ArgumentError(f"{what} is read-only, and swaps write it")
    return array, memory_of(array)


def plain(array: NDArray[Any], what: str) -> NDArray[Any]:
    """The array, if its elements are plain values. Raises ArgumentError for Python objects, which have a meaning in one process only."""
    if array.dtype.hasobject:
        raise ArgumentError(f"{what} has dtype {array.dtype}: Python objects cannot be moved between processes; use a numeric dtype")
    return array


def shown(address: int, shape: tuple[int, ...], strides: tuple[int, ...], dtype: np.dtype[Any], owner: object) -> NDArray[Any]:
    """A read-only array over memory, which `owner` keeps."""
    cells: NDArray[Any] = np.asarray(_Shown(address, shape, strides, f"|V{dtype.itemsize}", owner))
    return cells.view(dtype)


def converted(given: Any, dtype: np.dtype[Any], what: str) -> NDArray[Any]:
    """Numbers of a program as an array of a type, if that can hold them: no integer is cut, and nothing becomes an integer or real."""
    array = np.asarray(given)
    if array.dtype.kind in "iub" and dtype.kind in "iu":
        limits = np.iinfo(dtype)
        if array.size > 0 and (int(array.min()) < limits.min or int(array.max()) > limits.max):
            raise ArgumentError(f"{what} is {given!r}, which does not fit into {dtype}")
    elif array.size > 0 and not np.can_cast(array.dtype, dtype, "same_kind"):
        raise ArgumentError(f"{what} is {given!r}, of type {array.dtype}, not {dtype}")
    return array.astype(dtype)


def dtype_of(given: Any, what: str) -> np.dtype[Any]:
    """The NumPy type that a program means. Raises ArgumentError for none, and for Python objects."""
    try:
        dtype: np.dtype[Any] = np.dtype(given)
    except TypeError:
        raise ArgumentError(f"{what}: dtype is {given!r}, not a type of NumPy") from None
    if dtype.hasobject:
        raise ArgumentError(f"{what}: dtype is {dtype}: Python objects cannot be moved between processes; use a numeric dtype")
    if dtype.itemsize == 0:
        raise ArgumentError(f"{what}: dtype is {dtype}, whose elements have no bytes")
    if dtype.kind in "mM":
        raise ArgumentError(f"{what}: dtype is {dtype}, whose memory NumPy does not show to others; use int64 and .view()")
    return dtype


def type_name(dtype: np.dtype[Any]) -> str:
    """Kind and bytes of an element: "f8"."""
    native = dtype.isnative or dtype.byteorder == "|"
    return f"{dtype.kind if native and dtype.kind in 'iufcb' else 'V'}{dtype.itemsize}"
