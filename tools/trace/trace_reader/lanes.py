"""What each rank did at each moment: the innermost span of its busiest thread.

SPDX-License-Identifier: BSD-3-Clause
"""
import collections

OUTSIDE = "outside the library"


def busiest_thread(trace):
    counts = collections.Counter(event.thread for event in trace.spans() if event.category != "trace")
    return counts.most_common(1)[0][0] if counts else 0


def cut(pieces, begin, end, name):
    if end > begin:
        pieces.append((begin, end, name))


def pieces_of(trace):
    """Pieces (begin, end, name) in order of time, without gaps between the first and the last span."""
    thread = busiest_thread(trace)
    pieces, open_spans, now = [], [], None
    for event in sorted((e for e in trace.spans() if e.thread == thread), key=lambda event: (event.begin, -event.end)):
        now = event.begin if now is None else now
        while open_spans and open_spans[-1].end <= event.begin:
            span = open_spans.pop()
            cut(pieces, now, span.end, span.name)
            now = max(now, span.end)
        cut(pieces, now, event.begin, open_spans[-1].name if open_spans else OUTSIDE)
        now = max(now, event.begin)
        open_spans.append(event)
    while open_spans:
        span = open_spans.pop()
        cut(pieces, now, span.end, span.name)
        now = max(now, span.end)
    return pieces


def between(pieces, begin, end):
    """Nanoseconds by name in a part of the time."""
    times = collections.Counter()
    for first, last, name in pieces:
        if last > begin and first < end:
            times[name] += min(last, end) - max(first, begin)
    return times
