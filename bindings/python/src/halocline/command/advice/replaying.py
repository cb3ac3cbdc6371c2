"""Runs an exchange again, as it was recorded and in modes of the library, by halocline-replay.

SPDX-License-Identifier: BSD-3-Clause
"""
import collections
import dataclasses
import pathlib
from collections.abc import Sequence

from halocline.command import native
from halocline.command.advice.exchanges import Episode, Operation, Pattern
from halocline.command.advice.recording import Layout, Recording

TIMEOUT_S = 120
TWO_SIDED = ("recorded", "p2p", "neighbor")
AUTO = "auto"
NOISY = 1.0  # spread over median, beyond which two contenders can't be told apart


@dataclasses.dataclass(frozen=True)
class Message:
    """One message per step, as halocline-replay reads it."""
    sender: int
    receiver: int
    stage: int
    bytes: int
    run: int
    step: int
    typed: bool

    @property
    def line(self) -> str:
        return f"message {self.sender} {self.receiver} {self.stage} {self.bytes} {self.run} {self.step} {int(self.typed)}"


@dataclasses.dataclass(frozen=True)
class Time:
    """Microseconds per exchange on the slowest rank."""
    median: float
    low: float
    high: float
    samples: int
    mode: str = ""  # that auto has chosen


@dataclasses.dataclass
class Replay:
    times: dict[str, Time]
    best: str
    without: dict[str, str] = dataclasses.field(default_factory=dict)  # modes that are left out, and why

    @property
    def recorded(self) -> Time:
        return self.times["recorded"]

    @property
    def winner(self) -> Time:
        return self.times[self.best]

    @property
    def equals(self) -> list[str]:
        """One-sided modes whose medians are within the spread of the best one."""
        return [name for name, time in self.times.items() if name not in (*TWO_SIDED, AUTO, self.best) and time.median <= self.winner.high]

    @property
    def is_noisy(self) -> bool:
        return any(time.high - time.low > NOISY * time.median for time in (self.recorded, self.winner))

    @property
    def saving(self) -> Time:
        """Microseconds per step that the best mode saves; negative if it is slower."""
        best = self.winner
        ends = sorted((self.recorded.low - best.low, self.recorded.high - best.high, self.recorded.median - best.median))
        return Time(self.recorded.median - best.median, ends[0], ends[2], best.samples)


def stages(episode: Episode) -> list[tuple[Operation, int]]:
    """The sends of an exchange with the stage of each: one that begins after all receives before it have ended begins a stage."""
    found, stage, last_end, has_receive = [], 0, 0.0, False
    for one in sorted(episode.operations, key=lambda one: one.begin):
        if has_receive and one.begin >= last_end:
            stage += 1
            has_receive = False
        if one.sends:
            found.append((one, stage))
        else:
            last_end, has_receive = max(last_end, one.wait_end), True
    return found


def shape(operation: Operation, layouts: dict[int, Layout]) -> tuple[int, int, bool]:
    """Bytes in a row, from one run to the next, and whether a datatype describes that."""
    layout = layouts.get(operation.layout)
    if layout is None or not layout.levels or layout.run < 1 or operation.bytes % layout.run:
        return operation.bytes, operation.bytes, False
    step = next((step for _, step in layout.levels if step >= layout.run), 2 * layout.run)
    return layout.run, step, True


def messages(pattern: Pattern, recording: Recording) -> list[Message]:
    """What all ranks send per step."""
    found = []
    for rank, episodes in pattern.episodes.items():
        counts = collections.Counter(one.node for one in episodes)
        layouts = recording.ranks[rank].layouts
        for node, count in counts.items():
            typical = sorted((one for one in episodes if one.node == node), key=lambda one: sum(o.bytes for o in one.operations))
            for _ in range(round(count / pattern.steps)):
                found += [Message(rank, one.peer, stage, one.bytes, *shape(one, layouts)) for one, stage in
                          stages(typical[len(typical) // 2]) if one.peer >= 0 and one.bytes > 0]
    return found


def read_result(path: pathlib.Path) -> Replay:
    times, without = {}, {}
    for line in path.read_text().splitlines():
        if line.startswith("without "):
            _, name, without[name] = line.split(" ", 2)
            continue
        name, samples, median, low, high, *mode = line.split()
        times[name] = Time(float(median), float(low), float(high), int(samples), *mode)
    best = min((name for name in times if name not in (*TWO_SIDED, AUTO)), key=lambda name: times[name].median)
    return Replay(times, best, without)


def replay(found: Sequence[Message], folder: pathlib.Path, launch: list[str], program: pathlib.Path, seconds: float) -> Replay:
    """launch: the launcher and its flags for the recorded ranks. program: halocline-replay."""
    pattern, result = folder / "pattern.txt", folder / "replay.txt"
    pattern.write_text("".join(f"{one.line}\n" for one in found))
    result.unlink(missing_ok=True)
    native.output_of([*launch, str(program), str(pattern), str(result), str(seconds)], TIMEOUT_S)
    return read_result(result)
