"""The critical path: backwards from the last event of all. Where a rank waited, the path goes on at the rank that it waited for.

SPDX-License-Identifier: BSD-3-Clause
"""
import bisect
import collections
import dataclasses


@dataclasses.dataclass(slots=True)
class Step:
    """A rank's part of the path. to: the rank that waited for it, None for the last one; `delivery` nanoseconds passed in between."""
    rank: int
    begin: int
    end: int
    to: int | None = None
    delivery: int = 0


def waits_by_rank(waits):
    """Per rank: the waits that another rank ended while they went on, and their ends, in order."""
    ranks = collections.defaultdict(lambda: ([], []))
    for wait in waits:
        if wait.peer is not None and wait.peer != wait.rank and wait.cause > wait.event.begin:
            ranks[wait.rank][0].append(wait)
            ranks[wait.rank][1].append(wait.event.end)
    return ranks


def find_path(traces, waits):
    """Steps in order of time."""
    last = max((event for trace in traces.values() for event in trace.spans()), key=lambda event: event.end)
    begins = {rank: min((event.begin for event in trace.spans()), default=last.end) for rank, trace in traces.items()}
    by_rank = waits_by_rank(waits)
    rank, time, to, delivery, steps = last.rank, last.end, None, 0, []
    while True:
        known, ends = by_rank[rank]
        place = bisect.bisect_right(ends, time) - 1
        wait = known[place] if place >= 0 else None
        if wait is None or wait.peer not in traces or wait.cause >= time:
            steps.append(Step(rank, min(begins[rank], time), time, to, delivery))
            return steps[::-1]
        steps.append(Step(rank, wait.event.end, time, to, delivery))
        to, delivery = rank, wait.event.end - wait.cause
        rank, time = wait.peer, wait.cause


def longest(steps):
    return sorted(steps, key=lambda step: step.begin - step.end)
