#!/usr/bin/env python3
"""Keeps README.md and the links of the other pages true.

readme.py fill RESULTS   puts the last ./go's verdict, the rows of some modes and the pictures into the places marked "measured"
readme.py check          examples are lines of the files that they name and begin early, measured places are filled, with a row for
                         each of these modes, the links of README.md and of all other pages lead to files and headings, ARCHITECTURE.md
                         names files and functions that exist; last line: N passed, N failed, N skipped

SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib
import re
import shutil
import sys

import main_job
import outcomes

ROOT = pathlib.Path(__file__).resolve().parent.parent

PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "ARCHITECTURE.md",
                                  "bindings/python/README.md")]
FOLDERS = ("docs", "apps", "examples", "abi", "packaging", "src", "tests")
PAGES += sorted(page for folder in FOLDERS for page in (ROOT / folder).rglob("*.md"))
MOST_LINES = 115  # of README.md
CODE_BEGINS = 40  # the last line of README.md at which its first example may begin
SHOWN = ["p2p", "notify", "direct"]  # the modes in README.md's table, and beside them a plain copy; ./go prints all
PLAIN_COPY = "(plain copy)"
MOST_WORDS = 2000  # of ARCHITECTURE.md
MEASURED = re.compile(r"(<!-- measured: (\w+) -->\n)(.*?)(<!-- /measured -->)", re.S)
EXAMPLE = re.compile(r"<!-- from: (\S+) -->\n```\w+\n(.*?)^```", re.S | re.M)
LINK = re.compile(r"\]\(([^)#:\s]*)(?:#([^)]*))?\)")
MODE = re.compile(r"^(\w+)(?: \(\w+\))? +[\d.]+ us")
FENCE = re.compile(r"^```.*?^```", re.S | re.M)


def shortened(summary):
    """What ./go prints, with the rows of SHOWN alone; a remark on a row of mode auto is left out with it."""
    kept = [line for line in summary.splitlines() if not line.startswith("auto ")]
    return "\n".join(line for line in kept if not MODE.match(line) or MODE.match(line)[1] in SHOWN) + "\n"


def fill(results):
    """Writes what a run of ./go left in RESULTS into README.md, and copies its pictures to docs/pictures."""
    summary = (results / "summary.txt").read_text()
    if main_job.SHORT_SAYS in summary:
        sys.exit(f"readme.py fill: {results} is of a short run, whose times are rough; run ./go without --short on a quiet machine")
    pictures = ROOT / "docs" / "pictures"
    pictures.mkdir(parents=True, exist_ok=True)
    for name in ("halo.png", "cloud.png"):
        shutil.copy(results / name, pictures / name)
    content = {
        "picture": "| ![swap time by mode](docs/pictures/halo.png) | ![a slice of the cloud model](docs/pictures/cloud.png) |\n|---|---|\n",
        "summary": "```\n" + shortened(summary) + "```\n",
    }
    page = ROOT / "README.md"
    page.write_text(MEASURED.sub(lambda found: found[1] + content[found[2]] + found[4], page.read_text()))


def is_part_of(lines, text):
    """True if the lines stand in the text in this order, whatever their indentation and whatever lies between them."""
    rest = iter([line.strip() for line in text.splitlines()])
    return all(line.strip() in rest for line in lines if line.strip())


def is_in_file(code, file):
    return file.exists() and is_part_of(code.splitlines(), file.read_text())


def anchors(page):
    """What the headings of a page are called in links, as forges make it."""
    headings = re.findall(r"^#+ (.*)$", FENCE.sub("", page.read_text()), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower()).replace(" ", "-") for heading in headings}


def is_broken(page, link, anchor):
    target = page.parent / link if link else page
    return not target.exists() or bool(anchor and target.suffix == ".md" and anchor not in anchors(target))


def named_in(page):
    """The source files that a page names in code spans, and its functions with a class before them."""
    spans = re.findall(r"`([^`\n]+)`", FENCE.sub("", page.read_text()))
    files = {span for span in spans if re.fullmatch(r"[\w/]+/\w+\.[ch]pp", span)}
    return files, {span for span in spans if re.fullmatch(r"[A-Z]\w+::\w+", span)}


def is_defined(name, sources):
    """A member function is defined behind its class's name, or in a file that declares the class."""
    owner, function = name.split("::")
    behind, inside = re.compile(rf"\b{owner}::{function}\("), re.compile(rf"\b(?:class|struct) {owner}\b.*\b{function}\(", re.S)
    return any(behind.search(text) or inside.search(text) for text in sources)


def shown_rows(readme):
    """The rows of the measured table: modes, and the plain copy."""
    table = next((text for _, name, text, _ in MEASURED.findall(readme) if name == "summary"), "")
    return [PLAIN_COPY if line.startswith(PLAIN_COPY) else MODE.match(line)[1] for line in table.splitlines()
            if line.startswith(PLAIN_COPY) or MODE.match(line)]


def line_of_first_example(readme):
    return readme[:EXAMPLE.search(readme).start()].count("\n") + 2


def check():
    """Yields (sentence, true or false) for everything that README.md and the other pages promise."""
    readme = (ROOT / "README.md").read_text()
    examples = EXAMPLE.findall(readme)
    yield "README has examples in Fortran and C", [pathlib.Path(path).suffix for path, _ in examples] == [".F90", ".c"]
    for path, code in examples:
        file = ROOT / path
        yield f"README's example is 12 lines of {path} or fewer", len(code.splitlines()) <= 12 and is_in_file(code, file)
    begins = line_of_first_example(readme)
    yield f"README's first example begins at line {begins}, at most {CODE_BEGINS}", begins <= CODE_BEGINS
    places = MEASURED.findall(readme)
    yield "README's measured places are filled", len(places) == 2 and all(text.strip() for _, _, text, _ in places)
    yield f"README's measured table has rows of {', '.join(SHOWN)} and a plain copy", shown_rows(readme) == [*SHOWN, PLAIN_COPY]
    yield f"README has at most {MOST_LINES} lines", len(readme.splitlines()) <= MOST_LINES
    architecture = ROOT / "ARCHITECTURE.md"
    words = len(architecture.read_text().split())
    yield f"ARCHITECTURE has {words} words, at most {MOST_WORDS}", words <= MOST_WORDS
    files, functions = named_in(architecture)
    missing = sorted(file for file in files if not any((ROOT / folder / file).exists() for folder in ("", "src", "src/exchange")))
    yield f"the {len(files)} source files that ARCHITECTURE names exist {missing or ''}".strip(), files and not missing
    sources = [file.read_text() for file in sorted((ROOT / "src").rglob("*.[ch]pp"))]
    missing = sorted(name for name in functions if not is_defined(name, sources))
    yield f"the {len(functions)} functions that it names are defined {missing or ''}".strip(), functions and not missing
    for page in PAGES[1:]:
        examples = EXAMPLE.findall(page.read_text())
        wrong = [path for path, code in examples if not is_in_file(code, ROOT / path)]
        if examples:
            yield f"{len(examples)} examples of {page.relative_to(ROOT)} are lines of what they name {wrong or ''}".strip(), not wrong
    for page in PAGES:
        links = LINK.findall(FENCE.sub("", page.read_text()))
        broken = [f"{link}#{anchor}" for link, anchor in links if is_broken(page, link, anchor)]
        yield f"links of {page.relative_to(ROOT)} lead somewhere {broken or ''}".strip(), not broken


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "fill":
        fill(pathlib.Path(sys.argv[2]))
        return
    if sys.argv[1:] != ["check"]:
        sys.exit(__doc__)
    outcomes.report(check())


if __name__ == "__main__":
    main()
