#!/usr/bin/env python3
"""Runs info, bench, doctor and explain on 2 ranks, with the real programs, by the Python that builds the project: no package is needed.

Usage: real_test.py HALOCLINE_INFO -- LAUNCHER [FLAG...]

SPDX-License-Identifier: BSD-3-Clause
"""
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def call(build, *words, **environment):
    """Exit code, standard output and standard error."""
    command = [sys.executable, "-B", "-m", "halocline.command", *map(str, words)]
    done = subprocess.run([*command, *(["--build", str(build)] if build else [])], capture_output=True, text=True, timeout=150, check=False,
                          env={**os.environ, "PYTHONPATH": str(ROOT / "bindings" / "python" / "src"), **environment})
    return done.returncode, done.stdout, done.stderr


def guide_names():
    """The variables that the guide describes."""
    text = (ROOT / "docs" / "guide" / "environment.md").read_text()
    cells = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `HALOCLINE_")]
    return {name for cell in cells for name in re.findall(r"HALOCLINE_[A-Z_]+", cell)}


def memory_is_right(memory):
    """Of the largest job a node holds more than of the smallest, in proportion to the ranks. Two ranks of a node open no network."""
    jobs = memory.get("jobs", [])
    if len(jobs) < 3 or memory["network_opened_bytes"] is not None or not 0 < memory["peer_bytes"] < memory["process_bytes"]:
        return False
    per_rank = {(job["node_addresses_bytes"] / job["ranks"], job["node_segment_bytes"] / job["ranks"]) for job in jobs}
    return len(per_rank) == 1 and jobs[-1]["ranks"] == 32768


def info_checks(build):
    status, said, errors = call(build, "info", "-n", 2, "--json", HALOCLINE_MODE="notify", HALOCLINE_MOED="direct")
    found = json.loads(said) if status == 0 else {}
    yield "info ends well", bool(found), errors
    known = {one["name"]: one for one in found.get("variables", {}).get("known", [])}
    yield "it has the value and origin of a variable", known.get("HALOCLINE_MODE", {}).get("value") == "notify" and \
        known["HALOCLINE_MODE"]["origin"] == "environment" and known["HALOCLINE_EPOCH"]["origin"] == "default", said
    yield "it names a variable that is unknown", found.get("variables", {}).get("unknown") == ["HALOCLINE_MOED"], said
    documented = {name for name, one in known.items() if one["read_by"] in ("library", "libhalocline_mpi", "the Python package")}
    yield f"the guide has the same variables: {documented ^ guide_names()}", documented == guide_names(), said
    mpi = found.get("mpi", {})
    yield "it names the MPI's file, which is there", pathlib.Path(mpi.get("file", "")).is_file(), said
    yield "it knows the binary interface", mpi.get("abi", {}).get("of", "unknown") != "unknown", said
    yield "windows have a model", set(mpi.get("window_models", {}).values()) <= {"unified", "separate"}, said
    transports = found.get("transports", {})
    carriers = [*transports.get("node", []), *transports.get("network", {}).get("providers", [])]
    explained = all(one["used"] != bool(one["refusal"]) for one in carriers)
    yield "each transport is used or has a reason", len(carriers) >= 3 and explained, said
    memory = found.get("memory", {})
    yield "the memory of the network grows with the job in the tables of a node alone", memory_is_right(memory), said
    yield "each rank has its place", [one["rank"] for one in found.get("topology", {}).get("places", [])] == [0, 1], said


def text_checks(build):
    """This Python may have no packages: then the tables are plain lines."""
    status, said, errors = call(build, "info", "-n", 1)
    named = all(word in said for word in ("Topology", "between nodes", "HALOCLINE_MODE"))
    yield "info needs no package", status == 0 and named, said + errors


def provider_checks(build):
    status, said, errors = call(build, "info", "-n", 1, "--json", HALOCLINE_PROVIDER="none")
    network = json.loads(said)["transports"]["network"] if status == 0 else {}
    yield "a network that is not wanted is said", network.get("refusal") == "HALOCLINE_PROVIDER is none", said + errors


def bench_checks(build):
    """The command has the benchmarks of the native program, of which `halocline model` is one."""
    help_text = subprocess.run([build / "bin" / "halocline-bench", "--help"], capture_output=True, text=True, check=True, timeout=60).stdout
    native = set(re.findall(r"^  ([a-z]+) ", help_text.split("Subcommands:")[1], re.M))
    status, said, errors = call(None, "bench", "--help")
    offered = set(re.search(r"\{([a-z,]+)\}", said)[1].split(","))
    yield f"it offers each benchmark: {native ^ offered}", status == 0 and native == offered | {"model"}, said + errors
    for words in (["--nosuch"], ["--fields", 0], ["--depth", "x"]):
        status, said, errors = call(build, "bench", "halo", "-n", 1, *words)
        yield f"a wrong command line has exit code 2: {words}", status == 2 and str(words[-1]) in said + errors, said + errors


def other_checks(build):
    status, said, errors = call(build, "doctor", "-n", 2, "--only", "epochs/fence_early", "--no-drop-in", "--no-cache")
    yield "doctor tries a probe", status == 0 and "epochs/fence_early" in said, said + errors
    status, said, errors = call(build, "explain", "--bytes", "64KiB", HALOCLINE_CARD="default")
    yield "explain predicts from the card that the library takes", status == 0 and "predicted to be the fastest" in said and \
        "HALOCLINE_CARD asks for it" in said, said + errors
    status, said, errors = call(build, "explain", HALOCLINE_CARD="default", XDG_CACHE_HOME="/nonexistent")
    yield "and for a shape", status == 0 and "64 × 64 × 64" in said, said + errors


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    build = program.parent.parent
    launcher = sys.argv[sys.argv.index("--") + 1:]
    # The same launcher as that of the other tests; it stands beside the program's MPI, and wants no flags but the command's own.
    os.environ["MPIEXEC"] = launcher[0]
    failed = checked = 0
    for name, right, why in [*info_checks(build), *text_checks(build), *provider_checks(build), *bench_checks(build), *other_checks(build)]:
        checked += 1
        failed += not right
        print(f"{'passed' if right else 'FAILED'}  {name}" + ("" if right else f"\n{why}"))
    print(f"({shlex.join(launcher)})\n{checked - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
