#!/usr/bin/env python3
"""Runs pytest or mypy by the private Python, and ends with the line `N passed, N failed, N skipped`. Without it: the reason, and status 77.

Usage: run.py pytest|mypy PATH...

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
PYTHON = ROOT / ".venv" / "bin" / "python"
NEEDED = {"pytest": ("pytest", "rich", "matplotlib"), "mypy": ("mypy", "rich", "matplotlib")}
SKIPPED = 77


def lacking(modules):
    """What the private Python does not have."""
    if not PYTHON.exists():
        return ["a private Python (.venv)"]
    return [name for name in modules if subprocess.run([PYTHON, "-c", f"import {name}"], capture_output=True, check=False).returncode]


def run_pytest(paths):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "tests.xml"
        words = [PYTHON, "-B", "-m", "pytest", "-q", "-rs", "--tb=short", "-p", "no:cacheprovider", f"--junitxml={file}", *paths]
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "bindings" / "python" / "src"), "MPLCONFIGDIR": folder}
        status = subprocess.run(words, env=environment, check=False).returncode
        suite = xml.etree.ElementTree.parse(file).getroot().find("testsuite")
    total, failed, skipped = int(suite.get("tests")), int(suite.get("failures")) + int(suite.get("errors")), int(suite.get("skipped"))
    print(f"{total - failed - skipped} passed, {failed} failed, {skipped} skipped")
    return status


def run_mypy(paths):
    with tempfile.TemporaryDirectory() as folder:
        words = [PYTHON, "-m", "mypy", "--strict", f"--cache-dir={folder}", *paths]
        return subprocess.run(words, env={**os.environ, "MYPYPATH": str(ROOT / "bindings" / "python" / "src")}, check=False).returncode


def main():
    tool, *paths = sys.argv[1:]
    absent = lacking(NEEDED[tool])
    if absent:
        print(f"skipped: {', '.join(absent)} is not there; ./go test puts it into .venv")
        return SKIPPED
    return run_pytest(paths) if tool == "pytest" else run_mypy(paths)


if __name__ == "__main__":
    sys.exit(main())
