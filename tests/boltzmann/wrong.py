#!/usr/bin/env python3
"""Calls boltzmann with options that are wrong, and expects a failure and a message that names the option or the value. A wrong solution
must fail, too, and one that is right where rounding is worst must not.

wrong.py BOLTZMANN [--too-fast] -- LAUNCHER FLAG...

SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib
import subprocess
import sys
import tempfile

SPINODAL = ["--problem", "spinodal", "--order-parameter", "fd"]
PLATES = ["--problem", "poiseuille", "--walls", "0", "0", "1", "--local", "4", "4", "8", "--force", "1e-4", "0", "0"]
DROP = ["--problem", "drop", "--order-parameter", "lb", "--global", "10", "10", "10"]
TOO_FAST = [
    (1, ["--local", "4", "4", "8", "--speed", "0.2", "--viscosity", "0.0001", "--force", "0.1", "0", "0", "--steps", "300"],
     "WRONG: it has become unstable: in step 4 the fluid at site (4, 0, 1) moves at 0.581"),
    # A flow that is faster than lattice Boltzmann is right for, where it is fastest.
    (0, ["--global", "16", "1", "16", "--speed", "0.2", "--steps", "20"],
     "warning: in step 1 the fluid at site (8, 0, 3) moves at 0.184"),
]
CASES = [
    (2, ["--variant", "upc"], "upc"),
    (2, ["--local", "4", "4", "0"], "--local"),
    (2, ["--ranks", "3", "1", "1"], "--ranks does not fit 2 ranks"),
    (2, ["--global", "1", "1", "1"], "cannot be split"),
    (2, ["--problem", "taylor_green", "--global", "1", "8", "8"], "1 site along x is too few"),
    (2, ["--problem", "taylor_green", "--global", "8", "8", "1"], "1 site along z is too few"),
    (2, ["--viscosity", "0"], "--viscosity"),
    (2, ["--viscosity", "nan"], "'nan' is not a number"),
    (2, ["--problem", "drop"], "needs two fluids"),
    (2, ["--problem", "poiseuille"], "needs walls"),
    (2, ["--walls", "0", "0", "1"], "needs x and z without --walls"),
    (2, [*SPINODAL, "--mobility", "2"], "unstable by finite differences"),
    (2, ["--problem", "spinodal", "--order-parameter", "lb", "--mobility", "2"], "unstable by distributions"),
    (2, ["--case", "/nowhere/case.toml"], "/nowhere/case.toml"),
    (2, ["--json", "/nonexistent/file.json", "--steps", "1000000000"], "--json /nonexistent/file.json: No such file"),
    (2, [*DROP, "--radius", "8", "--check"], "--check: a drop of radius 8 has an interface that ends"),
    (2, [*DROP, "--radius", "1", "--check"], "--check: a drop of radius 1 has no site inside"),
    # In a uniform fluid all sites round alike: it is conserved nevertheless.
    (0, [*DROP, "--radius", "1000", "--steps", "2"], "right: mass changed by"),
    (0, [*DROP, "--radius", "1000", "--steps", "1", "--bulk", "0.2", "--viscosity", "0.01"], "right: mass changed by"),
    (2, ["--seed=-1"], "'-1' is not a whole number"),
    (2, ["--nonsense"], "--nonsense"),
    # The parabola has not been reached, and the wave is too short for 1 %.
    (1, [*PLATES, "--steps", "3", "--check"], "WRONG: off by more than 1 %"),
    (1, ["--local", "4", "4", "8", "--steps", "30", "--check"], "WRONG: off by more than 1 %"),
    *TOO_FAST,
]


def main():
    split = sys.argv.index("--")
    if "--too-fast" in sys.argv[:split]:
        return try_all(sys.argv[1], sys.argv[split + 1:], TOO_FAST)
    with tempfile.TemporaryDirectory() as folder:
        case = pathlib.Path(folder) / "case.toml"
        case.write_text("steps = 1\nviscosty = 0.1\n")
        try_all(sys.argv[1], sys.argv[split + 1:], [*CASES, (2, ["--case", str(case)], f"{case}: no option is called 'viscosty'")])


def try_all(program, launcher, cases):
    for status, words, named in cases:
        run = subprocess.run([*launcher, "-n", "2", program, *words], capture_output=True, text=True, check=False, timeout=100)
        said = run.stdout + run.stderr
        if run.returncode != status or named not in said:
            sys.exit(f"{words}: exit status {run.returncode}, expected were {status} and {named}\n{said}")
        print(f"{' '.join(words)}: {next(line for line in said.splitlines() if named in line)}")


if __name__ == "__main__":
    main()
