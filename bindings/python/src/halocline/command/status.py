"""Exit codes, and the errors that lead to them.

SPDX-License-Identifier: BSD-3-Clause
"""
import enum
from typing import NoReturn


class Exit(enum.IntEnum):
    """What the command ends with; docs/command.md has the same list."""
    GOOD = 0
    WRONG = 1
    USAGE = 2
    MISSING = 3
    UNWRITTEN = 4
    INTERRUPTED = 130


EXIT_CODES = """exit codes:
  0    everything is right
  1    something is wrong: the doctor's finding, a wrong halo, a program that failed, a step of tune
  2    the command line or an input file is wrong
  3    a native program or a Python package is not there; the message names it
  4    a benchmark has printed its results, but could not write a file
  130  interrupted
`halocline run` ends with the exit code of the launcher."""


class Failure(Exception):
    """The command cannot go on; the text says why."""

    def __init__(self, text: str, code: Exit = Exit.WRONG) -> None:
        super().__init__(text)
        self.code = code


def missing(text: str) -> NoReturn:
    """Something that has to be installed is not there."""
    raise Failure(text, Exit.MISSING)
