#!/usr/bin/env python3
"""Checks that tests/bench/library/computing.py makes a row of each library and operation, with a time for each kind of progress.

Usage: computing_test.py BENCH LIBHALOCLINE_MPI -- LAUNCHER [FLAG...]; last line: N passed, N failed, N skipped.

SPDX-License-Identifier: BSD-3-Clause
"""
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "bench" / "library"), str(ROOT / "scripts")]
import computing  # noqa: E402
import outcomes  # noqa: E402

LIBRARIES = ("ARMCI", "OpenSHMEM", "libhalocline_mpi", "host MPI")
OPERATIONS = ("put", "get", "accumulate", "fetch-and-add")


def checks(bench, drop_in, launcher):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "computing.json"
        runner = [sys.executable, computing.__file__, "--launches", "1", "--drop-in", drop_in, "--json", str(file)]
        command = [*runner, "--", *launcher, "-n", "2", bench, "computing", "--repetitions", "1", "--compute-ms", "0.5"]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        yield f"the runner ends well {run.stderr[-500:]}", run.returncode == 0
        written = json.loads(file.read_text()) if file.exists() else {"rows": []}
    rows = {(row["operation"].split(" to ")[0], row["by"]): row["us"] for row in written["rows"]}
    wanted = {(operation, by) for operation in OPERATIONS for by in LIBRARIES} - {("accumulate", "OpenSHMEM")}
    yield f"each library has each operation that it knows {wanted ^ rows.keys() or ''}", rows.keys() == wanted
    yield "each row has a time of each kind of progress", bool(rows) and all(us.keys() == computing.KINDS.keys() for us in rows.values())
    yield "all times are above 0", bool(rows) and all(one > 0 for us in rows.values() for times in us.values() for one in times)
    lines = run.stdout.splitlines()
    yield "each row is printed", all(any(line.startswith(operation) and by in line for line in lines) for operation, by in wanted)


if __name__ == "__main__":
    divider = sys.argv.index("--")
    outcomes.report(checks(sys.argv[1], sys.argv[2], sys.argv[divider + 1:]))
