"""Finds public names without a comment: in the C headers by doxygen's XML, in the Fortran modules by their sources.

SPDX-License-Identifier: BSD-3-Clause
"""
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
# Guards, versions, what attributes expand to, and what counts the values of an enum.
PLAIN = re.compile(r"\w+_H|(HLC|GASPI)_(API|NODISCARD|INT|VERSION_\w+|\w+_VERSION|REVISION)|\w+_COUNT_")
# Types and constants of GASPI are described by its specification.
OF_A_STANDARD = re.compile(r"gaspi_\w+_t|gaspi_u?(?:char|short|int|long)|gaspi_(?:float|double)|GASPI_\w+|gaspi_\w+::\w+")


def doxygen_is_missing():
    return not shutil.which("doxygen")


def has_comment(node):
    return any("".join(part.itertext()).strip() for kind in ("briefdescription", "detaileddescription") for part in node.findall(kind))


def is_public(node):
    return node.get("prot", "public") == "public"


def names_of(compound):
    """(name, has a comment) of what a header, a struct or a class declares."""
    owner, kind = compound.findtext("compoundname"), compound.get("kind")
    if kind in ("struct", "union"):
        yield owner, has_comment(compound)
    members = [member for member in compound.iter("memberdef") if is_public(member)]
    # `int rank, size; /**< ... */` is one comment for both.
    commented_lines = {member.find("location").get("line") for member in members if has_comment(member)}
    for member in members:
        name = member.findtext("name")
        if not PLAIN.fullmatch(name):
            yield (f"{owner}::{name}" if kind == "struct" else name), member.find("location").get("line") in commented_lines
        if member.get("kind") == "enum" and not has_comment(member):
            yield from ((value.findtext("name"), has_comment(value)) for value in member.findall("enumvalue"))


def header_names():
    """header -> list of (name, has a comment)."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        xml_folder = headers.write_xml(pathlib.Path(folder))
        for file in sorted(xml_folder.glob("*.xml")):
            for compound in xml.etree.ElementTree.parse(file).getroot().findall("compounddef"):
                place = compound.find("location")
                if compound.get("kind") not in ("file", "struct", "union") or place is None:
                    continue
                header = place.get("file").removeprefix(f"{HEADERS}/").removeprefix("include/")
                if header.endswith(".h"):
                    found.setdefault(header, []).extend(names_of(compound))
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


def check():
    """Yields (sentence, true or false) for each header and for the modules."""
    names = header_names()
    for header, found in sorted(names.items()):
        standard = header == "GASPI.h"
        missing = sorted({name for name, commented in found if not commented and not (standard and OF_A_STANDARD.fullmatch(name))})
        yield f"all {len(found)} public names of {header} have comments {missing or ''}".strip(), not missing
    expected = {str(file.relative_to(HEADERS)) for file in HEADERS.rglob("*.h")} - {"PGASPI.h"}
    yield f"all headers were read {sorted(expected - set(names)) or ''}".strip(), expected <= set(names)
    yield from fortran_outcomes()
    yield from gaspi_outcomes(names)
