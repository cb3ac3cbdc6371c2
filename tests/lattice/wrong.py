#!/usr/bin/env python3
"""Calls lattice with options that are wrong, and expects a failure and a message that names the option or the value.

wrong.py LATTICE -- LAUNCHER FLAG...

SPDX-License-Identifier: BSD-3-Clause
"""
import subprocess
import sys

CASES = [
    (["--variant", "upc"], "upc"),
    (["--local", "4", "4", "3", "8"], "not 3"),
    (["--global", "4", "4", "4"], "--global"),
    (["--global", "2", "2", "2", "2", "--ranks", "3", "1", "1", "1"], "ranks"),
    (["--local", "4", "4", "4", "2", "--naik"], "along t a rank has 2 sites"),
    (["--mass", "0"], "--mass"),
    (["--precision", "half"], "half"),
    (["--read", "links"], "--read needs --global"),
    (["--global", "4", "4", "4", "4", "--read", "/nowhere/links"], "/nowhere/links: it cannot be read"),
    (["--global", "4", "4", "4", "4", "--write", "/nowhere/links"], "/nowhere/links: it cannot be written"),
    (["--nonsense"], "--nonsense"),
]


def main():
    split = sys.argv.index("--")
    program, launcher = sys.argv[1], sys.argv[split + 1:]
    for words, named in CASES:
        command = [*launcher, "-n", "2", program, *words]
        run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)
        if run.returncode == 0 or named not in run.stderr:
            sys.exit(f"{words}: exit status {run.returncode}, expected were a failure and {named}\n{run.stdout}{run.stderr}")
        print(f"{' '.join(words)}: {next(line for line in run.stderr.splitlines() if named in line)}")


if __name__ == "__main__":
    main()
