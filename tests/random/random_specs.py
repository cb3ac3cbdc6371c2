#!/usr/bin/env python3
"""Plays random scenarios of halo swaps and exchanges against the serial oracle, for a given time. A scenario that fails, crashes or
hangs is shrunk by Hypothesis to the smallest one that still does, and printed with the command that repeats it.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import json
import os
import pathlib
import random
import shlex
import sys
import time

BATCH = 50  # scenarios per seed: a failure is found again by its seed alone


def import_hypothesis():
    """Hypothesis may live in the private .venv only: then this script goes on there. Without it the test is skipped."""
    try:
        import hypothesis
        return hypothesis
    except ImportError:
        python = pathlib.Path(__file__).resolve().parents[2] / ".venv/bin/python"
        if python.exists() and pathlib.Path(sys.prefix) != python.parents[1]:
            os.execv(python, [str(python), *sys.argv])
        print("skipped: Hypothesis is not installed (pip install hypothesis)")
        sys.exit(77)


class Search:
    """Looks for a scenario that fails, one batch of Hypothesis at a time."""

    def __init__(self, options, server):
        self.options = options
        self.server = server
        self.deadline = time.monotonic() + options.seconds
        self.played = self.wrong = 0
        self.smallest = None      # of the scenarios that failed: (length of its text, text, complaint)
        self.give_up = None       # when to stop shrinking

    def run_batch(self, seed):
        """Plays BATCH scenarios; True if none failed."""
        from hypothesis import HealthCheck, Phase, Verbosity, given, seed as with_seed, settings
        from scenarios import scenario

        @with_seed(seed)
        @settings(max_examples=BATCH, deadline=None, database=None, phases=[Phase.generate, Phase.shrink], verbosity=Verbosity.quiet,
                  suppress_health_check=list(HealthCheck), report_multiple_bugs=False, print_blob=False)
        @given(scenario(self.options.ranks))
        def batch(drawn):
            self.play(drawn)

        try:
            batch()
        except BaseException as error:  # Hypothesis groups errors that come only now and then, a race's for instance
            if self.smallest is None:
                raise error
        return self.smallest is None

    def play(self, drawn):
        """Plays one scenario and fails as Hypothesis wants it. Once the time is over, everything passes: that ends the shrinking, too."""
        now = time.monotonic()
        if now > (self.give_up or self.deadline):
            return
        self.played += 1
        self.wrong += "wrong" in drawn
        complaint = self.server.complaint(drawn)
        if not complaint:
            return
        text = json.dumps(drawn, separators=(",", ":"))
        if self.smallest is None:
            self.give_up = now + self.options.shrink_seconds
            self.server.stop()
            self.server.limit_s = max(4.0, self.server.limit_s / 5)
            print(f"a scenario fails:\n{text}\n{complaint}\nmaking it smaller, for {self.options.shrink_seconds} s at most", flush=True)
        if self.smallest is None or len(text) < self.smallest[0]:
            self.smallest = (len(text), text, complaint)
        raise AssertionError("the scenario fails")

    def report(self, seed):
        """Prints the smallest failure, how often it comes, and how to repeat it."""
        _, text, complaint = self.smallest
        again = sum(bool(self.server.complaint(json.loads(text))) for _ in range(5))
        print(f"FAIL after {self.played} scenarios, seed {seed}. The smallest that was seen to fail, which does so {again} times of 5:")
        print(f"{text}\n{complaint}\nrepeat it:\n  {repeat_command(['--replay', text])}")
        print(f"search and shrink again:\n  {repeat_command(['--seed', str(seed)])}")


def repeat_command(choice):
    """This command line with another choice of scenarios, and the part of the environment that matters."""
    words, skip = [sys.executable], False
    for word in sys.argv:
        if not skip and word not in ("--seed", "--replay"):
            words.append(word)
        skip = not skip and word in ("--seed", "--replay")
    at = words.index("--")
    return shlex.join(words[:at] + choice + words[at:])


def seeds(first):
    """A fixed seed, so that each run plays something known; then new ones. A given seed is the only one."""
    if first is not None:
        yield first
        return
    yield 1
    source = random.SystemRandom()
    while True:
        yield source.randrange(10**9)


def search(options, server):
    looking = Search(options, server)
    for count, seed in enumerate(seeds(options.seed)):
        if time.monotonic() > looking.deadline:
            break
        if not looking.run_batch(seed):
            looking.report(seed)
            return 1
        if options.progress and count % 20 == 0:
            print(f"{looking.played} scenarios, seed {seed}", flush=True)
    complaint = server.end()
    if complaint:
        print(f"FAIL: {complaint}")
    print(f"{looking.played} random scenarios, {looking.wrong} of them with a wrong spec")
    return 1 if complaint or looking.played == 0 else 0


def replay(options, server):
    text = options.replay if options.replay.startswith("{") else pathlib.Path(options.replay).read_text()
    complaint = server.complaint(json.loads(text)) or server.end()
    print(complaint or "the scenario passes")
    return 1 if complaint else 0


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], epilog="The launcher and its flags follow after --")
    parser.add_argument("program")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--seed", type=int, help="play the one batch that this seed makes")
    parser.add_argument("--replay", metavar="SCENARIO", help="play one scenario: a JSON text, or a file that holds one")
    parser.add_argument("--limit", type=float, default=20, help="seconds after which a scenario hangs (default %(default)s)")
    parser.add_argument("--shrink-seconds", type=float, default=120)
    parser.add_argument("--progress", action="store_true")
    if "--" not in sys.argv:
        parser.error("the launcher is missing: ... -- mpiexec [FLAG...]")
    at = sys.argv.index("--")
    options = parser.parse_args(sys.argv[1:at])
    options.launcher = sys.argv[at + 1:]
    return options


def main():
    options = parse()
    import_hypothesis()
    from server import Server
    command = [*options.launcher, "-n", str(options.ranks), options.program]
    server = Server(command, options.limit)
    if options.seed is not None:
        options.seconds = max(options.seconds, 600)
    try:
        status = replay(options, server) if options.replay else search(options, server)
    finally:
        server.stop()
    print(f"{1 - status} passed, {status} failed, 0 skipped")
    return status


if __name__ == "__main__":
    sys.exit(main())
