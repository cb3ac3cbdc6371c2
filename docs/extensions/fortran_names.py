"""Reads the public names of Fortran modules, each with its comment and its declaration.

SPDX-License-Identifier: BSD-3-Clause
"""
import collections
import re

# A name, what it is, its comment (a text) and its declaration (lines).
Name = collections.namedtuple("Name", "name kind comment declaration")

BEGINS = [
    ("type", re.compile(r"type\b(?!\()[^!]*::\s*(\w+)", re.I)),
    ("interface", re.compile(r"interface\s+(\w+)", re.I)),
    ("procedure", re.compile(r"(?:[\w()*=, ]+\s)?(?:subroutine|function)\s+(\w+)\s*\(", re.I)),
    ("constant", re.compile(r"[\w()*= ]+,\s*parameter\s*::\s*(\w+)", re.I)),
]
DECLARES = re.compile(r"(?:type|class|integer|real|complex|logical|character|procedure)\b[^!]*::", re.I)
MARKS = re.compile(r"\b(?:intent|value|optional|pointer|procedure)\b", re.I)


def logical_lines(text):
    """The lines of a source, continuation lines joined to those that they continue."""
    kept = ""
    for raw in text.splitlines():
        line = kept + (raw.strip() if kept else raw)
        kept = ""
        if line.rstrip().endswith("&") and not line.lstrip().startswith("!"):
            kept = line.rstrip()[:-1].rstrip() + " "
            continue
        yield line.rstrip()


def names_listed(text, keyword):
    """The names behind `public ::` or `only:`."""
    found = re.findall(rf"^\s*{keyword}\s*(.*)$", "\n".join(logical_lines(text)), re.I | re.M)
    return {name.strip() for part in found for name in part.split(",") if name.strip()}


def public_names(text):
    return names_listed(text, r"public\s*::")


def gathered_names(text):
    """The names that a module takes from others of the library, and offers: module halocline does so."""
    return names_listed(text, r"use halocline_\w+, only:")


def specific(generic, lines):
    """The declaration of the first procedure of a generic interface that stands in these lines, under the generic name; else []."""
    procedure = next((found[1] for line in lines if (found := re.match(r"\s*module procedure\s*(?:::)?\s*(\w+)", line, re.I))), "")
    heading = re.compile(rf"\s*(?:subroutine|function)\s+{procedure}\s*\(", re.I)
    number = next((number for number, line in enumerate(lines) if procedure and heading.match(line)), None)
    return [] if number is None else [re.sub(rf"\b{procedure}\b", generic, line) for line in declaration("procedure", lines[number:])]


def declaration(kind, lines):
    """Of a procedure its heading and its arguments, of a type all of it, else the first line. lines begins with the definition."""
    first = re.sub(r"\s*bind\(C.*?\)\s*$", "", lines[0].strip())
    if kind == "procedure":
        rest = []
        for line in lines[1:]:
            bare = line.strip()
            if DECLARES.match(bare) and MARKS.search(bare):
                rest.append("  " + bare)
            elif re.match(r"end\b|contains\b", bare, re.I):
                break
        return [first, *rest]
    if kind == "type":
        end = next(number for number, line in enumerate(lines) if re.match(r"\s*end\s*type", line, re.I))
        return [line[2:] if line.startswith("  ") else line for line in lines[:end + 1]]
    return (specific(first.split()[1], lines) if kind == "interface" else []) or [first]


def commented_names(text):
    """Every name of a module that a comment `!>` stands before, and the enumerators of an enum behind one."""
    lines, comment, enum_comment = list(logical_lines(text)), [], []
    for number, line in enumerate(lines):
        bare = line.strip()
        if bare.startswith("!>"):
            comment.append(bare[2:].strip())
            continue
        if bare.startswith("enumerator ::"):
            for name in re.findall(r"(\w+)\s*(?:=\s*\d+)?\s*(?:,|$)", bare[len("enumerator ::"):]):
                yield Name(name, "enumerator", " ".join(enum_comment), [bare])
        for kind, pattern in BEGINS:
            found = pattern.match(bare)
            if found and comment:
                yield Name(found[1], kind, " ".join(comment), declaration(kind, lines[number:]))
                break
        if bare.startswith("enum,"):
            enum_comment = comment
        if not bare.startswith("#"):
            comment = []


def documentation(folder):
    """name (in small letters) -> Name, of all modules of the folder bindings/fortran."""
    return {name.name.lower(): name for file in sorted(folder.glob("*.F90")) for name in commented_names(file.read_text())}
