"""The context, and when MPI begins and ends.

SPDX-License-Identifier: BSD-3-Clause
"""
import array
import atexit
import contextlib
import fcntl
import json
import os
import stat
import sys
import termios
import threading
import time
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Any, Literal, NoReturn, Protocol, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from . import _core, _mpi, _process
from ._arrays import bytes_of, dtype_of, shape_of
from ._device import DeviceArray
from ._errors import ArgumentError, Error, PeerDiedError, StateError, WaitTimeoutError, in_python


class Closable(Protocol):
    """What a context closes: each of its plans."""

    def close(self) -> None: ...


_open: list["Context"] = []
# How long a rank that ends waits for the others to come to the same end.
_PATIENCE_S = 2.0


def modes() -> list[str]:
    """The names of all modes of this library, as Halo and HALOCLINE_MODE take them."""
    return _core.mode_names()


def version() -> str:
    """The library's version, "major.minor.patch"."""
    return _core.version()


def mpi_library() -> tuple[str, str]:
    """The MPI of this process: the variant of the extension ("mpich", "openmpi", "mpiabi"), and what the MPI says of itself."""
    return _mpi.variant(), _core.mpi_version().strip("\0\n")


def mode_number(name: str | None) -> int:
    """The library's number of a mode; None: its default. Raises ArgumentError, with the nearest name, for an unknown one."""
    if name is not None and not isinstance(name, str):
        raise ArgumentError(f"mode is {name!r}; it must be the name of a mode, or None")
    return 0 if name is None else _core.mode_from_name(name)


def _begin_mpi() -> None:
    """Initialises MPI where no other part of the program has done so, and ends it with the process."""
    if _core.is_forked():
        raise StateError("Context: this process was forked; MPI belongs to the process that made it")
    state = _core.mpi_state()
    if state == "finalised":
        raise StateError("Context: MPI has been finalised, and a process cannot initialise it again")
    if state == "not initialised":
        _process.refuse_second_rank()
        _core.mpi_initialise()
        sys.excepthook = _ending_all(sys.excepthook)
        sys.exit = _exit
        atexit.register(_end_mpi)


_CODE: Any = SystemExit.__dict__["code"]


class _Exit(SystemExit):
    """What sys.exit raises. The interpreter reads the code when nothing has caught it; then no function of Python is running."""

    ends_with: Any = None

    @property
    def code(self) -> Any:
        """As that of SystemExit."""
        status = _CODE.__get__(self)
        if sys._getframe().f_back is None:
            _Exit.ends_with = status
        return status

    @code.setter
    def code(self, status: Any) -> None:
        _CODE.__set__(self, status)


def _exit(status: Any = None, /) -> NoReturn:
    """As sys.exit; a failure of the main thread is known when MPI ends. Other threads end alone, and threading knows one class only."""
    if threading.current_thread() is not threading.main_thread():
        raise SystemExit(status)
    raise _Exit() if status is None else _Exit(status)


def _end_mpi() -> None:
    if _core.is_forked() or _core.mpi_state() != "initialised":
        return
    status = _Exit.ends_with
    if status not in (None, 0) and _core.mpi_size() > 1:
        # As for an exception: the other ranks may wait for this one.
        _abort(status if isinstance(status, int) else 1)
    _close_all()
    _core.mpi_end()


def _ending_all(show: Any) -> Any:
    """As show, an excepthook, and then ends all ranks: MPI_Finalize would wait for those that still wait for this one."""

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        show(kind, error, trace)
        if not _core.is_forked() and _core.mpi_state() == "initialised" and _core.mpi_size() > 1:
            _abort(1)

    return hook


def _abort(status: int) -> NoReturn:
    """Ends all ranks, once the launcher has read what this one has printed: MPICH's drops the rest."""
    try:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()
                _wait_until_read(stream.fileno())
    finally:
        _core.mpi_abort(status)


def _wait_until_read(file: int) -> None:
    """Waits, for a second at most, until nothing is left in a pipe; in other files there is nothing to wait for."""
    unread = array.array("i", [1])
    end = time.monotonic() + 1
    while stat.S_ISFIFO(os.fstat(file).st_mode) and unread[0] and time.monotonic() < end:
        time.sleep(0.001)
        fcntl.ioctl(file, termios.FIONREAD, unread)


def _close_all() -> None:
    """Closes what a program has left open, unless it ends because of an exception: then other ranks may not follow."""
    if _core.is_forked():
        return
    _core.end_waits(_PATIENCE_S)
    if _core.mpi_state() != "initialised" or getattr(sys, "last_value", None) is not None:
        return
    patience = _PATIENCE_S
    while _open:
        patience = _close_last(_open.pop(), patience)


def _close_last(context: "Context", patience: float) -> float:
    """Closes a context at the end, as far as all ranks come to it: this one may have failed, which Python does not tell.

    Returns what is left of its patience.
    """
    for closable in [*reversed(context._plans), context]:
        _core.end_waits(patience)
        try:
            closable.close()
        except (WaitTimeoutError, PeerDiedError):
            # The ranks have lost each other. The rest is released without them.
            patience = 0
        except Error:
            # It is in use, or others close something else: nothing is taken from them.
            return patience
    return patience


atexit.register(_close_all)


def _address_of(comm: Any) -> int:
    """Where the MPI_Comm of a communicator of mpi4py is; 0 for None."""
    _mpi.check_one()
    if comm is None:
        return 0
    mpi = sys.modules.get("mpi4py.MPI")
    if mpi is None or not isinstance(comm, mpi.Comm):
        raise ArgumentError(f"Context: comm is a {type(comm).__name__}; it must be a communicator of mpi4py, or None for all ranks")
    return int(mpi._addressof(comm))


def _array_of(call: str, shape: int | Sequence[int], dtype: DTypeLike, order: str) -> tuple[np.dtype[Any], tuple[int, ...], int]:
    """The type, the shape and the bytes of an array that a call is to make."""
    kind = dtype_of(dtype, call)
    cells = shape_of(shape, f"{call}: shape")
    count = bytes_of(cells, kind, call)
    if order not in ("C", "F"):
        raise ArgumentError(f"{call}: order is {order!r}; it must be 'C' or 'F'")
    return kind, cells, count


class Context:
    """The library opened for the ranks of a communicator.

    comm: a communicator of mpi4py, or None for MPI_COMM_WORLD. Without mpi4py, MPI is initialised here, with MPI_THREAD_MULTIPLE, and
    finalised when the process ends. The context has a communicator of its own, so comm may be freed.

    Collective: all ranks of comm make, use and close contexts, and what is made from them, in the same order. A context owns its plans
    (halos, exchanges, segments, reductions), and `close` closes those that are still open. As a context manager it closes itself at the
    end of the block. If the block ends with an exception, it leaves everything as it is, because other ranks might not close theirs.

    Raises StateError (MPI not initialised or finalised, a forked process), ArgumentError (comm), OutOfMemoryError, MismatchError,
    WaitTimeoutError, MpiError; ImportError if comm belongs to another MPI than the one in use.
    """

    def __init__(self, comm: Any = None) -> None:
        address = _address_of(comm)
        _process.refuse_fork()
        if comm is None:
            _begin_mpi()
        self._core = _core.Context.__new__(_core.Context)
        self._plans: list[Closable] = []
        _open.append(self)
        try:
            _make(self._core, address)
        finally:
            if not _core.is_made(self._core):
                _open.remove(self)
        info = self._core.info()
        self.rank, self.size, self.node, self.nodes, self.node_rank, self.node_size, self.cores = info

    rank: int
    """This rank's number in the communicator."""
    size: int
    """Ranks of the communicator."""
    node: int
    """The number of this rank's node."""
    nodes: int
    """Nodes of the communicator; with HALOCLINE_FAKE_NODES emulated ones."""
    node_rank: int
    """This rank's number among those of its node."""
    node_size: int
    """Ranks of this node."""
    cores: int
    """Cores that the ranks of this node may run on together."""

    @property
    def network(self) -> str:
        """One line about what carries data to other nodes."""
        return self._core.network()

    @property
    def is_open(self) -> bool:
        """False once it has been closed."""
        return self._core.is_open

    def zeros(self, shape: int | Sequence[int], dtype: DTypeLike = np.float64, order: Literal["C", "F"] = "C") -> NDArray[Any]:
        """An array of zeros in memory that the ranks of the node read in place, for fields of an IndexHalo and blocks.

        shape, dtype and order as for numpy.zeros, each rank its own; a field is such an array as a whole, not a part of it. Collective.
        The memory is released when no array of it is left, or with the context; arrays stay valid after that. Raises on all ranks:
        ArgumentError for a wrong shape or dtype on one of them, OutOfMemoryError if shared memory is short on one.
        """
        with agreeing(self, "Context.zeros"):
            kind, cells, count = _array_of("Context.zeros", shape, dtype, order)
        return self._core.allocate(max(count, 1))[:count].view(kind).reshape(cells, order=order)

    def device_zeros(self, shape: int | Sequence[int], dtype: DTypeLike = np.float64, order: Literal["C", "F"] = "C") -> DeviceArray:
        """An array of zeros in the memory of the device of CUDA or HIP that is current in this thread.

        Ranks of the node read it in place. shape, dtype and order as for Context.zeros. Collective. Raises on all ranks: UnsupportedError
        if one has loaded no driver of a device, StateError if no device is current, OutOfMemoryError or DeviceError if the driver fails.
        """
        with agreeing(self, "Context.device_zeros"):
            kind, cells, count = _array_of("Context.device_zeros", shape, dtype, order)
        return DeviceArray(self, self._core.allocate_on_device(count), cells, kind, order)

    def close(self) -> None:
        """Closes what was made from the context and is still open, the newest first, then the context.

        Collective. Arrays of fields and segments stay valid, with their values; from here on no other rank sees them. A second call does
        nothing. Raises StateError after MPI has been finalised, WaitTimeoutError or PeerDiedError if a rank does not arrive; and, once it
        is closed, DeviceError if a driver returned an error as it freed an array of device_zeros.
        """
        if self in _open:
            _open.remove(self)
        for plan in [*reversed(self._plans)] if self._core.is_open else []:
            plan.close()
        self._core.close()

    def __enter__(self) -> "Context":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if kind is None:
            self.close()
        elif self in _open:
            _open.remove(self)

    def __repr__(self) -> str:
        if "cores" not in self.__dict__:
            return "<halocline.Context, not made>"
        return f"<halocline.Context: rank {self.rank} of {self.size}{'' if self.is_open else ', closed'}>"

    def __reduce__(self) -> Any:
        raise TypeError("a Context cannot be pickled: it belongs to its process; make one in each rank (multiprocessing starts no ranks)")

    def _own(self, plan: Closable) -> None:
        self._plans.append(plan)

    def _disown(self, plan: Closable) -> None:
        if plan in self._plans:
            self._plans.remove(plan)


@contextlib.contextmanager
def agreeing(context: Context, call: str) -> Iterator[None]:
    """What this rank finds wrong in its arguments within, all ranks of the context raise: they are making the same call."""
    if not isinstance(context, Context):
        raise ArgumentError(f"{call}: context is a {type(context).__name__}; it must be a Context")
    try:
        yield
    except (Error, AttributeError, IndexError, OverflowError, TypeError, ValueError) as error:
        wrong = error if isinstance(error, Error) else ArgumentError(f"{call}: {error}")
    else:
        return
    try:
        context._core.refuse(str(wrong))
    except Error as told:
        wrong = told
    raise wrong from None


def _make(core: Any, *arguments: Any) -> None:
    """Has the extension make what an object stands for, which its owner knows already. So an exception of a signal handler, which may come
    at any time, never loses the only handle of what all ranks have made."""
    core.__init__(*arguments)
    _core.raise_pending()


_Self = TypeVar("_Self", bound="Plan")


class Plan:
    """What is common to all that a context owns: it is closed by it, and may be closed before. A context manager, like the context."""

    _core: Any
    _context: Context
    _name: str | None = None  # for messages

    def _begin(self, context: Context, make: Any, *arguments: Any) -> None:
        """Makes the plan of the extension. It keeps the last argument, the arrays, alive until close (_core/plan.hpp, keep_)."""
        self._core, self._context = make.__new__(make), context
        context._own(self)
        try:
            _make(self._core, context._core, *arguments)
        except BaseException as error:
            if _core.is_made(self._core):
                raise
            context._disown(self)
            if not isinstance(error, TypeError):
                raise
            # The extension has not taken the arguments of this rank, so that it has not begun.
            with agreeing(context, type(self).__name__):
                raise ArgumentError(f"an argument has a wrong type: {str(error).partition('Invoked with types: ')[2] or error}") from None

    @property
    def is_open(self) -> bool:
        """False once it has been closed."""
        return bool(self._core.is_open)

    def close(self) -> None:
        """Releases it. Collective: waits for the other ranks. A second call does nothing. Raises StateError while a swap is outstanding,
        MismatchError if another rank closes something else, WaitTimeoutError or PeerDiedError if a rank does not arrive."""
        # A context may close while another thread makes this, or after that was interrupted.
        if _core.is_made(self._core):
            self._core.close()
            self._context._disown(self)

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if kind is None:
            self.close()

    def _about(self) -> str:
        """What `repr` says of it: read from this object alone, so that it may be called anywhere."""
        raise NotImplementedError

    def __repr__(self) -> str:
        # A debugger may ask before the constructor has ended, or after it has failed.
        if "_core" not in self.__dict__ or not _core.is_made(self._core):
            return f"<halocline.{type(self).__name__}, not made>"
        name = f" {self._name}" if self._name else ""
        return f"<halocline.{type(self).__name__}{name} {self._about()}{'' if self.is_open else ', closed'}>"

    def __reduce__(self) -> Any:
        raise TypeError(f"a {type(self).__name__} cannot be pickled: it belongs to its process")


class ExplainedPlan(Plan):
    """A plan that has a mode, and says why."""

    def _mode(self) -> str:
        """For `repr`: ", mode direct", where the plan can still be asked."""
        try:
            return f", mode {self._core.info()['mode']}"
        except Error:
            return ""

    def info(self) -> dict[str, Any]:
        """What the plan decided: mode, epoch, neighbours and how they are reached, bytes per swap. Local."""
        found: dict[str, Any] = self._core.info()
        return found

    def explain(self) -> str:
        """Why the plan has its mode, in words and a table: what was predicted, measured and left out. Local; may change until a trial is
        over."""
        return in_python(str(self._core.explain(False)))

    def explanation(self) -> dict[str, Any]:
        """The same as a dictionary; docs/bench.md of the C library describes it."""
        found: dict[str, Any] = json.loads(in_python(self._core.explain(True)))
        return found
