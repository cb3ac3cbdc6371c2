#!/usr/bin/env python3
"""Tests of apps/common/summary.py: which apps it finds, and what tables it makes of reports of both kinds.

Usage: apps_summary_test.py PATH_OF_SUMMARY

SPDX-License-Identifier: BSD-3-Clause
"""
import sys

from made import load, report

ENVIRONMENT = {"cpu": "a processor", "cores": 2, "kernel": "Linux 6.1 #1 x86_64", "mpi": "MPICH 5.0.2,\nbuilt",
               "date": "2026-01-02T03", "ranks": 4, "nodes": 1}
DICTIONARIES = {"environment": ENVIRONMENT, "problem": {"cells": [1, 2], "steps": 3, "ranks": 4}, "order": ["p2p", "ours"],
                "variants": {"p2p": {"samples": [{"total_s": 4e-6}, {"total_s": 2e-6}, {"total_s": 8e-6}]},
                             "ours": {"checked": True, "samples": [{"total_s": 2e-6}]}}}
LISTS = {"environment": ENVIRONMENT, "problem": {"bytes": 8}, "order": ["nbx", "engine"],
         "protocols": {"nbx": {"exchange_s": [3e-6]}, "engine": {"exchange_s": [1e-6, 2e-6, 1.5e-6]}}}


def outcomes(summary):
    yield "finds the apps that have a bench", {"cloud", "ghost", "hashtable", "sparse"} <= set(summary.names())
    head, rows = summary.times_of(DICTIONARIES)
    yield "names the part of a sample", head == ["", "total, us", "ratio"]
    yield "has the median, the least and the most", rows[0] == ["p2p", "4 (2 - 8)", "1.00"]
    yield "says how many times as fast as the first a variant is", rows[1] == ["ours", "2", "2.00"]
    yield "reads samples that are a list", summary.times_of(LISTS)[1] == [["nbx", "3", "1.00"], ["engine", "1.5 (1 - 2)", "2.00"]]
    silent = {"total_s": [1e-6], "swap_s": [0.0]}
    lone = LISTS | {"protocols": {"nbx": {"total_s": [3e-6], "swap_s": [1e-6]}, "engine": silent}}
    yield "has no ratio to a part that takes no time", summary.times_of(lone)[1][1] == ["engine", "1", "3.00", "0", "-"]
    few, many = [5.0, -1.0, 2.0, 3.0, 4.0, 1.0, 9.0], list(range(101))
    yield "has the least and the most of seven samples", summary.interval(few) == (-1.0, 9.0)
    yield "has the interval of the median of many", summary.interval(many) == (40, 60)
    yield "has no ratio where a time may be nothing", summary.ratio(few, [1.0]) == summary.ratio([1.0], few) == "-"
    yield "takes the table of an app that has one", summary.table_of("sparse", LISTS)[0] == ["", "one exchange, us", "to engine"]
    yield "shows the last report of a sweep", summary.shown("ghost", [1, 2, 3]) == [3]
    yield "says where, and what of", summary.title_of(DICTIONARIES) == "4 ranks, one node: steps 3"
    yield "names hosts", summary.title_of(LISTS | {"hosts": 2}) == "4 ranks, 2 hosts: bytes 8"
    yield "names the machine", summary.machine_of(ENVIRONMENT) == "a processor, 2 cores, Linux 6.1, MPICH 5.0.2, 2026-01-02"


if __name__ == "__main__":
    report(outcomes(load(sys.argv[1])))
