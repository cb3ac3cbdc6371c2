#!/usr/bin/env python3
"""What `halocline advise` concludes from recordings that this test makes up: grids, shares, words. Nothing is launched.

SPDX-License-Identifier: BSD-3-Clause
"""
import itertools
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bindings" / "python" / "src"))

from halocline.command.advice import conclusion, grids, replaying


def swap(shape, periodic, box=False, fields=1, skip_self=False):
    """The messages of one step in a grid of ranks, by a loop of its own."""
    found = []
    for at in itertools.product(*map(range, shape)):
        for step in itertools.product((-1, 0, 1), repeat=len(shape)):
            to = [x + dx for x, dx in zip(at, step)]
            if not any(step) or (sum(map(abs, step)) > 1 and not box):
                continue
            if any(not 0 <= x < size and not wraps for x, size, wraps in zip(to, shape, periodic)):
                continue
            sender, receiver = number(at, shape), number([x % size for x, size in zip(to, shape)], shape)
            if not (skip_self and sender == receiver):
                found += [replaying.Message(sender, receiver, 0, 64, 64, 64, False)] * fields
    return found


def number(at, shape):
    rank = 0
    for x, size in zip(at, shape):
        rank = rank * size + x
    return rank


def lists(shape, periodic):
    """What MPI_Cart_shift says on each rank."""
    found = []
    for at in itertools.product(*map(range, shape)):
        one = []
        for d, sign in itertools.product(range(len(shape)), (-1, 1)):
            to = [x + (sign if i == d else 0) for i, x in enumerate(at)]
            inside = periodic[d] or 0 <= to[d] < shape[d]
            one.append(number([x % size for x, size in zip(to, shape)], shape) if inside else grids.OUTSIDE)
        found.append(one)
    return found


def fits(value, truth):
    return value is None or value == truth


class Grids(unittest.TestCase):
    def test_two_by_two_ranks_are_told_apart_by_counts(self):
        for periodic in ((False, False), (False, True), (True, False)):
            found = grids.find(swap((2, 2), periodic), 4)
            self.assertEqual((found.shape, found.periodic, found.box), ((2, 2), periodic, False))

    def test_two_fields_and_two_sides_are_not_told_apart(self):
        for messages in (swap((2, 2), (True, True)), swap((2, 2), (False, False), fields=2)):
            found = grids.find(messages, 4)
            self.assertEqual(found.periodic, (None, None))
            text = "\n".join(grids.spec(found, messages))
            self.assertIn("(int[]){2, 2}, (int[]){PERIODIC_X, PERIODIC_Y}", text)
            self.assertIn("PERIODIC_X, PERIODIC_Y: 0 or 1", text)

    def test_a_topology_decides(self):
        for shape in ((2, 2), (1, 4), (4, 1), (1, 1), (2,), (2, 3), (2, 1, 2)):
            for periodic in itertools.product((False, True), repeat=len(shape)):
                messages = swap(shape, periodic)
                if not messages:
                    continue
                found = grids.find(messages, len(lists(shape, periodic)), lists(shape, periodic))
                self.assertEqual((found.shape, found.periodic), (shape, periodic))

    def test_no_value_is_wrong(self):
        for shape in ((2,), (3,), (4,), (2, 2), (2, 3), (3, 2), (4, 2), (3, 3), (2, 2, 2), (1, 3), (2, 1, 2)):
            for periodic, box, fields in itertools.product(itertools.product((False, True), repeat=len(shape)), (False, True), (1, 2)):
                if len(shape) == 1 and box or any(size == 1 and not wraps for size, wraps in zip(shape, periodic)):
                    continue
                found = grids.find(swap(shape, periodic, box, fields), number([x - 1 for x in shape], shape) + 1)
                if found is None:
                    continue
                self.assertTrue(all(map(fits, found.shape, shape)), (shape, periodic, box, fields, found))
                self.assertTrue(all(map(fits, found.periodic, periodic)), (shape, periodic, box, fields, found))
                self.assertTrue(fits(found.box, box), (shape, periodic, box, fields, found))

    def test_messages_to_itself_are_a_periodic_dimension_of_one_rank(self):
        messages = swap((4, 1), (False, True))
        found = grids.find(messages, 4)
        self.assertEqual(set(found.shapes), {(4, 1), (1, 4)})
        self.assertIn("RANKS: {1, 4} or {4, 1}", "\n".join(grids.spec(found, messages)))

    def test_larger_grids_are_found(self):
        for shape, periodic in (((3, 2), (True, False)), ((3, 2), (False, True)), ((2, 3), (True, True)), ((5,), (True,))):
            found = grids.find(swap(shape, periodic), number([x - 1 for x in shape], shape) + 1)
            self.assertEqual((found.shape, found.periodic), (shape, periodic))


class Words(unittest.TestCase):
    def test_pages_are_named_by_their_titles(self):
        titles = {path.read_text().splitlines()[0].removeprefix("# ") for kind in ("howto", "guide")
                  for path in (ROOT / "docs" / kind).glob("*.md")}
        for name in (conclusion.FROM_P2P, conclusion.FROM_RMA, conclusion.EXCHANGE, conclusion.SPARSE):
            self.assertIn(name.split("'")[1], titles)


if __name__ == "__main__":
    unittest.main()
