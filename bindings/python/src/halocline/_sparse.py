"""Exchanges in which no rank knows from which ranks it receives.

SPDX-License-Identifier: BSD-3-Clause
"""
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from . import _core
from ._arrays import contiguous, dtype_of, in_short, text, type_name, whole
from ._context import Context, Plan, agreeing
from ._errors import ArgumentError, MismatchError


class Message(NamedTuple):
    """A message that has arrived."""

    origin: int
    """The rank that sent it."""
    data: NDArray[Any]
    """Its elements, in one dimension, in memory of its own."""

    def __repr__(self) -> str:
        return in_short(self)


class SparseExchange(Plan):
    """A plan of exchanges in which each rank knows its targets, and no rank knows from which ranks it receives.

    Particle codes, adaptive meshes and graph traversals need it. dtype: of the messages' elements, the same on all ranks; numpy.uint8 takes
    arrays of any type. slots: of each rank, 2 KiB each, a power of two up to 65536; 0: 64. More let more messages to one rank be under way;
    any number can be received with any number of slots. name: for messages.

    Collective over the context: all ranks start the same exchanges in the same order, also those that send nothing. Raises on all ranks:
    ArgumentError, MismatchError (slots or names differ), OutOfMemoryError, UnsupportedError (several nodes without a network).
    """

    def __init__(self, context: Context, dtype: DTypeLike = np.uint8, *, slots: int = 0, name: str | None = None) -> None:
        with agreeing(context, "SparseExchange"):
            self.dtype = dtype_of(dtype, "SparseExchange")
            room, name = whole(slots, "SparseExchange: slots", 32), text(name, "SparseExchange: name")
        self._name = name
        self._begin(context, _core.SparseExchange, room, name)

    dtype: np.dtype[Any]
    """Of the messages' elements."""

    def _about(self) -> str:
        return f"of {self.dtype}"

    def start(self, messages: Iterable[tuple[int, Any]]) -> None:
        """Sends messages, pairs of a rank and an array, as far as there is room. Waits for no other rank.

        Any number of messages to any ranks, also several to one, to this rank itself, and of no elements. Arrays are contiguous, of the
        plan's dtype and any shape. They may not change until `finish`, and the plan keeps them alive. Raises ArgumentError (a rank, an
        array) on this rank alone, and nothing is sent; StateError (started twice, or an earlier exchange has failed), PeerDiedError.
        """
        self._core.start([(whole(rank, f"rank of message {i}", 32), self._bytes(i, data)) for i, (rank, data) in enumerate(messages)])

    def test(self) -> bool:
        """Advances the exchange without waiting. True: it is complete, and `finish` returns at once."""
        return bool(self._core.test())

    def finish(self) -> list[Message]:
        """Completes the exchange: returns the messages to this rank, by the rank that sent them. Those of one rank are in no order.

        The arrays that were sent may change again. Raises WaitTimeoutError and PeerDiedError, which name a rank, OutOfMemoryError, and what
        a signal handler raises. After these the plan can only be closed. StateError without a start.
        """
        arrived = [Message(origin, self._elements(origin, data)) for origin, data in self._core.finish()]
        return sorted(arrived, key=lambda message: message.origin)

    def exchange(self, messages: Iterable[tuple[int, Any]]) -> list[Message]:
        """One exchange: `start` and `finish`."""
        self.start(messages)
        return self.finish()

    def _bytes(self, i: int, data: Any) -> NDArray[np.uint8]:
        array = contiguous(data, f"message {i}")
        if type_name(self.dtype) != "u1" and array.dtype != self.dtype:
            raise ArgumentError(f"message {i} has dtype {array.dtype}, the exchange has {self.dtype}")
        return array.reshape(-1).view("u1")

    def _elements(self, origin: int, data: NDArray[np.uint8]) -> NDArray[Any]:
        if data.size % self.dtype.itemsize:
            raise MismatchError(f"rank {origin} sent {data.size} bytes, not a multiple of the element size of dtype {self.dtype}")
        return data.view(self.dtype)
