"""Zeros, infinities, NaN and domains as in C's Annex F."""

import math

import numpy as np
import pytest

from muntin.core.graph.mathematics import FUNCTIONS
from muntin.core.graph.ops import OPS

inf, nan, pi = math.inf, math.nan, math.pi
ODD = (3.0, 1.0, 7.0)
WHOLE = (2.0, 4.0, 16777218.0)
BROKEN = (0.5, 2.5)

ONE = {
    "exp": [(0.0, 1), (-0.0, 1), (-inf, 0.0), (inf, inf), (-1e4, 0.0), (1e4, inf)],
    "exp2": [(0.0, 1), (-inf, 0.0), (inf, inf), (3, 8), (-149, 2.0**-149), (1e9, inf)],
    "expm1": [(0.0, 0.0), (-0.0, -0.0), (-inf, -1), (inf, inf), (-1e4, -1)],
    "log": [(0.0, -inf), (-0.0, -inf), (1, 0.0), (-1, nan), (-inf, nan), (inf, inf)],
    "log2": [(0.0, -inf), (-0.0, -inf), (1, 0.0), (-1, nan), (inf, inf), (8, 3), (0.25, -2)],
    "log10": [(0.0, -inf), (-0.0, -inf), (1, 0.0), (-1, nan), (inf, inf), (1000, 3), (1e10, 10)],
    "log1p": [(0.0, 0.0), (-0.0, -0.0), (-1, -inf), (-2, nan), (inf, inf), (-inf, nan)],
    "sin": [(0.0, 0.0), (-0.0, -0.0), (inf, nan), (-inf, nan)],
    "cos": [(0.0, 1), (-0.0, 1), (inf, nan), (-inf, nan)],
    "tan": [(0.0, 0.0), (-0.0, -0.0), (inf, nan), (-inf, nan)],
    "asin": [(0.0, 0.0), (-0.0, -0.0), (1, pi / 2), (-1, -pi / 2), (1.5, nan), (-inf, nan)],
    "acos": [(1, 0.0), (-1, pi), (0.0, pi / 2), (-0.0, pi / 2), (1.5, nan), (inf, nan)],
    "atan": [(0.0, 0.0), (-0.0, -0.0), (inf, pi / 2), (-inf, -pi / 2), (1, pi / 4)],
    "sinh": [(0.0, 0.0), (-0.0, -0.0), (inf, inf), (-inf, -inf), (1e4, inf)],
    "cosh": [(0.0, 1), (-0.0, 1), (inf, inf), (-inf, inf), (-1e4, inf)],
    "tanh": [(0.0, 0.0), (-0.0, -0.0), (inf, 1), (-inf, -1), (1e4, 1)],
    "asinh": [(0.0, 0.0), (-0.0, -0.0), (inf, inf), (-inf, -inf)],
    "acosh": [(1, 0.0), (0.5, nan), (-2, nan), (-inf, nan), (inf, inf)],
    "atanh": [(0.0, 0.0), (-0.0, -0.0), (1, inf), (-1, -inf), (2, nan), (-inf, nan)],
    "rsqrt": [(0.0, inf), (-0.0, -inf), (inf, 0.0), (-1, nan), (-inf, nan), (4, 0.5)],
    "cbrt": [(0.0, 0.0), (-0.0, -0.0), (inf, inf), (-inf, -inf), (27, 3), (2.0**-147, 2.0**-49)],
    "sinc": [(0.0, 1), (-0.0, 1), (2, 0.0), (1e30, 0.0), (inf, nan), (-inf, nan)],
    "deg2rad": [(0.0, 0.0), (-0.0, -0.0), (180, pi), (-inf, -inf)],
    "rad2deg": [(0.0, 0.0), (-0.0, -0.0), (pi, 180), (-inf, -inf)],
    "erf": [(0.0, 0.0), (-0.0, -0.0), (inf, 1), (-inf, -1)],
    "erfc": [(0.0, 1), (-0.0, 1), (inf, 0.0), (-inf, 2)],
    "gamma": [
        *[(0.0, inf), (-0.0, -inf), (-1, nan), (-170, nan), (-1e20, nan), (-inf, nan), (inf, inf)],
        *[(1, 1), (2, 1), (3, 2), (5, 24), (200, inf), (-1000.5, -0.0), (-1001.5, 0.0)],
    ],
    "lgamma": [
        *[(0.0, inf), (-0.0, inf), (-1, inf), (-1e20, inf), (-inf, inf), (inf, inf)],
        *[(1, 0.0), (2, 0.0), (3, math.log(2))],
    ],
    "digamma": [(0.0, -inf), (-0.0, inf), (-1, nan), (-1e20, nan), (-inf, nan), (inf, inf)],
    "expit": [(0.0, 0.5), (-0.0, 0.5), (-inf, 0.0), (inf, 1), (-1e4, 0.0)],
    "log_expit": [(0.0, -math.log(2)), (-inf, -inf), (inf, 0.0), (1e4, 0.0), (-1e4, -1e4)],
    "logit": [(0.0, -inf), (-0.0, -inf), (1, inf), (0.5, 0.0), (-1, nan), (2, nan), (inf, nan)],
    "entr": [(0.0, 0.0), (-0.0, 0.0), (1, -0.0), (-1, -inf), (-inf, -inf), (inf, -inf)],
    "ndtr": [(0.0, 0.5), (-0.0, 0.5), (-inf, 0.0), (inf, 1), (-1e4, 0.0), (1e4, 1)],
    "log_ndtr": [
        (0.0, -math.log(2)),
        (-inf, -inf),
        (inf, 0.0),
        (1e4, 0.0),
        (-(2.0**60), -(2.0**119)),
    ],
}

TWO = {
    "logaddexp": [
        *[(inf, y, inf) for y in (1.0, inf, -inf)],
        *[(-inf, y, y) for y in (1.0, inf, -inf)],
        *[(nan, y, nan) for y in (1.0, inf, -inf)],
        (1, nan, nan),
    ],
    "atan2": [
        *[(y, x, math.copysign(pi, y)) for y in (0.0, -0.0) for x in (-0.0, -2, -inf)],
        *[(y, x, y) for y in (0.0, -0.0) for x in (0.0, 2, inf)],
        *[(y, x, math.copysign(pi / 2, y)) for y in (1, -1) for x in (0.0, -0.0)],
        *[(y, -inf, math.copysign(pi, y)) for y in (1, -1)],
        *[(y, inf, math.copysign(0.0, y)) for y in (1, -1)],
        *[(y, x, math.copysign(pi / 2, y)) for y in (inf, -inf) for x in (-2, 0.0, 5)],
        *[(y, -inf, math.copysign(3 * pi / 4, y)) for y in (inf, -inf)],
        *[(y, inf, math.copysign(pi / 4, y)) for y in (inf, -inf)],
        *[(nan, x, nan) for x in (0.0, 1, inf)],
        *[(y, nan, nan) for y in (0.0, 1, inf)],
    ],
    "hypot": [
        *[(x, y, inf) for x in (inf, -inf) for y in (0.0, 1, inf, nan)],
        *[(y, x, inf) for x in (inf, -inf) for y in (0.0, 1, inf, nan)],
        *[(x, y, 0.0) for x in (0.0, -0.0) for y in (0.0, -0.0)],
        *[(x, 0.0, abs(x)) for x in (2.0**-149, 3e38, -1e-30)],
        (3, -4, 5),
        (3 * 2.0**-140, 4 * 2.0**-140, 5 * 2.0**-140),
        (nan, 1, nan),
        (1, nan, nan),
    ],
    "beta": [
        *[(0.0, y, inf) for y in (0.0, -0.0, 1, 1e30)],
        *[(x, inf, 0.0) for x in (1, inf, 1e-30)],
        *[(0.0, inf, nan), (-1, 1, nan), (1, -0.5, nan), (-1, inf, nan)],
        *[(nan, y, nan) for y in (0.0, 1, inf)],
        *[(y, nan, nan) for y in (0.0, 1, inf)],
    ],
    "betaln": [
        *[(0.0, y, inf) for y in (0.0, -0.0, 1, 1e30)],
        *[(x, inf, -inf) for x in (1, inf, 1e-30)],
        *[(0.0, inf, nan), (-1, 1, nan), (1, -0.5, nan), (-1, inf, nan)],
        *[(nan, y, nan) for y in (0.0, 1, inf)],
        *[(y, nan, nan) for y in (0.0, 1, inf)],
    ],
    "xlogy": [
        *[(x, y, 0.0) for x in (0.0, -0.0) for y in (0.0, -0.0, 1, -2, inf, -inf)],
        *[(0.0, nan, nan), (nan, 1, nan), (nan, 0.0, nan)],
        *[(2, 0.0, -inf), (-2, 0.0, inf), (2, -1, nan), (2, inf, inf), (3, 1, 0.0)],
    ],
    "xlog1py": [
        *[(x, y, 0.0) for x in (0.0, -0.0) for y in (0.0, -1, -2, inf, -inf)],
        *[(0.0, nan, nan), (nan, 0.0, nan), (nan, -1, nan)],
        *[(2, -1, -inf), (-2, -1, inf), (2, -2, nan), (2, inf, inf), (3, -0.0, -0.0)],
    ],
    "rel_entr": [
        *[(0.0, y, 0.0) for y in (0.0, 1, inf)],
        *[(x, 0.0, inf) for x in (1, inf)],
        *[(x, y, inf) for x in (-1, -inf) for y in (-1, 0.0, 1)],
        *[(1, -1, inf), (0.0, -1, inf), (inf, 1, inf), (1, inf, -inf), (2, 2, 0.0)],
        *[(nan, y, nan) for y in (-1, 0.0, 1)],
        *[(x, nan, nan) for x in (-1, 0.0, 1)],
    ],
    "pow": [
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
