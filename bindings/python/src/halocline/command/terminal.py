"""The same pictures as text, for a terminal.

SPDX-License-Identifier: BSD-3-Clause
"""
import math
from collections.abc import Callable, Iterable, Sequence

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from halocline.command import words
from halocline.command.card import Card
from halocline.command.words import Json

COLOURS = ("cyan", "red", "yellow", "green", "magenta", "blue", "bright_cyan", "bright_red", "bright_yellow", "bright_green", "white")
# By the letters of halocline-trace: what a rank did, how it is drawn without colours, and the colour.
LANES = {".": ("outside the library", "·", "bright_black"), "w": ("wait", "░", "red"), "p": ("pack, put", "▄", "blue"),
         "u": ("unpack", "█", "green"), "c": ("copy", "█", "green"), "s": ("synchronisation", "▒", "yellow"), "o": ("other", "▓", "white")}


def console(record: bool = False) -> Console:
    return Console(highlight=False, record=record)


def bar(value: float, most: float, width: int) -> str:
    """A bar with eighths of a character."""
    eighths = round(8 * width * value / most) if most > 0 else 0
    return "█" * (eighths // 8) + ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")[eighths % 8]


def modes(result: Json, width: int = 18) -> RenderableType:
    """Time per swap by mode, the fastest first, with spread and distance to the physical limit."""
    rows = sorted(result["modes"].items(), key=lambda item: float(item[1]["median_us"]))
    medians = [float(row["median_us"]) for _, row in rows]
    logarithmic = words.needs_logarithm(medians)

    def length(median: float) -> float:
        """Of a bar; with a logarithm the shortest one still has a tenth of the width."""
        return math.log(median / min(medians)) + math.log(max(medians) / min(medians)) / 9 if logarithmic else median

    most = length(max(medians))
    title = f"One swap by mode{', bars logarithmic' if logarithmic else ''}"
    table = Table(box=None, pad_edge=False, title=title, title_justify="left", title_style="bold")
    for name in ("mode", ""):
        table.add_column(name, no_wrap=True)
    for name in ("median", "p10 – p90", "vs p2p", "limit"):
        table.add_column(name, justify="right", no_wrap=True)
    for name, row in rows:
        table.add_row(name, Text(bar(length(float(row["median_us"])), most, width), style="cyan"), words.time_of(row["median_us"]),
                      words.spread_of(row["p10_us"], row["p90_us"]), f"{row['ratio_to_p2p']:.2f}×",
                      f"{row['median_us'] / result['limit']['limit_us']:.1f}×")
    return table


class Canvas:
    """Points on two logarithmic axes, as characters."""

    def __init__(self, x: Iterable[float], y: Iterable[float], size: tuple[int, int] = (64, 16)) -> None:
        self.columns, self.rows = size
        self.x, self.y = self.range_of(x), self.range_of(y)
        self.cells = [[(" ", "")] * self.columns for _ in range(self.rows)]

    @staticmethod
    def range_of(values: Iterable[float]) -> tuple[float, float]:
        logs = [math.log2(value) for value in values if value > 0]
        return (min(logs), max(*logs, min(logs) + 1)) if logs else (0.0, 1.0)

    def place(self, x: float, y: float) -> tuple[int, int]:
        column = round((math.log2(x) - self.x[0]) / (self.x[1] - self.x[0]) * (self.columns - 1))
        row = round((math.log2(y) - self.y[0]) / (self.y[1] - self.y[0]) * (self.rows - 1))
        return min(max(column, 0), self.columns - 1), self.rows - 1 - min(max(row, 0), self.rows - 1)

    def put(self, x: float, y: float, sign: str, style: str) -> None:
        if x > 0 and y > 0:
            column, row = self.place(x, y)
            self.cells[row][column] = (sign, style)

    def line(self, points: Sequence[tuple[float, float]], style: str) -> None:
        """Dots between the points, straight on these axes."""
        for (x0, y0), (x1, y1) in zip(points, points[1:]):
            steps = max(2, abs(self.place(x1, y1)[0] - self.place(x0, y0)[0]))
            for i in range(steps + 1):
                self.put(x0 * (x1 / x0) ** (i / steps), y0 * (y1 / y0) ** (i / steps), "·", style)

    def text(self, left: Sequence[str], below: str) -> Text:
        """left: labels of the highest and the lowest row."""
        room = max(map(len, left))
        labels = [left[0], *[""] * (self.rows - 2), left[1]]
        drawn = Text()
        for label, row in zip(labels, self.cells):
            drawn.append(f"{label:>{room}} │", style="bright_black")
            for sign, style in row:
                drawn.append(sign, style=style)
            drawn.append("\n")
        drawn.append(" " * room + " └" + "─" * self.columns + "\n" + " " * (room + 2) + below, style="bright_black")
        return drawn


def gigabytes_per_second(value: float) -> str:
    return f"{words.significant(value)} GB/s"


def curve_panel(title: str, unit: str, series: dict[str, list[tuple[float, float, float]]], switches: dict[str, list[float]],
                figure: Callable[[float], str] = words.time_of) -> RenderableType:
    """series: by contender, points of x, measured and fitted values, which figure() puts into words. switches: by contender, in bytes."""
    points = [point for some in series.values() for point in some]
    canvas = Canvas([x for x, _, _ in points], [y for _, y, _ in points])
    legend = Text("  ")
    for (name, some), colour in zip(series.items(), COLOURS * len(series)):
        canvas.line([(x, fitted) for x, _, fitted in some if fitted > 0], colour)
        for x, measured, _ in some:
            canvas.put(x, measured, "×", colour)
        at = ", ".join(map(words.bytes_of, switches.get(name, [])))
        legend.append(f"× {name}{f' (switches at {at})' if at else ''}   ", style=colour)
    low, high = 2 ** canvas.y[0], 2 ** canvas.y[1]
    label = words.bytes_of if unit == "bytes" else words.significant
    below = f"{label(2 ** canvas.x[0])} … {label(2 ** canvas.x[1])}  ({unit}; ×: measured, ·: fitted)"
    return Group(Text(title, style="bold"), canvas.text((figure(high), figure(low)), below), legend)


def winners(rows: list[list[str]], sizes: list[float], neighbours: Sequence[int]) -> RenderableType:
    """The fastest mode over bytes and neighbours, a colour per mode."""
    names = sorted({name for row in rows for name in row})
    colours = dict(zip(names, COLOURS))
    letters = dict(zip(names, "ABCDEFGHIJKLMNOP"))
    drawn = Text("Fastest mode, predicted\n", style="bold")
    for count, row in reversed(list(zip(neighbours, rows))):
        drawn.append(f"{count:>12} ", style="bright_black")
        for name in row:
            drawn.append(2 * letters[name], style=f"{colours[name]} reverse")
        drawn.append("\n")
    drawn.append(f"{'neighbours':>12} {words.bytes_of(sizes[0])} … {words.bytes_of(sizes[-1])}\n", style="bright_black")
    for name in names:
        drawn.append(f"  {letters[name]} {name}", style=colours[name])
    return drawn


def matrix(ranks: list[int], rows: list[list[float]]) -> RenderableType:
    """Bytes from the rank of the row to that of the column."""
    table = Table(box=None)
    table.add_column("", justify="right")
    for rank in ranks:
        table.add_column(str(rank), justify="right")
    most = max((value for row in rows for value in row), default=0) or 1
    for rank, row in zip(ranks, rows):
        table.add_row(str(rank), *(Text(words.bytes_of(value) if value else "–", style="bold cyan" if value > most / 2 else "cyan")
                                   for value in row))
    return Group(Text("Bytes between ranks, from row to column", style="bold"), table)


def lanes(found: Json) -> RenderableType:
    """What each rank did at each moment."""
    drawn = Text(f"Timeline of {words.time_of(found['lanes_us'])}\n", style="bold")
    for rank, letters in found["lanes"].items():
        drawn.append(f"{'rank ' + rank:>10} ")
        for letter in letters:
            _, sign, colour = LANES.get(letter, LANES["o"])
            drawn.append(sign, style=colour)
        drawn.append("\n")
    if len(found["lanes"]) < len(found["ranks"]):
        drawn.append(f"  the first {len(found['lanes'])} of {len(found['ranks'])} ranks\n")
    for name, sign, colour in LANES.values():
        drawn.append(f"  {sign} {name}", style=colour)
    return drawn


def card_summary(card: Card) -> RenderableType:
    """The curves of a card in words."""
    table = Table(title=f"Machine card: {card.source}", title_justify="left", title_style="bold", box=None)
    for name in ("operation", "by", "nodes", "cost", "typical error"):
        table.add_column(name)
    for curve in card.curves:
        table.add_row(curve.operation, curve.by, str(curve.nodes), curve.formula, words.error_of(curve.typical_error))
    return table
