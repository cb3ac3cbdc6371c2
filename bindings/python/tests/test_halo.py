"""Swaps of fields: every halo cell holds the value of the cell that it stands for.

SPDX-License-Identifier: BSD-3-Clause
"""
import gc
import weakref

import numpy as np
import pytest
from conftest import POISON, coordinates, filled, value

import halocline


def expected(field):
    return value(*coordinates(field.grid, field.low, field.high)).astype(field.dtype)


@pytest.fixture
def grid(context):
    return halocline.Grid(context, (9, 7), periodic=True)


def test_a_field_of_another_context_is_swapped_too(context, grid):
    """Its memory is none of this context's, and is copied like memory of the program; it stays where it is when its context is closed."""
    other = halocline.Context()
    field = halocline.Field(halocline.Grid(other, (9, 7), periodic=True), depth=1)
    with halocline.Halo(grid, [field]) as halo:
        for close in (False, True):
            if close:
                other.close()
            filled(field)
            halo.swap()
            assert (field.array == expected(field)).all()


def test_every_mode_fills_every_halo_cell(context, grid):
    for mode in halocline.modes():
        field = halocline.Field(grid, depth=2, name="u")
        with halocline.Halo(grid, [field], mode=mode) as halo:
            for _ in range(3):
                filled(field)
                halo.swap()
                np.testing.assert_array_equal(field.array, expected(field), err_msg=mode)


@pytest.mark.parametrize("dtype", ["f4", "i8", "c16", "u1", "?", ">f8", [("a", "f4"), ("b", "i4")]])
def test_elements_of_any_plain_type_are_swapped(grid, dtype):
    field = halocline.Field(grid, dtype, depth=1)
    other = halocline.Field(grid, depth=1)
    whole = filled(other).array
    if field.dtype.names:
        field.array["a"], field.array["b"] = whole, whole
    else:
        field.array[...] = whole % 251
    with halocline.Halo(grid, [field]) as halo:
        halo.swap()
    reference = np.zeros(field.array.shape, field.dtype)
    if field.dtype.names:
        reference["a"], reference["b"] = expected(other), expected(other)
    else:
        reference[...] = expected(other) % 251
    np.testing.assert_array_equal(field.array, reference)


@pytest.mark.parametrize("order", ["C", "F"])
def test_depths_of_each_side_and_both_orders(grid, order):
    field = filled(halocline.Field(grid, "f4", depth=((1, 2), (0, 1)), order=order))
    assert field.array.flags.f_contiguous == (order == "F")
    with halocline.Halo(grid, [field]) as halo:
        halo.swap()
    np.testing.assert_array_equal(field.array, expected(field))


class Exported:
    """An object with DLPack alone, as from before its version 1.0, which does not know `max_version`."""

    def __init__(self, array):
        self.array = array

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, stream=None):
        return self.array.__dlpack__(stream=stream)


class ExportedAnew(Exported):
    """As from version 1.0 on, which says that memory is read-only."""

    def __dlpack__(self, **words):
        return self.array.__dlpack__(**words)


@pytest.mark.parametrize("producer", [Exported, ExportedAnew])
def test_arrays_of_producers_of_dlpack(grid, producer):
    own = np.full(tuple(n + 2 for n in grid.local), POISON)
    alive = weakref.ref(own)
    field = halocline.Field.over(grid, producer(own), depth=1)
    assert field.array.ctypes.data == own.ctypes.data and field.dtype == own.dtype
    filled(field)
    with halocline.Halo(grid, [field]) as halo:
        halo.swap()
    np.testing.assert_array_equal(own, expected(field))
    del own, halo
    gc.collect()
    assert alive() is not None
    del field
    gc.collect()
    assert alive() is None
    fixed = np.zeros(tuple(n + 2 for n in grid.local))
    fixed.flags.writeable = False
    with pytest.raises(halocline.ArgumentError, match="read-only|not an array"):
        halocline.Field.over(grid, producer(fixed), depth=1)


class Immutable(Exported):
    """As JAX: its DLPack says nothing, and what NumPy sees is read-only."""

    def __array__(self, dtype=None, copy=None):
        seen = self.array.view()
        seen.flags.writeable = False
        return seen


class Shown(Exported):
    """The same by NumPy's array interface."""

    @property
    def __array_interface__(self):
        return self.array.__array_interface__ | {"data": (self.array.ctypes.data, True)}


@pytest.mark.parametrize("producer", [Immutable, Shown])
def test_immutable_arrays_are_refused_where_they_are_written(context, grid, producer):
    own = np.full(tuple(n + 2 for n in grid.local), 5.0)
    with pytest.raises(halocline.ArgumentError, match="read-only"):
        halocline.Field.over(grid, producer(own), depth=1)
    fixed, taken = np.full(4, 5.0), np.zeros(4)
    with halocline.Segment(context, 4, "f8") as segment:
        for get in (segment.get, segment.get_strided):
            with pytest.raises((halocline.ArgumentError, BufferError, ValueError)):
                get(context.rank, producer(fixed))
        segment.put(context.rank, producer(fixed))
        segment.flush()
        segment.get(context.rank, taken)
    np.testing.assert_array_equal(fixed, np.full(4, 5.0))
    np.testing.assert_array_equal(taken, fixed)


def test_a_segment_puts_and_gets_arrays_of_dlpack(context):
    given, taken = np.arange(6.0).reshape(3, 2), np.zeros((3, 2))
    with halocline.Segment(context, (3, 4), "f8") as segment:
        segment.put_strided(context.rank, Exported(given), 1, (4, 2))
        segment.flush()
        segment.get_strided(context.rank, Exported(taken), 1, (4, 2))
        np.testing.assert_array_equal(taken, given)
        np.testing.assert_array_equal(segment.array[:, 1::2], given)


def test_arrays_of_the_program_with_any_strides(grid):
    cells = tuple(n + 2 for n in grid.local)
    wide = np.full((cells[0], 3, cells[1]), POISON)
    field = filled(halocline.Field.over(grid, wide[:, 1, :], depth=1))
    with halocline.Halo(grid, [field]) as halo:
        halo.swap()
    np.testing.assert_array_equal(wide[:, 1, :], expected(field))
    assert (wide[:, [0, 2], :] == POISON).all()


def test_memory_by_the_buffer_protocol_and_by_dlpack(grid):
    cells = tuple(n + 2 for n in grid.local)

    class OnlyDlpack:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **options):
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    own = np.zeros(cells)
    raw = bytearray(own.nbytes)
    fields = [halocline.Field.over(grid, memoryview(raw).cast("B").cast("d", cells)), halocline.Field.over(grid, OnlyDlpack(own))]
    for field in fields:
        filled(field)
    with halocline.Halo(grid, fields) as halo:
        halo.swap()
    np.testing.assert_array_equal(own, expected(fields[1]))
    np.testing.assert_array_equal(np.frombuffer(raw).reshape(cells), expected(fields[0]))


def test_a_halo_may_swap_less_than_the_fields_have(grid):
    field = filled(halocline.Field(grid, depth=3))
    with halocline.Halo(grid, [field], depth=1) as halo:
        halo.swap()
    inner = (slice(2, -2), slice(2, -2))
    np.testing.assert_array_equal(field.array[inner], expected(field)[inner])
    assert (field.array[:2] == POISON).all() and (field.array[:, -2:] == POISON).all()


def test_a_star_leaves_corners_and_an_open_side_its_cells(context):
    grid = halocline.Grid(context, (8, 8), periodic=(False, True))
    field = filled(halocline.Field(grid, depth=1))
    with halocline.Halo(grid, [field], stencil="star") as halo:
        halo.swap()
    assert field.array[0, 0] == POISON
    if grid.start[0] == 0:
        assert (field.array[0] == POISON).all()
    np.testing.assert_array_equal(field.array[1:-1, 0], expected(field)[1:-1, 0])


def test_parts_of_a_swap(grid):
    fields = [filled(halocline.Field(grid, depth=1, name=name)) for name in "uv"]
    with halocline.Halo(grid, fields) as halo:
        halo.swap([1], dim=1, side="low")
        assert (fields[0].array[:, 0] == POISON).all() and (fields[1].array[1:-1, -1] == POISON).all()
        np.testing.assert_array_equal(fields[1].array[1:-1, 0], expected(fields[1])[1:-1, 0])
        with pytest.raises(halocline.ArgumentError, match="sideways"):
            halo.swap(dim=0, side="sideways")


def test_reverse_adds_the_halo_to_its_owner(grid):
    field = halocline.Field(grid, depth=1)
    field.array[...] = 1
    with halocline.Halo(grid, [field], stencil="star") as halo:
        halo.swap(reverse=True)
    total = np.ones(grid.local)
    total[0] += 1
    total[-1] += 1
    total[:, 0] += 1
    total[:, -1] += 1
    np.testing.assert_array_equal(field.interior, total)
    assert (field.array[0, 1:-1] == 0).all()


def test_the_interior_is_computed_while_a_swap_is_outstanding(grid):
    field = filled(halocline.Field(grid, depth=1))
    with halocline.Halo(grid, [field]) as halo:
        with halo.swapping():
            total = field.interior.sum()
            with pytest.raises(halocline.StateError, match=r"Halo\.start"):
                halo.start()
        assert total == expected(field)[1:-1, 1:-1].sum()
        np.testing.assert_array_equal(field.array, expected(field))
        halo.start()
        while not halo.test():
            pass
        halo.finish()


def test_views_of_a_field(grid):
    field = filled(halocline.Field(grid, depth=1))
    assert field.interior.shape == grid.local and field.shifted(1).shape == grid.local
    np.testing.assert_array_equal(field.shifted(0, -1), field.array[1:-1, :-2])
    with pytest.raises(halocline.ArgumentError, match="beyond the halo"):
        field.shifted(2)
    field.interior = 5
    assert (field.array[1:-1, 1:-1] == 5).all()


def test_what_a_plan_decided(context, grid):
    with halocline.Halo(grid, [halocline.Field(grid)], mode="p2p", name="plan") as halo:
        info = halo.info()
        assert info["mode"] == "p2p"
        assert info["via_mpi"] == info["neighbours"]
        assert (info["bytes_in"] > 0) == (context.size > 1)


def test_a_grid_says_where_its_blocks_are(context):
    grid = halocline.Grid(context, (11, 5), periodic=(True, False), ranks=(context.size, 1))
    whole = np.zeros(grid.shape, int)
    whole[grid.block] = 1
    assert whole.sum() == np.prod(grid.local)
    assert grid.rank_at(grid.coords) == context.rank
    assert grid.rank_at((0, 1)) is None
    assert grid.rank_at((context.size, 0)) == grid.rank_at((0, 0))
    placed = grid.reorder(depth=1)
    assert placed.bytes_after <= placed.bytes_before <= placed.bytes


def test_ranks_may_be_numbered_along_the_first_dimension(context):
    for order in "CF":
        split = (context.size // 2, 2) if context.size % 2 == 0 else None
        grid = halocline.Grid(context, (12, 12), periodic=True, ranks=split, order=order)
        assert np.ravel_multi_index(grid.coords, grid.ranks, order=order) == context.rank == grid.rank_at(grid.coords)
        field = filled(halocline.Field(grid, depth=1))
        with halocline.Halo(grid, [field]) as halo:
            halo.swap()
        np.testing.assert_array_equal(field.array, expected(field))
    with pytest.raises(halocline.ArgumentError, match="Grid: order is 'x'; it must be 'C' or 'F'"):
        halocline.Grid(context, (12, 12), order="x")


def test_swaps_of_other_arrays_than_the_plans(context, grid):
    for mode in ("direct", "notify", "p2p"):
        fields = [halocline.Field(grid, depth=2, name=name) for name in "uv"]
        others = [halocline.Field(grid, depth=2) for _ in range(2)]
        with halocline.Halo(grid, fields, depth=1, mode=mode, rebind=True) as halo:
            inner = (slice(1, -1), slice(1, -1))
            for using in ([others[0], None], [others[1], others[0]], None, [None, others[1]]):
                for field in (*fields, *others):
                    filled(field)
                with halo.swapping(using=using):
                    pass
                bound = [other or mine for mine, other in zip(fields, using or [None, None])]
                for field in bound:
                    np.testing.assert_array_equal(field.array[inner], expected(field)[inner], err_msg=mode)
                for field in {*fields, *others} - {*bound}:
                    assert (field.array[1] == POISON).all()
            halo.swap([1], using=[None, others[0]], reverse=True)


def test_a_temporary_array_of_a_swap_is_kept_until_the_next(grid):
    field, other = halocline.Field(grid), filled(halocline.Field(grid))
    alive = weakref.ref(other.array)
    with halocline.Halo(grid, [field], rebind=True) as halo:
        halo.start(using=[other])
        del other
        gc.collect()
        halo.finish()
        assert alive() is not None
        halo.swap()
        gc.collect()
        assert alive() is None


def test_other_arrays_that_do_not_fit_are_refused(grid):
    field = halocline.Field(grid, depth=1)
    with halocline.Halo(grid, [field]) as halo, pytest.raises(halocline.StateError, match="rebind"):
        halo.swap(using=[halocline.Field(grid)])
    with halocline.Halo(grid, [field], rebind=True) as halo:
        wrong = {"dtype": halocline.Field(grid, "f4"), "shape": halocline.Field(grid, depth=2), "strides": halocline.Field(grid, order="F")}
        for what, other in wrong.items():
            with pytest.raises(halocline.ArgumentError, match=what):
                halo.swap(using=[other])
        with pytest.raises(halocline.ArgumentError, match="2 entries"):
            halo.swap(using=[None, None])
        halo.swap(using=[halocline.Field(grid)])


def on_lattice(field):
    """The places of a field's values along each dimension, wrapped; -1 beyond an open end, where the halo is the program's."""
    axes = []
    for d, word in enumerate(field.stagger):
        place = field.grid.start[d] - field.low[d] + np.arange(field.array.shape[d])
        last = field.grid.shape[d] - (word == "centred")
        axes.append(place % field.grid.shape[d] if field.grid.periodic[d] else np.where((place < 0) | (place > last), -1, place))
    return np.meshgrid(*axes, indexing="ij")


def swapped(field, depth):
    """What is right after a swap: the values up to the node above the block, and as many more as the swap is deep."""
    places = on_lattice(field)
    filled_in = [(place >= 0) for place in places]
    for d, word in enumerate(field.stagger):
        index = np.arange(field.array.shape[d]) - field.low[d]
        reached = (index >= -min(depth, field.low[d])) & (index < field.grid.local[d] + (word != "centred") + min(depth, field.high[d]))
        filled_in.append(np.broadcast_to(reached.reshape([-1 if e == d else 1 for e in range(2)]), field.array.shape))
    return np.where(np.logical_and.reduce(filled_in), value(*places), POISON)


@pytest.mark.parametrize("nodes", ["shared", "owned"])
@pytest.mark.parametrize("periodic", [(True, False), (False, True)])
def test_fields_in_cells_and_on_nodes_are_swapped_together(context, nodes, periodic):
    grid = halocline.Grid(context, (13, 7), periodic=periodic)  # 3 cells for each of 4 ranks
    kinds = ["centred", (nodes, "centred"), ("centred", nodes), nodes]
    fields = [halocline.Field(grid, depth=2 if i < 3 else (1, 2), stagger=kind, name=f"f{i}") for i, kind in enumerate(kinds)]
    for mode in halocline.modes():
        with halocline.Halo(grid, fields, depth="each", mode=mode) as halo:
            for depth in (None, 1, 2, 7):
                for field in fields:
                    field.array[...] = POISON
                    field.interior = value(*np.meshgrid(*(np.arange(s.start, s.stop) % n if joined else np.arange(s.start, s.stop)
                                                          for s, n, joined in zip(field.block, grid.shape, periodic)), indexing="ij"))
                halo.swap(depth=depth)
                for field in fields:
                    np.testing.assert_array_equal(field.array, swapped(field, depth or 2), err_msg=f"{mode} {field.name} {depth}")


def test_views_of_a_staggered_field(context):
    grid = halocline.Grid(context, (4 * context.size, 5), periodic=True)
    u = halocline.Field(grid, depth=2, stagger=("owned", "centred"))
    assert u.interior.shape == grid.local and u.array.shape == (grid.local[0] + 5, grid.local[1] + 4)
    for mode in ("view", "direct", "p2p"):
        with halocline.Halo(grid, [u], mode=mode) as halo:
            u.interior = value(*np.meshgrid(*(np.arange(s.start, s.stop) for s in u.block), indexing="ij"))
            with halo.swapping(depth=1):
                pass
            halo.start(depth=1)
            halo.finish_views()
            above = halo.view((1, 0))
            assert above[0, 0] == value(np.array((grid.start[0] + grid.local[0]) % grid.shape[0]), np.array(grid.start[1]))
            for piece in halo.pieces():
                at = on_lattice(u)
                rows, columns = piece.index
                next_above = at[0][u.low[0] + 1 + rows.start : u.low[0] + 1 + rows.stop, u.low[1] + columns.start : u.low[1] + columns.stop]
                beside = at[1][u.low[0] + rows.start : u.low[0] + rows.stop, u.low[1] + columns.start : u.low[1] + columns.stop]
                np.testing.assert_array_equal(piece.shifted(1, 0), value(next_above, beside))
            halo.release()


def test_staggers_and_depths_that_are_none_are_refused(context, grid):
    wrong = [("corner", "stagger is 'corner'; it must be one of centred, shared, owned"), (("shared",), "stagger has 1 entries")]
    for stagger, words in wrong:
        with pytest.raises(halocline.ArgumentError, match=words):
            halocline.Field(grid, stagger=stagger)
    with pytest.raises(halocline.ArgumentError, match=r"stagger\[1\] is 'corner'"):
        halocline.Field(grid, stagger=("owned", "corner"))
    u, v = halocline.Field(grid, stagger="shared"), halocline.Field(grid)
    needed = r"the array of field h has shape .*cells, one node more along dimension 1 and halos of \[1, 1\] below and \[1, 1\] above"
    with pytest.raises(halocline.ArgumentError, match=needed):
        halocline.Field.over(grid, np.zeros(v.array.shape), stagger=("centred", "owned"), name="h")
    shape = u.array.shape
    assert repr(u) == f"<halocline.Field {shape} float64 ('shared', 'shared')>"
    assert repr(halocline.Field(grid, name="h")) == f"<halocline.Field h {v.array.shape} float64>"
    with pytest.raises(halocline.UnsupportedError, match="staged"):
        halocline.Halo(grid, [u], staged=True)
    with halocline.Halo(grid, [u], rebind=True) as halo:
        for depth, words in [(0, "depth is 0; it must be 1 or more"), ("2", "whole number"), (1.5, "whole number")]:
            with pytest.raises(halocline.ArgumentError, match=words):
                halo.swap(depth=depth)
        with pytest.raises(halocline.ArgumentError, match="shape"):
            halo.swap(using=[v])
    with pytest.raises(halocline.ArgumentError, match="one node more along dimension 0 and 1"):
        halocline.Halo(halocline.Grid(context, (9 + 2 * context.size, 7), periodic=True), [u])


def test_a_moving_component_is_filled_where_it_enters(grid):
    table = halocline.fills_moving((1, -2))
    assert table.tolist() == [[False, True, True], [False, True, True], [False, False, False]]
    fields = [filled(halocline.Field(grid, depth=1)) for _ in range(3)]
    with halocline.Halo(grid, fields, fills=[table, None, np.zeros((3, 3))]) as halo:
        halo.swap()
    np.testing.assert_array_equal(fields[0].array[0, 1:], expected(fields[0])[0, 1:])
    np.testing.assert_array_equal(fields[0].array[1:-1, -1], expected(fields[0])[1:-1, -1])
    assert (fields[0].array[-1] == POISON).all() and (fields[0].array[:, 0] == POISON).all()
    np.testing.assert_array_equal(fields[1].array, expected(fields[1]))
    assert (fields[2].array[0] == POISON).all()
    with pytest.raises(halocline.ArgumentError, match="fills"):
        halocline.Halo(grid, fields, fills=[None])
    with pytest.raises(halocline.ArgumentError, match="the number of dimensions is 0"):
        halocline.fills_moving(())


DIRECTIONS = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1)]


def part_of(field, direction):
    """The cells of a halo in a direction, as an index of the field's array."""
    ends = [(0, low, low + n, None) for low, n in zip(field.low, field.grid.local)]
    return tuple(slice(*of[step + 1 : step + 3]) for step, of in zip(direction, ends))


@pytest.mark.parametrize("own_memory", [True, False])
def test_views_show_what_is_around_the_block(context, grid, own_memory):
    for mode in ("view", "direct", "notify", "p2p"):
        field = halocline.Field(grid, depth=((1, 2), (2, 1)))
        if not own_memory:
            field = halocline.Field.over(grid, np.empty_like(field.array), depth=((1, 2), (2, 1)))
        with halocline.Halo(grid, [field], mode=mode) as halo:
            for step in range(3):
                filled(field)
                field.interior += step
                halo.start()
                halo.finish_views()
                for direction in DIRECTIONS:
                    view = halo.view(direction)
                    np.testing.assert_array_equal(view, expected(field)[part_of(field, direction)] + step, err_msg=f"{mode} {direction}")
                    assert not view.flags.writeable
                    assert mode == "view" or np.may_share_memory(view, field.array)
                assert (field.array[0] == POISON).all() == (mode == "view")
                halo.release()


def test_views_of_two_arrays_in_turn_outlive_the_plan(grid):
    pair = [halocline.Field(grid) for _ in range(2)]
    kept = []
    with halocline.Halo(grid, [pair[0]], mode="view", rebind=True) as halo:
        for step in range(4):
            now = filled(pair[step % 2])
            now.interior += step
            halo.start(using=[now])
            halo.finish_views()
            kept.append(halo.view((-1, 0)))
            np.testing.assert_array_equal(kept[-1], expected(now)[part_of(now, (-1, 0))] + step)
            np.testing.assert_array_equal(halo.view((0, 0)), now.interior)
        halo.release()
        with pytest.raises(halocline.ArgumentError, match="direction"):
            halo.view((0, 2))
        with pytest.raises(halocline.ArgumentError, match="field"):
            halo.view((0, 0), 1)
    del halo, pair, now
    gc.collect()
    assert all(view.shape == (1, grid.local[1]) and np.isfinite(view).all() for view in kept)


def test_views_of_cells_that_were_not_moved_are_none(context, grid):
    fields = [filled(halocline.Field(grid, name=name)) for name in "uv"]
    with halocline.Halo(grid, fields, mode="view") as halo:
        halo.start([1])
        halo.finish_views()
        np.testing.assert_array_equal(halo.view((1, 0), 1), expected(fields[1])[part_of(fields[1], (1, 0))])
        assert halo.view((1, 0), 0) is None
        halo.release()
        assert halo.view((1, 0), 0).tolist() == [[POISON] * grid.local[1]]


@pytest.mark.parametrize("mode", ["view", "direct", "p2p", None])
@pytest.mark.parametrize("cells", [12, 2])
def test_pieces_make_up_the_block_with_what_is_around_it(context, mode, cells):
    grid = halocline.Grid(context, (cells * context.size, cells * context.size + 3), periodic=True)
    field = halocline.Field(grid, depth=2)
    where = coordinates(grid, field.low, field.high)
    right = value(*where)
    with halocline.Halo(grid, [field], mode=mode) as halo:
        for reach in (1, 2, (2, 0)):
            filled(field)
            halo.start()
            halo.finish_views()
            seen = np.zeros(grid.local, int)
            for piece in halo.pieces(reach=reach):
                seen[piece.index] += 1
                for offset in np.ndindex(5, 5):
                    steps = [o - 2 for o in offset]
                    if any(abs(step) > r for step, r in zip(steps, [reach] * 2 if isinstance(reach, int) else reach)):
                        continue
                    wanted = right[tuple(slice(2 + s, 2 + s + n) for s, n in zip(steps, grid.local))][piece.index]
                    assert np.array_equal(piece.shifted(*steps), wanted), (reach, steps, piece.index)
            assert (seen == 1).all()
            halo.release()
        with pytest.raises(halocline.ArgumentError, match="reach is 3"):
            halo.pieces(reach=3)
        with pytest.raises(ValueError, match="read-only"):
            next(halo.pieces()).shifted()[...] = 0


def test_explains_its_mode(context):
    grid = halocline.Grid(context, (8 * context.size, 6))
    field = halocline.Field(grid)
    with halocline.Halo(grid, [field], mode="p2p") as halo:
        assert halo.explain() == "mode p2p: mode p2p was asked for\n"
        assert halo.explanation()["chosen"] == "p2p"
    with halocline.Halo(grid, [field], mode="auto") as halo:
        halo.swap()
        assert halo.explanation()["asked"] == "auto"
        assert "mode auto uses" in halo.explain()


def test_refuses_a_field_of_another_grid(context):
    small, large = halocline.Grid(context, (6 * context.size, 6)), halocline.Grid(context, (60 * context.size, 60))
    field = halocline.Field(small, name="u")
    with pytest.raises(halocline.ArgumentError, match=r"field 0 u has shape .* is needed"):
        halocline.Halo(large, [field])
