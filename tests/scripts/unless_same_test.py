#!/usr/bin/env python3
"""Tests of unless_same.py: when it runs a command again, and what it prints when it does not.

Usage: unless_same_test.py PATH_OF_UNLESS_SAME

SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib
import subprocess
import sys
import tempfile

from made import report


class Folder:
    """An input, the stamps, and a file that counts how often the command ran."""

    def __init__(self, script, path):
        self.script, self.path = script, pathlib.Path(path)
        self.input, self.count = self.path / "input", self.path / "count"
        self.write("one")

    def write(self, text):
        self.input.write_text(text)

    def run(self, status=0, word="found"):
        """Status and output of one call, and how often the command has run in all."""
        command = ["sh", "-c", f"echo x >>{self.count}; echo {word} 3 passed; exit {status}"]
        done = subprocess.run([sys.executable, self.script, self.path / "stamps", "--file", self.input, "--tool", "sh", "--", *command],
                              stdout=subprocess.PIPE, text=True, check=False)
        return done.returncode, done.stdout, len(self.count.read_text().split())


def checks(folder):
    """Pairs of a sentence and whether it holds."""
    status, output, runs = folder.run()
    yield "runs a command the first time", (status, output, runs) == (0, "found 3 passed\n", 1)
    status, output, runs = folder.run()
    yield "prints what it found then if nothing has changed", status == 0 and output.endswith("found 3 passed\n") and runs == 1
    yield "says so", "Kept from an earlier run" in output
    folder.write("two")
    yield "runs it again for another input", folder.run()[2] == 2
    folder.write("one")
    yield "knows the first input still", folder.run()[2] == 2
    yield "runs another command", folder.run(word="other")[2] == 3
    folder.write("three")
    yield "keeps nothing of a failure", folder.run(status=1)[::2] == (1, 4) and folder.run(status=1)[::2] == (1, 5)
    yield "keeps nothing of a skip", folder.run(status=77)[::2] == (77, 6) and folder.run(status=77)[::2] == (77, 7)


def main():
    with tempfile.TemporaryDirectory(prefix="halocline-test-") as path:
        report(checks(Folder(sys.argv[1], path)))


if __name__ == "__main__":
    main()
