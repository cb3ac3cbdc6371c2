"""halocline simulate: predicts a run on a machine that is not at hand, by halocline-simulate.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import pathlib

from halocline.command import native
from halocline.command.options import Subparsers, add_command, hand_on


def add(subparsers: Subparsers) -> None:
    parser = add_command(subparsers, "simulate", "simulates a run on many ranks, by halocline-simulate", run,
                         "All options go to halocline-simulate, where that is installed.")
    parser.add_argument("--build", type=pathlib.Path, metavar="DIR", help="a build folder, whose programs are taken")
    hand_on(parser, "halocline-simulate")


def run(options: argparse.Namespace) -> int:
    native.become([str(native.need_program("halocline-simulate", options.build)), *options.rest])
