"""The command line of `halocline`: one module per subcommand, each with add(subparsers) and run(options).

SPDX-License-Identifier: BSD-3-Clause
"""
# PYTHON_ARGCOMPLETE_OK
import argparse
import importlib
import os
import sys
from collections.abc import Sequence

from halocline.command import native
from halocline.command.status import EXIT_CODES, Exit, Failure

DESCRIPTION = """Halo swaps and one-sided communication on this machine: is the MPI right, which mode is the fastest, and why.

  halocline tune                  all of it in under two minutes, with a recommendation and a report
  halocline run -n 4 ./model      starts a program with the launcher that fits its MPI"""


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

    parser = argparse.ArgumentParser(prog="halocline", description=DESCRIPTION, epilog=EXIT_CODES,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", action="version", version=f"halocline {native.version()}")
    subparsers = parser.add_subparsers(dest="command", title="commands", metavar="COMMAND", required=True)
    for module in (tune, doctor, info, bench, model, plot, explain, advise, trace, simulate, run, write_report, completion):
        module.add(subparsers)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code."""
    try:
        parser = make_parser()
        complete(parser)
        options, rest = parser.parse_known_args(arguments)
        if rest and not getattr(options, "passes_on", False):
            options.parser.error(f"unrecognized arguments: {' '.join(rest)}")
        options.rest = rest
        status = int(options.run(options))
        sys.stdout.flush()
        return status
    except Failure as why:
        print(f"halocline: {why}", file=sys.stderr)
        return why.code
    except OSError as why:
        if isinstance(why, BrokenPipeError):
            # Whoever read the output has ended, as `| head` does. The interpreter flushes once more at its end.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return Exit.GOOD
        print(f"halocline: {why.filename or 'a file'}: {why.strerror or why}", file=sys.stderr)
        return Exit.USAGE
    except ModuleNotFoundError as why:
        if (why.name or "").split(".")[0] not in ("rich", "matplotlib", "numpy"):
            raise
        print(f"halocline: the Python package {why.name} is needed for this: pip install {why.name}", file=sys.stderr)
        return Exit.MISSING
    except KeyboardInterrupt:
        return Exit.INTERRUPTED
