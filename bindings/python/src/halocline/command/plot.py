"""halocline plot: pictures of results, in a file or in the terminal.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import json
import pathlib
from typing import TYPE_CHECKING

from halocline.command import card as cards
from halocline.command import files, native, trace, words
from halocline.command.options import Subparsers, add_command, positive
from halocline.command.status import Exit, Failure
from halocline.command.words import Json, listed

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import RenderableType

DETAILS = """Without --output the picture is drawn as text in the terminal.

What is drawn, and of which file:

  modes     time per swap by mode, with the physical limit    bench halo --json
  curves    latency or bandwidth, fits and switch points      model --json
  winners   which mode is the fastest, bytes by neighbours    a machine card, or model --json
  scaling   time over ranks, with the line of the model       model --json
  matrix    bytes between ranks                               a folder of HALOCLINE_TRACE
  timeline  epochs, waits and the critical path               a folder of HALOCLINE_TRACE"""
TRACE_TIMEOUT_S = 300


def add(subparsers: Subparsers) -> None:
    parser = add_command(subparsers, "plot", "draws results as a picture, or in the terminal", run, DETAILS)
    parser.add_argument("what", choices=("modes", "curves", "winners", "scaling", "matrix", "timeline"), help="the kind of picture")
    parser.add_argument("file", type=pathlib.Path, help="the result, the card, or the folder of traces")
    parser.add_argument("-o", "--output", type=pathlib.Path, metavar="PICTURE", help="file to write: .svg, .png, .pdf; a timeline as .svg")
    parser.add_argument("--operation", help="of curves and scaling: this one (put + flush, and halo)")
    parser.add_argument("--bandwidth", action="store_true", help="of curves: GB/s instead of microseconds, with --operation")
    parser.add_argument("--last-swaps", type=positive, metavar="N", help="of a timeline: the last N swaps")
    parser.add_argument("--build", type=pathlib.Path, metavar="DIR", help="a build folder, whose programs are taken")


# Which pictures have an option.
OF = {"operation": ("curves", "scaling"), "bandwidth": ("curves",), "last_swaps": ("timeline",), "build": ("matrix", "timeline")}


def refuse_ignored(options: argparse.Namespace) -> None:
    """Options that would have no effect."""
    for name, pictures in OF.items():
        if getattr(options, name) and options.what not in pictures:
            raise Failure(f"--{name.replace('_', '-')} has no effect on {options.what}: it is for {listed(list(pictures))}", Exit.USAGE)
    if options.bandwidth and not options.operation:
        raise Failure("--bandwidth draws one operation: name it by --operation", Exit.USAGE)


def check_output(options: argparse.Namespace) -> None:
    """Fails if the file to write has no suffix of a picture that can be written."""
    known = ["svg"]
    if options.what != "timeline":
        from matplotlib.backend_bases import FigureCanvasBase

        known = sorted(FigureCanvasBase.get_supported_filetypes())
    suffix = options.output.suffix.lower().removeprefix(".")
    if suffix not in known:
        has = f"ends in .{suffix}" if suffix else "has no suffix"
        raise Failure(f"--output {options.output} {has}; the kinds that can be written: {listed(known)}", Exit.USAGE)


def traced(options: argparse.Namespace, *words: str) -> Json:
    """What halocline-trace says about a folder."""
    last = ["--last-swaps", str(options.last_swaps)] if options.last_swaps else []
    command = trace.command(options.file, ["--json", *last, *words], options.build)
    done = native.capture(command, TRACE_TIMEOUT_S)
    if done.returncode:
        said = (done.stderr.strip() or "it printed nothing").splitlines()[-1].removeprefix("halocline-trace: ")
        raise Failure(f"{options.file} has no trace that halocline-trace can read: {said}", Exit.USAGE)
    found: Json = json.loads(done.stdout)
    return found


def figure_of(options: argparse.Namespace) -> "Figure | None":
    from halocline.command.pictures import curves, matrix, modes, scaling, winners

    if options.what == "modes":
        return modes.figure([files.need(files.read(options.file), ("modes", "limit", "problem"), "halocline-bench halo")])
    if options.what == "winners":
        return winners.figure(cards.read(options.file))
    if options.what == "matrix":
        return matrix.figure(traced(options, "--no-files"))
    report = files.need(files.read(options.file), ("curves", "rows"), "halocline-bench model")
    if options.what == "scaling":
        return scaling.figure(report, options.operation or "halo")
    return curves.single(report, options.operation, options.bandwidth) if options.operation else curves.figure(report)


def write(options: argparse.Namespace) -> None:
    if options.what == "timeline":
        traced(options)
        options.output.write_text((options.file / "timeline.svg").read_text())
        print(options.output)
        return
    figure = figure_of(options)
    if figure is None:
        raise Failure(f"{options.file} has nothing of this kind to draw", Exit.USAGE)
    from halocline.command.pictures import look

    look.save(figure, options.output)


def curves_as_text(options: argparse.Namespace, operation: str) -> "RenderableType":
    """Points, fits and switch points of one operation over bytes, or over ranks."""
    from halocline.command import terminal

    report = files.need(files.read(options.file), ("curves", "rows"), "halocline-bench model")
    found = [curve for curve in report["curves"] if curve["operation"] == operation and len(curve["fit"]) > 1]
    if not found:
        names = sorted({curve["operation"] for curve in report["curves"] if len(curve["fit"]) > 1})
        raise Failure(f"{options.file} has no curve of '{operation}'; it has {', '.join(names)}", Exit.USAGE)
    unit = "ranks" if options.what == "scaling" else "bytes"

    def value(point: Json, key: str) -> float:
        return float(point["bytes"] / point[key] / 1000 if options.bandwidth and point[key] > 0 else point[key])

    series = {curve["by"]: sorted((float(point[unit]), value(point, "us"), value(point, "fitted_us")) for point in curve["fit"])
              for curve in found}
    switches = {curve["by"]: cards.curve_of(curve).switches() for curve in found} if unit == "bytes" else {}
    return terminal.curve_panel(operation, unit, series, switches, terminal.gigabytes_per_second if options.bandwidth else words.time_of)


def text_of(options: argparse.Namespace) -> "RenderableType":
    from halocline.command import terminal

    if options.what == "modes":
        return terminal.modes(files.need(files.read(options.file), ("modes", "limit", "problem"), "halocline-bench halo"))
    if options.what == "winners":
        return winners_as_text(cards.read(options.file))
    if options.what == "matrix":
        found = traced(options, "--no-files")
        ranks, moved = found["ranks"], found["bytes"]
        return terminal.matrix(ranks, [[float(moved.get(str(a), {}).get(str(b), 0)) for b in ranks] for a in ranks])
    if options.what == "timeline":
        return terminal.lanes(traced(options, "--no-files", "--columns", "66"))
    return curves_as_text(options, options.operation or ("halo" if options.what == "scaling" else "put + flush"))


def winners_as_text(card: cards.Card) -> "RenderableType":
    from halocline.command import terminal
    from halocline.command.pictures import winners

    if not card.swaps():
        raise Failure(f"{card.source} has no curves of halo swaps", Exit.USAGE)
    return terminal.winners(winners.winners(card), winners.sizes_of(card), winners.NEIGHBOURS)


def run(options: argparse.Namespace) -> int:
    refuse_ignored(options)
    files.there(options.file)
    if options.output:
        check_output(options)
    with files.understood(options.file):
        if options.output:
            write(options)
        else:
            from halocline.command import terminal

            terminal.console().print(text_of(options))
    return 0
