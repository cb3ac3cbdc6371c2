"""The merged trace, for Perfetto or chrome://tracing: all ranks on one clock, with an arrow to each wait from what ended it.

SPDX-License-Identifier: BSD-3-Clause
"""
import json
import os


def microseconds(time, begin):
    return (time - begin) / 1000


def line_of(event, begin):
    line = {"name": event.name, "cat": event.category, "ph": event.kind, "pid": event.rank, "tid": event.thread,
            "ts": microseconds(event.begin, begin), "args": event.args}
    if event.kind == "X":
        line["dur"] = event.duration / 1000
    else:
        line["id"] = ".".join(str(part) for part in (event.rank, *event.key(), event.args.get("round"), event.args.get("what")))
    return line


def names_of(trace):
    return [{"name": "process_name", "ph": "M", "pid": trace.rank, "tid": 0, "args": {"name": f"rank {trace.rank} on {trace.host}"}},
            {"name": "process_sort_index", "ph": "M", "pid": trace.rank, "tid": 0, "args": {"sort_index": trace.rank}}]


def arrow(number, wait, threads, begin):
    common = {"name": "ends a wait", "cat": "wait", "id": number}
    return [{**common, "ph": "s", "pid": wait.peer, "tid": threads[wait.peer], "ts": microseconds(wait.cause, begin)},
            {**common, "ph": "f", "bp": "e", "pid": wait.rank, "tid": wait.event.thread, "ts": microseconds(wait.event.end, begin)}]


def replace(path, text):
    """Puts a new file in the place of what has the name, which may be another user's link or pipe."""
    part = path.with_name(f".{path.name}.{os.getpid()}")
    with open(part, "x", encoding="utf-8") as file:
        file.write(text)
    part.replace(path)


def write(path, traces, waits, threads):
    """threads: the one from which a rank's arrows start."""
    begin = min(event.begin for trace in traces.values() for event in trace.events)
    lines = [line for trace in traces.values() for line in names_of(trace)]
    events = sorted((event for trace in traces.values() for event in trace.events), key=lambda event: event.begin)
    lines += [line_of(event, begin) for event in events]
    known = [wait for wait in waits if wait.peer in traces and wait.peer != wait.rank]
    lines += [line for number, wait in enumerate(known) for line in arrow(number, wait, threads, begin)]
    # One text at a time is many times faster than a stream.
    replace(path, json.dumps({"traceEvents": lines, "displayTimeUnit": "ns"}, separators=(",", ":")))
