#!/usr/bin/env python3
"""Ranks the methods of communication in every mini-app, beside what the papers gained: one table, one picture, one JSON file.

ranking.py --build build/release                  # every app, 5 launches of each in turn
ranking.py --apps cloud,pic --launches 2          # some of them

Each app has the size of its paper per rank (contests.py). Within a launch its variants take turns. A ratio is that of two medians of one
launch; shown are the median of the launches, the least and the most. Waiting is measured in launches of their own (HALOCLINE_SUMMARY).
Results go to RESULTS/ranking.json, .txt and .png; scripts/performance.py fill RESULTS writes them into docs.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import json
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "common"))
import contests  # noqa: E402
import placing  # noqa: E402
import runs  # noqa: E402
from bench import BUSY, share_of_others  # noqa: E402


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.set_defaults(fake_nodes=1, hosts=1, long=False)
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--ranks", type=int, default=2, help="ranks to start (2)")
    parser.add_argument("--realtime", action="store_true", help="with real-time priority, on a machine that is not quiet")
    parser.add_argument("--apps", help="some of " + ",".join(contests.NAMES))
    parser.add_argument("--launches", type=int, default=5, help="of each app (5)")
    parser.add_argument("--no-waits", action="store_true", help="without the launches that measure waiting")
    parser.add_argument("--results", type=pathlib.Path, default=pathlib.Path("results"))
    options = parser.parse_args()
    wanted = options.apps.split(",") if options.apps else contests.NAMES
    unknown = sorted(set(wanted) - set(contests.NAMES))
    if unknown:
        parser.error(f"--apps: there is no {', '.join(unknown)}; there are {', '.join(contests.NAMES)}")
    if options.launches < 1:
        parser.error(f"--launches has to be at least 1, not {options.launches}")
    return options, [contest for contest in contests.ALL if contest.app in wanted]


def measure(options, some):
    """The reports of all launches by app, the apps in turn; the apps that cannot run, and why; and the most that other programs used
    of the machine at any time."""
    reports, left_out, others = {contest.app: [] for contest in some}, {}, 0
    for launch in range(options.launches):
        for contest in some:
            others = max(others, share_of_others(0.5))
            began = time.monotonic()
            if contest.app in left_out:
                continue
            try:
                reports[contest.app].append(contests.report_of(contest, options, launch))
            except SystemExit as why:
                left_out[contest.app] = str(why).splitlines()[0]
            print(f"launch {launch + 1} of {options.launches}: {contest.app}, {time.monotonic() - began:.0f} s", flush=True)
    return reports, left_out, others


def main():
    options, some = arguments()
    options.results.mkdir(parents=True, exist_ok=True)
    reports, left_out, others = measure(options, some)
    some = [contest for contest in some if contest.app not in left_out]
    if not some:
        sys.exit(f"no app could run: {left_out}")
    rows = [placing.row_of(contest, reports[contest.app]) for contest in some]
    for contest, row in zip(some, rows):
        if not options.no_waits:
            placing.add_waits(row, contests.waits_of(contest, options, placing.played(row)))
    first = reports[some[0].app][0]
    found = {"format": 1, "others": others, "quiet": others < BUSY, "realtime": options.realtime, "launches": options.launches,
             "ranks": options.ranks, "environment": first["environment"], "rows": rows, "left_out": left_out}
    (options.results / "ranking.json").write_text(json.dumps(found, indent=1))
    text = placing.text_of(found)
    (options.results / "ranking.txt").write_text(text + "\n")
    print(f"\n{text}\n\nwritten: {options.results / 'ranking.json'}, {options.results / 'ranking.txt'}")
    picture = options.results / "ranking.png"
    drawn = subprocess.run([runs.python(), str(HERE / "ranking_plot.py"), str(options.results / "ranking.json"), str(picture)],
                           check=False, capture_output=True, text=True)
    print(f"written: {picture}" if drawn.returncode == 0 else f"no picture: {(drawn.stderr.strip().splitlines() or ['failed'])[-1]}")


if __name__ == "__main__":
    main()
