"""What `./go bench apps` found: one table per app, from the reports that the apps write as JSON.

A report has `order`, names, and under `variants` or `protocols` the samples of each: dictionaries of seconds, whose names end in _s, or a
list of seconds under such a name. A bench.py may have table_of(report), a head and rows, and shown(sweep), the reports to show.

SPDX-License-Identifier: BSD-3-Clause
"""
import importlib.util
import math
import pathlib
import statistics

APPS = pathlib.Path(__file__).resolve().parents[1]


def names():
    """The apps that have a bench."""
    return sorted(file.parent.name for file in APPS.glob("*/bench.py"))


def bench_of(name):
    """The bench.py of an app as a module."""
    spec = importlib.util.spec_from_file_location(f"bench_of_{name}", APPS / name / "bench.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def parts_of(entry):
    """The samples of a variant: lists of seconds by name."""
    parts = {key: times for key, times in entry.items() if key.endswith("_s")}
    for sample in entry.get("samples", []):
        for key, time in sample.items():
            if key.endswith("_s"):
                parts.setdefault(key, []).append(time)
    return parts


def interval(values):
    """Where the median of more samples would lie, with a probability of 95%: the least and the most of up to 7 samples, less of more.

    It is between two of the sorted samples, and holds for any distribution of samples that do not depend on each other.
    """
    inner = max(0, math.floor((len(values) - 1.96 * math.sqrt(len(values))) / 2))
    ordered = sorted(values)
    return ordered[inner], ordered[-1 - inner]


def in_words(values, digits=3):
    """The median of some values, and its interval."""
    def text(value):
        return f"{value:,.0f}" if value >= 1000 else f"{value:.{digits}g}"

    return text(statistics.median(values)) + (" ({} - {})".format(*map(text, interval(values))) if len(values) > 1 else "")


def ratio(slower, faster):
    """Nothing for parts that may have taken no time, as the communication of a variant that hides it: the ratio could be any number."""
    if min(interval(slower)[0], interval(faster)[0]) <= 0:
        return "-"
    return f"{statistics.median(slower) / statistics.median(faster):.2f}"


def times_of(report):
    """A line per variant: microseconds of each part, and how many times as fast as the first one it is."""
    found = report.get("variants") or report.get("protocols")
    parts = {name: parts_of(found[name]) for name in report["order"]}
    first = parts[report["order"][0]]
    head = ["", *(word for key in first for word in (f"{key.removesuffix('_s').replace('_', ' ')}, us", "ratio"))]
    rows = []
    for name in report["order"]:
        some = {key: parts[name].get(key) or [0] for key in first}
        pairs = ((in_words([1e6 * time for time in some[key]]), ratio(first[key], some[key])) for key in first)
        rows.append([name, *(word for pair in pairs for word in pair)])
    return head, rows


def table_of(name, report):
    own = getattr(bench_of(name), "table_of", None)
    return own(report) if own else times_of(report)


def shown(name, sweep):
    """The reports of a sweep that a summary shows: the last one, unless the bench.py has shown(sweep)."""
    own = getattr(bench_of(name), "shown", None)
    return own(sweep) if own else sweep[-1:]


def title_of(report):
    """What a report is of: ranks, nodes, and what its problem says."""
    ranks, nodes = report["environment"].get("ranks"), report["environment"].get("nodes", 1)
    hosts = report.get("hosts", 1)
    where = f"{hosts} hosts" if hosts > 1 else f"{nodes} emulated nodes" if nodes > 1 else "one node"
    problem = report["problem"].items()
    plain = [f"{key} {value}" for key, value in problem if isinstance(value, int | float | str) and key not in ("ranks", "seed", "skew")]
    return f"{ranks} ranks, {where}: " + ", ".join(plain)


def machine_of(environment):
    kernel = " ".join(environment["kernel"].split()[:2])
    mpi = " ".join(environment["mpi"].replace("\n", ",").split(",")[0].split())
    return f"{environment['cpu']}, {environment['cores']} cores, {kernel}, {mpi}, {environment['date'][:10]}"
