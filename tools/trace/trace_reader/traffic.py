"""Bytes between ranks. In a swap the receiver counts them, of which there is one event per message; else whoever puts or gets does.

SPDX-License-Identifier: BSD-3-Clause
"""
import collections

RECEIVING = ("copy", "unpack", "show")
READING = ("hlc_get", "MPI_Get")
ORIGINS = ("segment", "mpi")


def ends_of(event):
    """Origin and target of an event's bytes; None if it moves none, or the other rank is not known."""
    other = event.args.get("peer", event.args.get("target"))
    if other is None or not event.args.get("bytes"):
        return None
    if event.category == "swap" and event.name in RECEIVING:
        return other, event.rank
    if event.category in ORIGINS:
        return (other, event.rank) if event.name in READING else (event.rank, other)
    return None


def traffic_of(traces):
    """Bytes by origin and target. Of several plans all count."""
    moved = collections.defaultdict(collections.Counter)
    for trace in traces.values():
        for event in trace.spans():
            ends = ends_of(event)
            if ends:
                moved[ends[0]][ends[1]] += event.args["bytes"]
    return moved
