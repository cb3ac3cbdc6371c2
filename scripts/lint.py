#!/usr/bin/env python3
"""Checks how the sources are written, with one tool at a time.

Usage: scripts/lint.py format|shell|python [--fix] [FILE...]

format: clang-format, C and C++; shell: shellcheck; python: ruff. Without FILE: everything in the tree that the tool understands. --fix
(format and python) mends what it can. Tools are taken from the private .venv, in the versions of scripts/requirements.txt, because other
versions of a formatter disagree with it. A tool that is not there: prints the reason and ends with status 77.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SKIPPED = 77
C_FAMILY = {".c", ".h", ".cpp", ".hpp"}
FOLDERS = (".ci", "apps", "bindings", "examples", "include", "scripts", "src", "tests", "tools")


def first_line(path):
    with path.open(errors="replace") as file:
        return file.readline()


def is_shell(path):
    return path.suffix == ".sh" or (not path.suffix and first_line(path).startswith(("#!/bin/sh", "#!/bin/bash")))


def is_python(path):
    return path.suffix == ".py" or (not path.suffix and first_line(path).startswith("#!/usr/bin/env python3"))


# Per check: its tool, the files it reads, the arguments to check and to mend.
CHECKS = {
    "format": ("clang-format", lambda path: path.suffix in C_FAMILY, ["--dry-run", "-Werror"], ["-i"]),
    "shell": ("shellcheck", is_shell, ["--external-sources"], None),
    "python": ("ruff", is_python, ["check", "--quiet", "--no-cache"], ["check", "--quiet", "--no-cache", "--fix"]),
}


def sources(wanted):
    """Every file of the tree that a check wants; build folders and what else lies about are not looked at."""
    files = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*")) if path.is_file()]
    return [path for path in [ROOT / "go", *files] if "__pycache__" not in path.parts and wanted(path)]


def tool_or_skip(name):
    tool = ROOT / ".venv" / "bin" / name
    if not tool.exists():
        print(f"skipped: {name} is not in .venv; ./go test puts it there")
        sys.exit(SKIPPED)
    return str(tool)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("check", choices=CHECKS)
    parser.add_argument("--fix", action="store_true")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    given = parser.parse_args()
    name, wanted, check, mend = CHECKS[given.check]
    if given.fix and not mend:
        parser.error(f"{name} mends nothing by itself")
    files = given.files or sources(wanted)
    if not files:
        sys.exit(f"{given.check}: no files to check in {ROOT}")
    status = subprocess.run([tool_or_skip(name), *(mend if given.fix else check), *map(str, files)], cwd=ROOT).returncode
    print(f"{name}: {len(files)} files, {'clean' if status == 0 else 'see above; scripts/lint.py ' + given.check + ' checks this alone'}")
    return status


if __name__ == "__main__":
    sys.exit(main())
