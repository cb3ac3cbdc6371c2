#!/usr/bin/env python3
"""Runs real programs that use MPI RMA, with libhalocline_mpi loaded before Debian's Open MPI and without it, and compares what they print.

    programs.py LIBRARY [--only coarrays,fortran,global_arrays,nwchem] [--ranks 2,4] [--pairs 1]

LIBRARY has to be built with the Open MPI that the programs use. HALOCLINE_MPI_STRICT=1 makes a window that falls back to the host MPI an
error. Prints a table of the times, one run with and one without in turn. Ends with 0, with 1 if a result differs, or with 77 if no program
can be had here.
"""

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROGRAMS = Path(__file__).parent / "programs"
LIBRARIES = Path("/usr/lib/x86_64-linux-gnu")
ENERGY = re.compile(r"(?:Total (SCF|DFT|MP2) energy\s*=?|(CCSD) total energy / hartree\s*=)\s*(-?\d+\.\d+)")


class Missing(Exception):
    """What a program needs is not installed."""


def need(command: str, package: str) -> str:
    found = shutil.which(command)
    if not found:
        raise Missing(f"no {command} (Debian package {package})")
    return found


def compile_program(command: list[str], package: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise Missing(f"{command[0]} does not compile {command[1]} ({package}): {done.stderr.strip().splitlines()[-1]}")


def coarrays(folder: Path) -> list[str]:
    program = folder / "coarrays"
    compile_program(
        [
            need("gfortran", "gfortran"),
            "-fcoarray=lib",
            str(PROGRAMS / "coarrays.f90"),
            "-o",
            str(program),
            "-l:libcaf_openmpi.so.3",
            "-lmpi",
        ],
        "libcoarrays-openmpi-dev",
    )
    return [str(program)]


def fortran(folder: Path) -> list[str]:
    program = folder / "windows"
    compile_program(
        [need("mpifort.openmpi", "libopenmpi-dev"), "-O1", str(PROGRAMS / "windows.f90"), "-o", str(program)], "libopenmpi-dev, gfortran"
    )
    return [str(program)]


def global_arrays(folder: Path) -> list[str]:
    program = folder / "global_arrays"
    libraries = [
        "-L",
        str(LIBRARIES),
        "-l:libga-openmpi.a",
        "-l:libarmci-openmpi.a",
        "-l:libscalapack-openmpi.so.2.2",
        "-llapack",
        "-lblas",
        "-lgfortran",
        "-lm",
    ]
    compile_program(
        [need("mpicc.openmpi", "libopenmpi-dev"), "-O1", str(PROGRAMS / "global_arrays.c"), "-o", str(program), *libraries],
        "libglobalarrays-dev, libarmci-mpi-dev",
    )
    return [str(program)]


def nwchem(_: Path) -> list[str]:
    return [need("nwchem.openmpi", "nwchem-openmpi"), str(PROGRAMS / "water.nw")]


def energies(text: str) -> list[tuple[str, float]]:
    return [(scf or ccsd, float(value)) for scf, ccsd, value in ENERGY.findall(text)]


def same_energies(with_it: str, without: str) -> str | None:
    """What differs; the tasks of water.nw print five energies or more."""
    ours, theirs = energies(with_it), energies(without)
    if len(theirs) < 5 or [name for name, _ in ours] != [name for name, _ in theirs]:
        return f"energies {ours} with the library, {theirs} without"
    for (name, a), (_, b) in zip(ours, theirs):
        if abs(a - b) > 1e-9:
            return f"{name} energy {a:.12f} with the library, {b:.12f} without"
    return None


def same_line(with_it: str, without: str) -> str | None:
    lines = [[line for line in text.splitlines() if "all right" in line] for text in (with_it, without)]
    return None if lines[0] and lines[0] == lines[1] else f"prints {lines[0]} with the library, {lines[1]} without"


CHECKS = {
    "coarrays": (coarrays, same_line),
    "fortran": (fortran, same_line),
    "global_arrays": (global_arrays, same_line),
    "nwchem": (nwchem, same_energies),
}


def launch(program: list[str], ranks: int, library: str | None, folder: Path) -> tuple[str, float]:
    """The output of a run, and its seconds."""
    command = [need("mpirun.openmpi", "openmpi-bin"), "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", str(ranks)]
    if library:
        command += ["-x", f"LD_PRELOAD={library}", "-x", "HALOCLINE_MPI_STRICT=1"]
    scratch = Path(tempfile.mkdtemp(dir=folder))
    begin = time.monotonic()
    done = subprocess.run(command + program, cwd=scratch, capture_output=True, text=True, timeout=300, env=os.environ)
    seconds = time.monotonic() - begin
    if done.returncode != 0:
        raise RuntimeError(
            f"status {done.returncode} {'with' if library else 'without'} the library:\n{done.stdout[-2000:]}\n{done.stderr[-3000:]}"
        )
    return done.stdout, seconds


def run(name: str, ranks: int, options: argparse.Namespace, folder: Path) -> str | None:
    """Prints a row of the table. Returns what is wrong."""
    prepare, compare = CHECKS[name]
    program = prepare(folder)
    times: dict[str | None, list[float]] = {options.library: [], None: []}
    outputs = {}
    for _ in range(options.pairs):
        for library in times:
            outputs[library], seconds = launch(program, ranks, library, folder)
            times[library].append(seconds)
    ours, theirs = (statistics.median(times[key]) for key in (options.library, None))
    print(f"{name:16} {ranks:5} {ours:10.2f} {theirs:10.2f} {theirs / ours:10.2f}", flush=True)
    return compare(outputs[options.library], outputs[None])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", type=lambda path: str(Path(path).resolve()))
    parser.add_argument("--only", default=",".join(CHECKS))
    parser.add_argument("--ranks", default="2")
    parser.add_argument("--pairs", type=int, default=1)
    options = parser.parse_args()
    passed, failed, skipped = 0, 0, []
    print(f"{'program':16} {'ranks':>5} {'with s':>10} {'without s':>10} {'ratio':>10}")
    with tempfile.TemporaryDirectory() as folder:
        for name in options.only.split(","):
            for ranks in map(int, options.ranks.split(",")):
                try:
                    wrong = run(name, ranks, options, Path(folder))
                except Missing as reason:
                    skipped.append(f"{name}: {reason}")
                    break
                except (RuntimeError, subprocess.TimeoutExpired) as error:
                    wrong = str(error)
                passed, failed = passed + (not wrong), failed + bool(wrong)
                if wrong:
                    print(f"{name} on {ranks} ranks: {wrong}", file=sys.stderr)
    for reason in skipped:
        print(f"skipped: {reason}")
    print(f"{passed} passed, {failed} failed, {len(skipped)} skipped")
    return 1 if failed else 0 if passed else 77


if __name__ == "__main__":
    sys.exit(main())
