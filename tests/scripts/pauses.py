#!/usr/bin/env python3
"""Runs tests while their processes are stopped at random moments, as on a busy machine, and says which of them fail.

Usage: pauses.py BUILD -R PATTERN [--seeds 3] [--seed 7]
       pauses.py [--seeds 3] [--seed 7] -- COMMAND [ARGUMENT...]

The tests are those of the build folder whose names match, as for ctest -R. While one runs, again and again one of its processes or all are
stopped for 20 to 300 ms and then continued, launcher and ranks alike. Besides, threads stand still where they ask for the time
(late_clock.c). A test that measures time on purpose may fail; any other has a fault,
or shows one. What follows -- is a command to run instead of tests. Each test runs once for each seed, --seed and those after it. A seed
fixes which processes are stopped and for how long, not where in the program that is: one that has found a rare fault may have to run again
a few times.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import contextlib
import ctypes
import dataclasses
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

PAUSES_S = (0.02, 0.3)
RUNS_S = (0.001, 0.3)  # how long a test runs between two of them; short ones as often as long ones
LIMIT_S = 120
SLOWER = 4  # with pauses a test takes two or three times as long
LINES = 30  # of the output of a test that failed
PR_SET_CHILD_SUBREAPER = 36
LATE_CLOCK = pathlib.Path(__file__).with_name("late_clock.c")


@dataclasses.dataclass
class Test:
    """One command, and what ctest would give it."""

    name: str
    command: list
    environment: dict = dataclasses.field(default_factory=dict)
    folder: str = "."
    limit_s: float = LIMIT_S
    skipped: int = 77


def tests_of(build, pattern):
    """What ctest knows of the tests whose names match."""
    cache = (pathlib.Path(build) / "CMakeCache.txt").read_text()
    ctest = re.search("^CMAKE_CTEST_COMMAND:[A-Z]*=(.*)$", cache, re.MULTILINE)[1]
    listed = subprocess.run([ctest, "--show-only=json-v1", "-R", pattern], cwd=build, stdout=subprocess.PIPE, text=True, check=True)
    for test in json.loads(listed.stdout)["tests"]:
        found = {one["name"]: one["value"] for one in test.get("properties", [])}
        if "command" in test:
            environment = dict(word.split("=", 1) for word in found.get("ENVIRONMENT", []))
            if watchdog := environment.get("HALOCLINE_TEST_WATCHDOG"):
                environment["HALOCLINE_TEST_WATCHDOG"] = str(SLOWER * int(watchdog))
            yield Test(test["name"], test["command"], environment, found.get("WORKING_DIRECTORY", build),
                       SLOWER * found.get("TIMEOUT", LIMIT_S), found.get("SKIP_RETURN_CODE", 77))


def processes_under(process):
    """The process and all that it and its children have started."""
    found = [process]
    for parent in found:
        for file in pathlib.Path(f"/proc/{parent}/task").glob("*/children"):
            with contextlib.suppress(OSError):
                found += [int(child) for child in file.read_text().split()]
    return found


def send(processes, number):
    for process in processes:
        with contextlib.suppress(OSError):
            os.kill(process, number)


def is_over(child, seconds):
    """Whether the child ends within so many seconds."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.wait(seconds)
    return child.returncode is not None


def log_uniform(source, least, most):
    return least * (most / least) ** source.random()


def pause_until_end(child, source, limit_s):
    """Stops one process or all, again and again, until the child ends. False if it does not within the limit."""
    end = time.monotonic() + limit_s
    while not is_over(child, log_uniform(source, *RUNS_S)):
        if time.monotonic() > end:
            return False
        chosen = processes_under(child.pid)
        if source.random() < 0.7:
            chosen = [source.choice(chosen)]
        try:
            send(chosen, signal.SIGSTOP)
            time.sleep(log_uniform(source, *PAUSES_S))
        finally:
            send(source.sample(chosen, len(chosen)), signal.SIGCONT)
    return True


def end_all():
    """What a test that failed may leave behind: its processes are ours where their parents have ended."""
    while len(left := processes_under(os.getpid())) > 1:
        send(left[1:], signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                continue
        time.sleep(0.01)


def with_late_clock(environment, library, seed):
    preloaded = ":".join(word for word in (environment.get("LD_PRELOAD"), library) if word)
    return environment | {"LD_PRELOAD": preloaded, "HALOCLINE_TEST_LATE_CLOCK": str(seed)}


def run(test, seed, library):
    """A word for how the test ended, and its output."""
    environment = with_late_clock(os.environ | test.environment, library, seed)
    with tempfile.TemporaryFile() as output:
        child = subprocess.Popen(test.command, cwd=test.folder, env=environment, stdin=subprocess.DEVNULL, stdout=output,
                                 stderr=subprocess.STDOUT)
        try:
            ended = pause_until_end(child, random.Random(f"{seed} {test.name}"), test.limit_s)
        finally:
            end_all()
        output.seek(0)
        text = output.read().decode(errors="replace")
    if not ended:
        return "failed", f"{text}\nIt did not end within {test.limit_s:g} s."
    return {0: "passed", test.skipped: "skipped"}.get(child.returncode, "failed"), text


def arguments():
    given, command = sys.argv[1:], []
    if "--" in given:
        command = given[given.index("--") + 1:]
        given = given[:given.index("--")]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], epilog="What follows -- is a command to run instead of tests.")
    parser.add_argument("build", nargs="?", help="folder of the build whose tests run")
    parser.add_argument("-R", "--pattern", default=".", help="regular expression for names of tests (all)")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="the first (a new one)")
    parser.add_argument("--seeds", type=int, default=3, help="how often each test runs (3)")
    options = parser.parse_args(given)
    if bool(options.build) == bool(command):
        parser.error("give either a build folder or a command after --")
    return options, command


def run_all(tests, seeds, library):
    """How many runs ended in each way."""
    counts = dict(passed=0, failed=0, skipped=0)
    for test in tests:
        for seed in seeds:
            result, output = run(test, seed, library)
            counts[result] += 1
            if result == "failed":
                print(f"failed: {test.name} with --seed {seed}:", *output.splitlines()[-LINES:], sep="\n  ", flush=True)
    return counts


def main():
    options, command = arguments()
    tests = [Test(" ".join(command), command)] if command else list(tests_of(options.build, options.pattern))
    seeds = range(options.seed, options.seed + options.seeds)
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    print(f"{len(tests)} tests, seeds {seeds[0]} to {seeds[-1]}", flush=True)
    with tempfile.TemporaryDirectory(prefix="halocline-test-") as folder:
        library = f"{folder}/late_clock.so"
        subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", library, LATE_CLOCK], check=True)
        counts = run_all(tests, seeds, library)
    print(", ".join(f"{count} {word}" for word, count in counts.items()))
    return 1 if counts["failed"] or not tests else 0


if __name__ == "__main__":
    sys.exit(main())
