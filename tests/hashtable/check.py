#!/usr/bin/env python3
"""Runs hashtable in all variants, and expects each to be equal to the serial table: random and Zipf keys, few buckets, ranks that are late
at random.

check.py HASHTABLE [--ranks N] [--nodes N] [--preload LIBRARY] [--few] -- LAUNCHER FLAG...

SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import app_check  # noqa: E402

VARIANTS = ["messages", "rma", "rma_batched", "engine", "engine_batched", "instructions"]

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
ONE_AT_A_TIME = [["--inserts", 100, "--universe", 60, "--buckets", 7, "--skew", 3]]
BETWEEN_NODES = [
    ["--inserts", 40, "--universe", 25, "--buckets", 7],
    ["--inserts", 60, "--keys", "zipf", "--at-once", 16, "--skew", 4],
    ["--inserts", 200, "--keys", "zipf", "--exponent", 0.5, "--universe", 50, "--buckets", 3, "--skew", 5],
    ["--inserts", 500],
]


def main():
    options = app_check.arguments(__doc__.splitlines()[0], few=2)
    # To MPI emulated nodes are one.
    variants = VARIANTS if options.nodes == 1 else ["engine", "engine_batched"]
    if options.preload:
        variants = ["rma", "rma_batched"]
    problems = PROBLEMS if options.nodes == 1 else BETWEEN_NODES
    words = ["--variant", "equal to the serial table"]
    app_check.try_all(options, problems, variants, words)
    # messages_one is messages with --at-once 1. Where ranks share cores, each of its requests waits until the owner has one.
    if options.nodes == 1 and not options.few and not options.preload:
        app_check.try_all(options, ONE_AT_A_TIME, ["messages_one"], words)


if __name__ == "__main__":
    main()
