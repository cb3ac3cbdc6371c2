#!/usr/bin/env python3
"""Runs a command whose outcome depends on nothing but some files and tools, and keeps what it printed when it passed: the next time,
with the same files and tools, that is printed instead.

Usage: unless_same.py STAMPS [--file FILE_OR_FOLDER]... [--tool TOOL]... -- COMMAND...

STAMPS is the folder that keeps the outputs; removing it makes everything run again. What a tool is, its version tells. The output of a
command that fails or is skipped (any status but 0) is not kept.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import hashlib
import pathlib
import shutil
import subprocess
import sys


def contents(path):
    """The files of a path, each with its bytes."""
    path = pathlib.Path(path)
    for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
        if file.is_file() and "__pycache__" not in file.parts:
            yield str(file), file.read_bytes()


def version(tool):
    """What tells one tool from another of that name; nothing if there is none."""
    if not shutil.which(tool):
        return b"none"
    option = "-V" if tool.endswith("spin") else "--version"
    return subprocess.run([tool, option], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False).stdout


def key_of(files, tools, command):
    digest = hashlib.sha256(repr(command).encode())
    for path in files:
        for name, data in contents(path):
            digest.update(name.encode() + b"\0" + hashlib.sha256(data).digest())
    for tool in tools:
        digest.update(tool.encode() + b"\0" + version(tool))
    return digest.hexdigest()


def run(command):
    """Status and output of a command, whose output is shown as it comes."""
    output = b""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        for line in process.stdout:
            output += line
            sys.stdout.buffer.write(line)
            sys.stdout.buffer.flush()
    return process.returncode, output


def main():
    divider = sys.argv.index("--")
    command = sys.argv[divider + 1:]
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("stamps", type=pathlib.Path)
    parser.add_argument("--file", action="append", default=[])
    parser.add_argument("--tool", action="append", default=[])
    given = parser.parse_args(sys.argv[1:divider])
    stamp = given.stamps / key_of(given.file, given.tool, command)
    if stamp.exists():
        print(f"Kept from an earlier run with the same files and tools ({stamp}):")
        sys.stdout.flush()
        sys.stdout.buffer.write(stamp.read_bytes())
        return 0
    status, output = run(command)
    if status == 0:
        given.stamps.mkdir(parents=True, exist_ok=True)
        unfinished = stamp.with_suffix(".part")
        unfinished.write_bytes(output)
        unfinished.rename(stamp)
    return status


if __name__ == "__main__":
    sys.exit(main())
