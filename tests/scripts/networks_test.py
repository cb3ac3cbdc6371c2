#!/usr/bin/env python3
"""Which sources of the networks a build has, with and without their headers, and whether it has the helper process.

Usage: networks_test.py SOURCES CMAKE C_COMPILER CXX_COMPILER LAUNCHER: the folder of Halocline's sources, cmake, and the MPI's wrappers and
launcher. Configures a build for each choice of headers, and builds nothing. The last line is `N passed, N failed, N skipped`.

SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib
import re
import subprocess
import sys
import tempfile

HEADERS = {"ofi": "LIBFABRIC_INCLUDE_DIR", "ucx": "UCX_INCLUDE_DIR"}
CHOICES = ([], ["ofi"], ["ucx"], ["ofi", "ucx"])  # whose headers are there: an empty folder does, as nothing is compiled


def configure(found, folder, sources, tools):
    """The text of build.ninja."""
    cmake, c_compiler, cxx_compiler, launcher = tools
    options = {"MPI_C_COMPILER": c_compiler, "MPI_CXX_COMPILER": cxx_compiler, "MPIEXEC_EXECUTABLE": launcher}
    for part in ("TESTS", "TOOLS", "APPS", "FORTRAN", "PYTHON", "MPI_ABI"):
        options[f"HALOCLINE_{part}"] = "OFF"
    for network, option in HEADERS.items():
        options[option] = str(folder) if network in found else "OFF"
    command = [cmake, "-G", "Ninja", "-S", sources, "-B", folder / "build", *(f"-D{key}={value}" for key, value in options.items())]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)
    return (folder / "build" / "build.ninja").read_text()


def faults_of(text, found, sources):
    """What differs from what is expected."""
    for network in HEADERS:
        there = {path.name for path in (pathlib.Path(sources) / "src/transport" / network).glob("*.cpp")}
        expected = there - {"missing.cpp"} if network in found else {"missing.cpp"}
        compiled = set(re.findall(rf"^build \S*/transport/{network}/(\w+\.cpp)\.o:", text, re.M))
        if compiled != expected:
            yield f"{network}: without {sorted(expected - compiled)}, with {sorted(compiled - expected)}"
    has_helper = re.search(r"^build \S*/halocline-helper:", text, re.M) is not None
    if has_helper != bool(found):
        yield "a helper, which nothing reaches" if has_helper else "no helper"


def main():
    sources, *tools = sys.argv[1:]
    failed = 0
    for found in CHOICES:
        with tempfile.TemporaryDirectory() as folder:
            faults = list(faults_of(configure(found, pathlib.Path(folder), sources, tools), found, sources))
        failed += bool(faults)
        what = f"headers of {' and '.join(found) or 'no network'}: {'; '.join(faults) or 'as expected'}"
        print(f"{'FAILED' if faults else 'passed'}  {what}", flush=True)
    print(f"{len(CHOICES) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
