#!/usr/bin/env python3
"""Checks debian.py with an apt-get of its own: one that hangs, one that fails, one that brings a package.

Last line: N passed, N failed, N skipped.

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import pathlib
import shutil
import sys
import tempfile
import time

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "support"), str(TESTS.parent / "scripts")]
import debian  # noqa: E402
import outcomes  # noqa: E402

# Its helper keeps apt-get's stderr open, as that of a connection which stands still does.
HANGS = "sleep 60 & echo $! >> $PIDS; echo half > one_1_all.deb; wait"
FAILS = "echo 'W: slow' >&2; echo 'E: Unable to fetch' >&2; exit 100"
CONTROL = "Package: one\\nVersion: 1\\nArchitecture: all\\nMaintainer: a <a@b>\\nDescription: x\\n"
BRINGS = f"mkdir -p made/DEBIAN && printf '{CONTROL}' > made/DEBIAN/control"
BRINGS += " && echo content > made/file && dpkg-deb -b made one_1_all.deb && rm -r made"


def with_apt(work, script, limit=60):
    """What unpack says with such an apt-get."""
    apt = work / "bin/apt-get"
    apt.parent.mkdir(exist_ok=True)
    apt.write_text(f"#!/bin/sh\n{script}\n")
    apt.chmod(0o755)
    return debian.unpack(["one"], work / "root", work / "kept", limit)


def is_running(pid):
    try:
        return "State:\tZ" not in pathlib.Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def ends(pid, seconds=20):
    """A process that is killed may run on for a moment."""
    end = time.monotonic() + seconds
    while is_running(pid) and time.monotonic() < end:
        time.sleep(0.05)
    return not is_running(pid)


def checks(work):
    begin = time.monotonic()
    reason = with_apt(work, HANGS, limit=2)
    yield "a download that hangs is given up, with its reason", bool(reason) and "after 2 s" in reason and time.monotonic() - begin < 30
    yield "half a file is not kept", not list((work / "kept").iterdir())
    yield "its helper has ended", ends((work / "pids").read_text().strip())
    reason = with_apt(work, FAILS)
    yield "apt's last word is the reason", bool(reason) and reason.endswith("one cannot be downloaded: E: Unable to fetch")
    yield "a package is unpacked", not with_apt(work, BRINGS) and (work / "root/file").read_text() == "content\n"
    shutil.rmtree(work / "root")
    yield "a package is downloaded once", not with_apt(work, FAILS) and (work / "root/file").exists()


def main():
    if not shutil.which("dpkg-deb"):
        print("skipped: no dpkg-deb here")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        os.environ["PATH"] = f"{work}/bin:{os.environ['PATH']}"
        os.environ["PIDS"] = str(work / "pids")
        outcomes.report(checks(work))


if __name__ == "__main__":
    main()
