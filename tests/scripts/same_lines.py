#!/usr/bin/env python3
"""Runs the lessons of examples/ in all languages: each prints one line, which is the one that its opening comment promises and the same in
all languages. Last line: N passed, N failed, N skipped.

Usage: same_lines.py PROGRAM... -- LAUNCHER [FLAG...]     programs: PATH/example_LANGUAGE_LESSON

SPDX-License-Identifier: BSD-3-Clause
"""
import collections
import pathlib
import re
import subprocess
import sys

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
SUFFIXES = {"c": ".c", "cxx": ".cpp", "fortran": ".F90"}
PROMISE = re.compile(r"mpiexec -n (\d+) \./\w+ +prints: (.*)$", re.M)
MOST_LINES = 60


def faults(program, launcher):
    """Runs a lesson as its file says; returns the line that it promises, and what is not as promised."""
    _, language, lesson = pathlib.Path(program).name.split("_", 2)
    text = (EXAMPLES / language / (lesson + SUFFIXES[language])).read_text()
    ranks, promised = PROMISE.search(text).groups()
    result = subprocess.run([*launcher, "-n", ranks, program], capture_output=True, text=True, timeout=120, check=False)
    found = []
    if result.returncode:
        found.append(f"status {result.returncode}: {result.stderr}")
    if result.stdout.splitlines() != [promised]:
        found.append(f"printed {result.stdout!r}, not {promised!r}")
    if len(text.splitlines()) >= MOST_LINES:
        found.append(f"has {len(text.splitlines())} lines, {MOST_LINES} or more")
    return lesson, language, promised, found


def main():
    split = sys.argv.index("--")
    lessons = collections.defaultdict(set)
    failed = 0
    for program in sys.argv[1:split]:
        lesson, language, promised, found = faults(program, sys.argv[split + 1:])
        lessons[lesson].add(promised)
        failed += bool(found)
        print("FAILED" if found else "passed", f"{lesson} in {language}", *found)
    for lesson, lines in lessons.items():
        failed += len(lines) > 1
        print("FAILED" if len(lines) > 1 else "passed", f"{lesson}: one line in all languages", *(sorted(lines) if len(lines) > 1 else []))
    print(f"{split - 1 + len(lessons) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed or split == 1 else 0


if __name__ == "__main__":
    sys.exit(main())
