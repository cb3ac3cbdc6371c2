#!/usr/bin/env python3
"""Calls fft with options that are wrong, and expects a failure and a message that names the option or the value.

wrong.py FFT -- LAUNCHER FLAG...

SPDX-License-Identifier: BSD-3-Clause
"""
import subprocess
import sys

CASES = [
    (3, [], "3 is none"),
    (3, ["--decomposition", "pencil"], "no pencils of 3 ranks"),
    (2, ["--decomposition", "pencil", "--grid", "2,2"], "--grid needs 4 ranks"),
    (2, ["--decomposition", "pencil", "--grid", "65536,65536"], "--grid needs 4294967296 ranks"),
    (2, ["--skew", "99999999999999999999"], "'99999999999999999999' is not a whole number"),
    (2, ["--size", "8,8,7"], "7 points in z"),
    (2, ["--size", "256,256,256", "--check"], "--check"),
    (2, ["--class", "D"], "--class"),
    (2, ["--variant", "upc"], "upc"),
    (2, ["--nonsense"], "--nonsense"),
]


def main():
    split = sys.argv.index("--")
    program, launcher = sys.argv[1], sys.argv[split + 1:]
    for ranks, words, named in CASES:
        command = [*launcher, "-n", str(ranks), program, *words]
        run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)
        if run.returncode == 0 or named not in run.stderr:
            sys.exit(f"{words}: exit status {run.returncode}, expected were a failure and {named}\n{run.stdout}{run.stderr}")
        print(f"{' '.join(words)}: {next(line for line in run.stderr.splitlines() if named in line)}")


if __name__ == "__main__":
    main()
