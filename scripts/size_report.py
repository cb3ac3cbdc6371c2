#!/usr/bin/env python3
"""Reports the sizes of the project, and fails where a file or a function has grown beyond the limits.

Usage: scripts/size_report.py [--brief] [BUILD_DIR]

Prints the bytes of the library and the programs in BUILD_DIR (text, data, bss), per folder the lines of its files and the lengths of its
functions (median, 90th percentile, longest), and by name what is worth a second look. Functions are measured by lizard from the private
.venv; without it: prints the reason and ends with status 77. With --brief only the functions of the library are measured.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import csv
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("src", "include", "bindings", "apps", "tools", "examples", "tests", "scripts")
LIBRARY = ("src", "include")
SUFFIXES = {".c", ".h", ".cpp", ".hpp", ".f90", ".F90", ".inc", ".py", ".sh"}
SECOND_LOOK, FILE_LIMIT = 400, 800  # lines of a file
SECOND_LOOK_FUNCTION, FUNCTION_LIMIT = 40, 70  # lines of a function
# What may be longer than the limits, by path or path:function, with the reason.
ALLOWED = {"include/pshmem.h": "a generated line for each function of OpenSHMEM"}


def is_compiled(path):
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def programs(build):
    """The library, then the programs that are installed and those of the tests, as one table of size(1)."""
    library = sorted(path for path in (build / "lib").glob("lib*.so") if not path.is_symlink() or path.exists())
    tools = [path for path in sorted((build / "bin").glob("*")) if os.access(path, os.X_OK) and path.is_file() and is_compiled(path)]
    shown = [path for path in library + tools if not path.name.startswith(("halocline_", "example_"))]
    if not library:
        sys.exit(f"no library in {build}/lib")
    output = subprocess.run(["size", *map(str, shown)], stdout=subprocess.PIPE, text=True, check=True).stdout
    yield f"{'bytes of':<32} {'text':>9} {'data':>7} {'bss':>7}"
    for line in output.splitlines()[1:]:
        text, data, bss, *_, name = line.split()
        yield f"{pathlib.Path(name).name:<32} {text:>9} {data:>7} {bss:>7}"


def files_of(folder):
    files = [path for path in sorted((ROOT / folder).rglob("*")) if path.suffix in SUFFIXES]
    return {str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in files}


def functions(folders):
    """Lengths in lines by path and name, as lizard measures them."""
    lizard = ROOT / ".venv" / "bin" / "lizard"
    if not lizard.exists():
        print("skipped: lizard is not in .venv; ./go test puts it there")
        sys.exit(77)
    output = subprocess.run([lizard, "--csv", *folders], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
    return [(row[6], row[7], int(row[4])) for row in csv.reader(output.splitlines())]


def spread(lengths):
    """Median, 90th percentile and longest."""
    ordered = sorted(lengths)
    return f"{ordered[len(ordered) // 2]}/{ordered[len(ordered) * 9 // 10]}/{ordered[-1]}" if ordered else "-"


def table(files, measured):
    yield f"\n{'folder':<10} {'files':>6} {'lines':>7}   {'lines of a file':>16}   {'functions':>9}   {'lines of a function':>20}"
    for folder in FOLDERS:
        lines = [count for path, count in files.items() if path.startswith(folder + "/")]
        lengths = [length for path, _, length in measured if path.startswith(folder + "/")]
        yield f"{folder:<10} {len(lines):>6} {sum(lines):>7}   {spread(lines):>16}   {len(lengths):>9}   {spread(lengths):>20}"
    yield "(median/90th percentile/longest)"


def judge(sizes, second_look, limit):
    """What is worth a second look, what is too long, and what is allowed to be."""
    for size, name in sorted(((size, name) for name, size in sizes if size > second_look), reverse=True):
        verdict = "" if size <= limit else f"allowed: {ALLOWED[name]}" if name in ALLOWED else f"TOO LONG, the limit is {limit}"
        yield size, name, verdict


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--brief", action="store_true")
    parser.add_argument("build", nargs="?", type=pathlib.Path)
    options = parser.parse_args()
    measured = functions(LIBRARY if options.brief else FOLDERS)
    files = {path: lines for folder in FOLDERS for path, lines in files_of(folder).items()}
    if options.build:
        print("\n".join(programs(options.build)))
    print("\n".join(table(files, measured)))
    found = [*judge(files.items(), SECOND_LOOK, FILE_LIMIT),
             *judge([(f"{path}:{name}", length) for path, name, length in measured], SECOND_LOOK_FUNCTION, FUNCTION_LIMIT)]
    for size, name, verdict in found:
        print(f"{size:5} lines  {name}  {verdict}")
    if not measured or not files:
        sys.exit("nothing was measured")
    return 1 if any(verdict.startswith("TOO") for _, _, verdict in found) else 0


if __name__ == "__main__":
    sys.exit(main())
