#!/usr/bin/env python3
"""Checks that the scripts find the modules of this repository that they import, so that one that has moved is found here.

Usage: imports.py        last line: N passed, N failed, N skipped

Each script's own changes of sys.path are carried out, with the assignments that these use. An imported name is one of ours if a file of the
repository has it.

SPDX-License-Identifier: BSD-3-Clause
"""
import ast
import contextlib
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
INSTALLED = {"halocline"}  # the package; the others are scripts


def folders_of(path, tree):
    """The folders in which a script looks for modules: its own, and what it adds to sys.path."""
    before = list(sys.path)
    names = {"__file__": str(path), "pathlib": pathlib, "Path": pathlib.Path, "sys": sys, "ROOT": ROOT}
    try:
        sys.path[:] = []
        for statement in ast.walk(tree):
            if not isinstance(statement, ast.Assign | ast.Expr):
                continue
            text = ast.unparse(statement)
            if "sys.path" in text or "__file__" in text or re.match(r"(ROOT|HERE)\b", text):
                with contextlib.suppress(Exception):  # of a statement that only a run could carry out
                    exec(text, names)  # noqa: S102: these statements name folders
        return [path.parent, *map(pathlib.Path, sys.path)]
    finally:
        sys.path[:] = before


def imported(tree):
    """The first parts of the names of imported modules, each with its line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((name.name.split(".")[0], node.lineno) for name in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module.split(".")[0], node.lineno


def place_of(name, folders):
    """The file of a module in these folders."""
    places = (place for folder in folders for place in (folder / f"{name}.py", folder / name / "__init__.py"))
    return next((place for place in places if place.is_file()), None)


def check(path, trees, ours):
    """What a script imports and cannot find. A module that it imports may extend sys.path for it."""
    folders, seen, waiting, asked = [], set(), [path], []
    while waiting:
        file = waiting.pop()
        if file in seen or file not in trees:
            continue
        seen.add(file)
        folders += folders_of(file, trees[file])
        asked += [(name, file, line) for name, line in imported(trees[file]) if name in ours]
        waiting += filter(None, (place_of(name, folders) for name, _, _ in asked))
    return [f"{path}: line {line} of {file.name} imports {name}, which is not in {', '.join(map(str, folders))}"
            for name, file, line in asked if not place_of(name, folders)]


def main():
    listed = subprocess.run(["git", "ls-files", "*.py"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    trees = {ROOT / name: ast.parse((ROOT / name).read_text()) for name in listed}
    ours = {path.stem for path in trees} - INSTALLED - sys.stdlib_module_names - {"__init__", "conftest"}
    faults = [fault for path in trees for fault in check(path, trees, ours)]
    print(*faults, f"{len(trees) - len(faults)} passed, {len(faults)} failed, 0 skipped", sep="\n")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
