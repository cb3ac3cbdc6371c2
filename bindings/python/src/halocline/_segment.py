"""One-sided communication: put, get, notifications, atomics.

SPDX-License-Identifier: BSD-3-Clause
"""
import operator
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from . import _core
from ._arrays import NUMBERS, as_array, bytes_of, contiguous, converted, counted, dtype_of, flag, plain, shape_of, type_name, whole, wholes
from ._context import Context, Plan, agreeing
from ._errors import ArgumentError
from ._grid import number_in

OPERATIONS = {"sum": 0, "min": 1, "max": 2, "prod": 3, "band": 4, "bor": 5, "bxor": 6, "replace": 7}


# Bits that the library has for an argument.
_BITS = {"offset": 64, "value": 64}


def _rank_or_all(rank: int | None) -> int:
    """As the extension takes it: a negative rank means all."""
    if rank is None:
        return -1
    number = whole(rank, "flush: rank", 32)
    if number < 0:
        raise ArgumentError(f"flush: rank is {rank}; None means all ranks")
    return number


class Segment(Plan):
    """A part of memory per rank, which all ranks of the context may put to and get from.

    shape: of this rank's part, each rank its own. dtype: of its elements, the same on all ranks; numpy.uint8 takes arrays of any type.
    notifications: how many each part has. shared: the ranks of a node share one set of notifications.

    Offsets count elements, from the begin of the target's part. An operation is *locally* complete when its array may be reused, and
    *remotely* complete when the target's memory has changed. `flush_local` waits for the first, `flush` for both. The target may read
    data once it has seen their notification, or a barrier after the origin's flush. Arrays are contiguous, of the segment's type.
    Operations keep their arrays alive until a flush, and raise ArgumentError (rank, offset, type, array) before anything is moved.

    Collective over the context. Raises on all ranks: ArgumentError, MismatchError (notifications or shared differ), OutOfMemoryError,
    UnsupportedError if there are several nodes and no network.
    """

    def __init__(
        self,
        context: Context,
        shape: int | Sequence[int],
        dtype: DTypeLike = np.uint8,
        *,
        notifications: int = 0,
        shared: bool = False,
    ) -> None:
        with agreeing(context, "Segment"):
            self.dtype = dtype_of(dtype, "Segment")
            self.shape = shape_of(shape, "Segment: shape")
            nbytes = bytes_of(self.shape, self.dtype, "Segment")
            self.notifications = whole(notifications, "Segment: notifications", 32)
            one_set = flag(shared, "Segment: shared")
        self._size = self.dtype.itemsize
        self._begin(context, _core.Segment, nbytes, self.notifications, one_set, type_name(self.dtype))
        mine = self._core.part(context.rank)
        self.array: NDArray[Any] = mine.view(self.dtype).reshape(self.shape)

    dtype: np.dtype[Any]
    """Of the elements."""
    shape: tuple[int, ...]
    """Of this rank's part."""
    notifications: int
    """How many each part has."""
    array: NDArray[Any]
    """This rank's own part, zero at first. It stays valid when the segment is closed."""

    def _about(self) -> str:
        return f"{self.shape} {self.dtype}, {counted(self.notifications, 'notification')}"

    def part(self, rank: int) -> NDArray[Any] | None:
        """The part of a rank of this node, in one dimension, for loads and stores; None for a rank of another node."""
        raw = self._core.part(whole(rank, "part: rank", 32))
        return None if raw is None else raw.view(self.dtype)

    # ------------------------------------------------------------ put and get

    def put(self, rank: int, data: Any, offset: int = 0) -> None:
        """Writes an array to a rank's part, from an element on. Returns before completion: see `flush_local` and `flush`."""
        try:
            self._core.put(rank, self._memory(data), self._at(offset))
        except (ArgumentError, TypeError) as error:
            raise self._wrong("put", error, rank=rank, offset=offset) from None

    def get(self, rank: int, out: Any, offset: int = 0, *, wait: bool = True) -> None:
        """Reads elements of a rank's part into an array. wait=False: the array may be read after `flush_local`, else at return."""
        try:
            self._core.get(rank, contiguous(out, "out"), self._at(offset))
        except (ArgumentError, TypeError) as error:
            raise self._wrong("get", error, rank=rank, offset=offset) from None
        if wait:
            self._core.flush_local(rank)

    def put_strided(self, rank: int, data: Any, offset: int = 0, strides: Sequence[int] | None = None) -> None:
        """Writes an array of any strides to a rank's part, where its elements are spaced by strides of their own. As `put`.

        strides: elements of the part from one element of the array to the next, one per axis, which may be negative; None: contiguous.
        `segment.put_strided(rank, column, j, (ncols,))` writes column j of a matrix. The array has 4 axes at most, or 5 of which the last
        one is contiguous in both. Elements may not overlap in the target. Raises ArgumentError before anything is moved.
        """
        memory = self._any_memory(data)
        try:
            self._core.put_strided(rank, memory, self._at(offset), self._strides(memory, strides))
        except (ArgumentError, TypeError) as error:
            raise self._wrong("put_strided", error, rank=rank, offset=offset) from None

    def get_strided(self, rank: int, out: Any, offset: int = 0, strides: Sequence[int] | None = None, *, wait: bool = True) -> None:
        """Reads spaced elements of a rank's part into an array of any strides; strides as for `put_strided`, wait as for `get`."""
        memory = plain(as_array(out, "out"), "out")
        try:
            self._core.get_strided(rank, memory, self._at(offset), self._strides(memory, strides))
        except (ArgumentError, TypeError) as error:
            raise self._wrong("get_strided", error, rank=rank, offset=offset) from None
        if wait:
            self._core.flush_local(rank)

    def put_notify(self, rank: int, data: Any, offset: int = 0, *, id: int = 0, value: int = 1) -> None:
        """Writes an array, then sets a notification of the target to a value (not 0). Who sees the notification sees the array."""
        try:
            self._core.put_notify(rank, self._memory(data), self._at(offset), id, value)
        except (ArgumentError, TypeError) as error:
            raise self._wrong("put_notify", error, rank=rank, offset=offset, id=id, value=value) from None

    # ------------------------------------------------------------ notifications

    def notify(self, rank: int, id: int = 0, value: int = 1) -> None:
        """Sets a notification of a rank's part, without data."""
        try:
            self._core.notify(rank, id, value)
        except TypeError as error:
            raise self._wrong("notify", error, rank=rank, id=id, value=value) from None

    def wait(self, first: int = 0, count: int | None = None) -> int:
        """Waits until one of `count` notifications of this rank from `first` on is set; None: all. Returns its id; it stays set.

        Raises WaitTimeoutError after HALOCLINE_TIMEOUT seconds, PeerDiedError, and what a signal handler raises, such as
        KeyboardInterrupt: the segment can be used on after that.
        """
        try:
            return int(self._core.wait(first, self.notifications - first if count is None else count))
        except TypeError as error:
            raise self._wrong("wait", error, first=first, count=count) from None

    def test(self, first: int = 0, count: int | None = None) -> int | None:
        """As `wait`, without waiting: None if no notification is set."""
        try:
            found: int | None = self._core.test(first, self.notifications - first if count is None else count)
        except TypeError as error:
            raise self._wrong("test", error, first=first, count=count) from None
        return found

    def reset(self, id: int = 0) -> int:
        """Takes a notification of this rank: sets it to 0 and returns its value, in one step. 0: it was not set."""
        return int(self._core.reset(whole(id, "reset: id", 32)))

    # ------------------------------------------------------------ atomics

    def fetch_add(self, rank: int, value: int, offset: int = 0) -> int:
        """Adds to an integer of 32 or 64 bits in a rank's part, in one step. Returns its previous value; complete when it returns."""
        try:
            return self._value(self._core.fetch_add(rank, self._at(offset), self._number(), self._bits(value, "value")))
        except (ArgumentError, TypeError) as error:
            raise self._wrong("fetch_add", error, rank=rank, offset=offset) from None

    def swap(self, rank: int, value: int, offset: int = 0) -> int:
        """Replaces an integer; otherwise as `fetch_add`."""
        try:
            return self._value(self._core.swap(rank, self._at(offset), self._number(), self._bits(value, "value")))
        except (ArgumentError, TypeError) as error:
            raise self._wrong("swap", error, rank=rank, offset=offset) from None

    def compare_swap(self, rank: int, expected: int, value: int, offset: int = 0) -> int:
        """Replaces an integer if it equals `expected`; otherwise as `fetch_add`. It was replaced if `expected` is returned."""
        both = self._bits(expected, "expected"), self._bits(value, "value")
        try:
            return self._value(self._core.compare_swap(rank, self._at(offset), self._number(), *both))
        except (ArgumentError, TypeError) as error:
            raise self._wrong("compare_swap", error, rank=rank, offset=offset) from None

    def fetch_op(self, rank: int, value: Any, offset: int = 0, op: str = "sum") -> Any:
        """Combines an element of a rank's part with a value, in one step. Returns its previous value; complete when it returns.

        op: as for `accumulate`, or "read", which leaves the element. Any integers and real numbers.
        """
        operation = number_in({**OPERATIONS, "read": 8}, op, "op")
        number, operand = self._number(), converted(value, self.dtype, "fetch_op: value")
        if operand.shape != ():
            raise ArgumentError(f"fetch_op: value has shape {operand.shape}; it must be one number")
        try:
            return np.frombuffer(self._core.fetch_op(rank, operand, self._at(offset), operation, number), self.dtype)[0].item()
        except (ArgumentError, TypeError) as error:
            raise self._wrong("fetch_op", error, rank=rank, offset=offset) from None

    def accumulate(self, rank: int, data: Any, offset: int = 0, op: str = "sum") -> None:
        """Combines elements of a rank's part with those of an array, each in one step. Complete after a flush.

        op: "sum", "min", "max", "prod", "band", "bor", "bxor" or "replace". Any integers and real numbers.
        """
        operation, memory = number_in(OPERATIONS, op, "op"), self._memory(data)
        if memory.dtype != self.dtype:
            raise ArgumentError(f"accumulate: the array has dtype {memory.dtype}, the segment {self.dtype}")
        try:
            self._core.accumulate(rank, memory, self._at(offset), operation, self._number())
        except (ArgumentError, TypeError) as error:
            raise self._wrong("accumulate", error, rank=rank, offset=offset) from None

    def atomics(self, ranks: Any, offsets: Any, values: Any, op: Any = "sum", *, expected: Any = None) -> NDArray[Any]:
        """Many atomics at once, on integers of 32 or 64 bits of any ranks' parts. Returns their previous values.

        ranks, offsets, values and expected: integers, or arrays of them that are broadcast to one shape, which the result has. op: as for
        `accumulate`, or "read", which leaves the integers; one for all, or an array of such words. expected: an integer becomes its value
        if it equals this, as in `compare_swap`; op is not used then.

        They are not ordered among each other, not even those on one integer. All are complete when it returns. Raises ArgumentError for
        arrays that do not fit, before anything is changed. After other errors, also for a rank or offset, some may have been carried out.
        """
        known = {**OPERATIONS, "read": 8}
        words = np.asarray(op)
        operations = np.array([number_in(known, str(word), "op") for word in words.reshape(-1)], np.int64).reshape(words.shape)
        given = {"ranks": ranks, "offsets": offsets, "values": values, "expected": values if expected is None else expected}
        shape, rows = self._rows({**given, "op": operations})
        rows[1] *= self._size
        try:
            self._core.atomics(rows, self._number(), expected is not None)
        except ArgumentError as error:
            raise self._in_elements(error) from None
        previous: NDArray[Any] = rows[5].astype(self.dtype).reshape(shape)
        return previous

    def _rows(self, given: dict[str, Any]) -> tuple[tuple[int, ...], NDArray[np.int64]]:
        """What the extension takes of atomics: a row of each, broadcast to one shape, and one for their previous values."""
        if self.dtype.kind not in "iu":
            raise ArgumentError(f"atomics work on integers of 32 or 64 bits; the segment has dtype {self.dtype}")
        try:
            arrays = np.broadcast_arrays(*(self._integers(array, what) for what, array in given.items()))
        except ValueError as error:
            if isinstance(error, ArgumentError):
                raise
            raise ArgumentError(f"atomics: {error}") from None
        return arrays[0].shape, np.stack([array.reshape(-1) for array in (*arrays, np.zeros(arrays[0].shape, np.int64))])

    def _integers(self, given: Any, what: str) -> NDArray[np.int64]:
        """As int64, into which an unsigned integer goes with the same bits."""
        kind: np.dtype[Any] = self.dtype if what in ("values", "expected") else np.dtype("i4" if what == "ranks" else "i8")
        array = np.asarray(given)
        if array.size == 0:
            return np.zeros(array.shape, np.int64)
        if array.dtype.kind not in "iu":
            raise ArgumentError(f"atomics: {what} has dtype {array.dtype}; it must be integers")
        least, most = int(array.min()), int(array.max())
        limits, scale = np.iinfo(kind), self._size if what == "offsets" else 1
        if least < limits.min // scale or most > limits.max // scale:
            raise ArgumentError(f"atomics: {what} are from {least} to {most}, which do not fit into {kind}")
        return array.astype(kind).astype(np.int64)

    # ------------------------------------------------------------ completion

    def flush(self, rank: int | None = None) -> None:
        """Waits until this thread's operations on a rank's part are complete at both ends; None: on all ranks'."""
        self._core.flush(_rank_or_all(rank))

    def flush_local(self, rank: int | None = None) -> None:
        """Waits until they are locally complete: arrays may be reused."""
        self._core.flush_local(_rank_or_all(rank))

    def barrier(self) -> None:
        """Returns when all ranks have called it. All ranks see after it what a rank stored or flushed before it."""
        self._core.barrier()

    def _at(self, offset: int) -> int:
        """In bytes."""
        return operator.index(offset) * self._size

    def _wrong(self, call: str, error: ArgumentError | TypeError, **given: Any) -> Exception:
        """The error of a call in the words of this package. The extension takes only integers, and none that are too large."""
        if isinstance(error, ArgumentError):
            return self._in_elements(error)
        for name, value in given.items():
            if name == "count" and value is None:
                continue
            number = whole(value, f"{call}: {name}", _BITS.get(name, 32))
            if name == "offset" and abs(number * self._size) >= 2**63:
                return ArgumentError(f"{call}: offset is {number}, beyond any memory")
            if name == "value" and not 0 <= number < 2**32:
                return ArgumentError(f"{call}: value is {number}; it must be 1 to {2**32 - 1}")
        return error

    def _in_elements(self, error: ArgumentError) -> ArgumentError:
        """The same error, with the offset as the caller has given it; the library counts bytes."""
        text = re.sub(r"\boffset is (-?\d+)\b", lambda found: f"offset is {int(found[1]) // self._size} ({found[1]} bytes)", str(error))
        return ArgumentError(text)

    def _memory(self, data: Any) -> Any:
        """What the extension takes; a number, or a list, becomes an array of the segment's type."""
        if isinstance(data, np.ndarray):
            return plain(data, "data")
        if isinstance(data, int | float | complex | list):
            return converted(data, self.dtype, "data")
        return contiguous(data, "data")

    def _any_memory(self, data: Any) -> Any:
        """As _memory, with any strides."""
        if isinstance(data, int | float | complex | list):
            return converted(data, self.dtype, "data")
        return plain(as_array(data, "data"), "data")

    def _strides(self, memory: NDArray[Any], strides: Sequence[int] | None) -> list[int]:
        """In bytes; empty: contiguous."""
        if strides is None:
            return []
        steps = wholes(strides, "strides")
        if len(steps) != memory.ndim:
            raise ArgumentError(f"strides has {len(steps)} entries, but the array has {memory.ndim} axes")
        return [whole(step * self._size, "strides, in bytes,") for step in steps]

    def _number(self) -> int:
        name = type_name(self.dtype)
        if name not in NUMBERS:
            raise ArgumentError(f"atomics work on integers and real numbers; the segment has dtype {self.dtype}")
        return NUMBERS[name]

    def _bits(self, value: int, what: str) -> int:
        """The library takes an unsigned value as the signed one with the same bits."""
        if self.dtype.kind not in "iu":
            raise ArgumentError(f"{what}: this call works on integers; the segment has dtype {self.dtype}")
        try:
            number = operator.index(value)
        except TypeError:
            raise ArgumentError(f"{what} is {value!r}; it must be a whole number") from None
        value = int(converted(number, self.dtype, what))
        return value - (1 << 64) if self.dtype.kind == "u" and value >= 1 << 63 else value

    def _value(self, old: int) -> int:
        return old % (1 << 8 * self._size) if self.dtype.kind == "u" else old
