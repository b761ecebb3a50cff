"""How pointwise kernels walk their arrays."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from muntin.core.graph import build
from muntin.core.lower.elementwise import lower_elementwise
from muntin.core.lower.walk import Walk, walk
from muntin.core.program import POINTER
from muntin.core.regions import Box
from muntin.dtypes import DTYPES
from muntin.errors import InternalError

F32 = DTYPES["float32"]


def test_contiguous_arrays_are_one_row():
    found = walk(Box.full((3, 4)), [(16, 4)], [(4, 1)], merges=True)
    assert found == Walk((12,), ((4,), (1,)), (0, 0), ())
    assert found.extent == (1, 1, 12)


def test_arrays_with_gaps_keep_their_axes():
    found = walk(Box.full((2, 3, 4)), [(96, 32, 4)], [(48, 16, 4)], merges=True)
    assert found.sizes == (6, 4)
    assert found.extent == (1, 6, 4)
    assert walk(Box.full((5, 2, 3)), [(7, 100, 1)], [(6, 3, 1)], merges=True).extent == (5, 2, 3)


def test_single_elements_and_empty_boxes():
    assert walk(Box.full(()), [], [()], merges=True).extent == (1, 1, 1)
    assert walk(Box.full((2, 0)), [], [(0, 4)], merges=True).extent == (1, 1, 0)


def test_axes_with_a_meaning_stay():
    found = walk(Box((1, 2), (3, 4)), [(16, 4)], [(4, 1)], merges=False)
    assert found == Walk((2, 2), ((16, 4), (4, 1)), (24, 6), (1, 2))


def test_slots_follow_the_order_of_the_program():
    found = walk(Box((0, 1, 2, 0), (2, 3, 4, 5)), [(9, 8, 7, 6)], [(5, 4, 3, 2)], merges=False)
    assert found.slots([77], has_index=False) == [22, 9, 8, 7, 6, 10, 5, 4, 3, 2, 77, 2, 2]
    assert found.slots([], has_index=True)[-4:] == [0, 1, 2, 0]
    image, number = build.input_node(0, (2, 3, 4, 5), F32), build.scalar(0, F32)
    index = build.cast(build.index(1, (2, 3, 4, 5)), F32)
    total = build.elementwise("add", build.elementwise("add", image, number), index)
    nodes = [image, number, index.args[0], index, total.args[0], total]
    program = lower_elementwise(nodes, [total], rank=4)
    assert [var.dtype is POINTER for var in program.slots].index(True, 1) == 5
    assert len(program.slots) == len(found.slots([77], has_index=True))


@pytest.mark.parametrize(("stride", "short"), [(4, True), (2**30, False), (-(2**30), False)])
def test_long_walks_are_told(stride, short):
    assert walk(Box.full((3,)), [(stride,)], [(4,)], merges=True).is_short == short


def test_walks_with_many_elements_are_long():
    assert not walk(Box.full((1 << 16, 1 << 15)), [(0, 0)], [(0, 0)], merges=False).is_short


@given(
    shape=st.lists(st.integers(1, 4), max_size=5).map(tuple),
    order=st.randoms(),
    steps=st.lists(st.sampled_from([1, 2, -1]), min_size=5, max_size=5),
)
def test_merged_walks_visit_the_same_elements(shape, order, steps):
    axes = list(range(len(shape)))
    order.shuffle(axes)
    array = np.empty([shape[axis] * abs(steps[axis]) for axis in axes], np.int8)
    array = array.transpose(np.argsort(axes))
    view = array[tuple(slice(None, None, step) for step in steps[: len(shape)])]
    lines = (view.strides, np.empty(shape, np.int16).strides)
    found = walk(Box.full(shape), lines[:1], lines[1:], merges=True)
    assert visited(found.sizes, found.strides) == visited(shape, lines)


def visited(sizes, lines):
    """Return the pairs of offsets that are visited together."""
    return {tuple(int(np.dot(p, line)) for line in lines) for p in np.ndindex(tuple(sizes))}


def test_leaves_are_numbered_from_0():
    image = build.input_node(1, (3,), F32)
    with pytest.raises(InternalError, match=r"input nodes are numbered \[1\]"):
        lower_elementwise([image], [image], rank=1)


def test_other_work_is_refused():
    image = build.input_node(0, (3,), F32)
    kept = build.keep(image)
    with pytest.raises(InternalError, match=r"a node of kind 'keep' is not pointwise; the plan"):
        lower_elementwise([image, kept], [kept], rank=1)
