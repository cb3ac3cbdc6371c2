#!/usr/bin/env python3
"""Tests of layers.py: which includes go against the arrow, and which rooms are a circle.

Usage: layers_test.py PATH_OF_LAYERS

SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib
import sys
import tempfile

from made import load, report


def arrow_checks(layers):
    """Pairs of a sentence and whether it holds."""
    def faults(path, target):
        return len(layers.faults_of(pathlib.PurePath(path), f'#include "{target}"\n'))
    yield "lets a layer include one below", faults("halo/a.cpp", "exchange/b.hpp") == 0
    yield "lets no layer include one above", faults("exchange/b.hpp", "halo/a.hpp") == 1
    yield "lets no layer look through the one below", faults("halo/a.cpp", "transport/b.hpp") == 1
    yield "keeps transports apart", faults("transport/shm/a.cpp", "transport/ofi/b.hpp") == 1
    yield "keeps the folders of the engine in their order", faults("engine/memory/a.cpp", "engine/network/b.hpp") == 1
    yield "keeps faces apart", faults("faces/mpi/a.cpp", "faces/gaspi/b.hpp") == 1
    yield "keeps datatypes apart from windows", faults("faces/mpi/datatype/a.cpp", "faces/mpi/window/b.hpp") == 1
    yield "lets windows use datatypes", faults("faces/mpi/window/a.cpp", "faces/mpi/datatype/b.hpp") == 0
    yield "lets a face use what all share", faults("faces/gaspi/a.cpp", "faces/common/b.hpp") == 0
    yield "lets what all share use no face", faults("faces/common/a.cpp", "faces/gaspi/b.hpp") == 1
    yield "lets the api see the context", faults("api/a.cpp", layers.CONTEXT) == 0
    yield "lets a layer below the api see its parts alone", faults("exchange/b.hpp", layers.CONTEXT) == 1
    yield "lets a listed file see the context", faults(layers.SEES_CONTEXT[-1], layers.CONTEXT) == 0
    yield "lets no other file of that layer see it", faults(layers.SEES_CONTEXT[-1] + "x", layers.CONTEXT) == 1
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


def network_checks(layers, root):
    """Pairs of a sentence and whether it holds."""
    for path in ("transport/ofi/endpoint.hpp", "transport/shm/region.hpp"):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("")

    def naming(path, code):
        return len(layers.faults_of_naming(root, pathlib.PurePath(path), code))

    def use(path, code):
        return len(layers.faults_of_use(pathlib.PurePath(path), code))
    yield "lets one file name a network", naming(layers.ALIAS, '#include "transport/ofi/endpoint.hpp"\n') == 0
    yield "lets no other file include one", naming("engine/rma/a.cpp", '#include "transport/ofi/endpoint.hpp"\n') == 1
    yield "lets no other file use its namespace", naming("engine/rma/a.cpp", "transport::ofi::Endpoint port;\n") == 1
    yield "takes shared memory for no network", naming("engine/memory/a.cpp", '#include "transport/shm/region.hpp"\n') == 0
    yield "lets no layer above name a type of a network", use("exchange/wire.cpp", "NetworkEndpoint &endpoint;\n") == 1
    yield "lets it name no plain type either", use("reduce/ring.hpp", "transport::RemoteKey key;\nTransfer word;\n") == 2
    yield "lets it not include the alias", use("exchange/wire.hpp", f'#include "{layers.ALIAS}"\n') == 1
    yield "lets a comment name them", use("exchange/wire.cpp", layers.COMMENT.sub("", "int n;  // of a Transfer\n")) == 0
    yield "lets the engine use all types", use("engine/rma/a.cpp", "transport::RemoteKey key;\nTransfer word;\n") == 0


def outside_checks(layers, root):
    """Pairs of a sentence and whether it holds."""
    def outside(path, text):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
        faults, number = layers.faults_outside(root)
        (root / path).unlink()
        return len(faults), number
    (root / "src/base").mkdir(parents=True)
    (root / "src/base/counter.hpp").write_text("")
    yield "lets an app include public headers", outside("apps/a.cpp", "#include <halocline/halocline.h>\n") == (0, 1)
    yield "lets none include the sources", outside("apps/a.cpp", '#include "base/counter.hpp"\n') == (1, 1)
    inside = next(iter(layers.INSIDERS))
    yield "lets the program that reports on the library include some", outside(inside / "a.cpp", '#include "base/counter.hpp"\n') == (0, 1)
    yield "lets an app link the library", outside("apps/CMakeLists.txt", "target_link_libraries(a halocline)\n") == (0, 0)
    yield "lets none link a layer", outside("apps/CMakeLists.txt", "target_link_libraries(a halocline_engine)\n") == (1, 0)


def main():
    layers = load(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="halocline-test-") as folder:
        path = pathlib.Path(folder)
        results = [*arrow_checks(layers), *circle_checks(layers, path / "circles"), *network_checks(layers, path / "networks"),
                   *outside_checks(layers, path / "outside")]
    report(results)


if __name__ == "__main__":
    main()
