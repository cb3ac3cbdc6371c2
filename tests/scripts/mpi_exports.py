#!/usr/bin/env python3
"""Checks what libhalocline_mpi exports: each function that it interposes (the list of host_table.hpp) under its names MPI_X and PMPI_X,
what Fortran bindings call for attributes of windows, the functions of halocline/mpix.h under both names, and nothing else.

Usage: mpi_exports.py LIBRARY [HOST_HPP]    without HOST_HPP: of libhalocline_mpix, which has those of mpix.h alone

SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib
import re
import subprocess
import sys


OF_FORTRAN = re.compile(r"MPII_Win_get_attr|ompi_win_get_attr_f|p?mpi_win_get_attr_{0,2}|P?MPI_WIN_GET_ATTR")
MPIX = pathlib.Path(__file__).resolve().parents[2] / "include/halocline/mpix.h"


def main():
    library, header = sys.argv[1], pathlib.Path(sys.argv[2]).read_text() if len(sys.argv) > 2 else ""
    listed = subprocess.run(["nm", "-D", "--defined-only", library], check=True, stdout=subprocess.PIPE, text=True).stdout
    exported = {line.split()[-1].split("@")[0] for line in listed.splitlines()}
    names = re.findall(r"^HLC_MPI_HOST\((\w+)\)", header, re.MULTILINE)
    notified = re.findall(r"^int (MPIX_\w+)\(", MPIX.read_text(), re.MULTILINE)
    wanted = {prefix + name for prefix in ("MPI_", "PMPI_") for name in names}
    wanted |= {prefix + name for prefix in ("", "P") for name in notified}
    # Those for large counts, and of MPI 4.1, are there if the MPI has them.
    missing = {name for name in wanted - exported if not ((name.endswith("_c") and "MPI_" in name) or "MPI_Request_get_status_" in name)}
    fortran = {name for name in exported if OF_FORTRAN.fullmatch(name)}
    faults = [f"not exported: {name}" for name in sorted(missing)] + [f"exported: {name}" for name in sorted(exported - wanted - fortran)]
    if header and not fortran:
        faults.append("not exported: what Fortran calls for attributes")
    if (header and not names) or not notified:
        faults.append("found no function in a header")
    print("\n".join(faults) or f"{len(exported)} functions")
    return 1 if faults else 0


sys.exit(main())
