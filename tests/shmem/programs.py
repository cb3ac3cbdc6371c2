#!/usr/bin/env python3
"""Starts an OpenSHMEM program whose PEs cannot agree, or have no room: two different programs as one job, and a /dev/shm that is full.

Usage: programs.py PROGRAM OTHER -- LAUNCHER FLAG...     PROGRAM: halocline_shmem_wrong; OTHER: halocline_shmem_with_mpi

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "failure"))
import peer_death  # noqa: E402


def run(command, **variables):
    """The exit status of a job, and what it printed."""
    ended = subprocess.run(command, env=os.environ | variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=100,
                           check=False, errors="replace")
    return ended.returncode, ended.stdout


def two_programs(program, other, launcher):
    """PE 0 says that static variables are not symmetric; an access to one ends the job. The heap of such a job would work."""
    status, text = run([*launcher, "-n", "1", program, "static", ":", "-n", "1", other, "I"])
    wanted = ("static variables of the program are not symmetric: PE 1 has another layout of them than PE 0",
              r"shmem_uint64_p on PE 0: dest is 0x[0-9a-f]+ but must be the address of symmetric memory.*whose variables are not symmetric")
    return status != 0 and all(re.search(words, text) for words in wanted), text


def full_shm(program, launcher):
    """shmem_init says so where the heap has no room; later shmem_malloc returns a null pointer on all PEs."""
    mount(32)
    status, text = run([*launcher, "-n", "2", program, "room"], SHMEM_SYMMETRIC_SIZE="1g")
    refused = status != 0 and "bytes of shared memory" in text and "df /dev/shm" in text
    mount(128)
    status, text_of_heap = run([*launcher, "-n", "2", program, "room"], SHMEM_SYMMETRIC_SIZE="16m")
    return refused and status == 0 and text_of_heap.count("no room: a null pointer") == 2, text + text_of_heap


def mount(mib):
    """A new /dev/shm in the namespace of this script."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={mib}m", "small", "/dev/shm"], check=True)


def main():
    program, other, divider, *launcher = sys.argv[1:]
    assert divider == "--"
    if not peer_death.has_private_shm():
        peer_death.enter_private_shm()
    results = {"two programs": two_programs(program, other, launcher)}
    if peer_death.has_private_shm():
        results["full /dev/shm"] = full_shm(program, launcher)
    for name, (right, text) in results.items():
        print(f"{'passed' if right else 'failed'}: {name}{'' if right else chr(10) + text}")
    failures = sum(not right for right, _ in results.values())
    print(f"{len(results) - failures} passed, {failures} failed, {2 - len(results)} skipped")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
