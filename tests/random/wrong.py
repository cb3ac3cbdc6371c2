"""Specs that are wrong beyond doubt: what hlc_halo_init and hlc_exchange_create must refuse on all ranks, with the same status.

SPDX-License-Identifier: BSD-3-Clause
"""
ALL = -1
HUGE = 2**63 - 1


def one(name, value=0, index=0, rank=ALL):
    return {"name": name, "index": index, "value": value, "rank": rank}


def spoilt_halo(ranks, halo):
    """Every way to make a halo's spec wrong on all ranks, on one rank, or different on one rank."""
    return (wrong_grids(ranks, halo) + wrong_depths(ranks, halo) + wrong_fields(halo) + wrong_shapes(ranks, halo) + wrong_words(halo)
            + disagreements(ranks, halo))


def wrong_grids(ranks, halo):
    last = ranks - 1
    ways = [one("ndims", value, rank=rank) for value in (0, 5, -1) for rank in (ALL, last)]
    ways += [one("spec", rank=last), one("grid", rank=last), one("grid"), one("order", 3), one("order", -1, rank=last)]
    for d, sizes in enumerate(halo["blocks"]):
        ways += [one("dims", 0, d), one("dims", 2 * len(sizes), d, last), one("coords", -1, d, last), one("coords", len(sizes), d, last)]
        ways += [one("local", 0, d), one("local", -3, d, last), one("local", 2**62, d)]
    return ways


def wrong_depths(ranks, halo):
    """Depths of the spec that no field uses have only to be numbers of cells."""
    used = "shapes" not in halo or not all((shape or {}).get("low") for shape in halo["shapes"])
    ways = []
    for d, sizes in enumerate(halo["blocks"]):
        ways += [one("low", -1, d), one("high", -1, d, ranks - 1)]
        if used and (len(sizes) > 1 or (halo["table"] and not halo["periodic"][d])):
            ways += [one("low", max(sizes) + 1, d)]
        if len(sizes) > 1 or halo["periodic"][d] or halo["table"]:
            ways += [one("high", 2**62, d)]
    return ways


def wrong_fields(halo):
    ways = [one("nfields", 0), one("nfields", -2), one("fields")]
    wide = [d for d, sizes in enumerate(halo["blocks"]) if min(sizes) + halo["low"][d] + halo["high"][d] > 1]
    for f, field in enumerate(halo["fields"]):
        ways += [one("data", index=f), one("type", 99, f), one("type", -1, f)]
        ways += [one("element_bytes", 0 if field["type"] == "opaque" else 3, f)]
        ways += [one("stride", stride, 4 * f + d) for d in wide for stride in (-8, HUGE)]
    return ways


def wrong_shapes(ranks, halo):
    """What is wrong with the first field's shape, and on which rank."""
    ways = []
    if "shapes" not in halo:
        return ways
    for d, sizes in enumerate(halo["blocks"]):
        ways += [one("stagger", 3, d), one("stagger", -1, d, ranks - 1)]
        if (halo["shapes"][0] or {}).get("low"):
            ways += [one("own_low", -1, d), one("own_high", max(sizes) + 1, d, ranks - 1), one("own_high", HUGE, d)]
    return [*ways, one("staged", 1)]


def wrong_words(halo):
    ways = [one("stencil", 7), one("stencil", -1), one("layout", 9), one("mode", 77), one("mode", -1), one("epoch", 5), one("drive", 9)]
    if halo["mode"] != 3:  # fence alone can get
        ways += [one("drive", 2)]
    if halo["table"] or "fills" in halo:
        ways += [one("staged", 1)]
    if halo["table"]:
        faces = [d for d in range(len(halo["blocks"])) if halo["low"][d] + halo["high"][d] > 0]
        centre = (3 ** len(halo["blocks"]) - 1) // 2
        ways += [one("neighbours", value, centre + 3**d) for d in faces for value in (1000, -5)]
    return ways


def disagreements(ranks, halo):
    if ranks == 1:
        return []
    last = ranks - 1
    kinds = {"float64": 4, "float32": 3, "int32": 1, "int64": 2}  # another type of the same size
    ways = [one("mode", halo["mode"] % 10 + 1, rank=last), one("stencil", int(halo["stencil"] == "box"), rank=last)]
    ways += [one("low", depth - 1, d, last) for d, depth in enumerate(halo["low"]) if depth > 0]
    ways += [one("type", kinds[field["type"]], f, last) for f, field in enumerate(halo["fields"]) if field["type"] in kinds]
    ways += disagreeing_fills(halo, last)
    if "shapes" in halo:
        stagger = (halo["shapes"][0] or {"stagger": [0]})["stagger"][0]
        ways += [one("shapes", rank=last), one("stagger", int(stagger != 1), rank=last)]
    ways += [one("rebind", int(halo["sets"] == 1), rank=last), one("staged", 1 - halo["staged"], rank=last)]
    ways += [one("nfields", len(halo["fields"]) - 1, rank=last)] if len(halo["fields"]) > 1 else []
    return ways


def disagreeing_fills(halo, rank):
    """A direction of the stencil that one rank has filled and the others do not."""
    ndims = len(halo["blocks"])
    faces = [(3**ndims - 1) // 2 + sign * 3**d for d in range(ndims) for sign in (-1, 1)]
    rows = halo.get("fills", [])
    return [one("fill", 1 - row[face], f * 3**ndims + face, rank) for f, row in enumerate(rows) for face in faces]


def spoilt_exchange(ranks, exchange):
    """Every way to make one entry of an exchange's lists wrong on one rank."""
    ways = []
    for i, (a, b, _, there, back) in enumerate(exchange["links"]):
        for name, value in [("rank", ranks), ("rank", -1), ("tag", -1), ("bytes_out", -1), ("more_out", 1), ("more_in", 8)]:
            ways.append({"name": name, "link": i, "value": value, "rank": a})
        if a != b:
            ways.append({"name": "drop", "link": i, "value": 0, "rank": b})
        if there > 0:
            ways += [{"name": "pack", "link": i, "value": 0, "rank": a}, {"name": "unpack", "link": i, "value": 0, "rank": b}]
        if back > 0:
            ways.append({"name": "pack", "link": i, "value": 0, "rank": b})
    return ways
