"""The tables and verdicts of what drop_in.py has measured, for the terminal and for docs/results.

A table is (title, head, rows, notes). Ratios above 1: the library is faster. Behind a number is its range over the launches.

SPDX-License-Identifier: BSD-3-Clause
"""
import statistics

LEVEL = 0.95  # as fast as the best MPI, with 5% for noise
FAR_FROM_LIMIT, TWICE = 3, 2  # where the host takes more than 3 times the limit, half its time
BLOCKS, CROWDED = 5, 5  # 16,000 blocks; more ranks than cores, against MPICH
INTERPOSITION_NS = 20
ONE_SIDED = ("fence", "pscw", "passive", "passive_naive")


def number(value):
    """Three significant digits, without an exponent."""
    if value == 0:
        return "0"
    digits = next((digits for digits, least in enumerate((100, 10, 0.1)) if abs(value) >= least), 3)
    return f"{value:,.{digits}f}"


def spread(values, digits=2):
    """The median, and the least and the most where there are several."""
    text = f"{statistics.median(values):.{digits}f}"
    return text if len(values) == 1 else f"{text} ({min(values):.{digits}f} - {max(values):.{digits}f})"


def as_text(head, rows):
    widths = [max(len(str(row[c])) for row in [head, *rows]) for c in range(len(head))]
    lines = []
    for row in [head, *rows]:
        first, *others = (str(cell) for cell in row)
        lines.append("  ".join([first.ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(others, widths[1:]))]).rstrip())
    return "\n".join(lines)


def in_order(values):
    """Each value once, in the order of its first appearance."""
    return list(dict.fromkeys(values))


class Operation:
    """The launches of one operation of one size."""

    def __init__(self, launches, key):
        self.name, self.bytes = key
        self.by_launch = {}  # of a launch: of an MPI: the row
        for one in launches:
            for row in one["operations"]:
                if (row["operation"], row["bytes"]) == key:
                    self.by_launch.setdefault(one["launch"], {})[one["mpi"]] = row

    def values(self, mpi, key):
        return [rows[mpi][key] for rows in self.by_launch.values() if mpi in rows]

    def typical(self, mpi, key):
        return statistics.median(self.values(mpi, key))

    def to_the_best(self, mpi):
        """Per launch: the shortest time of all hosts to that of the library under this MPI."""
        return [min(row["host_us"] for row in rows.values()) / rows[mpi]["ours_us"] for rows in self.by_launch.values() if mpi in rows]

    def best_host(self, mpis):
        return min(mpis, key=lambda mpi: self.typical(mpi, "host_us"))

    def slowest_ours(self, mpis):
        """The MPI under which the library is furthest behind the best host."""
        return min(mpis, key=lambda mpi: statistics.median(self.to_the_best(mpi)))


def missed_aims(operation, mpis):
    """The aims that the median misses, each in a few words."""
    missed = []
    worst = operation.slowest_ours(mpis)
    if statistics.median(operation.to_the_best(worst)) < LEVEL:
        missed.append(f"behind the best under {worst}")
    for mpi in mpis:
        ratio = operation.typical(mpi, "ratio")
        aim = BLOCKS if "blocks" in operation.name else TWICE
        far = operation.typical(mpi, "host_us") > FAR_FROM_LIMIT * operation.typical(mpi, "limit_us")
        if (far or aim == BLOCKS) and ratio < aim:
            missed.append(f"{ratio:.2f} of {aim} times {mpi}")
    return missed


def operations_of(launches):
    keys = in_order((row["operation"], row["bytes"]) for one in launches for row in one["operations"])
    return [Operation(launches, key) for key in keys]


def head_of(mpis):
    """Columns of times: the library and the host, for each MPI."""
    return [column for mpi in mpis for column in (f"ours, {mpi}", mpi)]


def times_of(operation, mpis):
    return [number(operation.typical(mpi, key)) for mpi in mpis for key in ("ours_us", "host_us")]


def calls_table(found):
    launches = found["calls"]
    mpis = in_order(one["mpi"] for one in launches)
    rows, reached, operations = [], 0, operations_of(launches)
    for operation in operations:
        worst = operation.slowest_ours(mpis)
        missed = missed_aims(operation, mpis)
        reached += not missed
        limit = statistics.median([value for mpi in mpis for value in operation.values(mpi, "limit_us")])
        rows.append([operation.name, f"{operation.bytes:,}", *times_of(operation, mpis), number(limit), operation.best_host(mpis),
                     spread(operation.to_the_best(worst)), "; ".join(missed) or "reached"])
    head = ["operation", "bytes", *head_of(mpis), "limit", "best host", "best host / ours", "aims"]
    verified = sum(row["verified_bytes"] for one in launches for row in one["operations"])
    notes = [f"{reached} of {len(operations)} operations reach their aims. Compared after the samples: {verified:,} bytes, all right."]
    return f"Calls, us, {found['ranks']} ranks", head, rows, notes


def interposition_table(found):
    launches = found["calls"]
    mpis = in_order(one["mpi"] for one in launches)
    rows, most = [], 0
    for call in in_order(one["call"] for launch in launches for one in launch["interposition"]):
        cells = [call]
        for mpi in mpis:
            calls = [one for launch in launches if launch["mpi"] == mpi for one in launch["interposition"]]
            costs = [one["cost_ns"] for one in calls if one["call"] == call]
            cells.append(spread(costs, 1))
            most = max(most, statistics.median(costs))
        rows.append(cells)
    verdict = "reached" if most < INTERPOSITION_NS else "missed"
    return "Interposition, ns", ["a call", *mpis], rows, [f"At most {most:.1f} ns (aim: below {INTERPOSITION_NS}; {verdict})."]


def crowded_table(found):
    launches = found["crowded"]
    mpis = in_order(one["mpi"] for one in launches)
    rows = []
    for operation in operations_of(launches):
        ratios = [spread(operation.values(mpi, "ratio"), 1) for mpi in mpis]
        mpich = [mpi for mpi in mpis if mpi.startswith("MPICH")]
        missed = [mpi for mpi in mpich if operation.typical(mpi, "ratio") < CROWDED]
        verdict = f"below {CROWDED}" if missed else "reached" if mpich else "no MPICH"
        rows.append([operation.name, *times_of(operation, mpis), *ratios, verdict])
    head = ["operation", *head_of(mpis), *(f"{mpi} / ours" for mpi in mpis), f"aim: {CROWDED} times MPICH"]
    return f"Synchronisation, us, {found['crowded_ranks']} ranks", head, rows, []


def hosts_table(found):
    launches = found.get("hosts", [])
    mpis = in_order(one["mpi"] for one in launches)
    rows, reached, operations = [], 0, operations_of(launches)
    for operation in operations:
        worst = operation.slowest_ours(mpis)
        is_level = statistics.median(operation.to_the_best(worst)) >= LEVEL
        reached += is_level
        rows.append([operation.name, f"{operation.bytes:,}", *times_of(operation, mpis), operation.best_host(mpis),
                     spread(operation.to_the_best(worst)), "reached" if is_level else f"behind the best under {worst}"])
    head = ["operation", "bytes", *head_of(mpis), "best host", "best host / ours", "aim: as fast as the best"]
    return f"Calls between 2 hosts, us, {found['ranks']} ranks", head, rows, [f"{reached} of {len(operations)} operations reach the aim."]


def hosts_windows_table(found):
    measured = found["hosts_windows"]
    mpis = in_order(one["mpi"] for one in measured)
    rows = []
    for kind, size in in_order((one["kind"], one["bytes"]) for one in measured):
        row = [kind, f"{size:,}"]
        for mpi in mpis:
            one = next((one for one in measured if (one["kind"], one["bytes"], one["mpi"]) == (kind, size, mpi)), None)
            ours, host = (one[side]["median_us"] for side in ("ours", "host")) if one else (0, 0)
            row += [number(ours), number(host), f"{host / ours:.2f}"] if one else ["", "", ""]
        rows.append(row)
    head = ["kind", "bytes per rank", *(column for mpi in mpis for column in (f"ours, {mpi}", mpi, "ratio"))]
    return f"Windows made and freed between 2 hosts, us, {found['ranks']} ranks", head, rows, []


def kilobytes(side):
    return number((side["own_bytes"] + side["shared_bytes"]) / 1024)


def windows_table(found):
    measured = found["windows"]
    mpis = in_order(one["mpi"] for one in measured)
    rows = []
    for kind in in_order(one["kind"] for one in measured):
        for ranks in in_order(one["ranks"] for one in measured):
            cells = {one["mpi"]: one for one in measured if (one["kind"], one["ranks"]) == (kind, ranks)}
            row = [kind, ranks]
            for mpi in mpis:
                one = cells.get(mpi)
                row += [f"{number(one['ours']['median_us'])} / {number(one['host']['median_us'])}" if one else "",
                        f"{kilobytes(one['ours'])} / {kilobytes(one['host'])}" if one else ""]
            rows.append(row)
    head = ["kind", "ranks", *(column for mpi in mpis for column in (f"us, ours / {mpi}", "KiB per rank"))]
    return "Windows: made and freed, and memory per rank", head, rows, []


def swaps_of(measured, mpi, loaded, mode):
    """Microseconds of a mode, one per launch."""
    return [one["modes"][mode]["us"] for one in measured if (one["mpi"], one["loaded"]) == (mpi, loaded) and mode in one["modes"]]


def halo_table(found):
    measured = found["halo"]
    mpis = in_order(one["mpi"] for one in measured)
    rows = []
    for cells, fields in in_order((one["cells"], one["fields"]) for one in measured):
        here = [one for one in measured if (one["cells"], one["fields"]) == (cells, fields)]
        for mode in in_order(name for one in here for name in one["modes"]):
            row = [f"{cells.replace(',', ' x ')}, {fields}", mode]
            for mpi in mpis:
                without, with_it = (swaps_of(here, mpi, loaded, mode) for loaded in (False, True))
                pairs = [a / b for a, b in zip(without, with_it)]
                row += [number(statistics.median(without)), number(statistics.median(with_it)), spread(pairs)] if pairs else ["", "", ""]
            rows.append(row)
    head = ["cells, fields", "mode", *(column for mpi in mpis for column in (mpi, "with the library", "ratio"))]
    return f"Halo swaps, us, {found['ranks']} ranks", head, rows, []


TABLES = {"calls": (calls_table, interposition_table), "crowded": (crowded_table,), "hosts": (hosts_table,),
          "hosts_windows": (hosts_windows_table,), "windows": (windows_table,), "halo": (halo_table,)}


def all_tables(found):
    """The tables of those parts that were measured."""
    return [table(found) for part, several in TABLES.items() if found.get(part) for table in several]
