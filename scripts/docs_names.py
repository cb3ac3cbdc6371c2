"""Finds public names without a comment: in the headers for C and C++ by doxygen's XML, in Fortran modules and Python by their sources.

SPDX-License-Identifier: BSD-3-Clause
"""
import ast
import pathlib
import re
import shutil
import sys
import tempfile
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "docs" / "extensions"))
import fortran_names  # noqa: E402
import headers  # noqa: E402

HEADERS = ROOT / "include"
MODULES = ROOT / "bindings" / "fortran"
PACKAGE = ROOT / "bindings" / "python" / "src" / "halocline"
# Guards, versions, what attributes expand to, and what counts the values of an enum.
PLAIN = re.compile(r"\w+_H|(HLC|GASPI|SHMEM)_(API|NODISCARD|NORETURN|INT|VERSION_\w+|\w+_VERSION|REVISION)|\w+_COUNT_")
# Types and constants of GASPI and OpenSHMEM are described by their specifications.
OF_A_STANDARD = re.compile(r"gaspi_\w+_t|gaspi_u?(?:char|short|int|long)|gaspi_(?:float|double)|GASPI_\w+|gaspi_\w+::\w+"
                           r"|_?SHMEM_\w+|shmem_\w+_t")
STANDARDS = ("GASPI.h", "shmem.h", "halocline/shmem/names.h")
# Constants of ARMCI have the names that Global Arrays and ARMCI-MPI give them, which say what they are.
OF_ARMCI = re.compile(r"ARMCI_[A-Z_]+|FAIL\d?|SCOPE_[A-Z]+|armci_(?:scope|type|domain)_[et]|ARMCI_(?:Acc|Rmw)_e|armci_req_t"
                      r"|ARMCII_MPI_SIZE_T")


def doxygen_is_missing():
    return not shutil.which("doxygen")


def has_comment(node):
    return any("".join(part.itertext()).strip() for kind in ("briefdescription", "detaileddescription") for part in node.findall(kind))


def is_public(node):
    return node.get("prot", "public") == "public"


def is_made_by_the_language(member, owner):
    """Copies and moves, and the destructor, do what they do in any class."""
    name, arguments = member.findtext("name"), member.findtext("argsstring") or ""
    a_class = owner.rpartition("::")[2].partition("<")[0]
    of_one_like_it = re.match(rf"\((?:const )?(?:[\w:]*::)?{a_class}(?:<[^>]*>)? ?&", arguments)
    return name.startswith("~") or (name in (a_class, "operator=") and of_one_like_it)


def header_of(node):
    return node.find("location").get("file").removeprefix(f"{HEADERS}/").removeprefix("include/")


def names_of(compound):
    """(header, name, has a comment) of what a header, a struct, a class or a namespace declares."""
    owner, kind = compound.findtext("compoundname"), compound.get("kind")
    if kind in ("struct", "union", "class"):
        yield header_of(compound), owner, has_comment(compound)
    members = [member for member in compound.iter("memberdef") if is_public(member) and not is_made_by_the_language(member, owner)]
    # `int rank, size; /**< ... */` is one comment for both.
    commented_lines = {(header_of(member), member.find("location").get("line")) for member in members if has_comment(member)}
    for member in members:
        name = member.findtext("name")
        if not PLAIN.fullmatch(name):
            in_full = name if kind == "file" else f"{owner}::{name}"
            yield header_of(member), in_full, (header_of(member), member.find("location").get("line")) in commented_lines
        if member.get("kind") == "enum" and not has_comment(member):
            yield from ((header_of(member), value.findtext("name"), has_comment(value)) for value in member.findall("enumvalue"))


def is_read(compound):
    return compound.get("kind") in ("file", "struct", "union", "class", "namespace") and compound.find("location") is not None \
        and is_public(compound) and "::detail" not in compound.findtext("compoundname")


def header_names():
    """header -> list of (name, has a comment)."""
    found = {str(file.relative_to(HEADERS)): [] for file in HEADERS.rglob("*.h*")}
    with tempfile.TemporaryDirectory() as folder:
        xml_folder = headers.write_xml(pathlib.Path(folder))
        for file in sorted(xml_folder.glob("*.xml")):
            for compound in xml.etree.ElementTree.parse(file).getroot().findall("compounddef"):
                for header, name, commented in names_of(compound) if is_read(compound) else ():
                    found.setdefault(header, []).append((name, commented))
    return found


def fortran_outcomes():
    documented = fortran_names.documentation(MODULES)
    offered = fortran_names.gathered_names((MODULES / "halocline.F90").read_text())
    offered |= fortran_names.public_names((MODULES / "halocline_mpi.F90").read_text())
    missing = sorted(name for name in offered if name.lower() not in documented)
    what = f"all {len(offered)} public names of the modules halocline and halocline_mpi have comments"
    yield f"{what} {missing or ''}".strip(), offered and not missing


def gaspi_outcomes(names):
    """The Fortran module GASPI says of each function only that GASPI.h describes it."""
    functions = set(re.findall(r"^\s*function (gaspi_\w+)\(", (MODULES / "GASPI.F90").read_text(), re.M))
    described = {name for header in ("GASPI.h", "GASPI_Ext.h") for name, commented in names[header] if commented}
    missing = sorted(functions - described)
    what = f"all {len(functions)} functions of the module GASPI are described in its headers"
    yield f"{what} {missing or ''}".strip(), functions and not missing


def is_docstring(node):
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def set_by(function):
    """The attributes of self that a method sets."""
    for node in ast.walk(function):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and getattr(node.value, "id", None) == "self":
            yield node.attr


def members_of(a_class):
    """name -> has a docstring, of the public attributes and methods that a class of the package defines."""
    found = {}
    for node, following in zip(a_class.body, [*a_class.body[1:], None]):
        if isinstance(node, ast.AnnAssign):
            found[node.target.id] = found.get(node.target.id, False) or is_docstring(following)
        elif isinstance(node, ast.FunctionDef):
            found[node.name] = found.get(node.name, False) or ast.get_docstring(node) is not None
            for name in set_by(node):
                found.setdefault(name, False)
    return {name: documented for name, documented in found.items() if not name.startswith("_")}


def python_outcomes():
    """Names in the package's __all__, the members of its classes and of their bases; and whether the reference has each name."""
    trees = [ast.parse(file.read_text()) for file in sorted(PACKAGE.glob("_*.py"))]
    defined = {node.name: node for tree in trees for node in tree.body if isinstance(node, ast.ClassDef | ast.FunctionDef)}
    assigned = {getattr(node.targets[0], "id", ""): node.value for tree in trees for node in tree.body if isinstance(node, ast.Assign)}
    offered = ast.literal_eval(assigned["__all__"])
    documented = {name: ast.get_docstring(defined[name]) is not None for name in offered}
    to_read = [defined[name] for name in offered if isinstance(defined[name], ast.ClassDef)]
    for a_class in to_read:
        documented |= {f"{a_class.name}.{name}": is_documented for name, is_documented in members_of(a_class).items()}
        to_read += [defined[base.id] for base in a_class.bases if getattr(base, "id", None) in defined]
    missing = sorted(name for name, is_documented in documented.items() if not is_documented)
    yield f"all {len(documented)} public names of the Python package have docstrings {missing or ''}".strip(), documented and not missing
    page = (ROOT / "docs" / "reference" / "python.md").read_text()
    absent = sorted(set(offered) ^ set(re.findall(r"^\.\. auto\w+:: halocline\.(\w+)$", page, re.M)))
    yield f"docs/reference/python.md has all {len(offered)} names of the Python package {absent or ''}".strip(), not absent


def check():
    """Yields (sentence, true or false) for each header, for the modules and the Python package."""
    names = header_names()
    # These declare no names of their own for users.
    without = {"PGASPI.h", "parmci.h", "pshmem.h", "shmemx.h", "mpp/shmem.h", "mpp/shmemx.h", "mp3.h", "halocline/shmem/generic.h",
               "halocline/shmem/inline.h", "halocline/shmem/inline_functions.h", "halocline/shmem/overloads.hpp", "halocline/halocline.hpp",
               "halocline/cxx/field_layout.hpp"}
    for header, found in sorted((header, found) for header, found in names.items() if found and header not in without):
        standard = header in STANDARDS
        missing = sorted({name for name, commented in found if not commented and not (standard and OF_A_STANDARD.fullmatch(name))
                          and not OF_ARMCI.fullmatch(name)})
        yield f"all {len(found)} public names of {header} have comments {missing or ''}".strip(), not missing
    empty = {header for header, found in names.items() if not found} - without
    yield f"all headers were read {sorted(empty) or ''}".strip(), not empty
    yield from fortran_outcomes()
    yield from gaspi_outcomes(names)
    yield from python_outcomes()
