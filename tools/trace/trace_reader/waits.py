"""Finds for each wait the rank that it was for, and when that rank did what ended it.

A wait of a swap names its neighbour. In a barrier, a fence, a reduction, or the making of a plan a rank waits for the last one that enters.
In the other calls of MPI it waits for the call of another rank that matches.

SPDX-License-Identifier: BSD-3-Clause
"""
import bisect
import collections
import dataclasses

# Calls that end only after all ranks have entered them.
FOR_ALL = {"hlc_barrier", "hlc_allreduce_run", "MPI_Win_fence"}
# What another rank does to end a wait in a call, and whether the event names the rank that waits, or is in the call's group.
MATCHES = {"MPI_Win_start": ("MPI_Win_post",), "MPI_Win_wait": ("MPI_Win_complete",),
           "hlc_notify_wait": ("hlc_put_notify", "hlc_notify"), "MPI_Win_lock": ("MPI_Win_unlock", "MPI_Win_unlock_all"),
           "MPI_Win_lock_all": ("MPI_Win_unlock",)}
# Per wait of a swap: the steps of the neighbour that end it, the first that is found.
STEPS = {"wait": (("put", True), ("start", False)), "wait for readers": (("unpack", True), ("copy", True), ("finish", False)),
         "wait for room": (("unpack", True), ("finish", False))}


@dataclasses.dataclass(slots=True)
class Wait:
    """peer: None if nobody knows. cause: when the peer ended the wait, at most its end."""
    event: object
    peer: int | None
    cause: int

    @property
    def rank(self):
        return self.event.rank


class Finder:
    """Where to look for the other side of a wait."""

    def __init__(self, traces):
        self.traces = traces
        self.steps = {}  # of swaps
        self.entries = collections.defaultdict(dict)  # of calls for all: by call and occurrence, the rank's entry
        self.occurrence = {}
        self.calls = collections.defaultdict(list)  # by name and object, in the order of their begins
        for trace in traces.values():
            self.note(trace)
        for calls in self.calls.values():
            calls.sort(key=lambda call: call.begin)
        self.begins = {key: [call.begin for call in calls] for key, calls in self.calls.items()}
        self.outer = {rank: outer_calls(trace) for rank, trace in traces.items()}

    def note(self, trace):
        counts = collections.Counter()
        for event in sorted(trace.spans(), key=lambda event: event.begin):
            if event.category == "swap":
                key = (event.rank, event.name, event.key(), event.args.get("round"))
                self.steps[(*key, event.args.get("peer"))] = event
            elif event.name in FOR_ALL or event.category == "collective":
                key = (event.name, event.key())
                self.entries[(*key, counts[key])][event.rank] = event.begin
                self.occurrence[id(event)] = counts[key]
                counts[key] += 1
            elif event.category != "wait":
                self.calls[event.name, event.key()].append(event)

    def find(self, event):
        call = self.call_around(event)
        if event.args.get("in") is None and "round" in event.args:
            return self.neighbour(event)
        if call is None:
            return Wait(event, event.args.get("peer"), event.end)
        if id(call) in self.occurrence:
            return self.last_to_enter(event, call)
        if call.name in MATCHES:
            return self.match(event, call)
        return Wait(event, event.args.get("peer", call.args.get("peer")), event.end)

    def call_around(self, event):
        """The call of the same thread in which a wait is."""
        calls, begins = self.outer[event.rank].get(event.thread, ((), ()))
        place = bisect.bisect_right(begins, event.begin) - 1
        return calls[place] if place >= 0 and calls[place].end >= event.end else None

    def neighbour(self, event):
        peer = event.args.get("peer")
        for name, names_me in STEPS.get(event.name, ()):
            key = (peer, name, event.key(), event.args["round"], event.rank if names_me else None)
            step = self.steps.get(key)
            if step and step.end <= event.end:
                return Wait(event, peer, step.end)
        return Wait(event, peer, event.end)

    def last_to_enter(self, event, call):
        entries = self.entries[call.name, call.key(), self.occurrence[id(call)]]
        rank = max(entries, key=entries.get)
        if rank == event.rank:
            return Wait(event, event.args.get("peer"), event.end)
        return Wait(event, rank, min(entries[rank], event.end))

    def match(self, event, call):
        """The last matching call of another rank that began before the wait was over. Its effect may come before it returns."""
        group = {int(rank) for rank in call.args.get("what", "").split()}
        found = [self.last_call((name, call.key()), event, call, group) for name in MATCHES[call.name]]
        best = max((other for other in found if other), key=lambda other: other.begin, default=None)
        if best is None:
            return Wait(event, event.args.get("peer"), event.end)
        return Wait(event, best.rank, min(best.end, event.end))

    def last_call(self, key, event, call, group):
        calls = self.calls.get(key, ())
        for place in range(bisect.bisect_right(self.begins.get(key, ()), event.end) - 1, -1, -1):
            other = calls[place]
            if other.rank != event.rank and concerns(other, event.rank, call, group):
                return other
        return None


def concerns(other, rank, call, group):
    """Whether a call of another rank may end a wait of this one."""
    if group:
        return other.rank in group
    if call.name == "MPI_Win_lock":
        return other.args.get("peer", call.args.get("peer")) == call.args.get("peer")
    return other.args.get("peer", rank) == rank or call.name == "MPI_Win_lock_all"


def outer_calls(trace):
    """Per thread: its outermost calls that are neither waits nor steps, in order, and when they begin."""
    threads = collections.defaultdict(list)
    for event in sorted(trace.spans(), key=lambda event: (event.begin, -event.end)):
        if event.category in ("wait", "trace", "swap"):
            continue
        calls = threads[event.thread]
        if not calls or event.end > calls[-1].end:
            calls.append(event)
    return {thread: (calls, [call.begin for call in calls]) for thread, calls in threads.items()}


def outermost(waits):
    """Without those that lie within another wait of their thread."""
    found = []
    for event in sorted(waits, key=lambda event: (event.thread, event.begin, -event.end)):
        if not found or found[-1].thread != event.thread or event.end > found[-1].end:
            found.append(event)
    return found


def find_waits(traces):
    """All waits, in the order of their ends."""
    finder = Finder(traces)
    events = [event for trace in traces.values() for event in outermost(e for e in trace.spans() if e.category == "wait")]
    return sorted((finder.find(event) for event in events), key=lambda wait: wait.event.end)


def table_of(waits):
    """Nanoseconds that each rank waited for each other; None: for nobody in particular."""
    table = collections.defaultdict(collections.Counter)
    for wait in waits:
        table[wait.rank][wait.peer] += wait.event.duration
    return table
