#!/usr/bin/env python3
"""Keeps the options in the manual pages (docs/man) equal to what the programs' --help says.

Usage: man_pages.py fill|check FOLDER      FOLDER: where the programs are, such as build/release/bin

A page has the options of a command between two comments: `.\\" options of PROGRAM [COMMAND]` and `.\\" end of options`. fill writes what
stands between them, for a COMMAND also what it does; check compares it. The rest of a page is written by hand. A program that is not in the
folder is skipped. check also has every page read by mandoc, where that is installed. Last line: N passed, N failed, N skipped.

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PLACE = re.compile(r'(^\.\\" options of ([^\n]+)\n)(.*?)(^\.\\" end of options\n)', re.MULTILINE | re.DOTALL)


def help_of(folder, command):
    program, *rest = command.split()
    result = subprocess.run([folder / program, *rest, "--help"], stdout=subprocess.PIPE, text=True, check=True, timeout=60,
                            env={**os.environ, "COLUMNS": "100"})
    # A command that hands its options on shows those of the native program, too, which have a page of their own.
    return re.split(r"^options of \S+.* (?:handed on|not installed).*:$", result.stdout, flags=re.MULTILINE)[0]


def options_in(text):
    """Pairs of an option as it is written, and what it does: `  --name VALUE  text`, or the text below, further to the right. So do the
    positional arguments of a program in Python stand."""
    options, open_option, beginning = [], False, "-"
    for line in text.splitlines():
        if line.endswith(":") and not line.startswith(" "):
            beginning = r"\S" if line == "positional arguments:" else "-"
        entry = re.match(rf"  ({beginning}\S.*?)(?:\s{{2,}}(\S.*))?$", line)
        # CLI11 leaves one space behind an option that just fits.
        entry = re.match(r"  (-\S+ [A-Z]+:\S+) ([A-Z][a-z]+ .*)$", line) or entry
        more = re.match(r"\s{4,}(\S.*)$", line)
        if entry:
            # Before Python 3.13 the metavariable stands twice: -o DIR, --output DIR.
            options.append((re.sub(r"^(-\w) \S+, (--\S+ \S+)$", r"\1, \2", entry[1]), [entry[2] or ""]))
        elif more and open_option:
            options[-1][1].append(more[1])
        open_option = bool(entry or (more and open_option))
    return [(name, " ".join(filter(None, words))) for name, words in options]


def description_in(text):
    """The first paragraph, which stands above the usage, or below it in a program in Python."""
    paragraphs = text.split("\n\n")
    return (paragraphs[1] if text.startswith("usage:") else text.partition("\nUsage:")[0].split("\n\n")[0]).replace("\n", " ")


def roff(text):
    """Plain text for a line of a page: backslashes and leading dots mean something there, and hyphens are to be copied as such."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text.startswith((".", "'")) else text


def lines_of(options):
    return "".join(f".TP\n.B {roff(name)}\n{roff(text or 'No more is said.')}\n" for name, text in options)


def section_of(command, text):
    """What stands between the two comments: for a command of a program its description, then the options."""
    description = description_in(text) if " " in command else ""
    return (roff(description) + "\n" if description else "") + lines_of(options_in(text))


class Page:
    """A manual page, and the places in it that --help fills."""

    def __init__(self, path, folder):
        self.path, self.folder = path, folder
        self.text = path.read_text()
        self.commands = [place[2] for place in PLACE.finditer(self.text)]

    def can_be_filled(self):
        return all((self.folder / command.split()[0]).exists() for command in self.commands)

    def filled(self):
        return PLACE.sub(lambda place: place[1] + section_of(place[2], help_of(self.folder, place[2])) + place[4], self.text)

    def commands_missing(self):
        """Subcommands that --help lists and that have no place in the page."""
        text = help_of(self.folder, self.commands[0]) if self.commands else ""
        listed = "".join(re.split(r"\n(?:Subcommands|commands):\n", text)[1:])
        program = self.commands[0].split()[0] if self.commands else ""
        return [name for name in re.findall(r"^ {2,4}([a-z]\S*)", listed, re.MULTILINE) if f"{program} {name}" not in self.commands]

    def faults(self):
        found = [f"the command {name} has no section" for name in self.commands_missing()]
        if self.filled() != self.text:
            found.append(f"its options are not those of --help: scripts/man_pages.py fill {self.folder}")
        if shutil.which("mandoc"):
            text = re.sub(r"@\w+@", "2026-01-01", self.text)
            result = subprocess.run(["mandoc", "-T", "lint", "-W", "warning"], input=text, stdout=subprocess.PIPE, text=True)
            found += result.stdout.splitlines()
        return found


def check(pages):
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for page in pages:
        if not page.can_be_filled():
            print(f"skipped: {page.path.name}: the program is not part of this build")
            counts["skipped"] += 1
            continue
        faults = page.faults()
        print(*(f"{page.path.name}: {fault}" for fault in faults), sep="\n", end="\n" if faults else "")
        counts["failed" if faults else "passed"] += 1
    print("{passed} passed, {failed} failed, {skipped} skipped".format(**counts))
    return 1 if counts["failed"] or not counts["passed"] else 0


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in ("fill", "check"):
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[2]).absolute()
    pages = [Page(path, folder) for path in sorted((ROOT / "docs" / "man").glob("*.in"))]
    if sys.argv[1] == "check":
        return check(pages)
    for page in pages:
        if page.can_be_filled():
            page.path.write_text(page.filled())
    return 0


if __name__ == "__main__":
    sys.exit(main())
