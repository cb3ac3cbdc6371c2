"""Options that several subcommands have.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import pathlib
import subprocess
import sys
from collections.abc import Callable
from typing import Any, TypeAlias

from halocline.command import native
from halocline.command.status import EXIT_CODES

Subparsers: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def add_command(subparsers: Subparsers, name: str, words: str, run: Callable[[argparse.Namespace], int],
                details: str = "") -> argparse.ArgumentParser:
    """A subcommand; its help ends with the exit codes."""
    description = f"{words[:1].upper()}{words[1:]}. {details}".strip()
    parser = subparsers.add_parser(name, help=words, description=description, epilog=EXIT_CODES, allow_abbrev=False,
                                   conflict_handler="resolve", formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.set_defaults(run=run, parser=parser)
    return parser


def hand_on(parser: argparse.ArgumentParser, program: str) -> None:
    """Options that the command does not know go to a native program, or to a command of it, whose help stands below its own."""
    words = f"show this help, then all options of {program}, and exit"
    parser.add_argument("-h", "--help", action=NativeHelp, words=program.split(), help=words)
    parser.set_defaults(passes_on=True)


class NativeHelp(argparse.Action):
    """The help of a command, and then that of the native program which gets all options that the command does not know."""

    def __init__(self, option_strings: list[str], words: list[str], **more: Any) -> None:
        super().__init__(option_strings, **{**more, "dest": argparse.SUPPRESS, "nargs": 0})
        self.words = words

    def __call__(self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any,
                 option_string: str | None = None) -> None:
        parser.print_help()
        name, *words = self.words
        if getattr(namespace, "benchmark", None):
            words.append(namespace.benchmark)
        program = native.find_program(name, getattr(namespace, "build", None))
        print(f"\noptions of {' '.join([name, *words])}, {'which are handed on to it' if program else 'which is not installed here'}:\n")
        if program:
            # halocline-trace is Python, as this is.
            started = [sys.executable, str(program)] if name == "halocline-trace" else [str(program)]
            print(subprocess.run([*started, *words, "--help"], stdout=subprocess.PIPE, text=True, check=False).stdout, end="")
        parser.exit()


def positive(text: str) -> int:
    if not text.lstrip("-").isdecimal():
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number")
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is less than 1")
    return number


def cells(text: str) -> tuple[int, ...]:
    """Cells along x, y and z, or along x and y; the last dimension is contiguous."""
    found = tuple(positive(word) for word in text.split(","))
    if len(found) not in (2, 3):
        raise argparse.ArgumentTypeError("three numbers are wanted, as 64,64,128, or two, as 512,512")
    return found


def hosts(text: str) -> list[str]:
    names = text.split(",")
    if not all(name.strip() for name in names):
        raise argparse.ArgumentTypeError(f"'{text}' has a host without a name; names are wanted, as node1,node2")
    return names


def add_launch(parser: argparse.ArgumentParser, ranks: int | None = 2) -> None:
    """How many ranks of which programs are started where. There is no long name: some programs have --ranks with another meaning."""
    words = f"({ranks})" if ranks else "(as many as cores, 2 at least)"
    parser.add_argument("-n", dest="ranks", metavar="N", type=positive, default=ranks, help=f"ranks to start {words}")
    parser.add_argument("--hosts", type=hosts, default=[], metavar="A,B", help="hosts to start them on")
    parser.add_argument("--build", type=pathlib.Path, metavar="DIR", help="a build folder, whose programs are taken")
