#!/usr/bin/env python3
"""Checks the verdicts and tables of tests/bench/library/drop_in_tables.py on made-up numbers; last line: N passed, N failed, N skipped.

SPDX-License-Identifier: BSD-3-Clause
"""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "bench" / "library"), str(ROOT / "scripts")]
import drop_in_tables as tables  # noqa: E402
import outcomes  # noqa: E402


def row(operation="put + flush", ours=1.0, host=1.0, limit=1.0):
    return {"operation": operation, "bytes": 8, "verified_bytes": 8, "ours_us": ours, "host_us": host, "limit_us": limit,
            "ratio": host / ours}


def launch(number, rows):
    """One launch of some MPIs: a row each."""
    return [{"launch": number, "mpi": mpi, "operations": [one], "interposition": [
        {"call": "finds its window", "with_ns": 5, "without_ns": 2, "cost_ns": 3}]} for mpi, one in rows.items()]


def missed(launches):
    mpis = tables.in_order(one["mpi"] for one in launches)
    return tables.missed_aims(tables.operations_of(launches)[0], mpis)


def window(kind, ranks):
    side = {"median_us": 10, "own_bytes": 1024, "shared_bytes": 1024}
    return {"kind": kind, "ranks": ranks, "mpi": "A", "ours": side, "host": side | {"median_us": 20}}


def halo(loaded, us):
    return {"launch": 0, "mpi": "A", "loaded": loaded, "cells": "8,8,64", "fields": 1, "limit_us": 1,
            "modes": {"fence": {"us": us, "verified_cells": 9}}}


def checks():
    yield "as fast as the best is enough", not missed(launch(0, {"A": row(), "B": row(host=1.04)}))
    yield "5% are noise", not missed(launch(0, {"A": row(ours=1.04, host=1.2), "B": row()}))
    yield "10% are not", missed(launch(0, {"A": row(ours=1.11, host=1.2), "B": row()})) == ["behind the best under A"]
    yield "the best is another MPI's host", missed(launch(0, {"A": row(ours=2.0, host=2.0), "B": row()})) == ["behind the best under A"]
    yield "twice is demanded far from the limit", missed(launch(0, {"A": row(ours=2.0, host=3.1)})) == ["1.55 of 2 times A"]
    yield "and only there", not missed(launch(0, {"A": row(ours=2.0, host=3.0)}))
    yield "blocks want 5 times", missed(launch(0, {"A": row("put of 16000 blocks", ours=1.0, host=4.0)})) == ["4.00 of 5 times A"]
    one_slow = launch(0, {"A": row()}) + launch(1, {"A": row(ours=9.0)}) + launch(2, {"A": row()})
    yield "the median of the launches counts", not missed(one_slow)
    yield "the range is told", tables.spread([1, 2, 3]) == "2.00 (1.00 - 3.00)" and tables.spread([2]) == "2.00"
    yield "numbers have three digits", [*map(tables.number, (1234.5, 12.34, 1.234, 0.0123))] == ["1,234", "12.3", "1.23", "0.012"]
    crowded = launch(0, {"MPICH 5": row("fence", ours=1, host=4.9), "Open MPI 5": row("fence", ours=1, host=2)})
    found = {"ranks": 2, "crowded_ranks": 8, "calls": one_slow, "crowded": crowded, "windows": [window("create", 2), window("create", 4)],
             "hosts_windows": [{"bytes": 4096, **window("create", 2)}],
             "halo": [halo(False, 30), halo(True, 10)]}
    made = {title.split(",")[0]: (head, rows, notes) for title, head, rows, notes in tables.all_tables(found)}
    yield "there are six tables", len(made) == 6
    yield "windows between hosts have both times and their ratio", \
        made["Windows made and freed between 2 hosts"][1] == [["create", "4,096", "10.0", "20.0", "2.00"]]
    yield "all rows are as long as their heads", all(len(one) == len(head) for head, rows, _ in made.values() for one in rows)
    yield "crowded ranks are held against MPICH", made["Synchronisation"][1][0][-1] == "below 5"
    yield "windows have a row per kind and ranks", [one[:4] for one in made["Windows: made and freed"][1]] == [
        ["create", 2, "10.0 / 20.0", "2.00 / 2.00"], ["create", 4, "10.0 / 20.0", "2.00 / 2.00"]]
    yield "halo modes have their ratio", made["Halo swaps"][1] == [["8 x 8 x 64, 1", "fence", "30.0", "10.0", "3.00"]]
    yield "interposition has its verdict", "reached" in made["Interposition"][2][0]
    yield "nothing measured, no table", not tables.all_tables({"calls": [], "crowded": [], "windows": [], "halo": []})


if __name__ == "__main__":
    outcomes.report(checks())
