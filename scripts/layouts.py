#!/usr/bin/env python3
"""Compares what the public C headers say about types with abi/layouts.txt: functions with their types, structures with the offset and size
of each member, enumerators with their values. A list of symbols shows none of that, and a program that was compiled before relies on it.

Usage: layouts.py check|update FOLDER...      FOLDER: those with the headers of the MPI

Read by libclang, from the private .venv; without it the status is 77. Last line: N passed, N failed, N skipped.

SPDX-License-Identifier: BSD-3-Clause
"""
import difflib
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = ROOT / "abi" / "layouts.txt"
# What shmem.h includes stands by itself nowhere. Its functions are those of pshmem.h; inline functions of programs read the types of
# near.h.
HEADERS = sorted(path for path in (ROOT / "include").rglob("*.h") if path.parent.name != "shmem")
DESCRIBED = {*HEADERS, ROOT / "include/halocline/shmem/near.h"}
HEAD = "# The types of the public C headers, on 64 bits. Written by scripts/layouts.py update; docs/packages.md says when.\n"
HOW = "If that is intended: cmake --build BUILD --target update_abi, and commit abi/ (abi/README.md)."
SKIPPED = 77


def units(folders, clang):
    """Each header as a program of its own; with the compiler's own headers, of which the wheel of libclang has none."""
    own = subprocess.run(["gcc", "-print-file-name=include"], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    flags = ["-x", "c", "-std=c11", f"-I{ROOT / 'include'}", f"-isystem{own}", *(f"-isystem{folder}" for folder in folders)]
    for header in HEADERS:
        unit = clang.Index.create().parse(str(header), args=flags)
        errors = [str(diagnostic) for diagnostic in unit.diagnostics if diagnostic.severity >= clang.Diagnostic.Error]
        if errors:
            sys.exit("\n".join(errors))
        yield unit


def member(field):
    """Offset and size in bytes. What has no name of its own is named by its place, which is no part of the interface."""
    kind = re.sub(r" at [^)]*", "", field.type.spelling)
    return f"    {field.get_field_offsetof() // 8:5} {field.type.get_size():5}  {field.spelling}: {kind}"


def lines_of(cursor, kinds):
    """What a declaration means for a program that has been compiled: one line, and one for each member or enumerator."""
    if cursor.kind == kinds.FUNCTION_DECL:
        arguments = ", ".join(argument.type.spelling for argument in cursor.get_arguments())
        return [f"function {cursor.spelling}: {cursor.result_type.spelling} ({arguments})"]
    if cursor.kind in (kinds.STRUCT_DECL, kinds.UNION_DECL) and cursor.is_definition():
        name = cursor.type.spelling.removeprefix("struct ")
        return [f"type {name}, {cursor.type.get_size()} bytes", *map(member, cursor.type.get_fields())]
    if cursor.kind == kinds.ENUM_DECL and cursor.is_definition():
        values = [f"    {value.enum_value:5}  {value.spelling}" for value in cursor.get_children()]
        return [f"enumeration {cursor.type.spelling.removeprefix('enum ')}, {cursor.type.get_size()} bytes", *values]
    return []


def ours(cursor):
    return cursor.location.file and pathlib.Path(cursor.location.file.name).resolve() in DESCRIBED


def described(folders, clang):
    found = {}
    for unit in units(folders, clang):
        for cursor in filter(ours, unit.cursor.get_children()):
            lines = lines_of(cursor, clang.CursorKind)
            if lines and "unnamed at" not in lines[0]:
                found[lines[0].split(",")[0].split(":")[0]] = lines
            elif lines:
                found[lines[1].strip()] = ["enumeration without a name", *lines[1:]]
    return HEAD + "".join("\n".join(lines) + "\n" for _, lines in sorted(found.items()))


def main():
    if len(sys.argv) < 2 or sys.argv[1] not in ("check", "update"):
        sys.exit(__doc__)
    sys.path[:0] = map(str, ROOT.glob(".venv/lib/python3*/site-packages"))
    try:
        import clang.cindex as clang
    except ImportError:
        print("skipped: libclang is not in .venv; ./go test puts it there")
        return SKIPPED
    text = described(sys.argv[2:], clang)
    if sys.argv[1] == "update":
        LIST.write_text(text)
        return 0
    difference = list(difflib.unified_diff(LIST.read_text().splitlines(), text.splitlines(), LIST.name, "headers", lineterm="", n=1))
    print(*difference, *([HOW] if difference else []), sep="\n", end="\n" if difference else "")
    print(f"{0 if difference else 1} passed, {1 if difference else 0} failed, 0 skipped")
    return 1 if difference else 0


if __name__ == "__main__":
    sys.exit(main())
