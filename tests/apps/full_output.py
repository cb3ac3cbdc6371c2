#!/usr/bin/env python3
"""Lets programs print to a disk that is full. Each must end with one message and a status. A file of results that can't be written must end
them so, too.

full_output.py FOLDER_OF_PROGRAMS [--few] PROGRAM...

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Words that print and do little.
SHORT = {
    "boltzmann": ["--steps", "1", "--variant", "notify"],
    "cloud": [ROOT / "apps/cloud/quick.nml", "--steps", "1"],
    "fft": ["--size", "8,8,8", "--variant", "notify", "--repeats", "1"],
    "ghost": ["--local", "4", "--variant", "mpi_only", "--repeats", "1"],
    "halocline-bench": ["halo", "--help"],
    "halocline-doctor": ["--list"],
    "halocline-info": [],
    "halocline-run": ["--help"],
    "halocline-simulate": ["--help"],
    "halocline-trace": ["--help"],
    "halocline": ["--help"],
    "hashtable": ["--inserts", "10", "--variant", "engine", "--repeats", "1"],
    "lattice": ["--local", "4,4,4,4", "--variant", "notify", "--repeats", "1"],
    "pic": ["--cells", "8,1,1", "--wave", "1e-3", "--steps", "1"],
    "sparse": ["--repeats", "1"],
}
# Those whose --json says what they have found.
JSON = ["boltzmann", "fft", "ghost", "halocline-info", "hashtable", "lattice", "pic", "sparse"]


def wrong_with(done, named):
    said = done.stderr.decode()
    # 4: a benchmark could not write what it has measured.
    if done.returncode not in (1, 2, 4):
        return f"exit status {done.returncode}, not 1, 2 or 4"
    # Of output that was printed long before the end the reason is not known any more.
    if len(re.findall("No space left on device|is the disk full", said)) != 1 or named not in said or "Traceback" in said:
        return f"there is not one message that names {named} and the reason"
    return ""


def cases_of(name, words, few):
    yield "", words, "/dev/full"
    if name in JSON and not few:
        yield "/dev/full", [*words, "--json", "/dev/full"], os.devnull


def main():
    folder, *names = sys.argv[1:]
    few = "--few" in names
    failed = passed = 0
    for name in [one for one in names if one != "--few"]:
        for named, words, output in cases_of(name, SHORT[name], few):
            with open(output, "wb") as stdout, tempfile.TemporaryDirectory() as home:
                done = subprocess.run([str(word) for word in [pathlib.Path(folder) / name, *words]], stdout=stdout, stderr=subprocess.PIPE,
                                      stdin=subprocess.DEVNULL, check=False, timeout=100, env={**os.environ, "XDG_CACHE_HOME": home})
            wrong = wrong_with(done, named)
            passed, failed = passed + (not wrong), failed + bool(wrong)
            print(f"{name} {' '.join(map(str, words))}: {wrong or 'right'}")
            if wrong:
                print(done.stderr.decode())
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
