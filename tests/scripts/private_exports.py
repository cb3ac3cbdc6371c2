#!/usr/bin/env python3
"""Checks what the core library exports: symbols of the namespace halocline::core under the version HALOCLINE_PRIVATE, and nothing else. It
has a soname. Each other library needs some of them, and finds every one that it needs.

Usage: private_exports.py CORE LIBRARY...

SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib
import re
import subprocess
import sys

VERSION = "HALOCLINE_PRIVATE"
OURS = re.compile(r"(?:(?:vtable|typeinfo|typeinfo name) for )?halocline::core::")


def output_of(*command, text=None):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, input=text, text=True).stdout


def symbols(library, which):
    """Names with their versions: `name@@VERSION` of what is defined, `name@VERSION` of what is needed."""
    return [line.split()[-1] for line in output_of("nm", "-D", "--with-symbol-versions", which, library).splitlines()]


def faults_of_core(core, shown):
    """Sentences about symbols that are not private, or not ours."""
    faults = [f"not of version {VERSION}: {symbol}" for symbol in sorted(shown.values()) if not symbol.endswith("@@" + VERSION)]
    readable = output_of("c++filt", text="\n".join(shown)).splitlines()
    faults += [f"not of the namespace halocline::core: {name}" for name in readable if not OURS.match(name)]
    if not re.search(r"SONAME.*\[libhalocline_core\.so\.\d+\]", output_of("readelf", "-d", core)):
        faults.append("the library has no soname libhalocline_core.so.<major>")
    return faults


def faults_of_user(library, shown):
    """Sentences about what another library needs and does not find, or that it needs nothing."""
    needed = [symbol.split("@")[0] for symbol in symbols(library, "--undefined-only") if symbol.endswith("@" + VERSION)]
    name = pathlib.Path(library).name
    if not needed:
        return [f"{name} needs nothing of the core"]
    return [f"{name} needs {symbol}, which the core does not export" for symbol in needed if symbol not in shown]


def main():
    core, users = sys.argv[1], sys.argv[2:]
    shown = {symbol.split("@")[0]: symbol for symbol in symbols(core, "--defined-only") if symbol != VERSION}
    faults = faults_of_core(core, shown)
    for library in users:
        faults += faults_of_user(library, shown)
    if not shown or not users:
        faults.append("found nothing to check")
    print("\n".join(faults) if faults else f"{len(shown)} private symbols for {len(users)} libraries")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
