"""Chooses the variant of the extension for the MPI of this process, and loads that MPI where it is not there yet.

MPIs have three binary interfaces, and a process can hold one MPI only. An MPI that is loaded already decides, mpi4py's most often. Else
HALOCLINE_PYTHON_MPI decides, then mpi4py's own variables MPI4PY_LIBMPI and MPI4PY_MPIABI, then the launcher, then where the MPI is: an MPI
that was installed into this Python comes before the system's, as in mpi4py. MPICH has several names, and the extension needs one of them:
_mpi_alias.py lets the library answer to it.

SPDX-License-Identifier: BSD-3-Clause
"""
import ctypes
import os
import shutil
import site
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


def plain(name: str) -> str:
    """A variant as mpi4py reads it: "MPI-ABI" is mpiabi, and Intel MPI has MPICH's interface."""
    found = name.translate({ord(sign): "" for sign in " -_"}).lower()
    return "mpich" if found == "impi" else found


def hints() -> list[str]:
    """The variants for which the environment speaks: mpi4py's variable, then the launcher's."""
    named = [plain(os.environ.get("MPI4PY_MPIABI", "")), *(variant for name, variant in LAUNCHERS if name in os.environ)]
    return list(dict.fromkeys(variant for variant in named if variant in LIBRARIES))


def preferred() -> list[str]:
    """All variants, those first for which the environment speaks."""
    return list(dict.fromkeys([*hints(), *LIBRARIES]))


def own_folders() -> list[Path]:
    """Where packages of this Python put an MPI: its virtual environment, the user's packages, the Python itself; as in mpi4py."""
    prefixes = [sys.exec_prefix, *([site.getuserbase()] if site.ENABLE_USER_SITE else []), sys.base_exec_prefix]
    return list(dict.fromkeys(Path(prefix) / "lib" for prefix in prefixes if prefix != "/usr"))


def launcher_folders() -> list[Path]:
    """Beside the launcher on the PATH."""
    launcher = shutil.which("mpiexec")
    return [Path(launcher).resolve().parents[1] / "lib"] if launcher else []


def named_in(folder: Path, variants: list[str]) -> list[tuple[str, str]]:
    """Libraries of these variants in a folder; first that of the folder's libmpi.so."""
    first = _mpi_names.variant_of((folder / "libmpi.so").resolve().name)
    found = []
    for variant in sorted(variants, key=lambda one: one != first):
        names = [path.name for name in _mpi_names.NAMES[variant] for path in sorted(folder.glob(name))]
        found += [(variant, str(folder / name)) for name in dict.fromkeys(names)]
    return found


def places(variants: list[str]) -> list[tuple[str, str]]:
    """Where libraries of these variants may be, with the variant: this Python's folders, then the dynamic loader's, then the launcher's.
    The loader searches by whole names; patterns of names are searched for on its path."""
    found = [place for folder in own_folders() for place in named_in(folder, variants)]
    found += [(variant, name) for variant in variants for name in _mpi_names.NAMES[variant] if "*" not in name]
    searched = [*(Path(folder) for folder in os.environ.get("LD_LIBRARY_PATH", "").split(":") if folder), *launcher_folders()]
    return found + [place for folder in searched for place in named_in(folder, variants)]


def open_library(place: str) -> str | None:
    """Loads a library; the reason if it cannot be loaded."""
    try:
        ctypes.CDLL(place, mode=os.RTLD_NOW | os.RTLD_GLOBAL)
    except OSError as error:
        return str(error)
    return None


def load(variants: list[str], reasons: dict[str, str]) -> str | None:
    """Loads the first MPI of these variants that can be loaded, and returns its variant. None: the reasons are those of the name that each
    one's own build has, by variant."""
    for variant, place in places(variants):
        reason = open_library(place)
        if reason is None:
            return variant
        # A library that is there and lacks another one says more than one that is not there.
        if variant not in reasons or os.path.exists(place):
            reasons[variant] = reason
    return None


def load_named() -> str | None:
    """Loads the MPI that MPI4PY_LIBMPI names, as mpi4py does: a path of libraries and folders. None: the variable is not set."""
    named = os.environ.get("MPI4PY_LIBMPI", "")
    reasons = []
    for entry in filter(None, named.split(os.pathsep)):
        place = os.path.expanduser(os.path.expandvars(entry))
        inside = [path for _, path in named_in(Path(place), preferred())] if os.path.isdir(place) else [place]
        for path in inside:
            reason = open_library(path)
            if reason is None and loaded():
                return next(iter(loaded().values()))
            reasons.append(reason or f"{path} is not the library of an MPI")
    if named:
        raise ImportError(f"MPI4PY_LIBMPI is {named!r}, and no MPI can be loaded from there: {'; '.join(reasons) or 'there is none'}")
    return None


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
    """Loads the first MPI that can be had, or one of this variant; returns the variant."""
    if not built():
        raise ImportError(f"no compiled extension in {FOLDER}: these are the sources, or an incomplete installation. "
                          "Install a wheel (scripts/build_wheel.sh), or name a build by PYTHONPATH (build/release/python, which ./go test "
                          "makes)")
    named = None if name else load_named()
    if named and named not in built():
        raise not_built(named)
    reasons: dict[str, str] = {}
    wanted = [[name]] if name else [*([hint] for hint in hints()), list(LIBRARIES)]
    for variants in [] if named else wanted:
        named = named or load([variant for variant in variants if variant in built()], reasons)
    if named:
        # mpi4py, should it be imported later, then takes the same MPI.
        os.environ.setdefault("MPI4PY_MPIABI", named)
        return named
    told = "; ".join(f"{NAMES[variant]}: {reasons[variant]}" for variant in LIBRARIES if variant in reasons)
    raise ImportError(f"no MPI can be loaded ('pip install mpich' provides one, or load a module of your site): {told}")


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
