#!/usr/bin/env python3
"""Tests of prose.py: what it reads of a source, and which words it finds.

Usage: prose_test.py PATH_OF_PROSE

SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib
import sys

from made import load, report

CODE = """// This one lies here.
fail(status, "rank %d has waited "
             "for %s", rank);  // "so many" in a comment
use("told", "all is well", '"', R"(it lies
there)");
int told = 0, counter_told = told, toldest = 0;
class HeatRule {};
"""
MODULE = """!> This one lies here.
message = 'so many' // "it lies"  ! "anew"
"""
SCRIPT = '''"""Anew: no message."""


def told():
    """So many words."""
    return f"{told} lies in {told}", "anew", "made anew"
'''


def messages(prose, name, text):
    """The unwanted words of each message, and the lines."""
    return [(line, words) for line, _, words in prose.faults_of_messages(pathlib.Path(name), text)]


def checks(prose):
    """Pairs of a sentence and whether it holds."""
    yield "reads comments", [block.text for block in prose.read_header(CODE)][:1] == ["This one lies here."]
    found = [words for block in prose.read_header(CODE) for _, words in prose.faults_of(block)]
    yield "finds words in comments", found == [["lies"]]
    yield "lets code spans be", not list(prose.faults_of(prose.Block(1, "the word `lies` and a link [lies](there)", False)))
    yield "lets long sentences be", not list(prose.faults_of(prose.Block(1, "word " * 200, False)))
    yield "finds words in messages, also across lines", messages(prose, "a.cpp", CODE) == [(2, ["has waited"]), (4, ["lies"])]
    yield "finds words in messages of Fortran", messages(prose, "a.F90", MODULE) == [(2, ["so many"]), (2, ["lies"])]
    yield "finds words in messages of Python", sorted(messages(prose, "a.py", SCRIPT)) == [(6, ["anew"]), (6, ["lies"])]
    names = list(prose.faults_of_names(CODE))
    yield "finds words in names, each once", names == [(6, "told", ["told"]), (6, "counter_told", ["told"]), (7, "HeatRule", ["heat"])]
    yield "explains a word", prose.explained("naps", prose.UNWANTED) == "naps (sleep)"
    yield "checks sources and pages", {"src", "docs", "tools", "apps", "bindings", "scripts", "tests", "examples", "include"} <= {
        file.relative_to(prose.ROOT).parts[0] for file in prose.files()}


def main():
    report(checks(load(sys.argv[1])))


if __name__ == "__main__":
    main()
