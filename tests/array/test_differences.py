"""Differences of neighbours, against NumPy's."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import muntin as mt
from muntin.errors import ParameterError, ShapeError

pytestmark = pytest.mark.usefixtures("device")
TYPES = ["bool", "uint8", "int16", "int64", "float32"]


@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_differences_are_numpys(data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from(TYPES))
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=5))
    values = np.random.default_rng(1).integers(0, 256, shape).astype(dtype)
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    times = data.draw(st.integers(0, 6))
    expected = np.diff(values, times, axis)
    np.testing.assert_array_equal(
        np.asarray(mt.diff(values, axis=axis, n=times)), expected, strict=True
    )
    np.testing.assert_array_equal(
        np.asarray(np.diff(mt.asarray(values), times, axis)), expected, strict=True
    )


def test_more_may_stand_before_and_after() -> None:
    x = np.array([[1, 4, 9], [2, 2, 2]])
    for axis in (0, 1):
        more = x[:1] if axis == 0 else x[:, :2]
        for prepend, append in ((0, None), (None, more), (more, 7), (5, more)):
            given = {"prepend": prepend, "append": append}
            expected = np.diff(x, axis=axis, **{k: v for k, v in given.items() if v is not None})
            found = mt.diff(x, axis=axis, prepend=prepend, append=append)
            np.testing.assert_array_equal(np.asarray(found), expected, strict=True)


def test_what_has_no_differences() -> None:
    with pytest.raises(ParameterError, match="diff: n is -1; give 0 or more"):
        mt.diff([1, 2], n=-1)
    with pytest.raises(ShapeError, match="diff: axis -1 is out of bounds"):
        mt.diff(3)
