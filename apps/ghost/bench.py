#!/usr/bin/env python3
"""Sweeps the cells per rank, N^3 for even N, through all variants of ghost; writes one JSON file and, where matplotlib is, the three plots.

bench.py --build build/release                      # 2 ranks, N = 4 to 64
bench.py --build build/release --ranks 4 --fake-nodes 2 --stencil 27 --longest 32

Every run is compared with the serial run, bit by bit. The plots are those of Simmendinger et al., figures 12 to 14: performance per rank
of all, of the computation alone, and the bandwidth that the exchanges achieve.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import launch  # noqa: E402

ELEMENTS_PER_SAMPLE = 4_000_000
FEWEST_STEPS, MOST_STEPS = 4, 2000


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--ranks", type=int, default=2, help="ranks to start (2)")
    parser.add_argument("--fake-nodes", type=int, default=1, help="treat them as so many nodes (1)")
    parser.add_argument("--shortest", type=int, default=4, help="least N, even (4)")
    parser.add_argument("--longest", type=int, help="most N (64, with --long 128)")
    parser.add_argument("--long", action="store_true", help="more repeats and larger blocks")
    parser.add_argument("--stencil", type=int, choices=(7, 27), default=7)
    parser.add_argument("--vars", type=int, default=5, help="variables (5)")
    parser.add_argument("--repeats", type=int, help="samples of each variant and size (7, with --long 15)")
    parser.add_argument("--open", action="store_true", help="open sides instead of periodic ones")
    parser.add_argument("--realtime", action="store_true", help="with real-time priority, on a machine that is not quiet")
    parser.add_argument("--json", type=pathlib.Path, default=pathlib.Path("results/ghost.json"))
    parser.add_argument("--picture", type=pathlib.Path, help="file to draw (that of --json, as .png)")
    options = parser.parse_args()
    if options.shortest < 2 or options.shortest % 2:
        parser.error(f"--shortest has to be even and at least 2, not {options.shortest}")
    options.longest = options.longest or (128 if options.long else 64)
    options.repeats = options.repeats or (15 if options.long else 7)
    return options


def run(options, n):
    """Runs ghost with blocks of n^3 cells and returns what it wrote."""
    steps = min(max(ELEMENTS_PER_SAMPLE // (options.vars * n**3), FEWEST_STEPS), MOST_STEPS)
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "ghost.json"
        words = ["--local", n, "--vars", options.vars, "--stencil", options.stencil, "--steps", steps, "--repeats", options.repeats]
        words += ["--check", "--json", file] + ([] if options.open else ["--periodic"])
        command = (["chrt", "-f", "5"] if options.realtime else []) + launch.command(options.build, options.ranks, "ghost", *words)
        environment = os.environ | {"HALOCLINE_FAKE_NODES": str(options.fake_nodes)}
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, timeout=900, check=False)
        if done.returncode != 0:
            sys.exit(f"N = {n}: exit status {done.returncode}\n{done.stdout}")
        return json.loads(file.read_text())


def median(values):
    ordered = sorted(values)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2


def line_of(n, result):
    """One line about a size: Melements/s of each variant in all."""
    work = n**3 * result["problem"]["variables"] * result["problem"]["steps"] / 1e6
    rates = (work / median([s["total_s"] for s in result["variants"][name]["samples"]]) for name in result["order"])
    return f"{n:>4}^3  " + "  ".join(f"{rate:>8.1f}" for rate in rates)


def draw(options):
    """Draws with the private Python where it is, else with this one."""
    private = ROOT / ".venv" / "bin" / "python"
    python = private if private.exists() else sys.executable
    picture = options.picture or options.json.with_suffix(".png")
    command = [python, ROOT / "apps" / "ghost" / "plot.py", options.json, picture]
    drawn = subprocess.run(command, check=False, capture_output=True, text=True)
    print(f"written: {picture}" if drawn.returncode == 0 else f"no picture: {(drawn.stderr.strip().splitlines() or ['failed'])[-1]}")


def main():
    options = arguments()
    sweep = []
    for n in range(options.shortest, options.longest + 1, 2):
        result = run(options, n)
        if not sweep:
            print("Melements/s per rank, median:", ", ".join(result["order"]))
        print(line_of(n, result), flush=True)
        sweep.append(result)
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps({"sweep": sweep}))
    print(f"written: {options.json}")
    draw(options)


if __name__ == "__main__":
    main()
