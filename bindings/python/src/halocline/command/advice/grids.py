"""Whether the partners of an exchange are the neighbours in a grid of ranks, and the halo that this is.

SPDX-License-Identifier: BSD-3-Clause
"""
import dataclasses
import itertools
from collections.abc import Iterator, Sequence

from halocline.command.advice.replaying import Message


@dataclasses.dataclass(frozen=True)
class Grid:
    """Ranks per dimension, which dimensions are periodic, and whether corners are neighbours, too. first_fastest: rank 1 is beside rank 0
    along dimension 0."""
    shape: tuple[int, ...]
    periodic: tuple[bool, ...]
    box: bool
    first_fastest: bool

    @property
    def stencil(self) -> str:
        return "HLC_STENCIL_BOX" if self.box else "HLC_STENCIL_STAR"


def shapes(ranks: int, dims: int) -> Iterator[tuple[int, ...]]:
    """All ways to split ranks over so many dimensions, each in two parts at least."""
    if dims == 1:
        if ranks > 1:
            yield (ranks,)
        return
    for first in range(2, ranks // 2 + 1):
        if ranks % first == 0:
            yield from ((first, *rest) for rest in shapes(ranks // first, dims - 1))


def place(rank: int, shape: tuple[int, ...], first_fastest: bool) -> tuple[int, ...]:
    coordinates = []
    for size in shape if first_fastest else reversed(shape):
        coordinates.append(rank % size)
        rank //= size
    return tuple(coordinates if first_fastest else reversed(coordinates))


def number(coordinates: Sequence[int], shape: tuple[int, ...], first_fastest: bool) -> int:
    rank = 0
    for size, at in reversed(list(zip(shape, coordinates))) if first_fastest else zip(shape, coordinates):
        rank = rank * size + at
    return rank


def neighbours(rank: int, grid: Grid) -> set[int]:
    at = place(rank, grid.shape, grid.first_fastest)
    found = set()
    for step in itertools.product((-1, 0, 1), repeat=len(grid.shape)):
        if not any(step) or (not grid.box and sum(map(abs, step)) > 1):
            continue
        to = [x + dx for x, dx in zip(at, step)]
        if all(periodic or 0 <= x < size for x, size, periodic in zip(to, grid.shape, grid.periodic)):
            found.add(number([x % size for x, size in zip(to, grid.shape)], grid.shape, grid.first_fastest))
    return found - {rank}


def candidates(ranks: int) -> Iterator[Grid]:
    for dims in (1, 2, 3):
        for shape in shapes(ranks, dims):
            for box in (False, True) if dims > 1 else (False,):
                for periodic in itertools.product((False, True), repeat=dims):
                    for first_fastest in (False, True) if dims > 1 else (False,):
                        yield Grid(shape, periodic, box, first_fastest)


def is_twice(messages: Sequence[Message]) -> bool:
    """Whether some rank sends two messages of a step to the same one: across both sides of a periodic dimension that has two ranks."""
    pairs = [(one.sender, one.receiver) for one in messages]
    return len(set(pairs)) < len(pairs)


def find(messages: Sequence[Message], ranks: int) -> Grid | None:
    """The first grid whose neighbours are the partners of all ranks."""
    partners: list[set[int]] = [set() for _ in range(ranks)]
    for one in messages:
        if one.sender != one.receiver:
            partners[one.sender].add(one.receiver)
    if ranks > 4096 or not any(partners):
        return None
    for grid in candidates(ranks):
        two = [periodic for size, periodic in zip(grid.shape, grid.periodic) if size == 2]
        if two and any(two) != is_twice(messages):
            continue
        if all(neighbours(rank, grid) == partners[rank] for rank in range(ranks)):
            return grid
    return None


def listed(values: Sequence[object]) -> str:
    return ", ".join(str(int(value)) if isinstance(value, bool) else str(value) for value in values)


def spec(grid: Grid, messages: Sequence[Message]) -> list[str]:
    """The calls that plan this halo, in C. What messages do not say stands in capitals."""
    dims = len(grid.shape)
    names = ("CELLS_X", "CELLS_Y", "CELLS_Z")[:dims]
    sizes = sorted({one.bytes for one in messages})
    depth = "{" + listed(["DEPTH"] * dims) + "}"
    order = "" if not grid.first_fastest or dims == 1 else "  /* ranks are numbered along the last dimension first: turn the lists round */"
    span = f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
    return [f"hlc_grid_create(context, {dims}, (int64_t[]){{{listed(names)}}}, (int[]){{{listed(grid.shape)}}}, "
            f"(int[]){{{listed(grid.periodic)}}}, &grid);{order}",
            f"hlc_halo_spec spec = {{.grid = &grid, .depth_low = {depth}, .depth_high = {depth}, .stencil = {grid.stencil},",
            "                      .layout = HLC_ROW_MAJOR, .nfields = FIELDS, .fields = fields};",
            f"/* DEPTH x cells of a side x bytes of all FIELDS: {span} per message */"]


