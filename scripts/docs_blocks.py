"""Runs the blocks of code of the pages (scripts/docs.py has the rules).

SPDX-License-Identifier: BSD-3-Clause
"""
import collections
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
INSTALL = ROOT / "docs" / "howto" / "prefix.md"  # installs what the other pages use, and says how the environment is set
PATTERNS = ("*.md", "docs/**/*.md", "apps/**/*.md", "bindings/**/*.md", "examples/**/*.md", "tests/**/*.md", "tools/**/*.md", "abi/*.md",
            "packaging/*.md", "src/**/*.md")
PAGES = [INSTALL, *sorted({page for pattern in PATTERNS for page in ROOT.glob(pattern)} - {INSTALL})]
FENCE = re.compile(r"^(?:<!-- ([^\n]*) -->\n)?```([\w{}]*)[^\n]*\n(.*?)^```", re.S | re.M)
FROM_TEST = ("from", "finding", "tested", "measured")  # other tests read these
TOOLS = ("MPI_C_COMPILER", "MPIEXEC_EXECUTABLE", "CMAKE_COMMAND", "CMAKE_MAKE_PROGRAM", "CMAKE_Fortran_COMPILER")
MAKE_FLAGS = "$(pkg-config --cflags --libs halocline) -Wl,-rpath,$(pkg-config --variable=libdir halocline) -lm"
TIMEOUT = 120

# Before a block: what its line says, the language, the text.
Block = collections.namedtuple("Block", "word rest language text")


def blocks(page):
    """The blocks of a page, but for directives of the site."""
    for mark, language, text in FENCE.findall(page.read_text()):
        if not language.startswith("{"):
            word, _, rest = mark.partition(":") if not mark.startswith("runs") else ("runs", "", mark[4:])
            yield Block(word.strip(), rest.strip(), language, text)


def cached(build, name):
    found = re.search(rf"^{name}:\w+=(.*)$", (build / "CMakeCache.txt").read_text(), re.M)
    return found[1] if found else ""


def environment(build, home):
    """What a user has: a home, the tools of the build on the PATH, and no trace of this project's own variables."""
    tools = [cached(build, name) for name in TOOLS]
    folders = [str(pathlib.Path(tool).parent) for tool in tools if tool]
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("HALOCLINE_", "LD_"))}
    return kept | {
        "HOME": str(home),
        "PATH": ":".join([*folders, os.environ["PATH"]]),
        "CMAKE_GENERATOR": "Ninja",
        # Open MPI: as root, and with more ranks than cores.
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
    }


class Page:
    """The run of one page, in a folder of its own."""

    def __init__(self, page, folder, variables, exports):
        self.name = str(page.relative_to(ROOT))
        self.folder, self.variables, self.exports = folder, variables, exports
        self.sources = pathlib.Path(variables["HOME"]) / "src" / "halocline"
        self.printed = ""
        folder.mkdir(parents=True)

    def shell(self, block):
        """'' if the commands end well, or may fail."""
        before, place = "", self.folder
        for part in block.rest.split(";"):
            word, _, files = part.strip().partition(":")
            place = self.sources if word == "in the sources" else place
            for file in files.split():
                shutil.copy(ROOT / file, self.folder)
            if word.startswith("makes "):
                sources = [file for file in files.split() if file.endswith(".c")]
                before = f"mpicc {pathlib.Path(sources[0]).name} {MAKE_FLAGS} -o {word.removeprefix('makes ')}"
        commands = f"{self.exports}\nset -e\n{before}\n{block.text}"
        run = subprocess.run(["bash", "-c", commands], cwd=place, env=self.variables, text=True, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, timeout=TIMEOUT, check=False)
        self.printed = run.stdout
        self.exports += "".join(line + "\n" for line in block.text.splitlines() if line.startswith("export "))
        return "" if run.returncode == 0 or "may fail" in block.rest else f"status {run.returncode}:\n{run.stdout}"

    def fault_of(self, block):
        """What is wrong with a block that this test handles; '' if nothing is."""
        if block.word == "runs":
            return self.shell(block)
        if block.word == "file":
            (self.folder / block.rest).write_text(block.text)
            return ""
        if block.word == "prints":
            missing = [line for line in block.text.splitlines() if line not in self.printed]
            return f"the commands before it have not printed {missing}, but:\n{self.printed}" if missing else ""
        return f"no line before this block of {block.language or 'text'} says how it is checked"


def prepare(work, build):
    """The home of a user who has the sources in ~/src/halocline, with this build: links, so that what a page writes stays there."""
    sources = work / "home" / "src" / "halocline"
    (sources / "build").mkdir(parents=True)
    (sources / "build" / "release").symlink_to(build)
    for path in ROOT.iterdir():
        if path.name not in ("build", "results", ".git"):
            (sources / path.name).symlink_to(path)
    return environment(build, work / "home")


def run_all(build):
    """Prints a line per block and the totals; returns the status."""
    counts = collections.Counter()
    exports = "".join(line + "\n" for block in blocks(INSTALL) for line in block.text.splitlines() if line.startswith("export "))
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        variables = prepare(work, build)
        for source in PAGES:
            page = Page(source, work / source.relative_to(ROOT).with_suffix(""), variables, "" if source == INSTALL else exports)
            for number, block in enumerate(blocks(source), 1):
                if block.word == "not run":
                    print(f"skipped: {page.name}, block {number}: {block.rest}")
                    counts["skipped"] += 1
                elif block.word not in FROM_TEST and (block.language or source.parent.name in ("howto", "rma")):
                    fault = page.fault_of(block)
                    print(f"{'FAILED' if fault else 'passed'}  {page.name}, block {number} {fault}".rstrip())
                    counts["failed" if fault else "passed"] += 1
    print(f"{counts['passed']} passed, {counts['failed']} failed, {counts['skipped']} skipped")
    return 1 if counts["failed"] or not counts["passed"] else 0
