#!/usr/bin/env python3
"""Runs the programs with mistakes of examples/rma, and compares what is found with the pages of docs/rma.

Usage: mistakes.py DROP_IN PROGRAM... -- LAUNCHER [FLAG...]

Each program runs its right version, in which nothing may be found, and then its wrong one. The page has the finding in a block behind the
line `<!-- finding: NAME -->`. Numbers of ranks, windows and lines, and where the
page breaks a line, may differ.

SPDX-License-Identifier: BSD-3-Clause
"""
import os
import pathlib
import re
import signal
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FINDING = re.compile(r"<!-- finding: (\w+) -->\n```text\n(.*?)```", re.S)
RANKS = "2"


def promised():
    """name -> the finding, of all pages of the guide."""
    return {name: text for page in sorted((ROOT / "docs" / "rma").glob("*.md")) for name, text in FINDING.findall(page.read_text())}


def plain(text):
    """Without what may differ: ranks, lines, offsets where there is no debug information, Open MPI's names of windows, line breaks."""
    text = re.sub(r"window '[^']*' \((window \d+ of \w+)\)", r"\1", text)
    text = re.sub(r"\b(rank|window|plan|swap|halo) \d+", r"\1 N", " ".join(text.split()))
    if text.startswith("halocline: MPI_"):
        text = re.sub(r"(: MPI_ERR_\w+)?: [^:]*$", "", text)  # the MPI's own words for the class of the error
    text = re.sub(r"(?:in \w+ )?\([\w.+/-]+(?::\d+|\+0x[0-9a-f]+)\)", "(site)", text)
    # Of two accesses either may be found first.
    return re.sub(r"(\w+ of rank N \(site\)) and (\w+ of rank N \(site\))", lambda pair: " and ".join(sorted(pair.groups())), text)


def launch(drop_in, program, launcher):
    environment = dict(os.environ, HALOCLINE_CHECK="1", HALOCLINE_MPI_STRICT="1")
    with subprocess.Popen([*launcher, "-n", RANKS, "env", f"LD_PRELOAD={drop_in}", program], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, env=environment, start_new_session=True) as run:
        try:
            # Open MPI prints a NUL behind what it says of MPI_ERRORS_ARE_FATAL, at times in front of a line of the program.
            return run.communicate(timeout=30)[0].replace("\0", "")
        except subprocess.TimeoutExpired:
            # Of some hundred jobs that MPI_Abort ends, MPICH's launcher leaves a rank running in one (docs/known-mpi-bugs.md).
            os.killpg(run.pid, signal.SIGKILL)
            return run.communicate()[0]


def fault_of(output, finding):
    """What is wrong with a program's output; '' if nothing is."""
    lines = output.splitlines()
    verdict = next((number for number, line in enumerate(lines) if "nothing was found" in line), None)
    if verdict is None:
        return "the right version has not ended as it should"
    return "" if any(plain(line) == plain(finding) for line in lines) else f"the page promises: {plain(finding)}"


def main():
    divider = sys.argv.index("--")
    drop_in, programs, launcher = sys.argv[1], sys.argv[2:divider], sys.argv[divider + 1:]
    pages, failed = promised(), 0
    names = {re.sub("^example_rma_", "", pathlib.Path(program).name): program for program in programs}
    for name in sorted(set(names) ^ set(pages)):
        print(f"failed: {name}: {'no page has its finding' if name in names else 'a page has a finding of it, there is no such program'}")
        failed += 1
    for name in sorted(set(names) & set(pages)):
        output = launch(drop_in, names[name], launcher)
        fault = fault_of(output, pages[name])
        print(f"failed: {name}: {fault}, in:\n{output}" if fault else f"passed: {name}")
        failed += bool(fault)
    print(f"{len(set(names) | set(pages)) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
