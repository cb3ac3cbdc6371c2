"""What the tests of scripts share: a script as a module, and how they end.

SPDX-License-Identifier: BSD-3-Clause
"""
import importlib.util
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
from outcomes import report  # noqa: E402, F401


def load(path):
    """The script as a module."""
    spec = importlib.util.spec_from_file_location(pathlib.Path(path).stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
