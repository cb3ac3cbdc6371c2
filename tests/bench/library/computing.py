#!/usr/bin/env python3
"""Times what a target that computes costs the rank that accesses its memory, with each kind of progress in turn.

computing.py [--launches N] [--drop-in LIBRARY] [--json FILE] -- LAUNCHER... halocline-bench computing ...

A library reads its kind of progress when it starts, so the command behind `--` runs once for each, in shuffled order, N times: without help
(`caller`), as by default (`spare`), with a thread, with a helper process of each node, and with the asynchronous thread of MPICH, which
other MPIs do not have. Rows are medians of the launches' medians, with the least and the most of those.

    computing.py --drop-in build/release/lib/libhalocline_mpi.so -- mpiexec -n 2 build/release/bin/halocline-bench computing --fake-nodes 2

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

KINDS = {
    "caller": {"HALOCLINE_PROGRESS": "caller"},
    "spare": {"HALOCLINE_PROGRESS": "spare"},
    "thread": {"HALOCLINE_PROGRESS": "thread"},
    "helper": {"HALOCLINE_PROGRESS": "helper"},
    "MPICH's": {"HALOCLINE_PROGRESS": "caller", "MPIR_CVAR_ASYNC_PROGRESS": "1"},
}


def run_once(command, settings, file):
    """One run of the bench: its JSON."""
    done = subprocess.run([*command, "--json", str(file)], env={**os.environ, **settings}, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        sys.exit(f"{settings}: the bench ended with {done.returncode}: {done.stderr.strip()[-500:]}")
    return json.loads(file.read_text())


def gather(command, launches, more):
    """Per kind of progress its runs."""
    runs = {kind: [] for kind in KINDS}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(launches):
            for kind in random.sample(list(KINDS), len(KINDS)):
                runs[kind].append(run_once(command, KINDS[kind] | more, pathlib.Path(folder) / "run.json"))
    return runs


def medians_of(runs):
    """Per operation and library, and kind of progress, the median of each launch in microseconds."""
    found = {}
    for kind, reports in runs.items():
        for report in reports:
            for row in report["rows"]:
                found.setdefault((row["operation"], row["by"]), {}).setdefault(kind, []).append(statistics.median(row["samples"]))
    return found


def number(us):
    return f"{us:.3g}" if us < 1000 else f"{us:.0f}"


def show(found, compute_ms):
    print(f"microseconds until an access is complete at a target that computes for {compute_ms:g} ms; * at least half of that")
    print(f"{'operation':16} {'by':18}" + "".join(f"{kind:>24}" for kind in KINDS))
    for (operation, by), kinds in found.items():
        cells = []
        for kind in KINDS:
            us = kinds[kind]
            waits = "*" if statistics.median(us) >= compute_ms * 500 else " "
            cells.append(f"{number(statistics.median(us))}{waits} ({number(min(us))}-{number(max(us))})".rjust(24))
        print(f"{operation.split(' to ')[0]:16} {by:18}" + "".join(cells))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], usage=__doc__.splitlines()[2])
    parser.add_argument("--launches", type=int, default=3, help="launches with each kind of progress (default: 3)")
    parser.add_argument("--drop-in", type=pathlib.Path, help="a libhalocline_mpi, which then takes part")
    parser.add_argument("--json", type=pathlib.Path, help="write the medians of all launches to this file")
    parser.add_argument("command", nargs="+", help="launcher, halocline-bench, computing and its options")
    options = parser.parse_args()
    more = {"LD_PRELOAD": str(options.drop_in.resolve())} if options.drop_in else {}
    runs = gather(options.command, options.launches, more)
    found = medians_of(runs)
    compute_ms = runs["caller"][0]["compute_ms"]
    show(found, compute_ms)
    if options.json:
        rows = [{"operation": operation, "by": by, "us": kinds} for (operation, by), kinds in found.items()]
        options.json.write_text(json.dumps({"format": 1, "compute_ms": compute_ms, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
