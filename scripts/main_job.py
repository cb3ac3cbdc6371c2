#!/usr/bin/env python3
"""The main job of ./go: what the MPI gets right, a short bench, the cloud model in every mode, pictures and verdict; then the report.

Run by itself: main_job.py race --build build/release --results results [--short], then the same with report in place of race

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys
import time

import launch

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "bindings" / "python" / "src"))
from halocline.command import verdict as noise  # noqa: E402

RANKS = 2
TIMEOUT_S = 900
SHORT_SAYS = "A short run (./go --short): its times are rough."


@dataclasses.dataclass(frozen=True)
class Effort:
    """How long it measures: the cloud's steps, what the bench is told, and the seconds after which the model begins nothing more."""
    steps: int
    bench: tuple[object, ...]
    model_seconds: int
    remark: tuple[str, ...] = ()


FULL = Effort(steps=10, bench=(), model_seconds=15)
SHORT = Effort(steps=3, bench=("--repetitions", 5, "--warmups", 1, "--sample-ms", 2), model_seconds=1, remark=(SHORT_SAYS,))


class Failed(Exception):
    """The main job cannot end well; the text says why."""


def step(title, log, command, good=(0,)):
    """Runs a command with its output in a log, which can be read meanwhile, shows the title and the seconds, and returns the output. Only
    good exit statuses pass."""
    print(f"{title} ... ", end="", flush=True)
    began = time.monotonic()
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w") as file:
        try:
            run = subprocess.run(command, stdout=file, stderr=subprocess.STDOUT, timeout=TIMEOUT_S, check=False,
                                 env={**os.environ, "PYTHONPATH": str(ROOT / "bindings" / "python" / "src")})
        except subprocess.TimeoutExpired as late:
            raise Failed(f"{title}: no end after {TIMEOUT_S} s. Are other programs running? See {log}") from late
    said = log.read_text(errors="replace")
    if run.returncode not in good:
        print("failed", *said.splitlines()[-30:], sep="\n")
        raise Failed(f"{title}: exit status {run.returncode}, see {log}")
    print(f"{time.monotonic() - began:.1f} s")
    return said


def examine_mpi(build, results):
    """Returns a sentence about what halocline-doctor found. The bench reads its report, and leaves out the modes that it distrusts."""
    file = results / "doctor.json"
    file.unlink(missing_ok=True)
    command = launch.command(build, RANKS, "halocline-doctor", "--json", file)
    step("Doctor, what this MPI gets right", results / "log" / "doctor.log", command, good=(0, 1))
    report = json.loads(file.read_text())
    faults = [f"{probe['name']} {probe['outcome']}" for probe in report["probes"] if probe["outcome"] not in ("right", "lacks")]
    return f"doctor: {len(report['probes'])} probes of this MPI, {', '.join(faults) or 'nothing wrong'}."


def fingerprints(output):
    """Returns the lines "fingerprint FIELD HEX" of a cloud run as a dictionary."""
    lines = (line.split() for line in output.splitlines())
    return {words[1]: words[2] for words in lines if len(words) == 3 and words[0] == "fingerprint"}


def swap_ms(output):
    """Returns the milliseconds per step that a cloud run spent in swaps: the median of the line "all swaps"."""
    line = re.search(r"^ *all swaps +\S+ +([0-9.]+)", output, re.M)
    if not line:
        raise Failed('The cloud printed no line "all swaps"')
    return float(line[1])


def swap_spread_ms(output):
    """Returns the 10th and the 90th percentile of those milliseconds, over the steps."""
    line = re.search(r"^swaps of a step took ([0-9.]+) to ([0-9.]+) ms", output, re.M)
    if not line:
        raise Failed("The cloud printed no percentiles of its swaps")
    return [float(line[1]), float(line[2])]


def run_clouds(build, results, names, steps):
    """Runs the cloud in every mode. Returns the number of fields, equal bit by bit in all modes, and by mode the time in swaps and its
    spread."""
    found, swaps, spreads = {}, {}, {}
    for i, mode in enumerate(names, 1):
        arguments = ["apps/cloud/dycoms_rf01.nml", "--restart", "apps/cloud/dycoms_rf01.start", "--mode", mode, "--steps", steps]
        if mode == names[-1]:
            arguments += ["--output", results / "cloud.nc"]
        command = launch.command(build, RANKS, "cloud", *arguments)
        output = step(f"Cloud, {steps} steps, mode {mode} ({i} of {len(names)})", results / "log" / f"cloud-{mode}.log", command)
        found[mode], swaps[mode], spreads[mode] = fingerprints(output), swap_ms(output), swap_spread_ms(output)
    return compare(found), swaps, spreads


def compare(found):
    """Returns the number of fields if all modes agree on all their fingerprints, bit by bit."""
    reference_mode, reference = next(iter(found.items()))
    if not reference:
        raise Failed(f"The cloud in mode {reference_mode} printed no fingerprints")
    for mode, prints in found.items():
        if prints != reference:
            wrong = sorted(name for name in reference.keys() | prints.keys() if reference.get(name) != prints.get(name))
            raise Failed(f"The cloud in mode {mode} differs from mode {reference_mode} in {', '.join(wrong)}")
    return len(reference)


def run_bench(build, results, words):
    """Races all modes and returns the bench's numbers by row: those of the modes, and of the swap that is written by hand."""
    file = results / "halo.json"
    file.unlink(missing_ok=True)
    asked = ["--modes", "all,auto", "--doctor", results / "doctor.json", "--json", file, *words]
    step("Bench, all modes interleaved", results / "log" / "bench.log", launch.command(build, RANKS, "halocline-bench", "halo", *asked))
    report = json.loads(file.read_text())
    for mode, reason in report["skipped"].items():
        print(f"Mode {mode} is left out: {reason}")
    unverified = [name for name, row in report["modes"].items() if row.get("verified_cells", 0) <= 0]
    if unverified:
        raise Failed(f"The bench verified no cell in {', '.join(unverified)}, see {file}")
    return report["modes"]


def modes_of(found):
    """Returns the modes among the bench's rows, in the library's own order. No other list of modes is kept here."""
    return [name for name, row in found.items() if row["mode"]]


def make_report(build, results, seconds):
    """Measures operations and model, and writes report.html if the private Python can."""
    for old in ("info.json", "model.json", "trace.json", "report.html"):
        (results / old).unlink(missing_ok=True)
    command = [ROOT / ".venv" / "bin" / "python", "-m", "halocline.command", "tune", "--reuse", "--build", build, "-n", str(RANKS),
               "--output", results, "--seconds", str(seconds), "--no-card"]
    try:
        # It ends with 1 where the doctor distrusts a mode, or a step is left out, and then has a report nevertheless.
        step("Operations, their model, and the report", results / "log" / "report.log", command, good=(0, 1))
    except (Failed, OSError) as why:
        print(f"No report.html: {why}")
    if not (results / "report.html").is_file():
        print(f"No report.html, see {results / 'log' / 'report.log'}")


def draw(results):
    """Draws the pictures if the private Python can."""
    python = ROOT / ".venv" / "bin" / "python"
    jobs = {"halo.png": ["tools/command/halocline", "plot", "modes", results / "halo.json", "-o"],
            "cloud.png": ["apps/cloud/slice.py", results / "cloud.nc", "--output"]}
    for picture, (script, *arguments) in jobs.items():
        (results / picture).unlink(missing_ok=True)
        try:
            step(f"Picture {picture}", results / "log" / f"{picture}.log", [python, ROOT / script, *arguments, results / picture])
        except (Failed, OSError) as why:
            print(f"No {picture}: {why}")


def label(name, row):
    """Returns the name of a row, with the mode that it has chosen if that is another."""
    return f"{name} ({row['mode']})" if row["mode"] not in (None, name) else name


def table(found, swaps):
    """Returns the numbers of bench and cloud as lines of text."""
    lines = [f"{'mode':<18} {'one swap':>10} {'p10':>10} {'p90':>10} {'against p2p':>12} {'cells verified':>15} "
             f"{'cloud: swaps per step':>22}"]
    for mode, row in found.items():
        times = " ".join(f"{row[key]:>7.1f} us" for key in ("median_us", "p10_us", "p90_us"))
        cloud = f"{swaps[mode]:.1f} ms" if mode in swaps else ""
        line = f"{label(mode, row):<18} {times} {row['ratio_to_p2p']:>10.2f} x {row.get('verified_cells', 0):>15,} {cloud:>22}"
        lines.append(line.rstrip())
    if any(label(name, row) != name for name, row in found.items()):
        lines.append("auto names the mode that it had chosen before it was timed; the cloud's steps include its trial")
    limits = [row["limit_us"] for row in found.values() if row.get("limit_us")]
    if limits:
        lines.append(f"{'(plain copy)':<18} {min(limits):>7.1f} us   same cells, one core, plus the hand-over of one cache line")
    return lines


def verdict(fields, names, found):
    """Returns what sums up the run: a sentence, or two where the times spread too much to compare modes."""
    cells = sum(found[mode]["verified_cells"] for mode in names)
    best = "direct" if "direct" in names else max(names, key=lambda mode: found[mode]["ratio_to_p2p"])
    ratio = found[best]["ratio_to_p2p"]
    comparison = f"{ratio:.1f} times faster" if ratio >= 1 else f"{1 / ratio:.1f} times slower"
    verified = f"{fields} fields, {len(names)} modes, all {cells:,} cells verified"
    if not noise.is_decided(found, best):
        return f"{verified}. {noise.TOO_BUSY}"
    return f"{verified}, {best} is {comparison} than MPI point-to-point."


def race(build, results, effort):
    """Compares the modes, draws the pictures, and prints the verdict and the table, which summary.txt keeps."""
    health = examine_mpi(build, results)
    found = run_bench(build, results, effort.bench)
    names = modes_of(found)
    fields, swaps, spreads = run_clouds(build, results, names, effort.steps)
    draw(results)
    (results / "cloud.json").write_text(json.dumps({"fields": fields, "swaps_ms": swaps, "swaps_p10_p90_ms": spreads}))
    bitwise = f"The cloud's fingerprints are bitwise equal in all {len(names)} modes."
    summary = [verdict(fields, names, found), bitwise, health, *effort.remark, "", *table(found, swaps)]
    (results / "summary.txt").write_text("\n".join(summary) + "\n")
    print("", *summary, "", sep="\n")


def report(build, results, effort):
    """Makes the report of what race has left, and says what there is."""
    make_report(build, results, effort.model_seconds)
    print("Programs of this build are started by:", *launch.command(build, 2, "PROGRAM"))
    if (results / "report.html").is_file():
        print(f"The report, for a browser: {results / 'report.html'}")
    names = ("summary.txt", "halo.json", "doctor.json", "cloud.nc", "halo.png", "cloud.png", "report.html")
    print(f"In {results}/: {', '.join(name for name in names if (results / name).is_file())}, log/")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=("race", "report"))
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--results", type=pathlib.Path, default=pathlib.Path("results"))
    parser.add_argument("--short", action="store_true", help="fewer steps and samples: to see that all works")
    options = parser.parse_args()
    options.results.mkdir(parents=True, exist_ok=True)
    try:
        part = race if options.part == "race" else report
        part(options.build, options.results, SHORT if options.short else FULL)
    except Failed as why:
        sys.exit(f"\n{why}")
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
