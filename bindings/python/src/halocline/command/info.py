"""halocline info: what the library finds here, by halocline-info.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import json
import pathlib
import tempfile

from halocline.command import files, modes, native
from halocline.command.options import Subparsers, add_command, add_launch
from halocline.command.words import Json, counted, mpi_of

TIMEOUT_S = 120
UNKNOWN = "unknown variable, ignored"
NO_MODE = "is not a mode"


def add(subparsers: Subparsers) -> None:
    parser = add_command(subparsers, "info", "shows library, MPI, transports with the reason of each refusal, topology, variables", run)
    add_launch(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def look(ranks: int, hosts: list[str], build: pathlib.Path | None, environment: dict[str, str] | None = None) -> Json:
    """What halocline-info says. It goes through a file: some MPIs print among the lines of a program.

    With hosts the file is in the working directory, which they share: rank 0 may be on another host.
    """
    with tempfile.TemporaryDirectory(dir=pathlib.Path.cwd() if hosts else None) as folder:
        file = pathlib.Path(folder) / "info.json"
        program = native.need_program("halocline-info", build)
        words = native.command(program, ranks, ["--json", file], hosts, environment=environment)
        native.output_of(words, TIMEOUT_S, environment=environment)
        return files.need(files.read(file), ("library", "mpi", "transports", "topology", "variables"), "halocline-info")


def variable_in_words(one: Json, known: list[str]) -> str:
    """Value, origin, default and meaning; a mode that does not exist is marked."""
    value, origin = one["value"], one["origin"]
    usual = one.get("default")
    about = one["meaning"] if origin == "default" else f"default: {usual if usual is not None else 'none'}; {one['meaning']}"
    if one["name"] == "HALOCLINE_MODE" and value and origin != "default" and value not in known:
        return f"{value}  {NO_MODE}; the nearest is {modes.nearest(value, known)} ({origin}; {about})"
    return f"{value if value is not None else '–'}  ({origin}; {about})"


def is_wrong(text: str) -> bool:
    """Whether the value of a row is shown in red."""
    return text.startswith(UNKNOWN) or f"  {NO_MODE}" in text


def memory_rows(memory: Json) -> list[tuple[str, str]]:
    """What the network takes, which an older halocline-info does not say."""
    opened = memory["network_opened_bytes"]
    rows = [("network opened", "not opened" if opened is None else f"{opened / 1e6:.1f} MB resident, the library's own included"),
            ("buffers of a process", f"{memory['process_bytes'] / 1e6:.1f} MB, whatever the job"),
            ("of a peer", f"{memory['peer_bytes'] / 1e3:.1f} kB for each rank of another node that is communicated with")]
    for job in memory["jobs"]:
        rows.append((f"{job['ranks']:,} ranks", f"tables of a node {job['node_addresses_bytes'] / 1e3:,.0f} kB, and "
                     f"{job['node_segment_bytes'] / 1e3:,.0f} kB per segment; {job['rank_share_bytes'] / 1e3:,.1f} kB per rank"))
    return rows


def other_lines(transports: Json) -> list[tuple[str, str]]:
    """What the network is for ranks that do not use it as rank 0 does, for instance by another device."""
    rows = []
    for one in transports.get("between_nodes_by_rank", [])[1:]:
        first, *others = one["ranks"]
        rows.append(("", f"rank {first}{f' and {len(others)} more' if others else ''}: {one['line']}"))
    return rows


def rows_of(found: Json) -> dict[str, list[tuple[str, str]]]:
    """Lines by heading."""
    mpi, topology, transports = found["mpi"], found["topology"], found["transports"]
    about = found["library"]
    places = [f"rank {one['rank']} on {one['host']}, node {one['node']}, cores {one['cores']}" for one in topology["places"]]
    carriers = [*transports["node"], *transports["network"]["providers"]]
    domains = ", ".join(counted(topology[key], name) for key, name in (("sockets", "socket"), ("numa_domains", "NUMA domain"))
                        if topology[key])
    return {
        "Library": [("version", f"{about['version']} ({about['revision']})"), ("built by", f"{about['compiler']} {about['flags']}"),
                    ("modes", ", ".join(found["modes"])), ("machine card", found["card"]["source"] or "none"),
                    ("card is kept at", found["card"]["kept_at"])],
        "MPI": [("version", f"{mpi_of(mpi['version'])}, MPI {mpi['standard']}"), ("file", mpi["file"]),
                ("binary interface", f"{mpi['abi']['library']} ({mpi['abi']['of']})"), ("thread level", mpi["thread_level"]),
                ("window memory", ", ".join(f"{kind} {model}" for kind, model in mpi["window_models"].items())),
                ("drop-in before it", mpi["drop_in"] or "none")],
        "Topology": [("ranks", f"{topology['ranks']} on {counted(topology['nodes'], 'node')}, {topology['cores_of_node']} cores"),
                     ("processor", found["machine"]["cpu"]), ("kernel", found["machine"]["kernel"]), ("domains", domains or "unknown"),
                     *(("", place) for place in places[:16])],
        "Transports": [("between nodes", transports["between_nodes"]), *other_lines(transports),
                       ("network library", transports["network"]["library"] or transports["network"]["refusal"]),
                       *(((f"{one['name']} {one.get('interface', '')}").strip(), "used" if one["used"] else f"refused: {one['refusal']}")
                         for one in carriers)],
        **({"Memory": memory_rows(found["memory"])} if "memory" in found else {}),
        "Variables": [(one["name"], variable_in_words(one, found["modes"]))
                      for one in found["variables"]["known"] if one["read_by"] not in ("tests", "nobody") or one["origin"] != "default"] +
                     [(name, UNKNOWN) for name in found["variables"]["unknown"]],
    }


def plain(found: Json) -> str:
    """The tables as lines of text."""
    lines = []
    for heading, rows in rows_of(found).items():
        width = max(len(name) for name, _ in rows)
        lines += [heading, *(f"  {name:{width}}  {value}" for name, value in rows), ""]
    return "\n".join(lines[:-1])


def run(options: argparse.Namespace) -> int:
    found = look(options.ranks, options.hosts, options.build)
    if options.json:
        print(json.dumps(found, indent=2))
        return 0
    try:
        from rich.table import Table
        from rich.text import Text

        from halocline.command import terminal
    except ModuleNotFoundError:
        print(plain(found))
        return 0

    screen = terminal.console()
    for heading, rows in rows_of(found).items():
        table = Table(box=None, show_header=False, title=heading, title_justify="left", title_style="bold cyan", pad_edge=False)
        table.add_column(style="bright_black", no_wrap=True)
        table.add_column(overflow="fold")
        for name, value in rows:
            table.add_row(Text(name), Text(value, style="red" if is_wrong(value) else ""))
        screen.print(table, "")
    return 0
