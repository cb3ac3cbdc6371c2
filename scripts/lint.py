#!/usr/bin/env python3
"""Checks how the sources are written, with one tool at a time.

Usage: scripts/lint.py format|shell|python [--fix] [FILE...]
       scripts/lint.py tidy --build BUILD_DIR [FOLDER...]

format: clang-format, C and C++; shell: shellcheck; python: ruff. Without FILE: everything in the tree that the tool understands. --fix
(format and python) mends what it can. tidy: clang-tidy on what BUILD_DIR compiles below the folders, below src without FOLDER. Tools are
taken from the private .venv, in the versions of scripts/requirements.txt, because other versions of a formatter disagree with it. A tool
that is not there: prints the reason and ends with status 77.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

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
    "format": ("clang-format", lambda path: path.suffix in C_FAMILY, ["--dry-run", "-Werror", "--ferror-limit=1"], ["-i"]),
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


def translation_units(build, folders, database):
    """Writes a compile_commands.json in which each source below the folders stands once, however many targets compile it; returns them."""
    units = {}
    for command in json.loads((build / "compile_commands.json").read_text()):
        path = pathlib.Path(command["file"])
        if path.suffix in C_FAMILY and any(path.is_relative_to(ROOT / folder) for folder in folders):
            units.setdefault(str(path), command)
    (database / "compile_commands.json").write_text(json.dumps(list(units.values())))
    return sorted(units)


def tidy(build, folders):
    """clang-tidy with .clang-tidy, a file per core at a time; gcc's own warning options are not clang's."""
    tool = tool_or_skip("clang-tidy")
    with tempfile.TemporaryDirectory(prefix="halocline-tidy-") as database, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        files = translation_units(build, folders or ["src"], pathlib.Path(database))
        if not files:
            sys.exit(f"tidy: {build} compiles nothing below {folders}")

        def check(file):
            command = [tool, "-p", database, "--quiet", "--extra-arg=-Wno-unknown-warning-option", file]
            return subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

        faulty = [result for result in pool.map(check, files) if result.returncode or result.stdout.strip()]
    print(*(result.stdout for result in faulty), f"clang-tidy: {len(files)} files, {len(faulty)} with findings", sep="\n")
    return 1 if faulty else 0


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("check", choices=[*CHECKS, "tidy"])
    parser.add_argument("--build", type=pathlib.Path)
    parser.add_argument("--fix", action="store_true")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    given = parser.parse_intermixed_args()
    if given.check == "tidy":
        return tidy(given.build.resolve(), given.files) if given.build else parser.error("tidy needs --build")
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
