"""Halo swaps.

SPDX-License-Identifier: BSD-3-Clause
"""
import itertools
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._arrays import OPAQUE, TYPES, counted, flag, shown, stream_of, text, type_name, whole, wholes
from ._context import ExplainedPlan, agreeing
from ._errors import ArgumentError
from ._grid import STAGGERS, Depth, Field, Grid, made_of, number_in, per_dimension, sides_of
from ._pieces import Piece, pieces_of
from ._swaps import Swapping, called, depth_of, numbers_of, words_of

SIDES = {"both": 0, "low": 1, "high": 2}


def _check_block(i: int, field: Field, grid: Grid) -> None:
    """A field of another grid may have another block, beyond whose end a swap would write."""
    nodes = [int(word != "centred") for word in field.stagger]
    needed = tuple(below + cells + above + node for below, cells, above, node in zip(field.low, grid.local, field.high, nodes))
    if len(field.low) != grid.ndim or field._memory.shape != needed:
        raise ArgumentError(
            f"Halo: {called(i, field.name)} has shape {field._memory.shape}; on this grid and rank {needed} is needed: "
            f"{made_of(grid.local, field.low, field.high, field.stagger)}"
        )


def _depths_of(fields: list[Field], depth: Depth | Literal["each"] | None, ndim: int) -> list[tuple[list[int], list[int]]]:
    """The depth of each field that is swapped."""
    if isinstance(depth, str) and depth == "each":
        return [(field.low, field.high) for field in fields]
    one = ([0] * ndim, [0] * ndim)
    if depth is not None:
        one = sides_of(depth, ndim, "Halo: depth")
    elif fields:
        one = fields[0].low, fields[0].high
    return [one for _ in fields]


def _shape_words(fields: list[Field], depths: list[tuple[list[int], list[int]]]) -> list[tuple[list[int], list[int], list[int]]]:
    """Where the fields' values are, and their depths; nothing where all are in the cells, and as deep as the first."""
    if all(depth == depths[0] for depth in depths) and all(word == "centred" for field in fields for word in field.stagger):
        return []
    return [([STAGGERS[word] for word in field.stagger], low, high) for field, (low, high) in zip(fields, depths)]


def _field_words(what: str, field: Field, low: list[int], high: list[int]) -> tuple[int, int, int, list[int], str]:
    """A field as the extension takes it. One with a deeper halo than the swap begins further inside."""
    if any(mine < asked for mine, asked in zip([*field.low, *field.high], [*low, *high])):
        raise ArgumentError(f"Halo: depth is {low} below and {high} above, but {what} has {field.low} and {field.high}")
    memory = field._memory
    if any(stride <= 0 for stride, cells in zip(memory.strides, memory.shape) if cells > 1):
        raise ArgumentError(f"Halo: {what} has strides {memory.strides}; they must be above 0 (not reversed or broadcast)")
    # NumPy gives no meaning to the stride of an axis with one cell.
    element = memory.dtype.itemsize
    strides = [max(stride, element) for stride in memory.strides]
    inside = sum((mine - asked) * stride for mine, asked, stride in zip(field.low, low, strides))
    return memory.address + inside, TYPES.get(type_name(memory.dtype), OPAQUE), element, strides, field.name or ""


def fills_moving(velocity: Sequence[int]) -> NDArray[np.bool_]:
    """The directions from which a component enters a block that moves by a velocity, in cells per step: an entry of Halo's `fills`.

    Only the signs of velocity count. Returns an array of 3 entries per dimension, True for the directions that are filled: entry
    [1 + v0, 1 + v1] for direction (v0, v1), of which the middle one, the block itself, has no meaning. For lattice Boltzmann: one field
    per component, each with its own. Local. Raises ArgumentError.
    """
    filled = _core.fills_moving(wholes(velocity, "fills_moving: velocity", 32))
    return np.array(filled, np.bool_).reshape((3,) * len(velocity), order="F")


def _fill_words(fills: Sequence[Any] | None, nfields: int, ndim: int) -> list[int]:
    """As the library takes them: dimension 0 runs fastest, field by field."""
    if fills is None:
        return []
    tables = [np.ones((3,) * ndim, np.bool_) if table is None else np.asarray(table) for table in fills]
    if len(tables) != nfields or any(table.shape != (3,) * ndim for table in tables):
        raise ArgumentError(
            f"Halo: fills has entries of shapes {[table.shape for table in tables]}; {nfields} of {(3,) * ndim} are needed, one per field"
        )
    return [int(bool(entry)) for table in tables for entry in table.ravel(order="F")]


class Halo(ExplainedPlan):
    """A plan of swaps: each fills the halos of its fields with the neighbours' cells.

    fields: Fields of this grid, in cells and on nodes, as their `stagger` says. depth: cells that are swapped, as for Field, at most those
    of the fields; None: those of the first field; "each": of each field its own.
    stencil: "box" (with edges and corners) or "star" (faces only). mode: one of `modes()`; None: HALOCLINE_MODE, else the default. epoch:
    "early" or "late", for modes fence and pscw. drive: "put" or "get", for mode fence. staged: one dimension after the other, in fewer
    messages. name: for messages. fills: directions that are sent and filled, one entry per field: None for all, or an array of 3 entries
    per dimension, such as `fills_moving` returns. rebind: swaps may use other arrays than those of `fields`. All but the fields' memory
    and sizes are the same on all ranks.

    The plan keeps the fields' arrays alive. Collective over the grid's context. Raises on all ranks: ArgumentError (an argument, or a
    field of this rank or of another), MismatchError (ranks disagree), OutOfMemoryError, MpiError, UnsupportedError.
    """

    def __init__(  # noqa: PLR0913 - all but two by keyword
        self,
        grid: Grid,
        fields: Sequence[Field],
        *,
        depth: Depth | Literal["each"] | None = None,
        stencil: str = "box",
        mode: str | None = None,
        epoch: str = "default",
        drive: str = "default",
        staged: bool = False,
        fills: Sequence[Any] | None = None,
        rebind: bool = False,
        name: str | None = None,
    ) -> None:
        if not isinstance(grid, Grid):
            raise ArgumentError(f"Halo: grid is a {type(grid).__name__}; it must be a Grid")
        with agreeing(grid.context, "Halo"):
            words = words_of(mode, epoch, drive, stencil)
            fields = [fields] if isinstance(fields, Field) else list(fields)
            if not all(isinstance(field, Field) for field in fields):
                raise ArgumentError("Halo: fields must be Fields; Field.over makes one of an array")
            for i, field in enumerate(fields):
                _check_block(i, field, grid)
            words.staged, words.rebind, words.name = flag(staged, "Halo: staged"), flag(rebind, "Halo: rebind"), text(name, "Halo: name")
            words.fills = _fill_words(fills, len(fields), grid.ndim)
            depths = _depths_of(fields, depth, grid.ndim)
            words.shapes = _shape_words(fields, depths)
            words.low, words.high = depths[0] if depths and not words.shapes else ([0] * grid.ndim, [0] * grid.ndim)
            described = [_field_words(called(i, field.name), field, *depths[i]) for i, field in enumerate(fields)]
        self.fields = tuple(fields)
        self._depths = depths
        # Per field: the one that the last swap used, whose memory views may show.
        self._bound = list(fields)
        self._starting = self._bound
        self._rebind, self._ndim, self._name = words.rebind, grid.ndim, name
        self._begin(grid.context, _core.Halo, grid._core, described, words, [field.array for field in fields])

    fields: tuple[Field, ...]
    """The fields, in the order given."""

    def _about(self) -> str:
        first = self._depths[0] if self._depths else ([], [])
        same = all(depth == first for depth in self._depths)
        depth = f"depth {first[0]} below and {first[1]} above" if same else "depths of their own"
        return f"of {counted(len(self.fields), 'field')}, {depth}{self._mode()}"

    def swap(  # noqa: PLR0913 - all but one by keyword
        self,
        fields: Sequence[int] | None = None,
        *,
        dim: int | None = None,
        side: str = "both",
        reverse: bool = False,
        depth: int | None = None,
        using: Sequence[Field | None] | None = None,
        stream: Any = None,
    ) -> None:
        """Fills the halo, and returns when it is complete: `start` and `finish`.

        fields: numbers of those to swap, ascending; None: all. dim: only the faces of this dimension. side: with dim, which halo to fill:
        "low", "high" or "both". reverse: the adjoint, which adds halo cells to their owner's edge, and sets them to 0. depth: at most so
        many halo cells per side, those nearest the block; None: all. using: Fields in place of the plan's, one per field of the plan, for
        this swap only; None: the plan's own. They have the plan's dtype, shape, depth and strides, and are replaced on all ranks alike. A
        rank that neighbours read in place uses Fields with memory of their own. All but `using` and `stream` is the same on all ranks.

        stream: of fields in a CUDA device's memory, the stream of that device in order with which they are swapped: the swap follows the
        work that it has been given, and work that it is given later finds the halo. A stream of CuPy, PyTorch or Numba, or its handle; 0:
        the default one. None: the swap follows the default stream, and is complete when this returns. Not with `using`.

        Collective over the neighbours. Raises StateError (outstanding already, closed, MPI finalised), WaitTimeoutError and
        PeerDiedError (they name the rank), MpiError, RuleError; ArgumentError for `using`, depth, or a side without dim, on this rank
        alone; UnsupportedError (depth of a staged halo, or of one deeper than the block).
        A KeyboardInterrupt, or what another signal handler raises, ends the wait; after that the halo can only be closed.
        """
        if self._rebind or using is not None or stream is not None:
            self.start(fields, dim=dim, side=side, reverse=reverse, depth=depth, using=using, stream=stream)
            self.finish(stream=stream)
        elif fields is None and dim is None and side == "both" and not reverse and depth is None:
            self._core.swap()
        else:
            self._core.swap_part(*self._part(fields, dim, side, reverse, depth))

    def start(  # noqa: PLR0913 - all but one by keyword
        self,
        fields: Sequence[int] | None = None,
        *,
        dim: int | None = None,
        side: str = "both",
        reverse: bool = False,
        depth: int | None = None,
        using: Sequence[Field | None] | None = None,
        stream: Any = None,
    ) -> None:
        """Starts a swap; arguments and errors as for `swap`. Until `finish` the interior may be read but its edge not written, and the
        halo may be neither read nor written. All ranks start the same swaps of a halo in the same order."""
        if stream is not None:
            if using is not None:
                raise ArgumentError("start: a swap of other arrays (using) cannot be in order with a stream: pass one of the two")
            part = self._part(fields, dim, side, reverse, depth)
            self._core.start_on(*part, stream_of(stream))
            for i in part[0] or range(len(self.fields)):
                self._bound[i] = self.fields[i]
        elif self._rebind or using is not None:
            self._start_with(self._part(fields, dim, side, reverse, depth), using)
        elif fields is None and dim is None and side == "both" and not reverse and depth is None:
            self._core.start()
        else:
            self._core.start_part(*self._part(fields, dim, side, reverse, depth))

    def _start_with(self, part: tuple[list[int], int, int, bool, int], using: Sequence[Field | None] | None) -> None:
        """Starts a swap of other arrays, and keeps them until the next swap of their fields."""
        if using is not None and not isinstance(using, list | tuple):
            raise ArgumentError(f"swap: using is {using!r}; it must be a list of Fields, or None for the plan's own")
        bound = [mine if other is None else other for mine, other in zip(self.fields, using or self.fields)]
        if using is not None and len(using) != len(self.fields):
            raise ArgumentError(f"swap: using has {len(using)} entries, but the halo has {len(self.fields)} fields")
        addresses = [0 if other is mine else self._address(i, other) for i, (mine, other) in enumerate(zip(self.fields, bound))]
        self._starting = bound  # a signal handler may raise after the swap has been started
        self._core.start_with(*part, addresses)
        for i in part[0] or range(len(bound)):
            self._bound[i] = bound[i]

    def _address(self, i: int, other: Field) -> int:
        """Where a field begins that is to take the place of field i."""
        mine = self.fields[i]
        if not isinstance(other, Field):
            raise ArgumentError(f"swap: using[{i}] is a {type(other).__name__}; it must be a Field, or None for the plan's own")
        for what in ("dtype", "shape", "strides"):
            planned, given = getattr(mine._memory, what), getattr(other._memory, what)
            if planned != given:
                raise ArgumentError(f"swap: using[{i}] has {what} {given}, the plan's {planned}")
        if (mine.low, mine.high) != (other.low, other.high):
            raise ArgumentError(f"swap: using[{i}] has depths {other.low} and {other.high}, the plan's field {mine.low} and {mine.high}")
        if mine.stagger != other.stagger:
            raise ArgumentError(f"swap: using[{i}] has stagger {other.stagger}, the plan's field {mine.stagger}")
        return _field_words(f"using[{i}]", other, *self._depths[i])[0]

    def test(self) -> bool:
        """Advances the swap without waiting. True: `finish` will not wait for data. Always False in modes fence and passive_naive,
        and for a staged swap in mode pscw with late epochs.
        """
        return bool(self._core.test())

    def finish(self, *, stream: Any = None) -> None:
        """Completes the swap: every requested halo cell holds the neighbour's value, and the interior may be written again.

        stream: as for `swap`; the host does not wait for the last copies to a device, but work that the stream is given later does.
        """
        if stream is None:
            self._core.finish()
        else:
            self._core.finish_on(stream_of(stream))

    def swapping(  # noqa: PLR0913 - all but one by keyword
        self,
        fields: Sequence[int] | None = None,
        *,
        dim: int | None = None,
        side: str = "both",
        reverse: bool = False,
        depth: int | None = None,
        using: Sequence[Field | None] | None = None,
        stream: Any = None,
    ) -> Swapping:
        """A block during which a swap is outstanding: `with halo.swapping(): compute_interior()`. Arguments as for `swap`.

        The swap is complete after the block. If the block raises an exception, the swap is left outstanding, and the halo can only be
        abandoned with its context.
        """
        return Swapping(
            self,
            lambda: self.start(fields, dim=dim, side=side, reverse=reverse, depth=depth, using=using, stream=stream),
            lambda: self.finish(stream=stream),
        )

    # ------------------------------------------------------------ views

    def finish_views(self) -> None:
        """Completes a swap as `finish` does, but in mode "view" copies nothing: cells around the block are read through `view`.

        The halo cells of the array are then left as they were. This holds until the next start of this halo, `release` or `close`, and
        meanwhile the swapped fields may not be written: two fields in turn (`rebind`, or both in the plan) need no release. In all other
        modes, in reverse, where the halo is deeper than the block, and with HALOCLINE_CHECK=1 it is `finish`, and views show the halo.
        """
        self._core.finish_views()

    def release(self) -> None:
        """Ends the views, and waits until all neighbours have ended those of this block, which may be written again. All ranks call it."""
        self._core.release()

    def view(self, direction: Sequence[int], field: int = 0) -> NDArray[Any] | None:
        """The cells around the block in one direction, as in its halo, to be read only: those of a neighbour in place, where that can be.

        direction: -1, 0 or 1 per dimension, (-1, 0): below along dimension 0; all 0: the block itself. Along a dimension the array has the
        block's cells where the direction is 0, else the depth; in mode "view" that of the last swap. None: the last swap did not move these
        cells. Call it after each `finish_views`, as the memory changes from swap to swap. An earlier array stays valid, with whatever is in
        that memory then.
        Local. Raises ArgumentError (direction, field), StateError while a swap is outstanding.
        """
        steps, field = wholes(direction, "view: direction"), whole(field, "view: field")
        if len(steps) != self._ndim or any(step not in (-1, 0, 1) for step in steps) or not 0 <= field < len(self.fields):
            raise ArgumentError(f"view: direction is {direction}, field {field}; {self._ndim} of -1, 0 or 1, and one of the plan's fields")
        own = self._bound[field]
        if own._device:
            raise ArgumentError(f"view: field {field} is in a device's memory, where its halo is after every swap; read its array there")
        number = sum((step + 1) * 3**d for d, step in enumerate(steps))
        found = self._core.view(field, number, _field_words(called(field, own.name), own, *self._depths[field])[0])
        if found is None:
            return None
        address, shape, strides, owner = found
        return shown(address, shape, strides, own.dtype, own.array if owner is None else owner)

    def pieces(self, field: int = 0, reach: int | Sequence[int] = 1) -> Iterator["Piece"]:
        """The block in pieces, each with the cells around it: for stencils that read where `view` shows the cells, after `finish_views`.

        reach: how far the stencil reads, one for all dimensions or one each, at most the plan's depth. One piece is the inner part of the
        block, which reads the field's own array. The others are slabs along its sides, which together with their surroundings are copied
        into an array. So cells are read here, and results are written elsewhere. Each cell is in one piece. Cells that the last swap did
        not move are as in the array's halo, or undefined. Local. Raises ArgumentError (field, reach), StateError while a swap is
        outstanding. The NumPy form of hlc_for_rows.
        """
        field = whole(field, "pieces: field")
        if not 0 <= field < len(self.fields):
            raise ArgumentError(f"pieces: field is {field}; the plan has {len(self.fields)}")
        low, high = self._depths[field]
        reaches = wholes(per_dimension(reach, self._ndim), "pieces: reach")
        if len(reaches) != self._ndim or any(not 0 <= r <= min(below, above) for r, below, above in zip(reaches, low, high)):
            raise ArgumentError(f"pieces: reach is {reach}; the halo has depths {low} below and {high} above")
        around = {d: self.view(d, field) for d in itertools.product((-1, 0, 1), repeat=self._ndim)}
        return iter(pieces_of(self._bound[field], around, reaches))

    def _part(
        self, fields: Sequence[int] | None, dim: int | None, side: str, reverse: bool, depth: int | None
    ) -> tuple[list[int], int, int, bool, int]:
        along = -1 if dim is None else whole(dim, "swap: dim")
        if dim is not None and not 0 <= along < self._ndim:
            raise ArgumentError(f"swap: dim is {dim}; the grid has dimensions 0 to {self._ndim - 1}")
        number = number_in(SIDES, side, "side")
        if dim is None and number != 0:
            raise ArgumentError(f"swap: side is {side!r}, but dim is None; a side needs a dim")
        return numbers_of(fields), along, number, flag(reverse, "swap: reverse"), depth_of(depth)
