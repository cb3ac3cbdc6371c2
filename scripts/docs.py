#!/usr/bin/env python3
"""The site, and checks of what its pages promise.

docs.py site [OUT]      builds the site into OUT (build/site if not given), with warnings as errors
docs.py links OUT       follows the links to other sites, which needs a network; what it remembers goes to OUT
docs.py names           every public name of the headers, Fortran modules and Python package has a comment; last line: N passed, N failed,
                        N skipped
docs.py code BUILD      every block of code of every page stands in a compiled file, is run, or says why not; runs the others, with what
                        BUILD installs; last line as above
docs.py check           figures that a page cites are those of the file of results that it names, all design notes are in their index; last
                        line as above
docs.py update          mends what check would find

Before a block of code stands one of these lines:
  <!-- from: FILE -->               its lines stand in FILE in this order (scripts/readme.py checks that)
  <!-- runs [with: FILE...][; makes PROGRAM: FILE...][; in the sources][; may fail] -->
                                    shell, run in the page's folder, in which the FILEs of the repository are, or in a folder
                                    of the sources with build/release; PROGRAM is made of the first of its FILEs before
  <!-- prints -->                   each line is part of what the block before has printed
  <!-- file: NAME -->               is written to NAME in the page's folder
  <!-- finding: NAME -->            tests/docs/mistakes.py compares it
  <!-- tested: FILE -->             FILE takes it from the page and runs it
  <!-- measured: NAME -->           scripts/readme.py fills it
  <!-- not run: REASON -->

SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib
import re
import shutil
import subprocess
import sys

import docs_blocks
import docs_names
import outcomes
import performance

ROOT = pathlib.Path(__file__).resolve().parent.parent
NOTES = ROOT / "docs" / "design"
SKIPPED = 77
MODULES = ("sphinx", "myst_parser", "breathe", "furo", "sphinx_copybutton")
CITED = re.compile(r"(<!-- cited: ([\w-]+) -->\n)((?:\|.*\n)+)")
ROW = re.compile(r"^\| \w+ \| \[.*?\]\((.*?)\) \|.*$", re.M)


def site(out, builder):
    """Lets Sphinx build the site; status 77, with the reason, where a tool is missing."""
    private = ROOT / ".venv" / "bin" / "python"
    python = str(private) if private.exists() else sys.executable
    found = subprocess.run([python, "-c", f"import {', '.join(MODULES)}"], stderr=subprocess.PIPE, text=True, check=False)
    if found.returncode:
        print(f"skipped: {found.stderr.splitlines()[-1]}; ./go test --all puts it into .venv")
        return SKIPPED
    if docs_names.doxygen_is_missing():
        print("skipped: there is no doxygen (Debian package doxygen)")
        return SKIPPED
    words = ["-q", "-W", "--keep-going", "-c", str(ROOT / "docs"), "-b", builder, str(ROOT), str(out)]
    status = subprocess.run([python, "-m", "sphinx", *words], check=False).returncode
    if status:
        # Or the next run would read only what has changed since, and warn of nothing else.
        shutil.rmtree(out / ".doctrees", ignore_errors=True)
    return status


def cells(row):
    return [cell.strip() for cell in row.strip().strip("|").split("|")]


def cited_table(found):
    """A table with its figures as they are in a file of docs/results: rows by their first two cells, columns by their headings."""
    heading, rule, *mine = [cells(line) for line in found[3].splitlines()]
    [file] = performance.files_of(found[2])
    columns, *lines = performance.table_of(file.read_text(), heading[0])
    rows = {tuple(line[:2]): line for line in lines}
    table = [heading, rule] + [[rows[tuple(row[:2])][columns.index(column)] for column in heading] for row in mine]
    return found[1] + "".join("| " + " | ".join(row) + " |\n" for row in table)


def with_all_notes(text):
    """The index of the design notes, with a row for each note that it lacks."""
    known = set(ROW.findall(text))
    for note in sorted(NOTES.glob("[0-9]*.md")):
        if note.name not in known:
            title = re.sub(r"^#\s*\d+:?\s*", "", note.read_text().splitlines()[0])
            last = list(ROW.finditer(text))[-1].end()
            text = f"{text[:last]}\n| {note.name[:3]} | [{title[0].upper()}{title[1:]}]({note.name}) |{text[last:]}"
    return text


def pages():
    return sorted((ROOT / "docs").rglob("*.md"))


def updated(page):
    text = CITED.sub(cited_table, page.read_text())
    return with_all_notes(text) if page == NOTES / "index.md" else text


def check():
    for page in pages():
        text = page.read_text()
        if page == NOTES / "index.md":
            missing = sorted({note.name for note in NOTES.glob("[0-9]*.md")} ^ set(ROW.findall(text)))
            yield f"the index of the design notes has each of them {missing or ''}".strip(), not missing
        elif CITED.search(text):
            yield f"figures that {page.relative_to(ROOT)} cites are those of the file that it names", updated(page) == text


def update():
    for page in pages():
        if updated(page) != page.read_text():
            page.write_text(updated(page))


def main():
    command, *rest = sys.argv[1:] or [""]
    if command == "site" and len(rest) <= 1:
        sys.exit(site(pathlib.Path(rest[0]) if rest else ROOT / "build" / "site", "html"))
    elif command == "links" and len(rest) == 1:
        sys.exit(site(pathlib.Path(rest[0]), "linkcheck"))
    elif command == "names" and not rest:
        if docs_names.doxygen_is_missing():
            print("skipped: there is no doxygen (Debian package doxygen)")
            sys.exit(SKIPPED)
        outcomes.report(docs_names.check())
    elif command == "code" and len(rest) == 1:
        sys.exit(docs_blocks.run_all(pathlib.Path(rest[0]).resolve()))
    elif command == "check" and not rest:
        outcomes.report(check())
    elif command == "update" and not rest:
        update()
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
