"""What a product and a sum that are rounded once give, in NumPy, which has no such function.

A sum rounded to odd, where it is not exact, can be rounded again to fewer digits as if it had been
exact (Boldo and Melquiond, Emulation of FMA and correctly rounded sums, 2008).
"""

from __future__ import annotations

from fractions import Fraction
from math import inf, isfinite
from typing import Any

import numpy as np

__all__ = ["fused_multiply_add"]

# Between these, products and what they are rounded by are normal numbers.
_LEAST, _GREATEST = 2.0**-400, 2.0**400
_SPLITTER = 2.0**27 + 1


def fused_multiply_add(a: Any, b: Any, c: Any) -> Any:
    """Return a·b + c rounded once."""
    a, b, c = np.broadcast_arrays(a, b, c)
    with np.errstate(all="ignore"):
        if a.dtype == np.float32:
            wide = [x.astype(np.float64) for x in (a, b, c)]
            return _sum_to_odd(wide[0] * wide[1], wide[2]).astype(np.float32)
        result = np.asarray(_of_doubles(a, b, c))
        sizes = [np.abs(x) for x in (a, b, c)]
        plain = [(size >= _LEAST) & (size <= _GREATEST) for size in sizes]
        for place in np.argwhere(~(plain[0] & plain[1] & plain[2])):
            at = tuple(place)
            result[at] = _of_numbers(float(a[at]), float(b[at]), float(c[at]))
        return result


def _of_doubles(a: Any, b: Any, c: Any) -> Any:
    product = a * b
    (a_high, a_low), (b_high, b_low) = _halves(a), _halves(b)
    error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    total, rest = _exact_sum(c, error)
    high, low = _exact_sum(product, total)
    return high + _sum_to_odd(rest, low)


def _halves(x: Any) -> tuple[Any, Any]:
    """Return two numbers of half of the digits that add up to x (Veltkamp)."""
    moved = x * _SPLITTER
    high = moved - (moved - x)
    return high, x - high


def _exact_sum(x: Any, y: Any) -> tuple[Any, Any]:
    """Return x + y rounded, and what that lacks (Knuth)."""
    total = x + y
    added = total - x
    return total, (x - (total - added)) + (y - added)


def _sum_to_odd(x: Any, y: Any) -> Any:
    """Return x + y: if it is not exact, the neighbour whose last digit is odd."""
    total, lost = _exact_sum(x, y)
    bits = np.asarray(total).view(np.int64)
    step = np.where((lost > 0) == (total > 0), 1, -1)
    is_even = (lost != 0) & np.isfinite(total) & (bits & 1 == 0)
    return np.where(is_even, bits + step, bits).view(np.float64)


def _of_numbers(a: float, b: float, c: float) -> float:
    if not (isfinite(a) and isfinite(b)):
        return float(np.float64(a) * np.float64(b) + np.float64(c))
    if not isfinite(c):
        return c
    if c == 0 and a != 0 and b != 0:
        return float(np.float64(a) * np.float64(b))
    if a == 0 or b == 0:
        return a * b + c
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    try:
        return float(exact)
    except OverflowError:
        return inf if exact > 0 else -inf
