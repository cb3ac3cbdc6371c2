#!/usr/bin/env python3
"""Takes a device, its link, its address, its memory or a rank away from ranks that swap over verbs. Each rank must go on rightly, swap over
MPI with the reason, or be told in time what failed and whom it misses.

Usage: faults.py PROGRAM [--only WORDS] [--repeat N] -- LAUNCHER [FLAG...], in the virtual machine (tests/verbs/machine), as administrator

PROGRAM (tests/network/swaps.cpp) is launched once per case, with 2 ranks on a pretended node each. The device is made anew before each
case. The last line is `N passed, N failed, N skipped`; skipped is a case that a known fault of libfabric has ended.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

RANKS = 2
LAST = RANKS - 1
TIMEOUT_S = 40  # of the library
START_S = 200  # after which ranks that have not begun to swap, or to say why not, hang
END_S = 10  # for ranks that have said everything to end
# The kernel there copies pinned pages for a child, so nothing is said of forks.
VERBS = r"verbs;ofi_rxm on \S+ \(10\.77\.0\.1\), libfabric (?!.*must not fork).*"
# A user who may not keep more than 64 KiB in memory, and has no rights.
AS_NOBODY = 'setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set=-all --inh-caps=-all "$@"'
LITTLE_MEMORY = ["sh", "-c", f"ulimit -l 64; exec {AS_NOBODY}", "sh"]
# The MPI's UCX would use the device, too, and not survive it.
MPI_APART = {"UCX_TLS": "self,sm,tcp", "UCX_NET_DEVICES": "lo"}
# Launchers end all ranks when one dies: this shell outlives it.
OUTLIVES = ["sh", "-c", '"$@"; exec sleep 600', "sh"]
ANEW = ["rdma link delete rxe0 2>/dev/null", "rdma link delete rxe1 2>/dev/null", "ip link set d0 down", "ip link set d0 up",
        "ip addr flush dev d0", "ip addr add 10.77.0.1/24 dev d0", "rdma link add rxe0 type rxe netdev d0",
        "rdma link add rxe1 type rxe netdev d1", "sleep 1"]
NO_DEVICES = ["rdma link delete rxe0", "rdma link delete rxe1"]

# before: commands before the launch. prefix: of each rank. during: commands while the ranks swap. after: commands after the launch. says:
# what each rank has to say. known: what the output has where a fault of libfabric ended a rank. variables: those that differ.
Case = collections.namedtuple("Case", "name says before prefix during after known variables", defaults=([], [], [], [], "", {}))


def over_mpi(reason):
    return rf"rank {{rank}}: ok\nrank {{rank}}: via network 0, mpi 1: {reason}\nrank {{rank}}: [1-9]\d* swaps, 0 wrong"


def go_on(network):
    return rf"rank {{rank}}: ok\nrank {{rank}}: via network 1, mpi 0: {network}\nrank {{rank}}: [1-9]\d* swaps, 0 wrong"


GO_ON = go_on(VERBS)
# Each rank has the status, and names the other one. The first line is of a call that has failed before.
TOLD = (rf"(rank {{rank}}: .*\n)?rank {{rank}}: HLC_ERR_(PEER_DIED|TIMEOUT): .*rank {{other}} on host verbs.*\n"
        rf"rank {{rank}}: via network \d, mpi 0: {VERBS}\nrank {{rank}}: [1-9]\d* swaps, 0 wrong")
NOT_USABLE = r"rank 0: HALOCLINE_INTERFACE is 'd0', not usable by a provider; available: .*d1 \(10\.78\.0\.1\).*"
NOT_OFFERED = r"rank 0: HALOCLINE_PROVIDER is 'verbs', which libfabric .* does not offer here; available: tcp, .*"
LAYER_RXD = r"rank 0: HALOCLINE_PROVIDER is 'verbs;ofi_rxd', which has the layer ofi_rxd, over which programs hang; available: .*"
NO_UCX = r"rank 0: UCX 1\.\S+ .* has no network .*: No such device; available: .*tcp on .*"
TOO_LONG = r"rank 0: .*rc_verbs.*UCX 1\.\S+ .*: an address takes \d+ bytes, but at most 124 fit; set HALOCLINE_INTERFACE to fewer devices"
TOO_MANY_PEERS = (r"rank 0: verbs;ofi_rxm on .*: fi_enable: .*; the device may lack queues for this many peers; "
                  r"set FI_UNIVERSE_SIZE to the number of ranks, or less.*")
PINS_TOO_MUCH = (rf"rank {{rank}}: HLC_ERR_MEMORY: rank \d: {VERBS} cannot register \d+ bytes: Cannot allocate memory; it pins them, "
                 r"and this process may pin 65536 bytes in all: raise 'ulimit -l'\n")
CASES = [
    Case("nothing happens", GO_ON),
    Case("64 KiB of locked memory", PINS_TOO_MUCH, prefix=LITTLE_MEMORY),
    Case("no /dev/infiniband", over_mpi(NOT_OFFERED), before=["mv /dev/infiniband /dev/away"], after=["mv /dev/away /dev/infiniband"]),
    Case("the link is down", over_mpi(NOT_USABLE), before=["ip link set d0 down"]),
    Case("the link was down before", GO_ON, before=["ip link set d0 down", "sleep 1", "ip link set d0 up", "sleep 1"]),
    Case("no address", over_mpi(NOT_USABLE), before=["ip addr flush dev d0"]),
    Case("no device", over_mpi(NOT_USABLE), before=["rdma link delete rxe0"]),
    Case("the layer ofi_rxd", over_mpi(LAYER_RXD), variables={"HALOCLINE_PROVIDER": "verbs;ofi_rxd"}),
    Case("no device on any interface", over_mpi(NOT_OFFERED), before=NO_DEVICES),
    Case("no device, and no provider named", go_on(r"tcp on d0 \(10\.77\.0\.1\), libfabric .*"), before=NO_DEVICES,
         variables={"HALOCLINE_PROVIDER": ""}),
    Case("UCX, and no device", over_mpi(NO_UCX), before=NO_DEVICES,
         variables={"HALOCLINE_NETWORK": "ucx", "HALOCLINE_PROVIDER": "rc_verbs", "HALOCLINE_INTERFACE": "rxe0:1"}),
    Case("UCX, and a device too many", over_mpi(TOO_LONG),
         variables={"HALOCLINE_NETWORK": "ucx", "HALOCLINE_PROVIDER": "", "HALOCLINE_INTERFACE": ""}),
    Case("queues for too many peers", over_mpi(TOO_MANY_PEERS), variables={"FI_UNIVERSE_SIZE": "65536"}),
    Case("the link goes down and comes up", f"{GO_ON}|{TOLD}", during=["ip link set d0 down", "sleep 1", "ip link set d0 up", "sleep 1"]),
    Case("the link goes down", TOLD, during=["ip link set d0 down"]),
    # The kernel removes it when the ranks have read of it.
    Case("the device is removed between two swaps", TOLD,
         during=["touch {folder}/hold", "sleep 3", "rdma link delete rxe0 & sleep 1; rm {folder}/hold; wait"]),
    # rxm to version 2.5 posts a buffer to a connection that it has closed (libfabric's issue 11828; docs/design/042-registrations.md).
    Case("the device is removed in a swap", TOLD, during=["rdma link delete rxe0"], known=r"segmentation fault in \S*libfabric"),
    Case("a rank stands still for 5 s", GO_ON, during=["kill -STOP {last}", "sleep 5", "kill -CONT {last}", "sleep 1"]),
    Case("a rank is killed", TOLD, prefix=OUTLIVES, during=["kill -KILL {last}"]),
]


def wait_until(true, seconds):
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def run(commands, **words):
    for command in commands:
        subprocess.run(["sh", "-c", command.format(**words)], check=False)


def witnesses(case):
    return [rank for rank in range(RANKS) if not (rank == LAST and any("KILL" in command for command in case.during))]


def play(case, program, launcher):
    """One case: what the ranks say, all of the output, and the seconds from what happens until the first says something."""
    run(ANEW)
    run(case.before)
    with tempfile.TemporaryDirectory(prefix="halocline-test-") as name:
        folder = pathlib.Path(name)
        folder.chmod(0o777)
        words = ["rounds=20", f"folder={folder}"] + (["requests=yes"] if case.during else [])
        if not case.during:
            (folder / "stop").touch()
        command = [*launcher, "-n", str(RANKS), *case.prefix, program, *words]
        environment = dict(os.environ, HALOCLINE_FAKE_NODES=str(RANKS), HALOCLINE_TIMEOUT=str(TIMEOUT_S), HALOCLINE_INTERFACE="d0",
                           HALOCLINE_PROVIDER="verbs", **MPI_APART) | case.variables
        output = folder / "output"

        def said():
            return [line for line in output.read_text(errors="replace").splitlines() if re.match("rank|halocline", line)]

        def over():
            return sum(line.endswith(" wrong") for line in said()) == len(witnesses(case))

        def begun():
            return all((folder / str(rank)).exists() for rank in range(RANKS)) or over() or launch.poll() is not None

        with open(output, "w") as file, \
                subprocess.Popen(command, stdout=file, stderr=file, stdin=subprocess.DEVNULL, env=environment) as launch:
            if case.during:
                wait_until(begun, START_S)
                time.sleep(1)
                report = folder / str(LAST)
                run(case.during, folder=folder, last=report.read_text().split()[0] if report.exists() else "no_process")
                (folder / "stop").touch()
            begin = time.monotonic()
            wait_until(lambda: said() or launch.poll() is not None, START_S)
            seconds = time.monotonic() - begin
            wait_until(lambda: over() or launch.poll() is not None, START_S)
            wait_until(lambda: launch.poll() is not None, END_S)
            launch.kill()
        run(case.after)
        return said(), output.read_text(errors="replace"), seconds


def fault_of(case, said, output, seconds):
    """What is wrong with what the ranks have said; '' if nothing is."""
    for rank in witnesses(case):
        mine = "\n".join(line for line in said if line.startswith(f"rank {rank}: "))
        if not re.match(case.says.format(rank=rank, other=RANKS - 1 - rank), mine):
            return f"rank {rank} does not say {case.says!r}:\n{output}"
    return "" if seconds < TIMEOUT_S or not case.during else f"only after {seconds:.0f} s:\n{output}"


def main():
    divider = sys.argv.index("--")
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program")
    parser.add_argument("--only", default="", help="a regular expression: the cases whose name has it")
    parser.add_argument("--repeat", type=int, default=1, help="how often each case is played (1)")
    wanted = parser.parse_args(sys.argv[1:divider])
    cases = [case for case in CASES if re.search(wanted.only, case.name)] * wanted.repeat
    counts = collections.Counter()
    for case in cases:
        said, output, seconds = play(case, wanted.program, sys.argv[divider + 1:])
        fault = fault_of(case, said, output, seconds)
        told = next((line for line in said if line.startswith("rank 0: ")), "")
        verdict = "FAIL" if fault else "ok"
        if fault and case.known and not said and re.search(case.known, output):
            verdict, fault = "skip", "a fault of libfabric ended the ranks before they could say anything"
        counts[verdict] += 1
        print(f"{verdict:4} {case.name}, {seconds:.1f} s: {fault or told}", flush=True)
    print(f"{counts['ok']} passed, {counts['FAIL']} failed, {counts['skip']} skipped")
    return 1 if counts["FAIL"] else 0


if __name__ == "__main__":
    sys.exit(main())
