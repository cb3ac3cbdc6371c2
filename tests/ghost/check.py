#!/usr/bin/env python3
"""Runs ghost in all variants on several problems, and expects the serial run's bits from each: 7 and 27 points, sides that are periodic,
open, or both; odd sizes, blocks that are uneven, blocks one cell thick; ranks that are late at random.

check.py GHOST [--ranks N] [--no-network] [--few] -- LAUNCHER FLAG...

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import os
import re
import subprocess
import sys

VARIANTS = ["mpi_only", "mpi_shared_1copy", "mpi_shared_1copy_blocking", "notified_shared_1copy", "notified_shared_1copy_nobarrier",
            "mpi_0copy", "notified_0copy"]
TIMEOUT_S = 200


def problems(ranks):
    """Words for ghost: sizes with the stencils and sides that each is tried with."""
    odd = ["--global", 7, 5, 2 * ranks + 1, "--vars", 2]
    thin_z = ["--global", 3, 4, ranks, "--ranks", 1, 1, ranks, "--vars", 1]
    thin_x = ["--global", ranks, 3, 2, "--ranks", ranks, 1, 1, "--vars", 1]
    split_all = ["--global", 9, 7, 11, "--vars", 3]
    yield [*odd, "--stencil", 7, "--periodic", "--skew", 3]
    yield [*odd, "--stencil", 27, "--periodic=xz", "--skew", 4]
    yield [*thin_z, "--stencil", 7, "--periodic=z", "--skew", 5]
    yield [*thin_z, "--stencil", 27]
    yield [*thin_x, "--stencil", 7]
    yield [*thin_x, "--stencil", 27, "--periodic", "--skew", 6]
    yield [*split_all, "--stencil", 7]
    yield [*split_all, "--stencil", 27, "--periodic"]


def wrong_with(output, status, variants):
    """What is wrong with the output of a run; nothing if all variants have the serial run's bits, and one fingerprint."""
    found = re.findall(r"^check (\S+) +([0-9a-f]{16}) equal to the serial run$", output, re.M)
    if status != 0:
        return f"exit status {status}"
    if [name for name, _ in found] != variants:
        return f"variants compared: {', '.join(name for name, _ in found)}"
    return "" if len({fingerprint for _, fingerprint in found}) == 1 else "several fingerprints"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--no-network", action="store_true", help="leave out what needs libfabric")
    parser.add_argument("--few", action="store_true", help="a problem of each stencil")
    parser.add_argument("launcher", nargs="+")
    options = parser.parse_args()
    variants = [name for name in VARIANTS if not (options.no_network and name.startswith("notified"))]
    tried = list(problems(options.ranks))
    for problem in tried[:2] if options.few else tried:
        words = ["--steps", 4, "--repeats", 0, "--check", "--variant", ",".join(variants), *problem]
        command = [*options.launcher, "-n", options.ranks, options.program, *words]
        run = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                             timeout=TIMEOUT_S, env=os.environ)
        if wrong := wrong_with(run.stdout, run.returncode, variants):
            sys.exit(f"{wrong}: {' '.join(map(str, words))}\n{run.stdout}")
        print("right:", *words[6:])


if __name__ == "__main__":
    main()
