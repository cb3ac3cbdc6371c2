#!/usr/bin/env python3
"""Keeps the prose readable: reads the Markdown pages and the comments of sources, tests, public headers, Fortran modules and examples.

prose.py check           no file has more long sentences or unwanted words than ALLOWED grants it; last line: N passed, N failed, N skipped
prose.py list [FILE...]  prints each of them with its place, and what to write in place of a word
prose.py count           prints what ALLOWED would have to be

A sentence has at most 25 words, a cell of a table at most 40. Code blocks and addresses do not count. A link counts as one word, and so
does a size such as 8 x 8 x 64, a code span, an identifier, or a list of them.

SPDX-License-Identifier: BSD-3-Clause
"""
import collections
import pathlib
import re
import sys

import outcomes

ROOT = pathlib.Path(__file__).resolve().parent.parent
MOST_WORDS = 25
MOST_WORDS_OF_CELL = 40
# What each file may still have. Numbers only go down; a file that is not named may have none.
ALLOWED = {
    "docs/orderings.md": 1,
}
UNWANTED = {  # a pattern, and what to write in its place
    r"hears?|heard|hearing|ears?": "receive, read from the completion queue; channel id",
    r"(?<!under )ways?": "route, path, method",
    r"news": "failure notice, message",
    r"stakes?": "contributing rank",
    r"doors?": "entry",
    r"desks?": "slot",
    r"lets? go|give[ns]? back|gave back|giving back": "release, return",
    r"comes?|came|coming": "arrive, follow, be received",
    r"lies?|lay|lain|lying": "reside, be",
    r"whoever|whatever|who|whom": "a rank that, what",
    r"moves? the network|looks? after|looked after": "drive progress",
    r"landings?": "dummy target",
    r"flights?": "request",
    r"traffic": "request engine; messages, load",
    r"pulses?": "keepalive",
    r"letterbox(?:es)?": "receive buffers",
    r"letters?|post offices?": "message; mailbox",
    r"strangers?": "foreign process",
    r"nobody|somebody|anybody": "no rank, no process",
    r"g(?:o|oes|one|oing) on": "continue, continues",
    r"g(?:ive|ives|iven|ave) up": "abandon",
    r"naps?": "sleep",
    r"for ever": "forever",
    r"ha(?:s|ve|d) to do with": "concern, communicate with",
    r"t(?:ell|ells|old) apart": "distinguish",
    r"pretended": "emulated",
}
UNWANTED_WORD = re.compile(rf"(?<![\w-])(?:{'|'.join(UNWANTED)})(?![\w-])", re.I)
ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|cf|vs|al|Fig|Sec|No|resp)|^\d+)\.$")
CODE_LIST = re.compile(r"\bCODE\b(?:(?:\s*[,/]\s*|\s+(?:and|or)\s+|\s+|, (?:and|or) )CODE\b)*")
IDENTIFIER = re.compile(r"[<(]?\b(?:\w+_\w*|\w*::\w+|\w+\(\)|[\w/]+\.(?:[chp]pp|h|py|pml))[\w:]*(?:\([^()\s]*\)|\*)?")

# A paragraph, an item of a list, a cell of a table, or such a part of a comment; first and last count lines from 1.
Block = collections.namedtuple("Block", "first last text is_cell")


def joined(lines):
    """The block that numbered lines make together."""
    return Block(lines[0][0], lines[-1][0], " ".join(text.strip() for _, text in lines), False)


def blocks_of(lines):
    """Numbered lines of prose as blocks: split at empty lines, headings, items of lists and tables."""
    kept = []
    for number, text in lines:
        bare = text.strip()
        starts = re.match(r"([-*+]|\d+\.) |#|\||<!--|\Z|[@\\]\w", bare)
        if starts and kept:
            yield joined(kept)
            kept = []
        if not kept and text.startswith("    "):
            continue  # code
        if bare.startswith("|"):
            yield from (Block(number, number, cell.strip(), True) for cell in re.split(r"(?<!\\)\|", bare.strip("|")))
        elif bare and not bare.startswith(("#", "<!--")):
            kept.append((number, text))
    if kept:
        yield joined(kept)


def read_page(text):
    """The blocks of a Markdown page, without its code."""
    bare = re.sub(r"^[ ]*```.*?^[ ]*```|<!--.*?-->", lambda found: re.sub(r"[^\n]", "", found[0]), text, flags=re.S | re.M)
    return blocks_of(enumerate(bare.splitlines(), 1))


def read_header(text):
    """The blocks of the comments of C and C++."""
    for found in re.finditer(r"/\*.*?\*/|(?:(?<![^\n])[ ]*//[^\n]*\n)+|//[^\n]*", text, re.S):
        first = text.count("\n", 0, found.start()) + 1
        bare = [re.sub(r"^\s*(?:/\*+<?|//+<?|\*(?!/))|\*/\s*$|-{5,}", "", line) for line in found[0].splitlines()]
        yield from blocks_of((number, line) for number, line in enumerate(bare, first) if "SPDX" not in line)


def read_module(text):
    """The blocks of the comments of Fortran."""
    kept = []
    for number, line in enumerate(text.splitlines() + [""], 1):
        found = re.match(r"\s*!>? ?(.*)|[^'\"!]*!<? ?(.*)", line)
        if found and found[1] is not None:
            kept += [(number, found[1])] if "SPDX" not in line else []
            continue
        yield from blocks_of(kept)
        kept = []
        if found:
            yield from blocks_of([(number, found[2])])


READERS = {".md": read_page, ".F90": read_module, ".inc": read_module} | dict.fromkeys((".h", ".hpp", ".c", ".cpp"), read_header)


def sentences_of(text):
    """A block's text, cut behind full stops, question marks and exclamation marks."""
    start = 0
    for found in re.finditer(r"[.!?][\"')*_\]]*\s+(?=\S)", text):
        if not ABBREVIATION.search(text[start:found.start() + 1]):
            yield text[start:found.end()].strip()
            start = found.end()
    yield text[start:].strip()


def bare_words(sentence):
    """A sentence whose links, sizes, code and identifiers are the word CODE."""
    text = re.sub(r"!?\[[^\]]*\]\([^)]*\)|`[^`]*`|https?://\S+|\b\w+(?: x \w+)+", " CODE ", sentence)
    return CODE_LIST.sub("CODE", IDENTIFIER.sub(" CODE ", text))


def length(sentence):
    """Its number of words."""
    return sum(bool(re.search(r"\w", word)) for word in bare_words(sentence).split())


def faults_of(block):
    """What is wrong with each sentence of a block: its number, its text, and a list of reasons."""
    parts = [block.text] if block.is_cell else sentences_of(block.text)
    most = MOST_WORDS_OF_CELL if block.is_cell else MOST_WORDS
    for number, sentence in enumerate(parts):
        words, unwanted = length(sentence), sorted({word.lower() for word in UNWANTED_WORD.findall(bare_words(sentence))})
        reasons = [f"{words} words"] * (words > most) + unwanted
        if reasons:
            yield number, sentence, reasons


def faults(file):
    """(block, number of the sentence in it, its text, reasons) for each fault of a file."""
    for block in READERS[file.suffix](file.read_text()):
        yield from ((block, *fault) for fault in faults_of(block))


def explained(reason):
    """A reason, with what to write in place of an unwanted word."""
    return next((f"{reason} ({better})" for word, better in UNWANTED.items() if re.fullmatch(word, reason)), reason)


def files():
    """All that is checked."""
    patterns = ("*.md", "docs/**/*.md", "apps/*/*.md", "examples/**/*.md", "include/**/*.h*", "bindings/fortran/*.F90",
                "bindings/fortran/**/*.inc", "bindings/python/*.md",
                "bindings/python/src/**/*.[hc]pp", "examples/**/*.c*", "examples/**/*.h*", "examples/**/*.F90",
                "src/**/*.[hc]pp", "tests/**/*.[hc]pp")
    return sorted({file for pattern in patterns for file in ROOT.glob(pattern)})


def count(file):
    """How many reasons a file gives to be rewritten."""
    return sum(len(reasons) for *_, reasons in faults(file))


def check():
    """Yields (sentence, true or false) for each file."""
    for file in files():
        name = str(file.relative_to(ROOT))
        found, allowed = count(file), ALLOWED.get(name, 0)
        yield f"{name} has {found} long sentences and unwanted words, at most {allowed}", found <= allowed


def main():
    if sys.argv[1:] == ["check"]:
        outcomes.report(check())
    elif sys.argv[1:2] == ["list"]:
        for file in [pathlib.Path(name).resolve() for name in sys.argv[2:]] or files():
            for block, _, sentence, reasons in faults(file):
                print(f"{file.relative_to(ROOT)}:{block.first}: {', '.join(map(explained, reasons))}: {sentence}")
    elif sys.argv[1:] == ["count"]:
        print("\n".join(f'    "{file.relative_to(ROOT)}": {count(file)},' for file in files() if count(file)))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
