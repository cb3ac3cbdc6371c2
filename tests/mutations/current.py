#!/usr/bin/env python3
"""Whether each place that mutations.toml and faults.toml change still stands in its file, once. Builds nothing.

Usage: current.py

SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib
import sys
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.append(str(ROOT / "scripts"))
import outcomes  # noqa: E402


def edits_of(change):
    """What a mutation or a fault replaces: it has a list, or is the only one itself."""
    return change.get("edit", [change] if "file" in change else [])


def checks():
    for name, kind in (("mutations.toml", "mutation"), ("faults.toml", "fault")):
        for change in tomllib.loads((HERE / name).read_text())[kind]:
            for edit in edits_of(change):
                file = ROOT / edit["file"]
                places = file.read_text().count(edit["find"]) if file.is_file() else 0
                yield f"{kind} '{change['name']}': {edit['file']} has {places} of its places, it must be 1", places == 1


if __name__ == "__main__":
    outcomes.report(checks())
