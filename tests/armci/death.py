#!/usr/bin/env python3
"""Lets a rank of an ARMCI program, or a PE of OpenSHMEM, die while the others wait for it: they end long before HALOCLINE_TIMEOUT, one of
them says which rank it was, and nothing stays in /dev/shm.

Usage: death.py PROGRAM WAY... [--random=N] [--seed=N] [--apart | --nodes=N] [--ranks=N] -- LAUNCHER [FLAG...]

--random: in so many launches some rank dies at some time, in the middle of all kinds of calls; what they were is printed, and comes again
with the same seed. With --apart on emulated nodes of their own, with --nodes on so many, on one node otherwise. Each rank is the child of a
shell that outlives it, so that the launcher does not end the others.

SPDX-License-Identifier: BSD-3-Clause
"""

import argparse
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "failure"))
import peer_death  # noqa: E402

TIMEOUT_S = 60  # of the library: no rank is to wait this long
SHELL = '"$@"; code=$?; if [ $code -eq 137 ]; then sleep 80; fi; exit $code'


def launch(command, nodes):
    """Returns the output of a run, and its seconds."""
    begin = time.monotonic()
    environment = dict(os.environ, HALOCLINE_TIMEOUT=str(TIMEOUT_S)) | nodes
    try:
        run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=90, env=environment, check=False)
        return run.stdout, time.monotonic() - begin
    except subprocess.TimeoutExpired as expired:
        return f"the launch did not end in 90 s\n{expired.stdout or ''}", 90.0


def try_way(way, victim, more, wanted):
    """Lets that rank die. Returns how many of the two checks have failed."""
    with tempfile.TemporaryDirectory(prefix="halocline-test-") as directory:
        words = ["sh", "-c", SHELL, "sh", wanted.program, way, directory, *more]
        output, seconds = launch([*wanted.launcher, "-n", str(wanted.ranks), *words], wanted.nodes)
        left = peer_death.left_behind(directory)
    # On a busy machine Open MPI's launcher may put other bytes before a line.
    named = [line for line in output.splitlines() if re.search(rf"halocline: .*\b(rank|PE) {victim}\b", line)]
    right = seconds < TIMEOUT_S and named and "has not noticed" not in output
    what = " ".join([way, *more])
    print(f"{'passed' if right else 'failed'}: {what}: the others have ended after {seconds:.1f} s: {named[:1]}")
    if not right:
        print(output)
    print(f"{'failed' if left else 'passed'}: {what}: left behind: {left or 'nothing'}", flush=True)
    return (not right) + bool(left)


def random_deaths(count, seed, ranks):
    """Victims, and the other arguments of the program."""
    numbers = random.Random(seed)
    for _ in range(count):
        victim = numbers.randrange(ranks)
        moment = numbers.randrange(numbers.choice([10_000, 400_000]))
        yield victim, [str(victim), str(moment), str(numbers.randrange(10_000))]


def main():
    divider = sys.argv.index("--")
    if not peer_death.has_private_shm():
        peer_death.enter_private_shm()
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("ways", nargs="*")
    parser.add_argument("--random", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--apart", action="store_true")
    parser.add_argument("--nodes", type=int, default=1)
    parser.add_argument("--ranks", type=int, default=3)
    wanted = parser.parse_args(sys.argv[1:divider])
    wanted.launcher = sys.argv[divider + 1 :]
    nodes = wanted.ranks if wanted.apart else wanted.nodes
    wanted.nodes = {"HALOCLINE_FAKE_NODES": str(nodes)} if nodes > 1 else {}
    cases = [(way, 1, []) for way in wanted.ways]
    cases += [("random", *death) for death in random_deaths(wanted.random, wanted.seed, wanted.ranks)]
    failures = sum(try_way(way, victim, more, wanted) for way, victim, more in cases)
    print(f"{2 * len(cases) - failures} passed, {failures} failed, 0 skipped")
    return 1 if failures or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
