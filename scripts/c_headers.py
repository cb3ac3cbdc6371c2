"""Reads the public C headers: constants, types and functions, in their order. Every declaration has to be of a form that our headers use;
any other is an error. So no compiler and no libclang are needed.

SPDX-License-Identifier: BSD-3-Clause
"""
import collections
import re
import sys

# `const int64_t *`: the base int64_t, one star, const (somewhere). A variable's count is that of an array, as it is written, or "".
Type = collections.namedtuple("Type", "base stars const")
Variable = collections.namedtuple("Variable", "name type count members", defaults=["", ()])
Function = collections.namedtuple("Function", "name result arguments section variadic")

COMMENT = r"/\*.*?\*/"
DIRECTIVE = r"^\#(?:[^\n]*\\\n)*[^\n]*"
SECTION = re.compile(r"/\* -{10,} (.*?) \*/", re.S)
CONSTANT = re.compile(r"#define (\w+) \(?(-?\d+|[A-Z]+_\w+)\)?(?: |$)")
ATTRIBUTES = re.compile(r"\b(?:HLC_API|GASPI_API|HLC_NODISCARD|HLC_INT)\b")
ENUM = re.compile(r"(?:typedef )?enum \w* ?\{(.*)\} ?(\w*)")
NAMED_ENUM = re.compile(r"enum (\w+) \{")
HANDLE = re.compile(r"typedef struct (\w+) \1")
STRUCT = re.compile(r"typedef struct \w* ?\{(.*)\} ?(\w+)")
CALLBACK = re.compile(r"typedef .*\(\*(\w+)\)\(.*\)")
VALUE = re.compile(r"static const (\w+) (\w+) = (\S+)")
FUNCTION = re.compile(r"(.*?)(\w+)\((.*)\)")
VARIABLE = re.compile(r"((?:const )?(?:unsigned )?\w+)((?: ?(?:\*|const\b))*) ?\b(\w+) ?(?:\[(\w+)\])?")
NUMBER = re.compile(r"(~?)(\d+)(?:ul)?")


class Headers:
    """What some headers declare. Comments are those that precede a declaration, those of members and enumerators are left out."""

    def __init__(self, paths):
        self.constants, self.enums, self.structs, self.typedefs, self.values = {}, {}, {}, {}, {}
        self.handles, self.callbacks, self.comments = set(), set(), {}
        self.functions = []
        for path in paths:
            self.path, self.section, self.comment = path, path.name, ""
            self.read(path.read_text())

    def read(self, text):
        pending, depth = "", 0
        for piece in re.split(rf"({COMMENT}|{DIRECTIVE}|[;{{}}])", text, flags=re.S | re.M):
            if piece.startswith("/*"):
                self.read_comment(piece, inside=pending.strip())
            elif piece.startswith("#"):
                self.read_directive(piece)
            elif piece == "}" and depth == 0 or piece == "{" and pending.strip() == 'extern "C"':
                pending = ""
            elif piece == ";" and depth == 0:
                self.read_declaration(" ".join(ATTRIBUTES.sub(" ", pending).split()))
                pending = self.comment = ""
            else:
                depth += (piece == "{") - (piece == "}")
                pending += piece

    def read_comment(self, text, inside):
        section = SECTION.fullmatch(text)
        if section:
            self.section = section[1]
        if not inside and not text.startswith("/**<"):
            is_of_next = text.startswith("/**")
            self.comment = " ".join(re.sub(r"^ *\*", "", text[3:-2], flags=re.M).split()) if is_of_next else ""

    def read_directive(self, text):
        found = CONSTANT.match(text)
        if found:
            self.constants[found[1]] = self.number(found[2])
            self.comments[found[1]] = self.comment
            self.comment = ""

    def number(self, text):
        """The value of a number, of ~0ul as Fortran has it, or of a name that was declared before."""
        found = NUMBER.fullmatch(text.lstrip("-"))
        if found:
            value = ~int(found[2]) if found[1] else int(found[2])
            return -value if text.startswith("-") else value
        named = self.constants | {name: value for enum in self.enums.values() for name, value in enum.items()}
        return named[text] if text in named else self.reject(text)

    def reject(self, text):
        sys.exit(f"{self.path}: scripts/c_headers.py does not know this form of declaration: {text}")

    def read_declaration(self, text):
        name = self.read_type(text) or self.read_value(text) or self.read_function(text) or self.reject(text)
        self.comments.setdefault(name, self.comment)

    def read_type(self, text):
        """The name that a declaration of a type declares; '' if it declares none."""
        if found := HANDLE.fullmatch(text):
            self.handles.add(found[1])
        elif found := STRUCT.fullmatch(text):
            self.structs[found[2]] = self.members_of(found[1])
            return found[2]
        elif found := ENUM.fullmatch(text):
            name = found[2] or NAMED_ENUM.match(text)[1]
            self.enums[name] = self.enumerators_of(found[1])
            return name
        elif found := CALLBACK.fullmatch(text):
            self.callbacks.add(found[1])
        elif text.startswith("typedef "):
            found = self.variable(text.removeprefix("typedef "))
            self.typedefs[found.name] = found.type
            return found.name
        return found[1] if found else ""

    def enumerators_of(self, text):
        values, following = {}, 0
        for part in filter(None, map(str.strip, text.split(","))):
            name, _, value = (word.strip() for word in part.partition("="))
            values[name] = self.number(value) if value else following
            following = values[name] + 1
        return values

    def members_of(self, text):
        """The members between the braces of a struct; a struct inside, which has no name of its own, has members itself."""
        members = []
        for found in re.finditer(r" *struct \{((?:[^{}]|\{[^{}]*\})*)\} (\w+) ?;|([^;]+);", text):
            if found[2]:
                members.append(Variable(found[2], None, "", self.members_of(found[1])))
                continue
            first, *others = (part.strip() for part in found[3].split(","))
            members.append(self.variable(first))
            base = re.match(r"(?:const )?(?:unsigned )?\w+", first)[0]
            members += [self.variable(f"{base} {other}") for other in others]
        return members

    def variable(self, text):
        found = VARIABLE.fullmatch(" ".join(text.split())) or self.reject(text)
        base = found[1].removeprefix("const ")
        return Variable(found[3], Type(base, found[2].count("*"), "const" in found[1] + found[2]), found[4] or "")

    def read_value(self, text):
        found = VALUE.fullmatch(text)
        if found:
            self.values[found[2]] = (found[1], self.number(found[3]))
        return found and found[2]

    def read_function(self, text):
        found = FUNCTION.fullmatch(text)
        if not found:
            return ""
        arguments = [part.strip() for part in found[3].split(",") if part.strip() != "void"]
        variadic = arguments[-1:] == ["..."]
        arguments = [self.variable(part) for part in arguments if part != "..."]
        self.functions.append(Function(found[2], self.variable(f"{found[1]} result").type, arguments, self.section, variadic))
        return found[2]
