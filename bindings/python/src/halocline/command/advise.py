"""halocline advise: would one-sided swaps be faster for a program that nobody has changed, on this machine?

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator

from halocline import _mpi_names
from halocline.command import native
from halocline.command import run as starting
from halocline.command.advice import conclusion, recording
from halocline.command.options import Subparsers, add_command, add_launch, positive
from halocline.command.status import Exit, Failure, missing

RECORDER = "halocline/libhalocline_advise.so"
NAMES = {"mpich": "MPICH", "openmpi": "Open MPI"}
DETAILS = """The program runs once with a recorder, and is not compiled again; with -g its lines are named. Each exchange
that repeats then runs again in every mode but view, notify_node and passive_naive.

  halocline advise -n 4 ./model input.nml
  halocline advise -n 4 --report advice.html ./model"""


def add(subparsers: Subparsers) -> None:
    parser = add_command(subparsers, "advise", "what one-sided swaps would save of an unchanged MPI program", run, DETAILS)
    add_launch(parser)
    parser.add_argument("--launcher", metavar="WORDS", help="start the ranks by this command and its flags, as 'srun --mpi=pmix'")
    parser.add_argument("--report", type=pathlib.Path, metavar="FILE.html", help="write a page for a browser, too")
    parser.add_argument("-o", "--output", type=pathlib.Path, metavar="DIR",
                        help="keep the recording in this folder, which all hosts share (a folder that is removed)")
    parser.add_argument("--from", dest="given", type=pathlib.Path, metavar="DIR",
                        help="take the recording of an earlier -o, and run no program")
    parser.add_argument("--no-replay", action="store_true", help="only say what was recorded: run no exchange again")
    parser.add_argument("--seconds", type=positive, default=5, help="how long each exchange runs again (5)")
    parser.add_argument("program", nargs=argparse.REMAINDER, metavar="PROGRAM ...", help="the program and its arguments")


def recorders(build: pathlib.Path | None) -> Iterator[pathlib.Path]:
    """All recorders there are: beside the programs, then those of the checkout's other builds."""
    root = native.checkout()
    for folder in native.folders(build):
        yield from sorted(folder.parent.glob(f"lib*/{RECORDER}")) + sorted(folder.parent.glob(f"lib*/*/{RECORDER}"))
    if build is None and root:
        yield from sorted(root.glob(f"build/*/lib/{RECORDER}"))


def variant_of(library: pathlib.Path) -> str | None:
    """The MPI that a library needs, by the name in its file."""
    return next(filter(None, map(_mpi_names.variant_of, needed_by(library))), None)


def wanted_variant(program: pathlib.Path, launcher: list[str]) -> str:
    """The MPI of a program; of a script that of the launcher."""
    library = native.mpi_of(program)
    found = _mpi_names.variant_of(library.name) if library else None
    return found or ("openmpi" if native.family_of(launcher[0]) == "openmpi" else "mpich")


def find_recorder(program: pathlib.Path, launcher: list[str], build: pathlib.Path | None) -> pathlib.Path:
    wanted = wanted_variant(program, launcher)
    found: dict[str | None, pathlib.Path] = {}
    for library in recorders(build):
        found.setdefault(variant_of(library), library)
    if wanted in found:
        return found[wanted]
    others = ", ".join(f"{path} is for {NAMES.get(str(variant), 'another MPI')}" for variant, path in found.items())
    missing(f"{program.name} uses {NAMES.get(wanted, wanted)}, and there is no recorder for it ({others or 'none at all'}). "
            "Build Halocline with the program's MPI, and name that build folder with --build")


def words_of(options: argparse.Namespace) -> list[str]:
    words: list[str] = options.program[1:] if options.program[:1] == ["--"] else options.program
    if not words:
        raise Failure("name the program to run, or a recording with --from", Exit.USAGE)
    return words


def launched(options: argparse.Namespace, program: pathlib.Path) -> list[str]:
    return starting.launched_by(options, program)


def record(options: argparse.Namespace, folder: pathlib.Path) -> tuple[int, pathlib.Path]:
    """Runs the program with the recorder. Returns its exit code, and the folder of programs beside the recorder."""
    words = words_of(options)
    path = pathlib.Path(starting.find(words[0]))
    launcher = launched(options, path)
    library = find_recorder(path, launcher, options.build).resolve()
    for old in [*folder.glob("rank-*.events"), *folder.glob("rank-*.text")]:
        old.unlink()
    variables = {"LD_PRELOAD": library, **same_mpi(path, library, folder)}
    settings = [f"{name}={':'.join(filter(None, [str(value), os.environ.get(name)]))}" for name, value in variables.items()]
    done = subprocess.run([*launcher, "env", *settings, f"HLC_ADVISE={folder.resolve()}", *words], check=False)
    return done.returncode if done.returncode >= 0 else 128 - done.returncode, library


def needed_by(library: pathlib.Path) -> list[str]:
    return [name.decode() for name in re.findall(rb"libmpi[a-z_]*\.so\.\d+", library.read_bytes())]


def same_mpi(program: pathlib.Path, library: pathlib.Path, folder: pathlib.Path) -> dict[str, pathlib.Path]:
    """Where the program's MPI has another name than the recorder's: a folder in which it has both, so that no second MPI is loaded."""
    mpi = native.mpi_of(program)
    if mpi is None or any(mpi.name.startswith(name) for name in needed_by(library)):
        return {}
    names = folder.resolve() / "mpi"
    shutil.rmtree(names, ignore_errors=True)
    names.mkdir()
    for name in needed_by(library):
        (names / name).symlink_to(mpi)
    return {"LD_LIBRARY_PATH": names}


def spans(numbers: list[int]) -> str:
    """Ascending numbers in words, as 0-3, 7."""
    found: list[tuple[int, int]] = []
    for number in numbers:
        if found and number == found[-1][1] + 1:
            found[-1] = found[-1][0], number
        else:
            found.append((number, number))
    return ", ".join(f"{first}-{last}" if last > first else f"{first}" for first, last in found)


def say_how_it_ended(code: int, found: recording.Recording | None) -> None:
    """A program that failed or did not finalise: the advice rests on what came before."""
    if code:
        print(f"halocline: the program ended with exit code {code}; what follows is about the time before", file=sys.stderr)
    ended = [rank.number for rank in found.ranks if not rank.finalised] if found else []
    if ended:
        named = f"rank{'s' if len(ended) > 1 else ''} {spans(ended)}"
        print(f"halocline: {named} did not reach MPI_Finalize; what follows is about the calls until then", file=sys.stderr)


def conclude(options: argparse.Namespace, folder: pathlib.Path) -> tuple[int, conclusion.Conclusion]:
    """Records, unless that has been done, and runs exchanges again. Returns the program's exit code, and the advice."""
    code = 0
    library = None
    if options.given is None:
        code, library = record(options, folder)
    try:
        found = recording.read(folder)
    except Failure as why:
        raise Failure(f"{why}. The program ended with exit code {code}") from why if code else why
    say_how_it_ended(code, found)
    if code and not any(lane.recorded for rank in found.ranks for lane in rank.lanes):
        raise Failure(f"the program ended with exit code {code} before it sent a message")
    name = " ".join(words_of(options)) if options.program else str(options.given)
    return code, conclusion.conclude(found, name, replays(options, folder, found, library))


def advise(options: argparse.Namespace, folder: pathlib.Path) -> int:
    from halocline.command.advice import pages

    code, said = conclude(options, folder)
    print("\n".join(pages.screen(said)))
    if options.report:
        options.report.write_text(pages.page_of(said), encoding="utf-8")
        print(f"Report: {options.report}")
    return Exit.WRONG if code else Exit.GOOD


def replays(options: argparse.Namespace, folder: pathlib.Path, found: recording.Recording,
            library: pathlib.Path | None) -> conclusion.Replayer | None:
    """What runs an exchange again, or None."""
    from halocline.command.advice import replaying

    if options.no_replay:
        return None
    beside = [folder for folder in library.parents[:5] if (folder / "bin" / "halocline-replay").exists()] if library else []
    build = beside[0] if beside else options.build
    program = native.need_program("halocline-replay", build)
    given = argparse.Namespace(**{**vars(options), "ranks": len(found.ranks)})
    launcher = launched(given, program)
    return lambda messages: replaying.replay(messages, folder, launcher, program, options.seconds)


def check_report(path: pathlib.Path) -> None:
    """Before the program runs, which may take hours."""
    if path.is_dir():
        raise Failure(f"can't write the report {path}: it is a folder; name a file in it", Exit.USAGE)
    if not path.resolve().parent.is_dir():
        raise Failure(f"can't write the report {path}: there is no folder {path.parent}; make it first", Exit.USAGE)
    if not os.access(path if path.exists() else path.resolve().parent, os.W_OK):
        raise Failure(f"can't write the report {path}: no permission; name another file", Exit.USAGE)


def run(options: argparse.Namespace) -> int:
    if options.report:
        check_report(options.report)
    if options.given is not None:
        if options.program:
            raise Failure("--from takes a recording, and runs no program: leave out one of them", Exit.USAGE)
        if not options.given.is_dir():
            raise Failure(f"{options.given} is not a folder", Exit.USAGE)
        return advise(options, options.given)
    if options.output:
        options.output.mkdir(parents=True, exist_ok=True)
        return advise(options, options.output)
    folder = pathlib.Path(tempfile.mkdtemp(prefix=".halocline-advise-", dir=pathlib.Path.cwd()))
    try:
        return advise(options, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
