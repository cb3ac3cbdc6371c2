#!/usr/bin/env python3
"""Tests of layers.py: which includes go against the arrow, and which rooms are a circle.

Usage: layers_test.py PATH_OF_LAYERS

SPDX-License-Identifier: BSD-3-Clause
"""
import importlib.util
import pathlib
import sys
import tempfile


def load(path):
    """The script as a module."""
    spec = importlib.util.spec_from_file_location("layers", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def arrow_checks(layers):
    """Pairs of a sentence and whether it holds."""
    def faults(path, target):
        return len(layers.faults_of(pathlib.PurePath(path), f'#include "{target}"\n'))
    yield "lets a layer include one below", faults("halo/a.cpp", "exchange/b.hpp") == 0
    yield "lets no layer include one above", faults("exchange/b.hpp", "halo/a.hpp") == 1
    yield "lets no layer look through the one below", faults("halo/a.cpp", "transport/b.hpp") == 1
    yield "keeps transports apart", faults("transport/shm/a.cpp", "transport/ofi/b.hpp") == 1
    yield "keeps the folders of the engine in their order", faults("engine/memory/a.cpp", "engine/network/b.hpp") == 1
    yield "knows what is no layer", faults("sundries/a.cpp", "base/b.hpp") == 1


def rooms_of(layers, root, sources):
    """Writes files with includes; the rooms as the script reads them."""
    for name, targets in sources.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f'#include "{target}"\n' for target in targets))
    return layers.read_rooms(root, [root / name for name in sources])


LINE = {"a/top.hpp": ["a/low.hpp"], "a/top.cpp": ["a/top.hpp", "b/low.hpp"], "a/low.hpp": [], "b/low.hpp": ["halocline/public.h"]}
PAIR = {**LINE, "a/low.cpp": ["a/low.hpp", "a/top.hpp"]}
ACROSS = {**PAIR, "b/low.cpp": ["a/low.hpp"]}


def circle_checks(layers, folder):
    """Pairs of a sentence and whether it holds."""
    line, pair, across = (rooms_of(layers, folder / str(len(sources)), sources) for sources in (LINE, PAIR, ACROSS))
    yield "counts files of one name as one room", set(line) == {"a/top", "a/low", "b/low"}
    yield "takes no public header for a room", line["b/low"] == set()
    yield "finds no circle in a line", not layers.find_circles(line) and not layers.faults_of_circles(line)
    yield "finds the circle that a source file closes", layers.find_circles(pair) == [["a/low", "a/top"]]
    yield "finds a circle across folders", layers.find_circles(across) == [["a/low", "a/top", "b/low"]]
    yield "says how it goes round", "a/low > a/top > a/low" in layers.faults_of_circles(pair)[0]



def main():
    layers = load(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="halocline-test-") as path:
        results = [*arrow_checks(layers), *circle_checks(layers, pathlib.Path(path))]
    for sentence, holds in results:
        print(f"{'passed' if holds else 'FAILED'}  {sentence}")
    failed = sum(not holds for _, holds in results)
    print(f"{len(results) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
