"""Exchanges, segments and reductions.

SPDX-License-Identifier: BSD-3-Clause
"""
import functools
import gc
import threading
import weakref

import numpy as np
import pytest

import halocline


def sides(context):
    return (context.rank - 1) % context.size, (context.rank + 1) % context.size


def test_an_exchange_with_both_sides_of_a_ring(context):
    left, right = sides(context)
    out = [np.array([context.rank, 10.5]), np.arange(3, dtype="i4") + context.rank]
    into = [np.zeros(3, "i4"), np.zeros(2)]
    below = halocline.Neighbour(left, out[0], into[0], tag_out=0, tag_in=1)
    ring = [below, halocline.Neighbour(right, out[1], into[1], tag_out=1, tag_in=0)]
    with halocline.Exchange(context, ring, name="ring") as exchange:
        for step in range(3):
            out[0][1] = step
            exchange.run()
            np.testing.assert_array_equal(into[0], np.arange(3) + left)
            np.testing.assert_array_equal(into[1], [right, step])
        assert exchange.info()["neighbours"] == (0 if context.size == 1 else 2)


def test_an_exchange_has_epochs_and_drives(context):
    given, taken = np.arange(4.0) + context.rank, np.zeros(4)
    ring = [
        halocline.Neighbour((context.rank + 1) % context.size, given, tag_out=1, tag_in=2),
        halocline.Neighbour((context.rank - 1) % context.size, None, taken, tag_out=2, tag_in=1),
    ]
    wanted = {"mode": "pscw", "epoch": "late"}, {"mode": "fence", "drive": "get"}, {"mode": "fence", "epoch": "early", "drive": "put"}
    for words in wanted:
        with halocline.Exchange(context, ring, **words) as exchange:
            assert exchange.info().items() >= {key: words[key] for key in ("mode", "epoch") if key in words}.items()
            exchange.run()
        assert (taken == np.arange(4.0) + (context.rank - 1) % context.size).all()


def test_an_exchange_in_one_direction_in_every_mode(context):
    left, right = sides(context)
    for mode in halocline.modes():
        got = bytearray(4)
        entries = [(right, bytes([context.rank + 1] * 4), None, 0, 1), (left, None, got, 1, 0)]
        with halocline.Exchange(context, [halocline.Neighbour(*entry) for entry in entries], mode=mode) as exchange:
            exchange.start()
            exchange.finish()
        assert got == bytes([left + 1] * 4), mode


def test_lists_that_do_not_match_are_named(context):
    size = 8 * (1 + (context.rank == 0))
    left, right = sides(context)
    ring = [halocline.Neighbour(right, np.zeros(size), None, 0, 1), halocline.Neighbour(left, None, np.zeros(8), 1, 0)]
    with pytest.raises(halocline.MismatchError, match="rank"):
        halocline.Exchange(context, ring)


def test_put_get_and_notifications(context):
    left, right = sides(context)
    with halocline.Segment(context, 4, "f8", notifications=3) as segment:
        segment.array[...] = context.rank
        segment.barrier()
        segment.put_notify(right, np.array([1.5, context.rank]), 1, id=2, value=9)
        assert segment.wait() == 2
        assert segment.test(0, 2) is None
        assert segment.reset(2) == 9
        assert segment.reset(2) == 0
        np.testing.assert_array_equal(segment.array, [context.rank, 1.5, left, context.rank])
        got = np.zeros(2)
        segment.barrier()
        segment.get(right, got, 1)
        np.testing.assert_array_equal(got, [1.5, context.rank])
        segment.put(right, 4.25, 3)
        segment.flush(right)
        segment.barrier()
        assert segment.array[3] == 4.25
        segment.notify(left, 0, 5)
        assert segment.wait(0, 1) == 0 and segment.reset() == 5


def test_a_flush_releases_what_its_own_thread_has_put(context):
    with halocline.Segment(context, 4) as segment:
        others = [rank for rank in range(context.size) if segment.part(rank) is None]
        if not others:
            pytest.skip("on one node a put is complete when it returns")
        mine = np.ones(4, np.uint8)
        alive = weakref.ref(mine)
        segment.put(others[0], mine)
        del mine
        other = threading.Thread(target=segment.flush)
        other.start()
        other.join()
        gc.collect()
        assert alive() is not None
        segment.flush()
        gc.collect()
        assert alive() is None
        segment.barrier()


def test_parts_of_the_node_are_seen(context):
    with halocline.Segment(context, (2, 2), "i4") as segment:
        segment.array[1, 1] = context.rank + 1
        segment.barrier()
        for rank in range(context.size):
            part = segment.part(rank)
            if context.nodes == 1:
                assert part[3] == rank + 1
        segment.barrier()


def test_atomics(context):
    with halocline.Segment(context, 3, "u8") as segment:
        old = segment.fetch_add(0, 1)
        assert 0 <= old < context.size
        segment.accumulate(0, np.array([2, 3], "u8"), 1, op="max")
        segment.flush()
        segment.barrier()
        if context.rank == 0:
            np.testing.assert_array_equal(segment.array, [context.size, 2, 3])
        segment.barrier()
        if context.rank == context.size - 1:
            assert segment.swap(0, 2**64 - 1) == context.size
            assert segment.compare_swap(0, 5, 6) == 2**64 - 1
            assert segment.compare_swap(0, 2**64 - 1, 6) == 2**64 - 1
        segment.barrier()
        if context.rank == 0:
            assert segment.array[0] == 6


@pytest.mark.parametrize(("op", "combined"), [("sum", lambda n: n * (n - 1) / 2), ("min", lambda n: 0), ("max", lambda n: n - 1)])
def test_reductions(context, op, combined):
    with halocline.Allreduce(context, (5, 3), op=op) as reduction:
        given = np.full((5, 3), float(context.rank))
        result = reduction.run(given)
        assert (result == combined(context.size)).all() and (given == context.rank).all()
        assert reduction.run(given, given) is given
        assert (given == combined(context.size)).all()


def test_a_long_reduction_in_place_in_shared_memory(context):
    grid = halocline.Grid(context, (context.size * 40000,))
    field = halocline.Field(grid, depth=0)
    field.array[...] = np.arange(40000) * (context.rank + 1)
    with halocline.Allreduce(context, 40000) as reduction:
        reduction.run(field.array, field.array)
    np.testing.assert_array_equal(field.array, np.arange(40000) * sum(range(1, context.size + 1)))


def after_strided_puts(rank, size):
    """A rank's part once its left side has put a column and a reversed corner to it."""
    whole = np.full((6, 8), float(rank))
    whole[:, 3] = np.arange(6) * 2 + 1 + 100 * ((rank - 1) % size)
    whole[4:, 5:] = 7.5
    return whole


def test_strided_put_and_get(context):
    left, right = sides(context)
    with halocline.Segment(context, (6, 8), "f8") as segment:
        segment.array[...] = context.rank
        segment.barrier()
        table = np.arange(12.0).reshape(6, 2) + 100 * context.rank
        segment.put_strided(right, table[:, 1], 3, (8,))
        segment.put_strided(right, np.full((2, 3), 7.5), 8 * 5 + 7, (-8, -1))
        segment.flush(right)
        segment.barrier()
        np.testing.assert_array_equal(segment.array, after_strided_puts(context.rank, context.size))
        got, there = np.zeros((3, 6, 2)), after_strided_puts(left, context.size)
        segment.get_strided(left, got[::-1, :, 1], 4, (1, 8))
        np.testing.assert_array_equal(got[::-1, :, 1], there[:, 4:7].T)
        assert (got[..., 0] == 0).all()
        segment.get_strided(left, got[0], 0)
        np.testing.assert_array_equal(got[0].reshape(-1), there.reshape(-1)[:12])
        segment.barrier()


def test_strided_blocks_that_do_not_fit_are_refused(context):
    with halocline.Segment(context, 10, "f8") as segment:
        for match, data, strides in (
            ("f4.*f8", np.zeros(2, "f4"), None),
            ("axes", np.zeros((1,) * 5), (2,) * 5),
            ("entries", np.zeros((2, 2)), (1,)),
            ("rank", np.zeros(3), (5,)),
        ):
            with pytest.raises(halocline.ArgumentError, match=match):
                segment.put_strided(context.rank, data, 0, strides)
        with pytest.raises(halocline.ArgumentError, match="writable"):
            segment.get_strided(context.rank, np.broadcast_to(np.zeros(1), 3))
        segment.put_strided(context.rank, np.zeros((0, 3)), 9)


@pytest.mark.parametrize("dtype", ["i4", "u4", "i8", "u8"])
def test_lists_of_atomics(context, dtype):
    size, most = context.size, np.iinfo(dtype).max
    with halocline.Segment(context, 3, dtype) as segment:
        segment.array[2] = most
        segment.barrier()
        old = segment.atomics(np.arange(size)[:, None], [0, 1], [[1, 10]])
        assert old.shape == (size, 2) and old.dtype == segment.dtype and (old % [1, 10] == 0).all()
        segment.barrier()
        np.testing.assert_array_equal(segment.array, [size, 10 * size, most])
        segment.barrier()
        if context.rank == 0:
            assert (segment.atomics(np.arange(size), 2, 5, expected=most) == most).all()
            assert (segment.atomics(np.arange(size), 2, 6, expected=np.full(size, most)) == 5).all()
            assert (segment.atomics(np.arange(size), 1, 3, "max") == 10 * size).all()
            assert (segment.atomics(range(size), 0, 0, "read") == size).all()
        segment.barrier()
        np.testing.assert_array_equal(segment.array, [size, 10 * size, 5])
        assert segment.atomics([], [], []).shape == (0,)
        segment.barrier()


def test_lists_of_atomics_that_are_wrong_are_refused(context):
    with halocline.Segment(context, 2, "i4") as segment:
        for match, given in (
            ("values has dtype float64", (0, 0, 0.5)),
            ("do not fit", (0, 0, 1 << 31)),
            ("broadcast", ([0, 0], [0, 0, 0], 1)),
            ("rank", ([context.rank, context.size], 0, 0)),
            ("offset", (context.rank, [0, 2], 0)),
            ("op", (0, 0, 1, "divide")),
        ):
            with pytest.raises(halocline.ArgumentError, match=match):
                segment.atomics(*given)
        segment.barrier()
        assert segment.array.tolist() == [0, 0]
    with halocline.Segment(context, 2, "f8") as segment, pytest.raises(halocline.ArgumentError, match="float64"):
        segment.atomics(0, 0, 1)


def test_reductions_by_a_function(context):
    size = context.size
    with halocline.Allreduce(context, (2, 3), "f2", op=np.maximum) as reduction:
        assert (reduction.run(np.full((2, 3), context.rank, "f2")) == size - 1).all()
    with halocline.Allreduce(context, 40000, op=np.add) as reduction:
        given = np.arange(40000.0) * (context.rank + 1)
        np.testing.assert_array_equal(reduction.run(given, given), np.arange(40000) * sum(range(1, size + 1)))
    kind = np.dtype([("value", "f8"), ("rank", "i4")])

    def largest(first, second):
        return np.where(second["value"] > first["value"], second, first)

    with halocline.Allreduce(context, 5, kind, op=largest) as reduction:
        mine = np.array([(10 * context.rank % 7 + i, context.rank) for i in range(5)], kind)
        found = reduction.run(mine)
        best = max(range(size), key=lambda rank: (10 * rank % 7, -rank))
        assert (found["rank"] == best).all() and (found["value"] == 10 * best % 7 + np.arange(5)).all()


def test_a_function_that_fails_is_an_error_once_the_run_has_ended(context):
    kept = []

    def failing(first, second):
        kept.append((first, second))
        raise LookupError("no such element")

    for function, match in ((failing, "no such element"), (lambda a, b: a[:0], "shape"), (lambda a, b: a + 0.5j, "complex128")):
        with halocline.Allreduce(context, 4, op=function) as reduction:
            told = ""
            try:
                reduction.run(np.ones(4))
            except (LookupError, ValueError, TypeError) as error:
                told = str(error)
            with halocline.Allreduce(context, 1, op="max") as all_ranks:
                assert all_ranks.run(np.array([float(match in told)])) == (context.size > 1)
    assert all(first.sum() >= 0 for first, _ in kept)
    with pytest.raises(halocline.ArgumentError, match="Python objects"):
        halocline.Allreduce(context, 3, object, op=np.add)


@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "u8", "f4", "f8"])
def test_fetch_op_on_every_kind_of_number(context, dtype):
    with halocline.Segment(context, 2, dtype) as segment:
        segment.array[:] = 7
        segment.barrier()
        right = (context.rank + 1) % context.size
        assert segment.fetch_op(right, 3, 1) == 7
        assert segment.fetch_op(right, 4, 1, "max") == 10
        assert segment.fetch_op(right, 2, 1, "prod") == 10
        assert segment.fetch_op(right, 5, 1, "min") == 20
        assert segment.fetch_op(right, 9, 1, "replace") == 5
        old = segment.fetch_op(right, 0, 1, "read")
        assert old == 9 and isinstance(old, float if dtype[0] == "f" else int)
        segment.barrier()
        assert segment.array.tolist() == [7, 9]


def test_an_operation_per_atomic(context):
    with halocline.Segment(context, 3, "i8") as segment:
        segment.array[:] = 12
        segment.barrier()
        old = segment.atomics(context.rank, [0, 1, 2], [10, 10, 5], ["band", "min", "bxor"])
        assert old.tolist() == [12, 12, 12]
        assert segment.array.tolist() == [12 & 10, 10, 12 ^ 5]
        with pytest.raises(halocline.ArgumentError, match="op is 'mean'"):
            segment.atomics(context.rank, [0, 1, 2], 1, ["sum", "mean", "sum"])


def test_numbers_that_do_not_fit_are_refused(context):
    me = context.rank
    with halocline.Segment(context, 2, "i4") as segment:
        for wrong in (2**31, -(2**31) - 1, 1.5, "x"):
            for call in (segment.fetch_add, segment.swap, segment.fetch_op):
                with pytest.raises(halocline.ArgumentError, match="value is"):
                    call(me, wrong)
        with pytest.raises(halocline.ArgumentError, match="expected is"):
            segment.compare_swap(me, 2**40, 1)
        for wrong in (1.5, [1, 2.5], [2**40], 1j):
            with pytest.raises(halocline.ArgumentError, match="data is"):
                segment.put(me, wrong)
        segment.put(me, [1, -2])
        segment.flush()
        segment.barrier()
        assert segment.array.tolist() == [1, -2]
    with halocline.Segment(context, 2, "u8") as segment:
        assert segment.swap(me, 2**64 - 1) == 0
        assert segment.fetch_add(me, 2) == 2**64 - 1
        assert segment.array[0] == 1
        with pytest.raises(halocline.ArgumentError, match="value is -1"):
            segment.fetch_add(me, -1)


def test_what_would_be_wrong_numbers_is_refused(context):
    me = context.rank
    with halocline.Segment(context, 4, "f8") as segment:
        big = np.arange(4, dtype=">f8")
        for call in (segment.put, segment.accumulate):
            with pytest.raises(halocline.ArgumentError):
                call(me, big)
        for call in (segment.flush, segment.flush_local):
            with pytest.raises(halocline.ArgumentError, match="rank is -1"):
                call(-1)
    with halocline.Segment(context, 16) as segment, pytest.raises(halocline.ArgumentError, match="float64"):
        segment.accumulate(me, np.ones(2))
    with halocline.Segment(context, 4, "i8") as segment:
        for wrong in ({"ranks": 2**32 + me}, {"offsets": 2**61}):
            with pytest.raises(halocline.ArgumentError, match=next(iter(wrong))):
                segment.atomics(**{"ranks": me, "offsets": 0, "values": 1, **wrong})
    with halocline.Allreduce(context, 4) as total, pytest.raises(halocline.ArgumentError):
        total.run(np.ones(4, ">f8"))


def test_exchanges_and_blocks_explain_their_modes(context):
    with halocline.Exchange(context, [], mode="p2p") as exchange:
        assert "p2p was asked for" in exchange.explain()
    boxes = [halocline.Box((4 * context.rank,), (4,))]
    u = halocline.Blocks.zeros(context, boxes)
    with halocline.Blocks(context, (4 * context.size,), boxes, {"u": u}) as blocks:
        blocks.swap()
        assert blocks.explanation()["asked"] == "auto"
    last = context.rank == context.size - 1
    for make in (
        lambda dtype: halocline.Blocks.zeros(context, boxes, dtype),
        lambda dtype: halocline.Allreduce(context, 4, dtype),
        lambda dtype: halocline.SparseExchange(context, dtype),
    ):
        with pytest.raises(halocline.ArgumentError, match="not a type of NumPy"):
            make("no such type" if last else "f8")

def test_every_class_says_what_it_is(context):
    """No object shows its address instead."""
    grid = halocline.Grid(context, (8, 8), periodic=True)
    u, cells, here = halocline.Field(grid, name="u"), context.zeros(4), context.rank
    box = halocline.Box((0, 4 * here), (4, 4))
    made = [
        context, grid, u, halocline.Halo(grid, [u], mode="notify"), halocline.Exchange(context, [halocline.Neighbour(here)], mode="notify"),
        halocline.IndexHalo(context, [cells], [halocline.IndexNeighbour(here, [0], [3])], mode="notify"),
        halocline.Blocks(context, (4, 4 * context.size), [box], [halocline.Blocks.zeros(context, [box])], mode="notify"),
        halocline.Segment(context, 4, "f8", notifications=2), halocline.Allreduce(context, (3, 4), op=np.logaddexp),
        halocline.SparseExchange(context, "f8"),
    ]
    told = [repr(one) for one in made]
    assert told[3:] == [
        "<halocline.Halo of 1 field, depth [1, 1] below and [1, 1] above, mode notify>",
        f"<halocline.Exchange with ranks ({here},), mode notify>",
        f"<halocline.IndexHalo of 1 field, with ranks ({here},), mode notify>",
        "<halocline.Blocks of 1 box, 1 field, mode notify>",
        "<halocline.Segment (4,) float64, 2 notifications>",
        "<halocline.Allreduce logaddexp of (3, 4) float64>",
        "<halocline.SparseExchange of float64>",
    ]
    assert repr(made[3].swapping()) == f"<halocline.Swapping of {told[3]}>"
    for plan in reversed(made[3:]):
        plan.close()
    assert repr(made[3]) == "<halocline.Halo of 1 field, depth [1, 1] below and [1, 1] above, closed>"
    assert [repr(plan).removesuffix(", closed>") for plan in made[7:]] == [one.removesuffix(">") for one in told[7:]]
    assert told[2] == f"<halocline.Field u {u.array.shape} float64>" and repr(halocline.Field(grid)) == told[2].replace(" u ", " ")
    for kind in (halocline.Context, halocline.Grid, halocline.Field, halocline.Halo):
        assert repr(kind.__new__(kind)) == f"<halocline.{kind.__name__}, not made>"
    classes = [one for one in map(functools.partial(getattr, halocline), halocline.__all__) if isinstance(one, type)]
    assert [one.__name__ for one in classes if one.__repr__ is object.__repr__] == []
