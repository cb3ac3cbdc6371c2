"""Exchanges with any list of neighbours.

SPDX-License-Identifier: BSD-3-Clause
"""
from collections.abc import Sequence
from typing import Any, NamedTuple

from . import _core
from ._arrays import contiguous, in_short, text, whole
from ._context import Context, ExplainedPlan, agreeing, mode_number
from ._errors import ArgumentError
from ._grid import DRIVES, EPOCHS, number_in


class Neighbour(NamedTuple):
    """One neighbour of an exchange. Its entry is joined to that of the other rank whose tags match: my tag_out is its tag_in."""

    rank: int
    """In the context's communicator; this rank itself is allowed, and a rank may appear several times, with different tags."""
    send: Any = None
    """The array that is sent: its values at the start of each exchange. None: nothing."""
    receive: Any = None
    """The array that is received into: of as many bytes as the neighbour sends. None: nothing."""
    tag_out: int = 0
    """Which entry of the neighbour `send` is for, 0 or more: the one with this tag_in. Entries for one rank need different ones."""
    tag_in: int = 0
    """The entry of the neighbour from which `receive` is filled, 0 or more: the one with this tag_out."""

    def __repr__(self) -> str:
        return in_short(self)


class Exchange(ExplainedPlan):
    """A plan of exchanges with a list of neighbours: each exchange sends their arrays and fills those that receive.

    Arrays are NumPy arrays, or objects with the buffer protocol or DLPack, contiguous, of any plain type. The plan keeps them alive and
    their sizes fixed. mode, epoch, drive and name as for Halo. Collective over the context. Raises on all ranks: ArgumentError,
    MismatchError (two lists do not match; the message names both ranks and sizes), OutOfMemoryError, MpiError.
    """

    def __init__(  # noqa: PLR0913 - all but two by keyword
        self,
        context: Context,
        neighbours: Sequence[Neighbour],
        *,
        mode: str | None = None,
        epoch: str = "default",
        drive: str = "default",
        name: str | None = None,
    ) -> None:
        with agreeing(context, "Exchange"):
            numbers = mode_number(mode), number_in(EPOCHS, epoch, "epoch"), number_in(DRIVES, drive, "drive")
            name = text(name, "Exchange: name")
            listed = [self._words(i, Neighbour(*entry)) for i, entry in enumerate(neighbours)]
        self._name = name
        self._ranks = tuple(entry[0] for entry in listed)
        self._begin(context, _core.Exchange, listed, *numbers, name)

    @staticmethod
    def _words(i: int, entry: Neighbour) -> tuple[int, int, int, object, object]:
        send = None if entry.send is None else contiguous(entry.send, f"send of neighbour {i}")
        receive = None if entry.receive is None else contiguous(entry.receive, f"receive of neighbour {i}")
        if receive is not None and not receive.flags.writeable:
            raise ArgumentError(f"receive of neighbour {i} is read-only")
        return (
            whole(entry.rank, f"rank of neighbour {i}", 32),
            whole(entry.tag_out, f"tag_out of neighbour {i}", 32),
            whole(entry.tag_in, f"tag_in of neighbour {i}", 32),
            None if send is None else send.reshape(-1).view("u1"),
            None if receive is None else receive.reshape(-1).view("u1"),
        )

    def _about(self) -> str:
        return f"with ranks {self._ranks}{self._mode()}"

    def start(self) -> None:
        """Copies the arrays that are sent, which may be written again when it returns, and sends them. Errors as for Halo.swap."""
        self._core.start()

    def test(self) -> bool:
        """Advances the exchange without waiting. True: `finish` will not wait for data."""
        return bool(self._core.test())

    def finish(self) -> None:
        """Fills the arrays that receive; returns when all are complete."""
        self._core.finish()

    def run(self) -> None:
        """One exchange: `start` and `finish`."""
        self._core.start()
        self._core.finish()
