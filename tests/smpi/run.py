#!/usr/bin/env python3
"""Runs the library's own modes under SimGrid's SMPI, beside the same swaps in halocline-simulate, and draws both.

run.py --build BUILD --smpi FOLDER --simgrid PREFIX [--ranks 16,64,...] [--json FILE] [--picture FILE]
       [options of halocline-simulate]

BUILD has halocline-simulate, FOLDER the program of tests/smpi, PREFIX SimGrid. The cloud model's swap: 16 x 16 x 256 cells per
rank, depth 2. Both simulate one machine: the nodes of the machine card and a published network, or what --latency-us, --bandwidth
and --ranks-per-node say.
Exit status: 0, or 1 if a mode could not be run, 2 for the command line, 77 if SimGrid has not been built.

SPDX-License-Identifier: BSD-3-Clause
"""

import argparse
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "apps" / "common"))
CELLS, DEPTH = (16, 16, 256), 2
MODES = ("p2p", "neighbor", "fence", "pscw", "passive", "passive_naive")
# The event model has no neighbourhood collectives in this experiment; its p2p that waits for all before it unpacks is their pattern.
LIKE = {"neighbor": "p2p_waitall"}


def bytes_of_swap(fields):
    """What a rank packs, with corners."""
    x, y, z = CELLS
    return ((x + 2 * DEPTH) * (y + 2 * DEPTH) - x * y) * z * 8 * fields


def modelled(options, most):
    """What halocline-simulate says: its machine, and microseconds by mode and ranks."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        command = [
            options.build / "bin" / "halocline-simulate",
            "--experiment",
            "weak",
            "--fields",
            str(options.fields),
            "--noise",
            "0",
            "--compute-ns",
            "0",
            # As halocline-smpi, whose swaps begin after a barrier.
            "--barrier",
            "--most-ranks",
            str(most),
            "--json",
            file.name,
            *options.more,
        ]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(done.stderr.strip())
        report = json.loads(pathlib.Path(file.name).read_text(encoding="utf-8"))
    figure = report["figures"][0]
    report["network"], series = figure["network"], figure["series"]
    return report, {one["name"]: {int(x): 1e3 * y for x, y in one["points"]} for one in series if one["origin"] == "simulated"}


def platform(report, ranks):
    """A cluster: a port for each node, and a loopback for messages inside it."""
    node, network = report["node"], report["network"]
    nodes = math.ceil(ranks / network["ranks_per_node"])
    shared = 2 * network["memory_us_per_byte"] * network["ranks_per_node"]
    port = 1e6 / network["us_per_byte"]
    # Of all ranks of the node together: the loopback is one link.
    inside = network["ranks_per_node"] * 1e6 / max(2 * node["message_us_per_byte"], shared)
    return f"""<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="cluster" prefix="node-" radical="0-{nodes - 1}" suffix="" speed="1Gf" core="{network["ranks_per_node"]}" bw="{port}Bps"
           lat="{network["latency_us"] / 2}us" loopback_bw="{inside}Bps" loopback_lat="{node["handover_us"]}us"/>
</platform>
"""


def flags(report):
    """SMPI without factors of its own: all costs are those of the machine."""
    network = report["network"]
    overhead = 1e-6 * network["overhead_us"]
    eager = str(int(network["eager_bytes"]))
    settings = {
        "smpi/simulate-computation": "no",
        "smpi/host-speed": "1Gf",
        "smpi/cpu-threshold": "0",
        "smpi/privatization": "dlopen",
        "smpi/lat-factor": "1",
        "smpi/bw-factor": "1",
        "smpi/os": f"0:{overhead}:0",
        "smpi/or": "0:0:0",
        "smpi/test": "1e-6",
        "smpi/grow-injected-times": "no",
        "smpi/iprobe": "1e-6",
        "smpi/async-small-thresh": eager,
        "smpi/send-is-detached-thresh": eager,
        "smpi/wtime": "0",
        "smpi/coll-selector": "mpich",
        "network/TCP-gamma": "0",
        "network/crosstraffic": "0",
        "contexts/stack-size": "512",
    }
    return [f"--cfg={name}:{value}" for name, value in settings.items()] + ["--log=root.thresh:critical"]


def swaps(options, report, ranks, mode, folder):
    """Microseconds of each swap."""
    (folder / "platform.xml").write_text(platform(report, ranks), encoding="utf-8")
    per_node = report["network"]["ranks_per_node"]
    hosts = "".join(f"node-{rank // per_node}\n" for rank in range(ranks))
    (folder / "hosts").write_text(hosts, encoding="utf-8")
    # All ranks of a node pack at the same time, and share its memory.
    shared = 2 * report["network"]["memory_us_per_byte"] * per_node
    pack = bytes_of_swap(options.fields) * max(report["node"]["pack_us_per_byte"], shared)
    command = [
        options.simgrid / "bin" / "smpirun",
        "-np",
        ranks,
        "-platform",
        folder / "platform.xml",
        "-hostfile",
        folder / "hosts",
        *flags(report),
        options.smpi / "halocline-smpi.so",
        "--modes",
        mode,
        "--fields",
        options.fields,
        "--pack-us",
        pack,
        "--unpack-us",
        pack,
        "--depth",
        DEPTH,
        "--local",
        ",".join(map(str, CELLS)),
    ]
    environment = {
        "HALOCLINE_FAKE_NODES": str(ranks),
        "HALOCLINE_TIMEOUT": "0",
        "HALOCLINE_QUIET": "1",
        "PATH": "/usr/bin:/bin",
        "LD_LIBRARY_PATH": str(options.simgrid / "lib"),
    }
    # smpirun's children would outlive it: `timeout` ends the whole group.
    done = subprocess.run(
        ["timeout", "-k", "5", str(options.limit), *map(str, command)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    found = [float(line.split()[2]) for line in done.stdout.splitlines() if line.startswith(mode + " ")]
    if done.returncode != 0 or not found:
        why = f"status {done.returncode}; 124: more than --limit seconds"
        print(f"{mode} on {ranks} ranks failed ({why}):\n{done.stderr[-2000:]}", file=sys.stderr)
        return None
    return found


def table(rows):
    lines = [f"{'mode':<14}{'ranks':>7}{'library us':>13}{'event model us':>16}{'ratio':>8}{'took s':>9}"]
    for row in rows:
        model = row["model_us"]
        other, ratio = (f"{model:.1f}", f"{row['library_us'] / model:.2f}") if model else ("-", "-")
        lines.append(f"{row['mode']:<14}{row['ranks']:>7}{row['library_us']:>13.1f}{other:>16}{ratio:>8}{row['seconds']:>9.1f}")
    return "\n".join(lines)


def draw(rows, title, path):
    import plots  # noqa: PLC0415 - only where a picture is wanted

    figure, axes = plots.plt.subplots(figsize=(8, 5))
    colours = ("#0b6e8a", "#b3402e", "#c9a46b", "#5b8c5a", "#7d5ba6", "#333333")
    for mode, colour in zip(MODES, colours):
        mine = [row for row in rows if row["mode"] == mode]
        points = [row["ranks"] for row in mine], [row["library_us"] for row in mine]
        axes.plot(*points, "s", color=colour, label=f"{mode}, simulated (the library)")
        line = [row for row in mine if row["model_us"]]
        points = [row["ranks"] for row in line], [row["model_us"] for row in line]
        axes.plot(*points, "-", color=colour, label=f"{mode}, simulated (event model)")
    axes.set(xscale="log", yscale="log", xlabel="ranks", ylabel="us per swap (simulated)", title=title)
    axes.legend(fontsize=7, ncols=2)
    figure.tight_layout()
    figure.savefig(path, dpi=120)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], epilog="Further options are those of halocline-simulate.")
    for name in ("build", "smpi", "simgrid"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    parser.add_argument("--ranks", default="32,64,128,256", help="numbers of ranks (32,64,128,256)")
    parser.add_argument("--modes", default=",".join(MODES), help="the library's modes (all that send by MPI)")
    parser.add_argument("--fields", type=int, default=1, help="fields of 8-byte numbers (1)")
    parser.add_argument("--limit", type=int, default=600, help="seconds that one mode may take on each number of ranks (600)")
    parser.add_argument("--most-ratio", type=float, help="fail where one simulation takes more than this many times the other's time")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--picture", type=pathlib.Path)
    options, options.more = parser.parse_known_args()
    options.smpi, options.simgrid = options.smpi.resolve(), options.simgrid.resolve()
    if not (options.simgrid / "bin" / "smpirun").exists() or not (options.smpi / "halocline-smpi.so").exists():
        print("SimGrid, or the program for it, has not been built: ./go bench smpi does that\n0 passed, 0 failed, 1 skipped")
        return 77
    ranks = [int(some) for some in options.ranks.split(",")]
    rows, failed = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for some in ranks:
            report, model = modelled(options, some)
            for mode in options.modes.split(","):
                began = time.monotonic()
                found = swaps(options, report, some, mode, pathlib.Path(folder))
                failed += found is None
                if found is None:
                    continue
                rows.append(
                    {
                        "mode": mode,
                        "ranks": some,
                        "library_us": statistics.median(found),
                        "library_all_us": found,
                        "model_us": model.get(LIKE.get(mode, mode), {}).get(some),
                        "seconds": time.monotonic() - began,
                    }
                )
                print(f"{mode} on {some} ranks: {rows[-1]['library_us']:.1f} us", file=sys.stderr, flush=True)
    network = report["network"]
    title = f"16 x 16 x 256 cells per rank, {options.fields} field(s); {network['name']}, {network['ranks_per_node']} ranks per node"
    print(title + "\n" + table(rows))
    if options.json:
        document = {"schema": "halocline-smpi/1", "network": network, "node": report["node"], "fields": options.fields, "rows": rows}
        options.json.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    if options.picture:
        draw(rows, title, options.picture)
    compared = [row["library_us"] / row["model_us"] for row in rows if row["model_us"]]
    far = [ratio for ratio in compared if options.most_ratio and not 1 / options.most_ratio <= ratio <= options.most_ratio]
    print(f"{len(rows)} passed, {failed + len(far)} failed, 0 skipped")
    return 1 if failed or far else 0


if __name__ == "__main__":
    sys.exit(main())
