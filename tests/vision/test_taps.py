"""Taps are symmetric, whole and add up; matrices are factored only where that is exact."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from muntin.vision.taps import UNIT, binomial, fixed_point, normal, separate

WHOLE = st.lists(st.integers(-9, 9), min_size=1, max_size=5)


@pytest.mark.parametrize("size", range(1, 64, 2))
@pytest.mark.parametrize("sigma", [0.1, 0.5, 1, 3.3, 40])
def test_fixed_point_taps(size: int, sigma: float) -> None:
    exact = normal(size, sigma)
    taps = fixed_point(exact)
    assert sum(taps) == UNIT
    assert taps == taps[::-1]
    assert all(abs(tap - UNIT * weight) < 1.0001 for tap, weight in zip(taps, exact, strict=True))


def test_binomial_taps() -> None:
    assert binomial(1) == [1]
    assert binomial(5) == [1, 4, 6, 4, 1]
    assert binomial(7) == [1, 6, 15, 20, 15, 6, 1]


@given(WHOLE, WHOLE)
def test_products_are_factored(column: list[int], row: list[int]) -> None:
    matrix = [[a * b for b in row] for a in column]
    factors = separate(matrix)
    if not any(map(any, matrix)):
        assert factors is None
        return
    assert factors is not None
    left, right = factors
    assert [[a * b for b in right] for a in left] == matrix
    assert all(isinstance(tap, int) for tap in (*left, *right))


@given(st.lists(st.lists(st.integers(-3, 3), min_size=3, max_size=3), min_size=3, max_size=3))
def test_only_products_are_factored(matrix: list[list[int]]) -> None:
    has_rank_one = np.linalg.matrix_rank(np.array(matrix)) == 1
    assert (separate(matrix) is not None) == has_rank_one


@given(
    st.lists(st.floats(-4, 4, width=32), min_size=1, max_size=3),
    st.lists(st.floats(-4, 4, width=16), min_size=1, max_size=3),
)
def test_factors_of_floats_are_exact(column: list[float], row: list[float]) -> None:
    matrix = [[a * b for b in row] for a in column]
    factors = separate(matrix)
    if factors is None:
        return
    for line, a in zip(matrix, factors[0], strict=True):
        for weight, b in zip(line, factors[1], strict=True):
            assert Fraction(a) * Fraction(b) == Fraction(weight)
