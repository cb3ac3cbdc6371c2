"""Results that real programs have written, and calls of the command on them.

SPDX-License-Identifier: BSD-3-Clause
"""
import json
import pathlib
import shutil

from halocline.command.main import main

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
RECORDED = HERE / "recorded"


def read(name):
    return json.loads((RECORDED / f"{name}.json").read_text())


def copy_to(folder, *names):
    """Some of the recorded files; all without names."""
    for path in RECORDED.iterdir():
        if not names or path.name in names:
            shutil.copy(path, folder)
    return folder


def call(capsys, *words):
    """Exit code, standard output and standard error of the command."""
    capsys.readouterr()
    try:
        status = main(list(map(str, words)))
    except SystemExit as end:
        status = end.code
    said = capsys.readouterr()
    return status, said.out, said.err
