#!/usr/bin/env python3
"""Measures libhalocline_mpi against the MPIs that it stands before, all of them in turn, and says which aims are reached.

drop_in.py --build build/release [--build build/release-openmpi ...] [--abi build/release=.venv/intelmpi/bin/mpiexec] [OPTION...]

Parts: calls     halocline_library_bench rma, 2 ranks: every call by library and host in one process; the MPIs in turn, several launches
       crowded   the same of the synchronisation, with more ranks than cores
       hosts     the same between 2 hosts, namespaces of this machine (docs/hosts.md): transfers, blocks, atomics, synchronisation, and
                 elements (accumulates by type and operation, many calls before a flush); also windows
       windows   halocline_library_bench windows, 2 to 64 ranks: time and memory of windows
       halo      halocline_library_bench halo, the modes of MPI RMA with the library loaded and without it, in turn

A build has one MPI; --abi names the launcher of another one that runs the same programs. HALOCLINE_MPI_STRICT=1 is set: a window that the
host would carry is an error, so nothing of the host is measured as ours. Writes RESULTS/drop_in.json and pictures beside it;
scripts/performance.py puts them into docs/results; docs/bench.md describes the file. A launch that fails is left out, and the exit status
is 1. Where hosts cannot be had, their part is left out.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "apps" / "common"))
import runs  # noqa: E402
from runs import launch  # noqa: E402

import drop_in_tables as tables  # noqa: E402

FORMAT = 1
SKIPPED = 77  # the exit status of tests/hosts/hosts
TWO_HOSTS = runs.ROOT / "tests" / "hosts"
PARTS = ("calls", "crowded", "hosts", "windows", "halo")
HALO_MODES = "fence,pscw,passive,passive_naive,notify,direct"
HALO_SIZES = (("8,8,64", 1), ("16,16,256", 1), ("16,16,256", 29))
QUICK = {"calls": ["--repetitions", "2", "--sample-ms", "0.05", "--sizes", "8,4096"],
         "crowded": ["--repetitions", "2", "--sample-ms", "0.05"],
         "hosts": ["--repetitions", "2", "--sample-ms", "0.05", "--sizes", "8,4096"],
         "hosts_windows": ["--repetitions", "2", "--seconds", "0.05", "--windows", "2"],
         "windows": ["--repetitions", "2", "--seconds", "0.05", "--windows", "4"],
         "halo": ["--repetitions", "2", "--warmups", "1", "--sample-ms", "0.05"]}
USUAL = {"calls": ["--repetitions", "15"], "crowded": ["--repetitions", "7"], "hosts": ["--repetitions", "9"],
         "hosts_windows": ["--seconds", "1", "--windows", "8"], "windows": ["--seconds", "1"], "halo": ["--repetitions", "15"]}
OPERATIONS = {"calls": ["--parts", "transfers,blocks,atomics,synchronisation,interposition"], "crowded": ["--parts", "synchronisation"],
              "hosts": ["--parts", "transfers,blocks,atomics,synchronisation,elements"]}
HOSTS_WINDOWS = ("create", "allocate", "dynamic")
HOSTS_WINDOW_BYTES = (4096, 1 << 20)
MPI_NAMES = ((r"MPICH Version:\s*(\S+)", "MPICH"), (r"Open MPI v([\d.]+)", "Open MPI"), (r"Intel\(R\) MPI Library ([\d.]+)", "Intel MPI"))


def name_of(environment):
    """The MPI of a report in two words."""
    for pattern, name in MPI_NAMES:
        if found := re.search(pattern, environment["mpi"]):
            return f"{name} {found[1]}"
    return " ".join(environment["mpi"].split()[:2])


class NoHostsError(RuntimeError):
    """Several hosts cannot be had on this machine."""


class Host:
    """An MPI: a build folder, and the launcher if it is not the build's own."""

    def __init__(self, build, mpiexec=None):
        self.build, self.mpiexec, self.name = pathlib.Path(build), mpiexec, None

    def command(self, part, ranks, loaded, *words):
        start, count_flag = launch.launcher(self.build)
        if self.mpiexec:
            start, count_flag = [str(self.mpiexec), *launch.flags(self.mpiexec)], "-n"
        # Open MPI alone has flags; the others bind nothing by themselves, or are told so by the environment.
        start = [word for word in start if word] + (["--bind-to", "none"] if "--oversubscribe" in start else [])
        library = (self.build / "lib" / "libhalocline_mpi.so").resolve()
        preload = [f"LD_PRELOAD={library}", "HALOCLINE_MPI_STRICT=1"] if loaded else []
        bench = (self.build / "bin" / "halocline_library_bench").resolve()
        command = [*start, count_flag, str(ranks), "/usr/bin/env", *preload, str(bench), *map(str, words)]
        return [str(TWO_HOSTS / "hosts"), "-n", "2", str(TWO_HOSTS / "mpiexec.py"), *command] if part == "hosts" else command

    def run(self, part, ranks, loaded, *words, timeout=600):
        """What a launch has written; RuntimeError with its output if it fails, NoHostsError if there are no hosts for it."""
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "report.json"
            command = self.command(part, ranks, loaded, *words, "--json", file)
            done = runs.run_to_the_end(command, os.environ | {"I_MPI_PIN": "0"}, timeout)
            if part == "hosts" and done and done.returncode == SKIPPED:
                raise NoHostsError(done.stdout.strip())
            if done is None or done.returncode != 0:
                reason = f"exit status {done.returncode}\n{done.stdout}{done.stderr}" if done else f"no end within {timeout} s"
                raise RuntimeError(f"{' '.join(command)}: {reason}")
            report = json.loads(file.read_text())
        if part == "hosts" and report["environment"]["nodes"] < 2:
            raise RuntimeError(f"{' '.join(command)}: all ranks are on one host")
        self.name = self.name or name_of(report["environment"])
        return report


def short(report):
    """A report of `rma` without its samples."""
    return {"operations": [{"operation": row["operation"], "bytes": row["bytes"], "verified_bytes": row["verified_bytes"],
                            "ours_us": row["loaded"]["median_us"], "host_us": row["host"]["median_us"],
                            "limit_us": row["limit"]["median_us"], "ratio": row["ratio"]["median"]} for row in report["operations"]],
            "interposition": [{"call": one["call"], "with_ns": one["with"]["median_ns"], "without_ns": one["without"]["median_ns"],
                               "cost_ns": one["cost"]["median_ns"]} for one in report["interposition"]]}


def say(text):
    print(text, file=sys.stderr, flush=True)


class Measurement:
    """All launches, in turn over the MPIs. A launch that fails is named in `left_out`, and the others go on."""

    def __init__(self, mpis, options):
        self.mpis, self.options = mpis, options
        self.words = QUICK if options.quick else USUAL
        self.failed = False
        self.found = {"format": FORMAT, "benchmark": "drop-in", "ranks": options.ranks, "crowded_ranks": options.crowded_ranks, "mpis": {},
                      "left_out": [], "hosts_windows": [], **{part: [] for part in PARTS}}

    def try_run(self, part, host, ranks, loaded, *words):
        """The report of one launch, or None."""
        say(f"{part}: {host.name or host.build}, {ranks} ranks{'' if loaded else ', without the library'}")
        try:
            report = host.run(part, ranks, loaded, *words)
        except RuntimeError as error:
            say(str(error))
            self.failed |= not isinstance(error, NoHostsError)
            self.found["left_out"].append(f"{part}, {ranks} ranks, {host.name or host.build}: {str(error)[-400:]}")
            return None
        self.found["mpis"].setdefault(host.name, report["environment"])
        return report

    def calls(self, part="calls", launches=None):
        ranks = self.options.crowded_ranks if part == "crowded" else self.options.ranks
        words = [*self.words[part], *OPERATIONS[part]]
        for number in range(launches or self.options.launches):
            for host in self.mpis:
                if report := self.try_run(part, host, ranks, True, "rma", *words, "--seed", number + 1):
                    self.found[part].append({"launch": number, "mpi": host.name, **short(report)})

    def crowded(self):
        self.calls("crowded", min(self.options.launches, 3))

    def hosts(self):
        self.calls("hosts", min(self.options.launches, 3))
        if not self.found["hosts"]:
            return
        for bytes_, host in itertools.product(HOSTS_WINDOW_BYTES, self.mpis):
            words = ["windows", "--kinds", ",".join(HOSTS_WINDOWS), "--bytes", bytes_, *self.words["hosts_windows"]]
            if report := self.try_run("hosts", host, self.options.ranks, True, *words):
                self.found["hosts_windows"] += [{"bytes": bytes_, "mpi": host.name, **one} for one in map(without_samples, report["kinds"])]

    def windows(self):
        for ranks in self.options.window_ranks:
            for host in self.mpis:
                if report := self.try_run("windows", host, ranks, True, "windows", *self.words["windows"]):
                    self.found["windows"] += [{"ranks": ranks, "mpi": host.name, **one} for one in map(without_samples, report["kinds"])]

    def halo(self):
        sizes = HALO_SIZES[:1] if self.options.quick else HALO_SIZES
        for number, (cells, fields), host, loaded in itertools.product(range(self.options.launches), sizes, self.mpis, (False, True)):
            words = ["halo", "--local", cells, "--fields", fields, "--modes", HALO_MODES, "--seed", number + 1, *self.words["halo"]]
            if report := self.try_run("halo", host, self.options.ranks, loaded, *words):
                self.found["halo"].append({"launch": number, "mpi": host.name, "loaded": loaded, "cells": cells, "fields": fields,
                                           **modes_of(report)})


def without_samples(kind):
    sides = {side: {key: value for key, value in kind[side].items() if key != "samples_us"} for side in ("loaded", "host")}
    return {"kind": kind["kind"], "ours": sides["loaded"], "host": sides["host"]}


def modes_of(report):
    """Microseconds and verified cells by mode, and the limit, of a report of `halo`."""
    modes = {name: {"us": row["median_us"], "verified_cells": row["verified_cells"]} for name, row in report["modes"].items()}
    return {"modes": modes, "limit_us": report["limit"]["limit_us"]}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", action="append", default=[], help="a build folder; may be repeated (build/release)")
    parser.add_argument("--abi", action="append", default=[], metavar="BUILD=MPIEXEC",
                        help="the programs of a build under another launcher")
    parser.add_argument("--parts", default=",".join(PARTS), help=f"comma-separated ({','.join(PARTS)})")
    parser.add_argument("--launches", type=int, default=5, help="launches of each MPI (5)")
    parser.add_argument("--ranks", type=int, default=2, help="of calls and halo (2)")
    parser.add_argument("--crowded-ranks", type=int, default=8, help="of crowded (8)")
    parser.add_argument("--window-ranks", default="2,4,8,16,32,64", help="of windows, comma-separated (2,4,8,16,32,64)")
    parser.add_argument("--quick", action="store_true", help="few short samples, whose times mean nothing")
    parser.add_argument("--results", type=pathlib.Path, default=pathlib.Path("results"))
    options = parser.parse_args()
    options.parts = options.parts.split(",")
    if wrong := set(options.parts) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(wrong))}")
    options.window_ranks = [int(number) for number in options.window_ranks.split(",")]
    return options


def draw(options):
    """The pictures, by the private Python where it is."""
    command = [runs.python(), HERE / "drop_in_plot.py", options.results / "drop_in.json", options.results]
    drawn = subprocess.run(command, check=False, capture_output=True, text=True)
    print(drawn.stdout.strip() if drawn.returncode == 0 else f"no pictures: {(drawn.stderr.strip().splitlines() or ['failed'])[-1]}")


def main():
    options = arguments()
    mpis = [Host(build) for build in options.build or ([] if options.abi else ["build/release"])]
    mpis += [Host(*pair.split("=", 1)) for pair in options.abi]
    measurement = Measurement(mpis, options)
    options.results.mkdir(parents=True, exist_ok=True)
    file = options.results / "drop_in.json"
    for part in options.parts:
        getattr(measurement, part)()
        file.write_text(json.dumps(measurement.found, indent=1))
    for title, head, rows, notes in tables.all_tables(measurement.found):
        print(f"\n{title}\n{tables.as_text(head, rows)}", *notes, sep="\n")
    for reason in measurement.found["left_out"]:
        print(f"left out: {reason}")
    print(f"\nwritten: {file}")
    draw(options)
    sys.exit(1 if measurement.failed else 0)


if __name__ == "__main__":
    main()
