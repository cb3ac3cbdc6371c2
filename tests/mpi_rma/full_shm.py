#!/usr/bin/env python3
"""Windows whose pages come when they are touched, on a /dev/shm of 256 MiB of their own: they take no room before, others leave it to them,
a dead job's is free again, and where a file takes it all the same, a rank ends with a message that says so.

Usage: full_shm.py PROGRAM -- LAUNCHER [FLAG...]

Starts itself again in a mount namespace, where it may make one, and launches PROGRAM (full_shm.c) on 2 ranks.

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

ROOM_MIB = 256
PART_MIB = 80  # of a rank in a window: one window of 2 ranks fits, two do not
OTHERS_MIB = 64  # the most that an MPI has in /dev/shm for itself
INSIDE = "HALOCLINE_TEST_OWN_SHM"
PATIENCE_S = 120


def own_namespace():
    """Runs this script again with a /dev/shm of its own; returns its exit status, 77 if that is not possible."""
    unshare = ["unshare", "--mount", "--propagation", "private"] + ([] if os.geteuid() == 0 else ["--map-root-user"])
    mount = f"mount -t tmpfs -o size={ROOM_MIB}m,mode=1777 tmpfs /dev/shm"
    try:
        able = subprocess.run([*unshare, "sh", "-c", mount], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    except FileNotFoundError:
        print("0 passed, 0 failed, 1 skipped: there is no unshare")
        return 77
    if able.returncode != 0:
        print(f"0 passed, 0 failed, 1 skipped: no /dev/shm of its own: {able.stdout.strip()}")
        return 77
    script = f'{mount} && exec "$@"'
    return subprocess.run([*unshare, "sh", "-c", script, "sh", sys.executable, *sys.argv], env=dict(os.environ, **{INSIDE: "1"}),
                          check=False).returncode


class Launch:
    """One launch of the program."""

    def __init__(self, program, launcher, steps, path=""):
        self.process = subprocess.Popen([*launcher, "-n", "2", program, steps, str(PART_MIB), path], stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True, start_new_session=True,
                                        env=dict(os.environ, HALOCLINE_MPI_STRICT="1"))

    def output(self):
        """Waits for its end."""
        try:
            return self.process.communicate(timeout=PATIENCE_S)[0]
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            return f"no end in {PATIENCE_S} s: {self.process.communicate()[0]}"


def missing(output, *expected):
    """The first of these texts that the output lacks, in this order; '' if none."""
    at = 0
    for text in expected:
        at = output.find(text, at)
        if at < 0:
            return f"no {text!r} in:\n{output}"
        at += len(text)
    return ""


def check_room(program, launcher):
    """An untouched window takes no room, and keeps out another one."""
    output = Launch(program, launcher, "wuwtrw").output()
    fault = missing(output, "window: right", "used: ", "window: no memory", "touched", "window: right")
    if fault:
        return fault
    fault = missing(Launch(program, launcher, "wW").output(), "window: right", "cannot allocate", "not touched yet")
    if fault:
        return fault
    used = int(output.split("used: ")[1].split()[0])
    return "" if used < OTHERS_MIB << 20 else f"{used} bytes are used before anything is touched"


def check_death(program, launcher):
    """What a killed job has promised is free again."""
    with tempfile.TemporaryDirectory(prefix="halocline-test-") as directory:
        ready = pathlib.Path(directory) / "ready"
        first = Launch(program, launcher, "wp", directory)
        end = time.monotonic() + PATIENCE_S
        while not ready.exists() and first.process.poll() is None and time.monotonic() < end:
            time.sleep(0.05)
        refused = Launch(program, launcher, "w").output()
        (pathlib.Path(directory) / "die").touch()
        first.output()
        end = time.monotonic() + 10  # the kernel ends processes at its leisure
        while True:
            accepted = Launch(program, launcher, "wt").output()
            if not missing(accepted, "window: right") or time.monotonic() > end:
                break
    return missing(refused, "window: no memory") or missing(accepted, "window: right", "touched")


def check_filled(program, launcher):
    """A file that takes what was promised: a message, and no success."""
    run = Launch(program, launcher, "wft")
    output = run.output()
    os.unlink("/dev/shm/filler")
    fault = missing(output, "window: right", "filled: 0") or missing(output, "cannot get the page of byte", "/dev/shm is full")
    if not fault and (run.process.returncode == 0 or "touched" in output):
        fault = f"the program has gone on:\n{output}"
    return fault


def main():
    if INSIDE not in os.environ:
        return own_namespace()
    divider = sys.argv.index("--")
    program, launcher = sys.argv[1], sys.argv[divider + 1:]
    failures = 0
    checks = (check_room, check_death, check_filled)
    for check in checks:
        fault = check(program, launcher)
        failures += bool(fault)
        print(f"{'failed' if fault else 'passed'}: {check.__doc__} {fault}")
    print(f"{len(checks) - failures} passed, {failures} failed, 0 skipped")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
