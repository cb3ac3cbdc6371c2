#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the cloud mini-app on several rank counts in every mode and compares what it prints.

usage: check.py --cloud BIN [--launcher "mpiexec -n"] [--case FILE.nml] [--global NX,NY,NZ] [--steps N]
                [--ranks 1,2,3,4,6] [--modes p2p,neighbor,...] [--fake-nodes 1,2] [--runs RUN...] [--tolerance T] [--timeout S]

    check.py --cloud build/release/bin/cloud --launcher "mpiexec -n"
    check.py --cloud build/release-openmpi/bin/cloud --launcher "mpiexec --allow-run-as-root --oversubscribe -n"

Every run must exit with 0, which means that mass, heat, water and tracers are conserved, that the divergence lies below the solver's
tolerance and that no positive quantity fell below 0. On top of that the fingerprints of the 29 fields must be bitwise equal over all
modes for one number of ranks, and equal to T (1e-11 if not said; 0: to the bit) relative over the numbers of ranks. The default grid has
uneven blocks. Fake nodes (HALOCLINE_FAKE_NODES) are tried where each would get a rank. --runs names single runs instead of all of
--ranks on all of --fake-nodes: `3` is 3 ranks in every mode, `4.fake2` the same on 2 pretended nodes, `6:direct` one mode. One line per
run; the last line is `N passed, N failed, N skipped`. Standard library only. Exit code 0 if nothing failed and something passed.
"""
import argparse
import os
import pathlib
import re
import shlex
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))
import runs  # noqa: E402

MODES = "p2p,neighbor,fence,pscw,passive,passive_naive,notify,direct,notify_node"
FIELDS = 29


def read_arguments():
    parser = argparse.ArgumentParser(description="Compares cloud's fingerprints over modes and rank counts.")
    parser.add_argument("--cloud", required=True, help="the program")
    parser.add_argument("--launcher", default="mpiexec -n", help="command line to which the number of ranks is appended")
    parser.add_argument("--case", default=str(pathlib.Path(__file__).with_name("quick.nml")))
    parser.add_argument("--global", dest="cells", default="11,9,16", help="cells in x, y and z")
    parser.add_argument("--steps", default="2")
    parser.add_argument("--ranks", default="1,2,3,4,6")
    parser.add_argument("--modes", default=MODES)
    parser.add_argument("--fake-nodes", default="1,2", help="numbers of pretended nodes; 1 is the machine as it is")
    parser.add_argument("--runs", nargs="+", help="single runs: RANKS[.fakeNODES][:MODE,...]")
    parser.add_argument("--tolerance", type=float, default=1e-11, help="largest relative difference between numbers of ranks")
    parser.add_argument("--timeout", type=float, default=300, help="seconds per run")
    return parser.parse_args()


def run_cloud(arguments, ranks, mode, nodes):
    """Runs the program once; returns its fingerprints by field, or the reason why there are none."""
    command = shlex.split(arguments.launcher) + [str(ranks), arguments.cloud, arguments.case, "--mode", mode]
    command += ["--global", arguments.cells, "--steps", arguments.steps]
    environment = dict(os.environ)
    environment.pop("HALOCLINE_MODE", None)
    environment.pop("HALOCLINE_FAKE_NODES", None)
    if nodes > 1:
        environment["HALOCLINE_FAKE_NODES"] = str(nodes)
    try:
        done = runs.run_to_the_end(command, environment, arguments.timeout)
    except OSError as fault:
        return None, str(fault)
    return judge_output(done, mode) if done else (None, f"no end within {arguments.timeout:.0f} s")


def judge_output(done, mode):
    """Finds what is wrong with one run: its exit code, a broken check, another mode than asked for, missing lines."""
    broken = [line for line in done.stdout.splitlines() if line.endswith("BROKEN")]
    checks = [line for line in done.stdout.splitlines() if line.endswith("holds")]
    prints = dict(re.findall(r"^fingerprint (\S+) ([0-9A-F]{16})$", done.stdout, re.MULTILINE))
    if broken:
        return None, "; ".join(" ".join(line.split()) for line in broken)
    if done.returncode != 0:
        words = (done.stderr.strip() or done.stdout.strip() or "no output").splitlines()
        return None, f"exit code {done.returncode}: {words[-1]}"
    if not re.search(rf"^mode +{mode}$", done.stdout, re.MULTILINE):
        return None, f"the program does not say that it ran in mode {mode}"
    if len(prints) != FIELDS or not checks:
        return None, f"{len(prints)} fingerprints and {len(checks)} checks printed, {FIELDS} and some expected"
    return prints, ""


def value_of(digits):
    return struct.unpack(">d", bytes.fromhex(digits))[0]


def largest_difference(prints, reference):
    """The largest relative difference over the fields, and the field."""
    differences = []
    for field, digits in prints.items():
        mine, other = value_of(digits), value_of(reference[field])
        scale = max(abs(mine), abs(other))
        differences.append((abs(mine - other) / scale if scale > 0 else 0.0, field))
        if mine != mine or other != other:
            return float("nan"), field
    return max(differences)


class Comparison:
    """Keeps the first fingerprints of each number of ranks and of all, and says how a new run compares with them."""

    def __init__(self, tolerance):
        self.tolerance = tolerance
        self.by_ranks = {}
        self.first = None

    def fault(self, prints, ranks):
        same = self.by_ranks.setdefault(ranks, prints)
        other_bits = [field for field in prints if prints[field] != same[field]]
        if other_bits:
            return f"{len(other_bits)} fields differ in bits from another mode on {ranks} ranks, first {other_bits[0]}"
        self.first = self.first or prints
        difference, field = largest_difference(prints, self.first)
        if not difference <= self.tolerance:
            return f"{field} differs by {difference:.1e} relative from another number of ranks"
        return ""


def single_run(words, modes):
    """Ranks, pretended nodes and modes of one of --runs."""
    where, _, chosen = words.partition(":")
    ranks, _, nodes = where.partition(".fake")
    return int(ranks), int(nodes or 1), (chosen or modes).split(",")


def launches(arguments):
    """Ranks, pretended nodes and modes of each group of runs."""
    if arguments.runs:
        return [single_run(words, arguments.modes) for words in arguments.runs]
    return [(int(ranks), int(nodes), arguments.modes.split(",")) for ranks in arguments.ranks.split(",")
            for nodes in arguments.fake_nodes.split(",")]


def main():
    arguments = read_arguments()
    comparison = Comparison(arguments.tolerance)
    passed = failed = skipped = 0
    for ranks, nodes, modes in launches(arguments):
        if nodes > ranks:
            print(f"skipped  {ranks} ranks on {nodes} pretended nodes: each node needs a rank", flush=True)
            skipped += 1
            continue
        for mode in modes:
            prints, fault = run_cloud(arguments, ranks, mode, nodes)
            fault = fault or comparison.fault(prints, ranks)
            passed, failed = passed + (not fault), failed + bool(fault)
            where = f"{ranks} ranks" + (f" on {nodes} pretended nodes" if nodes > 1 else "")
            print(f"{'FAILED ' if fault else 'passed '}  {where}, {mode}{': ' + fault if fault else ''}", flush=True)
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
