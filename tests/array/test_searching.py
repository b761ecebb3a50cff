"""Places in sorted arrays are NumPy's."""

import numpy as np
import pytest

import muntin as mt
from muntin.errors import BoundsError, ParameterError, ShapeError


@pytest.mark.parametrize("device", ["cpu", "reference"])
@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("dtype", ["uint8", "int32", "uint64", "float32", "float64"])
def test_places_are_numpys(dtype, side, device):
    rng = np.random.default_rng(0)
    for size in (0, 1, 2, 3, 7, 8, 1000):
        table = np.sort(rng.integers(0, 90, size)).astype(dtype)
        numbers = rng.integers(0, 100, (5, 7)).astype(dtype)
        if numbers.dtype.kind == "f":
            numbers[0, :3] = np.nan, np.inf, -0.0
            table[-2:] = np.nan
        with mt.use(device):
            found = np.asarray(mt.searchsorted(mt.asarray(table), numbers.T[::-1], side=side))
        np.testing.assert_array_equal(
            found, np.searchsorted(table, numbers.T[::-1], side=side), strict=True
        )


def test_types_meet_and_a_sorter_sorts():
    table, numbers = np.array([5, 1, 3], np.int8), np.array([2.5, 3.0])
    order = np.argsort(table)
    for side in ("left", "right"):
        found = np.asarray(mt.searchsorted(table, numbers, side=side, sorter=order))
        np.testing.assert_array_equal(
            found, np.searchsorted(table, numbers, side=side, sorter=order)
        )
    assert np.asarray(mt.searchsorted(table, np.zeros((0, 2)))).shape == (0, 2)
    assert int(mt.searchsorted(np.array([1, 2, 3]), 2)) == 1
    large = mt.asarray(np.arange(1000.0))
    assert str(mt.explain(mt.searchsorted(large, np.zeros(9) + 5))).startswith("1 kernel")


def test_faults_are_told():
    with pytest.raises(ParameterError, match="side is 'middle'"):
        mt.searchsorted([1, 2], [1], side="middle")
    with pytest.raises(ShapeError, match=r"searchsorted: the sorted array has shape \(1, 2\)"):
        mt.searchsorted([[1, 2]], [1])
    with pytest.raises(BoundsError, match="9 is out of bounds"):
        np.asarray(mt.searchsorted(np.array([1, 2]), np.array([1]), sorter=np.array([0, 9])))
