#!/usr/bin/env python3
"""Runs `halocline tune --quick` with the real programs, and again with what it has left.

Usage: tune_test.py HALOCLINE_BENCH -- LAUNCHER [FLAG...]

SPDX-License-Identifier: BSD-3-Clause
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PYTHON = ROOT / ".venv" / "bin" / "python"
SKIPPED = 77


def tune(build, folder, *words):
    """Exit code and all that was said."""
    command = [PYTHON, "-B", "-m", "halocline.command", "tune", "--build", build, "-n", "2", "-o", folder / "found", *words]
    done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=380, check=False,
                          env={**os.environ, "PYTHONPATH": str(ROOT / "bindings" / "python" / "src"), "XDG_CACHE_HOME": str(folder)})
    return done.returncode, done.stdout


def checks(build, folder):
    """A sentence, whether it holds, and what else was said."""
    status, said = tune(build, folder, "--quick")
    found = folder / "found"
    names = {path.name for path in found.iterdir()}
    yield "it ends well, and leaves nothing out", status == 0 and "Note: Trying" not in said and "exit code" not in said, said
    yield "it has a verdict", any(word in said for word in ("Use mode", "Keep MPI", "lowest median", "too busy")), said
    wanted = {"info.json", "doctor.json", "halo.json", "model.json", "trace.json", "timeline.svg", "card.json", "report.html"}
    yield f"it leaves all results, and not {wanted - names}", wanted <= names, said
    page = (found / "report.html").read_text() if "report.html" in names else ""
    yield "the report has pictures", page.count("<figure") >= 3, said
    yield "no card is kept for the library", not list(folder.glob("halocline/card-*")), said
    before = (found / "halo.json").read_text()
    (found / "info.json").unlink()
    status, said = tune(build, folder, "--quick", "--reuse")
    again = (found / "info.json").is_file() and json.loads((found / "info.json").read_text())["schema"] == "halocline-info/1"
    yield "--reuse measures what is missing alone", status == 0 and again and (found / "halo.json").read_text() == before, said


def main():
    if not PYTHON.exists() or subprocess.run([PYTHON, "-c", "import rich, matplotlib"], capture_output=True, check=False).returncode:
        print("skipped: rich and matplotlib are not in .venv; ./go test puts them there")
        return SKIPPED
    build = pathlib.Path(sys.argv[1]).resolve().parent.parent
    os.environ["MPIEXEC"] = sys.argv[sys.argv.index("--") + 1]
    with tempfile.TemporaryDirectory(prefix="halocline-tune-") as folder:
        results = list(checks(build, pathlib.Path(folder)))
    for name, right, said in results:
        print(f"{'passed' if right else 'FAILED'}  {name}" + ("" if right else f"\n{said}"))
    failed = sum(not right for _, right, _ in results)
    print(f"{len(results) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
