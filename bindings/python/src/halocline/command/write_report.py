"""halocline report: makes the HTML report of a folder of results.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import pathlib

from halocline.command import files, report
from halocline.command.options import Subparsers, add_command


def add(subparsers: Subparsers) -> None:
    parser = add_command(subparsers, "report", "makes report.html of a folder of results, and measures nothing", run,
                         "The folder needs halo.json; info, doctor, model, trace and cloud.json are used where they are.")
    parser.add_argument("folder", type=pathlib.Path, metavar="DIR", help="the folder of the results")


def run(options: argparse.Namespace) -> int:
    with files.understood(options.folder):
        target, said = report.write(options.folder)
    print(said.headline)
    print(target)
    return 0
