"""Numbers as people read them.

SPDX-License-Identifier: BSD-3-Clause
"""
import argparse
import math
import re
from typing import Any

Json = dict[str, Any]

UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "ki": 2**10, "mi": 2**20, "gi": 2**30}


def significant(value: float, digits: int = 3) -> str:
    """A number with so many digits that count, and no exponent."""
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else str(value)
    places = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    return f"{value:,.{places}f}"


def time_of(microseconds: float) -> str:
    """A time with the unit that suits it."""
    for unit, size in (("s", 1e6), ("ms", 1e3), ("µs", 1.0)):
        if microseconds >= size:
            return f"{significant(microseconds / size)} {unit}"
    return f"{significant(1000 * microseconds)} ns"


def bytes_of(count: float) -> str:
    """Bytes with a binary prefix."""
    for unit, size in (("GiB", 2.0**30), ("MiB", 2.0**20), ("KiB", 2.0**10)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count:.0f} B"


FLATTENED = 15  # times the least: on a linear axis the bars of the short ones could no longer be told apart


def needs_logarithm(values: list[float]) -> bool:
    """Whether one long value would flatten the others on a linear axis."""
    return min(values) > 0 and max(values) > FLATTENED * min(values)


def counted(count: float, name: str) -> str:
    """1 rank, 2 ranks."""
    return f"{count:.0f} {name}{'' if count == 1 else 's'}"


def percent_of(part: float) -> str:
    return f"{100 * part:.1f} %" if part < 0.1 else f"{100 * part:,.0f} %"


def error_of(part: float | None) -> str:
    """A relative error; one that is not known is not 0."""
    return "not tested" if part is None else percent_of(part)


def spread_of(low: float, high: float) -> str:
    """The 10th to the 90th percentile, in the unit of the higher one."""
    unit = time_of(high).split()[1]
    size = {"s": 1e6, "ms": 1e3, "µs": 1.0, "ns": 1e-3}[unit]
    return f"{significant(low / size)} – {significant(high / size)} {unit}"


def parse_bytes(text: str) -> float:
    """Reads "4096", "64k" or "1.5MiB"."""
    found = re.fullmatch(r"([0-9.]+)\s*([kKmMgG]?i?)[bB]?", text.strip())
    if not found or found[1].count(".") > 1 or found[1] == ".":
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of bytes, as 4096, 64KiB or 1.5MiB")
    return float(found[1]) * UNITS[found[2].lower()]


def listed(names: list[str]) -> str:
    """a, b and c."""
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1] if names else "none"


def mpi_of(text: str) -> str:
    """An MPI's version text in a few words."""
    return " ".join(text.replace("\n", ",").split(",")[0].replace("Version:", "").split())
