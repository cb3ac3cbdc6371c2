#!/usr/bin/env python3
"""Checks what scripts/performance.py fill makes of made-up measurements, in a folder of its own; last line: N passed, N failed, N skipped.

SPDX-License-Identifier: BSD-3-Clause
"""
import json
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import outcomes  # noqa: E402
import performance  # noqa: E402
import readme  # noqa: E402

MACHINE = {"cpu": "a processor", "cores": 2, "kernel": "Linux 6.1 #1", "date": "2027-01-02T03:04", "mpi": "MPICH Version: 6,\nbuilt",
           "ranks": 2}
CALL = {"operation": "put + flush", "bytes": 8, "verified_bytes": 8, "ours_us": 1, "host_us": 2, "limit_us": 0.5, "ratio": 2}
LAUNCH = {"launch": 0, "mpi": "MPICH 6", "operations": [CALL], "interposition": [{"call": "finds its window", "cost_ns": 3}]}
DROP_IN = {"mpis": {"MPICH 6": MACHINE}, "ranks": 2, "crowded_ranks": 8, "calls": [LAUNCH], "crowded": [], "hosts": [], "windows": [],
           "halo": []}
SPARSE = {"environment": MACHINE, "problem": {"bytes": 8, "neighbours": 2, "targets": 2, "ranks": 2}, "order": ["engine"],
          "protocols": {"engine": {"exchange_s": [1e-6]}}}
PROGRAMS = {"machine": "a processor, Linux, an MPI, 2027-01-03.", "rows": [
    {"program": "wave, s", "ranks": 2, "pairs": 7, "with": 1, "without": 2, "ratio": 2, "range": [1.5, 2.5]},
    {"program": "ring, s", "ranks": 2}]}
OLD = "A title\n\nmeasured  2026-01-01\nmachine   an old one\nMPI       an old one\ncommand   the command\n\nWhat to know.\n\n"
SUMMARY = """29 fields
mode          one swap
hand_p2p      2.0 us
p2p           1.0 us
notify        0.5 us
direct        0.3 us
auto (direct) 0.3 us
auto names the mode
(plain copy)  0.2 us
"""


def prepare(folder, apps):
    """Files of three subjects, a page that links to one of them, and what was measured."""
    performance.FOLDER = folder / "docs"
    performance.FOLDER.mkdir()
    for subject in ("mpi-calls", "sparse", "mpi-programs"):
        (folder / "docs" / f"{subject}-2026-01-01.txt").write_text(f"{OLD}{performance.TABLES}\n\nold tables\n")
    page = folder / "page.md"
    page.write_text("[mpi-calls-2026-01-01](docs/mpi-calls-2026-01-01.txt), [sparse](docs/sparse-2026-01-01.txt)")
    performance.PAGES = [page]
    (folder / "drop_in.json").write_text(json.dumps(DROP_IN))
    (folder / "apps.json").write_text(json.dumps(apps))
    (folder / "programs.json").write_text(json.dumps(PROGRAMS))
    return page


def checks(folder):
    page = prepare(folder, {"quiet": True, "others": 0, "cases": [{"app": "sparse", "sweep": [SPARSE]}]})
    performance.fill(folder)
    names = sorted(path.name for path in (folder / "docs").glob("*"))
    yield "the files have the dates of the measurements", names == [
        "mpi-calls-2027-01-02.txt", "mpi-programs-2027-01-03.txt", "sparse-2027-01-02.txt"]
    yield "so do the links to them", page.read_text() == \
        "[mpi-calls-2027-01-02](docs/mpi-calls-2027-01-02.txt), [sparse](docs/sparse-2027-01-02.txt)"
    text = (folder / "docs" / "mpi-calls-2027-01-02.txt").read_text()
    yield "their heads are new, but for the command", performance.head_of(text) == {
        "measured": "2027-01-02", "machine": "a processor, 2 cores, Linux 6.1; 1 launches", "MPI": "MPICH 6", "command": "the command"}
    yield "what to know stays, the old tables do not", "What to know." in text and "old tables" not in text
    rows = performance.table_of(text, "operation")
    yield "the tables can be read", rows[0][:3] == ["operation", "bytes", "ours, MPICH 6"] and rows[1][:3] == ["put + flush", "8", "1.00"]
    yield "a subject has all its tables", "finds its window" in text
    text = (folder / "docs" / "sparse-2027-01-02.txt").read_text()
    yield "an app has its MPI and its table", \
        performance.head_of(text)["MPI"] == "MPICH Version: 6" and "2 ranks, one node: bytes 8, neighbours 2, targets 2:" in text
    text = (folder / "docs" / "mpi-programs-2027-01-03.txt").read_text()
    yield "programs have their times, or none", "2.00 (1.50 - 2.50)" in text and "wrong, or fails" in text


def busy_checks(folder):
    prepare(folder, {"quiet": False, "others": 0.5, "cases": [{"app": "sparse", "sweep": [SPARSE]}]})
    performance.fill(folder)
    yield "on a busy machine the apps stay as they were", (folder / "docs" / "sparse-2026-01-01.txt").exists()


def all_checks():
    for some in (checks, busy_checks):
        with tempfile.TemporaryDirectory() as folder:
            yield from some(pathlib.Path(folder))
    rows = [line.split()[0] for line in readme.shortened(SUMMARY).splitlines()]
    yield "README.md has three modes and the plain copy", rows == ["29", "mode", "p2p", "notify", "direct", "(plain"]


if __name__ == "__main__":
    outcomes.report(all_checks())
