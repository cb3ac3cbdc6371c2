"""What plans of swaps have in common.

SPDX-License-Identifier: BSD-3-Clause
"""
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any

import numpy as np

from . import _core
from ._arrays import flag, stream_of, text, whole
from ._context import ExplainedPlan, mode_number
from ._errors import ArgumentError
from ._grid import DRIVES, EPOCHS, STENCILS, number_in

class Swapping:
    """The block of a swap that is outstanding: start, then finish."""

    def __init__(self, halo: Any, start: Callable[[], None], finish: Callable[[], None] | None = None) -> None:
        self._halo, self._start, self._finish = halo, start, finish or halo.finish

    def __repr__(self) -> str:
        return f"<halocline.Swapping of {self._halo!r}>"

    def __enter__(self) -> Any:
        self._start()
        return self._halo

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        # After an exception other ranks may not finish: this one does not wait for them.
        if kind is None:
            self._finish()


def words_of(mode: str | None, epoch: str, drive: str, stencil: str = "box") -> _core.HaloWords:
    """What the extension takes of a plan of swaps, without depths."""
    words = _core.HaloWords()
    words.mode, words.epoch = mode_number(mode), number_in(EPOCHS, epoch, "epoch")
    words.stencil, words.drive = number_in(STENCILS, stencil, "stencil"), number_in(DRIVES, drive, "drive")
    return words


def numbers_of(fields: Sequence[int] | None) -> list[int]:
    """Numbers of fields as the extension takes them; none: all."""
    if fields is None:
        return []
    if isinstance(fields, str) or not isinstance(fields, Sequence | np.ndarray) or not all(isinstance(n, int | np.integer) for n in fields):
        raise ArgumentError(f"swap: fields is {fields!r}; it must be a list of the fields' numbers, which count from 0")
    if len(fields) == 0:
        raise ArgumentError("swap: fields is an empty list; None swaps all of them")
    return [whole(number, f"swap: fields[{i}]", 32) for i, number in enumerate(fields)]


def depth_of(depth: int | None) -> int:
    """The depth of a swap as the extension takes it; None: the whole halo."""
    cells = 0 if depth is None else whole(depth, "swap: depth")
    if depth is not None and cells < 1:
        raise ArgumentError(f"swap: depth is {depth}; it must be 1 or more, or None for the whole halo")
    return cells


def called(i: int, name: str | None) -> str:
    """A field in messages: by its number, and its name if it has one."""
    return f"field {i} {name}" if name else f"field {i}"


def named(fields: Sequence[Any] | Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Fields with their names, "" for those without."""
    if isinstance(fields, Mapping):
        return [(text(name, "the name of a field") or "", field) for name, field in fields.items()]
    if not isinstance(fields, list | tuple):
        raise ArgumentError(f"fields is a {type(fields).__name__}; it must be a list, or a dictionary by name")
    return [("", field) for field in fields]


class FieldSwaps(ExplainedPlan):
    """A plan whose swaps move some fields or all, from owners to halos or in reverse."""

    def swap(self, fields: Sequence[int] | None = None, *, reverse: bool = False, stream: Any = None) -> None:
        """One swap, complete when it returns: `start` and `finish`.

        fields: numbers of those to swap, ascending; None: all. reverse: the adjoint, which adds what halos hold to the owner's values, and
        sets the halos to 0; with the same bits in every run. stream: of arrays in a CUDA device's memory, the stream in order with which
        they are swapped, as for Halo.swap; each rank's own.

        Collective over the neighbours. Raises StateError (outstanding already, closed, MPI finalised), WaitTimeoutError and
        PeerDiedError (they name the rank), UnsupportedError (a reverse swap of a type that cannot be added), MpiError, RuleError. What
        a signal handler raises ends the wait; after that the plan can only be closed.
        """
        if stream is None:
            self._core.swap(numbers_of(fields), flag(reverse, "swap: reverse"))
        else:
            self.start(fields, reverse=reverse, stream=stream)
            self.finish(stream=stream)

    def start(self, fields: Sequence[int] | None = None, *, reverse: bool = False, stream: Any = None) -> None:
        """Starts a swap; arguments and errors as for `swap`. Until `finish` what neighbours need may be read but not written, and halos
        neither read nor written. All ranks start the same swaps of a plan in the same order."""
        what = numbers_of(fields), flag(reverse, "swap: reverse")
        if stream is None:
            self._core.start(*what)
        else:
            self._core.start_on(*what, stream_of(stream))

    def test(self) -> bool:
        """Advances the swap without waiting. True: `finish` will not wait for data. Always False in modes fence and passive_naive."""
        return bool(self._core.test())

    def finish(self, *, stream: Any = None) -> None:
        """Completes the swap: halos hold their owners' values, and all may be written again.

        stream: as for `swap`; the host does not wait for the last copies to a device, but work that the stream is given later does.
        """
        if stream is None:
            self._core.finish()
        else:
            self._core.finish_on(stream_of(stream))

    def swapping(self, fields: Sequence[int] | None = None, *, reverse: bool = False, stream: Any = None) -> Swapping:
        """A block during which a swap is outstanding, as Halo.swapping. Arguments as for `swap`."""
        return Swapping(self, lambda: self.start(fields, reverse=reverse, stream=stream), lambda: self.finish(stream=stream))
