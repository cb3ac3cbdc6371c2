"""halocline-trace: its options, and the order of its work.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import contextlib
import gc
import json
import os
import pathlib
import sys

from trace_reader import __version__, clocks, files, lanes, merged, report, timeline
from trace_reader.path import find_path
from trace_reader.waits import find_waits


class Parser(argparse.ArgumentParser):
    """One that does not conceal that its help could not be written."""

    def _print_message(self, message, file=None):
        if message:
            (file or sys.stderr).write(message)


def parse(words):
    parser = Parser(
        prog="halocline-trace", description="Merges the files that HALOCLINE_TRACE=DIR has left in DIR. Prints who waited for whom and the "
        "critical path. Writes DIR/merged.json, for https://ui.perfetto.dev, and DIR/timeline.svg.")
    parser.add_argument("folder", type=pathlib.Path, metavar="DIR", help="the folder of HALOCLINE_TRACE")
    parser.add_argument("--from", dest="first", type=float, metavar="US", help="the picture begins this many us after the first event")
    parser.add_argument("--to", dest="last", type=float, metavar="US", help="and ends there")
    parser.add_argument("--last-swaps", type=int, metavar="N", help="instead: the picture shows the last N swaps of the last plan")
    parser.add_argument("--steps", type=int, default=10, metavar="N", help="print this many steps of the critical path (10)")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of tables")
    parser.add_argument("--width", type=int, default=timeline.WIDTH, metavar="PX", help=f"width of the picture ({timeline.WIDTH})")
    parser.add_argument("--columns", type=int, metavar="N", help="with --json: also a lane of this many letters for each rank")
    parser.add_argument("--no-files", action="store_true", help="print only")
    parser.add_argument("--version", action="version", version=f"halocline-trace {__version__}")
    return parser.parse_args(words)


def last_swaps(traces, number):
    """Begin and end of the last swaps of the plan that swapped last; None if there is no swap."""
    spans = [event for trace in traces.values() for event in trace.spans() if event.category == "swap" and "round" in event.args]
    if not spans:
        return None
    plan = max(spans, key=lambda event: event.end).key()
    rounds = [event for event in spans if event.key() == plan]
    first = max(event.args["round"] for event in rounds) - number
    chosen = [event for event in rounds if event.args["round"] > first]
    return min(event.begin for event in chosen), max(event.end for event in chosen)


def view_of(traces, options):
    found = last_swaps(traces, options.last_swaps) if options.last_swaps else None
    if found:
        return timeline.View(*found, max(options.width, 400))
    begin = min(event.begin for trace in traces.values() for event in trace.events)
    end = max(event.end for trace in traces.values() for event in trace.events)
    first = begin if options.first is None else begin + round(options.first * 1000)
    return timeline.View(first, end if options.last is None else begin + round(options.last * 1000), max(options.width, 400))


def write_files(options, traces, waits, picture):
    threads = {rank: lanes.busiest_thread(trace) for rank, trace in traces.items()}
    merged.write(options.folder / "merged.json", traces, waits, threads)
    merged.replace(options.folder / "timeline.svg", picture)
    return [f"Written: {options.folder / 'merged.json'} and {options.folder / 'timeline.svg'}"]


def run(options):
    traces = files.read_folder(options.folder)
    if not any(trace.spans() for trace in traces.values()):
        raise files.NoTrace(f"the files in {options.folder} have no events")
    said = files.remarks(options.folder, traces) + clocks.align(traces)
    waits = find_waits(traces)
    steps = find_path(traces, waits)
    picture, cut = "", timeline.what_is_cut(traces) if options.columns else []
    if not options.no_files:
        picture, cut = timeline.picture(traces, waits, steps, view_of(traces, options))
    if options.json:
        found = report.as_json(traces, waits, steps, said + cut)
        if options.columns:
            view = view_of(traces, options)
            found |= {"lanes": timeline.lanes_of(traces, view, options.columns), "lanes_us": (view.end - view.begin) / 1000}
        print(json.dumps(found))
    else:
        events = sum(len(trace.events) for trace in traces.values())
        print("\n".join([f"{len(traces)} ranks, {events} events", *said, "", *report.say_waits(traces, waits), "",
                         *report.say_path(traces, steps, options.steps)]))
    written = [] if options.no_files else write_files(options, traces, waits, picture)
    if written and not options.json:
        print("\n".join(["", *written, *cut]))
    return 0


def main(words=None):
    # Millions of events live until the end: there is no garbage to look for.
    gc.disable()
    try:
        try:
            return run(parse(words))
        finally:
            sys.stdout.flush()
    except (files.NoTrace, OSError) as why:
        print(f"halocline-trace: {why}", file=sys.stderr)
        with contextlib.suppress(OSError):
            sys.stdout.flush()
            return 1
        # The interpreter flushes once more at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
