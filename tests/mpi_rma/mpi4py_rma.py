#!/usr/bin/env python3
"""Runs mpi4py's own tests of RMA with libhalocline_mpi loaded before the MPI.

    mpi4py_rma.py LIBRARY [--ranks 2] [--abi mpich] [--folder FOLDER] -- LAUNCHER [FLAG...]

FOLDER has what `./go test` fetches with pip: the wheel of mpi4py, and the tests of its source archive in `test`. HALOCLINE_MPI_STRICT=1
makes a window that falls back to the host MPI an error. Ends with 77 where mpi4py is not there. Nothing is fetched here.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TESTS = ("test_rma", "test_rma_nb", "test_win")


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def find(folder):
    """The Python that pip was run with, and where mpi4py is."""
    python = ROOT / ".venv/bin/python"
    packages = sorted(folder.glob("**/mpi4py/__init__.py"))
    if not packages or not (folder / "test/main.py").exists():
        skip(f"there is no mpi4py with its tests in {folder} (./go test fetches it)")
    return str(python if python.exists() else sys.executable), packages[0].parents[1]


def environment(options, packages):
    return {
        "PYTHONPATH": str(packages),
        "PYTHONDONTWRITEBYTECODE": "1",
        "MPI4PY_MPIABI": options.abi,
        "LD_PRELOAD": options.library,
        "HALOCLINE_MPI_STRICT": "1",
    }


def complaint(ranks, options, launcher):
    """Runs all the tests on so many ranks; says what failed."""
    python, packages = find(options.folder)
    words = [f"{name}={value}" for name, value in environment(options, packages).items()]
    command = [*launcher, "-n", str(ranks), "/usr/bin/env", *words, python, str(options.folder / "test/main.py"), "-q", *TESTS]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=os.environ, cwd=options.folder / "test")
    text = done.stdout + done.stderr
    counts = [int(number) for number in re.findall(r"Ran (\d+) tests", text)]
    if done.returncode != 0 or len(counts) != ranks or min(counts) == 0:
        return f"{ranks} ranks: status {done.returncode}, tests {counts}\n{text[-6000:]}"
    print(f"mpi4py on {ranks} ranks: {counts[0]} tests passed on each", flush=True)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], epilog="The launcher and its flags follow after --")
    parser.add_argument("library", type=lambda path: str(Path(path).resolve()))
    parser.add_argument("--ranks", default="2")
    parser.add_argument("--abi", default="mpich", choices=("mpich", "openmpi"))
    parser.add_argument("--folder", type=Path, default=ROOT / ".venv/mpi4py")
    at = sys.argv.index("--")
    options = parser.parse_args(sys.argv[1:at])
    complaints = [found for ranks in options.ranks.split(",") if (found := complaint(int(ranks), options, sys.argv[at + 1:]))]
    for text in complaints:
        print(f"FAIL on {text}")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
