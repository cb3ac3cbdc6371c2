"""Runs of pic for its tests.

SPDX-License-Identifier: BSD-3-Clause
"""
import csv
import os
import pathlib
import subprocess
import sys

WITHOUT_NETCDF = "this build has no NetCDF"
CASES = pathlib.Path(__file__).resolve().parents[2] / "apps" / "pic"


def program_and_launcher():
    """The program, and what launches it: the words behind --."""
    split = sys.argv.index("--")
    return sys.argv[1], sys.argv[split + 1:]


def run(ranks, case, *words, nodes=1):
    """Runs a case to its end and returns what it printed, None if it needs NetCDF and has none. A check that fails ends this script."""
    program, launcher = program_and_launcher()
    command = [*launcher, "-n", str(ranks), program, *([str(CASES / f"{case}.toml")] if case else []), *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=390,
                          env=os.environ | {"HALOCLINE_FAKE_NODES": str(nodes)})
    if WITHOUT_NETCDF in done.stderr:
        return None
    if done.returncode != 0 or "check solver right" not in done.stdout:
        sys.exit(f"{' '.join(command)}: exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def fingerprint(output):
    """The bits of fields and particles."""
    (line,) = (line for line in output.splitlines() if line.startswith("fingerprint "))
    return line.split()[1]


def history(file):
    """The lines of a history as dictionaries of numbers."""
    with pathlib.Path(file).open() as lines:
        return [{key: float(number) for key, number in line.items()} for line in csv.DictReader(lines)]
