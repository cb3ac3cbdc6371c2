"""What halocline-trace prints: who waited for whom, and the critical path.

SPDX-License-Identifier: BSD-3-Clause
"""
import collections

from trace_reader import lanes
from trace_reader.path import longest
from trace_reader.traffic import traffic_of
from trace_reader.waits import table_of

MOST_COLUMNS = 16


def in_words(nanoseconds):
    """A time with its unit."""
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if nanoseconds >= size:
            return f"{nanoseconds / size:.3g} {unit}"
    return f"{nanoseconds:.0f} ns"


def row(first, others):
    return f"{first:>8}" + "".join(f"{other:>10}" for other in others)


def awaited_ranks(table, ranks):
    """The ranks with columns: all, or those that were awaited longest."""
    sums = collections.Counter()
    for times in table.values():
        sums.update({rank: time for rank, time in times.items() if rank is not None})
    chosen = ranks if len(ranks) <= MOST_COLUMNS else [rank for rank, _ in sums.most_common(MOST_COLUMNS)]
    return sorted(chosen), sums


def say_waits(traces, waits):
    table = table_of(waits)
    ranks = list(traces)
    columns, sums = awaited_ranks(table, ranks)
    lines = ["Who waited (rows) for whom (columns):", row("rank", [*columns, "unknown", "all"])]
    for rank in ranks:
        times = table[rank]
        cells = [in_words(times[peer]) if times[peer] else "-" for peer in [*columns, None]]
        lines.append(row(rank, [*cells, in_words(sum(times.values()))]))
    lines.append(row("all", [in_words(sums[peer]) if sums[peer] else "-" for peer in columns]))
    if sums:
        latest, time = sums.most_common(1)[0]
        lines.append(f"Most waiting was for rank {latest}: {in_words(time)} of all ranks together.")
    return lines


def totals_of(traces, steps):
    """Nanoseconds of the path by rank, and by what was done."""
    pieces = {rank: lanes.pieces_of(traces[rank]) for rank in {step.rank for step in steps}}
    by_rank, by_name = collections.Counter(), collections.Counter()
    for step in steps:
        by_rank[step.rank] += step.end - step.begin
        by_name.update(lanes.between(pieces[step.rank], step.begin, step.end))
        by_name["delivery to the rank that waits"] += step.delivery
    return by_rank, by_name


def say_path(traces, steps, number):
    length = steps[-1].end - steps[0].begin
    by_rank, by_name = totals_of(traces, steps)
    lines = [f"Critical path: {in_words(length)} in {len(steps)} steps"]
    lines += [f"  {time / max(1, length):6.1%} on rank {rank}" for rank, time in by_rank.most_common(8)]
    lines += [f"  {time / max(1, length):6.1%} {name}" for name, time in by_name.most_common(10) if time > 0]
    lines.append(f"Its {min(number, len(steps))} longest steps:")
    begin = steps[0].begin
    for step in longest(steps)[:number]:
        to = "the end" if step.to is None else f"rank {step.to}, which waited for it"
        lines.append(f"  rank {step.rank} from {in_words(step.begin - begin)} on, for {in_words(step.end - step.begin)}, then {to}")
    return lines


def as_json(traces, waits, steps, said):
    """The same as one object."""
    by_rank, by_name = totals_of(traces, steps)
    table = table_of(waits)
    moved = {str(origin): {str(target): count for target, count in to.items()} for origin, to in traffic_of(traces).items()}
    return {"format": 1, "ranks": list(traces), "remarks": said, "bytes": moved,
            "waits_ns": {str(rank): {str(peer): time for peer, time in table[rank].items()} for rank in traces},
            "path": {"by_rank_ns": {str(rank): time for rank, time in by_rank.items()}, "by_name_ns": dict(by_name),
                     "steps": [[step.rank, step.begin, step.end] for step in steps]}}
