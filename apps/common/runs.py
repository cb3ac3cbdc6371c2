"""Runs of an app: once to its end, or once per size of a sweep, whose reports become one JSON file and a picture.

SPDX-License-Identifier: BSD-3-Clause
"""
import contextlib
import json
import os
import pathlib
import platform
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import launch  # noqa: E402

PRELOADED = ", preloaded"  # behind the name of a variant that libhalocline_mpi carries


def end_group(process):
    """Ends a process group, first politely."""
    for sign in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError, subprocess.TimeoutExpired):
            os.killpg(process.pid, sign)
            process.communicate(timeout=5)


def run_to_the_end(command, environment, timeout):
    """Runs a command in a process group of its own; where it does not end in time the whole group is ended and None returned.

    The group is also ended where this program is: by an exception, or by SIGTERM, as from another run_to_the_end. So launchers that an
    app's bench.py has started do not live on.
    """
    def end_here(*_):
        sys.exit("ended by SIGTERM")

    if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGTERM) == signal.SIG_DFL:
        signal.signal(signal.SIGTERM, end_here)
    with subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          start_new_session=True) as process:
        try:
            output, errors = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            end_group(process)
            return None
        except BaseException:
            end_group(process)
            raise
    return subprocess.CompletedProcess(command, process.returncode, output, errors)


def add_options(parser, name):
    """The options that the sweep of every app has."""
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--ranks", type=int, default=2, help="ranks to start (2)")
    parser.add_argument("--fake-nodes", type=int, default=1, help="treat them as this number of nodes (1)")
    parser.add_argument("--hosts", type=int, default=1, help="on this number of hosts, namespaces of this machine (1: on itself)")
    parser.add_argument("--long", action="store_true", help="more repeats and larger problems")
    parser.add_argument("--short", action="store_true", help="fewer and smaller problems, as ./go bench apps")
    parser.add_argument("--repeats", type=int, help="samples of each size (7, with --long 15; of fft and lattice more if they are small)")
    parser.add_argument("--realtime", action="store_true", help="with real-time priority, on a machine that is not quiet")
    parser.add_argument("--json", type=pathlib.Path, default=pathlib.Path(f"results/{name}.json"))
    parser.add_argument("--picture", type=pathlib.Path, help="file to draw (that of --json, as .png)")


def command_of(options, program, *words):
    """What launches a program of the build with the ranks and on the hosts of the options."""
    command = launch.command(options.build, options.ranks, program, *words)
    if options.hosts == 1:
        return command
    hosts = ROOT / "tests" / "hosts"
    return [str(hosts / "hosts"), "-n", str(options.hosts), str(hosts / "mpiexec.py"), *command]


def output_of(options, program, *words, timeout=900):
    """Runs a program of the build once, and returns what it printed."""
    command = command_of(options, program, *words)
    if options.realtime:
        command = ["chrt", "-f", "5", *command]
    done = run_to_the_end(command, os.environ | {"HALOCLINE_FAKE_NODES": str(options.fake_nodes)}, timeout)
    if done is None or done.returncode != 0:
        reason = f"exit status {done.returncode}\n{done.stdout}{done.stderr}" if done else f"no end within {timeout} s"
        sys.exit(f"{' '.join(command)}: {reason}")
    return done.stdout


def report_of(options, program, *words, timeout=900):
    """Runs a program of the build once with --repeats and --json, and returns what it wrote."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "report.json"
        repeats = options.repeats or (15 if options.long else 7)
        output_of(options, program, *words, "--repeats", repeats, "--json", file, timeout=timeout)
        return json.loads(file.read_text())


def mpi_of(build):
    """The MPI of a build in a few words, as its launcher tells it."""
    start, _ = launch.launcher(build)
    text = subprocess.run([start[0], "--version"], check=False, capture_output=True, text=True).stdout
    hydra = re.search(r"^\s*Version:\s*(\S+)", text, re.M)
    return f"MPICH {hydra[1]}" if "HYDRA" in text and hydra else " ".join(text.split("\n")[0].split())


def environment_of(options):
    """The machine and the MPI, for a program that writes no report of its own; named as in environment.cpp."""
    model = re.search(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
    system = platform.uname()
    return {"host": system.node, "kernel": f"{system.system} {system.release} {system.machine}", "cpu": model[1] if model else "unknown",
            "mpi": mpi_of(options.build), "cores": len(os.sched_getaffinity(0)), "ranks": options.ranks,
            "nodes": max(options.fake_nodes, options.hosts), "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}


def add_preloaded(options, report, program, words, some):
    """Adds variants on MPI RMA, in a launch of their own with libhalocline_mpi loaded. `some`: the option that chooses them, and names."""
    library = pathlib.Path(options.build).resolve() / "lib" / "libhalocline_mpi.so"
    if options.fake_nodes > 1:
        return
    if not library.exists():
        print(f"no variants with {library.name} preloaded: {library} is not there", flush=True)
        return
    option, names = some
    if option in words:
        at = words.index(option)
        words = words[:at] + words[at + 2:]
    path = pathlib.Path(options.build).resolve() / "bin" / program
    preloaded = report_of(options, "/usr/bin/env", f"LD_PRELOAD={library}", "HALOCLINE_MPI_STRICT=1", path, *words, option, ",".join(names))
    kind = "protocols" if "protocols" in report else "variants"
    for name in names:
        report["order"].append(name + PRELOADED)
        report[kind][name + PRELOADED] = preloaded[kind][name]


def doubled_ranks(options):
    """Sets --ranks to a rank per node or host, to twice as many, and so on up to --ranks, and yields each."""
    most, ranks = options.ranks, max(options.fake_nodes, options.hosts)
    while ranks <= most:
        options.ranks = ranks
        yield ranks
        ranks *= 2


def sweep_ranks(options, program, words, line_of, preloaded=None):
    """The reports of a rank per node or host, of twice as many, and so on up to --ranks; prints a line about each. `preloaded`: variants as
    add_preloaded has them."""
    sweep = []
    for _ in doubled_ranks(options):
        sweep.append(report_of(options, program, *words))
        if preloaded:
            add_preloaded(options, sweep[-1], program, words, preloaded)
        print(line_of(sweep[-1]), flush=True)
    return sweep


def python():
    """The private Python where it is, else this one."""
    private = ROOT / ".venv" / "bin" / "python"
    return private if private.exists() else sys.executable


def keep(options, sweep, script):
    """Writes a sweep to the file of --json, and has a script draw it, by the private Python where it is."""
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps({"sweep": sweep}))
    print(f"written: {options.json}")
    picture = options.picture or options.json.with_suffix(".png")
    command = [python(), script, options.json, picture]
    drawn = subprocess.run(command, check=False, capture_output=True, text=True)
    print(f"written: {picture}" if drawn.returncode == 0 else f"no picture: {(drawn.stderr.strip().splitlines() or ['failed'])[-1]}")
