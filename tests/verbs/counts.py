#!/usr/bin/env python3
"""What operations between two hosts send over an RDMA device: the library over libfabric and over UCX, beside the MPI over the same device.

Usage: counts.py PROGRAM -- LAUNCHER [FLAG...], between two virtual machines (tests/verbs/machine --hosts 2)

PROGRAM (counts.cpp) is launched with a rank on each host, once per column of the table that this prints. Packets of acknowledgement
count as well. It fails if an operation of the library sends more packets than LIMITS says. The last line is `N passed, N failed,
N skipped`.

SPDX-License-Identifier: BSD-3-Clause
"""
import re
import subprocess
import sys

DEVICE, INTERFACE = "rxe0", "d0"
MPI_BY_TCP = ["UCX_TLS=self,sm,tcp", f"UCX_NET_DEVICES={INTERFACE}"]
MPI_BY_DEVICE = ["UCX_TLS=self,sm,rc_verbs,ud_verbs", f"UCX_NET_DEVICES={DEVICE}:1"]
VERBS = ["HALOCLINE_PROVIDER=verbs", f"HALOCLINE_INTERFACE={INTERFACE}"]
UCX = ["HALOCLINE_NETWORK=ucx", "HALOCLINE_PROVIDER=rc_verbs,ud_verbs", f"HALOCLINE_INTERFACE={DEVICE}:1"]
# The columns: a name, the variables, the word for the program.
COLUMNS = [
    ("Halocline, libfabric", MPI_BY_TCP + VERBS, "library"),
    ("Halocline, UCX", MPI_BY_TCP + UCX, "library"),
    ("the MPI, UCX", MPI_BY_DEVICE, "mpi"),
]
OPERATIONS = ["swap", "put with notification", "put", "get", "accumulate", "fetch and add", "barrier"]
# Packets of the library, on any network. They vary a little with what is acknowledged together.
LIMITS = {"swap": 8, "put with notification": 10, "put": 6, "get": 6, "accumulate": 12, "fetch and add": 6, "barrier": 6}
SECONDS = 400


def count(launcher, program, variables, word):
    """The packets and bytes of each operation, and all that was printed."""
    command = [*launcher, "-n", "2", "env", "HALOCLINE_TIMEOUT=100", *variables, program, word, DEVICE, INTERFACE]
    try:
        output = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True,
                                timeout=SECONDS, check=False).stdout
    except subprocess.TimeoutExpired as expired:
        output = (expired.stdout or b"").decode(errors="replace") + f"\nnot done after {SECONDS} s"
    found = re.findall(r"^counted: (.*): (\S+) packets, (\d+) bytes$", output, re.M)
    return {name: (float(packets), int(size)) for name, packets, size in found}, output


def faults_of(counted, word):
    missing = [f"no count of {name}" for name in OPERATIONS if counted.get(name, (0, 0))[0] <= 0]
    if word == "mpi":
        return missing
    return missing + [f"{name}: {counted[name][0]} packets, more than {LIMITS[name]}" for name in OPERATIONS
                      if name in counted and counted[name][0] > LIMITS[name]]


def table(columns):
    print("packets, bytes".ljust(24) + "".join(name.rjust(24) for name, _ in columns))
    for operation in OPERATIONS:
        cells = (counted.get(operation, (0, 0)) for _, counted in columns)
        print(operation.ljust(24) + "".join(f"{packets:.1f}, {size:,}".rjust(24) for packets, size in cells))


def main():
    divider = sys.argv.index("--")
    program, launcher = sys.argv[1], sys.argv[divider + 1:]
    columns, failed = [], 0
    for name, variables, word in COLUMNS:
        counted, output = count(launcher, program, variables, word)
        faults = faults_of(counted, word)
        failed += bool(faults)
        print("".join(f"{line}\n" for line in output.splitlines() if line.startswith("network: ")), end="", flush=True)
        if faults:
            print(f"FAIL {name}: {'; '.join(faults)}\n{output}")
        columns.append((name, counted))
    table(columns)
    print(f"{len(COLUMNS) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
