"""The keys of floats are in the order of the floats."""

import numpy as np
import pytest

import muntin as mt
from muntin.core.border import Border, constant
from muntin.dtypes import DTYPES
from muntin.vision.keys import border_of_keys, from_keys, keys

ORDERED = [-np.inf, -1e30, -1.5, -1e-42, -0.0, 0.0, 1e-42, 0.1, 3.0, 1e30, np.inf]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_keys_ascend_and_nan_is_the_greatest(dtype: str) -> None:
    numbers = np.array([*ORDERED, np.nan, -np.nan], dtype)
    with mt.use("reference"):
        found = np.asarray(keys(mt.asarray(numbers)))
    assert found.dtype.itemsize == numbers.dtype.itemsize
    assert (np.diff(found[:-1]) > 0).all()
    assert found[-2] == found[-1] == np.iinfo(found.dtype).max


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_floats_come_back_bit_by_bit(dtype: str) -> None:
    numbers = mt.asarray(np.array(ORDERED, dtype))
    with mt.use("reference"):
        found = np.asarray(from_keys(keys(numbers), [keys(numbers)]))
    assert found.tobytes() == np.array(ORDERED, dtype).tobytes()


def test_nan_among_the_greatest_wins() -> None:
    numbers = mt.asarray(np.float32([1, 2, 3]))
    others = mt.asarray(np.float32([5, np.nan, 0]))
    with mt.use("reference"):
        found = np.asarray(from_keys(keys(numbers), [keys(others), keys(numbers)]))
    np.testing.assert_array_equal(found, np.float32([1, np.nan, 3]))


@pytest.mark.parametrize("value", [*ORDERED[1:4], -0.0, 0, 7, np.nan])
def test_a_constant_border_has_its_key(value: float) -> None:
    border = border_of_keys(constant(value), DTYPES["float32"])
    with mt.use("reference"):
        key = np.asarray(keys(mt.asarray(np.float32([value]))))[0]
    assert border == constant(int(key))


def test_other_borders_stay() -> None:
    assert border_of_keys(Border.of("wrap"), DTYPES["float32"]) == Border.of("wrap")
