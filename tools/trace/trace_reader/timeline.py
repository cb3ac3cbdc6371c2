"""The timeline as a picture: per rank a lane of what it did, below it rows of its epochs, and an arrow from whoever ended a long wait.
Epochs that are open at the same time are in different rows. One SVG file that needs nothing else.

SPDX-License-Identifier: BSD-3-Clause
"""
import collections
import dataclasses
import html

from trace_reader import lanes
from trace_reader.epochs import epochs_of

WIDTH, LEFT, TOP, BAR, EPOCH, BOTTOM = 1200, 110, 46, 20, 5, 44
MARGIN = 8  # between two lanes
MOST_RANKS, FEWEST_ROWS, MOST_ROWS = 64, 2, 8
SHORTEST_ARROW = 0.01  # of the width
COLOURS = {lanes.OUTSIDE: "#ececec", "wait": "#d1495b", "pack": "#66a182", "unpack": "#2e8b57", "copy": "#2e8b57", "put": "#2b6cb0",
           "synchronisation": "#edae49", "other": "#8d96a3"}
EPOCH_COLOURS = {"swap": "#7a5195", "fence": "#003f5c", "access": "#ef5675", "exposure": "#ffa600", "lock": "#58508d",
                 "lock_all": "#58508d"}
PUTS = ("MPI_Put", "MPI_Get", "hlc_put", "hlc_get", "MPI_Accumulate")
SYNCHRONISING = ("MPI_Win", "hlc_barrier", "hlc_flush", "hlc_notify", "hlc_allreduce")


@dataclasses.dataclass
class View:
    """The part of the time that is drawn."""
    begin: int
    end: int
    width: int = WIDTH

    @property
    def scale(self):
        """Pixels per nanosecond."""
        return (self.width - LEFT - 10) / max(1, self.end - self.begin)

    def x(self, time):
        return LEFT + (min(max(time, self.begin), self.end) - self.begin) * self.scale


def group_of(name):
    if name.startswith("wait"):
        return "wait"
    if name in COLOURS:
        return name
    if name.startswith(PUTS):
        return "put"
    return "synchronisation" if name.startswith(SYNCHRONISING) else "other"


def columns_of(pieces, view, scale=None):
    """Per column, half a pixel unless scale says how many there are per nanosecond: what took most of it."""
    columns = collections.defaultdict(collections.Counter)
    scale = scale or 2 * view.scale
    for begin, end, name in pieces:
        first, last = max(begin, view.begin), min(end, view.end)
        if last <= first:
            continue
        left, right = (first - view.begin) * scale, (last - view.begin) * scale
        for column in range(int(left), int(right) + 1):
            share = min(right, column + 1) - max(left, column)
            if share > 0:
                columns[column][group_of(name)] += share
    return {column: times.most_common(1)[0][0] for column, times in columns.items()}


def runs_of(columns):
    """(first column, number, group) of columns that are alike."""
    runs = []
    for column in sorted(columns):
        if runs and runs[-1][2] == columns[column] and runs[-1][0] + runs[-1][1] == column:
            runs[-1][1] += 1
        else:
            runs.append([column, 1, columns[column]])
    return runs


def rectangle(left, top, size, colour, title=""):
    """size: width and height."""
    inside = f"<title>{html.escape(title)}</title>" if title else ""
    return f'<rect x="{left:.1f}" y="{top}" width="{size[0]:.1f}" height="{size[1]}" fill="{colour}">{inside}</rect>'


def words(left, top, text, anchor="start"):
    return f'<text x="{left:.1f}" y="{top}" text-anchor="{anchor}">{html.escape(text)}</text>'


def rows_of(epochs, view):
    """Per row the epochs of a rank that are seen, in order of time: each in the first row in which no earlier one is still open. One that
    ends in the half pixel of its row's last one is left out."""
    rows, ends, drawn = [], [], []
    for epoch in (one for one in epochs if one.end >= view.begin and one.begin <= view.end):
        row = next((number for number, end in enumerate(ends) if end <= epoch.begin), len(ends))
        if row == len(ends):
            rows, ends, drawn = [*rows, []], [*ends, 0], [*drawn, 0.0]
        ends[row] = epoch.end
        if view.x(epoch.end) - drawn[row] >= 0.5:
            drawn[row] = view.x(epoch.end)
            rows[row].append(epoch)
    return rows


def draw_epochs(rows, top, view):
    drawn = []
    for row, epoch in ((number, epoch) for number, epochs in enumerate(rows) for epoch in epochs):
        left, right = view.x(epoch.begin), view.x(epoch.end)
        title = f"{epoch.kind} {epoch.what}: {(epoch.end - epoch.begin) / 1000:.1f} us"
        size = max(0.5, right - left - 0.3), EPOCH
        drawn.append(rectangle(left, top + BAR + 3 + row * (EPOCH + 1), size, EPOCH_COLOURS[epoch.kind], title))
    return drawn


def draw_lane(trace, top, view):
    pieces = lanes.pieces_of(trace)
    drawn = [words(LEFT - 8, top + 14, f"rank {trace.rank}", "end")]
    drawn += [rectangle(LEFT + column / 2, top, (number / 2, BAR), COLOURS[group], group)
              for column, number, group in runs_of(columns_of(pieces, view))]
    return drawn


def draw_arrows(waits, tops, view):
    arrows = []
    for wait in waits:
        long = wait.event.duration >= SHORTEST_ARROW * (view.end - view.begin)
        if long and wait.peer in tops and wait.rank in tops and view.begin <= wait.cause <= view.end and wait.peer != wait.rank:
            title = f"rank {wait.rank} waited {wait.event.duration / 1000:.1f} us for rank {wait.peer}"
            arrows.append(f'<path d="M{view.x(wait.cause):.1f} {tops[wait.peer] + BAR / 2} L{view.x(wait.event.end):.1f} '
                          f'{tops[wait.rank] + BAR / 2}" stroke="#222" marker-end="url(#tip)"><title>{title}</title></path>')
    return arrows


def draw_path(steps, tops, view):
    """The critical path, as a line below the lanes' upper edges."""
    return [rectangle(view.x(step.begin), tops[step.rank] - 3, (max(0.5, view.x(step.end) - view.x(step.begin)), 2), "#000",
                      f"critical path on rank {step.rank}") for step in steps
            if step.rank in tops and step.end >= view.begin and step.begin <= view.end]


def draw_axis(end, view):
    drawn = []
    ticks = max(2, view.width // 120)
    for tick in range(ticks + 1):
        time = view.begin + (view.end - view.begin) * tick / ticks
        x = view.x(time)
        drawn.append(f'<path d="M{x:.1f} {TOP - 6} V{end}" stroke="#ccc"/>')
        # There is no room for half of a label beyond the last line.
        drawn.append(words(x, TOP - 10, f"{(time - view.begin) / 1000:.6g} us", "end" if tick == ticks else "middle"))
    return drawn


def legend_of(kinds, view):
    """(left, line, name, colour) of what the colours say, in as many lines as the width needs."""
    left, line, entries = LEFT, 0, []
    for name, colour in [*COLOURS.items(), *((f"epoch: {kind}", EPOCH_COLOURS[kind]) for kind in sorted(kinds))]:
        room = 30 + 6.2 * len(name)
        if left + room > view.width and left > LEFT:
            left, line = LEFT, line + 1
        entries.append((left, line, name, colour))
        left += room
    return entries


def draw_legend(top, entries):
    return [part for left, line, name, colour in entries
            for part in (rectangle(left, top + 16 * line, (10, 10), colour), words(left + 14, top + 9 + 16 * line, name))]


def lanes_of(traces, view, number):
    """Per rank a word of so many letters, one per column: what took most of it, as its first letter; p for puts too, a dot outside."""
    letters = {lanes.OUTSIDE: ".", "synchronisation": "s"}
    scale = number / max(1, view.end - view.begin)
    found = {rank: columns_of(lanes.pieces_of(traces[rank]), view, scale) for rank in sorted(traces)[:MOST_RANKS]}
    return {str(rank): "".join(letters.get(columns.get(i, lanes.OUTSIDE), columns.get(i, ".")[0]) for i in range(number))
            for rank, columns in found.items()}


def what_is_cut(traces):
    """Sentences about ranks that have no lane."""
    return [f"the timeline shows the first {MOST_RANKS} of {len(traces)} ranks"] if len(traces) > MOST_RANKS else []


def picture(traces, waits, steps, view):
    """The whole file, and sentences about what is not in it."""
    shown = sorted(traces)[:MOST_RANKS]
    rows = {rank: rows_of(epochs_of(traces[rank]), view) for rank in shown}
    most = max(len(some) for some in rows.values())
    missing = sum(len(epochs) for some in rows.values() for epochs in some[MOST_ROWS:])
    said = what_is_cut(traces) + ([f"{missing} epochs are not drawn: more than {MOST_ROWS} are open at a time"] if missing else [])
    rows = {rank: some[:MOST_ROWS] for rank, some in rows.items()}
    lane = BAR + MARGIN + (EPOCH + 1) * min(max(most, FEWEST_ROWS), MOST_ROWS)
    tops = {rank: TOP + lane * i for i, rank in enumerate(shown)}
    entries = legend_of({epoch.kind for some in rows.values() for epochs in some for epoch in epochs}, view)
    lanes_end = TOP + lane * len(shown)
    height = lanes_end + BOTTOM + 16 * entries[-1][1]
    body = draw_axis(lanes_end, view) + [words(8, 12 + 12 * line, sentence) for line, sentence in enumerate(said)]
    for rank in shown:
        body += draw_lane(traces[rank], tops[rank], view) + draw_epochs(rows[rank], tops[rank], view)
    body += draw_path(steps, tops, view) + draw_arrows(waits, tops, view) + draw_legend(lanes_end + BOTTOM - 26, entries)
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{view.width}" height="{height}" font-family="sans-serif" '
            'font-size="11" fill="#222">')
    tip = ('<defs><marker id="tip" markerWidth="7" markerHeight="6" refX="6" refY="3" orient="auto">'
           '<path d="M0 0 L7 3 L0 6 z"/></marker></defs>')
    return "\n".join([head, tip, f'<rect width="{view.width}" height="{height}" fill="#fff"/>', *body, "</svg>", ""]), said
