#!/usr/bin/env python3
"""What ./go test --gpu runs once the programs are built: the tests of device fields on a real device, and halocline-bench device.

  gpu.py find [--stand-in LIBRARY]                     says in one sentence why nothing can be run; then the exit status is 1
  gpu.py run --build BUILD [--stand-in LIBRARY]        runs all; last line: N passed, N failed, N skipped

With --stand-in the library of that name takes the place of CUDA's driver: a dry run, whose times mean nothing.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import ctypes
import os
import pathlib
import re
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import launch  # noqa: E402

DRIVER = "libcuda.so.1"
TESTS = {"halocline_device_staged": "tests of fields in a device's memory", "halocline_device_order": "tests of the order of copies"}
TEST_RANKS, BENCH_RANKS = (1, 2, 4), (2, 4)
SECONDS = 480
# What a dry run measures: enough to see that all works.
SMALL = ["--local", "8,8,16", "--fields", "3", "--repetitions", "2", "--sample-ms", "0.1"]


def why_not(library):
    """Returns why there is no device to run on; nothing if there is one."""
    try:
        cuda = ctypes.CDLL(library)
    except OSError as error:
        return f"There is no GPU to test on: CUDA's driver, {library}, cannot be loaded ({error})."
    status = cuda.cuInit(0)
    if status != 0:
        return f"There is no GPU to test on: cuInit of CUDA's driver returned {status}."
    count = ctypes.c_int(0)
    status = cuda.cuDeviceGetCount(ctypes.byref(count))
    if status != 0 or count.value == 0:
        return f"There is no GPU to test on: CUDA's driver finds no device (cuDeviceGetCount returned {status})."
    return None


def environment(library):
    """The tests load the driver by this name. The bench loads libcuda.so.1, which is found beside the stand-in."""
    found = dict(os.environ, HALOCLINE_TEST_DRIVER=library)
    if library != DRIVER:
        folder = str(pathlib.Path(library).resolve().parent)
        found["LD_LIBRARY_PATH"] = os.pathsep.join(filter(None, [folder, os.environ.get("LD_LIBRARY_PATH")]))
    return found


class Runs:
    """Programs that are run one after the other, all within a time."""

    def __init__(self, build, library, seconds):
        self.build, self.environment = build, environment(library)
        self.end = time.monotonic() + seconds
        self.passed = self.failed = self.skipped = 0

    def left(self):
        return self.end - time.monotonic()

    def program(self, ranks, *words, kept=0.0):
        """Runs a program on so many ranks, and keeps so many seconds for what follows. Returns its output, and whether it succeeded; None:
        there was no time."""
        time_left = self.left() - kept
        if time_left < 1:
            return None, False
        try:
            done = subprocess.run(launch.command(self.build, ranks, *words), env=self.environment, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, errors="replace", timeout=time_left, check=False)
        except subprocess.TimeoutExpired as late:
            output = late.stdout.decode(errors="replace") if late.stdout else ""
            return output + f"\nended after {time_left:.0f} seconds: there was no more time\n", False
        return done.stdout, done.returncode == 0

    def count(self, ranks, output, succeeded, what):
        """Counts a run as one, and shows what a failed one has said."""
        if output is None:
            self.skipped += 1
            print(f"skipped  {what} on {ranks} ranks: there was no time left")
        elif succeeded:
            self.passed += 1
            print(f"passed   {what} on {ranks} ranks{self.tests_in(output)}")
        else:
            self.failed += 1
            print(f"FAILED   {what} on {ranks} ranks{self.tests_in(output)}\n{output[-6000:]}")
        sys.stdout.flush()

    @staticmethod
    def tests_in(output):
        """", 61 passed, 0 failed, 2 skipped", as the program counts its tests."""
        counts = re.findall(r"^\d+ passed, \d+ failed, \d+ skipped$", output, re.MULTILINE)
        return f": {counts[-1]}" if counts else ""


def run(options):
    library = options.stand_in or DRIVER
    runs = Runs(options.build, library, options.seconds)
    if options.stand_in:
        print("Dry run: the stand-in takes the place of CUDA's driver. Times mean nothing.")
    for ranks in TEST_RANKS:
        for program, what in TESTS.items():
            output, succeeded = runs.program(ranks, program, kept=0.5 * options.seconds)
            runs.count(ranks, output, succeeded, what)
    results = pathlib.Path(options.results)
    results.mkdir(exist_ok=True)
    for ranks in BENCH_RANKS:
        words = ["--seconds", str(max(1, int(runs.left() / 3))), "--json", str(results / f"device-{ranks}.json")]
        output, succeeded = runs.program(ranks, "halocline-bench", "device", *words, *(SMALL if options.stand_in else []))
        if succeeded:
            print(output)
        runs.count(ranks, output, succeeded, "halocline-bench device")
    print(f"{runs.passed} passed, {runs.failed} failed, {runs.skipped} skipped")
    return 1 if runs.failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["find", "run"])
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--results", default="results")
    parser.add_argument("--stand-in", metavar="LIBRARY", help="takes the place of CUDA's driver")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="for all programs (default: %(default)s)")
    options = parser.parse_args()
    if options.stand_in:
        options.stand_in = str(pathlib.Path(options.stand_in).resolve())
    why = why_not(options.stand_in or DRIVER)
    if why:
        print(why)
        return 1
    return run(options) if options.what == "run" else 0


if __name__ == "__main__":
    sys.exit(main())
