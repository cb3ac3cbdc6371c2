#!/usr/bin/env python3
"""Puts measured tables into the files of docs/results, so that no number is typed.

performance.py fill RESULTS   writes the tables of RESULTS/drop_in.json (./go bench rma), RESULTS/apps.json (./go bench apps),
                              RESULTS/ranking.json (./go bench ranking) and RESULTS/programs.json (tests/mpi_rma/programs.py), as far as
                              they are there, into the files of their subjects, docs/results/SUBJECT-DATE.txt, and the ranking's table
                              into docs/apps.md; changes the date in their names and in the links of all pages; and
                              copies their pictures to docs/pictures. A part that was not measured stays as it was, and so do the apps
                              where other programs ran on the machine
performance.py check          every subject has a file, every file says when, where and by which command it was measured and is in
                              docs/results.md, and docs/performance.md is short and repeats the numbers of these files; last line:
                              N passed, N failed, N skipped

A file has a title, the lines of HEAD, and what a reader must know. The last part of a file that `fill` writes begins with the line TABLES.

SPDX-License-Identifier: BSD-3-Clause
"""
import json
import pathlib
import re
import shutil
import sys

import outcomes
from readme import PAGES, ROOT

sys.path[:0] = [str(ROOT / "tests" / "bench" / "library"), str(ROOT / "apps" / "common")]
import drop_in_tables as tables  # noqa: E402
import placing  # noqa: E402
import summary  # noqa: E402

FOLDER = ROOT / "docs" / "results"
INDEX = ROOT / "docs" / "results.md"
PAGE = ROOT / "docs" / "performance.md"
PICTURES = ROOT / "docs" / "pictures"
MOST_WORDS = 1500  # of PAGE
HEAD = ("measured", "machine", "MPI", "command")
TABLES = "---- written by scripts/performance.py fill ----"
# By subject: the part of drop_in.json, and its tables.
DROP_IN = {"mpi-calls": ("calls", (tables.calls_table, tables.interposition_table)), "mpi-crowded": ("crowded", (tables.crowded_table,)),
           "mpi-hosts": ("hosts", (tables.hosts_table,)), "mpi-windows": ("windows", (tables.windows_table,)),
           "mpi-halo": ("halo", (tables.halo_table,))}
DRAWN = {"rma_calls.png": "mpi-calls", "rma_windows.png": "mpi-windows", "rma_halo.png": "mpi-halo"}
APPS = ("hashtable", "sparse", "fft", "lattice")
PROGRAMS = "mpi-programs"
RANKING = "apps"
SUBJECTS = (*DROP_IN, *APPS, RANKING, PROGRAMS)
RANKED = re.compile(r"(<!-- measured: ranking -->\n)(.*?)(<!-- /measured -->)", re.S)
DATE = re.compile(r"\d{4}-\d\d-\d\d")
LINK = re.compile(r"\]\((results/[\w-]+\.txt)\)")
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


def files_of(subject):
    return sorted(path for path in FOLDER.glob(f"{subject}-*.txt") if DATE.fullmatch(path.stem.removeprefix(f"{subject}-")))


def head_of(text):
    """The values of the head's lines."""
    return dict(re.findall(rf"^({'|'.join(HEAD)}) +(\S.*)$", text.split("\n\n")[1], re.M))


def blocks_of(several):
    """Tables with their titles and notes, as text."""
    return "\n\n".join("\n".join([f"{title}:", *notes, "", tables.as_text(head, rows)]) for title, head, rows, notes in several)


def keep(subject, date, machine, mpi, several):
    """Writes new tables into the file of a subject, with their date and machine, and leaves its title, command and explanations."""
    [old] = files_of(subject)
    text = old.read_text().split(TABLES)[0]
    for key, value in zip(HEAD, (date, machine, mpi)):
        text = re.sub(rf"^({key} {{2,}}).*$", lambda found, value=value: found[1] + value, text, count=1, flags=re.M)
    old.unlink()
    new = FOLDER / f"{subject}-{date}.txt"
    new.write_text(f"{text}{TABLES}\n\n{blocks_of(several)}\n")
    for page in PAGES:
        if old.stem in page.read_text():
            page.write_text(page.read_text().replace(old.stem, new.stem))


def fill_drop_in(results):
    """What ./go bench rma has measured."""
    found = json.loads((results / "drop_in.json").read_text())
    first = next(iter(found["mpis"].values()))
    launches = 1 + max((one.get("launch", 0) for part in ("calls", "halo", "crowded", "hosts") for one in found[part]), default=0)
    machine = f"{first['cpu']}, {first['cores']} cores, {' '.join(first['kernel'].split()[:2])}; {launches} launches"
    for subject, (part, makers) in DROP_IN.items():
        if found.get(part):
            mpis = ", ".join(tables.in_order(one["mpi"] for one in found[part]))
            keep(subject, first["date"][:10], machine, mpis, [make(found) for make in makers])
    for name, subject in DRAWN.items():
        if found.get(DROP_IN[subject][0]) and (results / name).exists():
            shutil.copy(results / name, PICTURES / name)


def app_table(name, report):
    head, rows = summary.table_of(name, report)
    return summary.title_of(report), ["variant", *head[1:]], rows, []


def fill_apps(results):
    """What ./go bench apps has measured on a quiet machine."""
    found = json.loads((results / "apps.json").read_text())
    if not found["quiet"]:
        print(f"The apps are left as they were: other programs used {found['others']:.0%} of the machine when they were measured.")
        return
    for name in APPS:
        sweeps = [case["sweep"] for case in found["cases"] if case["app"] == name]
        if not sweeps:
            continue
        several = [app_table(name, report) for sweep in sweeps for report in summary.shown(name, sweep)]
        *machine, mpi, date = summary.machine_of(sweeps[0][0]["environment"]).split(", ")
        keep(name, date, ", ".join(machine), mpi, several)
        picture = results / "apps" / f"{name}.png"
        if picture.exists():
            shutil.copy(picture, PICTURES / f"app_{name}.png")


def fill_ranking(results):
    """What ./go bench ranking has measured on a quiet machine: its file, its picture, and the table of docs/apps.md."""
    found = json.loads((results / "ranking.json").read_text())
    if not files_of(RANKING):
        print(f"The ranking is not published: docs/results has no {RANKING}-DATE.txt")
        return
    if not (found["quiet"] or found["realtime"]):
        print(f"The ranking is left as it was: other programs used {found['others']:.0%} of the machine when it was measured.")
        return
    head, rows = placing.short_table(found)
    first = ("Communication with p2p / this", ["app", *head[1:]], rows, [placing.verdict_of(found)])
    *machine, mpi, date = summary.machine_of(found["environment"]).split(", ")
    keep(RANKING, date, f"{', '.join(machine)}; {placing.conditions_of(found)}", mpi,
         [first, *map(placing.tables_of, found["rows"])])
    page = ROOT / "docs" / "apps.md"
    page.write_text(RANKED.sub(lambda place: place[1] + placing.in_markdown(found) + place[3], page.read_text()))
    if (results / "ranking.png").exists():
        shutil.copy(results / "ranking.png", PICTURES / "apps.png")


def program_row(row):
    """A program that is wrong or fails without the library has no times."""
    what, unit = row["program"].rsplit(", ", 1)
    if "with" not in row:
        return [what, row["ranks"], "right", "wrong, or fails", ""]
    times = [f"{tables.number(row[side])} {unit}" for side in ("with", "without")]
    low, high = row["range"]
    return [what, row["ranks"], *times, f"{row['ratio']:.2f} ({low:.2f} - {high:.2f})"]


def fill_programs(results):
    """What tests/mpi_rma/programs.py has measured."""
    found = json.loads((results / "programs.json").read_text())
    head = ["program", "ranks", "with the library", "without", "without / with"]
    rows = [program_row(row) for row in sorted(found["rows"], key=lambda row: row["program"])]
    pairs = [row["pairs"] for row in found["rows"] if "pairs" in row]
    *machine, mpi, date = found["machine"].rstrip(".").split(", ")
    keep(PROGRAMS, date, ", ".join(machine), mpi, [("Real programs", head, rows, [f"At least {min(pairs)} pairs of runs."])])


def fill(results):
    for file, fill_one in (("drop_in.json", fill_drop_in), ("apps.json", fill_apps), ("ranking.json", fill_ranking),
                           ("programs.json", fill_programs)):
        if (results / file).exists():
            fill_one(results)


def table_of(text, first):
    """The rows of the first table of a file whose heading begins with this word; no cell of it may be empty."""
    for block in text.split("\n\n"):
        rows = [re.split(r" {2,}", line.strip()) for line in block.splitlines()]
        if rows[0][0] == first and len(rows[0]) > 1:
            return rows
    return []


def table_rows():
    """The rows of the tables of docs/performance.md: the files of results that the row or, before its table, the text links to last, and
    those numbers of the row that are in none of them."""
    linked = []
    for line in PAGE.read_text().splitlines():
        links = LINK.findall(line)
        if not line.startswith("|"):
            linked = links or linked
        elif NUMBER.search(line):
            known = {number for link in links or linked for number in NUMBER.findall((PAGE.parent / link).read_text())}
            yield links or linked, [number for number in NUMBER.findall(re.sub(r"\]\([^)]*\)", "", line)) if number not in known]


def check():
    """Yields (sentence, true or false)."""
    files = sorted(FOLDER.glob("*"))
    bare = [path.name for path in files if set(head_of(path.read_text())) != set(HEAD)]
    yield f"the {len(files)} files of docs/results say {', '.join(HEAD)} {bare or ''}".strip(), files and not bare
    misnamed = [path.name for path in files if path.stem[-10:] not in head_of(path.read_text()).get("measured", "")]
    yield f"their names have their dates {misnamed or ''}".strip(), not misnamed
    wrong = [subject for subject in SUBJECTS if len(files_of(subject)) != 1 or TABLES not in files_of(subject)[0].read_text()]
    yield f"each of the {len(SUBJECTS)} measured subjects has one file, with a place for its tables {wrong or ''}".strip(), not wrong
    listed = LINK.findall(INDEX.read_text())
    unlisted = sorted({f"results/{path.name}" for path in files} ^ set(listed))
    yield f"docs/results.md lists each file {unlisted or ''}".strip(), not unlisted and len(listed) == len(set(listed))
    words = len(PAGE.read_text().split())
    yield f"docs/performance.md has {words} words, at most {MOST_WORDS}", words <= MOST_WORDS
    rows = list(table_rows())
    lacking = [f"{', '.join(files)}: {', '.join(numbers)}" for files, numbers in rows if numbers]
    yield f"the numbers of its {len(rows)} rows are in the files that they link to {lacking or ''}".strip(), rows and not lacking


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "fill":
        fill(pathlib.Path(sys.argv[2]))
        return
    if sys.argv[1:] != ["check"]:
        sys.exit(__doc__)
    outcomes.report(check())


if __name__ == "__main__":
    main()
