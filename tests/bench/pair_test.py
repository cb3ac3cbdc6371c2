#!/usr/bin/env python3
"""Checks that halocline-bench notify, bandwidth, overlap and progress measure something, verify what arrives, and report it whole.

Usage: pair_test.py BENCH -- LAUNCHER [FLAG...]

SPDX-License-Identifier: BSD-3-Clause
"""
import json
import pathlib
import subprocess
import sys
import tempfile

QUICK = ["--repetitions", "3", "--sample-ms", "0.1"]
LATENCIES = ["half_round_trip_us", "raw_tcp_us", "mpi_p2p_us", "ratio_to_raw_tcp", "ratio_to_mpi"]
NOTIFY = [*LATENCIES, "gaspi_us"]
STREAMS = ["put_gb_per_s", "raw_tcp_gb_per_s", "mpi_gb_per_s", "put_messages_per_s", "mpi_messages_per_s", "bandwidth_to_raw_tcp",
           "bandwidth_to_mpi"]


class Bench:
    def __init__(self, bench, launcher, folder):
        self.bench, self.launcher, self.folder = bench, launcher, folder

    def run(self, command, *options, ranks=2):
        """Returns exit status, output, and the JSON if there is one."""
        file = self.folder / f"{command}.json"
        file.unlink(missing_ok=True)
        done = subprocess.run([*self.launcher, "-n", str(ranks), self.bench, command, *options, "--json", str(file)],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300, check=False)
        return done.returncode, done.stdout, json.loads(file.read_text()) if file.exists() else {}


def is_number(value):
    """A measured time, rate or ratio: neither missing nor 0 nor beyond what a machine can be."""
    return isinstance(value, int | float) and 0 < value < 1e12


def all_numbers(found, sizes, keys):
    """One entry per size, in which every key is a number."""
    rows = found.get("sizes", [])
    return [row["bytes"] for row in rows] == sizes and all(is_number(row.get(key)) for row in rows for key in keys)


def has_samples(found, series):
    """Every carrier has as many samples as were asked for, and its median lies within its spread."""
    timings = [timing for row in found["sizes"] for timing in row[series].values()]
    return len(timings) > 0 and all(
        len(timing["samples_us"]) == 3 and timing["p10_us"] <= timing["median_us"] <= timing["p90_us"] for timing in timings)


def checks(bench):
    """Triples of a sentence, whether it is so (None: nothing to look at here), and what was written."""
    status, output, found = bench.run("notify", "--sizes", "8,4096", *QUICK)
    yield "notify reports a number for each size and carrier", status == 0 and all_numbers(found, [8, 4096], NOTIFY), output
    yield "notify keeps all samples", status == 0 and has_samples(found, "half_round_trip"), output
    yield "notify has the limit on one node", status == 0 and all_numbers(found, [8, 4096], ["limit_us"]), output
    told = found.get("environment", {})
    yield "notify says ranks, MPI and network", told.get("ranks") == 2 and bool(told.get("mpi")) and "network" in found, output
    yield "notify prints a table", "put_notify us" in output and "4096" in output, output

    status, output, found = bench.run("bandwidth", "--sizes", "8,1048576", *QUICK)
    whole = status == 0 and all_numbers(found, [8, 1048576], LATENCIES + STREAMS)
    yield "bandwidth reports a number for each size and carrier", whole, output
    yield "bandwidth keeps all samples", status == 0 and has_samples(found, "stream"), output
    yield "bandwidth prints both tables", "puts/s" in output and "put_notify us" in output, output

    status, output, found = bench.run("overlap", "--sizes", "1024,1048576", "--repetitions", "2", "--fake-nodes", "2")
    both = [(1024, "caller"), (1024, "thread"), (1048576, "caller"), (1048576, "thread")]
    listed = [(row["bytes"], row["progress"]) for row in found.get("sizes", [])]
    yield "overlap reports each size under both kinds of progress", status == 0 and listed == both, output
    times = all_numbers(found, [1024, 1024, 1048576, 1048576], ["communication_us", "start_us", "compute_us", "combined_us"])
    yield "overlap reports times", times and all(isinstance(row["hidden_percent"], float) for row in found["sizes"]), output

    status, output, found = bench.run("progress", "--sizes", "8", "--repetitions", "1", "--compute-ms", "50", "--fake-nodes", "2")
    if "cannot be measured here" in output:
        yield "progress between nodes", None, output
    else:
        yield from progress_checks(status, output, found)

    status, output, found = bench.run("notify", ranks=3)
    yield "three ranks are refused", status != 0 and not found and "for 2 ranks" in output, output


def progress_checks(status, output, found):
    yield "progress reports all kinds", status == 0 and all_numbers(found, [8, 8, 8], ["completion_us", "compute_us"]), output
    kinds = [row["progress"] for row in found.get("sizes", [])]
    yield "progress says who waits for the target", kinds == ["caller", "thread", "helper"], output


def main():
    divider = sys.argv.index("--")
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    with tempfile.TemporaryDirectory(prefix="halocline-pair-test-") as path:
        for sentence, so, output in checks(Bench(sys.argv[1], sys.argv[divider + 1:], pathlib.Path(path))):
            outcome = "skipped" if so is None else "passed" if so else "failed"
            counts[outcome] += 1
            print(f"{outcome}: {sentence}{'' if so else chr(10) + output}", flush=True)
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
