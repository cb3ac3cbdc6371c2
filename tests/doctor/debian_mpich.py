#!/usr/bin/env python3
"""Checks that halocline-doctor finds the wrong answers of Debian 12's own MPICH 4.0.2 (on UCX 1.13.1).

Usage: debian_mpich.py SOURCE_FOLDER CXX [--keep FOLDER]

The packages are downloaded once (tests/support/debian.py) and unpacked into a throw-away folder, never installed; the doctor is compiled
against the headers and run with the libraries that lie there. Needs a Debian 12 with its package archive in reach; elsewhere it says so and
ends with status 77.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import debian  # noqa: E402

PACKAGES = ["libmpich12", "libmpich-dev", "mpich", "libucx0", "libhwloc15", "libslurm38", "libibverbs1", "librdmacm1", "ibverbs-providers",
            "libnl-3-200", "libnl-route-3-200", "libnuma1", "libgfortran5"]
VERSION = "4.0.2"
RANKS = 2
LIBRARIES = "usr/lib/x86_64-linux-gnu"
SKIPPED = 77


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def check_archive():
    """Skips unless apt knows the packages, and knows them in the version that is wrong."""
    if not shutil.which("apt-cache") or not shutil.which("dpkg-deb"):
        skip("no apt-cache and dpkg-deb here")
    policy = subprocess.run(["apt-cache", "policy", "libmpich12"], capture_output=True, text=True, check=False).stdout
    candidate = re.search(r"Candidate: (\S+)", policy)
    if not candidate or not candidate[1].startswith(VERSION):
        skip(f"the package archive has libmpich12 {candidate[1] if candidate else 'in no version'}, not {VERSION}")


def unpack(folder):
    """Downloads the packages and unpacks them; returns the root that they make."""
    root = folder / "root"
    reason = debian.unpack(PACKAGES, root)
    if reason:
        skip(reason)
    return root


def compile_doctor(source, compiler, root, folder):
    """Compiles the doctor with the headers of the root; returns the program."""
    flags = ["-std=c++20", "-O1", "-DMPICH_SKIP_MPICXX=1", f"-I{root}/{LIBRARIES}/mpich/include", f"-I{source}/tools"]
    files = sorted((source / "tools/doctor").rglob("*.cpp"))
    objects = [folder / f"{number}.o" for number in range(len(files))]

    def run(pair):
        subprocess.run([*compiler.split(), *flags, "-c", str(pair[0]), "-o", str(pair[1])], check=True)

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(run, zip(files, objects)))
    program = folder / "halocline-doctor"
    subprocess.run([*compiler.split(), *map(str, objects), "-o", str(program), f"{root}/{LIBRARIES}/libmpich.so.12", "-ldl", "-pthread",
                    f"-Wl,-rpath-link,{root}/{LIBRARIES}"], check=True)
    return program


def examine(program, root, folder):
    """Runs the doctor under the root's own launcher; returns its report and its exit status."""
    report = folder / "report.json"
    environment = {**os.environ, "LD_LIBRARY_PATH": f"{root}/{LIBRARIES}", "XDG_CACHE_HOME": str(folder / "cache")}
    command = [f"{root}/usr/bin/mpiexec.hydra", "-n", str(RANKS), str(program), "--json", str(report)]
    run = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=900, check=False)
    print(run.stdout)
    return json.loads(report.read_text()), run.returncode


def faults_of(report, status):
    """What the doctor should have found and has not."""
    outcomes = {probe["name"]: probe["outcome"] for probe in report["probes"]}
    faults = []
    if VERSION not in report["mpi"]:
        faults.append(f"the MPI is not {VERSION}: {report['mpi']}")
    if status != 1:
        faults.append(f"exit status {status}, expected 1")
    for probe in ("allocate/fence", "create/fence", "allocate/flush_all"):
        texts = [f["text"] for p in report["probes"] if p["name"] == probe for f in p["findings"] if f["operation"] == "put"]
        if outcomes[probe] != "wrong" or not texts:
            faults.append(f"{probe} is {outcomes[probe]}, puts: {texts}; expected wrong puts")
    for mode, expected in (("fence", False), ("passive", False), ("p2p", True), ("direct", True)):
        if (report["modes"][mode]["verdict"] == "right") != expected:
            faults.append(f"mode {mode} is {report['modes'][mode]}, expected {'right' if expected else 'a fault'}")
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("compiler")
    parser.add_argument("--keep", type=pathlib.Path, help="work in this folder and leave it")
    options = parser.parse_args()
    check_archive()
    with tempfile.TemporaryDirectory(prefix="halocline-debian-mpich-") as temporary:
        folder = options.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        root = unpack(folder)
        faults = faults_of(*examine(compile_doctor(options.source, options.compiler, root, folder), root, folder))
    print("\n".join(faults) if faults else "halocline-doctor finds the wrong puts of MPICH 4.0.2")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
