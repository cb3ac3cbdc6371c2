#!/usr/bin/env python3
"""Windows of the drop-in in a trace, and what tools of the profiling interface and of MPI_T see.

Usage: windows_test.py PROGRAM TRACED TOOL LIBRARY PROFILER PVARS -- LAUNCHER [FLAG...]

PROGRAM is windows.cpp, TRACED traced.cpp, TOOL halocline-trace, LIBRARY libhalocline_mpi, PROFILER the library of tool.c, PVARS pvars.c.

SPDX-License-Identifier: BSD-3-Clause
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from quiet_lines import quiet_lines  # noqa: E402

RANKS, LATE = 3, 1
LATE_NS = 15_000_000
CALLS = {"MPI_Put", "MPI_Get", "MPI_Accumulate", "MPI_Win_fence", "MPI_Win_post", "MPI_Win_start", "MPI_Win_complete", "MPI_Win_wait",
         "MPI_Win_lock", "MPI_Win_flush", "MPI_Win_unlock"}


def launch(launcher, preloaded, words, **variables):
    """Only the program gets the libraries, not the launcher."""
    preload = "LD_PRELOAD=" + ":".join(preloaded)
    command = [*launcher, "-n", str(RANKS), "env", preload, *words]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=100,
                          env={**os.environ, **variables})
    return done.returncode, "\n".join(quiet_lines(done.stdout))


def counts_of(text):
    """What the tool has counted on each rank."""
    return [{name: int(count) for name, count in re.findall(r"(MPI_\w+) (\d+)", line)}
            for line in text.splitlines() if line.startswith("tool: ")]


def epochs_drawn(folder):
    """The kinds of epochs of which the picture has rectangles, and not only a name in the legend."""
    root = xml.etree.ElementTree.parse(pathlib.Path(folder) / "timeline.svg").getroot()
    titles = [title.text for part in root.iter() if part.tag.endswith("rect") for title in part.findall("{*}title")]
    return {title.split()[0] for title in titles if " a window " in title}


def traced_windows(paths, launcher, nodes):
    program, _, tool, library = paths[:4]
    with tempfile.TemporaryDirectory(prefix="halocline-test-") as folder:
        code, text = launch(launcher, [library], [program, str(LATE)], HALOCLINE_TRACE=folder, HALOCLINE_FAKE_NODES=nodes,
                            HALOCLINE_MPI_STRICT="1")
        yield f"the program runs on {nodes} nodes: {text}", code == 0 and not text
        done = subprocess.run([sys.executable, tool, folder, "--json"], stdout=subprocess.PIPE, text=True, timeout=60)
        waits = json.loads(done.stdout)["waits_ns"]
        for rank in ("0", "2"):
            yield f"rank {rank} waited for the late rank: {waits[rank]}", waits[rank].get(str(LATE), 0) > 3 * LATE_NS
        events = [event for event in json.loads((pathlib.Path(folder) / "rank-0.json").read_text()) if event.get("cat") == "mpi"]
        missing = CALLS - {event["name"] for event in events}
        yield f"all calls are there but {missing}", not missing
        puts = [event["args"] for event in events if event["name"] == "MPI_Put"]
        yield f"puts name target and bytes: {puts}", [(put["peer"], put["bytes"]) for put in puts] == [(1, 8)] * 4
        drawn = epochs_drawn(folder)
        yield f"the picture has the epochs: {drawn}", drawn == {"fence", "access", "exposure", "lock"}


def fences_of(folder, rank):
    """The windows' names in the order of their fences."""
    events = json.loads((pathlib.Path(folder) / f"rank-{rank}.json").read_text())
    return [(event["args"].get("context"), event["args"]["plan"]) for event in events if event["name"] == "MPI_Win_fence"]


def several_communicators(paths, launcher):
    program, library = paths[0], paths[3]
    with tempfile.TemporaryDirectory(prefix="halocline-test-") as folder:
        code, text = launch(launcher, [library], [program, str(LATE), "several"], HALOCLINE_TRACE=folder, HALOCLINE_MPI_STRICT="1")
        yield f"the program with several communicators runs: {text}", code == 0 and not text
        fences = [fences_of(folder, rank) for rank in range(RANKS)]
        yield f"all ranks name windows alike: {fences}", all(one == fences[0] for one in fences) and len(fences[0]) == 12
        first, second = fences[0][:2]
        yield "windows of two communicators have different names", fences[0][:4] == [first, second, second, first] and first != second
        yield "each communicator counts its own", {plan for _, plan in fences[0]} == {1} and len(set(fences[0])) == 6


def variables(paths, launcher):
    library, pvars = paths[3], paths[5]
    counts = []
    for preloaded in ([], [library]):
        code, text = launch(launcher, preloaded, [pvars], HALOCLINE_MPI_STRICT="1")
        found = [list(map(int, re.findall(r"\d+", line))) for line in text.splitlines() if line.startswith(("before", "after"))]
        yield f"MPI_T works with {preloaded or 'the MPI alone'}: {text}", code == 0 and len(found) == 2
        counts.append(found)
    yield f"it has the same variables, which can be read alike: {counts}", counts[0] == counts[1]


def profiled(paths, launcher):
    program, traced, _, library, profiler = paths[:5]
    code, text = launch(launcher, [profiler, library], [program, str(LATE)], HALOCLINE_MPI_STRICT="1")
    counts = counts_of(text)
    wanted = {"MPI_Put": 4, "MPI_Win_fence": 4, "MPI_Win_lock": 1, "MPI_Start": 0, "MPI_Comm_create": 1}
    yield f"a tool sees the program's calls once each, and what opens the context: {counts}", code == 0 and counts == [wanted] * RANKS
    code, text = launch(launcher, [library, profiler], [program, str(LATE)], HALOCLINE_MPI_STRICT="1")
    counts = counts_of(text)
    yield f"a tool behind the drop-in does not even see MPI_Finalize: {counts}", code == 0 and not counts
    code, text = launch(launcher, [profiler], [traced, "p2p", "-1", "5"])
    counts = counts_of(text)
    yield f"a tool sees the messages of mode p2p: {counts}", code == 0 and len(counts) == RANKS and \
        all(count["MPI_Start"] >= 5 and count["MPI_Put"] == 0 for count in counts)
    for mode in ("fence", "pscw", "passive", "notify", "direct"):
        code, text = launch(launcher, [profiler], [traced, mode, "-1", "5"])
        counts = counts_of(text)
        called = {"MPI_Put": mode in ("fence", "pscw", "passive"), "MPI_Win_fence": mode == "fence", "MPI_Start": mode == "passive"}
        yield f"a tool sees the calls of mode {mode}, and no others: {counts}", code == 0 and len(counts) == RANKS and \
            all(count[name] >= 5 if expected else count[name] == 0 for count in counts for name, expected in called.items())


def main():
    divider = sys.argv.index("--")
    paths, launcher = sys.argv[1:divider], sys.argv[divider + 1:]
    checks = (traced_windows(paths, launcher, "1"), traced_windows(paths, launcher, "2"), several_communicators(paths, launcher),
              variables(paths, launcher), profiled(paths, launcher))
    results = [result for check in checks for result in check]
    failures = sum(not right for _, right in results)
    for name, right in results:
        print(f"{'passed' if right else 'FAILED'}: {name}")
    print(f"{len(results) - failures} passed, {failures} failed, 0 skipped")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
