"""Options that several subcommands have.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import pathlib
from collections.abc import Callable
from typing import TypeAlias

from halocline.command.status import EXIT_CODES

Subparsers: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def add_command(subparsers: Subparsers, name: str, words: str, run: Callable[[argparse.Namespace], int],
                details: str = "") -> argparse.ArgumentParser:
    """A subcommand; its help ends with the exit codes."""
    description = f"{words[:1].upper()}{words[1:]}. {details}".strip()
    parser = subparsers.add_parser(name, help=words, description=description, epilog=EXIT_CODES, allow_abbrev=False,
                                   formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.set_defaults(run=run, parser=parser)
    return parser


def positive(text: str) -> int:
    if not text.lstrip("-").isdecimal():
        raise argparse.ArgumentTypeError(f"'{text}' is no whole number")
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is less than 1")
    return number


def cells(text: str) -> tuple[int, int, int]:
    found = tuple(positive(word) for word in text.split(","))
    if len(found) != 3:
        raise argparse.ArgumentTypeError("three numbers are wanted, as 64,64,128")
    return found[0], found[1], found[2]


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
