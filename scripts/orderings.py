#!/usr/bin/env python3
"""Keeps tests/models/orderings.md true: its rows are the SYNC comments of the sources, its column "ends" the functions in which they stand.

orderings.py fill    writes that column anew
orderings.py check   every SYNC comment has a row, every row its comments at both ends, and the column is what `fill` would write;
                     last line: N passed, N failed, N skipped

A comment reads `// SYNC NAME (pairs with ...): ...`. A row whose ends begin with "MPI: " is of an ordering that MPI itself makes.

SPDX-License-Identifier: BSD-3-Clause
"""
import collections
import pathlib
import re
import sys

import outcomes

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "tests" / "models" / "orderings.md"
FOLDERS = ("src", "bindings/python/src/_core")
SYNC = re.compile(r"// SYNC (.*)")
NAME = re.compile(r"\b([a-z]+(?:-[a-z]+)+)(?= \(pair|, [a-z-]+ \(pair|$)")
# The beginning of a function or a class in the layout that clang-format gives the sources.
FUNCTION = re.compile(r"^( *)(?! )(?:(?!return |else |case )[\w:<>,&*~ \[\]]*[\w>&*\]] [*&]?([\w:~]+)|(?!std::)(\w+::~?\w+))\(.*[^;]$")
CLASS = re.compile(r"^( *)(?:class|struct) (\w+)")


def place_of(lines, number):
    """The function around a line, or right behind it, with its class; '' if none can be told."""
    for line in lines[number:number + 3] + lines[number::-1]:
        found = FUNCTION.match(line)
        if found and len(found[1]) <= 2:
            return owner_of(lines, number, found[1]) + (found[2] or found[3])
    return ""


def owner_of(lines, number, indent):
    """The class in whose body functions with such an indent stand."""
    around = (CLASS.match(line) for line in lines[number::-1])
    return next((f"{found[2]}::" for found in around if found and len(found[1]) + 2 == len(indent)), "")


def read_sources():
    """By name: the ends, each a function and its file; and how many comments there are, one that pairs with itself counted twice."""
    ends, counts = collections.defaultdict(list), collections.Counter()
    for file in sorted(file for folder in FOLDERS for file in (ROOT / folder).rglob("*.[ch]pp")):
        lines = file.read_text().splitlines()
        for number, line in enumerate(lines):
            found = SYNC.search(line)
            place = place_of(lines, number) if found else ""
            for name in NAME.findall(found[1]) if found else []:
                counts[name] += 2 if "with itself" in found[1] else 1
                ends[name].append(f"`{place}` ({file.name})" if place else file.name)
    return ends, counts


def rows(text):
    """The cells of the table's rows, each with its line."""
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if line.startswith("| ") and len(cells) == 4 and cells[0] != "name":
            yield line, cells


def filled(text, ends):
    for line, cells in rows(text):
        if not cells[1].startswith("MPI: "):
            cells[1] = "; ".join(dict.fromkeys(end for name in cells[0].split(", ") for end in ends.get(name, [])))
            text = text.replace(line, "| " + " | ".join(cells) + " |")
    return text


def check(text, ends, counts):
    """Yields (sentence, true or false)."""
    listed = [name for _, cells in rows(text) for name in cells[0].split(", ") if name in ends or not cells[1].startswith("MPI: ")]
    missing = sorted(set(ends) - set(listed))
    yield f"every SYNC comment has a row {missing or ''}".strip(), not missing
    bare = [name for name in listed if not ends.get(name)]
    yield f"every row has a SYNC comment {bare or ''}".strip(), not bare
    single = [name for name in listed if counts[name] == 1]
    yield f"every ordering has two ends {single or ''}".strip(), not single
    yield "the ends are those of the sources (scripts/orderings.py fill)", filled(text, ends) == text


def main():
    if sys.argv[1:] not in (["fill"], ["check"]):
        sys.exit(__doc__)
    ends, counts = read_sources()
    text = PAGE.read_text()
    if sys.argv[1] == "fill":
        PAGE.write_text(filled(text, ends))
        return
    outcomes.report(check(text, ends, counts))


if __name__ == "__main__":
    main()
