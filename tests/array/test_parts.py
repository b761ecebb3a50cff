"""Triangular parts of matrices, and how diagonals follow through expressions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import muntin as mt
from muntin.errors import ParameterError, ShapeError

pytestmark = pytest.mark.usefixtures("device")

PARTS = {
    "entire": lambda a: a,
    "lower": np.tril,
    "upper": np.triu,
    "diagonal": lambda a: np.triu(np.tril(a)),
}


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("shape", [(4, 4), (3, 5), (5, 3), (1, 4), (2, 3, 3), (0, 3), (1, 1)])
def test_a_part_is_seen_and_the_rest_is_zero(shape: tuple[int, ...], part: str) -> None:
    matrix = np.arange(1.0, np.prod(shape) + 1).reshape(shape)
    if part == "upper":
        matrix[..., 1:, :1] = np.nan  # never seen
    x = mt.asarray(matrix, part=part)
    np.testing.assert_array_equal(np.asarray(x), PARTS[part](matrix), strict=True)


def test_diagonals_are_known_and_kept() -> None:
    square = np.ones((4, 4))
    lower = mt.asarray(square, part="lower")
    assert (lower.part, lower.bottom_diagonal, lower.top_diagonal) == ("lower", -3, 0)
    assert lower.eval().part == "lower"
    upper = mt.asarray(square, part="upper")
    assert (upper.part, upper.bottom_diagonal, upper.top_diagonal) == ("upper", 0, 3)
    diagonal = mt.asarray(square, part="diagonal")
    assert (diagonal.part, diagonal.bottom_diagonal, diagonal.top_diagonal) == ("diagonal", 0, 0)
    entire = mt.asarray(square)
    assert (entire.part, entire.bottom_diagonal, entire.top_diagonal) == ("entire", -3, 3)
    assert mt.function(lambda x: x * 2)(lower).part == "lower"


def test_diagonals_follow_the_rules_of_operations() -> None:
    square = np.ones((4, 4))
    entire, lower, upper = (mt.asarray(square, part=part) for part in ("entire", "lower", "upper"))
    results = {
        "lower": [lower + lower, lower * entire, -lower, abs(lower).keep(), lower.astype("int8"),
                  upper.T, lower * 3, lower[:3], lower[1:, 1:], mt.sqrt(lower), lower[:, 1:]],
        "upper": [upper - upper, entire * upper, lower.T],
        "diagonal": [lower * upper, (lower * upper) + (upper * lower)],
        "entire": [lower + upper, lower + 1, lower == 0, mt.where(lower > 0, lower, 1), lower[::-1],
                   lower[0], lower / lower, lower.at(0, 1)],
    }  # fmt: skip
    for part, arrays in results.items():
        assert [array.part for array in arrays] == [part] * len(arrays)
    assert lower[:, 1:].top_diagonal == -1
    assert lower[1:].top_diagonal == 1


@settings(max_examples=25)
@given(data=st.data())
def test_elements_outside_the_diagonals_are_zero(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 5))

    def draw(depth: int) -> mt.Array:
        if depth == 0:
            part = data.draw(st.sampled_from(sorted(PARTS)))
            return mt.asarray(np.arange(1, n * n + 1).reshape(n, n), part=part, axes=None)
        kind = data.draw(st.integers(0, 5))
        x = draw(depth - 1)
        if kind == 0:
            return x + draw(depth - 1)
        if kind == 1:
            return x * draw(depth - 1)
        if kind == 2:
            return mt.asarray(x.T, axes="yx")
        if kind == 3:
            return -x
        return (x & draw(depth - 1)) if kind == 4 else (x | draw(depth - 1))

    x = draw(3)
    start = data.draw(st.integers(0, n - 1))
    for y in (x, x[start:], x[:, start:]):
        i, j = np.indices(y.shape)
        outside = (j - i < y.bottom_diagonal) | (j - i > y.top_diagonal)
        with mt.use("reference"):
            assert not np.asarray(y + 0)[outside].any()


def test_parts_are_checked() -> None:
    with pytest.raises(
        ParameterError, match="asarray: part is 'left'; use one of entire, lower, u"
    ):
        mt.asarray(np.ones((2, 2)), part="left")
    with pytest.raises(
        ShapeError, match="asarray: part 'lower' of an array of 1 axes; it takes two"
    ):
        mt.asarray(np.ones(2), part="lower")
    with pytest.raises(
        ShapeError, match="top_diagonal: an Array of 1 axes has no diagonals; it ta"
    ):
        mt.asarray(np.ones(2)).top_diagonal  # noqa: B018
    assert mt.asarray(np.ones(2)).part == "entire"
