#!/usr/bin/env python3
"""Keeps the prose readable: reads the Markdown pages; the comments of sources, tests, public headers, Fortran modules and examples; and the
messages and names of sources.

prose.py check           no file has an unwanted word beyond ALLOWED; last line: N passed, N failed, N skipped
prose.py list [FILE...]  prints each of them with its place, and what to write in place of it

Code blocks, code spans, links and identifiers are not prose. A message is a string literal with a space, of C, C++, Fortran or Python. It
says what failed, which value and which rank, and what to do. A name is an identifier of C and C++, split at _ and at capitals.

SPDX-License-Identifier: BSD-3-Clause
"""
import ast
import collections
import functools
import pathlib
import re
import sys

import outcomes

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Whose prose is read, and whose messages and names.
PROSE = ("*.md", "docs/**/*.md", "src/**/*.md", "tests/**/README.md", "abi/*.md", "packaging/*.md", "apps/*/*.md",
         "examples/**/*.md", "include/**/*.h*", "bindings/fortran/*.F90", "bindings/fortran/**/*.inc",
         "bindings/python/*.md", "bindings/python/src/**/*.[hc]pp", "examples/**/*.c*", "examples/**/*.h*",
         "examples/**/*.F90", "src/**/*.[hc]pp", "tests/**/*.[hc]pp")
SOURCES = tuple(f"{folder}/**/*.{kind}" for folder in ("src", "tools", "apps", "bindings", "scripts")
                for kind in ("[hc]pp", "[hc]", "py", "F90", "inc"))
# What a file may still have: abi/ has a sentence of abi.py.
ALLOWED = {"scripts/abi.py": 1}
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
IN_MESSAGES = {  # the same for messages
    r"(?:can|could|to) ?(?:not)? be had": "not found, cannot allocate",
    r"(?<!there )(?:is|are) no(?! longer| more)": "is not a, invalid",
    r"(?:is|are) none of|none that": "out of range, invalid",
    r"anew": "again",
    r"comes?|came|coming": "enter, arrive, return",
    r"t(?:ells?|old)": "report",
    r"br(?:ings?|ought)": "pass, provide, return; user-provided memory",
    r"answers": "returns",
    r"so many": "this number of",
    r"all the same": "nevertheless",
    r"lies?|lay|lain": "is in, is",
    r"whoever|nobody|somebody|anybody": "the caller, no rank",
    r", it must": "but must",
    r"has waited": "timed out after N s",
    r"(?:is|has|have) gone|gone on": "has failed, continued",
    r"does without": "set VARIABLE=none to",
    r"found out": "detected",
    r"understands?": "reject",
    r"for ever": "forever",
}
IN_NAMES = {  # words of names
    r"told|tells?": "report, notify, publish",
    r"comes?|came|coming": "arrived, received",
    r"gone": "lost, flushed, withdrawn",
    r"brought|brings?": "user_memory",
    r"anew": "again",
    r"hears?|heard|ears?": "receive",
    r"news": "notice",
    r"stakes?|doors?|desks?|letterbox(?:es)?|pulses?|strangers?|landings?": "see the words of comments",
    r"naps?": "sleep, pause",
    r"nobody|somebody|anybody|whoever": "none, no_rank",
    r"myself": "self",
    r"heats?|prospects?": "round, prediction",
    r"spots?": "resolved target, place",
}


def words_of(patterns):
    """A pattern that finds each of these as whole words."""
    return re.compile(rf"(?<![\w-])(?:{'|'.join(patterns)})(?![\w-])", re.I)


UNWANTED_WORD, WORD_IN_MESSAGE, WORD_IN_NAME = words_of(UNWANTED), words_of(IN_MESSAGES), re.compile("|".join(IN_NAMES))
# Of C and C++: comments, raw strings, strings, characters, includes; the strings are in groups.
TOKEN = re.compile(r"""//[^\n]*|/\*.*?\*/|R"(\w*)\((.*?)\)\1"|"((?:[^"\\\n]|\\.)*)"|'(?:[^'\\\n]|\\.)+'|\#\s*include[^\n]*""", re.S)
PART_OF_NAME = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|cf|vs|al|Fig|Sec|No|resp)|^\d+)\.$")
IDENTIFIER = re.compile(r"[<(]?\b(?:\w+_\w*|\w*::\w+|\w+\(\)|[\w/]+\.(?:[chp]pp|h|py|pml))[\w:]*(?:\([^()\s]*\)|\*)?")

# A paragraph, an item of a list, a cell of a table, or such a part of a comment, and the line on which it begins.
Block = collections.namedtuple("Block", "first text is_cell")


def joined(lines):
    """The block that numbered lines make together."""
    return Block(lines[0][0], " ".join(text.strip() for _, text in lines), False)


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
            yield from (Block(number, cell.strip(), True) for cell in re.split(r"(?<!\\)\|", bare.strip("|")))
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
    """A sentence whose links, code and identifiers are the word CODE."""
    text = re.sub(r"!?\[[^\]]*\]\([^)]*\)|`[^`]*`|https?://\S+", " CODE ", sentence)
    return IDENTIFIER.sub(" CODE ", text)


def messages_of_c(text):
    """(line, text) for each string of C and C++; strings without anything between them are one."""
    end, first, kept = None, 0, []
    for found in TOKEN.finditer(text):
        part = found[2] if found[2] is not None else found[3]
        if part is None:
            continue
        if kept and text[end:found.start()].strip():
            yield first, "".join(kept)
            kept = []
        if not kept:
            first = text.count("\n", 0, found.start()) + 1
        kept, end = [*kept, part], found.end()
    if kept:
        yield first, "".join(kept)


def messages_of_fortran(text):
    """The same for the strings of Fortran."""
    for number, line in enumerate(text.splitlines(), 1):
        for found in re.finditer(r"!.*|\"([^\"]*)\"|'([^']*)'", line):
            yield number, found[1] or found[2] or ""


def messages_of_python(text):
    """The same for the strings of Python but for the documentation of its functions."""
    tree = ast.parse(text)
    bodies = [node.body[0] for node in ast.walk(tree) if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and node.body]
    documentation = {id(first.value) for first in bodies if isinstance(first, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            yield node.lineno, node.value


MESSAGES = {".F90": messages_of_fortran, ".inc": messages_of_fortran, ".py": messages_of_python}
MESSAGES |= dict.fromkeys((".h", ".hpp", ".c", ".cpp"), messages_of_c)


def faults_of_messages(file, text):
    """(line, message, unwanted words) for each message of a source with some."""
    for line, message in MESSAGES[file.suffix](text):
        unwanted = sorted({found[0].lower() for found in WORD_IN_MESSAGE.finditer(message)}) if " " in message.strip() else []
        if unwanted:
            yield line, message, unwanted


def faults_of_names(text):
    """(line, name, unwanted words) for each name of C and C++ with some, where it is first."""
    code = TOKEN.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    seen = set()
    for found in re.finditer(r"[A-Za-z_]\w*", code):
        if found[0] in seen:
            continue
        seen.add(found[0])
        parts = [part.lower() for part in PART_OF_NAME.findall(found[0])]
        unwanted = [part for part in parts if WORD_IN_NAME.fullmatch(part)]
        if unwanted:
            yield code.count("\n", 0, found.start()) + 1, found[0], unwanted


def faults_of(block):
    """The sentences of a block that have unwanted words, each with a list of these."""
    for sentence in [block.text] if block.is_cell else sentences_of(block.text):
        unwanted = sorted({word.lower() for word in UNWANTED_WORD.findall(bare_words(sentence))})
        if unwanted:
            yield sentence, unwanted


@functools.cache
def matching(patterns):
    """The files of these patterns. Sources are without this one, which has the patterns of words, and without the tests of a part."""
    found = {file for pattern in patterns for file in ROOT.glob(pattern)}
    if patterns is SOURCES:
        found = {file for file in found if "tests" not in file.relative_to(ROOT).parts and file.name != "prose.py"}
    return found


def faults(file):
    """(line, sentence, message or name; unwanted words; the table of these) for each fault of a file."""
    text = file.read_text()
    if file in matching(PROSE):
        for block in READERS[file.suffix](text):
            yield from ((block.first, *fault, UNWANTED) for fault in faults_of(block))
    if file in matching(SOURCES):
        yield from ((*fault, IN_MESSAGES) for fault in faults_of_messages(file, text))
        if file.suffix not in (".py", ".F90", ".inc"):
            yield from ((*fault, IN_NAMES) for fault in faults_of_names(text))


def explained(found, table):
    """An unwanted word, with what to write in place of it."""
    return next((f"{found} ({better})" for word, better in table.items() if re.fullmatch(word, found)), found)


def files():
    """All that is checked."""
    return sorted(matching(PROSE) | matching(SOURCES))


def check():
    """Yields (sentence, true or false) for each file."""
    for file in files():
        name, found = str(file.relative_to(ROOT)), sum(len(unwanted) for _, _, unwanted, _ in faults(file))
        yield f"{name} has {found or 'no'} unwanted word{'s' * (found != 1)}", found <= ALLOWED.get(name, 0)


def main():
    if sys.argv[1:] == ["check"]:
        outcomes.report(check())
    elif sys.argv[1:2] == ["list"]:
        for file in [pathlib.Path(name).resolve() for name in sys.argv[2:]] or files():
            for line, where, unwanted, table in faults(file):
                print(f"{file.relative_to(ROOT)}:{line}: {', '.join(explained(word, table) for word in unwanted)}: {where}")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
