#!/usr/bin/env python3
"""Kills one rank at each stage of a halo's or segment's life; every other rank is told so by name, soon, and can take everything back.

Usage: peer_death.py PROGRAM [--matrix | --mpi] -- LAUNCHER [FLAG...]

Each case is one launch of 3 ranks of PROGRAM (peer_death.cpp), each the child of a shell that outlives it, so that the launcher does not
see the death and end all ranks, as most do. Afterwards no process may hold shared memory of the case, and /dev/shm must be as empty as
before: the cases run in a mount namespace with a /dev/shm of their own where that is allowed. By default a few cases; with --mpi
those of them in which MPI moves the data; with --matrix every mode at every stage, and a table of what was measured.

SPDX-License-Identifier: BSD-3-Clause
"""
import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

RANKS = 3
VICTIM = 1
# Of the library: where it cannot know of the death, and where it can. There no rank is to wait this long, and no live one taken for late.
TIMEOUT_S, LONG_TIMEOUT_S = 3, 100
# After so long a rank reports that it hangs. Where that is expected nothing else is waited for.
PATIENCE_S, SHORT_PATIENCE_S = 60, 12
LAUNCH_S = 2 * PATIENCE_S
MODES = ("p2p", "neighbor", "fence", "pscw", "passive", "passive_naive", "notify", "direct", "notify_node", "auto")
SWAP_STAGES = ("between_swaps", "packing", "after_start", "unpacking", "finalise")
PLAN_STAGES = ("open 2", "open 5", "field 1", "field 3", "init 1", "init 6", "init 15")
OVER_MPI = ("p2p", "pscw", "passive")
# Modes in which a swap blocks inside MPI, where no rank can notice a death.
BLOCKING = {"fence": "MPI_Win_fence", "passive_naive": "MPI_Win_lock_all, MPI_Win_unlock_all"}
FEW = [("direct", stage) for stage in ("between_swaps", "after_start", "unpacking", "finalise", "open 5", "field 3", "init 6")]
SEGMENTS = [("segment", stage) for stage in ("notify_wait", "barrier", "finalise")]
SPARSE = [("sparse", stage) for stage in ("absent", "after_start", "full")]
FEW += SEGMENTS + SPARSE
FEW += [("auto", "between_swaps"), ("notify", "packing"), ("notify", "unpacking"), ("p2p", "after_start"), ("pscw", "packing"),
        ("passive", "unpacking")]
# Check mode with check messages of more than a megabyte, which MPI moves only while both ends are inside it; with and without reading the
# other process's memory (mpich).
LARGE_CARDS = {"HALOCLINE_CHECK": "1", "HALOCLINE_TEST_DEPTH": "150000"}
# Every rank on a node of its own: the death is seen by a write that fails, or not at all until the time is over.
OTHER_NODES = {"HALOCLINE_FAKE_NODES": str(RANKS)}
OVER_THE_NETWORK = [("direct", "after_start"), ("notify_node", "after_start"), ("sparse", "after_start")]
MORE_OVER_THE_NETWORK = [("notify", "between_swaps"), ("sparse", "absent"), ("sparse", "full")]
# Two ranks on a node, the third on another one: memory that the node shares and the other one writes to.
TWO_NODES = dict(OTHER_NODES, HALOCLINE_FAKE_NODES="2", HALOCLINE_TIMEOUT="20")
SHARED = [("notify_node", "between_swaps"), ("notify_node", "after_start"), ("notify_node", "unpacking")]
# What is collective at the end waits far longer than HALOCLINE_TIMEOUT for a live rank, and no longer than that for a lost one. The
# patience is between the two. `put`: the death is known by a transfer that has failed, and there is nothing to wait for. So no process may
# drive progress for the victim.
LAST_CALLS = dict(OTHER_NODES, HALOCLINE_TIMEOUT="4", HALOCLINE_TEST_PATIENCE="30")
KNOWN = dict(LAST_CALLS, HALOCLINE_TIMEOUT="25", HALOCLINE_PROGRESS="caller")
AT_THE_END = [("segment", "finalise", LAST_CALLS), ("segment", "closing", LAST_CALLS), ("notify", "closing", LAST_CALLS),
              ("segment", "put", KNOWN)]
CHECKED = [("direct", "after_start"), ("p2p", "after_start"), ("notify", "between_swaps")]
# Runs a rank, and stays until every survivor has reported: arguments are the folder of reports and the rank's command.
SHELL = f"""folder=$1; shift; "$@"
tries=0
while [ $tries -lt 1200 ] && [ "$(ls "$folder" | grep -c '^[0-9]*$')" -lt {RANKS - 1} ]; do sleep 0.1; tries=$((tries + 1)); done
exit 0"""


OURS = "halocline-test"  # what a /dev/shm of our own is called among the mounts
SHM = pathlib.Path("/dev/shm")


def has_private_shm():
    return f"\n{OURS} /dev/shm " in pathlib.Path("/proc/self/mounts").read_text()


def orphans():
    """Named objects of ours whose maker has ended."""
    return {path.name for path in SHM.glob("halocline-*") if not pathlib.Path("/proc", path.name.split("-")[1]).exists()}


OLD = orphans()


def enter_private_shm():
    """Starts this script again in a namespace whose /dev/shm nobody else uses. Returns only where that is not allowed."""
    words = ["unshare", "--mount", "sh", "-c", f'mount -t tmpfs {OURS} /dev/shm && exec "$@"', "sh"]
    try:
        allowed = subprocess.run([*words, "true"], capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        allowed = False
    if allowed:
        os.execvp(words[0], [*words, sys.executable, *sys.argv])


def read(path):
    """A file of /proc; empty if its process has ended meanwhile, or is none of ours."""
    try:
        return path.read_bytes().decode(errors="replace")
    except OSError:
        return ""


def open_files(process):
    """What a process has open, as far as it can be seen; a file may be closed meanwhile."""
    found = []
    with contextlib.suppress(OSError):
        for number in os.listdir(process / "fd"):
            with contextlib.suppress(OSError):
                found.append(os.readlink(process / "fd" / number))
    return found


def holders(word):
    """Processes with a word in their command line that map or have open an object of /dev/shm that has no name."""
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        if word not in read(process / "cmdline"):
            continue
        if "/dev/shm/#" in read(process / "maps") or any("/dev/shm/#" in file for file in open_files(process)):
            found.append(f"process {process.name} holds shared memory")
    return found


def used_bytes():
    """What /dev/shm holds under no name. Names are the MPI's own: killed ranks leave theirs, which is not what is looked at here."""
    for path in SHM.iterdir():
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        elif not path.name.startswith("halocline-"):
            path.unlink(missing_ok=True)
    info = os.statvfs(SHM)
    return (info.f_blocks - info.f_bfree) * info.f_frsize


def left_behind(word):
    """What a launch has left, once its processes have had the time to end."""
    end = time.monotonic() + 20
    while True:
        found = holders(word) + sorted(orphans() - OLD)
        if has_private_shm() and used_bytes() > 0:
            found.append(f"{used_bytes()} bytes of /dev/shm without a name")
        if not found or time.monotonic() > end:
            return found
        time.sleep(0.1)


def may_hang(mode, stage):
    return stage == "window" or (mode in BLOCKING and stage in SWAP_STAGES)


def limits(mode, stage, more):
    """How long the library and the ranks wait in a case."""
    knows = not stage.startswith("open ") and not on_other_nodes(more)
    return {"HALOCLINE_TIMEOUT": str(LONG_TIMEOUT_S if knows else TIMEOUT_S),
            "HALOCLINE_TEST_PATIENCE": str(SHORT_PATIENCE_S if may_hang(mode, stage) else PATIENCE_S)}


def launch(program, launcher, mode, stage, more):
    """Runs one case; returns the survivors' reports by rank, the launcher's output, and what was left behind."""
    environment = os.environ | limits(mode, stage, more) | more
    stage, *step = stage.split()
    with tempfile.TemporaryDirectory(prefix="halocline-test-") as directory:
        command = launcher + ["-n", str(RANKS), "sh", "-c", SHELL, "sh", directory, program, mode, stage, directory] + step
        try:
            run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LAUNCH_S, text=True, env=environment)
            output = run.stdout
        except subprocess.TimeoutExpired as expired:
            output = f"the launch did not end in {LAUNCH_S} s\n{expired.stdout or ''}"
        paths = pathlib.Path(directory).glob("[0-9]")
        return {int(path.name): path.read_text().strip() for path in paths}, output, left_behind(directory)


def missed(report):
    """The rank that a survivor was told it missed."""
    named = re.search(r"(?:for|reach|process of|aborted on rank \d+:|timed out after \S+ s in [^:]*:) rank (\d+)\b", report)
    return int(named[1]) if named else None


def leads_to_victim(reports, rank):
    """Whether a survivor misses the dead rank, or one that itself waits for another and so on to the dead one. It cannot see processes of
    other nodes: a neighbour that waits for the dead rank is late to it like any other."""
    asked = set()
    while rank in reports and rank not in asked:
        asked.add(rank)
        rank = missed(reports[rank])
    return rank == VICTIM


def on_other_nodes(more):
    return "HALOCLINE_FAKE_NODES" in more


def fault_of(reports, rank, case):
    """What is wrong with a survivor's report; '' if nothing is."""
    report, (mode, stage, more) = reports[rank], case
    if "hangs" in report:
        return "" if may_hang(mode, stage) else "hangs"
    if "(and " in report:
        return "left something behind"
    if stage.startswith("open "):  # before the processes of the node are known
        return "" if re.search("HLC_ERR_(TIMEOUT|PEER_DIED)", report) else "another status"
    if more == KNOWN and "HLC_ERR_PEER_DIED" not in report:
        return "has forgotten that a transfer failed"
    if on_other_nodes(more):
        told = re.search("HLC_ERR_(PEER_DIED|TIMEOUT)", report) and leads_to_victim(reports, rank)
        return "" if told else f"does not name the rank that died, nor one that misses it: {reports}"
    return "" if re.search(rf"HLC_ERR_PEER_DIED.*\brank {VICTIM}\b", report) else "does not name the rank that died"


def judge(reports, output, mode, stage, more):
    """Result of one case in a word, and its reason."""
    survivors = set(range(RANKS)) - {VICTIM}
    missing = survivors - set(reports)
    if missing:
        return "failed", f"no report of ranks {sorted(missing)}; others: {reports}\n{output}"
    for rank in sorted(survivors):
        fault = fault_of(reports, rank, (mode, stage, more))
        if fault:
            return "failed", f"rank {rank} {fault}: {reports[rank]}"
    return "passed", reports[min(survivors)]


def cell(reports):
    """What the survivors measured, in a few words."""
    words = {re.sub(r"^.*?(hangs|HLC_ERR_\w+|HLC_OK).*$", r"\1", text, flags=re.S).replace("HLC_ERR_", "") for text in reports.values()}
    times = [int(ms) for text in reports.values() for ms in re.findall(r"^(-?\d+) ms", text)]
    return "/".join(sorted(words)) + (f" {max(times)} ms" if times else "")


def all_cases():
    cases = [(mode, stage) for stage in SWAP_STAGES + ("init 6", "init 15") for mode in MODES]
    cases += [("direct", stage) for stage in PLAN_STAGES if not stage.startswith("init") or stage == "init 1"]
    cases += SEGMENTS + SPARSE + [("segment", f"segment {step}") for step in (1, 2, 3, 5, 8)]
    return cases + [(mode, "window") for mode in ("fence", "pscw", "passive", "passive_naive")]


def print_table(measured):
    stages = list(dict.fromkeys(stage for mode, stage in measured if mode in MODES))
    print("| stage | " + " | ".join(MODES) + " |\n" + "|---" * (len(MODES) + 1) + "|")
    for stage in stages:
        print(f"| {stage} | " + " | ".join(measured.get((mode, stage), "") for mode in MODES) + " |")


def main():
    divider = sys.argv.index("--")
    program, launcher = sys.argv[1], sys.argv[divider + 1:]
    if not has_private_shm():
        enter_private_shm()
        print("no /dev/shm of our own (unshare --mount is not allowed): its space is not looked at, processes and names are")
    matrix = "--matrix" in sys.argv[2:divider]
    counts = dict(passed=0, failed=0)
    measured = {}
    leaks = []
    cases = [(mode, stage, {}) for mode, stage in (all_cases() if matrix else FEW)]
    cases += [(mode, stage, dict(LARGE_CARDS, MPIR_CVAR_CH4_CMA_ENABLE=cma)) for mode, stage in CHECKED for cma in "01"]
    cases += [(mode, stage, OTHER_NODES) for mode, stage in OVER_THE_NETWORK + (MORE_OVER_THE_NETWORK if matrix else [])]
    cases += [(mode, stage, TWO_NODES) for mode, stage in SHARED] + AT_THE_END
    cases += [("sparse", "after_start", dict(TWO_NODES, HALOCLINE_TIMEOUT="3"))] if matrix else []
    if "--mpi" in sys.argv[2:divider]:
        cases = [(mode, stage, more) for mode, stage, more in cases if mode in OVER_MPI]
    for mode, stage, more in cases:
        reports, output, left = launch(program, launcher, mode, stage, more)
        result, reason = judge(reports, output, mode, stage, more)
        counts[result] += 1
        leaks += [f"{mode}, {stage}: {what}" for what in left]
        if not more:
            measured[mode, stage] = cell(reports)
        how = ", large check messages, reading the other's memory " + more["MPIR_CVAR_CH4_CMA_ENABLE"] if "HALOCLINE_CHECK" in more else ""
        how += " on another node" if on_other_nodes(more) else ""
        print(f"{result}: {mode}{how}, rank {VICTIM} killed {stage.replace('_', ' ')}: {reason}", flush=True)

    counts["failed" if leaks else "passed"] += 1
    print(f"{'failed' if leaks else 'passed'}: left behind: {leaks or 'nothing'}")
    if matrix:
        print_table(measured)
    print(f"{counts['passed']} passed, {counts['failed']} failed, 0 skipped")
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
