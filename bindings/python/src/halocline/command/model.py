"""halocline model: measures a machine card, or shows one.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import pathlib

from halocline.command import card, native
from halocline.command.options import Subparsers, add_command, add_launch, hand_on


def add(subparsers: Subparsers) -> None:
    parser = add_command(subparsers, "model", "measures this machine and fits cost curves to it: the machine card", run,
                         "With --show it prints a card, and measures nothing. Options that are not listed go to halocline-bench model.")
    add_launch(parser, None)
    parser.add_argument("--show", type=pathlib.Path, metavar="FILE", nargs="?", const=pathlib.Path(), help="a card (the default card)")
    hand_on(parser, "halocline-bench model")


def run(options: argparse.Namespace) -> int:
    if options.show is not None:
        found = card.read(options.show if options.show != pathlib.Path() else card.default_path())
        from halocline.command import terminal

        terminal.console().print(terminal.card_summary(found))
        return 0
    program = native.need_program("halocline-bench", options.build)
    ranks = options.ranks or max(2, native.cores())
    native.become(native.command(program, ranks, ["model", *options.rest], options.hosts))
