"""halocline run: starts a program with the launcher of its MPI, and the flags that this launcher wants.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import os
import pathlib
import shlex
import shutil

from halocline.command import native
from halocline.command.modes import mode
from halocline.command.options import Subparsers, add_command, add_launch
from halocline.command.status import Exit, Failure

DETAILS = """It finds the MPI that the program is linked with, and the mpiexec beside it.

  halocline run -n 4 ./model input.nml
  halocline run -n 8 --hosts node1,node2 --mode notify ./model
  halocline run -n 4 --mpi ./program            MPI's one-sided calls on Halocline's engine (halocline-run)"""


def add(subparsers: Subparsers) -> None:
    parser = add_command(subparsers, "run", "starts a program with the launcher that fits its MPI", run, DETAILS)
    add_launch(parser)
    parser.add_argument("--launcher", metavar="WORDS", help="start the ranks by this command and its flags, as 'srun --mpi=pmix'")
    parser.add_argument("--mpi", action="store_true", help="load the drop-in for MPI's one-sided calls, by halocline-run")
    parser.add_argument("--abi", choices=("mpich", "openmpi", "mpi5"), help="with --mpi: the program's MPI, where its file does not say it")
    parser.add_argument("--mode", type=mode, help="sets HALOCLINE_MODE")
    parser.add_argument("--trace", type=pathlib.Path, metavar="DIR", help="sets HALOCLINE_TRACE")
    parser.add_argument("--check", action="store_true", help="sets HALOCLINE_CHECK=1")
    parser.add_argument("--summary", action="store_true", help="sets HALOCLINE_SUMMARY=1")
    parser.add_argument("--show", action="store_true", help="print the command, and run nothing")
    parser.add_argument("program", nargs=argparse.REMAINDER, metavar="PROGRAM ...", help="the program and its arguments")


def variables(options: argparse.Namespace) -> dict[str, str]:
    """What the options put into the environment."""
    asked = {"MODE": options.mode, "TRACE": str(options.trace.resolve()) if options.trace else None,
             "CHECK": "1" if options.check else None, "SUMMARY": "1" if options.summary else None}
    return {f"HALOCLINE_{name}": value for name, value in asked.items() if value}


def split(launcher: str) -> list[str]:
    """The words of --launcher, as a shell takes them."""
    try:
        words = shlex.split(launcher)
    except ValueError as why:
        raise Failure(f"--launcher {launcher}: a quote or a backslash has no end ({why})", Exit.USAGE) from why
    if not words:
        raise Failure("--launcher names no command", Exit.USAGE)
    return words


def refuse_ignored(options: argparse.Namespace) -> None:
    """Options that would have no effect."""
    for name, value in (("--abi", options.abi), ("--build", options.build)):
        if value and not options.mpi:
            raise Failure(f"{name} needs --mpi: it is about halocline-run, which --mpi puts before the program", Exit.USAGE)


def find(name: str) -> str:
    """The file of a program, by its path or on the PATH."""
    path = shutil.which(name)
    if path:
        return path
    file = pathlib.Path(name)
    if "/" not in name and file.is_file() and os.access(file, os.X_OK):
        raise Failure(f"{name} is in this folder, which is not on the PATH: write ./{name}", Exit.USAGE)
    raise Failure(f"{name} is not executable" if file.exists() else f"no such program: {name}", Exit.USAGE)


def launched_by(options: argparse.Namespace, program: pathlib.Path) -> list[str]:
    if options.launcher is not None:
        if options.hosts:
            raise Failure("--launcher replaces the launcher and its flags: name the hosts there, not by --hosts", Exit.USAGE)
        return [*split(options.launcher), "-n", str(options.ranks)]
    return native.launcher(native.mpiexec_of(program), options.ranks, options.hosts)


def command(options: argparse.Namespace) -> list[str]:
    """The launcher, its flags, halocline-run where it is wanted, the program."""
    words = options.program[1:] if options.program[:1] == ["--"] else options.program
    if not words:
        raise Failure("name the program to run", Exit.USAGE)
    refuse_ignored(options)
    path = find(words[0])
    drop_in = []
    if options.mpi:
        drop_in = [str(native.need_program("halocline-run", options.build)), "--mpi", *(["--abi", options.abi] if options.abi else [])]
    return [*launched_by(options, pathlib.Path(path)), *drop_in, *words]


def run(options: argparse.Namespace) -> int:
    os.environ.update(variables(options))
    words = command(options)
    if options.show:
        print(shlex.join([*(f"{name}={value}" for name, value in variables(options).items()), *words]))
        return 0
    native.become(words)
