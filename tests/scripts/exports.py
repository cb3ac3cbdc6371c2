#!/usr/bin/env python3
"""Checks what a library shows to the world: every function of its C headers, nothing else, and a soname.

Usage: exports.py LIBRARY PREFIX[=PROFILING] HEADER... [+NAME...]    PREFIX: how the names of the functions begin; NAME: another name
that is exported and declared elsewhere

With PROFILING each function stands there twice: under its own name, which is weak, and strong with that prefix; a header declares that by
PREFIX_PROFILED(name).

SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib
import re
import subprocess
import sys


def output_of(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def main():
    library = sys.argv[1]
    header = "".join(pathlib.Path(name).read_text() for name in sys.argv[3:] if not name.startswith("+"))
    name = re.sub(r"\.so.*", ".so", pathlib.Path(library).name)
    prefix, _, profiling = sys.argv[2].partition("=")
    symbols = {line.split()[-1]: line.split()[-2] for line in output_of("nm", "-D", "--defined-only", library).splitlines()}
    kinds = {name.split("@")[0]: kind for name, kind in symbols.items()}
    exported = set(kinds)
    declared = set(re.findall(rf"[A-Z]_API[^;]*?\b({prefix}\w+)\s*\(", header))
    strong = {profiling + name for name in re.findall(r"[A-Z]_PROFILED\((\w+)\);", header)} if profiling else set()
    soname = re.findall(rf"SONAME.*\[({re.escape(name)}\.\d+)\]", output_of("readelf", "-d", library))

    faults = []
    if not declared:
        faults.append("found no function in the header")
    if profiling and strong != {name.replace(prefix, profiling, 1) for name in declared}:
        faults.append(f"not declared twice: {sorted(strong ^ {name.replace(prefix, profiling, 1) for name in declared})}")
    if profiling and any(kinds.get(name) != "W" for name in declared):
        faults.append(f"not weak: {sorted(name for name in declared if kinds.get(name) != 'W')}")
    declared |= strong | {name[1:] for name in sys.argv[3:] if name.startswith("+")}
    if declared - exported:
        faults.append(f"declared but not exported: {sorted(declared - exported)}")
    if exported - declared:
        faults.append(f"exported but not declared: {sorted(exported - declared)}")
    if not soname:
        faults.append(f"the library has no soname {name}.<major>")
    print("\n".join(faults) if faults else f"{len(declared)} functions, soname {soname[0]}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
