"""What the tests share: a context, and a value for every cell that says whose it is.

SPDX-License-Identifier: BSD-3-Clause
"""
import os

import numpy as np
import pytest

import halocline

POISON = -777.0


def pytest_configure(config):
    # One line per rank, beside that of other ranks.
    config.option.verbose = -1


@pytest.fixture(scope="session")
def context():
    with halocline.Context() as made:
        # The launcher of another MPI would start that many processes of one rank each.
        assert made.size == int(os.environ.get("HALOCLINE_TEST_RANKS", made.size))
        yield made


def value(*index):
    """A value for a global cell, different for each."""
    number = np.zeros(np.broadcast_shapes(*(np.shape(i) for i in index)))
    for i in index:
        number = number * 1000 + i + 1
    return number


def coordinates(grid, low, high):
    """Global coordinates of all cells of a block with its halo, wrapped, one array per dimension."""
    axes = [np.arange(first - below, first + count + above) % cells
            for first, count, below, above, cells in zip(grid.start, grid.local, low, high, grid.shape)]
    return np.meshgrid(*axes, indexing="ij")


def filled(field):
    """Writes the values of the block, and poison around it."""
    field.array[...] = POISON
    inside = tuple(slice(low, low + count) for low, count in zip(field.low, field.grid.local))
    field.array[inside] = value(*coordinates(field.grid, field.low, field.high))[inside].astype(field.dtype)
    return field
