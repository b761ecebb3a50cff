"""The special cases that the Array API lists for its elementwise functions, on every device.

Those of functions that C has too are tested over the rows of the compiler; here are the others, and
how the standard puts those of two operands.
"""

from math import inf, nan, pi

import numpy as np
import pytest

import muntin as mt
from muntin import xp
from muntin.runtime.device import device_names

ANY = (-inf, -1.5, -0.0, 0.0, 1.5, inf)
FINITE = (-1.5, -0.0, 0.0, 2.5)

ONE = {
    "abs": [(nan, nan), (-0.0, 0.0), (-inf, inf)],
    "ceil": [(x, x) for x in (inf, -inf, 0.0, -0.0, nan, 3.0)] + [(-0.5, -0.0)],
    "floor": [(x, x) for x in (inf, -inf, 0.0, -0.0, nan, 3.0)],
    "trunc": [(x, x) for x in (inf, -inf, 0.0, -0.0, nan, 3.0)] + [(-0.5, -0.0)],
    "round": [(x, x) for x in (inf, -inf, 0.0, -0.0, nan, 3.0)] + [(2.5, 2.0), (-0.5, -0.0)],
    "isfinite": [(nan, 0), (inf, 0), (-inf, 0), (0.0, 1)],
    "isinf": [(nan, 0), (inf, 1), (-inf, 1), (0.0, 0)],
    "isnan": [(nan, 1), (inf, 0), (0.0, 0)],
    "negative": [(nan, nan), (inf, -inf), (-inf, inf), (0.0, -0.0), (-0.0, 0.0)],
    "reciprocal": [(nan, nan), (inf, 0.0), (-inf, -0.0), (0.0, inf), (-0.0, -inf)],
    "sign": [(-2.5, -1), (-0.0, 0), (0.0, 0), (inf, 1), (-inf, -1), (nan, nan)],
    "signbit": [(0.0, 0), (-0.0, 1), (inf, 0), (-inf, 1), (-2.5, 1), (-nan, 1), (nan, 0)],
    "sqrt": [(nan, nan), (-1.0, nan), (0.0, 0.0), (-0.0, -0.0), (inf, inf), (-inf, nan)],
    "square": [(nan, nan), (-inf, inf), (-0.0, 0.0)],
    "positive": [(x, x) for x in (nan, -0.0, inf)],
}

TWO = {
    "add": [
        *[(nan, y, nan) for y in ANY],
        *[(inf, -inf, nan), (-inf, inf, nan), (inf, inf, inf), (-inf, -inf, -inf)],
        *[(x, y, x) for x in (inf, -inf) for y in FINITE],
        *[(-0.0, -0.0, -0.0), (-0.0, 0.0, 0.0), (0.0, -0.0, 0.0), (0.0, 0.0, 0.0)],
        *[(1.5, -1.5, 0.0), (0.0, 2.5, 2.5)],
    ],
    "subtract": [(inf, inf, nan), (0.0, 0.0, 0.0), (-0.0, 0.0, -0.0), (0.0, -0.0, 0.0)],
    "multiply": [
        *[(nan, y, nan) for y in ANY],
        *[(inf, 0.0, nan), (-inf, -0.0, nan), (0.0, inf, nan)],
        *[(inf, -2.5, -inf), (-inf, -2.5, inf), (inf, -inf, -inf), (-0.0, 2.5, -0.0)],
    ],
    "divide": [
        *[(nan, y, nan) for y in ANY],
        *[(inf, -inf, nan), (0.0, -0.0, nan)],
        *[(2.5, 0.0, inf), (2.5, -0.0, -inf), (-2.5, 0.0, -inf), (-2.5, -0.0, inf)],
        *[(0.0, 2.5, 0.0), (0.0, -2.5, -0.0), (-0.0, -2.5, 0.0)],
        *[(inf, 2.5, inf), (-inf, 2.5, -inf), (2.5, inf, 0.0), (-2.5, inf, -0.0)],
    ],
    "floor_divide": [
        *[(nan, y, nan) for y in ANY],
        *[(inf, inf, nan), (-inf, inf, nan), (0.0, -0.0, nan), (-0.0, 0.0, nan)],
        *[(0.0, 2.5, 0.0), (-0.0, 2.5, -0.0), (0.0, -2.5, -0.0), (-0.0, -2.5, 0.0)],
        *[(2.5, 0.0, inf), (2.5, -0.0, -inf), (-2.5, 0.0, -inf), (-2.5, -0.0, inf)],
        *[(2.5, inf, 0.0), (2.5, -inf, -1.0), (-2.5, inf, -1.0), (-2.5, -inf, 0.0)],
    ],
    "remainder": [
        *[(nan, y, nan) for y in ANY],
        *[(x, y, nan) for x in (inf, -inf) for y in ANY],
        *[(x, y, nan) for x in (0.0, -0.0, 2.5, -2.5) for y in (0.0, -0.0)],
        *[(0.0, 2.5, 0.0), (-0.0, 2.5, 0.0), (0.0, -2.5, -0.0), (-0.0, -2.5, -0.0)],
        *[(2.5, inf, 2.5), (2.5, -inf, -inf), (-2.5, inf, inf), (-2.5, -inf, -2.5)],
    ],
    "atan2": [
        *[(nan, y, nan) for y in ANY],
        *[(2.5, 0.0, pi / 2), (2.5, -0.0, pi / 2), (-2.5, 0.0, -pi / 2), (-2.5, -0.0, -pi / 2)],
        *[(0.0, 2.5, 0.0), (0.0, 0.0, 0.0), (0.0, -0.0, pi), (0.0, -2.5, pi)],
        *[(-0.0, 2.5, -0.0), (-0.0, 0.0, -0.0), (-0.0, -0.0, -pi), (-0.0, -2.5, -pi)],
        *[(2.5, inf, 0.0), (2.5, -inf, pi), (-2.5, inf, -0.0), (-2.5, -inf, -pi)],
        *[(inf, y, pi / 2) for y in FINITE],
        *[(inf, inf, pi / 4), (inf, -inf, 3 * pi / 4), (-inf, inf, -pi / 4)],
        (-inf, -inf, -3 * pi / 4),
    ],
    "copysign": [
        (x, y, abs(x) * (-1 if y in (-1.5, -inf) else 1)) for x in ANY for y in (-inf, -1.5, 1.5)
    ]
    + [(2.5, -0.0, -2.5), (-2.5, 0.0, 2.5), (0.0, -1.0, -0.0), (nan, -1.0, nan), (1.0, -nan, -1.0)],
    "hypot": [
        *[(x, y, inf) for x in (inf, -inf) for y in (*ANY, nan)],
        *[(nan, y, nan) for y in FINITE],
        *[(0.0, y, abs(y)) for y in FINITE],
        (-0.0, -0.0, 0.0),
    ],
    "logaddexp": [(nan, inf, nan), (inf, 2.5, inf), (-inf, 2.5, 2.5), (-inf, -inf, -inf)],
    "maximum": [(nan, y, nan) for y in ANY] + [(y, nan, nan) for y in ANY] + [(-0.0, 0.0, 0.0)],
    "minimum": [(nan, y, nan) for y in ANY] + [(y, nan, nan) for y in ANY] + [(0.0, -0.0, -0.0)],
    "nextafter": [(nan, y, nan) for y in ANY] + [(y, nan, nan) for y in ANY] + [(0.0, -0.0, -0.0)],
    "pow": [
        *[(x, y, 1.0) for x in (*ANY, nan) for y in (0.0, -0.0)],
        *[(1.0, y, 1.0) for y in (*ANY, nan)],
        *[(nan, 1.5, nan), (2.5, nan, nan)],
        *[(2.5, inf, inf), (2.5, -inf, 0.0), (1.0, inf, 1.0), (-1.0, -inf, 1.0)],
        *[(0.5, inf, 0.0), (-0.5, -inf, inf)],
        *[(inf, 1.5, inf), (inf, -1.5, 0.0), (-inf, 3.0, -inf), (-inf, 2.0, inf)],
        *[(-inf, -3.0, -0.0), (-inf, -2.0, 0.0), (-2.5, 0.5, nan)],
        *[(0.0, 1.5, 0.0), (0.0, -1.5, inf), (-0.0, 3.0, -0.0), (-0.0, 2.0, 0.0)],
        *[(-0.0, -3.0, -inf), (-0.0, -2.0, inf)],
    ],
}


def check(name: str, dtype: str, operands: list[list[float]], expected: list[float]) -> None:
    with np.errstate(all="ignore"):
        arrays = [np.array(values).astype(dtype) for values in operands]
        wanted = np.array(expected, float)
    for device in device_names():
        with mt.use(device):
            found = np.asarray(getattr(xp, name)(*[xp.asarray(array) for array in arrays]))
        close = 4 * np.finfo(dtype).eps
        np.testing.assert_allclose(found, wanted, close, err_msg=device)
        ends = ~np.isnan(wanted)
        if found.dtype.kind == "f" and name != "sign":
            np.testing.assert_array_equal(np.signbit(found[ends]), np.signbit(wanted[ends]), device)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ONE)
def test_functions_of_one_operand(name: str, dtype: str) -> None:
    operands, expected = zip(*ONE[name], strict=True)
    check(name, dtype, [list(operands)], list(expected))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", TWO)
def test_functions_of_two_operands(name: str, dtype: str) -> None:
    first, second, expected = zip(*TWO[name], strict=True)
    check(name, dtype, [list(first), list(second)], list(expected))
    if name in ("add", "multiply", "maximum", "minimum", "hypot", "logaddexp"):
        check(name, dtype, [list(second), list(first)], list(expected))


def test_infinities_are_divided_as_numpys() -> None:
    # The standard has ±infinity here, and NumPy NaN, for which muntin was made.
    for x, y in [(inf, 2.5), (inf, -2.5), (-inf, 2.5), (-inf, -2.5)]:
        assert np.isnan(xp.floor_divide(xp.asarray(x), xp.asarray(y)))
