"""The examples print what they promise, and lessons what their C counterparts do. Run by run.py on 0 ranks; one launch runs them all.

SPDX-License-Identifier: BSD-3-Clause
"""
import json
import os
import re
import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"
LAUNCHER = json.loads(os.environ.get("HALOCLINE_TEST_LAUNCHER", "[]"))
PROMISE = re.compile(r"mpiexec -n 4 .*?prints: (.*)$", re.M)


def promise(path):
    return PROMISE.search(path.read_text())[1]


def test_examples_print_what_they_promise(tmp_path):
    files = sorted((EXAMPLES / "python").glob("*.py"))
    assert len(files) >= 5
    program = f"import runpy\nfor path in {[str(path) for path in files]}: runpy.run_path(path, run_name='__main__')"
    done = subprocess.run([*LAUNCHER, "-n", "4", sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines() == [promise(path) for path in files]
    assert (tmp_path / "shallow_water.png").exists() or "no picture" in done.stderr


def test_lessons_print_the_same_in_c():
    lessons = sorted((EXAMPLES / "python").glob("0*.py"))
    assert lessons
    for path in lessons:
        assert promise(path) == promise(EXAMPLES / "c" / f"{path.stem}.c")
