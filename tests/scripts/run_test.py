#!/usr/bin/env python3
"""Tests of tests/run with made-up build folders: what it counts, what it says, how it ends.

Usage: run_test.py PATH_OF_TESTS_RUN PATH_OF_CTEST

SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib
import subprocess
import sys
import tempfile

from made import report

# Per test: its name, the shell that it runs, its properties.
TESTS = [
    ("counts", "echo ok; echo 3 passed, 0 failed, 1 skipped", ""),
    ("plain", "true", ""),
    ("cannot", "echo skipped: no tool; exit 77", "SKIP_RETURN_CODE 77"),
    ("slow", "echo 9 passed, 0 failed, 0 skipped", "LABELS long"),
    ("other", "echo 4 passed, 0 failed, 0 skipped", 'LABELS "mpi;full"'),
    ("table", "echo a table", "LABELS report"),
]
BROKEN = ("broken", "echo the cause; exit 3", "")
MISSING = ("missing", None, "")
CHATTY = ("chatty", "seq 200000; echo 2 passed, 0 failed, 0 skipped; printf '\\\\033[1m'", "")
OF_CLASS = ("classed", "echo 7 passed, 0 failed, 0 skipped", 'LABELS "protocol;memory"')
LYING = ("lying", "echo 2 passed, 1 failed, 0 skipped", "")


def command(shell):
    return f'"/bin/sh" "-c" "{shell}"' if shell else "/no/such/program"


def build_folder(folder, ctest, tests, classes):
    folder.mkdir()
    (folder / "CMakeCache.txt").write_text(f"CMAKE_CTEST_COMMAND:INTERNAL={ctest}\nHALOCLINE_TEST_CLASSES:STRING={classes}\n")
    lines = [f'add_test({name} {command(shell)})\nset_tests_properties({name} PROPERTIES TIMEOUT 20 {properties})\n'
             for name, shell, properties in tests]
    (folder / "CTestTestfile.cmake").write_text("".join(lines))


def run(script, ctest, tests, *options, for_ctest=(), classes="protocol;memory"):
    """Status and output of one run over a folder with these tests."""
    with tempfile.TemporaryDirectory(prefix="halocline-test-") as work:
        folder = pathlib.Path(work) / "build"
        build_folder(folder, ctest, tests, classes)
        command = [sys.executable, script, *options, folder, "--", *for_ctest]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def checks(script, ctest):
    """Pairs of a sentence and whether it holds."""
    status, output = run(script, ctest, TESTS)
    right = status == 0 and output.endswith("\n5 passed, 0 failed, 4 skipped\n")
    yield "adds up what tests count, and those that are left out as skipped", right
    yield "says what was left out, and why", "1 x long: ./go test --long runs them\n" in output and "./go test --all runs them\n" in output
    yield "shows each test as it ends", "Test #1: counts" in output and "Passed" in output
    yield "gives the reason of a test that cannot run", "1 x no tool\n      cannot\n" in output
    yield "shows reports", "---- table of " in output and "\na table\n" in output

    status, output = run(script, ctest, TESTS, "--all")
    yield "runs the full matrix if asked", output.endswith("\n9 passed, 0 failed, 3 skipped\n") and status == 0
    status, output = run(script, ctest, TESTS, "--long")
    yield "runs long tests if asked, and all others", output.endswith("\n18 passed, 0 failed, 2 skipped\n") and status == 0
    status, output = run(script, ctest, TESTS, for_ctest=["-R", "counts|slow"])
    yield "hands options to ctest", output.endswith("\n3 passed, 0 failed, 2 skipped\n") and status == 0
    status, output = run(script, ctest, TESTS, for_ctest=["-E", "counts"])
    yield "runs the right ones beside a pattern that excludes", status == 0 and output.endswith("\n2 passed, 0 failed, 3 skipped\n")
    status, output = run(script, ctest, TESTS, for_ctest=["-R", "slow|table"])
    yield "runs the right ones beside a pattern that includes", status == 0 and output.endswith("\n1 passed, 0 failed, 1 skipped\n")
    status, output = run(script, ctest, TESTS, for_ctest=["-L", "report|long"])
    yield "runs the right ones beside a pattern of labels", status == 0 and output.endswith("\n1 passed, 0 failed, 1 skipped\n")
    status, output = run(script, ctest, TESTS, "--skipped", "one: not here\ntwo: not here\n")
    yield "counts what the caller could not build", output.endswith("\n5 passed, 0 failed, 6 skipped\n") and "two: not here" in output
    status, output = run(script, ctest, [*TESTS, BROKEN])
    yield "shows a failure and fails", status == 1 and "the cause" in output and output.endswith("\n5 passed, 1 failed, 4 skipped\n")
    status, output = run(script, ctest, [LYING])
    yield "takes the counts' word against the status", status == 1 and output.endswith("\n2 passed, 1 failed, 0 skipped\n")
    status, output = run(script, ctest, [*TESTS, MISSING])
    yield "fails for a program that is not there", status == 1 and output.endswith("\n5 passed, 1 failed, 4 skipped\n")
    status, output = run(script, ctest, [CHATTY])
    yield "counts what stands at the end of much output", status == 0 and output.endswith("\n2 passed, 0 failed, 0 skipped\n")
    status, output = run(script, ctest, [*TESTS, OF_CLASS], classes="memory")
    yield "leaves out what says no class, where there are others", status == 0 and output.endswith("\n7 passed, 0 failed, 6 skipped\n")
    long_names = [(f"{number}" + "n" * 5000, "true", "") for number in range(20)]
    status, output = run(script, ctest, [("first", "true", "LABELS long"), *long_names, *TESTS], "--all")
    yield "runs tests whose names are too long for one pattern", status == 0 and output.endswith("\n29 passed, 0 failed, 4 skipped\n")
    status, output = run(script, ctest, [])
    yield "fails if nothing ran", status == 1 and output.endswith("\n0 passed, 1 failed, 0 skipped\n")


def main():
    script, ctest = sys.argv[1:]
    report(checks(script, ctest))


if __name__ == "__main__":
    main()
