#!/usr/bin/env python3
"""Calls ghost with options that are wrong, and expects exit status 2 and one message that names the option or the value.

wrong.py GHOST -- LAUNCHER FLAG...

SPDX-License-Identifier: BSD-3-Clause
"""
import subprocess
import sys

CASES = [
    (["--variant", "mpi_2copy"], "mpi_2copy"),
    (["--stencil", "9"], "--stencil"),
    (["--vars", "0"], "--vars"),
    (["--local", "0"], "--local"),
    (["--global", "4", "4"], "--global"),
    (["--global", "4", "-4", "4"], "--global"),
    (["--periodic=xw"], "'xw'"),
    (["--ranks", "3", "1", "1"], "2 ranks"),
    (["--ranks", "65536", "65536", "1"], "2 ranks"),
    (["--skew=-1"], "'-1' is not a whole number"),
    (["--global", "1", "1", "1"], "(1, 1, 1)"),
    (["--nonsense"], "--nonsense"),
]


def main():
    split = sys.argv.index("--")
    program, launcher = sys.argv[1], sys.argv[split + 1:]
    for words, named in CASES:
        command = [*launcher, "-n", "2", program, "--repeats", "0", *words]
        run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)
        if run.returncode != 2 or named not in run.stderr:
            sys.exit(f"{words}: exit status {run.returncode}, expected were 2 and {named}\n{run.stdout}{run.stderr}")
        print(f"{' '.join(words)}: {next(line for line in run.stderr.splitlines() if named in line)}")


if __name__ == "__main__":
    main()
