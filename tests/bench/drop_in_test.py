#!/usr/bin/env python3
"""Checks that tests/bench/library/drop_in.py measures calls, windows and swaps with libhalocline_mpi, and reports and draws all.

Usage: drop_in_test.py BENCH -- LAUNCHER [FLAG...]

The launcher is the one that BENCH's build was configured with, which drop_in.py finds by itself.

SPDX-License-Identifier: BSD-3-Clause
"""
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUNNER = ROOT / "tests" / "bench" / "library" / "drop_in.py"
OPERATIONS = {("put + flush", 8), ("put + flush", 4096), ("get + flush", 8), ("get + flush", 4096), ("put of 16000 blocks", 64000),
              ("accumulate + flush", 8), ("accumulate + flush", 65536), ("fetch_and_op + flush", 8), ("compare_and_swap + flush", 8),
              ("lock shared, unlock", 0), ("lock exclusive, unlock", 0), ("lock exclusive of one rank by all", 8),
              ("PSCW, put to the next rank", 8), ("fence, put to the next rank", 8)}
ELEMENTS = {"accumulate of doubles + flush", "get_accumulate of doubles + flush", "accumulate LAND + flush", "accumulate MAXLOC + flush",
            "accumulate of float complex + flush", "accumulate of double complex + flush", "accumulate of long doubles + flush",
            "put of 512 blocks", "get of 512 blocks", "accumulate of 512 blocks", "put of 16000 blocks", "get of 16000 blocks",
            "2000 fetch_and_op + flush", "2000 puts + flush", "64 gets + flush"}
HALO_MODES = {"hand_p2p", "p2p", "fence", "pscw", "passive", "passive_naive", "notify", "direct"}
KINDS = {"create", "allocate", "allocate_shared", "dynamic"}
TIMES = ("ours_us", "host_us", "limit_us", "ratio")


def is_number(value):
    return isinstance(value, int | float) and 0 < value < 1e12


def checks(found, output):
    """Pairs of a sentence and whether it is so."""
    yield "the file has its format", (found.get("format"), found.get("benchmark")) == (1, "drop-in")
    yield "the MPI is named", len(found["mpis"]) == 1 and all(one["ranks"] == 2 for one in found["mpis"].values())
    launches = found["calls"]
    yield "each launch is there", [one["launch"] for one in launches] == [0, 1]
    rows = [row for one in launches for row in one["operations"]]
    yield "each operation is there in each launch", all({(row["operation"], row["bytes"]) for row in one["operations"]} == OPERATIONS
                                                        for one in launches)
    yield "each has times", all(is_number(row[key]) for row in rows for key in TIMES)
    yield "what moves data was verified", all(row["verified_bytes"] > 0 for row in rows if "unlock" not in row["operation"])
    calls = [call for one in launches for call in one["interposition"]]
    yield "the interposition is measured", len(calls) == 2 * len(launches) and all(is_number(call["with_ns"]) for call in calls)
    between = [row for one in found["hosts"] for row in one["operations"]]
    yield "calls between hosts have times, or a reason why not", \
        all(is_number(row[key]) for row in between for key in ("ours_us", "host_us")) and bool(between or found["left_out"])
    names = {row["operation"] for row in between}
    yield "among them each of the elements", not between or names >= ELEMENTS
    windows_between = [one[side]["median_us"] for one in found["hosts_windows"] for side in ("ours", "host")]
    yield "windows are made between hosts too", \
        all(is_number(us) for us in windows_between) and len(windows_between) == (12 if between else 0)
    windows = found["windows"]
    yield "each kind of window is there", {one["kind"] for one in windows} == KINDS and len(windows) == len(KINDS)
    sides = [one[side] for one in windows for side in ("ours", "host")]
    yield "windows have times", all(is_number(side["median_us"]) and is_number(side["first_us"]) for side in sides)
    yield "windows have memory", all(side["windows"] > 0 and "own_bytes" in side and "shared_bytes" in side for side in sides)
    halos = found["halo"]
    yield "halos are swapped with the library and without it, in each launch", \
        [(one["launch"], one["loaded"]) for one in halos] == [(0, False), (0, True), (1, False), (1, True)]
    yield "in each mode of MPI RMA", all(set(one["modes"]) >= HALO_MODES for one in halos)
    swaps = [mode for one in halos for mode in one["modes"].values()]
    yield "halos have times, and were verified", all(is_number(mode["us"]) and mode["verified_cells"] > 0 for mode in swaps)
    yield "the tables are printed", all(title in output for title in ("Calls, us, 2 ranks", "Interposition, ns", "Windows: made and freed",
                                                                      "Halo swaps, us, 2 ranks"))


def are_drawn(folder, output):
    """Each part has its picture, unless there is nothing that draws."""
    if "no pictures: ModuleNotFoundError" in output:
        return True
    return all((folder / f"rma_{part}.png").read_bytes().startswith(b"\x89PNG") if (folder / f"rma_{part}.png").exists() else False
               for part in ("calls", "windows", "halo"))


def main():
    build = pathlib.Path(sys.argv[1]).resolve().parents[1]
    with tempfile.TemporaryDirectory(prefix="halocline-drop-in-") as folder:
        command = [sys.executable, str(RUNNER), "--build", str(build), "--quick", "--launches", "2", "--parts", "calls,hosts,windows,halo",
                   "--window-ranks", "2", "--results", folder]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        file = pathlib.Path(folder) / "drop_in.json"
        outcomes = list(checks(json.loads(file.read_text()), done.stdout)) if file.exists() else [("a file is written", False)]
        outcomes.append(("the pictures are drawn", are_drawn(pathlib.Path(folder), done.stdout)))
    outcomes.append(("it ends well", done.returncode == 0))
    for sentence, right in outcomes:
        print("passed: " if right else "failed: ", sentence, sep="")
    failed = sum(not right for _, right in outcomes)
    if failed:
        print(done.stdout)
    print(f"{len(outcomes) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
