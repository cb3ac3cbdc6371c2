#!/usr/bin/env python3
"""Puts measured tables into docs/performance.md, so that no number is typed.

performance.py fill RESULTS   writes the tables of RESULTS/drop_in.json (./go bench rma), RESULTS/apps.json (./go bench apps) and
                              RESULTS/programs.json (tests/mpi_rma/programs.py), as far as they are there, into the places marked
                              "measured", and copies their pictures to docs/pictures; a part that was not measured stays as it was, and so
                              do the apps where other programs ran on the machine
performance.py check          every place has a table, and every table has a place; last line: N passed, N failed, N skipped

SPDX-License-Identifier: BSD-3-Clause
"""
import json
import pathlib
import shutil
import sys

import outcomes
from readme import MEASURED, ROOT

sys.path[:0] = [str(ROOT / "tools" / "bench"), str(ROOT / "apps" / "common")]
import drop_in_tables as tables  # noqa: E402
import summary  # noqa: E402

PAGE = ROOT / "docs" / "performance.md"
PLACES = {"rma_calls": tables.calls_table, "rma_interposition": tables.interposition_table, "rma_crowded": tables.crowded_table,
          "rma_hosts": tables.hosts_table, "rma_windows": tables.windows_table, "rma_halo": tables.halo_table}
PART_OF = {"rma_interposition": "calls"}
APPS = {f"app_{name}": name for name in ("hashtable", "sparse", "fft", "lattice")}
PROGRAMS = "rma_programs"
PICTURES = ("rma_calls.png", "rma_windows.png", "rma_halo.png")


def machine_of(found):
    """One sentence about where the numbers are from."""
    environments = list(found["mpis"].values())
    first = environments[0]
    machine = ", ".join([first["cpu"], f"{first['cores']} cores", " ".join(first["kernel"].split()[:2]), *found["mpis"]])
    launches = 1 + max((one.get("launch", 0) for part in ("calls", "halo", "crowded", "hosts") for one in found[part]), default=0)
    return f"{machine}, {launches} launches, {first['date'][:10]}."


def filled(place, found, pictures):
    """The text of a place, or None if its part was not measured."""
    part = PART_OF.get(place, place.removeprefix("rma_"))
    if not found.get(part):
        return None
    _, head, rows, notes = PLACES[place](found)
    picture = f"![{place}](pictures/{place}.png)\n\n" if f"{place}.png" in pictures else ""
    return "\n".join([machine_of(found), "", *notes, *([""] if notes else []), f"{picture}{tables.as_markdown(head, rows)}", ""])


def drop_in_texts(results):
    """The texts of the places that ./go bench rma fills, as far as they were measured."""
    found = json.loads((results / "drop_in.json").read_text())
    pictures = [name for name in PICTURES if (results / name).exists()]
    for name in pictures:
        shutil.copy(results / name, ROOT / "docs" / "pictures" / name)
    texts = {place: filled(place, found, pictures) for place in PLACES}
    return {place: text for place, text in texts.items() if text is not None}


def app_text(place, cases, results):
    """The tables and the picture of an app."""
    name = APPS[place]
    lines = [f"{summary.machine_of(cases[0]['sweep'][0]['environment'])}.", ""]
    picture = results / "apps" / f"{name}.png"
    if picture.exists():
        shutil.copy(picture, ROOT / "docs" / "pictures" / f"{place}.png")
        lines += [f"![{name}](pictures/{place}.png)", ""]
    for case in cases:
        for report in summary.shown(name, case["sweep"]):
            lines += [f"{summary.title_of(report)}:", "", tables.as_markdown(*summary.table_of(name, report)), ""]
    return "\n".join(lines)


def app_texts(results):
    """The texts of the places that ./go bench apps fills, as far as they were measured on a quiet machine."""
    found = json.loads((results / "apps.json").read_text())
    if not found["quiet"]:
        print(f"The apps are left as they were: other programs used {found['others']:.0%} of the machine when they were measured.")
        return {}
    cases = {place: [case for case in found["cases"] if case["app"] == name] for place, name in APPS.items()}
    return {place: app_text(place, some, results) for place, some in cases.items() if some}


def program_row(row):
    """A program that is wrong or fails without the library has no times."""
    what, unit = row["program"].rsplit(", ", 1)
    if "with" not in row:
        return [what, row["ranks"], "right", "wrong, or fails", ""]
    times = [f"{tables.number(row[side])} {unit}" for side in ("with", "without")]
    low, high = row["range"]
    return [what, row["ranks"], *times, f"{row['ratio']:.2f} ({low:.2f} - {high:.2f})"]


def program_texts(results):
    """The text of the place that tests/mpi_rma/programs.py fills."""
    found = json.loads((results / "programs.json").read_text())
    head = ["program", "ranks", "with the library", "without", "without / with"]
    rows = [program_row(row) for row in sorted(found["rows"], key=lambda row: row["program"])]
    pairs = [row["pairs"] for row in found["rows"] if "pairs" in row]
    return {PROGRAMS: f"{found['machine']} At least {min(pairs)} pairs of runs.\n\n{tables.as_markdown(head, rows)}\n"}


def fill(results):
    texts = {}
    for file, texts_of in (("drop_in.json", drop_in_texts), ("apps.json", app_texts), ("programs.json", program_texts)):
        if (results / file).exists():
            texts |= texts_of(results)
    PAGE.write_text(MEASURED.sub(lambda place: place[1] + texts[place[2]] + place[4] if place[2] in texts else place[0], PAGE.read_text()))


def check():
    """Yields (sentence, true or false)."""
    places = [place[1] for place in MEASURED.findall(PAGE.read_text())]
    tables_ = {*PLACES, *APPS, PROGRAMS}
    yield f"the {len(places)} measured places of performance.md have tables", set(places) <= tables_ and len(places) == len(set(places))
    yield f"the {len(tables_)} tables have places", tables_ <= set(places)


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "fill":
        fill(pathlib.Path(sys.argv[2]))
        return
    if sys.argv[1:] != ["check"]:
        sys.exit(__doc__)
    outcomes.report(check())


if __name__ == "__main__":
    main()
