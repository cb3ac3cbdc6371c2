"""Strategies for Hypothesis: scenarios of halos, exchanges and the swaps that they make together. The first choice of each strategy is
the plainest one, because Hypothesis shrinks towards it.

A scenario is what play.cpp reads: {"nodes": 1, "halos": [...], "exchanges": [...], "rounds": [...], "wrong": ... or absent}. A player is a
halo or, counted behind the halos, an exchange.

SPDX-License-Identifier: BSD-3-Clause
"""
from hypothesis import strategies as st

from wrong import spoilt_exchange, spoilt_halo

SUMMABLE = ["float64", "int32", "int64", "float32", "complex64", "complex128"]
P2P, NEIGHBOR, FENCE, PSCW, PASSIVE, PASSIVE_NAIVE, NOTIFY, DIRECT, VIEW, NOTIFY_NODE, AUTO = range(1, 12)
EARLY, LATE, PUT, GET = 1, 2, 1, 2
CENTRED, NODES_SHARED, NODES_OWNED = range(3)
MODES = [  # mode, epoch, drive
    (P2P, 0, 0), (DIRECT, 0, 0), (NOTIFY, 0, 0), (NEIGHBOR, 0, 0), (FENCE, EARLY, PUT), (FENCE, LATE, PUT), (FENCE, 0, GET),
    (PSCW, EARLY, 0), (PSCW, LATE, 0), (PASSIVE, 0, 0), (PASSIVE_NAIVE, 0, 0), (VIEW, 0, 0), (NOTIFY_NODE, 0, 0), (AUTO, 0, 0)] + \
    3 * [(DIRECT, 0, 0)] + 2 * [(NOTIFY, 0, 0)] + 2 * [(AUTO, 0, 0)]
MOST_CELLS = 1500  # of one rank's array: the oracle is slow


def splits(ranks, ndims):
    """All ways to write ranks as a product of ndims numbers."""
    if ndims == 1:
        return [[ranks]]
    return [[first] + rest for first in range(1, ranks + 1) if ranks % first == 0 for rest in splits(ranks // first, ndims - 1)]


def per_rank(ranks, values):
    return st.lists(values, min_size=ranks, max_size=ranks)


def field():
    """Small elements of every kind, and now and then large ones, whose messages an MPI sends in another way."""
    opaque = st.builds(lambda size: {"type": "opaque", "bytes": size}, st.integers(1, 48))
    large = st.builds(lambda size: {"type": "opaque", "bytes": size}, st.sampled_from([200, 1000, 2048]))
    typed = st.builds(lambda name: {"type": name}, st.sampled_from(SUMMABLE))
    return st.one_of(typed, typed, opaque, opaque, large)


@st.composite
def layout(draw, ranks, ndims):
    """Strides with gaps of any number of bytes, different on each rank; the order of dimensions is the same on all."""
    gaps = st.lists(st.sampled_from([0, 0, 1, 8, 13]), min_size=ndims, max_size=ndims)
    return {"order": draw(st.permutations(range(ndims))), "pad": draw(per_rank(ranks, gaps)),
            "lead": draw(per_rank(ranks, st.integers(0, 70))),
            "lonely": draw(per_rank(ranks, st.sampled_from([0, 0, 0, 1, 1 << 40])))}


@st.composite
def grid(draw, ranks):
    """Blocks, periods and depths. A halo may be deeper than its block only where it has no neighbour at all, or the rank itself."""
    ndims = draw(st.integers(1, 4))
    dims = draw(st.sampled_from(splits(ranks, ndims)))
    periodic = draw(st.lists(st.integers(0, 1), min_size=ndims, max_size=ndims))
    deepest, widest = {1: (4, 6), 2: (3, 5), 3: (2, 3), 4: (2, 1)}[ndims]
    low = draw(st.lists(st.integers(0, deepest), min_size=ndims, max_size=ndims))
    high = draw(st.lists(st.integers(0, deepest), min_size=ndims, max_size=ndims))
    irregular = draw(st.sampled_from(["", "", "", "table", "ranks", "cut"]))
    blocks, cells = [], 1
    for d in range(ndims):
        lonely = dims[d] == 1 and not periodic[d] and not irregular
        itself = dims[d] == 1 and periodic[d]
        least = 1 if lonely or itself else max(1, low[d], high[d])
        most = max(least, min(least + widest, MOST_CELLS // cells - low[d] - high[d]))
        blocks.append(draw(st.lists(st.integers(least, most), min_size=dims[d], max_size=dims[d])))
        cells *= max(blocks[d]) + low[d] + high[d]
    pairs = st.lists(st.integers(0, ranks - 1), min_size=2, max_size=2)
    return {"blocks": blocks, "periodic": periodic, "low": low, "high": high, "table": bool(irregular),
            "ranks": draw(st.permutations(range(ranks))) if irregular == "ranks" else None,
            "order": draw(st.sampled_from([0, 0, 1, 2, 2])),
            "cut": draw(st.lists(pairs, min_size=1, max_size=3)) if irregular == "cut" else []}


def base_of(made, number):
    """A direction without the dimensions along which the halo is deeper than the block."""
    base = 0
    for d, sizes in enumerate(made["blocks"]):
        deep = made["periodic"][d] and len(sizes) == 1 and max(made["low"][d], made["high"][d]) > sizes[0]
        base += (1 if deep else number // 3**d % 3) * 3**d
    return base


@st.composite
def fills(draw, made, nfields):
    """Per field and direction, whether it is filled. What is repeated in a deep halo has to be filled itself."""
    directions = 3 ** len(made["blocks"])
    rows = []
    for _ in range(nfields):
        row = draw(st.lists(st.integers(0, 1), min_size=directions, max_size=directions))
        for number in range(directions):
            if row[number]:
                row[base_of(made, number)] = 1
        rows.append(row)
    return rows


def is_deep(made):
    """Whether the halo is deeper than the block along a dimension in which a rank is its own neighbour."""
    return any(base_of(made, 2 * 3**d) != 2 * 3**d for d in range(len(made["blocks"])))


@st.composite
def shape(draw, made):
    """A field on nodes, or with depths of its own. The rank below gets one more owned node than it asks for, which the block must have."""
    deepest = [min(sizes) for sizes in made["blocks"]]
    stagger = [draw(st.integers(CENTRED, NODES_OWNED)) for _ in deepest]
    low, high = [], []
    if draw(st.booleans()):
        low = [draw(st.integers(0, min(4, most))) for most in deepest]
        high = [draw(st.integers(0, min(4, most - (kind == NODES_OWNED)))) for most, kind in zip(deepest, stagger)]
    elif any(kind == NODES_OWNED and deep >= most for kind, deep, most in zip(stagger, made["high"], deepest)):
        return None
    return {"stagger": stagger, "low": low, "high": high}


@st.composite
def halo(draw, ranks):
    made = draw(grid(ranks))
    ndims = len(made["blocks"])
    fields = draw(st.lists(field(), min_size=1, max_size=4))
    if not is_deep(made) and not made["cut"] and draw(st.integers(0, 2)) == 2:
        made["shapes"] = [draw(shape(made)) for _ in fields]
    if draw(st.integers(0, 2)) == 2:
        made["fills"] = draw(fills(made, len(fields)))
    gap = draw(st.one_of(st.none(), st.none(), st.integers(0, 9)))
    layouts = [draw(layout(ranks, ndims) if gap is not None else st.one_of(st.none(), layout(ranks, ndims))) for _ in fields]
    mode, epoch, drive = draw(st.sampled_from(MODES))
    made["sets"] = draw(st.sampled_from([1, 1, 2, 3]))  # of arrays: swaps may bring others than the spec's
    made["staged"] = 0 if made["table"] or "fills" in made or "shapes" in made else draw(st.integers(0, 1))
    made.update({"stencil": draw(st.sampled_from(["box", "star"])), "layout": draw(st.sampled_from(["column", "row"])),
                 "fields": fields, "layouts": layouts, "struct_gap": gap, "memory": draw(st.one_of(st.just(0), st.integers(0, 2**32 - 1))),
                 "mode": mode, "epoch": epoch, "drive": drive})
    return made


@st.composite
def exchange(draw, ranks):
    size = st.sampled_from([8, 0, 1, 7, 63, 64, 65, 1000, 4096, 30000, 100000])
    links = []
    for _ in range(draw(st.integers(0, 8))):
        a, b, tag = draw(st.integers(0, ranks - 1)), draw(st.integers(0, ranks - 1)), draw(st.integers(0, 2))
        there, back = draw(size), draw(size)
        links.append([a, b, tag, there, there if a == b else back])
    mode, epoch, drive = draw(st.sampled_from(MODES))
    return {"links": links, "mode": mode, "epoch": epoch, "drive": drive}


def in_stages(halo_):
    """Whether a halo is swapped one dimension after the other: a staged one that has edges."""
    return halo_["staged"] and halo_["stencil"] == "box" and sum(map(bool, map(max, halo_["low"], halo_["high"]))) > 1


@st.composite
def arrays(draw, halo_):
    """The set of arrays of each field, mostly one for all; -1 is the spec's, too."""
    nfields = len(halo_["fields"])
    sets = st.integers(-1, halo_["sets"] - 1)
    return draw(st.one_of(st.builds(lambda one: [one] * nfields, sets), st.lists(sets, min_size=nfields, max_size=nfields)))


@st.composite
def halo_swap(draw, halo_):
    """What one swap fills, and with which arrays; sometimes something that start must refuse."""
    ndims, nfields = len(halo_["blocks"]), len(halo_["fields"])
    swap = {}
    if halo_["sets"] > 1 and draw(st.integers(0, 2)):
        swap["with"] = draw(arrays(halo_))
    if draw(st.booleans()):
        swap["fields"] = sorted(draw(st.lists(st.integers(0, nfields - 1), unique=True, min_size=1, max_size=nfields)))
    if not in_stages(halo_) and draw(st.booleans()):
        swap.update({"dim": draw(st.integers(0, ndims - 1)), "side": draw(st.integers(0, 2))})
    if not in_stages(halo_) and not is_deep(halo_) and draw(st.integers(0, 2)) == 2:
        swap["depth"] = draw(st.integers(1, 4))
    opaque = [halo_["fields"][f]["type"] == "opaque" for f in swap.get("fields", range(nfields))]
    if not any(opaque) and draw(st.booleans()):
        swap["reverse"] = 1
    if draw(st.integers(0, 19)) == 19:
        refused = [{"fields": [nfields]}, {"fields": [0, 0]}, {"fields": [], "nfields": 1}, {"nfields": -1}, {"dim": ndims}, {"dim": -1},
                   {"dim": 0, "side": 3}, {"depth": -1}] + [{"reverse": 1}] * any(opaque) + [{"side": 1}] * ("dim" not in swap)
        refused += [{"dim": 0}] * in_stages(halo_) + [{"with": [0] * nfields}] * (halo_["sets"] == 1)
        swap.update(draw(st.sampled_from(refused)), refused=True)
    return swap


@st.composite
def round_(draw, ranks, halos, players):
    """A round, played once or more: some players start in one order and finish in another, ranks are late or look for arrivals."""
    swaps = []
    order = draw(st.permutations(range(players)))
    for player in order[:draw(st.sampled_from([1, players, players, (players + 1) // 2]))]:
        swap = draw(halo_swap(halos[player])) if player < len(halos) else {}
        if draw(st.integers(0, 19)) == 19:
            swap["misuse"] = True
        swaps.append({"player": player, **swap})
    return {"swaps": swaps, "finish": draw(st.permutations([swap["player"] for swap in swaps])),
            "late": draw(per_rank(ranks, st.sampled_from([0, 0, 0, 0, 0, 0, 30, 300, 3000]))),
            "tests": draw(per_rank(ranks, st.integers(0, 2))), "times": draw(st.sampled_from([1, 1, 2, 3, 6]))}


@st.composite
def scenario(draw, ranks):
    some = st.lists(halo(ranks), min_size=1, max_size=3)
    halos = draw(st.one_of(some, some, some, st.just([])))
    exchanges = draw(st.lists(exchange(ranks), min_size=0 if halos else 1, max_size=1 if halos else 2))
    players = len(halos) + len(exchanges)
    made = {"nodes": draw(st.sampled_from([1, 1, *range(1, min(3, ranks) + 1)])), "halos": halos, "exchanges": exchanges,
            "rounds": draw(st.lists(round_(ranks, halos, players), min_size=1, max_size=5))}
    if draw(st.integers(0, 7)) == 7:
        player = draw(st.integers(0, players - 1))
        wrong = spoilt_halo(ranks, halos[player]) if player < len(halos) else spoilt_exchange(ranks, exchanges[player - len(halos)])
        if wrong:
            made["wrong"] = {"player": player, **draw(st.sampled_from(wrong))}
    return made
