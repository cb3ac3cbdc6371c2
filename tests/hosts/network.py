#!/usr/bin/env python3
"""The network between hosts: swaps go over it, it listens at the interface between the hosts alone, and one who cannot be reached is named.

Usage: network.py PROGRAM [--ucx] -- LAUNCHER [FLAG...]

To be run beside 2 hosts (tests/hosts/hosts). PROGRAM (tests/network/swaps.cpp) is launched with a rank on each, once per case. With --ucx
it runs over UCX, which listens on each device unless one is named. The last line is `N passed, N failed, N skipped`.

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile

RANKS = 2
SHARED = "/run/shared"  # the folder that all hosts see
OVER_TCP = r"via network 1, mpi 0: tcp on eth0 \(10\.77\.0\.1{rank}\), libfabric .*"
OVER_MPI = r"via network 0, mpi 1: HALOCLINE_PROVIDER is 'none'"
ENDPOINTS = "rank 0 cannot reach rank 1 on host h1 over the network|rank 1 cannot reach rank 0 on host h0 over the network"
# What happens, the variables of all ranks, further words for the program, what a rank must say.
CASES = [
    ("swaps go over libfabric", {}, [], "ok", OVER_TCP),
    ("the interface is named", {"HALOCLINE_INTERFACE": "eth0"}, [], "ok", OVER_TCP),
    ("MPI alone is wished", {"HALOCLINE_PROVIDER": "none"}, [], "ok", OVER_MPI),
    ("one host names an interface that the other cannot reach", {"HALOCLINE_TIMEOUT": "16"}, ["on=1:HALOCLINE_INTERFACE=lo"],
     rf"HLC_ERR_TIMEOUT: ({ENDPOINTS}), tcp on .*", "via network 0, .*"),
]
UCX = {"HALOCLINE_NETWORK": "ucx"}
OVER_UCX = r"via network 1, mpi 0: tcp on .*eth0.*, UCX 1\..*"
UCX_CASES = [
    ("swaps go over UCX", UCX, [], "ok", OVER_UCX),
    ("a device is named", {**UCX, "HALOCLINE_INTERFACE": "eth0"}, [], "ok", r"via network 1, mpi 0: tcp on eth0, UCX 1\..*"),
    ("one host names a device that the other cannot reach", {**UCX, "HALOCLINE_TIMEOUT": "16"}, ["on=1:HALOCLINE_INTERFACE=lo"],
     rf"HLC_ERR_(TIMEOUT|PEER_DIED): ({ENDPOINTS}).*", "via network 0, .*"),
]


def launch(command, variables):
    environment = dict(os.environ, **{"HALOCLINE_TIMEOUT": "60"} | variables)
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120, text=True, env=environment).stdout
    except subprocess.TimeoutExpired as expired:
        return f"{(expired.stdout or b'').decode()}\nhangs"


def listening(folder, rank):
    """The addresses at which a rank listens since the network was opened."""
    words = pathlib.Path(folder, str(rank)).read_text().split()[1:]
    return {socket.inet_ntoa(bytes.fromhex(word.split(":")[0])[::-1]) for word in words if len(word.split(":")[0]) == 8}


def play(launcher, program, case):
    """What is wrong with a case; '' if nothing is."""
    _, variables, words, told, route = case
    with tempfile.TemporaryDirectory(dir=SHARED) as folder:
        pathlib.Path(folder, "stop").touch()
        output = launch([*launcher, "-n", str(RANKS), program, f"folder={folder}", *words], variables)
        for rank in range(RANKS):
            expected = [rf"^rank {rank}: {line}$" for line in (told, route.format(rank=rank))]
            if not all(re.search(line, output, re.M) for line in expected):
                return f"rank {rank} does not say '{told}' and '{route}': {output}"
            if route == OVER_TCP and listening(folder, rank) != {f"10.77.0.1{rank}"}:
                return f"rank {rank} listens at {listening(folder, rank)}"
        return "" if len(re.findall(" 0 wrong$", output, re.M)) == RANKS else f"wrong bytes: {output}"


def main():
    divider = sys.argv.index("--")
    cases = UCX_CASES if "--ucx" in sys.argv[:divider] else CASES
    failed = 0
    for case in cases:
        fault = play(sys.argv[divider + 1:], sys.argv[1], case)
        failed += bool(fault)
        print(f"{'FAIL' if fault else 'ok  '} {case[0]}{': ' if fault else ''}{fault}", flush=True)
    print(f"{len(cases) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
