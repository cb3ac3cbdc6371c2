#!/usr/bin/env python3
"""Runs sparse in all protocols, and expects every byte as sent: short, long and empty messages, few slots, ranks that are late at random.

check.py SPARSE [--ranks N] [--nodes N] [--preload LIBRARY] [--few] -- LAUNCHER FLAG...

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import os
import re
import subprocess
import sys

PROTOCOLS = ["alltoall", "reduce_scatter", "nbx", "accumulate", "engine"]
TIMEOUT_S = 200
PROBLEMS = [
    ["--neighbours", 2, "--bytes", 3000, "--vary", "--skew", 3, "--exchanges", 20],
    ["--neighbours", 6, "--exchanges", 50],
    ["--neighbours", 6, "--bytes", 20000, "--vary", "--slots", 2, "--exchanges", 20],
    ["--neighbours", 1, "--bytes", 0, "--exchanges", 20],
    ["--neighbours", 0, "--exchanges", 5],
    ["--neighbours", 3, "--bytes", 100000, "--slots", 1, "--skew", 4, "--exchanges", 5],
]


def wrong_with(output, status, protocols):
    """What is wrong with the output of a run; nothing if all protocols brought what was sent."""
    found = re.findall(r"^check (\S+) +every byte as sent$", output, re.MULTILINE)
    if status != 0:
        return f"exit status {status}"
    return "" if found == protocols else f"protocols that were right: {', '.join(found)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--nodes", type=int, default=1, help="emulated nodes")
    parser.add_argument("--preload", help="library that carries MPI's one-sided calls; only their protocol runs")
    parser.add_argument("--few", action="store_true", help="the first problem")
    parser.add_argument("launcher", nargs="+")
    options = parser.parse_args()
    # To MPI emulated nodes are one.
    protocols = PROTOCOLS if options.nodes == 1 else ["engine"]
    program = [options.program]
    if options.preload:
        protocols = ["accumulate"]
        program = ["/usr/bin/env", f"LD_PRELOAD={options.preload}", "HALOCLINE_MPI_STRICT=1", options.program]
    for problem in PROBLEMS[:1] if options.few else PROBLEMS:
        words = ["--repeats", 1, "--check", "--protocol", ",".join(protocols), *problem]
        command = [*options.launcher, "-n", options.ranks, *program, *words]
        run = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                             timeout=TIMEOUT_S, env=os.environ | {"HALOCLINE_FAKE_NODES": str(options.nodes)})
        if wrong := wrong_with(run.stdout, run.returncode, protocols):
            sys.exit(f"{wrong}: {' '.join(map(str, words))}\n{run.stdout}")
        print("right:", *problem)


if __name__ == "__main__":
    main()
