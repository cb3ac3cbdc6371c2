"""halocline doctor: tries the MPI, by halocline-doctor.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse

from halocline.command import native
from halocline.command.options import Subparsers, add_command, add_launch, hand_on


def add(subparsers: Subparsers) -> None:
    parser = add_command(subparsers, "doctor", "tries the MPI: what it gets right, wrong or lacks, and which modes can be trusted", run,
                         "Options that are not listed go to halocline-doctor.")
    add_launch(parser)
    hand_on(parser, "halocline-doctor")


def run(options: argparse.Namespace) -> int:
    program = native.need_program("halocline-doctor", options.build)
    native.become(native.command(program, options.ranks, options.rest, options.hosts))
