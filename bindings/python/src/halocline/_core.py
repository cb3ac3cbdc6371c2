"""Stands for the extension: the variant for this process's MPI takes this module's place.

SPDX-License-Identifier: BSD-3-Clause
"""
import importlib.machinery
import importlib.util
import sys

from . import _mpi


def _load() -> None:
    folder = _mpi.FOLDER / f"_{_mpi.variant()}"
    finder = importlib.machinery.FileFinder(str(folder), (importlib.machinery.ExtensionFileLoader, importlib.machinery.EXTENSION_SUFFIXES))
    spec = finder.find_spec("_core")
    if spec is None or spec.loader is None:
        raise ImportError(f"no extension for this Python ({sys.version.split()[0]}) in {folder}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.modules[__name__] = module


_load()
