"""From exchanges and their replay to advice: what a mode would save of the run, and what would have to change.

SPDX-License-Identifier: BSD-3-Clause
"""
import collections
import dataclasses
from collections.abc import Callable, Sequence
from typing import TypeAlias

from halocline.command.advice import exchanges, grids, replaying, sources
from halocline.command.advice.exchanges import Found, Pattern
from halocline.command.advice.recording import MOST_EVENTS, Recording
from halocline.command import native
from halocline.command.status import Failure
from halocline.command.words import time_of

Replayer: TypeAlias = Callable[[Sequence[replaying.Message]], replaying.Replay]

LEAST_SHARE = 0.005  # of the run: exchanges that take less are not run again
MOST_PATTERNS = 5
WORTH = 0.02  # of the run

# Pages of the documentation by their titles: an installed copy has no folder docs.
FROM_P2P = "how-to 'From MPI point-to-point'"
FROM_RMA = "how-to 'From MPI RMA'"
EXCHANGE = "guide 'Any list of neighbours'"
SPARSE = "guide 'Sparse exchanges: unknown senders'"


@dataclasses.dataclass
class Advice:
    """One exchange that repeats. Shares are of the run; savings in seconds of the run, most likely, low and high."""
    steps: int
    ranks: int
    partners: tuple[int, int]
    bytes: float  # that a rank sends per step
    cost_us: float  # per step, of the mean rank
    late_us: float
    period_us: float
    seconds: float
    share: float
    places: list[str]
    kind: str  # what the messages are
    replay: replaying.Replay | None = None
    why_not: str = ""
    saved: tuple[float, float, float] = (0.0, 0.0, 0.0)
    at_limit: bool = False  # the replay saves more than the exchange costs in the program without late ranks
    change: list[str] = dataclasses.field(default_factory=list)
    link: str = ""


@dataclasses.dataclass
class Conclusion:
    program: str
    ranks: int
    hosts: list[str]
    library: str
    seconds: float  # of the mean rank
    whole: float  # the same of all its threads that called MPI, which shares are of
    threads: int
    unfinished: bool  # some rank did not reach MPI_Finalize
    looked_at: float  # of the events, what part
    dropped: int
    parts: list[tuple[str, float, str]]  # name, seconds, remark
    advice: list[Advice]
    windows: str
    headline: str
    notes: list[str]

    @property
    def saved(self) -> tuple[float, float, float]:
        worth = [one.saved for one in self.advice if one.saved[0] > 0]
        return sum(one[0] for one in worth), sum(one[1] for one in worth), sum(one[2] for one in worth)


def places_of(pattern: Pattern, recording: Recording) -> list[str]:
    sites = {recording.ranks[rank].site(address) for rank, addresses in pattern.sites().items() for address in addresses}
    return sources.ranges(sources.lines_of(sites).values())


def kind_of(pattern: Pattern) -> str:
    episodes = next(iter(pattern.episodes.values()))
    if any(one.is_collective for one in episodes):
        return "neighbourhood collectives"
    return "messages whose sizes or partners change" if pattern.varies else "messages"


def describe(pattern: Pattern, recording: Recording, scale: float) -> Advice:
    sent = {rank: [one for episode in some for one in episode.operations if one.sends] for rank, some in pattern.episodes.items()}
    partners = [len({one.peer for one in some}) for some in sent.values()] or [0]
    first = next(iter(pattern.episodes.values()))
    period = (first[-1].begin - first[0].begin) / max(1, len(first) - 1) if len(first) > 1 else 0.0
    seconds = pattern.mean("cost") * pattern.steps / 1e9 * scale * len(pattern.episodes) / len(recording.ranks)
    seconds = min(seconds, recording.thread_seconds)  # scale is an estimate
    return Advice(steps=round(pattern.steps * scale), ranks=len(pattern.episodes), partners=(min(partners), max(partners)),
                  bytes=sum(one.bytes for some in sent.values() for one in some) / max(1, len(sent)) / pattern.steps,
                  cost_us=pattern.mean("cost") / 1e3, late_us=min(pattern.mean("late"), pattern.mean("cost")) / 1e3, period_us=period / 1e3,
                  seconds=seconds, share=seconds / recording.thread_seconds, places=places_of(pattern, recording), kind=kind_of(pattern))


def keeps_partners(pattern: Pattern) -> bool:
    """Whether each rank always has the same partners, though sizes change."""
    return all(len({frozenset(one.peer for one in episode.operations) for episode in some}) == 1 for some in pattern.episodes.values())


def lists_of(pattern: Pattern, recording: Recording) -> list[list[int]] | None:
    """Of each rank the neighbours that the topology of its communicator has; None if there is none, or more than one."""
    lists = []
    for rank in recording.ranks:
        comms = {one.comm for episode in pattern.episodes.get(rank.number, []) for one in episode.operations}
        found = [rank.to_neighbours[comm] for comm in comms if comm in rank.to_neighbours]
        if len(comms) != 1 or not found:
            return None
        lists.append(found[0])
    return lists


def add_change(advice: Advice, messages: Sequence[replaying.Message], recording: Recording, pattern: Pattern) -> None:
    """What would have to be written, and the page about it."""
    grid = None if pattern.varies else grids.find(messages, len(recording.ranks), lists_of(pattern, recording))
    if pattern.varies and keeps_partners(pattern):
        advice.change = ["hlc_exchange_create with these partners, again whenever sizes change; hlc_sparse if that is every few steps"]
        advice.link = EXCHANGE
    elif pattern.varies:
        advice.change, advice.link = ["hlc_sparse: partners and sizes that change from step to step"], SPARSE
    elif grid:
        advice.change, advice.link = grids.spec(grid, messages), FROM_P2P
    else:
        advice.change = ["hlc_exchange_create with the same partners and sizes; hlc_exchange_start and hlc_exchange_finish each step"]
        advice.link = EXCHANGE


def add_saving(advice: Advice, replay: replaying.Replay) -> None:
    """What the best mode saves in the replay, for all steps. It can't be more than what the exchange costs without late ranks."""
    most = max(0.0, advice.cost_us - advice.late_us)
    share = advice.ranks and advice.steps / 1e6
    saving = replay.saving
    low, middle, high = (min(most, value) * share for value in (saving.low, saving.median, saving.high))
    advice.replay, advice.saved, advice.at_limit = replay, (middle, low, high), saving.median >= most


def study(pattern: Pattern, recording: Recording, scale: float, replayer: Replayer | None) -> Advice:
    advice = describe(pattern, recording, scale)
    messages = replaying.messages(pattern, recording)
    add_change(advice, messages, recording, pattern)
    if replayer is None:
        advice.why_not = "not run again"
    elif advice.share < LEAST_SHARE:
        advice.why_not = f"not run again: less than {100 * LEAST_SHARE:.1f} % of the run"
    elif not messages:
        advice.why_not = "not run again: no partner is known"
    else:
        try:
            add_saving(advice, replayer(messages))
        except Failure as why:
            advice.why_not = f"it could not be run again: {why}"
    return advice


def parts_of(found: Found, recording: Recording, scale: float) -> list[tuple[str, float, str]]:
    """Where the time of the mean rank goes."""
    count = len(recording.ranks)
    cost = sum(one.mean("cost") * one.steps * len(one.episodes) for one in found.patterns) / count / 1e9 * scale
    late = sum(min(one.mean("late"), one.mean("cost")) * one.steps * len(one.episodes) for one in found.patterns) / count / 1e9 * scale
    collectives: dict[str, float] = collections.defaultdict(float)
    for totals in found.totals.values():
        for name, value in totals.collectives.items():
            collectives[name] += value / count / 1e9 * scale
    windows = sum(totals.windows for totals in found.totals.values()) / count / 1e9 * scale
    longest = sorted(collectives.items(), key=lambda item: -item[1])[:3]
    named = ", ".join(f"{name} {time_of(1e6 * value)}" for name, value in longest)
    waited = f"waiting for late ranks, which no library mends: {time_of(1e6 * late)}" if late > 0.01 * cost else ""
    parts = [("exchanges that repeat", cost, waited),
             ("other messages", found.once, ""), ("collectives", sum(collectives.values()), named), ("windows (MPI RMA)", windows, "")]
    parts = [part for part in parts if part[1] > 0]
    fit = min(1.0, recording.thread_seconds / max(1e-12, sum(part[1] for part in parts)))  # scale is an estimate
    parts = [(name, fit * value, remark) for name, value, remark in parts]
    rest = recording.thread_seconds - sum(part[1] for part in parts)
    return [*parts, ("all else: computation, files", max(0.0, rest), "")]


def scale_of(found: Found, recording: Recording) -> float:
    """The whole run over the part of it that was looked at."""
    parts = [(totals.until - rank.begin) / max(1.0, rank.end - rank.begin) for rank in recording.ranks
             if (totals := found.totals.get(rank.number)) and (totals.looked_at < totals.recorded or recording.dropped)]
    return 1 / max(1e-3, min(1.0, sum(parts) / len(parts))) if parts else 1.0


def windows_in_words(parts: Sequence[tuple[str, float, str]], seconds: float, found: Found) -> str:
    """Where MPI RMA takes time, or is all that moves data: then the program also waits for it in barriers."""
    used = next((part[1] for part in parts if part[0].startswith("windows")), 0.0)
    moves_all = not found.patterns and any(totals.accesses for totals in found.totals.values())
    if used < WORTH * seconds and not moves_all:
        return ""
    barriers = next((part[1] for part in parts if part[0] == "collectives"), 0.0) if moves_all else 0.0
    waits = f", {100 * barriers / seconds:.1f} % are collectives that may wait for it" if barriers >= WORTH * seconds else ""
    return (f"{100 * used / seconds:.1f} % of the run is MPI RMA{waits}. `halocline run --mpi` serves it without a change: time both "
            f"({FROM_RMA}).")


def is_unanswered(said: Conclusion) -> bool:
    """Whether samples spread so much that the replay says nothing. Exchanges of a small part of the run can't save more than that."""
    return any(one.replay and one.replay.is_noisy for one in said.advice) and sum(one.share for one in said.advice) >= WORTH


def title_of(said: Conclusion) -> str:
    """Of the page: the answer, or what is known without one."""
    known = f"Exchanges that repeat take {100 * sum(one.share for one in said.advice):.1f} % of the run"
    return known if is_unanswered(said) else said.headline


def headline_of(said: Conclusion) -> str:
    middle, low, high = (value / said.whole for value in said.saved)
    tried = [one for one in said.advice if one.replay]
    if not said.advice:
        return "Not worth it: the program has no exchange of messages that repeats." if not said.windows else \
            "No exchange of messages repeats; the program has MPI RMA."
    if not tried:
        most = sum(one.share for one in said.advice)
        return f"Not worth it: exchanges that repeat take {100 * most:.1f} % of the run." if most < WORTH else \
            f"Exchanges that repeat take {100 * most:.1f} % of the run. What a mode would save was not measured."
    if is_unanswered(said):
        return ("The machine was too busy for an answer: times of the same exchange spread by more than their median. Measure again when "
                "it is quiet.")
    at_limit = any(one.at_limit for one in tried if one.saved[0] > 0)
    span = f"{'at most ' if at_limit else ''}{100 * middle:.1f} % of the run"
    if f"{100 * max(0.0, low):.1f}" != f"{100 * high:.1f}":
        span += f" (between {100 * max(0.0, low):.1f} and {100 * high:.1f} %)"
    if middle <= 0:
        return "Not worth it: no mode saves anything of the program's own messages here."
    modes = list(dict.fromkeys(one.replay.best for one in tried if one.replay and one.saved[0] > 0))
    named = f"one-sided swaps in mode{'s' if len(modes) > 1 else ''} {' and '.join(modes)} would save {span}."
    return f"Not worth it: {named}" if middle < WORTH or low <= 0 else f"Worth it: {named}"


def notes_of(found: Found, recording: Recording, scale: float) -> list[str]:
    notes = []
    if len(recording.ranks) > native.cores() and len({rank.host for rank in recording.ranks}) == 1:
        notes.append(f"{len(recording.ranks)} ranks share {native.cores()} cores: they wait for a core as well, in the program and in what "
                     "ran again. Advice is for a job with a core per rank.")
    if any(sources.is_mpi4py(path) for rank in recording.ranks for _, _, path in rank.modules):
        notes.append("Calls of a Python script are made by mpi4py: lines of Python are not found.")
    if recording.dropped:
        notes.append("Recording stopped before the program ended (HLC_ADVISE_EVENTS): times of exchanges are scaled to the run.")
    elif scale > 1.01:
        notes.append(f"The first {MOST_EVENTS:,} calls of each rank were looked at: times are scaled to the run.")
    if len(found.patterns) > MOST_PATTERNS:
        notes.append(f"{len(found.patterns) - MOST_PATTERNS} more exchanges take less time each, and are not shown.")
    return notes


def conclude(recording: Recording, program: str, replayer: Replayer | None) -> Conclusion:
    """The answer."""
    found = exchanges.find(recording)
    scale = scale_of(found, recording)
    advice = [study(pattern, recording, scale, replayer) for pattern in found.patterns[:MOST_PATTERNS]]
    parts = parts_of(found, recording, scale)
    hosts = list(dict.fromkeys(rank.host for rank in recording.ranks))
    said = Conclusion(program, len(recording.ranks), hosts, recording.ranks[0].library, recording.seconds,
                      recording.thread_seconds, recording.threads, not all(rank.finalised for rank in recording.ranks), 1 / scale,
                      recording.dropped, parts, advice, windows_in_words(parts, recording.thread_seconds, found), "",
                      notes_of(found, recording, scale))
    said.headline = headline_of(said)
    return said
