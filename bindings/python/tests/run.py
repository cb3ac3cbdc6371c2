#!/usr/bin/env python3
"""Runs the tests of the Python package on some ranks, each rank with a pytest of its own.

    run.py EXTENSION [--ranks 2] [--nodes 1] [--python PYTHON] [--venv FOLDER] [--files FILE...] -- LAUNCHER [FLAG...]

EXTENSION is the built one, in the package's folder. FOLDER is the private .venv, with mpi4py and other MPIs in it. 0 ranks: one process,
without the launcher, which its tests start themselves. What the ranks print is shown if one fails. Last line: N passed, N failed,
N skipped, on all ranks together. Ends with 77 where there is no pytest.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent
FILES = ("halo", "index_halo", "blocks", "sparse", "others", "errors", "docs", "device")


def environment(options):
    """The package of the build, the launcher's MPI, and the mpi4py of the private .venv if that is there."""
    package = options.extension.parents[2]
    libraries = [str(Path(options.launcher[0]).parents[1] / "lib"), os.environ.get("LD_LIBRARY_PATH")]
    places = [str(package), *map(str, sorted(options.venv.glob("mpi4py/lib/python*/site-packages")))]
    return {
        **os.environ,
        "LD_LIBRARY_PATH": os.pathsep.join(filter(None, libraries)),
        "PYTHONPATH": os.pathsep.join(places),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONFAULTHANDLER": "1",
        "MPI4PY_MPIABI": options.extension.parent.name.strip("_"),
        "HALOCLINE_TEST_RANKS": str(max(options.ranks, 1)),
        **({"HALOCLINE_FAKE_NODES": str(options.nodes)} if options.nodes > 1 else {}),
        "HALOCLINE_TEST_VENV": str(options.venv),
        "HALOCLINE_TEST_LAUNCHER": json.dumps(options.launcher),
    }


def totals(text, ranks):
    """Passed, failed and skipped tests, from the last line of each rank's pytest. Two of them may stand on one line."""
    lines = re.findall(r"((?:\d+ [a-z]+,? ?)+)in [\d.]+s", text)
    if len(lines) != ranks:
        return None
    found = {"passed": 0, "failed": 0, "skipped": 0}
    for word in re.findall(r"\d+ \w+", " ".join(lines)):
        number, kind = word.split()
        kind = "failed" if kind.startswith("error") else kind
        if kind in found:
            found[kind] += int(number)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], epilog="The launcher and its flags follow after --")
    parser.add_argument("extension", type=lambda path: Path(path).resolve())
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--nodes", type=int, default=1, help="treat them as this number of nodes")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--venv", type=lambda path: Path(path).resolve(), default=TESTS)
    parser.add_argument("--files", nargs="+", default=[f"test_{one}.py" for one in FILES])
    at = sys.argv.index("--")
    options = parser.parse_args(sys.argv[1:at])
    options.launcher = sys.argv[at + 1:]
    if subprocess.run([options.python, "-c", "import pytest, numpy"], capture_output=True).returncode != 0:
        print(f"skipped: {options.python} has no pytest or no NumPy (./go test puts them into .venv)")
        return 77
    start = [*options.launcher, "-n", str(options.ranks)] if options.ranks else []
    command = [*start, options.python, "-m", "pytest", "-p", "no:cacheprovider", "--color=no", *options.files]
    done = subprocess.run(command, cwd=TESTS, env=environment(options), capture_output=True, text=True)
    found = totals(done.stdout, max(options.ranks, 1))
    if done.returncode != 0 or not found or found["failed"] or not found["passed"]:
        print(done.stdout, done.stderr, f"status {done.returncode}", sep="\n")
        return 1
    print("{passed} passed, {failed} failed, {skipped} skipped".format(**found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
