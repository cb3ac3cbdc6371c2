#!/usr/bin/env python3
"""Gives apps/cloud/published.py the table of docs/results, which is inside the published range, the same with other numbers, which are not,
and what cloud --statistics writes.

SPDX-License-Identifier: BSD-3-Clause
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = ROOT / "docs/results/cloud-2026-11-29.txt"
ROW = re.compile(r"^( +14400\.8 +\d\.\d\d +)28\.30 ( +)1\.000( +)862\.6 ", re.M)


def compare(*files):
    command = [sys.executable, ROOT / "apps/cloud/published.py", *files]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    return done.returncode, done.stdout, done.stderr


def record(hours, water=0.035, cover=0.9, height=845.0):
    return json.dumps({"time": 3600 * hours, "liquid_water_path": water, "cloud_cover": cover, "inversion_height": height})


def cases(folder):
    status, said, _ = compare(TABLE)
    yield "the table is inside", status == 0 and re.findall(r"(\d+) of (\d+) records inside", said) == [("43", "43")] * 3
    other, text = folder / "other.txt", TABLE.read_text()
    for what, row, expected in (("water", r"\g<1>60.10 \g<2>1.000\g<3>862.6 ", "4.00 h: 60.1 g m⁻², published 2.9 to 58.3"),
                                ("cover", r"\g<1>28.30 \g<2>0.150\g<3>862.6 ", "4.00 h: 0.15 1, published 0.192 to 1"),
                                ("height", r"\g<1>28.30 \g<2>1.000\g<3>882.6 ", "4.00 h: 882.6 m, published 832 to 881.6")):
        other.write_text(ROW.sub(row, text))
        status, said, _ = compare(other)
        yield f"a record whose {what} is outside is told", status == 1 and expected in said and said.count("43 of 43") == 2
    means, rest = folder / "means", folder / "rest"
    means.write_text("\n".join((record(0.0, water=0.001), record(0.75), record(1.25))) + "\n")
    rest.write_text(record(2.2) + "\n")
    status, said, _ = compare(means, rest)
    yield "statistics are read, and the first half hour is free", status == 0 and said.count("3 of 3 records") == 3
    rest.write_text(record(2.2, height=830.0) + "\n")
    status, said, _ = compare(means, rest)
    yield "the range is between its times, too", status == 1 and "2.20 h: 830 m, published 835.5 to 864.6" in said
    means.write_text(record(0.25) + "\n")
    yield "a run without a record to compare is none", compare(means)[0] == 1
    means.write_text("no numbers\n")
    yield "another file is told", compare(means)[2].strip() == f"{means}: it has no means of a run; take what cloud --statistics wrote"
    yield "a missing one, too", "/nonexistent: cannot be read: No such file or directory" in compare("/nonexistent")[2]


def main():
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for what, right in cases(pathlib.Path(folder)):
            passed, failed = passed + right, failed + (not right)
            if not right:
                print("FAILED ", what)
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
