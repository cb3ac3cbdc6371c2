"""A fresh clone of this tree in which commands are run as a newcomer runs them: no build, no packages, none of this tree's variables.

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import pathlib
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
WHEELS = ROOT / ".venv" / "wheels"
OF_THIS_TREE = ("HALOCLINE_", "LD_", "XDG_", "CTEST_", "CCACHE_BASEDIR")
NEEDED_WHEELS = ("mpich", "cmake", "ninja", "numpy", "matplotlib", "netcdf4", "rich")
LEFT_BEHIND = shutil.ignore_patterns("build", "results", ".venv", "__pycache__")
TIMEOUT_S = 1200


def git(*words):
    """The output of a git command in this tree; None where this is no clone, or there is no git."""
    try:
        done = subprocess.run(["git", "-C", ROOT, "-c", f"safe.directory={ROOT}", *words], capture_output=True, text=True, check=False)
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None


def make(folder):
    """Clones HEAD into the folder, or copies the tree where it is no clone. Says what was taken."""
    top = git("rev-parse", "--show-toplevel")
    if top and pathlib.Path(top.strip()) == ROOT and git("clone", "--quiet", "--no-hardlinks", str(ROOT), str(folder)) is not None:
        changed = (git("status", "--porcelain") or "").splitlines()
        print(f"A clone of {git('rev-parse', '--short', 'HEAD').strip()}" +
              (f": HEAD is what is tried, without what is not committed ({len(changed)} files)" if changed else ""), flush=True)
    else:
        shutil.copytree(ROOT, folder, symlinks=True, ignore=LEFT_BEHIND)
        print("A copy of this tree, which is no clone", flush=True)


def has_all_wheels():
    """Whether this tree has kept what ./go needs from PyPI."""
    names = {path.name.split("-")[0].lower() for path in WHEELS.glob("*.whl")}
    return names.issuperset(NEEDED_WHEELS)


def poison(folder):
    """A folder of modules that nobody may import: what a user's PYTHONPATH may have."""
    folder.mkdir()
    for name in ("argparse", "json", "launch", "numpy", "rich", "outcomes"):
        (folder / f"{name}.py").write_text("raise ImportError('PYTHONPATH of the user has reached a script of the project')\n")
    return folder


def environment(work):
    """A user's environment: a home, a PYTHONPATH that is not meant for this, and no network where this tree has the wheels."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(OF_THIS_TREE)}
    (work / "home").mkdir()
    kept |= {"HOME": str(work / "home"), "PYTHONPATH": str(poison(work / "modules")),
             "CCACHE_DIR": os.environ.get("CCACHE_DIR", str(pathlib.Path.home() / ".cache" / "ccache"))}
    if has_all_wheels():
        kept |= {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(WHEELS), "http_proxy": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9"}
    else:
        print(f"{WHEELS} has not all wheels, so that the clone asks PyPI: ./go of this tree keeps those that it downloads", flush=True)
    return kept


class Clone:
    """The clone, and the shell in which its commands run, each after those before it."""

    def __init__(self, work):
        self.folder, self.home = work / "halocline", work / "home"
        make(self.folder)
        self.variables, self.exports = environment(work), ""

    def run(self, commands):
        """Status and output of shell commands. What they export is there for the next ones."""
        done = subprocess.run(["bash", "-c", f"{self.exports}set -e\n{commands}"], cwd=self.folder, env=self.variables, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=TIMEOUT_S, check=False)
        self.exports += "".join(f"{line}\n" for line in commands.splitlines() if line.startswith("export "))
        return done.returncode, done.stdout
