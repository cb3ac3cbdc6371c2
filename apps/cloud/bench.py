#!/usr/bin/env python3
"""Runs the cloud model in some modes, in turn; writes one JSON file and, where matplotlib is, a picture of the time in swaps.

bench.py --build build/release
bench.py --build build/release --fake-nodes 2 --modes p2p,notify,notify_node
bench.py --build build/release --ranks 16 --local 16,16 8,8    # weak scaling: on 1 rank, 2, 4 and so on, each with so many columns

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import pathlib
import re
import statistics
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "common"), str(HERE.parents[1] / "scripts")]
import main_job  # noqa: E402
import runs  # noqa: E402

MODES = "p2p,fence,pscw,passive,notify,direct"
STEPS = 5


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    runs.add_options(parser, "cloud")
    parser.add_argument("--modes", default=MODES)
    parser.add_argument("--case", type=pathlib.Path, help="namelist (dycoms_rf01.nml, with --short quick.nml)")
    parser.add_argument("--local", nargs="+", help="columns per rank, such as 16,16: a sweep over the ranks for each")
    options = parser.parse_args()
    options.case = options.case or HERE / ("quick.nml" if options.short else "dycoms_rf01.nml")
    return options


def sample_of(output):
    """Seconds of a step and of its swaps, medians."""
    step = re.search(r"^ *whole step +([0-9.]+)", output, re.M)
    if not step:
        raise main_job.Failed('The cloud printed no line "whole step"')
    return {"total_s": float(step[1]) * 1e-3, "swaps_s": main_job.swap_ms(output) * 1e-3}


def report_of(options, local=None):
    """One run of each mode per repeat. All modes must have equal fingerprints."""
    modes = options.modes.split(",")
    words = [options.case, "--steps", STEPS, *(["--local", local] if local else [])]
    samples, prints = {mode: [] for mode in modes}, {}
    for _ in range(options.repeats or (3 if options.short else 5)):
        for mode in modes:
            output = runs.output_of(options, "cloud", *words, "--mode", mode)
            samples[mode].append(sample_of(output))
            prints[mode] = main_job.fingerprints(output)
    main_job.compare(prints)
    problem = {"case": options.case.stem, "steps": STEPS, "ranks": options.ranks, "local": local}
    return {"problem": problem, "environment": runs.environment_of(options), "order": modes,
            "variants": {mode: {"checked": True, "samples": samples[mode]} for mode in modes}}


def sweep_of(options):
    """One report, or with --local one for each number of columns and ranks."""
    if not options.local:
        return [report_of(options)]
    most, sweep = options.ranks, []
    for local in options.local:
        options.ranks = most
        sweep += [report_of(options, local) for _ in runs.doubled_ranks(options)]
    return sweep


def main():
    options = arguments()
    sweep = sweep_of(options)
    for report in sweep:
        problem = report["problem"]
        if problem["local"]:
            print(f"{problem['ranks']} ranks of {problem['local'].replace(',', ' x ')} columns")
        for mode in report["order"]:
            median = statistics.median(sample["swaps_s"] for sample in report["variants"][mode]["samples"])
            print(f"{mode:<16} {median * 1e3:.3f} ms per step")
    runs.keep(options, sweep, HERE / "plot.py")


if __name__ == "__main__":
    main()
