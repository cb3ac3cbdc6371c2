#!/usr/bin/env python3
"""Runs pic in every mode, with every way to sum and to move particles, on several numbers of ranks: all must have the same bits. So must a
run that goes on from a file.

same.py PIC [--all] -- LAUNCHER FLAG...

SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib
import subprocess
import sys
import tempfile

import cases

# Warm particles in a magnetic field, more than one of which leaves its block in each step.
CASE = ["--cells", "8,6,5", "--length", "0.8,0.6,0.5", "--time-step", "0.2", "--species", "electrons,ions", "--charge=-1,1",
        "--mass", "0.04,1", "--density", "1,1", "--per-cell", "6,5", "--thermal-speed", "0.05,0.01", "--drift", "0.05,0",
        "--wave", "0.01", "--mode", "1,1,0", "--history-every", "4"]
MODES = ["p2p", "neighbor", "fence", "pscw", "passive", "passive_naive", "notify", "direct", "view", "notify_node", "auto"]
VARIANTS = ["p2p:mpi:messages", "notify:overlapped:notified", "direct+notify:hlc", "view:mpi_overlapped", "auto"]


def expect_same(what, output, bits):
    found = cases.fingerprint(output)
    print(f"{what}: {found}")
    if found != bits:
        sys.exit(f"{what} has other bits: {found}, on one rank {bits}")


def expect_refused(what, file, case, named):
    program, launcher = cases.program_and_launcher()
    done = subprocess.run([*launcher, "-n", "2", program, *case, "--restart", str(file)], capture_output=True, text=True, check=False,
                          timeout=100)
    if done.returncode != 2 or named not in done.stderr:
        sys.exit(f"{what}: exit status {done.returncode}, expected were 2 and {named}\n{done.stdout}{done.stderr}")
    print(f"{what}: refused")


def check_restart(bits):
    """5 steps, then 3 from the file, on another number of ranks."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "state.nc"
        if cases.run(2, None, *CASE, "--steps", 5, "--output", file) is None:
            print(f"no restart: {cases.WITHOUT_NETCDF}")
            return
        expect_same("a run that goes on", cases.run(1, None, *CASE, "--steps", 3, "--restart", file), bits)
        expect_refused("a state of other masses", file, [word.replace("0.04,1", "0.05,1") for word in CASE], "charge_to_mass_of_species")


def runs_of(everything):
    """Ranks, nodes and variants. With more ranks than cores a swap by fences takes tens of milliseconds."""
    if not everything:
        return [(2, 1, VARIANTS), (4, 1, VARIANTS[1:3])]
    few = ["p2p:mpi:messages", *VARIANTS[1:3]]
    between = [*VARIANTS[1:3], "notify_node:overlapped"]
    every = [f"{mode}:{sums}" for mode in MODES for sums in ("mpi", "overlapped")]
    return [(1, 1, few), (2, 1, every), (3, 1, few), (4, 1, few), (6, 1, few), (2, 2, between), (4, 2, between), (6, 3, between)]


def main():
    bits = cases.fingerprint(cases.run(1, None, *CASE, "--steps", 8, "--variant", "p2p:mpi:messages"))
    print(f"one rank: {bits}")
    for ranks, nodes, some in runs_of("--all" in sys.argv[:sys.argv.index("--")]):
        output = cases.run(ranks, None, *CASE, "--steps", 8, "--variant", ",".join(some), nodes=nodes)
        expect_same(f"{ranks} ranks as {nodes} nodes, {', '.join(some)}", output, bits)
    check_restart(bits)


if __name__ == "__main__":
    main()
