#!/usr/bin/env python3
"""What `halocline advise` finds in programs whose exchanges are known (patterns.c): partners, bytes, steps, lines, late ranks; and what it
says about one that crashes, and one that sends nothing.

Usage: advise_test.py PATTERNS LIBRARY [--replay] -- LAUNCHER [FLAG...]      LIBRARY: the recorder; --replay: every exchange runs again, too

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCE = ROOT / "tests" / "advise" / "patterns.c"
STEPS, BYTES = 240, 4096
MODES = {"as recorded", "p2p", "neighbor", "fence", "pscw", "passive", "notify", "direct", "auto"}


def lines_of(name):
    """The lines between the marks of a function."""
    numbers = {word: number for number, line in enumerate(SOURCE.read_text().splitlines(), start=1)
               for word in re.findall(rf"/\* ((?:begin|end) {name}) \*/", line)}
    first, last = numbers[f"begin {name}"], numbers[f"end {name}"]
    return f"patterns.c:{first}" + (f"-{last}" if last > first else "")


class Run:
    """One call of the command."""

    def __init__(self, program, launcher, build, *words):
        command = [sys.executable, "-B", "-m", "halocline.command", "advise", "-n", "2", "--build", str(build), "--launcher",
                   shlex.join(launcher)]
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "advice.html"
            done = subprocess.run([*command, "--report", str(page), *words[:-1], str(program), words[-1]], capture_output=True, text=True,
                                  timeout=100, check=False, cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT / "bindings/python/src")})
            self.page = page.read_text() if page.exists() else ""
        self.code, self.text, self.errors = done.returncode, done.stdout, done.stderr

    def steps(self):
        return [int(one.replace(",", "")) for one in re.findall(r"^ +([\d,]+) steps", self.text, re.MULTILINE)]


def exchange_checks(run, name, sent, lines=None):
    """One exchange with what the program does."""
    yield f"{name} ends well", run.code == 0, run.errors + run.text
    yield f"{name}: one exchange of {STEPS} steps", run.steps() == [STEPS], run.text
    yield f"{name}: {sent} bytes to 1 partner", re.search(rf"2 ranks with 1 partner, {sent} sent per rank and step", run.text), run.text
    yield f"{name}: its lines", lines_of(lines or name) in run.text, run.text
    yield f"{name}: the page has the same", lines_of(lines or name) in run.page and "<h1>" in run.page, run.page


def late_checks(run):
    """Rank 0 waits 2 ms per step for rank 1."""
    found = re.search(r"per step in MPI, of it ([\d.]+) (µs|ms) for late ranks", run.text)
    late_us = float(found[1]) * (1000 if found[2] == "ms" else 1) if found else 0
    yield "late ranks are found", late_us > 500, run.text


def replay_checks(run):
    listed = re.search(r"^ +again: (.*?)\n   \S", run.text, re.MULTILINE | re.DOTALL)
    words = " ".join(listed[1].split()) if listed else ""
    names = {re.match(r"[a-z0-9_ ]*[a-z_0-9](?= \d| \([a-z])", one)[0] for one in words.split("; ") if one}
    yield f"every mode runs again: {names ^ MODES}", names == MODES, run.text + run.errors
    yield "it comes to an answer", re.search(r"^(Worth it|Not worth it|The machine was too busy)", run.text, re.MULTILINE), run.text


def checks(program, library, launcher, replays):
    build = pathlib.Path(library).resolve().parents[2]

    def run(name):
        return Run(program, launcher, build, "--no-replay", name)

    first = run("waitall")
    yield from exchange_checks(first, "waitall", "8 KiB")
    yield "its grid, as MPI_Cart_create was told", "(int[]){2}, (int[]){1}, &grid);" in first.text, first.text
    if not replays:
        return
    for name in ("sendrecv", "any_source", "persistent", "neighbours"):
        yield from exchange_checks(run(name), name, "8 KiB")
    yield from exchange_checks(run("typed"), "typed", "4 KiB")
    yield from late_checks(run("late"))
    none = run("nothing")
    yield "a program without messages", none.code == 0 and "Not worth it: the program has no exchange" in none.text, none.text
    windows = run("window")
    yield "windows are named", "halocline run --mpi" in windows.text and "windows (MPI RMA)" in windows.text, windows.text
    crash = run("crash")
    yield "a crash is reported", crash.code == 1 and "MPI_Finalize" in crash.errors and "exit code" in crash.errors, crash.errors
    yield from replay_checks(Run(program, launcher, build, "--seconds", "1", "waitall"))
    yield from replay_checks(Run(program, launcher, build, "--seconds", "1", "typed"))


def main():
    words = sys.argv[1:]
    mine, launcher = words[:words.index("--")], words[words.index("--") + 1:]
    failed = 0
    for name, good, said in checks(mine[0], mine[1], launcher, "--replay" in mine):
        print(f"{'ok' if good else 'FAILED'}: {name}")
        if not good:
            failed += 1
            print(said[-2000:])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
