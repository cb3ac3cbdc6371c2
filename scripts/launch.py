#!/usr/bin/env python3
"""Starts a program of a build folder under the MPI launcher that the build was configured with.

Run by itself: launch.py --build build/release --ranks 2 -- halocline-bench halo --fields 1

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import os
import pathlib
import subprocess
import sys


def cache(build):
    """Returns the entries of a build folder's CMakeCache.txt as a dictionary."""
    entries = {}
    for line in (pathlib.Path(build) / "CMakeCache.txt").read_text().splitlines():
        name, equals, value = line.partition("=")
        if equals and ":" in name and not line.startswith(("#", "//")):
            entries[name.split(":")[0]] = value
    return entries


def launcher(build):
    """Returns the start of a launch command: launcher, its flags, and the flag that takes the number of ranks."""
    entries = cache(build)
    mpiexec = os.environ.get("MPIEXEC") or entries["MPIEXEC_EXECUTABLE"]
    return [mpiexec, *flags(mpiexec), *entries.get("MPIEXEC_PREFLAGS", "").split(";")], entries.get("MPIEXEC_NUMPROC_FLAG", "-n")


def flags(mpiexec):
    """Open MPI refuses more ranks than cores, and root, unless it is asked."""
    version = subprocess.run([mpiexec, "--version"], capture_output=True, text=True, check=False).stdout
    if not any(name in version.lower() for name in ("open mpi", "openrte", "prrte")):
        return []
    return ["--oversubscribe"] + (["--allow-run-as-root"] if os.geteuid() == 0 else [])


def command(build, ranks, program, *arguments):
    """Returns the whole command line for a program that lies in BUILD/bin."""
    start, count_flag = launcher(build)
    path = pathlib.Path(build).resolve() / "bin" / program
    return [word for word in start if word] + [count_flag, str(ranks), str(path), *map(str, arguments)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("program", nargs="+")
    options = parser.parse_args()
    sys.exit(subprocess.run(command(options.build, options.ranks, *options.program), check=False).returncode)


if __name__ == "__main__":
    main()
