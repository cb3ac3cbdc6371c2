"""The cells of a block in pieces, each with what is around it.

SPDX-License-Identifier: BSD-3-Clause
"""
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._arrays import wholes
from ._errors import ArgumentError
from ._grid import Field

# From the first cell of a box to behind its last one, per dimension, counted from 0 in the block.
_Box = list[tuple[int, int]]


class Piece:
    """Some cells of a block, to be read together with those around them."""

    def __init__(self, box: _Box, cells: NDArray[Any], reach: Sequence[int]) -> None:
        self._box, self._cells, self._reach = box, cells, tuple(reach)

    def __repr__(self) -> str:
        cells = ", ".join(f"{begin}:{end}" for begin, end in self._box)
        return f"<halocline.Piece [{cells}], reach {self._reach}>"

    @property
    def index(self) -> tuple[slice, ...]:
        """Its place in the block: `u.interior[piece.index]`."""
        return tuple(slice(begin, end) for begin, end in self._box)

    def shifted(self, *offset: int) -> NDArray[Any]:
        """The cells at an offset from those of the piece, to be read only; as Field.shifted. Raises ArgumentError beyond the reach."""
        steps = [*wholes(offset, "shifted: offset"), *[0] * (len(self._box) - len(offset))]
        if len(steps) != len(self._box) or any(abs(step) > reach for step, reach in zip(steps, self._reach)):
            raise ArgumentError(f"shifted: {offset} is beyond the reach of {self._reach}")
        first = [reach + step for step, reach in zip(steps, self._reach)]
        cells = self._cells[tuple(slice(at, at + end - begin) for at, (begin, end) in zip(first, self._box))]
        cells.flags.writeable = False
        return cells


def _boxes(cells: Sequence[int], reach: Sequence[int]) -> Iterator[tuple[_Box, bool]]:
    """The inner part of a block, and slabs along its sides; whether it is the inner part."""
    inner = [(min(r, n), max(n - r, min(r, n))) for n, r in zip(cells, reach)]
    if all(begin < end for begin, end in inner):
        yield inner, True
    for d, n in enumerate(cells):
        before, after = inner[:d], [(0, count) for count in cells[d + 1 :]]
        for side in ((0, inner[d][0]), (inner[d][1], n)):
            if side[0] < side[1] and all(begin < end for begin, end in before):
                yield [*before, side, *after], False


def pieces_of(field: Field, around: Mapping[tuple[int, ...], NDArray[Any] | None], reach: Sequence[int]) -> list[Piece]:
    """The pieces of a block; `around` has the cells in each direction."""
    cells = field.interior.shape
    made = []
    for box, is_inner in _boxes(cells, reach):
        if is_inner:
            own = field.shifted()[tuple(slice(begin - r, end + r) for (begin, end), r in zip(box, reach))]
        else:
            own = _gathered(field, around, [(begin - r, end + r) for (begin, end), r in zip(box, reach)])
        made.append(Piece(box, own, reach))
    return made


def _gathered(field: Field, around: Mapping[tuple[int, ...], NDArray[Any] | None], box: _Box) -> NDArray[Any]:
    """A copy of the cells of a box, which may reach beyond the block."""
    cells = field.interior.shape
    found = np.zeros([end - begin for begin, end in box], field.dtype)
    for direction, shown in around.items():
        # Where the cells of a direction begin and end, and where the box meets them.
        sizes = cells if shown is None else shown.shape
        spans = [{-1: (-r, 0), 0: (0, n), 1: (n, n + r)}[step] for step, n, r in zip(direction, cells, sizes)]
        met = [(max(begin, first), min(end, last)) for (begin, end), (first, last) in zip(box, spans)]
        if shown is None or any(first >= last for first, last in met):
            continue
        to = tuple(slice(first - begin, last - begin) for (first, last), (begin, _) in zip(met, box))
        found[to] = shown[tuple(slice(first - span, last - span) for (first, last), (span, _) in zip(met, spans))]
    return found
