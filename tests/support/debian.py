"""Packages of Debian that tests unpack into a folder of their own and never install.

SPDX-License-Identifier: BSD-3-Clause
"""

import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile

# Seconds for a package. A connection that stands still must not take the time of the test.
LIMIT = 60


def store():
    """Where packages are kept, so that they are downloaded once. The tests of a build have a cache of their own."""
    return pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "halocline/debian"


def unpack(packages, root, folder=None, limit=LIMIT):
    """Unpacks packages into `root`, downloads them into `folder` if they are not there; returns why that failed, or nothing."""
    folder = folder or store()
    if not shutil.which("apt-get") or not shutil.which("dpkg-deb"):
        return "no apt-get and dpkg-deb here"
    folder.mkdir(parents=True, exist_ok=True)
    for package in packages:
        reason = None if kept(package, folder) else download(package, folder, limit)
        if reason:
            return f"the package {package} cannot be downloaded: {reason}"
        subprocess.run(["dpkg-deb", "-x", kept(package, folder), root], check=True)
    return None


def kept(package, folder):
    return next(iter(sorted(folder.glob(f"{package}_*.deb"))), None)


def download(package, folder, limit):
    """Puts a whole file into the folder, or none. Returns why it could not."""
    with tempfile.TemporaryDirectory(dir=folder) as work:
        command = ["apt-get", "download", "-q", "-o", f"Acquire::http::Timeout={limit}", package]
        # Its helpers outlive apt-get, so all of the session are ended.
        with subprocess.Popen(command, cwd=work, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                              start_new_session=True) as apt:
            try:
                errors = apt.communicate(timeout=limit)[1]
            except subprocess.TimeoutExpired:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(apt.pid, signal.SIGKILL)
                return f"it is not here after {limit} s"
        if apt.returncode:
            return (errors.strip().splitlines() or [f"apt-get ended with {apt.returncode}"])[-1]
        for file in pathlib.Path(work).glob("*.deb"):
            file.rename(folder / file.name)
    return None if kept(package, folder) else "apt-get brought no file"
