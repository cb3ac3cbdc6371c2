#!/usr/bin/env python3
"""Checks a spin model and breaks it: every `check` line of its opening comment must hold in all interleavings, every `break` line must not.

Usage: run.py MODEL.pml [MACRO | --large]

A line reads `check  TITLE:  -DMACRO...` or `break  MACRO  WHAT IS BROKEN:  -DMACRO...`. Each is a search of all states, bounded in memory
and time; for a broken model spin has to find an error, and the line says which. With a MACRO only that line is run, with --large only the
`large` lines, which are checks of some million states. Ends with `N passed, N failed, N skipped`; status 77 where spin is not installed.

SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

MOST_SECONDS = 300
MOST_MEGABYTES = 2000
FEW_SECONDS = 5  # for a program that was compiled quickly rather than well: gcc takes longer than most searches
LINE = re.compile(r"^ \* (check|break|large)\s+(.*?):\s+(-D.*)$", re.M)


def compile_and_run(compiler, folder, seconds):
    flags = ["-w", "-DSAFETY", f"-DMEMLIM={MOST_MEGABYTES}", "-DVECTORSZ=2048"]
    subprocess.run([*compiler, *flags, "-o", "pan", "pan.c"], cwd=folder, check=True)
    return subprocess.run(["./pan", "-m2000000", "-n"], cwd=folder, capture_output=True, text=True, timeout=seconds)


def search(model, macros, broken):
    """Searches all states of a model. Returns spin's first error ('' if there is none) and the number of states."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["spin", *macros, "-a", str(model)], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        # Most searches end so soon that the compiler's time counts, and tcc takes a tenth of gcc's.
        try:
            run = compile_and_run(["tcc"] if shutil.which("tcc") else ["gcc", "-O0"], folder, MOST_SECONDS if broken else FEW_SECONDS)
        except subprocess.TimeoutExpired:
            run = compile_and_run(["gcc", "-O1"], folder, MOST_SECONDS)
    error = re.search(r"^pan:\d+: (.*?) \(at depth", run.stdout, re.M)
    states = re.search(r"^\s*(\d+) states, stored", run.stdout, re.M)
    if not error and ("Search not completed" in run.stdout or "max search depth too small" in run.stdout or not states):
        error = re.search(r"(error: .*|pan: .*)", run.stdout)
        raise RuntimeError(error[1] if error else run.stdout[-500:])
    return error[1].strip() if error else "", int(states[1]) if states else 0


def examine(model, kind, title, macros):
    """Runs one line; prints what came out; True if it came out as it must."""
    broken = kind == "break"
    if broken:
        macros = ["-D" + title.split()[0], *macros]
    start = time.monotonic()
    try:
        error, states = search(model, macros, broken)
        good = bool(error) == broken
        outcome = error or f"holds in all {states} states"
    except (RuntimeError, subprocess.SubprocessError) as failure:
        good, outcome = False, f"no answer: {failure}"
    print(f"{'ok  ' if good else 'FAIL'} {kind} {title}: {outcome} ({time.monotonic() - start:.1f} s)", flush=True)
    return good


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    if not shutil.which("spin"):
        print("skipped: spin is not installed")
        return 77
    model = pathlib.Path(sys.argv[1]).resolve()
    lines = LINE.findall(model.read_text())
    if sys.argv[2:] == ["--large"]:
        lines = [line for line in lines if line[0] == "large"]
    elif len(sys.argv) == 3:
        lines = [line for line in lines if line[0] == "break" and line[1].split()[0] == sys.argv[2]]
    else:
        lines = [line for line in lines if line[0] != "large"]
    results = [examine(model, kind, " ".join(title.split()), macros.split()) for kind, title, macros in lines]
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed, 0 skipped")
    return 0 if results and all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
