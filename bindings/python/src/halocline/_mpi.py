"""Chooses the variant of the extension for the MPI of this process, and loads that MPI where it is not there yet.

MPIs have three binary interfaces, and a process can hold one MPI only. An MPI that is loaded already decides, mpi4py's most often. Else
HALOCLINE_PYTHON_MPI decides, then mpi4py's own variable MPI4PY_MPIABI, then the launcher, then whichever MPI can be loaded.

SPDX-License-Identifier: BSD-3-Clause
"""
import ctypes
import os
import re
import shutil
import sys
from pathlib import Path

# The variants: an interface each, by the library that has it.
LIBRARIES = {"mpich": "libmpi.so.12", "openmpi": "libmpi.so.40", "mpiabi": "libmpi_abi.so.1"}
NAMES = {"mpich": "MPICH, or another MPI with its interface", "openmpi": "Open MPI", "mpiabi": "an MPI with the MPI-5 interface"}
# What a launcher puts into the environment of its ranks.
LAUNCHERS = (("OMPI_COMM_WORLD_SIZE", "openmpi"), ("PMI_SIZE", "mpich"), ("MPI_LOCALNRANKS", "mpich"))
FOLDER = Path(__file__).parent


def built() -> list[str]:
    """The variants that this installation has."""
    return [variant for variant in LIBRARIES if any((FOLDER / f"_{variant}").glob("_core.*"))]


def loaded() -> dict[str, str]:
    """The MPIs in this process: the path of the library by its variant."""
    found: dict[str, str] = {}
    for line in Path("/proc/self/maps").read_text().splitlines():
        path = line.partition("/")[2]
        for variant, library in LIBRARIES.items():
            if re.search(rf"(^|/){re.escape(library)}(\.|$)", path):
                found.setdefault(variant, f"/{path}")
    return found


def forced() -> str | None:
    """What HALOCLINE_PYTHON_MPI says."""
    name = os.environ.get("HALOCLINE_PYTHON_MPI", "")
    if name and name not in LIBRARIES:
        raise ImportError(f"HALOCLINE_PYTHON_MPI is {name!r}; it names one of {', '.join(LIBRARIES)}")
    return name or None


def preferred() -> list[str]:
    """All variants, those first for which the environment speaks."""
    hints = [os.environ.get("MPI4PY_MPIABI", ""), *(variant for name, variant in LAUNCHERS if name in os.environ)]
    return list(dict.fromkeys([*(hint for hint in hints if hint in LIBRARIES), *LIBRARIES]))


def places(library: str) -> list[str]:
    """Where a library may be: where the dynamic loader looks, in this Python's prefix, beside the launcher on the PATH."""
    launcher = shutil.which("mpiexec")
    prefixes = [sys.prefix, *([str(Path(launcher).resolve().parents[1])] if launcher else [])]
    return [library, *(path for prefix in prefixes if os.path.exists(path := f"{prefix}/lib/{library}"))]


def load(variant: str) -> str | None:
    """Loads an MPI of this variant; the reason if none can be loaded."""
    reason = None
    for place in places(LIBRARIES[variant]):
        try:
            ctypes.CDLL(place, mode=os.RTLD_NOW | os.RTLD_GLOBAL)
            return None
        except OSError as error:
            reason = str(error)
    return reason


def two_mpis(here: dict[str, str], wanted: str) -> ImportError:
    """What to say where two MPIs would meet."""
    others = " and ".join(f"{NAMES[variant]} ({path})" for variant, path in here.items() if variant != wanted)
    return ImportError(
        f"this process has loaded {others}, and halocline would need {NAMES[wanted]}. Two MPIs in one process do not work: use one MPI for "
        "all (HALOCLINE_PYTHON_MPI and MPI4PY_MPIABI choose), and start with its own mpiexec"
    )


def check_one() -> None:
    """Raises ImportError if another MPI than the chosen one has been loaded since."""
    here = loaded()
    if chosen and set(here) - {chosen}:
        raise two_mpis(here, chosen)


def not_built(variant: str) -> ImportError:
    """What to say where this installation lacks a variant."""
    there = ", ".join(NAMES[one] for one in built()) or "no MPI"
    return ImportError(f"this halocline was not built for {NAMES[variant]} ({LIBRARIES[variant]}), but for {there}")


def choose() -> str:
    """The variant for this process; its MPI is loaded when this returns."""
    here, name = loaded(), forced()
    if name and set(here) - {name}:
        raise two_mpis(here, name)
    if len(here) > 1:
        raise two_mpis(here, next(variant for variant in preferred() if variant in here))
    if here:
        name = next(iter(here))
    if name and name not in built():
        raise not_built(name)
    if here:
        return next(iter(here))
    reasons = []
    for variant in [name] if name else [variant for variant in preferred() if variant in built()]:
        reason = load(variant)
        if reason is None:
            # mpi4py, should it be imported later, then takes the same MPI.
            os.environ.setdefault("MPI4PY_MPIABI", variant)
            return variant
        reasons.append(f"{NAMES[variant]}: {reason}")
    raise ImportError(f"no MPI can be loaded ('pip install mpich' brings one, or load a module of your site): {'; '.join(reasons)}")


chosen: str | None = None


def variant() -> str:
    """The variant of this process, chosen at the first call."""
    global chosen  # noqa: PLW0603 - a process has one MPI
    if chosen is None:
        chosen = choose()
    return chosen
