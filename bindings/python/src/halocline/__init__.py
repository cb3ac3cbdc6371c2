"""Halo exchange and one-sided communication for stencil codes, on NumPy arrays.

    import halocline

    with halocline.Context() as context:
        grid = halocline.Grid(context, (512, 512), periodic=True)
        u = halocline.Field(grid, depth=1)
        halo = halocline.Halo(grid, [u], stencil="star")
        halo.swap()

The classes load the compiled extension, and with it an MPI, when one of them is first used; importing the package alone loads neither.

SPDX-License-Identifier: BSD-3-Clause
"""
import importlib
import importlib.metadata
from typing import TYPE_CHECKING, Any

from . import _process as _process  # notes forks from here on
from ._errors import (
    ArgumentError,
    DeviceError,
    Error,
    MismatchError,
    MpiError,
    OutOfMemoryError,
    PeerDiedError,
    RuleError,
    StateError,
    UnsupportedError,
    WaitTimeoutError,
)

if TYPE_CHECKING:
    from ._allreduce import Allreduce
    from ._blocks import Blocks, Box, Shaped
    from ._context import Context, modes, mpi_library, version
    from ._device import DeviceArray
    from ._exchange import Exchange, Neighbour
    from ._grid import Field, Grid, Placement
    from ._halo import Halo, fills_moving
    from ._index_halo import IndexHalo, IndexNeighbour, IndexView
    from ._pieces import Piece
    from ._segment import Segment
    from ._sparse import Message, SparseExchange
    from ._swaps import Swapping

__all__ = [
    "Allreduce",
    "ArgumentError",
    "Blocks",
    "Box",
    "Context",
    "DeviceArray",
    "DeviceError",
    "Error",
    "Exchange",
    "Field",
    "Grid",
    "Halo",
    "IndexHalo",
    "IndexNeighbour",
    "IndexView",
    "Message",
    "MismatchError",
    "MpiError",
    "Neighbour",
    "OutOfMemoryError",
    "PeerDiedError",
    "Piece",
    "Placement",
    "RuleError",
    "Segment",
    "Shaped",
    "SparseExchange",
    "StateError",
    "Swapping",
    "UnsupportedError",
    "WaitTimeoutError",
    "fills_moving",
    "modes",
    "mpi_library",
    "version",
]

_HOMES = {
    "Allreduce": "_allreduce",
    "Blocks": "_blocks",
    "Box": "_blocks",
    "Shaped": "_blocks",
    "Context": "_context",
    "modes": "_context",
    "mpi_library": "_context",
    "version": "_context",
    "DeviceArray": "_device",
    "Exchange": "_exchange",
    "Neighbour": "_exchange",
    "Field": "_grid",
    "Grid": "_grid",
    "Placement": "_grid",
    "Halo": "_halo",
    "fills_moving": "_halo",
    "IndexHalo": "_index_halo",
    "IndexNeighbour": "_index_halo",
    "IndexView": "_index_halo",
    "Piece": "_pieces",
    "Segment": "_segment",
    "Message": "_sparse",
    "SparseExchange": "_sparse",
    "Swapping": "_swaps",
}


def _installed_version() -> str:
    """That of the installed package; in a build tree the library's own, which loads an MPI."""
    try:
        return importlib.metadata.version(__name__)
    except importlib.metadata.PackageNotFoundError:
        return str(_found("version")())


def _found(name: str) -> Any:
    if name == "__version__":
        return _installed_version()
    if name not in _HOMES:
        raise AttributeError(f"module 'halocline' has no attribute {name!r}")
    found = getattr(importlib.import_module(f".{_HOMES[name]}", __name__), name)
    globals()[name] = found
    return found


# Type checkers see the names that are imported above, and no others.
if TYPE_CHECKING:
    __version__: str
else:
    __getattr__ = _found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
