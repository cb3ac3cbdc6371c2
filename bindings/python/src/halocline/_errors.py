"""The exceptions: one per status of the library, with its message.

SPDX-License-Identifier: BSD-3-Clause
"""
import re


class Error(RuntimeError):
    """A call of the library failed. The text is the library's sentence about it; `status` is the name of its status."""

    status = "HLC_ERR_STATE"


class ArgumentError(Error, ValueError):
    """An argument is wrong; the message names it, its value and the rank."""

    status = "HLC_ERR_ARGUMENT"


class StateError(Error):
    """The call is not allowed now: a swap started twice, something closed already, MPI finalised, a forked process."""

    status = "HLC_ERR_STATE"


class OutOfMemoryError(Error, MemoryError):
    """Memory or shared memory ran out."""

    status = "HLC_ERR_MEMORY"


class MismatchError(Error):
    """Two ranks disagree; the message names both ranks and both values."""

    status = "HLC_ERR_MISMATCH"


class WaitTimeoutError(Error, TimeoutError):
    """A rank did not arrive within HALOCLINE_TIMEOUT seconds; the message names it."""

    status = "HLC_ERR_TIMEOUT"


class PeerDiedError(Error):
    """The process of a rank has ended; the message names the rank."""

    status = "HLC_ERR_PEER_DIED"


class MpiError(Error):
    """MPI returned an error; the message has MPI's own text."""

    status = "HLC_ERR_MPI"


class UnsupportedError(Error, NotImplementedError):
    """Not possible here; the message says why."""

    status = "HLC_ERR_UNSUPPORTED"


class RuleError(Error):
    """HALOCLINE_CHECK=1 found a broken rule; the message names rank, field, cell, neighbour and step."""

    status = "HLC_ERR_RULE"


class DeviceError(Error):
    """CUDA's driver returned an error; the message has its function and its name for the error."""

    status = "HLC_ERR_DEVICE"


# How the functions of C in the library's messages are called here. Most follow from the kind of what they make and use.
_KINDS = {"grid": "Grid", "halo": "Halo", "index_halo": "IndexHalo", "blocks": "Blocks", "exchange": "Exchange", "allreduce": "Allreduce",
          "sparse": "SparseExchange", "segment": "Segment"}
_VERBS = {"init": "", "create": "", "create_ordered": "", "finalise": ".close", "destroy": ".close", "free": ".close",
          "rank": ".rank_at", "views": ".view", "start_with": ".start"}
_OTHERS = {
    "init": "Context", "finalise": "Context.close", "context_network": "Context.network", "context_info": "Context",
    "field_alloc": "Field or Context.zeros", "field_alloc_untouched": "Field or Context.zeros", "refuse": "a call",
    "put": "Segment.put", "put_strided": "Segment.put_strided", "put_notify": "Segment.put_notify", "get": "Segment.get",
    "get_strided": "Segment.get_strided", "notify": "Segment.notify", "notify_wait": "Segment.wait", "notify_test": "Segment.test",
    "notify_reset": "Segment.reset", "fetch_op": "Segment.fetch_op", "accumulate": "Segment.accumulate", "atomics": "Segment.atomics",
    "atomic_fetch_add": "Segment.fetch_add", "atomic_swap": "Segment.swap", "atomic_compare_swap": "Segment.compare_swap",
    "flush": "Segment.flush", "flush_all": "Segment.flush", "flush_local": "Segment.flush_local",
    "flush_local_all": "Segment.flush_local", "barrier": "Segment.barrier", "fills_moving": "fills_moving",
    "mode_from_name": "mode", "model_open": "the machine card",
}


def _here(found: re.Match[str]) -> str:
    name = found[1]
    if name in _OTHERS:
        return _OTHERS[name]
    kind = next((one for one in sorted(_KINDS, key=len, reverse=True) if name.startswith(f"{one}_")), None)
    if kind is None:
        return found[0]
    verb = name.removeprefix(f"{kind}_")
    return _KINDS[kind] + _VERBS.get(verb, f".{verb}")


def in_python(text: str) -> str:
    """A sentence of the library, with the names that its functions have in this package. Types and constants keep those of C."""
    return re.sub(r"\bhlc_([a-z0-9_]+)", _here, text)


_CLASSES: dict[str, type[Error]] = {
    made.status: made
    for made in (
        ArgumentError,
        StateError,
        OutOfMemoryError,
        MismatchError,
        WaitTimeoutError,
        PeerDiedError,
        MpiError,
        UnsupportedError,
        RuleError,
        DeviceError,
    )
}


def made(status: str, message: str) -> Error:
    """The exception for a status of the library, with a message."""
    error = _CLASSES.get(status, Error)(in_python(message))
    error.status = status
    return error
