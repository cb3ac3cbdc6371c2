#!/usr/bin/env python3
"""Tests of what checks a release: a version that differs is found at every place, a symbol that comes or goes is named, and the options of
a manual page are those of --help.

Usage: release_test.py

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import pathlib
import re
import shutil
import sys
import tempfile
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import abi  # noqa: E402
import man_pages  # noqa: E402
import release  # noqa: E402

HELP = """Does something.
Usage: program [OPTIONS]

Options:
  -h,--help                   Print this
  --size INT=4                Bytes
  --rate FLOAT:POSITIVE=100000 End at so many
  --modes TEXT:{a,b}=a ...
                              Modes, comma-separated,
                              or all
  -n N  ranks

Columns:
  median    of all
    --no    option of this program
"""


def copy_of_places(folder):
    """A tree with nothing but the files that name the version."""
    for name in {place[0] for place in release.PLACES + release.WRITTEN_BY_HAND} | {"CMakeLists.txt"}:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(release.ROOT / name, folder / name)


def finds_each_place_that_differs(folder):
    copy_of_places(folder)
    release.ROOT = folder
    if release.check():
        return False
    for place in release.PLACES + release.WRITTEN_BY_HAND:
        path = folder / place[0]
        kept = path.read_text()
        path.write_text(re.sub(f"({place[1]}){release.VALUE}", r"\g<1>99", kept, count=1))
        if not release.check():
            return False
        path.write_text(kept)
    return True


def sets_a_version(folder):
    copy_of_places(folder)
    release.ROOT = folder
    release.set_version("3.14.15", "2030-01-02")
    values = release.wanted((folder / "CMakeLists.txt").read_text())
    left = [fault for fault in (release.fault_of(place, values) for place in release.PLACES) if fault]
    header = (folder / "include/halocline/halocline.h").read_text()
    return not left and values["version"] == "3.14.15" and "#define HLC_VERSION_MINOR 14" in header


def a_tree_without_files_of_the_forge_is_right(folder):
    if not (release.ROOT / ".venv" / "bin" / "check-jsonschema").exists():
        return True
    for path in release.ROOT.iterdir():
        (folder / path.name).symlink_to(path)
    release.ROOT = folder
    whole = release.schemas()
    (folder / ".github").unlink(missing_ok=True)
    return whole == release.schemas() == 0


def asks_spack_where_it_is(folder):
    """A program of that name, which can read a recipe that exists."""
    spack = folder / "spack"
    recipe = "${2#repos:halocline:}/packages/halocline/package.py"
    spack.write_text(f'#!/bin/sh\n[ "$1 $3 $4" = "-c info halocline" ] && [ -f "{recipe}" ] && $RIGHT\n')
    spack.chmod(0o755)
    path = f"{folder}{os.pathsep}{os.environ['PATH']}"
    with mock.patch.dict(os.environ, PATH=path, RIGHT="true"):
        right = release.faults_of_spack()
    with mock.patch.dict(os.environ, PATH=path, RIGHT="false"):
        return not right and bool(release.faults_of_spack())


def names_symbols_that_come_and_go(folder):
    abi.ROOT = folder
    path = folder / "libx.symbols"
    path.write_text("# head\nsoname libx.so.0\n x_gone 0.1.0\n x_old 0.1.0\n?x_sometimes 0.1.0\n")
    faults = " ".join(abi.Symbols(path).faults("libx.so.1", {"x_old", "x_new"}))
    return all(word in faults for word in ("x_gone is missing", "x_new is new", "libx.so.1, not libx.so.0")) and "sometimes" not in faults


def keeps_the_versions_of_symbols(folder):
    abi.ROOT = folder
    shutil.copy(release.ROOT / "CMakeLists.txt", folder)
    path = folder / "libx.symbols"
    path.write_text("soname libx.so.0\n x_gone 0.1.0\n x_old 0.1.0\n?x_sometimes 0.1.0\n")
    symbols = abi.Symbols(path)
    symbols.write("libx.so.0", {"x_old", "x_new"})
    wanted = ["soname libx.so.0", f" x_new {abi.project_version()}", " x_old 0.1.0", "?x_sometimes 0.1.0"]
    return path.read_text().splitlines()[1:] == wanted


def reads_the_options_of_help(_):
    names = dict(man_pages.options_in(HELP))
    modes = {"--modes TEXT:{a,b}=a ...": "Modes, comma-separated, or all"}
    rate = {"--rate FLOAT:POSITIVE=100000": "End at so many"}
    return names == {"-h,--help": "Print this", "--size INT=4": "Bytes", **rate, "-n N": "ranks", **modes}


def main():
    root, failed = release.ROOT, 0
    tests = [finds_each_place_that_differs, sets_a_version, a_tree_without_files_of_the_forge_is_right, asks_spack_where_it_is,
             names_symbols_that_come_and_go, keeps_the_versions_of_symbols, reads_the_options_of_help]
    for test in tests:
        release.ROOT = root
        with tempfile.TemporaryDirectory() as folder:
            right = test(pathlib.Path(folder))
        print(f"{'passed' if right else 'FAILED'}  {test.__name__.replace('_', ' ')}")
        failed += not right
    print(f"{len(tests) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
