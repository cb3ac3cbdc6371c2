#!/usr/bin/env python3
"""Calls pic with options that are wrong, and expects words that say so.

wrong.py PIC -- LAUNCHER FLAG...

SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib
import subprocess
import sys
import tempfile

import cases

TWO = ["--species", "a,b", "--charge=-1,1", "--mass", "1,1", "--density", "1,1", "--per-cell", "2,2", "--thermal-speed", "0,0"]
SAME = [word.replace("--charge=-1,1", "--charge=1,1") for word in TWO]
WAVE = ["--wave", "1e-3"]
# After some steps one rank alone has a particle that is too fast, while a swap of the magnetic field is under way.
FAST = ["--cells", "8,6,5", "--length", "0.8,0.6,0.5", "--time-step", "0.2", "--steps", "50", "--species", "a", "--charge=-1",
        "--mass", "0.1", "--density", "1", "--per-cell", "6", "--thermal-speed", "0.12", "--start", "random", "--drift", "0.4",
        "--wave", "0.3", "--mode", "1,1,0"]
WRONG = [
    (["--cells", "8,8"], "--cells"),
    (["--cells", "0,8,8"], "--cells"),
    (["--time-step", "0"], "'0' is not a positive number"),
    (["--theta", "0.4"], "'0.4' is not a number from 0.5 to 1"),
    (["--species", "electrons"], "need 1 numbers each, one per species"),
    ([*TWO, "--drift", "0"], "need 2 numbers each"),
    (["--species", "a", "--charge", "0", "--mass", "1", "--density", "1", "--per-cell", "2", "--thermal-speed", "0", "--drift", "0"],
     "a species has charge 0"),
    (["--sheet-field", "0.1"], "Harris sheets need two species"),
    ([*SAME, "--drift", "0,0", "--sheet-field", "0.1"], "opposite signs"),
    ([*TWO[2:], "--drift", "0,0", "--species", "a,a"], "a name twice"),
    ([*TWO, "--drift", "nan,0"], "'nan' is not a finite number"),
    (["--wave", "inf"], "'inf' is not a finite number"),
    (["--wave", "0"], "nothing to compute"),
    ([], "nothing to compute"),
    (["--variant", "notfy", *WAVE], "notify"),
    (["--variant", "notify:often", *WAVE], "no way to sum is called often"),
    (["--variant", "notify:hlc:pigeons", *WAVE], "not pigeons"),
    (["--ranks", "3,1,1", *WAVE], "rank"),
    (["--restart", "/nonexistent/file.nc", *WAVE], "/nonexistent/file.nc"),
    (["--output", "/nonexistent/file.nc", *WAVE], "--output /nonexistent/file.nc: No such file"),
    (["--history", "/nonexistent/file.csv", *WAVE], "--history /nonexistent/file.csv: No such file"),
    (["--json", "/nonexistent/file.json", "--steps", "1000000000", *WAVE], "--json /nonexistent/file.json: No such file"),
    (["--history", "/dev/full", *WAVE], "--history /dev/full: No space left on device"),
    (["/nonexistent/case.toml"], "/nonexistent/case.toml"),
    ([*TWO, "--drift", "2,0"], "times the speed of light"),
    *(([*FAST, "--variant", variant], "times the speed of light at step 1") for variant in ("p2p:mpi:messages", "notify", "direct")),
    (["--nonsense"], "--nonsense"),
]


MISSPELLED = "no option is called 'tme_step'"


def main():
    program, launcher = cases.program_and_launcher()
    with tempfile.TemporaryDirectory() as folder:
        case = pathlib.Path(folder) / "case.toml"
        case.write_text("cells = [8, 1, 1]\nwave = 1e-3\ntme_step = 0.1\nsteps = 1\n")
        try_all(program, launcher, [*WRONG, ([str(case)], f"{case}: {MISSPELLED}")])


def try_all(program, launcher, wrong):
    for words, named in wrong:
        done = subprocess.run([*launcher, "-n", "2", program, *words], capture_output=True, text=True, check=False, timeout=100)
        if done.returncode == 0 or named not in done.stderr:
            sys.exit(f"{words}: exit status {done.returncode}, expected were a failure and {named}\n{done.stdout}{done.stderr}")
        print(f"{' '.join(words)}: {next(line for line in done.stderr.splitlines() if named in line)}")


if __name__ == "__main__":
    main()
