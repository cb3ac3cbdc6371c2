#!/usr/bin/env python3
"""The main job of ./go: what the MPI gets right, the cloud model in every mode, a short bench, the pictures, the verdict and the report.

Run by itself: main_job.py --build build/release --results results

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import ctypes
import json
import os
import pathlib
import re
import subprocess
import sys
import time

import launch

ROOT = pathlib.Path(__file__).resolve().parent.parent
RANKS = 2
STEPS = 10
TIMEOUT_S = 300
MODEL_SECONDS = 15


class Failed(Exception):
    """The main job cannot end well; the text says why."""


def modes(build):
    """Returns the names of the modes that can race, in the library's own order: all but view, whose swaps are those of mode direct."""
    library = ctypes.CDLL(str(pathlib.Path(build).resolve() / "lib" / "libhalocline.so"))
    library.hlc_mode_name.restype = ctypes.c_char_p
    names = []
    while (name := library.hlc_mode_name(len(names) + 1).decode()) != "unknown":
        names.append(name)
    return [name for name in names if name != "view"]


def step(title, log, command, good=(0,)):
    """Runs a command with its output in a log, shows the title and the seconds, and returns the output. Only good exit statuses pass."""
    print(f"{title} ... ", end="", flush=True)
    began = time.monotonic()
    log.parent.mkdir(parents=True, exist_ok=True)
    try:
        run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT_S, check=False,
                             env={**os.environ, "PYTHONPATH": str(ROOT / "bindings" / "python" / "src")})
    except subprocess.TimeoutExpired as late:
        log.write_bytes(late.stdout or b"")
        raise Failed(f"{title}: no end after {TIMEOUT_S} s, see {log}") from late
    log.write_text(run.stdout)
    if run.returncode not in good:
        print("failed", *run.stdout.splitlines()[-30:], sep="\n")
        raise Failed(f"{title}: exit status {run.returncode}, see {log}")
    print(f"{time.monotonic() - began:.1f} s")
    return run.stdout


def examine_mpi(build, results, names):
    """Returns a sentence about what halocline-doctor found, and the modes that can be trusted with this MPI, told if they are not all."""
    file = results / "doctor.json"
    file.unlink(missing_ok=True)
    command = launch.command(build, RANKS, "halocline-doctor", "--json", file)
    step("Doctor, what this MPI gets right", results / "log" / "doctor.log", command, good=(0, 1))
    report = json.loads(file.read_text())
    faults = [f"{probe['name']} {probe['outcome']}" for probe in report["probes"] if probe["outcome"] not in ("right", "lacks")]
    trusted = []
    for name in names:
        verdict = report["modes"].get(name, {"verdict": "right"})
        if verdict["verdict"] in ("right", "untested"):
            trusted.append(name)
        else:
            print(f"Mode {name} is left out: {verdict['verdict']}, {verdict.get('reason', '')}")
    return f"doctor: {len(report['probes'])} probes of this MPI, {', '.join(faults) or 'nothing wrong'}.", trusted


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


def run_clouds(build, results, names):
    """Runs the cloud in every mode. Returns the number of fields, equal bit by bit in all modes, and by mode the time in swaps and its
    spread."""
    found, swaps, spreads = {}, {}, {}
    for i, mode in enumerate(names, 1):
        arguments = ["apps/cloud/dycoms_rf01.nml", "--mode", mode, "--steps", STEPS]
        if mode == names[-1]:
            arguments += ["--output", results / "cloud.nc"]
        command = launch.command(build, RANKS, "cloud", *arguments)
        output = step(f"Cloud, {STEPS} steps, mode {mode} ({i} of {len(names)})", results / "log" / f"cloud-{mode}.log", command)
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


def run_bench(build, results, names):
    """Races all modes and returns the bench's numbers by mode. Every mode must have verified cells."""
    file = results / "halo.json"
    file.unlink(missing_ok=True)
    step("Bench, all modes interleaved", results / "log" / "bench.log",
         launch.command(build, RANKS, "halocline-bench", "halo", "--json", file))
    found = json.loads(file.read_text())["modes"]
    for mode in names:
        if found.get(mode, {}).get("verified_cells", 0) <= 0:
            raise Failed(f"The bench verified no cell in mode {mode}, see {file}")
    return found


def make_report(build, results, cloud):
    """Measures operations and model, and writes report.html if the private Python can. Returns its name in a list, or none."""
    for old in ("info.json", "model.json", "trace.json", "report.html"):
        (results / old).unlink(missing_ok=True)
    (results / "cloud.json").write_text(json.dumps(cloud))
    command = [ROOT / ".venv" / "bin" / "python", "-m", "halocline.command", "tune", "--reuse", "--build", build, "-n", str(RANKS),
               "--output", results, "--seconds", str(MODEL_SECONDS), "--no-card"]
    try:
        # It ends with 1 where the doctor distrusts a mode, or a step is left out, and then has a report nevertheless.
        step("Operations, their model, and the report", results / "log" / "report.log", command, good=(0, 1))
    except (Failed, OSError) as why:
        print(f"No report.html: {why}")
    if not (results / "report.html").is_file():
        print(f"No report.html, see {results / 'log' / 'report.log'}")
    return [name for name in ("report.html",) if (results / name).is_file()]


def draw(results):
    """Draws the pictures if the private Python can; returns those there are."""
    python = ROOT / ".venv" / "bin" / "python"
    jobs = {"halo.png": ["tools/bench/plot.py", results / "halo.json"],
            "cloud.png": ["apps/cloud/slice.py", results / "cloud.nc", "--output"]}
    drawn = []
    for picture, (script, *arguments) in jobs.items():
        try:
            step(f"Picture {picture}", results / "log" / f"{picture}.log", [python, ROOT / script, *arguments, results / picture])
            drawn.append(picture)
        except (Failed, OSError) as why:
            print(f"No {picture}: {why}")
    return drawn


def table(found, swaps):
    """Returns the numbers of bench and cloud as lines of text."""
    lines = [f"{'mode':<14} {'one swap':>10} {'p10':>10} {'p90':>10} {'against p2p':>12} {'cells verified':>15} "
             f"{'cloud: swaps per step':>22}"]
    for mode, row in found.items():
        times = " ".join(f"{row[key]:>7.1f} us" for key in ("median_us", "p10_us", "p90_us"))
        cloud = f"{swaps[mode]:.1f} ms" if mode in swaps else ""
        lines.append(f"{mode:<14} {times} {row['ratio_to_p2p']:>10.2f} x {row.get('verified_cells', 0):>15,} {cloud:>22}".rstrip())
    limits = [row["limit_us"] for row in found.values() if row.get("limit_us")]
    if limits:
        lines.append(f"{'(plain copy)':<14} {min(limits):>7.1f} us   of the same cells, by one core, and one cache line handed over")
    return lines


def verdict(fields, names, found):
    """Returns the one sentence that sums up the run."""
    cells = sum(found[mode]["verified_cells"] for mode in names)
    ratio = found["direct"]["ratio_to_p2p"]
    comparison = f"{ratio:.1f} times faster" if ratio >= 1 else f"{1 / ratio:.1f} times slower"
    return f"{fields} fields, {len(names)} modes, all {cells:,} cells verified, direct is {comparison} than MPI point-to-point."


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--results", type=pathlib.Path, default=pathlib.Path("results"))
    options = parser.parse_args()
    options.results.mkdir(parents=True, exist_ok=True)
    try:
        health, names = examine_mpi(options.build, options.results, modes(options.build))
        fields, swaps, spreads = run_clouds(options.build, options.results, names)
        found = run_bench(options.build, options.results, names)
    except Failed as why:
        sys.exit(f"\n{why}")
    except KeyboardInterrupt:
        sys.exit(130)
    drawn = draw(options.results)
    written = make_report(options.build, options.results, {"fields": fields, "swaps_ms": swaps, "swaps_p10_p90_ms": spreads})
    bitwise = f"The cloud's fingerprints are bitwise equal in all {len(names)} modes."
    summary = [verdict(fields, names, found), bitwise, health, "", *table(found, swaps)]
    (options.results / "summary.txt").write_text("\n".join(summary) + "\n")
    print("", *summary, "", sep="\n")
    print("Programs of this build are started by:", *launch.command(options.build, 2, "PROGRAM"))
    if written:
        print(f"The report, for a browser: {options.results / 'report.html'}")
    print(f"In {options.results}/: summary.txt, halo.json, doctor.json, cloud.nc{''.join(', ' + name for name in drawn + written)}, log/")


if __name__ == "__main__":
    main()
