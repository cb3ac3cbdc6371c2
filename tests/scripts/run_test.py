#!/usr/bin/env python3
"""Tests of tests/run with made-up build folders: what it counts, what it says, how it ends.

Usage: run_test.py PATH_OF_TESTS_RUN PATH_OF_CTEST

SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib
import subprocess
import sys
import tempfile

# Per test: its name, the shell that it runs, its properties.
TESTS = [
    ("counts", "echo ok; echo 3 passed, 0 failed, 1 skipped", ""),
    ("plain", "true", ""),
    ("cannot", "echo skipped: no tool; exit 77", "SKIP_RETURN_CODE 77"),
    ("slow", "echo 9 passed, 0 failed, 0 skipped", "LABELS long"),
    ("table", "echo a table", "LABELS report"),
]
BROKEN = ("broken", "echo the cause; exit 3", "")
LYING = ("lying", "echo 2 passed, 1 failed, 0 skipped", "")


def build_folder(folder, ctest, tests):
    folder.mkdir()
    (folder / "CMakeCache.txt").write_text(f"CMAKE_CTEST_COMMAND:INTERNAL={ctest}\n")
    lines = [f'add_test({name} "/bin/sh" "-c" "{shell}")\nset_tests_properties({name} PROPERTIES TIMEOUT 20 {properties})\n'
             for name, shell, properties in tests]
    (folder / "CTestTestfile.cmake").write_text("".join(lines))


def run(script, ctest, tests, *options):
    """Status and output of one run over a folder with these tests."""
    with tempfile.TemporaryDirectory(prefix="halocline-test-") as work:
        folder = pathlib.Path(work) / "build"
        build_folder(folder, ctest, tests)
        done = subprocess.run([sys.executable, script, *options, folder], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def checks(script, ctest):
    """Pairs of a sentence and whether it holds."""
    status, output = run(script, ctest, TESTS)
    yield "adds up what tests count, and long tests as skipped", output.endswith("\n5 passed, 0 failed, 3 skipped\n") and status == 0
    yield "names what was left out, and why", "1 x long, run ./go test --long\n      slow\n" in output
    yield "gives the reason of a test that cannot run", "1 x no tool\n      cannot\n" in output
    yield "shows reports", "---- table of " in output and "\na table\n" in output

    status, output = run(script, ctest, TESTS, "--long")
    yield "runs long tests if asked", output.endswith("\n14 passed, 0 failed, 2 skipped\n") and status == 0
    status, output = run(script, ctest, TESTS, "--skipped", "one: not here\ntwo: not here\n")
    yield "counts what the caller could not build", output.endswith("\n5 passed, 0 failed, 5 skipped\n") and "two: not here" in output
    status, output = run(script, ctest, [*TESTS, BROKEN])
    yield "shows a failure and fails", status == 1 and "the cause" in output and output.endswith("\n5 passed, 1 failed, 3 skipped\n")
    status, output = run(script, ctest, [LYING])
    yield "takes the counts' word against the status", status == 1 and output.endswith("\n2 passed, 1 failed, 0 skipped\n")
    status, output = run(script, ctest, [])
    yield "fails if nothing ran", status == 1 and output.endswith("\n0 passed, 1 failed, 0 skipped\n")


def main():
    script, ctest = sys.argv[1:]
    results = list(checks(script, ctest))
    for sentence, holds in results:
        print(f"{'passed' if holds else 'FAILED'}  {sentence}")
    failed = sum(not holds for _, holds in results)
    print(f"{len(results) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
