#!/usr/bin/env python3
"""Calls every mini-app and halocline-bench with options, case files and numbers of ranks that do not fit. Each must end with status 1 or 2
and one message, and without words of the launcher, even where ranks are late at their end.

endings.py LATE_END_LIBRARY [--few] PROGRAM... -- LAUNCHER FLAG...

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
RANKS = 4
FULL = ["--inserts", "50", "--buckets", "1", "--heap", "9", "--repeats", "1", "--variant", "engine"]
# What the message says, and the words of the command line. CASE is a file with an option that does not exist.
UNFIT = {
    "boltzmann": ("cannot be split", ["--global", "1", "1", "1"]),
    "cloud": ("cannot be split", [ROOT / "apps/cloud/quick.nml", "--global", "1,1,4"]),
    "fft": ("--grid needs 15 ranks", ["--decomposition", "pencil", "--grid", "3,5"]),
    "ghost": ("cannot be split", ["--global", "1", "1", "1"]),
    "halocline-bench": ("more than were started", ["halo", "--ranks", "5"]),
    "hashtable": ("is full: 9 cells", FULL),
    "lattice": ("--ranks does not fit 4 ranks", ["--ranks", "3,1,1,1"]),
    "pic": ("cannot be split", ["--cells", "1,1,1", "--wave", "1e-3"]),
    "sparse": ("--neighbours", ["--neighbours", "-1"]),
}
CASES = {"boltzmann": ["--case"], "cloud": [], "pic": []}
NOISE = re.compile(r"BAD TERMINATION|KILLED|EXIT STRING|MPI_Abort|signal|proxy:")


def cases_of(name, case, few):
    """Pairs of what a message says, and the words that must lead to it."""
    yield UNFIT[name]
    if few:
        return
    yield "--nonsense", ["halo", "--nonsense"] if name == "halocline-bench" else ["--nonsense"]
    if name in CASES:
        yield str(case), [*CASES[name], case]


def wrong_with(run, said, is_hydra):
    if run.returncode not in (1, 2):
        return f"exit status {run.returncode}, not 1 or 2"
    lines = run.stderr.splitlines()
    if sum(said in line for line in lines) != 1 or len(lines) != len(set(lines)):
        return f"there is not one message with {said!r}"
    return "the launcher's words" if is_hydra and NOISE.search(run.stderr + run.stdout) else ""


def main():
    split = sys.argv.index("--")
    launcher, words = sys.argv[split + 1:], sys.argv[1:split]
    few = "--few" in words
    late, *programs = [word for word in words if word != "--few"]
    version = subprocess.run([launcher[0], "--version"], capture_output=True, text=True, check=False).stdout
    is_hydra = "HYDRA" in version.upper() or "INTEL" in version.upper()
    failed = passed = 0
    with tempfile.TemporaryDirectory() as folder:
        case = pathlib.Path(folder) / "wrong.case"
        case.write_text("viscosty = 0.1\n")
        for program in programs:
            for said, options in cases_of(pathlib.Path(program).name, case, few):
                command = [*launcher, "-n", RANKS, "/usr/bin/env", f"LD_PRELOAD={late}", program, *options]
                end = pathlib.Path(folder) / "end"
                end.unlink(missing_ok=True)
                run = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, timeout=100,
                                     env={**os.environ, "LATE_END_FILE": str(end)})
                wrong = wrong_with(run, said, is_hydra) or ("" if end.exists() else "the launcher has killed rank 0")
                passed, failed = passed + (not wrong), failed + bool(wrong)
                print(f"{pathlib.Path(program).name} {' '.join(map(str, options))}: {wrong or 'right'}")
                if wrong:
                    print(f"{run.stdout}{run.stderr}")
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
