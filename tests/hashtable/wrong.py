#!/usr/bin/env python3
"""Calls hashtable with options that are wrong, and expects a failure and a message that names the option or the value.

wrong.py HASHTABLE -- LAUNCHER FLAG...

SPDX-License-Identifier: BSD-3-Clause
"""
import subprocess
import sys

CASES = [
    (["--variant", "upc"], "upc"),
    (["--inserts", "0"], "--inserts"),
    (["--keys", "normal"], "--keys"),
    (["--at-once", "0"], "--at-once"),
    (["--variant", "engine", "--repeats", "1", "--inserts", "50", "--buckets", "1", "--heap", "9"], "is full: 9 cells"),
    # One rank finds a heap full, and others wait for its answers, or for its call that frees the memory.
    (["--variant", "messages_one", "--repeats", "1", "--inserts", "50", "--buckets", "1", "--heap", "9"], "is full: 9 cells"),
    (["--variant", "rma_batched", "--repeats", "1", "--inserts", "50", "--buckets", "1", "--heap", "9"], "is full: 9 cells"),
    (["--exponent", "nan"], "'nan' is not a number from 0 to 10"),
    (["--seed=-1"], "'-1' is not a whole number"),
    (["--seed", "18446744073709551616"], "'18446744073709551616' is not a whole number"),
    (["--nonsense"], "--nonsense"),
]


def main():
    split = sys.argv.index("--")
    program, launcher = sys.argv[1], sys.argv[split + 1:]
    for words, named in CASES:
        command = [*launcher, "-n", "2", program, *words]
        run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=100)
        if run.returncode == 0 or named not in run.stderr:
            sys.exit(f"{words}: exit status {run.returncode}, expected were a failure and {named}\n{run.stdout}{run.stderr}")
        print(f"{' '.join(words)}: {next(line for line in run.stderr.splitlines() if named in line)}")


if __name__ == "__main__":
    main()
