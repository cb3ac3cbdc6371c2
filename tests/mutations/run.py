#!/usr/bin/env python3
"""Takes the orderings out of the protocols, one after the other, and looks whether a test notices.

Usage: run.py BUILD_DIR [--only WORD,...] [--jobs N] [--table FILE]

mutations.toml lists the mutations. Each replaces exact texts in a copy of sources, rebuilds a test program with them (halocline_threads, if
it names no other) and runs its tests of the modes concerned; or it breaks a spin model in the same way; or both. All that it names have to
fail, but for a program that it is said to survive, which has to pass. --only takes those whose names or labels have one of the words;
--table writes the outcome as Markdown. Ends with `N passed, N failed, N skipped`; a mutation counts as one.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import select
import subprocess
import sys
import tempfile
import time
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SEEDS = (1, 2, 3)  # a mutation may need luck: it is caught if one run fails
MOST_SILENT_SECONDS = 120  # between two lines of a run: a mutation that keeps silent for longer hangs
FAILURE = re.compile(rb"^(FAIL |.*got HLC_ERR_\w+:.*$|.*ThreadSanitizer: data race.*\n(.*\n){3})", re.M)
# Sleeps that last for ever, so that a lost wake-up is a hang and not a delay of 10 ms.
LONG_SLEEPS = {"file": "src/engine/communicator/wait.cpp", "find": "kCheckEvery_ns = 10'000'000;",
               "replace": "kCheckEvery_ns = 1'000'000'000'000;"}


class Build:
    """The commands that make a program or, in the folder lib, a library, as ninja knows them."""

    def __init__(self, folder, program, place="bin"):
        self.folder = pathlib.Path(folder).resolve()
        self.program = program
        self.output = f"{place}/{program}"
        self.ninja = self._cached("CMAKE_MAKE_PROGRAM")
        commands = self._ask("-t", "commands", self.output if place == "lib" else program).splitlines()
        self.compile = {}
        for command in commands:
            if match := re.search(r" -o (\S+\.o) -c (\S+\.c(?:pp|xx))$", command):
                self.compile[match[1]] = (command, pathlib.Path(match[2]))
        self.link = next(command for command in reversed(commands) if f" -o {self.output} " in command)
        if place == "lib":  # what other libraries that it needs are made of is no part of it
            self.compile = {name: made for name, made in self.compile.items() if f" {name} " in self.link}
        self.needs = self._headers()

    def _cached(self, name):
        cache = (self.folder / "CMakeCache.txt").read_text()
        return re.search(rf"^{name}:\w+=(.*)$", cache, re.M)[1]

    def _ask(self, *arguments):
        return subprocess.run([self.ninja, *arguments], cwd=self.folder, check=True, capture_output=True, text=True).stdout

    def _headers(self):
        """Which files each object is made of."""
        needs, name = {}, None
        for line in self._ask("-t", "deps").splitlines():
            if match := re.match(r"(\S+): #deps", line):
                name = match[1]
                needs[name] = set()
            elif line.strip():
                needs[name].add((self.folder / line.strip()).resolve())
        return needs

    def is_made_of(self, files):
        """Whether one of the files, or a file that includes it, is part of the program."""
        changed = {(ROOT / file).resolve() for file in files}
        return any(changed & self.needs.get(name, {source.resolve()}) for name, (_, source) in self.compile.items())

    @staticmethod
    def _mine(source, changed, folder):
        """Where the changed file lies, or the file itself."""
        path = pathlib.Path(source).resolve()
        return folder / path.relative_to(ROOT) if path in changed else path

    def make(self, files, folder):
        """Builds the program with the changed files, which lie below folder as they lie below the root. Returns its path."""
        link, changed = self.link, {(ROOT / file).resolve() for file in files}
        for number, (name, (given, source)) in enumerate(self.compile.items()):
            if not changed & self.needs.get(name, {source.resolve()}):
                continue
            mine = self._mine(source, changed, folder)
            if source.suffix == ".cxx":  # a file of CMake's that includes several of ours
                mine = folder / f"{number}.cxx"
                lines = [line.split('"') for line in source.read_text().splitlines() if line.startswith('#include "')]
                mine.write_text("".join(f'#include "{self._mine(path, changed, folder)}"\n' for _, path, *_ in lines))
            made = folder / f"{number}.o"
            command = re.sub(r" -MD -MT \S+ -MF \S+", "", given).replace(f" -o {name} -c {source}", f" -o {made} -c {mine}")
            # With the options of the build, as precompiled headers demand it.
            run_or_tell(command.replace(" -I", f" -I{folder}/src -I", 1), self.folder)
            link = link.replace(f" {name} ", f" {made} ")
        program = folder / self.program
        run_or_tell(link.replace(f" -o {self.output} ", f" -o {program} "), self.folder)
        return program


def run_or_tell(command, folder):
    made = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True)
    if made.returncode:
        raise RuntimeError(f"does not build: {(made.stderr or made.stdout).strip()[:600]}")


def change(edits, folder):
    """Writes the changed files below folder; each text to find must stand there exactly once."""
    texts = {}
    for edit in edits:
        text = texts.setdefault(edit["file"], (ROOT / edit["file"]).read_text())
        if text.count(edit["find"]) != 1:
            raise RuntimeError(f"{edit['file']} has {text.count(edit['find'])} places that read: {edit['find'][:80]}")
        texts[edit["file"]] = text.replace(edit["find"], edit["replace"])
    for file, text in texts.items():
        place = folder / file
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return list(texts)


def what_failed(output, status):
    """A few words on why a run of the program failed."""
    if "ThreadSanitizer: data race" in output:
        return "data race"
    if match := re.search(r"^thread MPI: (.*)$", output, re.M):
        return f"MPI forbids it: {match[1]}"
    if match := re.search(r"HLC_ERR_\w+", output):
        return match[0]
    if status == "hang":
        return "hang"
    return "wrong value" if "FAIL" in output else f"status {status}"


def run_once(command, environment):
    """Runs a program until it ends, a test fails, or nothing is heard of it any more. Returns why it failed, '' if it did not."""
    heard, status = b"", None
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        while status is None:
            ready, _, _ = select.select([process.stdout], [], [], MOST_SILENT_SECONDS)
            news = os.read(process.stdout.fileno(), 1 << 16) if ready else b""
            heard += news
            if not ready:
                status = "hang"
            elif not news:
                status = process.wait()
            elif FAILURE.search(heard):
                status = "a test failed"
        process.kill()
    return what_failed(heard.decode(errors="replace"), status) if status else ""


def run_tests(program, chosen, nodes):
    """Runs the chosen tests of a program, once per seed; returns why they failed, '' if they did not."""
    environment = {**os.environ, "TSAN_OPTIONS": "halt_on_error=1", "HALOCLINE_TIMEOUT": "5", "HALOCLINE_QUIET": "1"}
    if nodes > 1:
        environment |= {"HALOCLINE_FAKE_NODES": str(nodes), "HALOCLINE_PROGRESS": "caller"}
    for seed in SEEDS:
        why = run_once([str(program), f"--gtest_filter={chosen}"], {**environment, "HALOCLINE_TEST_SEED": str(seed)})
        if why:
            return why
    return ""


def by_program(mutation, build):
    """Builds and runs; returns why the tests failed, or ''."""
    chosen = ":".join(f"*/{mode}_n*" for mode in mutation.get("modes", [])) or "*"
    edits = mutation["edit"] + ([LONG_SLEEPS] if mutation.get("long_sleeps") else [])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        return run_tests(build.make(change(edits, folder), folder), chosen, mutation.get("nodes", 1))


def by_model(model, macro):
    """Breaks the model; returns what spin found: a deadlock, an assertion that does not hold, or ''."""
    run = subprocess.run([sys.executable, str(HERE.parent / "models" / "run.py"), str(HERE.parent / "models" / f"{model}.pml"), macro],
                         capture_output=True, text=True)
    if run.returncode == 77:
        return None
    match = re.search(rf"^ok   break {macro} .*?: ([^:]*) \([\d.]+ s\)$", run.stdout, re.M)
    return "" if not match else "deadlock" if match[1].startswith("invalid end state") else "assertion"


def examine(mutation, folder):
    """Runs what may catch a mutation. Returns (whether all came as told, the outcomes as words by catcher)."""
    good, outcomes = True, {}
    if "survives" in mutation:
        program = mutation.get("program", "halocline_threads")
        why = by_program(mutation, Build(folder, program))
        good = bool(why) != mutation["survives"]
        outcomes[program.replace("halocline_", "")] = why or "passes"
    if "model" in mutation:
        why = by_model(*mutation["model"].split())
        good = good and why != ""
        outcomes[f"`{mutation['model'].split()[0]}.pml`"] = "spin is not installed" if why is None else why or "passes"
    return good, outcomes


def in_words(outcomes):
    return "; ".join(f"{catcher}: {outcome}" for catcher, outcome in outcomes.items())


def row(mutation, outcomes):
    return f"| {mutation['ordering']} | {mutation['name']} | {in_words(outcomes)} | {mutation.get('why', '')} |"


def try_mutation(mutation, folder):
    """Examines one mutation and prints its line. Returns (whether all came as told, its row of the table)."""
    start = time.monotonic()
    try:
        good, outcomes = examine(mutation, folder)
    except RuntimeError as failure:
        good, outcomes = False, {"no answer": str(failure)}
    seconds = time.monotonic() - start
    print(f"{'ok  ' if good else 'FAIL'} {mutation['name']}: {in_words(outcomes)} ({seconds:.0f} s)", flush=True)
    return good, row(mutation, outcomes)


def chosen_mutations(only):
    mutations = tomllib.loads((HERE / "mutations.toml").read_text())["mutation"]
    words = only.split(",") if only else [""]
    return [m for m in mutations if any(word in f"{m['name']} {m['ordering']} {m.get('label', '')}" for word in words)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--only")
    parser.add_argument("--table")
    parser.add_argument("--jobs", type=int, default=1)
    arguments = parser.parse_args()
    mutations = chosen_mutations(arguments.only)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        results = list(pool.map(lambda mutation: try_mutation(mutation, arguments.build), mutations))
    if arguments.table:
        head = ["| ordering | taken out | what notices | if a test passes, why |", "|---|---|---|---|"]
        pathlib.Path(arguments.table).write_text("\n".join(head + [line for _, line in results]) + "\n")
    passed = sum(good for good, _ in results)
    print(f"{passed} passed, {len(results) - passed} failed, 0 skipped")
    return 0 if results and passed == len(results) else 1


if __name__ == "__main__":
    sys.exit(main())
