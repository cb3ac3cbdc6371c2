"""Reads the files of a trace, one per process, into events of ranks. Times are nanoseconds of the clock that the rank reads.

SPDX-License-Identifier: BSD-3-Clause
"""
import dataclasses
import json


class NoTrace(Exception):
    """There is nothing to read, or it is no trace."""


@dataclasses.dataclass(slots=True)
class Event:
    """A span, or one end of a swap in flight (kinds X, b, e)."""
    rank: int
    thread: int
    kind: str
    name: str
    category: str
    begin: int
    end: int
    args: dict

    @property
    def duration(self):
        return self.end - self.begin

    def key(self):
        """What calls on one object have in common, on all ranks."""
        return self.args.get("context"), self.args.get("of"), self.args.get("plan")


@dataclasses.dataclass
class RankTrace:
    """What one rank has written."""
    rank: int
    ranks: int = 0
    clock: str = ""
    host: str = ""
    events: list = dataclasses.field(default_factory=list)
    samples: list = dataclasses.field(default_factory=list)  # of the clock
    ends_early: bool = False

    def spans(self):
        return [event for event in self.events if event.kind == "X"]


def read_lines(text):
    """The events of a file that ends in the middle: each line that is whole."""
    lines = []
    for line in text.splitlines():
        try:
            lines.append(json.loads(line.rstrip(",")))
        except ValueError:
            continue
    return [line for line in lines if isinstance(line, dict)]


def read_json(path):
    """The events of a file, and whether it ends early."""
    text = path.read_text(errors="replace")
    try:
        return json.loads(text), False
    except ValueError:
        return read_lines(text), True


def nanoseconds(microseconds):
    return round(microseconds * 1000)


def event_of(line):
    begin = nanoseconds(line["ts"])
    end = begin + nanoseconds(line.get("dur", 0))
    return Event(line["pid"], line["tid"], line["ph"], line["name"], line["cat"], begin, end, line["args"])


def take_line(line, traces):
    """Adds a line of a file to the trace of its rank."""
    trace = traces.setdefault(line["pid"], RankTrace(line["pid"]))
    if line["name"] == "halocline_rank":
        about = line["args"]
        trace.ranks, trace.clock, trace.host = about["ranks"], about["clock"], about["host"]
    elif line["name"] == "halocline_clock":
        trace.samples.append(line["args"])
    elif line["ph"] in ("X", "b", "e"):
        trace.events.append(event_of(line))


def read_folder(folder):
    """The traces of all ranks, by rank. Files of an earlier run with more ranks are left out."""
    traces = {}
    for path in sorted(folder.glob("rank-*.json")):
        lines, ends_early = read_json(path)
        if not isinstance(lines, list) or not all(isinstance(line, dict) and "pid" in line and "name" in line for line in lines):
            raise NoTrace(f"{path} is not a file of HALOCLINE_TRACE")
        ranks_before = set(traces)
        for line in lines:
            take_line(line, traces)
        for rank in set(traces) - ranks_before:
            traces[rank].ends_early = ends_early
    known = {rank: trace for rank, trace in traces.items() if trace.ranks}
    if not known:
        raise NoTrace(f"no files rank-*.json of HALOCLINE_TRACE in {folder}")
    ranks = known[min(known)].ranks
    return {rank: known[rank] for rank in sorted(known) if rank < ranks and known[rank].ranks == ranks}


def remarks(folder, traces):
    """Sentences about what is missing."""
    ranks = traces[min(traces)].ranks
    missing = [str(rank) for rank in range(ranks) if rank not in traces]
    said = [f"rank {rank}: its file ends early, as if the rank had been killed or its disk were full"
            for rank, trace in traces.items() if trace.ends_early]
    if missing:
        said.append(f"no file of this run: rank {', '.join(missing)} of {ranks}")
    older = len(list(folder.glob("rank-*.json"))) - len(traces)
    if older > 0:
        said.append(f"{older} files are left out: they are of a run with another number of ranks, or of none")
    return said
