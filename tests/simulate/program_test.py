#!/usr/bin/env python3
"""halocline-simulate as a program: its report, the same bytes twice, refusals, and the picture.

program_test.py HALOCLINE_SIMULATE

SPDX-License-Identifier: BSD-3-Clause
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
CARD = ROOT / "share" / "halocline" / "default_card.json"


def run(*words):
    # Not as text: the carriage returns of a line that is written anew would become line ends.
    done = subprocess.run([sys.argv[1], *map(str, words)], capture_output=True, check=False, timeout=60)
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def report_of(folder, name, *words):
    file = folder / name
    done = run("--card", CARD, "--most-ranks", 512, "--experiment", "weak,synchronisation", "--json", file, *words)
    assert done.returncode == 0, done.stderr
    return file.read_text()


def check_report(report):
    assert report["schema"] == "halocline-simulation/1"
    assert [figure["name"] for figure in report["figures"]] == ["weak", "fence", "pscw", "pscw_neighbours"]
    for figure in report["figures"]:
        assert all(series["points"] for series in figure["series"]), figure["name"]
        assert any(series["origin"] == "simulated" for series in figure["series"]), figure["name"]


def check_numbers_of_ranks():
    """The most ranks need be no power of two."""
    for most in (2, 3, 48, 100):
        done = run("--card", CARD, "--most-ranks", most, "--experiment", "motifs")
        assert done.returncode == 0 and "reduce_scatter" in done.stdout, (most, done.returncode, done.stderr)


def check_spread(folder):
    file = folder / "spread.json"
    done = run("--card", CARD, "--most-ranks", 64, "--experiment", "infiniband,motifs", "--spread", 2, "--json", file)
    assert done.returncode == 0 and "Findings under delays" in done.stdout, done.stderr
    spread = json.loads(file.read_text())["spread"]
    assert spread and all(len(one["under"]) == 5 and one["under"][0]["seeds"] == 2 for one in spread), spread


def check_progress():
    """On stderr, so that the tables stay as they are."""
    words = ("--card", CARD, "--most-ranks", 64, "--experiment", "weak,atomics")
    silent, told = run(*words), run(*words, "--progress")
    assert silent.stdout == told.stdout and silent.stderr == "", silent.stderr
    for words in ("\rweak (1 of 2) ", "\ratomics (2 of 2) ", "simulations done"):
        assert words in told.stderr, repr(told.stderr)


def check_refusals():
    for words in (["--experiment", "telepathy"], ["--card", "/does/not/exist"], ["--latency-us", "-1"], ["--noise-shape", "pink"],
                  ["--check", "/does/not/exist"]):
        done = run(*words)
        assert done.returncode == 2 and done.stderr, words


def check_picture(folder):
    # As ./go has it: the private Python, which has matplotlib.
    private = ROOT / ".venv" / "bin" / "python"
    python = private if private.exists() else sys.executable
    if subprocess.run([python, "-c", "import matplotlib"], capture_output=True, check=False).returncode != 0:
        print("no picture: there is no matplotlib")
        return
    plot = ROOT / "tests" / "simulate" / "plot.py"
    subprocess.run([python, plot, folder / "a.json", folder], check=True, capture_output=True, timeout=60)
    assert (folder / "simulation.png").stat().st_size > 1000


def main():
    os.environ["MPLCONFIGDIR"] = tempfile.gettempdir()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        first = report_of(folder, "a.json")
        check_report(json.loads(first))
        assert report_of(folder, "b.json") == first, "the same seed must give the same report"
        assert report_of(folder, "c.json", "--seed", 2) != first
        assert report_of(folder, "d.json", "--latency-us", 5) != first
        assert report_of(folder, "e.json", "--noise-shape", "even") != first
        check_numbers_of_ranks()
        check_spread(folder)
        check_progress()
        check_refusals()
        check_picture(folder)


if __name__ == "__main__":
    main()
