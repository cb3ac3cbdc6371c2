#!/usr/bin/env python3
"""Runs real programs that use MPI RMA, with libhalocline_mpi loaded before Debian's Open MPI and without it, and compares what they print.

    programs.py LIBRARY [--only coarrays,nwchem] [--ranks 2,4] [--pairs 1]
    programs.py LIBRARY --times --json results/programs.json

LIBRARY has to be built with the Open MPI that the programs use. HALOCLINE_MPI_STRICT=1 makes a window that falls back to the host MPI an
error. Prints a table of the times, one run with and one without in turn: of whole runs in seconds, and of what programs measure themselves
in microseconds. --times is for a quiet machine: 2 and 4 ranks, 7 pairs, and the 10th and 90th percentile of the ratios. --json keeps the
rows in a file for scripts/performance.py, beside those that it has of other programs. Ends with 0, with 1 if a result differs, or with 77
if no program can be had here.
"""

import argparse
import datetime
import itertools
import json
import os
import platform
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
TIME = re.compile(r"^time: (.+): +(\d+\.\d+) us", re.MULTILINE)
SYNCHRONISATIONS = ("fence", "active", "lock")
MAY_FAIL_ALONE = ("star_forest", "coarray_teams")  # Open MPI 4.1.4 does: docs/known-mpi-bugs.md
FLAVORS = ("create", "dynamic", "allocate", "shared")
MOLECULES = ("water", "hydrogen_fluoride")
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


def coarray_program(folder: Path, name: str) -> list[list[str]]:
    program = folder / name
    libraries = ["-l:libcaf_openmpi.so.3", "-lmpi"]
    compile_program(
        [need("gfortran", "gfortran"), "-O1", "-fcoarray=lib", str(PROGRAMS / f"{name}.f90"), "-o", str(program), *libraries],
        "libcoarrays-openmpi-dev",
    )
    return [[str(program)]]


def coarrays(folder: Path) -> list[list[str]]:
    return coarray_program(folder, "coarrays")


def coarray_teams(folder: Path) -> list[list[str]]:
    return coarray_program(folder, "coarray_teams")


def coarray_times(folder: Path) -> list[list[str]]:
    return coarray_program(folder, "coarray_times")


def star_forest(folder: Path) -> list[list[str]]:
    """PETSc's star forest with every kind of window and synchronisation that PETSc has."""
    program = folder / "star_forest"
    roots = sorted(Path("/usr/lib/petscdir").glob("petsc*/x86_64-linux-gnu-real"))
    if not roots:
        raise Missing("no PETSc (Debian package libpetsc-real3.18-dev)")
    places = ["-I", str(roots[-1] / "include"), "-L", str(roots[-1] / "lib")]
    command = [need("mpicc.openmpi", "libopenmpi-dev"), "-O1", str(PROGRAMS / "star_forest.c"), "-o", str(program), *places, "-lpetsc_real"]
    compile_program(command, "libpetsc-real3.18-dev")
    options = itertools.product(FLAVORS, SYNCHRONISATIONS)
    return [[str(program), "-sf_type", "window", "-sf_window_flavor", flavor, "-sf_window_sync", sync] for flavor, sync in options]


def fortran(folder: Path) -> list[list[str]]:
    program = folder / "windows"
    compile_program(
        [need("mpifort.openmpi", "libopenmpi-dev"), "-O1", str(PROGRAMS / "windows.f90"), "-o", str(program)], "libopenmpi-dev, gfortran"
    )
    return [[str(program)]]


def global_arrays(folder: Path) -> list[list[str]]:
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
    return [[str(program)]]


def nwchem(_: Path) -> list[list[str]]:
    command = need("nwchem.openmpi", "nwchem-openmpi")
    return [[command, str(PROGRAMS / f"{molecule}.nw")] for molecule in MOLECULES]


def energies(text: str) -> list[tuple[str, float]]:
    return [(scf or ccsd, float(value)) for scf, ccsd, value in ENERGY.findall(text)]


def same_energies(with_it: str, without: str) -> str | None:
    """What differs; the tasks of a molecule print five energies or more."""
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


def all_right(with_it: str, _: str) -> str | None:
    """The host may be wrong."""
    return None if "all right" in with_it else f"prints {with_it[-300:]!r} with the library"


CHECKS = {
    "coarrays": (coarrays, same_line),
    "coarray_teams": (coarray_teams, all_right),
    "coarray_times": (coarray_times, same_line),
    "fortran": (fortran, same_line),
    "global_arrays": (global_arrays, same_line),
    "star_forest": (star_forest, all_right),
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
    if missing := re.search(r"No support for flavor \w+", done.stdout + done.stderr):
        raise Missing(f"PETSc as Debian configures it says: {missing[0]}")
    if done.returncode != 0 and (library or Path(program[0]).name not in MAY_FAIL_ALONE):
        raise RuntimeError(
            f"status {done.returncode} {'with' if library else 'without'} the library:\n{done.stdout[-2000:]}\n{done.stderr[-3000:]}"
        )
    return done.stdout, seconds


def row_of(name: str, ranks: int, ours: list[float], theirs: list[float]) -> dict:
    """Medians, and the ratio of each pair of runs: its median, and from which to which most are."""
    ratios = sorted(without / with_it for with_it, without in zip(ours, theirs))
    return {
        "program": name,
        "ranks": ranks,
        "pairs": len(ratios),
        "with": statistics.median(ours),
        "without": statistics.median(theirs),
        "ratio": statistics.median(ratios),
        "range": [ratios[len(ratios) // 10], ratios[-1 - len(ratios) // 10]],
    }


def print_row(row: dict) -> None:
    low, high = row["range"]
    medians = f"{row['with']:10.2f} {row['without']:10.2f} {row['ratio']:8.2f}"
    print(f"{row['program']:46} {row['ranks']:5} {medians}   {low:.2f}-{high:.2f}", flush=True)


def machine() -> str:
    """One sentence about where the numbers are from."""
    cpu = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    launcher = subprocess.run([need("mpirun.openmpi", "openmpi-bin"), "--version"], capture_output=True, text=True).stdout
    version = re.search(r"\d+(?:\.\d+)+", launcher)
    mpi = f"Debian's Open MPI {version[0] if version else ''}".strip()
    system = f"{os.cpu_count()} cores, Linux {platform.release()}"
    return f"{cpu[1] if cpu else platform.machine()}, {system}, {mpi}, {datetime.date.today()}."


def keep_rows(file: Path, rows: list[dict]) -> None:
    """Writes rows in place of those that the file has of the same programs and numbers of ranks."""
    new = {(row["program"], row["ranks"]) for row in rows}
    old = json.loads(file.read_text())["rows"] if file.exists() else []
    kept = [row for row in old if (row["program"], row["ranks"]) not in new]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"format": 1, "machine": machine(), "rows": kept + rows}, indent=1) + "\n")


def run_variant(name: str, ranks: int, command: list[str], options: argparse.Namespace, folder: Path) -> str | None:
    """Runs a program with and without the library in turn, and prints its rows. Returns what is wrong."""
    variants = (Path(word).stem for word in command[1:])
    label = " ".join([name, *(word for word in variants if word in FLAVORS + SYNCHRONISATIONS + MOLECULES)])
    outputs = {}
    times: dict[str, tuple[list[float], list[float]]] = {}
    for _ in range(options.pairs):
        for column, library in enumerate((options.library, None)):
            text, seconds = launch(command, ranks, library, folder)
            outputs[column] = text
            measured = [(f"{label}: {what}, us", float(value)) for what, value in TIME.findall(text)]
            for row, value in measured or [(f"{label}, s", seconds)]:
                times.setdefault(row, ([], []))[column].append(value)
        if wrong := CHECKS[name][1](outputs[0], outputs[1]):
            return wrong
        if CHECKS[name][1] is all_right and all_right(outputs[1], ""):
            print(f"{label:46} {ranks:5}   right with the library, wrong without", flush=True)
            options.rows.append({"program": f"{label}, s", "ranks": ranks})
            return None
    for row, (ours, theirs) in times.items():
        options.rows.append(row_of(row, ranks, ours, theirs))
        print_row(options.rows[-1])
    return None


class Tally:
    """What has passed, failed and been skipped, and why."""

    def __init__(self) -> None:
        self.passed = 0
        self.failed: list[str] = []
        self.skipped: list[str] = []

    def run(self, name: str, ranks: int, options: argparse.Namespace, folder: Path) -> None:
        """All variants of a program."""
        try:
            commands = CHECKS[name][0](folder)
        except Missing as reason:
            self.skipped.append(f"{name}: {reason}")
            return
        for command in commands:
            self.run_one(name, ranks, command, (options, folder))

    def run_one(self, name: str, ranks: int, command: list[str], place: tuple[argparse.Namespace, Path]) -> None:
        what = " ".join([name, *command[1:], f"on {ranks} ranks"])
        try:
            wrong = run_variant(name, ranks, command, *place)
        except Missing as reason:
            self.skipped.append(f"{what}: {reason}")
            return
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            wrong = str(error)
        self.passed += not wrong
        if wrong:
            self.failed.append(what)
            print(f"{what}: {wrong}", file=sys.stderr)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", type=lambda path: str(Path(path).resolve()))
    parser.add_argument("--only", default=",".join(CHECKS))
    parser.add_argument("--ranks")
    parser.add_argument("--pairs", type=int)
    parser.add_argument("--times", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    options.rows = []
    options.ranks = options.ranks or ("2,4" if options.times else "2")
    options.pairs = options.pairs or (7 if options.times else 1)
    tally = Tally()
    print(f"{'program':46} {'ranks':>5} {'with':>10} {'without':>10} {'ratio':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for name in options.only.split(","):
            for ranks in map(int, options.ranks.split(",")):
                tally.run(name, ranks, options, Path(folder))
    if options.json and options.rows:
        keep_rows(options.json, options.rows)
    for reason in tally.skipped:
        print(f"skipped: {reason}")
    print(f"{tally.passed} passed, {len(tally.failed)} failed, {len(tally.skipped)} skipped")
    return 1 if tally.failed else 0 if tally.passed else 77


if __name__ == "__main__":
    sys.exit(main())
