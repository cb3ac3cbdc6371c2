#!/usr/bin/env python3
"""Races hlc_allreduce against every algorithm of an MPI's own allreduce that can be asked for, and takes the best of them.

allreduce.py [--mpi intel|mpich|openmpi] [--repeats N] [--json FILE] [--picture FILE] -- LAUNCHER... halocline_library_bench allreduce ...

An MPI reads its choice when it starts, so the command behind `--` runs once for each way, in turn, N times; every run measures the library
and the MPI side by side. Of each way and size the median of its ratios counts; the smallest over all ways is the library against the
best (of its two ratios together, with arrays of a rank's own and with arrays that the node can read).

    allreduce.py --mpi intel -- .venv/intelmpi/bin/mpiexec -n 2 build/release-intelmpi/bin/halocline_library_bench allreduce

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

# The variable that chooses, what goes with it, and its values; "" is the MPI's own choice.
WAYS = {
    "intel": ("I_MPI_ADJUST_ALLREDUCE", {}, ["", *(str(number) for number in range(1, 13))]),
    "mpich": ("MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM", {"MPIR_CVAR_ALLREDUCE_DEVICE_COLLECTIVE": "0"},
              ["", "smp", "recursive_doubling", "reduce_scatter_allgather", "tree", "recexch", "ring", "k_reduce_scatter_allgather"]),
    "openmpi": ("OMPI_MCA_coll_tuned_allreduce_algorithm",
                {"OMPI_MCA_coll_tuned_use_dynamic_rules": "1", "OMPI_MCA_coll": "self,basic,libnbc,tuned"},
                ["", *(str(number) for number in range(1, 7))]),
}


def run_once(command, settings):
    """One run of the bench; its JSON, or None with the reason on stderr if the MPI does not know the way."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "run.json"
        result = subprocess.run([*command, "--json", str(path)], env={**os.environ, **settings}, stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, text=True, check=False)
        if result.returncode == 0 and path.exists():
            return json.loads(path.read_text())
    print(f"left out: {settings}: {result.stderr.strip().splitlines()[-1:] or 'no result'}", file=sys.stderr)
    return None


def gather(command, mpi, repeats):
    """Per way its runs; the ways in turn, so that a busy minute does not hit one alone."""
    variable, others, values = WAYS[mpi]
    runs = {value or "default": [] for value in values}
    for _ in range(repeats):
        for value in values:
            found = run_once(command, {variable: value, **others} if value else {})
            if found:
                runs[value or "default"].append(found)
    return {way: found for way, found in runs.items() if found}


def conclude(runs):
    """Per size: the best way, the library's time beside it, the ratios and their ranges over all runs of that way."""
    rows = []
    any_run = next(iter(runs.values()))[0]
    for index, size in enumerate(any_run["sizes"]):
        ways = {}
        for way, found in runs.items():
            sizes = [run["sizes"][index] for run in found]
            ways[way] = {f"{series}_us": statistics.median(s[series]["median_us"] for s in sizes)
                         for series in ("MPI", "halocline", "halocline_shared", "limit")}
            for ratio in ("ratio", "ratio_shared"):
                values = [s[ratio]["median"] for s in sizes]
                ways[way] |= {ratio: statistics.median(values), f"{ratio}_least": min(values), f"{ratio}_most": max(values)}
        best = min(ways, key=lambda way: ways[way]["ratio"] + ways[way]["ratio_shared"])
        rows.append({"bytes": size["bytes"], "best": best, **ways[best], "ways": ways})
    return rows


def show(rows, limit):
    print(f"limit: {limit}\nshared: the library's arrays are from hlc_field_alloc")
    print(f"{'bytes':>10} {'best MPI':>12} {'MPI us':>11} {'halocline us':>13} {'shared us':>11} {'limit us':>11} "
          f"{'MPI/halocline':>14} {'runs':>13} {'MPI/shared':>11} {'runs':>13}")
    for row in rows:
        private, shared = (f"{row[ratio + '_least']:.2f} - {row[ratio + '_most']:.2f}" for ratio in ("ratio", "ratio_shared"))
        print(f"{row['bytes']:>10} {row['best']:>12} {row['MPI_us']:>11.2f} {row['halocline_us']:>13.2f} "
              f"{row['halocline_shared_us']:>11.2f} {row['limit_us']:>11.2f} "
              f"{row['ratio']:>14.2f} {private:>13} {row['ratio_shared']:>11.2f} {shared:>13}")


def draw(rows, title, limit, picture):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "apps" / "common"))
    import plots  # pylint: disable=import-outside-toplevel

    figure, axes = plots.plt.subplots(figsize=(8, 4.5))
    sizes = [row["bytes"] for row in rows]
    for way in rows[0]["ways"]:
        axes.plot(sizes, [row["ways"][way]["MPI_us"] for row in rows], color="#8fb8c6", linewidth=1)
    axes.plot(sizes, [row["MPI_us"] for row in rows], color="#2f6f8f", marker="s", markersize=3.5, label="the best of the MPI's algorithms")
    axes.plot(sizes, [row["halocline_us"] for row in rows], color="#0b6e8a", marker="o", linewidth=2, label="hlc_allreduce_run")
    axes.plot(sizes, [row["halocline_shared_us"] for row in rows], color="#c9852f", marker="o", linewidth=2,
              label="the same, arrays from hlc_field_alloc")
    axes.plot(sizes, [row["limit_us"] for row in rows], color="#b3402e", linestyle="--", label=limit)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xlabel("bytes of each rank's array")
    axes.set_ylabel("microseconds")
    axes.set_title(title, fontsize=10, loc="left")
    axes.legend(fontsize=8.5, frameon=False)
    axes.grid(color=plots.GRID)
    figure.tight_layout()
    plots.save(figure, picture, dpi=160)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], usage=__doc__.splitlines()[2])
    parser.add_argument("--mpi", choices=WAYS, default="intel", help="whose algorithms to go through (default: intel)")
    parser.add_argument("--repeats", type=int, default=3, help="runs of each algorithm (default: 3)")
    parser.add_argument("--json", type=pathlib.Path, help="write the merged numbers to this file")
    parser.add_argument("--picture", type=pathlib.Path, help="draw them: .svg, .png or .pdf")
    parser.add_argument("command", nargs="+", help="launcher, halocline_library_bench, allreduce and its options")
    options = parser.parse_args()
    runs = gather(options.command, options.mpi, options.repeats)
    if not runs:
        sys.exit("no run has ended")
    rows = conclude(runs)
    any_run = next(iter(runs.values()))[0]
    environment, limit = any_run["environment"], any_run["limit"]
    show(rows, limit)
    if options.json:
        merged = {"benchmark": "allreduce", "mpi": options.mpi, "environment": environment, "limit": limit, "sizes": rows}
        options.json.write_text(json.dumps(merged, indent=1))
    if options.picture:
        draw(rows, f"Sums over {environment['ranks']} ranks, {environment['mpi'].splitlines()[0][:60]}", limit.split(":")[0],
             options.picture)


if __name__ == "__main__":
    main()
