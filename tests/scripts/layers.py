#!/usr/bin/env python3
"""Checks the layer arrow. Every #include "layer/..." in src/ must point down: api > choice, blocks > halo, index_halo > exchange > engine >
transport > trace > base; engine, exchange, halo, index_halo and faces > device > base; reduce, sparse and faces > engine; choice and reduce
> model > base; inside the engine: sync > rma; rma, context > network > elements, progress; elements > memory > communicator. A face may
include faces/common, and no other face. What stands outside, from the mini-apps to the bindings, sees the public headers alone. And no
rooms, within a layer or across, may include each other in a circle; a room is the files of one folder that have one name.

The context, engine/context/context.hpp, is for the api and the faces, which make it, and for the files listed below. All others get the
parts of the engine that they need; plans get those that exchange/engine_parts.hpp lists.

Usage: layers.py SRC_FOLDER

The build enforces the layers by include paths; this check also sees files that no target compiles, transports that know each other, and
build files that link or include a layer. Circles only this check sees.

Two files outside src/transport name a network, by its folder and its namespace: engine/network/network_transport.hpp brings
NetworkEndpoint, NetworkSegment and the plain types that transport/*.hpp declare, engine/network/network_names.hpp only the names of
these. A layer that may not include transport (exchange, reduce, faces, ...) names none of these: it sends messages to other nodes with
engine/network/slot_channel.hpp.
Tests are not looked at: some are about one network.

SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib
import re
import sys

# What each layer may include. Two layers below is one too far, but for base and trace, which everybody may use.
MAY_USE = {
    "base": {"base"},
    "trace": {"trace", "base"},
    "device": {"device", "base"},
    "transport": {"transport", "trace", "base"},
    "engine": {"engine", "transport", "device", "trace", "base"},
    "helper": {"helper", "engine", "transport", "base"},
    "faces": {"faces", "engine", "device", "trace", "base"},
    "exchange": {"exchange", "engine", "device", "trace", "base"},
    "reduce": {"reduce", "model", "engine", "trace", "base"},
    "sparse": {"sparse", "engine", "trace", "base"},
    "model": {"model", "base"},
    "choice": {"choice", "model", "exchange", "engine", "trace", "base"},
    "halo": {"halo", "exchange", "engine", "device", "trace", "base"},
    "blocks": {"blocks", "halo", "exchange", "engine", "device", "trace", "base"},
    "index_halo": {"index_halo", "exchange", "engine", "device", "trace", "base"},
    "api": {"api", "choice", "blocks", "halo", "index_halo", "reduce", "sparse", "model", "exchange", "engine", "device", "trace", "base"},
}
# The same inside the engine, by folder.
ENGINE_MAY_USE = {
    "communicator": {"communicator"},
    "memory": {"memory", "communicator"},
    "elements": {"elements", "memory"},
    "progress": {"progress", "communicator"},
    "network": {"network", "progress", "elements", "memory", "communicator"},
    "rma": {"rma", "network", "progress", "elements", "memory", "communicator"},
    "sync": {"sync", "rma", "network", "progress", "memory", "communicator"},
    "context": {"context", "network", "progress", "memory", "communicator"},
}
# Likewise in the MPI face, for the folders that know no windows.
MPI_FACE_MAY_USE = {"handle": {"handle"}, "datatype": {"datatype", "handle"}}
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
# Where a network is named. Shared memory is no choice: engine and helper use it as it is.
ALIAS, SHARED_MEMORY = pathlib.PurePath("engine/network/network_transport.hpp"), "shm"
NAMES = pathlib.PurePath("engine/network/network_names.hpp")
NAMED = re.compile(r"\btransport::(\w+)")
OF_NETWORK = re.compile(r"\b(?:transport::\w+|NetworkEndpoint|NetworkSegment|Transfer)\b")
COMMENT = re.compile(r"//.*")
# Who sees the whole context: folders, and single files that plans begin with.
CONTEXT = "engine/context/context.hpp"
SEES_CONTEXT = ("engine/context", "api", "faces", "reduce/allreduce.hpp")
# Beside src/: users of the library like everybody else. Tests may look inside.
OUTSIDE = ("apps", "bindings", "examples", "include", "tools")
# Of the same build as the library, and reports what it decides: it may see these layers as well.
INSIDERS = {pathlib.PurePath("tools/info"): ("base/", "transport/", "engine/rma/network_memory.hpp")}
ANY_INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.MULTILINE)
LAYER_TARGET = re.compile(rf"\bhalocline_(?:{'|'.join(MAY_USE)})(?![.\w])|PROJECT_SOURCE_DIR}}/src\b")


def faults_of(path, source):
    """Sentences about the includes of one file that go against the arrow."""
    layer = path.parts[0]
    if layer not in MAY_USE:
        return [f"{path}: the folder '{layer}' is no layer; the layers are {', '.join(MAY_USE)}"]
    faults = []
    for target in INCLUDE.findall(source):
        used = pathlib.PurePath(target).parts
        if used[0] not in MAY_USE[layer]:
            faults.append(f"{path}: layer {layer} may not include {target}")
        elif layer == used[0] == "engine" and used[1] not in ENGINE_MAY_USE.get(path.parts[1], ()):
            faults.append(f"{path}: engine/{path.parts[1]} may not include {target}")
        # One face does not know another; what they share is faces/common.
        elif layer == used[0] == "faces" and used[1] not in (path.parts[1], "common"):
            faults.append(f"{path}: faces/{path.parts[1]} may not include {target}")
        elif used[:2] == ("faces", "mpi") and used[2] not in MPI_FACE_MAY_USE.get(path.parts[2], {used[2]}):
            faults.append(f"{path}: faces/mpi/{path.parts[2]} may not include {target}")
        # One transport does not know another; what they share is transport/transport.hpp.
        elif layer == used[0] == "transport" and len(used) == 3 and len(path.parts) == 3 and used[1] != path.parts[1]:
            faults.append(f"{path}: transport {path.parts[1]} may not include {target}")
        elif target == CONTEXT and not any(path.is_relative_to(seer) for seer in SEES_CONTEXT):
            faults.append(f"{path}: may not include {target}, only parts of the engine; the api makes plans with exchange/engine_parts.hpp")
    return faults


def read_rooms(root, files):
    """By room, the other rooms that its files include. What no file of src is, such as a public header, is none."""
    rooms = {}
    for path in files:
        room = rooms.setdefault(path.relative_to(root).with_suffix("").as_posix(), set())
        targets = (target for target in INCLUDE.findall(path.read_text()) if (root / target).is_file())
        room |= {pathlib.PurePath(target).with_suffix("").as_posix() for target in targets}
    return {room: used - {room} for room, used in rooms.items()}


def reach_of(rooms, start):
    """All rooms that one includes, at first or second hand; itself only in a circle."""
    reached, new = set(), set(rooms[start])
    while new:
        reached |= new
        new = {used for room in new for used in rooms.get(room, ())} - reached
    return reached


def find_circles(rooms):
    """The sets of rooms of which each includes each other, at first or second hand."""
    reach = {room: reach_of(rooms, room) for room in rooms}
    circles = {frozenset(other for other in reach[room] if room in reach.get(other, ())) for room in rooms if room in reach[room]}
    return sorted(map(sorted, circles))


def short_way(rooms, circle):
    """The shortest way from the first room of a circle back to it."""
    ways = [[circle[0]]]
    while True:
        ways = [[*way, used] for way in ways for used in sorted(rooms[way[-1]] & set(circle)) if used not in way[1:]]
        for way in ways:
            if way[-1] == way[0]:
                return " > ".join(way)


def faults_of_circles(rooms):
    """Sentences about circles."""
    return [f"{len(circle)} rooms are a circle of includes: {', '.join(circle)}; for one, {short_way(rooms, circle)}"
            for circle in find_circles(rooms)]


def networks_in(root):
    """The folders of networks, which are also their namespaces."""
    return {path.name for path in (root / "transport").iterdir() if path.is_dir()} - {SHARED_MEMORY}


def faults_of_naming(root, path, code):
    """Sentences about the networks that one file names."""
    networks = networks_in(root)
    found = [target for target in INCLUDE.findall(code) if target.split("/")[0] == "transport" and target.split("/")[1] in networks]
    found += [f"transport::{name}" for name in sorted(set(NAMED.findall(code)) & networks)]
    if path.parts[0] == "transport" or path in (ALIAS, NAMES):
        return []
    return [f"{path}: only {ALIAS} may name {name}" for name in found]


def faults_of_use(path, code):
    """Sentences about the types of a network that a file of a layer above names, at first or second hand."""
    if "transport" in MAY_USE.get(path.parts[0], {"transport"}):
        return []
    named = sorted(set(OF_NETWORK.findall(code)) | ({str(ALIAS)} & set(INCLUDE.findall(code))))
    return [f"{path}: layer {path.parts[0]} may not name {name}, which is a network's" for name in named]


def faults_outside(root):
    """Sentences about files outside src/ that reach into it, and how many files there are."""
    faults, number = [], 0
    for path in (path for folder in OUTSIDE for path in sorted((root / folder).rglob("*")) if path.is_file()):
        seen = INSIDERS.get(path.relative_to(root).parent, ())
        if path.name == "CMakeLists.txt" and seen:
            continue
        if path.name == "CMakeLists.txt" or path.suffix == ".cmake":
            faults += [f"{path}: only the public library may be used, not {found}" for found in LAYER_TARGET.findall(path.read_text())]
        elif path.suffix in (".hpp", ".cpp", ".h", ".c", ".F90", ".inc"):
            number += 1
            faults += [f"{path}: only public headers may be included, not {target}" for target in ANY_INCLUDE.findall(path.read_text())
                       if ((root / "src" / target).exists() or "src/" in target) and not (seen and target.startswith(seen))]
    return faults, number


def main():
    root = pathlib.Path(sys.argv[1])
    files = [path for path in sorted(root.rglob("*")) if path.suffix in (".hpp", ".cpp", ".h", ".c") and path.is_file()]
    includes = 0
    faults = []
    for path in files:
        source = path.read_text()
        includes += len(INCLUDE.findall(source))
        faults += faults_of(path.relative_to(root), source)
        code = COMMENT.sub("", source)
        faults += faults_of_naming(root, path.relative_to(root), code) + faults_of_use(path.relative_to(root), code)
    rooms = read_rooms(root, files)
    faults += faults_of_circles(rooms)
    found, outside = faults_outside(root.parent)
    faults += found
    print("\n".join(faults))
    missing = sorted(set(MAY_USE) - {path.relative_to(root).parts[0] for path in files})
    if not includes or not outside or missing or not networks_in(root):
        print(f"nothing to check in {root}: {len(files)} files, {includes} includes, {outside} files outside; layers missing: {missing}; "
              f"networks: {networks_in(root)}")
        return 1
    print(f"{len(files)} files with {includes} includes, and {outside} files outside: {len(faults)} against the arrow; "
          f"{len(rooms)} rooms")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
