"""The names under which MPIs are installed, by their binary interface. MPICH's has several: Debian and vendors rename the library.

SPDX-License-Identifier: BSD-3-Clause
"""
import fnmatch

# Per variant, patterns of names. The first is the name of the MPI's own build. tools/run/abi.cpp has the same table, and
# src/faces/mpi/interpose/loaded_mpi.cpp.
NAMES = {
    "mpich": ("libmpi.so.12", "libmpich.so.12", "libmpi_gnu*.so.12", "libmpi_cray*.so.12", "libmpi_intel*.so.12", "libmpi_nvidia*.so.12",
              "libmpi_amd*.so.12", "libmpi_aocc*.so.12"),
    "openmpi": ("libmpi.so.40",),
    "mpiabi": ("libmpi_abi.so.1",),
}
UNKNOWN = ("libmpi.so.", "libmpich.so.", "libmpi_abi.so.")  # how other versions begin


def variant_of(name: str) -> str | None:
    """The variant of a library of this name, which may have more numbers: "libmpich.so.12.2.2"."""
    for variant, patterns in NAMES.items():
        if any(fnmatch.fnmatchcase(name, pattern) or fnmatch.fnmatchcase(name, f"{pattern}.*") for pattern in patterns):
            return variant
    return None


def is_mpi(name: str) -> bool:
    """Whether it is the library of some MPI, known or not. Libraries for Fortran or C++ beside it are none."""
    return variant_of(name) is not None or name.startswith(UNKNOWN)
