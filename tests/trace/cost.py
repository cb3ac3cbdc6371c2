#!/usr/bin/env python3
"""Counts what tracing costs where it is off: instructions per call, in a build that has it and in one without (-DHALOCLINE_TRACING=OFF).

Usage: cost.py BUILD BUILD_WITHOUT -- LAUNCHER [FLAG...]

Both builds need halocline_trace_cost. valgrind counts the instructions of a call and of all that it calls, with few calls and with
many; the difference, per call, is the same in each run.

SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

RANKS, FEW, MANY = 2, 200, 1200
CALLS = ("hlc_put", "hlc_put_notify", "hlc_flush", "hlc_halo_start", "hlc_halo_finish")
SKIPPED = 77


def instructions(program, launcher, call, calls):
    """Those of rank 0 in one call of the C API, over a run."""
    with tempfile.TemporaryDirectory(prefix="halocline-test-") as folder:
        tool = ["valgrind", "--tool=callgrind", f"--toggle-collect={call}", f"--callgrind-out-file={folder}/%p",
                f"--log-file={folder}/log.%p"]
        subprocess.run([*launcher, "-n", str(RANKS), *tool, str(program), str(calls)], check=True, timeout=300, stdout=subprocess.DEVNULL)
        counts = [re.search(r"^(?:summary|totals): (\d+)", path.read_text(), re.MULTILINE)
                  for path in pathlib.Path(folder).iterdir() if not path.name.startswith("log")]
    return min(int(count.group(1)) for count in counts if count)


def per_call(build, launcher, call):
    program = pathlib.Path(build) / "bin" / "halocline_trace_cost"
    return (instructions(program, launcher, call, MANY) - instructions(program, launcher, call, FEW)) / (MANY - FEW)


def main():
    divider = sys.argv.index("--")
    builds, launcher = sys.argv[1:divider], sys.argv[divider + 1:]
    if not shutil.which("valgrind"):
        print("skipped: there is no valgrind (Debian package of that name)")
        return SKIPPED
    print(f"{'instructions per call':<24}{'with':>10}{'without':>10}{'more':>8}")
    for call in CALLS:
        counts = [per_call(build, launcher, call) for build in builds]
        print(f"{call:<24}{counts[0]:>10.1f}{counts[1]:>10.1f}{counts[0] - counts[1]:>8.1f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
