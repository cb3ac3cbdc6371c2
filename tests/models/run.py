#!/usr/bin/env python3
"""Checks a spin model and breaks it: every `check` line of its opening comment must hold in all interleavings, every `break` line must not.

Usage: run.py MODEL.pml [MACRO | --large | --unless-listed | --list]

A line reads `check  TITLE:  -DMACRO...` or `break  MACRO  WHAT IS BROKEN:  -DMACRO...`. Each is a search of all states, bounded in memory
and time; for a broken model spin has to find an error, and the line says which. With a MACRO only that line is run, with --large only the
`large` lines, which are checks of some million states. Ends with `N passed, N failed, N skipped`; status 77 where spin is not installed.

What a search finds depends on the model alone. So the file `checked` lists the models that passed, each with a hash of its text and of this
script. With --unless-listed a model that is listed as it is now is skipped; --list adds it once it has passed.

SPDX-License-Identifier: BSD-3-Clause
"""
import hashlib
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
CHECKED = pathlib.Path(__file__).resolve().with_name("checked")
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


def entry_of(model):
    """A model's line in the list: its name, and a hash of all that decides what a search finds."""
    digest = hashlib.sha256()
    for file in (model, model.with_name("memory.pml"), pathlib.Path(__file__)):
        digest.update(file.read_bytes())
    return f"{model.stem} {digest.hexdigest()}"


def listed():
    return CHECKED.read_text().splitlines() if CHECKED.exists() else []


def enter(model):
    """Puts a model that has passed into the list, in place of an older entry."""
    others = [line for line in listed() if line.split()[0] != model.stem]
    CHECKED.write_text("".join(f"{line}\n" for line in sorted([*others, entry_of(model)])))


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    model, option = pathlib.Path(sys.argv[1]).resolve(), "".join(sys.argv[2:])
    if option == "--unless-listed" and entry_of(model) in listed():
        print(f"skipped: this model has passed as it is, says {CHECKED.name}; ./go test --all checks it anew")
        return 77
    if not shutil.which("spin"):
        print("skipped: spin is not installed")
        return 77
    lines = LINE.findall(model.read_text())
    if option == "--large":
        lines = [line for line in lines if line[0] == "large"]
    elif option and not option.startswith("--"):
        lines = [line for line in lines if line[0] == "break" and line[1].split()[0] == option]
    else:
        lines = [line for line in lines if line[0] != "large"]
    results = [examine(model, kind, " ".join(title.split()), macros.split()) for kind, title, macros in lines]
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed, 0 skipped")
    if not results or not all(results):
        return 1
    if option == "--list":
        enter(model)
    return 0


if __name__ == "__main__":
    sys.exit(main())
