"""Boxes pulled through a graph, against what a computation really reads."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import muntin as mt
from muntin.core.border import BorderMode
from muntin.errors import BoundsError, UnsupportedError

MODES = ["constant", "replicate", "symmetric", "reflect101", "wrap"]


@given(st.data())
def test_the_box_holds_every_element_that_is_read(data: st.DataObject) -> None:
    shape = data.draw(st.tuples(st.integers(1, 7), st.integers(1, 7)), "shape")
    source = np.zeros(shape)
    x = mt.asarray(source)
    mode = data.draw(st.sampled_from(MODES), "mode")
    offsets = data.draw(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), "offsets")
    y = x.at(*offsets, border=BorderMode(mode)) * 2 + x.at(1, 0)
    step = data.draw(st.sampled_from([1, -1, 2, -2]), "step")
    z = y.T[::step]
    low = [data.draw(st.integers(0, n)) for n in z.shape]
    high = [data.draw(st.integers(a, n)) for a, n in zip(low, z.shape, strict=True)]
    box = mt.Box(tuple(low), tuple(high))
    (need,) = mt.required(z, box)
    assert need.array is source
    with mt.use("reference"):
        for position in np.ndindex(shape):
            if need.box.contains(mt.Box(position, tuple(p + 1 for p in position))):
                continue
            source[position] = 1
        assert not np.asarray(z + 0)[box.slices].any()


def test_a_row_of_a_filter_needs_the_rows_around_it() -> None:
    a, b = np.zeros((20, 30)), np.zeros(30)
    x = mt.asarray(a)
    y = (x.at(-2, 0) + x.at(1, 3)).keep() + b
    first, second = mt.required(y[10], mt.Box((4,), (6,)))
    assert first == (a, mt.Box((8, 4), (12, 9)))
    assert second == (b, mt.Box((4,), (6,)))


def test_a_fixed_index_needs_no_more_than_its_place() -> None:
    x = mt.asarray(np.zeros((4, 5, 3)))
    (need,) = mt.required(x[2, ..., 1] + 1, mt.Box((0,), (5,)))
    assert need.box == mt.Box((2, 0, 1), (3, 5, 2))


def test_a_constant_border_needs_its_image_alone() -> None:
    x = mt.asarray(np.zeros((4, 5)))
    (need,) = mt.required(x.at(0, 1, border=mt.constant(3)), mt.Box((0, 0), (1, 5)))
    assert need.box == mt.Box((0, 1), (1, 5))


def test_an_empty_box_needs_nothing() -> None:
    x = mt.asarray(np.zeros((4, 5)))
    (need,) = mt.required(x.at(1, 1)[::2], mt.Box((1, 1), (1, 3)))
    assert need.box.is_empty


def test_boxes_outside_are_refused() -> None:
    x = mt.asarray(np.zeros((4, 5)))
    with pytest.raises(BoundsError, match=r"required: box \(0, 0\) to \(5, 5\) of an Array of sha"):
        mt.required(x, mt.Box((0, 0), (5, 5)))
    with pytest.raises(BoundsError, match=r"required: box \(0,\) to \(5,\)"):
        mt.required(x, mt.Box((0,), (5,)))


def test_other_objects_are_refused() -> None:
    with pytest.raises(UnsupportedError, match=r"required: box is \(0, 3\); give the first el"):
        mt.required(mt.asarray(np.zeros(3)), (0, 3))  # type: ignore[arg-type]
    with pytest.raises(UnsupportedError, match="required: got a ndarray; it takes an Array"):
        mt.required(np.zeros(3), mt.Box((0,), (1,)))  # type: ignore[arg-type]
