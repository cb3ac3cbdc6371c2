#!/usr/bin/env python3
"""Checks that the JSON of `halocline-bench halo --modes all,auto` has a row for each mode of the library, and says which mode swapped.

Usage: halo_test.py BENCH -- LAUNCHER [FLAG...]

SPDX-License-Identifier: BSD-3-Clause
"""
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "bindings" / "python" / "src")]
import outcomes  # noqa: E402
from halocline.command.modes import MODES  # noqa: E402

SHORT = ["--local", "6,5,16", "--fields", "2", "--repetitions", "3", "--warmups", "1", "--sample-ms", "0.05", "--doctor", "none"]
NOT_RACING = {"view"}  # its swap moves nothing


def race(bench, launcher, modes):
    """The rows of a race by name."""
    with tempfile.TemporaryDirectory(prefix="halocline-halo-") as folder:
        file = pathlib.Path(folder) / "halo.json"
        subprocess.run([*launcher, "-n", "2", bench, "halo", *SHORT, "--modes", modes, "--json", str(file)], check=True, timeout=200)
        report = json.loads(file.read_text())
    return report["modes"], report["skipped"]


def checks(bench, launcher):
    """Pairs of a sentence and whether it is so."""
    rows, skipped = race(bench, launcher, "all,auto")
    expected = set(MODES) - NOT_RACING
    named = {name for name, row in rows.items() if row["mode"]} | set(skipped)
    yield f"each mode of the library has a row, or a reason why not {sorted(expected ^ named) or ''}".strip(), named == expected
    yield "each row has verified cells", all(row["verified_cells"] > 0 for row in rows.values())
    yield "the row of a single mode has that mode", all(row["mode"] == name for name, row in rows.items() if row["mode"] and name != "auto")
    yield "the row of auto has the mode that it chose", rows["auto"]["mode"] in expected - {"auto"}
    yield "a swap that is written by hand has none", rows["hand_p2p"]["mode"] is rows["hand_types"]["mode"] is None
    yield "all modes are those that are no choice among others", "auto" not in race(bench, launcher, "all")[0]


if __name__ == "__main__":
    divider = sys.argv.index("--")
    outcomes.report(checks(sys.argv[1], sys.argv[divider + 1:]))
