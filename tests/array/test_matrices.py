"""Matrices by their diagonals, against NumPy's."""

import numpy as np
import pytest

import muntin as mt
from muntin.errors import ShapeError

DIAGONALS = range(-6, 7)


@pytest.mark.usefixtures("device")
class TestValues:
    @pytest.mark.parametrize("k", DIAGONALS)
    def test_identities_are_numpys(self, k):
        for shape in ((3, 5), (4, None), (0, 3), (3, 0)):
            found = np.asarray(mt.eye(*shape, k=k, dtype="int16"))
            np.testing.assert_array_equal(found, np.eye(*shape, k=k, dtype="int16"), strict=True)

    @pytest.mark.parametrize("k", DIAGONALS)
    def test_parts_are_numpys(self, k):
        array = np.arange(30, dtype=np.float32).reshape(2, 3, 5) + 1
        x = mt.asarray(array)
        for found, expected in [
            (mt.tril(x, k=k), np.tril(array, k)),
            (mt.triu(x, k=k), np.triu(array, k)),
            (mt.triu(mt.tril(x, k=k), k=-1) + x, np.triu(np.tril(array, k), -1) + array),
            (mt.tril(mt.triu(x), k=k), np.tril(np.triu(array), k)),
        ]:
            np.testing.assert_array_equal(np.asarray(found), expected, strict=True)

    @pytest.mark.parametrize("k", DIAGONALS)
    def test_a_diagonal_is_numpys(self, k):
        array = np.arange(30, dtype=np.float32).reshape(2, 3, 5)
        x = mt.asarray(array)
        for found, expected in [
            (mt.diagonal(x, offset=k), array.diagonal(k, 1, 2)),
            (mt.diagonal(x[0].T, offset=k) + 1, array[0].T.diagonal(k) + 1),
            (mt.diagonal(x * 2, offset=k), array.diagonal(k, 1, 2) * 2),
            (mt.diagonal(x[:, :0], offset=k), array[:, :0].diagonal(k, 1, 2)),
        ]:
            np.testing.assert_array_equal(np.asarray(found), expected, strict=True)
        out = np.zeros((2, mt.diagonal(x, offset=k).shape[1]), np.float32)
        mt.diagonal(x, offset=k).eval(out=out)
        np.testing.assert_array_equal(out, array.diagonal(k, 1, 2))


def test_diagonals_are_known():
    x = mt.asarray(np.ones((4, 4)))
    assert mt.eye(4).part == "diagonal"
    assert mt.eye(4).dtype == np.float64
    assert (mt.tril(x).part, mt.triu(x).part) == ("lower", "upper")
    assert (mt.tril(x, k=1).top_diagonal, mt.triu(x, k=2).bottom_diagonal) == (1, 2)
    assert mt.triu(mt.tril(x)).part == "diagonal"
    assert (mt.tril(x, k=9).part, mt.tril(x, k=9).top_diagonal) == ("entire", 3)
    assert mt.tril(x.to("reference")).device == "reference"
    assert mt.eye(2, device="reference").device == "reference"


def test_matrices_have_two_axes():
    for name in ("tril", "triu", "diagonal"):
        with pytest.raises(
            ShapeError, match=rf"{name}: an array of 1 axes, shape \(3,\); it takes"
        ):
            getattr(mt, name)(np.zeros(3))
