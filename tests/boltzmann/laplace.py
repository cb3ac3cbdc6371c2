#!/usr/bin/env python3
"""Laplace's law to 1 %: the case drop.toml by distributions, and a smaller drop by finite differences.

laplace.py BOLTZMANN -- LAUNCHER FLAG...

SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib
import subprocess
import sys

CASE = pathlib.Path(__file__).resolve().parents[2] / "apps" / "boltzmann" / "drop.toml"
SMALLER = ["--global", "64", "1", "64", "--radius", "16", "--bulk", "0.04", "--kappa", "0.08", "--mobility", "0.25",
           "--viscosity", "0.1667", "--steps", "6000"]
RUNS = [["--order-parameter", "lb"], ["--order-parameter", "fd", *SMALLER]]


def main():
    split = sys.argv.index("--")
    program, launcher = sys.argv[1], sys.argv[split + 1:]
    for words in RUNS:
        command = [*launcher, "-n", "1", program, "--case", str(CASE), "--check", "--variant", "direct", *words]
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=500)
        verdicts = [line for line in done.stdout.splitlines() if line.startswith("check ")]
        if done.returncode != 0 or len(verdicts) != 1 or "Laplace" not in verdicts[0]:
            sys.exit(f"{' '.join(words)}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
        print(verdicts[0])


if __name__ == "__main__":
    main()
