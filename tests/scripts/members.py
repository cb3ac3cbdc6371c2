#!/usr/bin/env python3
"""Counts what each class of src/ declares: data and functions, an inline one as much as another, but no nested types, aliases or friends. A
class that declares more than the limit does several things; those that do still are listed, with how many.

Usage: members.py SRC_FOLDER

Fails for a class beyond the limit, or beyond its number in the list; and for an entry that is needed no more.

SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib
import re
import sys

LIMIT = 40
# What these classes declare, of several in different namespaces the largest. The numbers may only become smaller.
KNOWN = {
}
# What is blank for the counting: comments, strings and characters, lines of the preprocessor.
NOISE = re.compile(r"//[^\n]*|/\*.*?\*/"
                   r'|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])\''
                   r"|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.DOTALL | re.MULTILINE)
CLASS = re.compile(r"(?<!enum )\b(?:class|struct|union)\s+(?:alignas\([^)]*\)\s*|\[\[[^\]]*\]\]\s*)*(\w+)\s*(?:final\s*)?(?::[^{};()]*)?$")
SKIPPED = re.compile(r"^(?:using|friend|typedef|static_assert|enum|class|struct|union|template\s*<[^>]*>\s*(?:class|struct))\b")
BRACKETS = re.compile(r"<[^<>]*>|\([^()]*\)|\{[^{}]*\}|\[[^\[\]]*\]")
BODY = re.compile(r"\)\s*(?:const|noexcept|override|final|mutable|->[^{}]*|\s)*(?::.*)?$", re.DOTALL)
ACCESS = re.compile(r"^\s*(?:public|private|protected)\s*:(?!:)\s*")


def close_of(text, start):
    """The place of the brace that closes the one at start."""
    depth = 0
    for place in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if depth == 0:
            return place
    return len(text)


def names_in(statement):
    """How many members a declaration at the top of a class declares."""
    statement = ACCESS.sub("", ACCESS.sub("", statement.strip())).strip()
    if not statement or SKIPPED.match(statement):
        return 0
    if "(" in statement.partition("=")[0]:
        return 1
    # Several data of one type.
    while (shorter := BRACKETS.sub("", statement)) != statement:
        statement = shorter
    return 1 + statement.count(",")


def is_function_body(head):
    """Whether a brace behind these words opens a function's body, and not an initializer."""
    return bool(BODY.search(head))


def count_members(body):
    """What the body of a class declares itself."""
    count, start, place = 0, 0, 0
    while place < len(body):
        if body[place] == "{":
            end = close_of(body, place)
            head = body[start:place]
            if is_function_body(head) and not SKIPPED.match(ACCESS.sub("", head.strip())):
                count += 1
                start = end + 1
            place = end
        elif body[place] == ";":
            count += names_in(body[start:place])
            start = place + 1
        place += 1
    return count


def classes_of(text, outer=""):
    """By name, with the classes around it: what each class of a text declares."""
    found, place = {}, text.find("{")
    start = 0
    while place >= 0:
        end = close_of(text, place)
        head = re.split(r"[;}{]", text[start:place])[-1]
        named = CLASS.search(head)
        inner = text[place + 1:end]
        if named:
            name = outer + named[1]
            found[name] = count_members(inner)
            found.update(classes_of(inner, name + "::"))
        elif re.search(r"\bnamespace\b[\w:\s]*$|extern\s*$", head):
            found.update(classes_of(inner, outer))
        start = end + 1
        place = text.find("{", start)
    return found


def faults_of(classes, known):
    """Sentences about classes that declare too much, and entries of the list that are needed no more."""
    grown = [f"{name} declares {count} members, {known.get(name, LIMIT)} are allowed" for name, count in sorted(classes.items())
             if count > known.get(name, LIMIT)]
    grown += [f"{name} declares {classes[name]} members: write so into KNOWN of members.py" for name in sorted(known)
              if LIMIT < classes.get(name, 0) < known[name]]
    small = [name for name in sorted(known) if classes.get(name, 0) <= LIMIT]
    return grown + [f"{name} declares {classes.get(name, 0)} members: it needs no entry in KNOWN of members.py any more" for name in small]


def main():
    classes = {}
    for path in sorted(pathlib.Path(sys.argv[1]).rglob("*.[ch]pp")):
        for name, count in classes_of(NOISE.sub(" ", path.read_text())).items():
            classes[name] = max(count, classes.get(name, 0))
    faults = faults_of(classes, KNOWN)
    print("\n".join(faults))
    if not classes:
        print(f"nothing to check in {sys.argv[1]}")
        return 1
    print(f"{len(classes)} classes, {len(KNOWN)} with more than {LIMIT} members: {len(faults)} too many")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
