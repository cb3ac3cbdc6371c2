#!/usr/bin/env python3
"""Runs pic in every mode, with every way to sum and to move particles, on several numbers of ranks: all must have the same bits. So must a
run that goes on from a file.

same.py PIC [--all] -- LAUNCHER FLAG...

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import cases  # noqa: E402
import small_disk  # noqa: E402

# Warm particles in a magnetic field, more than one of which leaves its block in each step.
CASE = ["--cells", "8,6,5", "--length", "0.8,0.6,0.5", "--time-step", "0.2", "--species", "electrons,ions", "--charge=-1,1",
        "--mass", "0.04,1", "--density", "1,1", "--per-cell", "6,5", "--thermal-speed", "0.05,0.01", "--drift", "0.05,0",
        "--wave", "0.01", "--mode", "1,1,0", "--history-every", "4"]
MODES = ["p2p", "neighbor", "fence", "pscw", "passive", "passive_naive", "notify", "direct", "view", "notify_node", "auto"]
VARIANTS = ["p2p:mpi:messages", "notify:overlapped:notified", "direct+notify:hlc", "view:mpi_overlapped", "auto"]


def expect_same(what, output, bits):
    found = cases.fingerprint(output)
    print(f"{what}: {found}")
    if found != bits:
        sys.exit(f"{what} has other bits: {found}, on one rank {bits}")


def expect_refused(what, file, case, named):
    program, launcher = cases.program_and_launcher()
    done = subprocess.run([*launcher, "-n", "2", program, *case, "--restart", str(file)], capture_output=True, text=True, check=False,
                          timeout=100)
    if done.returncode != 2 or sum(named in line for line in done.stderr.splitlines()) != 1:
        sys.exit(f"{what}: exit status {done.returncode}, expected were 2 and one line with {named}\n{done.stdout}{done.stderr}")
    print(f"{what}: refused")


def check_intervals(folder, bits):
    """The last state is that of the end. A run that was killed has that of the last interval."""
    file, history = folder / "checkpoint.nc", folder / "history.csv"
    cases.run(2, None, *CASE, "--steps", 5, "--checkpoint", file, "--checkpoint-every", 3)
    expect_same("a run that goes on from the last state", cases.run(3, None, *CASE, "--steps", 3, "--restart", file), bits)
    if [path.name for path in folder.glob("checkpoint.nc*")] != [file.name]:
        sys.exit("a part of a state was left behind")
    file.unlink()
    kill_when_there(file)
    on = cases.run(1, None, *CASE, "--steps", 2, "--restart", file, "--history", history)
    step = int(cases.history(history)[0]["step"])
    if step == 0 or step % 3 != 0:
        sys.exit(f"a state of step {step} was written, not one of each 3 steps")
    expect_same(f"a run that was killed, from step {step}", on, cases.fingerprint(cases.run(1, None, *CASE, "--steps", step + 2)))


def kill_when_there(file):
    """Ends a long run with the first state that it has written. If there is none, says what the run has printed."""
    program, launcher = cases.program_and_launcher()
    command = [*launcher, "-n", "2", program, *CASE, "--steps", "1000000", "--checkpoint", str(file), "--checkpoint-every", "3"]
    log = file.with_suffix(".log")
    with log.open("w") as output, subprocess.Popen(command, stdout=output, stderr=output, start_new_session=True) as run:
        begin = time.monotonic()
        while not file.exists() and run.poll() is None and time.monotonic() < begin + 100:
            time.sleep(0.01)
        ended = run.poll()
        # The launcher ends its ranks.
        os.killpg(run.pid, signal.SIGTERM)
    if not file.exists():
        state = "still ran after 100 s" if ended is None else f"ended with status {ended}"
        sys.exit(f"no state was written at an interval; the run {state}:\n{log.read_text()}")


def check_full_disk(folder, file):
    """Both files from which a run may go on: the old one stays."""
    program, launcher = cases.program_and_launcher()
    disk = folder / "disk"
    disk.mkdir()
    for option in ("--output", "--checkpoint"):
        command = [*launcher, "-n", "2", program, *CASE, "--steps", "1", option, str(disk / file.name)]
        done = small_disk.run(small_disk.room_of(file), file, disk, command)
        if done is None:
            print("skipped: this machine allows no small file system")
        elif not small_disk.kept(done) or str(disk / file.name) not in done.stderr or "the disk is full" not in done.stderr:
            sys.exit(f"{option} on a full disk: exit status {done.returncode}\n{done.stdout}{done.stderr}")
        else:
            print(f"{option} on a full disk: {done.stderr.splitlines()[0]}")


def check_restart(bits):
    """5 steps, then 3 from the file, on another number of ranks."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "state.nc"
        if cases.run(2, None, *CASE, "--steps", 5, "--output", file) is None:
            print(f"no restart: {cases.WITHOUT_NETCDF}")
            return
        expect_same("a run that goes on", cases.run(1, None, *CASE, "--steps", 3, "--restart", file), bits)
        check_intervals(pathlib.Path(folder), bits)
        check_full_disk(pathlib.Path(folder), file)
        other = pathlib.Path(folder) / "other.nc"
        other.write_bytes(b"CDF\x01" + bytes(28))  # a classic file with nothing in it
        expect_refused("a file without a state", other, CASE, "it has no state of pic")
        expect_refused("a state of other masses", file, [word.replace("0.04,1", "0.05,1") for word in CASE], "charge_to_mass_of_species")


def runs_of(everything):
    """Ranks, nodes and variants. With more ranks than cores a swap by fences takes tens of milliseconds."""
    if not everything:
        return [(2, 1, VARIANTS), (4, 1, VARIANTS[1:3])]
    few = ["p2p:mpi:messages", *VARIANTS[1:3]]
    between = [*VARIANTS[1:3], "notify_node:overlapped"]
    every = [f"{mode}:{sums}" for mode in MODES for sums in ("mpi", "overlapped")]
    return [(1, 1, few), (2, 1, every), (3, 1, few), (4, 1, few), (6, 1, few), (2, 2, between), (4, 2, between), (6, 3, between)]


def main():
    bits = cases.fingerprint(cases.run(1, None, *CASE, "--steps", 8, "--variant", "p2p:mpi:messages"))
    print(f"one rank: {bits}")
    for ranks, nodes, some in runs_of("--all" in sys.argv[:sys.argv.index("--")]):
        output = cases.run(ranks, None, *CASE, "--steps", 8, "--variant", ",".join(some), nodes=nodes)
        expect_same(f"{ranks} ranks as {nodes} nodes, {', '.join(some)}", output, bits)
    check_restart(bits)


if __name__ == "__main__":
    main()
