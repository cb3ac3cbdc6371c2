"""Lets a loaded MPI answer to another name of the same binary interface.

Debian's MPICH is libmpich.so.12, and Cray's is libmpi_gnu.so.12, where an extension that was built elsewhere needs libmpi.so.12. The loader
would not find that, or would load a second MPI. So it is given a library before that has the wanted name and no content, and itself needs
the MPI which is there.

SPDX-License-Identifier: BSD-3-Clause
"""
import ctypes
import os
import re
import struct
from pathlib import Path

from . import _mpi_names

ELF64 = b"\x7fELF\x02\x01"  # of 64 bits, the lowest byte first
HEADER, SEGMENT, SYMBOL = 64, 56, 24  # bytes of the file's head, of the head of a segment, of a symbol
LOAD, DYNAMIC, STACK = 1, 2, 0x6474E551  # kinds of segments
NULL, NEEDED, STRTAB, SYMTAB, STRSZ, SYMENT, SONAME = 0, 1, 5, 6, 10, 11, 14  # entries of the dynamic section
READ_WRITE = 6
ALIGNMENT = 0x10000  # no page is larger on the machines that there are


def needed_by(extension: Path) -> list[str]:
    """The names of MPIs in a library: those that it needs."""
    found = {name.decode() for name in re.findall(rb"(?<=\0)libmpi[a-z0-9_]*\.so\.[0-9]+(?=\0)", extension.read_bytes())}
    return sorted(filter(_mpi_names.variant_of, found))


def library(name: str, path: str, head: bytes) -> bytes:
    """A library of this name that needs the one of this path; head: of a library of the same machine."""
    names = b"\0" + name.encode() + b"\0" + os.fsencode(path) + b"\0"
    segments, dynamic = HEADER, HEADER + 3 * SEGMENT
    symbols = dynamic + 7 * 16
    strings = symbols + SYMBOL
    size = strings + len(names)
    entries = [(SONAME, 1), (NEEDED, len(name) + 2), (STRTAB, strings), (STRSZ, len(names)), (SYMTAB, symbols), (SYMENT, SYMBOL), (NULL, 0)]
    parts = [(LOAD, 0, size, ALIGNMENT), (DYNAMIC, dynamic, symbols - dynamic, 8), (STACK, 0, 0, 16)]
    # Its machine and its flags are those of the other library; it has no sections and no code.
    machine, flags = head[:20], head[48:52]
    return b"".join([machine, struct.pack("<IQQQ", 1, 0, segments, 0), flags, struct.pack("<6H", HEADER, SEGMENT, len(parts), 64, 0, 0),
                     *(struct.pack("<IIQQQQQQ", kind, READ_WRITE, at, at, at, length, length, align) for kind, at, length, align in parts),
                     *(struct.pack("<QQ", *entry) for entry in entries), bytes(SYMBOL), names])


def is_loaded(name: str) -> bool:
    try:
        ctypes.CDLL(name, mode=os.RTLD_LAZY | os.RTLD_NOLOAD)
    except OSError:
        return False
    return True


def load(name: str, path: str, head: bytes) -> None:
    """Loads the library of this name from memory; raises OSError where that is not allowed."""
    file = os.memfd_create("halocline-alias")
    try:
        os.write(file, library(name, path, head))
        ctypes.CDLL(f"/proc/self/fd/{file}", mode=os.RTLD_NOW | os.RTLD_GLOBAL)
    finally:
        os.close(file)


def answer(extension: Path, path: str) -> None:
    """The MPI of this path, which is loaded, is the one that the extension gets. Raises ImportError if that cannot be."""
    head = extension.read_bytes()[:HEADER]
    for name in needed_by(extension):
        if is_loaded(name):
            continue
        try:
            if not head.startswith(ELF64):
                raise OSError("only libraries of 64 bits can be renamed")
            load(name, path, head)
        except OSError as why:
            raise ImportError(
                f"the MPI of this process is {path}, and this halocline needs it by the name {name} ({why}). Make a link of that name to "
                "it in a folder of LD_LIBRARY_PATH, or build halocline with that MPI"
            ) from why
