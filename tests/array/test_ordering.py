"""What is in order, what is different, and where it is: as NumPy finds it."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import muntin as mt
from muntin import vision as vx
from muntin.errors import BorderError, ShapeError, UnsupportedError

DTYPES = ("bool", "uint8", "int64", "uint64", "float16", "float32", "float64")


def some(data: st.DataObject, least: int = 1) -> np.ndarray:
    dtype = data.draw(st.sampled_from(DTYPES))
    shape = data.draw(hnp.array_shapes(min_dims=least, max_dims=3, min_side=0, max_side=9))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    x = rng.integers(0, 5, shape).astype(dtype)
    if x.dtype.kind == "f":
        x[x == 4] = np.nan
        x[x == 3] = -0.0
    x = x.transpose(data.draw(st.permutations(range(x.ndim))))
    return x[::-1] if x.ndim else x


@given(data=st.data())
def test_sorted_elements_and_their_places(data: st.DataObject) -> None:
    x = some(data)
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    descending = data.draw(st.booleans())
    lazy = mt.asarray(x)
    found = np.asarray(mt.sort(lazy, axis=axis, descending=descending))
    places = mt.argsort(lazy, axis=axis, descending=descending)
    assert (found.dtype, places.dtype) == (x.dtype, np.int64)
    np.testing.assert_array_equal(np.take_along_axis(x, np.asarray(places), axis), found)
    wanted = np.sort(x, axis=axis)
    np.testing.assert_array_equal(found, np.flip(wanted, axis) if descending else wanted)
    step = np.diff(np.asarray(places), axis=axis)
    alike = np.take_along_axis(x, np.asarray(places), axis)
    first, second = (np.delete(alike, end, axis) if alike.size else alike for end in (-1, 0))
    if alike.size:
        assert (step[first == second] > 0).all()  # equal elements keep their order


@given(data=st.data())
def test_different_elements(data: st.DataObject) -> None:
    x = some(data, least=0) if data.draw(st.booleans()) else some(data)
    found = mt.unique_all(mt.asarray(x) if data.draw(st.booleans()) else x)
    values, indices, places, counts = map(np.asarray, found)
    np.testing.assert_array_equal(values, np.unique(x, equal_nan=False), strict=True)
    np.testing.assert_array_equal(x.ravel()[indices], values)
    np.testing.assert_array_equal(values[places], x)
    assert counts.sum() == x.size
    assert [each.dtype for each in (indices, places, counts)] == [np.int64] * 3
    assert (places.shape, values.dtype) == (x.shape, x.dtype)
    for part, names in (
        (mt.unique_counts(x), ("values", "counts")),
        (mt.unique_inverse(x), ("values", "inverse_indices")),
    ):
        assert part._fields == names
        for name in names:
            np.testing.assert_array_equal(getattr(part, name), getattr(found, name))
    np.testing.assert_array_equal(mt.unique_values(x), values)


@given(data=st.data())
def test_places_of_what_is_not_zero(data: st.DataObject) -> None:
    x = some(data)
    for found, wanted in zip(mt.nonzero(x), np.nonzero(x), strict=True):
        np.testing.assert_array_equal(np.asarray(found), wanted, strict=True)


def test_expressions_are_computed_and_devices_kept() -> None:
    x = mt.asarray(np.array([3, 1, 2]))
    assert mt.sort(-x).tolist() == [-3, -2, -1]
    committed = mt.asarray(np.array([3, 1, 2]), device="reference")
    assert mt.sort(committed).device == mt.unique_all(committed).counts.device == "reference"


def test_numpys_functions_of_arrays() -> None:
    x = mt.asarray(np.array([[3, 0], [1, 2]]))
    for function in (np.sort, np.argsort):
        for kwargs in ({}, {"axis": 0}, {"axis": None}):
            found: Any = function(x, **kwargs)
            assert isinstance(found, mt.Array)
            np.testing.assert_array_equal(found, function(np.asarray(x), **kwargs))
    assert [each.tolist() for each in np.nonzero(x)] == [[0, 1, 1], [0, 0, 1]]
    assert np.searchsorted(np.array([0, 2]), x, side="right").tolist() == [[2, 1], [1, 2]]


def test_faults_are_told() -> None:
    x = np.zeros((3, 4))
    with pytest.raises(ShapeError, match=r"sort: .*axis 2"):
        mt.sort(x, axis=2)
    with pytest.raises(ShapeError, match="nonzero: the array has no axis"):
        mt.nonzero(np.float32(3))
    partly = vx.box(np.zeros((5, 6), np.uint8), border="undefined")
    for function in (mt.sort, mt.argsort, mt.nonzero, mt.unique_all, mt.unique_values):
        with pytest.raises(BorderError, match=f"{function.__name__}: .*valid"):
            function(partly)
        with pytest.raises(UnsupportedError, match=f"{function.__name__}: it needs elements"):
            mt.function(function)(x)
