#!/usr/bin/env python3
"""Checks what the core library exports: symbols of the namespace halocline::core under a private version, and nothing else. The version of
the project ends the name of that version and the soname, so that libraries of another one do not bind. Each other library needs some of
the symbols, and finds every one that it needs.

Usage: private_exports.py CORE LIBRARY...

SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib
import re
import subprocess
import sys

SONAME = re.compile(r"SONAME.*\[libhalocline_core\.so\.(\d+\.\d+\.\d+)\]")
OURS = re.compile(r"(?:(?:vtable|typeinfo|typeinfo name) for )?halocline::core::")


def output_of(*command, text=None):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, input=text, text=True).stdout


def symbols(library, which):
    """Names with their versions: `name@@VERSION` of what is defined, `name@VERSION` of what is needed."""
    return [line.split()[-1] for line in output_of("nm", "-D", "--with-symbol-versions", which, library).splitlines()]


def private_version(core):
    """The version that the core's symbols must have, as its soname says; empty if it has no such soname."""
    match = SONAME.search(output_of("readelf", "-d", core))
    return f"HALOCLINE_PRIVATE_{match[1]}" if match else ""


def faults_of_core(shown, version):
    """Sentences about symbols that are not private, or not ours."""
    faults = [f"not of version {version}: {symbol}" for symbol in sorted(shown.values()) if not symbol.endswith("@@" + version)]
    readable = output_of("c++filt", text="\n".join(shown)).splitlines()
    return faults + [f"not of the namespace halocline::core: {name}" for name in readable if not OURS.match(name)]


def faults_of_user(library, shown, version):
    """Sentences about what another library needs and does not find, or that it needs nothing."""
    needed = [symbol.split("@")[0] for symbol in symbols(library, "--undefined-only") if symbol.endswith("@" + version)]
    name = pathlib.Path(library).name
    if not needed:
        return [f"{name} needs nothing of the core"]
    return [f"{name} needs {symbol}, which the core does not export" for symbol in needed if symbol not in shown]


def main():
    core, users = sys.argv[1], sys.argv[2:]
    version = private_version(core)
    if not version:
        print("the library has no soname libhalocline_core.so.<major>.<minor>.<patch>")
        return 1
    shown = {symbol.split("@")[0]: symbol for symbol in symbols(core, "--defined-only") if symbol != version}
    faults = faults_of_core(shown, version)
    for library in users:
        faults += faults_of_user(library, shown, version)
    if not shown or not users:
        faults.append("found nothing to check")
    print("\n".join(faults) if faults else f"{len(shown)} symbols of {version} for {len(users)} libraries")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
