"""Sparse exchanges: every message arrives once, whole, with the rank that sent it.

SPDX-License-Identifier: BSD-3-Clause
"""
import gc
import weakref

import numpy as np
import pytest

import halocline


def message(origin, target, step, count):
    """Elements that say from whom they are, for whom, and of which exchange."""
    return origin * 1e6 + target * 1e5 + step * 1e4 + np.arange(count)


def targets_of(rank, size, step):
    """To how many elements a rank sends, by target: none to some, several thousand to others."""
    return [((rank + 1 + k + step) % size, (0, 3, 700, 5000)[(rank + k) % 4]) for k in range((rank + step) % 4)]


def test_every_message_arrives_once(context):
    rank, size = context.rank, context.size
    with halocline.SparseExchange(context, "f8", name="particles") as exchange:
        for step in range(6):
            sent = [(target, message(rank, target, step, count)) for target, count in targets_of(rank, size, step)]
            arrived = exchange.exchange(sent)
            due = [(origin, count) for origin in range(size) for target, count in targets_of(origin, size, step) if target == rank]
            assert [(one.origin, one.data.size) for one in sorted(arrived, key=lambda m: (m.origin, m.data.size))] == sorted(due)
            assert [one.origin for one in arrived] == sorted(one.origin for one in arrived)
            for origin, data in arrived:
                np.testing.assert_array_equal(data, message(origin, rank, step, data.size))


def test_an_exchange_while_something_else_is_computed(context):
    right = (context.rank + 1) % context.size
    with halocline.SparseExchange(context, "i4", slots=2) as exchange:
        exchange.start([(right, np.full((2, 3), context.rank, "i4")), (context.rank, np.zeros(0, "i4"))])
        gc.collect()
        with pytest.raises(halocline.StateError, match=r"SparseExchange\.start"):
            exchange.start([])
        while not exchange.test():
            pass
        arrived = exchange.finish()
        assert sorted((one.origin, one.data.tolist()) for one in arrived) == sorted(
            [(context.rank, []), ((context.rank - 1) % context.size, [(context.rank - 1) % context.size] * 6)]
        )
        assert exchange.exchange([]) == []


def test_messages_outlive_everything():
    with halocline.Context() as context, halocline.SparseExchange(context) as exchange:
        (one,) = exchange.exchange([((context.rank + 1) % context.size, b"from %d" % context.rank)])
    assert bytes(one.data) == b"from %d" % one.origin
    one.data[0] = 0
    with pytest.raises(halocline.StateError, match="closed"):
        exchange.exchange([])


def test_wrong_messages_are_refused_and_the_exchange_goes_on(context):
    with halocline.SparseExchange(context, "f8") as exchange:
        with pytest.raises(halocline.ArgumentError, match="message 1 has dtype float32"):
            exchange.start([(context.rank, np.zeros(2)), (context.rank, np.zeros(2, "f4"))])
        with pytest.raises(halocline.ArgumentError, match="not contiguous"):
            exchange.start([(context.rank, np.zeros(4)[::2])])
        with pytest.raises(halocline.ArgumentError, match="rank"):
            exchange.start([(context.size, np.zeros(2))])
        with pytest.raises(halocline.StateError, match=r"SparseExchange\.finish"):
            exchange.finish()
        sent = np.ones(2)
        kept = weakref.ref(sent)
        exchange.start([(context.rank, sent)])
        del sent
        gc.collect()
        assert kept() is not None
        assert exchange.finish()[0].data.tolist() == [1, 1] and kept() is None
    with pytest.raises(halocline.ArgumentError, match="Python objects"):
        halocline.SparseExchange(context, object)
    with pytest.raises(halocline.ArgumentError, match="slots"):
        halocline.SparseExchange(context, slots=-1)
