#!/usr/bin/env python3
"""Tests of pauses.py: it finds a program that expects no pause, passes one that waits for an event, and leaves no process.

Usage: pauses_test.py PATH_OF_PAUSES

SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib
import subprocess
import sys
import tempfile

from made import report

# It ends soon, and takes a pause between two of its lines for a fault: that it is stopped just there is unlikely.
BRIEF = """import sys, time
for _ in range(40):
    before = time.monotonic()
    if time.monotonic() - before > 0.0005:
        sys.exit("nothing took longer")
"""
# It takes each pause for a fault.
HURRIED = """import sys, time
end = time.monotonic() + 0.7
while time.monotonic() < end:
    before = time.monotonic()
    time.sleep(0.001)
    if time.monotonic() - before > 0.015:
        sys.exit("a millisecond took longer")
"""
# A parent and a child that wait for each other.
PATIENT = """import subprocess, sys, time
child = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
for turn in range(100):
    time.sleep(0.001)
    child.stdin.write(b"%d\\n" % turn)
    child.stdin.flush()
    assert child.stdout.readline() == b"%d\\n" % turn
child.stdin.close()
sys.exit(child.wait())
"""
# The child says how often it was stopped and continued.
NESTED = """import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", {counting!r}])
sys.exit(child.wait())
"""
COUNTING = """import signal, time
times = []
signal.signal(signal.SIGCONT, lambda *_: times.append(time.monotonic()))
end = time.monotonic() + 20
while len(times) < 2 and time.monotonic() < end:
    time.sleep(0.001)
raise SystemExit(f"continued {len(times)} times")
"""
# It ends before its own child, which nobody waits for.
FORGETFUL = """import subprocess, sys
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)", {mark!r}])
sys.exit(1)
"""


class Folder:
    """Programs, and runs of them."""

    def __init__(self, script, path):
        self.script, self.path = script, pathlib.Path(path)

    def run(self, text, *words):
        """Status and output of the script for a Python program."""
        program = self.path / "program.py"
        program.write_text(text)
        done = subprocess.run([sys.executable, self.script, *words, "--", sys.executable, program], stdout=subprocess.PIPE, text=True,
                              check=False)
        return done.returncode, done.stdout


def is_running(mark):
    return any(mark in path.read_text(errors="replace") for path in pathlib.Path("/proc").glob("[0-9]*/cmdline") if path.exists())


def checks(folder):
    """Pairs of a sentence and whether it holds."""
    status, output = folder.run(HURRIED, "--seed", "5", "--seeds", "2")
    yield f"finds a program that a pause fails: {output}", status == 1 and "0 passed, 2 failed, 0 skipped" in output
    yield "says with which seed", "with --seed 5:" in output and "with --seed 6:" in output
    yield "and what the program said", "a millisecond took longer" in output
    output = folder.run(BRIEF, "--seed", "1", "--seeds", "12")[1]
    yield f"makes a brief one stand still between two lines: {output}", "nothing took longer" in output and "0 failed" not in output
    output = folder.run(NESTED.format(counting=COUNTING), "--seeds", "1")[1]
    yield f"stops what the program has started, too, and continues it: {output}", "continued 2 times" in output
    status, output = folder.run(PATIENT, "--seeds", "1")
    yield f"passes one that waits for events: {output}", status == 0 and "1 passed, 0 failed" in output
    yield "knows one that is skipped", "0 passed, 0 failed, 1 skipped" in folder.run("raise SystemExit(77)", "--seeds", "1")[1]
    mark = str(folder.path / "mark")
    folder.run(FORGETFUL.format(mark=mark), "--seeds", "1")
    yield "ends what a program leaves behind", not is_running(mark)


def main():
    with tempfile.TemporaryDirectory(prefix="halocline-test-") as path:
        report(checks(Folder(sys.argv[1], path)))


if __name__ == "__main__":
    main()
