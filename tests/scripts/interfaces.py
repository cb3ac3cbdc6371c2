#!/usr/bin/env python3
"""Counts what a reader of a class of src/ has to know besides the class: its collaborators, which are the other classes of the project that
it holds by reference or pointer or gets in its constructor; and the public functions of it that other layers call.

Usage: interfaces.py SRC_FOLDER

Prints the largest of both. Fails for a class beyond a limit, unless WIDE lists it with its reason. Calls are found by name, in files that
include the class at first or second hand. A name that several classes have may be counted for one too many.

SPDX-License-Identifier: BSD-3-Clause
"""
import dataclasses
import pathlib
import re
import sys

MOST_COLLABORATORS = 8
MOST_CALLED = 30  # public functions that other layers call
WIDE = {"transport/selected.hpp Endpoint": "all that transport/network.hpp asks of a network"}
SHOWN = 5
# What is blank for the counting: comments, strings and characters, lines of the preprocessor.
NOISE = re.compile(r"//[^\n]*|/\*.*?\*/"
                   r'|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])\''
                   r"|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.DOTALL | re.MULTILINE)
CLASS = re.compile(r"(?<!enum )\b(class|struct|union)\s+(?:alignas\([^)]*\)\s*|\[\[[^\]]*\]\]\s*)*(\w+)\s*(?:final\s*)?(?::[^{};()]*)?$")
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)
CALL = re.compile(r"(?:\.|->)\s*(\w+)\s*\(")
ACCESS = re.compile(r"\b(public|private|protected)\s*:(?!:)")
FUNCTION = re.compile(r"(~?\b\w+)\s*\([^;{}]*\)\s*(?:const|noexcept|override|\s)*[;{=:]")
POINTED_AT = re.compile(r"(?:\w+::)*(\w+)(?:<[^;<>]*>)?\s*[&*]\s*(?:const\s+)?\w+_\s*(?:=[^;]*)?(?:\{\})?\s*;")
OWNED = re.compile(r"\b(?:unique|shared)_ptr<\s*(?:const\s+)?(?:\w+::)*(\w+)>\s*\w+_\s*(?:=[^;]*)?;")


@dataclasses.dataclass
class Class:
    """A class: the file and its name there, with those around it; whether it is a struct; its body without the inner ones of braces."""
    file: str
    name: str
    is_struct: bool
    body: str


def close_of(text, start):
    """The place of the brace that closes the one at start."""
    depth = 0
    for place in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if depth == 0:
            return place
    return len(text)


def without_inner(body):
    """A body in which each pair of braces is empty."""
    kept, place = [], 0
    while place < len(body):
        kept.append("{}" if body[place] == "{" else body[place])
        place = close_of(body, place) + 1 if body[place] == "{" else place + 1
    return "".join(kept)


def classes_of(file, text, outer=""):
    """The classes that a text without NOISE defines."""
    found, start, place = [], 0, text.find("{")
    while place >= 0:
        end = close_of(text, place)
        head = re.split(r"[;}{]", text[start:place])[-1]
        inner = text[place + 1:end]
        if named := CLASS.search(head):
            found.append(Class(file, outer + named[2], named[1] != "class", without_inner(inner)))
            found += classes_of(file, inner, f"{outer}{named[2]}::")
        elif re.search(r"\bnamespace\b[\w:\s]*$|extern\s*$", head):
            found += classes_of(file, inner, outer)
        start = end + 1
        place = text.find("{", start)
    return found


def collaborators_of(one, names):
    """The names, of those of all classes, that a class holds or gets in its constructor."""
    own = one.name.split("::")[-1]
    found = set(POINTED_AT.findall(one.body)) | set(OWNED.findall(one.body))
    for arguments in re.findall(rf"(?<!~)\b{own}\s*\(([^()]*)\)", one.body):
        found |= set(re.findall(r"(?:\w+::)*(\w+)\s*[&*]", arguments))
    return (found & names) - {own}


def public_functions_of(one):
    """The names of a class's public functions, without constructors and destructor."""
    own, is_public, found = one.name.split("::")[-1], one.is_struct, set()
    for part in ACCESS.split(one.body):
        if part in ("public", "private", "protected"):
            is_public = part == "public"
        elif is_public:
            found |= set(FUNCTION.findall(part))
    return found - {own, f"~{own}"}


def layer_of(file):
    folders = file.split("/")[:-1]
    return "/".join(folders[:2]) if folders[0] in ("engine", "faces") else folders[0]


def reach_of(sources, file, known):
    """The files that one includes, at first or second hand."""
    if file not in known:
        known[file] = set()
        direct = [target for target in INCLUDE.findall(sources[file]) if target in sources]
        known[file] = set(direct).union(*(reach_of(sources, target, known) for target in direct))
    return known[file]


def measure(sources):
    """Triples of a class, its number of collaborators, and the number of its functions that other layers call. `sources`: texts by file."""
    texts = {file: NOISE.sub(" ", text) for file, text in sources.items()}
    calls = {file: set(CALL.findall(text)) for file, text in texts.items()}
    classes = [one for file, text in texts.items() if file.endswith(".hpp") for one in classes_of(file, text)]
    names, reach = {one.name.split("::")[-1] for one in classes}, {}
    for one in classes:
        users = [file for file in sources if layer_of(file) != layer_of(one.file) and one.file in reach_of(sources, file, reach)]
        called = set().union(*(calls[file] for file in users))
        yield one, len(collaborators_of(one, names)), len(public_functions_of(one) & called)


def faults_of(measured, wide):
    """Sentences about classes beyond a limit, and entries of the list that are needed no more."""
    beyond = {f"{one.file} {one.name}": f"{held} collaborators (at most {MOST_COLLABORATORS}), {called} functions that other layers call "
                                        f"(at most {MOST_CALLED})"
              for one, held, called in measured if held > MOST_COLLABORATORS or called > MOST_CALLED}
    faults = [f"{name} has {numbers}" for name, numbers in beyond.items() if name not in wide]
    return faults + [f"{name} needs no entry in WIDE of interfaces.py any more" for name in wide if name not in beyond]


def main():
    root = pathlib.Path(sys.argv[1])
    sources = {path.relative_to(root).as_posix(): path.read_text() for path in sorted(root.rglob("*.[ch]pp"))}
    measured = list(measure(sources))
    if not measured:
        sys.exit(f"nothing to check in {root}")
    for number, what in ((1, "collaborators"), (2, "functions that other layers call")):
        largest = sorted(measured, key=lambda row: -row[number])[:SHOWN]
        print(f"most {what}: {', '.join(f'{row[0].name} {row[number]}' for row in largest)}")
    faults = faults_of(measured, WIDE)
    print("\n".join([*faults, f"{len(measured)} classes: {len(faults)} too wide"]))
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
