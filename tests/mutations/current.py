#!/usr/bin/env python3
"""Whether each place that mutations.toml and faults.toml change still stands in its file, once, and whether tests that run by default are
to find each fault. Builds nothing.

Usage: current.py [CTEST BUILD_DIR]        without a build folder tests are not looked at

SPDX-License-Identifier: BSD-3-Clause
"""
import json
import pathlib
import re
import subprocess
import sys
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.append(str(ROOT / "scripts"))
import outcomes  # noqa: E402


def edits_of(change):
    """What a mutation or a fault replaces: it has a list, or is the only one itself."""
    return change.get("edit", [change] if "file" in change else [])


def default_tests(ctest, folder):
    """The names of the tests that faults.py lets find faults."""
    command = [ctest, "--test-dir", folder, "--show-only=json-v1", "-LE", "^(full|long)$"]
    listed = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
    return [test["name"] for test in json.loads(listed)["tests"]]


def test_checks(ctest, folder):
    names = default_tests(ctest, folder)
    for fault in tomllib.loads((HERE / "faults.toml").read_text())["fault"]:
        found = any(re.search(fault["test"], name) for name in names)
        yield f"fault '{fault['name']}': of the tests that run by default some must match {fault['test']}", found


def place_checks():
    for name, kind in (("mutations.toml", "mutation"), ("faults.toml", "fault")):
        for change in tomllib.loads((HERE / name).read_text())[kind]:
            for edit in edits_of(change):
                file = ROOT / edit["file"]
                places = file.read_text().count(edit["find"]) if file.is_file() else 0
                yield f"{kind} '{change['name']}': {edit['file']} has {places} of its places, it must be 1", places == 1


if __name__ == "__main__":
    outcomes.report([*place_checks(), *(test_checks(*sys.argv[1:]) if sys.argv[1:] else ())])
