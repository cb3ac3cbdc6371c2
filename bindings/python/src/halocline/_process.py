"""Whether this process is a rank of its own, or a child of one.

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import sys
from typing import Any

from ._errors import StateError

# What a launcher puts into the environment of its ranks, and thus of their children.
RANKS = ("PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK")

forked_with_mpi = False


def _note_fork() -> None:
    """In a child: the extension may not be loaded yet, and then knows nothing of the fork."""
    global forked_with_mpi  # noqa: PLW0603 - a process is forked as a whole
    mpi = sys.modules.get("mpi4py.MPI")
    is_initialised = getattr(mpi, "Is_initialized", None)
    forked_with_mpi = forked_with_mpi or bool(is_initialised and is_initialised())


os.register_at_fork(after_in_child=_note_fork)


def refuse_fork() -> None:
    """Raises StateError in a child of a process that had begun MPI."""
    if forked_with_mpi:
        raise StateError("Context: this process was forked; MPI belongs to the process that made it")


def _is_importing_main(process: Any) -> bool:
    """Whether a child of spawn or of the fork server runs the program's file, to find there what it is to call. It has no parent yet.
    multiprocessing notes that in the same way, for its own error."""
    return bool(getattr(process.current_process(), "_inheriting", False))


def refuse_second_rank() -> None:
    """Raises StateError where MPI would begin as one rank a second time: in a child of multiprocessing, with the launcher's variables."""
    process = sys.modules.get("multiprocessing.process")
    rank = next((name for name in RANKS if name in os.environ), None)
    if process is not None and rank and (process.parent_process() is not None or _is_importing_main(process)):
        raise StateError(
            f"Context: multiprocessing has started this process, and {rank}={os.environ[rank]} is of the process that started it. "
            "A rank cannot begin MPI twice; multiprocessing starts no ranks"
        )
