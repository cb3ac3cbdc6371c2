#!/usr/bin/env python3
"""Runs hashtable in all variants, and expects each to be equal to the serial table: random and Zipf keys, few buckets, ranks that are late
at random.

check.py HASHTABLE [--ranks N] [--nodes N] [--preload LIBRARY] [--few] -- LAUNCHER FLAG...

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import os
import re
import subprocess
import sys

VARIANTS = ["messages", "rma", "rma_batched", "engine", "engine_batched", "instructions"]
TIMEOUT_S = 200

# Words for hashtable. With few buckets nearly all keys are in chains; with few keys nearly all ranks insert the same. Between nodes each
# access is a query, so less is done there.
PROBLEMS = [
    ["--inserts", 300, "--universe", 150, "--buckets", 7, "--skew", 3],
    ["--inserts", 400, "--keys", "zipf", "--buckets", 64, "--at-once", 16],
    ["--inserts", 3000, "--keys", "zipf", "--exponent", 0.5, "--universe", 1000, "--buckets", 1],
    ["--inserts", 3000],
    ["--inserts", 500, "--universe", 1, "--skew", 5],
    ["--inserts", 1, "--buckets", 1],
]
BETWEEN_NODES = [
    ["--inserts", 40, "--universe", 25, "--buckets", 7],
    ["--inserts", 60, "--keys", "zipf", "--at-once", 16, "--skew", 4],
    ["--inserts", 200, "--keys", "zipf", "--exponent", 0.5, "--universe", 50, "--buckets", 3, "--skew", 5],
    ["--inserts", 500],
]


def wrong_with(output, status, variants):
    """What is wrong with the output of a run; nothing if all variants are equal to the serial table."""
    found = re.findall(r"^check (\S+) +equal to the serial table$", output, re.MULTILINE)
    if status != 0:
        return f"exit status {status}"
    return "" if found == variants else f"variants that were right: {', '.join(found)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--nodes", type=int, default=1, help="emulated nodes")
    parser.add_argument("--preload", help="library that carries MPI's one-sided calls; only their variants run")
    parser.add_argument("--few", action="store_true", help="the first two problems")
    parser.add_argument("launcher", nargs="+")
    options = parser.parse_args()
    # To MPI emulated nodes are one.
    variants = VARIANTS if options.nodes == 1 else ["engine", "engine_batched"]
    environment = os.environ | {"HALOCLINE_FAKE_NODES": str(options.nodes)}
    program = [options.program]
    if options.preload:
        variants = ["rma", "rma_batched"]
        program = ["/usr/bin/env", f"LD_PRELOAD={options.preload}", "HALOCLINE_MPI_STRICT=1", options.program]
    problems = PROBLEMS if options.nodes == 1 else BETWEEN_NODES
    for problem in problems[:2] if options.few else problems:
        words = ["--repeats", 1, "--check", "--variant", ",".join(variants), *problem]
        command = [*options.launcher, "-n", options.ranks, *program, *words]
        run = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                             timeout=TIMEOUT_S, env=environment)
        if wrong := wrong_with(run.stdout, run.returncode, variants):
            sys.exit(f"{wrong}: {' '.join(map(str, words))}\n{run.stdout}")
        print("right:", *problem)


if __name__ == "__main__":
    main()
