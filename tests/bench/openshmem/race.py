#!/usr/bin/env python3
"""Measures OpenSHMEM operations of this library beside another OpenSHMEM, both in turn, and says which aims are reached.

race.py --build build/release --other shmemcc --other-run 'shmemrun --oversubscribe' [--pes 2] [OPTION...]

operations.c has the operations, of OpenSHMEM 1.4. It is compiled by both wrappers, and both programs run at the same time. In each round
each of them is asked for a sample of an operation, in random order. The PEs of the other one sleep in a read of a FIFO meanwhile.

limit: the same by a pointer (shmem_ptr): a copy or store and a fence, or an atomic instruction. Where the other one takes more than 3 times
the limit, this library is to be at least 3 times faster than it.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import json
import os
import pathlib
import random
import select
import shlex
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "scripts"))
from launch import launcher  # noqa: E402

PARTS = {"put": ["put of a word", "put"], "get": ["get"], "atomics": ["fetch-and-add", "swap", "compare-and-swap", "atomic add"],
         "signal": ["put and flag"], "collectives": ["barrier", "broadcast", "sum of doubles"]}
SIZED = {"put", "get", "put and flag", "broadcast", "sum of doubles"}
OURS, OTHER, LIMIT = "halocline", "other", "limit"
AIM = 3  # times faster, where the other one takes more than so many times the limit


class Program:
    """A running program, which answers one question at a time."""

    def __init__(self, command, pes, environment=None):
        self.folder = tempfile.TemporaryDirectory()
        path = pathlib.Path(self.folder.name)
        names = [path / f"asks.{pe}" for pe in range(pes)]
        for name in [*names, path / "answers"]:
            os.mkfifo(name)
        self.process = subprocess.Popen([*command, path], stdin=subprocess.DEVNULL, env={**os.environ, **(environment or {})})
        # A FIFO that is open in both directions does not wait for the program, which may have failed.
        self.asks = [os.open(name, os.O_RDWR) for name in names]
        self.answers = os.open(path / "answers", os.O_RDWR)
        self.limit_s = 120

    def ask(self, operation, size, count):
        """The time of one operation in us; below 0 if there is none here."""
        for ask in self.asks:
            os.write(ask, f"{operation},{size},{count}\n".encode())
        return float(self.read())

    def read(self):
        text = b""
        while not text.endswith(b"\n"):
            if select.select([self.answers], [], [], 0.5)[0]:
                text += os.read(self.answers, 256)
            elif self.process.poll() is not None:
                raise RuntimeError(f"{self.process.args[0]} has ended with status {self.process.returncode}")
        return text

    def end(self):
        """Returns True if it ends as it should."""
        for ask in self.asks:
            os.close(ask)
        os.close(self.answers)
        try:
            return self.process.wait(self.limit_s) == 0
        except subprocess.TimeoutExpired:
            self.process.kill()
            return False
        finally:
            self.folder.cleanup()


def compiled(compiler, into):
    subprocess.run([*shlex.split(compiler), "-O2", HERE / "operations.c", "-o", into], check=True)
    return into


def calibrated(program, operation, size, sample_us):
    """How often an operation is done in a sample; 0 if there is none here."""
    count = 1
    while count < 1 << 24:
        us = program.ask(operation, size, count)
        if us < 0:
            return 0
        if us * count >= sample_us:
            break
        count *= 2
    return count


class Spread:
    def __init__(self, samples):
        ordered = sorted(samples)
        self.median = statistics.median(ordered)
        self.p10, self.p90 = ordered[len(ordered) // 10], ordered[len(ordered) - 1 - len(ordered) // 10]

    def as_json(self):
        return {"median": self.median, "p10": self.p10, "p90": self.p90}


def measure(programs, operation, size, options):
    """Samples of one operation by contender, one each per round, in us."""
    contenders = {OURS: (programs[OURS], operation), OTHER: (programs[OTHER], operation)}
    if operation not in PARTS["collectives"]:
        contenders[LIMIT] = (programs[OURS], f"limit {operation}")
    counts = {by: calibrated(program, name, size, options.sample_ms * 1e3) for by, (program, name) in contenders.items()}
    samples = {by: [] for by, count in counts.items() if count}
    for _ in range(options.repetitions):
        for by in options.random.sample(list(samples), len(samples)):
            program, name = contenders[by]
            samples[by].append(program.ask(name, size, counts[by]))
    return samples


def verdict_of(row):
    """None where there is no aim: without a limit, and where the other one is near it."""
    if LIMIT not in row or row[OTHER]["median"] <= AIM * row[LIMIT]["median"]:
        return None
    return row["ratio"]["median"] >= AIM


def row_of(operation, size, samples):
    row = {"operation": operation, "bytes": size, "ratio": Spread([b / a for a, b in zip(samples[OURS], samples[OTHER])]).as_json()}
    row.update({by: Spread(them).as_json() for by, them in samples.items()})
    row["samples_us"] = samples
    row["reached"] = verdict_of(row)
    return row


def in_units(us):
    return f"{us * 1e3:.2f} ns" if us < 1 else f"{us:.2f} us" if us < 1000 else f"{us / 1000:.1f} ms"


def spread_of(times):
    return f"{in_units(times['median'])} ({in_units(times['p10'])} - {in_units(times['p90'])})"


def table_of(rows):
    """Lines of a table."""
    words = {None: "", True: "reached", False: "missed"}
    cells = [["operation", "bytes", "halocline", "other", "limit", "times faster", f"aim {AIM}"]]
    for row in rows:
        ratio = row["ratio"]
        cells.append([row["operation"], str(row["bytes"]), spread_of(row[OURS]), spread_of(row[OTHER]),
                      in_units(row[LIMIT]["median"]) if LIMIT in row else "-",
                      f"{ratio['median']:.2f} ({ratio['p10']:.2f} - {ratio['p90']:.2f})", words[row["reached"]]])
    widths = [max(len(line[i]) for line in cells) for i in range(len(cells[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in cells]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--build", required=True, help="the folder of this library's build")
    parser.add_argument("--other", required=True, help="the compiler wrapper of the other OpenSHMEM")
    parser.add_argument("--other-run", required=True, help="its launcher and options, all but -n")
    parser.add_argument("--own-run", help="launcher and options of this library's program, all but -n, instead of those of the build")
    parser.add_argument("--pes", type=int, default=2)
    parser.add_argument("--parts", type=lambda text: text.split(","), default=list(PARTS))
    parser.add_argument("--sizes", type=lambda text: [int(size) for size in text.split(",")], default=[8, 512, 4096, 65536])
    parser.add_argument("--repetitions", type=int, default=21)
    parser.add_argument("--sample-ms", type=float, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", help="a file for all samples")
    options = parser.parse_args()
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"--parts: {','.join(sorted(unknown))}: there are {','.join(PARTS)}")
    if wrong := [size for size in options.sizes if size < 8 or size % 8 != 0 or size > 1 << 20]:
        parser.error(f"--sizes: {wrong[0]}: whole words from 8 to 1048576")
    if options.pes < 2 or options.repetitions < 1:
        parser.error("--pes is at least 2, --repetitions at least 1")
    options.random = random.Random(options.seed)
    return options


def start(options, folder):
    """The running programs by contender."""
    build = pathlib.Path(options.build).resolve()
    run, numbers = (shlex.split(options.own_run), "-n") if options.own_run else launcher(build)
    ours = [part for part in run if part]
    theirs = shlex.split(options.other_run)
    pes = str(options.pes)
    own = compiled(str(build / "bin" / "oshcc"), folder / "own")
    other = compiled(options.other, folder / "other")
    return {OURS: Program([*ours, numbers, pes, own], options.pes), OTHER: Program([*theirs, "-n", pes, other], options.pes)}


def main():
    options = arguments()
    with tempfile.TemporaryDirectory() as folder:
        programs = start(options, pathlib.Path(folder))
        print(f"{options.pes} PEs, {os.cpu_count()} cores; {options.repetitions} samples of {options.sample_ms} ms each, in turn: "
              "median (p10 - p90)")
        rows = []
        for part in options.parts:
            for operation in PARTS[part]:
                for size in options.sizes if operation in SIZED else [0 if operation == "barrier" else 8]:
                    rows.append(row_of(operation, size, measure(programs, operation, size, options)))
        # Both, also where the first has failed.
        ended = [program.end() for program in programs.values()]
    print("\n".join(table_of(rows)))
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps({"pes": options.pes, "rows": rows}, indent=1) + "\n")
    return 0 if all(ended) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (RuntimeError, OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"race.py: {error}")
