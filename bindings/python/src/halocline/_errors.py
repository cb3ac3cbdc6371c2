"""The exceptions: one per status of the library, with its message.

SPDX-License-Identifier: BSD-3-Clause
"""


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
    )
}


def made(status: str, message: str) -> Error:
    """The exception for a status of the library, with a message."""
    error = _CLASSES.get(status, Error)(message)
    error.status = status
    return error
