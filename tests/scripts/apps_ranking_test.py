#!/usr/bin/env python3
"""Tests of apps/common/placing.py and contests.py: the best variant of a column, ratios launch by launch, both aims, the share of waiting.

Usage: apps_ranking_test.py FOLDER_OF_PLACING

SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib
import sys

from made import load, report

ENVIRONMENT = {"cpu": "a processor", "cores": 2, "kernel": "Linux 6.1 #1 x86_64", "mpi": "MPICH 5.0.2", "date": "2026-01-02T03"}
SUMMARY = """
halocline: swaps of 'even' (plan 1), mode direct (30 swaps), notify (2 swaps), by 2 ranks (HALOCLINE_SUMMARY)
halocline:   rank     swaps     MB sent  us least   us mean   us most   waits  ms awaited by others
halocline:      0        32       1.000      1.00     10.00     20.00    50.0%          1.000
halocline:      1        32       1.000      1.00     10.00     20.00     0.0%          1.000
halocline: swaps of plan 2, mode notify, by 2 ranks (HALOCLINE_SUMMARY)
halocline:   rank     swaps     MB sent  us least   us mean   us most   waits  ms awaited by others
halocline:      0        64       1.000      1.00     10.00     20.00   100.0%          1.000
"""


def launch(**communication):
    """A launch of 4 steps, with seconds of communication by variant; in all it takes 10 s more."""
    samples = {name: {"samples": [{"total_s": 4 * (10 + time), "communication_s": 4 * time}]} for name, time in communication.items()}
    return {"problem": {"steps": 4}, "environment": ENVIRONMENT, "variants": samples}


def outcomes(contests, placing):
    contest = contests.Contest("toy", "8 cells", "a step", (), {"p2p": ("p2p",), "MPI RMA": ("fence", "pscw"), "notify": ("notify",),
                               "auto": ("auto",)}, "nothing", per="steps")
    launches = [launch(p2p=8, fence=6, pscw=5, notify=2, auto=3), launch(p2p=8, fence=6, pscw=7, notify=4, auto=3),
                launch(p2p=8, fence=6, pscw=5, notify=5, auto=30)]
    row = placing.row_of(contest, launches)
    yield "takes the better variant of a column", row["columns"]["MPI RMA"]["variant"] == "pscw"
    yield "divides by the steps", row["columns"]["p2p"]["communication_s"] == [8, 8, 8]
    yield "has ratios launch by launch", row["columns"]["notify"]["communication_gain"] == [4, 2, 1.6]
    yield "has no ratio to a time that may be nothing", placing.ratios([1, 2], [0, 1]) == placing.ratios([-1, 2], [1, 1]) == []
    verdict = placing.verdicts_of(row)
    yield "names the best of the library", verdict["best"] == "auto"
    yield "says that an aim is reached, and where not", verdict["half"] == "yes, not in every launch"
    yield "judges what auto would choose in all", verdict["chosen"] == "auto" and verdict["not_slower"] == "yes, not in every launch"
    yield "says that an aim is missed", placing.judged([12, 19], [10, 10], 2) == "no, in every launch"
    yield "finds hidden communication short enough", placing.judged([4, 4], [-1, 1], 2) == "yes, in every launch"
    yield "but not if there was next to none before", placing.judged([4, 4, 1], [3, 3, -1], 2) == "no, not in every launch"
    hidden = {"communication_gain": [], "communication_s": [-2, -1, 1]}
    yield "says what is hidden", placing.gain_of(hidden) == "hidden"
    yield "and what is in some launches alone", placing.gain_of(hidden | {"communication_s": [-1, 1, 2]}) == "-"
    share, mode = contests.share_of(SUMMARY)
    yield "weighs waits by the time in swaps", abs(share - (0.5 * 320 + 640) / 1280) < 1e-12
    yield "finds the mode of most swaps", mode == "direct"
    yield "has no share without swaps", contests.share_of("nothing") == (None, None)
    placing.add_waits(row, {"auto": (0.25, "direct")})
    found = {"rows": [row], "environment": ENVIRONMENT, "quiet": False, "realtime": False, "others": 0.5, "launches": 3, "ranks": 2}
    text = placing.text_of(found)
    yield "shows the mode that auto used", "auto (direct)" in text and "25%" in text
    yield "says that the machine was not quiet", "OTHER PROGRAMS USED UP TO 50%" in text
    yield "says that its ranks had priority", "with real-time priority" in placing.text_of(found | {"realtime": True})
    yield "counts what is reached", "shorter than with p2p in 1 of 1 apps." in placing.verdict_of(found)
    lines = placing.in_markdown(found).splitlines()
    yield "makes a table for a page", lines[1].count("---") == lines[0].count("|") - 1 and lines[2].startswith("| toy | 1.60 (1.14 ")
    yield "has every app", set(contests.NAMES) == {"cloud", "pic", "boltzmann", "ghost", "lattice", "fft", "hashtable", "sparse"}
    yield "compares each with p2p", all(contest.columns.get("p2p") for contest in contests.ALL)
    turns = [contests.turned(["a", "b", "c"], launch) for launch in range(4)]
    yield "begins each launch with another variant", [turn[0] for turn in turns] == ["a", "b", "c", "a"]


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    sys.path.insert(0, str(folder))
    report(outcomes(load(folder / "contests.py"), load(folder / "placing.py")))
