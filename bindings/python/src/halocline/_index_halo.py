"""Halos of unstructured meshes.

SPDX-License-Identifier: BSD-3-Clause
"""
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._arrays import OPAQUE, TYPES, Memory, counted, in_short, shown, swapped, type_name, whole
from ._context import Context, agreeing
from ._errors import ArgumentError
from ._swaps import FieldSwaps, called, named, words_of


class IndexNeighbour(NamedTuple):
    """The lists that a rank shares with one neighbour: entry k of `send` fills entry k of `receive` at the other end, and vice versa.

    The lists are joined by rank and tags: my tag_out is the other's tag_in. Those with equal tags are joined in the order listed.
    """

    rank: int
    """In the context's communicator; this rank itself is allowed, and a rank may appear several times."""
    send: Any = ()
    """Entries that the neighbour needs of mine: integers in one dimension, counted from 0; an entry may be listed several times."""
    receive: Any = ()
    """Entries that the neighbour fills, ghosts: each in one list only, once, and in no list of entries that are sent."""
    tag_out: int = 0
    """Which of the other's lists `send` is for, 0 or more: those with this tag_in."""
    tag_in: int = 0
    """Which of the other's lists `receive` is joined to, 0 or more: those with this tag_out."""

    def __repr__(self) -> str:
        return in_short(self)


class IndexView(NamedTuple):
    """Where the values of one neighbour's list of ghosts are."""

    array: NDArray[Any]
    """Entries in the memory of the neighbour, or in a buffer; axis 0 counts entries, further axes are components. To be read only."""
    places: NDArray[np.int64]
    """Which entry of `array` holds the value of each ghost, in the order of the neighbour's `receive`."""
    rank: int
    """The owner of the values."""

    def __repr__(self) -> str:
        return in_short(self)

    def values(self) -> NDArray[Any]:
        """A copy of the ghosts' values, in the order of `receive`."""
        gathered: NDArray[Any] = self.array[self.places]
        return gathered


def _indices(given: Any, what: str) -> NDArray[np.int64]:
    """A list of entries as the library takes it."""
    array = np.asarray(given)
    if array.ndim != 1 or (array.size > 0 and array.dtype.kind not in "iu"):
        raise ArgumentError(f"{what} has shape {array.shape} and dtype {array.dtype}; it must be integers in one dimension")
    return np.ascontiguousarray(array, np.int64)


def _neighbour_words(i: int, entry: IndexNeighbour) -> tuple[int, int, int, NDArray[np.int64], NDArray[np.int64]]:
    send, receive = _indices(entry.send, f"send of neighbour {i}"), _indices(entry.receive, f"receive of neighbour {i}")
    rank, tag_out, tag_in = (whole(getattr(entry, what), f"{what} of neighbour {i}", 32) for what in ("rank", "tag_out", "tag_in"))
    return rank, tag_out, tag_in, send, receive


def _component_stride(memory: Memory, what: str) -> int:
    """The one stride of all axes but the first, of which the last runs fastest."""
    axes = [(cells, stride) for cells, stride in zip(memory.shape[1:], memory.strides[1:]) if cells > 1]
    for (_, outer), (cells, inner) in zip(axes, axes[1:]):
        if outer != cells * inner:
            raise ArgumentError(f"{what} has strides {memory.strides} for a shape of {memory.shape}; its components must be equally spaced")
    return axes[-1][1] if axes else memory.dtype.itemsize


def _field_words(memory: Memory, name: str, what: str) -> tuple[int, int, int, int, int, int, str]:
    """A field as the extension takes it. NumPy gives no meaning to the stride of an axis with one entry."""
    components, component = math.prod(memory.shape[1:]), _component_stride(memory, what)
    if components == 0:
        raise ArgumentError(f"{what} has shape {memory.shape}, and so no components")
    entry = memory.strides[0] if memory.shape[0] > 1 else max(memory.strides[0], components * component)
    if entry <= 0 or component <= 0:
        raise ArgumentError(f"{what} has strides {memory.strides}; they must be above 0 (not reversed or broadcast)")
    return memory.address, TYPES.get(type_name(memory.dtype), OPAQUE), memory.dtype.itemsize, components, entry, component, name


def _array(given: Any, what: str) -> tuple[Any, Memory]:
    """The array of a field, and its memory."""
    array, memory = swapped(given, what)
    if not memory.shape:
        raise ArgumentError(f"{what} is a number, not an array")
    return array, memory


class IndexHalo(FieldSwaps):
    """A plan of swaps on an unstructured mesh: each fills the ghosts of its fields with their owners' entries.

    fields: arrays, or a dictionary of arrays by name. Axis 0 counts the entries (cells, nodes, edges) of this rank, owned ones and ghosts
    in any order; it is as long in all fields. Further axes are components. `u.T` serves for an array u[component, entry]. Any plain dtype;
    reverse swaps, which add, need float32, float64, int32, int64, complex64 or complex128. neighbours: IndexNeighbours, whose lists are
    copied. mode, epoch and drive: as for Halo. Arrays of Context.zeros are read by neighbours of the node in place.

    Arrays may be in a CUDA device's memory, all or some, as for `Field.over`: those of CuPy, Numba and PyTorch, or of
    Context.device_zeros. Neighbours of the node read them in place where lists are in few runs or in long ones; else their entries pass
    through pinned memory (docs/guide/gpu.md).

    A reverse swap adds ghosts to their owners' entries and sets them to 0: the assembly of finite elements.

    The plan keeps the arrays alive. Collective over the context. Raises on all ranks: ArgumentError (names the argument, its place, value
    and rank: an index out of range, a ghost that is filled twice or sent on), MismatchError (lists of two ranks do not match; number,
    types or components of the fields differ), OutOfMemoryError, MpiError, UnsupportedError.
    """

    def __init__(  # noqa: PLR0913 - all but three by keyword
        self,
        context: Context,
        fields: Sequence[Any] | Mapping[str, Any],
        neighbours: Sequence[IndexNeighbour],
        *,
        mode: str | None = None,
        epoch: str = "default",
        drive: str = "default",
    ) -> None:
        with agreeing(context, "IndexHalo"):
            words = words_of(mode, epoch, drive)
            listed = [_neighbour_words(i, IndexNeighbour(*entry)) for i, entry in enumerate(neighbours)]
            names = [name for name, _ in named(fields)]
            taken = [_array(array, f"IndexHalo: {called(i, name)}") for i, (name, array) in enumerate(named(fields))]
            entries = [memory.shape[0] for _, memory in taken]
            if len(set(entries)) > 1:
                raise ArgumentError(f"IndexHalo: the fields have {entries} entries; they must be equal")
            described = [
                _field_words(memory, name, f"IndexHalo: {called(i, name)}") for i, ((_, memory), name) in enumerate(zip(taken, names))
            ]
        self.fields = tuple(array for array, _ in taken)
        self._ghosts = [(rank, len(receive)) for rank, _, _, _, receive in listed]
        self._begin(context, _core.IndexHalo, entries[0] if entries else 0, described, listed, words, taken)

    fields: tuple[NDArray[Any], ...]
    """The arrays, in the order given."""

    def _about(self) -> str:
        neighbours = tuple(rank for rank, _ in self._ghosts)
        return f"of {counted(len(self.fields), 'field')}, with ranks {neighbours}{self._mode()}"

    # ------------------------------------------------------------ views

    def finish_views(self) -> None:
        """Completes a swap as `finish` does, but in mode "view" copies nothing: ghosts are read through `view`.

        The ghosts of the arrays are then left as they were. This holds until the next start of this halo, `release` or `close`, and
        meanwhile no entry of a `send` list may be written. In all other modes, in reverse, and with HALOCLINE_CHECK=1 it is `finish`, and
        views show the ghosts.
        """
        self._core.finish_views()

    def release(self) -> None:
        """Ends the views, and waits until all neighbours have ended those of this rank's entries, which may be written again. All ranks
        call it."""
        self._core.release()

    def view(self, neighbour: int, field: int = 0) -> IndexView | None:
        """Where the values for the ghosts of one entry of the list of neighbours are, of a field. None: the last swap did not move it.

        Call it after each `finish_views`. Local; the first call for a neighbour searches its list for runs. Raises ArgumentError
        (neighbour, field), StateError while a swap is outstanding.
        """
        neighbour, field = whole(neighbour, "view: neighbour"), whole(field, "view: field")
        if not 0 <= neighbour < len(self._ghosts) or not 0 <= field < len(self.fields):
            raise ArgumentError(
                f"view: neighbour is {neighbour}, field {field}; the halo has {len(self._ghosts)} neighbours and {len(self.fields)} fields"
            )
        own = self.fields[field]
        if not isinstance(own, np.ndarray):
            raise ArgumentError(f"view: field {field} is in a device's memory, where its ghosts are after every swap; read its array there")
        if self._ghosts[neighbour][1] == 0:
            return IndexView(own[:0].view(), np.empty(0, np.int64), self._ghosts[neighbour][0])
        found = self._core.view(field, neighbour, own.ctypes.data)
        if found is None:
            return None
        address, entry_stride, component_stride, listed, rank, owner = found
        places = np.frombuffer(listed, np.int64)
        shape = (int(places.max(initial=-1)) + 1, *own.shape[1:])
        strides = [component_stride]
        for components in shape[:1:-1]:
            strides.insert(0, strides[0] * components)
        strides = [entry_stride, *strides[: own.ndim - 1]]
        return IndexView(shown(address, shape, tuple(strides), own.dtype, own if owner is None else owner), places, rank)
