"""The epochs of a rank: of windows, between the calls that open and close them; of halos, a swap from its start to its finish.

SPDX-License-Identifier: BSD-3-Clause
"""
import dataclasses

# What closes an epoch, by what opens it.
CLOSERS = {"MPI_Win_start": "MPI_Win_complete", "MPI_Win_post": "MPI_Win_wait", "MPI_Win_lock": "MPI_Win_unlock",
           "MPI_Win_lock_all": "MPI_Win_unlock_all"}
OPENERS = {closer: opener for opener, closer in CLOSERS.items()}
KINDS = {"MPI_Win_start": "access", "MPI_Win_post": "exposure", "MPI_Win_lock": "lock", "MPI_Win_lock_all": "lock_all"}


@dataclasses.dataclass(slots=True)
class Epoch:
    kind: str
    begin: int
    end: int
    what: str


def label(event):
    name = event.args.get("of", "")
    number = event.args.get("plan", "")
    return f"{name} {number}".strip()


def epochs_of_windows(trace):
    opened, fences, epochs = {}, {}, []
    for event in sorted((e for e in trace.spans() if e.category == "mpi"), key=lambda event: event.begin):
        if event.name == "MPI_Win_fence":
            if event.key() in fences:
                epochs.append(Epoch("fence", fences[event.key()], event.end, label(event)))
            fences[event.key()] = event.end
        elif event.name in CLOSERS:
            opened[event.name, event.key(), event.args.get("peer")] = event
        elif event.name in OPENERS:
            begun = opened.pop((OPENERS[event.name], event.key(), event.args.get("peer")), None)
            if begun:
                epochs.append(Epoch(KINDS[begun.name], begun.begin, event.end, label(event)))
    return epochs


def epochs_of_swaps(trace):
    opened, epochs = {}, []
    for event in trace.events:
        key = (event.key(), event.args.get("round"), event.args.get("what"))
        if event.kind == "b":
            opened[key] = event
        elif event.kind == "e" and key in opened:
            epochs.append(Epoch("swap", opened.pop(key).begin, event.begin, label(event)))
    return epochs


def epochs_of(trace):
    return sorted(epochs_of_windows(trace) + epochs_of_swaps(trace), key=lambda epoch: epoch.begin)
