"""Products and sums rounded once are those of exact fractions."""

from fractions import Fraction
from math import copysign, inf, isfinite

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from muntin.core.graph.fused import fused_multiply_add
from muntin.dtypes import DTYPES
from tests.pointwise import hard_values, same_bits

DIGITS = {"float32": (24, -149), "float64": (53, -1074)}


def right(a, b, c, dtype):
    """Return a·b + c rounded to nearest, to even."""
    a, b, c = (float(x) for x in (a, b, c))
    if isfinite(a) and isfinite(b) and not isfinite(c):
        return c
    if not (isfinite(a) and isfinite(b)):
        return float(np.float64(a) * np.float64(b) + np.float64(c))
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact == 0:
        product = copysign(1, a) * copysign(1, b)
        return -0.0 if a * b == 0 and c == 0 and product < 0 and copysign(1, c) < 0 else 0.0
    digits, least = DIGITS[dtype]
    size = abs(exact)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent -= size < Fraction(2) ** exponent
    unit = Fraction(2) ** max(exponent - digits + 1, least)
    whole = round(size / unit)
    rounded = whole * unit
    if rounded > Fraction(float(np.finfo(dtype).max)):
        return inf if exact > 0 else -inf
    return float(rounded) if exact > 0 else -float(rounded)


def check(a, b, c, dtype):
    with np.errstate(all="ignore"):
        got = fused_multiply_add(*[np.array(x, dtype) for x in (a, b, c)])
        wanted = np.array([right(*row, dtype) for row in zip(a, b, c, strict=True)], dtype)
    assert got.dtype == dtype
    assert same_bits(got, wanted)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_hard_values(dtype):
    values = hard_values(DTYPES[dtype], 26)
    check(*[grid.ravel() for grid in np.meshgrid(values, values, values)], dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@given(seed=st.integers(0, 2**32), spread=st.sampled_from([0, 3, 30, 300]))
def test_sums_that_cancel(dtype, seed, spread):
    random = np.random.default_rng(seed)
    scale = 2.0 ** random.integers(-spread, spread + 1, 50) if dtype == "float64" else 1.0
    a, b = (random.choice([-1, 1], 50) * random.uniform(1, 2, 50) * scale for _ in range(2))
    a, b = a.astype(dtype), b.astype(dtype)
    with np.errstate(all="ignore"):
        c = -(a * b) * random.choice([1, 1 + np.finfo(dtype).eps, 2.0**-30, 2.0**30, 2.0**60], 50)
    check(a, b, c.astype(dtype), dtype)


def test_operands_broadcast():
    result = fused_multiply_add(np.full((2, 1), 2.0), np.array([3.0, 4.0]), np.float64(1.0))
    np.testing.assert_array_equal(result, [[7.0, 9.0], [7.0, 9.0]])


def test_single_numbers_are_taken():
    for a in (np.float64(2.0), np.float64(2.0**480), np.float32(2.0)):
        assert fused_multiply_add(a, a, type(a)(1)) == np.float64(a) * np.float64(a) + 1
