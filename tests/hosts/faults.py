#!/usr/bin/env python3
"""Cuts a host's cable, or kills a rank on another host, while all swap; each other rank must be told so, and whom it missed.

Usage: faults.py PROGRAM [--modes M,...] [--faults cut,kill] [--hosts N] [--ranks N] -- MPIEXEC [FLAG...]

Each case is one launch of PROGRAM (fault.cpp) on hosts of its own; the ranks report through a folder that the hosts share. A rank that
cannot hear a neighbour on another host any more must get an error that names a rank and its host. That may be a neighbour which itself only
waits: then that one's report is looked at, until a rank is found that is really gone. Launchers end all ranks when one dies or cannot be
reached; a shell around each rank, which outlives it, keeps them from that. The last line is `N passed, N failed, N skipped`.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
REPORTS = pathlib.Path("/run/shared")
TIMEOUT_S = 20  # of the library
PATIENCE_S = 80  # after which a rank says that it hangs
AT_ONCE = 4  # cases, which mostly wait
SKIPPED = 77
# Modes in which the ranks of a host that was cut off, and those that miss them, may block inside MPI forever.
BLOCKING = {"pscw": "MPI_Win_complete", "passive": "MPI_Win_flush_all"}
# MPICH over UCX crashes in MPI_Start once the connection to a rank is reset (docs/known-mpi-bugs.md); other MPIs ignore the variable.
SURVIVABLE = {"MPIR_CVAR_CH4_NETMOD": "ofi"}
# MPICH may abort when its progress meets the connection of a dead rank, whatever the error handlers say: docs/known-mpi-bugs.md.
MPI_GAVE_UP = re.compile(r"Fatal error in internal_\w+.*?OFI poll failed|Assertion failed in file \S+/ch4/netmod/ofi/[^\n]+", re.S)
TOLD = re.compile(r"HLC_ERR_(TIMEOUT|PEER_DIED|MPI): (a swap of plan [^:]*: )?(round aborted on )?"
                  r"rank \d+(:| .*?(for|reach)) rank (?P<rank>\d+)( on host (?P<host>\w+))?(?P<unsure> or another)?")
Case = collections.namedtuple("Case", "fault mode hosts ranks")
# The folder of the reports comes first. Hosts have process numbers of their own, and end before the sleep does.
SHELL = 'ended="$1/ended.$(hostname).$$"; shift; "$@"; touch "$ended"; exec sleep 600'


def arguments():
    divider = sys.argv.index("--")
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program")
    parser.add_argument("--modes", default="p2p,direct")
    parser.add_argument("--faults", default="cut,kill")
    parser.add_argument("--hosts", type=int, default=2)
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)  # as called on the hosts, for one case
    wanted = parser.parse_args(sys.argv[1:divider])
    wanted.launcher = sys.argv[divider + 1:]
    return wanted


def wait_for(names, seconds, struck=0):
    """Whether all of these reports are there, soon enough, from ranks that have not ended without one."""
    end = time.monotonic() + seconds
    while missing := sum(not (REPORTS / name).exists() for name in names):
        if time.monotonic() > end or len(list(REPORTS.glob("ended.*"))) - struck >= missing:
            return False
        time.sleep(0.05)
    return True


def read(name):
    """A report, if it is there."""
    path = REPORTS / name
    return path.read_text().strip() if path.exists() else ""


def strike(wanted):
    """Makes the fault: to the last host, or to the last rank, which is on it."""
    if wanted.faults == "cut":
        subprocess.run([HERE / "hosts", "cut", f"h{wanted.hosts - 1}"], check=True)
    else:
        process, host = read(f"{wanted.ranks - 1}.swaps").split()
        subprocess.run([HERE / "hosts", "on", host, "kill", "-KILL", process], check=True)


def witnesses(wanted):
    """The ranks that are to report: those on a host that was cut off live on."""
    return range(wanted.ranks if wanted.faults == "cut" else wanted.ranks - 1)


def survivable(launcher, fault):
    """Open MPI, which is known by its own option, lives on only with its fault tolerance once a connection is reset."""
    return [*launcher, "--with-ft", "ulfm"] if fault == "kill" and "--enable-recovery" in launcher else launcher


def play(wanted):
    """One case, on its hosts: prints the host of each rank, and what it was told."""
    command = [HERE / "mpiexec.py", *survivable(wanted.launcher, wanted.faults), "-n", str(wanted.ranks)]
    command += ["sh", "-c", SHELL, "sh", str(REPORTS), wanted.program, wanted.modes, str(REPORTS)]
    environment = dict(os.environ, HALOCLINE_TIMEOUT=str(TIMEOUT_S), HALOCLINE_TEST_PATIENCE=str(PATIENCE_S), **SURVIVABLE)
    with subprocess.Popen(command, stdout=sys.stderr, stdin=subprocess.DEVNULL, env=environment) as launch:
        if wait_for([f"{rank}.swaps" for rank in range(wanted.ranks)], PATIENCE_S - 5):
            strike(wanted)
            wait_for([str(rank) for rank in witnesses(wanted)], PATIENCE_S + 10, struck=int(wanted.faults == "kill"))
        launch.kill()
    hosts = [(read(f"{rank}.swaps").split() or [0, "?"])[1] for rank in range(wanted.ranks)]
    print(json.dumps(dict(hosts=hosts, reports={rank: read(str(rank)) for rank in witnesses(wanted)})))


def parted(case, seen, rank, other):
    """Whether a rank can really not hear another one."""
    if case.fault == "kill":
        return other == case.ranks - 1
    cut = f"h{case.hosts - 1}"
    return (seen["hosts"][rank] == cut) != (seen["hosts"][other] == cut)


def complaint(case, seen, rank):
    """What is wrong with what a rank was told; '' if nothing is."""
    asked = []
    while rank not in asked:
        asked.append(rank)
        report = seen["reports"][str(rank)]
        found = TOLD.search(report)
        if not found:
            excused = "hangs" in report and case.mode in BLOCKING
            return "" if excused else f"rank {rank} was not told whom it missed: {report or 'no report'}"
        if found["unsure"]:  # this mode cannot know
            return ""
        missed = int(found["rank"])
        where = seen["hosts"][missed]
        is_from_another = "detected by rank" in report and not found["host"]  # a rank knows the hosts of its neighbours alone
        if where not in (seen["hosts"][rank], found["host"]) and not is_from_another:
            return f"rank {rank} was not told on which host: {report}"
        if parted(case, seen, rank, missed):
            return ""
        rank = missed
    return f"ranks {asked} blame each other, and nobody who is gone: {[seen['reports'][str(rank)] for rank in asked]}"


def judge(case, seen):
    if "?" in seen["hosts"]:
        return f"no swaps before the fault: {seen}"
    return next((text for rank in seen["reports"] if (text := complaint(case, seen, int(rank)))), "")


def run(case, wanted):
    """Opens hosts for one case; returns what is wrong with it, and what the ranks were told."""
    command = [HERE / "hosts", "-n", str(case.hosts), sys.executable, __file__, wanted.program, "--inside", "--modes", case.mode]
    command += ["--faults", case.fault, "--hosts", str(case.hosts), "--ranks", str(case.ranks), "--", *wanted.launcher]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode == SKIPPED:
        return "skipped", done.stdout.strip()
    if done.returncode != 0:
        return f"status {done.returncode}: {done.stdout}{done.stderr}", ""
    seen = json.loads(done.stdout.splitlines()[-1])
    wrong = judge(case, seen)
    if wrong and case.fault == "kill" and MPI_GAVE_UP.search(done.stderr):
        return "", f"MPI itself ended the survivors: {MPI_GAVE_UP.search(done.stderr)[0]}"
    return wrong + (f"\n{done.stderr}" if wrong else ""), next(iter(seen["reports"].values()))


def main():
    wanted = arguments()
    if wanted.inside:
        return play(wanted)
    cases = [Case(fault, mode, wanted.hosts, wanted.ranks) for fault in wanted.faults.split(",") for mode in wanted.modes.split(",")]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        for case, (wrong, told) in zip(cases, pool.map(lambda case: run(case, wanted), cases)):
            if wrong == "skipped":
                print(told)
                return SKIPPED
            failed += bool(wrong)
            where = f"{case.ranks} ranks on {case.hosts} hosts"
            print(f"{'FAIL' if wrong else 'ok  '} {case.fault}, mode {case.mode}, {where}: {wrong or told}", flush=True)
    print(f"{len(cases) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
