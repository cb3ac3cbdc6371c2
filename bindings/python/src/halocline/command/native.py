"""The native programs of Halocline, and the launcher of the MPI that they use.

SPDX-License-Identifier: BSD-3-Clause
"""
import contextlib
import importlib.metadata
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from types import FrameType
from typing import NoReturn

from halocline import _mpi_names
from halocline.command.status import Exit, Failure, missing

MOST_FOLDERS_UP = 5  # /usr/lib/x86_64-linux-gnu/openmpi/lib, /usr/bin
GRACE_S = 5.0  # for a launcher to end its ranks
PT_INTERP = 3  # the entry of an ELF file that names the dynamic loader


def checkout() -> pathlib.Path | None:
    """The root of the sources, if this file lies in them."""
    for folder in pathlib.Path(__file__).resolve().parents:
        if (folder / "go").is_file() and (folder / "src" / "CMakeLists.txt").is_file():
            return folder
    return None


def version() -> str:
    """Of the installation beside the programs, of the sources, or of the wheel."""
    root, installed = checkout(), pathlib.Path(__file__).resolve().parents[2] / "VERSION"
    if installed.is_file():
        return installed.read_text().strip()
    if root:
        found = re.search(r"^project\(halocline VERSION ([0-9.]+)", (root / "CMakeLists.txt").read_text(), re.MULTILINE)
        return found[1] if found else "unknown"
    return importlib.metadata.version("halocline")


def folders(build: pathlib.Path | None) -> list[pathlib.Path]:
    """Where programs may be, in order: the build asked for, beside this command, the checkout's, beside Python, HALOCLINE_HOME."""
    if build is not None:
        return [build / "bin"]
    root, home = checkout(), os.environ.get("HALOCLINE_HOME")
    places = [pathlib.Path(sys.argv[0]).absolute().parent]
    places += [root / "build" / "release" / "bin"] if root else []
    places += [pathlib.Path(sys.argv[0]).resolve().parent, pathlib.Path(sys.prefix) / "bin"]
    return list(dict.fromkeys([*places, pathlib.Path(home) / "bin"] if home else places))


def find_program(name: str, build: pathlib.Path | None = None) -> pathlib.Path | None:
    """The file of a native program; None if it is not installed."""
    for folder in folders(build):
        if os.access(folder / name, os.X_OK):
            return folder / name
    found = shutil.which(name) if build is None else None
    return pathlib.Path(found) if found else None


def need_program(name: str, build: pathlib.Path | None = None) -> pathlib.Path:
    found = find_program(name, build)
    if found is None:
        places = ", ".join(map(str, folders(build)))
        missing(f"no {name} in {places}{'' if build else ' or on the PATH'}. {how_to_get(name, build)}")
    return found


def how_to_get(name: str, build: pathlib.Path | None) -> str:
    """What makes a program that is not there: of a build folder, of these sources, or of an installation."""
    root = checkout()
    if build is not None and (root is None or build.resolve() != root / "build" / "release"):
        return f"Build it: cmake --build {build} --target {name}"
    return f"Build it: {root / 'go'}" if root else \
        "The wheel has no native programs: install Halocline with your MPI (docs/packages.md), and set HALOCLINE_HOME to its prefix"


def needs_loader(program: pathlib.Path) -> bool:
    """Whether a file is a program that the dynamic loader starts. A static one would run, whatever LD_TRACE_LOADED_OBJECTS says."""
    with program.open("rb") as file:
        head = file.read(64)
        if len(head) < 64 or head[:6] != b"\x7fELF\x02\x01":
            return False
        start, size, count = *struct.unpack_from("<Q", head, 32), *struct.unpack_from("<HH", head, 54)
        file.seek(start)
        table = file.read(size * count)
    return any(table[at:at + 4] == struct.pack("<I", PT_INTERP) for at in range(0, len(table), max(1, size)))


def mpi_of(program: pathlib.Path) -> pathlib.Path | None:
    """The library of MPI that the loader gives a program, which does not run; None for a script, a static program, or one without MPI."""
    environment = {**os.environ, "LD_TRACE_LOADED_OBJECTS": "1"}
    environment.pop("LD_PRELOAD", None)
    if not needs_loader(program):
        return None
    # A path has lost its "./", and a name without a folder would be looked for on the PATH.
    answer = subprocess.run([program.absolute()], env=environment, capture_output=True, text=True, check=False).stdout
    for line in answer.splitlines():
        name, arrow, path = line.strip().partition(" => ")
        if arrow and _mpi_names.is_mpi(name) and path.startswith("/"):
            return pathlib.Path(path.split(" (")[0])
    return None


def mpiexec_of(program: pathlib.Path) -> str:
    """The mpiexec of the program's MPI: MPIEXEC, else in a bin/ near its library, else on the PATH, else beside the program."""
    library = mpi_of(program)
    special = "mpiexec.openmpi" if library and _mpi_names.variant_of(library.name) == "openmpi" else "mpiexec.mpich"
    if os.environ.get("MPIEXEC"):
        return os.environ["MPIEXEC"]
    for folder in list(library.parents)[:MOST_FOLDERS_UP] if library else []:
        # Open MPI takes the folder above for its prefix, and refuses "/": /bin is a link to /usr/bin.
        programs = (folder / "bin").resolve()
        for name in (special, "mpiexec"):
            if os.access(programs / name, os.X_OK):
                return str(programs / name)
    beside = program.absolute().parent
    found = shutil.which("mpiexec") or shutil.which("mpiexec", path=beside)
    return found or missing(f"no mpiexec near the program's MPI, on the PATH or in {beside}; set MPIEXEC or --launcher to one")


def family_of(mpiexec: str) -> str:
    """openmpi, intel or mpich, as the launcher itself says."""
    done = subprocess.run([mpiexec, "--version"], capture_output=True, text=True, check=False)
    text = (done.stdout + done.stderr).lower()
    if any(name in text for name in ("open mpi", "openrte", "prrte")):
        return "openmpi"
    return "intel" if "intel" in text else "mpich"


def open_mpi_flags(hosts: Sequence[str], ranks: int, environment: Mapping[str, str]) -> list[str]:
    """Open MPI refuses root, and more ranks than cores, unless it is asked. It hands on only the variables that are named."""
    flags = ["--oversubscribe", *(["--allow-run-as-root"] if os.geteuid() == 0 else [])]
    each = -(-ranks // max(1, len(hosts)))
    flags += ["--host", ",".join(host if ":" in host else f"{host}:{each}" for host in hosts)] if hosts else []
    names = sorted({*os.environ, *environment})
    return flags + [word for name in names if name.startswith("HALOCLINE_") for word in ("-x", name)]


def launcher(mpiexec: str, ranks: int, hosts: Sequence[str] = (), environment: Mapping[str, str] | None = None) -> list[str]:
    """The launcher with the flags that its MPI wants. environment: variables that it gets beside those that are set."""
    if family_of(mpiexec) == "openmpi":
        return [mpiexec, *open_mpi_flags(hosts, ranks, environment or {}), "-n", str(ranks)]
    return [mpiexec, *(["-hosts", ",".join(hosts)] if hosts else []), "-n", str(ranks)]


def command(program: pathlib.Path, ranks: int, words: Sequence[object] = (), hosts: Sequence[str] = (), *,
            environment: Mapping[str, str] | None = None) -> list[str]:
    """The whole command line that starts a program on so many ranks."""
    return [*launcher(mpiexec_of(program), ranks, hosts, environment), str(program), *map(str, words)]


def become(words: Sequence[str]) -> NoReturn:
    """Ends this process, and goes on as that command: it gets the signals and the terminal, and its exit code is that of `halocline`."""
    sys.stdout.flush()
    sys.stderr.flush()
    # Python ignores it, and a program would inherit that.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        os.execvp(words[0], list(words))
    except OSError as why:
        raise Failure(f"{words[0]}: {why.strerror}", Exit.MISSING) from why


def end(process: "subprocess.Popen[str]") -> None:
    """Ends a process that leads a session, and what it has started there. Launchers end their ranks when they are asked to end."""
    with contextlib.suppress(ProcessLookupError, subprocess.TimeoutExpired):
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(GRACE_S)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


@contextlib.contextmanager
def ended_by_signals() -> Iterator[None]:
    """Inside, SIGTERM and SIGHUP end this process as an exception does, with what a shell calls their exit code."""
    def leave(number: int, _: FrameType | None) -> None:
        raise SystemExit(128 + number)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, leave) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def communicate(process: "subprocess.Popen[str]", timeout_s: float) -> "subprocess.CompletedProcess[str]":
    """What a process that leads a session prints until its end. It does not outlive this: neither a limit of time, nor an interrupt."""
    try:
        out, errors = process.communicate(timeout=timeout_s)
    except BaseException:
        end(process)
        raise
    code = process.returncode
    return subprocess.CompletedProcess(process.args, 128 - code if code < 0 else code, out, errors)


def capture(words: Sequence[str], timeout_s: float, environment: Mapping[str, str] | None = None) -> "subprocess.CompletedProcess[str]":
    """Runs a command to its end and returns what it printed; fails if it does not end in time. The exit code is that of a shell."""
    try:
        with ended_by_signals(), subprocess.Popen(
                words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True, start_new_session=True,
                env={**os.environ, **(environment or {})}) as process:
            return communicate(process, timeout_s)
    except subprocess.TimeoutExpired as late:
        raise Failure(f"{pathlib.Path(words[0]).name}: no end within {timeout_s:.0f} s: {' '.join(words)}") from late
    except OSError as why:
        raise Failure(f"{words[0]}: {why.strerror}", Exit.MISSING) from why


def output_of(words: Sequence[str], timeout_s: float, good: tuple[int, ...] = (0,), environment: Mapping[str, str] | None = None) -> str:
    """As capture; fails unless the exit code is a good one."""
    done = capture(words, timeout_s, environment)
    if done.returncode not in good:
        said = (done.stderr.strip() or done.stdout.strip() or "it printed nothing").splitlines()[-12:]
        raise Failure("\n".join([f"exit code {done.returncode} of: {' '.join(words)}", *said]))
    return done.stdout


def cores() -> int:
    return len(os.sched_getaffinity(0))
