"""halocline-trace: its options, and the order of its work.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import gc
import json
import pathlib
import sys

from trace_reader import clocks, files, lanes, merged, report, timeline
from trace_reader.path import find_path
from trace_reader.waits import find_waits


def parse(words):
    parser = argparse.ArgumentParser(
        prog="halocline-trace", description="Merges the files that HALOCLINE_TRACE=DIR has left in DIR. Prints who waited for whom and the "
        "critical path. Writes DIR/merged.json, for https://ui.perfetto.dev, and DIR/timeline.svg.")
    parser.add_argument("folder", type=pathlib.Path, metavar="DIR")
    parser.add_argument("--from", dest="first", type=float, metavar="US", help="the picture begins so many us after the first event")
    parser.add_argument("--to", dest="last", type=float, metavar="US", help="and ends there")
    parser.add_argument("--steps", type=int, default=10, metavar="N", help="print so many steps of the critical path (10)")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of tables")
    parser.add_argument("--no-files", action="store_true", help="print only")
    return parser.parse_args(words)


def view_of(traces, options):
    begin = min(event.begin for trace in traces.values() for event in trace.events)
    end = max(event.end for trace in traces.values() for event in trace.events)
    first = begin if options.first is None else begin + round(options.first * 1000)
    return timeline.View(first, end if options.last is None else begin + round(options.last * 1000))


def write_files(options, traces, waits, steps):
    threads = {rank: lanes.busiest_thread(trace) for rank, trace in traces.items()}
    merged.write(options.folder / "merged.json", traces, waits, threads)
    picture = timeline.picture(traces, waits, steps, view_of(traces, options))
    (options.folder / "timeline.svg").write_text(picture)
    return [f"Written: {options.folder / 'merged.json'} and {options.folder / 'timeline.svg'}"]


def run(options):
    traces = files.read_folder(options.folder)
    if not any(trace.spans() for trace in traces.values()):
        raise files.NoTrace(f"the files in {options.folder} have no events")
    said = files.remarks(options.folder, traces) + clocks.align(traces)
    waits = find_waits(traces)
    steps = find_path(traces, waits)
    if options.json:
        print(json.dumps(report.as_json(traces, waits, steps, said)))
    else:
        events = sum(len(trace.events) for trace in traces.values())
        print("\n".join([f"{len(traces)} ranks, {events} events", *said, "", *report.say_waits(traces, waits), "",
                         *report.say_path(traces, steps, options.steps)]))
    written = [] if options.no_files else write_files(options, traces, waits, steps)
    if written and not options.json:
        print("\n".join(["", *written]))
    return 0


def main(words=None):
    # Millions of events live until the end: there is no garbage to look for.
    gc.disable()
    try:
        return run(parse(words))
    except (files.NoTrace, OSError) as why:
        print(f"halocline-trace: {why}", file=sys.stderr)
        return 1
