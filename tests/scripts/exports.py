#!/usr/bin/env python3
"""Checks what libhalocline shows to the world: every function of the C headers, nothing else, and a soname.

Usage: exports.py LIBRARY HEADER...

SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib
import re
import subprocess
import sys


def output_of(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def main():
    library, header = sys.argv[1], "".join(pathlib.Path(name).read_text() for name in sys.argv[2:])
    symbols = {line.split()[-1] for line in output_of("nm", "-D", "--defined-only", library).splitlines()}
    exported = {name.split("@")[0] for name in symbols}
    declared = set(re.findall(r"HLC_API[^;]*?\b(hlc_\w+)\s*\(", header))
    soname = re.findall(r"SONAME.*\[(libhalocline\.so\.\d+)\]", output_of("readelf", "-d", library))

    faults = []
    if not declared:
        faults.append("found no HLC_API function in the header")
    if declared - exported:
        faults.append(f"declared but not exported: {sorted(declared - exported)}")
    if exported - declared:
        faults.append(f"exported but not declared: {sorted(exported - declared)}")
    if not soname:
        faults.append("the library has no soname libhalocline.so.<major>")
    print("\n".join(faults) if faults else f"{len(declared)} functions, soname {soname[0]}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
