#!/usr/bin/env python3
"""Checks halocline-bench device, and what ./go test --gpu says without a device, with the stand-in for CUDA's driver.

Usage: device_test.py BENCH STAND_IN -- LAUNCHER [FLAG...]; last line: N passed, N failed, N skipped.

SPDX-License-Identifier: BSD-3-Clause
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import outcomes  # noqa: E402

SMALL = ["--local", "4,5,6", "--fields", "2", "--repetitions", "1", "--sample-ms", "0.1"]
WAYS = {"direct", "notify", "by hand, through the host", "copy in the device"}


def run(command, library=None):
    environment = dict(os.environ)
    if library:
        folder = str(pathlib.Path(library).resolve().parent)
        environment["LD_LIBRARY_PATH"] = os.pathsep.join(filter(None, [folder, os.environ.get("LD_LIBRARY_PATH")]))
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def find(library):
    return run([sys.executable, str(ROOT / "scripts/gpu.py"), "find", "--stand-in", library])


def checks(bench, stand_in, launcher):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "device.json"
        done = run([*launcher, "-n", "2", bench, "device", *SMALL, "--json", str(file)], stand_in)
        yield f"halos are right, and no rule of the driver is broken {done.stderr[-500:]}", done.returncode == 0
        written = json.loads(file.read_text()) if file.exists() else {"rows": [], "ratios": []}
    yield "two modes, a swap by hand and a copy have rows", {row["by"] for row in written["rows"]} == WAYS
    in_place = {one["mode"]: one["links_in_place"] == one["links"] > 0 for one in written["ratios"]}
    yield f"mode direct reads in place, mode notify does not {in_place}", in_place == {"direct": True, "notify": False}
    yield "there is a verdict", "\nverdict: 4 x 5 x 6, mode direct takes " in done.stdout
    none, some = find("/nonexistent/libcuda.so.1"), find(stand_in)
    said = none.stdout.splitlines()
    yield f"without a driver there is one sentence {said}", len(said) == 1 and said[0].startswith("There is no GPU to test on: ")
    yield "and a status that says so", none.returncode == 1
    yield "with one nothing is said", some.returncode == 0 and not some.stdout


if __name__ == "__main__":
    divider = sys.argv.index("--")
    outcomes.report(checks(sys.argv[1], sys.argv[2], sys.argv[divider + 1:]))
