"""halocline trace: who waited for whom, by halocline-trace.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import pathlib
import subprocess
import sys

from halocline.command import files, native
from halocline.command.options import Subparsers, add_command, hand_on
from halocline.command.status import Exit, Failure

TRACES = "rank-*.json"


def add(subparsers: Subparsers) -> None:
    parser = add_command(subparsers, "trace", "merges the traces of HALOCLINE_TRACE=DIR: who waited for whom, the critical path", run,
                         "Options that are not listed go to halocline-trace.")
    parser.add_argument("folder", type=pathlib.Path, metavar="DIR")
    parser.add_argument("--build", type=pathlib.Path, metavar="DIR", help="a build folder, whose programs are taken")
    hand_on(parser, "halocline-trace")


def check(folder: pathlib.Path) -> None:
    """Fails unless it is a folder with the files of a trace."""
    if not files.there(folder).is_dir():
        raise Failure(f"{folder} is not a folder of HALOCLINE_TRACE", Exit.USAGE)
    if not any(folder.glob(TRACES)):
        raise Failure(f"{folder} has no {TRACES}, and so no trace; HALOCLINE_TRACE={folder} makes a run write one", Exit.USAGE)


def command(folder: pathlib.Path, words: list[str], build: pathlib.Path | None = None) -> list[str]:
    """It is Python, as this is, and needs no launcher."""
    check(folder)
    return [sys.executable, str(native.need_program("halocline-trace", build)), str(folder), *words]


def run(options: argparse.Namespace) -> int:
    # halocline-trace ends with 1 where the files are no trace.
    status = subprocess.run(command(options.folder, options.rest, options.build), check=False).returncode
    return Exit.USAGE if status == 1 else status if status >= 0 else 128 - status
