"""The command line of `halocline`: one module per subcommand, each with add(subparsers) and run(options).

SPDX-License-Identifier: BSD-3-Clause
"""
# PYTHON_ARGCOMPLETE_OK
import argparse
import importlib
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from halocline.command import native
from halocline.command.status import EXIT_CODES, Exit, Failure

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

DESCRIPTION = """Halo swaps and one-sided communication on this machine: is the MPI right, which mode is the fastest, and why.

  halocline tune                  all of it in under two minutes, with a recommendation and a report
  halocline run -n 4 ./model      starts a program with the launcher that fits its MPI"""


class Parser(argparse.ArgumentParser):
    """One that does not conceal that its help could not be written."""

    def _print_message(self, message: str, file: "SupportsWrite[str] | None" = None) -> None:
        if message:
            (file or sys.stderr).write(message)


def complete(parser: argparse.ArgumentParser) -> None:
    """Completion by argcomplete, where that is installed."""
    try:
        argcomplete = importlib.import_module("argcomplete")
    except ImportError:
        return
    argcomplete.autocomplete(parser)


def make_parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    from halocline.command import advise, bench, completion, doctor, explain, info, model, plot, run, simulate, trace, tune, write_report

    parser = Parser(prog="halocline", description=DESCRIPTION, epilog=EXIT_CODES, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", action="version", version=f"halocline {native.version()}")
    subparsers = parser.add_subparsers(dest="command", title="commands", metavar="COMMAND", required=True)
    for module in (tune, doctor, info, bench, model, plot, explain, advise, trace, simulate, run, write_report, completion):
        module.add(subparsers)
    return parser


def drop_output() -> None:
    """Lets the interpreter, which flushes once more at its end, find nothing wrong with standard output."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def end_of_output(status: int) -> int:
    """What the command ends with that has printed its last: another exit code where not all of it could be written."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read the output has ended, as `| head` does.
        drop_output()
    except OSError as why:
        drop_output()
        print(f"halocline: standard output can't be written: {why.strerror or why}", file=sys.stderr)
        return status or Exit.USAGE
    return status


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code."""
    try:
        return end_of_output(run_command(arguments))
    except SystemExit as end:  # of help and wrong options
        raise SystemExit(end_of_output(end.code) if isinstance(end.code, int) else end.code) from None


def run_command(arguments: Sequence[str] | None) -> int:
    """Runs one command; whatever it prints may still be on its way."""
    try:
        parser = make_parser()
        complete(parser)
        options, rest = parser.parse_known_args(arguments)
        if rest and not getattr(options, "passes_on", False):
            options.parser.error(f"unrecognized arguments: {' '.join(rest)}")
        options.rest = rest
        return int(options.run(options))
    except Failure as why:
        print(f"halocline: {why}", file=sys.stderr)
        return why.code
    except OSError as why:
        status = Exit.GOOD if isinstance(why, BrokenPipeError) else end_of_output(Exit.GOOD)
        if status == Exit.GOOD and not isinstance(why, BrokenPipeError):
            print(f"halocline: {why.filename or 'standard output or a file'}: {why.strerror or why}", file=sys.stderr)
            status = Exit.USAGE
        return status
    except ModuleNotFoundError as why:
        if (why.name or "").split(".")[0] not in ("rich", "matplotlib", "numpy"):
            raise
        print(f"halocline: the Python package {why.name} is needed for this: pip install {why.name}", file=sys.stderr)
        return Exit.MISSING
    except KeyboardInterrupt:
        return Exit.INTERRUPTED
