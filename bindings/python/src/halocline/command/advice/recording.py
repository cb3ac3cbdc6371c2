"""Reads what the recorder (tools/advise/recorder) leaves: a file of 64-byte records per thread, and a text file per rank. The latest
records stand before the earlier ones.

SPDX-License-Identifier: BSD-3-Clause
"""
import dataclasses
import enum
import pathlib
import re
import struct
from collections.abc import Sequence

from halocline.command.status import Failure

HEAD = struct.Struct("<8s4I3Q2Q2q2q2q64s256s")
HEAD_BYTES, LATEST = 4096, 1024
# begin, end, bytes, site, request, peer, tag, count, unused, layout, comm, kind, detail
EVENT = struct.Struct("<5Q2i3IH2B")
WORDS = struct.Struct("<7Q")
AT_A_TIME = 4096  # records
MOST_EVENTS = 400_000  # of a thread that are looked at
MAGIC = b"HLCADV02"
ANY, UNKNOWN = -1, -3
LEAST_NS = 10_000_000  # of recorded time, without which ticks of a run that has crashed have no unit


class Kind(enum.IntEnum):
    """As in event.hpp."""
    SEND = 1
    RECEIVE = 2
    START_SEND = 3
    START_RECEIVE = 4
    SENDRECV_SEND = 5
    SENDRECV_RECEIVE = 6
    INIT_SEND = 7
    INIT_RECEIVE = 8
    START = 9
    WAIT = 10
    ITEMS = 11
    SPIN = 12
    NEIGHBOUR = 13
    COLLECTIVE = 14
    BARRIER = 15
    PUT = 16
    GET = 17
    ACCUMULATE = 18
    WINDOW_SYNC = 19
    SOURCES = 20
    START_NEIGHBOUR = 21
    START_COLLECTIVE = 22


COLLECTIVES = ("other", "Bcast", "Reduce", "Allreduce", "Gather", "Gatherv", "Scatter", "Scatterv", "Allgather", "Allgatherv", "Alltoall",
               "Alltoallv", "Alltoallw", "Reduce_scatter", "Scan")


@dataclasses.dataclass(frozen=True)
class Layout:
    """A datatype: bytes of one, its extent, bytes in a row (0: not known), where they begin, and from inside to outside (count, step)."""
    size: int
    extent: int
    run: int
    first: int
    levels: tuple[tuple[int, int], ...]


@dataclasses.dataclass
class Lane:
    """What one thread of a rank has called, in order. Times are nanoseconds of rank 0's clock."""
    rank: int
    thread: int
    records: bytes  # as many as are looked at
    recorded: int
    scale: tuple[float, float]  # nanoseconds of a tick, and at tick 0
    dropped: int

    def rows(self) -> list[tuple[int, ...]]:
        return list(EVENT.iter_unpack(self.records))

    def words(self, at: int, used: int) -> list[int]:
        """Of a record that belongs to the event before."""
        return list(WORDS.unpack_from(self.records, EVENT.size * at))[:used]


@dataclasses.dataclass
class Rank:
    """A rank, with what the numbers in its records mean."""
    number: int
    host: str
    library: str
    finalised: bool
    begin: float
    end: float
    lanes: list[Lane] = dataclasses.field(default_factory=list)
    layouts: dict[int, Layout] = dataclasses.field(default_factory=dict)
    groups: dict[int, int] = dataclasses.field(default_factory=dict)  # by id, the hash of their ranks
    members: dict[int, list[int]] = dataclasses.field(default_factory=dict)  # by id; absent: those of MPI_COMM_WORLD
    to_neighbours: dict[int, list[int]] = dataclasses.field(default_factory=dict)
    modules: list[tuple[int, int, str]] = dataclasses.field(default_factory=list)

    @property
    def threads(self) -> int:
        """How many have called MPI."""
        return max(1, sum(lane.recorded > 0 for lane in self.lanes))

    def site(self, address: int) -> tuple[str, int]:
        """A return address as file and offset, which are the same on all ranks."""
        for base, length, path in self.modules:
            if base <= address < base + length:
                return path, address - base
        return "?", 0


@dataclasses.dataclass
class Recording:
    ranks: list[Rank]

    @property
    def seconds(self) -> float:
        """From MPI_Init to MPI_Finalize, or to the last call recorded of a rank that did not reach it: the mean of all ranks."""
        return sum(rank.end - rank.begin for rank in self.ranks) / len(self.ranks) / 1e9

    @property
    def thread_seconds(self) -> float:
        """The same for all threads that called MPI, added up per rank: what shares are of."""
        return sum((rank.end - rank.begin) * rank.threads for rank in self.ranks) / len(self.ranks) / 1e9

    @property
    def threads(self) -> int:
        """The most that a rank has."""
        return max(rank.threads for rank in self.ranks)

    @property
    def dropped(self) -> int:
        return sum(lane.dropped for rank in self.ranks for lane in rank.lanes)


def read_text(rank: Rank, path: pathlib.Path) -> None:
    """The lines of a rank's text file, which explain numbers."""
    modules: dict[str, tuple[int, int, str]] = {}
    for line in path.read_text(errors="replace").splitlines():
        word, *rest = line.split(" ")
        if word == "layout":
            name, size, extent, run, first, *levels = [int(one) for one in rest]
            rank.layouts[name] = Layout(size, extent, run, first, tuple(zip(levels[::2], levels[1::2])))
        elif word in ("comm", "window"):
            rank.groups[int(rest[0])] = int(rest[1])
            if len(rest) > 3:
                rank.members[int(rest[0])] = [int(one) for one in rest[3:]]
        elif word == "neighbours" and rest[1] == "out":
            rank.to_neighbours[int(rest[0])] = [int(one) for one in rest[2:]]
        elif word == "module":
            modules[" ".join(rest[2:])] = (int(rest[0]), int(rest[1]), " ".join(rest[2:]))
    rank.modules = list(modules.values())


def clean(text: bytes) -> str:
    return text.split(b"\0")[0].decode(errors="replace")


class Head:
    """The first page of a file of events."""

    def __init__(self, path: pathlib.Path) -> None:
        with path.open("rb") as file:
            words = HEAD.unpack(file.read(HEAD_BYTES)[:HEAD.size])
        if words[0] != MAGIC:
            raise Failure(f"{path} is not a recording of this version")
        _, state, self.rank, self.ranks, self.thread, self.count, self.earlier, self.dropped, *rest = words
        self.finalised = state == 1
        self.ticks, self.ns, self.offset = rest[0:2], rest[2:4], rest[4:6]
        self.host, self.library = clean(rest[8]), clean(rest[9])

    def is_timed(self) -> bool:
        return bool(self.ticks[1] > self.ticks[0] and (self.finalised or self.ns[1] - self.ns[0] >= LEAST_NS))

    def scale(self, one_clock: bool) -> tuple[float, float]:
        """Nanoseconds of rank 0's clock per tick, and at tick 0. On one host all ranks have the same clock."""
        rate = (self.ns[1] - self.ns[0]) / (self.ticks[1] - self.ticks[0])
        start: float = self.ns[0]
        if not one_clock:
            start += self.offset[0]
            rate *= 1 + ((self.offset[1] - self.offset[0]) / max(1, self.ns[1] - self.ns[0]) if self.finalised else 0.0)
        return rate, start - rate * self.ticks[0]


    def take_clock(self, others: Sequence["Head"]) -> None:
        """All threads of a rank have one clock; its latest comparison may be in the file of any of them, unless the rank has finalised."""
        if not self.finalised:
            self.ticks = [self.ticks[0], max(one.ticks[1] for one in others)]
            self.ns = [self.ns[0], max(one.ns[1] for one in others)]


def records_of(path: pathlib.Path, head: Head, first: int, count: int) -> bytes:
    """Whole records, in the order of their calls."""
    earlier = min(count, max(0, head.earlier - first))
    parts = [(LATEST + first, earlier), (first + earlier - head.earlier, count - earlier)]
    found = b""
    with path.open("rb") as file:
        for place, some in parts:
            if not some:
                continue
            file.seek(HEAD_BYTES + EVENT.size * place)
            part = file.read(EVENT.size * some)
            found += part[:len(part) // EVENT.size * EVENT.size]
    return found


def last_tick(path: pathlib.Path, head: Head) -> int:
    """The end of the last call in a file of events; 0 without one. Records of words have no time."""
    for last in range(head.count, 0, -AT_A_TIME):
        first = max(0, last - AT_A_TIME)
        for row in reversed(list(EVENT.iter_unpack(records_of(path, head, first, last - first)))):
            if row[11] not in (Kind.ITEMS, Kind.SOURCES) and row[1]:
                return int(row[1])
    return 0


def read_lane(path: pathlib.Path, head: Head, scale: tuple[float, float]) -> Lane:
    return Lane(head.rank, head.thread, records_of(path, head, 0, min(head.count, MOST_EVENTS)), head.count, scale, head.dropped)


def files_of(folder: pathlib.Path) -> list[pathlib.Path]:
    return sorted(folder.glob("rank-*.events"), key=lambda path: [int(one) for one in re.findall(r"\d+", path.name)])


def read(folder: pathlib.Path) -> Recording:
    """A recording; fails where a rank is missing or has recorded too little."""
    paths = files_of(folder)
    if not paths:
        raise Failure(f"nothing was recorded in {folder}: the program never called MPI_Init, or it is linked with a static MPI, before "
                      "which no recorder can be loaded")
    heads = [(path, Head(path)) for path in paths]
    missing = sorted(set(range(heads[0][1].ranks)) - {head.rank for _, head in heads})
    if missing:
        raise Failure(f"rank {missing[0]} has recorded nothing in {folder}: the folder has to be one that all hosts share")
    one_clock = len({head.host for _, head in heads if head.host}) <= 1
    by_rank: dict[int, list[tuple[pathlib.Path, Head]]] = {}
    for path, head in heads:
        by_rank.setdefault(head.rank, []).append((path, head))
    return Recording([read_rank(folder, by_rank[number], one_clock) for number in sorted(by_rank)])


def read_rank(folder: pathlib.Path, files: Sequence[tuple[pathlib.Path, Head]], one_clock: bool) -> Rank:
    """files: of the rank's threads, first that of the thread that called MPI_Init."""
    head = files[0][1]
    head.take_clock([one for _, one in files])
    if not head.is_timed():
        calls = sum(one.count for _, one in files)
        raise Failure(f"rank {head.rank} ended before MPI_Finalize, after {calls} calls in too short a time for advice; let the program "
                      "run longer, or reach MPI_Finalize")
    rate, start = head.scale(one_clock)
    last = head.ticks[1] if head.finalised else max(head.ticks[1], *(last_tick(path, one) for path, one in files))
    rank = Rank(head.rank, head.host, head.library, head.finalised, start + rate * head.ticks[0], start + rate * last)
    read_text(rank, folder / f"rank-{head.rank}.text")
    rank.lanes = [read_lane(path, one, (rate, start)) for path, one in files]
    return rank
