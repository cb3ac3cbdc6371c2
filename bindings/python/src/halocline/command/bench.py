"""halocline bench: measures, by halocline-bench.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse

from halocline.command import native
from halocline.command.options import Subparsers, add_command, add_launch, hand_on

BENCHES = ("halo", "operations", "notify", "bandwidth", "overlap", "progress", "armci", "shmem", "computing", "device")


def add(subparsers: Subparsers) -> None:
    parser = add_command(subparsers, "bench", "measures swaps and operations, side by side in one run", run,
                         "Options that are not listed go to halocline-bench.")
    add_launch(parser)
    parser.add_argument("benchmark", choices=BENCHES, help="what to measure")
    hand_on(parser, "halocline-bench")


def run(options: argparse.Namespace) -> int:
    program = native.need_program("halocline-bench", options.build)
    native.become(native.command(program, options.ranks, [options.benchmark, *options.rest], options.hosts))
