#!/usr/bin/env python3
"""Puts measured tables into docs/performance.md, so that no number is typed.

performance.py fill RESULTS   writes the tables of RESULTS/drop_in.json (./go bench rma) into the places marked "measured", and copies its
                              pictures to docs/pictures; a part that was not measured stays as it was
performance.py check          every place has a table, and every table has a place; last line: N passed, N failed, N skipped

SPDX-License-Identifier: BSD-3-Clause
"""
import json
import pathlib
import shutil
import sys

import outcomes
from readme import MEASURED, ROOT

sys.path.insert(0, str(ROOT / "tools" / "bench"))
import drop_in_tables as tables  # noqa: E402

PAGE = ROOT / "docs" / "performance.md"
PLACES = {"rma_calls": tables.calls_table, "rma_interposition": tables.interposition_table, "rma_crowded": tables.crowded_table,
          "rma_windows": tables.windows_table, "rma_halo": tables.halo_table}
PART_OF = {"rma_interposition": "calls"}
PICTURES = ("rma_calls.png", "rma_windows.png", "rma_halo.png")


def machine_of(found):
    """One sentence about where the numbers are from."""
    environments = list(found["mpis"].values())
    first = environments[0]
    machine = ", ".join([first["cpu"], f"{first['cores']} cores", " ".join(first["kernel"].split()[:2]), *found["mpis"]])
    launches = 1 + max((one.get("launch", 0) for part in ("calls", "halo", "crowded") for one in found[part]), default=0)
    return f"{machine}, {launches} launches, {first['date'][:10]}."


def filled(place, found, pictures):
    """The text of a place, or None if its part was not measured."""
    part = PART_OF.get(place, place.removeprefix("rma_"))
    if not found[part]:
        return None
    _, head, rows, notes = PLACES[place](found)
    picture = f"![{place}](pictures/{place}.png)\n\n" if f"{place}.png" in pictures else ""
    return "\n".join([machine_of(found), "", *notes, *([""] if notes else []), f"{picture}{tables.as_markdown(head, rows)}", ""])


def fill(results):
    found = json.loads((results / "drop_in.json").read_text())
    pictures = [name for name in PICTURES if (results / name).exists()]
    for name in pictures:
        shutil.copy(results / name, ROOT / "docs" / "pictures" / name)

    def replaced(place):
        text = filled(place[2], found, pictures) if place[2] in PLACES else None
        return place[0] if text is None else place[1] + text + place[4]

    PAGE.write_text(MEASURED.sub(replaced, PAGE.read_text()))


def check():
    """Yields (sentence, true or false)."""
    places = [place[1] for place in MEASURED.findall(PAGE.read_text())]
    yield f"the {len(places)} measured places of performance.md have tables", set(places) <= set(PLACES) and len(places) == len(set(places))
    yield f"the {len(PLACES)} tables have places", set(PLACES) <= set(places)


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "fill":
        fill(pathlib.Path(sys.argv[2]))
        return
    if sys.argv[1:] != ["check"]:
        sys.exit(__doc__)
    outcomes.report(check())


if __name__ == "__main__":
    main()
