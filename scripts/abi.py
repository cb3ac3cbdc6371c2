#!/usr/bin/env python3
"""Compares the symbols that libraries export with the lists in abi/, so that none goes or comes unnoticed.

Usage: abi.py check|update LIBRARY...

abi/NAME.symbols has the soname of the library, then a line per symbol with the version of the project that brought it. A line that begins
with "?" is a symbol that depends on the MPI or on the compiler: it may be missing. check: names what differs; last line
N passed, N failed, N skipped. update: writes the lists anew. Symbols that are there for the first time get the project's version, optional
ones are kept. What went from a released version needs a new soname: HALOCLINE_SOVERSION in CMakeLists.txt.

SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEAD = "# Exported symbols, each with the version that brought it. Written by scripts/abi.py update; docs/packages.md says when and how."
HOW = "If that is intended: cmake --build BUILD --target update_abi, and commit abi/ (abi/README.md)."


def project_version():
    return re.search(r"^project\(halocline VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE)[1]


def output_of(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def exported(library):
    """The soname, and the names of all dynamic symbols that the library defines."""
    soname = re.search(r"SONAME.*\[(.*)\]", output_of("readelf", "-d", library))
    names = {line.split()[-1] for line in output_of("nm", "-D", "--defined-only", library).splitlines()}
    return soname[1] if soname else "none", names


class Symbols:
    """A list of abi/: the soname, and per symbol its version and whether it may be missing."""

    def __init__(self, path):
        self.path = path
        self.soname = None
        self.since = {}
        self.optional = set()
        for line in path.read_text().splitlines() if path.exists() else []:
            if line.startswith("soname "):
                self.soname = line.split()[1]
            elif line.startswith((" ", "?")):
                name, version = line[1:].split()
                self.since[name] = version
                self.optional |= {name} if line[0] == "?" else set()

    def faults(self, soname, names):
        """Sentences about what differs from a library's."""
        found = [f"{name} is missing" for name in sorted(self.since.keys() - names - self.optional)]
        found += [f"{name} is new" for name in sorted(names - self.since.keys())]
        if soname != self.soname:
            found.append(f"the soname is {soname}, not {self.soname}")
        return [f"{self.path.relative_to(ROOT)}: {fault}" for fault in found]

    def write(self, soname, names):
        kept = {name: self.since.get(name, project_version()) for name in names | self.optional}
        lines = [f"{'?' if name in self.optional else ' '}{name} {version}" for name, version in sorted(kept.items())]
        self.path.write_text("\n".join([HEAD, f"soname {soname}", *lines]) + "\n")


def symbols_of(library):
    return Symbols(ROOT / "abi" / (re.sub(r"\.so.*", "", pathlib.Path(library).name) + ".symbols"))


def check(libraries):
    passed = failed = 0
    for library in libraries:
        symbols = symbols_of(library)
        soname, names = exported(library)
        faults = symbols.faults(soname, names) if symbols.since else [f"{symbols.path.relative_to(ROOT)} lists no symbol"]
        print(*faults or [f"{soname}: {len(names)} symbols as in {symbols.path.name}"], sep="\n")
        passed, failed = passed + (not faults), failed + bool(faults)
    if failed:
        print(HOW)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed or not passed else 0


def update(libraries):
    for library in libraries:
        symbols_of(library).write(*exported(library))


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in ("check", "update"):
        sys.exit(__doc__)
    return check(sys.argv[2:]) if sys.argv[1] == "check" else update(sys.argv[2:])


if __name__ == "__main__":
    sys.exit(main())
