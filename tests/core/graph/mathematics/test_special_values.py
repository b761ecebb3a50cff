"""Zeros, infinities, NaN and domains as in C's Annex F."""

import math

import numpy as np
import pytest

from muntin.core.graph.mathematics import FUNCTIONS
from muntin.core.graph.ops import OPS

inf, nan = math.inf, math.nan
ODD = (3.0, 1.0, 7.0)
WHOLE = (2.0, 4.0, 16777218.0)
BROKEN = (0.5, 2.5)

ONE = {
    "exp": [(0.0, 1), (-0.0, 1), (-inf, 0.0), (inf, inf), (-1e4, 0.0), (1e4, inf)],
    "exp2": [(0.0, 1), (-inf, 0.0), (inf, inf), (3, 8), (-149, 2.0**-149), (1e9, inf)],
    "expm1": [(0.0, 0.0), (-0.0, -0.0), (-inf, -1), (inf, inf), (-1e4, -1)],
    "sigmoid": [(0.0, 0.5), (-0.0, 0.5), (-inf, 0.0), (inf, 1)],
    "log": [(0.0, -inf), (-0.0, -inf), (1, 0.0), (-1, nan), (-inf, nan), (inf, inf)],
    "log2": [(0.0, -inf), (-0.0, -inf), (1, 0.0), (-1, nan), (inf, inf), (8, 3), (0.25, -2)],
    "log10": [(0.0, -inf), (-0.0, -inf), (1, 0.0), (-1, nan), (inf, inf), (1000, 3), (1e10, 10)],
    "log1p": [(0.0, 0.0), (-0.0, -0.0), (-1, -inf), (-2, nan), (inf, inf), (-inf, nan)],
    "sin": [(0.0, 0.0), (-0.0, -0.0), (inf, nan), (-inf, nan)],
    "cos": [(0.0, 1), (-0.0, 1), (inf, nan), (-inf, nan)],
    "tan": [(0.0, 0.0), (-0.0, -0.0), (inf, nan), (-inf, nan)],
}

TWO = {
    "logaddexp": [
        *[(inf, y, inf) for y in (1.0, inf, -inf)],
        *[(-inf, y, y) for y in (1.0, inf, -inf)],
        *[(nan, y, nan) for y in (1.0, inf, -inf)],
        (1, nan, nan),
    ],
    "power": [
        *[(0.0, -y, inf) for y in (*ODD, *WHOLE, *BROKEN, inf)],
        *[(-0.0, -y, -inf) for y in ODD],
        *[(-0.0, -y, inf) for y in (*WHOLE, *BROKEN, inf)],
        *[(0.0, y, 0.0) for y in (*ODD, *WHOLE, *BROKEN, inf)],
        *[(-0.0, y, -0.0) for y in ODD],
        *[(-0.0, y, 0.0) for y in (*WHOLE, *BROKEN, inf)],
        *[(-1, y, 1) for y in (inf, -inf, *WHOLE)],
        *[(1, y, 1) for y in (0.0, 5, -3.5, inf, -inf, nan)],
        *[(x, y, 1) for x in (0.0, -0.0, 2, -3, inf, -inf, nan) for y in (0.0, -0.0)],
        *[(-2, y, nan) for y in BROKEN],
        *[(x, -inf, inf) for x in (0.5, -0.5)],
        *[(x, -inf, 0.0) for x in (2, -2)],
        *[(x, inf, 0.0) for x in (0.5, -0.5)],
        *[(x, inf, inf) for x in (2, -2)],
        *[(-inf, -y, -0.0) for y in ODD],
        *[(-inf, -y, 0.0) for y in (*WHOLE, *BROKEN)],
        *[(-inf, y, -inf) for y in ODD],
        *[(-inf, y, inf) for y in (*WHOLE, *BROKEN)],
        *[(inf, -y, 0.0) for y in (*ODD, *WHOLE, *BROKEN)],
        *[(inf, y, inf) for y in (*ODD, *WHOLE, *BROKEN)],
        *[(nan, y, nan) for y in (1, -2.5, inf)],
        *[(x, nan, nan) for x in (2, -1, 0.0, inf)],
        (-2, 3, -8),
        (10, 3, 1000),
    ],
}
CASES = [(name, *row) for table in (ONE, TWO) for name, rows in table.items() for row in rows]


def test_every_function_is_listed():
    assert {**ONE, **TWO}.keys() == {function.name for function in FUNCTIONS}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_special_values(case, dtype):
    name, *numbers, wanted = case
    got = OPS[name].reference(*[np.array([number], dtype) for number in numbers])
    wanted = np.array([wanted], dtype)
    np.testing.assert_array_equal(got, wanted, strict=True)
    if not math.isnan(wanted[0]):
        assert np.signbit(got) == np.signbit(wanted)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ONE)
def test_nan_gives_nan(name, dtype):
    assert np.isnan(OPS[name].reference(np.array([nan], dtype)))[0]
