"""The blocks of Python of docs/python.md and of the package's README run as they stand there, on two ranks, with what their pages take for
granted.

SPDX-License-Identifier: BSD-3-Clause
"""
import re
from pathlib import Path

import numpy as np
import pytest

import halocline

PAGE = Path(__file__).resolve().parents[3] / "docs" / "python.md"
BLOCKS = dict(re.findall(r"^## ([^\n]+)\n(?:(?!^## ).)*?^```python\n(.*?)^```", PAGE.read_text(), re.S | re.M))


def test_every_block_is_run_here():
    assert len(BLOCKS) == PAGE.read_text().count("```python") == 8


def run(heading, **names):
    """The names after the block."""
    exec(compile(BLOCKS[heading], f"{PAGE}: {heading}", "exec"), names)  # noqa: S102 - the page is this repository's
    return names


@pytest.fixture
def pair(context):
    if context.size != 2:
        pytest.skip("the blocks are for two ranks")
    return context


def test_the_five_steps(pair):
    assert run("The five steps")["u"].array.shape == (514, 258)


def test_the_block_of_the_readme(pair):
    blocks = re.findall(r"^```python\n(.*?)^```", (PAGE.parents[1] / "bindings" / "python" / "README.md").read_text(), re.S | re.M)
    assert len(blocks) == 1
    names = {}
    exec(compile(blocks[0], "README.md", "exec"), names)  # noqa: S102 - the page is this repository's
    assert {names["u"].array.min(), names["u"].array.max()} == {0, 1}


def test_with_mpi4py(pair):
    pytest.importorskip("mpi4py")
    assert run("With mpi4py")["context"].size == 2


def test_staggered_fields(pair):
    grid = halocline.Grid(pair, (16, 8), periodic=True)
    found = run("Staggered fields", halocline=halocline, grid=grid)
    assert [found[name].interior.shape for name in "huq"] == [grid.local, (grid.local[0] + 1, grid.local[1]), grid.local]


def test_unstructured_meshes(pair):
    found = run("Unstructured meshes", context=pair, halocline=halocline, entries=20, other=1 - pair.rank)
    assert found["u"].shape == (20, 3)


def test_blocks(pair):
    found = run("Blocks", context=pair, halocline=halocline)
    assert [array.shape for array in found["u"]] == [(6, 10), (6, 6)]

def test_boxes_with_staggered_fields(pair):
    found = run("Boxes with staggered fields", **run("Blocks", context=pair, halocline=halocline))
    assert [array.shape for array in found["v"]] == [(9, 12), (9, 8)]


def test_messages_whose_receivers_do_not_expect_them(pair):
    found = run("Messages whose receivers do not expect them", context=pair, halocline=halocline, right=1 - pair.rank,
                leaving=np.ones(3), others=np.zeros(2))
    assert found["origin"] in (0, 1)


def test_other_patterns(pair):
    a, b, c, d = (np.full(5, pair.rank, float) for _ in range(4))
    counters = halocline.Segment(pair, 10, "i8")
    found = run("Other patterns", context=pair, halocline=halocline, numpy=np, left=1 - pair.rank, right=1 - pair.rank, a=a, b=b, c=c, d=d,
                values=np.arange(4.0), column=np.ones((7, 3))[:, 1], counters=counters, offsets=[0, 1, 2],
                mine=np.full((3, 4), pair.rank + 1.0))
    assert b[0] == d[0] == 1 - pair.rank
    np.testing.assert_array_equal(found["total"], np.full((3, 4), 3.0))
