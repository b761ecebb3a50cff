"""Counts against `np.bincount`."""

import numpy as np
import pytest

import muntin as mt
from muntin.errors import BoundsError, DTypeError, ParameterError, ShapeError, UnsupportedError


@pytest.mark.usefixtures("device")
@pytest.mark.parametrize("dtype", ["bool", "uint8", "int16", "int64"])
def test_counts_are_numpys(dtype):
    rng = np.random.default_rng(7)
    for size in (0, 1, 5, 4000):
        x = rng.integers(0, 2 if dtype == "bool" else 100, size).astype(dtype)
        weights = rng.normal(size=size)
        wide = x.astype(np.int64)
        np.testing.assert_array_equal(np.asarray(mt.bincount(x)), np.bincount(wide), strict=True)
        for least in (3, 120):
            found = mt.bincount(mt.asarray(x), weights, least)
            np.testing.assert_array_equal(
                np.asarray(found), np.bincount(wide, weights, least).astype(float), strict=True
            )
        found = mt.bincount(x.reshape(1, -1), length=200)
        np.testing.assert_array_equal(np.asarray(found), np.bincount(wide, minlength=200))


def test_counts_of_known_length_are_lazy():
    counts = mt.function(lambda x: mt.bincount(x, length=4))
    np.testing.assert_array_equal(np.asarray(counts(np.array([1, 3, 1]))), [0, 2, 0, 1])
    for bad in (4, -1):
        with pytest.raises(BoundsError, match=f"bincount: index {bad} is out of bounds for axis 0"):
            np.asarray(mt.bincount(np.array([1, bad]), length=4))
    with pytest.raises(UnsupportedError, match=r"bincount: the length follows from .* give length"):
        mt.function(lambda x: mt.bincount(x))(np.array([1, 3, 1]))


@pytest.mark.parametrize(
    ("call", "fault", "words"),
    [
        (lambda x: mt.bincount(x * 0.5), DTypeError, "the numbers are float64"),
        (lambda x: mt.bincount(x, [1, 2]), ShapeError, r"weights have shape \(2,\)"),
        (lambda x: mt.bincount(x, minlength=-1), ParameterError, "minlength is -1"),
        (lambda x: mt.bincount(x, minlength=1, length=2), ParameterError, "give one of them"),
        (lambda x: mt.bincount(-1 - x), BoundsError, "a number is -12; none may be below 0"),
    ],
)
def test_faults_are_told(call, fault, words):
    with pytest.raises(fault, match=words):
        call(mt.asarray(np.arange(12).reshape(4, 3)))
