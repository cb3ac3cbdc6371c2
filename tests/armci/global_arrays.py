#!/usr/bin/env python3
"""Links programs that use Debian's Global Arrays with libhalocline_armci and with Debian's ARMCI-MPI, and checks and times both.

    global_arrays.py ARCHIVE [--ranks 1,2,3] [--nodes 2] [--only patches,fortran_patches] -- LAUNCHER [FLAG...]
    global_arrays.py ARCHIVE --times [--pairs 7] [--drop-in LIBRARY] [--json FILE] -- LAUNCHER [FLAG...]
    global_arrays.py ARCHIVE --reference libarmci_reference.so -- LAUNCHER

ARCHIVE is libhalocline_armci.a, beside which libhalocline_core.so lies. The MPI is the launcher's. Any MPICH from 3.1 on, and any Open MPI
of 3 to 5, has the binary interface of Debian's, whose archives are downloaded once (tests/support/debian.py) and unpacked, not installed.
--times prints microseconds of calls: medians of runs of each in turn, and the median, 10th and 90th percentile of their ratios; give the
launcher its flag that binds each rank to a core. --drop-in: also ARMCI-MPI with this libhalocline_mpi loaded before it. --reference makes a
shared library of ARMCI-MPI, for `halocline-bench armci --against`. Ends with 0, with 1 if a result is wrong, or with 77 if the packages
cannot be had.

SPDX-License-Identifier: BSD-3-Clause
"""

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
import debian  # noqa: E402

PROGRAMS = {
    "global_arrays": HERE.parent / "mpi_rma/programs/global_arrays.c",
    "patches": HERE / "programs/patches.c",
    "fortran_patches": HERE / "programs/fortran_patches.F",
}
TIMES = HERE / "programs/times.c"
TIME = re.compile(r"^time: (.+): +(\d+\.\d+) us", re.MULTILINE)
LIBRARIES = "usr/lib/x86_64-linux-gnu"
STREAMS = """#include <stdio.h>
FILE *armci_stdout, *armci_stderr;
__attribute__((constructor)) static void find_streams(void) { armci_stdout = stdout; armci_stderr = stderr; }
"""


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


class Kit:
    """The MPI of a launcher, and Debian's archives for it."""

    def __init__(self, launcher, folder):
        self.prefix = Path(shutil.which(launcher[0]) or launcher[0]).resolve().parents[1]
        version = subprocess.run([launcher[0], "--version"], capture_output=True, text=True, check=False).stdout
        self.kind = "openmpi" if re.search(r"Open MPI|OpenRTE|PRRTE|prterun", version) else "mpich"
        self.launcher = launcher
        self.folder = folder
        self.root = folder / "root"

    def unpack(self):
        packages = ["libglobalarrays-dev", "libarmci-mpi-dev", f"libscalapack-{self.kind}2.2", "liblapack3", "libblas3"]
        if not shutil.which("gfortran"):
            skip("no gfortran, which compiles Global Arrays' Fortran programs")
        reason = debian.unpack(packages, self.root)
        if reason:
            skip(reason)
        self.link_names()

    def link_names(self):
        """One folder with all libraries. Debian's MPICH has another name than MPICH's own."""
        lib = self.root / "lib"
        lib.mkdir()
        for file in [*(self.root / LIBRARIES).rglob("*.so*"), *(self.root / LIBRARIES).glob("*.a")]:
            if not (lib / file.name).exists():
                (lib / file.name).symlink_to(file.resolve())
        mpi = self.mpi_library()
        if self.kind == "mpich" and not (lib / "libmpich.so.12").exists():
            (lib / "libmpich.so.12").symlink_to(mpi)

    def mpi_library(self):
        name = "libmpi.so.40" if self.kind == "openmpi" else "libmpi.so.12"
        # The nearest: another MPI may lie further down, such as Intel MPI beside MPICH, with a library of the same name.
        found = sorted(self.prefix.rglob(name), key=lambda file: (len(file.parts), file))
        if not found:
            skip(f"{self.prefix} has no {name}, the library that Debian's programs need")
        return found[0]

    def environment(self, more):
        path = [str(self.root / "lib"), str(self.mpi_library().parent), os.environ.get("LD_LIBRARY_PATH", "")]
        return os.environ | {"LD_LIBRARY_PATH": ":".join(path)} | more

    def build(self, source, armci, name):
        """Compiles a program with an ARMCI: a list of what is linked. Fortran's default integers are those of Debian's library."""
        program = self.folder / name
        lib = self.root / "lib"
        compiler = [str(self.prefix / "bin/mpicc"), "-O1"]
        if source.suffix == ".F":
            compiler = ["gfortran", "-O1", "-w", "-cpp", "-std=legacy", "-fdefault-integer-8", "-ffixed-line-length-none"]
        command = [*compiler, "-I", str(self.root / "usr/include"), str(source), "-o", str(program)]
        command += [str(lib / f"libga-{self.kind}.a"), *armci]
        command += [str(lib / f"libscalapack-{self.kind}.so.2.2"), str(lib / "liblapack.so.3"), str(lib / "libblas.so.3")]
        command += [str(self.mpi_library()), "-lgfortran", "-lm", f"-Wl,-rpath-link,{lib}"]
        done = subprocess.run(command, capture_output=True, text=True, env=self.environment({}), check=False)
        if done.returncode:
            raise RuntimeError(f"{name} cannot be linked:\n{done.stderr[-3000:]}")
        return program

    def run(self, program, ranks, more):
        command = [*self.launcher, "-n", str(ranks), str(program)]
        done = subprocess.run(command, capture_output=True, text=True, env=self.environment(more), timeout=300, check=False)
        return done.returncode, done.stdout, done.stderr

    def reference(self, file):
        """ARMCI-MPI as a shared library. Its archive refers to stdout and stderr as only a program may."""
        streams = self.folder / "streams.c"
        streams.write_text(STREAMS)
        archive = self.folder / "reference.a"
        renamed = ["--redefine-sym", "stdout=armci_stdout", "--redefine-sym", "stderr=armci_stderr"]
        subprocess.run(["objcopy", *renamed, str(self.root / f"lib/libarmci-{self.kind}.a"), str(archive)], check=True)
        command = ["gcc", "-shared", "-fPIC", "-o", str(file), str(streams), "-Wl,-Bsymbolic", "-Wl,--whole-archive", str(archive)]
        subprocess.run([*command, "-Wl,--no-whole-archive", str(self.mpi_library()), "-w"], check=True, stderr=subprocess.DEVNULL)


def our_armci(archive):
    lib = archive.resolve().parent
    return [str(archive.resolve()), str(lib / "libhalocline_core.so"), "-lstdc++", f"-Wl,-rpath,{lib}"]


def check_all(kit, options):
    """Each program on each number of ranks, and on emulated nodes. ARMCI-MPI shows that the program is right."""
    passed = failed = 0
    for name in options.only.split(","):
        ours = kit.build(PROGRAMS[name], our_armci(options.archive), name)
        theirs = kit.build(PROGRAMS[name], [str(kit.root / f"lib/libarmci-{kit.kind}.a")], f"{name}_reference")
        cases = [("ARMCI-MPI", theirs, 2, 1)] + [("halocline", ours, ranks, 1) for ranks in options.ranks]
        cases += [("halocline", ours, max(nodes, 3), nodes) for nodes in options.nodes]
        for by, program, ranks, nodes in cases:
            more = {"HALOCLINE_FAKE_NODES": str(nodes)} if nodes > 1 else {}
            status, output, errors = kit.run(program, ranks, more)
            right = status == 0 and f"all right on {ranks} processes" in output
            passed, failed = passed + right, failed + (not right)
            print(f"{'passed' if right else 'failed'}: {name} by {by} on {ranks} ranks, {nodes} node(s)", flush=True)
            if not right:
                print(output[-2000:], errors[-3000:])
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


def measure(kit, options):
    """The times of calls by each, in runs that take turns."""
    reference = [str(kit.root / f"lib/libarmci-{kit.kind}.a")]
    contenders = {"halocline": (kit.build(TIMES, our_armci(options.archive), "times"), {})}
    contenders["ARMCI-MPI"] = (kit.build(TIMES, reference, "times_reference"), {})
    if options.drop_in:
        contenders["ARMCI-MPI, libhalocline_mpi"] = (contenders["ARMCI-MPI"][0], {"LD_PRELOAD": str(options.drop_in.resolve())})
    rows = []
    for ranks in options.ranks:
        times = {by: {} for by in contenders}
        for _ in range(options.pairs):
            for by, (program, more) in contenders.items():
                status, output, errors = kit.run(program, ranks, more)
                if status or "all right" not in output:
                    print(f"failed: times by {by} on {ranks} ranks\n{output[-2000:]}{errors[-2000:]}")
                    return 1
                for call, us in TIME.findall(output):
                    times[by].setdefault(call, []).append(float(us))
        rows += rows_of(times, ranks)
    print_rows(rows, list(contenders))
    if options.json:
        options.json.write_text(json.dumps({"format": 1, "mpi": kit.kind, "rows": rows}, indent=1) + "\n")
    return 0


def rows_of(times, ranks):
    rows = []
    for call, ours in times["halocline"].items():
        row = {"call": call, "ranks": ranks, "us": {by: statistics.median(samples[call]) for by, samples in times.items()}, "ratio": {}}
        for by, samples in times.items():
            ratios = sorted(theirs / mine for theirs, mine in zip(samples[call], ours))
            row["ratio"][by] = [statistics.median(ratios), ratios[len(ratios) // 10], ratios[-1 - len(ratios) // 10]]
        rows.append(row)
    return rows


def print_rows(rows, contenders):
    print(f"{'call':44} {'ranks':>5}" + "".join(f" {by:>28}" for by in contenders))
    for row in rows:
        cells = []
        for by in contenders:
            ratio, low, high = row["ratio"][by]
            against = "" if by == "halocline" else f" {ratio:6.2f} ({low:.2f}-{high:.2f})"
            cells.append(f" {row['us'][by]:.2f}{against}".rjust(29))
        print(f"{row['call']:44} {row['ranks']:5}" + "".join(cells))


def main():
    divider = sys.argv.index("--")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archive", type=Path)
    parser.add_argument("--ranks", type=lambda text: [int(word) for word in text.split(",")], default=[2])
    parser.add_argument("--nodes", type=lambda text: [int(word) for word in text.split(",")], default=[])
    parser.add_argument("--only", default=",".join(PROGRAMS))
    parser.add_argument("--times", action="store_true")
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--drop-in", type=Path)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--reference", type=Path)
    options = parser.parse_args(sys.argv[1:divider])
    with tempfile.TemporaryDirectory() as folder:
        kit = Kit(sys.argv[divider + 1 :], Path(folder))
        kit.unpack()
        if options.reference:
            kit.reference(options.reference.resolve())
            return 0
        return measure(kit, options) if options.times else check_all(kit, options)


if __name__ == "__main__":
    sys.exit(main())
