#!/usr/bin/env python3
"""Checks that halocline-bench measures every operation, writes all formats, and fits curves to what points were made of.

Usage: model_test.py BENCH -- LAUNCHER [FLAG...]

SPDX-License-Identifier: BSD-3-Clause
"""
import csv
import json
import math
import pathlib
import subprocess
import sys
import tempfile

QUICK = ["--repetitions", "2", "--sample-ms", "0.02"]
KEYS = {"operation", "by", "bytes", "ranks", "nodes", "ranks_per_core", "unit", "median", "p10", "p90", "outliers", "limit", "samples"}
BY_ENGINE = {"put + flush", "get + flush", "put, not completed", "put of blocks", "accumulate + flush", "fetch_and_op + flush",
             "compare_and_swap + flush", "flush", "PSCW, put to the next rank", "fence, put to the next rank", "barrier", "put + notify",
             "allreduce", "fetch_and_op of one rank by all", "put + flush to one rank by all", "put hidden by computation",
             "window or segment made and freed"}
BY_HOST_ALONE = {"lock_all, unlock_all", "lock shared, unlock", "lock exclusive, unlock", "lock exclusive of one rank by all"}


class Bench:
    def __init__(self, bench, launcher, folder):
        self.bench, self.launcher, self.folder = bench, launcher, folder

    def run(self, *words, ranks=2, cache=None):
        """Returns exit status, standard output and standard error. cache: the folder XDG_CACHE_HOME."""
        variables = ["/usr/bin/env", f"XDG_CACHE_HOME={cache}"] if cache else []
        done = subprocess.run([*self.launcher, "-n", str(ranks), *variables, self.bench, *map(str, words)], capture_output=True, text=True,
                              timeout=300, check=False)
        return done.returncode, done.stdout, done.stderr

    def file(self, name):
        return self.folder / name


def read(path):
    return json.loads(path.read_text()) if path.exists() else {}


def operation_checks(bench):
    """Every operation by everybody who has it."""
    file = bench.file("operations.json")
    status, output, errors = bench.run("operations", "--sizes", "8,4096", *QUICK, "--json", file)
    found = read(file)
    rows = found.get("rows", [])
    ways = {}
    for row in rows:
        ways.setdefault(row["operation"], set()).add(row["by"])
    yield "the file names its schema", status == 0 and found.get("schema") == "halocline-bench/1", output + errors
    yield "each row has what the schema asks for", bool(rows) and all(set(row) >= KEYS for row in rows), output
    both = [name for name in sorted(BY_ENGINE) if not {"engine", "host"} <= ways.get(name, set())]
    yield f"engine and host side by side; not so: {both}", not both, output
    yield "locks are the host's", all("host" in ways.get(name, set()) for name in BY_HOST_ALONE), output
    yield "each has its samples", all(len(row["samples"]) == 2 for row in rows), output
    times = [row for row in rows if row["unit"] == "us"]
    yield "times are times", all(0 < row["p10"] <= row["median"] <= row["p90"] < 1e9 for row in times), output
    yield "each time has its limit", all(row["limit"] > 0 for row in times), output
    sums = [row["limit"] for row in times if (row["operation"], row["bytes"]) == ("allreduce", 8)]
    yield "that of a sum has the hand-over of a cache line, not a copy of 8 bytes alone", bool(sums) and min(sums) > 0.01, str(sums)
    yield "the rules are said", {"warm_up", "outliers", "order"} <= set(found.get("rules", {})), output


def format_checks(bench):
    words = ["operations", "--parts", "transfers,barrier", "--sizes", "8,4096", *QUICK]
    status, output, errors = bench.run(*words, "--format", "jsonl")
    rows = [json.loads(line) for line in output.splitlines()] if status == 0 else []
    whole = len(rows) == 10 and all(KEYS | {"schema", "benchmark"} <= set(row) for row in rows)
    yield "jsonl has a row per line", whole, output + errors
    status, output, errors = bench.run("operations", "--parts", "barrier", *QUICK, "--format", "csv", "--ranks", "2,3", ranks=3)
    rows = list(csv.DictReader(output.splitlines()))
    counted = sorted({row["ranks"] for row in rows}) == ["2", "3"] and len(rows) == 4
    yield "csv has a head and a run for each number of ranks", counted and all(float(row["median"]) > 0 for row in rows), output + errors
    status, output, errors = bench.run(*words, "--format", "osu")
    yield "osu has its columns", "# Size          Latency (us)" in output and "\n4096 " in output, output + errors
    status, output, errors = bench.run(*words, "--format", "imb")
    yield "imb has its columns", "t_min[usec]" in output and "# #processes = 2" in output, output + errors
    yield from table_checks(bench)
    status, output, errors = bench.run("halo", "--local", "4,4,8", "--fields", "1", "--modes", "direct", *QUICK, "--format", "jsonl")
    rows = [json.loads(line) for line in output.splitlines()] if status == 0 else []
    yield "so do older commands", {row["by"] for row in rows} >= {"hand_p2p", "p2p", "direct"}, output + errors


def table_checks(bench):
    """Rows of the same bytes are told apart, and nothing but times stands in a table of times."""
    words = ["operations", "--parts", "datatypes", *QUICK]
    status, output, errors = bench.run(*words, "--format", "csv")
    lines = output.splitlines()
    rows = [(row["by"], row["bytes"], row.get("blocks")) for row in csv.DictReader(lines)]
    yield "csv tells blocks apart", len(rows) > len({row[:2] for row in rows}) and len(rows) == len(set(rows)), output + errors
    yield "its new columns are the last ones", lines[0].endswith(",samples,blocks,ranks_per_core"), output
    for form, beginning in (("osu", "# "), ("imb", "# Benchmarking ")):
        status, output, errors = bench.run(*words, "--format", form)
        titles = [line for line in output.splitlines() if line.startswith(f"{beginning}put of blocks (")]
        yield f"{form} names the blocks", status == 0 and len(titles) == len(set(titles)) == len(rows), output + errors
    status, output, errors = bench.run("operations", "--parts", "barrier,overlap", "--sizes", "4096", *QUICK, "--format", "imb")
    _, _, percents = output.partition("# Benchmarking put hidden by computation")
    whole = "t_min[usec]" in output and "min[%]" in percents and "usec" not in percents
    yield "percents have a table of their own", status == 0 and whole, output + errors


def made_rows():
    """A put by the paper's function, with 1 us and 0.16 ns per byte and another protocol from 64 KiB on; a fence of 2.9 us log2 p."""
    def row(operation, size, ranks, cost):
        return {"operation": operation, "by": "engine", "bytes": size, "ranks": ranks, "nodes": 1, "unit": "us", "median": cost}
    puts = [row("put + flush", 2**n, 2, 1 + 0.16e-3 * 2**n + (20 if n >= 16 else 0)) for n in range(3, 23)]
    return puts + [row("fence", 8, ranks, 2.9 * math.log2(ranks)) for ranks in (2, 3, 4, 6, 8, 12, 16)]


def term_of(curve, quantity):
    return sum(term["us"] for term in curve["terms"] if term["quantity"] == quantity)


def fit_checks(bench):
    """Points that were made by known functions."""
    source, card = bench.file("made.json"), bench.file("made_card.json")
    source.write_text(json.dumps({"schema": "halocline-bench/1", "rows": made_rows()}))
    status, output, errors = bench.run("model", "--from", source, "--card", card, ranks=1)
    found = read(card)
    curves = {curve["operation"]: curve for curve in found.get("curves", [])}
    whole = status == 0 and found.get("schema") == "halocline-card/1" and set(curves) == {"put + flush", "fence"}
    yield "a card is written", whole, output + errors
    if not whole:
        return
    put = curves["put + flush"]
    near = abs(term_of(put, "latency") - 1) < 0.05 and abs(term_of(put, "bytes") - 0.16e-3) < 1e-5
    yield "latency and bandwidth are those of the points", near, json.dumps(put)
    switches = [term["from"] for term in put["terms"] if term["quantity"] == "switch"]
    yield "the switch point is found", switches == [65536], json.dumps(put)
    yield "log2 p is found", abs(term_of(curves["fence"], "log_ranks") - 2.9) < 0.1, json.dumps(curves["fence"])
    yield "coefficients have intervals", all(term["low_us"] <= term["high_us"] for term in put["terms"]), json.dumps(put)
    yield "a half predicts the other", put["predicted_half"]["median"] < 0.15 and "other points: median error" in output, output
    yield "the card has the least time of a curve", abs(put["least_us"] - (1 + 0.16e-3 * 8)) < 1e-9, json.dumps(put)
    source.write_text(json.dumps({"schema": "halocline-bench/1", "rows": made_rows()[:2]}))
    status, output, errors = bench.run("model", "--from", source, "--card", card, ranks=1)
    few = read(card)["curves"][0]
    untested = "not tested" in output and few["typical_error"] is None and "predicted_half" not in few
    yield "two points test nothing, though their curve meets both", status == 0 and untested and "median error" not in output, output


def measured_checks(bench):
    """A short measurement of this machine."""
    file, card = bench.file("model.json"), bench.file("card.json")
    short = ["--sizes", "8,64,512,4096,32768", "--ranks", "2", "--seconds", "2", *QUICK]
    status, output, errors = bench.run("model", *short, "--json", file, "--card", card)
    found, kept = read(file), read(card)
    yield "a machine is measured", status == 0 and bool(found.get("rows")) and bool(kept.get("curves")), output + errors
    rule, passes = found.get("rules", {}).get("outliers", ""), found.get("passes", 0)
    told = f"in {passes} passes" in rule and "left out" in rule if passes > 1 else "measured once" in rule
    yield "the file says how many passes there were, and which rows count", passes > 0 and told, rule
    names = {(curve["operation"], curve["by"]) for curve in kept.get("curves", [])}
    yield "the card has the modes of a halo", {("halo", "direct"), ("halo", "p2p")} <= names, output
    puts = {("put + flush", "engine"), ("put + flush", "host")} <= names
    yield "it has operations, if there was time", puts or found.get("left_out", 0) > 0, output
    status, again, errors = bench.run("model", "--from", file, "--card", bench.file("again.json"), ranks=1)
    second = [curve["formula"] for curve in read(bench.file("again.json")).get("curves", [])]
    yield "the file gives the same card again", status == 0 and second == [curve["formula"] for curve in kept["curves"]], again + errors
    status, output, errors = bench.run("model", "--from", bench.file("missing.json"), "--card", "none", ranks=2)
    yield "a missing file is said", status != 0 and "cannot read" in errors, output + errors
    bench.file("bad.json").write_text("{")
    status, output, errors = bench.run("model", "--from", bench.file("bad.json"), "--card", "none", ranks=2)
    yield "a broken file is said", status != 0 and "is not a file of results" in errors, output + errors


def unwritten_checks(bench):
    """Files that can't be written: those that are known to fail stop the command before it measures, others do not cost its results."""
    source, file, plain = bench.file("made.json"), bench.file("results.json"), bench.file("plain")
    plain.write_text("no folder")
    source.write_text(json.dumps({"schema": "halocline-bench/1", "rows": made_rows()}))
    words = ["model", "--from", source]
    for ranks in (1, 2):
        status, output, errors = bench.run(*words, "--card", plain / "card.json", ranks=ranks)
        yield f"a card that has no folder is refused, {ranks} ranks", status == 1 and "--card" in errors and not output, output + errors
    yield "in one line", errors.count("can't write the machine card") == 1, errors
    status, output, errors = bench.run(*words, cache=plain, ranks=1)
    yield "so is the one that is kept", status == 1 and "XDG_CACHE_HOME" in errors and "--card" in errors and not output, output + errors
    status, output, errors = bench.run(*words, "--card", bench.folder, ranks=1)
    yield "a folder is no card", status == 1 and "Is a directory" in errors and not output, output + errors
    status, output, errors = bench.run(*words, "--card", "none", "--json", plain / "results.json", ranks=1)
    yield "results that have no folder are refused", status == 1 and "--json" in errors and not output, output + errors

    status, output, errors = bench.run(*words, "--card", "/dev/full", "--json", file)
    printed = "other points: median error" in output and bool(read(file).get("curves"))
    yield "a full disk costs the card, not the results", status == 4 and printed and "no machine card: can't write /dev/full" in errors, \
        f"status {status}\n{output}{errors}"
    status, output, errors = bench.run(*words, "--card", "none", "--json", "/dev/full")
    printed = "other points: median error" in output
    yield "nor the table", status == 4 and printed and "can't write /dev/full" in errors, f"status {status}\n{output}{errors}"

    card = bench.file("kept") / "card.json"
    card.parent.mkdir()
    card.write_text("the old card")
    with card.open() as reader:
        status, output, errors = bench.run(*words, "--card", card, ranks=1)
        yield "who reads a card meanwhile reads the old one", reader.read() == "the old card" and read(card).get("curves"), output + errors
    yield "nothing else is left in its folder", [one.name for one in card.parent.iterdir()] == ["card.json"], output


def main():
    split = sys.argv.index("--")
    faults = 0
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(sys.argv[1], sys.argv[split + 1:], pathlib.Path(folder))
        for part in (operation_checks, format_checks, fit_checks, measured_checks, unwritten_checks):
            for sentence, holds, output in part(bench):
                print(f"{'ok' if holds else 'FAULT'}: {sentence}")
                if not holds:
                    faults += 1
                    print(output)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
