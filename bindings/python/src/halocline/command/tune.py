"""halocline tune: tries the MPI, measures swaps and operations, fits the model, and recommends a mode.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import contextlib
import json
import pathlib
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from halocline.command import files, info, native, report, trace, verdict
from halocline.command.options import Subparsers, add_command, add_launch, cells, positive
from halocline.command.status import Exit, Failure

DETAILS = """It takes less than two minutes on a quiet machine, and keeps the machine card and the doctor's report,
which the library and the benchmarks then use. Everything it finds is in the folder of --output."""
TIMEOUT_S = 600
# Seconds that the steps take on a quiet machine with 2 cores: for the progress alone.
EXPECTED_S = {"info": 2, "doctor": 6, "halo": 20, "model": 45, "trace": 6, "report": 6}
MOST_MODEL_RANKS = 16


def add(subparsers: Subparsers) -> None:
    parser = add_command(subparsers, "tune", "all of it in under two minutes: the fastest mode here, and a report", run, DETAILS)
    add_launch(parser, None)
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("halocline-tune"), metavar="DIR",
                        help="folder for report and results (halocline-tune)")
    parser.add_argument("--local", type=cells, metavar="X,Y[,Z]", help="cells per rank of the swaps measured (those of halocline-bench)")
    parser.add_argument("--fields", type=positive, help="fields per swap")
    parser.add_argument("--depth", type=positive, help="halo cells on each side")
    parser.add_argument("--seconds", type=positive, default=35, help="begin no measurement for the model after this many seconds (35)")
    parser.add_argument("--no-card", action="store_true", help="keep no machine card for the library, only card.json in the folder")
    parser.add_argument("--reuse", action="store_true", help="take what the folder has, and measure what is missing")
    parser.add_argument("--quick", action="store_true", help="a few samples of small swaps: to see that all works")


class Tuning:
    """One run of tune: its options, and where things lie."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.folder: pathlib.Path = options.output
        self.ranks: int = options.ranks or max(2, native.cores())

    def bench(self, ranks: int, *words: object, environment: dict[str, str] | None = None) -> None:
        program = native.need_program("halocline-bench", self.options.build)
        command = native.command(program, ranks, words, self.options.hosts, environment=environment)
        native.output_of(command, TIMEOUT_S, environment=environment)

    def shape(self) -> list[object]:
        local = ",".join(map(str, self.options.local or ()))
        given = {"--local": local, "--fields": self.options.fields, "--depth": self.options.depth}
        if self.options.quick:
            given = {"--local": "8,8,16", "--fields": 1, "--depth": 1} | {key: value for key, value in given.items() if value}
        return [word for key, value in given.items() if value for word in (key, value)]

    def info(self) -> None:
        found = info.look(self.ranks, self.options.hosts, self.options.build)
        (self.folder / "info.json").write_text(json.dumps(found))

    def doctor(self) -> None:
        program = native.need_program("halocline-doctor", self.options.build)
        short = ["--only", "epochs/", "--no-drop-in"] if self.options.quick else []
        native.output_of(native.command(program, self.ranks, ["--json", self.folder / "doctor.json", *short], self.options.hosts),
                         TIMEOUT_S, good=(0, 1))

    def halo(self) -> None:
        rounds = 3 if self.options.quick else 25
        file = self.folder / "doctor.json"
        trusted = file if file.is_file() and files.read(file).get("complete") else "none"
        self.bench(self.ranks, "halo", *self.shape(), "--modes", "all,auto", "--repetitions", rounds, "--doctor", trusted,
                   "--json", self.folder / "halo.json")

    def model(self) -> None:
        ranks = 2 if self.options.quick else min(max(2, native.cores()), MOST_MODEL_RANKS)
        card = ["--card", self.folder / "card.json"] if self.options.quick or self.options.no_card else []
        seconds = 1 if self.options.quick else self.options.seconds
        self.bench(ranks, "model", "--seconds", seconds, *(["--repetitions", 3] if self.options.quick else []), *card,
                   "--json", self.folder / "model.json")

    def trace(self) -> None:
        """A few swaps of the fastest mode are traced, on ranks that have a core each."""
        traces = self.folder / "trace"
        shutil.rmtree(traces, ignore_errors=True)
        mode = verdict.of(files.read(self.folder / "halo.json")).mode
        self.bench(self.ranks, "halo", "--local", "16,16,32", "--fields", 2, "--modes", mode, "--repetitions", 3, "--doctor", "none",
                   environment={"HALOCLINE_TRACE": str(traces.resolve())})
        words = ["--json", "--width", "560", "--last-swaps", "3"]
        (self.folder / "trace.json").write_text(native.output_of(trace.command(traces, words, self.options.build), TIMEOUT_S))
        shutil.copyfile(traces / "timeline.svg", self.folder / "timeline.svg")

    def report(self) -> None:
        self.result = report.write(self.folder)


STEPS: dict[str, tuple[str, Callable[[Tuning], None]]] = {
    "info": ("Looking at MPI, transports and topology", Tuning.info),
    "doctor": ("Trying the MPI", Tuning.doctor),
    "halo": ("Measuring swaps in every mode", Tuning.halo),
    "model": ("Measuring operations, fitting the model", Tuning.model),
    "trace": ("Tracing a few swaps", Tuning.trace),
    "report": ("Drawing the report", Tuning.report),
}


@contextlib.contextmanager
def shown(screen: Any) -> Iterator[Callable[[str, float], None]]:
    """A bar with the time that is left; in a file a line per step."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    if not screen.is_terminal:
        yield lambda title, done: screen.print(f"{title} ...")
        return
    columns = (TextColumn("{task.description:<42}"), BarColumn(), TimeElapsedColumn(), TextColumn("left:"), TimeRemainingColumn())
    with Progress(*columns, console=screen) as progress:
        task = progress.add_task("", total=sum(EXPECTED_S.values()))
        yield lambda title, done: progress.update(task, description=title, completed=done)


def measure(tuning: Tuning, screen: Any) -> list[str]:
    """Runs all steps. One that fails without which there still is a report is named, and left out."""
    left_out, done = [], 0.0
    with shown(screen) as show:
        for name, (title, step) in STEPS.items():
            show(title, done)
            try:
                if not (tuning.options.reuse and (tuning.folder / f"{name}.json").is_file()):
                    step(tuning)
            except Failure as why:
                if name in ("halo", "report"):
                    raise
                left_out.append(f"{title}: {why}")
            done += EXPECTED_S[name]
    return left_out


def distrusted(folder: pathlib.Path) -> dict[str, str]:
    """Modes that the doctor found not to be right, with the reason."""
    file = folder / "doctor.json"
    return verdict.distrusted(files.read(file)) if file.is_file() else {}


def run(options: argparse.Namespace) -> int:
    from halocline.command import terminal

    began = time.monotonic()
    tuning, screen = Tuning(options), terminal.console()
    # Before earlier results go.
    if not (options.reuse and (tuning.folder / "halo.json").is_file()):
        native.need_program("halocline-bench", options.build)
    tuning.folder.mkdir(parents=True, exist_ok=True)
    for name in () if options.reuse else ("info", "doctor", "halo", "model", "trace"):
        (tuning.folder / f"{name}.json").unlink(missing_ok=True)
    left_out = measure(tuning, screen)
    target, said = tuning.result
    screen.print("", terminal.modes(files.read(tuning.folder / "halo.json")), "")
    screen.print(f"[bold]{said.headline}[/bold]", *said.advice, *said.reasons, sep="\n")
    for doubt in [*said.doubts, *left_out]:
        print(f"Note: {doubt}", file=sys.stderr)
    screen.print(f"\nReport: {target} ({time.monotonic() - began:.0f} s)")
    return Exit.WRONG if left_out or distrusted(tuning.folder) else Exit.GOOD
