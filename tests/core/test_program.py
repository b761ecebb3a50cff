"""Programs of pointwise kernels mean what the graph means: interpreted, they give its bits."""

import numpy as np
import pytest
from hypothesis import given

from muntin.core.graph import build
from muntin.core.graph.node import AxisMap, View
from muntin.core.program import Apply, Builder, Const, For, If, Set, Var, While, index
from muntin.dtypes import DTYPES
from muntin.runtime.reference import ReferenceDevice
from tests.pointwise import graphs, hard_values, interpreted, node_of, rows_of, same_bits

I64 = DTYPES["int64"]


def check(roots, **rest):
    expected = ReferenceDevice().evaluate(roots, [None] * len(roots))
    for root, a, b in zip(roots, interpreted(roots, **rest), expected, strict=True):
        assert same_bits(a, b), (root, a, b)


@pytest.mark.parametrize("dtype", DTYPES.values(), ids=str)
def test_every_row_gives_the_bits_of_its_reference(dtype):
    for root in rows_of(dtype):
        check([root])


@pytest.mark.parametrize("source", DTYPES.values(), ids=str)
def test_every_cast_gives_the_bits_of_the_reference(source):
    values = node_of(hard_values(source, 64))
    for target in DTYPES.values():
        if target is not source:
            check([build.cast(values, target), build.cast(values, target, saturate=True)])


@given(roots=graphs())
def test_random_graphs_give_the_bits_of_the_reference(roots):
    check(roots)
    check(roots, offsets=DTYPES["int32"])


@pytest.mark.parametrize("rank", range(9))
@pytest.mark.parametrize("offsets", ["int32", "int64"])
def test_every_rank_is_walked(rank, offsets):
    shape = (2, 3, 1, 2, 2, 1, 2, 3)[:rank]
    values = np.arange(np.prod(shape, dtype=int), dtype=np.int32).reshape(shape)
    a = node_of(np.asfortranarray(values))
    b = node_of(np.ascontiguousarray(values[..., ::-1] if rank else values))
    roots = [build.elementwise("subtract", a, b)]
    if rank:
        roots.append(build.elementwise("multiply", build.index(rank - 1, shape), a))
        roots.append(build.elementwise("add", build.index(0, shape), b))
    check(roots, offsets=DTYPES[offsets])


def test_views_are_read_where_they_lie():
    values = node_of(np.arange(60, dtype=np.int16).reshape(5, 12))
    flipped = build.view(values, View((AxisMap(1, 10, -3), AxisMap(0, 1, 2))), (3, 2))
    row = build.view(values, View((AxisMap(1, 0, 4),), ((0, 3),)), (3,))
    columns = build.broadcast_to(build.view(row, View((AxisMap(0), AxisMap(None))), (3, 1)), (3, 2))
    check([build.elementwise("subtract", flipped, columns)])


@pytest.mark.parametrize(
    ("affine", "shape"),
    [
        (View((AxisMap(0), AxisMap(1))), (6, 4)),
        (View((AxisMap(0, 5, -2), AxisMap(1))), (3, 4)),
        (View((AxisMap(1), AxisMap(0, 1, 2))), (4, 2)),
        (View((AxisMap(None, 0, 0), AxisMap(0), AxisMap(1))), (2, 6, 4)),
        (View((AxisMap(1),), ((0, 3),)), (4,)),
        (View((), ((0, 3), (1, 2))), ()),
    ],
)
def test_indices_can_be_viewed(affine, shape):
    rows = build.index(0, (6, 4))
    check([build.elementwise("subtract", build.view(rows, affine, shape), 1)])
    twice = build.view(
        build.view(rows, affine, shape), View(tuple(map(AxisMap, range(len(shape))))), shape
    )
    expected = np.broadcast_to(np.arange(6)[:, None], (6, 4))
    same = build.view(node_of(expected), affine, shape)
    found, wanted = ReferenceDevice().evaluate([twice, same], [None] * 2)
    assert np.array_equal(found, wanted)


# --- the language ---------------------------------------------------------------------------------


def test_the_builder_numbers_names():
    b = Builder()
    names = [b.fresh("t", I64).name, b.fresh("t", I64).name, b.fresh("u", I64).name]
    assert names == ["t", "t_1", "u"]
    value = Const(I64, 3)
    assert b.let(value) is value
    assert b.statements() == ()


def test_index_arithmetic_drops_what_changes_nothing():
    x = Var(I64, "x")
    assert x + 0 is x
    assert x * 1 is x
    assert x - 0 is x
    assert index(0) + x is x
    total = 5 + x
    assert isinstance(total, Apply)
    assert total.op.name == "add"
    assert (x < 3).dtype is DTYPES["bool"]


def test_blocks_nest():
    b = Builder()
    n = b.variable(index(0), "n")
    with b.loop("x", index(0), index(9)) as x:
        with b.when(x < 3):
            b.set(n, x)
        with b.otherwise(), b.repeat(n < 5):
            b.set(n, n + 1)
    first, loop = b.statements()
    assert isinstance(first, Set)
    assert isinstance(loop, For)
    (choice,) = loop.body
    assert isinstance(choice, If)
    assert isinstance(choice.then[0], Set)
    assert isinstance(choice.otherwise[0], While)
