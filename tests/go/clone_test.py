#!/usr/bin/env python3
"""Runs what README.md tells a newcomer to run, in a fresh clone: ./go, in its short form, and the installation. Looks at what it leaves.
Then what docs/howto/cluster.md tells the users of a cluster.

Usage: clone_test.py FOLDER        the clone is made in FOLDER, and stays there if something is wrong

SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib
import re
import shutil
import subprocess
import sys

from clone import ROOT, Clone

sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "tests" / "command"), str(ROOT / "bindings" / "python" / "src")]
import browser  # noqa: E402
import docs_blocks  # noqa: E402
import outcomes  # noqa: E402
from halocline.command.modes import MODES  # noqa: E402

PROGRAMS = ("halocline", "halocline-bench", "halocline-doctor", "halocline-info", "halocline-run", "halocline-simulate", "halocline-trace")
NOT_RACING = {"view"}  # README.md says why
VERDICT = re.compile(r"(\d+) fields, (\d+) modes, all ([\d,]+) cells verified(, direct is [\d.]+ times (faster|slower)|\. .* too busy)")
ROW = re.compile(r"^(\w+)(?: \(\w+\))? +[\d.]+ us .* x +([\d,]+)(?: +[\d.]+ ms)?$", re.M)
# What a cluster has: modules, and a launcher. What is measured is measured shortly.
STAND_INS = """
module() { echo "module $*"; }
srun() {
  while [[ $1 == -* ]]; do shift; done
  case $1 in
  halocline-bench) set -- "$@" --repetitions 2 --sample-ms 1 ;;
  halocline-doctor) set -- "$@" --no-drop-in ;;
  esac
  mpiexec -n 2 "$@"
}
"""
PICTURE = """
import sys
from PIL import Image
for path in sys.argv[1:]:
    with Image.open(path) as picture:
        picture.load()
        colours = picture.convert("RGB").getcolors(1 << 24)
        print(picture.format, min(picture.size), len(colours))
"""


def commands_of(page):
    """The blocks of shell commands of a page that this test runs, in their order."""
    mine = f"tests/go/{pathlib.Path(__file__).name}"
    return [block.text for block in docs_blocks.blocks(page) if block.word == "tested" and mine in block.rest]


def in_short(commands):
    """The same in short: ./go measures less, and ./go test, which runs this, is left out."""
    lines = [re.sub(r"^\./go(?= |$)", "./go --short", line) for line in commands.splitlines() if not line.startswith("./go test")]
    return "\n".join(lines) + "\n"


def verdict_checks(clone, output):
    """What ./go says at its end, and keeps in summary.txt."""
    summary = clone.folder / "results" / "summary.txt"
    text = summary.read_text() if summary.is_file() else ""
    yield "./go ends with what summary.txt keeps", bool(text) and text in output
    rows = dict(ROW.findall(text))
    left_out = set(re.findall(r"^Mode (\w+) is left out: ", output, re.M))
    missing = sorted(set(MODES) - NOT_RACING - left_out - rows.keys())
    yield f"its table has a row per mode {missing or ''}".strip(), not missing
    numbers = VERDICT.search(text)
    modes = int(numbers[2]) if numbers else 0
    yield "its verdict has all of them", modes == len(rows.keys() & set(MODES)) > 0
    equal = f"bitwise equal in all {modes} modes" in text
    yield "all modes have verified cells and equal clouds", equal and all(int(cells.replace(",", "")) > 0 for cells in rows.values())
    yield "its doctor has tried the MPI", bool(re.search(r"^doctor: \d+ probes of this MPI", text, re.M))


def picture_checks(clone):
    """The pictures, as a program that shows pictures reads them."""
    paths = [clone.folder / "results" / name for name in ("halo.png", "cloud.png")]
    done = subprocess.run([clone.folder / ".venv" / "bin" / "python", "-c", PICTURE, *paths], capture_output=True, text=True, check=False)
    found = [line.split() for line in done.stdout.splitlines()]
    fine = [kind == "PNG" and int(side) >= 300 and int(colours) >= 50 for kind, side, colours in found]
    yield f"both pictures are pictures, and not blank: {done.stdout.splitlines()} {done.stderr[-300:]}".strip(), fine == [True, True]


def page_checks(clone):
    """The report, in a browser."""
    page = clone.folder / "results" / "report.html"
    text = page.read_text() if page.is_file() else ""
    yield "report.html has pictures, the cloud and every mode", text.count("<figure") >= 3 and "The cloud model" in text and \
        all(f'data-label="mode">{mode}</td>' in text for mode in ("p2p", "auto"))
    program = browser.find()
    if not program or not text:
        print("skipped: the report in a browser: there is no chromium (Debian package chromium)")
        return
    with browser.Browser(program) as tab:
        tab.show(1280)
        tab.open(page)
        tab.value("document.querySelectorAll('details').forEach(one => one.open = true)")
        yield "a browser shows all its pictures", tab.value(browser.SHOWN) == text.count("<figure")
        yield f"it has no complaint {tab.complaints + tab.requests or ''}".strip(), not tab.complaints and not tab.requests
        yield "it needs no sideways scrolling", tab.value(browser.OVERHANG) <= 0


def cluster_checks(clone):
    """The recipe for a cluster, behind the README's installation: what its job calls is what its build installs."""
    clone.run("rm -rf ~/halocline && ln -s ~/halocline/bin/halocline-info model")
    clone.exports += STAND_INS + "export PATH=~/halocline/bin:$PATH\n"
    for number, commands in enumerate(commands_of(ROOT / "docs" / "howto" / "cluster.md"), 1):
        status, output = clone.run(commands)
        yield f"commands {number} of the page on clusters end well{'' if status == 0 else ':' + chr(10) + output}", status == 0


def installation_checks(clone):
    """Every program that README.md and the command call is installed, and answers."""
    for program in PROGRAMS:
        status, output = clone.run(f"~/halocline/bin/{program} --version")
        yield f"{program} is installed, and answers{'' if status == 0 else ': ' + output}", status == 0 and re.search(r"\d\.\d", output)


def checks(clone):
    first, *rest = commands_of(ROOT / "README.md")
    status, output = clone.run(in_short(first))
    del clone.variables["PYTHONPATH"]  # what is installed is run by the user's Python, as the user wants it
    yield f"README's first commands end well{'' if status == 0 else f', status {status}:' + chr(10) + output}", status == 0
    if status:
        return
    yield from verdict_checks(clone, output)
    yield from picture_checks(clone)
    yield from page_checks(clone)
    for number, commands in enumerate(rest, 2):
        status, output = clone.run(commands)
        yield f"so do those of block {number}{'' if status == 0 else f', status {status}:' + chr(10) + output}", status == 0
        if number == 2:
            yield "./go had built all that is installed", not re.search(r"\] (Building|Linking) |not installed", output)
    yield from installation_checks(clone)
    yield from cluster_checks(clone)


def main():
    work = pathlib.Path(sys.argv[1]).resolve()
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    results = list(checks(Clone(work)))
    if all(right for _, right in results):
        shutil.rmtree(work)
    else:
        print(f"The clone is kept in {work}")
    outcomes.report(results)


if __name__ == "__main__":
    main()
