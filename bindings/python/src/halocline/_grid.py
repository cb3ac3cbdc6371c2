"""Grids over the ranks, and fields on them.

SPDX-License-Identifier: BSD-3-Clause
"""
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from . import _core
from ._arrays import Memory, as_array, bytes_of, dtype_of, flag, memory_of, on_device, plain, text, whole, wholes
from ._context import Context, agreeing
from ._errors import ArgumentError

Depth = int | Sequence[int | tuple[int, int]]
STENCILS = {"box": 0, "star": 1}
EPOCHS = {"default": 0, "early": 1, "late": 2}
DRIVES = {"default": 0, "put": 1, "get": 2}
STAGGERS = {"centred": 0, "shared": 1, "owned": 2}


def number_in(table: dict[str, int], name: str, what: str) -> int:
    """The library's number for a word. Raises ArgumentError for a word that it does not know."""
    if not isinstance(name, str) or name not in table:
        raise ArgumentError(f"{what} is {name!r}; it must be one of {', '.join(table)}")
    return table[name]


def sides_of(depth: Depth, ndim: int, what: str = "depth") -> tuple[list[int], list[int]]:
    """The depth of the low and of the high side of each dimension. `what` is what messages call it."""
    per_dim: list[Any] = [depth] * ndim if isinstance(depth, str) or not np.iterable(depth) else list(depth)
    if len(per_dim) != ndim:
        raise ArgumentError(f"{what} has {len(per_dim)} entries, but there are {ndim} dimensions")
    pairs = [wholes(entry, what) if np.iterable(entry) else [whole(entry, what)] * 2 for entry in per_dim]
    if any(len(pair) != 2 for pair in pairs):
        raise ArgumentError(f"{what} is {depth!r}; a dimension has one depth, or that of its low and of its high side")
    return [low for low, _ in pairs], [high for _, high in pairs]


def per_dimension(given: Any, ndim: int) -> list[Any]:
    """One value for all dimensions, or one each."""
    return list(given) if np.iterable(given) and not isinstance(given, str) else [given] * ndim


def joined_of(periodic: Any, ndim: int, what: str) -> list[bool]:
    """Whether the sides of each dimension are joined."""
    return [flag(side, f"{what}: periodic") for side in per_dimension(periodic, ndim)]


def staggers_of(stagger: str | Sequence[str], ndim: int, what: str) -> tuple[str, ...]:
    """Where values are along each dimension; one word says it for all."""
    if not isinstance(stagger, str) and not np.iterable(stagger):
        raise ArgumentError(f"{what}: stagger is {stagger!r}; it must be one of {', '.join(STAGGERS)}, for all dimensions or each")
    words = [stagger] * ndim if isinstance(stagger, str) else list(stagger)
    if len(words) != ndim:
        raise ArgumentError(f"{what}: stagger has {len(words)} entries, but there are {ndim} dimensions")
    for d, word in enumerate(words):
        number_in(STAGGERS, word, f"{what}: stagger" if isinstance(stagger, str) else f"{what}: stagger[{d}]")
    return tuple(words)


def made_of(cells: Sequence[int], low: list[int], high: list[int], stagger: Sequence[str]) -> str:
    """What the extents of a field's array add up from, for messages."""
    nodes = [str(d) for d, word in enumerate(stagger) if word != "centred"]
    more = f", one node more along dimension {' and '.join(nodes)}" if nodes else ""
    return f"{tuple(cells)} cells{more} and halos of {low} below and {high} above"


class Placement(NamedTuple):
    """What Grid.reorder found, in bytes that one swap moves."""

    bytes: int
    """Between all ranks."""
    bytes_before: int
    """Of these between nodes, with ranks in the grid's order."""
    bytes_after: int
    """Of these between nodes, as ranks are placed now: never more than before."""
    nodes: int
    """Nodes of the context."""


class Grid:
    """A grid of 1 to 4 dimensions, in blocks of which each rank has one. Dimension d of the grid is axis d of arrays.

    shape: cells of the whole grid. periodic: whether the sides of a dimension are joined, one value for all or one each. ranks: ranks
    along each dimension, 0 where free; None: all free, and the split with the smallest surface is taken. Blocks differ by one cell at
    most. order: how ranks are numbered, "C" along the last dimension first, as by MPI_Cart_create, "F" along dimension 0 first. Local,
    with the same result on all ranks. Raises ArgumentError if a rank would have no cell, or `ranks` or `order` does not fit.
    """

    def __init__(
        self,
        context: Context,
        shape: Sequence[int],
        periodic: bool | Sequence[bool] = False,
        ranks: Sequence[int] | None = None,
        order: str = "C",
    ) -> None:
        if not isinstance(context, Context):
            raise ArgumentError(f"Grid: context is a {type(context).__name__}; it must be a Context")
        cells = wholes(shape, "Grid: shape")
        ndim = len(cells)
        joined = joined_of(periodic, ndim, "Grid")
        split = [0] * ndim if ranks is None else wholes(ranks, "Grid: ranks", 32)
        if len(joined) != ndim or len(split) != ndim:
            raise ArgumentError(f"Grid: shape has {ndim} entries, periodic {len(joined)} and ranks {len(split)}; they must be equal")
        if order not in ("C", "F"):
            raise ArgumentError(f"Grid: order is {order!r}; it must be 'C' or 'F'")
        self._core = _core.Grid(context._core, cells, [int(side) for side in joined], split, order == "F")
        self._context = context
        self.periodic = tuple(joined)

    periodic: tuple[bool, ...]
    """Whether the sides of each dimension are joined."""

    @property
    def context(self) -> Context:
        """The context whose ranks have the blocks."""
        return self._context

    @property
    def ndim(self) -> int:
        """Dimensions."""
        return len(self.shape)

    @property
    def shape(self) -> tuple[int, ...]:
        """Cells of the whole grid."""
        return self._core.shape

    @property
    def local(self) -> tuple[int, ...]:
        """Cells of this rank's block, without halo."""
        return self._core.local

    @property
    def start(self) -> tuple[int, ...]:
        """The first global cell of this rank's block, counted from 0."""
        return self._core.start

    @property
    def block(self) -> tuple[slice, ...]:
        """This rank's block as an index of a global array."""
        return tuple(slice(first, first + count) for first, count in zip(self.start, self.local))

    @property
    def ranks(self) -> tuple[int, ...]:
        """Ranks along each dimension."""
        return self._core.ranks

    @property
    def coords(self) -> tuple[int, ...]:
        """This rank's place among them."""
        return self._core.coords

    def rank_at(self, coords: Sequence[int]) -> int | None:
        """The rank at a place, wrapped in periodic dimensions; None beyond an open side."""
        place = wholes(coords, "rank_at: coords", 32)
        if len(place) != self.ndim:
            raise ArgumentError(f"rank_at: coords has {len(place)} entries, but the grid has {self.ndim} dimensions")
        rank = self._core.rank_at(place)
        return None if rank < 0 else rank

    def reorder(self, depth: Depth = 1, stencil: str = "box", cell_bytes: int = 8) -> Placement:
        """Gives the ranks other places, so that fewer bytes cross nodes in a swap of this depth. Before fields are made. Collective."""
        with agreeing(self._context, "Grid.reorder"):
            low, high = sides_of(depth, self.ndim)
            number, size = number_in(STENCILS, stencil, "stencil"), whole(cell_bytes, "Grid.reorder: cell_bytes")
        return Placement(*self._core.reorder(self._context._core, low, high, number, size))

    def __repr__(self) -> str:
        if "_core" not in self.__dict__:
            return "<halocline.Grid, not made>"
        return f"<halocline.Grid {self.shape} in {self.ranks} ranks: {self.local} from {self.start}>"


class Field:
    """A rank's block of a grid with its halo: an array of local + low depth + high depth cells in each dimension.

    depth: halo cells on every side, per dimension, or per side: 1, (1, 2), ((1, 0), (2, 2)). dtype: any NumPy type without Python
    objects. order: "C" or "F". The memory is shared on the node, so that neighbours read it in place, and is zero at first. Collective
    over the grid's context. It is released when no array of it is left, or with the context; arrays stay valid after that.

    stagger: where the values are, one word for all dimensions or one each. "centred": in the cells. "shared" or "owned": on the nodes
    between them, of which there is one more than cells; index i of `interior` is the node below cell i. A shared node between two ranks is
    in both blocks; both compute it, and swaps leave it out. An owned one is in the block of the rank above. The rank below gets it as the
    first value of its high halo. At the upper end of an open dimension a block has the last node as well.

    Raises on all ranks: ArgumentError (dtype, depth, order, stagger), OutOfMemoryError if shared memory is short on one rank.
    """

    def __init__(  # noqa: PLR0913 - all but three by keyword
        self,
        grid: Grid,
        dtype: DTypeLike = np.float64,
        depth: Depth = 1,
        *,
        order: str = "C",
        stagger: str | Sequence[str] = "centred",
        name: str | None = None,
    ) -> None:
        if not isinstance(grid, Grid):
            raise ArgumentError(f"Field: grid is a {type(grid).__name__}; it must be a Grid")
        with agreeing(grid.context, "Field"):
            self._describe(grid, depth, stagger, name)
            kind = dtype_of(dtype, "Field")
            if order not in ("C", "F"):
                raise ArgumentError(f"Field: order is {order!r}; it must be 'C' or 'F'")
            cells = self._cells()
            count = bytes_of(cells, kind, "Field")
        raw = grid.context._core.allocate(count)
        self.array: NDArray[Any] = raw.view(kind).reshape(cells, order="F" if order == "F" else "C")

    array: NDArray[Any]
    """The whole block, halo included."""
    _device: Memory | None = None  # where the array is, if that is a device's memory
    grid: Grid
    """The grid whose block it is."""
    name: str | None
    """For messages."""
    low: list[int]
    """Halo cells below the block, in each dimension."""
    high: list[int]
    """Halo cells above it; of "owned" nodes without the one of the rank above."""
    stagger: tuple[str, ...]
    """Where the values are along each dimension: "centred", "shared" or "owned"."""

    @classmethod
    def over(
        cls, grid: Grid, array: Any, depth: Depth = 1, *, stagger: str | Sequence[str] = "centred", name: str | None = None
    ) -> "Field":
        """A field over memory of the program: a NumPy array, or any object with the buffer protocol or DLPack. Nothing is copied.

        So is an array in a CUDA device's memory, by `__cuda_array_interface__`, as those of CuPy, Numba and PyTorch have, or by DLPack:
        `array` is that object, and `Halo` swaps it there (docs/guide/gpu.md). A swap follows the work that the device's default stream has
        been given, or a stream of the program's that it is passed.

        Any strides will do. Neighbours cannot read such memory in place, so that swaps copy once more than those of a Field's own memory.
        A producer from before DLPack 1.0 cannot say that its memory is read-only: it is written. Local. Raises ArgumentError if the shape
        is not local + low depth + high depth, and one more on nodes, for Python objects, and for read-only memory.
        """
        field = cls.__new__(cls)
        field._describe(grid, depth, stagger, name)
        field._device = on_device(array, "Field.over: array")
        field.array = array if field._device else plain(as_array(array, "Field.over: array"), "Field.over: array")
        if field._memory.shape != field._cells():
            called = f"the array of field {name}" if name else "the array"
            raise ArgumentError(
                f"Field.over: {called} has shape {field._memory.shape}; on this rank {field._cells()} is needed: "
                f"{made_of(grid.local, field.low, field.high, field.stagger)}"
            )
        if not field._device and not field.array.flags.writeable:
            raise ArgumentError("Field.over: the array is read-only, and swaps write its halo")
        return field

    def _describe(self, grid: Grid, depth: Depth, stagger: str | Sequence[str], name: str | None) -> None:
        self.grid, self.name = grid, text(name, "Field: name")
        self.stagger = staggers_of(stagger, grid.ndim, "Field")
        self.low, self.high = sides_of(depth, grid.ndim, "Field: depth")
        if min(*self.low, *self.high, 0) < 0:
            raise ArgumentError(f"Field: depth is {depth}; halos have 0 or more cells")

    def _cells(self) -> tuple[int, ...]:
        on_nodes = [int(word != "centred") for word in self.stagger]
        return tuple(low + local + high + node for low, local, high, node in zip(self.low, self.grid.local, self.high, on_nodes))

    def _nodes_of_others(self) -> list[int]:
        """Per dimension 1 if the first value of the high halo is a node that the rank above owns."""
        grid = self.grid
        ends = [not joined and place == ranks - 1 for joined, place, ranks in zip(grid.periodic, grid.coords, grid.ranks)]
        return [int(word == "owned" and not end) for word, end in zip(self.stagger, ends)]

    def _block(self) -> tuple[int, ...]:
        """Values without halo."""
        sides = zip(self._cells(), self.low, self.high, self._nodes_of_others())
        return tuple(all_values - low - high - node for all_values, low, high, node in sides)

    @property
    def block(self) -> tuple[slice, ...]:
        """The block as an index of a global array of the field's cells or nodes."""
        return tuple(slice(first, first + count) for first, count in zip(self.grid.start, self._block()))

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of its elements."""
        return self._memory.dtype

    @property
    def _memory(self) -> Memory:
        return self._device or memory_of(self.array)

    @property
    def interior(self) -> NDArray[Any]:
        """The block without halo: a view of `array`."""
        return self.shifted()

    @interior.setter
    def interior(self, values: Any) -> None:
        self.shifted()[...] = values

    def shifted(self, *offset: int) -> NDArray[Any]:
        """A view of the cells at an offset from those of the block: `u.shifted(-1, 0)` are the lower neighbours along dimension 0.

        Missing entries are 0. Raises ArgumentError for an offset beyond the halo, and for one that is no whole number.
        """
        steps = [*wholes(offset, "shifted: offset"), *[0] * (self.grid.ndim - len(offset))]
        above = [high + node for high, node in zip(self.high, self._nodes_of_others())]
        if any(-step > low or step > high for step, low, high in zip(steps, self.low, above)) or len(steps) != self.grid.ndim:
            raise ArgumentError(f"shifted: {offset} is beyond the halo of {self.low} cells below and {above} above")
        first = [low + step for low, step in zip(self.low, steps)]
        return self.array[tuple(slice(begin, begin + count) for begin, count in zip(first, self._block()))]

    def __repr__(self) -> str:
        if "array" not in self.__dict__:
            return "<halocline.Field, not made>"
        name = f" {self.name}" if self.name else ""
        nodes = f" {self.stagger}" if any(word != "centred" for word in self.stagger) else ""
        return f"<halocline.Field{name} {self._memory.shape} {self.dtype}{nodes}>"
