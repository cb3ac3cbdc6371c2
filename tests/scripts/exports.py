#!/usr/bin/env python3
"""Checks what a library shows to the world: every function of its C headers, nothing else, and a soname.

Usage: exports.py LIBRARY PREFIX HEADER...       PREFIX: how the names of the functions begin

SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib
import re
import subprocess
import sys


def output_of(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def main():
    library, prefix, header = sys.argv[1], sys.argv[2], "".join(pathlib.Path(name).read_text() for name in sys.argv[3:])
    name = re.sub(r"\.so.*", ".so", pathlib.Path(library).name)
    symbols = {line.split()[-1] for line in output_of("nm", "-D", "--defined-only", library).splitlines()}
    exported = {name.split("@")[0] for name in symbols}
    declared = set(re.findall(rf"[A-Z]_API[^;]*?\b({prefix}\w+)\s*\(", header))
    soname = re.findall(rf"SONAME.*\[({re.escape(name)}\.\d+)\]", output_of("readelf", "-d", library))

    faults = []
    if not declared:
        faults.append("found no function in the header")
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
