#!/usr/bin/env python3
"""Checks how the sources are written, with one tool at a time.

Usage: scripts/lint.py format|shell|python [--fix] [FILE...]
       scripts/lint.py tidy --build BUILD_DIR [--stamps DIR] [FOLDER...]

format: clang-format, C and C++; shell: shellcheck; python: ruff. Without FILE: everything in the tree that the tool understands. --fix
(format and python) mends what it can. tidy: clang-tidy on what BUILD_DIR compiles below the folders, below src without FOLDER; with
--stamps a file is left out that was clean and has not changed since, nor any header of ours that it includes: DIR has a stamp for it.
Tools are taken from the private .venv, in the versions of scripts/requirements.txt, because other versions of a formatter disagree with
it. A tool that is not there: prints the reason and ends with status 77.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SKIPPED = 77
C_FAMILY = {".c", ".h", ".cpp", ".hpp"}
FOLDERS = (".ci", "apps", "bindings", "docs", "examples", "include", "packaging", "scripts", "src", "tests", "tools")


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
        option = " --all" if name == "clang-tidy" else ""
        print(f"skipped: {name} is not in .venv; ./go test{option} puts it there")
        sys.exit(SKIPPED)
    return str(tool)


def translation_units(build, folders, database):
    """Writes a compile_commands.json with each source below the folders once, however many targets compile it; returns their commands."""
    units = {}
    places = [place for folder in folders for place in (ROOT / folder, build / folder)]
    for command in json.loads((build / "compile_commands.json").read_text()):
        path = pathlib.Path(command["file"])
        # What is compiled a second time, for the MPI-5 ABI, are the same sources.
        if "/halocline_abi_" in str(path):
            continue
        # Below the build folder lie CMake's files that include several of ours.
        if path.suffix in {*C_FAMILY, ".cxx"} and path.stem != "cmake_pch.hxx" and any(path.is_relative_to(place) for place in places):
            # Precompiled headers are another compiler's, and hide that a file includes too little.
            command["command"] = re.sub(r" -Winvalid-pch -include \S+", "", command["command"])
            units.setdefault(str(path), command)
    (database / "compile_commands.json").write_text(json.dumps(list(units.values())))
    return {path: units[path]["command"] for path in sorted(units)}


@functools.cache
def includes(path):
    """The headers of ours that a file includes, looked for beside it, in src and in include."""
    names = re.findall(rb'^#include ["<]([^">]+)[">]', path.read_bytes(), re.M)
    folders = [path.parent, *(ROOT / folder for folder in ("src", "include", "tests", "tools"))]
    places = [folder / name.decode() for name in names for folder in folders]
    return {place.resolve() for place in places if place.is_file()}


def stamp_of(path, command, tool):
    """A name that changes with the file, with any header of ours that it includes, and with how and by what it is checked."""
    seen, waiting = set(), {pathlib.Path(path).resolve()}
    while waiting:
        seen |= waiting
        waiting = set().union(*map(includes, waiting)) - seen
    digest = hashlib.sha256(f"{command} {tool}".encode())
    for file in [*sorted(seen), ROOT / ".clang-tidy", *sorted(ROOT.glob("src/**/.clang-tidy")), ROOT / "scripts/requirements.txt"]:
        digest.update(str(file).encode() + file.read_bytes())
    return f"tidy-{digest.hexdigest()}"


def tidy(build, folders, stamps):
    """clang-tidy with .clang-tidy, a file per core at a time; gcc's own warning options are not clang's."""
    tool = tool_or_skip("clang-tidy")
    with tempfile.TemporaryDirectory(prefix="halocline-tidy-") as database, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        files = translation_units(build, folders or ["src"], pathlib.Path(database))
        if not files:
            sys.exit(f"tidy: {build} compiles nothing below {folders}")

        def check(file):
            """What clang-tidy says about a file; None if it was clean and is the same."""
            stamp = stamps / stamp_of(file, files[file], tool) if stamps else None
            if stamp and stamp.exists():
                return None
            command = [tool, "-p", database, "--quiet", "--extra-arg=-Wno-unknown-warning-option", file]
            result = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            if stamp and not result.returncode and not result.stdout.strip():
                stamps.mkdir(parents=True, exist_ok=True)
                stamp.touch()
            return result

        results = [result for result in pool.map(check, files) if result]
    faulty = [result for result in results if result.returncode or result.stdout.strip()]
    same = len(files) - len(results)
    totals = f"clang-tidy: {len(files)} files, {same} the same as when they were clean, {len(faulty)} with findings"
    print(*(result.stdout for result in faulty), totals, sep="\n")
    return 1 if faulty else 0


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("check", choices=[*CHECKS, "tidy"])
    parser.add_argument("--build", type=pathlib.Path)
    parser.add_argument("--stamps", type=pathlib.Path)
    parser.add_argument("--fix", action="store_true")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    given = parser.parse_intermixed_args()
    if given.check == "tidy":
        return tidy(given.build.resolve(), given.files, given.stamps) if given.build else parser.error("tidy needs --build")
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
