"""Whether the partners of an exchange are the neighbours in a grid of ranks, and the halo that this is.

SPDX-License-Identifier: BSD-3-Clause
"""
import collections
import dataclasses
import itertools
from collections.abc import Iterator, Sequence
from typing import TypeAlias, TypeVar

from halocline.command.advice.replaying import Message

OUTSIDE = -3  # the rank beyond an open end, in the recording
MOST_RANKS = 4096

Counts: TypeAlias = collections.Counter[int]
Value = TypeVar("Value")


@dataclasses.dataclass(frozen=True)
class Shape:
    """Ranks per dimension, which dimensions are periodic, and whether corners are neighbours, too. Ranks are numbered along the last
    dimension first, as by MPI_Cart_create and hlc_grid_create."""
    shape: tuple[int, ...]
    periodic: tuple[bool, ...]
    box: bool


@dataclasses.dataclass(frozen=True)
class Grid:
    """What the messages say of a grid. None: several values fit, and only the user knows which."""
    shape: tuple[int | None, ...]
    periodic: tuple[bool | None, ...]
    box: bool | None
    shapes: tuple[tuple[int, ...], ...]  # that fit


def splits(ranks: int, dims: int, least: int) -> Iterator[tuple[int, ...]]:
    """All ways to split ranks over so many dimensions, each in so many parts at least."""
    if dims == 1:
        if ranks >= least:
            yield (ranks,)
        return
    for first in range(least, ranks + 1):
        if ranks % first == 0:
            yield from ((first, *rest) for rest in splits(ranks // first, dims - 1, least))


def place(rank: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    coordinates = []
    for size in reversed(shape):
        coordinates.append(rank % size)
        rank //= size
    return tuple(reversed(coordinates))


def beside(rank: int, grid: Shape, step: Sequence[int]) -> int:
    """The rank so many steps away, or OUTSIDE."""
    to = [x + dx for x, dx in zip(place(rank, grid.shape), step)]
    if not all(periodic or 0 <= x < size for x, size, periodic in zip(to, grid.shape, grid.periodic)):
        return OUTSIDE
    number = 0
    for size, x in zip(grid.shape, to):
        number = number * size + x % size
    return number


def neighbours(rank: int, grid: Shape) -> Counts:
    """How many messages a rank sends to each other one, with one per side: two to the partner across both ends of a periodic dimension of
    two ranks, two to itself along a periodic dimension of one."""
    steps = [step for step in itertools.product((-1, 0, 1), repeat=len(grid.shape)) if any(step) and (grid.box or sum(map(abs, step)) == 1)]
    return collections.Counter(to for step in steps if (to := beside(rank, grid, step)) != OUTSIDE)


def cart_list(rank: int, grid: Shape) -> list[int]:
    """The lower and the upper neighbour along each dimension, as MPI_Cart_shift names them."""
    units = [[int(d == dim) for d in range(len(grid.shape))] for dim in range(len(grid.shape))]
    return [beside(rank, grid, [sign * x for x in unit]) for unit in units for sign in (-1, 1)]


def candidates(ranks: int, least: int) -> Iterator[Shape]:
    for dims in (1, 2, 3):
        for shape in splits(ranks, dims, least):
            for box in (False, True) if dims > 1 else (False,):
                for periodic in itertools.product((False, True), repeat=dims):
                    yield Shape(shape, periodic, box)


def counts_of(messages: Sequence[Message], ranks: int) -> list[Counts]:
    counts: list[Counts] = [collections.Counter() for _ in range(ranks)]
    for one in messages:
        counts[one.sender][one.receiver] += 1
    return counts


def has_partners(grid: Shape, counts: Sequence[Counts]) -> bool:
    return all(neighbours(rank, grid).keys() == one.keys() for rank, one in enumerate(counts))


def has_counts(grid: Shape, counts: Sequence[Counts]) -> bool:
    """Whether each side gets the same number of messages: one, or one for each of several fields."""
    ratios: set[float] = set()
    for rank, one in enumerate(counts):
        expected = neighbours(rank, grid)
        if expected.keys() != one.keys():
            return False
        ratios |= {one[to] / expected[to] for to in expected}
        if len(ratios) > 1:
            return False
    return all(ratio == int(ratio) for ratio in ratios)


def has_open_single(grid: Shape) -> bool:
    """An open dimension of one rank, of which messages show nothing."""
    return any(size == 1 and not periodic for size, periodic in zip(grid.shape, grid.periodic))


def fitting(counts: Sequence[Counts], lists: Sequence[list[int]] | None) -> list[Shape]:
    """All grids that the program's messages can be those of. What MPI_Cart_create was told decides; else counts of messages per partner;
    where no grid has these counts, the partners alone."""
    ranks = len(counts)
    if lists is not None:
        told = [grid for grid in candidates(ranks, 1)
                if all(cart_list(rank, grid) == one for rank, one in enumerate(lists)) and has_partners(grid, counts)]
        if told:
            return told
    to_itself = any(rank in one for rank, one in enumerate(counts))
    same = [grid for grid in candidates(ranks, 1 if to_itself else 2) if not has_open_single(grid) and has_partners(grid, counts)]
    return [grid for grid in same if has_counts(grid, counts)] or same


def find(messages: Sequence[Message], ranks: int, lists: Sequence[list[int]] | None = None) -> Grid | None:
    """The grid whose neighbours are the partners of all ranks, with what is certain of it. lists: of each rank those of the communicator's
    topology, if it has one."""
    counts = counts_of(messages, ranks) if ranks <= MOST_RANKS else []
    found = fitting(counts, lists) if any(counts) else []
    if len({len(one.shape) for one in found}) != 1:
        return None
    return Grid(tuple(agreed(values) for values in zip(*(one.shape for one in found))),
                tuple(agreed(values) for values in zip(*(one.periodic for one in found))), agreed([one.box for one in found]),
                tuple(dict.fromkeys(one.shape for one in found)))


def agreed(values: Sequence[Value]) -> Value | None:
    return values[0] if len(set(values)) == 1 else None


def listed(values: Sequence[object], name: str) -> str:
    """Values in C; one that is not known stands in capitals."""
    return ", ".join(f"{name}_{'XYZ'[at]}" if value is None else str(int(value)) if isinstance(value, bool) else str(value)
                     for at, value in enumerate(values))


def open_questions(grid: Grid) -> list[str]:
    """What is the user's to fill in."""
    said = []
    unsure = [f"PERIODIC_{'XYZ'[at]}" for at, value in enumerate(grid.periodic) if value is None]
    if None in grid.shape:
        said.append("RANKS: " + " or ".join("{" + ", ".join(map(str, shape)) + "}" for shape in grid.shapes))
    if unsure:
        said.append(f"{', '.join(unsure)}: 0 or 1. Two messages to one partner are both sides of a periodic dimension, or two fields")
    if grid.box is None:
        said.append("STENCIL: HLC_STENCIL_STAR, or HLC_STENCIL_BOX if corners are swapped, too")
    return [f"/* {one} */" for one in said]


def spec(grid: Grid, messages: Sequence[Message]) -> list[str]:
    """The calls that plan this halo, in C. What messages do not say stands in capitals."""
    dims = len(grid.shape)
    sizes = sorted({one.bytes for one in messages})
    depth = "{" + ", ".join(["DEPTH"] * dims) + "}"
    span = f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
    stencil = "STENCIL" if grid.box is None else "HLC_STENCIL_BOX" if grid.box else "HLC_STENCIL_STAR"
    order = ["/* Ranks are numbered along the last dimension first, as by MPI_Cart_create. */"] if dims > 1 else []
    return [f"hlc_grid_create(context, {dims}, (int64_t[]){{{listed([None] * dims, 'CELLS')}}}, (int[]){{{listed(grid.shape, 'RANKS')}}}, "
            f"(int[]){{{listed(grid.periodic, 'PERIODIC')}}}, &grid);",
            *order, *open_questions(grid),
            f"hlc_halo_spec spec = {{.grid = &grid, .depth_low = {depth}, .depth_high = {depth}, .stencil = {stencil},",
            "                      .layout = HLC_ROW_MAJOR, .nfields = FIELDS, .fields = fields};",
            f"/* DEPTH x cells of a side x bytes of all FIELDS: {span} per message */"]
