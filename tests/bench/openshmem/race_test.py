#!/usr/bin/env python3
"""Checks that race.py measures every operation of two programs in turn, and says what fails. Both are of this library.

Usage: race_test.py PROGRAM -- LAUNCHER [FLAG...]       PROGRAM: any of the build; oshcc is beside it

SPDX-License-Identifier: BSD-3-Clause
"""
import json
import pathlib
import subprocess
import sys
import tempfile

RACE = pathlib.Path(__file__).resolve().parent / "race.py"
SIZED = ["put", "get", "put and flag", "broadcast", "sum of doubles"]
SINGLE = ["put of a word", "fetch-and-add", "swap", "compare-and-swap", "atomic add", "barrier"]
COLLECTIVE = ["barrier", "broadcast", "sum of doubles"]


def is_whole(row):
    """Times of all contenders, with a sample of each per round."""
    by = ["halocline", "other"] + (["limit"] if row["operation"] not in COLLECTIVE else [])
    return sorted(row["samples_us"]) == sorted(by) and all(
        len(row["samples_us"][one]) == 2 and 0 < row[one]["p10"] <= row[one]["median"] <= row[one]["p90"] for one in by)


def is_judged(row):
    """Reached, missed, or no aim, as the medians say."""
    aims = "limit" in row and row["other"]["median"] > 3 * row["limit"]["median"]
    return row["reached"] == (row["ratio"]["median"] >= 3 if aims else None)


class Race:
    def __init__(self, program, launcher):
        self.build = pathlib.Path(program).resolve().parent.parent
        self.usual = {"--build": self.build, "--other": self.build / "bin" / "oshcc", "--other-run": " ".join(launcher),
                      "--repetitions": 2, "--sample-ms": 0.05, "--sizes": "8,4096"}

    def run(self, **changed):
        """Returns exit status, output, and the JSON if there is one."""
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "race.json"
            options = {**self.usual, "--json": file, **{f"--{name.replace('_', '-')}": value for name, value in changed.items()}}
            done = subprocess.run([sys.executable, RACE, *(str(part) for option in options.items() for part in option)],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300, check=False)
            return done.returncode, done.stdout, json.loads(file.read_text()) if file.exists() else {}


def checks(race):
    """Pairs of a sentence and whether it is so, with what was written."""
    status, output, found = race.run()
    rows = found.get("rows", [])
    expected = sorted([(name, size) for name in SIZED for size in (8, 4096)] + [(name, 0 if name == "barrier" else 8) for name in SINGLE])
    yield "it ends well", status == 0, output
    yield "every operation is measured once per size", sorted((row["operation"], row["bytes"]) for row in rows) == expected, output
    yield "every contender has a sample per round", bool(rows) and all(is_whole(row) for row in rows), json.dumps(found)
    yield "verdicts follow from the medians", bool(rows) and all(is_judged(row) for row in rows), json.dumps(found)
    yield "it prints a line for each", all(sum(line.startswith(name + "  ") for line in output.splitlines()) > 0
                                           for name in SIZED + SINGLE), output
    status, output, found = race.run(pes=3, parts="collectives", sizes="8")
    yield "three PEs take part", status == 0 and found["pes"] == 3 and len(found["rows"]) == 3, output
    status, output, _ = race.run(other_run="false", parts="put", sizes="8")
    yield "a program that does not start is named", status != 0 and "false" in output and "has ended with status" in output, output
    status, output, _ = race.run(parts="put,pit")
    yield "an unknown part is refused", status == 2 and "pit" in output, output
    status, output, _ = race.run(sizes="12")
    yield "a size that is not of words is refused", status == 2 and "12" in output, output


def main(program, *rest):
    failed = 0
    for sentence, is_so, output in checks(Race(program, rest[rest.index("--") + 1:])):
        print(f"{'passed' if is_so else 'FAILED'}  {sentence}")
        if not is_so:
            failed += 1
            print(output)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
