"""halocline trace: who waited for whom, by halocline-trace.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import pathlib
import sys

from halocline.command import native
from halocline.command.options import Subparsers, add_command


def add(subparsers: Subparsers) -> None:
    parser = add_command(subparsers, "trace", "merges the traces of HALOCLINE_TRACE=DIR: who waited for whom, the critical path", run,
                         "Options that are not listed go to halocline-trace.")
    parser.add_argument("folder", type=pathlib.Path, metavar="DIR")
    parser.add_argument("--build", type=pathlib.Path, metavar="DIR", help="a build folder, whose programs are taken")
    parser.set_defaults(passes_on=True)


def command(folder: pathlib.Path, words: list[str], build: pathlib.Path | None = None) -> list[str]:
    """It is Python, as this is, and needs no launcher."""
    return [sys.executable, str(native.need_program("halocline-trace", build)), str(folder), *words]


def run(options: argparse.Namespace) -> int:
    return native.show(command(options.folder, options.rest, options.build))
