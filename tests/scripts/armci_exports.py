#!/usr/bin/env python3
"""Checks what libhalocline_armci shows: every function of armci.h, message.h, armcix.h and parmci.h, nothing else, and a soname. A function
of the profiling interface is strong, and its name without P is weak.

Usage: armci_exports.py LIBRARY HEADER...

SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib
import re
import subprocess
import sys

DECLARED = re.compile(r"^[\w *]*?\b(P?ARMCIX?_\w+|p?armci_\w+)\([^;{]*\);", re.MULTILINE)
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


def output_of(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def main():
    library, headers = sys.argv[1], "".join(pathlib.Path(name).read_text() for name in sys.argv[2:])
    declared = set(DECLARED.findall(COMMENT.sub("", headers)))
    kinds = {line.split()[-1].split("@")[0]: line.split()[-2] for line in output_of("nm", "-D", "--defined-only", library).splitlines()}
    profiled = {name for name in declared if name.startswith(("PARMCI_", "parmci_"))}
    faults = [f"declared but not exported: {name}" for name in sorted(declared - set(kinds))]
    faults += [f"exported but not declared: {name}" for name in sorted(set(kinds) - declared)]
    faults += [f"not weak: {name[1:]}" for name in sorted(profiled) if kinds.get(name[1:]) != "W"]
    faults += [f"not strong: {name}" for name in sorted(profiled) if kinds.get(name) != "T"]
    if not re.search(r"SONAME.*\[libhalocline_armci\.so\.\d+\]", output_of("readelf", "-d", library)):
        faults.append("the library has no soname libhalocline_armci.so.<major>")
    if not profiled:
        faults.append("found no function in the headers")
    print("\n".join(faults) if faults else f"{len(declared)} functions, {len(profiled)} of them for profiling")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
