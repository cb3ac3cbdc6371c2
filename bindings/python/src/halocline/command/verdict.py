"""What measurements mean, in words: the recommendation, and how far it can be trusted.

SPDX-License-Identifier: BSD-3-Clause
"""
import dataclasses

from halocline.command import card as cards
from halocline.command.words import Json, bytes_of, listed, percent_of, spread_of, time_of

NOISY, TOO_NOISY = 0.5, 2.0  # spread over median: to be doubted, and useless
TOO_BUSY = "The machine was too busy to compare the modes: measure again when it is quiet."
MOST_TYPICAL_ERROR = 0.5


@dataclasses.dataclass(frozen=True)
class Verdict:
    """headline: one sentence. reasons: more of them. doubts: what speaks against relying on it. advice: what to do."""
    headline: str
    reasons: list[str]
    doubts: list[str]
    advice: list[str]
    mode: str  # with the lowest median
    decided: bool = True  # False: the times spread so much that no mode may be called the fastest


def own_modes(halo: Json) -> dict[str, Json]:
    """The rows of the library's modes as they are by default, the fastest first; hand-written swaps, variants and auto, which is one of
    the others, are none."""
    names = [name for name in halo["modes"] if not name.startswith(("hand_", "petsc_")) and not name.endswith(("_late", "_get"))
             and name != "auto"]
    return {name: halo["modes"][name] for name in sorted(names, key=lambda name: float(halo["modes"][name]["median_us"]))}


def distrusted(doctor: Json | None) -> dict[str, str]:
    """Modes that the doctor found not to be right, with the reason."""
    modes = doctor["modes"] if doctor else {}
    return {name: verdict.get("reason", verdict["verdict"]) for name, verdict in modes.items()
            if verdict["verdict"] not in ("right", "untested")}


def times_as_fast(ratio: float) -> str:
    return f"{ratio:.1f} times as fast as" if ratio >= 1 else f"{1 / ratio:.1f} times as slow as"


def to_the_limit(row: Json, limit_us: float) -> str:
    ratio = row["median_us"] / limit_us
    return "which is the physical limit" if ratio <= 1.05 else f"which is {ratio:.1f} times the physical limit"


def equals_of(modes: dict[str, Json], best: str) -> list[str]:
    """Modes whose times overlap with those of the fastest."""
    return [name for name, row in modes.items() if name != best and row["p10_us"] <= modes[best]["p90_us"]]


def spread(row: Json) -> float:
    return float((row["p90_us"] - row["p10_us"]) / row["median_us"])


def doctor_reason(doctor: Json) -> str:
    wrong = [probe["name"] for probe in doctor["probes"] if probe["outcome"] not in ("right", "lacks")]
    if not wrong:
        return f"This MPI passed all {len(doctor['probes'])} probes of one-sided communication and messages that were run."
    return f"Of {len(doctor['probes'])} probes of this MPI {len(wrong)} found something wrong: {listed(wrong[:4])}."


def halo_reasons(halo: Json, modes: dict[str, Json], best: str) -> list[str]:
    limit, row = float(halo["limit"]["limit_us"]), modes[best]
    took = f"{time_of(row['median_us'])} ({spread_of(row['p10_us'], row['p90_us'])})"
    reasons = [f"In mode {best} one swap takes {took}, {to_the_limit(row, limit)}."]
    equals = equals_of(modes, best)
    if equals:
        reasons.append(f"Within the spread as fast: {listed(equals)}.")
    auto = halo["modes"].get("auto")
    if auto:
        reasons.append(f"Mode auto, the default, had chosen {auto['mode']}: {time_of(auto['median_us'])}.")
    return reasons


def cells_reasons(halo: Json) -> list[str]:
    cells = sum(one.get("verified_cells", 0) for one in halo["modes"].values())
    return [f"Each of {cells:,} halo cells had the value that its owner had written."] if cells else []


def other_winners(card: cards.Card, best: str, neighbours: int) -> list[str]:
    """Sizes for which the model predicts another mode, for a swap with so many neighbours."""
    swaps = [curve for curve in card.swaps() if curve.by not in ("view", "auto")]
    if not any(curve.by == best for curve in swaps):
        return []
    found: dict[str, list[float]] = {}
    least, most = max(curve.bytes_range[0] for curve in swaps), min(curve.bytes_range[1] for curve in swaps)
    size = max(least, 8.0)
    while size <= most:
        winner = cards.fastest(swaps, cards.one_message_each(size, neighbours))[0][1].by
        found.setdefault(winner, []).append(size)
        size *= 2
    return [f"At {bytes_of(min(sizes))} to {bytes_of(max(sizes))} the model predicts {name} to be the fastest."
            for name, sizes in found.items() if name != best and len(sizes) > 1]


def doubts_of(halo: Json, row: Json, model: Json | None) -> list[str]:
    doubts = []
    if halo["environment"].get("oversubscribed"):
        doubts.append("The ranks shared cores, so all times include waiting for a core.")
    if spread(row) > NOISY:
        doubts.append(f"The machine was not quiet: the middle 80 % of the samples span {percent_of(spread(row))} of the median.")
    error = cards.typical(model["predicted_half"]) if model else None
    if error is not None and error > MOST_TYPICAL_ERROR:
        doubts.append(f"The model's typical error is {percent_of(error)}: do not rely on its predictions.")
    if model and error is None:
        doubts.append("The model's predictions were not tested: there are too few points to leave some out of a fit.")
    return doubts


def is_decided(modes: dict[str, Json], best: str) -> bool:
    """Whether the times of the best mode and of point-to-point spread so little that they may be compared."""
    return max(spread(modes[best]), spread(modes.get("p2p", modes[best]))) <= TOO_NOISY


def headline_of(modes: dict[str, Json], best: str) -> str:
    """The recommendation in a sentence, or why there is none."""
    row = modes[best]
    if not is_decided(modes, best):
        return TOO_BUSY
    if best == "p2p":
        return "Keep MPI point-to-point: no one-sided mode is faster here."
    if "p2p" in equals_of(modes, best):
        return f"Mode {best} had the lowest median, but leads MPI point-to-point by no more than the spread."
    return f"Use mode {best}: it is {times_as_fast(row['ratio_to_p2p'])} MPI point-to-point here."


def advice_on(best: str) -> str:
    return f"The default, auto, finds a mode by itself. HALOCLINE_MODE={best} fixes this one, or name it in the plan."


def of(halo: Json, doctor: Json | None = None, model: Json | None = None) -> Verdict:
    """The verdict on a machine."""
    bad = distrusted(doctor)
    modes = {name: row for name, row in own_modes(halo).items() if name not in bad} or own_modes(halo)
    best = next(iter(modes))
    headline, decided = headline_of(modes, best), is_decided(modes, best)
    reasons = (halo_reasons(halo, modes, best) if decided else []) + cells_reasons(halo) + ([doctor_reason(doctor)] if doctor else [])
    advice = [advice_on(best)] if headline.startswith(("Use", "Keep")) else []
    advice += [f"Do not use mode {name} with this MPI: {reason}." for name, reason in bad.items()]
    row: Json = next((one for one in halo["rows"] if one["operation"] == "halo"), {})
    card = cards.card_of(model, "this run") if model else None
    reasons += other_winners(card, best, int(row.get("neighbours", 1))) if card and decided else []
    return Verdict(headline, reasons, doubts_of(halo, modes[best], model), advice, best, decided)
