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
    "field_alloc": "Field or Context.zeros", "field_alloc_untouched": "Field or Context.zeros", "field_alloc_in": "Context.device_zeros",
    "refuse": "a call",
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


# What messages of the library call the members of its structs and its constants, and what these are here.
_WORDS = tuple((re.compile(pattern), word) for pattern, word in (
    (r"\bNULL\b", "None"),
    (r"\bHLC_(?:REDUCE_)?(FLOAT32|FLOAT64|INT32|INT64|COMPLEX64|COMPLEX128|OPAQUE|CENTRED|SUM|MIN|MAX)\b", lambda found: found[1].lower()),
    (r"\bHLC_NODES_(SHARED|OWNED)\b", lambda found: found[1].lower()),
    (r"\bHLC_REDUCE_USER\b", "a function"),
    (r"\bHLC_ROW_MAJOR\b", "C"),
    (r"\bHLC_COLUMN_MAJOR\b", "F"),
    (r"\b(?:shape\.)?depth_low\[(\d+)\]", r"depth below along dimension \1"),
    (r"\b(?:shape\.)?depth_high\[(\d+)\]", r"depth above along dimension \1"),
    (r"\bshape\.own_depth\b", "having a depth of its own"),
    (r"\bshape\.stagger\b", "stagger"),
    (r"\bshapes\[\d+\], of field\b", "field"),
    (r"\bshapes\b(?!\[)", "stagger or depths"),
    (r"\bgrid\.global\b|\bglobal(?=\[| is )", "shape"),
    (r"\bgrid\.(?=local|start|coords|periodic|order)", ""),
    (r"\b(?:grid\.)?dims\b", "ranks"),
    (r"\b(?:grid\.)?ndims\b", "the number of dimensions"),
    (r"\bnfields\b", "the number of fields"),
    (r"\bnentries\b", "the number of entries"),
    (r"\b(?:the length of )?(neighbours\[\d+\])\.nin\b", r"the length of \1.receive"),
    (r"(neighbours\[\d+\])\.out\b", r"\1.send"),
    (r"(neighbours\[\d+\])\.in\b", r"\1.receive"),
    (r"\bblocks\[", "boxes["),
    (r"(?<=: )count\[", "shape["),
    (r"\bstride_bytes\[(\d+)\]", r"the stride along axis \1"),
    (r"\bstride_bytes\b", "strides"),
    (r"\belement_bytes\b", "the itemsize"),
    (r"\bbytes_out\b", "bytes to send"),
    (r"\bbytes_in\b", "bytes to receive"),
    (r"\bspec\.", ""),
    (r"\bone_dim is set\b", "dim is given"),
    (r"\bonly be (?:finalised|destroyed)\b", "only be closed"),
))
_QUOTED = re.compile(r"((?<!\w)'[^']*')")


def _members_here(text: str) -> str:
    """A sentence of the library in the words of this package; names of the program, in quotes, stay as they are."""
    parts = _QUOTED.split(text)
    for i in range(0, len(parts), 2):
        for pattern, word in _WORDS:
            parts[i] = pattern.sub(word, parts[i])
    return "".join(parts)


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
    error = _CLASSES.get(status, Error)(_members_here(in_python(message)))
    error.status = status
    return error
