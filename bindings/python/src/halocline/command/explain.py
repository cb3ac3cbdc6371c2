"""halocline explain: what the machine card predicts for a swap, in words.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import dataclasses
import json
import pathlib

from halocline.command import card as cards
from halocline.command import info, native
from halocline.command.card import Card, Case, Curve
from halocline.command.options import Subparsers, add_command, cells, positive
from halocline.command.shape import ELEMENT_BYTES, Swap, case_of, process_grid
from halocline.command.status import Exit, Failure
from halocline.command.words import bytes_of, counted, listed, parse_bytes, percent_of, time_of

PARTS = {"latency": "latency", "bytes": "bytes to and from others", "switch": "another protocol", "log_ranks": "log2 of the ranks",
         "ranks": "ranks", "sharing": "shared cores", "crowding": "ranks per core", "crowding_log": "ranks per core and log2 of the ranks",
         "crowding_bytes": "bytes where cores are shared", "neighbours": "neighbours", "blocks": "contiguous runs",
         "local_bytes": "copies within the rank", "ranks_bytes": "bytes of all other ranks", "messages": "messages",
         "far_bytes": "bytes from other nodes", "far_messages": "messages from other nodes",
         "crowding_local_bytes": "copies where cores are shared", "crowding_messages": "messages where cores are shared",
         cards.LEAST: "the difference to the least that was measured"}
NEAR = 1.1
# The options of a shape, and what is taken for those that are not given: --bytes stands in place of them all.
SHAPE = {"local": (64, 64, 64), "depth": 1, "fields": 1, "type": "float64", "split": "", "stencil": "box"}


def add(subparsers: Subparsers) -> None:
    parser = add_command(subparsers, "explain", "says what each mode of a swap costs on this machine, and why", run,
                         "It predicts from the machine card, and measures nothing.")
    parser.add_argument("--local", type=cells, metavar="X,Y[,Z]", help="cells per rank (64,64,64); the last dimension is contiguous")
    parser.add_argument("--depth", type=positive, help="halo cells on each side (1)")
    parser.add_argument("--fields", type=positive, help="fields per swap (1)")
    parser.add_argument("--type", choices=ELEMENT_BYTES, help="element type (float64)")
    parser.add_argument("--split", choices=("xy", "xyz"), help="dimensions that are split over the ranks (all)")
    parser.add_argument("--stencil", choices=("box", "star"), help="box: edges and corners too (box)")
    parser.add_argument("-n", dest="ranks", metavar="N", type=positive, default=2, help="ranks of the run (2)")
    parser.add_argument("--cores", type=positive, help="cores of a node (this machine's)")
    parser.add_argument("--nodes", type=positive, default=1, help="nodes of the run (1)")
    parser.add_argument("--bytes", type=parse_bytes, metavar="N", help="instead of the shape: bytes that a rank gets from others, as 64KiB")
    parser.add_argument("--neighbours", type=positive, help="with --bytes: other ranks that it exchanges with (1)")
    parser.add_argument("--card", type=pathlib.Path, help="machine card (that of this host and MPI, else the default card)")
    parser.add_argument("--build", type=pathlib.Path, metavar="DIR", help="a build folder, whose programs are taken")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def find_card(options: argparse.Namespace) -> Card:
    """That of the option, else that which the library takes here; without halocline-info, as in the wheel, the default card."""
    if options.card:
        return cards.read(options.card)
    if options.build is None and native.find_program("halocline-info") is None:
        why = "default card: halocline-info, which names that of this host and MPI, is not installed"
        return dataclasses.replace(cards.read(cards.default_path()), source=why)
    source = info.look(2, [], options.build)["card"]["source"] or ""
    if source.startswith("default card"):
        return dataclasses.replace(cards.read(cards.default_path()), source=source)
    return cards.read(pathlib.Path(source))


def fill_in(options: argparse.Namespace) -> None:
    """Gives the options of the case their defaults. Those of a shape and of --bytes exclude each other."""
    given = [f"--{name}" for name in SHAPE if getattr(options, name) is not None]
    if options.bytes is not None and given:
        raise Failure(f"--bytes stands in place of a shape: leave it out, or {listed(given)}", Exit.USAGE)
    if options.bytes is None and options.neighbours is not None:
        raise Failure("--neighbours needs --bytes: a shape has its neighbours from -n, --split and --stencil", Exit.USAGE)
    for name, default in {**SHAPE, "neighbours": 1}.items():
        if getattr(options, name) is None:
            setattr(options, name, default)
    if options.split == "xyz" and len(options.local) == 2:
        raise Failure(f"--split xyz needs three dimensions, and --local has two: {','.join(map(str, options.local))}", Exit.USAGE)
    options.split = options.split or "xyz"[:len(options.local)]


def case_of_options(options: argparse.Namespace) -> Case:
    fill_in(options)
    cores = options.cores or native.cores()
    crowding = max(1.0, options.ranks / options.nodes / cores)
    if options.bytes is not None:
        if options.neighbours >= options.ranks:
            raise Failure(f"{counted(options.neighbours, 'neighbour')} and the rank itself are more than -n {options.ranks}", Exit.USAGE)
        return cards.one_message_each(options.bytes, options.neighbours, options.ranks, options.nodes, crowding)
    x, y, z = (*options.local, 1)[:3]
    swap = Swap((x, y, z), options.depth, options.fields, ELEMENT_BYTES[options.type], options.ranks, options.split,
                options.stencil == "box")
    if any(options.depth > swap.local[d] for d in range(len(options.split))):
        raise Failure(f"--depth {options.depth} is more than --local has cells in one dimension", Exit.USAGE)
    return dataclasses.replace(case_of(swap, cores, options.nodes), ranks_per_core=crowding)


def parts_in_words(curve: Curve, case: Case) -> str:
    """The largest parts of a prediction."""
    parts = sorted(curve.parts(case).items(), key=lambda pair: -pair[1])
    total = sum(curve.parts(case).values()) or 1
    return listed([f"{time_of(us)} for {PARTS[name]}" for name, us in parts if us > 0.02 * total][:4])


def crossover(curve: Curve, best: Curve, case: Case) -> str:
    """The size from which on, or below which, another mode is predicted to be faster than the best one; empty if there is none."""
    def wins(size: float) -> bool:
        far = case.far_bytes * size / case.bytes if case.bytes else 0
        other = dataclasses.replace(case, bytes=size, far_bytes=far)
        return curve.predict(other) < best.predict(other)

    least, most = max(curve.bytes_range[0], best.bytes_range[0]), min(curve.bytes_range[1], best.bytes_range[1])
    sizes = [size for size in (2.0**power for power in range(3, 34)) if least <= size <= most]
    smaller, larger = [s for s in sizes if s < case.bytes and wins(s)], [s for s in sizes if s > case.bytes and wins(s)]
    if smaller:
        return f"It would be the faster one at {bytes_of(max(smaller))} and below."
    return f"It would be the faster one from {bytes_of(min(larger))} on." if larger else ""


def moved_in_words(case: Case) -> str:
    """What a rank gets and copies. The contiguous runs of both are counted together."""
    got = f"A rank gets {bytes_of(case.bytes)} from {counted(case.neighbours, 'other rank')}"
    if case.far_messages:
        got += f", {bytes_of(case.far_bytes)} of it from other nodes"
    runs = counted(case.blocks, "contiguous run")
    if not case.local_bytes:
        return f"{got}, in {runs}."
    return f"{got}, and copies {bytes_of(case.local_bytes)} within itself: {runs} in all, those of the copies included."


def free_in_words(ranked: list[tuple[float, Curve]], case: Case) -> list[str]:
    """Predictions of which some are 0, as without bytes from others: 0 has no multiples."""
    free = [curve.by for us, curve in ranked if us <= 0]
    said = [f"Mode{'' if len(free) == 1 else 's'} {listed(free)}: the card predicts no time for this."]
    return said + [f"Mode {curve.by}: {time_of(us)}; {parts_in_words(curve, case)}." for us, curve in ranked if us > 0]


def error_in_words(curve: Curve) -> str:
    if curve.typical_error is None:
        return "How far such predictions are off was not tested: no point was left out of a fit."
    return f"Half of such predictions are within {percent_of(curve.typical_error)}."


def ranked_in_words(ranked: list[tuple[float, Curve]], case: Case) -> list[str]:
    """The fastest mode, and each other one beside it."""
    best_us, best = ranked[0]
    said = [f"Mode {best.by} is predicted to be the fastest: {time_of(best_us)}, of which {parts_in_words(best, case)}. "
            f"{error_in_words(best)}"]
    for us, curve in ranked[1:]:
        near = " (no difference that the model can resolve)" if us < NEAR * best_us else ""
        said.append(f"Mode {curve.by}: {time_of(us)}, {us / best_us:.2f} times as long{near}; {parts_in_words(curve, case)}. "
                    f"{crossover(curve, best, case)}".rstrip())
    return said


def sentences(card: Card, case: Case, nodes: int) -> list[str]:
    """The prediction in words."""
    ranked = cards.fastest([curve for curve in card.swaps(nodes) if curve.by != "auto"], case)
    if not ranked:
        raise Failure(f"the machine card has no curves of halo swaps on {'several nodes' if nodes > 1 else 'one node'} ({card.source}); "
                      "halocline model measures them", Exit.USAGE)
    best_us, best = ranked[0]
    said = ranked_in_words(ranked, case) if best_us > 0 else free_in_words(ranked, case)
    return [moved_in_words(case), *said, *doubts(card, best, case)]


def doubts(card: Card, best: Curve, case: Case) -> list[str]:
    said = []
    if not best.covers(case):
        said.append(f"This is beyond what was measured ({bytes_of(best.bytes_range[0])} to {bytes_of(best.bytes_range[1])}, "
                    f"{best.ranks_range[0]:.0f} to {best.ranks_range[1]:.0f} ranks): the curve is continued.")
    if case.ranks_per_core > 1:
        said.append("The ranks share cores, where times depend on the scheduler as well.")
    return [*said, f"Card: {card.source}."]


def as_json(card: Card, case: Case, nodes: int) -> dict[str, object]:
    return {"card": card.source, "case": dataclasses.asdict(case), "nodes": nodes,
            "predictions": [{"mode": curve.by, "us": us, "typical_error": curve.typical_error, "beyond_measured": not curve.covers(case),
                             "parts_us": curve.parts(case)} for us, curve in cards.fastest(card.swaps(nodes), case)]}


def grid_in_words(options: argparse.Namespace) -> str:
    grid = " × ".join(map(str, process_grid(options.ranks, len(options.split))))
    size = " × ".join(map(str, options.local))
    return (f"A swap of {counted(options.fields, 'field')} of {size} cells per rank ({options.type}), depth {options.depth}, "
            f"{options.stencil} stencil, on {grid} {'rank' if options.ranks == 1 else 'ranks'}.")


def run(options: argparse.Namespace) -> int:
    case = case_of_options(options)
    card = find_card(options)
    if options.json:
        print(json.dumps(as_json(card, case, options.nodes)))
        return 0
    for sentence in [*([grid_in_words(options)] if options.bytes is None else []), *sentences(card, case, options.nodes)]:
        print(sentence)
    return 0
