"""Chooses the variant of the extension for the MPI of this process, and loads that MPI where it is not there yet.

MPIs have three binary interfaces, and a process can hold one MPI only. An MPI that is loaded already decides, mpi4py's most often. Else
HALOCLINE_PYTHON_MPI decides, then mpi4py's own variable MPI4PY_MPIABI, then the launcher, then whichever MPI can be loaded. MPICH has
several names, and the extension needs one of them: _mpi_alias.py lets the library answer to it.

SPDX-License-Identifier: BSD-3-Clause
"""
import ctypes
import os
import shutil
import sys
from pathlib import Path

from . import _mpi_alias, _mpi_names

# The variants: an interface each, by the library that has it where the MPI is installed under its own name.
LIBRARIES = {variant: names[0] for variant, names in _mpi_names.NAMES.items()}
NAMES = {"mpich": "MPICH, or another MPI with its interface", "openmpi": "Open MPI", "mpiabi": "an MPI with the MPI-5 interface"}
# What a launcher puts into the environment of its ranks.
LAUNCHERS = (("OMPI_COMM_WORLD_SIZE", "openmpi"), ("PMI_SIZE", "mpich"), ("MPI_LOCALNRANKS", "mpich"))
FOLDER = Path(__file__).parent


def built() -> list[str]:
    """The variants that this installation has."""
    return [variant for variant in LIBRARIES if any((FOLDER / f"_{variant}").glob("_core.*"))]


def loaded() -> dict[str, str]:
    """The MPIs in this process: the variant by the path of the library."""
    found: dict[str, str] = {}
    for line in Path("/proc/self/maps").read_text().splitlines():
        path = line.partition("/")[2]
        variant = _mpi_names.variant_of(path.rpartition("/")[2])
        if variant:
            found[f"/{path}"] = variant
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


def folders() -> list[Path]:
    """Where an MPI may be beside the dynamic loader's own places: in this Python's prefix, beside the launcher on the PATH."""
    launcher = shutil.which("mpiexec")
    prefixes = [sys.prefix, *([str(Path(launcher).resolve().parents[1])] if launcher else [])]
    return [Path(prefix) / "lib" for prefix in prefixes]


def places(variant: str) -> list[str]:
    """Where libraries of a variant may be. The loader searches by whole names; patterns of names are searched for on its path."""
    searched = [*folders(), *(Path(folder) for folder in os.environ.get("LD_LIBRARY_PATH", "").split(":") if folder)]
    found = []
    for name in _mpi_names.NAMES[variant]:
        whole = "*" not in name
        found += [name, *(str(folder / name) for folder in folders() if (folder / name).exists())] if whole else \
            [str(path) for folder in searched for path in sorted(folder.glob(name))]
    return found


def load(variant: str) -> str | None:
    """Loads an MPI of this variant; the reason if none can be loaded, of the name that its own build has."""
    reason = None
    for place in places(variant):
        try:
            ctypes.CDLL(place, mode=os.RTLD_NOW | os.RTLD_GLOBAL)
            return None
        except OSError as error:
            # A library that is there and lacks another one says more than one that is not there.
            reason = reason if reason and not os.path.exists(place) else str(error)
    return reason


def two_mpis(here: dict[str, str], wanted: str) -> ImportError:
    """What to say where two MPIs would meet."""
    others = {path: variant for path, variant in here.items() if variant != wanted} or here
    names = " and ".join(f"{NAMES[variant]} ({path})" for path, variant in others.items())
    needs = "" if others is here else f", and halocline would need {NAMES[wanted]}"
    return ImportError(
        f"this process has loaded {names}{needs}. Two MPIs in one process do not work: use one MPI for all (HALOCLINE_PYTHON_MPI and "
        "MPI4PY_MPIABI choose), and start with its own mpiexec"
    )


def check_one() -> None:
    """Raises ImportError if another MPI than the chosen one has been loaded since."""
    here = loaded()
    if chosen and (len(here) > 1 or set(here.values()) - {chosen}):
        raise two_mpis(here, chosen)


def not_built(variant: str) -> ImportError:
    """What to say where this installation lacks a variant."""
    there = ", ".join(NAMES[one] for one in built()) or "no MPI"
    return ImportError(f"this halocline was not built for {NAMES[variant]} ({LIBRARIES[variant]}), but for {there}")


def load_one(name: str | None) -> str:
    """Loads the MPI of the first variant that can be had, or of this one; returns the variant."""
    if not built():
        raise ImportError(f"no compiled extension in {FOLDER}: these are the sources, or an incomplete installation. "
                          "Install a wheel (scripts/build_wheel.sh), or name a build by PYTHONPATH (build/release/python, which ./go test "
                          "makes)")
    reasons = []
    for variant in [name] if name else [variant for variant in preferred() if variant in built()]:
        reason = load(variant)
        if reason is None:
            # mpi4py, should it be imported later, then takes the same MPI.
            os.environ.setdefault("MPI4PY_MPIABI", variant)
            return variant
        reasons.append(f"{NAMES[variant]}: {reason}")
    raise ImportError(f"no MPI can be loaded ('pip install mpich' provides one, or load a module of your site): {'; '.join(reasons)}")


def choose() -> str:
    """The variant for this process; its MPI is loaded when this returns, under the name that the extension needs."""
    here, name = loaded(), forced()
    if name and set(here.values()) - {name}:
        raise two_mpis(here, name)
    if len(here) > 1:
        raise two_mpis(here, next(variant for variant in preferred() if variant in here.values()))
    name = next(iter(here.values()), name)
    if name and name not in built():
        raise not_built(name)
    variant = name if here and name else load_one(name)
    for path in loaded():
        for extension in (FOLDER / f"_{variant}").glob("_core.*"):
            _mpi_alias.answer(extension, path)
    return variant


chosen: str | None = None


def variant() -> str:
    """The variant of this process, chosen at the first call."""
    global chosen  # noqa: PLW0603 - a process has one MPI
    if chosen is None:
        chosen = choose()
    return chosen
