#!/usr/bin/env python3
"""Traces of real runs: valid JSON, spans that lie in each other, swaps that end, waits for the rank that was late, and an order that holds
across nodes.

Usage: trace_test.py PROGRAM TOOL CASE [WORD...] -- LAUNCHER [FLAG...]

Cases: swaps MODE NODES (a number, or hosts), threads, clocks, summary, plans, views, fork, left, off, folder, disk, death; see the
functions.
PROGRAM is traced.cpp, TOOL halocline-trace. On a machine that is busy any rank may be late: so nothing is said of how long others are
waited for.

SPDX-License-Identifier: BSD-3-Clause
"""
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

RANKS, LATE, SWAPS = 3, 1, 6
LATE_NS = 15_000_000  # of the 20 ms that the late rank sleeps
SKIPPED = 77


class Skip(Exception):
    """The case cannot be tried here."""


class Runner:
    """Launches the program with a folder for its trace."""

    def __init__(self, words, launcher):
        self.program, self.tool, self.launcher = words[0], words[1], launcher
        # Where all hosts of tests/hosts find it.
        shared = pathlib.Path("/run/shared")
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="halocline-test-", dir=shared if shared.is_dir() else None))

    def run(self, *words, before=(), ranks=RANKS, **variables):
        command = [*self.launcher, "-n", str(ranks), *before, self.program, *map(str, words)]
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=100,
                              env={**os.environ, **variables})

    def trace(self, *words, **more):
        done = self.run(*words, HALOCLINE_TRACE=str(self.folder), **more)
        if done.returncode == SKIPPED:
            raise Skip("this MPI has no MPI_THREAD_MULTIPLE")
        return done

    def answer(self):
        done = subprocess.run([sys.executable, self.tool, str(self.folder), "--json"], stdout=subprocess.PIPE, text=True, timeout=60)
        return json.loads(done.stdout) if done.returncode == 0 else {}

    def events(self, rank):
        return json.loads((self.folder / f"rank-{rank}.json").read_text())


def spans_of(events):
    return [event for event in events if event["ph"] == "X"]


def nested(spans):
    """Whether the spans of each thread lie in each other or apart."""
    threads = collections.defaultdict(list)
    for span in sorted(spans, key=lambda span: (span["tid"], span["ts"], -span["dur"])):
        around, end = threads[span["tid"]], span["ts"] + span["dur"]
        while around and around[-1] <= span["ts"] + 0.001:
            around.pop()
        if around and end > around[-1] + 0.001:
            return False
        around.append(end)
    return True


def balanced(events):
    """Whether each swap that begins ends, in this order, and has a name of its own."""
    begins, ends = ([(event["id"], event["ts"]) for event in events if event["ph"] == phase] for phase in "be")
    begun, ended = dict(begins), dict(ends)
    alone = len(begun) == len(begins) and len(ended) == len(ends)
    return bool(begun) and alone and begun.keys() == ended.keys() and all(ended[name] >= begun[name] for name in begun)


def well_formed(runner, ranks=RANKS):
    for rank in range(ranks):
        events = runner.events(rank)
        yield f"rank {rank}: spans lie in each other", bool(spans_of(events)) and nested(spans_of(events))
        yield f"rank {rank}: each swap ends", balanced(events)


def in_order(runner, within_us=0.0):
    """No wait for data ends before the neighbour has begun to send them, on the common clock, which is known to within so many us."""
    merged = json.loads((runner.folder / "merged.json").read_text())["traceEvents"]
    spans = [event for event in merged if event["ph"] == "X"]
    sent = {}
    for span in spans:
        if span["name"] in ("start", "put") and "round" in span["args"]:
            key = (span["pid"], span["args"]["plan"], span["args"]["round"], span["args"].get("peer") if span["name"] == "put" else None)
            sent[key] = min(span["ts"], sent.get(key, span["ts"]))
    waits = [span for span in spans if span["name"] == "wait" and "round" in span["args"] and "peer" in span["args"]]
    early = 0
    for wait in waits:
        step = (wait["args"]["peer"], wait["args"]["plan"], wait["args"]["round"])
        start = sent.get((*step, wait["pid"]), sent.get((*step, None)))
        early += start is None or wait["ts"] + wait["dur"] + within_us < start
    return bool(waits) and early == 0


def swaps(runner, mode, nodes):
    """Swaps, a segment and a reduction, with a late rank."""
    done = runner.trace(mode, LATE, SWAPS, **({} if nodes in ("1", "hosts") else {"HALOCLINE_FAKE_NODES": nodes}))
    yield f"runs: {done.stdout}", done.returncode == 0 and not done.stdout
    yield from well_formed(runner)
    answer = runner.answer()
    for rank in (0, 2):
        waits = answer["waits_ns"][str(rank)]
        yield f"rank {rank} waited as long as the late rank slept: {waits}", waits.get(str(LATE), 0) > SWAPS * LATE_NS
    path = answer["path"]["by_rank_ns"]
    yield f"the path goes through the late rank: {path}", path.get(str(LATE), 0) > SWAPS * LATE_NS
    yield "data arrive after they were sent", in_order(runner)
    names = {span["name"] for rank in range(RANKS) for span in spans_of(runner.events(rank))}
    wanted = {"start", "finish", "wait", "hlc_put_notify", "hlc_notify_wait", "hlc_barrier", "hlc_flush", "hlc_allreduce_run",
              "hlc_halo_init"}
    steps = {"copy"} if mode == "direct" and nodes == "1" else {"pack", "put", "unpack"}
    yield f"all steps are there but {(wanted | steps) - names}", wanted | steps <= names
    starts = [span["args"] for span in spans_of(runner.events(0)) if span["name"] == "start"]
    fields = [about["what"] for about in starts]
    yield f"swaps name their halo: {starts[:2]}", all(about["of"] == "flow" for about in starts)
    yield f"and their fields: {fields}", fields == ['u, the "v"', 'the "v"'] * (SWAPS // 2)


def threads(runner):
    """Two threads of each rank."""
    done = runner.trace("threads", ranks=2)
    yield f"runs: {done.stdout}", done.returncode == 0
    yield from well_formed(runner, 2)
    starts = collections.Counter((span["tid"], span["args"]["of"]) for span in spans_of(runner.events(0)) if span["name"] == "start")
    yield f"each thread has its halo: {starts}", len(starts) == 2 and set(starts.values()) == {50} and len({tid for tid, _ in starts}) == 2


def clocks(runner):
    """Rank 1 and those above read another clock, far ahead: a time namespace of their own."""
    shift = ["unshare", "--time", "--monotonic", "4321"]
    if not shutil.which("unshare") or subprocess.run([*shift, "true"], capture_output=True).returncode:
        raise Skip("there are no time namespaces here")
    choose = 'case ${PMI_RANK:-${OMPI_COMM_WORLD_RANK:-0}} in 0) exec "$@" ;; *) exec ' + " ".join(shift) + ' --fork "$@" ;; esac'
    done = runner.trace("p2p", LATE, SWAPS, before=["sh", "-c", choose, "sh"], HALOCLINE_FAKE_NODES=str(RANKS))
    yield f"runs: {done.stdout}", done.returncode == 0
    answer = runner.answer()
    found = re.findall(r"is (\S+) us off, within (\S+) us", " ".join(answer.get("remarks", [])))
    yield f"the clocks are apart: {answer.get('remarks')}", len(found) > 0 and all(abs(float(us) + 4321e6) < 1000 for us, _ in found)
    waits = answer["waits_ns"]["0"]
    yield f"waits are for the late rank: {waits}", waits.get(str(LATE), 0) > SWAPS * LATE_NS
    within = sum(float(us) for _, us in found)
    yield f"data arrive after they were sent, or within {within} us", within < 5000 and in_order(runner, within)


def summary(runner):
    """The table of HALOCLINE_SUMMARY, without a trace."""
    done = runner.run("direct", LATE, SWAPS, HALOCLINE_SUMMARY="1")
    lines = [line.split() for line in done.stdout.splitlines() if line.startswith("halocline:")]
    rows = [line for line in lines if line[1].isdigit()]
    yield f"has a row for each rank: {done.stdout}", done.returncode == 0 and [row[1] for row in rows] == ["0", "1", "2"]
    yield "counts swaps", all(row[2] == str(SWAPS) for row in rows)
    yield "orders times", all(float(row[4]) <= float(row[5]) <= float(row[6]) for row in rows)
    yield "says who is late", " ".join(lines[-1]).endswith(f"most of it to rank {LATE}")
    yield "and for how long others waited", float(rows[LATE][8]) * 1e6 > SWAPS * LATE_NS
    yield "says who waits", float(rows[0][7].rstrip("%")) > 50


def busy_us(events, halo):
    """The time from the first start of a halo to its last finish, without the rank's waits in all calls."""
    spans = spans_of(events)
    mine = [span for span in spans if span["cat"] == "swap" and span["args"].get("of") == halo and span["name"] in ("start", "finish")]
    first, last = min(span["ts"] for span in mine), max(span["ts"] + span["dur"] for span in mine)
    waited, until = 0, first
    for span in sorted((span for span in spans if span["cat"] == "wait" and first <= span["ts"] < last), key=lambda span: span["ts"]):
        waited += max(0, span["ts"] + span["dur"] - max(until, span["ts"]))
        until = max(until, span["ts"] + span["dur"])
    return last - first - waited


def plans(runner):
    """Three halos at a time, one of them in mode auto and one with stages: a table each, which knows of the waits in all others."""
    done = runner.trace("plans", LATE, HALOCLINE_SUMMARY="1", HALOCLINE_AUTO_MODES="p2p,notify,direct")
    tables = re.findall(r"swaps of '(\w+)' \(plan \d+\), mode (.*), by 3 ranks", done.stdout)
    modes = dict(tables)
    yield f"there is a table for each halo: {done.stdout}", done.returncode == 0 and sorted(name for name, _ in tables) == \
        ["chosen", "other", "staged"]
    counts = [int(count) for count in re.findall(r"\((\d+) swaps\)", modes.get("chosen", ""))]
    yield f"it names the modes: {modes}", modes.get("other") == "direct" and modes.get("staged") == "notify" and len(counts) > 1 and \
        sum(counts) == 60
    rows = [line.split() for line in done.stdout.splitlines() if re.match(r"halocline: +\d", line)]
    yield "all swaps are in it", len(rows) == 9 and all(row[2] == "60" for row in rows)
    said = dict(re.findall(r"swaps of '(\w+)'.*?imbalance of the time between waits ([\d.]+)%", done.stdout, re.DOTALL))
    for halo in ("chosen", "staged"):
        busy = [busy_us(runner.events(rank), halo) for rank in range(RANKS)]
        imbalance = 100 * (max(busy) * RANKS / sum(busy) - 1)
        yield f"'{halo}': no wait of a rank is work: {said.get(halo)}, {imbalance}", abs(float(said.get(halo, -1000)) - imbalance) < 0.2
        yield f"'{halo}': the late rank worked: {busy}", busy[LATE] > 10 * LATE_NS / 1000


def views(runner):
    """Ranks that wait in the release of views: that is time in the swap."""
    done = runner.run("views", LATE, HALOCLINE_SUMMARY="1")
    rows = [line.split() for line in done.stdout.splitlines() if re.match(r"halocline: +\d", line)]
    yield f"has a row for each rank: {done.stdout}", done.returncode == 0 and len(rows) == RANKS
    yield "says who waits", float(rows[0][7].rstrip("%")) > 50
    yield "nobody waits for longer than the swaps take", all(float(row[7].rstrip("%")) <= 100 for row in rows)
    yield "the waits are in the longest swap", float(rows[0][6]) * 1e3 > LATE_NS / 2


def fork(runner):
    """A child of the process that ends before the context prints no table."""
    done = runner.run("fork", HALOCLINE_SUMMARY="1")
    yield f"prints it once: {done.stdout}", done.returncode == 0 and done.stdout.count("swaps of 'flow'") == 1


def left(runner):
    """A halo that is never released: rank 0 shows its own row."""
    done = runner.run("left", HALOCLINE_SUMMARY="1")
    rows = [line.split() for line in done.stdout.splitlines() if re.match(r"halocline: +\d", line)]
    words = "'flow' (plan 1), mode notify, on rank 0 only"
    yield f"rank 0 says what it knows: {done.stdout}", done.returncode == 0 and words in done.stdout
    yield "which are its own swaps", [row[1:3] for row in rows] == [["0", "5"]]


def off(runner):
    """Without the variables nothing is written or said."""
    done = runner.run("direct", LATE, SWAPS, HALOCLINE_TRACE="", HALOCLINE_SUMMARY="0")
    yield f"says nothing: {done.stdout}", done.returncode == 0 and not done.stdout
    yield "writes nothing", not list(runner.folder.iterdir())


def traps(runner):
    """A pipe, a link and a second name of a file, that another user has left where the traces go."""
    shared, own = runner.folder / "shared", runner.folder / "own"
    shared.mkdir()
    own.write_text("not to be written")
    os.mkfifo(shared / "rank-0.json")
    (shared / "rank-1.json").symlink_to(own)
    os.link(own, shared / "rank-2.json")
    done = runner.run("direct", LATE, SWAPS, HALOCLINE_TRACE=str(shared))
    yield f"waits for no reader of a pipe, and says so: {done.stdout}", done.returncode == 0 and \
        "rank-0.json cannot be written" in done.stdout and "(3 of 3 ranks)" in done.stdout
    yield "leaves the file that links name as it is", own.read_text() == "not to be written"


def folder(runner):
    """A folder that cannot be made: one message, and the program goes on. A file that is no trace."""
    done = runner.run("direct", LATE, SWAPS, HALOCLINE_TRACE=str(runner.folder / "no" / "such"))
    lines = done.stdout.splitlines()
    yield f"says it once, with the number of ranks: {lines}", done.returncode == 0 and len(lines) == 1 and \
        all(words in lines[0] for words in ("HALOCLINE_TRACE", "/no/such/rank-0.json", "No such file", "(3 of 3 ranks)"))
    yield from traps(runner)
    (runner.folder / "rank-0.json").write_text('[{"times": 1}]')
    read = subprocess.run([sys.executable, runner.tool, str(runner.folder)], capture_output=True, text=True, timeout=60, check=False)
    names = "rank-0.json is not a file of HALOCLINE_TRACE" in read.stderr
    yield f"names a file that is no trace: {read.stderr}", read.returncode == 1 and names


def disk(runner):
    """A disk that becomes full: a file system of 96 KiB, in a mount namespace."""
    space = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs -o size=96k none "$0" || exit 77; mkdir "$0/t"; "$@"; code=$?; '
             'cp "$0"/t/* "$0/../" && exit $code']
    inside = runner.folder / "disk"
    inside.mkdir()
    if not shutil.which("unshare") or subprocess.run([*space, str(inside), "true"], capture_output=True).returncode == SKIPPED:
        raise Skip("no file system can be mounted here")
    runner.launcher = [*space, str(inside), *runner.launcher]
    done = runner.run("contexts", "notify", ranks=2, HALOCLINE_TRACE=str(inside / "t"))
    lines = done.stdout.splitlines()
    yield f"each rank says it once: {lines}", done.returncode == 0 and 1 <= len(lines) <= 2 and \
        all("the trace of this rank ends here" in line for line in lines)
    yield "what was written is still JSON", all(runner.events(rank) for rank in range(2))
    halos = {event["args"]["of"] for event in spans_of(runner.events(0)) if "of" in event["args"]}
    yield f"and another context leaves it as it is: {halos}", halos == {"short"}


def death(runner):
    """A rank that is killed leaves what it had written."""
    done = runner.trace("die", "notify", ranks=2, HALOCLINE_TIMEOUT="5")
    events = runner.events(1)
    yield f"the dead rank's file has events of its swaps: {len(events)}; {done.stdout}", len(spans_of(events)) > 25_000
    answer = runner.answer()
    yield "the tool reads them", bool(answer.get("waits_ns"))


CASES = {case.__name__: case for case in (swaps, threads, clocks, summary, plans, views, fork, left, off, folder, disk, death)}


def main():
    divider = sys.argv.index("--")
    words, launcher = sys.argv[1:divider], sys.argv[divider + 1:]
    runner, failures, number = Runner(words, launcher), 0, 0
    try:
        for name, right in CASES[words[2]](runner, *words[3:]):
            number += 1
            failures += not right
            print(f"{'passed' if right else 'FAILED'}: {name}", flush=True)
    except Skip as why:
        print(f"skipped: {why}")
        return SKIPPED
    finally:
        if not failures:
            shutil.rmtree(runner.folder)
    print(f"{number - failures} passed, {failures} failed, 0 skipped")
    return 1 if failures or number == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
