"""Swaps of boxes: every halo cell holds the value of the cell that it stands for, whoever owns it.

SPDX-License-Identifier: BSD-3-Clause
"""
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from conftest import POISON, value

import halocline

SHAPE = (12, 10)
CUTS = [(0, 3, 5, 9, 12), (0, 4, 10)]


def boxes_of(context, parts=1):
    """The boxes of this rank: those of squares, so that some ranks of three or more have none."""
    corners = [(i, j) for i in range(4) for j in range(2)]
    mine = [n for n in range(len(corners)) if n * n % context.size == context.rank]
    return [
        halocline.Box(
            [CUTS[d][at] for d, at in enumerate(corners[n])],
            [CUTS[d][at + 1] - CUTS[d][at] for d, at in enumerate(corners[n])],
            id=n,
            part=k % parts,
        )
        for k, n in enumerate(mine)
    ]


def expected(box, depth=1):
    axes = [np.arange(first - depth, first + count + depth) % cells for first, count, cells in zip(box.start, box.shape, SHAPE)]
    return value(*np.meshgrid(*axes, indexing="ij"))


def filled(arrays, boxes, depth=1):
    inside = (slice(depth, -depth),) * 2
    for array, box in zip(arrays, boxes):
        array[...] = POISON
        array[inside] = expected(box, depth)[inside]
    return arrays


def test_every_mode_fills_every_halo_cell(context):
    boxes = boxes_of(context)
    for mode in halocline.modes():
        fields = {name: halocline.Blocks.zeros(context, boxes) for name in "uv"}
        with halocline.Blocks(context, SHAPE, boxes, fields, periodic=True, mode=mode) as blocks:
            for _ in range(3):
                for arrays in fields.values():
                    filled(arrays, boxes)
                blocks.swap()
                for array, box in [pair for arrays in fields.values() for pair in zip(arrays, boxes)]:
                    np.testing.assert_array_equal(array, expected(box), err_msg=mode)


def test_a_swap_may_be_less_deep_than_the_halos(context):
    boxes = boxes_of(context)
    u = halocline.Blocks.zeros(context, boxes, depth=3)
    with halocline.Blocks(context, SHAPE, boxes, [u], periodic=True, depth=3) as blocks:
        for depth in (1, 2, None):
            filled(u, boxes, depth=3)
            with blocks.swapping(depth=depth):
                pass
            for array, box in zip(u, boxes):
                right = np.full(array.shape, POISON)
                beyond = 3 - (depth or 3)
                near = tuple(slice(beyond, n - beyond) for n in array.shape)
                right[near] = expected(box, 3)[near]
                np.testing.assert_array_equal(array, right)
        with pytest.raises(halocline.ArgumentError, match="depth is 0"):
            blocks.swap(depth=0)


KINDS = {"h": ("centred", "centred"), "u": (True, "centred"), "v": ("centred", True), "q": (True, True)}
DEPTHS = {"h": 2, "u": None, "v": ((0, 1), (2, 1)), "q": 3}


@pytest.mark.parametrize("nodes", ["shared", "owned"])
@pytest.mark.parametrize("periodic", [(False, False), (True, False), (True, True)])
def test_fields_on_cells_and_nodes_are_swapped_together(context, nodes, periodic):
    boxes = boxes_of(context)
    staggers = {name: tuple(nodes if kind is True else kind for kind in kinds) for name, kinds in KINDS.items()}
    depths = {name: depth if isinstance(depth, tuple) else ((depth or 1,) * 2,) * 2 for name, depth in DEPTHS.items()}
    arrays = {name: halocline.Blocks.zeros(context, boxes, depth=DEPTHS[name] or 1, stagger=staggers[name]) for name in KINDS}
    fields = {name: halocline.Shaped(arrays[name], staggers[name], DEPTHS[name]) for name in KINDS}

    def every_array():
        return [(array, box, name) for name in KINDS for array, box in zip(arrays[name], boxes)]

    def places(box, name, d):
        """Along an axis of the array: the places in the domain, wrapped, which of them are the box's, and how far the others are."""
        low, high = depths[name][d]
        first, count, on_nodes = box.start[d], box.shape[d], staggers[name][d] != "centred"
        index = np.arange(-low, count + high + on_nodes)
        is_last = first + count == SHAPE[d] and not periodic[d]
        mine = count + (on_nodes and (nodes == "shared" or is_last))
        away = np.maximum(-index, index - count + (not on_nodes))
        if periodic[d]:
            return (first + index) % SHAPE[d], (index >= 0) & (index < mine), away
        return first + index, (index >= 0) & (index < mine), away

    def inside(at, name, d):
        return (at >= 0) & (at < SHAPE[d] + (staggers[name][d] != "centred"))

    with halocline.Blocks(context, SHAPE, boxes, fields, periodic=periodic) as blocks:
        for depth in (None, 1, 2):
            for array, box, name in every_array():
                (x, mine_x, _), (y, mine_y, _) = places(box, name, 0), places(box, name, 1)
                array[...] = POISON
                array[np.ix_(mine_x, mine_y)] = value(*np.meshgrid(x[mine_x], y[mine_y], indexing="ij"))
            blocks.swap(depth=depth)
            for array, box, name in every_array():
                (x, mine_x, far_x), (y, mine_y, far_y) = places(box, name, 0), places(box, name, 1)
                near_x, near_y = (far <= (depth or 9) for far in (far_x, far_y))
                near_x, near_y = near_x & inside(x, name, 0), near_y & inside(y, name, 1)
                right = np.full(array.shape, POISON)
                right[np.ix_(near_x, near_y)] = value(*np.meshgrid(x[near_x], y[near_y], indexing="ij"))
                np.testing.assert_array_equal(array, right, err_msg=f"{name} of box {box.id}, depth {depth}")


def test_arrays_of_the_program_and_halos_beyond_the_next_box(context):
    boxes = boxes_of(context)
    wide = [np.full([2 * (n + 6) for n in box.shape], POISON, "f4", order="F") for box in boxes]
    arrays = filled([array[::2, 1::2] for array in wide], boxes, 3)
    with halocline.Blocks(context, SHAPE, boxes, [arrays], periodic=True, depth=3) as blocks:
        blocks.swap()
        for whole, array, box in zip(wide, arrays, boxes):
            np.testing.assert_array_equal(array, expected(box, 3).astype("f4"))
            assert (whole[1::2] == POISON).all()
        assert blocks.info()["neighbours"] < context.size


def test_open_sides_and_masked_cells_are_left(context):
    boxes = [box for box in boxes_of(context) if box.id != 3]
    arrays = filled(halocline.Blocks.zeros(context, boxes), boxes)
    with halocline.Blocks(context, SHAPE, boxes, [arrays], stencil="star") as blocks:
        blocks.swap()
    for array, box in zip(arrays, boxes):
        assert array[0, 0] == POISON
        if box.id == 5:
            assert (array[0, 1:-1] == POISON).all() and (array[1:-1, -1] == POISON).all()
            np.testing.assert_array_equal(array[1:-1, 0], expected(box)[1:-1, 0])


def test_a_reverse_swap_adds_the_halo_to_its_owner(context):
    boxes = boxes_of(context)
    arrays = halocline.Blocks.zeros(context, boxes, "i8")
    for array in arrays:
        array[...] = 1
    with halocline.Blocks(context, SHAPE, boxes, [arrays], periodic=True, stencil="star") as blocks:
        blocks.swap([0], reverse=True)
    for array, box in zip(arrays, boxes):
        total = np.ones(box.shape)
        for edge in (np.s_[0], np.s_[-1], np.s_[:, 0], np.s_[:, -1]):
            total[edge] += 1
        np.testing.assert_array_equal(array[1:-1, 1:-1], total)


def test_threads_drive_the_boxes_of_their_part(context):
    boxes = boxes_of(context, parts=2)
    arrays = halocline.Blocks.zeros(context, boxes)
    wrong = []
    with halocline.Blocks(context, SHAPE, boxes, [arrays], periodic=True, parts=2) as blocks:

        def drive(part):
            mine = [(array, box) for array, box in zip(arrays, boxes) if box.part == part]
            for _ in range(20):
                for array, box in mine:
                    filled([array], [box])
                blocks.start_part(part)
                blocks.finish_part(part)
                wrong.extend(box.id for array, box in mine if (array != expected(box)).any())

        with ThreadPoolExecutor(2) as threads:
            for driven in [threads.submit(drive, part) for part in range(2)]:
                driven.result()
    assert wrong == []


def test_wrong_boxes_and_arrays_all_ranks_raise(context):
    boxes = [halocline.Box((context.rank, 0), (1, 10))]
    shape = (context.size, 10)

    def refused(match, *arrays, boxes=boxes, **options):
        with pytest.raises(halocline.ArgumentError, match=match):
            halocline.Blocks(context, shape, boxes, arrays, **options)

    refused("shape", [np.zeros((3, 11))])
    refused("arrays for", [np.zeros((3, 12))] * 2)
    refused("strides", [np.zeros((3, 12))[::-1]])
    refused("Python objects", [np.zeros((3, 12), object)])
    refused("entries", [np.zeros((3, 12))], boxes=[halocline.Box((0,), (1,))])
    refused("dimensions", [np.zeros((3, 12))], depth=(1, 1, 1))
    refused("sideways", [np.zeros((3, 12))], stencil="sideways")
    wrong = np.zeros((3, 12))
    needed = r"shape \(3, 12\); \(4, 12\) is needed: \(1, 10\) cells, one node more along dimension 0 and halos of \[1, 1\] below"
    refused(f"field 0 of box 0 has {needed}", halocline.Shaped([wrong], ("owned", "centred")))
    refused("Blocks: field 0: stagger is 'corner'", halocline.Shaped([wrong], "corner"))
    refused(r"Blocks: field 0: stagger\[1\] is 'corner'", halocline.Shaped([wrong], ("owned", "corner")))
    refused("Blocks: field 0: stagger has 1 entries, but there are 2 dimensions", halocline.Shaped([wrong], ["owned"]))
    refused("Blocks: field 0: depth has 3 entries, but there are 2 dimensions", halocline.Shaped([wrong], depth=(1, 1, 1)))
    refused("Blocks: field 0: depth is -1; halos have 0 or more", halocline.Shaped([wrong], depth=-1))
    refused("Blocks: field 0: depth is 1.5", halocline.Shaped([wrong], depth=1.5))
    refused("Blocks: field 0 is a int; it must be a list with an array per box", halocline.Shaped(3))
    refused("Blocks: field 0 has 2 arrays for 1 box; it must have one per box", halocline.Shaped([wrong] * 2))
    same = [halocline.Box((0, 0), (1, 10), 7), *([halocline.Box((0, 0), (1, 10), 8)] if context.size == 1 else [])]
    refused("overlap", [np.zeros((3, 12)) for _ in same], boxes=same)
    if context.size > 1:
        refused("shape", [np.zeros((3, 12 if context.rank else 11))])
