"""Swaps on unstructured meshes: every ghost holds its owner's value, and every owner gets what its ghosts have.

SPDX-License-Identifier: BSD-3-Clause
"""
import gc
import weakref

import numpy as np
import pytest
from conftest import POISON, value

import halocline


class Mesh:
    """A mesh cut at random, the same on all ranks: who owns each entry, and of which entries each rank has ghosts, its own among them."""

    def __init__(self, context, cells=40):
        random = np.random.default_rng(7)
        rank, size = context.rank, context.size
        self.owner = random.integers(0, size, cells)
        self.ghosts = [np.flatnonzero(random.random(cells) < 0.3) for _ in range(size)]
        mine = np.flatnonzero(self.owner == rank)
        held = np.concatenate([mine, self.ghosts[rank]])
        places = np.random.default_rng(rank).permutation(len(held))
        # Of each local entry: its number in the mesh, and whether it is a ghost.
        self.number, self.is_ghost = np.empty(len(held), int), np.empty(len(held), bool)
        self.number[places], self.is_ghost[places] = held, np.arange(len(held)) >= len(mine)
        owned, ghost = dict(zip(mine, places)), dict(zip(self.ghosts[rank], places[len(mine):]))
        self.neighbours = [
            halocline.IndexNeighbour(
                other,
                send=[owned[g] for g in self.ghosts[other] if self.owner[g] == rank],
                receive=np.array([ghost[g] for g in self.ghosts[rank] if self.owner[g] == other], np.int32),
            )
            for other in range(size)
        ]

    def expected(self, shape):
        """The value of every component of every entry."""
        components = np.arange(np.prod(shape, dtype=int)).reshape(shape)
        return value(self.number.reshape((-1,) + (1,) * len(shape)), components)

    def filled(self, field):
        field[...] = self.expected(field.shape[1:])
        field[self.is_ghost] = POISON
        return field


@pytest.fixture
def mesh(context):
    return Mesh(context)


def test_every_mode_fills_every_ghost(context, mesh):
    for mode in halocline.modes():
        field = context.zeros((len(mesh.number), 2))
        with halocline.IndexHalo(context, {"u": field}, mesh.neighbours, mode=mode) as halo:
            for _ in range(3):
                mesh.filled(field)
                halo.swap()
                np.testing.assert_array_equal(field, mesh.expected((2,)), err_msg=mode)


def test_components_of_any_layout_and_type(context, mesh):
    entries = len(mesh.number)
    wide = np.full((entries, 4, 3), POISON)
    fields = [
        np.zeros(entries),
        np.zeros((2, entries), "f4").T,
        context.zeros((entries, 2, 2), "c16"),
        wide[:, 1:3],
        np.zeros(entries, [("a", "f8"), ("b", "f8")])["b"],
    ]
    with halocline.IndexHalo(context, [mesh.filled(field) for field in fields], mesh.neighbours) as halo:
        halo.swap()
        for field in fields:
            np.testing.assert_array_equal(field, mesh.expected(field.shape[1:]).astype(field.dtype))
        assert halo.info()["neighbours"] <= context.size - 1
    assert (wide[:, [0, 3]] == POISON).all()


def test_a_reverse_swap_adds_ghosts_to_their_owners(context, mesh):
    field = np.zeros(len(mesh.number), np.int64)
    field[mesh.is_ghost] = 100 * (context.rank + 1) + mesh.number[mesh.is_ghost]
    total = np.zeros(40, np.int64)
    for rank, ghosts in enumerate(mesh.ghosts):
        total[ghosts] += 100 * (rank + 1) + ghosts
    with halocline.IndexHalo(context, [field], mesh.neighbours) as halo:
        halo.swap(reverse=True)
        np.testing.assert_array_equal(field[~mesh.is_ghost], total[mesh.number[~mesh.is_ghost]])
        assert (field[mesh.is_ghost] == 0).all()
        halo.swap()
    np.testing.assert_array_equal(field, total[mesh.number])


def test_one_of_two_fields_while_the_other_is_computed(context, mesh):
    fields = [mesh.filled(context.zeros(len(mesh.number))) for _ in range(2)]
    with halocline.IndexHalo(context, fields, mesh.neighbours) as halo:
        with halo.swapping([1]):
            total = fields[0].sum()
            with pytest.raises(halocline.StateError, match=r"IndexHalo\.start"):
                halo.start()
        assert total == fields[0].sum()
        np.testing.assert_array_equal(fields[1], mesh.expected(()))
        assert (fields[0][mesh.is_ghost] == POISON).all()
        halo.start([0])
        while not halo.test():
            pass
        halo.finish()
        np.testing.assert_array_equal(fields[0], mesh.expected(()))


def test_two_lists_for_one_rank_are_joined_by_their_tags(context):
    left, right = (context.rank - 1) % context.size, (context.rank + 1) % context.size
    field = np.array([POISON, 10 * context.rank + 1, 10 * context.rank + 2, POISON])
    ring = [halocline.IndexNeighbour(left, [1], [0], tag_out=0, tag_in=1), halocline.IndexNeighbour(right, [2], [3], tag_out=1, tag_in=0)]
    with halocline.IndexHalo(context, [field], ring) as halo:
        halo.swap()
    assert (field[0], field[3]) == (10 * left + 2, 10 * right + 1)


def test_what_is_wrong_with_fields_and_lists_all_ranks_raise(context, mesh):
    entries = len(mesh.number)

    def refused(match, *fields, neighbours=mesh.neighbours, error=halocline.ArgumentError):
        with pytest.raises(error, match=match):
            halocline.IndexHalo(context, fields, neighbours)

    fixed = np.zeros(entries)
    fixed.flags.writeable = False
    refused("equal", np.zeros(entries), np.zeros(entries + 1))
    refused("read-only", fixed)
    refused("Python objects", np.zeros(entries, object))
    refused("equally spaced", np.zeros((entries, 4, 4))[:, :2, :3])
    refused("strides", np.zeros(entries)[::-1])
    refused("integers", np.zeros(entries), neighbours=[halocline.IndexNeighbour(0, [0.5])])
    refused("1000", np.zeros(entries), neighbours=[halocline.IndexNeighbour(context.rank, [1000], [0])])
    lists = [halocline.IndexNeighbour((context.rank + 1) % context.size, [0], [1, 2], 0, 1)]
    lists += [halocline.IndexNeighbour((context.rank - 1) % context.size, [0], [3], 1, 0)]
    refused("entries", np.zeros(entries + 4), neighbours=lists, error=halocline.MismatchError)
    bad = np.zeros(entries, object) if context.rank == 0 else np.zeros(entries)
    refused("Python objects", bad)


def test_a_plan_keeps_its_arrays_and_says_that_it_is_closed(context, mesh):
    field = mesh.filled(np.zeros(len(mesh.number)))
    alive = weakref.ref(field)
    halo = halocline.IndexHalo(context, [field], mesh.neighbours)
    del field
    gc.collect()
    assert alive() is not None
    halo.swap()
    halo.close()
    with pytest.raises(halocline.StateError, match="closed"):
        halo.swap()
    del halo
    gc.collect()
    assert alive() is None


def test_shared_arrays_of_no_entries_outlive_their_context():
    with halocline.Context() as context:
        entries = 3 * (context.rank == 0)
        fields = [context.zeros((entries, 2)), context.zeros(entries, "i4", order="F")]
        lists = [halocline.IndexNeighbour(0, [0], [2])] if context.rank == 0 else []
        if entries:
            fields[0][:2] = [[1, 2], [3, 4]]
        with halocline.IndexHalo(context, fields, lists) as halo:
            halo.swap()
        with pytest.raises(halocline.ArgumentError, match="Python objects"):
            context.zeros(1, object)
    assert fields[0].tolist() == [[1, 2], [3, 4], [1, 2]][:entries]


def test_views_show_every_ghost(context, mesh):
    for mode in (*halocline.modes(), None):
        for shape, turned in (((2,), False), ((3, 2), False), ((2,), True)):
            base = context.zeros((*shape, len(mesh.number)) if turned else (len(mesh.number), *shape))
            field = base.T if turned else base
            with halocline.IndexHalo(context, [field], mesh.neighbours, mode=mode) as halo:
                for _ in range(3):
                    mesh.filled(field)
                    halo.start()
                    halo.finish_views()
                    wanted = mesh.expected(field.shape[1:])
                    for i, neighbour in enumerate(mesh.neighbours):
                        view = halo.view(i)
                        assert np.array_equal(view.values(), wanted[np.asarray(neighbour.receive, int)]), (mode, i, shape)
                        assert len(view.places) == 0 or not view.array.flags.writeable
                    halo.release()
                with pytest.raises(halocline.ArgumentError, match="neighbour is 99"):
                    halo.view(99)
    assert view.array.shape[1:] == (2,)  # it stays valid


def test_explains_its_mode(context, mesh):
    field = context.zeros((len(mesh.number),))
    with halocline.IndexHalo(context, [field], mesh.neighbours, mode="notify") as halo:
        assert "notify was asked for" in halo.explain()
        assert halo.explanation()["asked"] == "notify"
        for wrong in ("u", [], ["u"], 1):
            with pytest.raises(halocline.ArgumentError, match="fields is"):
                halo.swap(wrong)
