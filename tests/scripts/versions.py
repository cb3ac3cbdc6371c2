#!/usr/bin/env python3
"""Every program says its version, and that is the project's.

Usage: versions.py VERSION FOLDER PROGRAM...    FOLDER: where the programs are, such as build/release/bin

Last line: N passed, N failed, N skipped.

SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib
import subprocess
import sys


def fault_of(program, version):
    """A sentence if the program does not print its name and the version alone, with status 0."""
    done = subprocess.run([program, "--version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
    wanted = f"{program.name} {version}\n"
    right = done.returncode == 0 and done.stdout == wanted
    return "" if right else f"{program.name}: status {done.returncode}, {done.stdout!r} and not {wanted!r}"


def main():
    version, folder, *programs = sys.argv[1:]
    faults = [fault for fault in (fault_of(pathlib.Path(folder, name), version) for name in programs) if fault]
    print(*faults, sep="\n", end="\n" if faults else "")
    print(f"{len(programs) - len(faults)} passed, {len(faults)} failed, 0 skipped")
    return 1 if faults or not programs else 0


if __name__ == "__main__":
    sys.exit(main())
