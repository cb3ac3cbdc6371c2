#!/usr/bin/env python3
"""Wrong calls of the OpenSHMEM interface: each ends all PEs within seconds, with one message that names call, argument, PE and value.

Usage: wrong.py PROGRAM [only...] -- LAUNCHER FLAG...

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import re
import subprocess
import sys

CASES = {
    "before": r"shmem_uint64_p: it must be called after shmem_init and before shmem_finalize",
    "after": r"shmem_uint64_p: it must be called after shmem_init and before shmem_finalize",
    "pe": r"shmem_uint64_p on PE 0: pe is 9 but must be 0 to 1",
    "pe_below": r"shmem_putmem on PE 0: pe is -1 but must be 0 to 1",
    "dest": r"shmem_uint64_p on PE 0: dest is 0x[0-9a-f]+ but must be the address of symmetric memory",
    "dest_null": r"shmem_put64 on PE 0: dest is \(nil\) but must be the address of symmetric memory",
    "source": r"shmem_put64 on PE 0: source is NULL",
    "beyond": r"shmem_put64 on PE 0: dest is .* 18446744073709551615 bytes from there go beyond the symmetric heap",
    "get_dest": r"shmem_get64 on PE 0: dest is NULL",
    "libc": r"shmem_uint64_p on PE 0: dest is 0x[0-9a-f]+ but must be the address of symmetric memory",
    "stride": r"shmem_uint64_iput on PE 0: dst is 0 but must be 1 or more",
    "signal_op": r"shmem_uint64_put_signal on PE 0: sig_op is 5 but must be SHMEM_SIGNAL_SET or SHMEM_SIGNAL_ADD",
    "ctx": r"shmem_ctx_uint64_p: ctx is SHMEM_CTX_INVALID",
    "ctx_options": r"shmem_ctx_create on PE 0: options is 64 but must be",
    "free": r"shmem_free on PE 0: ptr is 0x[0-9a-f]+ but must be an address that shmem_malloc or a relative has returned",
    "align": r"shmem_align on PE 0: alignment is 24 but must be a power of 2",
    "malloc": r"shmem_malloc: PEs disagree on size: PE 0 has 8, PE 1 has 16",
    "size": r"SHMEM_SYMMETRIC_SIZE is 'much' but must be a number of bytes",
    "exit": None,
}


def run(program, launcher, name, tries=3):
    """The exit status of a case, and what it printed. On a busy machine MPICH's launcher may end before it has read that: then again."""
    environment = dict(os.environ)
    if name == "size":
        environment["SHMEM_SYMMETRIC_SIZE"] = "much"
    ended = subprocess.run([*launcher, "-n", "2", program, name], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           text=True, timeout=50, check=False)
    if name != "exit" and not ended.stdout.strip() and tries > 1:
        return run(program, launcher, name, tries - 1)
    return ended.returncode, ended.stdout


def fault_of(program, launcher, name):
    """What is wrong with a case; None if nothing is."""
    try:
        status, text = run(program, launcher, name)
    except subprocess.TimeoutExpired as late:
        return f"{name}: not ended after {late.timeout} s"
    if status == 0 or (name == "exit" and status != 7):
        return f"{name}: ended with status {status}\n{text}"
    wanted = CASES[name]
    # On a busy machine Open MPI's launcher may put other bytes before a line.
    messages = [line for line in text.splitlines() if "halocline: " in line]
    # Each PE may be the first to find what is wrong on all.
    if wanted and not (messages and all(re.search(wanted, line) for line in messages)):
        return f"{name}: expected '{wanted}', got\n{text}"
    return None


def main(program, *rest):
    """Runs the cases; the exit status is 1 if one fails."""
    split = rest.index("--")
    launcher = rest[split + 1:]
    faults = [fault for name in rest[:split] or CASES if (fault := fault_of(program, launcher, name))]
    print("\n".join(faults) or f"{len(rest[:split] or CASES)} wrong calls are reported")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
