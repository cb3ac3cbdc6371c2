"""Finds the exchanges of a program: which calls belong together, what repeats, and which ranks take part.

SPDX-License-Identifier: BSD-3-Clause
"""
import collections
import dataclasses
import statistics
from collections.abc import Iterator
from typing import Any, TypeAlias

from halocline.command.advice.recording import ANY, Kind, Lane, Rank, Recording

Site: TypeAlias = tuple[str, int]

MOST_VARIANTS = 8  # of the same calls with other partners or sizes; with more of them they are one exchange of changing sizes
LEAST_REPEATS = 3
AT_ONCE = 0.5  # of the time that two exchanges take: the longest pause between stages
ALWAYS = 0.9  # of all times: how often one exchange has to follow another to be its next stage
SENDS = (Kind.SEND, Kind.START_SEND, Kind.SENDRECV_SEND)
RECEIVES = (Kind.RECEIVE, Kind.START_RECEIVE, Kind.SENDRECV_RECEIVE)


@dataclasses.dataclass(slots=True)
class Operation:
    """One message as one of its two ranks sees it. Times: of the call; for a receive since when the rank has waited, and until when."""
    sends: bool
    peer: int
    tag: int
    bytes: int
    layout: int
    count: int
    comm: int
    site: int
    begin: float
    wait_begin: float = 0.0
    wait_end: float = 0.0
    partner: "Episode | None" = None


@dataclasses.dataclass(slots=True)
class Episode:
    """One exchange of one rank, from its first call to its last wait."""
    begin: float
    end: float = 0.0
    cost: float = 0.0  # nanoseconds inside calls of MPI
    late: float = 0.0  # of these, waiting for a rank that had not called send
    operations: list[Operation] = dataclasses.field(default_factory=list)
    waits: list[int] = dataclasses.field(default_factory=list)  # sites
    node: int = -1
    is_collective: bool = False


@dataclasses.dataclass
class Totals:
    """What a rank spends outside its exchanges, in nanoseconds."""
    collectives: dict[str, float] = dataclasses.field(default_factory=lambda: collections.defaultdict(float))
    windows: float = 0.0
    accesses: int = 0
    access_bytes: int = 0
    window_sites: set[int] = dataclasses.field(default_factory=set)
    other: float = 0.0
    until: float = 0.0  # the end of what was looked at
    looked_at: int = 0
    recorded: int = 0


class Reader:
    """Goes through the records of one thread once."""

    def __init__(self, rank: Rank, lane: Lane) -> None:
        self.rank, self.lane = rank, lane
        self.pending: dict[int, Operation | None] = {}
        self.persistent: dict[int, tuple[bool, Any]] = {}
        self.open: Episode | None = None
        self.tested = 0.0  # nanoseconds in unsuccessful tests before a wait, which count as its beginning
        self.episodes: list[Episode] = []
        self.totals = Totals()

    def read(self) -> None:
        """Records of words follow the event that they belong to."""
        rows = self.lane.rows()
        self.totals.looked_at, self.totals.recorded = len(rows), self.lane.recorded
        rate, start = self.lane.scale
        at, count = 0, len(rows)
        begin = end = self.rank.begin
        while at < count:
            row = rows[at]
            begin, end = start + rate * row[0], start + rate * row[1]
            items: list[int] = []
            sources: list[int] = []
            at += 1
            while at < count and rows[at][11] in (Kind.ITEMS, Kind.SOURCES):
                (items if rows[at][11] == Kind.ITEMS else sources).extend(self.lane.words(at, rows[at][12]))
                at += 1
            self.take(row, begin, end, items, sources)
        self.totals.until = end
        self.close(self.totals.until)

    def take(self, row: tuple[Any, ...], begin: float, end: float, items: list[int], sources: list[int]) -> None:
        kind = row[11]
        if kind in (Kind.INIT_SEND, Kind.INIT_RECEIVE):
            self.persistent[row[4]] = (kind == Kind.INIT_SEND, row)
        elif kind in (Kind.START_SEND, Kind.START_RECEIVE):
            self.begin(begin, end)
            self.pending[row[4]] = self.add(kind == Kind.START_SEND, row, row[3], begin)
        elif kind == Kind.START:
            self.start(row, items or [row[4]], begin, end)
        elif kind in (Kind.SEND, Kind.RECEIVE, Kind.SENDRECV_SEND, Kind.SENDRECV_RECEIVE):
            self.block(kind, row, begin, end)
        elif kind == Kind.WAIT:
            self.wait(row, items or [row[4]], sources, begin, end)
        elif kind == Kind.SPIN:
            if self.pending and self.open:
                inside = row[4] * (end - begin) / max(1, row[1] - row[0])
                self.open.cost += inside
                self.tested += inside
        elif kind == Kind.NEIGHBOUR:
            self.neighbours(row, items, begin, end)
        else:
            self.count(kind, row, begin, end)

    def begin(self, begin: float, end: float) -> Episode:
        """The open exchange, with one more call."""
        if self.open is None:
            self.open = Episode(begin)
        if begin >= self.open.end or self.open.end == 0:
            self.open.cost += end - begin
        self.open.end = max(self.open.end, end)
        return self.open

    def add(self, sends: bool, row: tuple[Any, ...], site: int, begin: float) -> Operation:
        assert self.open is not None
        made = Operation(sends, row[5], row[6], row[2], row[9], row[7], row[10], site, begin, partner=self.open)
        self.open.operations.append(made)
        return made

    def start(self, row: tuple[Any, ...], handles: list[int], begin: float, end: float) -> None:
        known = [(handle, self.persistent[handle]) for handle in handles if handle in self.persistent]
        if not known:
            return
        self.begin(begin, end)
        for handle, (sends, first) in known:
            self.pending[handle] = self.add(sends, first, row[3], begin)

    def block(self, kind: int, row: tuple[Any, ...], begin: float, end: float) -> None:
        """Both halves of MPI_Sendrecv have the same times: the second one joins the first."""
        if not self.pending and self.open and not (kind == Kind.SENDRECV_RECEIVE and self.open.begin == begin):
            self.close(begin)
        self.begin(begin, end)
        made = self.add(kind in SENDS, row, row[3], begin)
        if not made.sends:
            made.wait_begin, made.wait_end = begin, end

    def wait(self, row: tuple[Any, ...], handles: list[int], sources: list[int], begin: float, end: float) -> None:
        since, self.tested = begin - self.tested, 0.0
        done = [(at, self.pending.pop(handle)) for at, handle in enumerate(handles) if handle in self.pending]
        if not done:
            self.totals.other += end - begin
            return
        episode = self.begin(begin, end)
        episode.waits.append(row[3])
        for at, operation in done:
            if operation is None:
                continue
            operation.wait_begin, operation.wait_end = since, end
            if operation.peer == ANY and at < len(sources):
                operation.peer, operation.tag = self.world(operation.comm, sources[at] >> 32), sources[at] & 0xFFFFFFFF
        if not self.pending:
            self.close(end)

    def world(self, comm: int, rank: int) -> int:
        members = self.rank.members.get(comm)
        return members[rank] if members and rank < len(members) else rank

    def neighbours(self, row: tuple[Any, ...], items: list[int], begin: float, end: float) -> None:
        if not self.pending:
            self.close(begin)
        episode = self.begin(begin, end)
        episode.is_collective = True
        for peer, size in zip(self.rank.to_neighbours.get(row[10], []), items):
            if peer >= 0 and size:
                episode.operations.append(Operation(True, peer, 0, size, 0, 1, row[10], row[3], begin, partner=episode))

    def count(self, kind: int, row: tuple[Any, ...], begin: float, end: float) -> None:
        from halocline.command.advice.recording import COLLECTIVES

        if kind == Kind.BARRIER:
            self.totals.collectives["Barrier"] += end - begin
        elif kind in (Kind.COLLECTIVE, Kind.START_COLLECTIVE):
            self.totals.collectives[COLLECTIVES[row[12]] if row[12] < len(COLLECTIVES) else "other"] += end - begin
        elif kind in (Kind.PUT, Kind.GET, Kind.ACCUMULATE, Kind.WINDOW_SYNC):
            self.totals.windows += end - begin
            self.totals.window_sites.add(row[3])
            self.totals.accesses += kind != Kind.WINDOW_SYNC
            self.totals.access_bytes += row[2]
        else:
            self.totals.other += end - begin
        if not self.pending:
            self.close(begin)

    def close(self, at: float) -> None:
        if self.open and (self.open.operations or self.open.is_collective):
            self.open.end = self.open.end or at
            self.episodes.append(self.open)
        self.open = None


def match(lanes: dict[int, list[Episode]], groups: dict[int, dict[int, int]]) -> Iterator[tuple[Operation, Operation]]:
    """Pairs of a send and its receive, in MPI's order: per sender, receiver, communicator and tag."""
    sent: dict[tuple[int, int, int, int], collections.deque[Operation]] = collections.defaultdict(collections.deque)
    for rank, episodes in lanes.items():
        for episode in episodes:
            for one in episode.operations:
                if one.sends and not episode.is_collective:
                    sent[rank, one.peer, one.tag, groups[rank].get(one.comm, 0)].append(one)
    for rank, episodes in lanes.items():
        for episode in episodes:
            for one in episode.operations:
                queue = None if one.sends else sent.get((one.peer, rank, one.tag, groups[rank].get(one.comm, 0)))
                if queue:
                    yield queue.popleft(), one


def add_lateness(pairs: list[tuple[Operation, Operation]]) -> None:
    """What receives have waited while their senders had not yet called send. Several receives of one wait are late together."""
    known: dict[tuple[int, float], float] = {}
    for send, receive in pairs:
        late = min(send.begin, receive.wait_end) - receive.wait_begin
        if receive.partner is None or late <= 0:
            continue
        key = id(receive.partner), receive.wait_begin
        receive.partner.late += max(0.0, late - known.get(key, 0.0))
        known[key] = max(late, known.get(key, 0.0))


@dataclasses.dataclass
class Pattern:
    """An exchange that repeats, on all ranks that take part in it."""
    nodes: dict[int, list[int]]  # by rank
    steps: int
    episodes: dict[int, list[Episode]]
    varies: bool

    @property
    def ranks(self) -> list[int]:
        return sorted(self.episodes)

    def mean(self, what: str) -> float:
        """Nanoseconds per step of the mean rank."""
        return sum(sum(getattr(one, what) for one in some) for some in self.episodes.values()) / max(1, len(self.episodes)) / self.steps

    def sites(self) -> dict[int, set[int]]:
        return {rank: {one.site for episode in some for one in episode.operations} | {site for episode in some for site in episode.waits}
                for rank, some in self.episodes.items()}


class Namer:
    """Numbers for the different exchanges of one rank: with the same calls, partners and sizes they are the same."""

    def __init__(self) -> None:
        self.names: dict[Any, int] = {}

    def name(self, key: Any) -> int:
        return self.names.setdefault(key, len(self.names))


def name_all(rank: int, episodes: list[Episode], namer: Namer) -> set[int]:
    """Sets the node of each exchange. Returns the nodes whose sizes change."""
    variants: dict[Any, set[Any]] = collections.defaultdict(set)
    keys = []
    for episode in episodes:
        calls = frozenset(one.site for one in episode.operations)
        exact = tuple(sorted((one.site, one.sends, one.peer, one.bytes, one.layout) for one in episode.operations))
        variants[calls].add(exact)
        keys.append((calls, exact))
    changing = set()
    for episode, (calls, exact) in zip(episodes, keys):
        many = len(variants[calls]) > MOST_VARIANTS
        episode.node = namer.name((rank, calls) if many else (rank, calls, exact))
        if many:
            changing.add(episode.node)
    return changing


def join_stages(rank: int, episodes: list[Episode], namer: Namer, changing: set[int]) -> list[Episode]:
    """Joins exchanges that always follow each other at once: swaps along x, then y, then z."""
    for _ in range(12):
        pair = find_stages(episodes)
        if pair is None:
            return episodes
        joined: list[Episode] = []
        node = namer.name((rank, "stages", *pair))
        if changing & set(pair):
            changing.add(node)
        at = 0
        while at < len(episodes):
            one = episodes[at]
            if at + 1 < len(episodes) and (one.node, episodes[at + 1].node) == pair:
                joined.append(join(one, episodes[at + 1], node))
                at += 1
            else:
                joined.append(one)
            at += 1
        episodes = joined
    return episodes


def join(first: Episode, second: Episode, node: int) -> Episode:
    made = Episode(first.begin, second.end, first.cost + second.cost, first.late + second.late, first.operations + second.operations,
                   first.waits + second.waits, node, first.is_collective or second.is_collective)
    for one in made.operations:
        one.partner = made
    return made


def find_stages(episodes: list[Episode]) -> tuple[int, int] | None:
    counts = collections.Counter(one.node for one in episodes)
    gaps: dict[tuple[int, int], list[float]] = collections.defaultdict(list)
    for one, other in zip(episodes, episodes[1:]):
        gaps[one.node, other.node].append((other.begin - one.end) / max(1.0, other.end - other.begin + one.end - one.begin))
    for (node, next_node), some in gaps.items():
        often = max(LEAST_REPEATS, ALWAYS * max(counts[node], counts[next_node]))
        if node != next_node and len(some) >= often and statistics.median(some) < AT_ONCE:
            return node, next_node
    return None


class Sets:
    """Which nodes belong together, by the messages between them."""

    def __init__(self) -> None:
        self.parents: dict[int, int] = {}

    def find(self, node: int) -> int:
        while self.parents.setdefault(node, node) != node:
            self.parents[node] = self.parents[self.parents[node]]
            node = self.parents[node]
        return node

    def join(self, one: int, other: int) -> None:
        self.parents[self.find(one)] = self.find(other)


@dataclasses.dataclass
class Found:
    patterns: list[Pattern]
    totals: dict[int, Totals]
    once: float  # seconds of the mean rank in messages that do not repeat


def both(one: Totals, other: Totals) -> Totals:
    """Of two threads of a rank. What was looked at is that of the thread with more calls."""
    first, second = (one, other) if one.recorded >= other.recorded else (other, one)
    for name, value in second.collectives.items():
        first.collectives[name] += value
    first.windows += second.windows
    first.accesses += second.accesses
    first.access_bytes += second.access_bytes
    first.window_sites |= second.window_sites
    first.other += second.other
    return first


def find(recording: Recording) -> Found:
    """All exchanges of a program, the most expensive first."""
    lanes: dict[int, list[Episode]] = {}
    totals: dict[int, Totals] = {}
    groups = {rank.number: rank.groups for rank in recording.ranks}
    for rank in recording.ranks:
        for lane in rank.lanes:
            reader = Reader(rank, lane)
            reader.read()
            lanes.setdefault(rank.number, []).extend(reader.episodes)
            totals[rank.number] = both(totals[rank.number], reader.totals) if rank.number in totals else reader.totals
    pairs = list(match(lanes, groups))
    add_lateness(pairs)
    namer = Namer()
    changing: set[int] = set()
    for number, episodes in lanes.items():
        changing |= name_all(number, episodes, namer)
        lanes[number] = join_stages(number, episodes, namer, changing)
    return assemble(lanes, pairs, changing, totals)


def assemble(lanes: dict[int, list[Episode]], pairs: list[tuple[Operation, Operation]], changing: set[int],
             totals: dict[int, Totals]) -> Found:
    sets = Sets()
    for send, receive in pairs:
        if send.partner and receive.partner:
            sets.join(send.partner.node, receive.partner.node)
    join_collectives(lanes, sets)
    members: dict[int, dict[int, list[Episode]]] = collections.defaultdict(lambda: collections.defaultdict(list))
    for number, episodes in lanes.items():
        for episode in episodes:
            members[sets.find(episode.node)][number].append(episode)
    patterns, once = [], 0.0
    for ranks in members.values():
        steps = statistics.median_low([max(collections.Counter(one.node for one in some).values()) for some in ranks.values()])
        if steps < LEAST_REPEATS:
            once += sum(one.cost for some in ranks.values() for one in some) / max(1, len(lanes)) / 1e9
            continue
        nodes = {number: sorted({one.node for one in some}) for number, some in ranks.items()}
        patterns.append(Pattern(nodes, steps, dict(ranks), any(node in changing for some in nodes.values() for node in some)))
    patterns.sort(key=lambda one: -one.mean("cost") * one.steps)
    return Found(patterns, totals, once)


def join_collectives(lanes: dict[int, list[Episode]], sets: Sets) -> None:
    """Neighbourhood collectives have no messages that could be matched: the n-th one of each rank belongs to the n-th of the others."""
    first: dict[int, int] = {}
    for episodes in lanes.values():
        order = list(dict.fromkeys(one.node for one in episodes if one.is_collective))
        for at, node in enumerate(order):
            sets.join(node, first.setdefault(at, node))
