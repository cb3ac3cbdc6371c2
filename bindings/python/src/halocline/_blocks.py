"""Swaps of any set of boxes.

SPDX-License-Identifier: BSD-3-Clause
"""
import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from . import _core
from ._arrays import OPAQUE, TYPES, Memory, counted, dtype_of, flag, in_short, stream_of, swapped, type_name, whole, wholes
from ._context import Context, agreeing
from ._errors import ArgumentError
from ._grid import STAGGERS, Depth, joined_of, made_of, sides_of, staggers_of
from ._swaps import FieldSwaps, Swapping, called, depth_of, named, numbers_of, words_of

_ALIGNMENT = 64


class Box(NamedTuple):
    """A box of cells of the domain that a rank owns."""

    start: Sequence[int]
    """Its first cell in the domain, counted from 0."""
    shape: Sequence[int]
    """Its cells along each dimension, without halo."""
    id: int = 0
    """Its name in messages; any number."""
    part: int = 0
    """The thread that drives it in Blocks.start_part."""


class Shaped(NamedTuple):
    """A field of Blocks whose values are on nodes, or that has a depth of its own: in place of the list of its arrays."""

    arrays: Sequence[Any]
    """Those of the boxes, in their order."""
    stagger: str | Sequence[str] = "centred"
    """Where the values are, as for Field."""
    depth: Depth | None = None
    """Halo cells; None: as many as the plan says."""

    def __repr__(self) -> str:
        return in_short(self)


class _Shape(NamedTuple):
    """What boxes of a field have beside their cells: on nodes one value more."""

    stagger: tuple[str, ...]
    low: list[int]
    high: list[int]

    @classmethod
    def of(cls, stagger: str | Sequence[str], depth: Depth, ndim: int, what: str) -> "_Shape":
        shape = cls(staggers_of(stagger, ndim, what), *sides_of(depth, ndim, f"{what}: depth"))
        if min(*shape.low, *shape.high, 0) < 0:
            raise ArgumentError(f"{what}: depth is {depth}; halos have 0 or more cells")
        return shape

    def cells(self, box: Box) -> tuple[int, ...]:
        """The shape of the field's array of a box."""
        nodes = [int(word != "centred") for word in self.stagger]
        return tuple(below + cells + above + node for below, cells, above, node in zip(self.low, box.shape, self.high, nodes))

    def words(self) -> tuple[list[int], list[int], list[int]]:
        """The same as the extension takes it."""
        return [STAGGERS[word] for word in self.stagger], self.low, self.high


def _checked(box: Box) -> Box:
    """The same box in integers of Python."""
    first, cells = wholes(box.start, "start of a box"), wholes(box.shape, "shape of a box")
    return Box(first, cells, whole(box.id, "id of a box"), whole(box.part, "part of a box", 32))


def _per_box(arrays: Any, what: str) -> list[Any]:
    """The arrays of a field's boxes."""
    if isinstance(arrays, str) or not np.iterable(arrays):
        raise ArgumentError(f"{what} is a {type(arrays).__name__}; it must be a list with an array per box, or a Shaped of one")
    return list(arrays)


def _field_words(memory: Memory, box: Box, shape: _Shape, name: str, what: str) -> tuple[int, int, int, list[int], str]:
    """A field of a box as the extension takes it. NumPy gives no meaning to the stride of an axis with one cell."""
    if memory.shape != shape.cells(box):
        raise ArgumentError(
            f"{what} has shape {memory.shape}; {shape.cells(box)} is needed: {made_of(box.shape, shape.low, shape.high, shape.stagger)}"
        )
    element = memory.dtype.itemsize
    strides = [max(stride, element) if count == 1 else stride for stride, count in zip(memory.strides, memory.shape)]
    if min(strides) <= 0:
        raise ArgumentError(f"{what} has strides {memory.strides}; they must be above 0 (not reversed or broadcast)")
    return memory.address, TYPES.get(type_name(memory.dtype), OPAQUE), element, strides, name


class Blocks(FieldSwaps):
    """A plan of swaps of boxes: a rank has several or none, of any sizes, anywhere in the domain. Each swap fills their halos.

    shape: cells of the domain, 1 to 4 dimensions. periodic: as for Grid. boxes: of this rank; those of all ranks may not overlap. Cells
    that no box owns may be part of the domain: the halo there is left unchanged. fields: a list, or a dictionary by name, of the arrays
    of each field: `fields[f][b]` belongs to box b, and has its cells and the halo. A rank without boxes gives empty lists, as many as other
    ranks. A field on nodes, or with another depth, is given as `Shaped(arrays, stagger, depth)`. depth: halo cells, as for Field; they may
    reach beyond the next box. stencil, mode, epoch and drive: as for Halo. parts: threads that drive a swap together.

    `Blocks.zeros` makes arrays that neighbours of the node read in place, if all arrays of both ranks are such. Boxes of one rank copy from
    each other without a message. A box's halo cell is filled from the box that owns this cell, wrapped where periodic. Nodes go with cells:
    an "owned" one with the cell above it, a "shared" one with the cell whose far end it is, seen from the box (hlc_blocks_init).

    Arrays may be in a CUDA device's memory, all or some, as for `Field.over`: those of CuPy, Numba and PyTorch, or of
    Context.device_zeros. Neighbours of the node read them in place where they can; else their halos pass through pinned memory. Between
    boxes of this rank they are copied there (docs/guide/gpu.md).

    The plan keeps the arrays alive. Collective over the context. The same on all ranks, but for boxes, parts and arrays. Raises on all
    ranks: ArgumentError (names the argument, the rank and its value; of boxes that overlap both owners), MismatchError, OutOfMemoryError,
    MpiError, UnsupportedError.
    """

    def __init__(  # noqa: PLR0913 - all but four by keyword
        self,
        context: Context,
        shape: Sequence[int],
        boxes: Sequence[Box],
        fields: Sequence[Sequence[Any] | Shaped] | Mapping[str, Sequence[Any] | Shaped],
        *,
        periodic: bool | Sequence[bool] = False,
        depth: Depth = 1,
        stencil: str = "box",
        mode: str | None = None,
        epoch: str = "default",
        drive: str = "default",
        parts: int = 1,
    ) -> None:
        with agreeing(context, "Blocks"):
            words = words_of(mode, epoch, drive, stencil)
            cells = wholes(shape, "Blocks: shape")
            words.low, words.high = sides_of(depth, len(cells), "Blocks: depth")
            joined = joined_of(periodic, len(cells), "Blocks")
            listed = [_checked(Box(*box)) for box in boxes]
            lengths = {len(joined), *(len(part) for box in listed for part in (box.start, box.shape))}
            if lengths != {len(cells)} or not 1 <= len(cells) <= 4:
                raise ArgumentError(f"Blocks: shape has {len(cells)} entries, periodic and the boxes {lengths}; they must be equal, 1 to 4")
            given = [(name, field if isinstance(field, Shaped) else Shaped(field)) for name, field in named(fields)]
            arrays = [(name, _per_box(field.arrays, f"Blocks: {called(i, name)}")) for i, (name, field) in enumerate(given)]
            shapes = [
                _Shape.of(field.stagger, depth if field.depth is None else field.depth, len(cells), f"Blocks: {called(i, name)}")
                for i, (name, field) in enumerate(given)
            ]
            plain_shape = _Shape.of("centred", depth, len(cells), "Blocks")
            if any(shape != plain_shape for shape in shapes):
                words.shapes = [shape.words() for shape in shapes]
            memories = [
                [swapped(array, f"Blocks: {called(i, name)} of box {b}")[1] for b, array in enumerate(per_box)]
                for i, (name, per_box) in enumerate(arrays)
            ]
            described = self._described(listed, [name for name, _ in arrays], memories, shapes)
            threads = whole(parts, "Blocks: parts", 32)
        self.boxes = tuple(listed)
        self.fields = tuple(tuple(per_box) for _, per_box in arrays)
        box_words = [(list(box.start), list(box.shape), box.id, box.part) for box in listed]
        sides = [int(side) for side in joined]
        kept = self.fields, memories
        self._begin(context, _core.Blocks, list(cells), sides, box_words, len(arrays), described, threads, words, kept)

    boxes: tuple[Box, ...]
    """Of this rank."""
    fields: tuple[tuple[NDArray[Any], ...], ...]
    """Per field the arrays of the boxes, in their order."""

    def _about(self) -> str:
        return f"of {counted(len(self.boxes), 'box', 'boxes')}, {counted(len(self.fields), 'field')}{self._mode()}"

    @staticmethod
    def _described(
        boxes: list[Box], names: list[str], memories: list[list[Memory]], shapes: list[_Shape]
    ) -> list[tuple[int, int, int, list[int], str]]:
        """The fields of the first box, then those of the next."""
        for i, (name, per_box) in enumerate(zip(names, memories)):
            if len(per_box) != len(boxes):
                raise ArgumentError(
                    f"Blocks: {called(i, name)} has {counted(len(per_box), 'array')} for {counted(len(boxes), 'box', 'boxes')}; it must "
                    "have one per box"
                )
        return [
            _field_words(memories[i][b], box, shapes[i], name, f"Blocks: {called(i, name)} of box {b}")
            for b, box in enumerate(boxes)
            for i, name in enumerate(names)
        ]

    @staticmethod
    def zeros(
        context: Context,
        boxes: Sequence[Box],
        dtype: DTypeLike = np.float64,
        depth: Depth = 1,
        *,
        stagger: str | Sequence[str] = "centred",
    ) -> list[NDArray[Any]]:
        """Arrays for one field, one per box with its halo, in memory that the ranks of the node read in place, zero at first.

        stagger: as for Field; on nodes there is one value more than cells. Collective, also for ranks without boxes. The memory is
        released when no array of it is left, or with the context. Raises on all ranks: ArgumentError for what one of them has wrong,
        OutOfMemoryError if shared memory is short on one.
        """
        with agreeing(context, "Blocks.zeros"):
            kind = dtype_of(dtype, "Blocks.zeros")
            listed = [_checked(Box(*box)) for box in boxes]
            shapes = [_Shape.of(stagger, depth, len(box.shape), "Blocks.zeros").cells(box) for box in listed]
        sizes = [math.prod(cells) * kind.itemsize for cells in shapes]
        spans = [-(-size // _ALIGNMENT) * _ALIGNMENT for size in sizes]
        memory = context.zeros(sum(spans), np.uint8)
        firsts = [sum(spans[:b]) for b in range(len(spans))]
        return [memory[first : first + size].view(kind).reshape(cells) for first, size, cells in zip(firsts, sizes, shapes)]

    def swap(
        self, fields: Sequence[int] | None = None, *, reverse: bool = False, depth: int | None = None, stream: Any = None
    ) -> None:
        """One swap, complete when it returns: `start` and `finish`.

        depth: at most so many halo cells per side, those nearest the box, the same on all ranks; None: all. The other arguments and the
        errors are those of IndexHalo.swap.
        """
        if stream is None:
            self._core.swap(numbers_of(fields), flag(reverse, "swap: reverse"), depth_of(depth))
        else:
            self.start(fields, reverse=reverse, depth=depth, stream=stream)
            self.finish(stream=stream)

    def start(
        self, fields: Sequence[int] | None = None, *, reverse: bool = False, depth: int | None = None, stream: Any = None
    ) -> None:
        """Starts a swap; arguments and errors as for `swap`. Until `finish` what neighbours need may be read but not written, and halos
        neither read nor written. All ranks start the same swaps of a plan in the same order."""
        what = numbers_of(fields), flag(reverse, "swap: reverse"), depth_of(depth)
        if stream is None:
            self._core.start(*what)
        else:
            self._core.start_on(*what, stream_of(stream))

    def swapping(
        self, fields: Sequence[int] | None = None, *, reverse: bool = False, depth: int | None = None, stream: Any = None
    ) -> Swapping:
        """A block during which a swap is outstanding, as Halo.swapping. Arguments as for `swap`."""
        return Swapping(
            self,
            lambda: self.start(fields, reverse=reverse, depth=depth, stream=stream),
            lambda: self.finish(stream=stream),
        )

    # ------------------------------------------------------------ several threads

    def start_part(
        self, part: int, fields: Sequence[int] | None = None, *, reverse: bool = False, depth: int | None = None
    ) -> None:
        """Starts a swap by several threads: each of `parts` threads calls it once per swap, with a part of its own and equal arguments.

        The boxes of the part are ready from here on; the last of the calls sends. Raises as `swap`; MismatchError, for all parts, if
        another part has asked for something else.
        """
        number = whole(part, "start_part: part", 32)
        self._core.start_part(number, numbers_of(fields), flag(reverse, "swap: reverse"), depth_of(depth))

    def finish_part(self, part: int) -> None:
        """Completes a swap for one part: waits until all parts have started, and the halos of the part's boxes are filled."""
        self._core.finish_part(whole(part, "finish_part: part", 32))
