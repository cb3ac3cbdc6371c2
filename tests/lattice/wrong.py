#!/usr/bin/env python3
"""Calls lattice with options that are wrong, and expects a failure and a message that names the option or the value. Then one rank stops
in a run, and the other one ends it with a message.

wrong.py LATTICE -- LAUNCHER FLAG...

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import subprocess
import sys

CASES = [
    (["--variant", "upc"], "upc"),
    (["--local", "4", "4", "3", "8"], "not 3"),
    (["--local", "4,4,3,8"], "even numbers from 2 to 9999998, not 3"),
    (["--ranks", "65536,65536,1,1"], "--ranks does not fit 2 ranks"),
    (["--global", "4", "4", "4"], "--global"),
    (["--global", "2", "2", "2", "2", "--ranks", "3", "1", "1", "1"], "ranks"),
    (["--local", "4", "4", "4", "2", "--naik"], "along t a rank has 2 sites"),
    (["--mass", "0"], "--mass"),
    (["--precision", "half"], "half"),
    (["--read", "links"], "--read needs --global"),
    (["--global", "4", "4", "4", "4", "--read", "/nowhere/links"], "/nowhere/links: it cannot be read"),
    (["--global", "4", "4", "4", "4", "--write", "/nowhere/links"], "/nowhere/links: it cannot be written"),
    (["--global", "4", "4", "4", "4", "--read", "/dev/zero"], "/dev/zero: it is not a regular file"),
    (["--global", "4", "4", "4", "4", "--write", "/dev/null"], "/dev/null: it is not a regular file"),
    (["--ranks", "65536", "65536", "1", "1"], "--ranks does not fit 2 ranks"),
    (["--local", "9999998", "9999998", "9999998", "9999998"], "more than 2^32 sites"),
    (["--mass", "nan"], "'nan' is not a number from 1e-06 to 1000"),
    (["--residual", "nan"], "'nan' is not a number from 0 to 1"),
    (["--seed=-1"], "'-1' is not a whole number"),
    (["--nonsense"], "--nonsense"),
]


# A long run, on a rank that is stopped in it.
LONG = ["--local", "16", "16", "16", "16", "--variant", "notify", "--repeats", "0", "--mass", "0.0001", "--iterations", "100000"]
STOPS = 'timeout -s STOP %d "$@"'


def run_stopped(program, launcher, seconds):
    """A run in which rank 1 stops after so long; None if it does not end: on a busy machine that may be before its MPI has started."""
    stops = ["sh", "-c", STOPS % seconds, "sh"]
    command = ["timeout", "-k", "5", str(seconds + 40), *launcher, "-n", "1", program, *LONG, ":", "-n", "1", *stops, program, *LONG]
    run = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | {"HALOCLINE_TIMEOUT": "3"})
    return None if run.returncode in (124, 137) else run


def expect_end_of_run(program, launcher):
    """Only rank 0 has an error of the library, so it ends the job."""
    run = run_stopped(program, launcher, 4) or run_stopped(program, launcher, 20)
    if not run:
        sys.exit("a rank that stops: the run did not end")
    named = "lattice, rank 0: HLC_ERR_TIMEOUT"
    if run.returncode == 0 or named not in run.stderr:
        sys.exit(f"a rank that stops: exit status {run.returncode}, expected were a failure and {named}\n{run.stdout}{run.stderr}")
    print(next(line for line in run.stderr.splitlines() if named in line))


def main():
    split = sys.argv.index("--")
    program, launcher = sys.argv[1], sys.argv[split + 1:]
    for words, named in CASES:
        command = [*launcher, "-n", "2", program, *words]
        run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)
        if run.returncode == 0 or named not in run.stderr:
            sys.exit(f"{words}: exit status {run.returncode}, expected were a failure and {named}\n{run.stdout}{run.stderr}")
        print(f"{' '.join(words)}: {next(line for line in run.stderr.splitlines() if named in line)}")
    expect_end_of_run(program, launcher)


if __name__ == "__main__":
    main()
