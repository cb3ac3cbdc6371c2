#!/usr/bin/env python3
"""What is left when a job with helper processes ends: nothing, however it ends. A helper serves on when the rank that started it is gone.

Usage: helper_end.py PROGRAM [SURVIVAL_FLAG...] -- LAUNCHER [FLAG...]

Each case is one launch of PROGRAM (helper_end.cpp), 4 ranks on 2 pretended nodes. Its helpers are known by a word in their environment,
which they have from their ranks. The survival flags make the launcher leave ranks alone when one is killed. The last line is
`N passed, N failed, N skipped`.

SPDX-License-Identifier: BSD-3-Clause
"""
import contextlib
import os
import pathlib
import subprocess
import sys
import tempfile
import time

RANKS, NODES, STARTER = 4, 2, 2
PATIENCE_S = 100
# Keeps the launcher from seeing the death of a rank, upon which it would end the others.
SHELL = 'folder=$1; shift; "$@"; while [ ! -e "$folder/over" ]; do sleep 0.1; done'


def helpers(mark):
    """Processes of the program halocline-helper that have the word in their environment."""
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (process / "comm").read_text().startswith("halocline-help") and mark.encode() in (process / "environ").read_bytes():
                found.append(int(process.name))
    return found


def named_objects():
    return {path.name for path in pathlib.Path("/dev/shm").glob("halocline-*")}


def wait_for(condition):
    end = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def has_ended(pid):
    """Also one that nobody has buried yet."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True


def zombies(pids):
    return [pid for pid in pids if pathlib.Path(f"/proc/{pid}").exists() and has_ended(pid)]


def lose_the_starter(folder):
    """Waits for its death, then has the others go on. What is wrong; '' if nothing is."""
    if not wait_for((folder / f"rank{STARTER}").exists):
        return "the ranks do not begin"
    wait_for((folder / f"rank{STARTER}").read_text)  # until it is written, too
    pid = int((folder / f"rank{STARTER}").read_text())
    if not wait_for(lambda: has_ended(pid)):
        return "the rank does not end"
    (folder / "ended").touch()
    answered = wait_for((folder / "answer").exists) and wait_for((folder / "answer").read_text)
    answer = (folder / "answer").read_text() if answered else ""
    (folder / "over").touch()
    return "" if answer == "17" else f"the put to the other rank of the node gave {answer!r}"


def fault_of(end, program, launcher, folder):
    """What is wrong with one end; '' if nothing is."""
    mark = f"HALOCLINE_TEST_MARK={folder.name}"
    environment = dict(os.environ, HALOCLINE_PROGRESS="helper", HALOCLINE_FAKE_NODES=str(NODES), HALOCLINE_TEST_MARK=folder.name)
    wrapper = ["sh", "-c", SHELL, "sh", folder] if end == "starter" else []
    command = [*launcher, "-n", str(RANKS), *wrapper, program, end, folder]
    before = named_objects()
    with open(folder / "output", "w", encoding="utf-8") as output, \
            subprocess.Popen(command, stdout=output, stderr=output, env=environment) as job:
        started = wait_for(lambda: len(helpers(mark)) == NODES or job.poll() is not None)
        seen = helpers(mark)
        fault = lose_the_starter(folder) if end == "starter" else ""
        try:
            job.wait(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            job.kill()
            fault = fault or "the launcher waits"
    if not started or (end not in ("finalise", "exit") and len(seen) != NODES):
        fault = fault or f"{len(seen)} helpers were seen"
    if end == "finalise" and job.returncode != 0:
        fault = fault or f"the launcher ended with {job.returncode}"
    if not wait_for(lambda: not helpers(mark)):
        fault = fault or f"helpers are left: {helpers(mark)}"
    if not wait_for(lambda: not zombies(seen)):
        fault = fault or f"helpers are not buried: {zombies(seen)}"
    if not wait_for(lambda: not named_objects() - before):
        fault = fault or f"/dev/shm holds {named_objects() - before}"
    return f"{fault}\n{(folder / 'output').read_text()}" if fault else ""


def main():
    divider = sys.argv.index("--")
    program, survival, launcher = sys.argv[1], sys.argv[2:divider], sys.argv[divider + 1:]
    passed = failed = 0
    for end in ("finalise", "exit", "abort", "kill", "starter"):
        with tempfile.TemporaryDirectory(prefix="halocline-helper-end-") as folder:
            fault = fault_of(end, program, launcher + (survival if end == "starter" else []), pathlib.Path(folder))
        passed, failed = (passed, failed + 1) if fault else (passed + 1, failed)
        print(f"{'failed' if fault else 'passed'}: nothing is left after {end}{': ' + fault if fault else ''}", flush=True)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
