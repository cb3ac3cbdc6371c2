"""What one rank moves in a swap of a periodic grid: bytes, neighbours, contiguous runs. It counts as halocline-bench halo does.

SPDX-License-Identifier: BSD-3-Clause
"""
import dataclasses
import itertools
import math

from halocline.command.card import Case

ELEMENT_BYTES = {"float32": 4, "float64": 8, "int32": 4, "int64": 8, "complex64": 8, "complex128": 16}


@dataclasses.dataclass(frozen=True)
class Swap:
    """A swap: cells per rank along x, y and z, of which z is contiguous; the dimensions that are split have a halo."""
    local: tuple[int, int, int]
    depth: int = 1
    fields: int = 1
    element_bytes: int = 8
    ranks: int = 2
    split: str = "xy"
    box: bool = True


def process_grid(ranks: int, dims: int) -> tuple[int, ...]:
    """Ranks per dimension, as even as can be, the most first."""
    best = (ranks,) + (1,) * (dims - 1)
    for shape in itertools.product(*[[n for n in range(1, ranks + 1) if ranks % n == 0]] * dims):
        if math.prod(shape) == ranks and list(shape) == sorted(shape, reverse=True) and max(shape) < max(best):
            best = shape
    return best


def directions(swap: Swap) -> list[tuple[int, ...]]:
    dims = len(swap.split)
    every = [step for step in itertools.product((-1, 0, 1), repeat=dims) if any(step)]
    return [step + (0,) * (3 - dims) for step in every if swap.box or sum(map(abs, step)) == 1]


def node_of(place: tuple[int, ...], grid: tuple[int, ...], nodes: int) -> int:
    """The node of the rank at a place of the grid of ranks. Ranks are numbered along x first, and fill one node after the other."""
    rank = place[0] + grid[0] * (place[1] + grid[1] * place[2])
    return rank * nodes // math.prod(grid)


def case_of(swap: Swap, cores: int, nodes: int = 1) -> Case:
    """What the first rank moves, for a prediction."""
    grid = process_grid(swap.ranks, len(swap.split)) + (1,) * (3 - len(swap.split))
    moved = own = blocks = messages = far_bytes = far_messages = 0
    others = set()
    for step in directions(swap):
        count = [swap.depth if step[d] else swap.local[d] for d in range(3)]
        neighbour = tuple(step[d] % grid[d] for d in range(3))
        cell_bytes = math.prod(count) * swap.fields * swap.element_bytes
        # Whole columns follow each other in memory where z has no halo.
        blocks += swap.fields * count[0] * (1 if len(swap.split) == 2 and not step[2] else count[1])
        if any(neighbour):
            moved += cell_bytes
            others.add(neighbour)
            messages += 1
            is_far = node_of(neighbour, grid, nodes) > 0
            far_bytes += cell_bytes * is_far
            far_messages += is_far
        else:
            own += cell_bytes
    return Case(bytes=moved, local_bytes=own, ranks=swap.ranks, ranks_per_core=max(1.0, swap.ranks / max(cores, 1)),
                neighbours=len(others), blocks=blocks, messages=messages, far_bytes=far_bytes, far_messages=far_messages)
