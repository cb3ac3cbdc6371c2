#!/usr/bin/env python3
"""A program linked with libhalocline_mpix: without the drop-in each call is refused, and one line says what to load; that works.

Usage: stand_in.py PROGRAM DROP_IN -- LAUNCHER [FLAG...]

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import pathlib
import re
import subprocess
import sys

SAID = r"MPIX_Win_set_num_notify on rank 0: .*not loaded.*`halocline-run --mpi`, or with LD_PRELOAD=(\S+)$"


def run(launcher, command, variables):
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    done = subprocess.run([*launcher, "-n", "1", "env", *variables, *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=60, env=environment, check=False)
    return done.returncode, done.stdout


def faults_of(program, drop_in, launcher):
    """What is wrong in each case; '' if nothing is."""
    code, output = run(launcher, [program, "returned"], [])
    lines = [line for line in output.splitlines() if "halocline:" in line]
    said = re.search(SAID, lines[0]) if lines else None
    yield "each call is refused", "" if code == 0 and "19 of 19 calls refused" in output else output
    yield "one line says why", "" if len(lines) == 1 and said else output
    named = said[1] if said else ""
    is_same = pathlib.Path(named).resolve() == pathlib.Path(drop_in).resolve()
    yield "it names the drop-in beside it", "" if is_same else f"{named}\n{output}"
    code, output = run(launcher, [program, "fatal"], [])
    ends = code != 0 and "not loaded" in output and "refused" not in output
    yield "the default error handler ends the program", "" if ends else output
    code, output = run(launcher, [program, "returned"], [f"LD_PRELOAD={drop_in}"])
    works = code == 0 and "0 of 19 calls refused" in output and "not loaded" not in output
    yield "with the drop-in all work", "" if works else output


def main():
    divider = sys.argv.index("--")
    faults = dict(faults_of(sys.argv[1], sys.argv[2], sys.argv[divider + 1:]))
    for case, fault in faults.items():
        print(f"{'failed' if fault else 'passed'}: {case}{': ' + fault if fault else ''}")
    failures = sum(1 for fault in faults.values() if fault)
    print(f"{len(faults) - failures} passed, {failures} failed, 0 skipped")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
