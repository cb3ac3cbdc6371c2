#!/usr/bin/env python3
"""Tests of what ./go makes of the bench's report: its modes are those that the report has, whichever these are.

Usage: main_job_test.py PATH_OF_MAIN_JOB

SPDX-License-Identifier: BSD-3-Clause
"""
import contextlib
import io
import json
import pathlib
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / "scripts")]
import made  # noqa: E402


def row(mode, cells=640, ratio=2.0):
    return {"mode": mode, "median_us": 8.0, "p10_us": 7.0, "p90_us": 9.0, "ratio_to_p2p": ratio, "verified_cells": cells, "limit_us": 1.0}


ROWS = {"hand_p2p": row(None), "p2p": row("p2p", ratio=1.0), "of_tomorrow": row("of_tomorrow", ratio=3.0), "auto": row("of_tomorrow")}


def raced(job, modes, skipped=None):
    """What run_bench returns, or why it fails, and what it says, if the bench writes this."""
    with tempfile.TemporaryDirectory() as folder:
        results = pathlib.Path(folder)
        job.launch.command = lambda *words: list(words)
        job.step = lambda title, log, words: (results / "halo.json").write_text(json.dumps({"modes": modes, "skipped": skipped or {}}))
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            try:
                return job.run_bench("build", results, ()), said.getvalue()
            except job.Failed as why:
                return str(why), said.getvalue()


def checks(job):
    """Pairs of a sentence and whether it holds."""
    found, _ = raced(job, ROWS)
    names = job.modes_of(found)
    yield "a mode that the bench has is one of its modes, and no other", names == ["p2p", "of_tomorrow", "auto"]
    lines = job.table(found, {"of_tomorrow": 2.5})
    yield "the table has a row for each", [line.split()[0] for line in lines[1:5]] == list(ROWS)
    yield "the row of auto names the mode that it chose", any(line.startswith("auto (of_tomorrow) ") for line in lines)
    yield "the verdict counts them and their cells", "29 fields, 3 modes, all 1,920 cells verified" in job.verdict(29, names, found)
    yield "without mode direct it speaks of the fastest", "of_tomorrow is 3.0 times faster" in job.verdict(29, names, found)
    busy = found | {"of_tomorrow": row("of_tomorrow", ratio=3.0) | {"p90_us": 90.0}}
    said = job.verdict(29, names, busy)
    yield "where times spread widely it compares no modes", "times" not in said and "too busy" in said
    why, _ = raced(job, ROWS | {"p2p": row("p2p", cells=0), "auto": row("p2p", cells=0)})
    yield "modes without a verified cell are named", isinstance(why, str) and "no cell in p2p, auto" in why
    _, said = raced(job, ROWS, {"pscw": "halocline-doctor: hangs"})
    yield "a mode that is left out is said, with the reason", said == "Mode pscw is left out: halocline-doctor: hangs\n"


if __name__ == "__main__":
    made.report(checks(made.load(sys.argv[1])))
