#!/usr/bin/env python3
"""Runs the cloud model in some modes, in turn; writes one JSON file and, where matplotlib is, a picture of the time in swaps.

bench.py --build build/release
bench.py --build build/release --fake-nodes 2 --modes p2p,notify,notify_node

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import pathlib
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
    options = parser.parse_args()
    options.case = options.case or HERE / ("quick.nml" if options.short else "dycoms_rf01.nml")
    return options


def report_of(options):
    """One run of each mode per repeat. All modes must have equal fingerprints."""
    modes = options.modes.split(",")
    samples, prints = {mode: [] for mode in modes}, {}
    for _ in range(options.repeats or (3 if options.short else 5)):
        for mode in modes:
            output = runs.output_of(options, "cloud", options.case, "--mode", mode, "--steps", STEPS)
            samples[mode].append({"swaps_s": main_job.swap_ms(output) * 1e-3})
            prints[mode] = main_job.fingerprints(output)
    main_job.compare(prints)
    problem = {"case": options.case.stem, "steps": STEPS, "ranks": options.ranks}
    return {"problem": problem, "environment": runs.environment_of(options), "order": modes,
            "variants": {mode: {"checked": True, "samples": samples[mode]} for mode in modes}}


def main():
    options = arguments()
    report = report_of(options)
    for mode in report["order"]:
        print(f"{mode:<16} {statistics.median(s['swaps_s'] for s in report['variants'][mode]['samples']) * 1e3:.3f} ms per step")
    runs.keep(options, [report], HERE / "plot.py")


if __name__ == "__main__":
    main()
