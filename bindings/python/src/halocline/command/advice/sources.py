"""From the addresses of calls to lines of source, by addr2line.

SPDX-License-Identifier: BSD-3-Clause
"""
import collections
import dataclasses
import os
import pathlib
import shutil
import subprocess
from collections.abc import Iterable

from halocline.command.advice.exchanges import Site


NEAR = 20  # lines between calls that are named together
MOST_FUNCTIONS = 4  # without lines


@dataclasses.dataclass(frozen=True)
class Line:
    """Where a call stands. file: empty if the program has no debugging information. module: the program or library."""
    file: str
    line: int
    function: str
    module: str

    @property
    def text(self) -> str:
        if self.file:
            return f"{shortened(self.file)}:{self.line}"
        if is_mpi4py(self.module):
            return "mpi4py"
        return f"{plain(self.function) or 'an unnamed function'} in {pathlib.Path(self.module).name}"


def is_mpi4py(module: str) -> bool:
    """Whether a library is that of mpi4py: mpi4py/MPI.*.so."""
    path = pathlib.Path(module)
    return path.name.startswith("MPI.") and path.parent.name == "mpi4py"


def plain(function: str) -> str:
    """A function's name without the types of its arguments."""
    return function.replace("(anonymous namespace)::", "").partition("(")[0]


def shortened(path: str) -> str:
    """Without steps back; relative to this folder where it lies below it."""
    path = os.path.normpath(path)
    try:
        return str(pathlib.Path(path).relative_to(pathlib.Path.cwd()))
    except ValueError:
        return path


def look_up(module: str, offsets: list[int]) -> list[Line]:
    """The lines of several addresses of a file. An address is where a call returns to: one byte before it is the call."""
    tool = shutil.which("addr2line")
    if tool is None or not pathlib.Path(module).is_file():
        return [Line("", 0, "", module) for _ in offsets]
    words = [tool, "-f", "-C", "-e", module, *(hex(offset - 1) for offset in offsets)]
    answer = subprocess.run(words, capture_output=True, text=True, check=False).stdout.splitlines()
    lines = []
    for function, place in zip(answer[::2], answer[1::2]):
        file, _, number = place.split(" ")[0].rpartition(":")
        known = file and not file.startswith("?") and number.isdecimal() and int(number) > 0
        lines.append(Line(file if known else "", int(number) if known else 0, "" if function.startswith("?") else function, module))
    if not has_symbols(module):
        extents = exported(module)
        lines = [line if line.file or covers(extents, offset - 1) else dataclasses.replace(line, function="")
                 for line, offset in zip(lines, offsets)]
    return lines + [Line("", 0, "", module) for _ in offsets[len(lines):]]


def nm(*words: str) -> str:
    """What nm says; nothing if it is not there."""
    tool = shutil.which("nm")
    return subprocess.run([tool, *words], capture_output=True, text=True, check=False).stdout if tool else ""


def has_symbols(module: str) -> bool:
    """Whether a file has the names of all its functions. Of a stripped one addr2line names the exported function before an address."""
    return bool(nm("--defined-only", module).strip())


def exported(module: str) -> list[tuple[int, int]]:
    """Where the exported functions of a file begin and end."""
    rows = [line.split() for line in nm("-D", "-S", "--defined-only", module).splitlines()]
    return [(int(row[0], 16), int(row[0], 16) + int(row[1], 16)) for row in rows if len(row) == 4 and row[2] in "TtWwi"]


def covers(extents: Iterable[tuple[int, int]], address: int) -> bool:
    return any(begin <= address < end for begin, end in extents)


def lines_of(sites: Iterable[Site]) -> dict[Site, Line]:
    by_module: dict[str, list[int]] = collections.defaultdict(list)
    for module, offset in sorted(set(sites)):
        by_module[module].append(offset)
    return {(module, offset): line for module, offsets in by_module.items() for offset, line in zip(offsets, look_up(module, offsets))}


def ranges(lines: Iterable[Line]) -> list[str]:
    """Places in words: lines of one file together, as halo.c:40-52."""
    by_file: dict[str, set[int]] = collections.defaultdict(set)
    others = []
    for line in lines:
        if line.file:
            by_file[line.file].add(line.line)
        elif line.text not in others:
            others.append(line.text)
    found = []
    for file, numbers in sorted(by_file.items()):
        parts: list[tuple[int, int]] = []
        for number in sorted(numbers):
            if parts and number - parts[-1][1] <= NEAR:
                parts[-1] = parts[-1][0], number
            else:
                parts.append((number, number))
        found.append(f"{shortened(file)}:" + ",".join(f"{first}-{last}" if last > first else f"{first}" for first, last in parts))
    more = [f"{len(others) - MOST_FUNCTIONS} more functions"] if len(others) > MOST_FUNCTIONS else []
    return found + others[:MOST_FUNCTIONS] + more
