#!/usr/bin/env python3
"""Builds the library with one fault at a time (faults.toml), and has the default tests find it.

Usage: faults.py BUILD_DIR [--only WORDS] [--jobs N] [--all-tests REGEX] [--table FILE]

The faulty library lies in a folder of its own, which LD_LIBRARY_PATH names: the test programs are those of BUILD_DIR. A fault is found
if one of the tests that its `test` names (a regular expression, of tests that run by default) fails. The first failure ends a test, and the
library gives up early, so that no test hangs until its time is over. With --all-tests the tests that
match REGEX run instead, and the table lists each that fails. Without a fault the same tests have to pass. Ends with `N passed, N failed,
N skipped`.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import tomllib
import xml.etree.ElementTree

from run import Build, change

HERE = pathlib.Path(__file__).resolve().parent
MOST_SILENT_SECONDS = "10"  # of a rank that waits for others: see tests/support/mpi_main.cpp
MOST_NAMES = 6  # of tests in a cell of the table


def libraries(folder):
    """The shared libraries of a build, by the name under which programs look for them."""
    links = sorted(path for path in (folder / "lib").glob("libhalocline*.so") if path.is_symlink())
    return {os.readlink(path): Build(folder, path.resolve().name, "lib") for path in links}


def make(fault, builds, folder):
    """Builds each library that has the file; returns the folder for LD_LIBRARY_PATH."""
    files = change([fault], folder)
    made = [name for name, build in builds.items() if build.is_made_of(files)]
    for name in made:
        builds[name].make(files, folder).rename(folder / name)
    if not made:
        raise RuntimeError(f"no library is made of {fault['file']}")
    return folder


def failures(folder, tests, library):
    """Names of the default tests that match and fail with the library in that folder (None: with the build's own)."""
    environment = {**os.environ, "HALOCLINE_TEST_FAIL_FAST": MOST_SILENT_SECONDS}
    if library:
        environment["LD_LIBRARY_PATH"] = f"{library}:{os.environ.get('LD_LIBRARY_PATH', '')}"
    with tempfile.TemporaryDirectory() as place:
        report = pathlib.Path(place) / "tests.xml"
        command = ["ctest", "--test-dir", str(folder), "-R", tests, "-LE", "^(full|long)$"]
        command += ["--output-junit", str(report)]
        subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        cases = xml.etree.ElementTree.parse(report).getroot().findall("testcase")
    if not any(case.get("status") == "run" for case in cases) and not any(case.get("status") == "fail" for case in cases):
        raise RuntimeError(f"no test matches {tests}")
    return [case.get("name") for case in cases if case.get("status") == "fail"]


def try_fault(fault, builds, folder, tests):
    """Examines one fault and prints its line. Returns (whether it was found, its row of the table)."""
    start = time.monotonic()
    try:
        with tempfile.TemporaryDirectory() as place:
            found = failures(folder, tests or fault["test"], make(fault, builds, pathlib.Path(place)))
        words = ", ".join(found[:MOST_NAMES]) + (f" and {len(found) - MOST_NAMES} more" if len(found) > MOST_NAMES else "")
    except RuntimeError as failure:
        found, words = [], f"no answer: {failure}"
    seconds = time.monotonic() - start
    print(f"{'ok  ' if found else 'FAIL'} {fault['part']}: {fault['name']}: {words or 'nothing notices'} ({seconds:.0f} s)", flush=True)
    return bool(found), f"| {fault['part']} | {fault['name']} | {words or 'none'} |"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--all-tests", default="")
    parser.add_argument("--table", type=pathlib.Path)
    arguments = parser.parse_args()
    folder = arguments.build.resolve()
    every = tomllib.loads((HERE / "faults.toml").read_text())["fault"]
    faults = [fault for fault in every if re.search(arguments.only, f"{fault['part']} {fault['name']}")]
    builds = libraries(folder)
    broken = failures(folder, arguments.all_tests or "|".join(sorted({fault["test"] for fault in faults})), None)
    print(f"{'FAIL' if broken else 'ok  '} without a fault: {', '.join(broken) or 'all pass'}", flush=True)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        results = list(pool.map(lambda fault: try_fault(fault, builds, folder, arguments.all_tests), faults))
    if arguments.table:
        head = ["| part | fault | tests that find it |", "|---|---|---|"]
        arguments.table.write_text("\n".join(head + [line for _, line in results]) + "\n")
    passed = sum(found for found, _ in results) + (not broken)
    print(f"{passed} passed, {len(results) + 1 - passed} failed, 0 skipped")
    return 0 if results and passed == len(results) + 1 else 1


if __name__ == "__main__":
    sys.exit(main())
