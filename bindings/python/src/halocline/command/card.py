"""Machine cards: the curves that `halocline-bench model` has fitted, and what they predict. docs/bench.md describes the file.

SPDX-License-Identifier: BSD-3-Clause
"""
import dataclasses
import math
import pathlib
from collections.abc import Iterable

from halocline.command import files, native
from halocline.command.status import Exit, Failure
from halocline.command.words import Json

SCHEMA = "halocline-card/1"
LEAST = "least"  # the part of a prediction that its terms lack to the least that was measured


@dataclasses.dataclass(frozen=True)
class Case:
    """What is to be predicted; the fields are those of hlc_model_case."""
    bytes: float
    local_bytes: float = 0
    ranks: float = 2
    ranks_per_core: float = 1
    neighbours: float = 0
    blocks: float = 0
    messages: float = 0
    far_bytes: float = 0
    far_messages: float = 0


def one_message_each(size: float, neighbours: float, ranks: float = 2, nodes: int = 1, ranks_per_core: float = 1) -> Case:
    """A swap with so many neighbours, each of which sends one message that is one run. Of several nodes, all of them are on other ones."""
    far = {"far_bytes": size, "far_messages": neighbours} if nodes > 1 else {}
    return Case(size, ranks=ranks, ranks_per_core=ranks_per_core, neighbours=neighbours, blocks=neighbours, messages=neighbours, **far)


def quantity_of(term: Json, case: Case) -> float:
    """How much of a term's quantity a case has, as hlc_model_quantity_of. Raises ValueError for a quantity that is none."""
    log_ranks = math.log2(max(case.ranks, 1))
    crowding = max(case.ranks_per_core - 1, 0)
    begin, end = float(term.get("from", 0)), float(term.get("to", 0))
    amounts = {"latency": 1.0, "bytes": max((min(case.bytes, end) if end > 0 else case.bytes) - begin, 0),
               "switch": float(case.bytes >= begin), "log_ranks": log_ranks, "ranks": max(case.ranks - 1, 0),
               "sharing": float(crowding > 0), "crowding": crowding, "crowding_log": crowding * log_ranks,
               "crowding_bytes": crowding * case.bytes, "neighbours": case.neighbours, "blocks": case.blocks,
               "local_bytes": case.local_bytes, "ranks_bytes": max(case.ranks - 1, 0) * case.bytes,
               "messages": case.messages,
               "far_bytes": case.far_bytes, "far_messages": case.far_messages,
               "crowding_local_bytes": crowding * case.local_bytes, "crowding_messages": crowding * case.messages}
    if term["quantity"] not in amounts:
        raise ValueError(f"quantity {term['quantity']}")
    return amounts[term["quantity"]]


@dataclasses.dataclass(frozen=True)
class Curve:
    """The cost of one operation by one contender."""
    operation: str
    by: str
    nodes: int
    formula: str
    typical_error: float | None  # None: not tested, as no point was left out of a fit
    bytes_range: tuple[float, float]
    ranks_range: tuple[float, float]
    terms: tuple[Json, ...]
    least_us: float = 0.0  # the least that was measured at a point; 0: the card does not say it

    def parts(self, case: Case) -> dict[str, float]:
        """Microseconds by quantity; those of several terms of one quantity together."""
        sums: dict[str, float] = {}
        for term in self.terms:
            sums[term["quantity"]] = sums.get(term["quantity"], 0.0) + term["us"] * quantity_of(term, case)
        short = self.least_us - sum(sums.values())
        return sums | {LEAST: short} if short > 0 else sums

    def predict(self, case: Case) -> float:
        """The sum of the terms, as hlc_model_predict: no less than the least that was measured."""
        return sum(self.parts(case).values())

    def covers(self, case: Case) -> bool:
        """True if bytes and ranks are among those that were measured."""
        return (self.bytes_range[0] <= case.bytes <= self.bytes_range[1]) and (self.ranks_range[0] <= case.ranks <= self.ranks_range[1])

    def switches(self) -> list[float]:
        """Sizes at which another protocol begins."""
        return sorted({float(term["from"]) for term in self.terms if term.get("from", 0) > 0})


def typical(half: Json) -> float | None:
    """The median error of the points that were left out of a fit; None where there were none, whatever else a file says then."""
    return float(half["median"]) if half["points"] else None


def curve_of(json: Json) -> Curve:
    for term in json["terms"]:
        quantity_of(term, Case(bytes=0))
    half = json.get("predicted_half")
    return Curve(json["operation"], json["by"], int(json.get("nodes", 1)), json.get("formula", ""), typical(half) if half else None,
                 (float(json.get("least_bytes", 0)), float(json.get("most_bytes", 0))),
                 (float(json.get("least_ranks", 0)), float(json.get("most_ranks", 0))), tuple(json["terms"]),
                 float(json.get("least_us", 0)))


@dataclasses.dataclass(frozen=True)
class Card:
    source: str
    about: Json
    curves: tuple[Curve, ...]

    def of(self, operation: str, nodes: int = 1) -> list[Curve]:
        """The curves of an operation, one per contender."""
        return [curve for curve in self.curves if curve.operation == operation and curve.nodes == min(nodes, 2)]

    def swaps(self, nodes: int = 1) -> list[Curve]:
        """Those of halo swaps by the modes of the library. A hand-written swap is no mode."""
        return [curve for curve in self.of("halo", nodes) if not curve.by.startswith(("hand_", "petsc_"))]


def card_of(json: Json, source: str) -> Card:
    """A card, or the report of a model, which has the same curves."""
    if "curves" not in json:
        raise Failure(f"{source} is not a machine card: it has no curves, as halocline model writes them", Exit.USAGE)
    try:
        return Card(source, {key: value for key, value in json.items() if key != "curves"}, tuple(map(curve_of, json["curves"])))
    except KeyError as why:
        raise Failure(f"{source} is not a machine card: a curve has no {why.args[0]}", Exit.USAGE) from why
    except (TypeError, ValueError) as why:
        raise Failure(f"{source} is not a machine card: a member has another type or value ({why})", Exit.USAGE) from why


def read(path: pathlib.Path) -> Card:
    json = files.read(path)
    if json.get("schema") not in (SCHEMA, "halocline-bench/1"):
        raise Failure(f"{path}: its schema is '{json.get('schema')}', not '{SCHEMA}'", Exit.USAGE)
    return card_of(json, str(path))


def default_path() -> pathlib.Path:
    """The default card of the sources, of the installation, or of the wheel."""
    root = native.checkout()
    bench = native.find_program("halocline-bench")
    places = [root / "share" / "halocline"] if root else []
    places += [bench.resolve().parent.parent / "share" / "halocline"] if bench else []
    for place in [*places, pathlib.Path(__file__).parent]:
        if (place / "default_card.json").is_file():
            return place / "default_card.json"
    raise Failure("the default machine card is not installed; --card names another", Exit.MISSING)


def fastest(curves: Iterable[Curve], case: Case) -> list[tuple[float, Curve]]:
    """The predictions of all, the fastest first."""
    return sorted(((curve.predict(case), curve) for curve in curves), key=lambda pair: pair[0])
