#!/usr/bin/env python3
"""Compiles the programs of this folder with oshcc, oshc++ and oshfort, and runs them with oshrun, as a user does.

Usage: wrappers.py PROGRAM -- LAUNCHER FLAG...       PROGRAM: any of the build; the wrappers are beside it. The flags are for oshrun.

SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = {"oshcc": ("generic.c", ()), "oshc++": ("overloads.cpp", ()), "oshfort": ("fortran.f90", ("-fallow-argument-mismatch", "-w"))}


def output_of(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, timeout=200).stdout


def fault_of(programs, flags, name, folder):
    """What is wrong with a wrapper; None if nothing is."""
    source, options = SOURCES[name]
    wrapper, program, unlinked = str(programs / name), str(folder / name), str(folder / f"{name}.o")
    shown = output_of(wrapper, "--showme", "-c", source)
    if "-lhalocline_shmem" in shown or "--showme" in shown or "-I" not in shown:
        return f"{name} --showme -c: {shown}"
    if shown != output_of(wrapper, "-c", source, "-show"):
        return f"{name} -show and --showme differ"
    parts = [output_of(wrapper, f"--showme:{part}").split() for part in ("compile", "link")]
    if sorted(sum(parts, [])) != sorted(output_of(wrapper, "--showme").split()[1:]):
        return f"{name} --showme:compile and --showme:link print {parts}"
    if not output_of(wrapper, "--help").startswith(f"{name} ARGUMENT"):
        return f"{name} --help: {output_of(wrapper, '--help')}"
    output_of(wrapper, *options, "-c", str(HERE / source), "-o", unlinked)
    output_of(wrapper, unlinked, "-o", program)
    printed = output_of(str(programs / "oshrun"), *flags, "-n", "2", program)
    return None if "1 passed, 0 failed" in printed else f"{name}: the program printed {printed}"


def main(program, *rest):
    """Tries the wrappers that there are; the exit status is 1 if one fails."""
    programs, flags = pathlib.Path(program).resolve().parent, rest[rest.index("--") + 2:]
    with tempfile.TemporaryDirectory() as folder:
        there = [name for name in SOURCES if (programs / name).exists()]
        faults = [fault for name in there if (fault := fault_of(programs, flags, name, pathlib.Path(folder)))]
    print("\n".join(faults) or f"{' '.join(there)} make programs that oshrun runs")
    return 1 if faults or "oshcc" not in there else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
